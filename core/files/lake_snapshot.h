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
#include "core/files/lake_names.h"
#include "core/files/listed_file.h"

typedef struct PqLakeSnapshot {
    _Atomic uint32_t holders;
    PqArena        arena;            /* of all of it                         */
    int64_t        version;          /* as the format numbers them           */
    PqFooter      *schema;           /* of the table                         */
    PqLakeNames    names;            /* of its columns in the files          */
    const char   **folder_columns;   /* partition columns, of which each file has
                                     ** one value                            */
    PqHiveType    *folder_types;
    const PqNode **folder_nodes;     /* ... in the schema                    */
    uint32_t       n_folder_columns;
    PqListedFile  *files;            /* in the order of their paths          */
    uint32_t       n_files;
    bool           has_deletes;      /* of a file at least                   */
} PqLakeSnapshot;

/* Held once. */
PqRc pq_lake_snapshot_new(PqMem *mem, PqLakeSnapshot **out, PqErr *e);
void pq_lake_snapshot_release(PqLakeSnapshot *s);        /* NULL: nothing    */

#endif
