/*
** wkb_test.c - well-known binary form: what is valid, its box, its points, and
** the same geometry as ISO WKB.
**
** Geometries are made from hexadecimal text, or with the calls of wkb.h.
*/
#include "core/geo/wkb.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

#define D0 "0000000000000000"
#define D1 "000000000000f03f"
#define D2 "0000000000000040"
#define D3 "0000000000000840"
#define D4 "0000000000001040"
#define NAN_ "000000000000f87f"
#define POINT_1_2 "01 01000000" D1 D2

/* ---- helpers ------------------------------------------------------------- */

/* "POLYGON 1, ring 5, (1 2), ..." as a walk meets it. */
typedef struct Told {
    char   text[2000];
    size_t n;
} Told;

static void tell(Told *s, const char *fmt, double a, double b)
{
    if (s->n + 60 < sizeof s->text) {
        s->n += (size_t)snprintf(s->text + s->n, 60, fmt, a, b);
    }
}

static PqRc told_begin(void *arg, const PqWkbHead *h, uint32_t n,
                       uint32_t depth, PqErr *e)
{
    tell(arg, "%.0f[%.0f ", pq_wkb_code(h), n);
    return PQ_OK;
}

static PqRc told_ring(void *arg, uint32_t n_points, PqErr *e)
{
    tell(arg, "{%.0f ", n_points, 0);
    return PQ_OK;
}

static PqRc told_run(void *arg, const PqWkbRun *r, PqErr *e)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const uint8_t *p = r->p + (size_t)i * r->n_axes * 8;

        tell(arg, "%g,%g ", pq_wkb_number(p, r->swapped),
             pq_wkb_number(p + 8, r->swapped));
    }
    return PQ_OK;
}

static PqRc told_ring_end(void *arg, PqErr *e)
{
    tell(arg, "}", 0, 0);
    return PQ_OK;
}

static PqRc told_end(void *arg, PqErr *e)
{
    tell(arg, "]", 0, 0);
    return PQ_OK;
}

static const char *walked(Test *t, PqSlice wkb)
{
    static Told s;
    PqWkbEvents v = {&s, told_begin, told_ring, told_run, told_ring_end,
                     told_end};

    s.n = 0;
    s.text[0] = 0;
    return pq_wkb_runs(wkb, &v, t->e) == PQ_OK ? s.text : t->e->text;
}

static const char *hex_walked(Test *t, const char *hex)
{
    return walked(t, test_hex(t, hex));
}

/* "x 1..2 y 3..4" */
static const char *box_text(const PqGeoBox *b)
{
    static char text[400];
    size_t n = 0;
    int axis;

    text[0] = 0;
    for (axis = 0; axis < PQ_GEO_AXES; axis++) {
        if (b->has[axis]) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%c %g..%g",
                                  n ? " " : "", "xyzm"[axis], b->min[axis],
                                  b->max[axis]);
        }
    }
    return text;
}

static const char *boxed(PqSlice wkb)
{
    PqGeoBox b;

    return pq_wkb_box(wkb, &b) ? box_text(&b) : "invalid";
}

/* By pq_wkb_bounds. */
static const char *bounded(PqSlice wkb)
{
    PqGeoBox b;

    return pq_wkb_bounds(wkb, &b) ? box_text(&b) : "invalid";
}

static const char *hex_boxed(Test *t, const char *hex)
{
    return boxed(test_hex(t, hex));
}

static const char *hex_bounded(Test *t, const char *hex)
{
    return bounded(test_hex(t, hex));
}

static long long counted(PqSlice wkb)
{
    uint64_t n;

    return pq_wkb_count(wkb, &n) ? (long long)n : -1;
}

/* A geometry that is put together; pq_buf_free after. */
static PqBuf made(Test *t)
{
    PqBuf b;

    pq_buf_init(&b, t->mem, t->e);
    return b;
}

static void put_points(PqBuf *b, const double *v, uint32_t n)
{
    pq_wkb_put_count(b, n);
    for (n *= 2; n > 0; n--) {
        pq_wkb_put_number(b, *v++);
    }
}

