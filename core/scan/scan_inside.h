/*
** scan_inside.h - the private state of a scan, shared by scan_*.c, unnest*.c, join_*.c,
** lookup*.c and row_source.c.
*/
#ifndef PQ_SCAN_INSIDE_H
#define PQ_SCAN_INSIDE_H

#include "core/column/made_leaf.h"
#include "core/files/chunk_files.h"
#include "core/files/table_paths.h"
#include "core/join/block_cache.h"
#include "core/scan/join_index.h"
#include "core/scan/lookup.h"
#include "core/scan/row_source.h"

/* A leaf of the current file, decoded when it is asked for. */
typedef struct PqScanLeaf {
    PqLeafReader *reader;            /* NULL: never asked for               */
    int64_t       group;             /* row group of reader, -1: none       */
    PqLeafReader *next;              /* takes the first page of next_group  */
    int64_t       next_group;
    bool          streak;            /* groups are being read in order      */
    uint64_t      batch;             /* serial of the batch in vector       */
    bool          levels;            /* levels were asked for               */
    bool          used;              /* a column of the table uses it       */
    bool          by_lane;           /* a lane has read it                  */
    bool          wanted;            /* the host says that it will be read  */
    PqVector      vector;
    struct PqGather *gather;         /* arrays of picked rows, or NULL      */
    PqMadeLeaf   *made;              /* of a leaf that a file lacks, or NULL */
} PqScanLeaf;

/* A column that is a path, in the current file. */
typedef struct PqScanPath {
    bool        resolved;            /* the scan's node is known            */
    bool        planned;
    PqPathPlan  plan;
    struct PqPathRows *rows;         /* NULL: no value was asked for        */
    const PqVector **vectors;        /* for rows                            */
    uint64_t    batch;               /* serial of the batch in rows         */
    PqVector    vector;
} PqScanPath;

/* A file that was opened before the scan gets to it. */
typedef struct PqScanNext {
    uint32_t  file;
    PqSource *source;
    PqFooter *footer;
    int64_t   bytes;                 /* that were announced                 */
} PqScanNext;

enum { PQ_SCAN_NEXT = 8 };

struct PqScan {
    const PqTable   *table;
    const PqListing *listing;
    PqMem           *mem;
    PqReadCtx        ctx;
    PqSharedStop     stop;           /* the scan is freed, too              */
    PqPool          *pool;           /* NULL: nothing is decoded ahead      */
    PqReadCtx        workers[PQ_POOL_THREADS];
    bool             rows_only;
    uint64_t         columns;        /* PqScanOptions.columns               */
    const bool      *late;           /* ... and late                        */
    uint32_t         announced;      /* row groups of the file              */
    bool             announces;      /* pq_scan_announce_more has to come   */
    PqExtent        *needs;          /* scan_announce.c                     */
    uint32_t         n_needs, needs_room;
    bool             few_columns;    /* see pq_scan_reads_few_columns       */
    PqScanNext       next[PQ_SCAN_NEXT];
    uint32_t         n_next;
    unsigned         distrust;
    PqScanStats      stats;
    bool             unlisted;       /* not listed in the statistics        */
    bool             noted_surplus;  /* note_surplus has made its note      */
    bool             noted_locks;    /* so has note_locks                   */
    size_t           lanes_peak;     /* memory of its lanes                 */
    PqRowRange      *ranges;
    uint32_t         n_ranges, range;
    PqSkipFile       skip_file;
    void            *skip_arg;
    const PqProof  **proofs;
    uint32_t         n_proofs;
    PqFilter       **filters;
    uint32_t         n_filters;
    uint64_t         filters_of;     /* file_serial that they are sorted for */
    bool             first_filter;   /* the first filter runs, on every row */
    uint64_t         keep[PQ_BATCH_ROWS / 64];
    uint32_t        *kept;           /* PQ_BATCH_ROWS, once there are filters */

    int64_t          at;             /* rowid where the next batch begins   */
    uint32_t         batch_rows;     /* grows from a few to PQ_BATCH_ROWS   */
    uint64_t         batch_serial;
    uint64_t         pause_at;       /* rows read by then                   */
    uint64_t         pause_rows;     /* ... since pq_scan_pause_after       */
    PqBatch          batch;
    PqRowSource      rows;           /* pq_scan_rows                        */

