/*
** lake_writer.h - a copy becomes a version of a lake table.
**
**   rows        go into files of the partitions of the table (iceberg_transform.h)
**   publish     the files have their names, and are safe on the disk; then enter:
**   start       the table is looked at, and locked if it has a lock
**   add         for each file: what the log will say of it
**   commit      the next version, if nobody else has it; else the table is looked at again, and
**               the next one is tried
**   done        what is good to have beside a version
**
** This is the same for all formats.  A format says what each of the steps is:
**
**   delta_write.h      a file in the log
**   iceberg_write.h    a manifest, a manifest list, and metadata that names it
**   sql/ducklake/      rows of a catalog, in a transaction
**
** If a step fails before there is a version, the publication takes the files away again, and the
** format what it has made itself.
*/
#ifndef PQ_LAKE_WRITER_H
#define PQ_LAKE_WRITER_H

#include "core/files/listing.h"
#include "core/lake/iceberg_transform.h"
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
    const char *const *partition;    /* CREATE: columns                      */
    uint32_t      n_partition;
    PqEngine     *engine;
    PqPlaces      places;            /* to open files with                   */
    const char   *writer;            /* the program                          */
    PqMem        *mem;
    const PqStop *stop;
} PqLakeWritePlan;

/* A file that was written. */
typedef struct PqLakeNew {
    PqPublished     file;
    const PqFooter *footer;
    uint32_t        footer_bytes;
    const char    **names, **values; /* what its folders say; a value NULL: it is NULL */
    uint32_t        n_folders;
} PqLakeNew;

typedef struct PqLakeWriter PqLakeWriter;

/* A format.  begin and done may be NULL: there is nothing to do. */
typedef struct PqLakeFormat {
    const char *version, *place;     /* what versions are called, and where they are */
    PqRc (*begin)(PqLakeWriter *w, PqErr *e);    /* before files get names   */
    PqRc (*start)(PqLakeWriter *w, const PqPublish *p, PqErr *e);
    PqRc (*add)(PqLakeWriter *w, const PqLakeNew *f, PqErr *e);
    /* nth: of the tries.  *entered stays false: somebody else has the version.  With an error,
    ** true says that the version may be there.  Then w->log has its number. */
    PqRc (*commit)(PqLakeWriter *w, int nth, bool *entered, PqErr *e);
    void (*done)(PqLakeWriter *w);
    void (*free)(PqLakeWriter *w);   /* before the publication is freed      */
} PqLakeFormat;

struct PqLakeWriter {
    const PqLakeFormat *format;
    PqPublishLog  log;               /* what enters the version              */
    PqLakeWritePlan plan;
    PqArena       arena, scratch;    /* scratch: of a file, of a row         */
    PqLakeBy     *by;                /* the parts of partitions, where files have their columns
                                     ** too                                  */
    uint32_t      n_by;
    PqKeyChoice   keys;              /* to open the new files with           */
    int64_t       n_files, n_rows, n_bytes;      /* of them                  */
    const char   *folder;            /* where a version has its name; NULL: there is nothing to
                                     ** sync                                 */
};

void pq_lake_writer_begin(PqLakeWriter *w, const PqLakeFormat *format,
                          const PqLakeWritePlan *plan);
void pq_lake_writer_end(PqLakeWriter *w);

/* The part that folders of level k are for: one of those that are not void. */
PqLakeBy *pq_lake_writer_by(const PqLakeWriter *w, uint32_t k);

/* A file is added. */
PqRc pq_lake_writer_add(PqLakeWriter *w, const PqPublished *file, PqErr *e);

/* What a reader of the version that the copy is based on is given. */
PqLakeReading pq_lake_writer_reading(const PqLakeWriter *w, int64_t version);

#endif
