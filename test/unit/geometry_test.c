/*
** geometry_test.c - which columns are geometries: by their type, and by what
** the metadata of GeoParquet and of Arrow claims.
*/
#include "core/meta/arrow_schema.h"
#include "core/meta/geometry.h"
#include "test/unit/made_schema.h"
#include "test/unit/small_file.h"

/* A file without row groups, of the schema in m. */
typedef struct File {
    PqBuf bytes;
    Small small;
} File;

static PqRc open_said(Test *t, File *f, const char *geo, const char *arrow)
{
    PqKeyValue pairs[] = {
        {.has = 3u << 1, .key = pq_slice_text("ARROW:schema"),
         .value = pq_slice_text(arrow)},
        {.has = 3u << 1, .key = pq_slice_text("geo"),
         .value = pq_slice_text(geo)}};
    PqFileMetaData file = {
        .has = 1u << PQ_FILE_VERSION | 1u << PQ_FILE_SCHEMA |
               1u << PQ_FILE_NUM_ROWS | 1u << PQ_FILE_ROW_GROUPS |
               1u << PQ_FILE_KEY_VALUES,
        .version = 1, .schema = m->list,
        .key_value_metadata = {pairs, geo ? 2 : 1}};
    size_t before;
    uint32_t n;

    memset(f, 0, sizeof *f);
    pq_buf_init(&f->bytes, t->mem, t->e);
    pq_buf_text(&f->bytes, "PAR1");
    before = f->bytes.n;
    pq_format_write_file(&file, &f->bytes);
    n = (uint32_t)(f->bytes.n - before);
    pq_buf_add(&f->bytes, &n, 4);
    pq_buf_text(&f->bytes, "PAR1");
    return small_open(t, pq_buf_view(&f->bytes), &f->small);
}

static PqRc open_file(Test *t, File *f, const char *geo)
{
    return open_said(t, f, geo, "");
}

static void close_file(File *f)
{
    small_close(&f->small);
    pq_buf_free(&f->bytes);
}

/* The type of a column, its encoding, and its covering:
** "GEOMETRY(EPSG:5070) wkb [3 4 5 6] wraps"; "no" if it is not a geometry. */
static const char *column(const PqFooter *f, uint32_t i, PqBuf *out)
{
    const PqNode *n = f->schema.root->child[i];
    const PqGeometry *g = n->geometry;

    out->n = 0;
    if (!g) {
        return "no";
    }
    pq_type_text(&g->type, out);
    pq_buf_printf(out, " %d", (int)g->encoding);
    if (g->cover[0] >= 0) {
        pq_buf_printf(out, " [%d %d %d %d]", g->cover[0], g->cover[1],
                      g->cover[2], g->cover[3]);
    }
    pq_buf_printf(out, "%s%s%s", g->cover_is_x_y ? " x,y" : "",
                  g->cover_may_wrap ? " wraps" : "", g->said ? "" : " unsaid");
    if (n->kind == PQ_NODE_LEAF &&
        (!pq_type_equal(&n->type, &g->type) ||
         !pq_type_equal(&f->schema.leaves[n->leaf].type, &n->type))) {
        pq_buf_text(out, " (the leaf differs)");
    }
    pq_buf_byte(out, 0);
    return (const char *)out->p;
}

/* Opens a file with this "geo", and compares column i. */
#define IS(geo_, i_, want_)                                            \
    do {                                                               \
        File f_;                                                       \
        CHECK_OK(open_file(t, &f_, geo_));                             \
        CHECK_TEXT(column(f_.small.footer, i_, &m->text), want_);      \
        close_file(&f_);                                               \
    } while (0)

#define ABOUT(name, rest)                                              \
    "{\"version\":\"1.1.0\",\"primary_column\":\"" name "\",\"columns\":{\"" \
    name "\":{\"geometry_types\":[]," rest "}}}"
#define WKB "\"encoding\":\"WKB\""
#define BBOX                                                           \
    ",\"covering\":{\"bbox\":{\"xmin\":[\"bbox\",\"xmin\"],\"ymin\":"  \
    "[\"bbox\",\"ymin\"],\"xmax\":[\"bbox\",\"xmax\"],\"ymax\":"       \
    "[\"bbox\",\"ymax\"]}}"

