/*
** vector.c - looks up ids; and do the texts of a vector hold NUL bytes?
**
** Texts in a page, or in a decoder's output, lie one after the other.  Between
** them are a few bytes: a NUL and, in a PLAIN page, the rest of the next length
** (decoder.h).
**
**   h e l l o  00 00 00 00  w o r l d  00 ...
**   [  text  ] [   gap   ]  [  text ]
**
** Zero bytes are counted twice: from the first text to the last, and in the
** gaps.  If the counts are equal, no text has one.
*/
#include "core/column/vector.h"

#include "core/simd/kernels.h"

#include <stdatomic.h>

static _Atomic uint64_t dict_serial;

uint64_t pq_dict_serial(void)
{
    return atomic_fetch_add(&dict_serial, 1) + 1;
}

/* A loop for each width: copying a number is faster than calling memcpy. */
void pq_dict_look_up(const void *entries, size_t width, const uint32_t *ids,
                     uint32_t n, void *out)
{
    if (width == 4) {
        const uint32_t *from = entries;
        uint32_t *to = out;

        for (uint32_t i = 0; i < n; i++) to[i] = from[ids[i]];
    } else if (width == 8) {
        const uint64_t *from = entries;
        uint64_t *to = out;

        for (uint32_t i = 0; i < n; i++) to[i] = from[ids[i]];
    } else if (width == sizeof(PqStr)) {
        const PqStr *from = entries;
        PqStr *to = out;

        for (uint32_t i = 0; i < n; i++) to[i] = from[ids[i]];
    } else {
        for (uint32_t i = 0; i < n; i++) {
            memcpy((char *)out + i * width,
                   (const char *)entries + ids[i] * width, width);
        }
    }
}

enum { WIDEST_GAP = 4, LONG_TEXT = 1000 };

/* Texts side by side. */
typedef struct Run {
    const uint8_t *begin, *end;
    size_t         in_gaps;          /* zero bytes between the texts */
} Run;

static size_t zeros_in_gap(const uint8_t *p, size_t n)
{
    size_t zeros = 0;

    if (n == WIDEST_GAP && pq_load_u32(p) == 0) {
        return WIDEST_GAP;
    }
    for (size_t i = 0; i < n; i++) {
        zeros += p[i] == 0;
    }
    return zeros;
}

static bool run_is_clean(const PqKernels *k, const Run *run)
{
    return k->count_zeros(run->begin, (size_t)(run->end - run->begin)) ==
           run->in_gaps;
}

bool pq_vector_is_clean(const PqVector *v)
{
    const PqKernels *k = pq_kernels();
    const PqStr *s = v->values;
    Run run = {NULL, NULL, 0};

    for (uint32_t i = 0; i < v->n_slots; i++) {
        size_t gap;

        if (!pq_vector_is_valid(v, i)) {
            continue;
        }
        if (s[i].n > LONG_TEXT) {
            return false;
        }
        gap = (size_t)((uintptr_t)s[i].p - (uintptr_t)run.end);
        if (PQ_LIKELY(run.end && gap <= WIDEST_GAP)) {
            run.in_gaps += zeros_in_gap(run.end, gap);
        } else {
            if (!run_is_clean(k, &run)) {
                return false;
            }
            run = (Run){s[i].p, s[i].p, 0};
        }
        run.end = s[i].p + s[i].n;
    }
    return run_is_clean(k, &run);
}
