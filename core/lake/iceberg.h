/*
** iceberg.h - what the metadata of an Iceberg table says.
**
**   metadata/v3.metadata.json       schemas, partition specs, snapshots
**     metadata/snap-7.avro          the manifests of a snapshot
**       metadata/m-1.avro           files, with their partitions
**         data/a.parquet
**       metadata/m-2.avro           files that say which rows of others are deleted
**         data/d.parquet
**
** Paths are those that the writer saw.  A table may have been moved since, so what
** begins with its location is looked for where the metadata lies.
**
** sequence numbers     a delete counts for files that are older than it, or as old if it
**                      names rows by their positions
** partitions           a delete counts for files of its own partition; one by values for
**                      all if it has none
*/
#ifndef PQ_ICEBERG_H
#define PQ_ICEBERG_H

#include "core/lake/avro.h"
#include "core/lake/json_members.h"
#include "core/lake/log_names.h"
#include "core/lake/snapshot.h"
#include "core/numbering/text_numbers.h"

/* A field of a partition spec. */
typedef struct PqIcebergPart {
    int64_t source, id;              /* column, field of the partition       */
    PqSlice name, transform;
    bool    identity, is_void;
} PqIcebergPart;

typedef struct PqIcebergSpec {
    int64_t        id;
    PqSlice        fields;           /* JSON                                 */
    PqIcebergPart *part;
    uint32_t       n;
} PqIcebergSpec;

/* A column that some spec takes as it is. */
typedef struct PqIcebergKey {
    const PqNode *node;
    bool          everywhere;        /* all files have a value of it         */
    bool          is_simple;         /* ... as a text that is as good        */
} PqIcebergKey;

typedef enum PqIcebergContent {
    PQ_ICEBERG_DATA, PQ_ICEBERG_POSITIONS, PQ_ICEBERG_VALUES, PQ_ICEBERG_VECTOR
} PqIcebergContent;

typedef struct PqIcebergFile {
    const char      *path;           /* as the metadata has it               */
    PqIcebergContent content;
    int64_t          sequence, n_rows, n_bytes;
    int64_t          first_row;      /* DATA: the id of its first row; -1: it has none */
    PqLogBounds     *bounds;         /* DATA; values in the snapshot's arena */
    uint32_t         n_bounds;
    PqStr            partition;      /* tells partitions apart; empty: none  */
    const char     **values;         /* of the keys                          */
    int32_t         *ids;            /* VALUES: columns that are compared    */
    uint32_t         n_ids;
    const char      *of;             /* VECTOR: the file whose rows are deleted;
                                     ** POSITIONS: NULL if there may be several */
    int64_t          offset, size;   /* ... where it is                      */
} PqIcebergFile;

typedef struct PqIcebergFiles {
    PqIcebergFile *v;
    uint32_t       n;
} PqIcebergFiles;

typedef struct PqIceberg {
    PqLakeReading *r;
    PqPlaces       places;           /* to open the metadata with            */
    PqArena       *arena;            /* of the snapshot                      */
    PqArena        scratch;          /* of the reading                       */
    const char    *folder, *location;        /* without a slash at the end   */
    bool           by_http;          /* no listings                          */
    int64_t        format;
    PqSlice        schema, mapping;  /* JSON                                 */
    PqIcebergSpec *specs;
    uint32_t       n_specs;
    PqIcebergKey  *keys;
    uint32_t       n_keys;
    PqFileId       last;             /* of the file that was read last       */
    bool           known;            /* the snapshot was read before         */
    const PqLakeSnapshot *base;      /* ... or this one, of which it has all manifests, and no
                                     ** deletes; NULL: none                  */
    PqSlice        list;             /* a file; empty: there is none         */
    PqSlice        manifests;        /* JSON; used if list is empty           */
    PqIcebergFiles files, deletes;
    PqBuf         *deleted;          /* by file: ranges of rows              */
    PqTextNumbers  paths;            /* of manifests, then of the files      */
} PqIceberg;

/* iceberg_metadata.c: what a metadata file says: numbers, texts, and parts of its JSON. */
typedef struct PqIcebergMetadata {
    const char *path;
    PqSlice     json, uuid, location, schemas, schema, specs, spec, snapshots;
    PqSlice     refs, snapshot_log, metadata_log;
    PqSlice     mapping, key, codec;         /* of its properties            */
    int64_t     format, updated, schema_id, snapshot, sequence, spec_id, next_row;
    PqFileId    id;
} PqIcebergMetadata;

/* The one that counts; pq_iceberg_folder comes before. */
PqRc pq_iceberg_newest(PqIceberg *t, PqIcebergMetadata *m, PqErr *e);

/* The version in the name of a metadata file; -1: it is none. */
int64_t pq_iceberg_version_of(const char *name);

/* The element of a list whose member is a number; empty: none. */
PqRc pq_iceberg_find(PqIceberg *t, PqSlice list, const char *key, int64_t wanted, PqSlice *out,
                     PqErr *e);

PqRc pq_iceberg_metadata(PqIceberg *t, PqErr *e);
PqRc pq_iceberg_specs(PqIceberg *t, const PqIcebergMetadata *m, PqErr *e);
PqRc pq_iceberg_spec(const PqIceberg *t, int64_t id, const PqIcebergSpec **out, PqErr *e);
PqRc pq_iceberg_versions(PqIceberg *t, PqErr *e);        /* to t->r->versions */

/* iceberg_table.c: where the table lies. */
PqRc pq_iceberg_folder(PqIceberg *t, PqErr *e);

/* A path of the metadata, as it is opened; and bytes of a file, as of pq_log_read. */
PqRc pq_iceberg_path(PqIceberg *t, PqSlice text, const char **out, PqErr *e);
PqRc pq_iceberg_bytes(PqIceberg *t, const char *path, PqLogPart part, PqBuf *out, PqErr *e);

/* iceberg_manifest.c: an Avro file that the metadata names. */
PqRc pq_iceberg_avro(PqIceberg *t, PqSlice path, const PqAvroUse *use, PqErr *e);
PqRc pq_iceberg_manifests(PqIceberg *t, PqErr *e);

/* iceberg_bounds.c: those of a data_file in a manifest. */
PqRc pq_iceberg_bounds(PqIceberg *t, const PqAvroValue *file, PqIcebergFile *f, PqErr *e);

/* iceberg_deletes.c: fills t->deleted. */
PqRc pq_iceberg_deletes(PqIceberg *t, PqErr *e);

/* iceberg_values.c: the rows that have the values of delete files, as ranges. */
PqRc pq_iceberg_delete_values(PqIceberg *t, PqErr *e);

#endif
