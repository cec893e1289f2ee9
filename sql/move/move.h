/*
** move.h - parquet_export and parquet_import: a whole database as Parquet, and back.
** parquet_archive uses the same means (archive.h).
**
**   export.c         options, the snapshot, a copy for each table, the last pass
**   export_table.c   what a table holds, and so what its columns are written as
**   export_grow.c    what is newer than the manifest says
**   manifest.c       manifest.json, written and read
**   import.c         options, the order of things, all or nothing; the rows of a file
**   import_schema.c  which statements of schema.sql are run
**   statement.c      statements that these files run
**
**   out/schema.sql         every CREATE, in an order that runs
**   out/manifest.json      each table: its file, rows, and what its columns are
**   out/events.parquet     a file for each table that has rows of its own
**   out/events.1.parquet   what it grew by
**
** SQLite's columns hold anything.  A column is written as what all its values are,
** and as VARIANT where they differ:
**
**   values                                    written as
**   integers                                  BIGINT
**   0 and 1, declared BOOLEAN                 BOOLEAN
**   REALs; and integers that affinity
**     makes of REALs again                    DOUBLE
**   texts                                     TEXT
**   dates and times as SQLite writes them,
**     declared so                             DATE, TIMESTAMP
**   BLOBs                                     BLOB
**   of several classes                        VARIANT
**   ... with texts that are not UTF-8, or
**     in a UTF-16 database not UTF-16         VARIANT, where texts are {"hex": "..."}
*/
#ifndef PQSQL_MOVE_H
#define PQSQL_MOVE_H

#include "sql/copy/copy_keep.h"
#include "sql/copy/copy_to.h"
#include "sql/copy/copy_types.h"
#include "sql/sqlite.h"

/* The key in the key-value metadata of a file whose value is PqsqlMoveTable.run. */
#define PQSQL_MOVE_RUN "parquet_export"

/* Options of a copy that are neither about types nor about one table or folder. */
#define PQSQL_MOVE_OF_COPY                                                                     \
    "compatibility, compression, compression_level, dictionary, row_group_rows, "              \
    "row_group_bytes, page_rows, page_bytes, page_version, statistics, float_order, bloom, "   \
    "kv_metadata, created_by, memory, threads, progress"

typedef enum PqsqlMoveKind {
    PQSQL_MOVE_BIGINT, PQSQL_MOVE_BOOLEAN, PQSQL_MOVE_DOUBLE, PQSQL_MOVE_TEXT,
    PQSQL_MOVE_DATE, PQSQL_MOVE_TIMESTAMP, PQSQL_MOVE_BLOB, PQSQL_MOVE_VARIANT,
    PQSQL_MOVE_HEX
} PqsqlMoveKind;

extern const char *const pqsql_move_kinds[];

/* What SQLite makes of a value that is stored in the column. */
typedef enum PqsqlMoveAffinity {
    PQSQL_MOVE_KEEPS,                /* nothing                              */
    PQSQL_MOVE_TEXTS, PQSQL_MOVE_REALS, PQSQL_MOVE_NUMBERS,
    PQSQL_MOVE_INTEGERS              /* as NUMBERS                           */
} PqsqlMoveAffinity;

/* What is among the values of a column. */
enum {
    PQSQL_HAS_INTS = 1, PQSQL_HAS_REALS = 2, PQSQL_HAS_TEXTS = 4, PQSQL_HAS_BLOBS = 8,
    PQSQL_HAS_VALUES = 15,
    PQSQL_HAS_NULLS = 16,
    PQSQL_HAS_BIG = 32,              /* integers that a REAL does not hold   */
    PQSQL_HAS_OTHERS = 64,           /* no BOOLEAN, DATE or TIMESTAMP, as is declared */
    PQSQL_HAS_ODD = 128              /* texts that would not be the same in a file */
};

typedef struct PqsqlMoveColumn {
    const char       *name;
    const char       *collation;     /* NULL: BINARY                         */
    PqsqlMoveKind     kind, declared;
    PqsqlMoveAffinity affinity;
    bool              required;
    bool              is_generated;  /* only if generated columns are wanted */
    unsigned          has;           /* PQSQL_HAS_..., of all rows that were seen */
} PqsqlMoveColumn;

