/*
** iceberg_entry.h - Avro records of manifests and manifest lists, as they are written.
*/
#ifndef PQ_ICEBERG_ENTRY_H
#define PQ_ICEBERG_ENTRY_H

#include "core/lake/iceberg.h"
#include "core/lake/iceberg_transform.h"

/* The values of a part of the partitions of some files. */
typedef struct PqIcebergRange {
    bool           has_null, any;
    PqIcebergValue min, max;
} PqIcebergRange;

typedef struct PqIcebergNew {
    const char *path;                /* as the metadata has it               */
    const char *below;               /* ... from the folder of data on       */
    uint64_t    size;
    int64_t     snapshot, format;
    const PqIcebergBy *by;
    PqIcebergRange *ranges;          /* for each of by: the file's value is added */
    uint32_t    n_by;
} PqIcebergNew;

/* Appends the record of a data file, whose footer it is. */
PqRc pq_iceberg_entry(const PqIcebergNew *f, const PqFooter *footer, PqArena *a, PqBuf *out,
                      PqErr *e);

/* The schemas, as JSON. */
void pq_iceberg_entry_schema(const PqIcebergNew *f, PqBuf *out);
void pq_iceberg_list_schema(int64_t format, PqBuf *out);

/* A manifest of a list. */
typedef struct PqIcebergListed {
    PqSlice path;
    int64_t length, spec, content, sequence, least_sequence, snapshot;
    int64_t files[3], rows[3];       /* added, existing, deleted             */
    int64_t first_row;               /* -1: none                             */
    const PqAvroValue *partitions;   /* NULL: none                           */
    PqSlice summaries;               /* ... or these; empty: none            */
} PqIcebergListed;

/* The summaries of a manifest, for a list. */
void pq_iceberg_summaries(const PqIcebergBy *by, const PqIcebergRange *ranges, uint32_t n,
                          PqBuf *out);

PqRc pq_iceberg_listed(const PqAvroValue *record, PqIcebergListed *out, PqErr *e);
void pq_iceberg_list_add(const PqIcebergListed *m, int64_t format, PqBuf *out);

#endif
