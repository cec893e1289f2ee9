/*
** scan_units.h - rows of a scan, cut into units, in a queue.
**
**   the host's thread puts   unit 5   unit 4   unit 3      a lane takes
**
** A unit is a row group, or some small ones of a file.  The queue has room for more
** units than there are lanes.  So a lane goes from unit to unit without waiting for
** the host's thread, which would take longer to wake than some units take to read.
*/
#ifndef PQ_SCAN_UNITS_H
#define PQ_SCAN_UNITS_H

#include "core/scan/scan.h"

#include <pthread.h>

enum { PQ_SCAN_UNITS = 64 };           /* in the queue at most                */

typedef struct PqScanUnit {
    uint64_t    number;
    PqRowRange *ranges;
    uint32_t    n, room;
} PqScanUnit;

typedef struct PqScanUnits {
    PqMem          *mem;
    PqScan         *scan;
    int64_t         rows;            /* rows of a unit, if a file has so
                                     ** many                                */
    pthread_mutex_t lock;            /* of n_put and n_taken                */
    uint64_t        n_put, n_taken;
    PqScanUnit      units[PQ_SCAN_UNITS];        /* by number               */
    PqRowRange      next;            /* rows that are not in a unit yet     */
    bool            has_next, at_end;
} PqScanUnits;

void pq_scan_units_init(PqScanUnits *u, PqMem *mem, PqScan *scan,
                        int64_t rows);

/* No other thread may use it any more. */
void pq_scan_units_free(PqScanUnits *u);

/* Puts units until n wait to be taken, until the next has the number `end`, or
** until no rows are left. */
PqRc pq_scan_units_fill(PqScanUnits *u, uint32_t n, uint64_t end, PqErr *e);

static inline int64_t pq_scan_unit_file(const PqScanUnit *unit)
{
    return unit->ranges[0].begin >> PQ_ROWID_SHIFT;
}

/* Puts the next unit, of any file or of the file of *unit, in the place of
** *unit; false: there is none.  Any thread may take units. */
bool pq_scan_units_take(PqScanUnits *u, PqScanUnit *unit, bool any_file);

#endif
