/*
** copy_progress.c - writes the line of progress.
**
** A shorter line is padded to cover the previous one.
*/
#include "sql/copy/copy_progress.h"

#include "sql/describe/describe_text.h"

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

void pqsql_copy_progress_say(const PqsqlCopyProgress *p, const char *text)
{
    if (p->shown) {
        fprintf(stderr, "%s\n", text);
    }
}
