/*
** geo_predicates.c - the predicates: do two boxes meet, and does one contain
** the other?
**
** A predicate is called once a row, usually with a box that is the same in
** every row.  Making a box from bytes costs less than finding a remembered one.
** So only texts and long geometries are remembered, as auxiliary data, which
** SQLite keeps for constants only.
**
** There is no state: a table's xFindFunction can hand out these functions too.
*/
#include "sql/geo_functions/geo_call.h"

#include "sql/did_you_mean.h"

#define BOTH(name, relation)                                                  \
    {"ST_" name, relation, pqsql_geo_relates},                                \
    {"pq_ST_" name, relation, pqsql_geo_relates}

static const PqsqlGeoPredicate predicates[] = {
    BOTH("Intersects_Extent", PQ_GEO_INTERSECTS),
    BOTH("Contains_Extent", PQ_GEO_CONTAINS),
    BOTH("Within_Extent", PQ_GEO_WITHIN),
};

const PqsqlGeoPredicate *pqsql_geo_predicate(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(predicates); i++) {
        if (pq_ascii_same(predicates[i].name, name)) {
            return &predicates[i];
        }
    }
    return NULL;
}

/* ---- operands ------------------------------------------------------------ */

static PqRc box_of_text(sqlite3_value *v, PqGeoBox *box, PqErr *e)
{
    PqMem *mem = pq_mem_new((size_t)2 << 30);
    PqSlice text;
    PqBuf wkb;
    PqRc rc;

    if (!mem) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    pq_buf_init(&wkb, mem, e);
    PQ_GO(pqsql_text_of(v, &text, e));
    PQ_GO(pq_wkt_read(text, &wkb, e));
    rc = !pq_buf_ok(&wkb) ? e->rc
         : pq_wkb_box(pq_buf_view(&wkb), box)
             ? PQ_OK : pq_fail(e, PQ_USAGE, "the text makes no geometry");
done:
    pq_buf_free(&wkb);
    pq_mem_release(mem);
    return rc;
}

static PqsqlBoxIs kind_of(const PqGeoBox *box)
{
    return pq_geo_box_is_whole(box) ? PQSQL_BOX_IS_THERE : PQSQL_BOX_IS_ABSENT;
}

static PqRc box_of_any(sqlite3_value *v, PqGeoBox *box, PqsqlBoxIs *is,
                       PqErr *e)
{
    PqSlice wkb;

    *is = PQSQL_BOX_IS_NULL;
    switch (sqlite3_value_type(v)) {
    case SQLITE_NULL:
        return PQ_OK;
    case SQLITE_BLOB:
        PQ_TRY(pqsql_blob_of(v, &wkb, e));
        if (pq_wkb_box(wkb, box)) {
            *is = kind_of(box);
        }
        return PQ_OK;
    case SQLITE_TEXT:
        PQ_TRY(box_of_text(v, box, e));
        *is = kind_of(box);
        return PQ_OK;
    default:
        return pqsql_no_geometry(v, e);
    }
}

/* An invalid BLOB is NULL.  But SpatiaLite's form is an error: a query with it
** would give no rows, and nobody would know why. */
PqRc pqsql_geometry_box(sqlite3_value *v, PqGeoBox *box, PqsqlBoxIs *is,
                        PqErr *e)
{
    const char *other = NULL;

    PQ_TRY(box_of_any(v, box, is, e));
    if (*is == PQSQL_BOX_IS_NULL && sqlite3_value_type(v) == SQLITE_BLOB) {
        other = pq_wkb_other(pq_slice(sqlite3_value_blob(v),
                                      (size_t)sqlite3_value_bytes(v)));
    }
    return other ? pq_fail(e, PQ_USAGE, "%s", other) : PQ_OK;
}

/* ---- calls --------------------------------------------------------------- */

typedef struct Operand {
    PqGeoBox   box;
    PqsqlBoxIs is;
} Operand;

enum {
    BOX = 1,                         /* the argument that asks               */
    LONG = 1024                      /* bytes from which a BLOB is remembered */
};

static bool is_slow(sqlite3_value *v)
{
    int type = sqlite3_value_type(v);

    return type == SQLITE_TEXT ||
           (type == SQLITE_BLOB && sqlite3_value_bytes(v) >= LONG);
}

/* An operand that is worth remembering.  NULL: the call has its error. */
static const Operand *remembered(sqlite3_context *ctx, int i,
                                 sqlite3_value *v, Operand *own)
{
    const PqsqlGeoPredicate *p = sqlite3_user_data(ctx);
    Operand *kept = sqlite3_get_auxdata(ctx, i);
    PqErr e;

    if (kept) {
        return kept;
    }
    pq_err_init(&e);
    if ((i == BOX ? pqsql_geometry_box : box_of_any)(v, &own->box, &own->is,
                                                     &e) != PQ_OK) {
        pqsql_geo_error(ctx, p->name, &e);
        return NULL;
    }
    kept = sqlite3_malloc(sizeof *kept);
    if (kept) {
        *kept = *own;
        sqlite3_set_auxdata(ctx, i, kept, sqlite3_free);
    }
    return own;
}

static const Operand *operand(sqlite3_context *ctx, int i, sqlite3_value *v,
                              Operand *own)
{
    PqSlice wkb;

    if (sqlite3_value_type(v) != SQLITE_BLOB || is_slow(v)) {
        return remembered(ctx, i, v, own);
    }
    wkb.p = sqlite3_value_blob(v);
    wkb.n = (size_t)sqlite3_value_bytes(v);
    if (wkb.p && pq_wkb_box(wkb, &own->box)) {
        own->is = kind_of(&own->box);
        return own;
    }
    own->is = PQSQL_BOX_IS_NULL;
    return i == BOX ? remembered(ctx, i, v, own) : own;
}

void pqsql_geo_relates(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const PqsqlGeoPredicate *p = sqlite3_user_data(ctx);
    Operand own[2];
    const Operand *a, *b;

    if (pqsql_any_null(argc, argv)) {
        pqsql_geo_ours_asked(ctx, argv[0]);
        return;
    }
    b = operand(ctx, BOX, argv[BOX], &own[BOX]);
    a = b ? operand(ctx, 0, argv[0], &own[0]) : NULL;
    if (!a || a->is == PQSQL_BOX_IS_NULL || b->is == PQSQL_BOX_IS_NULL) {
        return;
    }
    sqlite3_result_int(ctx, pq_geo_box_relates(p->relation, &a->box, &b->box));
}
