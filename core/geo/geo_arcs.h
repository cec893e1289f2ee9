/*
** geo_arcs.h - a set of longitudes, and the smallest arc that contains it.
**
** Longitudes are numbers in [-180, 180].  An arc over the antimeridian is kept
** as two, up to 180 and from -180.  So the set is a list of intervals in order,
** which do not touch.
**
**   170 .. -170  and 20         [-180, -170]   [20, 20]   [170, 180]
**                                        190         150
**
** The smallest arc leaves out the widest gap: here it is [20, -170], which
** wraps.  A gap of at most PQ_GEO_NARROW degrees is closed at once: if it were
** the widest, the box would be next to the globe anyway.  So there are never
** more than 30 intervals, and mostly there is one.
*/
#ifndef PQ_GEO_ARCS_H
#define PQ_GEO_ARCS_H

#include <stdbool.h>
#include <stdint.h>

enum { PQ_GEO_ARCS = 30, PQ_GEO_NARROW = 12 };

typedef struct PqGeoArc {
    double west, east;               /* west <= east                         */
} PqGeoArc;

typedef struct PqGeoArcs {
    PqGeoArc arc[PQ_GEO_ARCS];
    uint32_t n;
    uint32_t recent;                 /* contained what was added last        */
} PqGeoArcs;

/* Both within [-180, 180], west <= east. */
void pq_geo_arcs_insert(PqGeoArcs *a, double west, double east);

/* The same; fast if the previous interval contains it. */
static inline void pq_geo_arcs_add(PqGeoArcs *a, double west, double east)
{
    const PqGeoArc *recent = &a->arc[a->recent];

    if (a->n == 0 || west < recent->west || east > recent->east) {
        pq_geo_arcs_insert(a, west, east);
    }
}

/* The smallest arc, if it leaves out more than PQ_GEO_NARROW degrees.  It wraps
** (west > east) unless the widest gap lies over the antimeridian.  False: the
** set is empty. */
bool pq_geo_arcs_smallest(const PqGeoArcs *a, double *west, double *east);

#endif
