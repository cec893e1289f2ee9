/*
** plan.h - a plan: the parts of a query that go down to the files.
**
** xBestIndex makes one (plan.c).  xFilter finds it in idxStr, after its text
** (plan_idxstr.h), which a person sees in EXPLAIN QUERY PLAN (plan_text.c):
**
**   SCAN t VIRTUAL TABLE INDEX 0:rowid = ?, files by year >= ?,
**                                exactly price IN ?, rows by "full name" LIKE ?
**
** The n-th term takes the n-th argument.  After the terms comes the shape,
** which takes none.  Names that are not plain words are in double quotes.
**
**   rowid      chooses rows
**   files by   chooses files; SQLite tests the rows again (files by literal:
**              the operand has no affinity)
**   rows of files by
**              chooses rows by their numbers in each file; SQLite tests them
**              again
**   rows by    skips row groups and pages, leaves out rows (sqlite_condition.h);
**              SQLite tests the rows that are left again
**   exactly    the same, and SQLite need not
**
**   distinct   one row of each value of the column will do
**              (core/scan/distinct.h)
**   in order of ts desc, id, first 10
**              rows come so (order_plan.c); as many are probably wanted.  If values
**              repeat, and more rows are wanted, all are hashed in order
**   grouped by country, with duration
**              rows come group by group, and the groups in order
**              (core/group/group_passes.c); these other columns are gathered
**   hashed by user, with amount, city
**              rows come group by group, in no order (core/group/grouping.h);
**              these other columns are used
**   hashed in order by user
**              the same in order.  If the statement has a LIMIT, and no GROUP BY, the
**              first rows are looked for before all are hashed
**   not grouped: tags is nested
**              SQLite sorts the rows of a GROUP BY, for this reason
**   files in order of day desc, hour
**              rows come file by file, and the files in order (core/scan/file_order.h)
**
**   not name = ?: its collation is NOCASE
**              SQLite tests this condition alone, for this reason
**
**   reads all rows, counts all rows
**              nothing goes down; the second where no page has a column that
**              is wanted
*/
#ifndef PQEXT_PLAN_H
#define PQEXT_PLAN_H

#include "ext/condition/term.h"

enum { PQEXT_GROUP_COLUMNS = 4, PQEXT_WHY_ROOM = 120 };

typedef struct PqextGroupBy {
    uint32_t n;                      /* columns; 0: not grouped             */
    uint32_t column[PQEXT_GROUP_COLUMNS];
    bool     descending[PQEXT_GROUP_COLUMNS];
    bool     once;                   /* a row of each group will do         */
    /* By their hashes (core/group/grouping.h), and in no order unless ordered. */
    bool     hashed, ordered;
    bool     gathers;                /* groups are few, and others are all that
                                     ** is used (core/group/group_gather.h) */
    bool     guessed;                /* how many there are: no dictionary was read
                                     ** for what may be max() of a file on a server */
    uint32_t n_others, other[PQ_GROUP_USED];     /* columns that are used   */
    char     why_not[PQEXT_WHY_ROOM];            /* of a GROUP BY; or empty */
} PqextGroupBy;

/* It has at most one of distinct, order, groups and files; or order and groups, which then
** give rows in the same order: the first ones sooner, or all of them. */
typedef struct PqextPlan {
    bool         no_columns;         /* no page is read for its values      */
    uint64_t     columns;            /* colUsed, as PqScanOptions.columns   */
    int          distinct;           /* a column, or -1                     */
    PqTopBy      order;              /* n 0: rows are not in order          */
    PqextGroupBy groups;
    PqextGroupBy files;              /* n 0: files are as they are listed   */
    uint32_t     n_terms;
    PqextTerm    terms[];
} PqextPlan;

/* ---- plan.c ---- */

int pqext_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info);

/* What a constraint asks; false: what no plan has. */
bool pqext_constraint_op(int op, PqextOp *out);

/* The literal that constraint i compares with, or NULL. */
sqlite3_value *pqext_literal_of(sqlite3_index_info *info, int i);

/* Does SQLite look whether constraint i, argument n, is to be omitted? */
bool pqext_plan_may_omit(int i, int n);

/* Does it compare by the collation BINARY? */
bool pqext_is_binary(sqlite3_index_info *info, int i);

/* SQLite offers LIMIT only if the table is all of FROM. */
bool pqext_is_all_of_from(const sqlite3_index_info *info);

/* Does SQLite tell GROUP BY a from GROUP BY a ORDER BY a?  It asks for the second one as
** for ORDER BY a, since 3.52. */
static inline bool pqext_order_is_said(void)
{
    return sqlite3_libversion_number() >= 3052000;
}

/* Makes a plan without a shape, from constraints on a table that SQLite does
** not see: the source of a rollup, whose columns are now in info.  It numbers
** the arguments.  NULL: no memory.  sqlite3_free frees it. */
typedef struct PqextSourceCost {
    double given, read;              /* rows                                */
    double tested;                   /* steps                               */
    bool   keyed;                    /* an operand may be another table's   */
    bool   all_exact;                /* SQLite drops none of the rows       */
} PqextSourceCost;
PqextPlan *pqext_plan_of_source(PqextTable *t, sqlite3_index_info *info,
                                PqextSourceCost *out);

