/*
** copy_option_values.h - inside copy_options.h: the table of options, values
** that are more than a number or a word, and the names of other tools.
*/
#ifndef PQSQL_COPY_OPTION_VALUES_H
#define PQSQL_COPY_OPTION_VALUES_H

#include "sql/copy/copy_options.h"

#include <stdio.h>

typedef struct PqsqlOptionRead {
    PqJsonRead  json;
    PqArena    *a;
    PqErr      *e;
    PqsqlCopyOptions *copy;
    const char *before, *name, *after;       /* where it is, for messages    */
} PqsqlOptionRead;

/* Reads a value, which begins with t, to its end, and stores it in to. */
typedef PqRc (*PqsqlOptionTake)(PqsqlOptionRead *r, const PqJsonToken *t,
                                void *to);

typedef enum PqsqlOptionKind {
    PQSQL_OPTION_WORDS,              /* int: number of the word              */
    PQSQL_OPTION_SWITCH,             /* int: 0 or 1                          */
    PQSQL_OPTION_COUNT,              /* int64_t                              */
    PQSQL_OPTION_SIZE,               /* int64_t: bytes                       */
    PQSQL_OPTION_TEXT,               /* const char *                         */
    PQSQL_OPTION_OTHER
} PqsqlOptionKind;

enum { PQSQL_MOST_WORDS = 4, PQSQL_MOST_NAMES = 8 };

typedef struct PqsqlOptionRow {
    const char     *name;
    PqsqlOptionKind kind;
    bool            is_of_column;    /* each column may have its own         */
    size_t          offset;          /* in PqsqlChunkSettings then, else in
                                     ** PqsqlCopyOptions                     */
    int64_t         least, most;
    bool            or_auto;         /* COUNT: "auto" is -1                  */
    bool            takes_null;      /* null goes to take, which refuses it  */
    const char     *words[PQSQL_MOST_WORDS];
    PqsqlOptionTake take;
} PqsqlOptionRow;

/* copy_options.c */
PqRc pqsql_option_wrong(PqsqlOptionRead *r, const PqJsonToken *t,
                        const char *wanted);
PqRc pqsql_option_text(PqsqlOptionRead *r, const PqJsonToken *t,
                       const char **out);

/* There is no option with this name among n: says which was probably meant. */
PqRc pqsql_option_unknown(PqsqlOptionRead *r, const char *name,
                          const char *const *names, size_t n);
bool pqsql_option_switch(const PqJsonToken *t, int *out);
bool pqsql_option_real(PqSlice s, double *out);

/* Reads the next key of an object; *name is NULL at its end. */
PqRc pqsql_option_key(PqsqlOptionRead *r, const char **name);

/* Reads the members of an object that has begun: the settings of a column. */
PqRc pqsql_take_chunk(PqsqlOptionRead *r, PqsqlChunkSettings *out);

/* copy_option_values.c */
PqRc pqsql_take_codec(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_encoding(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_use(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_bloom(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_types(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_field_ids(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_names(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_shred(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_not_null(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_columns(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_sorting(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_params(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_geoparquet(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_covering(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_progress(PqsqlOptionRead *r, const PqJsonToken *t, void *to);
PqRc pqsql_take_key_values(PqsqlOptionRead *r, const PqJsonToken *t, void *to);

/* copy_encryption.c: reads the JSON into PqsqlCopyOptions.encryption. */
PqRc pqsql_take_encryption(PqsqlOptionRead *r, const PqJsonToken *t, void *to);

/* copy_foreign_names.c: the names that other tools have for options.  They are
** not accepted, because their meaning often differs in a detail.  The error
** names the option to use instead. */
typedef struct PqsqlElsewhere {
    const char *option;              /* its name here                        */
    const char *meant;               /* what to write; NULL: the option      */
    const char *known_as[PQSQL_MOST_NAMES];
} PqsqlElsewhere;

/* Case and the marks between words are ignored: rowGroupSize, row-group-size.
** NULL when no tool is known to have the name. */
const PqsqlElsewhere *pqsql_copy_elsewhere(const char *name);

#endif
