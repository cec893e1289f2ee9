/*
** raw_block.h - memory of the host: small blocks of malloc, large ones of the system.
**
** Once a large block was freed, malloc takes the next ones from its heap, and of
** that it gives back the end only.  Blocks of decoded rows have nearly a megabyte,
** and never quite the same size, so they leave gaps in which none of them fits:
**
**   heap     [ 871 kB ][ gap 868 kB ][ 869 kB ][ gap 867 kB ][ 873 kB ] ...
**
** A join with picked rows took 550 MB where 236 MB were in use.  So blocks from
** PQ_RAW_MAPPED bytes on are mapped, and go back to the system when they are freed.
**
** A block that could not be mapped is of malloc, so its size does not tell.  Whoever
** holds a block knows it: *mapped.
*/
#ifndef PQ_RAW_BLOCK_H
#define PQ_RAW_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { PQ_RAW_MAPPED = 1 << 18, PQ_HUGE_PAGE = 2 << 20, PQ_RAW_HEADER = 16 };

#if defined(__SANITIZE_ADDRESS__)
#define PQ_UNDER_ASAN 1
#elif defined(__has_feature)
#define PQ_UNDER_ASAN __has_feature(address_sanitizer)
#else
#define PQ_UNDER_ASAN 0
#endif

/* AddressSanitizer watches blocks of malloc, so all are of malloc then. */
enum { PQ_MEMORY_IS_WATCHED = PQ_UNDER_ASAN };

/* n bytes, not initialised; NULL: the host has none. */
void *pq_raw_new(size_t n, bool *mapped);

/* ... whose bytes after a header of PQ_RAW_HEADER begin where a huge page may begin, if
** they have room for one.  The system was asked for huge pages then. */
void *pq_raw_new_aligned(size_t n, bool *mapped);

/* A block of `had` bytes with room for n, perhaps elsewhere.  NULL: there is no
** memory, and the block is as it was. */
void *pq_raw_resize(void *p, size_t had, size_t n, bool *mapped);

void pq_raw_free(void *p, size_t n, bool mapped);

#endif
