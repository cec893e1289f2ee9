/*
** vtable.h - the virtual table: what the files that implement it share.
**
**   table_module.c  create, connect, drop
**   statement_files.c  the files as a statement sees them
**   table_list.c    which tables there are, for a copy of one
**   plan.c          xBestIndex: constraints become a plan (plan.h)
**   cursor.c        xFilter .. xColumn: the plan becomes a scan, batches
**                   become rows (cursor_terms.c: its terms)
*/
#ifndef PQEXT_VTABLE_H
#define PQEXT_VTABLE_H

#include "ext/table/declare.h"

/* The files as they were when a statement began.  Its cursors share it. */
typedef struct PqextListing {
    PqListing list;
    PqLookup *lookup;                /* what its scans share; NULL: none yet */
    uint32_t  holders;
    bool      noticed;               /* a notice was given: notice.h        */
    uint64_t  compiled;              /* the statement's number; 0: not known */
    struct PqextTable   *table;      /* whose list has it, or NULL          */
    struct PqextListing *next;
    struct PqextMade    *made;       /* groups of a rollup: rollup_made.h   */
    struct PqextRowids  *rowids;     /* of groups: rollup_rowids.h          */
    uint32_t *folders;               /* of each column of the table: which  */
                                     /* folder column it is, or             */
                                     /* PQEXT_NO_FOLDER; NULL without table */
} PqextListing;

enum { PQEXT_NO_FOLDER = INT32_MAX };

typedef struct PqextTable {
    sqlite3_vtab  base;              /* SQLite's part: first                */
    PqextHost    *host;
    PqextOptions  options;
    PqsqlOptions  values;
    PqTable      *table;             /* NULL: the files could not be opened */
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
    struct PqextSample *sample;      /* of the first file: sample.c         */
    PqKeptKeys   *kept;              /* indexes of the statement before     */
    /* rollup_table.h: rows are groups of the rows of the source, which is a
    ** table that SQLite does not see; this one has no files itself. */
    struct PqextTable      *source;
    struct PqextDefinition *rollup;  /* NULL: an ordinary table             */
} PqextTable;

/* Are its rows the elements of a list?  Then a row of a file may be several, and
** rowids are made for one statement only. */
static inline bool pqext_is_unnested(const PqextTable *t)
{
    return t->table->unnest.n > 0;
}

/* table_list.c: the tables of a connection. */
void pqext_tables_add(PqextTable *t);
void pqext_tables_remove(PqextTable *t);         /* need not be in it */
void pqext_tables_connect_again(PqextHost *h);

/* table_module.c: xBestIndex and xOpen of a table whose files could not be opened.
** If they can be by now, a plan without a cursor makes SQLite connect it again. */
int pqext_gone_plan(PqextTable *t);
int pqext_gone_open(PqextTable *t);

/* statement_files.c: a listing of the files as they are now, which is in no
** table's list.  t: the table that they must fit, or NULL if there is none
** yet. */
PqRc pqext_listing_make(PqextHost *host, const PqextOptions *o,
                        const PqTable *t, PqextListing **out, PqErr *e);
void pqext_listing_release(PqextListing *l);             /* l may be NULL */

/* A listing for a statement that begins, in the table's list. */
PqRc pqext_listing_begin(PqextTable *t, PqextListing **out, PqErr *e);

/* The listing of the statement that made the plan, for a cursor without a scan.
** *l is the one that the cursor has, or NULL. */
PqRc pqext_listing_join(PqextTable *t, const char *plan, PqextListing **l,
                        PqErr *e);

/* Adds the number that pqext_listing_join needs to the plan.  Takes the plan.
** NULL: no memory. */
char *pqext_statement_sign(PqextHost *h, char *plan);

/* Bytes from the beginning of a plan to the end of that number. */
size_t pqext_statement_signed(const char *plan);

/* plan.c */
int pqext_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info);

/* cursor.c */
int pqext_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out);
int pqext_close(sqlite3_vtab_cursor *cursor);
int pqext_filter(sqlite3_vtab_cursor *cursor, int flags, const char *text,
                 int argc, sqlite3_value **argv);
int pqext_next(sqlite3_vtab_cursor *cursor);
int pqext_eof(sqlite3_vtab_cursor *cursor);
int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i);
int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out);

#endif
