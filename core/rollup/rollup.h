/*
** rollup.h - groups of rows, added up.
**
**   rows of a batch    country  day   value          groups
**                      FI       1     2.5            FI 1    n 2   sum 6.0
**                      SE       1     1.0            SE 1    n 1   sum 1.0
**                      FI       1     3.5
**
** Batch after batch is added (pq_rollup_add).  After the last one the groups come
** block by block (pq_rollup_next), each group once.
**
** Keys.  The register of a key numbers the values that came, as the host shows
** them (PqCell); these numbers are codes.  A batch has stored values instead.
** Each entry of a dictionary is looked up once.  Integers of a small range are
** looked up in an array, other values in a hash.  So the host is asked for a cell
** once per value (spec.cell), not once per row.  With one key, the code is the
** number of the group.  With several, a group is a tuple of codes.  Its number
** is in an array while there are few codes, and later in a hash
** (core/numbering/number_table.h).
**
** Measures are arrays by the number of the group.
**
** Memory.  The bytes of all groups are counted.  When they are too many, all groups
** are written to a file without a name, in partitions by the hash of their cells,
** and the rollup begins anew.  At the end the partitions are read one by one, and
** records with equal cells are added up.  A partition that is too large is cut by
** further bits of the hash.  So a group never comes twice.  The hash has a random
** seed, so that nobody can make a file whose keys all have the same hash.
**
** Lanes.  Each thread can have a rollup of the same spec; pq_rollup_merge adds
** the groups of one to another.
*/
#ifndef PQ_ROLLUP_H
#define PQ_ROLLUP_H

#include "core/group/grouping.h"
#include "core/rollup/numbers.h"

enum { PQ_ROLLUP_KEYS = 62, PQ_ROLLUP_ROWS = 2048, PQ_ROLLUP_BY = 8 };

typedef enum PqRollupOp {
    PQ_ROLLUP_COUNT_ROWS,            /* count(*): no input                  */
    PQ_ROLLUP_COUNT,                 /* rows whose input is not null        */
    PQ_ROLLUP_SUM,
    PQ_ROLLUP_MIN,
    PQ_ROLLUP_MAX
} PqRollupOp;

/* The form of a measure's input. */
typedef enum PqRollupInput {
    PQ_ROLLUP_NO_INPUT,
    PQ_ROLLUP_VALIDITY,              /* COUNT: valid bits only              */
    PQ_ROLLUP_NUMBERS,               /* PqNumbers                           */
    PQ_ROLLUP_BYTES,                 /* MIN, MAX: PqStr, in the order of
                                     ** their bytes                         */
    PQ_ROLLUP_CELLS                  /* MIN, MAX: spec.input_cell, in the
                                     ** host's order of values              */
} PqRollupInput;

/* A column of an order.  Numbers count keys, and then measures. */
typedef struct PqRollupBy {
    uint32_t number;
    bool     desc;
} PqRollupBy;

typedef struct PqRollupSpec {
    uint32_t n_keys;
    uint32_t n_measures;
    const PqRollupOp *measures;      /* not kept                            */
    size_t   memory;                 /* bytes that the groups may take      */
    bool     sealed;                 /* what is spilled is encrypted        */
    bool     of_rows;                /* without keys: a group is made only if
                                     ** there is a row                      */
    /* Keys.  Blocks come in their order, and a group that is equal in them to a group of
    ** another block is equal to all groups of both. */
    PqRollupBy by[PQ_ROLLUP_BY];
    uint32_t n_by;
    PqStop   stop;
    void    *arg;                    /* given to the functions              */
    /* The value of a key in a row of the batch, as the host shows it.  Its
    ** bytes stay until the next call. */
    PqRc (*cell)(void *arg, uint32_t key, uint32_t row, PqCell *out,
                 PqErr *e);
    /* The same for the input of a measure with CELLS. */
    PqRc (*input_cell)(void *arg, uint32_t measure, uint32_t row,
                       PqCell *out, PqErr *e);
} PqRollupSpec;

/* A key in the rows of a batch.  INTS has values of int32_t or int64_t (width),
** REALS of double or float, BYTES of PqStr.  Equal values are one value of the
** host.  CELLS has no values: spec.cell is asked, once per entry if there are
** ids.  constant: row 0 has the value of all rows. */
typedef struct PqRollupKeyVector {
    PqGroupForm     form;
    bool            constant;
    bool            as_is;           /* the host shows INTS as INTEGER, REALS
                                     ** as REAL, BYTES as TEXT; spec.cell is
                                     ** not asked                           */
    uint8_t         width;
    uint64_t        meaning;         /* differs where the host shows the
                                     ** same stored value differently, as in
                                     ** a file with another type            */
    const uint64_t *valid;           /* bit per row; NULL: all valid        */
    const void     *values;          /* by row; or by entry, with ids       */
    const uint32_t *ids;             /* NULL: values are by row             */
    uint32_t        n_entries;
    uint64_t        entries_serial;  /* other entries have another serial */
} PqRollupKeyVector;

