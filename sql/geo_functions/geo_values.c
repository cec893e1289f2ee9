/*
** geo_values.c - facts about geometries, and their forms: ST_GeometryType,
** ST_NPoints, ST_IsEmpty, ST_Point, texts, binary forms.
*/
#include "sql/geo_functions/geo_call.h"

/* ---- facts --------------------------------------------------------------- */

/* The WKB of the first argument, and its number of points.  False: it is not
** valid, or there is an error. */
static bool count_of(PqsqlGeoArgs *a, PqSlice *wkb, uint64_t *n)
{
    return pqsql_geo_wkb(a, 0, wkb) == PQ_OK && pq_wkb_count(*wkb, n);
}

/* "ST_Point", or as "POINT" with "M" if it has M and not Z. */
PqRc pqsql_geo_type_name(PqsqlGeoArgs *a)
{
    bool is_st = a->what == PQSQL_TYPE_ST;
    char text[32];
    PqWkbHead h;
    PqSlice wkb;
    uint64_t n;

    if (!count_of(a, &wkb, &n) || !pq_wkb_head(wkb, &h)) {
        return a->e->rc;
    }
    sqlite3_snprintf(sizeof text, text, "%s%s%s", is_st ? "ST_" : "",
                     pq_geo_kind_names[h.kind],
                     !is_st && h.has_m && !h.has_z ? "M" : "");
    for (char *c = text; *c && !is_st; c++) {
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    pq_buf_text(a->out, text);
    return PQ_OK;
}

PqRc pqsql_geo_n_points(PqsqlGeoArgs *a)
{
    PqSlice wkb;
    uint64_t n;

    if (count_of(a, &wkb, &n)) {
        sqlite3_result_int64(a->ctx, (sqlite3_int64)n);
    }
    return a->e->rc;
}

PqRc pqsql_geo_is_empty(PqsqlGeoArgs *a)
{
    PqSlice wkb;
    uint64_t n;

    if (count_of(a, &wkb, &n)) {
        sqlite3_result_int(a->ctx, n == 0);
    }
    return a->e->rc;
}

/* ---- geometries ---------------------------------------------------------- */

/* A third argument is the SRID. */
PqRc pqsql_geo_point(PqsqlGeoArgs *a)
{
    double v[3];

    PQ_TRY(pqsql_geo_numbers(a, 0, v));
    pq_wkb_put_head(a->out, PQ_GEO_POINT, false, false);
    pq_wkb_put_number(a->out, v[0]);
    pq_wkb_put_number(a->out, v[1]);
    return PQ_OK;
}

/* The first argument has to be of a class.  A second argument, here and below,
** is the SRID. */
static PqRc check_class(PqsqlGeoArgs *a, int class, const char *wanted)
{
    double srid;

    PQ_TRY(pqsql_geo_numbers(a, 1, &srid));
    return sqlite3_value_type(a->argv[0]) == class
               ? PQ_OK : pq_fail(a->e, PQ_USAGE, "the argument has to be %s",
                                 wanted);
}

PqRc pqsql_geo_from_text(PqsqlGeoArgs *a)
{
    PqSlice text;

    PQ_TRY(check_class(a, SQLITE_TEXT, "a TEXT, such as 'POINT(1 2)'"));
    PQ_TRY(pqsql_text_of(a->argv[0], &text, a->e));
    return pq_wkt_read(text, a->out, a->e);
}

PqRc pqsql_geo_from_wkb(PqsqlGeoArgs *a)
{
    PqSlice wkb;

    PQ_TRY(check_class(a, SQLITE_BLOB, "a BLOB of WKB"));
    PQ_TRY(pqsql_geo_wkb(a, 0, &wkb));
    return pq_wkb_to_iso(wkb, a->out, a->e);
}

PqRc pqsql_geo_as_binary(PqsqlGeoArgs *a)
{
    PqSlice wkb;
    uint64_t n;

    return count_of(a, &wkb, &n) ? pq_wkb_to_iso(wkb, a->out, a->e) : a->e->rc;
}

/* ---- texts --------------------------------------------------------------- */

/* Prints the geometry.  A second argument is the number of decimals. */
static PqRc print(PqsqlGeoArgs *a, PqRc (*write)(PqSlice wkb, int decimals,
                                                 PqBuf *out, PqErr *e))
{
    enum { MOST_DECIMALS = 30 };
    int decimals = PQ_GEO_ALL_DIGITS;
    double digits;
    PqSlice wkb;
    uint64_t n;

    PQ_TRY(pqsql_geo_numbers(a, 1, &digits));
    if (a->argc > 1) {
        decimals = digits < 0 ? 0
                   : digits > MOST_DECIMALS ? MOST_DECIMALS : (int)digits;
    }
    return count_of(a, &wkb, &n) ? write(wkb, decimals, a->out, a->e)
                                 : a->e->rc;
}

PqRc pqsql_geo_as_text(PqsqlGeoArgs *a)
{
    return print(a, pq_wkt_write);
}

PqRc pqsql_geo_as_json(PqsqlGeoArgs *a)
{
    return print(a, pq_geojson_write);
}
