/*
** group.h - rows handed over grouped.
**
** SQLite sorts the rows of a GROUP BY unless they come with equal ones side by
** side, and its sorter costs more than everything else together.  Where the
** columns have few values (sample_entries.c) the rows are read once per group:
**
**   GROUP BY flag, status     rows      0 1 2 3 4 5 6 7
**                             A F  0    .   . .       .     pass 0: 0 2 3 7
**                             N F  1      .       .         pass 1: 1 5
**                             N O  2            .   .       pass 2: 4 6
**
** A first pass over these columns alone, with all conditions, finds the groups.
** It notes for each row the number of its group in a byte.  After it, neither
** the columns nor the conditions are looked at again: SQLite is given the
** group's own value for the columns.  The groups come in SQLite's order, so
** that an ORDER BY of the same columns needs no sorter either.
**
** Without memory for the notes, later passes look at both again.
**
** SELECT DISTINCT of several columns needs one row of each group: the first
** pass has seen one.
**
** A pass decodes the other columns that are used, so many groups with many
** columns would cost more than sorting: pqext_group_pays compares.
*/
#ifndef PQEXT_GROUP_H
#define PQEXT_GROUP_H

#include "ext/condition/sqlite_condition.h"
#include "ext/plan/plan.h"

/* One group: a value per column, or NULL. */
typedef struct PqextGroup {
    PqCell     value[PQEXT_GROUP_COLUMNS];
    bool       whole[PQEXT_GROUP_COLUMNS];   /* of texts: ends at its NUL   */
    uint32_t   code;                 /* its number in the notes             */
    int64_t    first;                /* rowid of a row                      */
} PqextGroup;

/* Notes about a batch of the first pass that had a row left. */
typedef struct PqextNotes {
    int64_t  rowid;                  /* of its first row                    */
    uint32_t n_rows;
    size_t   at;                     /* in codes                            */
    uint64_t there[4];               /* a bit per code, modulo 256          */
} PqextNotes;

typedef struct PqextGroups {
    PqFilter     base;               /* the engine's part: first            */
    PqRowSource  rows;
    PqextGroupBy by;
    PqextGroup  *v;
    uint32_t     n, room;
    uint32_t     at;                 /* the pass                            */
    bool         again;              /* ... is to be begun again, whole     */
    PqBuf        codes, notes;
    bool         wide;               /* codes are uint16_t, else uint8_t    */
    bool         noted;              /* else the notes are too many         */
    size_t       limit;              /* of their bytes                      */
    struct PqextCursor *cursor;
    uint32_t     n_notes, next_note;
} PqextGroups;

/* Reads the rows of the cursor's plan, and then gives them.  All zeros will do
** before. */
PqRc pqext_groups_begin(struct PqextCursor *c, PqRowSource **out);
void pqext_groups_free(PqextGroups *g);

/* Gives the value that all rows of the pass have in this column; false: it is
** none of g->by, or has to be taken from the row. */
bool pqext_groups_result(const PqextGroups *g, const PqextTable *t, int column,
                         sqlite3_context *ctx);

#endif
