/*
** free_blocks.h - large blocks that were freed, kept for the next allocation.
**
** A query takes a few buffers of some hundred kilobytes and frees them a
** millisecond later.  Such memory goes back to the system, and the next query
** pays for every page of it again.  That is a quarter of the time of a point
** lookup, and more with threads, which wait for each other at each page.  So the
** last blocks are kept here while the shelf is open.  Each connection has an
** engine, which opens it.
**
**   [ 66 kB | 131 kB | 131 kB | 800 kB |  ...  ]     48 blocks, 16 MB at most
**
** Blocks on the shelf are charged to no budget.  The last engine that closes leaves
** 4 MB, so that a program which opens a connection for each query need not pay for
** every page again.  A block of more than 16 MB that is taken from the host empties it.
** Safe from several threads at once.
*/
#ifndef PQ_FREE_BLOCKS_H
#define PQ_FREE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* What the last engine leaves: a test that counts blocks sets it to 0. */
extern size_t pq_free_blocks_kept;

void pq_free_blocks_open(void);
void pq_free_blocks_close(void);

/* A block of raw_block.h with room for n bytes and not many more, or NULL. */
void *pq_free_blocks_take(size_t n, bool *mapped);

/* Takes over a block with room for n bytes; false if it was not taken. */
bool pq_free_blocks_put(void *p, size_t n, bool mapped);

#endif
