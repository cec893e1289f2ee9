/*
** packed.c - reads bit-packed integers: first what is left of a group of eight,
** then whole groups.
**
** Kernels begin at a group.  So for the rest of a group, the group is unpacked
** from its start into a small array, and only the values still wanted are
** copied.
*/
#include "core/encoding/packed.h"

static size_t readable(const PqPacked *b)
{
    return (size_t)(b->end - b->p);
}

/* How many of n values are in the group that is partly read. */
static uint32_t begun(const PqPacked *b, uint32_t n)
{
    uint32_t some = b->at ? 8 - b->at : 0;

    return some < n ? some : n;
}

void pq_packed_read32(PqPacked *b, const PqKernels *k, uint32_t n,
                      uint32_t *out)
{
    uint32_t some = begun(b, n), group[8];

    if (some) {
        k->unpack32(b->p, readable(b), b->width, b->at + some, group);
        memcpy(out, group + b->at, some * sizeof *out);
        pq_packed_skip(b, some);
    }
    if (n > some) {
        k->unpack32(b->p, readable(b), b->width, n - some, out + some);
        pq_packed_skip(b, n - some);
    }
}

void pq_packed_read64(PqPacked *b, const PqKernels *k, uint32_t n,
                      uint64_t *out)
{
    uint32_t some = begun(b, n);
    uint64_t group[8];

    if (some) {
        k->unpack64(b->p, readable(b), b->width, b->at + some, group);
        memcpy(out, group + b->at, some * sizeof *out);
        pq_packed_skip(b, some);
    }
    if (n > some) {
        k->unpack64(b->p, readable(b), b->width, n - some, out + some);
        pq_packed_skip(b, n - some);
    }
}
