/*
** rollup_units.h - rows of a scan, cut into units, in a queue.
**
**   SQLite's thread puts     unit 5   unit 4   unit 3      a lane takes
**
** A unit is a row group, or some small ones of a file.  The queue has room for more
** units than there are lanes.  So a lane goes from unit to unit without waiting for
** SQLite's thread, which would take longer to wake than some units take to read.
*/
#ifndef PQEXT_ROLLUP_UNITS_H
#define PQEXT_ROLLUP_UNITS_H

#include "core/for_host.h"

#include <pthread.h>

/* A test may build with another number. */
#ifndef PQEXT_UNIT_ROWS
#define PQEXT_UNIT_ROWS (1 << 16)    /* a unit has so many, if the file does */
#endif

enum { PQEXT_UNITS = 64 };           /* in the queue at most                */

typedef struct PqextUnit {
    uint64_t    number;
    PqRowRange *ranges;
    uint32_t    n, room;
} PqextUnit;

typedef struct PqextUnits {
    PqMem          *mem;
    PqScan         *scan;
    pthread_mutex_t lock;            /* of n_put and n_taken                */
    uint64_t        n_put, n_taken;
    PqextUnit       units[PQEXT_UNITS];          /* by number               */
    PqRowRange      next;            /* rows that are in no unit yet        */
    bool            has_next, at_end;
} PqextUnits;

void pqext_units_init(PqextUnits *u, PqMem *mem, PqScan *scan);

/* No other thread has anything of it by now. */
void pqext_units_free(PqextUnits *u);

/* Puts units until n wait to be taken, the next has the number `end`, or there are no
** more rows. */
PqRc pqext_units_fill(PqextUnits *u, uint32_t n, uint64_t end, PqErr *e);

static inline int64_t pqext_unit_file(const PqextUnit *unit)
{
    return unit->ranges[0].begin >> PQ_ROWID_SHIFT;
}

/* The next unit, in place of *unit; false: there is none.  Any thread may take. */
bool pqext_units_take(PqextUnits *u, PqextUnit *unit);

/* ... if it is of the same file as *unit. */
bool pqext_units_take_of_file(PqextUnits *u, PqextUnit *unit);

#endif
