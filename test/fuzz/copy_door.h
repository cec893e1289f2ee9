/*
** copy_door.h - what the two halves of the door `copy` share.
**
**   copy_door.c    bytes to a table, and the table to files
**   copy_check.c   what is in the files
*/
#ifndef COPY_DOOR_H
#define COPY_DOOR_H

#include "sql/copy/copy_options.h"
#include "test/fuzz/door_rows.h"

#include <sqlite3.h>

enum { COPY_COLUMNS = 6, COPY_PATH = 200 };

extern const char *const copy_names[COPY_COLUMNS];

typedef struct Copying {
    PqSlice  in;
    uint8_t  mode;
    char    *options;                /* NULL: none */
    DoorStop stop;
    int64_t  fault;                  /* 0: none */
    char     root[64], path[COPY_PATH];
    sqlite3 *db;
    uint32_t n_columns;
    PqMem   *mem;
    PqArena  arena;
    PqErr    e;
    PqsqlCopyOptions o;              /* as far as they can be understood */
    bool     copied;                 /* once, at least */
    uint32_t most;                   /* how often each row may be there */
    /* What the table holds. */
    PqCells  cells[COPY_COLUMNS];    /* of each column */
    PqCells  texts[COPY_COLUMNS];    /* the same as SQLite's texts, or NULL */
} Copying;

/* Checks that every row is in the files, as often as it was copied. */
void copy_check(Copying *c);

#endif
