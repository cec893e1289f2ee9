/*
** iceberg_entry.h - Avro records of manifests and manifest lists, as they are written.
*/
#ifndef PQ_ICEBERG_ENTRY_H
#define PQ_ICEBERG_ENTRY_H

#include "core/lake/iceberg.h"

/* A part of a partition of new files. */
typedef struct PqIcebergBy {
    PqSlice     name;                /* of the field of the spec             */
    int64_t     source, id;
    const char *column;              /* NULL: void                           */
    PqType      type;                /* of the column                        */
} PqIcebergBy;

typedef struct PqIcebergNew {
    const char *path;                /* as the metadata has it               */
    uint64_t    size;
    int64_t     snapshot, format;
    const PqIcebergBy *by;
    uint32_t    n_by;
} PqIcebergNew;

/* Can files be apart by values of the type? */
bool pq_iceberg_by_is(const PqType *t);

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
} PqIcebergListed;

PqRc pq_iceberg_listed(const PqAvroValue *record, PqIcebergListed *out, PqErr *e);
void pq_iceberg_list_add(const PqIcebergListed *m, int64_t format, PqBuf *out);

#endif
