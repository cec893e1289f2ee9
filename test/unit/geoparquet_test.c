/*
** geoparquet_test.c - the JSON of GeoParquet, read and written.
*/
#include "core/geo/geoparquet.h"
#include "core/text/json_text.h"
#include "test/unit/test.h"

#include <stdlib.h>

typedef struct Read {
    PqArena      a;
    PqGeoParquet g;
    uint8_t     *text;
    bool         good;
} Read;

/* The text is at the end of its own memory. */
static void read_json(Test *t, const char *json, Read *r)
{
    size_t n = strlen(json);

    r->text = malloc(n + !n);
    memcpy(r->text, json, n);
    pq_arena_init(&r->a, t->mem);
    r->good = pq_geoparquet_read(pq_slice(r->text, n), &r->a, &r->g, t->e);
}

static void forget(Read *r)
{
    pq_arena_free(&r->a);
    free(r->text);
}

/* A file with one column g, which has these members. */
static const char *with(const char *members)
{
    static char json[8000];

    snprintf(json, sizeof json, "{\"version\":\"1.1.0\",\"primary_column\":\"g\","
             "\"columns\":{\"g\":{%s}}}", members);
    return json;
}

static void show_path(const PqGeoPath *p, PqBuf *out)
{
    pq_buf_printf(out, " %s%s%s", p->name[0], p->n > 1 ? "." : "",
                  p->n > 1 ? p->name[1] : "");
}

static void show_column(const PqGeoColumn *c, PqBuf *out)
{
    pq_buf_printf(out, "%s %s crs %s alg %d", c->name,
                  pq_geo_encoding_names[c->encoding], c->crs ? c->crs : "-",
                  (int)c->algorithm);
    for (uint32_t i = 0; i < c->n_codes; i++) {
        pq_buf_printf(out, "%s%u", i ? "," : " types ", c->codes[i]);
    }
    for (int i = 0; c->has_box && i < PQ_GEO_AXES; i++) {
        if (c->box.has[i]) {
            pq_buf_printf(out, " %c %g..%g", "xyzm"[i], c->box.min[i],
                          c->box.max[i]);
        }
    }
    for (int i = 0; i < 4 && c->cover[i].n; i++) {
        show_path(&c->cover[i], out);
    }
}

/* What is read, in short; it lives until the next call. */
static const char *shown(Test *t, const char *json)
{
    static char line[9000];
    PqBuf out;
    Read r;

    pq_buf_init(&out, t->mem, t->e);
    read_json(t, json, &r);
    for (uint32_t i = 0; r.good && i < r.g.n_columns; i++) {
        pq_buf_text(&out, i ? "; " : "");
        show_column(&r.g.columns[i], &out);
    }
    snprintf(line, sizeof line, "%.*s", (int)out.n, out.n ? (char *)out.p : "");
    if (!r.good) {
        strcpy(line, t->e->rc ? t->e->text : "no");
    }
    pq_buf_free(&out);
    forget(&r);
    return line;
}

TEST(geoparquet, the_example_of_the_format_is_read)
{
    CHECK_TEXT(shown(t, "{\"columns\": {\"geometry\": {\n"
        "\"bbox\": [-180.0, -90.0, 180.0, 83.6451],\n"
        "\"covering\": {\"bbox\": {\"xmax\": [\"bbox\", \"xmax\"],\n"
        "   \"xmin\": [\"bbox\", \"xmin\"], \"ymax\": [\"bbox\", \"ymax\"],\n"
        "   \"ymin\": [\"bbox\", \"ymin\"]}},\n"
        "\"crs\": {\"$schema\": \"https://proj.org/schemas/v0.6/x.json\",\n"
        "   \"datum_ensemble\": {\"id\": {\"authority\": \"EPSG\", "
        "\"code\": 6326}},\n"
        "   \"id\": {\"authority\": \"OGC\", \"code\": \"CRS84\"}},\n"
        "\"edges\": \"planar\", \"encoding\": \"WKB\",\n"
        "\"geometry_types\": [\"Polygon\", \"MultiPolygon\"]}},\n"
        "\"primary_column\": \"geometry\", \"version\": \"1.1.0\"}"),
        "geometry WKB crs - alg -1 types 3,6 x -180..180 y -90..83.6451 "
        "bbox.xmin bbox.ymin bbox.xmax bbox.ymax");
}

