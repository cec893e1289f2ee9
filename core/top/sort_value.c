/*
** sort_value.c - values of two kinds, and a value as one integer.
**
** An integer and a real cannot be compared as reals: 2^53 and 2^53 + 1 are the
** same real.  So the real is cut to a whole number instead, and its fraction
** decides if these are equal.
*/
#include "core/top/sort_value.h"

#include "core/meta/place.h"

int pq_sort_value_int_real(int64_t i, double r)
{
    int64_t whole;

    if (r >= 9223372036854775808.0) return -1;
    if (r < -9223372036854775808.0) return 1;
    whole = (int64_t)r;
    if (i != whole) {
        return i < whole ? -1 : 1;
    }
    return r > (double)whole ? -1 : r < (double)whole;
}

int pq_sort_value_compare_kinds(const PqSortValue *a, const PqSortValue *b)
{
    if (a->kind == PQ_SORT_INT && b->kind == PQ_SORT_REAL) {
        return pq_sort_value_int_real(a->as.i, b->as.r);
    }
    if (a->kind == PQ_SORT_REAL && b->kind == PQ_SORT_INT) {
        return -pq_sort_value_int_real(b->as.i, a->as.r);
    }
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

/* A signed integer as an unsigned one that grows with it. */
static uint64_t unsigned_rank(int64_t rank)
{
    return (uint64_t)rank ^ (uint64_t)1 << 63;
}

uint64_t pq_sort_value_head(const PqSortValue *v)
{
    switch (v->kind) {
    case PQ_SORT_NULL:
        return 0;
    case PQ_SORT_INT:
        return unsigned_rank(v->as.i);
    case PQ_SORT_REAL:               /* both zeros become 0.0 */
        return unsigned_rank(pq_double_place(v->as.r + 0.0));
    default:
        return pq_rank_prefix((PqStr){v->as.p, v->n});
    }
}
