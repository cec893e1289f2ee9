/*
** scan_units.c - a ring of units.  Whoever takes a unit gets its array of
** ranges, and leaves an array in exchange.
*/
#include "core/scan/scan_units.h"

void pq_scan_units_init(PqScanUnits *u, PqMem *mem, PqScan *scan,
                        int64_t rows)
{
    *u = (PqScanUnits){.mem = mem, .scan = scan, .rows = rows};
    pthread_mutex_init(&u->lock, NULL);
}

void pq_scan_units_free(PqScanUnits *u)
{
    for (uint32_t i = 0; i < PQ_SCAN_UNITS; i++) {
        pq_mem_free(u->units[i].ranges);
    }
    pthread_mutex_destroy(&u->lock);
}

/* ---- putting -------------------------------------------------------------- */

static PqRc look_at_next(PqScanUnits *u, PqErr *e)
{
    bool more;

    if (u->has_next || u->at_end) {
        return PQ_OK;
    }
    PQ_TRY(pq_scan_next_rows(u->scan, &u->next, &more, e));
    u->has_next = more;
    u->at_end = !more;
    return PQ_OK;
}

/* Makes a unit of rows of one file.  A unit without rows: none are left. */
static PqRc make_unit(PqScanUnits *u, PqScanUnit *unit, PqErr *e)
{
    int64_t rows = 0, file;

    unit->n = 0;
    PQ_TRY(look_at_next(u, e));
    file = u->next.begin >> PQ_ROWID_SHIFT;
    while (u->has_next && rows < u->rows &&
           u->next.begin >> PQ_ROWID_SHIFT == file) {
        PQ_TRY(PQ_GROW(u->mem, unit->ranges, unit->n, unit->room, e));
        unit->ranges[unit->n++] = u->next;
        rows += u->next.end - u->next.begin;
        u->has_next = false;
        PQ_TRY(look_at_next(u, e));
    }
    return PQ_OK;
}

static uint32_t number_that_wait(PqScanUnits *u)
{
    uint32_t n;

    pthread_mutex_lock(&u->lock);
    n = (uint32_t)(u->n_put - u->n_taken);
    pthread_mutex_unlock(&u->lock);
    return n;
}

PqRc pq_scan_units_fill(PqScanUnits *u, uint32_t n, uint64_t end, PqErr *e)
{
    while (u->n_put < end && number_that_wait(u) < n) {
        PqScanUnit *unit = &u->units[u->n_put % PQ_SCAN_UNITS];

        PQ_TRY(make_unit(u, unit, e));
        if (unit->n == 0) {
            return PQ_OK;
        }
        unit->number = u->n_put;
        pthread_mutex_lock(&u->lock);
        u->n_put++;
        pthread_mutex_unlock(&u->lock);
    }
    return PQ_OK;
}

/* ---- taking --------------------------------------------------------------- */

bool pq_scan_units_take(PqScanUnits *u, PqScanUnit *unit, bool any_file)
{
    PqScanUnit *at, old = *unit;
    bool taken;

    pthread_mutex_lock(&u->lock);
    at = &u->units[u->n_taken % PQ_SCAN_UNITS];
    taken = u->n_taken != u->n_put &&
            (any_file || pq_scan_unit_file(at) == pq_scan_unit_file(unit));
    if (taken) {
        *unit = *at;
        *at = old;
        u->n_taken++;
    }
    pthread_mutex_unlock(&u->lock);
    return taken;
}
