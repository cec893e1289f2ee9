/*
** geo_bounds_test.c - boxes and types for statistics.
**
** For a GEOGRAPHY, points are computed along great circles, and along the
** shortest lines of ellipsoids, with more digits than the code has: all of them
** have to be in the box.
*/
#include "core/geo/geo_bounds.h"
#include "test/unit/test.h"

#include <math.h>

#define PI 3.14159265358979323846264338327950288L
#define DEGREE (PI / 180)

/* ---- helpers ------------------------------------------------------------- */

typedef enum Form { PLANAR, SPHERE, ELLIPSOID } Form;

static PqGeoBounds bounds(Form form)
{
    PqGeoBounds b;

    pq_geo_bounds_begin(&b, form != PLANAR, form == SPHERE);
    return b;
}

/* Adds n points of X and Y as one geometry of a kind: POINT, LINESTRING,
** POLYGON of one ring. */
static void add(Test *t, PqGeoBounds *b, PqGeoKind kind, const double *v,
                uint32_t n)
{
    PqBuf out;
    uint32_t i;

    pq_buf_init(&out, t->mem, t->e);
    pq_wkb_put_head(&out, kind, false, false);
    if (kind == PQ_GEO_POLYGON) {
        pq_wkb_put_count(&out, 1);
    }
    if (kind != PQ_GEO_POINT) {
        pq_wkb_put_count(&out, n);
    }
    for (i = 0; i < 2 * n; i++) {
        pq_wkb_put_number(&out, v[i]);
    }
    pq_geo_bounds_add(b, pq_buf_view(&out));
    pq_buf_free(&out);
}

/* "x 1..2 y 3..4", or "none" */
static const char *boxed(const PqGeoBounds *b)
{
    static char text[300];
    PqGeoBox box;
    size_t n = 0;
    int axis;

    if (!pq_geo_bounds_box(b, &box)) {
        return "none";
    }
    for (axis = 0; axis < PQ_GEO_AXES; axis++) {
        if (box.has[axis]) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%c %.4g..%.4g",
                                  n ? " " : "", "xyzm"[axis], box.min[axis],
                                  box.max[axis]);
        }
    }
    return text;
}

#define POINTS(...) (const double[]){__VA_ARGS__}, \
    (uint32_t)(PQ_COUNT(((const double[]){__VA_ARGS__})) / 2)

static const char *of_line(Test *t, Form form, const double *v, uint32_t n)
{
    PqGeoBounds b = bounds(form);

    add(t, &b, PQ_GEO_LINESTRING, v, n);
    return boxed(&b);
}

static const char *of_ring(Test *t, Form form, const double *v, uint32_t n)
{
    PqGeoBounds b = bounds(form);

    add(t, &b, PQ_GEO_POLYGON, v, n);
    return boxed(&b);
}

static uint64_t seed = 11;

