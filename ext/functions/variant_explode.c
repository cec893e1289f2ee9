/*
** variant_explode.c - variant_explode(v): a row for each item of a Variant.
**
**   SELECT pos, key, value FROM variant_explode('{"b":1,"a":[2]}')
**       0  a  [2]
**       1  b  1
**
** Fields come in the order of the object, which is the order of their names.  A
** value that is neither an object nor an array has no items.  _outer gives one
** row of NULLs where there would be none, so that a join keeps its row.
**
** The Variant is copied when a scan begins, because the argument may be gone
** before its last row.  Each row takes its item once: items that share the
** same bytes are an error, so there are no more rows than bytes.
*/
#include "ext/functions/table_function.h"

#include "sql/value/value.h"
#include "sql/variant_functions/variants.h"

/* A second argument lands in option, and is an error. */
enum { EXPLODE_POS, EXPLODE_KEY, EXPLODE_VALUE, EXPLODE_INPUT, EXPLODE_OPTION,
       EXPLODE_VARIANT };

static const char explode_schema[] =
    "CREATE TABLE x(pos INTEGER, key TEXT, value, input HIDDEN, option HIDDEN, "
    "variant BLOB HIDDEN)";

typedef struct Explode {             /* one of the two functions */
    PqsqlVariants *state;
    bool           outer;
} Explode;

typedef struct ExplodeTable {
    sqlite3_vtab   base;
    PqsqlVariants *state;
    bool           outer;
} ExplodeTable;

typedef struct ExplodeCursor {
    sqlite3_vtab_cursor base;
    PqBuf          blob;
    PqVariantMeta  m;
    PqVariantItems items;
    PqSlice        name, item;       /* of the row */
    uint32_t       row;
    bool           has_item, done;
} ExplodeCursor;

static const char *function_of(const ExplodeTable *t)
{
    return t->outer ? "variant_explode_outer" : "variant_explode";
}

/* The error of the state becomes the table's error. */
static int explode_failed(sqlite3_vtab *vtab)
{
    ExplodeTable *t = (ExplodeTable *)vtab;

    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = pqsql_variants_message(t->state, function_of(t));
    return vtab->zErrMsg ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int explode_connect(sqlite3 *db, void *aux, int argc,
                           const char *const *argv, sqlite3_vtab **out,
                           char **error)
{
    const Explode *f = aux;
    ExplodeTable *t = sqlite3_malloc(sizeof *t);
    int rc;

    if (!t) {
        return SQLITE_NOMEM;
    }
    memset(t, 0, sizeof *t);
    t->state = f->state;
    t->outer = f->outer;
    rc = sqlite3_declare_vtab(db, explode_schema);
    if (rc == SQLITE_OK) {
        rc = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    }
    if (rc != SQLITE_OK) {
        sqlite3_free(t);
        return rc;
    }
    t->state->holders++;
    *out = &t->base;
    return SQLITE_OK;
}

static int explode_disconnect(sqlite3_vtab *vtab)
{
    pqsql_variants_release(((ExplodeTable *)vtab)->state);
    sqlite3_free(vtab);
    return SQLITE_OK;
}

static int refuse(sqlite3_vtab *vtab, const char *why)
{
    sqlite3_free(vtab->zErrMsg);
    vtab->zErrMsg = sqlite3_mprintf("%s takes one argument, a Variant%s",
                                    function_of((ExplodeTable *)vtab), why);
    return SQLITE_ERROR;
}

static int explode_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    bool unusable = false;
    int i;

    for (i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn == EXPLODE_OPTION) {
            return refuse(vtab, ", and no more");
        }
    }
    for (i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->iColumn == EXPLODE_INPUT &&
            c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
            if (!c->usable) {
                unusable = true;
                continue;
            }
            info->aConstraintUsage[i].argvIndex = 1;
            info->aConstraintUsage[i].omit = 1;
            info->estimatedCost = 20;
            info->estimatedRows = 10;
            return SQLITE_OK;
        }
    }
    return unusable ? SQLITE_CONSTRAINT : refuse(vtab, ", and has none");
}

static int explode_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    ExplodeCursor *c = sqlite3_malloc(sizeof *c);
    PqsqlVariants *s = ((ExplodeTable *)vtab)->state;

    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    pq_buf_init(&c->blob, s->mem, &s->e);
    *out = &c->base;
    return SQLITE_OK;
}

static int explode_close(sqlite3_vtab_cursor *cur)
{
    ExplodeCursor *c = (ExplodeCursor *)cur;

    pq_buf_free(&c->blob);
    sqlite3_free(c);
    return SQLITE_OK;
}

/* Copies the Variant, and opens it if it has items. */
static PqRc take(ExplodeCursor *c, PqsqlVariants *s, sqlite3_value *v)
{
    PqVariantValue whole;
    PqsqlVariant variant;
    PqSlice value;

    PQ_TRY(pqsql_variant_take(s, v, &variant));
    PQ_TRY(pq_variant_value_read(variant.value, &whole, &s->e));
    if (whole.kind != PQ_VARIANT_OBJECT && whole.kind != PQ_VARIANT_ARRAY) {
        return PQ_OK;
    }
    pq_buf_add(&c->blob, variant.metadata.p, variant.metadata.n);
    pq_buf_add(&c->blob, whole.bytes.p, whole.bytes.n);
    if (!pq_buf_ok(&c->blob)) {
        return s->e.rc;
    }
    PQ_TRY(pq_variant_meta_open(pq_slice(c->blob.p, variant.metadata.n),
                                &c->m, &s->e));
    value = pq_slice(c->blob.p + variant.metadata.n, whole.bytes.n);
    return pq_variant_items_open(&value, &c->items, &s->e);
}

