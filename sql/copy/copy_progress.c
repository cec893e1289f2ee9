/*
** copy_progress.c - tells a person or a program how far a call has come, and makes
** remarks on small row groups, values that do not have their named types, and partitions
** that are gone.
**
** A shorter line is padded to cover the previous one.
*/
#include "sql/copy/copy_progress.h"

#include "sql/copy/copy_query.h"
#include "sql/describe/describe_text.h"

#include <stdio.h>

enum { LINE_MS = 1000, CALL_MS = 100 };

PqRc pqsql_copy_progress_begin(PqsqlCopyProgress *p, const char *said, sqlite3 *db,
                               PqMem *mem, PqErr *e)
{
    bool is_line = said && !*said;
    char *sql;

    *p = (PqsqlCopyProgress){.is_line = is_line, .expected = -1, .mem = mem};
    if (!said) {
        return PQ_OK;
    }
    p->interval = is_line ? LINE_MS : CALL_MS;
    p->start = p->last = pq_clock_ms();
    if (is_line) {
        return PQ_OK;
    }
    sql = sqlite3_mprintf("SELECT \"%w\"(?, ?, ?, ?)", said);
    if (!sql) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    if (sqlite3_prepare_v3(db, sql, -1, 0, &p->function, NULL) != SQLITE_OK) {
        pqsql_copy_query_error(db, e, "progress: ");
    }
    sqlite3_free(sql);
    return e->rc;
}

/* Without memory for it, the line is not written. */
static void write_line(PqsqlCopyProgress *p, uint64_t n_rows, int64_t n_bytes)
{
    int64_t ms = p->last - p->start, seconds = ms / 1000;
    uint32_t width;
    PqErr e = PQ_NO_ERR;
    PqBuf b;

    pq_buf_init(&b, p->mem, &e);
    pqsql_text_count(&b, (int64_t)n_rows);
    pq_buf_text(&b, " rows, ");
    if (n_bytes >= 0) {
        pqsql_text_bytes(&b, n_bytes);
        pq_buf_text(&b, ", ");
    }
    pq_buf_printf(&b, "%lld:%02lld, ", (long long)(seconds / 60), (long long)(seconds % 60));
    pqsql_text_count(&b, (int64_t)((double)n_rows * 1000 / (double)(ms ? ms : 1)));
    pq_buf_text(&b, " rows/s");
    width = pqsql_text_width(&b, 0);
    pqsql_text_pad(&b, 0, p->width);
    if (pq_buf_ok(&b)) {
        fprintf(stderr, "\r%.*s", (int)b.n, (const char *)b.p);
        fflush(stderr);
        p->width = width;
    }
    pq_buf_free(&b);
}

static PqRc call(PqsqlCopyProgress *p, uint64_t n_rows, int64_t n_bytes, PqErr *e)
{
    sqlite3_bind_int64(p->function, 1, (sqlite3_int64)n_rows);
    if (n_bytes >= 0) {
        sqlite3_bind_int64(p->function, 2, n_bytes);
    }
    sqlite3_bind_double(p->function, 3, (double)(p->last - p->start) / 1000);
    if (p->expected >= 0) {
        sqlite3_bind_int64(p->function, 4, p->expected);
    }
    /* The second step notices that the function has asked for an interrupt. */
    if (sqlite3_step(p->function) != SQLITE_ROW || sqlite3_step(p->function) != SQLITE_DONE) {
        pqsql_copy_query_error(sqlite3_db_handle(p->function), e, "progress: ");
    }
    sqlite3_reset(p->function);
    return e->rc;
}

PqRc pqsql_copy_progress_tell(PqsqlCopyProgress *p, uint64_t n_rows, int64_t n_bytes,
                              PqErr *e)
{
    n_rows += p->rows;
    n_bytes += n_bytes < 0 ? 0 : (int64_t)p->bytes;
    p->last = pq_clock_ms();
    if (p->is_line) {
        write_line(p, n_rows, n_bytes);
    }
    return p->function ? call(p, n_rows, n_bytes, e) : PQ_OK;
}

static void end_line(PqsqlCopyProgress *p)
{
    if (p->width) {
        fprintf(stderr, "\n");
        p->width = 0;
    }
}

void pqsql_copy_progress_end(PqsqlCopyProgress *p)
{
    end_line(p);
    sqlite3_finalize(p->function);
    p->function = NULL;
}

/* ---- remarks on a copy that succeeded ------------------------------------ */

/* If what is NULL, there is nothing to tell. */
static void tell(PqsqlCopyProgress *progress, int code, const char *path,
                 const char *what)
{
    char *text = !what ? NULL
                       : sqlite3_mprintf("parquet_copy_to: %s: %s", path, what);

    if (text) {
        sqlite3_log(code, "%s", text);
    }
    if (text && progress->is_line) {
        end_line(progress);
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
    PqErr e = PQ_NO_ERR;

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

char *pqsql_copy_remarks(PqsqlCopyProgress *progress, const PqCopy *copy,
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
