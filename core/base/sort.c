/*
** sort.c - qsort of 64-bit integers.  The comparison does not subtract, because
** the difference of two of them can overflow.
*/
#include "core/base/sort.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void pq_sort_i64(int64_t *v, size_t n)
{
    if (n > 1) {
        qsort(v, n, sizeof *v, compare);
    }
}

size_t pq_sort_i64_once(int64_t *v, size_t n)
{
    size_t i, left = 0;

    pq_sort_i64(v, n);
    for (i = 0; i < n; i++) {
        if (left == 0 || v[left - 1] != v[i]) {
            v[left++] = v[i];
        }
    }
    return left;
}
