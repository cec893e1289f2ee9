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

typedef struct State {
    PqBuf          blob;
    PqVariantMeta  m;
    PqVariantItems items;
    PqSlice        name, item;       /* of the row */
    bool           has_item;
} State;

/* The error of the functions of Variants becomes the call's. */
static PqRc failed(const PqextCall *call, PqErr *e)
{
    char *text = pqsql_variants_message(call->host->variants,
                                        call->function->name);
    PqRc rc = pq_fail(e, text ? PQ_USAGE : PQ_NOMEM, "%s",
                      text ? text : "out of memory");

    sqlite3_free(text);
    return rc;
}

/* Copies the Variant, and opens it if it has items. */
static PqRc take(State *c, PqsqlVariants *s, sqlite3_value *v)
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

static PqRc explode_begin(PqextCall *call, PqErr *e)
{
    PqextHost *h = call->host;
    State *c = call->state;
    PqRc rc = PQ_OK;

    h->variants = h->variants ? h->variants
                              : pqsql_variants_new(h->db, h->twins);
    if (!h->variants) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    if (call->argument[1]) {
        return pq_fail(e, PQ_USAGE, "%s takes one argument, a Variant, and no "
                                    "more", call->function->name);
    }
    pq_buf_init(&c->blob, h->variants->mem, &h->variants->e);
    if (sqlite3_value_type(call->value) != SQLITE_NULL) {
        rc = take(c, h->variants, call->value);
        pqsql_variants_tidy(h->variants);
    }
    return rc == PQ_OK ? PQ_OK : failed(call, e);
}

static void explode_end(PqextCall *call)
{
    pq_buf_free(&((State *)call->state)->blob);
}

/* The item of the row, if there is one. */
static PqRc enter(State *c, uint32_t row, PqErr *e)
{
    c->has_item = row < c->items.n;
    if (!c->has_item) {
        return PQ_OK;
    }
    if (c->items.is_object) {
        PQ_TRY(pq_variant_items_name(&c->m, &c->items, row, &c->name, e));
    }
    return pq_variant_items_take(&c->items, row, &c->item, e);
}

static PqRc explode_next(PqextCall *call, bool *more, PqErr *e)
{
    State *c = call->state;

    if (enter(c, (uint32_t)call->row, &call->host->variants->e) != PQ_OK) {
        return failed(call, e);
    }
    *more = c->has_item || (call->row == 0 && call->function ==
                                                  &pqext_variant_explode_outer);
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------ */

/* NULL: the row has no item. */
static const void *item(const PqextCall *call, PqErr *e)
{
    const State *c = call->state;

    return c->has_item ? &c->item : NULL;
}

static const void *position(const PqextCall *call, PqErr *e)
{
    return item(call, e) ? call : NULL;
}

static const void *name(const PqextCall *call, PqErr *e)
{
    const State *c = call->state;

    return c->has_item && c->items.is_object ? &c->name : NULL;
}

static PqRc give_value(const PqextCall *call, const void *value,
                       sqlite3_context *ctx, PqErr *e)
{
    const State *c = call->state;
    PqsqlVariants *s = call->host->variants;
    PqVariantValue v;

    return pq_variant_value_read(*(const PqSlice *)value, &v, &s->e) == PQ_OK &&
                   pqsql_result_variant(ctx, &c->m, &v, &s->text, &s->e) ==
                       PQ_OK
               ? PQ_OK : failed(call, e);
}

static PqRc give_part(const PqextCall *call, const void *value,
                      sqlite3_context *ctx, PqErr *e)
{
    const State *c = call->state;

    return pqsql_variant_result_part(ctx, call->host->variants, &c->m,
                                     *(const PqSlice *)value) == PQ_OK
               ? PQ_OK : failed(call, e);
}

static const PqextColumn columns[] = {
    {"pos INTEGER", .of = position, PQEXT_MEMBER(PqextCall, row)},
    {"key TEXT", .of = name, .give = pqext_give_slice},
    {"value", .of = item, .give = give_value},
    {"variant BLOB", .of = item, .give = give_part},
};

/* A second argument lands in option, and is an error. */
#define EXPLODE(which)                                                      \
    .name = which, .call = which "(v)",                                     \
    .missing = which " takes one argument, a Variant, and has none",        \
    PQEXT_COLUMNS(columns), .n_hidden = 1, .takes = PQEXT_VALUE,            \
    .arguments = {"input"}, .optional = "option", .rows = 10,               \
    .state_size = sizeof(State), .begin = explode_begin,                    \
    .next = explode_next, .end = explode_end

const PqextFunction pqext_variant_explode = {EXPLODE("variant_explode")};
const PqextFunction pqext_variant_explode_outer = {
    EXPLODE("variant_explode_outer")};
