/*
** rollup_table.h - a table whose rows are groups: USING parquet('f', rollup='...').
**
** Its columns are the dimensions and then the measures of a definition.  For each
** statement it has one row per combination of those dimensions that the statement
** mentions: SQLite says in colUsed which these are.
**
**   SELECT country, sum(n) FROM cube WHERE day >= ? GROUP BY country
**
**   plan      a row per country, day; rows by day >= ?
**   source    rows by day >= ?, batch after batch: PqextScan
**   inputs    vectors of country, day, and of what n adds up
**   groups    FI 1  n 2    SE 1  n 1
**   rows      read by SQLite, which tests and groups them as any rows
**
** The source is a table of its own that SQLite does not see.  It has all other
** options.  Conditions on dimensions that are its columns go to its scan.
**
**   definition.c     the text, and what is declared
**   rollup_plan.c    xBestIndex, and the plan that xFilter gets
**   dimension_condition.c   a term on date(x) becomes conditions on x
**   dimension_test.c        a term on any dimension drops rows
**   rollup_run.c     the source is read
**   inputs.c         ... and each batch becomes vectors
**   rollup_lanes.c   ... by several threads
**   rollup_footers.c ... or its footers only
**   rollup_split.c   which dimensions need not split groups
**   rollup_top.c     which groups can be among the first rows
**   rollup_narrow.c  ... and which rows they have, where any groups will do
**   rollup_made.c    groups that are made once for many calls
**   rollup_rowids.c  a number for each combination
**   rollup_cursor.c  xFilter to xColumn
**
** The cursor is a PqextCursor without a scan.  Its columns have getters of
** their own, so it shares xNext, xEof and xColumn with all tables.
*/
#ifndef PQEXT_ROLLUP_TABLE_H
#define PQEXT_ROLLUP_TABLE_H

#include "ext/condition/sqlite_condition.h"
#include "ext/cursor/cursor_scan.h"
#include "ext/rollup/definition.h"
#include "sql/group_text.h"

/* ---- definition.c ---- */

/* The files of the source are open. */
PqRc pqext_rollup_open(PqextTable *t, PqErr *e);
int pqext_rollup_declare(sqlite3 *db, PqextTable *t, char **error);

/* ---- rollup_plan.c ---- */

enum { PQEXT_ROLLUP_TERMS = 64 };

/* A term on a dimension that is computed. */
typedef struct PqextRollupTerm {
    uint32_t dimension;
    PqextOp  op;
    int      exact;                  /* SQLite does not test it again; no bool,
                                     ** so that its bytes are known         */
} PqextRollupTerm;

typedef enum PqextRollupSort {
    PQEXT_UNSORTED,
    PQEXT_TOGETHER,                  /* groups that are equal in the order come
                                     ** side by side                        */
    PQEXT_SORTED_IF_ASKED,           /* ... and are sorted if the statement's
                                     ** text may ask for it: order_text.h   */
    PQEXT_SORTED
} PqextRollupSort;

/* The plan as xFilter gets it (plan_idxstr.h); terms and others follow it. */
typedef struct PqextRollupPlan {
    uint64_t used;                   /* colUsed, without dimensions that need
                                     ** not split groups                    */
    /* Of each dimension: how many constraints SQLite offers; a bit if it leaves
    ** all of them to the table. */
    uint8_t  offered[PQ_ROLLUP_KEYS];
    uint64_t exact;
    uint32_t n_terms;                /* terms of the source: the first
                                     ** arguments                           */
    uint32_t n_others;               /* the arguments after these           */
    /* Bits: terms whose operand may differ from call to call. */
    uint64_t keys, other_keys;
    bool     counts;                 /* no column is read from pages        */
    bool     footers;                /* ... if footers tell: rollup_footers.c */
    PqextRollupSort sort;
    uint32_t n_order;
    uint32_t order[PQ_ROLLUP_BY];                /* columns                 */
    bool     desc[PQ_ROLLUP_BY];
    const PqextTerm *terms;
    const PqextRollupTerm *others;
} PqextRollupPlan;

