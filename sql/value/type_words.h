/*
** type_words.h - inside type_name.h: the table of names, and the kinds of their
** arguments.
*/
#ifndef PQSQL_TYPE_WORDS_H
#define PQSQL_TYPE_WORDS_H

#include "sql/value/type_name.h"

typedef enum PqsqlTypeArgs {
    PQSQL_ARGS_NONE,
    PQSQL_ARGS_IDLE,                 /* numbers that mean nothing: INT(11)   */
    PQSQL_ARGS_DIGITS,               /* (precision [, scale]), required      */
    PQSQL_ARGS_LENGTH,               /* (bytes): a FIXED                     */
    PQSQL_ARGS_TIME,                 /* (unit or digits [, UTC])             */
    PQSQL_ARGS_CRS,                  /* (crs)                                */
    PQSQL_ARGS_CRS_EDGES,            /* (crs [, algorithm])                  */
    PQSQL_ARGS_TYPES                 /* LIST, MAP, STRUCT                    */
} PqsqlTypeArgs;

/* Words that follow a declared type to give it its affinity. */
enum { PQSQL_SUFFIX_TEXT = 1, PQSQL_SUFFIX_REAL = 2, PQSQL_SUFFIX_BLOB = 4 };

enum { PQSQL_TYPE_NAMES = 11 };

typedef struct PqsqlTypeWord {
    PqNodeKind    kind;
    PqsqlTypeArgs args;
    unsigned      suffixes;
    PqType        type;
    bool          is_file;           /* STRUCT                               */
    const char   *names[PQSQL_TYPE_NAMES];   /* each of one word or several  */
} PqsqlTypeWord;

/* NULL when there is no such type.  *own is the name in capitals. */
const PqsqlTypeWord *pqsql_type_word(const char *name, const char **own);

/* A word that others use for geometries, such as Point: here all of them are
** GEOMETRY. */
bool pqsql_type_is_kind(PqSlice word);

/* A name that may have been meant, or NULL. */
const char *pqsql_type_word_near(const char *name);

/* Applies the arguments to the type; has says that there were parentheses.  On
** failure the text is to be put after the name of the type. */
PqRc pqsql_type_arguments(const PqsqlTypeWord *word, PqSlice args, bool has,
                          PqArena *a, PqType *type, PqErr *e);

#endif
