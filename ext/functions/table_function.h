/*
** table_function.h - table-valued functions: what is in a file, as rows.
**
**   SELECT * FROM parquet_pages('trips/2024-*.parquet')
**
** Each function is an eponymous virtual table whose arguments are hidden
** columns.  table_function.c has what all of them share: the argument that is
** a file, a glob or a folder, the keys, one open file at a time, errors, the
** budget.  A function adds a walk over one file and a table of columns:
**
**   begin     a file has been opened
**   next      moves to the next row of that file, or says that there is none
**   end       forgets the file
**   columns   a PqextColumn for each: its declaration, and where its value is
**
** So nothing is gathered beforehand.  A value is made when SQLite asks for it,
** and a file of 10,000 row groups takes no more memory than a file of one.
*/
#ifndef PQEXT_TABLE_FUNCTION_H
#define PQEXT_TABLE_FUNCTION_H

#include "ext/host/host.h"

/* The last argument is keys (sql/keys/key_names.h), which a call may leave
** out. */
enum { PQEXT_MAX_ARGUMENTS = 4 };

/* One call of a function, and where it has got to. */
typedef struct PqextCall {
    PqextHost     *host;
    PqMem         *mem;              /* a budget of its own                 */
    PqListing      listing;
    uint32_t       n_seen;           /* files opened so far                 */
    const char    *path;             /* of the open file                    */
    PqInput        in;
    PqChunkFiles   parts;            /* of the current row group            */
    PqFooter      *footer;           /* NULL: no file is open               */
    sqlite3_value *argument[PQEXT_MAX_ARGUMENTS];
    PqArena        key_arena;        /* of keys                             */
    PqKeyChoice    keys;
    void          *state;            /* the function's own                  */
    const char    *unreadable;       /* why the file did not open, else NULL;
                                     ** see PqextUnreadable                 */
    PqRc           unreadable_rc;
    PqTable       *table;            /* of the first: parquet_verify.c      */
    uint64_t       used;             /* the statement's colUsed             */
    const char    *chosen;           /* see PqextFunction; NULL: all rows   */
    sqlite3_value *choice;           /* ... whose text it is                */
} PqextCall;

/* ---- columns (column_value.c) -------------------------------------------- */

typedef enum PqextMember {           /* the C type of a member              */
    PQEXT_NO_MEMBER, PQEXT_BOOL, PQEXT_U16, PQEXT_U32, PQEXT_U64, PQEXT_I32,
    PQEXT_I64, PQEXT_STRING, PQEXT_CHARS
} PqextMember;

enum { PQEXT_PATH_STEPS = 3 };

/* A column is one row of a table.  The row says how the column is declared,
** which struct has its value, and where in that struct:
**
**   {"page BIGINT", PQEXT_MEMBER(State, page)}
**       a member of the function's state
**   {"path TEXT", .of = current_leaf, PQEXT_MEMBER(PqLeaf, path)}
**       a member of the struct that current_leaf() returns
**   {"num_values BIGINT", .of = chunk, .format = &pq_format_chunk,
**    .path = {PQ_CHUNK_META_DATA, PQ_COLUMN_NUM_VALUES}}
**       a field of a struct of the format, by the numbers of the format.  The
**       tables of core/meta/format.h know its type, and the names of an enum
**   {"geo_types TEXT", ..., .write = write_geo_types}
**       likewise, but the function writes the text itself
**   {"crc_ok BOOLEAN", .give = give_crc_ok}
**       computed
**
** What the file does not have is NULL: an absent field, a struct for which .of
** returned NULL, a member that is a negative number (our -1 for "none"), an
** empty array of characters. */
typedef struct PqextColumn {
    const char *declaration;         /* "num_rows BIGINT"                   */
    /* The struct; without this function it is the state.  NULL and an error
    ** in e, or NULL and no error: there is none for this row. */
    const void *(*of)(const PqextCall *call, PqErr *e);
    const PqThriftStruct *format;    /* of the struct, if it is the format's */
    uint8_t     path[PQEXT_PATH_STEPS];      /* of fields; 0 ends it        */
    uint8_t     member;              /* PqextMember, if it is our own       */
    uint16_t    offset;
    /* Both get the value that the row leads to, or else the struct. */
    void (*write)(const PqextCall *call, const void *value, PqBuf *out);
    PqRc (*give)(const PqextCall *call, const void *value,
                 sqlite3_context *ctx, PqErr *e);
} PqextColumn;

#define PQEXT_AT(type, name) .offset = offsetof(type, name)
#define PQEXT_MEMBER(type, name)                                            \
    PQEXT_AT(type, name),                                                   \
    .member = _Generic(((type *)0)->name, bool: PQEXT_BOOL,                 \
                       uint16_t: PQEXT_U16, uint32_t: PQEXT_U32,            \
                       uint64_t: PQEXT_U64, int32_t: PQEXT_I32,             \
                       int64_t: PQEXT_I64, const char *: PQEXT_STRING,      \
                       char *: PQEXT_CHARS)

