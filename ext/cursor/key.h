/*
** key.h - a join asks for one key after the other.
**
** SQLite joins by calling xFilter for each row of the other table.  From the
** second call on there is an index of the column (core/scan/key_index.h), and
** rows are picked (pq_scan_pick) instead of looked for.
**
**   call 1       a scan
**   call 2       an index: of the row group that has the key; or of all, once
**                the calls have cost as much as reading the column
**   calls 2...   operand -> stored values -> rowids -> batches of picked rows
**
** The index is that of all cursors of the statement, and so is the count of
** what scanning for keys has cost.  Which term is asked is a cursor's own.
**
** The same plan asked again comes to its rows without any term of it being
** looked at, where the key is the only one.
**
** Rows that are found need not be the ones that are wanted, as long as none is
** missing: SQLite tests what it was not told to leave, and where it was, and
** the index does not know the rows for certain, the filter is asked.  Of rows
** with lists that are unnested, it knows rows, and the filter finds the
** elements.  An
** operand that the index cannot answer is scanned for.
*/
#ifndef PQEXT_KEY_H
#define PQEXT_KEY_H

#include "ext/plan/plan.h"

struct PqextCursor;

enum { PQEXT_KEY_TERMS = 8 };

typedef struct PqextKey {
    PqRowSource source;              /* of the rows that are known: first   */
    struct PqextCursor *cursor;
    uint64_t    calls;
    int         column;              /* of the index                        */
    PqKeyIndex *index;               /* of the listing; NULL: none yet      */
    uint32_t    most;                /* more rows than these are scanned for */
    bool        scanning;            /* the call before was scanned for:    */
    uint64_t    read;                /* rows that were read until then      */
    uint64_t    seen[PQEXT_KEY_TERMS];   /* operand of the call before      */
    bool        varies[PQEXT_KEY_TERMS];
    bool        chosen;              /* for good: the term that is asked    */
    PqextTerm   term;
    int         arg;
    bool        alone;               /* it has no other term                */
    /* Of this call. */
    bool        asked;               /* the index was                       */
    bool        picking;
    int         settled;             /* argument whose rows these are, or -1 */
    bool        one_key;             /* ... and have this key:              */
    int64_t     key;
    int64_t    *keys;                /* so many times, for a batch          */
    PqKeyRows   rows;
    uint32_t    at, at_once;
    bool        elements;            /* of rows picked last may be left     */
} PqextKey;

/* Asks the index, if there is one, before the terms are looked at.
** c->key.picking then says that the rows are known. */
PqRc pqext_key_again(struct PqextCursor *c, sqlite3_value **argv);

/* There is nothing else to ask about the rows that are known. */
bool pqext_key_is_all(const struct PqextCursor *c);

/* Looks at the operands of a call, whose terms c has; makes the index when it
** is time, and asks it. */
PqRc pqext_key_begin(struct PqextCursor *c, sqlite3_value **argv);

/* ... which come from here. */
PqRowSource *pqext_key_rows(struct PqextCursor *c);

/* The scan is about to be closed. */
void pqext_key_forget(PqextKey *k);

#endif