static void bbox(int type)
{
    static const char *const name[] = {"xmin", "ymin", "xmax", "ymax"};

    group(m, PQ_OPTIONAL, "bbox", 4, NO);
    for (int i = 0; i < 4; i++) {
        leaf(m, PQ_REQUIRED, type, name[i]);
    }
}

TEST(geometry, binary_that_geoparquet_describes_is_one)
{
    begin(t, m);
    root(m, 2);
    leaf(m, PQ_OPTIONAL, PQ_INT32, "id");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    IS(ABOUT("g", WKB), 1, "GEOMETRY(OGC:CRS84) 0");
    IS(ABOUT("g", WKB ",\"crs\":{\"id\":{\"authority\":\"EPSG\","
                      "\"code\":5070}}"), 1, "GEOMETRY(EPSG:5070) 0");
    IS(ABOUT("g", WKB ",\"edges\":\"spherical\""), 1,
       "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0");
    IS(ABOUT("g", WKB), 0, "no");
    IS(NULL, 1, "no");
    IS("{", 1, "no");
    IS("", 1, "no");
    IS(ABOUT("G", WKB), 1, "no");
    IS(ABOUT("g", "\"encoding\":\"point\""), 1, "no");
    end(m);
}

TEST(geometry, only_plain_binary_at_the_top_is_wkb)
{
    begin(t, m);
    root(m, 6);
    converted(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "text"),
              PQ_CONVERTED_UTF8);
    converted(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "new"), 99);
    leaf(m, PQ_REPEATED, PQ_BYTE_ARRAY, "many");
    leaf(m, PQ_OPTIONAL, PQ_INT64, "int");
    group(m, PQ_OPTIONAL, "s", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    leaf(m, PQ_REQUIRED, PQ_BYTE_ARRAY, "g");
    IS(ABOUT("text", WKB), 0, "no");
    IS(ABOUT("new", WKB), 1, "no");
    IS(ABOUT("many", WKB), 2, "no");
    IS(ABOUT("int", WKB), 3, "no");
    IS(ABOUT("s", WKB), 4, "no");
    IS(ABOUT("s.g", WKB), 4, "no");
    IS(ABOUT("g", WKB), 5, "GEOMETRY(OGC:CRS84) 0");
    end(m);
}

TEST(geometry, a_name_of_two_columns_is_of_neither)
{
    begin(t, m);
    root(m, 3);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "G");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    IS(ABOUT("g", WKB), 0, "no");
    IS(ABOUT("g", WKB), 2, "no");
    IS(ABOUT("G", WKB), 1, "GEOMETRY(OGC:CRS84) 0");
    end(m);
}

