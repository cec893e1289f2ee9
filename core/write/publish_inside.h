/*
** publish_inside.h - what the files of publish share:
**
**   publish.c          open, files, giving up
**   publish_folder.c   the folders, and single steps on the file system
**   publish_lock.c     the lock, and what dead processes left
**   publish_look.c     what a file is that is already there
**   publish_replace.c  what may be replaced, and what replace removes
**   publish_commit.c   the last pass
**   publish_journal.c  ... of files that are made of others
**   publish_far.c      all of this on a server
*/
#ifndef PQ_PUBLISH_INSIDE_H
#define PQ_PUBLISH_INSIDE_H

#include "core/base/arena.h"
#include "core/base/source.h"
#include "core/base/system.h"
#include "core/crypto/key_choice.h"
#include "core/write/folder_walk.h"
#include "core/write/publish.h"

typedef enum PubState {
    PUB_TEMP,                        /* under its temporary name             */
    PUB_NAMED,                       /* under its name, which was free       */
    PUB_SWAPPED,                     /* ... and the old under the temporary  */
    PUB_OVER                         /* ... and the old is gone              */
} PubState;

/* A folder that gets or loses files, or one above such a folder.  It stays in
** memory until the end, so pointers to it stay valid. */
typedef struct PubFolder {
    char *path;
    char *mark;                      /* the journal's name in it, or NULL    */
    bool  made;                      /* by this copy                         */
    bool  changed;                   /* names in it; must be synced          */
    bool  emptied;                   /* lost files; removed if empty         */
    bool  has_new;                   /* a new file is in it, or below        */
    bool  is_lost;                   /* a partition without a new file       */
} PubFolder;

typedef struct PubFile {
    char      *path, *temp, *shown;
    struct PubFile *beside;          /* its key material, or NULL; that comes
                                     ** before it in the list                */
    struct PubFile *of;              /* the file whose key material it is    */
    PubFolder *folder;
    PqSink    *sink;                 /* NULL: on the disk                    */
    bool       done;
    bool       read_only;            /* its final mode forbids us to write   */
    mode_t     mode;
    PubState   state;
    struct stat st;                  /* once it is on the disk               */
} PubFile;

/* An old file that replace removes, although no new file takes its name. */
typedef struct PubOld {
    char        *path, *temp;
    PubFolder   *folder;
    struct stat  st;                 /* to recognize it                      */
    bool         hidden;
    bool         is_beside;          /* key material: goes after all others  */
    bool         was_read;           /* pq_publish_reads                     */
} PubOld;

/* Pointers, growing. */
typedef struct PubList {
    void   **item;
    uint32_t n, room;
} PubList;

/* At most PUB_WAITING finished files wait to be synced; syncing many together
** is much faster.  Each has a descriptor, so they also get only a share of the
** descriptors that the process may have. */
enum { PUB_WAITING = 64, PUB_WAITING_SHARE = 8, PUB_ID_TEXT = 17, PUB_MOST_ALONE = 64 };

/* Where the files lie: here (publish.c), or on a server (publish_far.c). */
typedef struct PubPlace {
    bool is_far;                     /* no links, databases, temporary names */
    /* Checks what is there; fills target and root. */
    PqRc (*open)(PqPublish *p, const PqPublishPlan *plan, PqErr *e);
    /* The sink of a file, whose names are known; or its name is taken. */
    PqRc (*file)(PqPublish *p, PubFile *f, bool *taken, PqErr *e);
    PqRc (*done)(PqPublish *p, PubFile *f, PqErr *e);
    PqRc (*commit)(PqPublish *p, PqErr *e);
    void (*close)(PqPublish *p);     /* and takes back what was not committed */
    /* What is there already: */
    PqRc (*walk)(PqPublish *p, const PqFolderWalk *walk, PqErr *e);
    bool (*is_there)(PqPublish *p, const char *path);
    /* again: just after it was opened, which tells its version */
    PqRc (*source)(PqPublish *p, const char *path, bool again, PqSource **out, PqErr *e);
} PubPlace;

extern const PubPlace pub_here, pub_far;

struct PqPublish {
    const PubPlace *place;
    struct PubFar *far;              /* of publish_far.c                     */
    PqMem        *mem;
    PqArena       arena;
    const PqStop *stop;              /* of the plan, as what follows         */
    PqOverwrite   overwrite;
    bool          is_folder, is_clear, has_beside;
    const PqPublishLog *log;
    bool          committed;
    uint32_t      n_footers;         /* that were read to see a seal         */
    bool          saw_closed;        /* a sealed footer without its key      */
    const char  **folder_columns;    /* of the plan                          */
    uint32_t      n_folder_columns;
    const char   *pattern;
    const PqPublishHost *host;       /* or NULL                              */
    char         *shown;             /* the target as the caller wrote it    */
    char         *target;            /* links followed, no slash at its end  */
    char         *root;              /* the folder of the lock               */
    char          id[PUB_ID_TEXT];
    char         *lock;              /* path, NULL: not taken                */
    int           lock_fd;
    int           alone[PUB_MOST_ALONE]; /* of the folder, and of those above    */
    uint32_t      n_alone;
    PubList       folders;           /* by path                              */
    PubList       files, old;
    PubList       read;              /* PubOld: of pq_publish_reads          */
    off_t         n_journal;         /* bytes of the journal without its end */
    PubList       kept;              /* paths that replace leaves            */
    PqPublishLost lost;
    PubFile      *waiting[PUB_WAITING];
    uint32_t      n_waiting, most_waiting;
};