/* Two polygons of one ring each. */
static const char *pair_boxed(Test *t, const double a[10], const double b[10])
{
    PqBuf out = made(t);
    const char *text;

    pq_wkb_put_head(&out, PQ_GEO_MULTIPOLYGON, false, false);
    pq_wkb_put_count(&out, 2);
    pq_wkb_put_head(&out, PQ_GEO_POLYGON, false, false);
    pq_wkb_put_count(&out, 1);
    put_points(&out, a, 5);
    pq_wkb_put_head(&out, PQ_GEO_POLYGON, false, false);
    pq_wkb_put_count(&out, 1);
    put_points(&out, b, 5);
    text = boxed(pq_buf_view(&out));
    pq_buf_free(&out);
    return text;
}

/* ---- heads --------------------------------------------------------------- */

TEST(wkb, the_head_tells_iso_from_ewkb)
{
    PqWkbHead h;

    CHECK(pq_wkb_head(test_hex(t, POINT_1_2), &h));
    CHECK(h.kind == PQ_GEO_POINT && !h.has_z && !h.has_m && h.is_iso);
    CHECK(pq_wkb_head(test_hex(t, "01 bf0b0000"), &h));
    CHECK(h.kind == PQ_GEO_COLLECTION && h.has_z && h.has_m && h.is_iso);
    CHECK_INT(pq_wkb_code(&h), 3007);
    CHECK(pq_wkb_head(test_hex(t, "00 e0000003 000010e6"), &h));
    CHECK(h.kind == PQ_GEO_POLYGON && h.has_z && h.has_m && !h.is_iso);
    CHECK(h.has_srid);
    CHECK_INT(h.srid, 4326);
    CHECK(pq_wkb_head(test_hex(t, "01 02000040"), &h));
    CHECK(h.has_m && !h.has_z && !h.has_srid && !h.is_iso);
    CHECK_INT(pq_wkb_code(&h), 2002);
}

TEST(wkb, a_head_of_no_known_type_is_none)
{
    static const char *const heads[] = {
        "", "01", "01 010000", "02 01000000", "01 00000000", "01 08000000",
        "01 e8030000", "01 a10f0000", "01 01000010", "01 01000020 e610",
    };
    PqWkbHead h;
    uint32_t i;

    for (i = 0; i < PQ_COUNT(heads); i++) {
        CHECK(!pq_wkb_head(test_hex(t, heads[i]), &h));
        CHECK(pq_wkb_check(test_hex(t, heads[i]), t->e) == PQ_USAGE);
        pq_err_clear(t->e);
        CHECK_TEXT(hex_boxed(t, heads[i]), "invalid");
    }
}

/* ---- geometries ---------------------------------------------------------- */

TEST(wkb, points_have_two_to_four_numbers)
{
    CHECK_TEXT(hex_walked(t, POINT_1_2), "1[1 1,2 ]");
    CHECK_TEXT(hex_boxed(t, POINT_1_2), "x 1..1 y 2..2");
    CHECK_TEXT(hex_boxed(t, "01 e9030000" D1 D2 D3), "x 1..1 y 2..2 z 3..3");
    CHECK_TEXT(hex_boxed(t, "01 01000040" D1 D2 D3), "x 1..1 y 2..2 m 3..3");
    CHECK_TEXT(hex_boxed(t, "01 b90b0000" D1 D2 D3 D4),
               "x 1..1 y 2..2 z 3..3 m 4..4");
    CHECK_TEXT(hex_boxed(t, "01 010000e0 e6100000" D1 D2 D3 D4),
               "x 1..1 y 2..2 z 3..3 m 4..4");
    CHECK_TEXT(hex_boxed(t, "00 00000001 3ff0000000000000 4000000000000000"),
               "x 1..1 y 2..2");
    CHECK_TEXT(hex_boxed(t, "01 01000000" D1 NAN_), "x 1..1");
    CHECK_INT(counted(test_hex(t, "01 01000000" D1 NAN_)), 1);
}

