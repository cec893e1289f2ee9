/*
** cursor_scan.h - the scan of a table for a plan, with the operands of a call.
**
** A cursor has one, and so have the rows that a rollup adds up, and each thread
** that reads some of these rows.
**
**   cursor_scan.c   opens and begins it, and loads columns of its batches
**   cursor_terms.c  turns terms and operands into conditions
**   cursor_rows.c   asks for its rows in an order or in groups
**   notice.c        warns of an operand that looks like a time
**   notice_text.c   says how a condition could be written so that it goes down
*/
#ifndef PQEXT_CURSOR_SCAN_H
#define PQEXT_CURSOR_SCAN_H

#include "ext/condition/geo.h"
#include "ext/cursor/timer.h"
#include "ext/plan/plan.h"

typedef struct PqextScan {
    PqextTable   *table;
    const PqextPlan *plan;           /* of the current call                 */
    const char   *text;              /* the plan, as EXPLAIN shows it       */
    PqextListing *listing;
    PqScan       *scan;
    bool          scan_counts;       /* it was opened to count rows only    */
    PqsqlColumn **columns;           /* made when first asked for           */
    bool         *late;              /* PqScanOptions.late, or NULL         */
    uint64_t      file_serial;       /* of the file that columns are for    */
    uint64_t      batch;             /* its serial; 0 before the first      */
    PqextCondition *file_terms;      /* on values of files, not of rows     */
    uint32_t      n_file_terms;
    PqextCondition *conditions;
    uint32_t      n_conditions;
    PqextGeo     *geos;              /* conditions on boxes of geometries   */
    uint32_t      n_geos;
    PqRowRange   *ranges;
    uint32_t      n_ranges;
    int           settled;           /* argument of a term whose rows an    */
                                     /* index knows, or -1                  */
    bool          picks;             /* the index of a key gives the rows   */
    uint32_t      picked;            /* their number                        */
    int           like_is_builtin;   /* -1: not asked yet                   */
    int           beside_outer;      /* an outer join runs; -1: not asked   */
    bool          noticed;           /* its scan has a note: notice.c       */
    bool          enough;            /* no further operands are wanted      */
    PqArena       arena;             /* of operands                         */
    PqextTimer    timer;
    PqErr         e;
} PqextScan;

/* ---- cursor_scan.c ------------------------------------------------------ */

/* A scan has only its table at first; reset frees everything that it has. */
void pqext_scan_init(PqextScan *s, PqextTable *t);
void pqext_scan_reset(PqextScan *s);

/* Closes the engine's scan, and frees the columns that were made for it. */
void pqext_scan_forget(PqextScan *s);

/* Does the engine's scan suit the plan?  need opens another one if not. */
bool pqext_scan_suits(const PqextScan *s);
PqRc pqext_scan_need(PqextScan *s);

/* A lane (rollup_lanes.c) opens the engine's scan with options of its own. */
PqScanOptions pqext_scan_options(const PqextScan *s, bool counts);
PqRc pqext_scan_open(PqextScan *s, const PqScanOptions *options);

/* Begins to scan these rows under the conditions of the plan: first as proofs,
** then as filters. */
PqRc pqext_scan_begin(PqextScan *s, const PqRowRange *ranges, uint32_t n);
PqRc pqext_scan_proofs(PqextScan *s, const PqRowRange *ranges, uint32_t n);
PqRc pqext_scan_filters(PqextScan *s);

/* The batch may have changed. */
void pqext_scan_enter_batch(PqextScan *s);

/* Loads a column for the batch, unless that is done; load_now does so anyway.
** load is for filters: scan is a PqextScan. */
PqRc pqext_scan_load(void *scan, uint32_t i, PqsqlColumn **out, PqErr *e);
PqRc pqext_scan_load_now(PqextScan *s, uint32_t i);

/* The value of a row in any column. */
PqRc pqext_scan_cell(PqextScan *s, uint32_t column, uint32_t row, PqCell *out,
                     PqErr *e);

/* ---- cursor_terms.c ----------------------------------------------------- */

/* Makes conditions and ranges from the plan and its operands, one per term. */
PqRc pqext_scan_terms(PqextScan *s, sqlite3_value **argv);

/* Finds the files that the plan with these operands can want: without key=value folders that
** it rules out, where that spares requests.  A scan stays, unless it lacks some of them; then
** forget is called, which has to forget it. */
PqRc pqext_scan_need_files(PqextScan *s, sqlite3_value **argv, void (*forget)(void *owner),
                           void *owner);

/* Does a term with this operator say which rows are wanted?  It does not if it may be
** one that SQLite should not have offered (outer_join.c), or if the program has its own
** LIKE. */
bool pqext_scan_believes(PqextScan *s, PqextOp op, bool exact);

/* Calls visit for an operand, or for the entries of an IN list until
** s->enough. */
typedef PqRc (*PqextVisitOperand)(PqextScan *s, void *arg, sqlite3_value *v);
PqRc pqext_scan_operands(PqextScan *s, PqextOp op, sqlite3_value *v,
                         PqextVisitOperand visit, void *arg);

/* Reads the list of an IN; numeric: for a column with that affinity.  *whole
** false: it has more than `most` entries, and the rest was not read. */
PqRc pqext_scan_list(PqextScan *s, sqlite3_value *v, bool numeric,
                     uint64_t most, PqextList **out, bool *whole);

/* A longer list is not worth reading if SQLite tests the rows again. */
uint64_t pqext_scan_worth(const PqextScan *s);

/* PqSkipFile: can the file be skipped?  arg is a PqextScan. */
bool pqext_scan_skips(void *arg, const PqListedFile *file);

/* ---- notice.c, notice_text.c, cursor_rows.c ----------------------------- */

/* Gives a notice if the operand is a time to a person, but not to SQLite. */
PqRc pqext_notice_operand(PqextScan *s, PqextTerm term, sqlite3_value *v);

/* ... if all rows are read for a condition that could be written otherwise. */
void pqext_notice_text(PqextScan *s);

/* How the values of a key are compared in a file that stores this type; NULL:
** the file does not have the column.  ordered: in SQLite's order too.
**
** Keys are equal here exactly if they are equal to SQLite: a group that came
** twice would be two rows of the result.  Stored values are compared only if
** different ones are surely different to SQLite.  In doubt, the values that
** SQLite sees are compared. */
PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered);

#endif