static uint32_t chance(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static double between(double min, double max)
{
    return min + (max - min) * (chance(1 << 30) / (double)(1 << 30));
}

static bool x_is_in(const PqGeoBox *box, double x)
{
    double west = box->min[PQ_GEO_X], east = box->max[PQ_GEO_X];

    return west <= east ? x >= west && x <= east : x >= west || x <= east;
}

static bool y_is_in(const PqGeoBox *box, long double y)
{
    return y >= box->min[PQ_GEO_Y] - 1e-17L &&
           y <= box->max[PQ_GEO_Y] + 1e-17L;
}

/* ---- GEOMETRY ------------------------------------------------------------ */

TEST(geo_bounds, a_geometry_is_bounded_by_its_coordinates)
{
    PqGeoBounds b = bounds(PLANAR);

    CHECK_TEXT(boxed(&b), "none");
    add(t, &b, PQ_GEO_POINT, POINTS(NAN, NAN));
    CHECK_TEXT(boxed(&b), "none");
    add(t, &b, PQ_GEO_POINT, POINTS(1, NAN));
    CHECK_TEXT(boxed(&b), "none");
    add(t, &b, PQ_GEO_POINT, POINTS(300, 5));
    CHECK_TEXT(boxed(&b), "x 1..300 y 5..5");
    add(t, &b, PQ_GEO_LINESTRING, POINTS(-170, 60, 170, NAN, NAN, -100));
    CHECK_TEXT(boxed(&b), "x -170..300 y -100..60");
    add(t, &b, PQ_GEO_POINT, POINTS(INFINITY, 0));
    CHECK_TEXT(boxed(&b), "x -170..inf y -100..60");
}

/* The specification counts all coordinates; pq_wkb_box the first ring. */
TEST(geo_bounds, all_rings_of_a_polygon_are_bounded)
{
    static const double rings[2][4] = {{1, 2, 3, 4}, {8, -9, 8, -8}};
    PqGeoBounds b = bounds(PLANAR), globe = bounds(SPHERE);
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_wkb_put_head(&out, PQ_GEO_POLYGON, false, false);
    pq_wkb_put_count(&out, 2);
    for (int i = 0; i < 2; i++) {
        pq_wkb_put_count(&out, 2);
        pq_buf_add(&out, rings[i], sizeof rings[i]);
    }
    pq_geo_bounds_add(&b, pq_buf_view(&out));
    CHECK_TEXT(boxed(&b), "x 1..8 y -9..4");
    pq_geo_bounds_add(&globe, pq_buf_view(&out));
    CHECK_TEXT(boxed(&globe), "x 1..8 y -9..4");
    pq_buf_free(&out);
}

/* pq_wkb_box says that it wraps; a GEOMETRY does not. */
TEST(geo_bounds, a_geometry_never_wraps)
{
    PqGeoBounds b = bounds(PLANAR);
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_wkb_put_box(&out, 170, 0, -170, 5);
    pq_geo_bounds_add(&b, pq_buf_view(&out));
    CHECK_TEXT(boxed(&b), "x -180..180 y 0..5");
    b = bounds(SPHERE);
    pq_geo_bounds_add(&b, pq_buf_view(&out));
    CHECK_TEXT(boxed(&b), "x 170..-170 y 0..5.019");
    pq_buf_free(&out);
}

TEST(geo_bounds, z_and_m_are_bounded_too)
{
    static const char *const hex[] = {
        ("01 ba0b0000 01000000 0000000000000000 0000000000000000"
         "0000000000000840 0000000000001040"),
        "00 000003e9 0000000000000000 0000000000000000 4014000000000000",
        "01 d1070000 0000000000000000 0000000000000000 000000000000f8ff",
    };
    int form;
    uint32_t i;

    for (form = PLANAR; form <= ELLIPSOID; form++) {
        PqGeoBounds b = bounds((Form)form);
        int32_t codes[PQ_GEO_CODES];
        for (i = 0; i < PQ_COUNT(hex); i++) {
            pq_geo_bounds_add(&b, test_hex(t, hex[i]));
        }
        CHECK_TEXT(boxed(&b), "x 0..0 y 0..0 z 3..5 m 4..4");
        CHECK_INT(pq_geo_bounds_codes(&b, codes), 3);
        CHECK(codes[0] == 1001 && codes[1] == 2001 && codes[2] == 3002);
    }
}

TEST(geo_bounds, each_type_has_its_code)
{
    static const uint32_t iso[] = {0, 1000, 2000, 3000};
    PqGeoBounds b = bounds(PLANAR);
    int32_t codes[PQ_GEO_CODES];
    uint32_t i, kind;
    char hex[40];

    CHECK_INT(pq_geo_bounds_codes(&b, codes), 0);
    for (i = 0; i < 4; i++) {
        for (kind = PQ_GEO_LINESTRING; kind <= PQ_GEO_COLLECTION; kind++) {
            snprintf(hex, sizeof hex, "00 %08x 00000000", iso[i] + kind);
            pq_geo_bounds_add(&b, test_hex(t, hex));
        }
    }
    add(t, &b, PQ_GEO_POINT, POINTS(NAN, NAN));
    CHECK_INT(pq_geo_bounds_codes(&b, codes), 25);
    CHECK(codes[0] == 1 && codes[6] == 7 && codes[7] == 1002 &&
          codes[24] == 3007);
}

TEST(geo_bounds, nothing_is_known_after_a_value_that_is_not_wkb)
{
    int form;

    for (form = PLANAR; form <= SPHERE; form++) {
        PqGeoBounds b = bounds((Form)form), sum = bounds((Form)form);
        int32_t codes[PQ_GEO_CODES];
        add(t, &b, PQ_GEO_POINT, POINTS(1, 2));
        pq_geo_bounds_add(&b, test_hex(t, "01 01000000"));
        pq_geo_bounds_join(&sum, &b);
        CHECK_TEXT(boxed(&b), "none");
        CHECK_INT(pq_geo_bounds_codes(&b, codes), 0);
        CHECK_TEXT(boxed(&sum), "none");
        CHECK_INT(pq_geo_bounds_codes(&sum, codes), 0);
    }
}

/* ---- GEOGRAPHY: X -------------------------------------------------------- */

TEST(geo_bounds, points_have_the_smallest_arc)
{
    PqGeoBounds b = bounds(SPHERE);

    add(t, &b, PQ_GEO_POINT, POINTS(170, 1));
    CHECK_TEXT(boxed(&b), "x 170..170 y 1..1");
    add(t, &b, PQ_GEO_POINT, POINTS(-170, 2));
    CHECK_TEXT(boxed(&b), "x 170..-170 y 1..2");
    add(t, &b, PQ_GEO_POINT, POINTS(180, NAN));
    add(t, &b, PQ_GEO_POINT, POINTS(-180, NAN));
    CHECK_TEXT(boxed(&b), "x 170..-170 y 1..2");
    add(t, &b, PQ_GEO_POINT, POINTS(0, 2));
    add(t, &b, PQ_GEO_POINT, POINTS(90, 2));
    CHECK_TEXT(boxed(&b), "x 0..-170 y 1..2");
    add(t, &b, PQ_GEO_POINT, POINTS(-80, 2));
    CHECK_TEXT(boxed(&b), "x -80..-170 y 1..2");
    add(t, &b, PQ_GEO_POINT, POINTS(-110, 2));
    CHECK_TEXT(boxed(&b), "x 90..0 y 1..2");
    CHECK_INT(b.arcs.n, 6);
}

TEST(geo_bounds, an_edge_goes_the_short_way)
{
    CHECK_TEXT(of_line(t, SPHERE, POINTS(170, 0, -170, 0)),
               "x 170..-170 y 0..0");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-170, 0, 170, 0, 160, 0)),
               "x 160..-170 y 0..0");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-80, 0, 80, 0)), "x -80..80 y 0..0");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-100, 0, 0, 0, 100, 0, -100, 0)),
               "x -180..180 y 0..0");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(180, 0, -180, 10)),
               "x -180..180 y 0..10");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(1, 0, NAN, 3, 2, NAN, 3, 1)),
               "x 1..3 y 0..3");
}

