/*
** filter.h - conditions decided on vectors, before SQLite sees a row.
**
** A condition on a leaf becomes a filter (core/scan/row_filter.h).  For each value
** it says "no" or "perhaps": no only where SQLite would say so.  How sure it
** can be depends on the affinity under which SQLite compares, which is known
** for the column and, unless it is a literal, unknown for the operand:
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
**
** Where it is exact whatever the operand turns out to be, the plan takes the
** condition off SQLite's hands (pqext_filter_is_exact).
**
** Values are tested where they lie: integers and floats as ranges of what is
** stored (filter_range.c), a dictionary once per entry, texts in their page,
** and anything else as the cell that SQLite would be given (sql/value/value.h).
*/
#ifndef PQEXT_FILTER_H
#define PQEXT_FILTER_H

#include "ext/condition/like.h"
#include "ext/condition/list.h"
#include "ext/condition/prune.h"

/* How SQLite compares the values of a column. */
typedef enum PqextAffinity {
    PQEXT_AFF_NONE,                  /* its values cannot be filtered       */
    PQEXT_AFF_NUMERIC, PQEXT_AFF_TEXT, PQEXT_AFF_BLOB
} PqextAffinity;

PqextAffinity pqext_filter_affinity(const PqextTable *t, uint32_t column);

/* Can a condition on the column be a filter at all? */
bool pqext_filter_can(const PqextTable *t, uint32_t column, PqextOp op);

/* Is the filter exact for every operand, or for this one if it is known? */
bool pqext_filter_is_exact(const PqextTable *t, uint32_t column, PqextOp op,
                           sqlite3_value *literal);

/* Stored integers or floats that pass, ends included. */
typedef struct PqextRange {
    union { int64_t i; double d; } low, high;
} PqextRange;

typedef enum PqextForm {
    PQEXT_FORM_CELLS,                /* one by one, as SQLite would see it  */
    PQEXT_FORM_I32, PQEXT_FORM_I64, PQEXT_FORM_FLOAT, PQEXT_FORM_DOUBLE,
    PQEXT_FORM_BYTES                 /* texts and BLOBs as they are         */
} PqextForm;

/* The condition in terms of what a leaf stores. */
typedef struct PqextStoredForm {
    PqextForm   form;
    PqextRange *ranges;              /* sorted, disjoint                    */
    uint32_t    n;
    bool        outside;             /* passes what is in none of them      */
    /* Integers beyond these are no text of four-digit years, or no time of
    ** day, and are asked cell by cell. */
    bool        bounded;
    int64_t     least, most;
} PqextStoredForm;

/* Gives the cursor's column, loaded for the batch. */
typedef PqRc (*PqextLoadColumn)(void *cursor, uint32_t column,
                                PqsqlColumn **out, PqErr *e);

typedef struct PqextFilter {
    PqFilter          base;          /* the engine's part: first            */
    const PqextTable *table;
    const PqColumn   *column;
    uint32_t          index;
    PqextAffinity     affinity;
    PqextOp           op;
    bool              literal;       /* operands have no affinity           */
    PqextValue        operand;       /* of any but IN, if it is not NULL    */
    bool              has_operand;
    bool              looks;         /* ... a text like a number            */
    const PqextList  *list;          /* of IN                               */
    PqextPattern      pattern;       /* of LIKE and GLOB                    */
    PqextLoadColumn   load;
    void             *cursor;
    PqArena          *arena;
    /* For the leaf that is read now. */
    uint64_t          file_serial;
    PqextStoredForm   stored, own;   /* own: of the column's own type       */
    bool              own_is_known;
    /* Entries of the dictionary seen last: a byte each. */
    uint64_t          dict_serial;
    uint8_t          *passes;
    uint32_t          n_passes, room;
    uint32_t          n_passing, one;    /* entries that do; one of them    */
    uint32_t          few[8];            /* likewise: a bit each, of 256    */
} PqextFilter;

/* The filter for a term whose operand is v, which is copied into a, or list if
** it is one of IN.  Both have to stay.  A literal one is compared as it is.
** cursor is load's. */
PqRc pqext_filter_begin(const PqextTable *t, PqextTerm term, sqlite3_value *v,
                        const PqextList *list, PqextLoadColumn load,
                        void *cursor, PqArena *a, PqextFilter *out, PqErr *e);

/* Would SQLite perhaps say yes? */
bool pqext_filter_passes(const PqextFilter *f, const PqextValue *v);
bool pqext_filter_passes_null(const PqextFilter *f);

bool pqext_filter_passes_cell(const PqextFilter *f, const PqsqlCell *cell);

/* filter_apply.c: the engine's question. */
PqRc pqext_filter_apply(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e);

/* filter_range.c: the form of the condition for values of a leaf. */
PqRc pqext_filter_store(PqextFilter *f, const PqLeaf *leaf, PqErr *e);

#endif