    int64_t          file;           /* index of the open file, -1: none    */
    uint64_t         file_serial;
    PqInput          in;
    PqFooter        *footer;
    const PqNode   **nodes;          /* one per column of the table; of a
                                     ** path: pq_scan_node                  */
    PqScanPath      *paths;          /* one per column; NULL: there are none */
    bool             cast_one;       /* in the row cast_row of the batch only */
    uint32_t         cast_row;
    uint32_t         group;
    int64_t          may_want_of;    /* group that may_want is about, or -1 */
    bool             may_want;
    bool             group_refuted;
    bool             group_known;    /* group_refuted is about group        */
    bool             revisited;      /* the next group was counted already  */
    struct PqScanHeaders *headers;   /* headers walked so far; NULL: none   */
    struct PqScanBoxes   *boxes;     /* found so far; NULL: none            */
    const PqNode        **log_nodes; /* of columns, in the schema of a lake table;
                                     ** NULL: not looked for                */
    bool             visited_headers;        /* the last visit of pages used
                                     ** their headers                       */
    PqRowRange      *live;           /* rows of the group that may be       */
    uint32_t         n_live, live_at;        /* wanted, if it is cut; the last one
                                     ** that was asked for                  */
    bool             is_cut;         /* by proofs, or by deleted rows       */
    PqScanLeaf        *leaves;
    uint32_t         n_leaves;       /* the most of any file so far         */
    PqChunkFiles            parts;
    struct PqPick     *pick;         /* NULL: nothing was ever picked       */
    bool               by_key;       /* keys were looked up, so there will be
                                     ** many picks                          */
    PqLookup          *lookup;       /* where picked rows are kept          */
    PqLookup          *own_lookup;   /* ... if no other scan shares it      */
    struct PqElements   *unnest;       /* NULL: rows are rows                 */
    PqScan            *next_of_lookup;
};

struct PqLookup {
    PqMem       *mem;
    size_t       memory, most_picked;
    size_t       indexed;            /* bytes of indexes                    */
    size_t       adopted;            /* ... of an earlier statement         */
    size_t       peak;
    PqPickCache *cache;              /* NULL: nothing was ever picked       */
    PqJoinIndex  *indexes;
    uint64_t     keys_version;       /* of the ring, when indexes were begun */
    PqScan      *scans;
};

/* lookup.c */
void pq_lookup_join(PqLookup *l, PqScan *s);
void pq_lookup_leave(PqScan *s);

/* The memory that an index may take, which takes `bytes` now. */
size_t pq_lookup_index_room(const PqLookup *l, size_t bytes);

/* Gives picked rows the memory that is left when more bytes are taken. */
PqRc pq_lookup_share(PqLookup *l, size_t more, PqErr *e);

/* Something was added: notes the highest memory so far. */
void pq_lookup_count(PqLookup *l);

/* scan.c: walks to the next rows that the proofs leave, [row, end) of the file,
** and sets s->at to the first. */
PqRc pq_scan_find_rows(PqScan *s, int64_t *row, int64_t *end, bool *more,
                       PqErr *e);

/* ... the next batch of rows, before filters are asked. */
PqRc pq_scan_walk(PqScan *s, bool *more, PqErr *e);

/* scan_lane.c: is it time for the batch without rows?  Then that is made. */
bool pq_scan_pauses(PqScan *s);

/* scan.c: reads these ranges from the first on, under the same terms. */
PqRc pq_scan_set_ranges(PqScan *s, const PqRowRange *ranges, uint32_t n,
                        PqErr *e);

/* scan_file.c */
PqRc pq_scan_open_file(PqScan *s, uint32_t file, PqErr *e);
void pq_scan_close_file(PqScan *s);

/* PQ_CHANGED if a file that the current row group is read from has changed. */
PqRc pq_scan_check_file(const PqScan *s, PqErr *e);

/* scan_announce.c: does the host say that it will read the column? */
bool pq_scan_wants(const PqScan *s, uint32_t column);

/* ... when a file, or a row group with live rows, was entered. */
void pq_scan_announce_file(PqScan *s);
void pq_scan_announce_group(PqScan *s);
/* ... and when rows are read, while s->announces. */
void pq_scan_announce_more(PqScan *s);

