/*
** plan_idxstr.c - makes the idxStr of a plan.
*/
#include "ext/table/plan_idxstr.h"

/* The number of the current compilation; 0: not known. */
static uint64_t compilation(PqextHost *h)
{
    sqlite3_stmt *s = sqlite3_next_stmt(h->db, NULL);

    if (!s || sqlite3_sql(s)) {
        return 0;
    }
    if (s != h->compiled) {
        h->compiled = s;
        h->n_compiled++;
    }
    return h->n_compiled;
}

void pqext_plan_sign(sqlite3_str *s, PqextHost *h)
{
    PqextSigned it = {compilation(h), ++h->n_plans};

    do {
        sqlite3_str_appendchar(s, 1, 0);
    } while (sqlite3_str_length(s) % 8);
    sqlite3_str_append(s, (const char *)&it, sizeof it);
}

int pqext_plan_give(sqlite3_str *s, sqlite3_index_info *info, int flags)
{
    info->idxNum = flags;
    info->idxStr = sqlite3_str_finish(s);
    info->needToFreeIdxStr = info->idxStr != NULL;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}
