/*
** text_sample.c - drawing, and thinning out.
*/
#include "core/summary/text_sample.h"

#include "core/summary/ranks.h"

#include <stdlib.h>

void pq_text_sample_init(PqTextSample *s, PqMem *mem)
{
    *s = (PqTextSample){.mem = mem, .random = 0x7e47};
    pq_arena_init(&s->texts, mem);
}

void pq_text_sample_free(PqTextSample *s)
{
    pq_mem_free(s->v);
    pq_arena_free(&s->texts);
    pq_text_sample_init(s, s->mem);
}

static int by_bytes(const void *a, const void *b)
{
    const PqStr *x = a, *y = b;

    return pq_slice_compare(pq_slice(x->p, x->n), pq_slice(y->p, y->n));
}

static void sort(PqTextSample *s)
{
    if (s->n > 1 && !s->is_sorted) {
        qsort(s->v, s->n, sizeof *s->v, by_bytes);
    }
    s->is_sorted = true;
}

static PqRc copy_into(PqArena *a, PqStr *text, PqErr *e)
{
    text->p = (uint8_t *)pq_arena_text(a, text->p, text->n, e);
    return text->p ? PQ_OK : e->rc;
}

/* Keeps one text of each pair; a random bit decides which. */
static PqRc thin_out(PqTextSample *s, PqErr *e)
{
    uint32_t k = 0, i = pq_ranks_random(&s->random) & 1;
    PqArena texts;
    PqRc rc = PQ_OK;

    pq_arena_init(&texts, s->mem);
    sort(s);
    s->n_bytes = 0;
    for (; i < s->n && rc == PQ_OK; i += 2) {
        s->v[k] = s->v[i];
        rc = copy_into(&texts, &s->v[k], e);
        s->n_bytes += s->v[k++].n + 1u;
    }
    s->n = k;
    pq_arena_free(&s->texts);
    s->texts = texts;
    s->shift++;
    return rc;
}

static PqRc draw(PqTextSample *s, PqStr v, PqErr *e)
{
    if (!s->v) {
        PQ_TRY(PQ_ARRAY(s->mem, s->v, PQ_SAMPLE_MOST, e));
    }
    if (v.n > PQ_SAMPLE_BYTES / PQ_SAMPLE_LEAST) {
        s->too_long = true;
        v.n = 0;
    }
    PQ_TRY(copy_into(&s->texts, &v, e));
    s->n_bytes += v.n + 1u;
    s->v[s->n++] = v;
    s->is_sorted = false;
    return PQ_OK;
}

static PqRc end_block(PqTextSample *s, PqErr *e)
{
    s->at = 0;
    while (s->n == PQ_SAMPLE_MOST ||
           (s->n > 1 && s->n_bytes > PQ_SAMPLE_BYTES)) {
        PQ_TRY(thin_out(s, e));
    }
    return PQ_OK;
}

PqRc pq_text_sample_add(PqTextSample *s, const PqStr *v, uint64_t n,
                        unsigned step, PqErr *e)
{
    for (uint64_t i = 0, k; i < n; i += k) {
        uint64_t size = UINT64_C(1) << s->shift;

        if (s->at == 0) {
            s->drawn = s->shift ? pq_ranks_random(&s->random) & (size - 1) : 0;
        }
        k = size - s->at < n - i ? size - s->at : n - i;
        if (s->drawn - s->at < k) {
            PQ_TRY(draw(s, v[step * (i + (s->drawn - s->at))], e));
        }
        s->at += k;
        if (s->at == size) {
            PQ_TRY(end_block(s, e));
        }
    }
    return PQ_OK;
}

const PqStr *pq_text_sample_find(PqTextSample *s, double share)
{
    if (s->n < PQ_SAMPLE_LEAST || s->too_long) {
        return NULL;
    }
    sort(s);
    return &s->v[(uint32_t)(share * (s->n - 1))];
}
