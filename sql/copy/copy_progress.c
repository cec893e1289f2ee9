/*
** copy_progress.c - writes the line of progress, and remarks on small row
** groups, values that do not have their named types, and partitions that are
** gone.
**
** A shorter line is padded to cover the previous one.
*/
#include "sql/copy/copy_progress.h"

#include "sql/describe/describe_text.h"
#include "sql/sqlite.h"

#include <stdio.h>

void pqsql_copy_progress_begin(PqsqlCopyProgress *p, bool shown, PqMem *mem)
{
    *p = (PqsqlCopyProgress){.shown = shown, .mem = mem};
    p->start = p->last = shown ? pq_clock_ms() : 0;
}

/* Without memory for it, the line is not written. */
static void write_line(PqsqlCopyProgress *p, const PqCopy *copy,
                       uint64_t n_rows, const char *after)
{
    int64_t ms = pq_clock_ms() - p->start, seconds = ms / 1000;
    uint32_t width;
    PqErr e;
    PqBuf b;

    pq_err_init(&e);
    pq_buf_init(&b, p->mem, &e);
    pqsql_text_count(&b, (int64_t)n_rows);
    pq_buf_text(&b, " rows, ");
    pqsql_text_bytes(&b, copy ? (int64_t)pq_copy_progress(copy).bytes : 0);
    pq_buf_printf(&b, ", %lld:%02lld, ", (long long)(seconds / 60),
                  (long long)(seconds % 60));
    pqsql_text_count(&b, (int64_t)((double)n_rows * 1000 /
                                   (double)(ms ? ms : 1)));
    pq_buf_text(&b, " rows/s");
    width = pqsql_text_width(&b, 0);
    pqsql_text_pad(&b, 0, p->width);
    pq_buf_text(&b, after);
    if (pq_buf_ok(&b)) {
        fprintf(stderr, "\r%.*s", (int)b.n, (const char *)b.p);
        fflush(stderr);
        p->width = width;
    }
    pq_buf_free(&b);
}

void pqsql_copy_progress_write(PqsqlCopyProgress *p, const PqCopy *copy,
                               uint64_t n_rows)
{
    int64_t now = pq_clock_ms();

    if (now - p->last >= 1000) {
        p->last = now;
        write_line(p, copy, n_rows, "");
    }
}

void pqsql_copy_progress_end(PqsqlCopyProgress *p, const PqCopy *copy,
                             uint64_t n_rows)
{
    if (p->shown) {
        write_line(p, copy, n_rows, "\n");
    }
}

/* ---- remarks on a copy that succeeded ------------------------------------ */

/* If what is NULL, there is nothing to tell. */
static void tell(const PqsqlCopyProgress *progress, int code, const char *path,
                 const char *what)
{
    char *text = !what ? NULL
                       : sqlite3_mprintf("parquet_copy_to: %s: %s", path, what);

    if (text) {
        sqlite3_log(code, "%s", text);
    }
    if (text && progress->shown) {
        fprintf(stderr, "%s\n", text);
    }
    sqlite3_free(text);
}

/* Lack of memory made row groups small, which makes reading slow. */
static char *of_small_groups(const PqCopy *copy, const PqsqlCopyOptions *o)
{
    PqCopyProgress p = pq_copy_progress(copy);

    return !p.small_groups ? NULL : sqlite3_mprintf(
        "%u of %u row groups are small for lack of memory: ORDER BY the columns "
        "of partition_by, or give it more than {\"memory\": %lld}",
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

char *pqsql_copy_remarks(const PqsqlCopyProgress *progress, const PqCopy *copy,
                         const char *path, const PqsqlCopyOptions *o)
{
    char *small = of_small_groups(copy, o);
    char *unfit = of_unfit(copy, progress->mem);
    char *lost = of_lost(copy);

    tell(progress, SQLITE_WARNING, path, small);
    tell(progress, SQLITE_NOTICE, path, unfit);
    tell(progress, SQLITE_NOTICE, path, lost);
    sqlite3_free(small);
    sqlite3_free(unfit);
    return lost;
}
