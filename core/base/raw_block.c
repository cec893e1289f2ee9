/*
** raw_block.c - blocks of malloc, and mapped ones.
**
** A mapped block that becomes small stays mapped: it has a page then.  The system
** rounds sizes up to pages, here as in munmap.  Advice about a part of a block
** (pq_mem_will_fill) makes several mappings of it, which mremap does not resize: then
** it is copied.
**
** A mapping begins at any page.  So an aligned block with room for a huge page is cut out
** of a mapping that is larger by more than one, and it moves to such a place when it
** grows.  What follows its header is aligned, because arrays have powers of two as sizes:
** a header at the boundary would push their last bytes beyond another one, into a small
** page, and then the system makes no huge page there when the array grows.
**
**   mapped   [ 1.3 MB  |lead, header| array, 4 MB | 0.7 MB ]
**            huge pages begin here: ^      ^      ^
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

/* What is mapped before the array of an aligned block: a multiple of any page's size. */
enum { LEAD = 1 << 16 };

/* How much of its mapping lies before a mapped block. */
static size_t before(const void *p)
{
    return ((uintptr_t)p + PQ_RAW_HEADER) % PQ_HUGE_PAGE ? 0 : LEAD - PQ_RAW_HEADER;
}

#ifdef MADV_HUGEPAGE
static void *map_aligned(size_t n)
{
    size_t all = n + LEAD - PQ_RAW_HEADER, more = all + PQ_HUGE_PAGE;
    char *p = n < SIZE_MAX / 2 ? map_anywhere(more) : NULL;
    size_t left = -((uintptr_t)p + LEAD) % PQ_HUGE_PAGE;

    if (!p) {
        return NULL;
    }
    if (left > 0) {
        (void)munmap(p, left);
    }
    (void)mremap(p + left, more - left, all, 0);
    (void)madvise(p + left, all, MADV_HUGEPAGE);
    return p + left + LEAD - PQ_RAW_HEADER;
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
        (void)munmap((char *)p - before(p), n + before(p));
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
    size_t lead = before(p);
    char *from = (char *)p - lead, *place;
    void *to = mremap(from, had + lead, n + lead, lead || n < had ? 0 : MREMAP_MAYMOVE);

    if (to == MAP_FAILED && lead && errno == ENOMEM && (place = map_aligned(n)) != NULL) {
        to = mremap(from, had + lead, n + lead, MREMAP_MAYMOVE | MREMAP_FIXED, place - lead);
    }
    return to == MAP_FAILED ? NULL : (char *)to + lead;
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
