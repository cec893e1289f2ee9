/*
** cursor_join.h - a join asks for one key after the other.
**
** SQLite joins by calling xFilter for each row of the other table.  From the
** second call on there is an index of the column (core/scan/join_index.h), and
** rows are picked (pq_scan_pick) instead of looked for.
**
**   call 1       a scan
**   call 2       an index: of the row group that has the key; or of all, once
**                the calls have cost as much as reading the column
**   calls 2...   operand -> stored values -> rowids -> batches of picked rows
**
** All cursors of the statement share the index, and the count of what scanning
** for keys has cost.  Each cursor chooses its own term.
**
** If the key is the only term, the same plan asked again gets its rows without
** looking at any term.
**
** The index may find too many rows, but must not miss any.  SQLite tests the
** rows, unless it was told not to; if it was told not to, and the index is not
** certain, the filter is asked.  For unnested lists the index knows rows, and
** the filter finds the elements.  For an operand that the index cannot answer
** there is a scan.
*/
#ifndef PQEXT_JOIN_H
#define PQEXT_JOIN_H

#include "ext/plan/plan.h"

struct PqextCursor;

enum { PQEXT_JOIN_TERMS = 8 };

typedef struct PqextJoin {
    PqRowSource source;              /* of the rows that are known: first   */
    struct PqextCursor *cursor;
    uint64_t    calls;
    int         column;              /* of the index                        */
    PqJoinIndex *index;              /* of the listing; NULL: none yet      */
    uint32_t    most;                /* more rows than these are scanned for */
    bool        scanning;            /* the call before was scanned for:    */
    uint64_t    read;                /* rows that were read until then      */
    uint64_t    seen[PQEXT_JOIN_TERMS];        /* operand of the call before      */
    bool        varies[PQEXT_JOIN_TERMS];
    bool        chosen;              /* for good: the term that is asked    */
    PqextTerm   term;
    int         arg;
    bool        alone;               /* it has no other term                */
    /* Of this call. */
    bool        asked;               /* the index was                       */
    bool        picking;
    bool        one_key;             /* the rows have this key:             */
    int64_t     key;
    int64_t    *keys;                /* so many times, for a batch          */
    PqJoinRows  rows;
    uint32_t    at, at_once;
    bool        elements;            /* of rows picked last may be left     */
} PqextJoin;

/* Asks the index, if there is one, before the terms are looked at.
** c->join.picking then says that the rows are known. */
PqRc pqext_join_again(struct PqextCursor *c, sqlite3_value **argv);

/* Is there nothing else to ask about the known rows? */
bool pqext_join_is_all(const struct PqextCursor *c);

/* Looks at the operands of a call; c has its terms.  Makes the index when it is
** time, and asks it. */
PqRc pqext_join_begin(struct PqextCursor *c, sqlite3_value **argv);

/* The source of the known rows. */
PqRowSource *pqext_join_rows(struct PqextCursor *c);

/* The scan is about to be closed. */
void pqext_join_forget(PqextJoin *j);

#endif
