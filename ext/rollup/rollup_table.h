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
**   source    rows by day >= ?, batch after batch: PqextCursor
**   inputs    vectors of country, day, and what n adds up
**   groups    FI 1  n 2    SE 1  n 1
**   rows      read by SQLite, which tests and groups them as any rows
**
** The source is a table of its own that SQLite does not see.  It has all other
** options.  Conditions on dimensions that are its columns go to its scan.
**
**   rollup_table.c   create, declare
**   rollup_plan.c    xBestIndex, and the plan that xFilter gets
**   rollup_run.c     the source is read
**   rollup_lanes.c   ... by several threads
**   rollup_footers.c ... or its footers only
**   rollup_utf16.c   texts in the order of a database of UTF-16
**   rollup_made.c    groups that are made once for many calls
**   rollup_rowids.c  a number for each combination
**   rollup_cursor.c  xFilter to xColumn
**
** The cursor is a PqextCursor without a scan.  Its columns have getters of
** their own, so it shares xNext, xEof and xColumn with all tables.
*/
#ifndef PQEXT_ROLLUP_TABLE_H
#define PQEXT_ROLLUP_TABLE_H

#include "ext/rollup/definition.h"
#include "ext/rollup/inputs.h"

/* ---- rollup_table.c ---- */

/* The files of the source are open. */
PqRc pqext_rollup_open(PqextTable *t, PqErr *e);
int pqext_rollup_declare(sqlite3 *db, PqextTable *t, char **error);

/* ---- rollup_plan.c ---- */

enum { PQEXT_ROLLUP_ORDER = 8, PQEXT_ROLLUP_TERMS = 64 };

/* A term on a dimension that is computed; SQLite tests it again. */
typedef struct PqextRollupTerm {
    uint32_t dimension;
    PqextOp  op;
} PqextRollupTerm;

typedef enum PqextRollupSort {
    PQEXT_UNSORTED,
    PQEXT_SORTED_IF_ASKED,           /* if the statement's text may ask for
                                     ** it: order_text.h                    */
    PQEXT_SORTED
} PqextRollupSort;

/* The plan as xFilter gets it (signed_plan.h); terms and others follow it. */
typedef struct PqextRollupPlan {
    uint64_t used;                   /* colUsed                             */
    uint32_t n_terms;                /* of the source: the first arguments  */
    uint32_t n_others;               /* the arguments after these           */
    /* Bits: terms whose operand may differ from call to call. */
    uint64_t keys, other_keys;
    bool     counts;                 /* no column is read from pages        */
    bool     footers;                /* ... if footers tell: rollup_footers.c */
    PqextRollupSort sort;
    uint32_t n_order;
    uint32_t order[PQEXT_ROLLUP_ORDER];          /* columns                 */
    bool     desc[PQEXT_ROLLUP_ORDER];
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

/* ---- rollup_footers.c ---- */

struct PqextRollupRun;

/* Could footers tell everything, if there are no terms? */
bool pqext_rollup_footers_can(const PqextTable *t, uint64_t used);

/* Adds the row group that is the source's batch.  *told false: its metadata
** does not say enough, and nothing was added.  keys has the dimensions only. */
PqRc pqext_rollup_footers_add(struct PqextRollupRun *r, PqextInputs *keys,
                              PqArena *a, bool *told);

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
    bool            untold;          /* footers do not tell everything      */
    PqRollup       *groups;          /* of the call; NULL: none yet         */
    PqBuf           scratch;
    PqArena         texts;           /* of a batch: rollup_utf16.h          */
} PqextRollupRun;

PqRc pqext_rollup_run_init(PqextRollupRun *r, PqextTable *t, PqErr *e);
void pqext_rollup_run_free(PqextRollupRun *r);

/* The plan of a call. */
PqRc pqext_rollup_run_plan(PqextRollupRun *r, const char *text);

/* Makes r->groups; none has been given yet.  all: leaves out the terms whose
** operand may differ from call to call, and IN if SQLite tests it again.
** *read: how many rows of the source were read. */
PqRc pqext_rollup_run(PqextRollupRun *r, sqlite3_value **argv, bool all,
                      uint64_t *read);

/* How groups are made; inputs are the arg of the functions. */
PqRc pqext_rollup_spec(PqextRollupRun *r, PqextInputs *inputs,
                       PqRollupSpec *out, PqErr *e);

/* Adds the conditions that terms on computed dimensions imply to the scan of c.
** Without `proves` they are filters only. */
PqRc pqext_rollup_add_others(PqextRollupRun *r, PqextScan *s,
                             sqlite3_value **argv, bool all, bool proves);

/* A value of a group, as SQLite gets it.  The number counts the measures that
** the statement mentions.  Bytes may be in r->scratch, until the next call. */
PqRc pqext_rollup_measure(PqextRollupRun *r, const PqRollup *groups,
                          uint32_t number, uint32_t group, PqCell *out,
                          PqErr *e);

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
