/*
** cursor.h - a cursor, between its two files.
**
**   cursor.c        batches of a scan, and rows out of them
**   cursor_scan.c   the scan
**   cursor_kept.c   what is kept for the next run of a subquery
**   cursor_terms.c  the terms of a plan, with the operands of this call
**   cursor_rows.c   rows in an order, in groups, or file by file
*/
#ifndef PQEXT_CURSOR_H
#define PQEXT_CURSOR_H

#include "ext/condition/geo.h"
#include "ext/cursor/key.h"
#include "ext/cursor/timer.h"

typedef struct PqextCursor {
    sqlite3_vtab_cursor base;        /* SQLite's part: first                */
    PqextTable   *table;
    uint64_t      about;             /* number of the plan that this is all
                                     ** about (signed_plan.h); 0: of none   */
    const PqextPlan *plan;           /* ... of the current call             */
    const char   *text;              /* ... as EXPLAIN shows it             */
    struct PqextCursor *aside;       /* what there is for other plans       */
    PqextListing *listing;
    PqScan       *scan;
    bool          scan_counts;       /* it was opened to count rows only    */
    PqsqlColumn **columns;           /* made when first asked for           */
    uint64_t      file_serial;       /* that columns are for                */
    uint64_t      batch;             /* serial, 0 before the first          */
    uint32_t      row;               /* in the batch                        */
    uint32_t      at, n_rows;        /* of the rows that are given          */
    const uint32_t *kept;            /* which those are, NULL: all          */
    PqextCondition *file_terms;      /* on what all rows of a file have     */
    uint32_t      n_file_terms;
    PqextCondition *conditions;
    uint32_t      n_conditions;
    PqextGeo     *geos;              /* those on boxes of geometries        */
    uint32_t      n_geos;
    PqextKey      key;
    PqRowRange   *ranges;
    uint32_t      n_ranges;
    bool          groups_known, groups_ordered;  /* known: whether groups
                                     ** have to be in the order of their keys */
    PqRowSource  *source;            /* of the rows of this call            */
    PqDistinct   *distinct;          /* kept for the next time              */
    int           like_is_builtin;   /* -1: not asked yet                   */
    int           beside_outer;      /* an outer join runs; -1: not asked   */
    int           twins;             /* JSON of Variants keeps the Variant:
                                     ** variant_of_text.h; -1: not asked               */
    bool          noticed;           /* its scan has a note: notice.h       */
    bool          enough;            /* no further operands are wanted      */
    PqArena       arena;             /* operands                            */
    PqextTimer    timer;
    struct PqextRollupRows *rollup;  /* of a rollup (rollup_table.h), whose
                                     ** cursor has no scan; else NULL       */
    PqErr         e;
} PqextCursor;

/* Rowids: what is left of them, and the list of an IN that cuts them. */
typedef struct PqextRanges {
    PqRowRange *v;                   /* sorted, disjoint */
    uint32_t    n;
    int64_t    *list;                /* values of an IN */
    uint32_t    n_list;
} PqextRanges;

/* cursor.c: the methods of a module. */
int pqext_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out);
int pqext_close(sqlite3_vtab_cursor *cursor);
int pqext_filter(sqlite3_vtab_cursor *cursor, int flags, const char *text,
                 int argc, sqlite3_value **argv);
int pqext_next(sqlite3_vtab_cursor *cursor);
int pqext_eof(sqlite3_vtab_cursor *cursor);
int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i);
int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out);

/* ... one with nothing but its table; NULL: no memory. */
PqextCursor *pqext_cursor_new(PqextTable *t);
void pqext_cursor_free(PqextCursor *c);      /* and what it has set aside */

/* ... gives its scan back, and all that was made with it. */
void pqext_cursor_forget(PqextCursor *c);

/* ... ends the current call. */
void pqext_cursor_end_call(PqextCursor *c);

/* cursor_kept.c: makes the state for the plan of this text the current one. */
void pqext_cursor_switch_to(PqextCursor *c, const char *text);

/* ... all of a cursor that is about to be closed goes to a new one. */
void pqext_cursor_inherit(PqextCursor *heir, PqextCursor *from);

/* cursor_scan.c: opens a scan for the plan, unless there is one. */
PqRc pqext_cursor_need_scan(PqextCursor *c);

/* ... for a lane (rollup_lanes.c), which has another one: the options that a scan
** would have, and one with these. */
PqScanOptions pqext_cursor_options(const PqextCursor *c, bool counts);
PqRc pqext_cursor_open(PqextCursor *c, const PqScanOptions *options);

/* ... ends a call with the error of e, which is then clear. */
int pqext_cursor_report(PqextCursor *c, PqErr *e);

/* cursor.c: a column of the batch, for a filter. */
PqRc pqext_cursor_load(void *cursor, uint32_t i, PqsqlColumn **out, PqErr *e);

/* ... begins to scan these rows, under the conditions of the plan. */
PqRc pqext_cursor_begin(PqextCursor *c, const PqRowRange *ranges, uint32_t n);

/* ... the same without filters; the filters of the plan alone. */
PqRc pqext_cursor_proofs(PqextCursor *c, const PqRowRange *ranges, uint32_t n);
PqRc pqext_cursor_filters(PqextCursor *c);

/* cursor_terms.c: terms, conditions and ranges of c from its plan.  argv has an
** operand for each term of it. */
PqRc pqext_cursor_terms(PqextCursor *c, sqlite3_value **argv);

/* ... calls visit for an operand, or for each of an IN list until c->enough. */
typedef PqRc (*PqextVisitOperand)(PqextCursor *c, void *arg, sqlite3_value *v);
PqRc pqext_cursor_operands(PqextCursor *c, PqextOp op, sqlite3_value *v,
                           PqextVisitOperand visit, void *arg);

/* ... the list of an IN, for a column of a numeric affinity or another.  *whole
** false: it has more than so many entries, and was not read. */
PqRc pqext_cursor_list(PqextCursor *c, sqlite3_value *v, bool numeric,
                       uint64_t most, PqextList **out, bool *whole);

/* ... so many that it is worth it, for a condition that SQLite tests again. */
uint64_t pqext_cursor_worth(const PqextCursor *c);

/* cursor_rows.c: begins to give the rows as the plan says. */
PqRc pqext_rows_in_order(PqextCursor *c, PqRowSource **out);
PqRc pqext_rows_in_groups(PqextCursor *c, PqRowSource **out);
PqRc pqext_rows_by_file(PqextCursor *c, PqRowSource **out);

/* cursor_files.c: whether a file can be skipped (PqSkipFile; arg is the cursor). */
bool pqext_cursor_skips(void *arg, const PqListedFile *file);

#endif