/* What makes a table's rows again. */
typedef enum PqsqlMoveHow {
    PQSQL_MOVE_ROWS,                 /* its file                             */
    PQSQL_MOVE_REBUILD,              /* the table itself: FTS5 of another's
                                     ** texts                                */
    PQSQL_MOVE_NOTHING               /* CREATE is all: a virtual table whose
                                     ** rows are elsewhere                   */
} PqsqlMoveHow;

extern const char *const pqsql_move_hows[];

/* The names that SQLite has for a rowid, where no column has them. */
enum { PQSQL_MOVE_ROWIDS = 3 };
extern const char *const pqsql_move_rowids[PQSQL_MOVE_ROWIDS];

typedef struct PqsqlMoveTable {
    const char      *name, *file;    /* file NULL: none                      */
    const char      *own;            /* a name that the file gets when it is free; NULL: none */
    bool             is_virtual, has_rowid, has_alias;   /* a column is the rowid */
    bool             is_known, is_made;          /* by schema.sql; by this import */
    const char      *unreadable;     /* why its rows cannot go out, or NULL  */
    PqsqlMoveHow     how;
    const char      *rowid;          /* a name of the rowid that is no column,
                                     ** and the last column of the file; NULL:
                                     ** there is none, or a column has it    */
    int64_t          n_rows;
    const char      *run;            /* the export that wrote the file, which
                                     ** says so too; NULL: not known         */
    int64_t          sequence;       /* of AUTOINCREMENT; -1: none           */
    PqsqlMoveColumn *columns;        /* without the rowid                    */
    uint32_t         n_columns;
    /* Of a manifest that was read, in the place of columns: */
    const char      *json;           /* ... as it has them                   */
    const char      *names, *values; /* ... with the rowid, of an INSERT and of the file */
    bool             has_hex;
    const char      *query, *options; /* of its copy                         */
    const char      *grows_by;       /* export_grow.c: a column; or NULL     */
    const char      *grown_to;       /* its greatest value, JSON of an integer or a text; or
                                     ** NULL                                 */
    const char      *source;         /* FROM and what follows; NULL: all rows */
    uint64_t         n_before;       /* rows that were exported before       */
    bool             wants_generated;
} PqsqlMoveTable;

/* The schema; a new one while it replaces another: export.c. */
#define PQSQL_MOVE_SQL "schema.sql"
#define PQSQL_MOVE_NEW_SQL ".schema.sql.new"

typedef struct PqsqlManifest {
    PqSlice         json;            /* as it was read                       */
    const char     *encoding;        /* of its texts                         */
    const char     *sql;             /* the file of the schema               */
    int64_t         user_version, application_id;
    PqsqlMoveTable *tables;
    uint32_t        n_tables;
} PqsqlManifest;

/* One call of the function, which whoever begins it has named. */
typedef struct PqsqlMove {
    const char    *function;
    sqlite3       *db;
    PqsqlCopyHost *host;
    PqMem         *mem;
    PqArena        arena;
    const char    *folder;           /* with a slash at its end              */
    const char    *options;          /* JSON                                 */
    const char    *of_copy;          /* JSON of those that a copy gets       */
    const char    *schema;           /* main, or what the option says        */
    PqsqlManifest  manifest;
    PqsqlCopyOptions o;              /* those of a copy                      */
    PqsqlCopyProgress progress;
    PqsqlCopyKeep  keep;
    PqPublish     *publish;          /* of the folder; NULL: not opened      */
    const char    *last;             /* SQL that ends the call, whatever came; or NULL */
    PqErr          e;
} PqsqlMove;

/* ---- statement.c: errors are in m->e ------------------------------------------ */

/* Prepares a statement whose text is a format of sqlite3_mprintf. */
sqlite3_stmt *pqsql_move_prepare(PqsqlMove *m, const char *format, ...);

/* Refuses a condition with a parameter, and, in the place of a column, one that closes a
** parenthesis of ours. */
PqRc pqsql_move_check_condition(PqsqlMove *m, const char *where, const char *from);

/* A handle that could write: SQLite ends no transaction under it. */
sqlite3_blob *pqsql_move_hold_transaction(PqsqlMove *m);

/* Ends what failed: runs the statements, which roll back.  After an interrupt SQLite
** compiles and runs nothing while the call lasts, but then the whole transaction is rolled
** back. */
void pqsql_move_give_up(PqsqlMove *m, const char *rollback);