/* ... and before a column is read of picked rows. */
void pq_scan_announce_picks(PqScan *s);

/* scan_pick.c: the rows of the batch, counted in the file, ascending. */
int64_t pq_scan_picked_row(const PqScan *s, uint32_t i);
/* ... has the block that holds a row of the group to be read?  That is rows [*first,
** *end) of the group, or fewer. */
bool pq_scan_lacks_block(const PqScan *s, uint32_t leaf, uint32_t group, int64_t row,
                         int64_t *first, int64_t *end);

/* How much is announced beyond the row group, or the file, that is read: as much as may lie
** unread, so that a server is not idle while a large row group is worked on. */
enum { PQ_SCAN_AHEAD = 32 << 20 };

/* ... of a chunk at most so many bytes, from *at on; returns how many.  A chunk without an
** index of pages may be a single one, so it is announced whole. */
int64_t pq_scan_chunk_bytes(const PqFooter *f, uint32_t group, uint32_t leaf, int64_t most,
                            PqArena *a, int64_t *at);

/* scan_next.c: opens the file, or takes it if it is open. */
PqRc pq_scan_enter_next(PqScan *s, uint32_t file, PqErr *e);
/* ... opens the files after it whose ends have come, and announces what will be read
** of them. */
void pq_scan_look_into_next(PqScan *s);
void pq_scan_close_next(PqScan *s);

/* scan_prune.c: asks the proofs about the current row group. */
PqRc pq_scan_prune_group(PqScan *s, PqErr *e);

/* The leaf of this file that is the column of the table; NULL: there is none
** that a proof can use. */
const PqLeaf *pq_scan_proof_leaf(const PqScan *s, uint32_t column);

/* The same for one row group: also a typed_value whose `value` is all null
** there. */
const PqLeaf *pq_scan_group_leaf(const PqScan *s, uint32_t column,
                                 uint32_t group);

/* Forgets the claim of a repeated leaf that there is no null, if a row without
** elements counts as null. */
void pq_scan_doubt_nulls(const PqScan *s, PqLeafBounds *b);

/* scan_path.c: forgets what the paths were in the previous file. */
void pq_scan_forget_paths(PqScan *s);
void pq_scan_free_paths(PqScan *s);

/* A path that has to be computed: typed_value, and the `value` beside it.
** Bounds of typed_value are bounds of the column only where `value` is null.
** False: the path has no typed_value in this file. */
bool pq_scan_path_leaves(const PqScan *s, uint32_t column, const PqLeaf **typed,
                         const PqLeaf **value);

/* The vector of a path's leaf (PQ_PATH_LEAF) for the rows of the batch. */
PqRc pq_scan_path_vector(PqScan *s, uint32_t leaf, const PqVector **out,
                         PqErr *e);

/* For errors in reading that only serves a proof, where failing costs only
** speed.  Clears such an error, and restores e->where. */
PqRc pq_scan_forgive(PqRc rc, PqWhere outer, PqErr *e);

/* Asks one proof about the current row group; chunks are parsed into a. */
typedef PqRc (*PqScanRefute)(PqScan *s, const PqProof *p, PqArena *a,
                             bool *refuted, PqErr *e);
PqRc pq_scan_refute_bloom(PqScan *s, const PqProof *p, PqArena *a,
                          bool *refuted, PqErr *e);      /* scan_bloom.c */
PqRc pq_scan_refute_dict(PqScan *s, const PqProof *p, PqArena *a,
                         bool *refuted, PqErr *e);       /* scan_dict.c  */

/* May rows of this row group be wanted, judging by its statistics?  For
** reading ahead. */
bool pq_scan_may_want(PqScan *s, uint32_t group);

/* Removes the rows [first, end) of the current row group from the live ones. */
PqRc pq_scan_cut_rows(PqScan *s, int64_t first, int64_t end, PqErr *e);

/* scan_boxes.c: asks a proof about a geometry, by the boxes of a row group, */
PqRc pq_scan_boxes_of_group(PqScan *s, const PqProof *p, uint32_t group,
                            PqArena *a, bool *refuted, PqErr *e);
