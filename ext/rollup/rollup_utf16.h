/*
** rollup_utf16.h - the smallest and the largest text in a database of UTF-16.
**
** There SQLite compares texts by the bytes of their UTF-16, which is another
** order: in little-endian, U+1F600 is less than "z".  So such inputs are turned
** into these bytes before they are compared, and the results back into UTF-8.
*/
#ifndef PQEXT_ROLLUP_UTF16_H
#define PQEXT_ROLLUP_UTF16_H

#include "ext/rollup/rollup_table.h"

/* Replaces the texts among the inputs of MIN and MAX; in the arena. */
PqRc pqext_rollup_encode_inputs(const PqextRollupRun *r, PqRollupBatch *b,
                                PqArena *a, PqErr *e);

#endif
