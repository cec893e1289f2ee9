/*
** every_batch.h - all rows of a table, for tests that compare them.
*/
#ifndef EVERY_BATCH_H
#define EVERY_BATCH_H

#include "core/scan/scan.h"

typedef PqRc (*EveryBatch)(void *arg, PqScan *s, PqErr *e);

/* Calls `look` for each batch in order, until it fails. */
static inline PqRc every_batch(const PqTable *table, const PqListing *listing,
                               EveryBatch look, void *arg, PqErr *e)
{
    PqScanOptions so = {.memory = 64 << 20, .checksum = true, .name = "test"};
    PqScan *s = NULL;
    bool more;
    PqRc rc;

    PQ_GO(pq_scan_new(table, listing, &so, &s, e));
    PQ_GO(pq_scan_start(s, NULL, 0, NULL, NULL, e));
    for (;;) {
        PQ_GO(pq_scan_next(s, &more, e));
        if (!more) {
            break;
        }
        PQ_GO(look(arg, s, e));
    }
done:
    pq_scan_free(s);
    return rc;
}

#endif
