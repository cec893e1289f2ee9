/*
** folder_walk.h - the files and folders below a folder, as a copy sees them.
**
**   out/                       the root itself is not shown
**     _metadata                PQ_ENTRY_FILE
**     country=DE/              after what is in it, as PQ_ENTRY_FOLDER
**       data_0.parquet         PQ_ENTRY_FILE
**     archive -> /mnt/old      PQ_ENTRY_LINK: to a folder, not entered
**     .git/ _temporary/        left out, as by readers
**
** Links to files, and everything else that is not a folder, are files.  What
** disappears while the folder is read is left out.  A folder is read to its end
** before the walk goes below it.  So only one descriptor is open at a time, and
** `see` may remove the entry that it is shown.
*/
#ifndef PQ_FOLDER_WALK_H
#define PQ_FOLDER_WALK_H

#include "core/base/bytes.h"
#include "core/base/stop.h"

typedef enum PqEntryKind { PQ_ENTRY_FILE, PQ_ENTRY_LINK, PQ_ENTRY_FOLDER }
    PqEntryKind;

/* path is borrowed and begins with root; name is its last part.  The walk ends
** when see returns anything but PQ_OK. */
typedef struct PqFolderWalk {
    PqRc (*see)(void *arg, PqEntryKind kind, const char *path,
                const char *name, PqErr *e);
    void  *arg;
    bool   deep;                     /* false: the files of root only */
    const PqStop *stop;              /* may be NULL */
} PqFolderWalk;

PqRc pq_folder_walk(PqMem *mem, const char *root, const PqFolderWalk *w,
                    PqErr *e);

#endif
