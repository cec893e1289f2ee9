/*
** key.h - a join asks for one key after the other.
**
** SQLite joins by calling xFilter for each row of the other table.  From the
** third call on, when the calls so far have cost as much as reading the column,
** an index of the column is made (core/scan/key_index.h), and rows are picked
** (pq_scan_pick) instead of looked for.
**
**   calls 1, 2   scan                     rows read: all, twice
**   call 3       read the column once, make the index
**   calls 3...   operand -> stored values -> rowids -> batches of picked rows
**
** Rows that are found need not be the ones that are wanted, as long as none is
** missing: filters are asked about them as about any batch, and SQLite tests
** what it tests.  An operand that the index cannot answer is scanned for.
*/
#ifndef PQEXT_KEY_H
#define PQEXT_KEY_H

#include "ext/plan.h"

struct PqextCursor;

enum { PQEXT_KEY_TERMS = 8 };

typedef struct PqextKey {
    uint64_t    calls;
    bool        refused;             /* it would take too much, or no use   */
    int         column;              /* of the index                        */
    PqKeyIndex *index;
    bool       *skipped;             /* files that are not in it; or NULL   */
    uint64_t    seen[PQEXT_KEY_TERMS];   /* operand of the call before      */
    bool        varies[PQEXT_KEY_TERMS];
    /* Of this call. */
    bool        picking;
    PqKeyRows   rows;
    uint32_t    at, at_once;
} PqextKey;

/* Can an index be made of the column? */
bool pqext_key_can(const PqextTable *t, uint32_t column);

/* What a call costs that the index answers, in rows read; as much as a scan,
** where memory does not suffice for one. */
double pqext_key_cost(PqextTable *t, uint32_t column);

/* Looks at the operands of a call, whose terms c has; makes the index when it
** is time.  c->key.picking then says that the rows are known. */
PqRc pqext_key_begin(struct PqextCursor *c, const char *plan, int argc,
                     sqlite3_value **argv);

/* The next batch of the rows that are known; *more false: no further ones. */
PqRc pqext_key_next(struct PqextCursor *c, bool *more);

/* The scan is about to be closed. */
void pqext_key_forget(PqextKey *k);

#endif
