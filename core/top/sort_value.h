/*
** sort_value.h - a value that rows are sorted by.
**
** Values of one column may be of several kinds, if the host gives it such.  All
** NULLs come first, then numbers, then texts, then BLOBs:
**
**   NULL   -7   2.5   3   "10"   "9"   x'00'
**
** Integers and reals are compared as the numbers that they are, without
** rounding.  Texts and BLOBs are compared by their bytes.  There is no NaN.
*/
#ifndef PQ_SORT_VALUE_H
#define PQ_SORT_VALUE_H

#include "core/base/bytes.h"

typedef enum PqSortKind {
    PQ_SORT_NULL, PQ_SORT_INT, PQ_SORT_REAL, PQ_SORT_TEXT, PQ_SORT_BLOB
} PqSortKind;

typedef struct PqSortValue {
    union {
        int64_t        i;
        double         r;
        const uint8_t *p;            /* of texts and BLOBs                  */
    } as;
    uint32_t n;                      /* bytes                               */
    uint8_t  kind;
    uint8_t  room;                   /* of a value that a set owns: log2    */
} PqSortValue;

static inline bool pq_sort_value_has_bytes(const PqSortValue *v)
{
    return v->kind >= PQ_SORT_TEXT;
}

/* False: too many bytes. */
static inline bool pq_sort_value_of_bytes(PqSortKind kind, PqSlice bytes,
                                          PqSortValue *out)
{
    *out = (PqSortValue){.kind = (uint8_t)kind, .as.p = bytes.p,
                         .n = (uint32_t)bytes.n};
    return bytes.n < UINT32_MAX;
}

/* <0, 0, >0.  Exact, whatever the size of the integer. */
int pq_sort_value_int_real(int64_t i, double r);

/* The same for two values of different kinds. */
int pq_sort_value_compare_kinds(const PqSortValue *a, const PqSortValue *b);

/* <0, 0, >0: the ascending order. */
static inline int pq_sort_value_compare(const PqSortValue *a,
                                        const PqSortValue *b)
{
    if (a->kind != b->kind) {
        return pq_sort_value_compare_kinds(a, b);
    }
    switch (a->kind) {
    case PQ_SORT_NULL:
        return 0;
    case PQ_SORT_INT:
        return (a->as.i > b->as.i) - (a->as.i < b->as.i);
    case PQ_SORT_REAL:
        return (a->as.r > b->as.r) - (a->as.r < b->as.r);
    default:
        return pq_slice_compare(pq_slice(a->as.p, a->n),
                                pq_slice(b->as.p, b->n));
    }
}

/* Of two values of one kind, or one of them NULL, the one with the smaller head
** is less.  Equal heads tell nothing. */
uint64_t pq_sort_value_head(const PqSortValue *v);

#endif
