/*
** fenced.h - for tests of kernels: inputs that end where their memory ends,
** outputs between fences.
*/
#ifndef FENCED_H
#define FENCED_H

#include "test/unit/test.h"

#include <stdlib.h>

enum { FENCE = 64, MOST = 1100 };

static uint64_t seed = 1;

static inline uint64_t any64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545f4914f6cdd1d);
}

static inline void fill(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = (uint8_t)(any64() >> 32);
    }
}

/* n random bytes at the end of their memory, so that a sanitizer sees a read
** beyond them. */
static inline uint8_t *exactly(size_t n)
{
    uint8_t *p = malloc(n ? n : 1);

    if (!p) {
        abort();
    }
    fill(p, n);
    return p;
}

/* Room for n bytes between two fences. */
typedef struct Fenced {
    uint8_t *all, *p;
    size_t   n;
} Fenced;

static inline Fenced fenced(size_t n)
{
    Fenced f = {malloc(n + 2 * FENCE), NULL, n};

    if (!f.all) {
        abort();
    }
    memset(f.all, 0xa5, n + 2 * FENCE);
    f.p = f.all + FENCE;
    return f;
}

static inline bool fence_holds(const Fenced *f)
{
    for (size_t i = 0; i < FENCE; i++) {
        if (f->all[i] != 0xa5 || f->p[f->n + i] != 0xa5) {
            return false;
        }
    }
    return true;
}

static inline uint64_t bits_at(const uint8_t *in, size_t bit, unsigned width)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < width; i++, bit++) {
        v |= (uint64_t)(in[bit / 8] >> bit % 8 & 1) << i;
    }
    return v;
}

/* 0 to 100, then a few larger. */
static inline uint32_t next_n(uint32_t n)
{
    return n < 100 ? n + 1 : n + 1 + (uint32_t)(any64() % 400);
}

#endif
