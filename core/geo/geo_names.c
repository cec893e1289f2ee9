/*
** geo_names.c - the names of everything that has a number in GeoParquet.
*/
#include "core/geo/geoparquet.h"

const char *const pq_geo_kind_names[PQ_GEO_COLLECTION + 1] = {
    [0] = "Geometry",                /* of no particular kind                */
    [PQ_GEO_POINT] = "Point",
    [PQ_GEO_LINESTRING] = "LineString",
    [PQ_GEO_POLYGON] = "Polygon",
    [PQ_GEO_MULTIPOINT] = "MultiPoint",
    [PQ_GEO_MULTILINESTRING] = "MultiLineString",
    [PQ_GEO_MULTIPOLYGON] = "MultiPolygon",
    [PQ_GEO_COLLECTION] = "GeometryCollection"
};

const char *const pq_geo_algorithm_names[PQ_GEO_ALGORITHMS] = {
    "spherical", "vincenty", "thomas", "andoyer", "karney"
};

const char *const pq_geo_axis_names[PQ_GEO_AXES] = {"x", "y", "z", "m"};

const char *const pq_geo_dimension_names[4] = {"", " Z", " M", " ZM"};

const char *const pq_geo_encoding_names[PQ_GEO_ENCODINGS] = {
    [PQ_GEO_AS_WKB] = "WKB",
    [PQ_GEO_AS_POINT] = "point",
    [PQ_GEO_AS_LINESTRING] = "linestring",
    [PQ_GEO_AS_POLYGON] = "polygon",
    [PQ_GEO_AS_MULTIPOINT] = "multipoint",
    [PQ_GEO_AS_MULTILINESTRING] = "multilinestring",
    [PQ_GEO_AS_MULTIPOLYGON] = "multipolygon"
};
