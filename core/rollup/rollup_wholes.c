/*
** rollup_wholes.c - numbers groups by some of their keys.
**
** The values of a key have codes already.  With one key, an array by code says which
** whole a group belongs to; with several, a tuple of codes does (rollup_tuple.h).
*/
#include "core/rollup/rollup_wholes.h"

#include "core/rollup/rollup_inside.h"

#include <string.h>

static uint32_t group_of(const uint32_t *list, uint32_t i)
{
    return list ? list[i] : i;
}

static PqRc by_one_key(const PqRollup *r, uint32_t key, const uint32_t *list, uint32_t n,
                       uint32_t *wholes, uint32_t *n_wholes, PqErr *e)
{
    uint32_t n_codes = pq_rollup_n_key_values(r, key);
    uint32_t *whole_of = pq_mem_array(r->mem, n_codes + (size_t)1, sizeof *whole_of, e);

    PQ_TRY(whole_of ? PQ_OK : e->rc);
    memset(whole_of, 0xff, n_codes * sizeof *whole_of);
    *n_wholes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *whole = &whole_of[pq_rollup_key_number(r, key, group_of(list, i))];

        *whole = *whole == PQ_NO_NUMBER ? (*n_wholes)++ : *whole;
        wholes[i] = *whole;
    }
    pq_mem_free(whole_of);
    return PQ_OK;
}

static PqRc by_tuples(const PqRollup *r, const uint32_t *keys, uint32_t n_keys,
                      const uint32_t *list, uint32_t n, PqRollupTuples *tuples,
                      uint32_t *codes, uint32_t *wholes, PqErr *e)
{
    PqRollupCodes of[PQ_ROLLUP_KEYS];

    for (uint32_t k = 0; k < n_keys; k++) {
        of[k] = (PqRollupCodes){.codes = codes + (size_t)k * PQ_ROLLUP_ROWS,
                                .most = pq_rollup_n_key_values(r, keys[k])};
    }
    for (uint32_t first = 0; first < n; first += PQ_ROLLUP_ROWS) {
        uint32_t rows = n - first < PQ_ROLLUP_ROWS ? n - first : PQ_ROLLUP_ROWS;

        for (uint32_t k = 0; k < n_keys; k++) {
            for (uint32_t i = 0; i < rows; i++) {
                codes[(size_t)k * PQ_ROLLUP_ROWS + i] =
                    pq_rollup_key_number(r, keys[k], group_of(list, first + i));
            }
        }
        PQ_TRY(pq_stop_poll(&r->spec.stop, e));
        PQ_TRY(pq_rollup_tuples_find(tuples, of, rows, wholes + first, e));
    }
    return PQ_OK;
}

PqRc pq_rollup_wholes(const PqRollup *r, const uint32_t *keys, uint32_t n_keys,
                      const uint32_t *list, uint32_t n, uint32_t *wholes,
                      uint32_t *n_wholes, PqErr *e)
{
    PqRollupTuples tuples;
    uint32_t *codes;
    PqRc rc;

    if (n_keys == 1) {
        return by_one_key(r, keys[0], list, n, wholes, n_wholes, e);
    }
    codes = pq_mem_array(r->mem, (size_t)n_keys * PQ_ROLLUP_ROWS, sizeof *codes, e);
    PQ_TRY(codes ? PQ_OK : e->rc);
    pq_rollup_tuples_init(&tuples, r->mem, n_keys, r->seed, &r->spec.stop);
    rc = by_tuples(r, keys, n_keys, list, n, &tuples, codes, wholes, e);
    *n_wholes = tuples.n;
    pq_rollup_tuples_free(&tuples);
    pq_mem_free(codes);
    return rc;
}
