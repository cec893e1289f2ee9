/*
** variant_schema.c - schema_of_variant, of one value and of all values of a
** group.
**
** The aggregate keeps a shape (variant_type.h), not the values, so its memory
** grows with the fields and not with the rows.
*/
#include "sql/variant_functions/variant_functions.h"

static const size_t agg_memory = (size_t)256 << 20;

static PqRc give_shape(sqlite3_context *ctx, PqsqlVariants *s,
                       const PqVariantShape *shape)
{
    s->text.n = 0;
    pq_variant_shape_text(shape, &s->text);
    return pqsql_variant_result_text(ctx, s);
}

static PqRc add(PqsqlVariants *s, sqlite3_value *v, PqVariantShape *shape,
                PqArena *a)
{
    PqsqlVariant variant;

    PQ_TRY(pqsql_variant_take(s, v, &variant));
    return pq_variant_shape_add(shape, &variant.m, variant.value, a, &s->e);
}

PqRc pqsql_schema_of_variant(sqlite3_context *ctx, const PqsqlVariantCall *call,
                             int argc, sqlite3_value **argv)
{
    PqVariantShape shape = {0};
    PqArena arena;
    PqRc rc;

    pq_arena_init(&arena, call->state->mem);
    PQ_GO(add(call->state, argv[0], &shape, &arena));
    rc = give_shape(ctx, call->state, &shape);
done:
    pq_arena_free(&arena);
    return rc;
}

/* ---- the aggregate ------------------------------------------------------- */

typedef struct Group {
    PqMem         *mem;              /* NULL: no row yet */
    PqArena        arena;
    PqVariantShape shape;
    bool           failed;
} Group;

void pqsql_schema_agg_step(sqlite3_context *ctx, int argc,
                           sqlite3_value **argv)
{
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    Group *g = sqlite3_aggregate_context(ctx, sizeof *g);

    if (!g) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (g->failed || sqlite3_value_type(argv[0]) == SQLITE_NULL) {
        return;
    }
    if (!g->mem) {
        g->mem = pq_mem_new(agg_memory);
        if (!g->mem) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        pq_arena_init(&g->arena, g->mem);
    }
    if (add(call->state, argv[0], &g->shape, &g->arena) != PQ_OK) {
        g->failed = true;
        pqsql_variant_failed(ctx, call);
    }
}

void pqsql_schema_agg_final(sqlite3_context *ctx)
{
    static const PqVariantShape nothing;
    const PqsqlVariantCall *call = sqlite3_user_data(ctx);
    Group *g = sqlite3_aggregate_context(ctx, 0);

    if (!(g && g->failed) &&
        give_shape(ctx, call->state, g ? &g->shape : &nothing) != PQ_OK) {
        pqsql_variant_failed(ctx, call);
    }
    if (g && g->mem) {
        pq_arena_free(&g->arena);
        pq_mem_release(g->mem);
    }
    pqsql_variants_tidy(call->state);
}