TEST(wkb, an_empty_geometry_is_valid_and_has_no_box)
{
    static const char *const empty[] = {
        "01 01000000" NAN_ NAN_, "01 b90b0000" NAN_ NAN_ NAN_ NAN_,
        "01 02000000 00000000", "01 03000000 00000000",
        "01 04000000 00000000", "00 00000005 00000000",
        "01 06000000 00000000", "01 ef030000 00000000",
        "01 03000000 01000000 00000000",
        "01 04000000 01000000 01 01000000" NAN_ NAN_,
        "01 07000000 02000000 01 02000000 00000000 00 00000007 00000000",
    };
    uint32_t i;

    for (i = 0; i < PQ_COUNT(empty); i++) {
        CHECK_OK(pq_wkb_check(test_hex(t, empty[i]), t->e));
        CHECK_TEXT(hex_boxed(t, empty[i]), "");
        CHECK_INT(counted(test_hex(t, empty[i])), 0);
    }
}

TEST(wkb, a_walk_meets_all_in_the_order_of_the_bytes)
{
    CHECK_TEXT(hex_walked(t, "01 02000000 02000000" D1 D2 D3 D4),
               "2[2 1,2 3,4 ]");
    CHECK_TEXT(hex_walked(t, "01 03000000 02000000 02000000" D1 D2 D3 D4
                             "00000000"), "3[2 {2 1,2 3,4 }{0 }]");
    CHECK_TEXT(hex_walked(t, "01 04000000 02000000" POINT_1_2
                             "00 00000001 3ff0000000000000 4000000000000000"),
               "4[2 1[1 1,2 ]1[1 1,2 ]]");
    CHECK_TEXT(hex_walked(t, "01 07000000 02000000 01 07000000 01000000"
                             POINT_1_2 "01 01000000" NAN_ NAN_),
               "7[2 7[1 1[1 1,2 ]]1[0 ]]");
    CHECK_TEXT(hex_walked(t, "01 06000000 01000000 01 03000000 01000000"
                             "01000000" D1 D2), "6[1 3[1 {1 1,2 }]]");
    CHECK_INT(counted(test_hex(t, "01 03000000 02000000 02000000" D1 D2 D3 D4
                                  "01000000" D1 D2)), 3);
}

static PqRc stop_here(void *arg, const PqWkbRun *r, PqErr *e)
{
    return pq_fail(e, PQ_STOPPED, "enough");
}

TEST(wkb, a_walk_ends_at_the_first_failure)
{
    PqWkbEvents v = {.run = stop_here};

    CHECK_FAILS(pq_wkb_runs(test_hex(t, POINT_1_2), &v, t->e), PQ_STOPPED,
                "enough");
}

#define RING(n, ...) n "000000" __VA_ARGS__

/* GEOS, and with it most tools, looks no further. */
TEST(wkb, the_first_ring_of_a_polygon_is_its_box)
{
    static const char two[] =
        "01 03000000 02000000" RING("02", D1 D1 D2 D2) RING("01", D4 D0);
    static const char void_first[] =
        "01 03000000 02000000" RING("00") RING("01", D4 D0);
    static const char several[] =
        "01 06000000 02000000"
        "01 03000000 02000000" RING("01", D1 D1) RING("01", D4 D0)
        "01 03000000 02000000" RING("01", D2 D3) RING("01", D0 D4);
    static const char z[] = "01 eb030000 02000000" RING("01", D1 D1 D2)
                            RING("01", D4 D0 D0);

    CHECK_TEXT(hex_boxed(t, two), "x 1..2 y 1..2");
    CHECK_TEXT(hex_boxed(t, void_first), "");
    CHECK_TEXT(hex_boxed(t, several), "x 1..2 y 1..3");
    CHECK_TEXT(hex_boxed(t, z), "x 1..1 y 1..1 z 2..2");
    CHECK_TEXT(hex_bounded(t, two), "x 1..4 y 0..2");
    CHECK_TEXT(hex_bounded(t, void_first), "x 4..4 y 0..0");
    CHECK_TEXT(hex_bounded(t, several), "x 0..4 y 0..4");
    CHECK_TEXT(hex_bounded(t, z), "x 1..4 y 0..1 z 0..2");
    CHECK_INT(counted(test_hex(t, two)), 3);
    CHECK_INT(counted(test_hex(t, void_first)), 0);
}

TEST(wkb, bounds_do_not_wrap)
{
    PqBuf out = made(t);

    pq_wkb_put_box(&out, 170, 0, -175, 5);
    CHECK_TEXT(bounded(pq_buf_view(&out)), "x -180..180 y 0..5");
    pq_buf_free(&out);
    CHECK_TEXT(hex_bounded(t, POINT_1_2), "x 1..1 y 2..2");
    CHECK_TEXT(hex_bounded(t, POINT_1_2 "00"), "invalid");
}

