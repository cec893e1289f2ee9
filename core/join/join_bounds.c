/*
** join_bounds.c - the search in sorted bounds, and whether it pays.
**
** Whether it pays is a sum over all pairs of row groups that overlap: for each
** of the two, the share of its keys that the other may have too, if keys lie
** evenly within the bounds.  The sum stops early: where all bounds overlap it
** would take n * n steps.
*/
#include "core/join/join_bounds.h"

#include <stdlib.h>

enum {
    OVERLAP = 3,                     /* row groups in which a key may be,   */
                                     /* on average                          */
    STEPS = 8                        /* to find them                        */
};

static int by_min(const void *a, const void *b)
{
    const PqJoinBounds *p = a, *q = b;

    return p->min != q->min ? (p->min > q->min) - (p->min < q->min)
                            : (p->of > q->of) - (p->of < q->of);
}

uint32_t pq_join_bounds_last(const PqJoinBounds *v, uint32_t n, int64_t key)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (v[mid].min <= key) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low > 0 ? low - 1 : n;
}

bool pq_join_bounds_next(const PqJoinBounds *v, uint32_t n, int64_t key,
                         uint32_t *i, uint64_t *steps)
{
    for (; *i < n && v[*i].max_before >= key; --*i) {
        ++*steps;
        if (v[*i].max >= key) {
            return true;
        }
    }
    return false;
}

static double span(int64_t min, int64_t max)
{
    return (double)((uint64_t)max - (uint64_t)min) + 1;
}

/* The share of a's keys that b may have, plus the share of b's keys that a may
** have.  They overlap, and a does not begin before b. */
static double shared(const PqJoinBounds *a, const PqJoinBounds *b)
{
    double common = a->max < a->min
                        ? 0 : span(a->min, a->max < b->max ? a->max : b->max);

    return common == 0 ? 0 : common / span(a->min, a->max) +
                             common / span(b->min, b->max);
}

bool pq_join_bounds_sort(PqJoinBounds *v, uint32_t n, uint32_t each)
{
    uint64_t most = (uint64_t)n + 1, steps = 0;
    double others = 0;
    int64_t max = INT64_MIN;
    uint32_t k;

    if (n > 1) {                     /* qsort takes no NULL */
        qsort(v, n, sizeof *v, by_min);
    }
    for (uint32_t i = 0; i < n; i++) {
        max = v[i].max > max ? v[i].max : max;
        v[i].max_before = max;
    }
    for (uint32_t i = 0; i < n; i++) {
        for (k = i; pq_join_bounds_next(v, n, v[i].min, &k, &steps); k--) {
            others += k != i ? shared(&v[i], &v[k]) : 0;
        }
        if (n + others * each > (double)OVERLAP * n ||
            steps > STEPS * most) {
            return false;
        }
    }
    return true;
}
