/*
** door_cells.h - makes cells from bytes.
**
** Random bytes are seldom a date, and never an object with the fields of a
** schema.  So a cell can be any text, or be made for its column: mostly a value
** that fits, or JSON in the shape of its node.
**
**   cell    0  tag     bits 0-2: 0 NULL, 1 INTEGER (i8), 2 INTEGER (8 bytes),
**                      3 REAL (8 bytes), 4 TEXT (u8 length, bytes),
**                      5 BLOB (likewise), 6 a text of the list (u8 index),
**                      7 made for the column
**           1  bytes   what the tag asks for
*/
#ifndef DOOR_CELLS_H
#define DOOR_CELLS_H

#include "test/fuzz/door.h"

/* Adds one cell, of a column of the schema, to c.  `variation` is a number that
** changes the cell a little, if that is easy.  0 leaves it as it is. */
void door_cell(PqSlice *in, const PqNode *node, uint64_t variation,
               PqCells *c, PqErr *e);

/* Are the values bytes, without a text other than their hex digits? */
bool door_is_bytes(const PqType *t);

#endif
