/*
** iceberg_write_inside.h - what the files of iceberg_write.h share.
*/
#ifndef PQ_ICEBERG_WRITE_INSIDE_H
#define PQ_ICEBERG_WRITE_INSIDE_H

#include "core/lake/iceberg_entry.h"
#include "core/lake/iceberg_write.h"

typedef struct PqIcebergWrite {
    PqLakeWriter  base;
    PqLakeReading r;
    PqIceberg     t;                 /* its scratch: of a try                */
    PqIcebergMetadata m;             /* ... of the newest metadata           */
    PqIcebergManifest new;           /* of the new files                     */
    const char   *uuid, *folder;     /* metadata/                            */
    PqSlice       form;              /* what the files rely on: see iceberg_write.c */
    const char   *location;          /* of the metadata, as the catalog has it */
    PqBuf         entries;           /* of the manifest                      */
    const char   *manifest, *list, *named;       /* their paths; NULL: none.  named: metadata that
                                     ** the catalog may name                 */
    int64_t       manifest_length;
} PqIcebergWrite;

/* The path as the metadata has it, of a file in a folder of the table. */
const char *pq_iceberg_located(const PqIcebergWrite *w, PqArena *a, const char *folder,
                               const char *name, PqErr *e);

/* iceberg_json.c: the next metadata.  parent: the snapshot before, as JSON; empty: none. */
PqRc pq_iceberg_write_metadata(PqIcebergWrite *w, PqSlice parent, int64_t next_row, PqSlice *out,
                               PqErr *e);

#endif
