/*
** archive.h - parquet_archive, parquet_restore and parquet_archive_drop: rows of a table
** that lie in Parquet files, and one name to ask for all of them.
**
**   archive.c        rows go out
**   archive_table.c  the table, and what would act on its rows
**   archive_files.c  what is entered, and the view over it
**   archive_back.c   rows come back, or are dropped
**
**   events           the table
**   events_archive   a Parquet table over the files that are entered, by name
**   events_all       a view: both, with UNION ALL
**   parquet_archive_files   a row for each file; rows NULL: it holds no row of the table,
**                    and the next call removes it
**
** A call is one transaction for each batch, and holds the lock for writing while it lasts:
**
**   1  the folder of the run is noted down, with rows NULL       COMMIT, synced
**   2  the lock; what others have noted down and left is removed
**   3  the rows that satisfy the condition are looked at         a temp table of their keys
**   4  they are read again by these keys: files written, synced, named; counted, hashed
**   5  files entered, rows deleted, the view made again          COMMIT, synced
**
** Whenever it stops before the COMMIT of 5, the rows are in the table, and the files are
** noted down as not entered.  After it they are in files that are entered.  To bring rows
** back is the same the other way round: files are noted down as left in the transaction
** that inserts their rows, and removed after it.  So no file is removed that the database
** may need again, after a loss of power too: commits are synced, whatever the connection
** says.
**
** Values come back from a file as its types say, so a table of several files needs files of
** the same types.  Files of other types are a table of their own, events_archive_2, and
** another part of the view.  A run takes the first kinds that its rows fit, so there are few
** of them.
*/
#ifndef PQSQL_ARCHIVE_H
#define PQSQL_ARCHIVE_H

#include "sql/move/move.h"

#define PQSQL_ARCHIVE_FILES "parquet_archive_files"
#define PQSQL_ARCHIVE_KEYS "temp.\"parquet_archive keys\""

/* No kind: the files of a part do not have the column.  None is HEX. */
#define PQSQL_ARCHIVE_LACKS PQSQL_MOVE_HEX

/* Files of the same types. */
typedef struct PqsqlArchivePart {
    const char    *kinds;            /* JSON: {"column": "kind", ...}        */
    const char    *table;            /* that reads them                      */
    PqsqlMoveKind *kind;             /* of each column; PQSQL_ARCHIVE_LACKS: it came later */
} PqsqlArchivePart;

typedef struct PqsqlArchive {
    PqsqlMove         m;
    PqsqlMoveTable    t;
    const char       *keys;          /* names of the columns of a row's key  */
    const char       *name, *files;  /* "main"."events", of the table and of
                                     ** parquet_archive_files                */
    const char       *live;          /* FROM that, the files of the table    */
    const char       *all;           /* the view                             */
    const char       *where;
    const char       *column;        /* whose bounds are kept; NULL: none    */
    const char       *run;           /* the folder of this run; NULL: none   */
    const char       *forget;        /* SQL: the folder of this run          */
    bool              runs_triggers, touches_no_row;
    bool              is_encrypted;  /* what this call writes                */
    PqsqlArchivePart *parts;
    uint32_t          n_parts;
    int64_t           n_rows, n_files, n_bytes;
    int64_t           n_left_files, n_left_rows;
} PqsqlArchive;

/* ---- archive_table.c -------------------------------------------------------------- */

/* Takes the first arguments and the options, which have these names, its own and those of a copy,
** and looks at the table. */
PqRc pqsql_archive_open(PqsqlArchive *a, sqlite3_value *table, sqlite3_value *where,
                        const char *own, const char *of_copy);

/* The number of the column of this name; -1: none. */
int pqsql_archive_column(const PqsqlArchive *a, const char *name);

/* "table T WHY", unless there is an error already. */
PqRc pqsql_archive_refuse(PqsqlArchive *a, const char *why);

/* Refuses a trigger of the table, whatever it is on, unless an option says to run it, or no row
** of the table is touched. */
PqRc pqsql_archive_check_triggers(PqsqlArchive *a);

/* A row that another one refers to stays, whatever the foreign key would do. */
PqRc pqsql_archive_check_references(PqsqlArchive *a);

/* ---- archive.c ------------------------------------------------------------------- */

/* Before all transactions of a call. */
PqRc pqsql_archive_begin(PqsqlArchive *a);

/* Begins a transaction, with the lock for writing. */
PqRc pqsql_archive_lock(PqsqlArchive *a);

/* Notes down the folder of a run, and begins the transaction. */
PqRc pqsql_archive_run_begin(PqsqlArchive *a, const char *folder);

/* Commits, or gives up what failed. */
PqRc pqsql_archive_run_end(PqsqlArchive *a);

/* Writes the n rows of a->t.source as files of a part into a folder,
** and enters them. */
PqRc pqsql_archive_write(PqsqlArchive *a, const PqsqlArchivePart *part, const char *into,
                         int64_t n);

/* ---- archive_files.c --------------------------------------------------------------- */

/* Reads which parts are there. */
PqRc pqsql_archive_parts(PqsqlArchive *a);

/* A part for the columns as they were seen: one that is there, or a new one. */
PqRc pqsql_archive_fit(PqsqlArchive *a, PqsqlArchivePart **out);

/* Makes the tables over the files, and the view. */
PqRc pqsql_archive_show(PqsqlArchive *a);

/* Is there a table of the files, of whichever table they are? */
bool pqsql_archive_has_files(PqsqlArchive *a);

/* If the table was renamed, its files and its view are called by the new name. */
PqRc pqsql_archive_follow(PqsqlArchive *a);

/* CREATE VIRTUAL TABLE for files of the part. */
PqRc pqsql_archive_table(PqsqlArchive *a, const PqsqlArchivePart *part, const char *schema,
                         const char *name, const char *paths);

/* SELECT of all columns, and of what else is given. */
const char *pqsql_archive_select(PqsqlArchive *a, const PqsqlArchivePart *part,
                                 const char *others);

/* Removes files that hold no row of a table, and forgets them.  Needs the lock. */
PqRc pqsql_archive_sweep(PqsqlArchive *a);

/* Functions of SQL: rewriting.c registers them. */
void pqsql_call_archive(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_call_restore(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void pqsql_call_archive_drop(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* pq_archive_digest(path): the SHA-256 of a file. */
void pqsql_call_digest(sqlite3_context *ctx, int argc, sqlite3_value **argv);

#endif
