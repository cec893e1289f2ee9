/*
** term.h - a condition of a plan, without its operand.
*/
#ifndef PQEXT_TERM_H
#define PQEXT_TERM_H

#include "ext/table/vtable.h"

typedef enum PqextOp {
    PQEXT_EQ, PQEXT_LT, PQEXT_LE, PQEXT_GT, PQEXT_GE, PQEXT_IN,
    PQEXT_IS_NULL, PQEXT_NOT_NULL,
    PQEXT_NE, PQEXT_IS, PQEXT_IS_NOT, PQEXT_LIKE, PQEXT_GLOB,
    PQEXT_GEO_INTERSECTS, PQEXT_GEO_CONTAINS, PQEXT_GEO_WITHIN   /* as in
                                     ** PqGeoRelation                       */
} PqextOp;

/* Is it = or IS, which a key can answer? */
static inline bool pqext_is_equal(PqextOp op)
{
    return op == PQEXT_EQ || op == PQEXT_IS;
}

static inline bool pqext_is_pattern(PqextOp op)
{
    return op == PQEXT_LIKE || op == PQEXT_GLOB;
}

static inline bool pqext_is_geo(PqextOp op)
{
    return op >= PQEXT_GEO_INTERSECTS;
}

static inline PqGeoRelation pqext_geo_relation(PqextOp op)
{
    return (PqGeoRelation)(op - PQEXT_GEO_INTERSECTS);
}

enum { PQEXT_ROWID = -1 };

typedef struct PqextTerm {
    int     column;                  /* PQEXT_ROWID, or a column            */
    PqextOp op;
    bool    by_value;                /* else by file                        */
    bool    exact;                   /* SQLite does not test again          */
    bool    literal;                 /* by file: a text is compared as one  */
} PqextTerm;

#endif
