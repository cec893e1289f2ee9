/*
** geojson_test.c - geometries as GeoJSON.
*/
#include "core/geo/wkt.h"
#include "test/unit/test.h"

/* GeoJSON of a geometry that is given as WKT; or the error.  It lives until the
** next call. */
static const char *rounded(Test *t, const char *wkt, int decimals)
{
    static char line[2000];
    PqBuf wkb, out;

    pq_buf_init(&wkb, t->mem, t->e);
    pq_buf_init(&out, t->mem, t->e);
    if (pq_wkt_read(pq_slice_text(wkt), &wkb, t->e) != PQ_OK ||
        pq_geojson_write(pq_buf_view(&wkb), decimals, &out, t->e) != PQ_OK) {
        snprintf(line, sizeof line, "%d %s%s", (int)t->e->rc, t->e->text,
                 out.n ? " but there is text" : "");
        pq_err_clear(t->e);
    } else {
        snprintf(line, sizeof line, "%.*s", (int)out.n, (char *)out.p);
    }
    pq_buf_free(&wkb);
    pq_buf_free(&out);
    return line;
}

static const char *json(Test *t, const char *wkt)
{
    return rounded(t, wkt, PQ_GEO_ALL_DIGITS);
}

/* {"type":"<type>","coordinates":<coordinates>} */
static const char *object(const char *type, const char *coordinates)
{
    static char text[500];

    snprintf(text, sizeof text, "{\"type\":\"%s\",\"coordinates\":%s}", type,
             coordinates);
    return text;
}

TEST(geojson, every_type_is_printed)
{
    static const struct { const char *wkt, *type, *coordinates; } cases[] = {
        {"POINT(30 10)", "Point", "[30,10]"},
        {"POINT Z (1 2 3)", "Point", "[1,2,3]"},
        {"LINESTRING(30 10,10 30)", "LineString", "[[30,10],[10,30]]"},
        {"POLYGON((0 1,2 3,4 5,0 1),(6 7,8 9,6 7))", "Polygon",
         "[[[0,1],[2,3],[4,5],[0,1]],[[6,7],[8,9],[6,7]]]"},
        {"MULTIPOINT((1 2),(3 4))", "MultiPoint", "[[1,2],[3,4]]"},
        {"MULTILINESTRING((1 2,3 4),(5 6,7 8))", "MultiLineString",
         "[[[1,2],[3,4]],[[5,6],[7,8]]]"},
        {"MULTIPOLYGON(((0 1,2 3)),((6 7,8 9),(1 1,2 2)))", "MultiPolygon",
         "[[[[0,1],[2,3]]],[[[6,7],[8,9]],[[1,1],[2,2]]]]"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(json(t, cases[i].wkt),
                   object(cases[i].type, cases[i].coordinates));
    }
    CHECK_TEXT(json(t, "GEOMETRYCOLLECTION(POINT(0 1),GEOMETRYCOLLECTION("
                       "LINESTRING(2 3,4 5)))"),
               "{\"type\":\"GeometryCollection\",\"geometries\":["
               "{\"type\":\"Point\",\"coordinates\":[0,1]},"
               "{\"type\":\"GeometryCollection\",\"geometries\":["
               "{\"type\":\"LineString\",\"coordinates\":[[2,3],[4,5]]}]}]}");
}

TEST(geojson, m_is_left_out)
{
    CHECK_TEXT(json(t, "POINT M (1 2 3)"), object("Point", "[1,2]"));
    CHECK_TEXT(json(t, "LINESTRING ZM (1 2 3 4,5 6 7 8)"),
               object("LineString", "[[1,2,3],[5,6,7]]"));
    CHECK_TEXT(json(t, "POINT M (1 2 nan)"), object("Point", "[1,2]"));
}

TEST(geojson, what_is_empty_has_no_coordinates)
{
    CHECK_TEXT(json(t, "POINT EMPTY"), object("Point", "[]"));
    CHECK_TEXT(json(t, "POINT Z EMPTY"), object("Point", "[]"));
    CHECK_TEXT(json(t, "LINESTRING EMPTY"), object("LineString", "[]"));
    CHECK_TEXT(json(t, "POLYGON EMPTY"), object("Polygon", "[]"));
    CHECK_TEXT(json(t, "POLYGON((1 2),EMPTY)"),
               object("Polygon", "[[[1,2]],[]]"));
    CHECK_TEXT(json(t, "MULTIPOINT EMPTY"), object("MultiPoint", "[]"));
    CHECK_TEXT(json(t, "MULTIPOINT(EMPTY,EMPTY)"), object("MultiPoint", "[]"));
    CHECK_TEXT(json(t, "MULTIPOINT(EMPTY,(1 2))"),
               object("MultiPoint", "[[],[1,2]]"));
    CHECK_TEXT(json(t, "MULTILINESTRING(EMPTY)"),
               object("MultiLineString", "[]"));
    CHECK_TEXT(json(t, "MULTIPOLYGON(EMPTY,((1 2)))"),
               object("MultiPolygon", "[[],[[[1,2]]]]"));
    CHECK_TEXT(json(t, "GEOMETRYCOLLECTION EMPTY"),
               "{\"type\":\"GeometryCollection\",\"geometries\":[]}");
    CHECK_TEXT(json(t, "GEOMETRYCOLLECTION(POINT EMPTY,GEOMETRYCOLLECTION("
                       "LINESTRING EMPTY))"),
               "{\"type\":\"GeometryCollection\",\"geometries\":[]}");
    CHECK_TEXT(json(t, "GEOMETRYCOLLECTION(POINT EMPTY,POINT(1 2))"),
               "{\"type\":\"GeometryCollection\",\"geometries\":["
               "{\"type\":\"Point\",\"coordinates\":[]},"
               "{\"type\":\"Point\",\"coordinates\":[1,2]}]}");
}

TEST(geojson, a_polygon_without_an_outer_ring_is_empty)
{
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    CHECK_OK(pq_geojson_write(test_hex(t, "01 03000000 02000000 00000000"
        "01000000 0000000000000000 0000000000000000"), 9, &out, t->e));
    CHECK(pq_slice_is(pq_buf_view(&out), object("Polygon", "[]")));
    pq_buf_free(&out);
}

TEST(geojson, numbers_are_rounded_if_asked)
{
    CHECK_TEXT(rounded(t, "POINT(1.23456789 -0.00001)", 4),
               object("Point", "[1.2346,0]"));
    CHECK_TEXT(rounded(t, "POINT(1e300 -1e-300)", 9),
               object("Point", "[1e+300,-1e-300]"));
    CHECK_TEXT(json(t, "POINT(0.1 -71.10434823456788)"),
               object("Point", "[0.1,-71.10434823456788]"));
}

TEST(geojson, nan_and_infinity_are_errors)
{
    CHECK_TEXT(json(t, "POINT(NaN 1)"),
               "6 GeoJSON has no NaN, which is the X of a point");
    CHECK_TEXT(json(t, "LINESTRING(1 1,1 -inf)"),
               "6 GeoJSON has no infinity, which is the Y of a point");
    CHECK_TEXT(json(t, "LINESTRING Z (1 1 1,1 1 NaN)"),
               "6 GeoJSON has no NaN, which is the Z of a point");
}