TEST(geometry, a_logical_type_counts_more_than_metadata)
{
    begin(t, m);
    root(m, 2);
    logical(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g"), PQ_LOGICAL_GEOMETRY);
    m->el[1].logical_type.geometry = (PqGeoType){
        .has = HAS(PQ_GEO_TYPE_CRS), .crs = pq_slice_text("srid:1")};
    bbox(PQ_DOUBLE);
    IS(NULL, 0, "GEOMETRY(srid:1) 0 unsaid");
    IS("[]", 0, "GEOMETRY(srid:1) 0 unsaid");
    IS(ABOUT("g", "\"encoding\":\"polygon\""), 0, "GEOMETRY(srid:1) 0 unsaid");
    IS(ABOUT("g", WKB BBOX ",\"crs\":null"), 0,
       "GEOMETRY(srid:1) 0 [1 2 3 4]");
    IS(ABOUT("g", WKB BBOX ",\"edges\":\"spherical\""), 0,
       "GEOMETRY(srid:1) 0 [1 2 3 4] wraps");
    end(m);
}

TEST(geometry, a_crs_may_be_in_the_metadata_of_the_file)
{
#define CRS "{\"type\":\"ProjectedCRS\", \"name\":\"a\"}"
    begin(t, m);
    root(m, 1);
    logical(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g"), PQ_LOGICAL_GEOMETRY);
    m->el[1].logical_type.geometry = (PqGeoType){
        .has = HAS(PQ_GEO_TYPE_CRS), .crs = pq_slice_text("projjson:geo")};
    IS(NULL, 0, "GEOMETRY(projjson:geo) 0 unsaid");
    IS(CRS, 0, "GEOMETRY(" CRS ") 0 unsaid");
    IS("{", 0, "GEOMETRY(projjson:geo) 0 unsaid");
    IS("null", 0, "GEOMETRY(projjson:geo) 0 unsaid");
    IS("\"EPSG:1\"", 0, "GEOMETRY(projjson:geo) 0 unsaid");
    end(m);
}

TEST(geometry, a_covering_has_four_floats_or_is_none)
{
    begin(t, m);
    root(m, 2);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    bbox(PQ_FLOAT);
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0 [1 2 3 4]");
    m->el[4].type = PQ_DOUBLE;
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0 [1 2 3 4]");
    m->el[4].type = PQ_INT64;
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    m->el[4].type = PQ_FLOAT;
    m->el[4].name = pq_slice_text("XMIN");
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    m->el[4].name = pq_slice_text("ymin");
    m->el[5].name = pq_slice_text("ymin");
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    m->el[5].name = pq_slice_text("xmax");
    m->el[2].num_children = 5;
    leaf(m, PQ_REQUIRED, PQ_FLOAT, "ymin");
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    m->el[7].name = pq_slice_text("zmin");
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0 [1 2 3 4]");
    m->el[2].repetition_type = PQ_REPEATED;
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    m->el[2].repetition_type = PQ_OPTIONAL;
    m->el[5].repetition_type = PQ_REPEATED;
    IS(ABOUT("g", WKB BBOX), 0, "GEOMETRY(OGC:CRS84) 0");
    end(m);
}

TEST(geometry, coverings_of_round_edges_may_wrap_unless_the_box_shows_it)
{
    begin(t, m);
    root(m, 2);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    bbox(PQ_DOUBLE);
#define ROUND(box) ABOUT("g", WKB BBOX ",\"edges\":\"spherical\"" box)
    IS(ROUND(""), 0, "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0 [1 2 3 4] wraps");
    IS(ROUND(",\"bbox\":[-10,0,10,1]"), 0,
       "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0 [1 2 3 4]");
    IS(ROUND(",\"bbox\":[10,0,-10,1]"), 0,
       "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0 [1 2 3 4] wraps");
    IS(ROUND(",\"bbox\":[-180,0,10,1]"), 0,
       "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0 [1 2 3 4] wraps");
    IS(ROUND(",\"bbox\":[-10,0,180,1]"), 0,
       "GEOGRAPHY(OGC:CRS84,SPHERICAL) 0 [1 2 3 4] wraps");
    end(m);
}

TEST(geometry, native_points_are_structs_of_doubles)
{
    PqBuf *out = &m->text;

    begin(t, m);
    root(m, 1);
    group(m, PQ_OPTIONAL, "g", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "y");
    leaf(m, PQ_REQUIRED, PQ_DOUBLE, "x");
#define POINT ABOUT("g", "\"encoding\":\"point\"")
    IS(POINT, 0, "GEOMETRY(OGC:CRS84) 1 [1 0 1 0] x,y");
    IS(ABOUT("g", WKB), 0, "no");
    IS(ABOUT("g", "\"encoding\":\"multipoint\""), 0, "no");
    IS(ABOUT("g", "\"encoding\":\"polygon\""), 0, "no");
    m->el[1].num_children = 4;
    leaf(m, PQ_REQUIRED, PQ_DOUBLE, "m");
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "z");
    IS(POINT, 0, "GEOMETRY(OGC:CRS84) 1 [1 0 1 0] x,y");
    m->el[5].name = pq_slice_text("w");
    IS(POINT, 0, "no");
    m->el[5].name = pq_slice_text("x");
    IS(POINT, 0, "no");
    m->el[5].name = pq_slice_text("z");
    m->el[5].type = PQ_FLOAT;
    IS(POINT, 0, "no");
    m->el[5].type = PQ_DOUBLE;
    m->el[5].repetition_type = PQ_REPEATED;
    IS(POINT, 0, "no");
    m->el[5].repetition_type = PQ_OPTIONAL;
    m->el[2].name = pq_slice_text("m");
    IS(POINT, 0, "no");
    out->n = 0;
    end(m);
}

TEST(geometry, native_lists_have_the_depth_of_their_kind)
{
    static const char *const kind[] = {"point", "linestring", "polygon",
                                       "multipoint", "multilinestring",
                                       "multipolygon"};
    static const int depth[] = {0, 1, 2, 1, 2, 3};
    char geo[200], want[80];
    int n, k;

    for (n = 0; n < 5; n++) {
        begin(t, m);
        root(m, 1);
        for (int i = 0; i < n; i++) {
            group(m, PQ_OPTIONAL, i ? "element" : "g", 1, LIST);
            group(m, PQ_REPEATED, "list", 1, NO);
        }
        group(m, PQ_OPTIONAL, n ? "element" : "g", 2, NO);
        leaf(m, PQ_REQUIRED, PQ_DOUBLE, "x");
        leaf(m, PQ_REQUIRED, PQ_DOUBLE, "y");
        for (k = 0; k < 6; k++) {
            snprintf(geo, sizeof geo, ABOUT("g", "\"encoding\":\"%s\""),
                     kind[k]);
            snprintf(want, sizeof want,
                     "GEOMETRY(OGC:CRS84) %d [0 1 0 1] x,y", k + 1);
            IS(geo, 0, depth[k] == n ? want : "no");
        }
        end(m);
    }
}

TEST(geometry, every_failing_allocation_is_reported_and_leaks_nothing)
{
    begin(t, m);
    root(m, 3);
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    logical(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "h"), PQ_LOGICAL_GEOMETRY);
    bbox(PQ_DOUBLE);
    for (int64_t i = 1; i < 200; i++) {
        File f;
        PqRc rc;

        pq_fault_set(i);
        rc = open_file(t, &f, ABOUT("g", WKB BBOX));
        pq_fault_set(0);
        CHECK(rc == t->e->rc);
        close_file(&f);
        CHECK_INT(pq_mem_used(t->mem), 0);
        if (rc == PQ_OK) {
            CHECK(i > 1);
            end(m);
            return;
        }
        pq_err_clear(t->e);
    }
    CHECK(false);
}

