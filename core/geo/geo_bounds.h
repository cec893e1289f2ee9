/*
** geo_bounds.h - the box and the types of the geometries of a chunk, for its
** statistics.
**
** The rules are those of the specification (Geospatial.md): NaNs are skipped,
** an axis with nothing else is absent, and without X or Y there is no box.
**
** A box has to contain all of a geometry, edges too.  Edges of a GEOMETRY are
** straight: their ends bound them.  Those of a GEOGRAPHY are not:
**
**   (170 0) - (-170 0)    goes over the antimeridian, the short way: X wraps
**   (-90 60) - (0 60)     rises to latitude 67.8 between its ends
**   a ring around a pole  contains the pole, and all longitudes
**
** What is hard is that X may be given as any arc that contains all.  The
** smallest is found at the end, from the arcs of all edges, of which only as
** many are kept as there is room for; near ones are joined first.
*/
#ifndef PQ_GEO_BOUNDS_H
#define PQ_GEO_BOUNDS_H

#include "core/geo/wkb.h"

enum { PQ_GEO_ARCS = 32, PQ_GEO_CODES = 28 };

typedef struct PqGeoArc {
    double west, east;               /* west <= east                         */
} PqGeoArc;

typedef struct PqGeoBounds {
    bool     is_geography, is_sphere; /* sphere: edges are great circles      */
    bool     invalid;                /* a value was not WKB: nothing is known */
    PqGeoBox box;                    /* X of a GEOGRAPHY is in arcs          */
    PqGeoArc arcs[PQ_GEO_ARCS];
    uint32_t n_arcs;
    uint32_t codes;                  /* a bit per kind and dimensions        */
} PqGeoBounds;

void pq_geo_bounds_begin(PqGeoBounds *b, bool is_geography, bool is_sphere);
void pq_geo_bounds_add(PqGeoBounds *b, PqSlice wkb);
void pq_geo_bounds_join(PqGeoBounds *b, const PqGeoBounds *other);

/* False: there is no box.  X and Y of a GEOGRAPHY are within [-180, 180] and
** [-90, 90], or there is no box. */
bool pq_geo_bounds_box(const PqGeoBounds *b, PqGeoBox *out);

/* The ISO codes, ascending; 0 of them: not known. */
uint32_t pq_geo_bounds_codes(const PqGeoBounds *b, int32_t out[PQ_GEO_CODES]);

#endif
