/*
** definition_text.h - the text of a rollup, cut into items, and items into tokens.
**
**   rollup='country, date(ts) AS day, sum(price * 2)'
**
**   item      date(ts) AS day
**   body      date ( ts )         the tokens before AS
**   name      day
**
** Tokens are those of SQL (sql/token.h).  Comments are between them.
*/
#ifndef PQEXT_DEFINITION_TEXT_H
#define PQEXT_DEFINITION_TEXT_H

#include "ext/rollup/definition.h"
#include "sql/token.h"

typedef struct PqextToken {
    PqsqlTokenKind kind;
    bool        quoted;              /* a WORD                              */
    const char *begin, *end;         /* as written                          */
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

bool pqext_token_is_word(const PqextToken *t, const char *word);
bool pqext_token_is_sign(const PqextToken *t, char sign);

/* The column of the table that begins at *at: a word, or words with points
** between them, "s"."a".  Moves *at past it.  -1: there is none; then *name is
** what was written. */
int pqext_token_column(const PqTable *t, const PqextToken *body, uint32_t *at,
                       PqArena *a, const char **name, PqErr *e);

/* An error about an item that begins like others. */
PqRc pqext_item_error(PqErr *e, const PqextItem *item, const char *fmt, ...)
    PQ_PRINTF(3, 4);

/* Tokens that no item can have: parameters, and a semicolon. */
PqRc pqext_item_check(const PqextItem *item, PqErr *e);

/* The error for a name that no column has. */
PqRc pqext_no_column(const PqTable *t, const PqextItem *item, const char *name,
                     PqErr *e);

#endif