TEST(geo_bounds, a_geography_off_the_globe_has_no_box)
{
    static const double off[][2] = {
        {180.0000001, 0}, {-181, 0}, {0, 90.0000001}, {0, -91}, {INFINITY, 0},
        {0, -INFINITY}, {200, NAN}, {NAN, 100},
    };
    int32_t codes[PQ_GEO_CODES];
    uint32_t i;

    for (i = 0; i < PQ_COUNT(off); i++) {
        PqGeoBounds b = bounds(SPHERE);
        double line[] = {0, 0, off[i][0], off[i][1], 1, 1};
        add(t, &b, PQ_GEO_POINT, POINTS(1, 1));
        add(t, &b, PQ_GEO_POINT, off[i], 1);
        CHECK_TEXT(boxed(&b), "none");
        CHECK_INT(pq_geo_bounds_codes(&b, codes), 1);
        CHECK_TEXT(of_line(t, SPHERE, line, 3), "none");
    }
}

/* ---- GEOGRAPHY: Y -------------------------------------------------------- */

TEST(geo_bounds, an_edge_rises_above_its_ends)
{
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-90, 60, 0, 60)),
               "x -90..0 y 60..67.79");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-90, -60, 0, -60)),
               "x -90..0 y -67.79..-60");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(0, 0, 90, 60)), "x 0..90 y 0..60");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(5, 10, 5, 60)), "x 5..5 y 10..60");
    CHECK_TEXT(of_line(t, ELLIPSOID, POINTS(-90, 60, 0, 60)),
               "x -90..0 y 60..69.8");
}

