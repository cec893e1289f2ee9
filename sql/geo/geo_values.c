/*
** geo_values.c - facts about geometries, and their forms: ST_GeometryType,
** ST_NPoints, ST_IsEmpty, ST_Point, texts, binary forms.
*/
#include "sql/geo/geo_call.h"

#include "sql/value/value.h"

/* ---- facts --------------------------------------------------------------- */

static const struct {
    const char *st, *plain;
} type_names[] = {
    [PQ_GEO_POINT] = {"ST_Point", "POINT"},
    [PQ_GEO_LINESTRING] = {"ST_LineString", "LINESTRING"},
    [PQ_GEO_POLYGON] = {"ST_Polygon", "POLYGON"},
    [PQ_GEO_MULTIPOINT] = {"ST_MultiPoint", "MULTIPOINT"},
    [PQ_GEO_MULTILINESTRING] = {"ST_MultiLineString", "MULTILINESTRING"},
    [PQ_GEO_MULTIPOLYGON] = {"ST_MultiPolygon", "MULTIPOLYGON"},
    [PQ_GEO_COLLECTION] = {"ST_GeometryCollection", "GEOMETRYCOLLECTION"},
};

/* False: the call has its result. */
static bool count_of(sqlite3_context *ctx, sqlite3_value *v, PqSlice *wkb,
                     uint64_t *n)
{
    return pqsql_geo_wkb(ctx, v, wkb) && pq_wkb_count(*wkb, n);
}

void pqsql_geo_type_name(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    char text[32];
    PqWkbHead h;
    PqSlice wkb;
    uint64_t n;

    (void)argc;
    if (!count_of(ctx, argv[0], &wkb, &n) || !pq_wkb_head(wkb, &h)) {
        return;
    }
    if (call->what == PQSQL_TYPE_ST) {
        sqlite3_result_text(ctx, type_names[h.kind].st, -1, SQLITE_STATIC);
        return;
    }
    sqlite3_snprintf(sizeof text, text, "%s%s", type_names[h.kind].plain,
                     h.has_m && !h.has_z ? "M" : "");
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

void pqsql_geo_n_points(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqSlice wkb;
    uint64_t n;

    (void)argc;
    if (count_of(ctx, argv[0], &wkb, &n)) {
        sqlite3_result_int64(ctx, (sqlite3_int64)n);
    }
}

void pqsql_geo_is_empty(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqSlice wkb;
    uint64_t n;

    (void)argc;
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

    if (pqsql_geo_any_null(argc, argv) ||
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

/* A second argument is the SRID. */
void pqsql_geo_from_wkb(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *out = pqsql_geo_begin(call);
    double srid;
    PqSlice wkb;

    if (pqsql_geo_any_null(argc, argv) ||
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

    (void)argc;
    if (count_of(ctx, argv[0], &wkb, &n)) {
        pqsql_geo_give_blob(ctx, pq_wkb_to_iso(wkb, out, &call->geo->e));
    }
}
