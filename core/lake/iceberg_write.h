/*
** iceberg_write.h - a snapshot more of an Iceberg table in a folder.
**
**   data/k=1/part-1f0c.parquet                  written, synced and named (publish.h)
**   metadata/5d0e....-m0.avro                   the manifest: the new files
**   metadata/snap-8146...-0-5d0e....avro        the manifest list: it, and the old ones
**   metadata/.metadata.5d0e....tmp              the new metadata; then a link to it:
**   metadata/v13.metadata.json                  from here on the table has the snapshot
**   metadata/version-hint.text                  13
**
** A link never replaces, so of two writers of v13 one is told that it is taken.  It reads that
** metadata, and goes on from there: the list and the metadata are made again, the manifest
** stays.  What a killed writer leaves is named by nothing; its .tmp goes with a later copy.
**
** Such a folder has no catalog.  Where metadata has names as catalogs give them
** (00012-5d0e....metadata.json), its catalog says which one counts.  If that is given, it is
** asked, and told the new name, in the place of the link and the hint.
**
** The JSON is edited: what this writer does not know stays as it is.
*/
#ifndef PQ_ICEBERG_WRITE_H
#define PQ_ICEBERG_WRITE_H

#include "core/lake/lake_writer.h"

/* Says which metadata counts. */
typedef struct PqIcebergCatalog {
    /* *location: as the catalog has it.  *path: as it is opened.  They live until the next
    ** call. */
    PqRc (*newest)(void *arg, const char **location, const char **path, PqErr *e);
    /* A new location counts instead of the one that newest told; *made is false if that does
    ** not count any more. */
    PqRc (*replace)(void *arg, const char *location, bool *made, PqErr *e);
    void  *arg;
} PqIcebergCatalog;

/* Fails if the table asks for what this writer does not do. */
PqRc pq_iceberg_write_new(const PqLakeWritePlan *plan, PqLakeWriter **out, PqErr *e);

#endif
