/*
** lookup.h - what all scans of a listing share: picked rows and key indexes.
**
** A join of a table with itself has several scans of one listing, and so has a
** subquery about a table that is also read outside.  They share the rows that
** one of them has decoded for picking, and indexes:
**
**   listing    files, and their versions
**   lookup     blocks of picked rows (block_cache.h), indexes (join_index.h)
**   scans      open files, pages, batches
**
** The memory of all of this together is limited.  Scans take what they need, up
** to their own limits; indexes take a part of the rest, and picked rows what is
** left then.
*/
#ifndef PQ_LOOKUP_H
#define PQ_LOOKUP_H

#include "core/scan/scan.h"

/* memory: bytes for this and all scans that share it. */
PqRc pq_lookup_new(size_t memory, PqLookup **out, PqErr *e);

/* Called after all scans are freed.  l may be NULL. */
void pq_lookup_free(PqLookup *l);

/* Picked rows may take no more than these bytes. */
void pq_lookup_pick_memory(PqLookup *l, size_t most);

/* The bytes that the lookup takes now, together with all scans, and the bytes
** that they may take. */
size_t pq_lookup_used(const PqLookup *l);
size_t pq_lookup_memory(const PqLookup *l);

/* ---- between statements ---- */

/* The indexes of a lookup, and the files that they are of. */
typedef struct PqKeptIndexes PqKeptIndexes;

/* Takes the indexes that are ready, when no scan shares l any more.  NULL:
** nothing is worth keeping, or there are keys of encrypted files, whose values
** must not stay in memory. */
PqKeptIndexes *pq_lookup_keep(PqLookup *l, const PqListing *of,
                              const PqEngine *engine);
void pq_lookup_keep_free(PqKeptIndexes *k);              /* k may be NULL */

/* Gives the indexes to l if the files are the same.  Takes k, which may be
** NULL. */
void pq_lookup_adopt(PqLookup *l, PqKeptIndexes *k, const PqListing *of,
                     const PqEngine *engine);

#endif
