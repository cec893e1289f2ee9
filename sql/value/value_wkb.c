/*
** value_wkb.c - a geometry in a native encoding as a WKB blob.
**
** Rows are made one by one, when they are asked for, because one may have
** megabytes.
*/
#include "sql/value/value_inside.h"

PqRc pqsql_use_wkb(PqsqlColumn *c, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    PQ_TRY(PQ_NEW(r->mem, r->vectors, PQ_GEO_AXES, e));
    r->family = &pqsql_row_wkb;
    c->by_row = true;
    return pq_geo_rows_new(r->mem, r->node, r->options.wkb_of, &r->geo, e);
}

PqRc pqsql_load_wkb(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqScanEntries entries;
    const uint32_t *leaves;
    uint32_t n = pq_geo_rows_leaves(r->geo, &leaves);

    for (uint32_t i = 0; i < n; i++) {
        pq_scan_keep_levels(scan, leaves[i]);
    }
    PQ_TRY(pq_scan_entries(scan, r->node, &entries, e));
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(pq_scan_entry_vector(scan, r->node, leaves[i], &r->vectors[i],
                                    e));
    }
    r->entry_of_row = entries.of_row;
    r->text_n = 0;
    return pq_geo_rows_begin(r->geo, r->vectors, entries.n, e);
}

PqRc pqsql_wkb_of_entry(PqsqlColumn *c, uint32_t entry, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqSlice wkb;

    if (entry == r->text_first && r->text_n) {
        return PQ_OK;
    }
    r->text_n = 0;
    PQ_TRY(pq_geo_rows_wkb(r->geo, entry, &wkb, e));
    if (wkb.n > UINT32_MAX) {
        return pq_fail(e, PQ_UNSUPPORTED, "a geometry of %zu bytes as WKB",
                       wkb.n);
    }
    r->wkb = (PqStr){wkb.p, (uint32_t)wkb.n};
    r->texts = &r->wkb;
    r->text_first = entry;
    r->text_n = 1;
    return PQ_OK;
}
