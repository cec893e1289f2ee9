/*
** wkb.h - geometries in well-known binary form.
**
** ISO WKB and PostGIS's EWKB are read, in both byte orders, even mixed.  EWKB
** has flags instead of thousands, and may have an SRID.  ISO WKB is written,
** little-endian.
**
**   01  03000000   POLYGON            byte order, type (ISO: + 1000 with Z,
**       01000000   one ring           + 2000 with M, + 3000 with both)
**       05000000   of five points
**       x y x y x y x y x y           doubles
**
** POINT EMPTY has no form of its own: all its coordinates are NaN.
**
** Every number in it is a claim: counts are compared with the bytes that are
** left, and geometries with parts nest at most PQ_GEO_DEPTH deep.  Bytes after
** the geometry are not allowed.
**
** A part of a GEOMETRYCOLLECTION can be of any type, with dimensions of its
** own: some writers mix them.  The parts of a MULTI* have its kind and its
** dimensions; only an empty part can have other dimensions.  Each may have its
** own byte order.  Rings can have any number of points, and need not be closed.
*/
#ifndef PQ_WKB_H
#define PQ_WKB_H

#include "core/base/bytes.h"
#include "core/geo/geo_box.h"

enum { PQ_GEO_DEPTH = 100 };

typedef enum PqGeoKind {
    PQ_GEO_POINT = 1, PQ_GEO_LINESTRING, PQ_GEO_POLYGON, PQ_GEO_MULTIPOINT,
    PQ_GEO_MULTILINESTRING, PQ_GEO_MULTIPOLYGON, PQ_GEO_COLLECTION
} PqGeoKind;

typedef struct PqWkbHead {
    PqGeoKind kind;
    bool      has_z, has_m;
    bool      is_iso;                /* no flags and no SRID of EWKB         */
    bool      has_srid;
    uint32_t  srid;
} PqWkbHead;

/* Reads only the head.  False: it is not WKB. */
bool pq_wkb_head(PqSlice wkb, PqWkbHead *out);

/* The ISO code of a type: 1 .. 7, 1001 .. 3007. */
uint32_t pq_wkb_code(const PqWkbHead *h);

/* A geometry in SpatiaLite's or GeoPackage's own form: says so, and how to make
** WKB of it.  NULL: it is neither.  No WKB has these forms. */
const char *pq_wkb_other(PqSlice s);

/* Is all of it valid?  If not, PQ_USAGE says what is wrong, at which byte. */
PqRc pq_wkb_check(PqSlice wkb, PqErr *e);

/* A POINT with X and Y only, little-endian: most points in files are.  It takes
** no time; false: it has another form.  A NaN is possible. */
static inline bool pq_wkb_point_xy(PqSlice wkb, double *x, double *y)
{
    if (wkb.n != 21 || (pq_load_u64(wkb.p) & 0xffffffffff) != 0x0101) {
        return false;
    }
    memcpy(x, wkb.p + 5, sizeof *x);
    memcpy(y, wkb.p + 13, sizeof *y);
    return true;
}

/* pq_wkb_box, for geometries of other forms. */
bool pq_wkb_box_any(PqSlice wkb, PqGeoBox *out);

/* The box; false: it is invalid.
**
** Only the first ring of a POLYGON counts, as in PostGIS, GEOS and SpatiaLite:
** the others are holes.  An invalid POLYGON may have rings outside the first,
** and boxes of rows that those tools have written do not contain them.
**
** A MULTIPOLYGON of two boxes that meet at the antimeridian has a box that
** wraps: this is how RFC 7946 cuts a box in two (see pq_wkb_put_box). */
static inline bool pq_wkb_box(PqSlice wkb, PqGeoBox *out)
{
    double x, y;

    if (!pq_wkb_point_xy(wkb, &x, &y)) {
        return pq_wkb_box_any(wkb, out);
    }
    *out = (PqGeoBox){{x == x, y == y, false, false}, {x, y, 0, 0},
                      {x, y, 0, 0}};
    return true;
}

/* The box of all coordinates, with all rings.  It never wraps, and contains the
** box of pq_wkb_box unless that wraps.  It is used for what is written:
** statistics and coverings.  False: the geometry is invalid. */
bool pq_wkb_bounds(PqSlice wkb, PqGeoBox *out);

/* The number of points in it, which is 0 only if it is empty; false: it is
** invalid.  A POINT whose coordinates are all NaN is empty.  A POLYGON whose
** first ring is empty has none, whatever its other rings have. */
bool pq_wkb_count(PqSlice wkb, uint64_t *n_points);

/* ---- walking ------------------------------------------------------------- */

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

/* What a walk meets.  Each function may be NULL.  Calls come in the order of
** the bytes.  All points of a LINESTRING or of a ring come in one call, so that
** boxes and copies have tight loops. */
typedef struct PqWkbEvents {
    void *arg;
    /* A geometry with n points (LINESTRING; POINT: 0 if it is empty, else 1),
    ** rings, or parts.  depth is 0 for the outermost. */
    PqRc (*begin)(void *arg, const PqWkbHead *h, uint32_t n, uint32_t depth,
                  PqErr *e);
    PqRc (*ring)(void *arg, uint32_t n_points, PqErr *e);
    PqRc (*run)(void *arg, const PqWkbRun *r, PqErr *e);
    PqRc (*ring_end)(void *arg, PqErr *e);
    PqRc (*end)(void *arg, PqErr *e);
} PqWkbEvents;

/* The one loop over WKB: everything that reads it goes through here.  Checks as
** pq_wkb_check does, on the way.  Nothing recurses.  e may be NULL if no
** function of v uses it; errors have no message then. */
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

/* ---- writing ------------------------------------------------------------- */

/* Byte order and type; a count follows unless it is a POINT. */
void pq_wkb_put_head(PqBuf *out, PqGeoKind kind, bool has_z, bool has_m);
void pq_wkb_put_count(PqBuf *out, uint32_t n);
void pq_wkb_put_number(PqBuf *out, double v);

/* Appends the box as a geometry, as PostGIS does: a POLYGON that begins at the
** lower left corner and goes clockwise, even if it is degenerate.  A box that
** wraps becomes a MULTIPOLYGON of two boxes, cut at the antimeridian. */
void pq_wkb_put_box(PqBuf *out, double xmin, double ymin, double xmax,
                    double ymax);

/* Appends the same geometry as ISO WKB, little-endian. */
PqRc pq_wkb_to_iso(PqSlice wkb, PqBuf *out, PqErr *e);

/* Ends a function that has appended to out, from `from` on, with the result rc:
** takes over the error of out, and takes back everything if there is one. */
PqRc pq_wkb_put_end(PqBuf *out, size_t from, PqRc rc, PqErr *e);

/* ---- names --------------------------------------------------------------- */

/* By PqGeoKind, as GeoJSON and GeoParquet write them: "Point".  WKT has them in
** capitals, and PostGIS's ST_GeometryType after "ST_". */
extern const char *const pq_geo_kind_names[PQ_GEO_COLLECTION + 1];

/* By axis: "x", "y", "z", "m". */
extern const char *const pq_geo_axis_names[PQ_GEO_AXES];

/* By the thousands of an ISO code: "", " Z", " M", " ZM". */
extern const char *const pq_geo_dimension_names[4];

#endif
