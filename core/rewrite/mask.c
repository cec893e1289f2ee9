/*
** mask.c - keyed hashes in the place of values.
**
**   HMAC-SHA256(key, value) as 64 hexadecimal digits
**
** Equal values have equal hashes, in all files that are masked with the same key,
** so that they can still be joined and counted.  Without the key nobody can try
** values.
*/
#include "core/rewrite/rewrite_inside.h"

#include "core/base/digest.h"

enum { AT_ONCE = 256, DIGITS = 2 * PQ_HASH_BYTES };

PqRc pq_mask_hash(PqLeafBatch *b, uint32_t from, const PqKey *key, PqErr *e)
{
    uint8_t hashes[AT_ONCE][PQ_HASH_BYTES];
    PqSlice in[AT_ONCE] = {{NULL, 0}};

    for (uint32_t n; from < b->n_values; from += n) {
        PqStr *s = (PqStr *)b->values + from;

        n = b->n_values - from < AT_ONCE ? b->n_values - from : AT_ONCE;
        for (uint32_t i = 0; i < n; i++) {
            in[i] = pq_slice(s[i].p, s[i].n);
        }
        PQ_TRY(pq_key_hash(key, in, n, hashes, e));
        for (uint32_t i = 0; i < n; i++) {
            uint8_t *hex = pq_arena_bytes(&b->bytes, DIGITS + 1, e);

            PQ_TRY(hex ? PQ_OK : e->rc);
            pq_digest_text(hashes[i], (char *)hex);
            b->n_bytes = b->n_bytes - s[i].n + DIGITS;
            s[i] = (PqStr){hex, DIGITS};
        }
    }
    return PQ_OK;
}
