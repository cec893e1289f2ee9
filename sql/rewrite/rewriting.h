/*
** rewriting.h - parquet_rewrite and parquet_compact: files made of the row groups of
** others (core/rewrite/rewrite.h).
**
**   rewriting.c        parquet_rewrite: options, the way by row groups or by rows
**   rewrite_columns.c  the columns of the output, out of those of all inputs
**   rewrite_file.c     inputs into one file
**   compact.c          parquet_compact: small files of a folder become large ones
**
** Row groups are copied where the columns of all inputs can be mapped one by one.
** Where they cannot, rows are copied by parquet_copy_to:
**
**   rows are sorted                               the order of rows is another one
**   a column has another type in some file        union_by_name converts its values
**   key=value folders of the inputs are columns   no file has their values
*/
#ifndef PQSQL_REWRITE_H
#define PQSQL_REWRITE_H

#include "sql/move/move.h"

/* Which keys of metadata the output has: of the inputs, or those that the option gives. */
typedef enum PqsqlKeysOf {
    PQSQL_KEYS_FIRST, PQSQL_KEYS_LAST, PQSQL_KEYS_MERGE, PQSQL_KEYS_GIVEN
} PqsqlKeysOf;

typedef struct PqsqlRewriteColumn {
    PqRewriteColumn c;               /* like NULL: a column of folders, which no
                                     ** file has                             */
    uint32_t n_files;                /* that have it                         */
    bool     chosen;
} PqsqlRewriteColumn;

/* One call.  Errors are in m.e. */
typedef struct PqsqlRewrite {
    PqsqlMove        m;              /* its folder is the output             */
    const char      *inputs;         /* a path, as the user gave it          */
    PqListing        listing;
    int64_t          min_rows, min_bytes;
    unsigned         add;            /* PQ_ADD_...                           */
    uint32_t         keys_of;        /* PqsqlKeysOf                          */
    const char      *where_not, *sort;
    uint64_t         bytes_before;
    PqRewriteProgress done;          /* of all outputs                       */
} PqsqlRewrite;

/* One output. */
typedef struct PqsqlRewriteFile {
    PqsqlRewrite       *w;
    const PqListedFile *files;
    uint32_t            n_files;
    bool                replaces;    /* the files go when the output is there */
    PqsqlRewriteColumn *columns;     /* of all files                         */
    uint32_t            n_columns;
    PqRewriteColumn    *chosen;      /* in the order of the output           */
    uint32_t            n_chosen;
    PqKeyValueList      keys;
    uint64_t            n_rows;      /* of all files                         */
    bool                is_as_first; /* its fields are those of the first file */
    bool                differs;     /* no file has the columns of all       */
    PqRewrite          *rewrite;     /* NULL: rows are copied, or nothing is */
    sqlite3_stmt       *left_out;    /* rowids that where_not drops; or NULL */
    bool                has_rowid;   /* left_out has one that is not used yet */
    PqRowSpan          *spans;       /* ... that it drops of a file          */
    uint32_t            n_spans, spans_room;
    const char         *why;         /* not NULL: only rows can be copied, and
                                     ** the reason                           */
} PqsqlRewriteFile;

/* ---- rewriting.c --------------------------------------------------------------- */

/* A table of the inputs, while a call needs one. */
#define PQSQL_REWRITE_FILES "temp.\"parquet_rewrite of files\""


/* The names of options that both functions have. */
#define PQSQL_REWRITE_OPTIONS "min_row_group_rows, min_row_group_bytes, add"
#define PQSQL_REWRITE_OF_COPY                                                                  \
    "encoding, encryption, retries, timeout, spool, " PQSQL_MOVE_OF_COPY

/* Reads the options, of which the function has those with these names. */
PqRc pqsql_rewrite_options(PqsqlRewrite *w, const char *own, const char *of_copy);

PqRc pqsql_rewrite_list(PqsqlRewrite *w, const char *path, unsigned how);

/* Makes PQSQL_REWRITE_FILES of a path, and checks where_not with it. */
PqRc pqsql_rewrite_table(PqsqlRewriteFile *f, const char *path);

/* Ends a call, whose answer has the number of files, then the members that are given; those that
** count row groups, unless all of it was done by rows; and why something was not done, or NULL. */
void pqsql_rewrite_end(PqsqlRewrite *w, sqlite3_context *ctx, const char *members, bool by_rows,
                       const char *why);

/* ---- rewrite_columns.c --------------------------------------------------------- */

/* Looks at all inputs: fills columns and keys, or why. */
PqRc pqsql_rewrite_columns(PqsqlRewriteFile *f);
void pqsql_rewrite_free(PqsqlRewriteFile *f);

/* After an option became part of a statement: an error of SQLite gets its name, and that of
** the column that was meant. */
PqRc pqsql_rewrite_in_option(const PqsqlRewriteFile *f, const char *option);

/* ---- rewrite_file.c ------------------------------------------------------------ */

/* Can the columns of all inputs be mapped?  Makes f->rewrite, or sets f->why. */
PqRc pqsql_rewrite_fits(PqsqlRewriteFile *f);

/* An error that only says that the inputs cannot be mapped becomes f->why. */
void pqsql_rewrite_cannot(PqsqlRewriteFile *f);

/* Writes a file that was begun in m.publish, which the caller commits. */
PqRc pqsql_rewrite_file(PqsqlRewriteFile *f, PqSink *sink);

void pqsql_call_compact(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* lake_delete.c */
void pqsql_call_delete(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* All functions that move data. */
int pqsql_register_moves(sqlite3 *db, PqsqlCopyHost *host);

#endif