/* Is there a row?  After the last one, and after an error, no; next then finalizes the
** statement. */
bool pqsql_move_step(PqsqlMove *m, sqlite3_stmt *s);
bool pqsql_move_next(PqsqlMove *m, sqlite3_stmt **s);

/* Of a statement whose text is a format: runs all of it; the first value of its first row, 0
** or NULL without one.  They finalize it. */
#define pqsql_move_run(m, ...)  pqsql_move_run_all(m, pqsql_move_prepare(m, __VA_ARGS__))
#define pqsql_move_int(m, ...)  pqsql_move_first_int(m, pqsql_move_prepare(m, __VA_ARGS__))
#define pqsql_move_word(m, ...) pqsql_move_first_word(m, pqsql_move_prepare(m, __VA_ARGS__))
PqRc pqsql_move_run_all(PqsqlMove *m, sqlite3_stmt *s);
int64_t pqsql_move_first_int(PqsqlMove *m, sqlite3_stmt *s);
const char *pqsql_move_first_word(PqsqlMove *m, sqlite3_stmt *s);

/* Texts in the arena, "" after an error: of a row, where NULL is "" too; of a format of
** sqlite3_mprintf, where %w is a name between quotes; what was appended. */
const char *pqsql_move_text(PqsqlMove *m, sqlite3_stmt *s, int column);
const char *pqsql_move_print(PqsqlMove *m, const char *format, ...);
const char *pqsql_move_take(PqsqlMove *m, PqBuf *b);

/* Appends such a format. */
void pqsql_move_sql(PqsqlMove *m, PqBuf *b, const char *format, ...);

/* A list or an object of JSON, in an empty b: appends a text or the name of a member; what was
** appended, as the whole. */
void pqsql_move_item(PqBuf *b, char opens, PqSlice text);
const char *pqsql_move_close(PqsqlMove *m, PqBuf *b, const char *brackets);

/* What the caller asked for makes no sense: "parquet_export: WHY". */
PqRc pqsql_move_refuse(PqsqlMove *m, const char *format, ...) PQ_PRINTF(2, 3);

/* Adds the table's name to an error. */
PqRc pqsql_move_in_table(PqsqlMove *m, const char *table);

/* Begins a call of so many arguments, "folder [, options])", and takes the last one of most,
** the options.  false: the result is set. */
bool pqsql_move_begin(PqsqlMove *m, sqlite3_context *ctx, int argc, sqlite3_value **argv,
                      int least, int most, const char *arguments);

/* A text that is an argument, in the arena; NULL and an error. */
const char *pqsql_move_argument(PqsqlMove *m, sqlite3_value *v, const char *what);
PqRc pqsql_move_take_folder(PqsqlMove *m, sqlite3_value *v);

/* Sets the answer, or the error if there is one, as the result, and frees what m has.  NULL: the
** result is set. */
void pqsql_move_end(PqsqlMove *m, sqlite3_context *ctx, const char *answer);

/* What m->folder is called from here on; as a folder, with one slash at its end. */
PqRc pqsql_move_name_target(PqsqlMove *m);
PqRc pqsql_move_name_folder(PqsqlMove *m);

/* The place of a word in a list; n: it is not there. */
uint32_t pqsql_move_place(const char *word, const char *const *list, uint32_t n);

/* Fails for a member of the options that is in neither list: "schema, tables".  Puts those of the
** second list into m->of_copy, and the option schema into m->schema. */
PqRc pqsql_move_check_options(PqsqlMove *m, const char *own, const char *of_copy);

/* A member of the options: as a text, NULL if it is not given; as true or false; as a number,
** where *out stays if it is not given. */
const char *pqsql_move_option(PqsqlMove *m, const char *name);
bool pqsql_move_says(PqsqlMove *m, const char *option);
PqRc pqsql_move_take_size(PqsqlMove *m, const char *option, int64_t *out);

/* Reads m->o out of m->of_copy, and begins what it says of progress. */
PqRc pqsql_move_take_copy(PqsqlMove *m);

/* "error" or "replace", if anything is said. */
PqRc pqsql_move_check_overwrite(PqsqlMove *m);

/* Opens m->publish for m->folder, which may be a file, as m->o says. */
PqRc pqsql_move_publish(PqsqlMove *m);

/* Has the schema a table, index, view or trigger of the name? */
bool pqsql_move_has(PqsqlMove *m, const char *name);

