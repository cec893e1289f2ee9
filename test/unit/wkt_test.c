/*
** wkt_test.c - well-known text, read and written, and coordinates as text.
*/
#include "core/geo/wkb.h"
#include "core/geo/wkt.h"
#include "test/unit/test.h"

#include <math.h>
#include <stdlib.h>

/* The text is at the end of its own memory. */
static PqRc read_text(Test *t, const char *text, size_t n, PqBuf *out)
{
    uint8_t *own = malloc(n + !n);
    PqRc rc;

    memcpy(own, text, n);
    rc = pq_wkt_read(pq_slice(own, n), out, t->e);
    free(own);
    return rc;
}

/* Text to WKB to text; or the error.  It lives until the next call. */
static const char *through(Test *t, const char *text)
{
    static char line[4000];
    PqBuf wkb, again;

    pq_buf_init(&wkb, t->mem, t->e);
    pq_buf_init(&again, t->mem, t->e);
    if (read_text(t, text, strlen(text), &wkb) != PQ_OK ||
        pq_wkb_check(pq_buf_view(&wkb), t->e) != PQ_OK ||
        pq_wkt_write(pq_buf_view(&wkb), PQ_GEO_ALL_DIGITS, &again, t->e) !=
            PQ_OK) {
        snprintf(line, sizeof line, "%s%s", t->e->rc == PQ_USAGE ? "" : "?",
                 t->e->text);
        pq_err_clear(t->e);
    } else {
        snprintf(line, sizeof line, "%.*s", (int)again.n, (char *)again.p);
    }
    pq_buf_free(&wkb);
    pq_buf_free(&again);
    return line;
}

TEST(wkt, the_bytes_are_iso_wkb)
{
    static const struct { const char *text, *hex; } cases[] = {
        {"POINT(30 10)",
         "01 01000000 0000000000003e40 0000000000002440"},
        {"POINT EMPTY",
         "01 01000000 000000000000f87f 000000000000f87f"},
        {"POINT ZM (1 2 3 4)",
         "01 b90b0000 000000000000f03f 0000000000000040"
         "0000000000000840 0000000000001040"},
        {"MULTIPOINT M ((1 2 3),EMPTY)",
         "01 d4070000 02000000"
         "01 d1070000 000000000000f03f 0000000000000040 0000000000000840"
         "01 d1070000 000000000000f87f 000000000000f87f 000000000000f87f"},
        {"GEOMETRYCOLLECTION(POLYGON((1 2)),LINESTRING EMPTY)",
         "01 07000000 02000000"
         "01 03000000 01000000 01000000 000000000000f03f 0000000000000040"
         "01 02000000 00000000"}
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqSlice want = test_hex(t, cases[i].hex);
        PqBuf out;

        pq_buf_init(&out, t->mem, t->e);
        CHECK_OK(read_text(t, cases[i].text, strlen(cases[i].text), &out));
        CHECK_BYTES(out.p, out.n, want.p, want.n);
        pq_buf_free(&out);
    }
}

/* What is in the parentheses, for dimensions 0 to 3: a text with the letters
** a to d for points. */
static void with_points(const char *form, int dimensions, char *out)
{
    static const char *const points[][4] = {
        {"30 10", "30 10 40", "30 10 300", "30 10 40 300"},
        {"10 30", "10 30 40", "10 30 300", "10 30 40 300"},
        {"40 40", "40 40 80", "40 40 1600", "40 40 80 1600"},
        {"-0.1 1e-9", "-0.1 1e-9 NaN", "-0.1 1e-9 Infinity",
         "-0.1 1e-9 -Infinity 1e+15"}
    };
    static const char *const tags[] = {"", " Z ", " M ", " ZM "};
    size_t n = 0;

    for (; *form; form++) {
        const char *put = *form >= 'a' && *form <= 'd'
                              ? points[*form - 'a'][dimensions]
                          : *form == '_' ? tags[dimensions]
                                         : NULL;
        n += put ? (size_t)sprintf(out + n, "%s", put)
                 : (size_t)sprintf(out + n, "%c", *form);
    }
    out[n] = 0;
}

