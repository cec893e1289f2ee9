/*
** module.c - reads and writes modules, plain or sealed.
**
** A plain module has no length, so unsealing gives all bytes that are there, and
** sets *used to 0 because it cannot know where the module ends.
*/
#include "core/crypto/module.h"

static const char *const module_names[] = {
    [PQ_MODULE_FOOTER] = "footer",
    [PQ_MODULE_COLUMN_META] = "column metadata",
    [PQ_MODULE_DATA_PAGE] = "data page",
    [PQ_MODULE_DICTIONARY_PAGE] = "dictionary page",
    [PQ_MODULE_DATA_PAGE_HEADER] = "data page header",
    [PQ_MODULE_DICTIONARY_PAGE_HEADER] = "dictionary page header",
    [PQ_MODULE_COLUMN_INDEX] = "column index",
    [PQ_MODULE_OFFSET_INDEX] = "offset index",
    [PQ_MODULE_BLOOM_HEADER] = "Bloom filter header",
    [PQ_MODULE_BLOOM_BITS] = "Bloom filter",
};
_Static_assert(PQ_COUNT(module_names) == PQ_MODULE_KIND_COUNT,
               "one name per kind");

const char *pq_module_name(PqModuleKind kind)
{
    return module_names[kind];
}

PqRc pq_module_fetch(PqInput *in, const PqModule *module, uint64_t offset,
                     size_t n, uint8_t *out, PqErr *e)
{
    in->bytes_by_kind[module->kind] += n;
    return pq_source_read(in->source, offset, n, out, e);
}

static PQ_COLD PqRc no_key(const PqModule *m, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the %s is encrypted with %s, which is "
                   "not at hand", pq_module_name(m->kind), m->lock->wants);
}

PqRc pq_module_size(const PqModule *module, PqSlice raw, size_t *n, PqErr *e)
{
    (void)raw;
    *n = 0;
    if (!module->lock) {
        return PQ_OK;
    }
    return no_key(module, e);
}

PqRc pq_module_unseal(const PqModule *module, PqSlice raw, PqBuf *scratch,
                      PqSlice *plain, size_t *used, PqErr *e)
{
    (void)scratch;
    *plain = raw;
    *used = 0;
    return module->lock ? no_key(module, e) : PQ_OK;
}
