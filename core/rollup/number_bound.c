/*
** number_bound.c - how far numbers are from 0.
**
**   price                  at most 131072
**   1 + tax                at most 1 + 128
**   price * (1 + tax)      at most 131072 * 129, which fits in 64 bits
**
** So a look at the operands says that no result overflows.
*/
#include "core/rollup/numbers_inside.h"

static const uint64_t most = INT64_MAX;

uint64_t pq_numbers_bound_of(const int64_t *v, uint32_t n)
{
    int64_t all = 0;

    for (uint32_t i = 0; i < n; i++) {
        all |= v[i];
    }
    if (all < 0) {
        all = 0;
        for (uint32_t i = 0; i < n; i++) {
            all |= v[i] < 0 ? ~v[i] : v[i];
        }
    }
    return (uint64_t)all + 1;
}

uint64_t pq_numbers_bound(const PqNumbers *v)
{
    if (v->bound != 0) {
        return v->bound;
    }
    return v->ids && v->n_entries > v->n
               ? PQ_NUMBERS_UNBOUNDED
               : pq_numbers_bound_of(v->values, v->ids ? v->n_entries : v->n);
}

uint64_t pq_numbers_bound_after(PqNumberOp op, uint64_t a, uint64_t b)
{
    uint64_t bound;
    bool over = op == PQ_NUMBER_MULTIPLY ? __builtin_mul_overflow(a, b, &bound)
                                         : __builtin_add_overflow(a, b, &bound);

    return over || bound > most ? 0 : bound;
}
