/*
** door_json.h - compares two JSON texts of a node: what was given, and what was
** read.
**
** Values may be written differently: numbers, texts, a map as an object or as
** pairs, fields in any order, absent or twice. But nulls have to be in the same
** places, and the numbers of elements and entries have to be equal.
*/
#ifndef DOOR_JSON_H
#define DOOR_JSON_H

#include "test/fuzz/door.h"

/* given fits the node; back is as pq_json_rows_write has it, with pairs. */
void door_check_json(const PqNode *n, PqSlice given, PqSlice back, PqMem *mem);

#endif
