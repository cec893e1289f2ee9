/*
** snapshot.h - what the reader of a format says of a version of a table.
**
**   s->schema, s->names     what columns there are, and how files name them
**   pq_lake_partition_by    by which of them files are apart
**   pq_lake_add_file        a file, its values of these and its deleted rows; any order
**   pq_lake_finish          all is there
**
** A reader knows its format and nothing of listings.  What is common to formats is here:
** what a value of a partition column is, the order of the files, and that each comes
** once.  Files come in the order of their paths, as in a folder, so the order of rows
** does not depend on how a log was cut.
*/
#ifndef PQ_SNAPSHOT_H
#define PQ_SNAPSHOT_H

#include "core/files/engine.h"
#include "core/numbering/cell.h"

/* What a reader is given. */
typedef struct PqLakeReading {
    const char     *lake;            /* what the user named; it is kept by this */
    const char     *table;           /* its folder                           */
    const PqPlaces *places;          /* to open files with                   */
    PqEngine       *engine;
    int64_t         version;         /* below 0: the newest                  */
    int64_t         as_of;           /* ... that is not later: microseconds  */
    PqMem          *mem;
    const PqStop   *stop;
    PqLakeSnapshot *s;               /* to be filled                         */
    struct PqLakeVersions *versions; /* NULL, or to be filled instead        */
} PqLakeReading;

typedef struct PqLakeFile {
    const char        *path;         /* as it is opened; copied              */
    const char *const *values;       /* of the partition columns, as texts; NULL: null;
                                     ** copied                               */
    int64_t            size;         /* -1: not known                        */
    PqSlice            stats;        /* JSON, see file_stats.h; empty: none  */
    const PqLogBounds *bounds;       /* ... or these; values in the snapshot's arena */
    uint32_t           n_bounds;
    int64_t            n_rows;       /* where bounds are given               */
    int64_t            first_row, sequence;      /* as in PqListedFile       */
    bool               has_deletes;  /* even if they are of no row           */
    PqBuf             *deleted;      /* ranges of rows, in any order; copied; NULL: none */
} PqLakeFile;

/* The version, and the file that ends the log of it, as in a snapshot.  True: it was read
** before, and r->s is what was kept: nothing is to be filled. */
bool pq_lake_is_known(PqLakeReading *r, int64_t version, PqFileId id);

PqRc pq_lake_partition_by(PqLakeReading *r, const char *const *columns, uint32_t n,
                          PqErr *e);
PqRc pq_lake_add_file(PqLakeReading *r, const PqLakeFile *file, PqErr *e);

/* Adds a row to ranges of rows. */
PqRc pq_lake_delete_row(PqBuf *ranges, int64_t row, PqErr *e);

/* ... one without deleted rows of another snapshot of the same schema. */
PqRc pq_lake_copy_file(PqLakeReading *r, const PqListedFile *file, PqErr *e);
PqRc pq_lake_finish(PqLakeReading *r, PqErr *e);

/* Adds a version to r->versions; the members are those of PqLakeVersion.  An operation
** that is not a text is left out. */
PqRc pq_lake_add_version(PqLakeReading *r, int64_t version, int64_t order, int64_t at,
                         PqSlice operation, int64_t n_rows, PqErr *e);

/* A value of a partition column as a log has it, of a text as SQL has it; NULL: null. */
PqRc pq_lake_partition_text(PqArena *a, const char *column, const PqType *type, PqSlice text,
                            const char **out, PqErr *e);

/* Sets what rows of files without a leaf have: a cell that its type takes.  One that it
** does not take becomes must. */
PqRc pq_lake_first_value(PqArena *a, const PqFooter *schema, const PqNode *node,
                         const PqCell *cell, PqLakeField *field, PqErr *e);

/* delta_table.c */
PqRc pq_delta_read(PqLakeReading *r, PqErr *e);

/* iceberg_table.c */
PqRc pq_iceberg_read(PqLakeReading *r, PqErr *e);

/* The field of the schema with that id; NULL: none. */
PqLakeField *pq_lake_field_by_id(const PqLakeSnapshot *s, int64_t id);

/* A leaf outside of lists with that id; NULL: none.  *at: where the one before was, as logs have
** them mostly in the order of the table.  Leaves of a Variant have no id, not even 0, and what is
** said of row ids is of those in the file alone. */
const PqNode *pq_lake_leaf_by_id(const PqLakeSnapshot *s, int64_t id, uint32_t *at);

#endif
