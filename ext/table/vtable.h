/*
** vtable.h - the virtual table: what the files that implement it share.
**
**   statement_files.c  the files as a statement sees them
**   table_list.c       which tables there are, for a copy of one
*/
#ifndef PQEXT_VTABLE_H
#define PQEXT_VTABLE_H

#include "ext/table/declare.h"

/* What a call asks of key=value folders.  A listing that was made for the same question has
** all files that the call can want. */
typedef struct PqextFolderAsk {
    PqFolderTest test;
    void        *scan;               /* whose conditions test               */
    uint32_t     column[PQ_FOLDER_TESTS];        /* of the table            */
    uint64_t     columns;            /* the same as bits, modulo 64         */
    PqBuf        question;           /* the terms and their operands        */
} PqextFolderAsk;

/* The files as they were when a statement began.  Its cursors share it, but for those that
** need files that it left out: they have `all`. */
typedef struct PqextListing {
    PqListing list;
    PqSlice   question;              /* that it was made for; n 0: none     */
    struct PqextListing *all;        /* NULL: not wanted yet                */
    uint32_t *numbers;               /* of its files, among all             */
    PqLookup *lookup;                /* what its scans share; NULL: none yet */
    uint32_t  holders;
    bool      noticed;               /* a notice was given: notice.c        */
    bool      read_calls, read_ors;  /* by notice_text.c, in the text       */
    uint64_t  compiled;              /* the statement's number; 0: not known */
    struct PqextTable   *table;      /* whose list has it, or NULL          */
    struct PqextListing *next;
    struct PqextMade    *made;       /* groups of a rollup: rollup_made.c   */
    struct PqextRowids  *rowids;     /* of groups: rollup_rowids.c          */
    void (*forget)(struct PqextListing *l);          /* frees these; or NULL */
    uint32_t *folders;               /* of each column of the table: which  */
                                     /* folder column it is, or             */
                                     /* PQEXT_NO_FOLDER; NULL without table */
} PqextListing;

enum { PQEXT_NO_FOLDER = INT32_MAX };

struct PqextTable;
struct PqextCursor;

/* A table whose rows are not the rows of files has these instead of plan.c and
** cursor.c: the rollup (rollup_cursor.c). */
typedef struct PqextOwnRows {
    int  (*best_index)(struct PqextTable *t, sqlite3_index_info *info);
    PqRc (*begin)(struct PqextCursor *c, PqErr *e);
    void (*free)(struct PqextCursor *c);             /* what begin has made */
    /* The call then gives the rows of c->source. */
    PqRc (*filter)(struct PqextCursor *c, const char *text,
                   sqlite3_value **argv);
} PqextOwnRows;

typedef struct PqextTable {
    sqlite3_vtab  base;              /* SQLite's part: first                */
    PqextHost    *host;
    PqextOptions  options;
    PqsqlOptions  values;
    PqTable      *table;             /* NULL: the files could not be opened */
    PqextDeclared *affinities;       /* of its columns; NULL: of their types */
    char         *gone;              /* ... and why                         */
    char         *schema, *name;
    struct PqextTable *next;         /* of the connection's                 */
    PqextListing *now;               /* of the statements that run          */
    uint64_t      watched;           /* PqextHost.watch when a statement was
                                     ** compiled that reads it              */
    uint32_t      n_columns;         /* declared                            */
    bool          utf16;             /* text is not compared as UTF-8       */
    bool          utf16_big;         /* ... but as UTF-16, big-endian       */
    double        rows_guess;        /* of all files                        */
    double        elements;          /* of a row in a file; 1: not unnested */
    uint32_t      n_files;           /* when it was opened                  */
    uint32_t      n_requests;        /* for its listing                     */
    uint64_t      asked_in_vain;     /* columns of folders that it does not pay
                                     ** to ask for                          */
    struct PqextSample *sample;      /* of the first file: sample.c         */
    PqKeptIndexes *kept;             /* indexes of the statement before     */
    /* rollup_table.h: rows are groups of the rows of the source, which is a
    ** table that SQLite does not see; this one has no files itself. */
    struct PqextTable      *source;
    struct PqextDefinition *rollup;  /* NULL: an ordinary table             */
    const PqextOwnRows     *own;     /* likewise                            */
} PqextTable;

/* The column that SQLite numbers i; NULL: i is the rowid, or not a column. */
static inline const PqColumn *pqext_column_at(const PqextTable *t, int i)
{
    return i >= 0 && (uint32_t)i < t->table->n_columns ? &t->table->columns[i]
                                                       : NULL;
}

/* ---- table_list.c: the tables of a connection --------------------------- */

void pqext_tables_add(PqextTable *t);
void pqext_tables_remove(PqextTable *t);         /* need not be in it */
void pqext_tables_connect_again(PqextHost *h);

/* Registers the functions that ask for them: parquet_copy_to, parquet_key. */
int pqext_register_copy(sqlite3 *db, PqextHost *h);
int pqext_register_keys(sqlite3 *db, PqextHost *h);

/* ---- ext/table_module.c ------------------------------------------------- */

int pqext_register_table(sqlite3 *db, PqextHost *h);

/* ---- statement_files.c -------------------------------------------------- */

/* A listing of the files as they are now, outside of any table's list.  t: the
** table that they must fit, or NULL if there is none yet. */
PqRc pqext_listing_make(PqextHost *host, const PqextOptions *o,
                        const PqTable *t, PqextListing **out, PqErr *e);
void pqext_listing_release(PqextListing *l);             /* l may be NULL */

/* A listing of all files for a statement that begins, in the table's list.  *out stays NULL if
** there is one, or if it is to wait for the terms of a call. */
PqRc pqext_listing_begin(PqextTable *t, PqextListing **out, PqErr *e);

/* Does it take so many requests to list all files that it pays to wait for the terms of a
** call, which may ask for some folders only? */
bool pqext_listing_waits(const PqextTable *t);

/* The listing of the statement with this number (plan_idxstr.h), for a cursor
** without a scan.  *l is the listing that the cursor has, or NULL.  ask: what the call
** wants of folders; NULL: all files. */
PqRc pqext_listing_join(PqextTable *t, uint64_t number, const PqextFolderAsk *ask,
                        PqextListing **l, PqErr *e);

/* Has it all files that the call can want? */
bool pqext_listing_serves(const PqextListing *l, const PqextFolderAsk *ask);

/* The statement's listing of all files, which l is or holds. */
PqRc pqext_listing_all(PqextListing *l, PqextListing **out, PqErr *e);

/* From the number of a file in the listing to its number among all files, which rowids and
** file_index have. */
PqRc pqext_listing_number(PqextListing *l, int64_t *file, PqErr *e);

/* The value of a column of files in all rows of a file.  is_other, unless it is
** NULL, becomes true if folders no longer have the type that was declared. */
PqCell pqext_file_value(const PqextListing *l, const PqTable *t,
                        uint32_t column, uint32_t file, bool *is_other);

/* The value of a column of folders; v NULL: the file has no such folder. */
PqCell pqext_folder_value(const PqColumn *c, const PqHiveValue *v);

#endif