TEST(geoparquet, what_is_no_description_is_not_used)
{
    static const char *const texts[] = {
        "", " ", "null", "[]", "17", "\"geo\"", "{}", "{\"columns\":null}",
        "{\"columns\":[]}", "{\"columns\":{}", "{\"columns\":{}} x",
        "{\"columns\":{\"g\":{\"encoding\":\"WKB\"}}", "{\"columns\":{},}",
        "{\"columns\":{\"\xff\":{\"encoding\":\"WKB\"}}}",
        "{\"columns\":{},\"columns\":7}", "NaN"
    };

    for (size_t i = 0; i < PQ_COUNT(texts); i++) {
        CHECK_TEXT(shown(t, texts[i]), "no");
    }
    CHECK_TEXT(shown(t, "{\"columns\":{}}"), "");
}

TEST(geoparquet, version_and_primary_column_may_be_missing)
{
    Read r;

    read_json(t, "{\"columns\":{}, \"version\": 7}", &r);
    CHECK(r.good);
    CHECK_TEXT(r.g.version, "");
    CHECK_TEXT(r.g.primary, "");
    forget(&r);
    read_json(t, "{\"columns\":{}, \"version\": \"2.0.0\", "
                 "\"primary_column\": \"g\\u00e9o\"}", &r);
    CHECK(r.good);
    CHECK_TEXT(r.g.version, "2.0.0");
    CHECK_TEXT(r.g.primary, "g\xc3\xa9o");
    forget(&r);
}

TEST(geoparquet, a_column_whose_values_are_not_understood_is_left_out)
{
    static const char *const members[] = {
        "", "\"encoding\":7", "\"encoding\":\"WKT\"", "\"encoding\":\"Point\"",
        "\"encoding\":null", "\"encoding\":\"WKB\",\"encoding\":\"x\"",
        "\"encoding\":\"WKB\",\"edges\":\"round\"",
        "\"encoding\":\"WKB\",\"edges\":\"Spherical\"",
        "\"encoding\":\"WKB\",\"edges\":[]",
        "\"encoding\":\"WKB\",\"edges\":\"\"",
        "\"encoding\":\"WKB\",\"algorithm\":\"x\"",
        "\"encoding\":\"WKB\",\"algorithm\":{\"a\":[1]}"
    };

    for (size_t i = 0; i < PQ_COUNT(members); i++) {
        CHECK_TEXT(shown(t, with(members[i])), "");
    }
    CHECK_TEXT(shown(t, "{\"columns\":{\"a\":7,\"b\":{\"encoding\":\"wkb\"},"
                        "\"c\":[{}],\"d\\u0000\":{\"encoding\":\"WKB\"}}}"),
               "b WKB crs - alg -1");
}

TEST(geoparquet, every_encoding_is_read)
{
    for (int i = 0; i < PQ_GEO_ENCODINGS; i++) {
        char members[100], want[100];

        snprintf(members, sizeof members, "\"encoding\":\"%s\"",
                 pq_geo_encoding_names[i]);
        snprintf(want, sizeof want, "g %s crs - alg -1",
                 pq_geo_encoding_names[i]);
        CHECK_TEXT(shown(t, with(members)), want);
    }
}

#define WKB "\"encoding\":\"WKB\","

