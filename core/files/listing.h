/*
** listing.h - which files a table has at this moment.
**
** The argument of a table is a file, a folder, a glob, or a list of them:
**
**   trips.parquet            that file, whatever its name ends in
**   trips                    (a folder) every *.parquet and *.parq below it;
**                            files and folders that begin with "." or "_" are
**                            left out, but for folders named _key=value
**   trips/2024-*.parquet     * ? [..] within a component, ** any number of
**                            folders; see glob.h
**   ["b.parquet", "trips"]   see path_list.h
**
** If a file or folder of exactly that name exists, the argument means it, even
** if it has glob characters.  A glob means the files it matches, and all files
** below the folders it matches, so sales/year=202* is read at any depth.
**
** Paths begin like the argument ("./x" stays "./x", relative stays relative),
** are sorted by their bytes, and are unique.  The paths of a list come in the
** order of its elements, and are sorted within each element; a path that comes
** twice is an error.
**
** Everything that is not a folder counts as a file, even sockets and links to
** nowhere: opening one gives an error, while leaving it out would silently lose
** rows.  A file that disappears while the folder is read is left out.
**
** With hive, key=value folders become columns.  Folders below the given folder
** count, or folders from the first component with a glob character on:
**
**   sales                    sales/country=FR/day=2024-03-01/a.parquet
**                                  -> country 'FR', day DATE
**   sales/country=FR/[a-z]*  sales/country=FR/a.parquet      -> no column
**
** In a list, folders also count from the first component on in which the
** elements differ: ["sales/year=2023/a.parquet", "sales/year=2024/b.parquet"]
** -> year.  See hive.h for their types and values.  A column is NULL in a file
** whose path lacks its folder.
*/
#ifndef PQ_LISTING_H
#define PQ_LISTING_H

#include "core/base/arena.h"
#include "core/base/stop.h"
#include "core/crypto/key_choice.h"
#include "core/files/lake_snapshot.h"
#include "core/files/versions.h"

/* Files that belong in the listing but cannot be read: see ignore_errors.h. */
enum { PQ_LEFT_OUT_SHOWN = 8 };

typedef struct PqLeftOut {
    uint32_t    n;
    struct {                         /* the first ones; "" without memory   */
        const char *path, *why;
    } v[PQ_LEFT_OUT_SHOWN];
} PqLeftOut;

/* Both are copied. */
void pq_left_out_add(PqLeftOut *out, PqArena *a, const char *path,
                     const char *why);

/* What a statement asks of key=value folders.  Folders of a bucket that cannot have its
** rows are not listed, if that takes few requests. */
enum { PQ_FOLDER_TESTS = 16 };

typedef struct PqFolderTest {
    const char *column[PQ_FOLDER_TESTS];         /* names of folder columns */
    uint32_t    n;
    bool      (*passes)(void *arg, uint32_t column, const PqHiveValue *v);
    void       *arg;
    uint32_t    most;                /* requests that it may take           */
} PqFolderTest;

typedef struct PqListing {
    PqArena       arena;
    PqListedFile *files;
    uint32_t      n_files;
    PqLeftOut     left_out;
    const char  **folder_columns;    /* names, in the order of the files */
    PqHiveType   *folder_types;
    uint32_t      n_folder_columns;  /* 0 without hive */
    PqPlaces      places;            /* that open the files */
    bool          on_one_thread;     /* has a BLOB: only the host's thread reads */
    const char  **named;             /* by pq_places_name */
    uint32_t      n_named;
    PqVersions   *versions;          /* of the files; NULL: any */
    const char  **skipped;           /* folders that a test left out, sorted;
                                     ** none: all files are listed          */
    uint32_t      n_skipped;
    uint32_t      n_requests;        /* for the pages of a bucket           */
    bool          in_vain;           /* the test took too many of them      */
    /* Of a lake table: core/lake/lake.h. */
    const char  *lake;               /* its folder; NULL: the files are listed  */
    const char  *lake_kind;          /* of lake_tables.h                        */
    PqLakeSnapshot *snapshot;        /* held; NULL until it was read            */
    const PqKeyChoice *keys;         /* to open them with; borrowed; NULL: by
                                     ** their key metadata                  */
} PqListing;