TEST(wkb, a_nan_is_no_coordinate)
{
    CHECK_TEXT(hex_boxed(t, "01 02000000 03000000" NAN_ D2 D1 NAN_ D3 D4),
               "x 1..3 y 2..4");
    CHECK_TEXT(hex_boxed(t, "01 02000000 01000000" NAN_ D2), "y 2..2");
    CHECK_TEXT(hex_boxed(t, "01 ea030000 02000000" D1 D2 NAN_ D3 D4 D0),
               "x 1..3 y 2..4 z 0..0");
}

TEST(wkb, an_infinite_coordinate_is_one)
{
    CHECK_TEXT(hex_boxed(t, "01 02000000 01000000 000000000000f07f"
                            "000000000000f0ff"), "x inf..inf y -inf..-inf");
    CHECK_TEXT(hex_boxed(t, "01 01000000 000000000000f07f"
                            "000000000000f0ff"), "x inf..inf y -inf..-inf");
}

TEST(wkb, an_empty_part_may_lack_z)
{
    CHECK_TEXT(hex_walked(t, "01 ec030000 02000000 01 01000000" NAN_ NAN_
                             "01 e9030000" D1 D2 D3),
               "1004[2 1[0 ]1001[1 1,2 ]]");
    CHECK_TEXT(hex_walked(t, "01 07000000 02000000" POINT_1_2
                             "01 e9030000" D1 D2 D3),
               "7[2 1[1 1,2 ]1001[1 1,2 ]]");
}

/* ---- what is invalid ----------------------------------------------------- */

TEST(wkb, what_is_wrong_is_said_with_its_byte)
{
    static const struct {
        const char *hex, *said;
    } wrong[] = {
        {"", "at byte 0, it ends within a geometry"},
        {"07 01000000", "at byte 0, the byte order is 7, not 0 or 1"},
        {"01 09000000", "at byte 0, 9 is not a type of geometry"},
        {"01 01000000" D1, "at byte 5, it ends within a POINT"},
        {"01 02000000 0200", "at byte 5, it ends where the number of points"},
        {"01 02000000 02000000" D1 D2,
         "at byte 5, 2 points do not fit into the 16 bytes that are left"},
        {"01 02000000 ffffffff", "4294967295 points do not fit into the 0"},
        {"01 03000000 01000000", "1 rings do not fit into the 0 bytes"},
        {"01 07000000 00000001", "16777216 parts do not fit into the 0 bytes"},
        {POINT_1_2 "00", "at byte 21, the geometry ends and 1 more bytes"},
        {"01 02000000 01000000" D1 D2 "00", "at byte 25, the geometry ends"},
        {"01 03000000 01000000 01000000" D1 D2 "00", "at byte 29, the"},
        {"01 04000000 01000000 01 02000000 00000000",
         "at byte 9, a geometry of type 2 is a part of one of type 4"},
        {"01 04000000 01000000 01 04000000 00000000",
         "at byte 9, a geometry of type 4 is a part of one of type 4"},
        {"01 ec030000 01000000" POINT_1_2,
         "at byte 30, a part of type 1 ends, and its dimensions are not"},
    };
    uint32_t i;

    for (i = 0; i < PQ_COUNT(wrong); i++) {
        PqSlice wkb = test_hex(t, wrong[i].hex);
        CHECK_TEXT(boxed(wkb), "invalid");
        CHECK_INT(counted(wkb), -1);
        CHECK_FAILS(pq_wkb_check(wkb, t->e), PQ_USAGE, wrong[i].said);
    }
}

/* n collections, each in the one before. */
static PqBuf nested(Test *t, uint32_t n)
{
    PqBuf b = made(t);
    uint32_t i;

    for (i = 0; i < n; i++) {
        pq_wkb_put_head(&b, PQ_GEO_COLLECTION, false, false);
        pq_wkb_put_count(&b, i + 1 < n);
    }
    return b;
}

