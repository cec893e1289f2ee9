/*
** geo_arcs.c - a set of longitudes, and the smallest arc that contains it.
*/
#include "core/geo/geo_arcs.h"

#include <string.h>

/* Between an arc and the next. */
static double gap(const PqGeoArcs *a, uint32_t i)
{
    return a->arc[i + 1].west - a->arc[i].east;
}

void pq_geo_arcs_insert(PqGeoArcs *a, double west, double east)
{
    uint32_t from = 0, to;
    PqGeoArc *arc;

    /* The arcs in [from, to) become one with it. */
    while (from < a->n && a->arc[from].east < west - PQ_GEO_NARROW) {
        from++;
    }
    to = from;
    while (to < a->n && a->arc[to].west <= east + PQ_GEO_NARROW) {
        west = a->arc[to].west < west ? a->arc[to].west : west;
        east = a->arc[to].east > east ? a->arc[to].east : east;
        to++;
    }
    arc = a->arc + from;
    memmove(arc + 1, a->arc + to, (a->n - to) * sizeof *arc);
    a->n += 1 + from - to;
    *arc = (PqGeoArc){west, east};
    a->recent = from;
}

bool pq_geo_arcs_smallest(const PqGeoArcs *a, double *west, double *east)
{
    double widest;

    if (a->n == 0) {
        return false;
    }
    *west = a->arc[0].west;
    *east = a->arc[a->n - 1].east;
    widest = *west + 360 - *east;
    for (uint32_t i = 0; i + 1 < a->n; i++) {
        if (gap(a, i) > widest) {
            widest = gap(a, i);
            *west = a->arc[i + 1].west;
            *east = a->arc[i].east;
        }
    }
    return true;
}