TEST(geo_bounds, an_edge_near_a_pole_has_the_box_up_to_the_pole)
{
    const char *globe = "x -180..180 y -90..90";

    CHECK_TEXT(of_line(t, SPHERE, POINTS(0, 60, 180, 70)),
               "x -180..180 y 60..90");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-90, -10, 89.5, -20)),
               "x -180..180 y -90..-10");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-90, 10, 90, -10)), globe);
    CHECK_TEXT(of_line(t, SPHERE, POINTS(-90, 10, 89.5, -10)), globe);
    CHECK_TEXT(of_line(t, SPHERE, POINTS(0, 0, 180, 0)), globe);
    CHECK_TEXT(of_line(t, ELLIPSOID, POINTS(0, 10, 165, 10)),
               "x -180..180 y 10..90");
}

TEST(geo_bounds, an_edge_at_a_pole_has_all_longitudes)
{
    CHECK_TEXT(of_line(t, SPHERE, POINTS(0, 90, 100, 90)),
               "x -180..180 y 90..90");
    CHECK_TEXT(of_line(t, SPHERE, POINTS(0, 50, 100, 90)),
               "x -180..180 y 50..90");
    CHECK_TEXT(of_ring(t, ELLIPSOID, POINTS(0, -90, 5, 50, 5, 60)),
               "x -180..180 y -90..60");
}

typedef struct Sample {
    long double x, y;
} Sample;

/* A place along a great circle from a to b, part 0 .. 1; they are not opposite
** to each other. */
static Sample along(const double *a, const double *b, long double part)
{
    long double p[2][3], v[3], angle, dot = 0;
    int i;

    for (i = 0; i < 2; i++) {
        const double *from = i ? b : a;
        p[i][0] = cosl(from[1] * DEGREE) * cosl(from[0] * DEGREE);
        p[i][1] = cosl(from[1] * DEGREE) * sinl(from[0] * DEGREE);
        p[i][2] = sinl(from[1] * DEGREE);
    }
    for (i = 0; i < 3; i++) {
        v[i] = p[1][i] - p[0][i];
        dot += v[i] * v[i];
    }
    angle = 2 * asinl(fminl(sqrtl(dot) / 2, 1));
    for (i = 0; i < 3; i++) {
        v[i] = angle > 0 ? p[0][i] * sinl((1 - part) * angle) +
                               p[1][i] * sinl(part * angle)
                         : p[0][i];
    }
    return (Sample){atan2l(v[1], v[0]) / DEGREE,
                    atan2l(v[2], hypotl(v[0], v[1])) / DEGREE};
}

/* The highest latitude of an edge that has no lowest one between its ends. */
static long double highest(const double v[4])
{
    long double from = 0, to = 1;
    int i;

    for (i = 0; i < 200; i++) {
        long double a = from + (to - from) / 3, b = to - (to - from) / 3;
        if (along(v, v + 2, a).y < along(v, v + 2, b).y) {
            from = a;
        } else {
            to = b;
        }
    }
    return along(v, v + 2, from).y;
}

/* An edge of any length, often a short or a flat one. */
static void random_edge(double v[4])
{
    double reach = pow(10, between(-9, 2.25));

    v[0] = between(-180, 180);
    v[1] = chance(4) ? between(-90, 90) : 90 - pow(10, between(-9, 1));
    v[2] = v[0] + between(-reach, reach);
    v[2] -= v[2] > 180 ? 360 : v[2] < -180 ? -360 : 0;
    v[3] = chance(2) ? v[1] : v[1] + between(-reach, reach) * 0.01;
    v[3] = fmax(-90, fmin(90, v[3]));
}