/* ---- Arrow --------------------------------------------------------------- */

/* By apache-arrow: id int64; g binary (geoarrow.wkb of EPSG:5070, spherical); h
** binary (geoarrow.wkb); p struct<x, y> (geoarrow.point, {}); l list of these
** (geoarrow.linestring of OGC:CRS84); i fixed_size_list<double>[2]
** (geoarrow.point); w utf8 (geoarrow.wkt). */
static const char arrow[] =
    "/////8AFAAAQAAAAAAAKABAADgAHAAgACgAAAAAAAAEQAAAAAAAEAAgACAAAAAQACAAAAAQA"
    "AAAHAAAAIAUAABwEAACkAwAAgAIAACwBAAB4AAAABAAAAA77//8gAAAAFAAAAAAAAAFYAAAA"
    "AAAABVQAAAABAAAAdwAAAAEAAAAEAAAA/Pr//wgAAAAYAAAADAAAAGdlb2Fycm93LndrdAAA"
    "AAAUAAAAQVJST1c6ZXh0ZW5zaW9uOm5hbWUAAAAAAAAAAHD8//9++///IAAAABQAAAAAAAAB"
    "WAAAAAAAABCQAAAAAQAAAGkAAAABAAAABAAAAGz7//8IAAAAGAAAAA4AAABnZW9hcnJvdy5w"
    "b2ludAAAFAAAAEFSUk9XOmV4dGVuc2lvbjpuYW1lAAAAAAEAAAAEAAAAmP3//xQAAAAAAAAB"
    "FAAAAAAAAAMYAAAAAgAAAHh5AAAAAAAAAAAGAAYABAAGAAAAAgAGAAgABAAGAAAAAgAAAC78"
    "//8gAAAAFAAAAAAAAAGkAAAAAAAADDQBAAABAAAAbAAAAAIAAABMAAAABAAAACD8//8IAAAA"
    "HAAAABMAAAB7ImNycyI6Ik9HQzpDUlM4NCJ9ABgAAABBUlJPVzpleHRlbnNpb246bWV0YWRh"
    "dGEAAAAAZPz//wgAAAAcAAAAEwAAAGdlb2Fycm93LmxpbmVzdHJpbmcAFAAAAEFSUk9XOmV4"
    "dGVuc2lvbjpuYW1lAAAAAAEAAAAEAAAAlP7//xQAAAAAAAABHAAAAAAAAA14AAAACAAAAHZl"
    "cnRpY2VzAAAAAAIAAAA0AAAABAAAAMj+//8UAAAAAAAAARQAAAAAAAADEAAAAAEAAAB5AAAA"
    "AAAAALb+//8AAAIA9P7//xQAAAAAAAABFAAAAAAAAAMQAAAAAQAAAHgAAAAAAAAA4v7//wAA"
    "AgBs/v//cP7//379//8gAAAAFAAAAAAAAAGQAAAAAAAADQQBAAABAAAAcAAAAAIAAAA8AAAA"
    "BAAAAHD9//8IAAAADAAAAAIAAAB7fQAAGAAAAEFSUk9XOmV4dGVuc2lvbjptZXRhZGF0YQAA"
    "AACk/f//CAAAABgAAAAOAAAAZ2VvYXJyb3cucG9pbnQAABQAAABBUlJPVzpleHRlbnNpb246"
    "bmFtZQAAAAACAAAARAAAAAQAAADU////FAAAAAAAAAEUAAAAAAAAAxAAAAABAAAAeQAAAAAA"
    "AADC////AAACABAAGAAEAAsAEwAUAAAADAAQAAAAFAAAAAAAAAEUAAAAAAAAAxgAAAABAAAA"
    "eAAAAAAAAAAAAAYACAAGAAYAAAAAAAIAkP///57+//8gAAAAFAAAAAAAAAFYAAAAAAAABFgA"
    "AAABAAAAaAAAAAEAAAAEAAAAjP7//wgAAAAYAAAADAAAAGdlb2Fycm93LndrYgAAAAAUAAAA"
    "QVJST1c6ZXh0ZW5zaW9uOm5hbWUAAAAAAAAAAAQABAAEAAAAEv///yAAAAAUAAAAAAAAAdAA"
    "AAAAAAAE0AAAAAEAAABnAAAAAgAAAHwAAAAEAAAABP///wgAAABMAAAAQwAAAHsiY3JzIjp7"
    "ImlkIjp7ImF1dGhvcml0eSI6IkVQU0ciLCJjb2RlIjo1MDcwfX0sImVkZ2VzIjoic3BoZXJp"
    "Y2FsIn0AGAAAAEFSUk9XOmV4dGVuc2lvbjptZXRhZGF0YQAAAAB4////CAAAABgAAAAMAAAA"
    "Z2VvYXJyb3cud2tiAAAAABQAAABBUlJPVzpleHRlbnNpb246bmFtZQAAAAAAAAAABAAGAAQA"
    "AAAAABIAHAAIAA8AFwAYAAAAEAAEABIAAAAgAAAAFAAAAAAAAAFAAAAAAAAAAkQAAAACAAAA"
    "aWQAAAEAAAAMAAAACAAMAAgABAAIAAAACAAAAAwAAAABAAAAYgAAAAEAAABhAAAAAAAAAAgA"
    "DAAIAAcACAAAAAAAAAFAAAAAAAAAAA==";

