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
** X of a GEOGRAPHY is the smallest arc that contains all (geo_arcs.h).  A
** number of degrees counts as it is written: the box contains both 180 and -180
** if both occur, so that a reader who compares numbers loses nothing.
*/
#ifndef PQ_GEO_BOUNDS_H
#define PQ_GEO_BOUNDS_H

#include "core/geo/geo_arcs.h"
#include "core/geo/wkb.h"

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

/* False: there is no box.  X and Y of a GEOGRAPHY are within [-180, 180] and
** [-90, 90], or there is no box. */
bool pq_geo_bounds_box(const PqGeoBounds *b, PqGeoBox *out);

/* The ISO codes, ascending.  Returns how many; 0 means that they are not
** known. */
uint32_t pq_geo_bounds_codes(const PqGeoBounds *b, int32_t out[PQ_GEO_CODES]);

#endif
