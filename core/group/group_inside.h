/*
** group_inside.h - inside grouping.h: what is shared by its files.
**
**   group_read.c   makes records of the scan
**   group_fill.c   ... a batch at a time
**   group_give.c   makes groups of partitions
**   group_runs.c   makes batches of groups, by their keys if so wanted
**   group_cells.c  vectors of records
**   group_passes.c few groups, without records
**   group_notes.c  ... which row is of which
**   group_gather.c ... the values of some of them at once
*/
#ifndef PQ_GROUP_INSIDE_H
#define PQ_GROUP_INSIDE_H

#include "core/group/group_store.h"

typedef struct PqGrouping PqGrouping;

/* Rows with consecutive rowids and consecutive numbers. */
typedef struct PqGroupSpan {
    uint64_t number;
    int64_t  rowid;
} PqGroupSpan;

/* A slot of the batch that is read. */
typedef struct PqGroupSource {
    const PqVector *vector;          /* NULL: NULL in all rows              */
    bool      by_entries;
    uint32_t *entries;               /* per row: number + 1; 0: its text    */
    PqBuf     bytes;                 /* of the cells of a key               */
    PqStr    *cells;
} PqGroupSource;

/* A slot of the batch that is given. */
typedef struct PqGroupGiven {
    PqStr    values[PQ_BATCH_ROWS + 1];          /* or narrower ones        */
    uint32_t ids[PQ_BATCH_ROWS];
    uint16_t def[PQ_BATCH_ROWS];
    uint64_t valid[PQ_BATCH_ROWS / 64];
    PqDict   dict;                   /* the entries                         */
    PqVector vector;
} PqGroupGiven;

/* The rows of a batch that passed the filters, and where they go. */
typedef struct PqGroupBatch {
    uint32_t n;
    uint32_t rows[PQ_BATCH_ROWS];
    uint64_t heads[PQ_BATCH_ROWS];
    uint64_t hashes[PQ_BATCH_ROWS];
    size_t   sizes[PQ_BATCH_ROWS];
    uint8_t *to[PQ_BATCH_ROWS];
    PqGroupSource sources[PQ_GROUP_SLOTS];
} PqGroupBatch;

/* Rows in the order of their groups: lines of a partition in memory, or records
** in the file.  With `once`, records in the file have one key. */
typedef struct PqGroupRun {
    PqGroupPart     part;            /* the partition that has the lines    */
    const uint8_t **lines;           /* NULL: in the file                   */
    uint64_t        n_lines, line;
    uint64_t       *starts;          /* with once: of groups, and the end   */
    uint32_t        group;
    uint32_t        piece;           /* in the file: a piece + 1, and then  */
    uint64_t        at, end;         /* the stretch [at, end)               */
    PqGroupChunk   *chunk;           /* read from there                     */
    const uint8_t  *record;          /* the next one; NULL: none            */
    bool            used_up;         /* another chunk has to be read        */
    bool            given;           /* with once: its key was given        */
} PqGroupRun;

typedef struct PqGroupRuns {
    PqGroupRun *v;
    uint32_t    n, room;
    uint32_t    at;                  /* the current one, if not merged      */
    uint32_t   *heap;                /* runs, the one with the first key on */
    uint32_t    n_heap;              /* top                                 */
    bool        in_file;             /* runs go to the file at once         */
    size_t      chunk;               /* bytes read at once                  */
} PqGroupRuns;

struct PqGrouping {
    PqRowSource   base;              /* what others see; first              */
    PqScan       *scan;
    PqMem        *mem;
    PqGroupSpec   spec;
    PqGroupShape  shape;
    PqGroupStore  store;
    bool          was_read;
    bool          by_file;           /* files differ: see grouping.h        */
    bool          frugal;            /* records get little memory           */
    uint64_t      file_serial;
    uint32_t      file;              /* the file whose types records have   */
    PqGroupSpan  *spans;
    uint32_t      n_spans, spans_room, span;
    uint64_t      n_numbers;
    unsigned      bits;              /* of the partitions                   */
    PqGroupBatch *in;                /* while reading                       */
    PqNumberTable  table;
    PqGroupRuns   runs;
    PqGroupGiven *given[PQ_GROUP_SLOTS];         /* made when needed        */
    uint64_t      nulls;             /* heads of the batch, or-ed           */
    const uint8_t *batch[PQ_BATCH_ROWS];
    uint32_t      group_of[PQ_BATCH_ROWS];       /* with once               */
    uint32_t      asked;             /* the last row whose rowid was asked  */
    int64_t       rowids[PQ_BATCH_ROWS];
};

/* group_fill.c: makes records of the rows of the scan's batch. */
PqRc pq_group_fill(PqGrouping *g, PqErr *e);
void pq_group_free_batch(PqGroupBatch *b);   /* b may be NULL */

/* group_read.c: reads the scan. */
PqRc pq_group_read(PqGrouping *g, PqErr *e);
/* ... learns the types of the slots in the scan's file; false: they have
** changed. */
bool pq_group_enter_file(PqGrouping *g);

/* group_cells.c: makes the batch of the scan from the n records of g->batch. */
PqRc pq_group_hand_out(PqGrouping *g, uint32_t n, PqErr *e);
/* ... gives the rowid of a record. */
int64_t pq_group_rowid(PqGrouping *g, const uint8_t *record);
/* ... sets a vector of the scan's batch, which was given.  def has room for its
** levels, if the host wants them. */
void pq_group_set_vector(PqScan *s, PqVector *v, uint16_t *def);

/* group_give.c: makes runs of the next partition, perhaps none. */
PqRc pq_group_next_part(PqGrouping *g, PqErr *e);

/* group_runs.c: puts the next records into g->batch; *n 0: there are no
** more. */
PqRc pq_group_runs_next(PqGrouping *g, uint32_t *n, PqErr *e);
/* ... gives all rows of the groups from this row's group on. */
void pq_group_runs_tell_apart(PqGrouping *g, uint32_t row);
/* ... takes over a run, even if it fails. */
PqRc pq_group_runs_add(PqGrouping *g, PqGroupRun *run, PqErr *e);
void pq_group_run_free(PqGrouping *g, PqGroupRun *r);
void pq_group_runs_free(PqGrouping *g);
/* ... writes the runs that are in memory. */
PqRc pq_group_runs_write(PqGrouping *g, PqErr *e);
/* ... makes runs of a partition that is all in the file, with one hash.
** *again: it made none, because the partition has several keys, and no seed. */
PqRc pq_group_runs_of_file(PqGrouping *g, const PqGroupPart *p, bool *again,
                           PqErr *e);
/* ... sorts groups by their keys; firsts has a record of each. */
PqRc pq_group_sort(const PqGrouping *g, const uint8_t *const *firsts,
                   uint32_t n, uint32_t *out, PqErr *e);

#endif
