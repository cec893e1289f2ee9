/*
** numbers_inside.h - inside numbers.h: operations for the graph.
**
**   numbers.c        an operation over two vectors
**   number_graph.c   makes a graph of programs, and runs it
*/
#ifndef PQ_NUMBERS_INSIDE_H
#define PQ_NUMBERS_INSIDE_H

#include "core/rollup/numbers.h"

/* The vector of a node. */
typedef struct PqNumberOperand {
    PqNumbers v;
    bool      is_constant;           /* row 0 has the value of all rows     */
    bool      is_literal;            /* a constant with a point; r is its
                                     ** value as a REAL                     */
    double    r;
} PqNumberOperand;

typedef struct PqNumberRun {
    uint32_t n;
    PqArena *a;
    PqErr   *e;
} PqNumberRun;

PqRc pq_numbers_combine(const PqNumberRun *run, PqNumberOp op,
                        PqNumberOperand a, PqNumberOperand b,
                        PqNumberOperand *out);

/* Makes a result of an operand's vector: a constant gets a place for each
** row. */
PqRc pq_numbers_give(const PqNumberRun *run, PqNumberOperand o, PqNumbers *out);

#endif
