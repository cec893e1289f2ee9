/*
** definition_inside.h - inside definition.h: what is shared by its files.
**
**   definition.c        the definition, and its declaration to SQLite
**   definition_text.c   the text is cut into items, and items into tokens
**   dimension.c         country, date(ts): a dimension out of its item
**   dimension_truth.c   ... is it 1, 0 or NULL?
**   measure.c           count(*), sum(price * (1 - discount)): a measure
**
**   rollup='country, date(ts) AS day, sum(price * 2)'
**
**   item      date(ts) AS day
**   body      date ( ts )         the tokens before AS
**   name      day
**
** Tokens are tokens of SQL (sql/token.h).  Comments are between them.
*/
#ifndef PQEXT_DEFINITION_INSIDE_H
#define PQEXT_DEFINITION_INSIDE_H

#include "ext/rollup/definition.h"
#include "sql/token.h"

/* ---- definition_text.c ---- */

typedef struct PqextToken {
    PqsqlToken  sql;
    const char *text;                /* WORD, TEXT: without quotes          */
} PqextToken;

/* One item.  body ends with END. */
typedef struct PqextItem {
    PqextToken *body;
    uint32_t    n;
    const char *name;                /* AS; or NULL                         */
    const char *text;                /* of the body, blanks normalised      */
} PqextItem;

/* The items of a text, in the arena. */
PqRc pqext_items_read(const char *text, PqArena *a, PqextItem **out,
                      uint32_t *n, PqErr *e);

/* Is there a blank or a comment between a token and the one before it? */
static inline bool pqext_token_is_apart(const PqextToken *t)
{
    return t[-1].sql.at + t[-1].sql.n < t->sql.at;
}

/* The column of the table that begins at *at: a word, or words with points
** between them, "s"."a".  Moves *at past it.  -1: there is none; then *name is
** what was written. */
int pqext_token_column(const PqTable *t, const PqextToken *body, uint32_t *at,
                       PqArena *a, const char **name, PqErr *e);

/* An error about an item that begins like others. */
PqRc pqext_item_error(PqErr *e, const PqextItem *item, const char *fmt, ...)
    PQ_PRINTF(3, 4);

/* The error for a token that no item can have, such as a parameter or a
** semicolon; else PQ_OK. */
PqRc pqext_item_check(const PqextItem *item, PqErr *e);

/* The error for a name that no column has. */
PqRc pqext_no_column(const PqTable *t, const PqextItem *item, const char *name,
                     PqErr *e);

/* ---- dimension.c ---- */

PqRc pqext_dimension_parse(const PqextTable *source, const PqextItem *item,
                           PqArena *a, PqextDimension *out, PqErr *e);

/* Makes a dimension of a column. */
PqRc pqext_dimension_of_column(const PqextTable *source, uint32_t column,
                               PqArena *a, PqextDimension *out, PqErr *e);

/* Is the token a sign such as = or <? */
bool pqext_token_compares(PqsqlToken t, PqextOp *out);

/* Is the column nested: a list, map, struct or part of a VARIANT? */
bool pqext_is_nested(const PqColumn *c);

/* ---- dimension_truth.c ---- */

/* Does the text of an expression show that it is 1, 0 or NULL? */
bool pqext_dimension_gives_truth(const PqextItem *item);

/* ---- measure.c ---- */

/* Is the whole item one call of a function of measures? */
bool pqext_is_measure(const PqextItem *item);

/* The error for a measure that has something around it, or for a function that
** may have been meant as a measure; else PQ_OK. */
PqRc pqext_no_measure(const PqextItem *item, PqErr *e);

/* Reads count(*), count(x), sum(x), min(x) or max(x).  x is a column;
** arithmetic over numeric columns and constants, which becomes a program
** (core/rollup/numbers.h); or any expression of one column, as a dimension can
** be. */
PqRc pqext_measure_parse(const PqextTable *source, const PqextItem *item,
                         PqArena *a, PqextMeasure *out, PqErr *e);

/* The declared type of a column, with HIDDEN or without. */
const char *pqext_declared(const PqextTable *t, uint32_t column, bool hidden,
                           PqArena *a, PqErr *e);

#endif