TEST(geoparquet, a_crs_is_its_id_or_all_of_it)
{
    static const struct { const char *crs, *want; } cases[] = {
        {"null", "srid:0"},
        {"{\"id\":{\"authority\":\"EPSG\",\"code\":5070}}", "EPSG:5070"},
        {"{\"id\":{\"code\":\"5070\",\"authority\":\"EPSG\",\"v\":[{}]}}",
         "EPSG:5070"},
        {"{\"id\":{\"authority\":\"EPSG\",\"code\":4326}}", "EPSG:4326"},
        {"{\"id\":{\"authority\":\"OGC\",\"code\":\"CRS84\"}}", "-"},
        {"{\"id\":{\"authority\":\"EPSG\"}}",
         "{\"id\":{\"authority\":\"EPSG\"}}"},
        {"{\"id\":{\"authority\":\"E PSG\",\"code\":1}, \"a\" : 1}",
         "{\"id\":{\"authority\":\"E PSG\",\"code\":1},\"a\":1}"},
        {"{\"id\":{\"authority\":\"EPSG\",\"code\":[1]}}",
         "{\"id\":{\"authority\":\"EPSG\",\"code\":[1]}}"},
        {"{ \"id\" : 7,\n\t\"name\" : \"a \\\" b\\\\\" }",
         "{\"id\":7,\"name\":\"a \\\" b\\\\\"}"},
        {"{\"base\":{\"id\":{\"authority\":\"EPSG\",\"code\":1}}}",
         "{\"base\":{\"id\":{\"authority\":\"EPSG\",\"code\":1}}}"},
        {"{}", "{}"},
        {"\"EPSG:5070\"", "EPSG:5070"},
        {"\"OGC:CRS84\"", "-"},
        {"\"GEOGCRS[\\\"WGS 84\\\"]\"", "srid:0"},
        {"\":\"", "srid:0"}, {"\"\"", "srid:0"}, {"5070", "srid:0"},
        {"[1]", "srid:0"}, {"true", "srid:0"},
        {"{\"id\":{\"authority\":\"OGC\",\"code\":\"CRS84\"}},\"crs\":null",
         "srid:0"},
        {"null,\"crs\":{\"id\":{\"authority\":\"OGC\",\"code\":\"CRS84\"}}",
         "-"}
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        char members[400], want[400];

        snprintf(members, sizeof members, WKB "\"crs\":%s", cases[i].crs);
        snprintf(want, sizeof want, "g WKB crs %s alg -1", cases[i].want);
        CHECK_TEXT(shown(t, with(members)), want);
    }
}

TEST(geoparquet, the_json_of_a_crs_is_as_it_was)
{
    Read r;

    read_json(t, with(WKB "\"crs\" : { \"id\" : {\"authority\": \"OGC\", "
                      "\"code\": \"CRS84\"} } , \"edges\":\"planar\""), &r);
    CHECK(r.good && r.g.n_columns == 1);
    CHECK(!r.g.columns[0].crs);
    CHECK(pq_slice_is(r.g.columns[0].crs_json, "{ \"id\" : {\"authority\": "
                      "\"OGC\", \"code\": \"CRS84\"} }"));
    forget(&r);
}

TEST(geoparquet, edges_have_an_algorithm)
{
    static const struct { const char *members, *want; } cases[] = {
        {"\"edges\":\"planar\"", "-1"}, {"\"edges\":null", "-1"},
        {"\"edges\":\"spherical\"", "0"}, {"\"edges\":\"vincenty\"", "1"},
        {"\"edges\":\"thomas\"", "2"}, {"\"edges\":\"andoyer\"", "3"},
        {"\"edges\":\"karney\"", "4"},
        {"\"edges\":\"spherical\",\"algorithm\":\"karney\"", "4"},
        {"\"algorithm\":\"andoyer\"", "3"},
        {"\"edges\":\"karney\",\"algorithm\":null", "4"}
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        char members[400], want[400];

        snprintf(members, sizeof members, WKB "%s", cases[i].members);
        snprintf(want, sizeof want, "g WKB crs - alg %s", cases[i].want);
        CHECK_TEXT(shown(t, with(members)), want);
    }
}

TEST(geoparquet, types_are_known_only_if_all_are)
{
#define TYPES(list, want)                                                  \
    CHECK_TEXT(shown(t, with(WKB "\"geometry_types\":" list)),             \
               "g WKB crs - alg -1" want)
    TYPES("[]", "");
    TYPES("[\"Point\"]", " types 1");
    TYPES("[\"Point Z\",\"LineString M\",\"GeometryCollection ZM\",\"Point\"]",
          " types 1001,2002,3007,1");
    TYPES("[\"Point\",\"Point\"]", " types 1");
    TYPES("[\"Point\",\"Curve\"]", "");
    TYPES("[\"Point\",7,[\"Polygon\"]]", "");
    TYPES("[\"point\"]", "");
    TYPES("[\"Point  Z\"]", "");
    TYPES("[\"Point Z \"]", "");
    TYPES("[\"Poin\"]", "");
    TYPES("[\"\"]", "");
    TYPES("{\"a\":[\"Point\"]}", "");
    TYPES("[\"Point\"],\"geometry_types\":[]", "");
#undef TYPES
    CHECK_TEXT(shown(t, with(WKB "\"geometry_type\":\"Polygon\"")),
               "g WKB crs - alg -1 types 3");
    CHECK_TEXT(shown(t, with(WKB "\"geometry_type\":\"Unknown\"")),
               "g WKB crs - alg -1");
    CHECK_TEXT(shown(t, with(WKB "\"geometry_type\":[\"Point\",\"Polygon\"]")),
               "g WKB crs - alg -1 types 1,3");
}

