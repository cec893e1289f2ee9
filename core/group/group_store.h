/*
** group_store.h - records in partitions, in memory or in a file.
**
** A partition takes the records whose hashes begin with the same bits, in the
** order in which they come:
**
**   hash 0110...   bits 2    partition 1    chunk -> chunk -> chunk
**                                           written:  piece -> piece
**
** Its chunks grow from small to large, because most partitions of many may stay
** small.  When all chunks together take too much memory, all are written to the
** file, and a chunk becomes a piece.  So pieces are older than chunks.
**
** Whoever makes a file knows the hashes, and can choose keys that have the same
** hash.  A partition with too many such keys gets hashes with a seed, which
** nobody knows.
*/
#ifndef PQ_GROUP_STORE_H
#define PQ_GROUP_STORE_H

#include "core/base/sink.h"
#include "core/group/group_shape.h"

typedef struct PqGroupChunk {
    struct PqGroupChunk *next;
    size_t   n, room;
    uint64_t n_rows;
    uint8_t  bytes[];
} PqGroupChunk;

typedef struct PqGroupPiece {
    uint64_t at;
    size_t   n;
    uint64_t n_rows;
    uint32_t next;                   /* number + 1; 0: none                 */
} PqGroupPiece;

typedef struct PqGroupPart {
    PqGroupChunk *first, *last;
    uint32_t      first_piece, last_piece;       /* + 1                     */
    uint64_t      n_rows, in_file;   /* in_file: bytes                      */
    uint64_t      hash;              /* of the first row                    */
    bool          mixed;             /* hashes differ                       */
    bool          seeded;            /* hashes have the seed                */
    bool          one_key;           /* rollup_ranges.h: of one split       */
    unsigned      bits;              /* of the hash that all rows share     */
} PqGroupPart;

typedef struct PqGroupStore {
    PqMem        *mem;
    const PqGroupShape *shape;
    const PqStop *stop;
    bool          sealed;            /* the file is enciphered              */
    const char   *hint;              /* if writing fails; NULL: for GROUP BY */
    PqGroupPart  *parts;             /* a stack: the last is next           */
    uint32_t      n_parts, room;
    size_t        limit, used;       /* bytes of chunks                     */
    size_t        most;              /* of a chunk                          */
    bool          keeps;             /* chunks that were written, for more rows */
    PqGroupChunk *spare;             /* ... these                           */
    PqGroupPiece *pieces;
    uint32_t      n_pieces, pieces_room;
    uint64_t      seed;              /* 0: none was needed                  */
    PqSink       *file;              /* NULL: nothing was written           */
} PqGroupStore;

void pq_group_store_init(PqGroupStore *s, PqMem *mem,
                         const PqGroupShape *shape, const PqStop *stop);
void pq_group_store_free(PqGroupStore *s);

/* Adds 2^bits partitions, whose rows share their first `before` bits. */
PqRc pq_group_store_add(PqGroupStore *s, unsigned before, unsigned bits,
                        PqErr *e);

/* Adds n partitions, whose rows share so many bits. */
PqRc pq_group_store_add_parts(PqGroupStore *s, uint32_t n, unsigned bits, PqErr *e);

/* Room for a record of n bytes in a partition.  It stays until the next
** pq_group_store_write.  PQ_BUDGET: writing may make room. */
PqRc pq_group_store_room(PqGroupStore *s, PqGroupPart *p, uint64_t hash,
                         size_t n, uint8_t **out, PqErr *e);

/* Copies a record of n bytes into a partition.  If there is no room, it writes
** all partitions first. */
PqRc pq_group_store_put(PqGroupStore *s, PqGroupPart *p, uint64_t hash,
                        const uint8_t *record, size_t n, PqErr *e);

/* Makes the file, if it does not exist. */
PqRc pq_group_store_need_file(PqGroupStore *s, PqErr *e);

/* Writes all partitions to the file. */
PqRc pq_group_store_write(PqGroupStore *s, PqErr *e);

/* Reads a piece; the caller frees it. */
PqRc pq_group_store_read(PqGroupStore *s, const PqGroupPiece *piece,
                         PqGroupChunk **out, PqErr *e);

/* No more rows come: frees the chunks that were kept for them. */
void pq_group_store_drop_spare(PqGroupStore *s);

/* Frees the chunks of a partition. */
void pq_group_store_drop(PqGroupStore *s, PqGroupPart *p);

/* From now on the rows of the partition have seeded hashes. */
PqRc pq_group_store_reseed(PqGroupStore *s, PqGroupPart *p, PqErr *e);

/* The hash of a row of the partition. */
uint64_t pq_group_store_hash(const PqGroupStore *s, const PqGroupPart *p,
                             const uint8_t *record);

/* Cuts the last partition by further bits into others, which replace it. */
PqRc pq_group_store_cut(PqGroupStore *s, PqErr *e);

static inline bool pq_group_store_is_full(const PqGroupStore *s)
{
    return s->used > s->limit;
}

#endif
