/*
** publish.h - files that appear under their names only when they are complete.
**
**   out/.parquet-folder.7f3a91c2d05be846.lock           locked while this lives
**   out/country=DE/.data_0.parquet.7f3a91c2d05be846.tmp       being written
**   out/country=DE/data_0.parquet                       after the last pass
**
** A PqPublish is one copy, to one file or into a folder.  It makes temporary
** files next to their final places, and the folders for them.  It also makes
** missing folders above a folder that is copied into, but not above a single
** file.  Until the last pass nothing that existed before is touched.  A copy
** that fails or is given up removes everything it made, including folders.
**
** The last pass, and what is left when something stops in it:
**
**   fsync of every file            all as before
**   files to remove are listed     all as before
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
** back.  If the file system cannot do that (renameat2 with RENAME_EXCHANGE), a
** link keeps the old file until the end.  If it has no links either, new files
** overwrite old ones, and the error says that the folder holds some of both.
**
** What may be replaced.  Nobody may lose a file that a copy did not make:
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
** PARQUET is the default for a copy to one file.  All this is checked before
** the first row, and again before the rename.  When a new file has changed
** places with an old one, the old one is checked once more, because it may have
** been put there in between.  If the old file may not be replaced, they change
** back.  It can be lost only if the process is killed at that moment, or if the
** file system has no RENAME_EXCHANGE.
**
** partitions stands for replace in the table.
**
** Into a folder, replace removes the files of the dataset, and no others.  partitions
** removes the data files of partitions that get a new one, and append only what would
** hide the new files.  publish_replace.c draws which files these are.  Any other file
** that readers of the folder would take for data is an error, which names the first
** three.
**
** An encrypted file may need another file beside it: its key material.  Key
** material gets its name first, and loses it last, so it is there whenever the
** file is.  Two files cannot be exchanged in one step.  So a name that has key
** material beside it is not taken: in a folder another name is used, and a copy
** to one file is refused.  If a file without key material replaces the file,
** the key material goes with it; it never goes alone.
**
** A process that dies leaves its lock file and temporary files.  The next copy
** to the same folder (for a copy to one file: to a file in the same folder)
** removes them if it gets the lock.  Lock files are made first and removed
** last, so there is no temporary file without one, and nothing is removed that
** another process may be working on.  If the file system has no locks, nothing
** is removed.  If locks do not reach other machines (NFS mounted with
** local_lock), two machines must not copy into the same folder at once.
**
** A new file gets the permissions of the file it replaces, and its owner if the
** process may set it.  A link is followed, and the file it leads to is
** replaced; hard links to the old file keep the old file.  After two copies
** that replace the same thing at once, there is the file of one copy, or in a
** folder some files of both, each whole.  Copies that append at once all
** succeed: if another copy took the name of a file meanwhile, the file gets the
** next free one.
**
** On a server (s3://bucket/out/, https://host/out.parquet) the rules are the same,
** as far as it lets them be kept.  There are no temporary names: an upload is not an
** object before it is completed (upload.h).  The last pass completes all of them at
** once, and then removes old ones.  What it has completed when something stops it
** goes again if all names were free, and else the error says that the folder holds
** some of both.  A killed process leaves uploads, which a rule of the bucket for
** incomplete ones removes.
*/
#ifndef PQ_PUBLISH_H
#define PQ_PUBLISH_H

#include "core/base/sink.h"
#include "core/base/source.h"
#include "core/crypto/key_ring.h"
#include "core/remote/request.h"

typedef struct PqPublish PqPublish;

typedef enum PqOverwrite {
    PQ_OVERWRITE_ERROR,              /* refuse if something is there          */
    PQ_OVERWRITE_REPLACE,            /* old files go, after the rename        */
    PQ_OVERWRITE_APPEND,             /* folders: new names beside the old     */
    PQ_OVERWRITE_PARTITIONS,         /* folders: partitions that get a new
                                     ** file lose their old ones              */
    PQ_OVERWRITE_PARQUET             /* one file: replace it if it is Parquet
                                     ** or empty, else refuse                 */
} PqOverwrite;

/* The bytes that tell what kind of file it is; 0 where the file is shorter. */
typedef struct PqFileEnds {
    uint64_t size;
    uint8_t  first[16], last[4];
} PqFileEnds;

/* The program that copies, and what it knows about existing files.  path is the
** name of a file; at is where it is now.  That differs from path after a new
** file has changed places with it, and is NULL when no file has the name. */
typedef struct PqPublishHost {
    void *arg;
    /* For a file that must never be replaced, words that say why; otherwise
    ** NULL.  The file is not opened.  The function may be NULL. */
    const char *(*keeps)(void *arg, const char *path, const char *at);
    /* Reads the ends of a regular file, if there is one, and returns NULL.
    ** Returns words ("is a database") for a file that is replaced only if the
    ** user named it and asked for that, or that cannot be read.  NULL: it is
    ** just read. */
    const char *(*look)(void *arg, const char *path, const char *at,
                        PqFileEnds *out);
    const char *writer;              /* created_by of its files begins so     */
    PqKeyRing  *keys;                /* to see who wrote an encrypted file; may
                                     ** be NULL                               */
} PqPublishHost;

