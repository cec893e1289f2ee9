/*
** options.h - the arguments of USING parquet(...): a path, then options.
**
**   parquet('trips.parquet', union_by_name, decimal=text, memory='1GB')
**
** SQLite hands over each argument as it was written, with its quotes.  One
** table has a row per option: its name, the values it takes, and where they are
** kept.
*/
#ifndef PQEXT_OPTIONS_H
#define PQEXT_OPTIONS_H

#include "ext/host/host.h"
#include "sql/value/value.h"

/* 'a,b,c' */
typedef struct PqextNames {
    char        *text;               /* names, each ended by a NUL          */
    const char **v;                  /* n of them, in text; NULL: no list   */
    uint32_t     n;
} PqextNames;

typedef struct PqextOptions {
    char        *path;
    bool         own;                /* the path is this connection's own
                                     ** word, and not a stored schema's      */
    int          hive, union_by_name, checksum, trust_stats;
    int          distrust;           /* a bit per PqProofKind */
    int          decimal, timestamp, nan, map, invalid_utf8, variant;
    int          binary_as_string, ignore_errors;
    int          format;             /* 1: files, also those of a lake table */
    int64_t      version;            /* of a lake table; -1: the newest      */
    char        *as_of;              /* ... at a time; NULL: now             */
    char        *table;              /* of a DuckLake, whose catalog is path; or NULL */
    int          row_ids;            /* ... with what it says of rows        */
    int64_t      memory;
    int64_t      threads;            /* -1: auto */
    PqPatience   patience;
    PqextNames   columns, exclude;
    PqPathSpec  *paths;              /* n_paths computed columns            */
    uint32_t     n_paths;
    char        *unnest;             /* path of a list, or NULL */
    int          outer;
    char        *rollup;             /* NULL: a row per row of the files     */
    char        *affinity;           /* JSON, or NULL: affinity.h            */
    char        *footer_key, *column_keys, *aad_prefix;      /* as written  */
    PqMem       *key_mem;            /* of what follows; NULL: no keys named */
    PqArena      key_arena;
    PqKeyChoice  keys;               /* the ring is the caller's            */
} PqextOptions;

/* argv: the arguments, the path first.  Returns SQLITE_OK, or an error with
** *error set.  The options can be freed in both cases. */
int  pqext_options_parse(PqextOptions *o, int argc, const char *const *argv,
                         char **error);
void pqext_options_free(PqextOptions *o);

/* The keys that the options name; NULL: none. */
const PqKeyChoice *pqext_options_keys(const PqextOptions *o);

/* How values look, for sql/value/value.h. */
PqsqlOptions pqext_options_values(const PqextOptions *o);

/* The name of option i; NULL after the last option that is supported. */
const char *pqext_option_name(size_t i);

/* May statistics be believed where they say that a path is a leaf? */
bool pqext_options_believe(const PqextOptions *o);

/* Is word the name of an option? */
bool pqext_is_option(const char *word);

/* Is word the name of an option that needs a value? */
bool pqext_option_wants_value(const char *word);

/* Is word the name of an option whose value is names of columns? */
bool pqext_option_has_names(const char *word);

/* The option that follows something else in one text: "decimal=text" in
** "'trips.parquet' decimal=text".  NULL if there is none. */
const char *pqext_option_after(const char *text);

/* path_option.c: computed columns, which are options too.
**
**   user_id = variant_get(event, '$.user.id', 'bigint')
**   at      = try_variant_get("s.event", '$.at')
**
** The value is taken apart there; what it means is core/files/table_paths.c. */

/* Is the value of an option a call of variant_get or try_variant_get? */
bool pqext_is_path_call(const char *value);

/* Its parts, in memory of SQLite.  SQLITE_OK, or an error with *error set. */
int  pqext_path_parse(const char *name, const char *value, PqPathSpec *out,
                      char **error);
void pqext_path_free(PqPathSpec *p);

/* unknown_names.c: the message for an option that does not exist, which says
** what to write instead, in memory of SQLite.  before: the argument before it,
** or NULL. */
char *pqext_option_unknown(const char *name, const char *before);

/* For PqTableOptions.unknown_name: columns= has a name that no file has. */
void pqext_column_unknown(const PqTable *t, const PqListing *l,
                          const char *name, PqErr *e);

/* For PqTableOptions.unknown_list: unnest= leads to no list. */
void pqext_list_unknown(const PqTable *t, const PqNode *root,
                        const char *unnest, PqErr *e);

/* The first n bytes of text without the blanks around them, in memory of
** SQLite. */
char *pqext_trimmed(const char *text, size_t n);

/* The text without its quotes, if it has any, in memory of SQLite. */
char *pqext_dequote(const char *text);

#endif
