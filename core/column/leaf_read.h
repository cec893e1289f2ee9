/*
** leaf_read.h - rows of one leaf, as vectors.
**
** A reader walks forward through a chunk.  pq_leaf_read asks for n rows from
** any later row on.  Pages in between are passed without being decompressed;
** where there is an offset index, not even their headers are read.  Asking for
** an earlier row begins the chunk again.
**
**   rows asked for       ......[=========]......
**   pages            |  a  |  b   |  c  |  d  |
**                      pass  skip+read read
**
** Values are gathered without gaps, page after page, and spread over the slots
** once at the end, unless they are wanted packed.  A vector is a dictionary
** vector (ids) if all its pages are dictionary pages.  If the writer gave up on
** the dictionary half-way through a chunk, one vector has pages of both kinds;
** its ids are then looked up.
**
** In a flat leaf (not repeated) a page has as many rows as slots.  In a
** repeated one only the levels tell: leaf_repeat.c.
*/
#ifndef PQ_LEAF_READ_H
#define PQ_LEAF_READ_H

#include "core/base/pool.h"
#include "core/column/lazy_page.h"
#include "core/column/vector.h"
#include "core/encoding/levels.h"

/* What a vector has: values in the slots of their levels, values without gaps,
** or only levels. */
typedef enum PqLeafForm { PQ_LEAF_SPACED, PQ_LEAF_PACKED, PQ_LEAF_LEVELS }
    PqLeafForm;

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

/* The page after the one being read, fetched and decompressed by another
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

/* A partial dictionary, with only the first entries: leaf_dict.c. */
typedef struct PqDictPart {
    PqPageArrival arrival;           /* open: there are more               */
    PqDecoder    *decoder;           /* NULL: none was needed yet          */
    uint32_t      n;                 /* entries that are there             */
} PqDictPart;

typedef struct PqLeafReader {
    PqReadCtx    *ctx;
    PqChunkReader chunk;
    const PqLeaf *leaf;
    size_t        width;             /* of a value                         */
    bool          want_levels;       /* def levels, not only valid bits    */
    bool          is_open;
    bool          skipping;          /* rows are being skipped now         */
    int64_t       row;               /* the next one                       */
    uint32_t      usual_slots;       /* of the last page that was seen     */

    PqPage       *page;              /* being read; NULL: none             */
    PqPageArrival arrival;           /* open: page is taken in parts       */
    bool          used_up;           /* the page before was read to its    */
                                     /* end: the next is taken whole       */
    bool          reads_all;         /* set by callers that read every row */
    PqPage       *kept;              /* pages that the vector points into  */
    PqPage       *spare;             /* their buffers, to be used again    */
    uint32_t      slots_left;        /* in page, after the look-ahead      */
    PqLevels      rep, def;
    PqDecoder    *decoder;

    PqDict        dict;              /* n 0 and values NULL: none          */
    PqPage       *dict_page;
    PqArena       dict_strings;
    PqDictPart    part;
    bool          few;               /* rows are read now: by their values */
    PqLeafForm    form;              /* of the vector                      */

    PqSpace       space;
    PqArena       strings;           /* of the vector                      */
    PqGathered    gathered;
    uint32_t      n_packed;
    const void   *lent;              /* the values are in the page, and not in
                                     ** space; NULL: they are              */

    PqAhead       ahead;
    bool          streak;            /* pages are being read in order      */

    /* Levels read but not yet handed out, of a repeated leaf. */
    uint16_t     *ahead_rep, *ahead_def;
    uint32_t      ahead_at, ahead_n;
} PqLeafReader;

PqRc pq_leaf_reader_init(PqLeafReader *r, PqReadCtx *ctx, PqErr *e);
void pq_leaf_reader_reset(PqLeafReader *r);

/* Begins a chunk; r->chunk.chunk has been parsed into r->chunk.arena, see
** pq_leaf_reader_arena.  leaf and in must stay until the next open. */
PqRc pq_leaf_reader_open(PqLeafReader *r, PqInput *in, const PqLeaf *leaf,
                         int row_group, int64_t group_rows, PqSlice created_by,
                         bool want_levels, PqErr *e);

/* Forgets the current chunk; returns the arena for the metadata of the next. */
PqArena *pq_leaf_reader_arena(PqLeafReader *r);

/* Rows [row, row + n), all within the row group.  What *out points to stays
** until the next call. */
PqRc pq_leaf_read(PqLeafReader *r, int64_t row, uint32_t n, PqVector *out,
                  PqErr *e);

