/*
** prune.h - conditions that the bounds of a column can rule out, or its Bloom
** filters (equal.h), or its dictionaries, entry by entry.
**
** A condition on a column becomes a proof (core/scan/proof.h): given the
** smallest and the largest value of some rows, can any of them be wanted?  The
** bounds are turned into what SQLite would see of them, and compared with the
** operand as SQLite compares; that is sound for the types whose values keep
** their order on the way:
**
**   stored                     given                  in order
**   INT, DATE, TIMESTAMP, ...  1, 2024-03-01 ...      always, but years beyond
**                                                     9999 and UINT64 beyond
**                                                     2^63-1
**   TIME                       13:45:00               within the day
**   FLOAT, DOUBLE              1.5; NaN is NULL       unless nan=text
**   TIMESTAMP as a number                             raw, not unixepoch
**   DECIMAL                    the nearest REAL       not with decimal=text
**   STRING, UUID, BLOB         bytes                  not in a UTF-16 database
**
** Whatever a proof leaves over, SQLite tests again: nothing is consumed, so a
** proof may be weaker than the condition, never stronger.
*/
#ifndef PQEXT_PRUNE_H
#define PQEXT_PRUNE_H

#include "ext/plan/plan.h"
#include "ext/condition/list.h"

/* What SQLite would see of a stored value (PLAIN, without a length), such as a
** bound; false where that is not in the order of stored values.  Texts are made
** in room. */
enum { PQEXT_BOUND_ROOM = PQ_TIME_TEXT_ROOM };
bool pqext_bound_value(const PqextTable *t, const PqType *type, PqSlice v,
                       char *room, PqextValue *out);

typedef struct PqextProof {
    PqProof             base;        /* the engine's part: first */
    const PqextTable   *table;
    const PqColumn     *column;
    PqextOp             op;
    bool                is_text;     /* so are the operands: by the plan */
    PqextValue          operand;     /* of any but IN ... */
    bool                has_operand; /* ... if it is not NULL */
    const PqextList    *list;        /* of IN */
    uint64_t           *hashes;      /* of the stored values they equal */
    uint32_t            n_hashes, room;
    bool                hashed;      /* the list is complete */
} PqextProof;

/* Do bounds of a column of this kind and type, with these options, ever prove
** anything for the operator? */
bool pqext_prune_can(const PqextTable *t, uint32_t column, PqextOp op);

/* The proof for a term, whose operand is copied into a; that of an IN is
** begun, is told what is added to its list, and ends with it. */
void pqext_prune_begin(const PqextTable *t, PqextTerm term, PqextProof *out);
PqRc pqext_prune_operand(PqextProof *p, sqlite3_value *v, PqArena *a,
                         PqErr *e);
PqRc pqext_prune_entry(PqextProof *p, sqlite3_value *v, const PqextValue *entry,
                       PqArena *a, PqErr *e);
void pqext_prune_end(PqextProof *p, const PqextList *list);

/* For equal.c. */
bool pqext_is_string(const PqextTable *t, const PqType *type);
bool pqext_has_numeric_affinity(const PqextProof *p);

#endif