/* The schema of a lake table; NULL: it is that of the files. */
static inline PqFooter *pq_listing_schema(const PqListing *l)
{
    return l->snapshot ? l->snapshot->schema : NULL;
}

/* Are rows deleted of a file at least? */
static inline bool pq_listing_has_deletes(const PqListing *l)
{
    return l->snapshot && l->snapshot->has_deletes;
}

enum {
    PQ_LIST_HIVE = 1,                /* key=value folders are columns       */
    PQ_LIST_READABLE = 2,            /* a folder that cannot be read, or an
                                     ** element of a list without files, is
                                     ** left out and noted, instead of an
                                     ** error                               */
    PQ_LIST_LAKES = 4,               /* the files of a lake table are listed,
                                     ** instead of an error: lake_tables.h  */
    PQ_LIST_TABLES = 16,             /* the folder of a lake table that can be
                                     ** read is its table: lake, no files    */
    PQ_LIST_CATALOG = 32,            /* the argument is the catalog of a DuckLake
                                     ** table: lake, no files                */
    PQ_LIST_FOLDER = 8               /* the argument is the path of a folder,
                                     ** s3://bucket/a with or without a slash;
                                     ** it has no files if it is not there  */
};

/* how: bits of PQ_LIST_.  places are copied; NULL: only local files.  PQ_IO when
** nothing matches, the folder has no such file, or something cannot be read.  The
** message names the pattern, or the folder that cannot be read.  stop is asked now and
** then and may be NULL.  On failure *out is empty and need not be freed. */
PqRc pq_listing_make(const char *pattern, unsigned how, const PqPlaces *places,
                     PqMem *mem, const PqStop *stop, PqListing *out, PqErr *e);

/* The same, but for files that the test rules out (NULL: none).  part: a listing that
** was made with a test.  What it has or would have is as it was then; NULL: none. */
PqRc pq_listing_make_part(const char *pattern, unsigned how, const PqPlaces *places,
                          PqMem *mem, const PqStop *stop, const PqFolderTest *test,
                          const PqListing *part, PqListing *out, PqErr *e);
void pq_listing_free(PqListing *l);

/* From now on each file is opened in one version. */
PqRc pq_listing_keep_versions(PqListing *l, PqMem *mem, PqErr *e);

/* Opens a file of the listing, or one beside it. */
PqRc pq_listing_open(const PqListing *l, PqMem *mem, const char *path,
                     PqSource **out, PqErr *e);

/* Files from i on will be opened one after the other, but for those that skip, which
** may be NULL, says: a server is asked for the ends of the next ones meanwhile. */
typedef bool (*PqSkipFile)(void *arg, const PqListedFile *file);
void pq_listing_expect(const PqListing *l, uint32_t i, PqSkipFile skip, void *arg);

/* Is file i the first of all files?  A table without union_by_name takes its columns from it. */
static inline bool pq_listing_is_first(const PqListing *l, uint32_t i)
{
    return i == 0 && l->n_skipped == 0;
}

/* Does a server have the file? */
bool pq_listing_is_far(const PqListing *l, uint32_t i);

/* Is it an expected file, whose end has come? */
bool pq_listing_has_come(const PqListing *l, uint32_t i);

/* A path that comes twice; NULL: none. */
PqRc pq_listing_repeat(const PqListedFile *files, uint32_t n, PqMem *mem,
                       const PqStop *stop, const char **repeat, PqErr *e);

/* Would a new file at that path be in the listing?  Folders on the way need not
** exist yet.  A yes is certain. */
PqRc pq_listing_would_have(const char *pattern, PqMem *mem, const char *path,
                           bool *has, PqErr *e);

#endif
