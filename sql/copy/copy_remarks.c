/*
** copy_remarks.c - remarks on small row groups, values that do not have their
** named types, and partitions that are gone.
*/
#include "sql/copy/copy_remarks.h"

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

static void tell(const PqsqlCopyProgress *progress, int code, const char *path,
                 const char *what)
{
    char *text = sqlite3_mprintf("parquet_copy_to: %s: %s", path, what);

    if (text) {
        sqlite3_log(code, "%s", text);
        pqsql_copy_progress_say(progress, text);
    }
    sqlite3_free(text);
}

/* Lack of memory made row groups small, which makes reading slow. */
static char *of_small_groups(const PqCopy *copy, const PqsqlCopyOptions *o)
{
    PqCopyProgress p = pq_copy_progress(copy);

    return !p.small_groups ? NULL : sqlite3_mprintf(
        "%u of %u row groups are small for lack of memory: ORDER BY the columns of "
        "partition_by, or give it more than {\"memory\": %lld}",
        p.small_groups, p.row_groups, (long long)o->memory);
}

/* The user named these types to search by them. */
static char *of_unfit(const PqCopy *copy, PqMem *mem)
{
    char *text = NULL;
    PqBuf b;
    PqErr e;

    pq_err_init(&e);
    pq_buf_init(&b, mem, &e);
    pq_copy_unfit(copy, &b);
    pq_buf_byte(&b, 0);
    if (b.n > 1 && pq_buf_ok(&b)) {
        text = sqlite3_mprintf("shred: %s", b.p);
    }
    pq_buf_free(&b);
    return text;
}

/* Partitions without rows in the query are gone.  A user who meant to write one
** day of many has to learn that. */
static char *of_lost(const PqCopy *copy)
{
    PqPublishLost lost = pq_copy_lost(copy);

    return !lost.n_partitions ? NULL : sqlite3_mprintf(
        "replace removed %u partition%s that the query has no rows of, %s%s: "
        "{\"overwrite\": \"partitions\"} keeps them",
        lost.n_partitions, lost.n_partitions == 1 ? "" : "s",
        lost.n_partitions == 1 ? "" : "such as ", lost.first);
}

char *pqsql_copy_remarks(const PqCopy *copy, const char *path,
                         const PqsqlCopyOptions *o, const PqsqlCopyProgress *progress,
                         PqMem *mem)
{
    char *small = of_small_groups(copy, o), *unfit = of_unfit(copy, mem);
    char *lost = of_lost(copy);

    if (small) {
        tell(progress, SQLITE_WARNING, path, small);
    }
    if (unfit) {
        tell(progress, SQLITE_NOTICE, path, unfit);
    }
    if (lost) {
        tell(progress, SQLITE_NOTICE, path, lost);
    }
    sqlite3_free(small);
    sqlite3_free(unfit);
    return lost;
}
