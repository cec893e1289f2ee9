/*
** numbers.h - arithmetic over vectors of numbers.
**
** The argument of a measure, price * (1 - discount), is a small program:
**
**   column 0, constant 1, column 1, subtract, multiply
**
** The programs of a statement become one graph, in which a common part is a
** single node.  For each batch, every node computes a vector from its operands'
** vectors, an operation at a time over all rows:
**
**   sum(price * (1 - discount)),        0 price      2 discount    4  0 * 3
**   sum(price * (1 - discount) * 2)     1 constant 1 3  1 - 2      5  constant 2
**                                                                  6  4 * 5
**
** Where discount has a dictionary, 1 - discount is computed once per entry.
**
**   kind      values                    from
**   INT       int64_t                   integers, BOOLEAN, raw times
**   DECIMAL   int64_t, times 10^-scale  DECIMAL of up to 18 digits
**   WIDE      PqWide, likewise          larger ones, and products
**   REAL      double                    FLOAT, DOUBLE, FLOAT16
**
** The rules are SQLite's.  A division by zero is NULL, and so is NaN.  Where
** the result of integers does not fit, it becomes REAL in that row only.  An
** INT divided by an INT is cut.  A DECIMAL stays exact under + - *, and becomes
** REAL beside a REAL or in a division.  Where 128 bits or 38 digits after the
** point are not enough, it becomes REAL in all rows of the batch.
**
** A constant with a point, 0.05, is an exact decimal beside a DECIMAL, and a
** REAL beside everything else.
*/
#ifndef PQ_NUMBERS_H
#define PQ_NUMBERS_H

#include "core/base/arena.h"
#include "core/column/vector.h"

__extension__ typedef __int128 PqWide __attribute__((aligned(8)));

enum { PQ_NUMBER_DIGITS = 38 };      /* digits that 128 bits can hold       */

typedef enum PqNumberKind {
    PQ_NUMBER_INT, PQ_NUMBER_DECIMAL, PQ_NUMBER_WIDE, PQ_NUMBER_REAL
} PqNumberKind;

/* A vector of numbers, with a place for each row. */
typedef struct PqNumbers {
    PqNumberKind    kind;
    int             scale;           /* DECIMAL, WIDE                       */
    uint32_t        n;
    const void     *values;
    const uint64_t *valid;           /* NULL: all valid                     */
    const uint64_t *reals;           /* INT: a bit per row whose place has a
                                     ** double; NULL: none has              */
    /* With a dictionary, values has a place per entry, and ids says which entry
    ** a row has, even for rows that are not valid.  WIDE numbers and vectors
    ** with reals have no ids.  NULL: values has a place per row.  n_entries
    ** still says then that the values came from a dictionary. */
    const uint32_t *ids;
    uint32_t        n_entries;
    uint64_t        bound;           /* INT, DECIMAL: no value is further from
                                     ** 0; 0: not known                     */
} PqNumbers;

/* The bound of all values of 64 bits. */
#define PQ_NUMBERS_UNBOUNDED ((uint64_t)INT64_MAX + 1)

/* The bound of the values in an array.  pq_numbers_bound gives the bound of a
** vector without reals, or UNBOUNDED where finding it would take too long. */
uint64_t pq_numbers_bound_of(const int64_t *v, uint32_t n);
uint64_t pq_numbers_bound(const PqNumbers *v);

/* Makes values by row, in the arena. */
PqRc pq_numbers_by_row(PqNumbers *v, PqArena *a, PqErr *e);

/* Values that are NaN become NULL: 0, and not valid. */
PqRc pq_numbers_drop_nans(PqNumbers *v, double *values, PqArena *a, PqErr *e);

typedef enum PqNumberOp {
    PQ_NUMBER_COLUMN,                /* step.column                         */
    PQ_NUMBER_CONSTANT,
    PQ_NUMBER_ADD, PQ_NUMBER_SUBTRACT, PQ_NUMBER_MULTIPLY, PQ_NUMBER_DIVIDE,
    PQ_NUMBER_REMAINDER
} PqNumberOp;

typedef struct PqNumberStep {
    PqNumberOp   op;
    uint32_t     column;             /* an index into columns               */
    PqNumberKind kind;               /* of a constant: INT, DECIMAL, REAL   */
    int64_t      i;                  /* INT; DECIMAL, times 10^-scale       */
    int          scale;
    double       r;                  /* REAL; DECIMAL as a REAL             */
} PqNumberStep;

/* Steps in postfix order.  Every prefix of the steps leaves at least one value,
** and all of them together leave one. */
typedef struct PqNumberProgram {
    PqNumberStep *steps;
    uint32_t      n_steps;
    uint32_t     *columns;           /* of the table                        */
    uint32_t      n_columns;
} PqNumberProgram;

/* A step and the nodes of its operands, which come before it. */
typedef struct PqNumberNode {
    PqNumberStep step;               /* COLUMN: an index into columns       */
    uint32_t     left, right;
    bool         is_root;            /* a program's result                  */
} PqNumberNode;

/* A graph begins as zeros.  All calls take the same arena, which holds what the
** graph points to. */
typedef struct PqNumberGraph {
    PqNumberNode *nodes;
    uint32_t      n_nodes;
    uint32_t     *columns;           /* of the table                        */
    uint32_t      n_columns;
} PqNumberGraph;

/* *root: the node whose vector is the result of the program. */
PqRc pq_number_graph_add(PqNumberGraph *g, const PqNumberProgram *p, PqArena *a,
                         uint32_t *root, PqErr *e);

/* columns: a vector of n rows for each column of the graph, with 0 in rows that
** are not valid.  out: room for a vector of each node.  Only roots get
** one, by row.  A vector points into the arena, or to a column's vector. */
PqRc pq_number_graph_run(const PqNumberGraph *g, const PqNumbers *columns,
                         uint32_t n, PqArena *a, PqNumbers *out, PqErr *e);

#endif
