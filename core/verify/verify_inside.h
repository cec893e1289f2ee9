/*
** verify_inside.h - inside verify.h: the walk, and what its files share.
**
**   verify.c         the walk, the findings, files and row groups
**   verify_chunk.c   a chunk: its pages in order, then its metadata
**   verify_page.c    one page, decoded and counted
**   verify_bloom.c   the filter of a chunk
**   verify_geo.c     the box and the types of a chunk of geometries
**   verify_stats.c   statistics and indexes, compared with a tally
**   verify_sort.c    the order of rows
*/
#ifndef PQ_VERIFY_INSIDE_H
#define PQ_VERIFY_INSIDE_H

#include "core/column/chunk_read.h"
#include "core/column/leaf_read.h"
#include "core/meta/bloom.h"
#include "core/files/chunk_files.h"
#include "core/meta/tally.h"
#include "core/verify/verify.h"

struct PqVerify {
    PqMem          *mem;
    PqInput        *in;
    PqChunkFiles    parts;           /* of the current row group             */
    const PqFooter *f;
    PqReadCtx       ctx;
    /* The walk: leaf n_leaves stands for the row group as a whole. */
    bool            begun, done;
    uint32_t        group, leaf;
    bool            group_whole;     /* all its chunks were decoded          */
    bool            orders_missed;   /* the finding was reported             */
    int64_t         n_pages, n_unguarded;    /* where damage is not seen     */
    /* The findings of this step. */
    PqArena         arena;
    PqFinding      *findings;
    uint32_t        n, room, shown;
    int64_t         left_out;
    int             page;            /* that is being checked, or -1         */
    int64_t         offset;
};

/* Adds a finding at the current place, unless e has an error already.  expected
** and found are literals or in v->arena, or NULL when there is nothing to
** compare. */
PqRc pq_verify_find(PqVerify *v, PqSeverity severity, const char *what,
                    const char *expected, const char *found, PqErr *e,
                    const char *fmt, ...) PQ_PRINTF(7, 8);

/* Adds a finding if the numbers differ. */
PqRc pq_verify_count(PqVerify *v, PqSeverity severity, const char *what,
                     int64_t expected, int64_t found, const char *message,
                     PqErr *e);

/* Turns the error e into a finding and clears it.  An error that ends the
** verification is returned instead. */
PqRc pq_verify_failure(PqVerify *v, const char *what, PqErr *e);

/* These return texts in v->arena, or NULL with e set when there is no
** memory. */
const char *pq_verify_value(PqVerify *v, const PqType *type, PqSlice value,
                            PqErr *e);
const char *pq_verify_number(PqVerify *v, int64_t n, PqErr *e);

/* ---- verify_chunk.c ---- */

enum { PQ_PAGE_TYPES = 4 };

typedef struct PqChunkCheck {
    PqVerify      *v;
    const PqLeaf  *leaf;
    PqChunkReader  r;
    PqDecoder     *decoder;
    int64_t        header_bytes;     /* of the current page                  */
    PqPage         page, dict_page;
    PqArena        strings, dict_strings;
    size_t         width;            /* of a value                           */
    void          *dict;             /* n_dict values                        */
    uint32_t       n_dict;
    bool           dict_failed;
    uint8_t       *dict_used;
    bool           whole;            /* no page has failed                   */
    PqTally        of_page, of_chunk;
    uint32_t       n_pages;          /* data pages so far                    */
    uint64_t       first_data;       /* offset of the first one, or 0        */
    uint64_t       at_dict;          /* offset of the dictionary page, or 0  */
    int64_t        stored, unpacked; /* bytes, headers included              */
    int32_t        counts[PQ_PAGE_TYPES][PQ_ENCODING_COUNT];
    PqArena        index_arena;
    PqOffsetIndex  offsets;
    PqColumnIndex  bounds;
    PqBloom        bloom;            /* n_blocks 0: none                     */
    bool           bloom_failed;     /* the finding was reported             */
    bool           wkb_failed, box_failed, types_failed;     /* likewise     */
    /* Room for a block of values. */
    uint16_t      *reps, *defs;
    uint32_t      *ids;
    void          *values;
} PqChunkCheck;

PqRc pq_verify_chunk(PqVerify *v, PqErr *e);

/* ---- verify_page.c ---- */

/* Checks the page whose header was parsed last, and moves to its end. */
PqRc pq_verify_page(PqChunkCheck *c, PqErr *e);

/* Compares n decoded values with the filter, the box and the types of the
** chunk.  If used is not NULL, only the marked values. */
PqRc pq_verify_values(PqChunkCheck *c, const void *values, const uint8_t *used,
                      uint32_t n, PqErr *e);

/* ---- verify_bloom.c ---- */

PqRc pq_verify_load_bloom(PqChunkCheck *c, PqErr *e);

/* Looks up a value in the filter. */
PqRc pq_verify_probe(PqChunkCheck *c, PqSlice value, PqErr *e);

/* ---- verify_geo.c ---- */

/* Compares a geometry with the box and the types of the chunk. */
PqRc pq_verify_geometry(PqChunkCheck *c, PqSlice wkb, PqErr *e);

/* ---- verify_stats.c ---- */

/* The order of a leaf's bounds, according to the file. */
PqOrder pq_verify_order(const PqFooter *f, uint32_t leaf);

/* Which statistics are checked, as names for "what" in findings. */
typedef struct PqStatsClaim {
    const char *min, *max, *old_min, *old_max, *nulls, *nans;
    bool        whole_chunk;
} PqStatsClaim;

extern const PqStatsClaim pq_verify_of_chunk, pq_verify_of_page;

PqRc pq_verify_statistics(PqVerify *v, const PqStatistics *s,
                          const PqTally *truth, const PqStatsClaim *claim, PqErr *e);
PqRc pq_verify_size_statistics(PqVerify *v, const PqSizeStatistics *s,
                               const PqTally *truth, PqErr *e);
/* Checks entry `page` of a column index. */
PqRc pq_verify_index_entry(PqVerify *v, const PqColumnIndex *x, uint32_t page,
                           const PqTally *truth, PqErr *e);
/* Checks boundary_order. */
PqRc pq_verify_index_order(PqVerify *v, const PqColumnIndex *x,
                           const PqLeaf *leaf, PqErr *e);

/* ---- verify_sort.c ---- */

/* Checks whether the row group's rows are in the order of its sorting
** columns. */
PqRc pq_verify_sorting(PqVerify *v, PqErr *e);

#endif