TEST(geoparquet, a_box_has_4_or_6_or_8_numbers)
{
#define BOX(list, want)                                                    \
    CHECK_TEXT(shown(t, with(WKB "\"bbox\":" list)), "g WKB crs - alg -1" want)
    BOX("[1,2,3,4]", " x 1..3 y 2..4");
    BOX("[170,2,-170,4]", " x 170..-170 y 2..4");
    BOX("[1,2,3,4,5,6]", " x 1..4 y 2..5 z 3..6");
    BOX("[1,2,3,4,5,6,7,8e0]", " x 1..5 y 2..6 z 3..7 m 4..8");
    BOX("[]", "");
    BOX("[1,2]", "");
    BOX("[1,2,3,4,5]", "");
    BOX("[1,2,3,4,5,6,7]", "");
    BOX("[1,2,3,4,5,6,7,8,9]", "");
    BOX("[1,2,3,4,5,6,7,8,[9]]", "");
    BOX("[1,2,3,\"4\"]", "");
    BOX("[1,2,3,null]", "");
    BOX("[1,4,3,2]", "");
    BOX("[[1,2,3,4]]", "");
    BOX("{\"a\":1}", "");
    BOX("[1,2,3,4],\"bbox\":null", "");
#undef BOX
}

TEST(geoparquet, a_box_of_nans_is_none)
{
    CHECK_TEXT(shown(t, with(WKB "\"bbox\": [NaN, NaN, NaN, NaN],"
                             "\"edges\":\"spherical\"")),
               "g WKB crs - alg 0");
    CHECK_TEXT(shown(t, with(WKB "\"bbox\": [Infinity, 1, -Infinity, NaN]")),
               "g WKB crs - alg -1");
    CHECK_TEXT(shown(t, "{\"columns\":{\"NaN\\\"NaN\":{\"encoding\":\"WKB\","
                        "\"bbox\":[NaN]}}}"),
               "NaN\"NaN WKB crs - alg -1");
    CHECK_TEXT(shown(t, with(WKB "\"bbox\": [nan]")), "no");
    CHECK_TEXT(shown(t, with(WKB "\"bbox\": [NaN, NaN")), "no");
}

TEST(geoparquet, a_covering_has_four_paths)
{
#define COVER(members, want)                                               \
    CHECK_TEXT(shown(t, with(WKB "\"covering\":" members)),                \
               "g WKB crs - alg -1" want)
#define THREE "\"ymin\":[\"b\",\"y\"],\"xmax\":[\"X\"],\"ymax\":[\"Y\"]"
    COVER("{\"bbox\":{\"xmin\":[\"b\",\"x\"]," THREE "}}", " b.x b.y X Y");
    COVER("{\"z\":[{}],\"bbox\":{\"zmin\":[1],\"xmin\":[\"b.\\\"\"],"
          THREE "}}", " b.\" b.y X Y");
    COVER("{\"bbox\":{" THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":[]," THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":[\"a\",\"b\",\"c\"]," THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":[\"a\",7]," THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":[[\"a\"]]," THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":\"a\"," THREE "}}", "");
    COVER("{\"bbox\":{\"xmin\":[\"a\\u0000\"]," THREE "}}", "");
    COVER("{\"bbox\":[1]}", "");
    COVER("{\"h3\":{}}", "");
    COVER("[{}]", "");
    COVER("null", "");
    COVER("{\"bbox\":{\"xmin\":[\"a\"]," THREE "}},\"covering\":{}", "");
#undef COVER
}

TEST(geoparquet, the_last_column_of_a_name_counts)
{
    CHECK_TEXT(shown(t, "{\"columns\":{"
        "\"a\":{\"encoding\":\"WKB\"},\"b\":{\"encoding\":\"WKB\"},"
        "\"a\":{\"encoding\":\"point\"},\"b\":{},\"c\":{},"
        "\"c\":{\"encoding\":\"WKB\"}}}"),
        "a point crs - alg -1; c WKB crs - alg -1");
    CHECK_TEXT(shown(t, "{\"columns\":{\"a\":{\"encoding\":\"WKB\"}},"
                        "\"columns\":{\"b\":{\"encoding\":\"WKB\"}}}"),
               "b WKB crs - alg -1");
}

