/*
** sample_entries.c - how many values a column has, by its dictionaries.
**
** GROUP BY reads the rows once per group where groups are few (group_passes.c), so it
** has to know in advance how many there are.  Footers do not tell.  Hardly any
** writer counts distinct values.  The size of a dictionary page is that of
** packed bytes, which only limits its entries from above.  And no footer tells
** whether two row groups have the same values.  A guess that is twice too high
** for each of three columns is eight times too high for their groups.
**
** So the dictionaries themselves are read, of the few row groups of the sample
** and of the last file's first.  It takes a scan, which is opened while the
** statement is prepared, once per column as long as the table lives; and only
** where the sample says that dictionaries are small.
*/
#include "ext/plan/sample.h"

#include <math.h>

enum {
    MOST_ENTRIES = 254,              /* that are counted                    */
    FIRST_ROWS = 64,                 /* not all of them NULL, it is hoped   */
    LIKELY_FEW = 16384               /* a dictionary that lies in so many
                                     ** bytes, at four or more an entry, may
                                     ** have more: it is not read           */
};

/* What the dictionaries of some row groups have, each value once. */
typedef struct Entries {
    PqTextNumbers values;            /* their bytes                         */
    uint32_t fresh;                  /* that none but the last one has      */
    bool     many;                   /* or not known                        */
} Entries;

static PqRc add_entries(Entries *x, const PqDict *d, PqErr *e)
{
    for (uint32_t i = 0; i < d->n; i++) {
        PqSlice bytes = pq_dict_entry(d, i);
        PqStr v = {bytes.p, (uint32_t)bytes.n};
        uint32_t number;

        if (pq_text_numbers_get(&x->values, v) != PQ_NO_NUMBER) {
            continue;
        }
        if (x->values.table.n == MOST_ENTRIES) {
            x->many = true;
            return PQ_OK;
        }
        PQ_TRY(pq_text_numbers_find(&x->values, &v, 1, &number, e));
        x->fresh++;
    }
    return PQ_OK;
}

/* Adds the dictionary of the row group that begins at a row. */
static PqRc add_group(Entries *x, PqScan *scan, uint32_t column, int64_t rowid,
                      PqErr *e)
{
    PqRowRange range = {rowid, rowid + FIRST_ROWS};
    const PqNode *node;
    const PqVector *v;
    bool more;

    x->fresh = 0;
    PQ_TRY(pq_scan_start(scan, &range, 1, NULL, NULL, e));
    PQ_TRY(pq_scan_next(scan, &more, e));
    node = more ? pq_scan_node(scan, column) : NULL;
    if (!node) {
        return PQ_OK;                /* nothing there but NULL */
    }
    x->many = node->kind != PQ_NODE_LEAF;
    if (!x->many) {
        PQ_TRY(pq_scan_vector(scan, (uint32_t)node->leaf, &v, e));
        x->many = !v->dict;
    }
    return x->many ? PQ_OK : add_entries(x, v->dict, e);
}

static PqRc add_all(Entries *x, const PqextTable *t, PqScan *scan,
                    uint32_t n_files, uint32_t column, PqErr *e)
{
    const PqFooter *f = t->table->footers[0];
    uint32_t few[PQEXT_SAMPLE_FEW], n = pqext_sample_few(t->sample, few);

    for (uint32_t i = 0; i < n && !x->many; i++) {
        PQ_TRY(add_group(x, scan, column, f->groups[few[i]].first_row, e));
    }
    return n_files > 1 && !x->many
               ? add_group(x, scan, column,
                           (int64_t)(n_files - 1) << PQ_ROWID_SHIFT, e)
               : PQ_OK;
}

/* Where the last row group that is looked at has values that the others have
** not, every row group may: rows lie in the column's order, perhaps. */
static PqRc count_entries(const PqextTable *t, PqScan *scan, uint32_t n_files,
                          uint32_t column, uint32_t *n, PqErr *e)
{
    double groups = (double)t->table->footers[0]->n_groups * n_files, most;
    Entries x = {.fresh = 0};
    uint32_t n_values;
    PqRc rc;

    pq_text_numbers_init(&x.values, t->host->engine->mem, (uint64_t)(uintptr_t)t,
                         NULL);
    rc = add_all(&x, t, scan, n_files, column, e);
    n_values = x.values.table.n;
    pq_text_numbers_free(&x.values);
    most = n_values + 1 + (n_values > x.fresh ? x.fresh : 0) * groups;
    *n = rc == PQ_OK && !x.many && most < PQEXT_MANY_ENTRIES
             ? (uint32_t)most : PQEXT_MANY_ENTRIES;
    return rc;
}

/* The most values that a row group of the sample may have; INFINITY: not known. */
static double most_kinds(PqextTable *t, uint32_t column)
{
    const PqextSummary *v = pqext_sample_column(t, column);
    double most = v ? 0 : INFINITY;

    for (uint32_t g = 0; v && g < t->sample->n; g++) {
        most = fmax(most, v[g].kinds);
    }
    return most;
}

/* A file that cannot be read counts as one with many.  Reading it gives a
** better error. */
static uint32_t read_entries(PqextTable *t, uint32_t column)
{
    PqScanOptions options = {.memory = pq_mem_limit_of(t->options.memory),
                             .checksum = t->options.checksum != 0,
                             .stop = {pqext_host_stop, t->host},
                             .unlisted = true};
    uint32_t n = PQEXT_MANY_ENTRIES;
    PqextListing *listing = NULL;
    PqScan *scan = NULL;
    PqErr e = PQ_NO_ERR;

    if (pqext_listing_make(t->host, &t->options, t->table, &listing,
                           &e) == PQ_OK &&
        pq_scan_new(t->table, &listing->list, &options, &scan, &e) == PQ_OK &&
        count_entries(t, scan, listing->list.n_files, column, &n, &e) !=
            PQ_OK) {
        n = PQEXT_MANY_ENTRIES;
    }
    pq_scan_free(scan);
    pqext_listing_release(listing);
    pq_err_clear(&e);
    return n;
}

uint32_t pqext_sample_entries(PqextTable *t, uint32_t column, bool guess)
{
    PqextSample *s = pqext_sample(t);
    double kinds;

    if (!s) {
        return PQEXT_MANY_ENTRIES;
    }
    if (s->entries[column] == 0) {
        kinds = most_kinds(t, column);
        if (guess && kinds <= LIKELY_FEW) {
            return (uint32_t)kinds + 1;          /* and NULL */
        }
        s->entries[column] = kinds > LIKELY_FEW
                                 ? PQEXT_MANY_ENTRIES : read_entries(t, column);
    }
    return s->entries[column];
}

/* No more values than these lie between the bounds of the first file. */
static double span_of(PqextTable *t, uint32_t column)
{
    const PqextSummary *v = pqext_sample_column(t, column);
    double low = INFINITY, high = -INFINITY;

    for (uint32_t g = 0; v && g < t->sample->n; g++) {
        if (!v[g].placed) {
            return INFINITY;
        }
        low = fmin(low, (double)v[g].low);
        high = fmax(high, (double)v[g].high);
    }
    return v && low <= high ? high - low + 2 : INFINITY;     /* and NULL */
}

double pqext_sample_values(PqextTable *t, uint32_t column, bool guess)
{
    double entries = pqext_sample_entries(t, column, guess);

    entries = entries < PQEXT_MANY_ENTRIES ? entries : INFINITY;
    return t->sample ? fmin(entries, span_of(t, column) * t->table->n_footers)
                     : entries;
}