TEST(wkt, every_type_comes_back)
{
    static const char *const forms[] = {
        "POINT_(a)", "POINT_(d)", "LINESTRING_(a,b,c)", "LINESTRING_(a)",
        "POLYGON_((a,b,c,a))", "POLYGON_((a,b,c,d,a),(d,b,d),EMPTY,(a))",
        "MULTIPOINT_((a))", "MULTIPOINT_((a),EMPTY,(d))", "MULTIPOINT_(EMPTY)",
        "MULTILINESTRING_((a,b,c))", "MULTILINESTRING_(EMPTY,(a,d),(b),EMPTY)",
        "MULTIPOLYGON_(((a,b,c,a)))",
        "MULTIPOLYGON_(((a,b),(c,d)),EMPTY,((a,b)))",
        ("GEOMETRYCOLLECTION_(POINT_(a),LINESTRING_(a,b,c),"
            "POLYGON_((a,b,c,a)),MULTIPOINT_((a)),"
            "MULTILINESTRING_((a,b,c)),MULTIPOLYGON_(((a,b,c,a))))"),
        ("GEOMETRYCOLLECTION_(GEOMETRYCOLLECTION_(POINT_(a),"
            "GEOMETRYCOLLECTION_(POINT_(b))),POINT_(c))")
    };
    char text[2000];

    for (size_t i = 0; i < PQ_COUNT(forms); i++) {
        for (int d = 0; d < 4; d++) {
            with_points(forms[i], d, text);
            CHECK_TEXT(through(t, text), text);
        }
    }
}

TEST(wkt, every_empty_type_comes_back)
{
    static const char *const names[] = {
        "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING",
        "MULTIPOLYGON", "GEOMETRYCOLLECTION"
    };
    static const char *const tags[] = {"", " Z", " M", " ZM"};
    char text[200];

    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        for (size_t d = 0; d < 4; d++) {
            snprintf(text, sizeof text, "%s%s EMPTY", names[i], tags[d]);
            CHECK_TEXT(through(t, text), text);
            snprintf(text, sizeof text, "GEOMETRYCOLLECTION%s%s(%s%s EMPTY,"
                     "GEOMETRYCOLLECTION%s EMPTY)", tags[d], d ? " " : "",
                     names[i], tags[d], tags[d]);
            CHECK_TEXT(through(t, text), text);
        }
    }
}

