/*
** delta_bytes_encode.c - strings after all their lengths, and strings without
** the prefix they share with the value before.  delta_bytes_decode.c has the
** picture.
**
** The prefixes are computed once and kept, since the suffixes come only after
** all lengths.
*/
#include "core/encoding/encode_inside.h"

static uint32_t length_of(const PqEncodeJob *job, uint32_t i)
{
    const PqStr *value = job->values;

    return job->type == PQ_FIXED ? job->width : value[i].n;
}

/* Suffixes back to back: value i from its prefix[i]-th byte on.  When prefix is
** NULL, all of it.  n_bytes is the sum of suffix. */
static PqRc write_suffixes(const PqEncodeJob *job, PqOut *o,
                           const uint32_t *prefix, const uint32_t *suffix,
                           uint64_t n_bytes, PqErr *e)
{
    const PqStr *value = job->values;
    uint8_t *p = pq_out_room(o, (size_t)n_bytes, e);

    if (!p) {
        return e->rc;
    }
    for (uint32_t i = 0; i < job->n; i++) {
        if (suffix[i] > 0) {
            pq_copy_short(p, value[i].p + (prefix ? prefix[i] : 0), suffix[i]);
        }
        p += suffix[i];
    }
    o->buf->n += (size_t)n_bytes;
    return PQ_OK;
}

/* DELTA_LENGTH_BYTE_ARRAY. */

PqRc pq_encode_delta_length(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    uint32_t *length;
    uint64_t n_bytes = 0;
    PqRc rc;

    PQ_TRY(PQ_ARRAY(o->buf->mem, length, job->n, e));
    for (uint32_t i = 0; i < job->n; i++) {
        length[i] = length_of(job, i);
        n_bytes += length[i];
    }
    PQ_GO(pq_delta_write32(o, length, job->n, e));
    rc = write_suffixes(job, o, NULL, length, n_bytes, e);
done:
    pq_mem_free(length);
    return rc;
}

/* DELTA_BYTE_ARRAY. */

/* How many bytes a and b have in common, at most n. */
static uint32_t common(const uint8_t *a, const uint8_t *b, uint32_t n)
{
    uint32_t i;

    for (i = 0; i + 8 <= n; i += 8) {
        uint64_t other = pq_load_u64(a + i) ^ pq_load_u64(b + i);

        if (other) {
            return i + (uint32_t)__builtin_ctzll(other) / 8;
        }
    }
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i;
}

static uint32_t prefix_of(const PqEncodeJob *job, uint32_t i)
{
    const PqStr *value = job->values;
    uint32_t n, before;

    if (i == 0) {
        return 0;
    }
    n = length_of(job, i);
    before = length_of(job, i - 1);
    return common(value[i - 1].p, value[i].p, n < before ? n : before);
}

PqRc pq_encode_delta_prefix(const PqEncodeJob *job, PqOut *o, PqErr *e)
{
    uint32_t *prefix, *suffix;
    uint64_t n_bytes = 0;
    PqRc rc;

    PQ_TRY(PQ_ARRAY(o->buf->mem, prefix, 2 * (size_t)job->n, e));
    suffix = prefix + job->n;
    for (uint32_t i = 0; i < job->n; i++) {
        prefix[i] = prefix_of(job, i);
        suffix[i] = length_of(job, i) - prefix[i];
        n_bytes += suffix[i];
    }
    PQ_GO(pq_delta_write32(o, prefix, job->n, e));
    PQ_GO(pq_delta_write32(o, suffix, job->n, e));
    rc = write_suffixes(job, o, prefix, suffix, n_bytes, e);
done:
    pq_mem_free(prefix);
    return rc;
}
