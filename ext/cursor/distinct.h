/*
** distinct.h - rows with a value that SQLite has seen are left out.
**
** SELECT DISTINCT of one column needs no second row with the same value,
** because it uses nothing of the row but that value.  So a filter, after all
** others, lets each entry of a dictionary pass once, and not at all if it has
** passed in another row group:
**
**   row group 0   entries AR DE US     rows 1 1 0 2 0 ..   1, 0 and 2 pass
**   row group 1   entries DE US        all of them passed: no page is read
**   row group 2   entries DE FR        only FR is waited for
**
** An entry that no row has never passes.  Values are remembered as long as they
** do not take much memory.  If one is forgotten, SQLite drops the second row.
**
** A query may also use the rowid, which SQLite does not count as a column.
** Then it asks for the rowid of the first row that it is given.  That puts the
** filter out of action, and the rest of the batch is given as if there were
** none.  What was left out before that belongs to values whose first row was
** not asked for its rowid.
*/
#ifndef PQEXT_DISTINCT_H
#define PQEXT_DISTINCT_H

#include "ext/plan/plan.h"

typedef struct PqextDistinct {
    PqFilter base;                   /* the engine's part: first            */
    PqMem   *mem;
    uint32_t column;                 /* of the table                        */
    bool     out_of_action;
    /* Values seen: an open hash of slices. */
    PqArena  arena;                  /* their bytes                         */
    PqSlice *values;
    uint32_t n_values, n_bytes;
    bool     null_seen;
    const PqLeaf *leaf;              /* that they are of                    */
    uint64_t file_serial;
    /* The current dictionary: a byte per entry that was seen. */
    uint64_t dict_serial;
    uint8_t *seen;
    uint32_t n_seen, n_entries, room;
    /* The current row group. */
    int64_t  group;                  /* -1: none                            */
    bool     only_entries;           /* its pages consist of nothing else   */
    bool     may_have_nulls;
    /* Of the batch: rows before the filter; rows from `rest` on. */
    uint64_t before[PQ_BATCH_ROWS / 64];
    uint32_t rest[PQ_BATCH_ROWS];
} PqextDistinct;

/* The bytes of an entry of a dictionary: values that differ differ in them. */
PqSlice pqext_entry_bytes(const PqDict *d, uint32_t i);

PqRc pqext_distinct_new(PqMem *mem, PqextDistinct **out, PqErr *e);
void pqext_distinct_reset(PqextDistinct *d);             /* nothing is seen */
void pqext_distinct_free(PqextDistinct *d);              /* d may be NULL */

/* Puts the filter out of action from a row on, of a batch of n_rows.  d->rest
** then has the rows of the batch to give, this one first; returns how many. */
uint32_t pqext_distinct_stop(PqextDistinct *d, uint32_t row, uint32_t n_rows);

#endif
