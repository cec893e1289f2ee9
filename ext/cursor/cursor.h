/*
** cursor.h - a cursor, for the files that implement it.
**
**   cursor.c        batches of a scan (cursor_scan.h), and rows out of them
**   cursor_kept.c   what is kept for the next run of a subquery
**   cursor_rows.c   rows in an order, in groups, or file by file
*/
#ifndef PQEXT_CURSOR_H
#define PQEXT_CURSOR_H

#include "ext/cursor/cursor_scan.h"
#include "ext/cursor/cursor_join.h"

typedef struct PqextCursor {
    sqlite3_vtab_cursor base;        /* SQLite's part: first                */
    uint64_t      about;             /* the plan's number (plan_idxstr.h);
                                     ** 0: it has not had one               */
    struct PqextCursor *aside;       /* the states for other plans          */
    PqRowSource  *source;            /* of the rows of this call            */
    uint32_t      row;               /* in the batch                        */
    uint32_t      at, n_rows;        /* among the rows that are given       */
    const uint32_t *kept;            /* the rows that are given; NULL: all  */
    PqextJoin     join;
    bool          groups_known, groups_ordered;  /* known: whether groups
                                     ** have to be in the order of their keys */
    bool          few_known, wants_few;          /* known: whether the statement
                                     ** may want only some of its rows      */
    PqDistinct   *distinct;          /* kept for the next time              */
    int           twins;             /* JSON of Variants keeps the Variant:
                                     ** variant_of_text.h; -1: not asked    */
    struct PqextRollupRows *rollup;  /* of a rollup (rollup_table.h), whose
                                     ** cursor has no scan; else NULL       */
    PqextScan     s;                 /* for the plan of the current call;   */
                                     /* last: see exchange (cursor_kept.c)  */
} PqextCursor;

/* cursor.c: the methods of a module. */
int pqext_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out);
int pqext_close(sqlite3_vtab_cursor *cursor);
int pqext_filter(sqlite3_vtab_cursor *cursor, int flags, const char *text,
                 int argc, sqlite3_value **argv);
int pqext_next(sqlite3_vtab_cursor *cursor);
int pqext_eof(sqlite3_vtab_cursor *cursor);
int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i);
int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out);

/* A new cursor has only its table; NULL: no memory.  free also frees the states
** that are set aside. */
PqextCursor *pqext_cursor_new(PqextTable *t);
void pqext_cursor_free(PqextCursor *c);

/* Closes the scan, and frees all that was made with it. */
void pqext_cursor_forget(PqextCursor *c);

void pqext_cursor_end_call(PqextCursor *c);

/* cursor_kept.c: makes the state for the plan of this text the current one. */
void pqext_cursor_switch_to(PqextCursor *c, const char *text);

/* Gives everything of a cursor that is about to be closed to a new one. */
void pqext_cursor_inherit(PqextCursor *heir, PqextCursor *from);

/* cursor_rows.c: begins to give the rows as the plan says. */
bool pqext_finds_first(PqextCursor *c);
PqRc pqext_rows_in_order(PqextCursor *c, PqRowSource **out);
PqRc pqext_rows_in_groups(PqextCursor *c, PqRowSource **out);
PqRc pqext_rows_by_file(PqextCursor *c, PqRowSource **out);

#endif
