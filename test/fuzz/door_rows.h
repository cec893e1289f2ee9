/*
** door_rows.h - what the doors to the writing half share: filling cells into
** batches, and comparing rows that were read with them.
*/
#ifndef DOOR_ROWS_H
#define DOOR_ROWS_H

#include "test/fuzz/door_cells.h"

/* Batches of a column's leaves, and what fills them. */
typedef struct DoorFill {
    const PqSchema *schema;
    const PqNode   *node;
    const PqFillRules *rules;
    PqMem          *mem;
    PqLeafBatch    *batches;         /* of its leaves, from the first on */
    PqJsonShred    *shred;           /* NULL: a leaf */
} DoorFill;

PqRc door_fill_open(DoorFill *f, const PqSchema *schema, const PqNode *node,
                    const PqFillRules *rules, PqMem *mem, PqErr *e);
void door_fill_close(DoorFill *f);
void door_fill_reset(DoorFill *f);

/* Cells [from, from + n).  Those that do not fit are left out and marked in
** left_out (a byte per cell, or NULL).  *misfit is the first of them, or from +
** n.  The message of each is checked.  Fails only for lack of memory. */
PqRc door_fill_cells(DoorFill *f, const PqCells *c, uint32_t from, uint32_t n,
                     uint8_t *left_out, uint32_t *misfit, PqErr *e);

/* A place in a batch: before a row. */
typedef struct DoorAt { uint32_t entry, value; } DoorAt;

/* The place after the next row. */
DoorAt door_row_after(const PqLeafBatch *b, DoorAt at);

/* The slots of a row from *slot on are the entries of the row at `at`. */
void door_check_row(const PqLeafBatch *b, DoorAt at, const PqVector *v,
                    uint32_t *slot);

/* A value of the batch, and whether another is the same, bit for bit. */
const void *door_value(const PqLeafBatch *b, uint32_t i);
bool door_same_value(const PqLeafBatch *b, uint32_t i, const void *other);

/* Both hold the same. */
void door_check_batches(const PqLeafBatch *a, const PqLeafBatch *b);

/* pq_verify finds nothing in a file that is whole. */
PqRc door_verify(PqMem *mem, PqInput *in, const PqFooter *f, PqErr *e);

/* A PqStop that says yes once it has been asked that often.  0: never. */
typedef struct DoorStop { uint32_t left; } DoorStop;
bool door_stop_asked(void *stop);

#endif