/* For a repeated leaf: reads at least one of these rows, and stops once there
** are `most` slots.  out->n_rows is how many.  After PQ_LEAF_LEVELS, reading
** goes on after these rows only with the same form. */
PqRc pq_leaf_read_upto(PqLeafReader *r, int64_t row, uint32_t n, uint32_t most,
                       PqLeafForm form, PqVector *out, PqErr *e);

/* The same for the rows whose bit is set.  The others look like nulls.  The
** leaf is flat, and its levels are not wanted.  few: the vector has values, and
** only the entries of a large dictionary that these rows need are unpacked. */
PqRc pq_leaf_read_some(PqLeafReader *r, int64_t row, uint32_t n,
                       const uint64_t *rows, bool few, PqVector *out,
                       PqErr *e);

/* Goes to the page that holds the row; the leaf is not repeated.  Rows from
** *first to *end can be read without another page; *first may be later than the
** page's first row. */
PqRc pq_leaf_enter_page(PqLeafReader *r, int64_t row, int64_t *first,
                        int64_t *end, PqErr *e);

/* leaf_dict.c: the chunk's dictionary; reading rows uses the same decoded one.
** NULL: there is none, or reading has begun and did not need it.  It stays
** until the reader is opened again. */
PqRc pq_leaf_dictionary(PqLeafReader *r, const PqDict **out, PqErr *e);

/* Pages may be taken ahead by the threads of pool; each thread has its own
** element of workers.  Both must outlive the reader.  Once the stop of the
** reader's context has said yes, the stop of each worker must say yes too, from
** any thread. */
void pq_leaf_reader_employ(PqLeafReader *r, PqPool *pool, PqReadCtx *workers);

/* Are there threads, memory, and time to be saved? */
bool pq_leaf_may_read_ahead(const PqLeafReader *r);

/* Takes the dictionary and the first page ahead, for a reader that was just
** opened and will be read from the start.  Only where pq_leaf_may_read_ahead. */
PqRc pq_leaf_read_ahead(PqLeafReader *r, PqErr *e);

/* Has every page of the chunk been taken, and has every job ended? */
bool pq_leaf_all_taken(const PqLeafReader *r);

/* For leaf_ahead.c. */
PqRc pq_leaf_fresh_page(PqLeafReader *r, PqPage **out, PqErr *e);
void pq_leaf_retire(PqLeafReader *r, PqPage **list);
void pq_leaf_free_pages(PqPage *list);

/* leaf_dict.c: pq_leaf_take_dictionary takes the page whose header was parsed,
** in part if that is asked for and it is large.  pq_leaf_dict_upto and _all
** make sure that the first n entries, or all, are there.  On failure the chunk
** reader stays where it was, as with any page: what failed ahead is tried
** again. */
PqRc pq_leaf_take_dictionary(PqLeafReader *r, bool in_part, PqErr *e);
PqRc pq_leaf_dict_upto(PqLeafReader *r, uint32_t n, PqErr *e);
PqRc pq_leaf_dict_all(PqLeafReader *r, PqErr *e);
void pq_leaf_dict_forget(PqLeafReader *r);

/* leaf_ahead.c: a page is in use from now on; schedules the next one, waits for it,
** forgets it. */
void pq_leaf_note_page(PqLeafReader *r);
PqRc pq_leaf_ahead_begin(PqLeafReader *r, PqErr *e);
void pq_leaf_ahead_settle(PqLeafReader *r);
void pq_leaf_ahead_drop(PqLeafReader *r);

/* leaf_values.c: gathers n more values from the page, without gaps; spreads the
** gathered ones over the slots of the vector. */
PqRc pq_leaf_gather(PqLeafReader *r, uint32_t n, PqErr *e);
void pq_leaf_spread(PqLeafReader *r, uint32_t n_slots);

/* Spreads n_set values of a width, in place, over n slots, as the kernels do. */
void pq_leaf_spread_values(void *values, size_t width, const uint64_t *valid,
                           uint32_t n, uint32_t n_set);

/* For leaf_repeat.c. */
bool pq_leaf_at_end(PqLeafReader *r);
PqRc pq_leaf_load_page(PqLeafReader *r, PqErr *e);
PqRc pq_leaf_room(PqLeafReader *r, uint32_t n_slots, PqErr *e);
PqRc pq_leaf_repeat_skip(PqLeafReader *r, int64_t n_rows, PqErr *e);
/* Does the opened page have the rows of the offset index that led to it? */
PqRc pq_leaf_repeat_check(PqLeafReader *r, PqErr *e);
/* most: see pq_leaf_read_upto.  *n_rows becomes the number of rows. */
PqRc pq_leaf_repeat_read(PqLeafReader *r, uint32_t *n_rows, uint32_t most,
                         uint32_t *n_slots, uint32_t *n_set, PqErr *e);

#endif
