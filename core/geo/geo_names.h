/*
** geo_names.h - the names of kinds of geometries, axes and algorithms.
*/
#ifndef PQ_GEO_NAMES_H
#define PQ_GEO_NAMES_H

#include "core/geo/wkb.h"

/* By PqGeoKind, as GeoJSON and GeoParquet write them: "Point".  WKT has them in
** capitals, and PostGIS's ST_GeometryType after "ST_". */
extern const char *const pq_geo_kind_names[PQ_GEO_COLLECTION + 1];

/* By Parquet's numbers of the algorithms of a GEOGRAPHY: "spherical". */
enum { PQ_GEO_ALGORITHMS = 5 };
extern const char *const pq_geo_algorithm_names[PQ_GEO_ALGORITHMS];

/* By axis: "x", "y", "z", "m". */
extern const char *const pq_geo_axis_names[PQ_GEO_AXES];

/* By the thousands of an ISO code: "", " Z", " M", " ZM". */
extern const char *const pq_geo_dimension_names[4];

#endif