/* Does each path lead to a field that the tables of the format have?  Otherwise
** the column would be NULL in every file. */
bool pqext_columns_exist(const PqextColumn *columns, int n);

PqRc pqext_column_value(const PqextColumn *c, const PqextCall *call,
                        sqlite3_context *ctx, PqErr *e);

/* For .give: the name of the file that is open; the text of a PqSlice. */
PqRc pqext_give_file_name(const PqextCall *call, const void *unused,
                          sqlite3_context *ctx, PqErr *e);
PqRc pqext_give_slice(const PqextCall *call, const void *slice,
                      sqlite3_context *ctx, PqErr *e);

/* For .write: the path of a leaf as DuckDB writes it, "a, b". */
void pqext_write_path(const PqColumnChunk *c, const PqLeaf *leaf, PqBuf *out);

/* Inside .give. */
void pqext_result_text(sqlite3_context *ctx, const char *z);  /* NULL: NULL */
void pqext_result_blob(sqlite3_context *ctx, PqSlice s);
/* The name of an enum's number; a number without a name as digits. */
void pqext_result_name(sqlite3_context *ctx, const char *name, int number);
void pqext_write_name(const char *name, int number, PqBuf *out);

/* ---- columns about encryption (lock_value.c) ------------------------------ */

/* What a leaf of the open file is encrypted with; NULL: nothing. */
const PqLock *pqext_leaf_lock(const PqextCall *call, uint32_t leaf);

/* Each is NULL where it does not apply. */
void pqext_result_encrypted_with(sqlite3_context *ctx, const PqextCall *call,
                                 uint32_t leaf);
void pqext_result_missing_key(sqlite3_context *ctx, const PqLock *lock);
PqRc pqext_result_key_metadata(sqlite3_context *ctx, const PqextCall *call,
                               const PqColumnCryptoMetaData *m, PqErr *e);

/* For .give: a PqSlice as a text if it is UTF-8, else as a blob. */
PqRc pqext_give_text_or_blob(const PqextCall *call, const void *slice,
                             sqlite3_context *ctx, PqErr *e);

/* ---- functions ----------------------------------------------------------- */

/* What happens with a file that does not open. */
typedef enum PqextUnreadable {
    /* If there are several files, it becomes a row of its own.  The row has the
    ** first column, which is the name of the file, and a last column "error",
    ** which is added to the function's own.  The only file is an error. */
    PQEXT_ERROR_ROW,
    /* The function begins without a footer, for the only file too, and says in
    ** its own rows what is wrong. */
    PQEXT_BEGUN
} PqextUnreadable;

typedef struct PqextFunction {
    const char        *name;
    const char        *call;         /* how to call it, for messages        */
    const PqextColumn *columns;
    int                n_columns;
    const char *const *arguments;    /* names of hidden columns; the first,
                                     ** if any, is the file                 */
    int                n_arguments;
    bool               takes_paths;  /* its first argument is not opened: it
                                     ** is begun once, whatever is there    */
    bool               also_scalar;  /* SQL has a function of this name too */
    uint8_t            chooses;      /* 1 + a column: where the statement
                                     ** asks for one text of it, call->chosen
                                     ** is that text.  Other rows need not be
                                     ** left out, and case may differ       */
    size_t             state_size;   /* zeroed before every begin           */
    PqextUnreadable    unreadable;
    PqRc (*begin)(PqextCall *call, PqErr *e);        /* may be NULL         */
    PqRc (*next)(PqextCall *call, bool *more, PqErr *e);
    void (*end)(PqextCall *call);    /* after begin, even if that failed;
                                     ** may be NULL                         */
} PqextFunction;

/* The names of one argument that is a file, for the functions that have no
** other. */
extern const char *const pqext_file_argument[1];

int pqext_function_register(sqlite3 *db, PqextHost *h,
                            const PqextFunction *f);

/* Declares the table of a function that only statements of the user's, and views
** and triggers of temp, may read. */
int pqext_declare_function(sqlite3 *db, const char *sql);

/* wrong_call.c: what SQL says when a call lacks FROM, or has one too many.
** shape: how to call it, for a person. */
int pqext_register_without_from(sqlite3 *db, const char *name,
                                const char *shape);
int pqext_register_with_from(sqlite3 *db, const char *name, const char *shape);

/* Asked between pages. */
PqStop pqext_call_stop(const PqextCall *call);

/* Every function is declared here and registered by register_functions.c. */
extern const PqextFunction pqext_parquet_schema, pqext_parquet_metadata,
    pqext_parquet_file_metadata, pqext_parquet_kv_metadata,
    pqext_parquet_row_groups, pqext_parquet_pages, pqext_parquet_bloom_probe,
    pqext_parquet_verify, pqext_parquet_scan_stats, pqext_parquet_describe,
    pqext_parquet_summary;

/* All of it. */
int pqext_register_table_functions(sqlite3 *db, PqextHost *h);

/* ... and the parts in files of their own. */
int pqext_register_attach(sqlite3 *db, PqextHost *h);
int pqext_register_rows(sqlite3 *db, PqextHost *h);
int pqext_register_explode(sqlite3 *db, PqextHost *h);

#endif
