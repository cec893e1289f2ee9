/*
** token.h - a text of SQL, cut into tokens as SQLite cuts it.
**
**   HAVING count(*)>?1ORDER BY a -- by name
**
**   WORD HAVING   WORD count   SIGN (   SIGN *   SIGN )   SIGN >
**   PARAMETER ?1   WORD ORDER   WORD BY   WORD a   END
**
** The hard part is where a token ends.  After ?1 or x'00' a word may begin at
** once, and after 0x1F too before SQLite 3.46; after 1F it may not.  :a(b c) is
** one parameter, as in Tcl.  A byte order mark is a blank where a token could
** begin, and a letter inside of a word.  Comments and blanks are between tokens.
**
** If only some versions of SQLite take a text, it is cut as those versions cut
** it: 1_000 is a number.  The one exception is 0x1_0, which was the number 0x1
** and the name _0 before SQLite 3.46.
**
** This file does not use SQLite, so unit tests can link it.
*/
#ifndef PQSQL_TOKEN_H
#define PQSQL_TOKEN_H

#include "core/for_host.h"

typedef enum PqsqlTokenKind {
    PQSQL_TOKEN_END,
    PQSQL_TOKEN_WORD,                /* a keyword or a name                 */
    PQSQL_TOKEN_TEXT,                /* in '', which may be a name too      */
    PQSQL_TOKEN_BLOB,
    PQSQL_TOKEN_NUMBER,
    PQSQL_TOKEN_PARAMETER,
    PQSQL_TOKEN_SIGN,
    PQSQL_TOKEN_WRONG                /* SQLite takes no text with it        */
} PqsqlTokenKind;

typedef struct PqsqlToken {
    PqsqlTokenKind kind;
    bool           quoted;           /* a TEXT, or a WORD in "", `` or []   */
    const char    *at;               /* as written                          */
    size_t         n;
} PqsqlToken;

/* Does it open a name or a text in quotes? */
bool pqsql_is_quote(char c);

/* The end of what the quote at z opens, where it is doubled inside; NULL: it is not
** closed. */
const char *pqsql_end_of_quoted(const char *z);

/* Is the text, after which there is another byte, all in one pair of quotes? */
bool pqsql_is_quoted(PqSlice text);

/* Such a text without its quotes, each doubled one once, and a NUL: in out, which
** has room for text.n bytes and may be the text.  Returns its bytes. */
size_t pqsql_unquote(PqSlice quoted, char *out);

/* Moves *at past the token. */
PqsqlToken pqsql_next_token(const char **at);

/* Is it the word, without quotes and in any case? */
bool pqsql_is_word(PqsqlToken t, const char *word);

/* Is it one of n words? */
bool pqsql_is_one_of(PqsqlToken t, const char *const *words, size_t n);

bool pqsql_is_sign(PqsqlToken t, char sign);

/* May it be a name?  SELECT a AS 'x' gives a name too. */
bool pqsql_is_name(PqsqlToken t);

/* The text between its quotes, or all of it.  A quote inside is still
** doubled. */
PqSlice pqsql_bare(PqsqlToken t);

/* Is it this name, in quotes or not, in any case?  A name with a quote in it may
** not be recognized. */
bool pqsql_names(PqsqlToken t, PqSlice name);

#endif
