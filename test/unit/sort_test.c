/*
** sort_test.c - integers are sorted in two ways, which agree.
*/
#include "core/base/sort.h"
#include "test/unit/test.h"

#include <string.h>

enum { MOST = 700 };

/* Integers whose bits beyond `bits` are equal, or those of the sign. */
static void fill(int64_t *v, uint32_t n, unsigned bits, bool negative)
{
    uint64_t x = n * 64 + bits;

    for (uint32_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        v[i] = (int64_t)(x >> (64 - bits));
        v[i] = negative && x & 1 << 20 ? ~v[i] : v[i];
    }
}

TEST(sort, with_room_or_without_the_order_is_the_same)
{
    static int64_t v[MOST], w[MOST], room[MOST];

    for (uint32_t n = 0; n <= MOST; n += n / 2 + 1) {
        for (unsigned bits = 1; bits <= 64; bits += 7) {
            fill(v, n, bits, bits % 2 == 1);
            memcpy(w, v, sizeof w);
            pq_sort_i64(v, n);
            pq_sort_i64_in(w, room, n);
            CHECK(memcmp(v, w, n * sizeof *v) == 0);
            CHECK(pq_is_sorted_i64(w, n));
        }
    }
}
