/*
** timer.h - how long a cursor's rows take, inside the engine and outside of it.
**
**   pass     |xFilter|  xColumn, SQLite, the program  |xNext|  ...      |xNext: end|
**            | inside|  outside                       |inside| outside  |inside    |
**
** The time inside is taken at batches and columns of batches, not at rows.  A
** join makes passes that take less than a microsecond, and reading the clock
** would be a tenth of that.  So after the first passes only every sixteenth is
** timed, and counts sixteen times.
*/
#ifndef PQEXT_TIMER_H
#define PQEXT_TIMER_H

#include "core/for_host.h"

typedef struct PqextTimer {
    PqScanUse use;                   /* so far                              */
    int64_t   mark;                  /* of the call or the return before    */
    int64_t   weight;                /* 0: this pass is not timed           */
    bool      rows_are_out;
} PqextTimer;

enum { PQEXT_TIMED_FIRST = 64, PQEXT_TIMED_EACH = 16 };

static inline void pqext_timer_enter(PqextTimer *t)
{
    if (t->weight) {
        int64_t now = pq_clock_ns();

        t->use.ns_outside += t->rows_are_out ? (now - t->mark) * t->weight : 0;
        t->mark = now;
    }
}

/* rows: SQLite is given some now. */
static inline void pqext_timer_leave(PqextTimer *t, bool rows)
{
    if (t->weight) {
        int64_t now = pq_clock_ns();

        t->use.ns_inside += (now - t->mark) * t->weight;
        t->mark = now;
        t->rows_are_out = rows;
    }
}

static inline void pqext_timer_pass(PqextTimer *t)
{
    uint64_t n = t->use.passes++;

    t->weight = n < PQEXT_TIMED_FIRST         ? 1
                : n % PQEXT_TIMED_EACH == 0 ? PQEXT_TIMED_EACH
                                            : 0;
    t->rows_are_out = false;
    pqext_timer_enter(t);
}

#endif
