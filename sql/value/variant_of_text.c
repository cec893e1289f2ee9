/*
** variant_of_text.c - the texts that SQLite holds, and their Variants.
**
** A text and its twin are one allocation, which begins with a link.  There are
** rarely more of them than registers of the running statements, so they are
** found in a small table of lists, by their place in memory.
*/
#include "sql/value/variant_of_text.h"

typedef struct Twin {
    struct Twin  *next, **back;
    PqsqlTwins   *of;
    size_t        text_n, blob_n;
    char          text[];            /* text, NUL, blob */
} Twin;

enum { LISTS = 64 };

struct PqsqlTwins {
    Twin    *list[LISTS];
    uint64_t n;                      /* twins that SQLite holds             */
    uint32_t begun;
    bool     closed;                 /* the connection let go of it         */
    const PqsqlPassed *passed;       /* by the statement passed_by          */
    uint32_t n_passed;
    uint64_t passed_by;              /* 0: the first that reads             */
};

static size_t list_of(const char *text)
{
    return ((uintptr_t)text >> 4 ^ (uintptr_t)text >> 12) % LISTS;
}

PqsqlTwins *pqsql_twins_new(void)
{
    PqsqlTwins *t = sqlite3_malloc(sizeof *t);

    if (t) {
        memset(t, 0, sizeof *t);
    }
    return t;
}

/* SQLite may let go of the last text after the connection's modules are
** gone. */
void pqsql_twins_free(PqsqlTwins *t)
{
    if (t && t->n > 0) {
        t->closed = true;
    } else {
        sqlite3_free(t);
    }
}

static void let_go(void *text)
{
    Twin *twin = (Twin *)(void *)((char *)text - offsetof(Twin, text));
    PqsqlTwins *t = twin->of;

    *twin->back = twin->next;
    if (twin->next) {
        twin->next->back = twin->back;
    }
    sqlite3_free(twin);
    t->n--;
    if (t->closed) {
        pqsql_twins_free(t);
    }
}

bool pqsql_twin_of(const PqsqlTwins *t, sqlite3_value *v, PqSlice *blob)
{
    const char *text;
    const Twin *twin;

    if (!t || t->n == 0 || sqlite3_value_type(v) != SQLITE_TEXT) {
        return false;
    }
    text = (const char *)sqlite3_value_text(v);
    for (twin = t->list[list_of(text)]; twin && twin->text != text;
         twin = twin->next) {
    }
    if (twin) {
        *blob = pq_slice(twin->text + twin->text_n + 1, twin->blob_n);
    }
    return twin != NULL;
}

void pqsql_twin_result(PqsqlTwins *t, sqlite3_context *ctx, PqSlice text,
                       PqSlice blob)
{
    Twin *twin = sqlite3_malloc64(sizeof *twin + text.n + 1 + blob.n), **list;

    if (!twin) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    list = &t->list[list_of(twin->text)];
    *twin = (Twin){*list, list, t, text.n, blob.n};
    memcpy(twin->text, text.p, text.n);
    twin->text[text.n] = 0;
    if (blob.n) {
        memcpy(twin->text + text.n + 1, blob.p, blob.n);
    }
    if (*list) {
        (*list)->back = &twin->next;
    }
    *list = twin;
    t->n++;
    sqlite3_result_text(ctx, twin->text, -1, let_go);
}

void pqsql_twins_begin(PqsqlTwins *t)
{
    t->begun++;
}

void pqsql_twins_end(PqsqlTwins *t)
{
    t->begun--;
}

bool pqsql_twins_wanted(const PqsqlTwins *t)
{
    return t->begun > 0;
}

void pqsql_twins_pass(PqsqlTwins *t, const PqsqlPassed *columns, uint32_t n)
{
    if (t->begun == 1) {
        t->passed = columns;
        t->n_passed = n;
        t->passed_by = 0;
    }
}

/* column NULL: any. */
static bool is_passed(const PqsqlTwins *t, const char *schema,
                      const char *table, const char *column)
{
    for (uint32_t i = 0; i < t->n_passed; i++) {
        const PqsqlPassed *p = &t->passed[i];

        if (sqlite3_stricmp(p->schema, schema) == 0 &&
            sqlite3_stricmp(p->table, table) == 0 &&
            (!column || sqlite3_stricmp(p->column, column) == 0)) {
            return true;
        }
    }
    return false;
}

void pqsql_twins_reads(PqsqlTwins *t, const char *schema, const char *table,
                       uint64_t statement)
{
    if (PQ_UNLIKELY(t->n_passed > 0) && t->passed_by == 0 &&
        is_passed(t, schema, table, NULL)) {
        t->passed_by = statement;
    }
}

bool pqsql_twins_passes(const PqsqlTwins *t, const char *schema,
                        const char *table, const char *column,
                        uint64_t statement)
{
    return t->n_passed > 0 && statement != 0 && t->passed_by == statement &&
           is_passed(t, schema, table, column);
}
