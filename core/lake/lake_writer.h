/*
** lake_writer.h - a copy becomes a version of a lake table: what the writers of all formats are
** to those who copy.
**
**   delta_write.h      a file in the log
**   iceberg_write.h    a manifest, a manifest list, and metadata that names it
**   sql/ducklake/      rows of a catalog
*/
#ifndef PQ_LAKE_WRITER_H
#define PQ_LAKE_WRITER_H

#include "core/files/listing.h"
#include "core/lake/snapshot.h"
#include "core/write/publish.h"

typedef enum PqLakeHow { PQ_LAKE_APPEND, PQ_LAKE_OVERWRITE, PQ_LAKE_CREATE } PqLakeHow;

struct PqIcebergCatalog;
typedef struct PqLakeWritePlan {
    PqLakeHow     how;
    const char   *table;             /* its folder, or the catalog           */
    const struct PqIcebergCatalog *catalog;      /* NULL: there is none      */
    const PqListing *listing;        /* of the version that the copy is based on;
                                     ** CREATE: not used                     */
    PqEngine     *engine;
    PqPlaces      places;            /* to open files with                   */
    const char   *writer;            /* the program                          */
    PqMem        *mem;
    const PqStop *stop;
} PqLakeWritePlan;

/* By what the table says that files are apart. */
typedef struct PqLakeBy {
    const char *column, *folder;     /* folder: what its folders are called  */
    bool        is_value;            /* folders are for the values themselves */
} PqLakeBy;

typedef struct PqLakeWriter PqLakeWriter;
struct PqLakeWriter {
    PqPublishLog  log;               /* what enters the version              */
    PqLakeBy     *by;                /* in the order of folders              */
    uint32_t      n_by;
    const char   *version, *place;   /* what versions are called, and where they are */
    void        (*free)(PqLakeWriter *w);        /* before the publication is freed */
};

/* Makes the next version, unless somebody else has it: then *entered stays false.  With an error,
** true says that the version may be there. */
typedef PqRc (*PqLakeTry)(void *arg, const PqPublish *p, int nth, bool *entered, PqErr *e);

/* Tries until there is a version, which is in w->log by then.  folder: where it has a name; NULL:
** there is nothing to sync. */
PqRc pq_lake_enter(PqLakeWriter *w, const PqPublish *p, PqLakeTry try_once, const char *folder,
                   const PqStop *stop, bool *entered, PqErr *e);

#endif