int pqext_rollup_best_index(PqextTable *t, sqlite3_index_info *info);

/* The plan with this text. */
PqextRollupPlan pqext_rollup_plan_of(const char *text);

/* May the operand of term i differ from call to call?  keys: plan.keys or
** plan.other_keys.  Terms beyond PQEXT_ROLLUP_TERMS are not keys. */
static inline bool pqext_rollup_is_key(uint64_t keys, uint32_t i)
{
    return i < PQEXT_ROLLUP_TERMS && keys >> i & 1;
}

/* Does the statement mention the column? */
static inline bool pqext_rollup_uses(uint64_t used, uint32_t column)
{
    return used >> (column < 63 ? column : 63) & 1;
}

/* ---- dimension_condition.c ---- */

/* The condition on the column that holds where the dimension is true, or is false
** and not NULL; *out NULL: there is none. */
PqRc pqext_dimension_test(const PqextDefinition *d, uint32_t dimension, bool is_true,
                          PqextScan *source, PqArena *a, PqextCondition **out,
                          PqErr *e);

/* Is it 1 then, or 0, in all rows that are left? */
bool pqext_dimension_is_known(const PqextDefinition *d, uint32_t dimension, bool is_true);

/* Makes the conditions that the term implies, in the arena: *n of them, at most
** two.  v is the list of an IN; otherwise it is a value that is not NULL. */
PqRc pqext_dimension_begin(const PqextDefinition *d, uint32_t dimension,
                           PqextOp op, sqlite3_value *v, PqextScan *source,
                           PqArena *a, PqextCondition *out[2], uint32_t *n,
                           PqErr *e);

/* ---- inputs.c ---- */

/* Makes the keys and the inputs of measures of a batch of the source.  Between
** batches it keeps the programs, the cells of expressions, and the columns and
** the file that these are about. */
typedef struct PqextInputs PqextInputs;

/* Makes the inputs of some dimensions (their numbers, n of them) and
** measures. */
PqRc pqext_inputs_new(const PqextDefinition *d, PqextScan *source,
                      const uint32_t *dimensions, uint32_t n_dimensions,
                      const uint32_t *measures, uint32_t n_measures,
                      PqextInputs **out, PqErr *e);
void pqext_inputs_free(PqextInputs *in);                  /* in may be NULL */

/* From now on another thread uses the inputs, and it cannot ask SQLite.  A
** value that only SQLite knows is an error there. */
PqRc pqext_inputs_leave_host(PqextInputs *in, PqErr *e);

/* Loads the current batch of the source's scan.  The vectors stay until the
** next one. */
PqRc pqext_inputs_load(PqextInputs *in, PqRollupBatch *out, PqErr *e);

/* Functions for PqRollupSpec.  arg is the inputs; key and measure count the
** chosen ones. */
PqRc pqext_inputs_cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                       PqErr *e);
PqRc pqext_inputs_measure_cell(void *arg, uint32_t measure, uint32_t row,
                               PqCell *out, PqErr *e);

/* ---- rollup_run.c ---- */

