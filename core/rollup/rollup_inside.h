/*
** rollup_inside.h - inside rollup.h: what is shared by its files.
**
**   rollup.c            batches in, values out
**   rollup_register.c   cells and stored values of a key are numbered
**   rollup_tuple.c      codes of several keys become the number of a group
**   rollup_ids.c        ... and so do ids of their dictionaries
**   rollup_by_id.c      few groups, straight from the ids of one dictionary
**   rollup_state.c      measures (rollup_sum.c, rollup_best.c)
**   rollup_sum_rows.c   sums of many rows, in layouts: rollup_lines.c is one
**   rollup_record.c     groups as bytes, and bytes as groups
**   rollup_spill.c      ... in a file, in partitions
**   rollup_ranges.c     ... which have groups of a range of keys
**   rollup_line_up.c    groups that are equal in some keys, side by side
**   rollup_merge.c      the groups of one rollup are added to another
**   key_test.c          rows are dropped by the value of a key
*/
#ifndef PQ_ROLLUP_INSIDE_H
#define PQ_ROLLUP_INSIDE_H

#include "core/group/group_store.h"
#include "core/rollup/rollup_ids.h"
#include "core/rollup/rollup_lines.h"
#include "core/rollup/rollup_ranges.h"
#include "core/rollup/rollup_state.h"
#include "core/rollup/rollup_tuple.h"

/* Groups in memory. */
typedef struct PqRollupSet {
    uint32_t          n;             /* groups                              */
    PqRollupRegister *registers;     /* of the keys                         */
    PqRollupTuples    tuples;        /* with two keys or more               */
    PqRollupState    *states;        /* of the measures                     */
    PqRollupLines    *lines;         /* sums that the states will get       */
    uint32_t          n_lines;
} PqRollupSet;

struct PqRollup {
    PqMem          *mem;
    PqRollupSpec    spec;
    uint64_t        seed;
    PqRollupSet     set;
    PqRollupIds    *ids;             /* NULL: fewer than two keys           */
    uint32_t       *codes;           /* PQ_ROLLUP_ROWS for each key         */
    uint32_t       *firsts;          /* first codes; NULL: no key has a twin */
    PqRollupCodes  *keys;
    uint32_t        found[PQ_ROLLUP_ROWS];
    const uint32_t *numbers;         /* groups of the last rows: found, or
                                     ** the codes of the only key           */
    bool            finished, given; /* pq_rollup_next was called; the block
                                     ** is given                            */
    /* What is in the file. */
    bool            spilled;
    uint64_t        n_spills;
    size_t          limit;           /* most bytes of the set               */
    uint32_t        enough;          /* groups of the set, while rows are added */
    uint64_t        n_added;         /* rows or records, since the set was empty */
    PqGroupShape    shape;           /* of records                          */
    PqGroupStore    store;
    unsigned        bits;            /* of a hash: they choose its first
                                     ** partition                           */
    PqRollupRanges  ranges;          /* of partitions, with spec.by         */
    PqGroupPart    *done;            /* partitions that were given          */
    uint32_t        n_done, done_room;
    bool            may_cut;         /* the loaded partition may be cut     */
    PqBuf           record;
};

enum {
    PQ_ROLLUP_HEAD = 20,             /* bytes of a record before its keys   */
    PQ_ROLLUP_RECORDS = 256          /* most that are taken together        */
};

/* The seed of all hashes of values. */
uint64_t pq_rollup_seed(void);

void   pq_rollup_set_clear(PqRollup *r);

/* Adds all gathered sums to the states. */
PqRc   pq_rollup_set_settle(PqRollupSet *set, PqErr *e);

/* rollup_by_id.c: adds a batch whose only key comes by ids of a small
** dictionary.  False: nothing was added, and the batch must be added in another
** way. */
bool pq_rollup_add_by_id(PqRollup *r, const PqRollupBatch *b,
                         const PqRollupRows *w, PqErr *e);

/* Puts the codes of a key for n rows, which are in r->codes, into r->keys. */
PqRc pq_rollup_set_codes(PqRollup *r, uint32_t k, uint32_t n, PqErr *e);

/* Puts the groups of n rows into r->numbers, and makes room for new groups.
** r->keys has the codes of the keys. */
PqRc pq_rollup_number(PqRollup *r, uint32_t n, PqErr *e);

/* rollup_record.c: empties b, and makes a record of a group there. */
PqRc pq_rollup_put_record(const PqRollup *r, uint32_t g, PqBuf *b,
                          uint64_t *hash, PqErr *e);
/* ... the keys of a record, whose bytes are in it. */
void pq_rollup_record_keys(const PqRollup *r, const uint8_t *record, PqCell *out);
/* ... adds records to the groups in memory.  If it fails, some may have been added. */
PqRc pq_rollup_take_records(PqRollup *r, const uint8_t *const *records,
                            uint32_t n, PqErr *e);

/* rollup_spill.c */
void pq_rollup_spill_init(PqRollup *r);
void pq_rollup_spill_free(PqRollup *r);
/* ... the first n groups in memory become records, some of which may stay in memory. */
PqRc pq_rollup_write_set(PqRollup *r, uint32_t n, PqErr *e);
/* ... which all go to the file.  Memory has none afterwards. */
PqRc pq_rollup_spill(PqRollup *r, uint32_t n, PqErr *e);
/* ... loads the groups of the next partition.  No groups: there are no more. */
PqRc pq_rollup_next_part(PqRollup *r, PqErr *e);
PqRc pq_rollup_rewind_parts(PqRollup *r, PqErr *e);
/* ... writes groups [first, end) of `from`, which is r or a lane, to the file
** of r. */
PqRc pq_rollup_write_groups(PqRollup *r, PqRollup *from, uint32_t first,
                            uint32_t end, PqErr *e);
/* ... writes what a lane has in its file to the file of r. */
PqRc pq_rollup_take_spilled(PqRollup *r, PqRollup *from, PqErr *e);

#endif