TEST(geoparquet, columns_beyond_the_limit_are_ignored)
{
    PqBuf json;
    Read r;

    pq_buf_init(&json, t->mem, t->e);
    pq_buf_text(&json, "{\"columns\":{");
    for (int i = 0; i < PQ_GEO_COLUMNS + 10; i++) {
        pq_buf_printf(&json, "%s\"c%d\":{\"encoding\":\"WKB\"}",
                      i ? "," : "", i);
    }
    pq_buf_text(&json, ",\"c0\":{\"encoding\":\"point\"}}}");
    pq_buf_byte(&json, 0);
    read_json(t, (char *)json.p, &r);
    CHECK(r.good);
    CHECK_INT(r.g.n_columns, PQ_GEO_COLUMNS);
    CHECK_INT(r.g.columns[0].encoding, PQ_GEO_AS_WKB);
    CHECK_TEXT(r.g.columns[PQ_GEO_COLUMNS - 1].name, "c999");
    forget(&r);
    pq_buf_free(&json);
}

TEST(geoparquet, deep_json_is_not_read)
{
    PqBuf json;

    pq_buf_init(&json, t->mem, t->e);
    pq_buf_text(&json, "{\"columns\":{\"g\":");
    for (int i = 0; i < 5000; i++) {
        pq_buf_text(&json, "{\"crs\":");
    }
    pq_buf_byte(&json, 0);
    CHECK_TEXT(shown(t, (char *)json.p), "no");
    pq_buf_free(&json);
}

TEST(geoparquet, geoarrow_has_a_crs_and_edges)
{
    static const struct { const char *json, *crs; int algorithm; } cases[] = {
        {"{}", "srid:0", -1},
        {"{\"crs\":{\"id\":{\"authority\":\"OGC\",\"code\":\"CRS84\"}},"
         "\"crs_type\":\"projjson\",\"edges\":\"spherical\"}", NULL, 0},
        {"{\"crs\":\"EPSG:32618\",\"crs_type\":\"authority_code\"}",
         "EPSG:32618", -1},
        {"{\"edges\":\"karney\"}", "srid:0", 4}
    };
    PqGeoColumn c;
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK(pq_geoarrow_read(pq_slice_text(cases[i].json), &a, &c, t->e));
        CHECK_TEXT(c.crs ? c.crs : "-", cases[i].crs ? cases[i].crs : "-");
        CHECK_INT(c.algorithm, cases[i].algorithm);
    }
    CHECK(!pq_geoarrow_read(pq_slice_text(""), &a, &c, t->e));
    CHECK(!pq_geoarrow_read(pq_slice_text("{\"edges\":\"x\"}"), &a, &c, t->e));
    CHECK_INT(t->e->rc, PQ_OK);
    pq_arena_free(&a);
}

/* ---- writing ------------------------------------------------------------- */

static const char *written(Test *t, const PqGeoParquet *g)
{
    static char text[9000];
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_geoparquet_write(g, &out);
    snprintf(text, sizeof text, "%.*s", (int)out.n, (char *)out.p);
    pq_buf_free(&out);
    return text;
}

static PqGeoColumn plain(void)
{
    return (PqGeoColumn){.name = "g", .algorithm = PQ_GEO_PLANAR};
}

/* One column, without what is before and after its members. */
static const char *column_text(Test *t, const char *version, PqGeoColumn c)
{
    PqGeoParquet g = {version, "g", &c, 1};
    static char text[9000];
    const char *all = written(t, &g);

    snprintf(text, sizeof text, "%s",
             strstr(all, "\"encoding\":\"WKB\"") + strlen("\"encoding\":\"WKB\""));
    text[strlen(text) - strlen("}}}")] = 0;
    return text;
}

TEST(geoparquet, a_description_is_written)
{
    PqGeoColumn c[2] = {plain(), plain()};
    PqGeoParquet g = {"1.1.0", "g\"\n", c, 2};

    c[0].name = "g\"\n";
    c[0].codes[0] = 1;
    c[0].codes[1] = 1006;
    c[0].n_codes = 2;
    c[0].has_box = true;
    c[0].box = (PqGeoBox){{true, true}, {170, -0.5}, {-170, 1e-7}};
    for (uint32_t i = 0; i < 4; i++) {
        static const char *const names[] = {"xmin", "ymin", "xmax", "ymax"};

        c[0].cover[i] = (PqGeoPath){2, {"bbox", names[i]}};
    }
    c[1].name = "other";
    c[1].algorithm = 0;
    CHECK_TEXT(written(t, &g),
        "{\"version\":\"1.1.0\",\"primary_column\":\"g\\\"\\n\",\"columns\":{"
        "\"g\\\"\\n\":{\"encoding\":\"WKB\","
        "\"geometry_types\":[\"Point\",\"MultiPolygon Z\"],"
        "\"bbox\":[170.0,-0.5,-170.0,1.0e-07],"
        "\"covering\":{\"bbox\":{\"xmin\":[\"bbox\",\"xmin\"],"
        "\"ymin\":[\"bbox\",\"ymin\"],\"xmax\":[\"bbox\",\"xmax\"],"
        "\"ymax\":[\"bbox\",\"ymax\"]}}},"
        "\"other\":{\"encoding\":\"WKB\",\"geometry_types\":[],"
        "\"edges\":\"spherical\"}}}");
}

