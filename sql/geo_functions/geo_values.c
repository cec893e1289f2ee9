/*
** geo_values.c - facts about geometries, and their forms: ST_GeometryType,
** ST_NPoints, ST_IsEmpty, ST_Point, texts, binary forms.
*/
#include "sql/geo_functions/geo_call.h"

#include "sql/value/value.h"

/* ---- facts --------------------------------------------------------------- */

/* False: the call has its result. */
static bool count_of(sqlite3_context *ctx, sqlite3_value *v, PqSlice *wkb,
                     uint64_t *n)
{
    return pqsql_geo_wkb(ctx, v, wkb) && pq_wkb_count(*wkb, n);
}

/* "ST_Point", or as "POINT" with "M" if it has M and not Z. */
void pqsql_geo_type_name(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    bool is_st = call->what == PQSQL_TYPE_ST;
    char text[32];
    PqWkbHead h;
    PqSlice wkb;
    uint64_t n;

    if (!count_of(ctx, argv[0], &wkb, &n) || !pq_wkb_head(wkb, &h)) {
        return;
    }
    sqlite3_snprintf(sizeof text, text, "%s%s%s", is_st ? "ST_" : "",
                     pq_geo_kind_names[h.kind],
                     !is_st && h.has_m && !h.has_z ? "M" : "");
    for (char *c = text; *c && !is_st; c++) {
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

void pqsql_geo_n_points(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqSlice wkb;
    uint64_t n;

    if (count_of(ctx, argv[0], &wkb, &n)) {
        sqlite3_result_int64(ctx, (sqlite3_int64)n);
    }
}

void pqsql_geo_is_empty(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqSlice wkb;
    uint64_t n;

    if (count_of(ctx, argv[0], &wkb, &n)) {
        sqlite3_result_int(ctx, n == 0);
    }
}

/* ---- geometries ---------------------------------------------------------- */

/* A third argument is the SRID. */
void pqsql_geo_point(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqBuf *out = pqsql_geo_begin(sqlite3_user_data(ctx));
    double v[3];

    if (pqsql_any_null(argc, argv) ||
        !pqsql_geo_numbers(ctx, 0, argc, argv, v)) {
        return;
    }
    pq_wkb_put_head(out, PQ_GEO_POINT, false, false);
    pq_wkb_put_number(out, v[0]);
    pq_wkb_put_number(out, v[1]);
    pqsql_geo_give_blob(ctx, PQ_OK);
}

/* The argument has to be of a class.  False: the call has its result. */
static bool is_class(sqlite3_context *ctx, sqlite3_value *v, int class,
                     const char *wanted)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqErr *e = &call->geo->e;

    if (sqlite3_value_type(v) == class) {
        return true;
    }
    pq_fail(e, PQ_USAGE, "the argument has to be %s", wanted);
    pqsql_geo_failed(ctx);
    return false;
}

/* A second argument, here and below, is the SRID. */
void pqsql_geo_from_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    PqSlice text;
    double srid;
    PqRc rc;

    if (pqsql_any_null(argc, argv) ||
        !pqsql_geo_numbers(ctx, 1, argc, argv, &srid) ||
        !is_class(ctx, argv[0], SQLITE_TEXT, "a TEXT, such as 'POINT(1 2)'")) {
        return;
    }
    rc = pqsql_text_of(argv[0], &text, &call->geo->e);
    pqsql_geo_give_blob(ctx, rc != PQ_OK ? rc : pq_wkt_read(text, out,
                                                            &call->geo->e));
}

void pqsql_geo_from_wkb(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    double srid;
    PqSlice wkb;

    if (pqsql_any_null(argc, argv) ||
        !pqsql_geo_numbers(ctx, 1, argc, argv, &srid) ||
        !is_class(ctx, argv[0], SQLITE_BLOB, "a BLOB of WKB") ||
        !pqsql_geo_wkb(ctx, argv[0], &wkb)) {
        return;
    }
    pqsql_geo_give_blob(ctx, pq_wkb_to_iso(wkb, out, &call->geo->e));
}

void pqsql_geo_as_binary(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    PqSlice wkb;
    uint64_t n;

    if (count_of(ctx, argv[0], &wkb, &n)) {
        pqsql_geo_give_blob(ctx, pq_wkb_to_iso(wkb, out, &call->geo->e));
    }
}

/* ---- texts --------------------------------------------------------------- */

enum { MOST_DECIMALS = 30 };

/* A second argument is the number of decimals.  False: the call has its
** result. */
static bool text_arguments(sqlite3_context *ctx, int argc,
                           sqlite3_value **argv, PqSlice *wkb, int *decimals)
{
    double digits;
    uint64_t n;

    *decimals = PQ_GEO_ALL_DIGITS;
    if (pqsql_any_null(argc, argv) ||
        !pqsql_geo_numbers(ctx, 1, argc, argv, &digits) ||
        !count_of(ctx, argv[0], wkb, &n)) {
        return false;
    }
    if (argc > 1) {
        *decimals = digits < 0 ? 0
                    : digits > MOST_DECIMALS ? MOST_DECIMALS : (int)digits;
    }
    return true;
}

void pqsql_geo_as_text(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    int decimals;
    PqSlice wkb;

    if (text_arguments(ctx, argc, argv, &wkb, &decimals)) {
        pqsql_geo_give_text(ctx,
                            pq_wkt_write(wkb, decimals, out, &call->geo->e));
    }
}

/* With the subtype of JSON, so that json_object() nests it. */
void pqsql_geo_as_json(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    int decimals;
    PqSlice wkb;

    if (text_arguments(ctx, argc, argv, &wkb, &decimals) &&
        pqsql_geo_give_text(
            ctx, pq_geojson_write(wkb, decimals, out, &call->geo->e))) {
        sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    }
}
