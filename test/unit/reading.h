/*
** reading.h - a chunk made by hand (made_chunk.h), and its reader.
*/
#ifndef READING_H
#define READING_H

#include "test/unit/made_chunk.h"

typedef struct Reading {
    MadeFile     m;
    PqReadCtx    ctx;
    PqLeafReader r;
    PqSlice      created_by;
} Reading;

static inline PqRc open_leaf(Test *t, Reading *x, uint32_t leaf, int64_t n_rows)
{
    PqArena *a;

    PQ_TRY(made_end(&x->m, n_rows));
    PQ_TRY(pq_read_ctx_init(&x->ctx, t->mem, t->e));
    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->m.footer, 0, leaf, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->m.in,
                               &x->m.footer->schema.leaves[leaf], 0, n_rows,
                               x->created_by, false, t->e);
}

static inline void close_leaf(Reading *x)
{
    pq_leaf_reader_reset(&x->r);
    pq_read_ctx_reset(&x->ctx);
    made_free(&x->m);
}

static inline void begin_flat(Test *t, Reading *x, int repetition)
{
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", repetition, PQ_INT32)};
    memset(x, 0, sizeof *x);
    made_begin(t, &x->m, el, 2);
    made_chunk(&x->m, PQ_INT32, 0, repetition == PQ_OPTIONAL);
}

static inline int32_t at(const PqVector *v, uint32_t i)
{
    return *(const int32_t *)pq_vector_at(v, 4, i);
}

#endif
