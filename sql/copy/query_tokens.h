/*
** query_tokens.h - the words of a query, one after the other.
**
** Comments and blanks are skipped.  A quoted name is a name and no keyword.  A
** string is a name after a point: log.'event'.
*/
#ifndef PQSQL_QUERY_TOKENS_H
#define PQSQL_QUERY_TOKENS_H

#include "core/parquet.h"

typedef enum PqsqlTokenKind {
    PQSQL_TOKEN_END,
    PQSQL_TOKEN_NAME,
    PQSQL_TOKEN_NUMBER,
    PQSQL_TOKEN_OTHER
} PqsqlTokenKind;

typedef struct PqsqlToken {
    PqsqlTokenKind kind;
    bool           quoted;           /* a NAME that is no keyword           */
    char           c;                /* OTHER: its first character          */
    const char    *z;                /* without quotes; those inside stay   */
    size_t         n;                /* doubled                             */
} PqsqlToken;

typedef struct PqsqlTokens {
    PqsqlToken  now;
    const char *from, *at;           /* where it begins and ends            */
    const char *last;                /* where the one before it ends        */
} PqsqlTokens;

/* The first token is not read yet. */
void pqsql_tokens_begin(PqsqlTokens *t, const char *sql);
void pqsql_tokens_next(PqsqlTokens *t);

bool pqsql_token_is_char(const PqsqlToken *t, char c);
bool pqsql_token_is_name(const PqsqlToken *t, const char *name);
bool pqsql_token_is_word(const PqsqlToken *t, const char *word); /* unquoted */

#endif
