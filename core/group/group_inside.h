/*
** group_inside.h - inside grouping.h: what is shared by its files.
**
**   group_read.c   the scan becomes records
**   group_fill.c   ... a batch at a time
**   group_give.c   partitions become groups, and groups batches
**   group_stream.c ... of what is too large and has one key
**   group_merge.c  ... in the order of their keys
**   group_cells.c  vectors of records
*/
#ifndef PQ_GROUP_INSIDE_H
#define PQ_GROUP_INSIDE_H

#include "core/group/group_store.h"

/* Rows with consecutive rowids, which have consecutive numbers. */
typedef struct PqGroupSpan {
    uint64_t number;
    int64_t  rowid;
} PqGroupSpan;

/* A slot of the batch that is read. */
typedef struct PqGroupSource {
    const PqVector *vector;          /* NULL: NULL in all rows              */
    bool      by_entries;
    uint32_t *entries;               /* per row: + 1; 0: its text           */
    PqBuf     bytes;                 /* of the cells of a key               */
    PqStr    *cells;
} PqGroupSource;

/* A slot of the batch that is given. */
typedef struct PqGroupGiven {
    void     *values;
    uint32_t *ids;
    uint16_t *def;
    uint64_t  valid[PQ_BATCH_ROWS / 64];
    PqDict    dict;                  /* the entries                         */
    PqVector  vector;
} PqGroupGiven;

/* The rows of a batch that filters left, and what becomes of them. */
typedef struct PqGroupBatch {
    uint32_t n;
    uint32_t rows[PQ_BATCH_ROWS];
    uint64_t heads[PQ_BATCH_ROWS];
    uint64_t hashes[PQ_BATCH_ROWS];
    size_t   sizes[PQ_BATCH_ROWS];
    uint8_t *to[PQ_BATCH_ROWS];
    PqGroupSource sources[PQ_GROUP_SLOTS];
} PqGroupBatch;

/* A partition whose rows are too many for memory, though all have one hash. */
typedef struct PqGroupStream {
    bool          on;
    uint32_t      piece;             /* + 1, the next; 0: none              */
    PqGroupChunk *chunk, *read;      /* current one; read: to be freed      */
    const uint8_t *at;
    PqArena       keys;              /* records with the keys that were     */
    const uint8_t **done;            /* given, the current one last         */
    uint32_t      n_done, room;
    uint64_t      n_given;           /* rows                                */
    bool          skips;             /* the first row of the key was given  */
} PqGroupStream;

/* Rows in the order of their groups: lines of a partition, or a stretch of the
** file. */
typedef struct PqGroupRun {
    PqGroupPart     part;
    PqGroupChunk   *pieces;
    const uint8_t **lines;
    uint64_t        n_lines, line;
    uint64_t        at, end;         /* in the file                         */
    PqGroupChunk   *chunk;           /* read from there                     */
    const uint8_t  *record;          /* the next one; NULL: none            */
    bool            used_up;         /* another chunk has to be read        */
} PqGroupRun;

typedef struct PqGroupMerge {
    PqGroupRun *runs;
    uint32_t    n, room;
    uint32_t   *heap;                /* runs, that with the first key on top */
    uint32_t    n_heap;
    bool        in_file;             /* runs go to the file at once         */
    bool        merging;
    size_t      chunk;               /* bytes read at once                  */
} PqGroupMerge;

struct PqGrouping {
    PqScan       *scan;
    PqMem        *mem;
    PqGroupSpec   spec;
    PqGroupShape  shape;
    PqGroupStore  store;
    bool          was_read, once;
    bool          by_file;           /* files differ: see grouping.h        */
    bool          frugal;            /* records get little memory           */
    uint64_t      file_serial;
    uint32_t      file;              /* whose types the records have        */
    PqGroupSpan  *spans;
    uint32_t      n_spans, spans_room, span;
    uint64_t      n_numbers;
    unsigned      bits;              /* of the partitions                   */
    PqGroupBatch *in;                /* while reading                       */
    /* The partition that is given. */
    PqGroupPart   part;
    PqGroupChunk *pieces;            /* of it, read from the file           */
    const uint8_t **lines;           /* rows of it, by groups               */
    uint64_t     *starts;            /* of the groups, one more             */
    uint32_t      n_groups, group;
    uint64_t      n_lines, line;
    PqGroupTable  table;
    PqGroupStream stream;
    PqGroupMerge  merge;
    PqGroupGiven *given;             /* one per slot                        */
    uint64_t      nulls;             /* heads of the batch, or-ed           */
    const uint8_t *batch[PQ_BATCH_ROWS];
    uint32_t      group_of[PQ_BATCH_ROWS];       /* once                    */
    int64_t       rowids[PQ_BATCH_ROWS];
};

/* group_fill.c: puts the rows of the scan's batch aside. */
PqRc pq_group_fill(PqGrouping *g, PqErr *e);
void pq_group_free_batch(PqGroupBatch *b);   /* b may be NULL */

/* group_read.c: reads the scan. */
PqRc pq_group_read(PqGrouping *g, PqErr *e);
/* ... learns what the slots are in the scan's file; false: not what they were. */
bool pq_group_enter_file(PqGrouping *g);

/* group_cells.c: makes n records, g->batch, the batch of the scan. */
PqRc pq_group_hand_out(PqGrouping *g, uint32_t n, PqErr *e);
/* ... of a record. */
int64_t pq_group_rowid(PqGrouping *g, const uint8_t *record);

/* group_stream.c: begins with a partition; the next records of it to g->batch. */
PqRc pq_group_stream_begin(PqGrouping *g, const PqGroupPart *part, PqErr *e);
/* ... has it more keys than one? */
PqRc pq_group_stream_has_keys(PqGrouping *g, const PqGroupPart *part, bool *yes,
                              PqErr *e);
PqRc pq_group_stream_next(PqGrouping *g, uint32_t *n, PqErr *e);
/* ... all rows of the keys from this row's on. */
void pq_group_stream_all_rows(PqGrouping *g, uint32_t row);
void pq_group_stream_end(PqGrouping *g);

/* group_give.c: the next partition to g->lines, or to g->stream. */
PqRc pq_group_next_part(PqGrouping *g, PqErr *e);
void pq_group_free_part(PqGrouping *g);

/* group_merge.c: the next records to g->batch.  The first call takes all
** partitions. */
PqRc pq_group_merge_next(PqGrouping *g, uint32_t *n, PqErr *e);
void pq_group_merge_free(PqGrouping *g);
/* ... sorts groups by their keys; firsts has a record of each. */
PqRc pq_group_sort(const PqGrouping *g, const uint8_t *const *firsts,
                   uint32_t n, uint32_t *out, PqErr *e);
/* ... writes the runs that are in memory. */
PqRc pq_group_write_runs(PqGrouping *g, PqErr *e);

#endif