/* Reads the source and adds up its rows: the groups of one call. */
typedef struct PqextRollupRun {
    PqextTable     *table;
    PqextScan       source;           /* it has the errors too               */
    uint64_t        about;           /* number of the plan; 0: none yet     */
    PqArena         arena;           /* of the plan:                        */
    PqextRollupPlan plan;
    PqextPlan      *of_source;
    uint32_t       *dimensions, n_dimensions;    /* mentioned               */
    uint32_t       *measures, n_measures;
    sqlite3_value **operands;        /* of the source's terms               */
    PqextInputs    *inputs;
    struct PqextTests *tests;        /* of the scan; NULL: none             */
    /* Dimensions that do not split groups, but that SQLite tests again: a bit and
    ** a value that passes for each. */
    uint64_t        tested;
    PqCell         *passes;
    uint64_t        known;           /* WHERE leaves one value of these, which
                                     ** is in passes, too                   */
    uint64_t        sure;            /* dimensions whose terms are tested
                                     ** exactly, though the plan did not say
                                     ** so                                  */
    bool            of_rows;         /* a group is made only if a row passes */
    uint64_t        is_true, is_false;           /* WHERE d, WHERE NOT d:
                                     ** dimensions that are tests           */
    const char     *mistake;         /* a note: what is asked of groups, and
                                     ** not of rows; NULL: nothing          */
    const char     *not_split;       /* a note: which dimensions do not split
                                     ** groups; NULL: all do                */
    struct {
        uint64_t   n;                /* 0: all groups are wanted            */
        uint64_t   by;               /* dimensions: a row of the answer has
                                     ** the groups that are equal in these  */
        bool       parts;            /* ... and there are others            */
        PqsqlTopOf of;               /* the order of the first n            */
        uint32_t   column;           /* ... a measure or a dimension of the
                                     ** definition                          */
        bool       desc;
        bool       alone;            /* any of those that are equal to the
                                     ** last will do                        */
    } top;
    /* The order of the groups: keys and then measures, as the run counts. */
    PqRollupBy      by[PQ_ROLLUP_BY];
    uint32_t        n_by;            /* 0: none                             */
    bool            sorted;          /* false: side by side is enough       */
    bool            narrowed;        /* only the first r->top.n groups are
                                     ** whole                               */
    bool            untold;          /* footers do not tell everything      */
    PqRollup       *groups;          /* of the call; NULL: none yet         */
    PqBuf           scratch;
} PqextRollupRun;

PqRc pqext_rollup_run_init(PqextRollupRun *r, PqextTable *t, PqErr *e);
void pqext_rollup_run_free(PqextRollupRun *r);

/* The plan of a call. */
PqRc pqext_rollup_run_plan(PqextRollupRun *r, const char *text, sqlite3_value **argv);

/* Makes r->groups; none has been given yet.  all: leaves out the terms whose
** operand may differ from call to call, and IN if SQLite tests it again.
** *read: how many rows of the source were read. */
PqRc pqext_rollup_run(PqextRollupRun *r, sqlite3_value **argv, bool all,
                      uint64_t *read);

/* Are groups ordered by dimensions alone?  Then those that leave memory come back in
** this order. */
bool pqext_rollup_lines_up(const PqextRollupRun *r);

/* How groups are made; inputs are the arg of the functions. */
PqRc pqext_rollup_spec(PqextRollupRun *r, PqextInputs *inputs,
                       PqRollupSpec *out, PqErr *e);

/* Adds what terms on computed dimensions imply for their columns to the scan s, and
** tests of the dimensions (dimension_test.h), which the caller begins, and which are its
** own even after an error.  Without `proves` conditions on columns are filters only. */
PqRc pqext_rollup_add_others(PqextRollupRun *r, PqextScan *s, sqlite3_value **argv,
                             bool all, bool proves, struct PqextTests **out);

PqRc pqext_rollup_add_condition(PqextScan *s, PqextCondition *c, bool proves);

/* A value of a group, as SQLite gets it.  The number counts the measures that
** the statement mentions.  Bytes may be in r->scratch, until the next call. */
PqRc pqext_rollup_measure(PqextRollupRun *r, const PqRollup *groups,
                          uint32_t number, uint32_t group, PqCell *out,
                          PqErr *e);

/* ---- rollup_split.c ---- */

/* What the text of the statement tells: takes the dimensions out of r->plan that
** need not split groups, and sets r->top. */
PqRc pqext_rollup_split(PqextRollupRun *r, sqlite3_value **argv, PqErr *e);

/* Does what was found of the first operands hold for these, too: that the values of
** r->passes pass, and that terms are sure? */
bool pqext_rollup_still_passes(PqextRollupRun *r, sqlite3_value **argv);

/* Is the term, of the source, on a dimension in r->tested or r->sure? */
bool pqext_rollup_is_tested(const PqextRollupRun *r, const PqextTerm *term);

/* ---- rollup_top.c ---- */

/* Leaves those of the *n groups in *list (NULL: all) that can belong to the first
** r->top.n rows of the answer; the list is then another one, in the arena. */
PqRc pqext_rollup_top(PqextRollupRun *r, const PqRollup *groups, PqArena *a,
                      uint32_t **list, uint32_t *n, PqErr *e);