/* Do the options "tables" and "exclude" leave the table in? */
bool pqsql_move_wants(PqsqlMove *m, const char *table);

/* Every name in "tables", "exclude" and "incremental" has to be that of a table. */
PqRc pqsql_move_check_names(PqsqlMove *m);

/* ---- manifest.c ---------------------------------------------------------------- */

void pqsql_manifest_write(PqsqlMove *m, PqBuf *out);

/* Has the folder, on a disk, a manifest? */
bool pqsql_manifest_is_there(PqsqlMove *m);

/* Reads that of the folder, which anybody may have written. */
PqRc pqsql_manifest_read(PqsqlMove *m, PqsqlManifest *out);

/* What schema.sql and manifest.json may have: SQLite parses JSON into ten times its size. */
enum { PQSQL_MOVE_MOST = 16 << 20 };

/* All of a small file of the folder, with a NUL after it. */
PqRc pqsql_move_read_file(PqsqlMove *m, const char *name, PqSlice *out);

/* Appends a copy of the table. */
PqRc pqsql_manifest_add(PqsqlMove *m, PqsqlManifest *to, const PqsqlMoveTable *t);
PqsqlMoveTable *pqsql_manifest_find(const PqsqlManifest *manifest, const char *name);
bool pqsql_manifest_has_file(const PqsqlManifest *manifest, const char *file);

/* ---- export_table.c ------------------------------------------------------------ */

/* Finds the columns of t, and the name of its rowid. */
PqRc pqsql_move_columns(PqsqlMove *m, PqsqlMoveTable *t);

/* Reads all rows once, and so finds their number and the kinds of the columns. */
PqRc pqsql_move_see(PqsqlMove *m, PqsqlMoveTable *t);

/* Is a text the same after it was in a file? */
bool pqsql_move_comes_back(sqlite3_value *value);

/* The columns that are stored, and the rowid, as a list; and what they are written as, as a
** JSON object. */
const char *pqsql_move_names(PqsqlMove *m, const PqsqlMoveTable *t);
const char *pqsql_move_types(PqsqlMove *m, const PqsqlMoveTable *t);

/* Makes the query and options of the copy of t, which begin with the options of all. */
PqRc pqsql_move_copy(PqsqlMove *m, PqsqlMoveTable *t, const char *options);

/* ---- export_grow.c -------------------------------------------------------------- */

/* Says by what a table grows, and which of its rows are newer than old says; NULL: all. */
PqRc pqsql_grow_table(PqsqlMove *m, const PqsqlManifest *old, PqsqlMoveTable *t);

/* After the look: how far the table has come, and that all rows are there that are not
** newer. */
PqRc pqsql_grow_look(PqsqlMove *m, PqsqlMoveTable *t);

/* Enters the files that stay into the manifest. */
PqRc pqsql_grow_keep(PqsqlMove *m, const PqsqlManifest *old);

/* ---- import_schema.c ------------------------------------------------------------- */

typedef struct PqsqlImportPart {
    const char *type;                /* table, index, view, trigger, virtual */
    const char *table;               /* that it makes, or that it is about   */
    const char *sql;                 /* NULL: it is left out, for want of trust */
} PqsqlImportPart;

typedef struct PqsqlImportSchema {
    PqsqlImportPart *parts;
    uint32_t         n;
    PqBuf            left_out;       /* statements, for want of trust: ["CREATE ...","..."  */
    const char      *direct;         /* ",load_extension,...,": functions that
                                     ** statements alone may call            */
} PqsqlImportSchema;

/* Cuts schema.sql into statements, and says what each makes, and of the tables of the manifest
** which it knows.  Without trust, those are run that an empty database of its own takes as
** CREATE TABLE, INDEX and VIEW. */
PqRc pqsql_import_schema(PqsqlMove *m, const char *text, bool trust, PqsqlImportSchema *out);

/* Reads the first name after ON in a CREATE INDEX or CREATE TRIGGER, and moves *at past it.
** The name is the table's, or its schema's if a schema is named.  NULL: an error. */
const char *pqsql_move_on(PqsqlMove *m, const char **at);

/* Functions of SQL: rewriting.c registers them. */
void pqsql_call_export(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_call_import(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_call_import_text(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_call_import_row(sqlite3_context *ctx, int argc, sqlite3_value **argv);

#endif
