/*
** iceberg_write_inside.h - what the files of iceberg_write.h share.
*/
#ifndef PQ_ICEBERG_WRITE_INSIDE_H
#define PQ_ICEBERG_WRITE_INSIDE_H

#include "core/column/leaf_batch.h"
#include "core/lake/iceberg_entry.h"
#include "core/lake/iceberg_write.h"

/* A part of the partition of a row. */
typedef struct PqIcebergRowPart {
    const PqIcebergBy *by;
    PqLeafBatch value;               /* of the column, as files store it     */
    char        text[PQ_TIME_TEXT_ROOM];
} PqIcebergRowPart;

typedef struct PqIcebergWrite {
    PqLakeWriter  base;              /* its by: the parts                    */
    PqLakeWritePlan plan;
    PqArena       arena;
    PqLakeReading r;
    PqIceberg     t;                 /* its scratch: of a try                */
    PqIcebergMetadata m;             /* ... of the newest metadata           */
    PqIcebergBy  *by;
    PqIcebergRowPart *parts;         /* those of by that are not void        */
    PqSlice       summaries;         /* of by, over all new files            */
    uint32_t      n_by;
    int64_t       format, schema_id, spec_id, snapshot;
    const char   *uuid, *folder;     /* metadata/                            */
    PqSlice       table_uuid;        /* when the copy began; a table that is made again may
                                     ** have all numbers of the one before   */
    PqSlice       table_location;    /* ... where its files go               */
    PqSlice       schema;            /* ... and of a table whose schemas have no numbers */
    const char   *location;          /* of the metadata, as the catalog has it */
    const char   *manifest, *list, *temp;        /* their paths; NULL: none  */
    int64_t       manifest_length, n_files, n_rows, n_bytes;
} PqIcebergWrite;

/* The path as the metadata has it, of a file in a folder of the table. */
const char *pq_iceberg_located(const PqIcebergWrite *w, PqArena *a, const char *folder,
                               const char *name, PqErr *e);

/* iceberg_json.c: the next metadata, to the file w->temp.  parent: the snapshot before, as JSON;
** empty: none. */
PqRc pq_iceberg_write_metadata(PqIcebergWrite *w, PqSlice parent, int64_t next_row, PqErr *e);

#endif
