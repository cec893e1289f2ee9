/*
** raw_block.c - blocks of malloc, and mapped ones.
**
** A mapped block that becomes small stays mapped: it has a page then.  The system
** rounds sizes up to pages, here as in munmap.  Advice about a part of a block
** (pq_mem_will_fill) makes several mappings of it, which mremap does not resize: then
** it is copied.
*/
#define _GNU_SOURCE                    /* mremap */
#include "core/base/raw_block.h"

#include "core/base/system.h"

#include <stdlib.h>
#include <string.h>

static void *map(size_t n)
{
    void *p = MAP_FAILED;

    if (n >= PQ_RAW_MAPPED && !PQ_MEMORY_IS_WATCHED) {
        p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return p == MAP_FAILED ? NULL : p;
}

void *pq_raw_new(size_t n, bool *mapped)
{
    void *p = map(n);

    *mapped = p != NULL;
    return p ? p : malloc(n);
}

void pq_raw_free(void *p, size_t n, bool mapped)
{
    if (mapped) {
        (void)munmap(p, n);
    } else {
        free(p);
    }
}

/* To another block. */
static void *move(void *p, size_t had, size_t n, bool *mapped)
{
    bool was_mapped = *mapped;
    void *to = pq_raw_new(n, mapped);

    if (!to) {
        *mapped = was_mapped;
        return NULL;
    }
    memcpy(to, p, had < n ? had : n);
    pq_raw_free(p, had, was_mapped);
    return to;
}

void *pq_raw_resize(void *p, size_t had, size_t n, bool *mapped)
{
    void *to = NULL;

    if (!*mapped && (n < PQ_RAW_MAPPED || n <= had)) {
        return realloc(p, n);
    }
#ifdef MREMAP_MAYMOVE
    if (*mapped) {
        to = mremap(p, had, n, MREMAP_MAYMOVE);
        to = to == MAP_FAILED ? NULL : to;
    }
#endif
    return to ? to : move(p, had, n, mapped);
}
