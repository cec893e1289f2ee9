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
**   what goes is looked for        all as before
**   new names                      an error: all as before.  A killed process:
**     replace: the old file of     of a copy to one file the old or the new
**       the name is looked at      one; of a folder some new files beside old
**       and changes places with    ones, each of them whole
**       the new one
**   replace: other old files
**     get temporary names
**   fsync of every folder          an error: all as before
**   temporary names removed        all new; what cannot be removed is hidden
**
** "As before" holds after an error because names that changed places change
** back.  Where the file system cannot do that (renameat2 with RENAME_EXCHANGE)
** new files go over old ones, and the error says that the folder holds some of
** both.
**
** What may be replaced.  Nobody is to lose a file that a copy did not make:
**
**   there is                       ERROR   PARQUET   REPLACE   ... in a folder
**   nothing                        new     new       new       new
**   an empty file, a Parquet file
**     (a magic at both ends)       no      goes      goes      see below
**   anything else                  no      no        goes      see below
**   a database, not open here      no      no        goes      no
**   a file that the host keeps:
**     of a database open here      no      no        no        no
**   a folder, a FIFO, a device     no      no        no        no
**
** PARQUET is what a copy to one file does unless it is told otherwise.  All is
** asked before the first row, and again before the rename.  What a new file has
** changed places with is looked at once more, and if it may not go they change
** back: it came in between.  Only who is killed at that moment, or works where
** RENAME_EXCHANGE is not known, can lose it.
**
** replace, for a folder, takes away the files of the dataset, and no others:
** those in folders of its layout (country=DE/year=2024/: all columns, in order)
** whose names the pattern makes or that the host's writer has written;
** _metadata and _common_metadata of these folders and of those above; the
** checksum files that Hadoop keeps beside files on a local disk (.NAME.crc,
** which would make the new file of that name unreadable for it); and folders
** that are empty then.  Any other file that readers of the folder would take
** for data is an error that names the first three.  append takes away the
** _metadata of the folder, which would hide the new files.
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
** end with the files of one, or for a folder some of both, each whole.  Copies
** that append at once all end well: where the name that a file was begun under
** is another's by now, it takes the next one that is free.
*/
#ifndef PQ_PUBLISH_H
#define PQ_PUBLISH_H

#include "core/base/sink.h"

typedef enum PqOverwrite {
    PQ_OVERWRITE_ERROR,              /* something is there: refuse            */
    PQ_OVERWRITE_REPLACE,            /* what was there goes, after the rename */
    PQ_OVERWRITE_APPEND,             /* folders: new names beside the old     */
    PQ_OVERWRITE_PARQUET             /* a file: goes if it is Parquet, or
                                     ** empty; else refuse                    */
} PqOverwrite;

/* What tells what a file is; what is missing of it is 0. */
typedef struct PqFileEnds {
    uint64_t size;
    uint8_t  first[16], last[4];
} PqFileEnds;

/* Who copies, and what it knows of the files that are there.  path is the name
** of a file; at is where it lies, which is elsewhere for what a new file has
** changed places with, and NULL where nothing has the name. */
typedef struct PqPublishHost {
    void *arg;
    /* Words that say whose it is when nobody may replace it, else NULL.  It is
    ** not opened for that. */
    const char *(*keeps)(void *arg, const char *path, const char *at);
    /* Reads the ends of a regular file, where there is one.  Words instead
    ** when it is of a kind that only goes where the user named it and said so
    ** ("is a database"), or cannot be read. */
    const char *(*look)(void *arg, const char *path, const char *at,
                        PqFileEnds *out);
    const char *writer;              /* created_by of its files begins so     */
} PqPublishHost;

/* All of it is copied but for host and stop. */
typedef struct PqPublishPlan {
    const char   *target;            /* a file's path, or a folder's          */
    bool          is_folder;
    PqOverwrite   overwrite;
    const char *const *folder_columns; /* of the folders below, in order      */
    uint32_t      n_folder_columns;
    const char   *pattern;           /* of file names; NULL: the usual one    */
    const PqPublishHost *host;       /* may be NULL: nothing is known         */
    const PqStop *stop;              /* may be NULL; asked up to the first new
                                     ** name                                  */
} PqPublishPlan;

typedef struct PqPublish PqPublish;

/* Fails early for what cannot end well: a folder that does not exist to hold
** the file, no permission, a target that is the wrong kind or that may not be
** replaced, ERROR with something there (for a folder: a Parquet file in it or
** below), REPLACE of a folder with files that are not the dataset's. */
PqRc pq_publish_open(PqMem *mem, const PqPublishPlan *plan, PqPublish **out,
                     PqErr *e);

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
** of "sync", "list", "rename", "swap", "hide", "folders", "remove", "unlock";
** "swap" comes after the last look at what is replaced; and with "give up"
** before what was not committed is taken back. */
extern void (*pq_publish_step_hook)(const char *step);

#endif
