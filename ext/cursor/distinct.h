/*
** distinct.h - rows of which SQLite has seen the like are left out.
**
** SELECT DISTINCT over one column has no use for a second row of the same
** value, whatever else it asks of it: everything that it asks is asked of that
** value.  So a filter, behind all others, lets each entry of a dictionary pass
** once, and not even once where another row group's had it:
**
**   row group 0   entries AR DE US     rows 1 1 0 2 0 ..   1, 0 and 2 pass
**   row group 1   entries DE US        all of them passed: no page is read
**   row group 2   entries DE FR        only FR is waited for
**
** An entry that no row has never passes.  What is seen is remembered while it
** does not take much memory; nobody relies on it, SQLite looks again.
**
** A query may also look at the rowid, which counts as no column.  It can do so
** of a row that it is given only by asking for it, and then the filter is put
** out of action, and the rest of its batch is given as if there had been none:
** what it has left out before is of values whose first row did not ask.
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
    /* The dictionary at hand: a byte per entry that was seen. */
    uint64_t dict_serial;
    uint8_t *seen;
    uint32_t n_seen, n_entries, room;
    /* The row group at hand. */
    int64_t  group;                  /* -1: none                            */
    bool     only_entries;           /* its pages consist of nothing else   */
    bool     may_have_nulls;
    /* Of the batch: rows before the filter; rows from `rest` on. */
    uint64_t before[PQ_BATCH_ROWS / 64];
    uint32_t rest[PQ_BATCH_ROWS];
} PqextDistinct;

/* The bytes of an entry of a dictionary: values that differ differ in them. */
PqSlice pqext_entry_bytes(const PqDict *d, uint32_t i);

/* The one column that DISTINCT is about, or -1. */
int pqext_distinct_plan(const PqextTable *t, sqlite3_index_info *info);

PqRc pqext_distinct_new(PqMem *mem, PqextDistinct **out, PqErr *e);
void pqext_distinct_reset(PqextDistinct *d);             /* nothing is seen */
void pqext_distinct_free(PqextDistinct *d);              /* d may be NULL */

/* Out of action from row on, of a batch of n_rows; what is to be given of it,
** row first, is d->rest, so many. */
uint32_t pqext_distinct_stop(PqextDistinct *d, uint32_t row, uint32_t n_rows);

#endif
