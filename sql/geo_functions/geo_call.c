/*
** geo_call.c - takes geometries and numbers from SQLite, and hands results back.
*/
#include "sql/geo_functions/geo_call.h"

#include "sql/value/value.h"

/* A text or blob of SQLite has at most 1 GB, and usually much less. */
static const size_t memory = (size_t)3 << 30;
enum {
    KEPT = 1 << 20,                  /* bytes of a buffer between calls      */
    ROOM = 256                       /* asked for without being used         */
};

PqsqlGeo *pqsql_geo_new(sqlite3 *db)
{
    PqsqlGeo *g = sqlite3_malloc(sizeof *g);

    if (!g) {
        return NULL;
    }
    memset(g, 0, sizeof *g);
    pq_err_init(&g->e);
    g->db = db;
    g->holders = 1;
    g->mem = pq_mem_new(memory);
    if (!g->mem) {
        sqlite3_free(g);
        return NULL;
    }
    pq_buf_init(&g->in, g->mem, &g->e);
    pq_buf_init(&g->out, g->mem, &g->e);
    return g;
}

void pqsql_geo_release(PqsqlGeo *g)
{
    if (--g->holders) {
        return;
    }
    pq_buf_free(&g->in);
    pq_buf_free(&g->out);
    pq_mem_release(g->mem);
    sqlite3_free(g);
}

/* Empties a buffer, which does not keep much room. */
static void empty(PqsqlGeo *g, PqBuf *b)
{
    if (b->room > KEPT) {
        pq_buf_free(b);
    }
    b->n = 0;
    b->most = ROOM + (size_t)sqlite3_limit(g->db, SQLITE_LIMIT_LENGTH, -1);
}

PqBuf *pqsql_geo_begin(const PqsqlGeoCall *call)
{
    pq_err_clear(&call->geo->e);
    empty(call->geo, &call->geo->out);
    return &call->geo->out;
}

/* ---- arguments ----------------------------------------------------------- */

static const char *class_of(sqlite3_value *v)
{
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER: return "an INTEGER";
    case SQLITE_FLOAT: return "a REAL";
    case SQLITE_TEXT: return "a TEXT";
    case SQLITE_BLOB: return "a BLOB";
    default: return "NULL";
    }
}

PQ_COLD PqRc pqsql_no_geometry(sqlite3_value *v, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "%s is no geometry: give a BLOB of WKB, or a "
                   "TEXT such as 'POINT(1 2)'", class_of(v));
}

static PqRc wkb_of(PqsqlGeo *g, sqlite3_value *v, PqSlice *wkb)
{
    PqSlice text;

    switch (sqlite3_value_type(v)) {
    case SQLITE_BLOB:
        return pqsql_blob_of(v, wkb, &g->e);
    case SQLITE_TEXT:
        PQ_TRY(pqsql_text_of(v, &text, &g->e));
        empty(g, &g->in);
        PQ_TRY(pq_wkt_read(text, &g->in, &g->e));
        *wkb = pq_buf_view(&g->in);
        return pq_buf_ok(&g->in) ? PQ_OK : g->e.rc;
    default:
        return pqsql_no_geometry(v, &g->e);
    }
}

bool pqsql_geo_wkb(sqlite3_context *ctx, sqlite3_value *v, PqSlice *wkb)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        return false;
    }
    if (wkb_of(call->geo, v, wkb) != PQ_OK) {
        pqsql_geo_failed(ctx);
        return false;
    }
    return true;
}

bool pqsql_geo_box(sqlite3_context *ctx, sqlite3_value *v, PqSlice *wkb,
                   PqGeoBox *box)
{
    PqSlice s;

    if (!pqsql_geo_wkb(ctx, v, &s) || !pq_wkb_box(s, box)) {
        return false;
    }
    if (wkb) {
        *wkb = s;
    }
    return true;
}

/* A text may be the cell of a CSV file. */
static PQ_COLD void no_number(sqlite3_context *ctx, sqlite3_value *v)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqErr *e = &call->geo->e;

    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        pq_fail(e, PQ_USAGE, "%s is given where a number is wanted",
                class_of(v));
    } else if (sqlite3_value_bytes(v) == 0) {
        pq_fail(e, PQ_USAGE, "an empty TEXT is no number; nullif(x, '') makes "
                "it NULL");
    } else {
        pq_fail(e, PQ_USAGE, "the TEXT '%.40s' is no number",
                (const char *)sqlite3_value_text(v));
    }
    pqsql_geo_failed(ctx);
}

/* A number, or a number as a text, for example from a CSV file.  False: the
** call has its result. */
static bool number_of(sqlite3_context *ctx, sqlite3_value *v, double *out)
{
    int type = sqlite3_value_numeric_type(v);

    if (type == SQLITE_NULL) {
        return false;
    }
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        no_number(ctx, v);
        return false;
    }
    *out = sqlite3_value_double(v);
    return true;
}

bool pqsql_geo_numbers(sqlite3_context *ctx, int from, int argc,
                       sqlite3_value **argv, double *out)
{
    for (int i = from; i < argc; i++) {
        if (!number_of(ctx, argv[i], &out[i - from])) {
            return false;
        }
    }
    return true;
}

/* ---- results ------------------------------------------------------------- */

PQ_COLD void pqsql_geo_error(sqlite3_context *ctx, const char *name,
                             const PqErr *e)
{
    if (e->rc == PQ_BUDGET) {
        sqlite3_result_error_toobig(ctx);
    } else {
        pqsql_result_message(ctx, e->rc == PQ_NOMEM ? NULL : sqlite3_mprintf(
                                      "%s: %s", name, e->text));
    }
}

void pqsql_geo_failed(sqlite3_context *ctx)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);

    pqsql_geo_error(ctx, call->name, &call->geo->e);
    pq_err_clear(&call->geo->e);
}

static bool is_made(sqlite3_context *ctx, PqRc rc)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);

    if (PQ_LIKELY(rc == PQ_OK && pq_buf_ok(&call->geo->out))) {
        return true;
    }
    pqsql_geo_failed(ctx);
    return false;
}

void pqsql_geo_give_blob(sqlite3_context *ctx, PqRc rc)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *b = &call->geo->out;

    if (is_made(ctx, rc)) {
        sqlite3_result_blob64(ctx, b->p, b->n, SQLITE_TRANSIENT);
    }
    empty(call->geo, b);
}

bool pqsql_geo_give_text(sqlite3_context *ctx, PqRc rc)
{
    const PqsqlGeoCall *call = sqlite3_user_data(ctx);
    PqBuf *b = &call->geo->out;
    bool is = is_made(ctx, rc);

    if (is) {
        pqsql_result_text(ctx, b->p, b->n);
    }
    empty(call->geo, b);
    return is;
}