PqRc pq_scan_refute_boxes(PqScan *s, const PqProof *p, PqArena *a,
                          bool *refuted, PqErr *e);
/* ... and by the boxes of runs of its rows. */
PqRc pq_scan_refute_box_runs(PqScan *s, const PqProof *p, bool by_headers,
                             PqArena *a, bool *refuted, PqErr *e);
/* ... by the boxes of a file, before it is opened again; its row groups are
** then counted. */
bool pq_scan_boxes_skip(PqScan *s, int64_t file);
/* scan_log.c: ... by what the log of a lake table says of it. */
bool pq_scan_log_skips(PqScan *s, const PqListedFile *file);
void pq_scan_free_boxes(struct PqScanBoxes *b);      /* b may be NULL */

/* scan_pages.c: the pages of a leaf in a row group of this file, allocated in
** a.  n is 0 without a valid index. */
typedef struct PqHeaderPage {
    int64_t  first_row;              /* in the row group                    */
    PqBounds bounds;
} PqHeaderPage;

typedef struct PqScanPages {
    const PqLeaf *leaf;
    int64_t       group_rows;
    PqOffsetIndex offsets;
    PqColumnIndex bounds;
    PqOrder       order;             /* of the bounds                       */
    bool          nulls;             /* nulls are counted rightly           */
    const PqHeaderPage *headers;     /* replaces offsets and bounds         */
    uint32_t      n;
} PqScanPages;

PqRc pq_scan_pages_load(PqScan *s, uint32_t group, const PqLeaf *leaf,
                        PqArena *a, PqScanPages *out, PqErr *e);

/* The pages of some leaves.  A leaf without an index counts as one page that
** spans the row group. */
enum { PQ_RUN_LEAVES = 8 };
_Static_assert((int)PQ_RUN_LEAVES >= 2 * (int)PQ_PROOF_LEAVES,
               "each has a `value` beside it");

typedef struct PqScanRuns {
    uint32_t     n, n_asked;         /* leaves.  The first n_asked are the
                                     ** proof's.  The others are each a `value`
                                     ** that has to be null, or the bounds of
                                     ** its typed_value do not hold         */
    PqScanPages  of[PQ_RUN_LEAVES];
    PqLeafBounds whole[PQ_RUN_LEAVES];
    uint32_t     at[PQ_RUN_LEAVES];
} PqScanRuns;

/* The end of the run that begins at `row` and lies within one page of each
** leaf, and the bounds of these pages.  Rows have to be asked for in ascending
** order. */
int64_t pq_scan_end_of_run(const PqScan *s, PqScanRuns *r, int64_t row,
                           PqLeafBounds bounds[PQ_RUN_LEAVES]);

/* scan_headers.c: the same from page headers, where there is no index.  Valid
** until the next call. */
PqRc pq_scan_headers_load(PqScan *s, uint32_t group, const PqLeaf *leaf,
                          PqScanPages *out, PqErr *e);
void pq_scan_forget_headers(PqScan *s);
/* Changes when what was loaded before is forgotten. */
uint32_t pq_scan_header_walks_forgotten(const PqScan *s);
void pq_scan_free_headers(PqScan *s);

/* The first run of rows of the group, from `row` on, that may be wanted; false:
** none is left. */
bool pq_scan_live_rows(PqScan *s, int64_t row, int64_t *begin,
                       int64_t *end);

/* The row group that holds `row`, a row that the file has. */
uint32_t pq_scan_group_of_row(const PqFooter *f, int64_t row);

/* scan_leaf.c: opens the reader of a leaf on a row group, unless it is open on
** it. */
PqRc pq_scan_enter_leaf(PqScan *s, uint32_t leaf, uint32_t group, PqErr *e);
void pq_scan_free_reader(PqLeafReader *r);           /* r may be NULL */

/* ... begins the next row group of a leaf on other threads, if it is time. */
void pq_scan_look_ahead(PqScan *s, uint32_t leaf);

/* scan_pick.c: the vector of a leaf for a batch of picked rows. */
PqRc pq_scan_gather(PqScan *s, uint32_t leaf, PqErr *e);
void pq_scan_free_gather(struct PqGather *g);        /* g may be NULL */

#endif
