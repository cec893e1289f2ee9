/*
** geo_bounds.h - the box and the types of the geometries of a chunk, for its
** statistics.
**
** The rules come from the specification (Geospatial.md): NaNs are skipped, an
** axis with nothing else is absent, and without X or Y there is no box.
**
** A box has to contain all of a geometry, edges too.  Edges of a GEOMETRY are
** straight: their ends bound them.  Edges of a GEOGRAPHY are not straight:
**
**   (170 0) - (-170 0)    goes over the antimeridian, the short way: X wraps
**   (-90 60) - (0 60)     rises to latitude 67.8 between its ends
**   a ring around a pole  contains the pole, and all longitudes
**
** X of a GEOGRAPHY is the smallest arc that contains all.  A number of degrees
** counts as it is written: the box contains both 180 and -180 if both occur, so
** that a reader who compares numbers loses nothing.
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
#ifndef PQ_GEO_BOUNDS_H
#define PQ_GEO_BOUNDS_H

#include "core/geo/wkb.h"

/* A set of longitudes. */
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

enum { PQ_GEO_CODES = 28 };

typedef struct PqGeoBounds {
    bool      is_geography, is_sphere; /* sphere: edges are great circles     */
    bool      invalid;               /* a value was not WKB: nothing is known */
    bool      is_off;                /* a GEOGRAPHY went beyond 180 or 90
                                     ** degrees, so it gets no box           */
    PqGeoBox  box;                   /* X of a GEOGRAPHY is in arcs          */
    PqGeoArcs arcs;
    uint32_t  codes;                 /* a bit per kind and dimensions        */
} PqGeoBounds;

void pq_geo_bounds_begin(PqGeoBounds *b, bool is_geography, bool is_sphere);
void pq_geo_bounds_add(PqGeoBounds *b, PqSlice wkb);
void pq_geo_bounds_join(PqGeoBounds *b, const PqGeoBounds *other);

/* Adds geometries that are only known by what is said of them: a box, whose X may
** wrap if they are GEOGRAPHYs, and the ISO codes of their types.  box NULL, or
** n 0: that is not known. */
void pq_geo_bounds_said(PqGeoBounds *b, const PqGeoBox *box,
                        const uint32_t *codes, uint32_t n);

/* False: there is no box.  X and Y of a GEOGRAPHY are within [-180, 180] and
** [-90, 90], or there is no box. */
bool pq_geo_bounds_box(const PqGeoBounds *b, PqGeoBox *out);

/* The ISO codes, ascending.  Returns how many; 0 means that they are not
** known. */
uint32_t pq_geo_bounds_codes(const PqGeoBounds *b, int32_t out[PQ_GEO_CODES]);

#endif
