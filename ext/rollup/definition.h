/*
** definition.h - the dimensions and measures that the text of rollup='...'
** defines.
**
**   rollup='country, date(ts) AS day, count(*) AS n,
**           sum(price * (1 - discount)) AS revenue'
**
** Dimensions are columns of the source, or expressions of one column; measures add
** up a column, arithmetic, or an expression of one column.  The source is a table of
** its own that SQLite does not see.  It has the files, and all other options of the
** table, such as unnest.
*/
#ifndef PQEXT_DEFINITION_H
#define PQEXT_DEFINITION_H

#include "ext/condition/meaning.h"

typedef enum PqextDimensionKind {
    PQEXT_DIM_COLUMN,                /* the values of a column              */
    PQEXT_DIM_TIME,                  /* date(x) or strftime(format, x), made
                                     ** from the integers of a column of
                                     ** dates or timestamps                 */
    PQEXT_DIM_EXPRESSION             /* SQLite is asked, once per value     */
} PqextDimensionKind;

typedef struct PqextDimension {
    const char *name;
    const char *text;                /* as written                          */
    PqextDimensionKind kind;
    uint32_t    column;              /* of the source                       */
    struct PqextTimeFormat *format;  /* TIME                                */
    const char *declared;            /* type for SQLite, in quotes where it
                                     ** needs them, or ""                   */
    const char *asked;               /* EXPRESSION, TIME: what SQLite is
                                     ** asked, with the column's name in
                                     ** quotes                              */
    const char *cast;                /* ... to keep the column's affinity, or
                                     ** NULL                                */
    bool        collates;            /* COLLATE is there, so it cannot be a
                                     ** text: groups are told apart by bytes */
    bool        is_length;           /* length() of a column of texts, which
                                     ** is counted without SQLite           */
    uint32_t    part_from, part_n;   /* substr(x, part_from, part_n) of one, taken
                                     ** without SQLite too.  part_from 0: it is
                                     ** none; part_n UINT32_MAX: to the end  */
    bool        gives_truth;         /* it is 1, 0 or NULL                  */
    /* fare > 20, url LIKE '%x%', tip IS NULL: what the column has to be where the
    ** dimension is 1. */
    bool        is_test;
    PqextOp     test;
    PqCell      operand;             /* unless the test is about NULL       */
} PqextDimension;

/* Does only SQLite know its values? */
static inline bool pqext_dimension_asks(const PqextDimension *of)
{
    return of->kind == PQEXT_DIM_EXPRESSION && !of->is_length && !of->part_from;
}

typedef struct PqextMeasure {
    const char *name, *text;
    PqRollupOp  op;
    PqNumberProgram *program;        /* arithmetic; or                      */
    PqextDimension  *expression;     /* of one column, which SQLite computes;
                                     ** both NULL: the column itself        */
    int         column;              /* of the source; -1: count(*), or a
                                     ** program                             */
    const char *declared;
} PqextMeasure;

/* Is it sum(x IS NULL) or sum(x IS NOT NULL)?  Both follow from which rows have a
** value. */
static inline bool pqext_sums_nulls(const PqextMeasure *m)
{
    return m->op == PQ_ROLLUP_SUM && m->expression && m->expression->is_test &&
           (m->expression->test == PQEXT_IS_NULL ||
            m->expression->test == PQEXT_NOT_NULL);
}

typedef struct PqextDefinition {
    PqArena         arena;           /* all of this                         */
    PqextTable     *source;          /* owned by the table                  */
    PqextDimension *dimensions;      /* declared first, in this order       */
    uint32_t        n_dimensions;
    PqextMeasure   *measures;
    uint32_t        n_measures;
} PqextDefinition;

/* source is open.  Where text has measures only, every column that is not
** nested is a dimension. */
PqRc pqext_definition_parse(PqextTable *source, const char *text,
                            PqextDefinition **out, PqErr *e);
void pqext_definition_free(PqextDefinition *d);            /* d may be NULL */

/* Are the values of a column of the source numbers? */
bool pqext_is_numeric(const PqextTable *t, uint32_t column);

/* CREATE TABLE x(...) with the names that the text gives to its columns, without
** files: types and hidden columns are missing.  For sqlite3_free; NULL: the text
** cannot be read. */
char *pqext_definition_names(const char *text, PqMem *mem);

#endif
