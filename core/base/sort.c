/*
** sort.c - sorts 64-bit integers: with qsort, or byte by byte where there is
** room for a copy.  The comparison does not subtract, because the difference of
** two integers can overflow.
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

/* ---- with room ------------------------------------------------------------ */

bool pq_is_sorted_i64(const int64_t *v, uint32_t n)
{
    uint32_t falls = 0;

    for (uint32_t i = 1; i < n; i++) {
        falls |= v[i] < v[i - 1];
    }
    return !falls;
}

/* Moves the values to `into`, sorted by one of their bytes.  Values in which
** that byte is equal keep their order. */
static void sort_by_byte(const uint64_t *from, uint64_t *into, uint32_t n,
                         unsigned bit)
{
    uint32_t count[256] = {0}, sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        count[from[i] >> bit & 0xff]++;
    }
    for (int b = 0; b < 256; b++) {
        uint32_t c = count[b];

        count[b] = sum;
        sum += c;
    }
    for (uint32_t i = 0; i < n; i++) {
        into[count[from[i] >> bit & 0xff]++] = from[i];
    }
}

/* The lowest byte first; bytes that are equal in all values need no pass. */
void pq_sort_i64_in(int64_t *v, int64_t *room, uint32_t n)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t differ = 0, *from = (uint64_t *)v, *into = (uint64_t *)room;

    if (pq_is_sorted_i64(v, n)) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        from[i] ^= sign;
        differ |= from[i] ^ from[0];
    }
    for (unsigned bit = 0; bit < 64; bit += 8) {
        uint64_t *swap = from;

        if (differ >> bit & 0xff) {
            sort_by_byte(from, into, n, bit);
            from = into;
            into = swap;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        v[i] = (int64_t)(from[i] ^ sign);
    }
}
