/*
** variant_assemble.c - rows of one group of a shredded Variant, one at a time.
*/
#include "core/nested/variant_assemble.h"

struct PqVariantAssemble {
    PqMem *mem;
};

PqRc pq_variant_assemble_new(PqMem *mem, const PqNode *variant,
                             const PqNode *at, PqVariantAssemble **out,
                             PqErr *e)
{
    (void)mem;
    (void)at;
    *out = NULL;
    return pq_fail(e, PQ_UNSUPPORTED, "%s: a shredded Variant is not assembled "
                   "by this version", variant->path);
}

void pq_variant_assemble_free(PqVariantAssemble *a)
{
    pq_mem_free(a);
}

void pq_variant_assemble_watch(PqVariantAssemble *a, const PqStop *stop)
{
    (void)a;
    (void)stop;
}

PqRc pq_variant_assemble_begin(PqVariantAssemble *a, const PqVector *metadata,
                               const PqVector *const *vectors,
                               uint32_t n_rows, PqErr *e)
{
    (void)a;
    (void)metadata;
    (void)vectors;
    (void)n_rows;
    return e->rc;
}

PqRc pq_variant_assemble_row(PqVariantAssemble *a, uint32_t row,
                             PqSlice *metadata, PqSlice *value, bool *missing,
                             PqErr *e)
{
    (void)a;
    (void)row;
    (void)metadata;
    (void)value;
    (void)missing;
    return e->rc;
}