/* The item of the row, if there is one. */
static PqRc enter(ExplodeCursor *c, PqErr *e)
{
    c->has_item = c->row < c->items.n;
    if (!c->has_item) {
        return PQ_OK;
    }
    if (c->items.is_object) {
        PQ_TRY(pq_variant_items_name(&c->m, &c->items, c->row, &c->name, e));
    }
    return pq_variant_items_take(&c->items, c->row, &c->item, e);
}

static int explode_filter(sqlite3_vtab_cursor *cur, int plan, const char *text,
                          int argc, sqlite3_value **argv)
{
    ExplodeTable *t = (ExplodeTable *)cur->pVtab;
    ExplodeCursor *c = (ExplodeCursor *)cur;
    PqRc rc = PQ_OK;

    c->items = (PqVariantItems){0};
    c->name = pq_slice(NULL, 0);
    c->blob.n = 0;
    c->row = 0;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL) {
        rc = take(c, t->state, argv[0]);
        pqsql_variants_tidy(t->state);
    }
    if (rc == PQ_OK) {
        rc = enter(c, &t->state->e);
    }
    c->done = !c->has_item && !t->outer;
    return rc == PQ_OK ? SQLITE_OK : explode_failed(cur->pVtab);
}

static int explode_next(sqlite3_vtab_cursor *cur)
{
    ExplodeTable *t = (ExplodeTable *)cur->pVtab;
    ExplodeCursor *c = (ExplodeCursor *)cur;

    c->row++;
    if (enter(c, &t->state->e) != PQ_OK) {
        return explode_failed(cur->pVtab);
    }
    c->done = !c->has_item;
    return SQLITE_OK;
}

static int explode_eof(sqlite3_vtab_cursor *cur)
{
    return ((ExplodeCursor *)cur)->done;
}

static PqRc give_value(const ExplodeCursor *c, PqsqlVariants *s,
                       sqlite3_context *ctx)
{
    PqVariantValue v;

    PQ_TRY(pq_variant_value_read(c->item, &v, &s->e));
    return pqsql_result_variant(ctx, &c->m, &v, &s->text, &s->e);
}

static int explode_column(sqlite3_vtab_cursor *cur, sqlite3_context *ctx,
                          int column)
{
    ExplodeCursor *c = (ExplodeCursor *)cur;
    PqsqlVariants *s = ((ExplodeTable *)cur->pVtab)->state;
    PqRc rc = PQ_OK;

    if (!c->has_item) {
        return SQLITE_OK;
    }
    switch (column) {
    case EXPLODE_POS:
        sqlite3_result_int64(ctx, c->row);
        break;
    case EXPLODE_KEY:
        if (c->items.is_object) {
            pqsql_result_text(ctx, c->name.p, c->name.n);
        }
        break;
    case EXPLODE_VALUE:
        rc = give_value(c, s, ctx);
        break;
    case EXPLODE_VARIANT:
        rc = pqsql_variant_result_part(ctx, s, &c->m, c->item);
        break;
    default:
        break;
    }
    return rc == PQ_OK ? SQLITE_OK : explode_failed(cur->pVtab);
}

static int explode_rowid(sqlite3_vtab_cursor *cur, sqlite3_int64 *out)
{
    *out = ((ExplodeCursor *)cur)->row + (sqlite3_int64)1;
    return SQLITE_OK;
}

static void free_function(void *p)
{
    pqsql_variants_release(((Explode *)p)->state);
    sqlite3_free(p);
}

static int register_one(sqlite3 *db, PqsqlVariants *s, const char *name,
                        bool outer)
{
    static const sqlite3_module module = {
        .xConnect = explode_connect,
        .xBestIndex = explode_best_index,
        .xDisconnect = explode_disconnect,
        .xOpen = explode_open,
        .xClose = explode_close,
        .xFilter = explode_filter,
        .xNext = explode_next,
        .xEof = explode_eof,
        .xColumn = explode_column,
        .xRowid = explode_rowid,
    };
    Explode *f = sqlite3_malloc(sizeof *f);
    int rc;

    if (!f) {
        return SQLITE_NOMEM;
    }
    *f = (Explode){s, outer};
    s->holders++;
    rc = sqlite3_create_module_v2(db, name, &module, f, free_function);
    return rc == SQLITE_OK
               ? pqext_register_without_from(db, name, outer
                                                 ? "variant_explode_outer(v)"
                                                 : "variant_explode(v)")
               : rc;
}

int pqext_register_explode(sqlite3 *db, PqextHost *h)
{
    PqsqlVariants *s = pqsql_variants_new(db, h->twins);
    int rc;

    if (!s) {
        return SQLITE_NOMEM;
    }
    rc = register_one(db, s, "variant_explode", false);
    if (rc == SQLITE_OK) {
        rc = register_one(db, s, "variant_explode_outer", true);
    }
    pqsql_variants_release(s);
    return rc;
}
