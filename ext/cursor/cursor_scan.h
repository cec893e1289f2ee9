/*
** cursor_scan.h - the scan of a table for a plan, with the operands of a call.
**
** A cursor has one, and so have the rows that a rollup adds up, and each thread that
** reads some of these.
**
**   cursor_scan.c   opens it, begins it, and loads columns of its batches
**   cursor_terms.c  the terms of a plan, with the operands of this call
*/
#ifndef PQEXT_CURSOR_SCAN_H
#define PQEXT_CURSOR_SCAN_H

#include "ext/condition/geo.h"
#include "ext/cursor/timer.h"
#include "ext/plan/plan.h"

typedef struct PqextScan {
    PqextTable   *table;
    const PqextPlan *plan;           /* of the current call                 */
    const char   *text;              /* ... as EXPLAIN shows it             */
    PqextListing *listing;
    PqScan       *scan;
    bool          scan_counts;       /* it was opened to count rows only    */
    PqsqlColumn **columns;           /* made when first asked for           */
    uint64_t      file_serial;       /* that columns are for                */
    uint64_t      batch;             /* serial, 0 before the first          */
    PqextCondition *file_terms;      /* on what all rows of a file have     */
    uint32_t      n_file_terms;
    PqextCondition *conditions;
    uint32_t      n_conditions;
    PqextGeo     *geos;              /* those on boxes of geometries        */
    uint32_t      n_geos;
    PqRowRange   *ranges;
    uint32_t      n_ranges;
    int           settled;           /* argument of a term whose rows an    */
                                     /* index knows, or -1                  */
    bool          picks;             /* rows by that index:                 */
    uint32_t      picked;            /* so many                             */
    int           like_is_builtin;   /* -1: not asked yet                   */
    int           beside_outer;      /* an outer join runs; -1: not asked   */
    bool          noticed;           /* its scan has a note: notice.c       */
    bool          enough;            /* no further operands are wanted      */
    PqArena       arena;             /* operands                            */
    PqextTimer    timer;
    PqErr         e;
} PqextScan;

/* Rowids: what is left of them, and the list of an IN that cuts them. */
typedef struct PqextRanges {
    PqRowRange *v;                   /* sorted, disjoint */
    uint32_t    n;
    int64_t    *list;                /* values of an IN */
    uint32_t    n_list;
} PqextRanges;

/* cursor_scan.c: one with nothing but its table. */
void pqext_scan_init(PqextScan *s, PqextTable *t);
void pqext_scan_reset(PqextScan *s);         /* frees what it has */

/* ... gives the engine's scan back, and the columns that were made for it. */
void pqext_scan_forget(PqextScan *s);

/* ... has it an engine's scan that suits its plan? */
bool pqext_scan_suits(const PqextScan *s);

/* ... opens one for the plan, unless there is one. */
PqRc pqext_scan_need(PqextScan *s);

/* ... for a lane (rollup_lanes.c), which has another one: the options that a scan
** would have, and one with these. */
PqScanOptions pqext_scan_options(const PqextScan *s, bool counts);
PqRc pqext_scan_open(PqextScan *s, const PqScanOptions *options);

/* ... begins to scan these rows, under the conditions of the plan. */
PqRc pqext_scan_begin(PqextScan *s, const PqRowRange *ranges, uint32_t n);

/* ... the same without filters; the filters of the plan alone. */
PqRc pqext_scan_proofs(PqextScan *s, const PqRowRange *ranges, uint32_t n);
PqRc pqext_scan_filters(PqextScan *s);

/* ... the batch may be another one. */
void pqext_scan_enter_batch(PqextScan *s);

/* ... a column of the batch, for a filter (scan is a PqextScan); loaded now, even if it
** was. */
PqRc pqext_scan_load(void *scan, uint32_t i, PqsqlColumn **out, PqErr *e);
PqRc pqext_scan_load_now(PqextScan *s, uint32_t i);

/* ... the value of a row in any column. */
PqRc pqext_scan_cell(PqextScan *s, uint32_t column, uint32_t row, PqCell *out,
                     PqErr *e);

/* cursor_terms.c: terms, conditions and ranges of s from its plan.  argv has an
** operand for each term of it. */
PqRc pqext_scan_terms(PqextScan *s, sqlite3_value **argv);

/* ... calls visit for an operand, or for each of an IN list until s->enough. */
typedef PqRc (*PqextVisitOperand)(PqextScan *s, void *arg, sqlite3_value *v);
PqRc pqext_scan_operands(PqextScan *s, PqextOp op, sqlite3_value *v,
                         PqextVisitOperand visit, void *arg);

/* ... the list of an IN, for a column of a numeric affinity or another.  *whole
** false: it has more than so many entries, and was not read. */
PqRc pqext_scan_list(PqextScan *s, sqlite3_value *v, bool numeric,
                     uint64_t most, PqextList **out, bool *whole);

/* ... so many that it is worth it, for a condition that SQLite tests again. */
uint64_t pqext_scan_worth(const PqextScan *s);

/* ... whether a file can be skipped (PqSkipFile; arg is a PqextScan). */
bool pqext_scan_skips(void *arg, const PqListedFile *file);

/* notice.c: reports it if the operand of the term is a text that a person reads
** as a time and SQLite does not. */
PqRc pqext_notice_operand(PqextScan *s, PqextTerm term, sqlite3_value *v);

/* cursor_rows.c: the form of a key in a file that stores this type; NULL: the file
** does not have the column.  ordered: the form has to be in SQLite's order too.
** Keys are equal here exactly if they are equal to SQLite: a group that came
** twice would be two rows of the result.  Stored values are compared directly
** only if different ones are surely different to SQLite.  In doubt, the
** column's values are compared. */
PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered);

#endif
