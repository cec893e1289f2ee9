/*
** raw_block.c - blocks of malloc, and mapped ones.
**
** A mapped block that becomes small stays mapped: it has a page then.  The system
** rounds sizes up to pages, here as in munmap.  Advice about a part of a block
** (pq_mem_will_fill) makes several mappings of it, which mremap does not resize: then
** it is copied.
**
** A mapping begins at any page.  So an aligned block with room for a huge page is cut out
** of a mapping that is larger by one, and it moves to such a place when it grows.
**
**   mapped   [ 1.3 MB |    block, 5 MB    | 0.7 MB ]
**     huge pages begin ^         ^          ^
*/
#define _GNU_SOURCE                    /* mremap */
#include "core/base/raw_block.h"

#include "core/base/system.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *map_anywhere(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

#ifdef MADV_HUGEPAGE
static void *map_aligned(size_t n)
{
    char *p = n < SIZE_MAX / 2 ? map_anywhere(n + PQ_HUGE_PAGE) : NULL;
    size_t before = -(uintptr_t)p % PQ_HUGE_PAGE;

    if (!p) {
        return NULL;
    }
    if (before > 0) {
        (void)munmap(p, before);
    }
    (void)mremap(p + before, n + PQ_HUGE_PAGE - before, n, 0);
    return p + before;
}
#else
static void *map_aligned(size_t n)
{
    (void)n;
    return NULL;
}
#endif

void *pq_raw_new(size_t n, bool *mapped)
{
    void *p = n < PQ_RAW_MAPPED || PQ_MEMORY_IS_WATCHED ? NULL : map_anywhere(n);

    *mapped = p != NULL;
    return p ? p : malloc(n);
}

void *pq_raw_new_aligned(size_t n, bool *mapped)
{
    void *p = n < PQ_HUGE_PAGE || PQ_MEMORY_IS_WATCHED ? NULL : map_aligned(n);

    *mapped = p != NULL;
    return p ? p : pq_raw_new(n, mapped);
}

void pq_raw_free(void *p, size_t n, bool mapped)
{
    if (mapped) {
        (void)munmap(p, n);
    } else {
        free(p);
    }
}

/* Copies into another block. */
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

#ifdef MREMAP_MAYMOVE
/* In its place, where it stays when it becomes smaller, or in the place of a new mapping.
** NULL: it cannot be done.
**
** Where the last step fails, the new mapping is left alone: the system may have freed
** the addresses already, and another thread may have them. */
static void *remap(void *p, size_t had, size_t n)
{
    bool aligned = n >= PQ_HUGE_PAGE && (uintptr_t)p % PQ_HUGE_PAGE == 0;
    void *to = mremap(p, had, n, aligned || n < had ? 0 : MREMAP_MAYMOVE), *place;

    if (to == MAP_FAILED && aligned && errno == ENOMEM && (place = map_aligned(n)) != NULL) {
        to = mremap(p, had, n, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    }
    return to == MAP_FAILED ? NULL : to;
}
#endif

void *pq_raw_resize(void *p, size_t had, size_t n, bool *mapped)
{
    void *to = NULL;

    if (!*mapped && (n < PQ_RAW_MAPPED || n <= had)) {
        return realloc(p, n);
    }
#ifdef MREMAP_MAYMOVE
    if (*mapped) {
        to = remap(p, had, n);
    }
#endif
    return to ? to : move(p, had, n, mapped);
}
