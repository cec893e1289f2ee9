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

/* The last argument may be left out: keys (sql/keys/key_names.h), of a function
** that takes a path. */
enum { PQEXT_MAX_ARGUMENTS = 4 };

struct PqextFunction;

/* One call of a function, and where it has got to. */
typedef struct PqextCall {
    const struct PqextFunction *function;
    PqextHost     *host;
    PqMem         *mem;              /* a budget of its own                 */
    PqListing      listing;
    uint32_t       n_seen;           /* files opened so far                 */
    const char    *path;             /* of the open file                    */
    PqInput        in;
    PqChunkFiles   parts;            /* of the current row group            */
    PqFooter      *footer;           /* NULL: no file is open               */
    sqlite3_value *argument[PQEXT_MAX_ARGUMENTS];
    sqlite3_value *value;            /* of PQEXT_VALUE: the first argument  */
                                     /* itself, while begin runs            */
    PqArena        key_arena;        /* of keys                             */
    PqKeyChoice    keys;
    PqPatience     patience;
    const char    *table_name;       /* of a DuckLake, after its catalog; or NULL */
    void          *state;            /* the function's own                  */
    uint64_t       row;              /* from 0, of the file                 */
    sqlite3_int64  rowid;            /* counts all rows, unless next sets it */
    const char    *unreadable;       /* why the file did not open, else NULL */
    PqRc           unreadable_rc;
    PqTable       *table;            /* by pqext_call_table; in             */
                                     /* parquet_verify.c, of the first file */
    uint64_t       used;             /* the statement's colUsed             */
    const char    *chosen;           /* see PqextFunction; NULL: all rows   */
    sqlite3_value *choice;           /* ... whose text it is                */
} PqextCall;

/* ---- columns (column_value.c) ------------------------------------------- */

typedef enum PqextMember {           /* the C type of a member              */
    PQEXT_NO_MEMBER, PQEXT_BOOL, PQEXT_U16, PQEXT_U32, PQEXT_U64, PQEXT_I32,
    PQEXT_I64, PQEXT_STRING, PQEXT_CHARS,
    PQEXT_MISSING_KEY                /* of a lock; NULL: the key is there   */
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
                       char *: PQEXT_CHARS, const PqLock *: PQEXT_MISSING_KEY)

/* Does each path lead to a field that the tables of the format have?  Otherwise
** the column would be NULL in every file. */
bool pqext_columns_exist(const PqextColumn *columns, int n);

PqRc pqext_column_value(const PqextColumn *c, const PqextCall *call,
                        sqlite3_context *ctx, PqErr *e);

/* For .of: the call, whose member is the value. */
const void *pqext_the_call(const PqextCall *call, PqErr *e);

/* The name of the file that is open, and the number of the row in it. */
#define PQEXT_FILE_NAME .of = pqext_the_call, PQEXT_MEMBER(PqextCall, path)
#define PQEXT_ROW .of = pqext_the_call, PQEXT_MEMBER(PqextCall, row)

/* For .give: the text of a PqSlice; a PqSlice as a text if it is UTF-8, else as
** a blob. */
PqRc pqext_give_slice(const PqextCall *call, const void *slice,
                      sqlite3_context *ctx, PqErr *e);
PqRc pqext_give_text_or_blob(const PqextCall *call, const void *slice,
                             sqlite3_context *ctx, PqErr *e);

/* For .write: the path of a leaf as DuckDB writes it, "a, b". */
void pqext_write_path(const PqColumnChunk *c, const PqLeaf *leaf, PqBuf *out);

/* Inside .give. */
void pqext_result_text(sqlite3_context *ctx, const char *z);  /* NULL: NULL */
/* The name of an enum's number; a number without a name as digits. */
void pqext_result_name(sqlite3_context *ctx, const char *name, int number);
void pqext_write_name(const char *name, int number, PqBuf *out);

/* ---- columns about encryption ------------------------------------------- */

