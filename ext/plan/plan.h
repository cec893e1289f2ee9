/*
** plan.h - a plan: what of a query goes down to the files.
**
** xBestIndex makes one (plan.c).  It goes to xFilter as text, in idxStr, and as
** flags, in idxNum (plan_text.c).  A person sees the text in EXPLAIN QUERY
** PLAN:
**
**   SCAN t VIRTUAL TABLE INDEX 0:rowid = ?, files by year >= ?,
**                                exactly price IN ?, rows by "full name" LIKE ?
**
** The n-th term takes the n-th argument.  After the terms comes the shape,
** which takes none.  Names that are no plain words are in double quotes.
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
**              rows come so (order.h); as many are probably wanted
**   grouped by rows come group by group, and the groups in order (group.h)
**   hashed by user, with amount, city
**              rows come group by group, in no order (core/group/grouping.h);
**              these other columns are used
**   hashed in order by user
**              the same in order
**   not grouped: tags is nested
**              SQLite sorts the rows of a GROUP BY, for this reason
**   files in order of day desc, hour
**              rows come file by file, and the files in order (file_order.h)
**
**   reads all rows, counts all rows
**              nothing goes down; the second where no page has a column that
**              is wanted
*/
#ifndef PQEXT_PLAN_H
#define PQEXT_PLAN_H

#include "ext/table/vtable.h"

typedef enum PqextOp {
    PQEXT_EQ, PQEXT_LT, PQEXT_LE, PQEXT_GT, PQEXT_GE, PQEXT_IN,
    PQEXT_IS_NULL, PQEXT_NOT_NULL,
    PQEXT_NE, PQEXT_IS, PQEXT_IS_NOT, PQEXT_LIKE, PQEXT_GLOB,
    PQEXT_GEO_INTERSECTS, PQEXT_GEO_CONTAINS, PQEXT_GEO_WITHIN   /* geo.h */
} PqextOp;

/* Is it = or IS, which a key answers? */
static inline bool pqext_is_equal(PqextOp op)
{
    return op == PQEXT_EQ || op == PQEXT_IS;
}

enum { PQEXT_ROWID = -1 };

typedef struct PqextTerm {
    int     column;                  /* PQEXT_ROWID, or a column            */
    PqextOp op;
    bool    by_value;                /* else by file                        */
    bool    exact;                   /* SQLite does not test again          */
    bool    literal;                 /* by file: a text is compared as one  */
} PqextTerm;

enum { PQEXT_GROUP_COLUMNS = 4, PQEXT_WHY_ROOM = 120 };

typedef struct PqextGroupBy {
    uint32_t n;                      /* columns; 0: not grouped             */
    uint32_t column[PQEXT_GROUP_COLUMNS];
    bool     descending[PQEXT_GROUP_COLUMNS];
    bool     once;                   /* a row of each group will do         */
    /* By their hashes (core/group/grouping.h), and in no order unless ordered. */
    bool     hashed, ordered;
    uint32_t n_others, other[PQ_GROUP_USED];     /* columns that are used   */
    char     why_not[PQEXT_WHY_ROOM];            /* of a GROUP BY; or empty */
} PqextGroupBy;

/* At most one of distinct, order, groups and files is there. */
typedef struct PqextPlan {
    const char  *text;               /* that it was read from; not looked at
                                     ** again: SQLite gives the same one at
                                     ** the same place as long as the
                                     ** statement lives                     */
    bool         no_columns;         /* no page is read for its values      */
    int          distinct;           /* a column, or -1                     */
    PqTopBy      order;              /* n 0: rows are not in order          */
    PqextGroupBy groups;
    PqextGroupBy files;              /* n 0: files are as they are listed   */
    uint32_t     n_terms;
    PqextTerm    terms[];
} PqextPlan;

/* ---- plan.c ---- */

/* Is a column that chooses files, and has numbers otherwise, one of texts? */
bool pqext_is_text_of_file(const PqColumn *c);

/* The terms of constraints on a table that SQLite does not see (the source of a
** rollup), whose columns are now in info: a plan without a shape.  It numbers
** the arguments.  NULL: no memory. */
typedef struct PqextSourceCost {
    double given, read;              /* rows                                */
    double tested;                   /* steps                               */
    bool   keyed;                    /* an operand may be another table's   */
    bool   all_exact;                /* SQLite drops none of the rows       */
} PqextSourceCost;
PqextPlan *pqext_plan_of_source(PqextTable *t, sqlite3_index_info *info,
                                PqextSourceCost *out);

/* Is constraint i left to SQLite because it may be an IN, one value at a time?
** With several of these there would be a call for each combination of values.  One
** is taken, the last: the ON of a join comes after the WHERE. */
bool pqext_plan_leaves(sqlite3_index_info *info, int i);

/* ---- plan_text.c ---- */

/* An empty one with room for so many terms; NULL: no memory. */
PqextPlan *pqext_plan_new(int n_terms);
void pqext_plan_free(PqextPlan *p);                      /* p may be NULL */

/* A name as plans have it.  The terms of a plan; both append. */
void pqext_plan_put_name(sqlite3_str *s, const char *name);
void pqext_plan_put_terms(const PqextTable *t, sqlite3_str *s,
                          const PqextPlan *p);
/* An operator, with a blank before it. */
void pqext_plan_put_op(sqlite3_str *s, PqextOp op);

/* idxStr and idxNum of a plan; NULL: no memory. */
char *pqext_plan_write(const PqextTable *t, const PqextPlan *p, int *flags);

/* ... and back.  n_terms: arguments that xFilter has. */
PqRc pqext_plan_read(const PqextTable *t, const char *text, int flags,
                     int n_terms, PqextPlan **out, PqErr *e);

#endif
