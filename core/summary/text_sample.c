/*
** text_sample.c - drawing, and thinning out.
*/
#include "core/summary/text_sample.h"

#include "core/summary/counts.h"
#include "core/summary/ranks.h"

#include <stdlib.h>
#include <string.h>

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

    return pq_counts_compare(x->p, x->n, y->p, y->n);
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
    uint8_t *p = pq_arena_bytes(a, text->n + 1u, e);

    if (!p) {
        return e->rc;
    }
    if (text->n) {
        memcpy(p, text->p, text->n);
    }
    p[text->n] = 0;
    text->p = p;
    return PQ_OK;
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
        s->v = pq_mem_array(s->mem, PQ_SAMPLE_MOST, sizeof *s->v, e);
        if (!s->v) {
            return e->rc;
        }
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

static inline uint64_t begin_block(PqTextSample *s)
{
    uint64_t size = UINT64_C(1) << s->shift;

    if (s->at == 0) {
        s->drawn = s->shift ? pq_ranks_random(&s->random) & (size - 1) : 0;
    }
    return size;
}

PqRc pq_text_sample_add(PqTextSample *s, PqStr v, uint64_t times, PqErr *e)
{
    while (times > 0) {
        uint64_t size = begin_block(s), k = size - s->at;

        k = k < times ? k : times;
        if (s->drawn - s->at < k) {
            PQ_TRY(draw(s, v, e));
        }
        s->at += k;
        times -= k;
        if (s->at == size) {
            PQ_TRY(end_block(s, e));
        }
    }
    return PQ_OK;
}

PqRc pq_text_sample_add_all(PqTextSample *s, const PqStr *v, uint32_t n,
                            PqErr *e)
{
    uint32_t i = 0;

    while (i < n) {
        uint64_t size = begin_block(s), k = size - s->at;

        k = k < n - i ? k : n - i;
        if (s->drawn - s->at < k) {
            PQ_TRY(draw(s, v[i + (s->drawn - s->at)], e));
        }
        s->at += k;
        i += (uint32_t)k;
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
