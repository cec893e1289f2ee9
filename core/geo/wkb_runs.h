/*
** wkb_runs.h - the one loop over well-known binary form.
**
** Everything that reads WKB goes through pq_wkb_runs, which checks the bytes
** and reports what it meets.  Coordinates are reported as runs of bytes: all
** points of a LINESTRING or of a ring in one call, so that boxes and copies
** have tight loops.
**
** No function is called for each point, and nothing recurses: collections are
** kept on a stack of PQ_GEO_DEPTH entries.
*/
#ifndef PQ_WKB_RUNS_H
#define PQ_WKB_RUNS_H

#include "core/geo/wkb.h"

/* n points of n_axes doubles each. */
typedef struct PqWkbRun {
    const uint8_t *p;
    uint32_t       n, n_axes;        /* n_axes: 2 .. 4                       */
    bool           swapped;          /* big-endian                           */
    bool           has_z, has_m;
    bool           is_inner;         /* a ring of a POLYGON, not its first   */
    bool           is_void;          /* of a POLYGON whose first ring is
                                     ** empty                                */
} PqWkbRun;

/* Like PqWkbVisitor, with `run` in the place of `point`. */
typedef struct PqWkbEvents {
    void *arg;
    PqRc (*begin)(void *arg, const PqWkbHead *h, uint32_t n, uint32_t depth,
                  PqErr *e);
    PqRc (*ring)(void *arg, uint32_t n_points, PqErr *e);
    PqRc (*run)(void *arg, const PqWkbRun *r, PqErr *e);
    PqRc (*ring_end)(void *arg, PqErr *e);
    PqRc (*end)(void *arg, PqErr *e);
} PqWkbEvents;

/* e may be NULL if no function of v uses it.  Errors have no message then. */
PqRc pq_wkb_runs(PqSlice wkb, const PqWkbEvents *v, PqErr *e);

/* A number of a run. */
static inline double pq_wkb_number(const uint8_t *p, bool swapped)
{
    uint64_t bits = pq_load_u64(p);
    double v;

    bits = swapped ? __builtin_bswap64(bits) : bits;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Adds the Z and M of a run. */
void pq_wkb_widen_zm(PqGeoBox *b, const PqWkbRun *r);

#endif
