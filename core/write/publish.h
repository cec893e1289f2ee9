/*
** publish.h - files that appear under their names only when they are complete.
**
**   out/.parquet-folder.7f3a91c2d05be846.lock           locked while this lives
**   out/country=DE/.data_0.parquet.7f3a91c2d05be846.tmp       being written
**   out/country=DE/data_0.parquet                       after the last pass
**
** A PqPublish is one copy, to one file or into a folder.  It makes temporary
** files beside where they will be, and the folders for that.  Until the last
** pass nothing that was there before is touched; what fails, or is given up,
** takes everything back, the folders included.
**
** The last pass, and what is left when something stops in it:
**
**   fsync of every file            all as before
**   new names                      an error: all as before.  A killed process:
**     replace: the old file of     of a copy to one file the old or the new
**       the name changes places    one; of a folder some new files beside old
**       with the new one           ones, each of them whole
**   replace: other old files
**     get temporary names
**   fsync of every folder          an error: all as before
**   temporary names removed        all new; what cannot be removed is hidden
**
** "As before" holds after an error in the second and third step because names
** that changed places change back.  Where the file system cannot do that
** (renameat2 with RENAME_EXCHANGE) new files go over old ones, and the error
** says that the folder holds some of both.
**
** replace, for a folder, takes away every Parquet file that readers would find
** in it or below, the _metadata and _common_metadata files that describe them,
** the checksum files that Hadoop keeps beside files on a local disk
** (.NAME.crc, which would make the new file of that name unreadable for it),
** and folders that are empty then.  append takes away the _metadata of the
** folder, which would hide the new files.
**
** A process that dies leaves its lock file and temporary files.  The next copy
** to the same folder (for a copy to one file: to a file in the same folder)
** removes them: it may where it gets the lock.  Lock files are made first and
** removed last, so there is no temporary file without one, and nothing is
** removed that another process may be working on.  Where the file system has
** no locks nothing is removed; where locks end at the machine (NFS mounted with
** local_lock) a copy must not run on two machines into the same folder.
**
** An existing file keeps its permissions, and where the process may its owner.
** A link is followed, and the file it leads to is replaced; hard links to the
** old file keep the old file.  Two copies that replace the same thing at once
** end with the files of one, or for a folder some of both, each whole.
*/
#ifndef PQ_PUBLISH_H
#define PQ_PUBLISH_H

#include "core/base/sink.h"

typedef enum PqOverwrite {
    PQ_OVERWRITE_ERROR,              /* something is there: refuse            */
    PQ_OVERWRITE_REPLACE,            /* what was there goes, after the rename */
    PQ_OVERWRITE_APPEND              /* folders: new names beside the old     */
} PqOverwrite;

typedef struct PqPublish PqPublish;

/* target: a file's path, or a folder's when is_folder.  Fails early for what
** cannot end well: a folder that does not exist to hold the file, no
** permission, a target that is the wrong kind, ERROR with something there (for
** a folder: a Parquet file in it or below).  target is copied, stop is borrowed
** and may be NULL; it is asked up to the first new name. */
PqRc pq_publish_open(PqMem *mem, const char *target, bool is_folder,
                     PqOverwrite overwrite, const PqStop *stop,
                     PqPublish **out, PqErr *e);

/* A file to be: name is relative to the folder ("country=DE/data_0.parquet"),
** NULL for the one file of a copy to a file.  When the name belongs to a file
** of this copy, or with APPEND to any file, *taken says so and no sink is made;
** taken may be NULL for a copy to a file.  The sink is the publication's:
** pq_sink_write it, pq_publish_done when it is complete. */
PqRc pq_publish_file(PqPublish *p, const char *name, bool *taken,
                     PqSink **out, PqErr *e);

/* The file is complete: s is gone, its descriptor soon. */
PqRc pq_publish_done(PqPublish *p, PqSink *s, PqErr *e);

/* The last pass, once every file is done.  After a failure all is as it was,
** or the message says otherwise; p must still be freed. */
PqRc pq_publish_commit(PqPublish *p, PqErr *e);

/* Takes back what was not committed.  p may be NULL. */
void pq_publish_free(PqPublish *p);

/* For tests: called before each step of the pass with its name, which is one
** of "sync", "list", "rename", "hide", "folders", "remove", "unlock"; and with
** "give up" before what was not committed is taken back. */
extern void (*pq_publish_step_hook)(const char *step);

#endif