TEST(wkb, collections_nest_a_hundred_deep)
{
    PqBuf b = nested(t, PQ_GEO_DEPTH);

    CHECK_OK(pq_wkb_check(pq_buf_view(&b), t->e));
    pq_buf_free(&b);
    b = nested(t, PQ_GEO_DEPTH + 1);
    CHECK_FAILS(pq_wkb_check(pq_buf_view(&b), t->e), PQ_USAGE,
                "at byte 905, geometries are nested more than 100 deep");
    pq_buf_free(&b);
}

/* Each prefix is invalid and is read no further than it goes. */
TEST(wkb, a_prefix_is_invalid)
{
    static const char hex[] =
        "01 07000000 04000000" POINT_1_2 "00 00000002 00000001 0000000000000000"
        "0000000000000000 01 eb030000 01000000 01000000" D1 D2 D3
        "01 06000000 01000000 01 03000000 01000000 01000000" D1 D2;
    PqSlice all = test_hex(t, hex);
    size_t n;

    CHECK_OK(pq_wkb_check(all, t->e));
    for (n = 0; n < all.n; n++) {
        uint8_t *p = malloc(n + 1);
        bool valid;
        memcpy(p, all.p, n);
        valid = strcmp(boxed(pq_slice(p, n)), "invalid") != 0 ||
                counted(pq_slice(p, n)) >= 0 ||
                pq_wkb_check(pq_slice(p, n), t->e) == PQ_OK;
        free(p);
        pq_err_clear(t->e);
        CHECK(!valid);
    }
}

/* ---- written ------------------------------------------------------------- */

static bool iso_is(Test *t, const char *hex, const char *want)
{
    PqSlice wanted = test_hex(t, want);
    PqBuf out = made(t);
    bool same = pq_wkb_to_iso(test_hex(t, hex), &out, t->e) == PQ_OK &&
                pq_slice_equal(pq_buf_view(&out), wanted);

    pq_buf_free(&out);
    return same;
}

TEST(wkb, ewkb_and_big_endian_become_iso)
{
    CHECK(iso_is(t, POINT_1_2, POINT_1_2));
    CHECK(iso_is(t, "00 00000001 3ff0000000000000 4000000000000000",
                 POINT_1_2));
    CHECK(iso_is(t, "00 e0000001 000010e6 3ff0000000000000 4000000000000000"
                    "4008000000000000 4010000000000000",
                 "01 b90b0000" D1 D2 D3 D4));
    CHECK(iso_is(t, "00 a0000003 00000000 00000001 00000001 3ff0000000000000"
                    "4000000000000000 4008000000000000",
                 "01 eb030000 01000000 01000000" D1 D2 D3));
    CHECK(iso_is(t, "00 20000007 00000000 00000001 01 01000080" D1 D2 D3,
                 "01 07000000 01000000 01 e9030000" D1 D2 D3));
    CHECK(iso_is(t, "00 00000001 7ff8000000000000 fff8000000000000",
                 "01 01000000" NAN_ NAN_));
}

TEST(wkb, nothing_is_left_of_a_geometry_that_turns_out_invalid)
{
    PqBuf out = made(t);

    pq_buf_text(&out, "before");
    CHECK(pq_wkb_to_iso(test_hex(t, POINT_1_2 "00"), &out, t->e) == PQ_USAGE);
    CHECK_INT(out.n, 6);
    pq_buf_free(&out);
}

/* ---- boxes --------------------------------------------------------------- */

static const char *put_and_boxed(Test *t, double xmin, double ymin, double xmax,
                                 double ymax)
{
    PqBuf out = made(t);
    const char *text;

    pq_wkb_put_box(&out, xmin, ymin, xmax, ymax);
    text = boxed(pq_buf_view(&out));
    pq_buf_free(&out);
    return text;
}

TEST(wkb, a_box_that_is_put_has_this_box)
{
    CHECK_TEXT(put_and_boxed(t, 1, 2, 3, 4), "x 1..3 y 2..4");
    CHECK_TEXT(put_and_boxed(t, 1, 2, 1, 2), "x 1..1 y 2..2");
    CHECK_TEXT(put_and_boxed(t, 170, -20, -170, -10),
               "x 170..-170 y -20..-10");
    CHECK_TEXT(put_and_boxed(t, 180, 0, -180, 0), "x 180..-180 y 0..0");
    CHECK_TEXT(put_and_boxed(t, 10, 0, -10, 5), "x 10..-10 y 0..5");
    CHECK_TEXT(put_and_boxed(t, -180, -90, 180, 90), "x -180..180 y -90..90");
    CHECK_TEXT(put_and_boxed(t, 190, 0, -10, 5), "x -10..190 y 0..5");
    CHECK_TEXT(put_and_boxed(t, 10, 0, -181, 5), "x -181..10 y 0..5");
}

