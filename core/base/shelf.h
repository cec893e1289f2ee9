/*
** shelf.h - large blocks that were given back, for who needs one next.
**
** A query takes a few buffers of some hundred kilobytes and gives them back a
** millisecond later; the C library returns such memory to the system, and the
** next query pays for every page of it again, which is a quarter of the time of
** a point lookup.  So the last few are kept here, as long as anyone has the
** shelf open: an engine, which a connection has.
**
**   [ 66 kB | 131 kB | 131 kB | 800 kB |  ...  ]     16 blocks, 4 MB at most
**
** What lies here is nobody's: it is in no budget, and it is freed with the last
** engine.  Safe from several threads at once.
*/
#ifndef PQ_SHELF_H
#define PQ_SHELF_H

#include <stdbool.h>
#include <stddef.h>

void pq_shelf_open(void);
void pq_shelf_close(void);

/* A block of malloc with room for n bytes, and not many more; NULL: none. */
void *pq_shelf_take(size_t n);

/* Takes over a block of malloc with room for n bytes; false: it was not
** wanted. */
bool pq_shelf_put(void *p, size_t n);

#endif