static void arrow_columns(void)
{
    root(m, 7);
    leaf(m, PQ_OPTIONAL, PQ_INT64, "id");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "g");
    leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "h");
    group(m, PQ_OPTIONAL, "p", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "x");
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "y");
    group(m, PQ_OPTIONAL, "l", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    group(m, PQ_OPTIONAL, "element", 2, NO);
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "x");
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "y");
    group(m, PQ_OPTIONAL, "i", 1, LIST);
    group(m, PQ_REPEATED, "list", 1, NO);
    leaf(m, PQ_OPTIONAL, PQ_DOUBLE, "element");
    converted(leaf(m, PQ_OPTIONAL, PQ_BYTE_ARRAY, "w"), PQ_CONVERTED_UTF8);
}

TEST(geometry, extension_types_of_arrow_are_geometries)
{
    static const char *const want[] = {
        "no", "GEOGRAPHY(EPSG:5070,SPHERICAL) 0 unsaid",
        "GEOMETRY(srid:0) 0 unsaid", "GEOMETRY(srid:0) 1 [3 4 3 4] x,y unsaid",
        "GEOMETRY(OGC:CRS84) 2 [5 6 5 6] x,y unsaid", "no", "no"};
    File f;

    begin(t, m);
    arrow_columns();
    CHECK_OK(open_said(t, &f, NULL, arrow));
    for (uint32_t i = 0; i < PQ_COUNT(want); i++) {
        CHECK_TEXT(column(f.small.footer, i, &m->text), want[i]);
    }
    close_file(&f);
    /* What GeoParquet describes, it describes. */
    CHECK_OK(open_said(t, &f, ABOUT("g", WKB), arrow));
    CHECK_TEXT(column(f.small.footer, 1, &m->text), "GEOMETRY(OGC:CRS84) 0");
    CHECK_TEXT(column(f.small.footer, 2, &m->text), want[2]);
    close_file(&f);
    end(m);
}

