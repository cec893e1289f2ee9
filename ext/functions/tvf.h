/*
** tvf.h - functions that look inside files and give rows.
**
**   SELECT * FROM parquet_pages('trips/2024-*.parquet')
**
** Each is a table-valued function: an eponymous virtual table whose arguments
** are hidden columns.  What they have in common is here: the argument that is
** a file, a glob or a folder, one file open at a time, errors, the budget.  A
** function adds a list of columns and a walk:
**
**   begin     a file has been opened
**   next      the next row of that file, or none; it is a position, not values
**   column    a value of the row where the walk stands, made when asked for
**   end       forgets the file
**
** So nothing is gathered beforehand, a row costs what is read of it, and a file
** of 10,000 row groups takes no more memory than one of a single group.
*/
#ifndef PQEXT_TVF_H
#define PQEXT_TVF_H

#include "ext/host.h"

enum { PQEXT_TVF_ARGUMENTS = 3 };

/* One call of a function, and where it has got to. */
typedef struct PqextLook {
    PqextHost     *host;
    PqMem         *mem;              /* a budget of its own                 */
    PqListing      listing;
    uint32_t       n_seen;           /* files opened so far                 */
    const char    *path;             /* of the open file                    */
    PqInput        in;
    PqChunkFiles        parts;            /* of the row group at hand            */
    PqFooter      *footer;           /* NULL: no file is open               */
    sqlite3_value *argument[PQEXT_TVF_ARGUMENTS];
    void          *state;            /* the function's own                  */
    const char    *unreadable;       /* why the file did not open, else NULL;
                                     ** see PqextUnreadable                 */
    PqRc           unreadable_rc;
    PqTable       *table;            /* of the first of them: tvf_verify.c  */
} PqextLook;

/* What becomes of a file that does not open.
**
** Of several files it is a row of its own: the first column, which is the file's
** name, and a last column "error" that the function has for this.  Where it is
** the only file it is an error.  Or the function is begun without a footer, for a
** single file too, and says in its own rows what is wrong. */
typedef enum PqextUnreadable {
    PQEXT_ERROR_ROW,
    PQEXT_BEGUN
} PqextUnreadable;

typedef struct PqextFunction {
    const char        *name;
    const char        *call;         /* how to, for messages                */
    const char *const *columns;      /* "num_rows INTEGER"                  */
    int                n_columns;
    const char *const *arguments;    /* names of hidden columns; the first,
                                     ** if any, is the file                 */
    int                n_arguments;
    bool               takes_paths;  /* its first argument is not opened: it
                                     ** is begun once, whatever is there    */
    bool               also_scalar;  /* SQL has a function of this name too */
    size_t             state_size;   /* zeros before every begin            */
    PqextUnreadable    unreadable;
    PqRc (*begin)(PqextLook *l, PqErr *e);             /* may be NULL       */
    PqRc (*next)(PqextLook *l, bool *more, PqErr *e);
    PqRc (*column)(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e);
    void (*end)(PqextLook *l);       /* after begin, even if that failed;
                                     ** may be NULL                         */
} PqextFunction;

int pqext_function_register(sqlite3 *db, PqextHost *h,
                            const PqextFunction *f);

/* wrong_call.c: what a call says that leaves out FROM, or has one too many.
** shape: how to call it, for a person. */
int pqext_register_without_from(sqlite3 *db, const char *name,
                                const char *shape);
int pqext_register_with_from(sqlite3 *db, const char *name, const char *shape);

/* Asked between pages. */
PqStop pqext_look_stop(const PqextLook *l);

/* Values of columns. */
void pqext_give_text(sqlite3_context *ctx, const char *z);    /* NULL: NULL */
void pqext_give_slice(sqlite3_context *ctx, PqSlice s);       /* as text, what
                                                              ** is no UTF-8
                                                              ** as U+FFFD  */
void pqext_give_blob(sqlite3_context *ctx, PqSlice s);
void pqext_give_i64(sqlite3_context *ctx, bool has, int64_t v);
/* The name, or the number that has none. */
void pqext_give_name(sqlite3_context *ctx, const char *name, int number);
/* The text in the buffer, which has e for a sink. */
PqRc pqext_give_buf(sqlite3_context *ctx, const PqBuf *b, PqErr *e);

/* Every function is declared here and registered by register.c. */
extern const PqextFunction pqext_parquet_schema, pqext_parquet_metadata,
    pqext_parquet_file_metadata, pqext_parquet_kv_metadata,
    pqext_parquet_row_groups, pqext_parquet_pages, pqext_parquet_bloom_probe,
    pqext_parquet_verify, pqext_parquet_scan_stats, pqext_parquet_describe;

#endif
