/*
** rollup_utf16.c - the smallest and the largest text in a database of UTF-16.
**
** There SQLite compares texts by the bytes of their UTF-16, which is another
** order: in little-endian, U+1F600 is less than "z".  So such inputs are turned
** into these bytes before they are compared, and the results back into UTF-8.
*/
#include "ext/rollup/rollup_table.h"

static PqRc encode(const PqextRollupRun *r, const PqRollupBatch *b,
                   PqRollupInputVector *in, PqArena *a, PqErr *e)
{
    PqStr *texts = pq_arena_zeros(a, b->n_rows + 1u, sizeof *texts, e);
    PqBuf one;

    PQ_TRY(texts ? PQ_OK : e->rc);
    pq_buf_init(&one, r->table->host->engine->mem, e);
    for (uint32_t i = 0; i < b->n_rows; i++) {
        const PqStr *from = &in->texts[i];
        char *copy;

        if (in->valid && !pq_bit(in->valid, i)) {
            continue;
        }
        one.n = 0;
        pq_utf16_encode(pq_slice(from->p, from->n), r->table->utf16_big,
                           &one);
        copy = pq_buf_ok(&one) ? pq_arena_text(a, one.p, one.n, e) : NULL;
        if (!copy) {
            break;
        }
        texts[i] = (PqStr){(const uint8_t *)copy, (uint32_t)one.n};
    }
    pq_buf_free(&one);
    in->texts = texts;
    return e->rc;
}

PqRc pqext_rollup_encode_inputs(const PqextRollupRun *r, PqRollupBatch *b,
                                PqArena *a, PqErr *e)
{
    const PqextMeasure *measures = r->table->rollup->measures;
    PqRollupInputVector *inputs = pq_arena_zeros(a, r->n_measures + 1u,
                                                 sizeof *inputs, e);

    PQ_TRY(inputs ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < r->n_measures; i++) {
        PqRollupOp op = measures[r->measures[i]].op;

        inputs[i] = b->inputs[i];
        if ((op == PQ_ROLLUP_MIN || op == PQ_ROLLUP_MAX) &&
            inputs[i].kind == PQ_ROLLUP_BYTES) {
            PQ_TRY(encode(r, b, &inputs[i], a, e));
        }
    }
    b->inputs = inputs;
    return PQ_OK;
}