/* Are the first rows looked for, whatever the statement says? */
static inline bool pqext_plan_finds_first(const PqextPlan *p)
{
    return p->order.n > 0 && (p->groups.n == 0 || p->order.only_sorted);
}

/* The bytes of a plan with n_terms. */
static inline size_t pqext_plan_size(uint32_t n_terms)
{
    return sizeof(PqextPlan) + n_terms * sizeof(PqextTerm);
}

/* Is constraint i left to SQLite because it may be an IN, one value at a time?
** Several of these would make a call for each combination of values.  Only the
** last one is taken: the ON of a join comes after the WHERE. */
bool pqext_plan_leaves(sqlite3_index_info *info, int i);

/* Is constraint i perhaps a half of x >= 'a' AND x < 'b', which SQLite makes of
** x GLOB 'a*'?  It leaves out numbers and BLOBs whose text matches. */
bool pqext_plan_is_of_pattern(const sqlite3_index_info *info, int i);

/* ---- order_plan.c: what the engine orders ---- */

/* Should the plan promise the ORDER BY (GROUP BY) of this call?  all_exact:
** SQLite will not drop a given row by the terms of the call.  guarded: some
** term may compare with another table's column. */
bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqTopBy *out);

/* The columns of the ORDER BY; false: the engine cannot order rows by them. */
bool pqext_order_columns(const PqextTable *t, const sqlite3_index_info *info,
                         PqTopBy *out);

/* The ORDER BY of the call, if ordering the files fulfills it; false: it does
** not.  *once: one row of each value is enough. */
bool pqext_file_order_plan(const PqextTable *t, sqlite3_index_info *info,
                           PqextGroupBy *out);

/* What the engine asks about the order of rows.  While planning, host has a
** listing only. */
PqTopSpec pqext_order_spec(const PqextTable *t, PqRowHost host);

/* ---- plan_left.c: what does not go down, and why ---- */

/* Appends the conditions of the call that no term has, with the reason. */
void pqext_plan_put_left(const PqextTable *t, sqlite3_str *s,
                         sqlite3_index_info *info);

/* ---- group_plan.c: do the rows of a GROUP BY come grouped, and how? ---- */

/* Fills *by with the way to do the GROUP BY, ORDER BY or DISTINCT of the call.
** by->n 0: SQLite sorts, and by->why_not may say why.  guarded: the table may
** be called once per row of another one.  in_order: without groups, the rows come in the
** order of an ORDER BY all the same. */
void pqext_group_plan(PqextTable *t, sqlite3_index_info *info, bool guarded,
                      bool in_order, PqextGroupBy *by);

/* ---- estimate.c: how many rows there are ---- */

/* A term, and its operand; NULL: it is not known. */
typedef struct PqextAsked {
    PqextTerm      term;
    sqlite3_value *operand;
} PqextAsked;

/* Shares of all rows: the rows that pass all n terms, and the rows of row
** groups that have to be read for that. */
typedef struct PqextShares {
    double given, read;
} PqextShares;

PqextShares pqext_estimate(PqextTable *t, const PqextAsked *asked, uint32_t n);

/* How many rows have the same value in a column, on average. */
double pqext_rows_of_value(PqextTable *t, uint32_t column);

/* ---- join_cost.c: what it costs a join to find rows by a column ---- */

/* Can an index be made of the column? */
bool pqext_join_can(const PqextTable *t, uint32_t column);

/* The cost of a call that the index answers, in SQLite's steps; the cost of a
** scan if memory does not suffice for an index.  used: the used columns;
** n_others: other terms; given: rows that pass all. */
double pqext_join_cost(PqextTable *t, uint32_t column, uint64_t used,
                       uint32_t n_others, double given);

/* The cost of a row that is given to SQLite, in the same steps. */
double pqext_row_cost(uint64_t used);

/* ---- outer_join.c: conditions that must not be used ---- */

/* Does this SQLite offer the operator where it must not? */
bool pqext_outer_offers(PqextOp op);

/* Could an outer join come from a view or a trigger? */
bool pqext_outer_in_schema(const PqextTable *t);

/* ... or from a statement that is running? */
bool pqext_outer_in_statements(sqlite3 *db);

/* ---- plan_text.c: what these put is appended to s ---- */

/* The words that begin a part of a plan, after ", " if it is not the first. */
void pqext_plan_put_words(sqlite3_str *s, const char *words);

/* A name as plans have it. */
void pqext_plan_put_name(sqlite3_str *s, const char *name);

/* An operator, with a blank before it. */
void pqext_plan_put_op(sqlite3_str *s, PqextOp op);

/* The terms of a plan; all of it. */
void pqext_plan_put_terms(const PqextTable *t, sqlite3_str *s,
                          const PqextPlan *p);
void pqext_plan_put(const PqextTable *t, sqlite3_str *s, const PqextPlan *p);

#endif