/* A file is shown if its footer can be read, whatever keys are at hand.  Values
** that a missing key hides are NULL, and a column missing_key names the key. */

PqRc pqext_result_key_metadata(sqlite3_context *ctx, const PqextCall *call,
                               const PqColumnCryptoMetaData *m, PqErr *e);

/* ---- functions ---------------------------------------------------------- */

/* What the first argument is. */
typedef enum PqextTakes {
    /* Files, which are opened one after the other; the function begins for
    ** each.  One of several files that does not open becomes a row of its own:
    ** it has the first column, which is the name of the file, and a last column
    ** "error", which is added to the function's own.  The only file is an
    ** error. */
    PQEXT_FILES,
    PQEXT_PATH,                      /* the function begins once, whatever is */
                                     /* there                               */
    PQEXT_VALUE,                     /* likewise, and it may be NULL        */
    PQEXT_NOTHING                    /* no argument                         */
} PqextTakes;

typedef struct PqextFunction {
    const char        *name;
    const char        *call;         /* how to call it, for messages        */
    const char        *missing;      /* the message without arguments, or   */
                                     /* NULL: the usual one                 */
    const PqextColumn *columns;
    int                n_columns;
    int                n_hidden;     /* the last of them, which come after  */
                                     /* the arguments                       */
    PqextTakes         takes;
    const char        *arguments[PQEXT_MAX_ARGUMENTS];   /* names of hidden */
                                     /* columns: all must be given          */
    const char        *optional;     /* ... but this; NULL: keys            */
    const char        *keys_hint;    /* where keys are not keys, or NULL    */
    int                rows;         /* about how many there are; 0: 1000   */
    bool               also_scalar;  /* SQL has a function of this name too */
    bool               chooses;      /* where the statement asks for one text
                                     ** of the first column, call->chosen is
                                     ** that text.  Other rows need not be
                                     ** left out, and case may differ       */
    bool               takes_unreadable;         /* the function begins for a
                                     ** file that does not open too, without a
                                     ** footer, and says what is wrong      */
    size_t             state_size;   /* zeroed before every begin           */
    PqRc (*begin)(PqextCall *call, PqErr *e);        /* may be NULL         */
    PqRc (*next)(PqextCall *call, bool *more, PqErr *e);     /* call->row   */
    void (*end)(PqextCall *call);    /* after begin, even if that failed;
                                     ** may be NULL                         */
} PqextFunction;

#define PQEXT_COLUMNS(table) .columns = (table), .n_columns = PQ_COUNT(table)

int pqext_function_register(sqlite3 *db, PqextHost *h, const PqextFunction *f);

/* For PQEXT_PATH: lists the files. */
PqRc pqext_call_files(PqextCall *call, PqErr *e);

/* ... or the versions of a lake table. */
struct PqLakeVersions;
PqRc pqext_call_versions(PqextCall *call, struct PqLakeVersions *out, PqErr *e);

/* ... and makes the table that they are. */
PqRc pqext_call_table(PqextCall *call, const PqTableOptions *options, PqErr *e);

/* Asked between pages. */
PqStop pqext_call_stop(const PqextCall *call);

/* Every function is declared here and registered by register_functions.c. */
extern const PqextFunction pqext_parquet_schema, pqext_parquet_metadata,
    pqext_parquet_file_metadata, pqext_parquet_kv_metadata,
    pqext_parquet_row_groups, pqext_parquet_pages, pqext_parquet_bloom_probe,
    pqext_parquet_verify, pqext_parquet_scan_stats, pqext_parquet_describe,
    pqext_parquet_summary, pqext_parquet_rows, pqext_parquet_files, pqext_parquet_snapshots,
    pqext_variant_explode, pqext_variant_explode_outer;

/* All of it. */
int pqext_register_table_functions(sqlite3 *db, PqextHost *h);

/* ... and a part in a file of its own. */
int pqext_register_attach(sqlite3 *db, PqextHost *h);

#endif