#define NO_TYPES ",\"geometry_types\":[]"

TEST(geoparquet, a_crs_is_written_as_json_or_null)
{
    static const struct { const char *crs, *json, *want; } cases[] = {
        {NULL, NULL, ""},
        {NULL, "{\"id\": 1}", ",\"crs\":{\"id\": 1}"},
        {"EPSG:5070", "{\"id\": 1}", ",\"crs\":{\"id\": 1}"},
        {"srid:0", NULL, ",\"crs\":null"},
        {"EPSG:5070", NULL, ",\"crs\":null"},
        {"EPSG:4326", NULL, ""},
        {"{\"a\":[{}]}", NULL, ",\"crs\":{\"a\":[{}]}"},
        {"{\"a\":[{}}", NULL, ",\"crs\":null"},
        {"{} {}", NULL, ",\"crs\":null"},
        {"", NULL, ",\"crs\":null"}
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqGeoColumn c = plain();
        char want[200];

        c.crs = cases[i].crs;
        c.crs_json = pq_slice_text(cases[i].json);
        snprintf(want, sizeof want, NO_TYPES "%s", cases[i].want);
        CHECK_TEXT(column_text(t, "1.1.0", c), want);
    }
}

TEST(geoparquet, only_version_2_has_m)
{
    PqGeoColumn c = plain();

    c.codes[0] = 2001;
    c.codes[1] = 3007;
    c.n_codes = 2;
    c.has_box = true;
    c.box = (PqGeoBox){{true, true, true, true}, {1, 2, 3, 4}, {5, 6, 7, 8}};
    CHECK_TEXT(column_text(t, "1.1.0", c),
               NO_TYPES ",\"bbox\":[1.0,2.0,3.0,5.0,6.0,7.0]");
    CHECK_TEXT(column_text(t, "2.0.0", c),
               ",\"geometry_types\":[\"Point M\",\"GeometryCollection ZM\"]"
               ",\"bbox\":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0]");
    c.box.has[PQ_GEO_Z] = false;
    c.n_codes = 0;
    CHECK_TEXT(column_text(t, "2.0.0", c), NO_TYPES ",\"bbox\":[1.0,2.0,5.0,6.0]");
}

TEST(geoparquet, a_box_without_x_or_with_infinity_is_not_written)
{
    PqGeoColumn c = plain();

    c.has_box = true;
    c.box = (PqGeoBox){{false, true}, {0, 2}, {0, 6}};
    CHECK_TEXT(column_text(t, "1.1.0", c), NO_TYPES);
    c.box = (PqGeoBox){{true, true}, {0, 2}, {1e308 * 10, 6}};
    CHECK_TEXT(column_text(t, "1.1.0", c), NO_TYPES);
}

TEST(geoparquet, what_is_written_is_read_again)
{
    static const char *const versions[] = {"1.1.0", "2.0.0"};

    for (size_t v = 0; v < PQ_COUNT(versions); v++) {
        for (int32_t i = PQ_GEO_PLANAR; i < PQ_GEO_ALGORITHMS; i++) {
            PqGeoColumn c = plain();
            PqGeoParquet g = {versions[v], "g", &c, 1};
            char want[200];

            c.algorithm = i;
            c.codes[c.n_codes++] = 1;
            c.crs = "srid:0";
            c.has_box = true;
            c.box = (PqGeoBox){{true, true, true}, {0.1, -2, 3}, {4, 5, 6}};
            snprintf(want, sizeof want, "g WKB crs srid:0 alg %d types 1 "
                     "x 0.1..4 y -2..5 z 3..6", (int)i);
            CHECK_TEXT(shown(t, written(t, &g)), want);
        }
    }
}
