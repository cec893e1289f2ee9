/*
** geoparquet.h - GeoParquet: the JSON under the key "geo" of a file.
**
**   {"version": "1.1.0", "primary_column": "geometry",
**    "columns": {"geometry": {"encoding": "WKB", "geometry_types": ["Point"],
**       "crs": {...}, "edges": "planar", "bbox": [0, 0, 1, 1],
**       "covering": {"bbox": {"xmin": ["bbox", "xmin"], ...}}}}}
**
** Versions 0.1 to 2.0 are read.  Unknown members are ignored.  Of members with
** the same name the last counts.
**
** A column is left out if its encoding or its edges are not understood, because
** then its values are not understood either.  The types, the box and the
** covering only help: each is ignored if it is malformed.
*/
#ifndef PQ_GEOPARQUET_H
#define PQ_GEOPARQUET_H

#include "core/base/arena.h"
#include "core/geo/wkb.h"

typedef enum PqGeoEncoding {
    PQ_GEO_AS_WKB,
    /* Of GeoArrow: a STRUCT of x, y [, z, m], or lists of it.  The numbers are
    ** those of PqGeoKind. */
    PQ_GEO_AS_POINT, PQ_GEO_AS_LINESTRING, PQ_GEO_AS_POLYGON,
    PQ_GEO_AS_MULTIPOINT, PQ_GEO_AS_MULTILINESTRING, PQ_GEO_AS_MULTIPOLYGON,
    PQ_GEO_ENCODINGS
} PqGeoEncoding;

_Static_assert((int)PQ_GEO_AS_MULTIPOLYGON == (int)PQ_GEO_MULTIPOLYGON,
               "the same numbers");

/* "WKB", "point", ...; GeoArrow has them after "geoarrow.", and "wkb". */
extern const char *const pq_geo_encoding_names[PQ_GEO_ENCODINGS];

/* False: no encoding has that name.  "wkb" counts in upper and lower case. */
bool pq_geo_encoding_find(PqSlice name, PqGeoEncoding *out);

/* Parquet's numbers of the algorithms of a GEOGRAPHY, and their names,
** "spherical"; PLANAR: a GEOMETRY. */
enum { PQ_GEO_PLANAR = -1, PQ_GEO_ALGORITHMS = 5 };
extern const char *const pq_geo_algorithm_names[PQ_GEO_ALGORITHMS];

/* Members of "columns" beyond these are ignored, because each name is compared
** with all before it. */
enum { PQ_GEO_COLUMNS = 1000 };

/* A column of a bbox covering: a field in a struct, or one at the top. */
typedef struct PqGeoPath {
    uint32_t    n;                   /* names; 0: there is none              */
    const char *name[2];
} PqGeoPath;

typedef struct PqGeoColumn {
    const char   *name;
    PqGeoEncoding encoding;
    /* As PqType.crs: NULL for OGC:CRS84, "EPSG:5070" if the CRS has such an id,
    ** "srid:0" if it is null or not understood, else its JSON without blanks. */
    const char   *crs;
    PqSlice       crs_json;          /* as it is; n 0: none                  */
    int32_t       algorithm;         /* or PQ_GEO_PLANAR                     */
    uint32_t      codes[PQ_GEO_COLLECTION * 4];  /* geometry_types           */
    uint32_t      n_codes;
    bool          has_box;
    PqGeoBox      box;               /* X may wrap                           */
    PqGeoPath     cover[4];          /* xmin, ymin, xmax, ymax               */
} PqGeoColumn;

typedef struct PqGeoParquet {
    const char  *version;            /* "" if there is none, as primary      */
    const char  *primary;
    PqGeoColumn *columns;
    uint32_t     n_columns;
} PqGeoParquet;

/* False: it is not JSON, or not of this form; nothing of it is used.  e is set
** only if there is no memory. */
bool pq_geoparquet_read(PqSlice json, PqArena *a, PqGeoParquet *out, PqErr *e);

/* Reads what GeoArrow says about a column, in the metadata of its Arrow
** extension type: {"crs": ..., "edges": "spherical"}.  Sets crs, crs_json and
** algorithm; without a crs, crs is "srid:0".  False, and e, as above. */
bool pq_geoarrow_read(PqSlice json, PqArena *a, PqGeoColumn *out, PqErr *e);

/* Version 1.x or 2.x, as `version` says.  There is at least one column.
**
** There, a CRS has to be PROJJSON.  EPSG:4326 is left out, which means CRS84:
** in GeoParquet both have the same order of axes.  Any other CRS that is known
** only by its id is written as null, which means not known. */
void pq_geoparquet_write(const PqGeoParquet *g, PqBuf *out);

#endif