/* Do the values by which rows are ordered stay where they are? */
bool pqext_rollup_top_can(const PqextRollupRun *r);

/* ---- rollup_narrow.c ---- */

/* How many groups are wanted, whichever they are; 0: it does matter. */
uint64_t pqext_rollup_narrows(const PqextRollupRun *r);

/* If there are so many groups, only rows that may belong to them are read from now
** on. */
PqRc pqext_rollup_narrow(PqextRollupRun *r);

/* ---- rollup_footers.c ---- */

/* Could footers tell everything, if there are no terms? */
bool pqext_rollup_footers_can(const PqextTable *t, uint64_t used);

/* Adds the row group that is the source's batch.  *told false: its metadata
** does not say enough, and nothing was added.  keys has the dimensions only. */
PqRc pqext_rollup_footers_add(PqextRollupRun *r, PqextInputs *keys, PqArena *a,
                              bool *told);

/* ---- rollup_made.c ---- */

typedef struct PqextMade {
    struct PqextMade *next;
    uint8_t  *about;                 /* what is asked, without the keys     */
    size_t    n_about;
    uint32_t  holders;               /* cursors that give rows of it        */
    uint64_t  read;                  /* rows, by calls before it was made   */
    bool      too_large;
    PqRollup *groups;                /* NULL: not made                      */
    uint32_t  n;
    uint32_t *heads, *nexts;         /* the hash of a key; NULL: none       */
    uint32_t  mask;
} PqextMade;

/* The entry for a call; NULL: its groups cannot be shared. */
PqRc pqext_made_find(PqextRollupRun *r, sqlite3_value **argv, PqextMade **out);

/* Were some terms left out when all groups were made?  Then groups have rows
** that a single call does not want. */
bool pqext_made_leaves_out(const PqextRollupPlan *p);

/* Is it time to make all groups? */
bool pqext_made_pays(const PqextRollupRun *r, const PqextMade *m);

/* The entry takes the groups of the run, or finds that they are too large. */
PqRc pqext_made_take(PqextRollupRun *r, PqextMade *m);

/* The bytes of the groups of all entries, and of their hashes. */
size_t pqext_made_bytes(const PqextMade *m);

/* Lists the groups with the keys of the call, in the arena; *list NULL: all. */
PqRc pqext_made_list(PqextRollupRun *r, PqextMade *m, sqlite3_value **argv,
                     PqArena *a, uint32_t **list, uint32_t *n);

void pqext_made_free(PqextMade *m);                      /* and all after it */

/* ---- rollup_rowids.c ---- */

/* The number of the combination with these bytes.  All numbers of a listing
** take at most `memory` bytes. */
PqRc pqext_rowids_of(PqextListing *l, size_t memory, PqSlice key,
                     const PqStop *stop, int64_t *out, PqErr *e);
void pqext_rowids_free(struct PqextRowids *r);            /* r may be NULL */

/* Appends the bytes of a value.  Equal values have the same bytes: an integer
** and a REAL that are equal are one value of a dimension. */
void pqext_rollup_put_cell(const PqCell *v, PqBuf *out);

/* ---- rollup_lanes.c ---- */

/* May several threads read the source?  Then the source's scan has a batch without
** rows after the first ones. */
bool pqext_rollup_lanes_may(const PqextRollupRun *r);
void pqext_rollup_lanes_wait(PqextRollupRun *r);

/* After this many rows: are lanes worth it? */
bool pqext_rollup_lanes_begin(const PqextRollupRun *r, uint64_t rows);

/* Lanes add all rows that the source's scan has not handed out yet to
** r->groups.  *failed: the groups are wrong, and all rows have to be read
** again, without lanes. */
PqRc pqext_rollup_lanes_run(PqextRollupRun *r, sqlite3_value **argv, bool all,
                            bool *failed);

/* ---- rollup_cursor.c ---- */

extern const PqextOwnRows pqext_rollup_rows;

#endif
