/*
** plan.h - a plan, which is text.
**
** xBestIndex writes it into idxStr, xFilter parses it, and a person sees it in
** EXPLAIN QUERY PLAN:
**
**   SCAN t VIRTUAL TABLE INDEX 0:rowid = ?, files by year >= ?,
**                                exactly price IN ?, rows by "full name" LIKE ?
**
** The n-th term takes the n-th argument; what comes after the terms, the shape,
** takes none.  Names that are no plain words are in double quotes.
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
**   grouped by rows come group by group, and the groups in order (group.h)
**   in order of ts desc, id, first 10
**              rows come so (order.h); as many are probably wanted
**   distinct   one row of each value of the column will do (distinct.h)
**
**   reads all rows, counts all rows
**              nothing goes down; the second where no column is wanted
*/
#ifndef PQEXT_PLAN_H
#define PQEXT_PLAN_H

#include "ext/table/vtable.h"

struct PqextGroupBy;

/* idxNum */
enum {
    PQEXT_NO_COLUMNS = 1,            /* only rows are counted               */
    PQEXT_ONLY_SORTED = 2            /* only the columns of the order       */
};

typedef enum PqextOp {
    PQEXT_EQ, PQEXT_LT, PQEXT_LE, PQEXT_GT, PQEXT_GE, PQEXT_IN,
    PQEXT_IS_NULL, PQEXT_NOT_NULL,
    PQEXT_NE, PQEXT_IS, PQEXT_IS_NOT, PQEXT_LIKE, PQEXT_GLOB
} PqextOp;

enum { PQEXT_ROWID = -1 };

typedef struct PqextTerm {
    int     column;                  /* PQEXT_ROWID, or a column            */
    PqextOp op;
    bool    by_value;                /* else by file                        */
    bool    exact;                   /* SQLite does not test again          */
    bool    literal;                 /* by file: a text is compared as one  */
} PqextTerm;

/* Moves *at past the words, if they come next. */
bool pqext_plan_take(const char **at, const char *words);
extern const char pqext_plan_desc[];         /* after the name in an order */

/* A column's name as a plan has it: as it is, or in double quotes; and which
** column that is, PQEXT_ROWID for the rowid.  *at moves past it. */
void pqext_plan_put_name(sqlite3_str *s, const PqextTable *t, int column);
bool pqext_plan_take_name(const char **at, PqextTable *t, int *column);

/* Is a column that chooses files, and has numbers otherwise, one of texts? */
bool pqext_is_text_of_file(const PqColumn *c);

/* Takes the next term from *at; false at the end. */
bool pqext_plan_term(PqextTable *t, const char **at, PqextTerm *out);

/* What comes after the terms. */
const char *pqext_plan_shape(PqextTable *t, const char *plan);

/* ... true, and *out, where rows are to be grouped. */
bool pqext_plan_groups(PqextTable *t, const char *shape,
                       struct PqextGroupBy *out);

#endif