typedef struct PqRollupInputVector {
    PqRollupInput   kind;            /* may differ from batch to batch      */
    PqNumbers       numbers;         /* NUMBERS; by row                     */
    const uint64_t *valid;           /* VALIDITY, BYTES, CELLS              */
    const PqStr    *texts;           /* BYTES, by row                       */
} PqRollupInputVector;

/* At most PQ_ROLLUP_ROWS rows, in vectors of any kind. */
typedef struct PqRollupBatch {
    uint32_t        n_rows;
    const uint32_t *kept;            /* rows that count; NULL: all          */
    uint32_t        n_kept;
    const PqRollupKeyVector   *keys;
    const PqRollupInputVector *inputs;           /* of each measure         */
} PqRollupBatch;

/* The value of a measure in a group. */
typedef struct PqRollupValue {
    PqCell       cell;               /* the value, or its nearest REAL      */
    bool         is_decimal;         /* the exact value is `decimal`        */
    __int128     decimal;            /* times 10^-scale                     */
    int          scale;
} PqRollupValue;

typedef struct PqRollup PqRollup;

PqRc pq_rollup_new(PqMem *mem, const PqRollupSpec *spec, PqRollup **out,
                   PqErr *e);
void pq_rollup_free(PqRollup *r);                          /* r may be NULL */

PqRc pq_rollup_add(PqRollup *r, const PqRollupBatch *b, PqErr *e);

/* Adds n rows with one key that are known without reading them.  Each key is
** constant and has its value in row 0.  Row 0 of an input has the measure of
** these rows: COUNT has an INT, MIN the least value.  COUNT_ROWS has no
** input. */
PqRc pq_rollup_add_known(PqRollup *r, const PqRollupBatch *b, int64_t n_rows,
                         PqErr *e);

/* Adds the groups of `from`, which is empty afterwards. */
PqRc pq_rollup_merge(PqRollup *r, PqRollup *from, PqErr *e);

/* Loads the next block of groups; *n 0: there are no more.  Nothing can be
** added after the first call, and no function of the spec is called.  A block
** is all groups that are in memory, so a rollup that is whole has one block. */
PqRc pq_rollup_next(PqRollup *r, uint32_t *n, PqErr *e);

/* From now on the groups come again from the first. */
PqRc pq_rollup_rewind(PqRollup *r, PqErr *e);

/* Did groups leave memory?  How often, and how many bytes has their file? */
bool pq_rollup_has_spilled(const PqRollup *r, uint64_t *times, uint64_t *bytes);

/* The bytes of memory that its groups take now. */
size_t pq_rollup_bytes(const PqRollup *r);

/* Are all groups in memory?  Then n is how many there are. */
bool pq_rollup_is_whole(const PqRollup *r, uint32_t *n);

/* The values of group i of the block.  Groups may be asked for in any order.
** The values stay until the next block. */
const PqCell *pq_rollup_key(const PqRollup *r, uint32_t key, uint32_t i);
PqRc pq_rollup_value(const PqRollup *r, uint32_t measure, uint32_t i,
                     PqRollupValue *out, PqErr *e);

/* The values of a measure that counts, by group; NULL: it does not count. */
const int64_t *pq_rollup_counts(const PqRollup *r, uint32_t measure);

/* The values of a key in a block are numbered from 0 on: their count, and the number of
** a group's value. */
uint32_t pq_rollup_n_key_values(const PqRollup *r, uint32_t key);
uint32_t pq_rollup_key_number(const PqRollup *r, uint32_t key, uint32_t i);

/* Fetches what is known of n groups into the cache, since groups that a list names lie
** far from each other. */
void pq_rollup_fetch(const PqRollup *r, const uint32_t *list, uint32_t n);

/* Lists groups of the block in the arena, so that groups that are equal in the keys
** `by` lie side by side: the groups of `list`, or the first n if it is NULL.  sorted:
** in the order of these keys. */
typedef struct PqRollupLineUp {
    const PqRollupBy *by;
    uint32_t          n_by;
    bool              sorted;
    const uint32_t   *list;
    uint32_t          n;
} PqRollupLineUp;

PqRc pq_rollup_line_up(const PqRollup *r, const PqRollupLineUp *how, PqArena *a,
                       uint32_t **out, PqErr *e);

/* The place of each value of a key, by its number, when they are sorted; in the
** arena. */
PqRc pq_rollup_places(const PqRollup *r, uint32_t key, PqArena *a, uint32_t **out,
                      PqErr *e);

#endif
