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
    *g = (PqsqlGeo){.db = db, .mem = pq_mem_new(memory), .holders = 1};
    if (!g->mem) {
        sqlite3_free(g);
        return NULL;
    }
    pq_err_init(&g->e);
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

void pqsql_geo_prepare(PqsqlGeo *g)
{
    pq_err_clear(&g->e);
    empty(g, &g->out);
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
    return pq_fail(e, PQ_USAGE, "%s is not a geometry: give a BLOB of WKB, or a "
                   "TEXT such as 'POINT(1 2)'", class_of(v));
}

PqRc pqsql_geo_wkb(PqsqlGeoArgs *a, int i, PqSlice *wkb)
{
    PqsqlGeo *g = a->call->geo;
    sqlite3_value *v = a->argv[i];
    PqSlice text;

    switch (sqlite3_value_type(v)) {
    case SQLITE_BLOB:
        return pqsql_blob_of(v, wkb, a->e);
    case SQLITE_TEXT:
        PQ_TRY(pqsql_text_of(v, &text, a->e));
        empty(g, &g->in);
        PQ_TRY(pq_wkt_read(text, &g->in, a->e));
        *wkb = pq_buf_view(&g->in);
        return pq_buf_ok(&g->in) ? PQ_OK : a->e->rc;
    default:
        return pqsql_no_geometry(v, a->e);
    }
}

bool pqsql_geo_box(PqsqlGeoArgs *a, int i, PqSlice *wkb, PqGeoBox *box)
{
    PqSlice s;

    if (pqsql_geo_wkb(a, i, &s) != PQ_OK || !pq_wkb_box(s, box)) {
        return false;
    }
    if (wkb) {
        *wkb = s;
    }
    return true;
}

/* A text may be the cell of a CSV file. */
static PQ_COLD PqRc no_number(sqlite3_value *v, PqErr *e)
{
    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        return pq_fail(e, PQ_USAGE, "%s is given where a number is wanted",
                       class_of(v));
    }
    if (sqlite3_value_bytes(v) == 0) {
        return pq_fail(e, PQ_USAGE, "an empty TEXT is not a number; nullif(x, '') "
                       "makes it NULL");
    }
    return pq_fail(e, PQ_USAGE, "the TEXT '%.40s' is not a number",
                   (const char *)sqlite3_value_text(v));
}

/* A number may be a text, for example from a CSV file. */
PqRc pqsql_geo_numbers(PqsqlGeoArgs *a, int from, double *out)
{
    for (int i = from; i < a->argc; i++) {
        int type = sqlite3_value_numeric_type(a->argv[i]);

        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
            return no_number(a->argv[i], a->e);
        }
        out[i - from] = sqlite3_value_double(a->argv[i]);
    }
    return PQ_OK;
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

void pqsql_geo_give(PqsqlGeoArgs *a, PqRc rc, PqsqlGeoGives gives)
{
    PqBuf *b = a->out;

    if (PQ_UNLIKELY(rc != PQ_OK || !pq_buf_ok(b))) {
        pqsql_geo_error(a->ctx, a->call->name, a->e);
        pq_err_clear(a->e);
    } else if (b->n > 0 &&
               (gives == PQSQL_GEO_TEXT || gives == PQSQL_GEO_JSON)) {
        pqsql_result_text(a->ctx, b->p, b->n);
        if (gives == PQSQL_GEO_JSON) {
            sqlite3_result_subtype(a->ctx, PQSQL_SUBTYPE_JSON);
        }
    } else if (b->n > 0) {
        sqlite3_result_blob64(a->ctx, b->p, b->n, SQLITE_TRANSIENT);
    }
    if (b->room > KEPT) {
        pq_buf_free(b);
    }
}