TEST(wkb, a_box_is_a_polygon_from_the_lower_left_clockwise)
{
    PqBuf out = made(t);

    pq_wkb_put_box(&out, 1, 2, 3, 4);
    CHECK_TEXT(walked(t, pq_buf_view(&out)),
               "3[1 {5 1,2 1,4 3,4 3,2 1,2 }]");
    pq_buf_free(&out);
}

#define RECTANGLE(x0, y0, x1, y1) \
    (const double[]){x0, y0, x0, y1, x1, y1, x1, y0, x0, y0}

TEST(wkb, two_rectangles_that_meet_at_the_antimeridian_wrap)
{
    const double *west = RECTANGLE(170, 0, 180, 5);
    const double *east = RECTANGLE(-180, 0, -175, 5);
    static const double turned[] = {-180, 5, -180, 0, -175, 0, -175, 5,
                                    -180, 5};
    static const double along[] = {-175, 5, -180, 5, -180, 0, -175, 0,
                                   -175, 5};

    CHECK_TEXT(pair_boxed(t, west, east), "x 170..-175 y 0..5");
    CHECK_TEXT(pair_boxed(t, east, west), "x 170..-175 y 0..5");
    CHECK_TEXT(pair_boxed(t, west, turned), "x 170..-175 y 0..5");
    CHECK_TEXT(pair_boxed(t, west, along), "x 170..-175 y 0..5");
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 0, 160, 5)),
               "x 170..160 y 0..5");
}

TEST(wkb, two_other_polygons_do_not_wrap)
{
    const double *west = RECTANGLE(170, 0, 180, 5);
    static const double open[] = {-180, 0, -180, 5, -175, 5, -175, 0,
                                  -176, 0};
    static const double slanted[] = {-180, 0, -180, 5, -175, 5, -176, 0,
                                     -180, 0};
    static const double bow[] = {-180, 0, -175, 5, -175, 0, -180, 5,
                                 -180, 0};
    static const double hole[] = {-180, 0, -180, 5, -175, NAN, -175, 0,
                                  -180, 0};
    const char *plain = "x -180..180 y 0..5";

    CHECK_TEXT(pair_boxed(t, west, open), plain);
    CHECK_TEXT(pair_boxed(t, west, slanted), plain);
    CHECK_TEXT(pair_boxed(t, west, bow), plain);
    CHECK_TEXT(pair_boxed(t, west, hole), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 0, -175, 4)), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 1, -175, 5)), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 0, 170, 5)), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 0, 175, 5)), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-180, 0, 180, 5)), plain);
    CHECK_TEXT(pair_boxed(t, RECTANGLE(-180, 0, 180, 5),
                          RECTANGLE(-180, 0, -175, 5)), plain);
    CHECK_TEXT(pair_boxed(t, west, RECTANGLE(-181, 0, -175, 5)),
               "x -181..180 y 0..5");
    CHECK_TEXT(pair_boxed(t, RECTANGLE(170, 0, 181, 5),
                          RECTANGLE(-180, 0, -175, 5)), "x -180..181 y 0..5");
}

TEST(wkb, three_rectangles_do_not_wrap)
{
    PqBuf b = made(t);
    uint32_t kind;

    for (kind = PQ_GEO_MULTIPOLYGON; kind <= PQ_GEO_COLLECTION; kind++) {
        b.n = 0;
        pq_wkb_put_box(&b, 170, 0, -170, 5);
        if (kind == PQ_GEO_MULTIPOLYGON) {
            b.p[5] = 3;
            pq_wkb_put_box(&b, 0, 0, 1, 1);
        } else {
            b.p[1] = PQ_GEO_COLLECTION;
        }
        CHECK_TEXT(boxed(pq_buf_view(&b)), "x -180..180 y 0..5");
    }
    pq_buf_free(&b);
}
