/*
** geometry.h - which columns of a file are geometries, and where their boxes
** are.
**
** A geometry is a column at the top of the schema:
**
**   BYTE_ARRAY (GEOMETRY)        by its logical type
**   BYTE_ARRAY                   by GeoParquet's metadata, or by an extension
**                                type in the schema of Arrow: its type becomes
**                                GEOMETRY or GEOGRAPHY
**   STRUCT<x, y>, lists of it    by these, likewise; WKB is made of it
**
** Boxes of rows are in other leaves: in GeoParquet's covering columns, or in
** the coordinates if these are leaves.
**
** What metadata says is a claim.  A column that does not have the described
** shape is not treated as a geometry.  A covering whose leaves are not floats
** is ignored.
*/
#ifndef PQ_GEOMETRY_H
#define PQ_GEOMETRY_H

#include "core/geo/geoparquet.h"
#include "core/meta/footer.h"

enum { PQ_COVER_XMIN, PQ_COVER_YMIN, PQ_COVER_XMAX, PQ_COVER_YMAX, PQ_COVERS };

typedef struct PqGeometry {
    PqGeoEncoding encoding;
    PqType        type;              /* GEOMETRY or GEOGRAPHY, of the WKB    */
    int32_t       cover[PQ_COVERS];  /* leaves; all are -1 if there are none */
    bool          cover_is_x_y;      /* they are the coordinates: x, y, x, y */
    bool          cover_may_wrap;    /* a row may have xmin > xmax, which
                                     ** bounds of many rows do not show      */
    const PqGeoColumn *said;         /* by GeoParquet; NULL: nothing         */
} PqGeometry;

/* Called once by pq_footer_read, after the schema: sets PqNode.geometry and the
** type of the leaves that are geometries.  e is set only if there is no
** memory. */
PqRc pq_geometry_find(PqFooter *f, PqErr *e);

/* The JSON of GeoParquet, valid or not; false: there is none. */
bool pq_geometry_json(const PqFooter *f, PqSlice *out);

/* Is it the key "geo", by which GeoParquet describes a column of the file?  Otherwise it is
** a key as any other. */
bool pq_geometry_is_key(const PqFooter *f, PqSlice key);

/* What a box in a footer says of an axis.  False: nothing. */
static inline bool pq_geometry_said(const PqBoundingBox *b, int axis, double *min, double *max)
{
    const double v[PQ_GEO_AXES][2] = {{b->xmin, b->xmax}, {b->ymin, b->ymax},
                                      {b->zmin, b->zmax}, {b->mmin, b->mmax}};

    *min = v[axis][0];
    *max = v[axis][1];
    return (b->has >> (PQ_BOX_XMIN + 2 * axis) & 3) == 3;
}

/* "spherical", ... or "unknown". */
const char *pq_geo_algorithm(int32_t number);

/* A CRS as people write it: "EPSG:5070" for the PROJJSON of that id, otherwise
** the CRS as it is.  NULL: no memory. */
const char *pq_geometry_crs(const char *crs, PqArena *a, PqErr *e);

/* How many lists are around the points of an encoding: 0 .. 3. */
uint32_t pq_geometry_depth(PqGeoEncoding encoding);

/* The STRUCT of x and y in a column of a native encoding; NULL: the column has
** another shape. */
const PqNode *pq_geometry_point(const PqNode *column, PqGeoEncoding encoding);

/* The leaf of an axis in it, or -1. */
int32_t pq_geometry_axis(const PqNode *point, int axis);

#endif