TEST(geo_bounds, a_great_circle_is_within_its_box)
{
    int round, i;

    for (round = 0; round < 8000; round++) {
        PqGeoBounds b = bounds(SPHERE);
        PqGeoBox box;
        double v[4];

        random_edge(v);
        add(t, &b, PQ_GEO_LINESTRING, v, 2);
        CHECK(pq_geo_bounds_box(&b, &box));
        CHECK(x_is_in(&box, v[0]) && x_is_in(&box, v[2]));
        CHECK(y_is_in(&box, v[1]) && y_is_in(&box, v[3]));
        for (i = 1; i < 64; i++) {
            Sample at = along(v, v + 2, i / 64.0L);
            CHECK(y_is_in(&box, at.y));
            CHECK(x_is_in(&box, (double)at.x) || fabsl(at.y) > 89.99L ||
                  x_is_in(&box, (double)at.x + 1e-12) ||
                  x_is_in(&box, (double)at.x - 1e-12));
        }
    }
}

TEST(geo_bounds, the_box_of_a_great_circle_is_tight)
{
    int round, risen = 0;

    for (round = 0; round < 2000; round++) {
        PqGeoBounds b = bounds(SPHERE);
        double v[4], high;
        PqGeoBox box;

        random_edge(v);
        v[1] = fabs(v[1]);
        v[3] = fabs(v[3]);
        high = fmax(v[1], v[3]);
        add(t, &b, PQ_GEO_LINESTRING, v, 2);
        CHECK(pq_geo_bounds_box(&b, &box));
        if (box.max[PQ_GEO_Y] > high && box.max[PQ_GEO_Y] < 90) {
            CHECK(box.max[PQ_GEO_Y] - highest(v) < 2e-9);
            risen++;
        }
    }
    CHECK(risen > 200);
}

/* Along a shortest line of an ellipsoid the reduced latitude r and an angle w
** are those of a great circle, with its highest point at r = top, w = 0; the
** longitude grows by sqrt(1 - e^2 cos^2 r) dw. */
static void ellipsoid_line(Test *t, long double f, long double top,
                           long double from, long double to)
{
    enum { STEPS = 400 };
    long double x = 0, dw = (to - from) / STEPS, e2 = f * (2 - f);
    long double y[STEPS + 1];
    PqGeoBounds b = bounds(ELLIPSOID);
    double v[4];
    PqGeoBox box;
    int i;

    for (i = 0; i <= STEPS; i++) {
        long double w = from + dw * i, half = w + dw / 2;
        long double r = atanl(tanl(top) * cosl(half));
        y[i] = atanl(tanl(top) * cosl(w) / (1 - f)) / DEGREE;
        x += i < STEPS ? sqrtl(1 - e2 * cosl(r) * cosl(r)) * dw : 0;
    }
    v[0] = between(-180, 180);
    v[1] = (double)y[0];
    v[2] = v[0] + (double)(x / DEGREE);
    v[2] -= v[2] > 180 ? 360 : 0;
    v[3] = (double)y[STEPS];
    add(t, &b, PQ_GEO_LINESTRING, v, 2);
    CHECK(pq_geo_bounds_box(&b, &box));
    for (i = 1; i < STEPS; i++) {
        CHECK(y_is_in(&box, y[i]));
    }
}

TEST(geo_bounds, a_shortest_line_of_an_ellipsoid_is_within_its_box)
{
    static const double flattening[] = {1 / 298.257223563, 1 / 169.9, 0.098};
    int round;

    for (round = 0; round < 1000 && !t->failed; round++) {
        long double top = between(-89, 89) * DEGREE;
        long double length = pow(10, between(-4, 2.2)) * DEGREE;
        long double from = -length * between(-0.2, 1.2);
        ellipsoid_line(t, flattening[round % 3], top, from, from + length);
    }
}

/* ---- GEOGRAPHY: rings ---------------------------------------------------- */

