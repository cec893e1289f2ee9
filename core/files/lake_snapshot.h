/*
** lake_snapshot.h - a version of a lake table: its schema and its files.
**
**   a format's reader (core/lake)  ->  PqLakeSnapshot  ->  PqListing
**
** It does not change once it has been read, and whoever reads it holds it.
*/
#ifndef PQ_LAKE_SNAPSHOT_H
#define PQ_LAKE_SNAPSHOT_H

#include "core/base/arena.h"
#include "core/base/source.h"
#include "core/files/lake_names.h"
#include "core/files/listed_file.h"
#include "core/files/places.h"

typedef struct PqLakeSnapshot {
    _Atomic uint32_t holders;
    PqArena        arena;            /* of all of it                         */
    const char    *table;            /* what the user named                  */
    int64_t        version;          /* as the format numbers them           */
    PqFileId       id;               /* of the file that ends the log of it  */
    const char    *protocol, *metadata;      /* of Delta, as its log has them: for writers; of
                                     ** Iceberg what manifests mean something by */
    PqStr         *parts;            /* of Iceberg: its manifests, with lengths and first rows */
    uint32_t       n_parts;
    PqFooter      *schema;           /* of the table                         */
    int64_t        schema_id;        /* ... as Iceberg numbers them          */
    PqLakeNames    names;            /* of its columns in the files          */
    const char   **folder_columns;   /* partition columns, of which each file has
                                     ** one value                            */
    PqHiveType    *folder_types;
    const PqNode **folder_nodes;     /* ... in the schema                    */
    uint32_t       n_folder_columns;
    PqListedFile  *files;            /* in the order of their paths          */
    uint32_t       n_files;
    bool           has_deletes;      /* of a file at least                   */
    uint32_t       n_bounds;         /* of all files                         */
    PqPlacesFile  *own;              /* of the files, those whose rows the log itself has */
    uint32_t       n_own;
} PqLakeSnapshot;

/* Held once. */
PqRc pq_lake_snapshot_new(PqMem *mem, PqLakeSnapshot **out, PqErr *e);
void pq_lake_snapshot_hold(PqLakeSnapshot *s);
void pq_lake_snapshot_release(PqLakeSnapshot *s);        /* NULL: nothing    */

/* Those that a connection keeps for its next statements, the newest first. */
enum { PQ_LAKES_KEPT = 8 };

typedef struct PqKeptLakes {
    PqLakeSnapshot *v[PQ_LAKES_KEPT];        /* NULL: no more                */
} PqKeptLakes;

/* The newest kept one of the table; version below 0: any.  NULL: none.  Borrowed. */
PqLakeSnapshot *pq_kept_lakes_find(const PqKeptLakes *k, const char *table, int64_t version);

/* It replaces the same version. */
void pq_kept_lakes_add(PqKeptLakes *k, PqLakeSnapshot *s);
void pq_kept_lakes_free(PqKeptLakes *k);

#endif
