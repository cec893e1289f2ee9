/*
** sqlite_condition.h - turns a condition of SQLite into a condition of the
** engine.
**
** From a term of the plan and its operand, compile.c finds which stored values
** of a leaf are wanted (core/scan/wanted.h).  The engine does all the rest:
** bounds, Bloom filters, dictionaries, batches, join keys.  A filter says "no"
** or "perhaps", and "no" only if SQLite would say so.  How sure it can be
** depends on the affinity under which SQLite compares, which is known for the
** column and, unless it is a literal, unknown for the operand:
**
**   column                     operand          the filter is
**   numbers (numeric affinity) any              exact: the affinity wins
**   BLOB                       any              exact: none changes a BLOB
**   text                       literal text     exact
**   text                       other text       exact, but for texts and
**                                               operands that look like numbers
**   text                       a list of IN     exact, but for texts that look
**                                               like numbers where it has some
**   text                       number           kept if it looks like a number
**   U64                        any              exact up to 2^63-1
**   of any class (a path)      literal text     exact
**   of any class               any              exact, but where one of the two
**                                               is a text that looks like a
**                                               number, and the other a number
**
** affinity= may declare a column otherwise.  Texts that SQLite may then compare
** as numbers are filtered as with an operand that is not a literal, and numbers
** that it may compare as texts, or as they are, are not filtered.
**
** If it is exact for any operand, the plan tells SQLite not to test it
** (pqext_condition_is_exact).
*/
#ifndef PQEXT_SQLITE_CONDITION_H
#define PQEXT_SQLITE_CONDITION_H

#include "ext/condition/like.h"
#include "ext/condition/list.h"
#include "ext/condition/meaning.h"

/* Can the engine test a condition on the column at all? */
bool pqext_condition_can(const PqextTable *t, uint32_t column, PqextOp op);

/* Is the literal (NULL: the operand is none) a text or a BLOB? */
bool pqext_is_bytes(sqlite3_value *literal);

/* Is it exact for every operand, or for any literal that is a text or a BLOB? */
bool pqext_condition_is_exact(const PqextTable *t, uint32_t column, PqextOp op,
                              bool of_bytes);

/* Gives the cursor's column, loaded for the batch. */
typedef PqRc (*PqextLoadColumn)(void *cursor, uint32_t column,
                                PqsqlColumn **out, PqErr *e);

/* Drops from keep the rows of the batch whose cells do not pass the test. */
typedef PqRc (*PqextTestCell)(const void *condition, const PqCell *v, bool *is,
                              PqErr *e);
PqRc pqext_test_cells(PqextTestCell test, const void *condition, PqScan *s,
                      PqsqlColumn *column, uint64_t *keep, PqErr *e);

typedef struct PqextCondition {
    PqCondition       base;          /* the engine's part: first            */
    const PqextTable *table;
    PqType            type;          /* of the column                       */
    uint32_t          column;
    PqextAffinity     affinity;
    PqextOp           op;
    bool              literal;       /* operands have no affinity           */
    PqCell            operand;       /* of any but IN, if it is not NULL    */
    bool              has_operand;
    bool              looks;         /* ... a text like a number            */
    const PqextList  *list;          /* of IN                               */
    PqextPattern      pattern;       /* of LIKE and GLOB                    */
    PqextLoadColumn   load;
    void             *cursor;
    PqStop            stop;          /* the host, unless a lane changes it  */
    PqCellClass       texts;         /* what the bytes of the leaf are that
                                     ** was compiled for last               */
    /* Compiled for the column's own type, and for the last other one. */
    bool              known, other_known;
    PqWanted          wanted, other;
    PqType            other_type;
} PqextCondition;

/* The affinity of the column that a term is about, which may be one of files. */
PqextAffinity pqext_term_affinity(const PqextTable *t, PqextTerm term);

/* The condition of a term with the operand v, which is copied into a, or with
** list for an IN.  Both have to stay.  A literal is compared as it is.  cursor
** is passed to load. */
PqRc pqext_condition_begin(const PqextTable *t, PqextTerm term,
                           sqlite3_value *v, const PqextList *list,
                           PqextLoadColumn load, void *cursor, PqArena *a,
                           PqextCondition *out, PqErr *e);

/* The same for an expression of the column, whose values have the affinity BLOB.  It is
** asked about cells only. */
PqRc pqext_condition_of_expression(const PqextTable *t, PqextTerm term,
                                   sqlite3_value *v, const PqextList *list, PqArena *a,
                                   PqextCondition *out, PqErr *e);

/* The same for a literal, which is not NULL and has to stay. */
void pqext_condition_of_cell(const PqextTable *t, uint32_t column, PqextOp op,
                             const PqCell *operand, PqextLoadColumn load,
                             void *cursor, PqArena *a, PqextCondition *out);

/* The same for "=" and one value, for a leaf of this type that is in no table:
** it lists the wanted values.  A literal is compared as it is. */
PqRc pqext_condition_equal(const PqextTable *t, const PqType *type,
                           const PqCell *operand, bool literal, PqArena *a,
                           PqWanted *out, PqErr *e);

/* Can bounds ever rule it out, so that it is useful as a proof? */
bool pqext_condition_proves(const PqextCondition *c);

/* Would SQLite perhaps say yes? */
bool pqext_condition_passes(const PqextCondition *c, const PqCell *v);
bool pqext_condition_passes_null(const PqextCondition *c);
bool pqext_condition_passes_cell(const PqextCondition *c, const PqCell *v);

/* compile.c: PqCondition.compile. */
PqRc pqext_condition_compile(PqCondition *c, const PqType *type, PqWanted *out,
                             PqErr *e);

#endif