TEST(geo_bounds, a_ring_around_a_pole_contains_it)
{
    const char *globe = "x -180..180 y -90..90";

    CHECK_TEXT(of_ring(t, SPHERE, POINTS(0, 80, 120, 85, -120, 80, 0, 80)),
               "x -180..180 y 80..90");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(0, -80, 120, -85, -120, -80)),
               "x -180..180 y -90..-80");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-180, -90, -180, -70, 0, -60, 180, -70,
                                         180, -90, -180, -90)),
               "x -180..180 y -90..-60");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-120, -8, 120, -8, 0, 8, -120, -8)),
               globe);
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-100, -80, 0, -80, 100, -80, 100, 80,
                                         0, 80, -100, 80, -100, -80)), globe);
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-180, 0, 0, 0, 180, 0, 180, 90,
                                         -180, 90)), globe);
}

TEST(geo_bounds, another_ring_is_bounded_by_its_edges)
{
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-90, 0, 0, 60, -90, 60)),
               "x -90..0 y 0..67.79");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-90, 60, -45, 50, 0, 60)),
               "x -90..0 y 50..67.79");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(170, 0, -170, 0, -175, 5, 170, 0)),
               "x 170..-170 y 0..5");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-100, -1, 100, -1, 100, 1, -100, 1)),
               "x 100..-100 y -5.74..5.74");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(7, 8)), "x 7..7 y 8..8");
    CHECK_TEXT(of_ring(t, SPHERE, POINTS(-180, -90, 180, -90, 180, 90, -180, 90,
                                         -180, -90)), "x -180..180 y -90..90");
}

/* ---- chunks -------------------------------------------------------------- */

TEST(geo_bounds, joined_parts_are_the_whole)
{
    int form, i;

    for (form = PLANAR; form <= ELLIPSOID; form++) {
        PqGeoBounds all = bounds((Form)form), part[2] = {all, all};
        int32_t codes[2][PQ_GEO_CODES];
        PqGeoBox box[2];

        memset(box, 0, sizeof box);
        for (i = 0; i < 30; i++) {
            PqGeoKind kind = i % 3 ? PQ_GEO_LINESTRING : PQ_GEO_POLYGON;
            double v[4];
            random_edge(v);
            v[0] = fmod(fabs(v[0]), 60) + 130;
            v[0] -= v[0] > 180 ? 360 : 0;
            v[2] = fmod(fabs(v[2]), 40) + 120;
            add(t, &all, kind, v, 2);
            add(t, &part[i % 2], kind, v, 2);
        }
        pq_geo_bounds_join(&part[0], &part[1]);
        CHECK(pq_geo_bounds_box(&all, &box[0]));
        CHECK(pq_geo_bounds_box(&part[0], &box[1]));
        CHECK(memcmp(&box[0], &box[1], sizeof box[0]) == 0);
        CHECK(form == PLANAR || box[0].min[0] > box[0].max[0]);
        CHECK_INT(pq_geo_bounds_codes(&all, codes[0]), 2);
        CHECK_INT(pq_geo_bounds_codes(&part[0], codes[1]), 2);
        CHECK(codes[0][0] == 2 && codes[1][1] == 3);
    }
}

/* Short edges do not take the box farther than their ends and a last digit. */
TEST(geo_bounds, the_box_of_short_edges_is_that_of_their_ends_but_for_a_bit)
{
    PqGeoBounds b = bounds(SPHERE);
    PqGeoBox box;

    add(t, &b, PQ_GEO_POLYGON, POINTS(8, 47, 8.0001, 47, 8.0001, 47.0001,
                                      8, 47.0001, 8, 47));
    CHECK(pq_geo_bounds_box(&b, &box));
    CHECK(box.min[PQ_GEO_X] == 8 && box.max[PQ_GEO_X] == 8.0001);
    CHECK(box.min[PQ_GEO_Y] == 47);
    CHECK(box.max[PQ_GEO_Y] > 47.0001 && box.max[PQ_GEO_Y] < 47.0001 + 1e-10);
}
