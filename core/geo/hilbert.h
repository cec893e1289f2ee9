/*
** hilbert.h - a number for a point such that points with near numbers are near.
**
** Rows in this order make compact row groups and pages.  The curve has 32 bits
** for each axis.  Without a box it goes over all floats: a coordinate counts by
** its place in the order of FLOATs.
*/
#ifndef PQ_HILBERT_H
#define PQ_HILBERT_H

#include "core/geo/geo_box.h"

/* x, y: cells of the curve. */
uint64_t pq_hilbert(uint32_t x, uint32_t y);

/* The cell of a coordinate, by its place among floats; a NaN is last. */
uint32_t pq_hilbert_cell(double v);

#endif
