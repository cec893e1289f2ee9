/*
** path_text.c
*/
#include "sql/path_text.h"

const char *pqsql_path_of(sqlite3_value *v, PqErr *e)
{
    const char *z;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        pq_fail(e, PQ_USAGE, "the path is NULL; a parameter that is not "
                             "bound is NULL");
        return NULL;
    }
    z = (const char *)sqlite3_value_text(v);
    if (!z) {
        pq_fail(e, PQ_NOMEM, "out of memory");
    } else if (strlen(z) != (size_t)sqlite3_value_bytes(v)) {
        pq_fail(e, PQ_USAGE, "%s: the path has a NUL in it", z);
        z = NULL;
    }
    return z;
}