TEST(geometry, malformed_schemas_of_arrow_are_ignored)
{
    char text[sizeof arrow];
    File f;

    begin(t, m);
    arrow_columns();
    for (size_t i = 0; i < sizeof arrow - 1; i += 7) {
        memcpy(text, arrow, sizeof arrow);
        text[i] = i % 2 ? 'A' : i % 3 ? '/' : '*';
        CHECK_OK(open_said(t, &f, NULL, text));
        close_file(&f);
        memcpy(text, arrow, i);
        text[i] = 0;
        CHECK_OK(open_said(t, &f, NULL, text));
        close_file(&f);
    }
    end(m);
}

/* Changes every byte of the Flatbuffer in several ways, and cuts it. */
TEST(geometry, no_byte_of_a_schema_of_arrow_leads_out_of_it)
{
    static const uint8_t with[] = {0, 1, 0x7f, 0x80, 0xff};
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    CHECK(pq_arrow_decode(pq_slice_text(arrow), &b, t->e));
    for (size_t i = 0; i < b.n; i++) {
        for (size_t k = 0; k <= PQ_COUNT(with); k++) {
            size_t n = k < PQ_COUNT(with) ? b.n : i;
            uint8_t *copy = malloc(n + 1);
            PqArrowField field;
            PqArrowSchema s;
            uint32_t n_fields = 0;

            memcpy(copy, b.p, n);
            if (k < PQ_COUNT(with)) {
                copy[i] = with[k];
            }
            /* exactly n bytes, for AddressSanitizer */
            copy = realloc(copy, n ? n : 1);
            if (pq_arrow_open(pq_slice(copy, n), &s)) {
                while (pq_arrow_next(&s, &field)) {
                    n_fields += field.name.n < n && field.extension.n < n;
                }
            }
            free(copy);
            CHECK(n_fields <= 7);
        }
    }
    pq_buf_free(&b);
}

TEST(geometry, fields_that_share_a_table_are_read_within_a_budget)
{
    PqArrowField field;
    PqArrowSchema s;
    uint32_t n = 0;
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    CHECK(pq_arrow_decode(pq_slice_text(arrow), &b, t->e));
    CHECK(pq_arrow_open(pq_buf_view(&b), &s));
    s.budget = 100;                  /* the texts of two fields are longer */
    while (pq_arrow_next(&s, &field)) {
        n++;
    }
    CHECK(n < 2);
    pq_buf_free(&b);
}
