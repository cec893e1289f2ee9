/*
** fill_door.h - what the two halves of the door `fill` share.
**
**   fill_door.c   bytes to a column, and the column to a file
**   fill_read.c   the file to rows, and rows to the cells they came from
*/
#ifndef FILL_DOOR_H
#define FILL_DOOR_H

#include "core/column/chunk_write.h"
#include "test/fuzz/door_rows.h"

typedef struct FillColumn {
    PqSlice  in;
    PqMem   *mem;                    /* of what is compared */
    PqMem   *small;                  /* of the writer       */
    PqErr    e;                      /* the first failure   */
    PqArena  arena;
    PqSchemaElementList elements;
    PqSchema schema;
    const PqNode *node;
    PqChunkOptions options;
    PqFillRules rules;
    bool     varies, spills, lightens;
    uint64_t expected_rows;
    uint32_t batch_rows, times;
    DoorStop stop;
    PqCells  cells;
    uint8_t *left_out;               /* of them, because they do not fit */
    DoorFill all, piece;
    PqWriteCtx ctx;
    bool     has_ctx;
    PqChunkWrite **chunks;
    PqSink  *scratch, *to;
    uint8_t *file;
    size_t   n_file;
    uint32_t n_elements;             /* while the schema is made */
} FillColumn;

/* Checks that the file has what is in c->all. */
void fill_read(FillColumn *c);

#endif