/* publish_folder.c: steps that pass a fault point.  Steps of type int return 0,
** or -1 with errno. */
int pub_unlink(const char *path);
int pub_rmdir(const char *path);
int pub_link(const char *from, const char *to);
int pub_rename(const char *from, const char *to, unsigned flags);
bool pub_is_there(const char *path);         /* a link to nowhere is, too */
PqRc pub_sync_folder(const char *path, PqErr *e);

/* The error about a file or folder that the copy must leave alone, and what to do
** about it, which may be NULL. */
PQ_COLD PqRc pub_wrong(const char *shown, const char *why, const char *do_this,
                       PqErr *e);

/* Like pq_sink_refused, but ENOENT says that somebody else removed what the copy
** made, or its folder, and EEXIST that somebody else made what it makes. */
PqRc pub_refused(const char *shown, const char *what, int err, PqErr *e);

/* folder/name, and the temporary name of a path; in the arena. */
char *pub_join(PqPublish *p, const char *folder, const char *name, PqErr *e);
char *pub_temp_name(PqPublish *p, const char *path, PqErr *e);
char *pub_folder_of(PqPublish *p, const char *path, PqErr *e);

/* Is it a temporary file of the copy with this id? */
bool pub_is_temp(const char *name, const char *id);

PqRc pub_list_add(PqPublish *p, PubList *l, void *item, PqErr *e);

/* Makes and notes the root, and the folders above it that do not exist. */
PqRc pub_folder_make_root(PqPublish *p, PqErr *e);

/* Is it the root, or a folder above it? */
bool pub_folder_is_root(const PqPublish *p, const char *path);

/* Finds or makes the folder with this path, and all folders between it and the
** root.  On a server, keys are all that there is of them. */
PqRc pub_folder_make(PqPublish *p, const char *path, PubFolder **out, PqErr *e);

/* Notes the folder at path, which exists. */
PqRc pub_folder_note(PqPublish *p, const char *path, PubFolder **out, PqErr *e);

/* The folder at path, if it is in the list; otherwise NULL. */
PubFolder *pub_folder_find(const PqPublish *p, const char *path);

/* Makes a folder again that somebody else removed because it was empty. */
PqRc pub_folder_remake(PqPublish *p, const char *path, PqErr *e);

/* publish_lock.c */
PqRc pub_lock_take(PqPublish *p, PqErr *e);
void pub_lock_clean(PqPublish *p);
void pub_lock_remove(PqPublish *p);  /* may fail, and be tried again     */
void pub_lock_leave(PqPublish *p);   /* for the next copy to clean up    */

/* publish_look.c: the two questions that PqPublishHost answers; without a host,
** the file itself is read.  *gone says that somebody else removed it. */
const char *pub_keeps(const PqPublish *p, const char *path, const char *at);
const char *pub_look(PqPublish *p, const char *path, const char *at, PqFileEnds *out,
                     bool *gone);

bool pub_is_magic(const uint8_t *bytes);
bool pub_is_parquet(const PqFileEnds *ends);

/* publish_far.c: does a file of this copy have the path? */
bool pub_far_has(const PqPublish *p, const char *path);

/* publish_replace.c */

/* Fails when a new file may not replace the file with this name.  at: see
** PqPublishHost; shown is the name for the error, which says what to do. */
PqRc pub_check_replaced(PqPublish *p, const char *path, const char *at,
                        const char *shown, PqErr *e);

/* Does the copy replace files? */
static inline bool pub_replaces(const PqPublish *p)
{
    return p->overwrite == PQ_OVERWRITE_REPLACE ||
           p->overwrite == PQ_OVERWRITE_PARTITIONS ||
           p->overwrite == PQ_OVERWRITE_PARQUET;
}

/* Is there key material beside the file of this path? */
PqRc pub_has_beside(PqPublish *p, const char *path, bool *has, PqErr *e);

/* Fails if the folder holds files that the option overwrite does not allow. */
PqRc pub_check_folder(PqPublish *p, PqErr *e);

/* Fills p->old: the files to remove whose names no new file takes. */
PqRc pub_list_old(PqPublish *p, PqErr *e);

/* publish.c: fails if only a folder can be written so. */
PqRc pub_check_one(const PqPublish *p, PqErr *e);

/* ... fails if the target of a copy to one file may not be replaced. */
PqRc pub_check_target(PqPublish *p, bool there, PqErr *e);

/* ... the error of a copy that writes a folder where a file is. */
PqRc pub_not_a_folder(const PqPublish *p, PqErr *e);

/* ... removes temporary names, and then folders that must not stay,
** after a commit or instead of one.  False when some are left; may be tried
** again. */
bool pub_remove_rest(PqPublish *p);

/* publish_journal.c: fails if a file that was read is not at `at` as it was read. */
PqRc pub_check_read(const PubOld *o, const char *at, PqErr *e);

/* ... says which files come and go, before they do; that one comes under
** another name than it said; that all have come; or takes that
** back.  Nothing is done if no file was read. */
PqRc pub_journal_begin(PqPublish *p, PqErr *e);
PqRc pub_journal_renamed(PqPublish *p, const PubFile *f, PqErr *e);
PqRc pub_journal_done(PqPublish *p, PqErr *e);
bool pub_journal_undo(PqPublish *p);

/* ... does what the journal of a dead process says.  fd: its lock file. */
bool pub_journal_follow(PqPublish *p, int fd);

/* publish_commit.c: calls the hook; syncs the files that wait; the last pass. */
void pub_step(const char *name);
PqRc pub_commit_here(PqPublish *p, PqErr *e);
PqRc pub_sync_waiting(PqPublish *p, PqErr *e);

#endif