TEST(wkt, case_and_blanks_do_not_matter)
{
    static const struct { const char *text, *want; } cases[] = {
        {" \n point \t( 30\r\n10 ) ", "POINT(30 10)"},
        {"Point(30 10)", "POINT(30 10)"},
        {"LINESTRING (30 10, 10 30 ,40 40)", "LINESTRING(30 10,10 30,40 40)"},
        {"PointZ(1 2 3)", "POINT Z (1 2 3)"},
        {"POINT z(1 2 3)", "POINT Z (1 2 3)"},
        {"POINTM(1 2 3)", "POINT M (1 2 3)"},
        {"pointzm (1 2 3 4)", "POINT ZM (1 2 3 4)"},
        {"POINT Zm EMPTY", "POINT ZM EMPTY"},
        {"POINTZ empty ", "POINT Z EMPTY"},
        {"POINT(1 2 3)", "POINT Z (1 2 3)"},
        {"POINT(1 2 3 4)", "POINT ZM (1 2 3 4)"},
        {"MULTIPOINT(1 2,3 4)", "MULTIPOINT((1 2),(3 4))"},
        {"MULTIPOINT( 1 2 , ( 3 4 ) , empty)",
         "MULTIPOINT((1 2),(3 4),EMPTY)"},
        {"MULTIPOINT(EMPTY, 1 2 3)", "MULTIPOINT Z (EMPTY,(1 2 3))"},
        {"GEOMETRYCOLLECTION(POINT EMPTY,POINT(1 2 3 4))",
         "GEOMETRYCOLLECTION ZM (POINT ZM EMPTY,POINT ZM (1 2 3 4))"},
        {"GEOMETRYCOLLECTION(POINT EMPTY,POINT M (1 2 3))",
         "GEOMETRYCOLLECTION M (POINT M EMPTY,POINT M (1 2 3))"},
        {"GEOMETRYCOLLECTION Z (POINT(1 2 3))",
         "GEOMETRYCOLLECTION Z (POINT Z (1 2 3))"},
        {"GEOMETRYCOLLECTION M (POINT EMPTY)",
         "GEOMETRYCOLLECTION M (POINT M EMPTY)"},
        {"SRID=4326;POINT(1 2)", "POINT(1 2)"},
        {" srid = -1 ; POINT(1 2)", "POINT(1 2)"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(through(t, cases[i].text), cases[i].want);
    }
}

TEST(wkt, numbers_are_read_as_doubles)
{
    static const struct { const char *text, *want; } cases[] = {
        {"POINT(1. .5)", "POINT(1 0.5)"},
        {"POINT(+1 -1.50)", "POINT(1 -1.5)"},
        {"POINT(1e2 1E-3)", "POINT(100 0.001)"},
        {"POINT(1.7976931348623157e308 5e-324)",
         "POINT(1.7976931348623157e+308 5e-324)"},
        {"POINT(0.30000000000000004 123456789.12345678)",
         "POINT(0.30000000000000004 123456789.12345678)"},
        {"POINT(0.1000000000000000055511151231257827 1)", "POINT(0.1 1)"},
        {"POINT(-0 0)", "POINT(0 0)"},
        {"POINT(nan 1)", "POINT(NaN 1)"},
        {"POINT(NaN -nan)", "POINT EMPTY"},
        {"POINT(inf -Infinity)", "POINT(Infinity -Infinity)"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(through(t, cases[i].text), cases[i].want);
    }
}

/* PostGIS prints geometries so. */
TEST(wkt, hex_digits_are_wkb)
{
    static const struct { const char *text, *want; } cases[] = {
        {"0101000000000000000000F03F0000000000000040", "POINT(1 2)"},
        {"0101000020E6100000000000000000f03f0000000000000040", "POINT(1 2)"},
        {" \\x0101000000000000000000F03F0000000000000040\n", "POINT(1 2)"},
        {"00000000013ff00000000000004000000000000000", "POINT(1 2)"},
        {"01010000A0E6100000000000000000F03F00000000000000400000000000000840",
         "POINT Z (1 2 3)"},
        {"010300000000000000", "POLYGON EMPTY"},
        {"01", "invalid WKB: at byte 0, it ends within a geometry"},
        {"\\x", "invalid WKB: at byte 0, it ends within a geometry"},
        {"010300000000000000FF", "invalid WKB: at byte 9, the geometry ends and"
                                 " 1 more bytes follow"},
        {"01030", "WKT, at character 6: expected a hex digit of WKB, but the "
                  "text ends"},
        {"0103 00", "WKT, at character 6: expected a hex digit of WKB, not '0'"},
        {"\\x01\\x03", "WKT, at character 5: expected a hex digit of WKB, not "
                       "'\\'"},
        {"0201000000", "WKT, at character 1: expected the name of a geometry, "
                       "such as POINT, not '0'"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        const char *got = through(t, cases[i].text);

        CHECK_INT(strncmp(got, cases[i].want, strlen(cases[i].want)), 0);
    }
}

TEST(wkt, an_error_names_the_character)
{
    static const struct { const char *text, *why; } cases[] = {
        {"", "1: expected the name of a geometry, such as POINT, but the text"
             " ends"},
        {"  7", "3: expected the name of a geometry, such as POINT, not '7'"},
        {"POINTS(1 2)", "1: expected the name"},
        {"POIN(1 2)", "1: expected the name"},
        {"EMPTY", "1: expected the name of a geometry, such as POINT, not "
                  "'EMPTY'"},
        {"aWordThatIsLongerThanTwenty", "1: expected the name of a geometry, "
                                        "such as POINT, not 'aWordThatIsLongerTha'"},
        {"BOX(1 2,3 4)", "1: a BOX is not a geometry; write ST_MakeEnvelope(xmin"},
        {" {\"type\":", "2: this is JSON, which is not read; a point of GeoJSON"},
        {"POINT", "6: expected '(' or EMPTY, but the text ends"},
        {"POINT X (1 2)", "7: expected '(' or EMPTY, not 'X'"},
        {"POINT()", "7: expected a number, not ')'"},
        {"POINT(1 2", "10: expected ')', but the text ends"},
        {"POINT(1 2,3 4)", "10: expected ')', not ','"},
        {"POINT((1 2))", "7: expected a number, not '('"},
        {"POINT(1 2) x", "12: expected the end of the text, not 'x'"},
        {"POINT(1)", "7: expected 2 numbers (XY), not 1"},
        {"POINT(1 2 3 4 5)", "7: expected 2 numbers (XY), not 5"},
        {"POINT(1 2 3(", "12: expected a number, not '('"},
        {"POINT Z (1 2)", "10: expected 3 numbers (XYZ), not 2"},
        {"POINT Z (1 2 3 4)", "10: expected 3 numbers (XYZ), not 4"},
        {"LINESTRING(1 2,3 4 5)", "16: expected 2 numbers (XY), not 3"},
        {"LINESTRING(1 2 3,4 5)", "18: expected 3 numbers (XYZ), not 2"},
        {"LINESTRING(1 2;3 4)", "14: expected a number, not '2'"},
        {"LINESTRING(1 2,)", "16: expected a number, not ')'"},
        {"LINESTRING(EMPTY)", "12: expected a number, not 'E'"},
        {"LINESTRING(1 2", "15: expected ',' or ')', but the text ends"},
        {"POLYGON(1 2)", "9: expected '(', not '1'"},
        {"POLYGON(EMPTY)", "9: expected '(', not 'E'"},
        {"POLYGON((1 2),3 4)", "15: expected '(' or EMPTY, not '3'"},
        {"MULTIPOINT((1 2,3 4))", "16: expected ')', not ','"},
        {"MULTILINESTRING(1 2)", "17: expected '(' or EMPTY, not '1'"},
        {"MULTIPOLYGON((1 2))", "15: expected '(', not '1'"},
        {"GEOMETRYCOLLECTION(1 2)", "20: expected the name"},
        {"GEOMETRYCOLLECTION()", "20: expected the name"},
        {"GEOMETRYCOLLECTION(POINT(1 2)", "30: expected ',' or ')', but"},
        {"GEOMETRYCOLLECTION(POINT(1 2),)", "31: expected the name"},
        {"GEOMETRYCOLLECTION(POINT(1 2)) )", "32: expected the end"},
        {"POINT(1e 2)", "7: expected a number, not '1'"},
        {"POINT(0x10 2)", "7: expected a number, not '0'"},
        {"POINT(1,5 2)", "7: expected 2 numbers (XY), not 1"},
        {"POINT(1e400 2)", "7: the number is too large"},
        {"SRID 4326;POINT(1 2)", "6: expected '=', not '4'"},
        {"SRID=;POINT(1 2)", "6: expected a number, not ';'"},
        {"SRID=4326 POINT(1 2)", "11: expected ';', not 'P'"},
        {"SRID=4326;", "11: expected the name"},
        {"\xc3\xa9POINT(1 2)", "1: expected the name"},
        {"POINT(1 2)\xe2\x82\xac\xe2\x82\xac x", "11: expected the end of the"},
        {"POINT(1 2)\x01", "11: expected the end of the text"},
        {"CIRCULARSTRING(1 2)", "1: CIRCULARSTRING is not supported"},
        {"GEOMETRYCOLLECTION(Tin EMPTY)", "20: Tin is not supported"},
        {"GEOMETRYCOLLECTION Z (POINT M (1 2 3))",
         "23: all of a geometry has the same dimensions, but this is XYM and"
         " the rest is XYZ"},
        {"GEOMETRYCOLLECTION(POINT(1 2 3),POINT M (1 2 3))", "33: all of a"},
        {"GEOMETRYCOLLECTION M (POINT(1 2 3))", "23: all of a"},
        {"GEOMETRYCOLLECTION(POINT Z (1 2 3),POINT(1 2))",
         "42: expected 3 numbers (XYZ), not 2"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        char want[300];
        const char *got = through(t, cases[i].text);

        snprintf(want, sizeof want, "WKT, at character %s", cases[i].why);
        if (strncmp(got, want, strlen(want)) != 0) {
            test_fail(t, __FILE__, __LINE__, "%s: %s", cases[i].text, got);
        }
    }
}

TEST(wkt, a_text_that_ends_anywhere_is_an_error)
{
    static const char whole[] = "SRID=1;GEOMETRYCOLLECTION Z (POINT Z EMPTY,"
        "MULTIPOLYGON Z (((1 2 3,4 5 6),EMPTY)),MULTIPOINT(1 2 3,(4 5 6)))";
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        CHECK_INT(read_text(t, whole, n, &out), PQ_USAGE);
        CHECK_INT(out.n, 0);
        pq_err_clear(t->e);
    }
    CHECK_OK(read_text(t, whole, sizeof whole - 1, &out));
    pq_buf_free(&out);
}

/* n collections in each other, with a part in the last. */
static void nested(PqBuf *out, int n, const char *part)
{
    out->n = 0;
    for (int i = 0; i < n; i++) {
        pq_buf_text(out, "GEOMETRYCOLLECTION(");
    }
    pq_buf_text(out, part);
    for (int i = 0; i < n; i++) {
        pq_buf_byte(out, ')');
    }
    pq_buf_byte(out, 0);
}

TEST(wkt, nesting_has_a_limit)
{
    PqBuf text;

    pq_buf_init(&text, t->mem, t->e);
    nested(&text, PQ_GEO_DEPTH, "POINT(1 2)");
    CHECK_TEXT(through(t, (char *)text.p), (char *)text.p);
    nested(&text, PQ_GEO_DEPTH - 1, "MULTIPOINT((1 2))");
    CHECK_TEXT(through(t, (char *)text.p), (char *)text.p);
    nested(&text, PQ_GEO_DEPTH, "MULTIPOINT((1 2))");
    CHECK(strstr(through(t, (char *)text.p), "nested more than 100 deep"));
    nested(&text, PQ_GEO_DEPTH, "GEOMETRYCOLLECTION EMPTY");
    CHECK(strstr(through(t, (char *)text.p), "nested more than 100 deep"));
    nested(&text, 100000, "POINT(1 2)");
    CHECK(strstr(through(t, (char *)text.p), "nested more than 100 deep"));
    pq_buf_free(&text);
}

/* The text of WKB. */
static const char *text_of(Test *t, const char *hex)
{
    static char line[1000];
    PqBuf out;

    pq_buf_init(&out, t->mem, t->e);
    pq_buf_text(&out, "x");
    if (pq_wkt_write(test_hex(t, hex), PQ_GEO_ALL_DIGITS, &out, t->e)) {
        pq_err_clear(t->e);
        pq_buf_text(&out, " invalid");
    }
    snprintf(line, sizeof line, "%.*s", (int)out.n, (char *)out.p);
    pq_buf_free(&out);
    return line;
}

TEST(wkt, what_only_wkb_has_is_printed)
{
    /* Big-endian, EWKB with an SRID. */
    CHECK_TEXT(text_of(t, "00 a0000001 000010e6 3ff0000000000000"
                          "4000000000000000 4008000000000000"),
               "xPOINT Z (1 2 3)");
    /* A POLYGON with an empty first ring, alone and as a part. */
    CHECK_TEXT(text_of(t, "01 03000000 01000000 00000000"), "xPOLYGON EMPTY");
    CHECK_TEXT(text_of(t, "01 eb030000 02000000 00000000 01000000"
                          "0000000000000000 0000000000000000"
                          "0000000000000000"),
               "xPOLYGON Z EMPTY");
    CHECK_TEXT(text_of(t, "01 06000000 02000000"
                          "01 03000000 01000000 00000000"
                          "01 03000000 00000000"),
               "xMULTIPOLYGON(EMPTY,EMPTY)");
    /* Parts with dimensions of their own. */
    CHECK_TEXT(text_of(t, "01 07000000 01000000 01 e9030000"
                          "0000000000000000 0000000000000000"
                          "0000000000000000"),
               "xGEOMETRYCOLLECTION(POINT Z (0 0 0))");
    /* Nothing is left of a text that cannot be finished. */
    CHECK_TEXT(text_of(t, "01 07000000 01000000 01 e9030000"), "x invalid");
}

/* ---- numbers ------------------------------------------------------------- */

static const char *number(double v, int decimals)
{
    static char text[PQ_GEO_NUMBER_ROOM + 1];

    text[pq_geo_number_text(v, decimals, text)] = 0;
    return text;
}

TEST(wkt, numbers_are_printed_as_postgis_does)
{
    enum { ALL = PQ_GEO_ALL_DIGITS };
    static const struct { double v; int decimals; const char *want; } cases[] = {
        {0, ALL, "0"}, {-0.0, ALL, "0"}, {-0.0, 3, "0"}, {2, ALL, "2"},
        {-2, 0, "-2"}, {0.3, ALL, "0.3"}, {0.3, 0, "0"}, {2.5, 0, "2"},
        {3.5, 0, "4"}, {0.5, 0, "0"}, {0.6, 0, "1"}, {-0.04, 1, "0"},
        {-0.06, 1, "-0.1"}, {0.125, 2, "0.12"}, {0.135, 2, "0.14"},
        {2.9802322387695312e-8, ALL, "0.000000029802322387695312"},
        {2.9802322387695312e-8, 7, "0"},
        {2.9802322387695312e-8, 8, "0.00000003"},
        {2.9802322387695312e-8, 10, "0.0000000298"},
        {2.9802322387695312e-8, 15, "0.000000029802322"},
        {36.11464599999999, 12, "36.114646"},
        {36.11464599999999, ALL, "36.11464599999999"},
        {400000, 0, "400000"}, {400000, 20, "400000"},
        {5.083333333333333, 15, "5.083333333333333"},
        {1.4142135623730951, 15, "1.414213562373095"},
        {143.62025166838282, 15, "143.62025166838282"},
        {7000109.999999999, 8, "7000110"},
        {7000109.999999999, 12, "7000109.999999999"},
        {526355.92112000007, 5, "526355.92112"},
        {999999999999999.9, ALL, "999999999999999.9"},
        {999999999999999.9, 0, "1000000000000000"},
        {1e15, ALL, "1e+15"}, {-1e15, ALL, "-1e+15"},
        {1000000000000000.1, ALL, "1.0000000000000001e+15"},
        {9.999999999999999e-9, ALL, "9.999999999999999e-9"},
        {1e-8, ALL, "1e-8"}, {-1e-8, ALL, "-1e-8"},
        {1.0000000000000002e-8, ALL, "0.000000010000000000000002"},
        {9e300, 0, "9e+300"}, {9.000000000000001e300, 0, "9e+300"},
        {9.9e300, 0, "1e+301"}, {1.7e308, 0, "1.7e+308"},
        {9.9e307, 0, "1e+308"},
        {9.000000000000001e300, 15, "9.000000000000001e+300"},
        {6917529027641081856.0, 14, "6.91752902764108e+18"},
        {6917529027641081856.0, 3, "6.918e+18"},
        {6917529027641081856.0, 0, "7e+18"},
        {2.2250738585072014e-308, ALL, "2.2250738585072014e-308"},
        {1.7976931348623157e308, ALL, "1.7976931348623157e+308"},
        {5e-324, ALL, "5e-324"}, {0.1, 0, "0"}, {123456.7, 1000000, "123456.7"},
        {-71.1043482, ALL, "-71.1043482"}, {99999999.1, ALL, "99999999.1"},
        {100000000.1, ALL, "100000000.1"}, {0.00000015, ALL, "0.00000015"},
        {9999999.9999999, 6, "10000000"}, {0.99, 1, "1"}
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK_TEXT(number(cases[i].v, cases[i].decimals), cases[i].want);
    }
    CHECK_TEXT(number((double)NAN, 3), "NaN");
    CHECK_TEXT(number((double)INFINITY, ALL), "Infinity");
    CHECK_TEXT(number((double)-INFINITY, 0), "-Infinity");
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

/* A coordinate of some kind, in this order: any double, degrees, degrees with
** few decimals. */
static double random_coordinate(uint64_t *seed, int kind)
{
    uint64_t bits = next_random(seed);
    double v;

    memcpy(&v, &bits, sizeof v);
    return kind == 0   ? v
           : kind == 1 ? (double)(int64_t)bits / 0x1p63 * 180
                       : (double)((int64_t)bits >> 30) / (kind == 2 ? 1e7 : 1e3);
}

/* Digits of a number, without zeros at its ends. */
static int significant(const char *text)
{
    int n = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            n += zeros + 1;
            zeros = 0;
        } else if (*text == '0') {
            zeros += n > 0;
        }
    }
    return n;
}

TEST(wkt, a_number_reads_back_and_has_the_fewest_digits)
{
    uint64_t seed = 1;

    for (int i = 0; i < 100000; i++) {
        double v = random_coordinate(&seed, i % 4);
        const char *text = number(v, PQ_GEO_ALL_DIGITS);
        char other[64] = "";

        if (v != v) {
            continue;
        }
        if (strtod(text, NULL) != v) {
            test_fail(t, __FILE__, __LINE__, "%s is not %.17g", text, v);
            return;
        }
        for (int n = 1; strtod(other, NULL) != v; n++) {
            snprintf(other, sizeof other, "%.*e", n - 1, v);
        }
        CHECK_INT(significant(text), significant(other));
    }
}
