/*
** leaf_read.h - rows of one leaf, as vectors.
**
** A reader walks forward through a chunk: pq_leaf_read asks for n rows from a
** row on, which may lie anywhere ahead; pages in between are passed without
** being decompressed, and where there is an offset index they are not even
** looked at.  Asking for a row behind begins the chunk again.
**
**   rows asked for       ......[=========]......
**   pages            |  a  |  b   |  c  |  d  |
**                      pass  skip+read read
**
** Values are gathered packed, page after page, and spread over the slots once
** at the end.  A vector stays a dictionary vector (ids) as long as all its
** pages are dictionary pages; a chunk whose writer gave up on the dictionary
** half-way has one vector in which the ids so far are looked up.
**
** A flat leaf (not repeated) has as many slots in a page as rows.  For a
** repeated one only the levels tell: leaf_repeat.c.
*/
#ifndef PQ_LEAF_READ_H
#define PQ_LEAF_READ_H

#include "core/base/pool.h"
#include "core/column/page_arrival.h"
#include "core/column/vector.h"
#include "core/encoding/levels.h"

typedef enum PqGathered { PQ_GATHER_NONE, PQ_GATHER_IDS, PQ_GATHER_VALUES }
    PqGathered;

/* Grown, never shrunk, and reused for vector after vector. */
typedef struct PqSpace {
    uint32_t  room;                  /* slots                              */
    void     *values;
    uint32_t *ids;
    uint64_t *valid;
    uint16_t *rep, *def;
} PqSpace;

/* The page behind the one being read, fetched and decompressed by another
** thread; see leaf_ahead.c. */
typedef struct PqAhead {
    PqJob      job;
    PqPool    *pool;                 /* NULL: nothing is done ahead        */
    PqReadCtx *workers;              /* one per thread of the pool         */
    bool       from_start;           /* the job may take a dictionary too  */
    bool       out;                  /* the job owns r->chunk              */
    bool       have;                 /* its outcome has not been used      */
    bool       more;
    PqPage    *page;                 /* taken, if the header was a page's  */
    PqErr      e;
} PqAhead;

typedef struct PqLeafReader {
    PqReadCtx    *ctx;
    PqChunkReader chunk;
    const PqLeaf *leaf;
    size_t        width;             /* of a value                         */
    bool          want_levels;       /* def levels, not only valid bits    */
    bool          is_open;
    bool          jumped;            /* to a page, whose header comes next */
    bool          skipping;          /* rows are passed over now           */
    int64_t       row;               /* the next one                       */
    uint32_t      usual_slots;       /* of the last page that was met      */

    PqPage       *page;              /* being read; NULL: none             */
    PqPageArrival arrival;           /* open: page comes as it is wanted   */
    bool          used_up;           /* the page before was, by reading it: */
                                     /* this one is taken whole             */
    bool          reads_all;         /* set by whoever asks for every row   */
    PqPage       *kept;              /* pages that the vector points into  */
    PqPage       *spare;             /* their buffers, to be used again    */
    uint32_t      slots_left;        /* in page, beyond the look-ahead     */
    PqLevels      rep, def;
    PqDecoder    *decoder;

    PqDict        dict;              /* n 0 and values NULL: none          */
    PqPage       *dict_page;
    PqArena       dict_strings;

    PqSpace       space;
    PqArena       strings;           /* of the vector                      */
    PqGathered    gathered;
    uint32_t      n_packed;

    PqAhead       ahead;
    bool          streak;            /* pages are being used up in order   */

    /* Levels read but not yet handed out, of a repeated leaf. */
    uint16_t     *ahead_rep, *ahead_def;
    uint32_t      ahead_at, ahead_n;
} PqLeafReader;

PqRc pq_leaf_reader_init(PqLeafReader *r, PqReadCtx *ctx, PqErr *e);
void pq_leaf_reader_reset(PqLeafReader *r);

/* Begins a chunk: r->chunk.chunk has been parsed into r->chunk.arena, see
** pq_leaf_reader_arena.  leaf and in stay until the next open. */
PqRc pq_leaf_reader_open(PqLeafReader *r, PqInput *in, const PqLeaf *leaf,
                         int row_group, int64_t group_rows, PqSlice created_by,
                         bool want_levels, PqErr *e);

/* Forgets the chunk before and gives the arena for the next one's metadata. */
PqArena *pq_leaf_reader_arena(PqLeafReader *r);

/* Rows [row, row + n), all within the row group.  What *out points to stays
** until the next call. */
PqRc pq_leaf_read(PqLeafReader *r, int64_t row, uint32_t n, PqVector *out,
                  PqErr *e);

/* Goes to the page that holds the row, of a leaf that is not repeated.  From
** *first on, which is the page's first row or a later one, to *end it can be
** read without another page. */
PqRc pq_leaf_enter_page(PqLeafReader *r, int64_t row, int64_t *first,
                        int64_t *end, PqErr *e);

/* leaf_dict.c: the chunk's dictionary, decoded once for whoever asks and for
** the rows, or NULL: it has none, or it was not met before the pages being
** read.  It stays until the reader is opened again. */
PqRc pq_leaf_dictionary(PqLeafReader *r, const PqDict **out, PqErr *e);

/* Pages may be taken ahead by the threads of pool, each with its own of
** workers; both stay as long as the reader.  Once the stop of the reader's
** context has said yes, that of each worker's has to say it, from any
** thread. */
void pq_leaf_reader_employ(PqLeafReader *r, PqPool *pool, PqReadCtx *workers);

/* The reader was just opened and will be read from the start: fetches its
** dictionary and first page ahead. */
PqRc pq_leaf_read_ahead(PqLeafReader *r, PqErr *e);

/* Every page of the chunk has been taken, and no job is out. */
bool pq_leaf_all_taken(const PqLeafReader *r);

/* For leaf_ahead.c. */
PqRc pq_leaf_fresh_page(PqLeafReader *r, PqPage **out, PqErr *e);
PqRc pq_leaf_take_dictionary(PqLeafReader *r, PqErr *e);
void pq_leaf_retire(PqLeafReader *r, PqPage **list);

/* leaf_ahead.c: schedules the next page, waits for it, forgets it. */
PqRc pq_leaf_ahead_begin(PqLeafReader *r, PqErr *e);
void pq_leaf_ahead_settle(PqLeafReader *r);
void pq_leaf_ahead_drop(PqLeafReader *r);

/* leaf_values.c: n more packed values from the page; the packed ones over the
** slots of the vector. */
PqRc pq_leaf_gather(PqLeafReader *r, uint32_t n, PqErr *e);
void pq_leaf_spread(PqLeafReader *r, uint32_t n_slots);

/* For leaf_repeat.c. */
bool pq_leaf_at_end(PqLeafReader *r);
PqRc pq_leaf_load_page(PqLeafReader *r, PqErr *e);
PqRc pq_leaf_room(PqLeafReader *r, uint32_t n_slots, PqErr *e);
PqRc pq_leaf_repeat_skip(PqLeafReader *r, int64_t n_rows, PqErr *e);
PqRc pq_leaf_repeat_read(PqLeafReader *r, uint32_t n_rows, uint32_t *n_slots,
                         uint32_t *n_set, PqErr *e);

#endif
