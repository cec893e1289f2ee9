/*
** cursor_scan.c - the scan of a cursor, made once for a plan.
*/
#include "ext/cursor/cursor.h"

PqScanOptions pqext_cursor_options(const PqextCursor *c, bool counts)
{
    const PqextOptions *o = &c->table->options;

    return (PqScanOptions){
        .memory = (size_t)o->memory,
        .checksum = o->checksum != 0,
        .distrust = (unsigned)o->distrust,
        .threads = o->threads < 0 ? pq_pool_spare_processors()
                                  : (unsigned)o->threads,
        .rows_only = counts,
        .stop = {pqext_host_stop, c->table->host},
        .name = c->table->name,
        .plan = c->text,
    };
}

PqRc pqext_cursor_open(PqextCursor *c, const PqScanOptions *options)
{
    if (!c->columns) {
        size_t n = (c->table->n_columns + 1) * sizeof *c->columns;

        c->columns = sqlite3_malloc64(n);
        if (!c->columns) {
            return pq_fail(&c->e, PQ_NOMEM, "out of memory");
        }
        memset(c->columns, 0, n);
    }
    c->scan_counts = options->rows_only;
    return pq_scan_new(c->table->table, &c->listing->list, options, &c->scan,
                       &c->e);
}

/* A scan for the plan, which has none yet. */
static PqRc new_scan(PqextCursor *c, bool counts)
{
    PqScanOptions options = pqext_cursor_options(c, counts);

    if (!c->listing->lookup) {
        PQ_TRY(pq_lookup_new(options.memory, &c->listing->lookup, &c->e));
    }
    options.lookup = c->listing->lookup;
    return pqext_cursor_open(c, &options);
}

PqRc pqext_cursor_need_scan(PqextCursor *c)
{
    bool counts = c->plan->no_columns;

    if (c->scan && c->scan_counts == counts) {
        return PQ_OK;
    }
    pqext_cursor_forget(c);
    return new_scan(c, counts);
}