/* A log by which readers know the files of a folder.  begin: nothing has its name yet; NULL:
** nothing is done then.  enter: all files have, and are safe on the disk; if it fails without
** having set *entered, all is taken back.  Where files are appended, their names are random. */
typedef struct PqPublishLog {
    void *arg;
    PqRc (*begin)(void *arg, PqErr *e);
    PqRc (*enter)(void *arg, const PqPublish *p, bool *entered, PqErr *e);
    int64_t version;                 /* that enter has made; -1: none yet    */
} PqPublishLog;

/* Everything but host, stop and log is copied. */
typedef struct PqPublishPlan {
    const char   *target;            /* a file's path, or a folder's          */
    bool          is_folder;
    bool          has_beside;        /* its files need others beside them    */
    PqOverwrite   overwrite;
    const char *const *folder_columns; /* of the folders below, in order      */
    uint32_t      n_folder_columns;
    const char   *pattern;           /* of file names; NULL: the usual one    */
    bool          is_clear;          /* its files are not encrypted, and nobody
                                     ** said so: an encrypted file is not
                                     ** replaced, and gets none beside it     */
    const PqPublishHost *host;       /* may be NULL: nothing is known         */
    const PqStop *stop;              /* may be NULL; asked until files get
                                     ** their final names                     */
    PqRemote     *remote;            /* that knows the target, if it is a URL;
                                     ** NULL: only local files.  Of the memory
                                     ** of mem, a quarter is for what is on its
                                     ** way there                             */
    const PqPatience *patience;      /* NULL: the usual                        */
    const PqPublishLog *log;         /* of the folder; NULL: none            */
} PqPublishPlan;

/* Fails early if the copy cannot succeed: the folder for the file is missing,
** there is no permission, or the target is of the wrong kind or may not be
** replaced. With ERROR it also fails if something is there (for a folder: a
** Parquet file in it or below), and with REPLACE if the folder has files that
** do not belong to the dataset. */
PqRc pq_publish_open(PqMem *mem, const PqPublishPlan *plan, PqPublish **out,
                     PqErr *e);

/* Until p is freed, only p works on its folder and those in it, of all that have asked for
** that: an error says that another one does.  For a copy that relies on what it has read
** there.  A folder on a server, or on a file system without locks, is not locked. */
PqRc pq_publish_alone(PqPublish *p, PqErr *e);

/* Begins a file.  name is relative to the folder ("country=DE/data_0.parquet"),
** or NULL for a copy to one file.  *taken: a file of this copy has the name, or
** with APPEND any file has it, so no sink is made.  taken may be NULL for a
** copy to one file.  p owns the sink: write to it with pq_sink_write, and end
** it with pq_publish_done. */
PqRc pq_publish_file(PqPublish *p, const char *name, bool *taken,
                     PqSink **out, PqErr *e);

/* Begins the next file of a folder ("country=DE/", "" for p's own), which is called as the
** pattern says.  *number is 0 before the first one, and p's after that.  Where files come beside
** old ones, except on a server, numbers are greater than theirs: a name that is given again,
** after a compaction has freed it, would mislead who has listed the folder before. */
PqRc pq_publish_next(PqPublish *p, const char *folder, uint64_t *number, PqSink **out, PqErr *e);

/* An old file, and its key material, which replace leaves where it is.  In the folder
** itself. */
PqRc pq_publish_keep(PqPublish *p, const char *name, PqErr *e);

/* Gives the file of s, which is not done yet, its key material: all of
** bytes. */
PqRc pq_publish_beside(PqPublish *p, const PqSink *s, PqSlice bytes, PqErr *e);

/* The file is complete.  s must not be used any more; its descriptor is closed
** soon. */
PqRc pq_publish_done(PqPublish *p, PqSink *s, PqErr *e);

/* The rows of a file of this version are in the new files, so it goes in the last pass.  If
** it is another version by then, or gone, the pass fails, because rows would be lost or come
** twice.  For APPEND, and for the file that a copy to one file replaces.  On a server the
** version is not looked at. */
PqRc pq_publish_reads(PqPublish *p, const char *path, PqFileId version, PqErr *e);

/* The last pass, after every file is done.  After a failure all is as it was,
** unless the message says otherwise.  p must still be freed. */
PqRc pq_publish_commit(PqPublish *p, PqErr *e);

/* What a commit with REPLACE removed without a replacement: partitions that got
** no new file.  Valid until p is freed. */
typedef struct PqPublishLost {
    uint32_t    n_partitions;
    const char *first;               /* the path of one, or NULL              */
} PqPublishLost;
PqPublishLost pq_publish_lost(const PqPublish *p);

/* A new file, while a log enters it. */
typedef struct PqPublished {
    const char *path, *below;        /* below: from the folder on            */
    uint64_t    size;
    int64_t     modified;            /* milliseconds since 1970; 0: on a server */
} PqPublished;
bool pq_publish_made(const PqPublish *p, uint32_t i, PqPublished *out);

/* The names in the folder are safe on the disk. */
PqRc pq_publish_sync_folder(const char *folder, PqErr *e);

/* Removes what was not committed.  p may be NULL. */
void pq_publish_free(PqPublish *p);

/* For tests: called before each step of the pass with its name, which is one
** of "sync", "list", "rename", "swap", "hide", "folders", "remove", "unlock".
** "swap" comes after the last check of the old file.  Called with "give up"
** before what was not committed is removed. */
extern void (*pq_publish_step_hook)(const char *step);

#endif
