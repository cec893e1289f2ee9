/*
** iceberg_entry.h - Avro records of manifests and manifest lists, as they are written.
*/
#ifndef PQ_ICEBERG_ENTRY_H
#define PQ_ICEBERG_ENTRY_H

#include "core/lake/iceberg.h"
#include "core/lake/iceberg_transform.h"
#include "core/lake/lake_writer.h"

/* The values of a part of the partitions of some files. */
typedef struct PqIcebergRange {
    bool           has_null, any;
    PqIcebergValue min, max;
} PqIcebergRange;

/* A manifest of new files. */
typedef struct PqIcebergManifest {
    int64_t snapshot, format;
    const PqLakeBy *by;
    PqIcebergRange *ranges;          /* for each of by: over all files       */
    uint32_t n_by;
    PqArena *arena;                  /* of the ranges                        */
} PqIcebergManifest;

/* Appends the record of a file, and adds its partition to the ranges.  path: as the metadata has
** it.  a: scratch. */
PqRc pq_iceberg_entry(PqIcebergManifest *m, const PqLakeNew *f, const char *path, PqArena *a,
                      PqBuf *out, PqErr *e);

/* The schemas, as JSON. */
PqSlice pq_iceberg_entry_schema(const PqIcebergManifest *m, PqArena *a, PqErr *e);
PqSlice pq_iceberg_list_schema(int64_t format, PqArena *a, PqErr *e);

/* A manifest of a list. */
typedef struct PqIcebergListed {
    PqSlice path;
    int64_t length, spec, content, sequence, least_sequence, snapshot;
    int64_t files[3], rows[3];       /* added, existing, deleted             */
    int64_t first_row;               /* -1: none                             */
    PqSlice summaries;               /* of its partitions, in Avro; empty: none */
} PqIcebergListed;

/* The summaries of a manifest, for a list. */
PqSlice pq_iceberg_summaries(const PqIcebergManifest *m, PqArena *a, PqErr *e);

PqRc pq_iceberg_listed(const PqAvroValue *record, PqArena *a, PqIcebergListed *out, PqErr *e);
void pq_iceberg_list_add(const PqIcebergListed *m, int64_t format, PqBuf *out);

#endif
