/*
** listing.h - which files a table is made of, right now.
**
** The argument of a table is a file, a folder, or a glob:
**
**   trips.parquet            that file, whatever its name ends in
**   trips                    (a folder) every *.parquet and *.parq below it;
**                            names that begin with "." or "_" are left out,
**                            folders likewise
**   trips/2024-*.parquet     * ? [..] within a component, ** any number of
**                            folders; see glob.h
**
** An argument that names something that exists is that thing even if it holds
** glob characters.  A glob stands for what it matches: a file, and a folder
** as if it had been given itself, so sales/year=202* is read to its depths.
**
** Paths begin as the argument does ("./x" stays "./x", relative stays
** relative), are sorted by their bytes, and none occurs twice.  What is not a
** folder counts as a file, sockets and links to nowhere included: opening one
** says what it is, leaving it out would lose rows in silence.  A file that
** disappears while the folder is read is not there.
**
** With hive, key=value folders become columns: those below the folder given,
** or from the first component of a glob that holds a glob character:
**
**   sales                    sales/country=FR/day=2024-03-01/a.parquet
**                                  -> country 'FR', day DATE
**   sales/country=FR/[a-z]*  sales/country=FR/a.parquet      -> no column
**
** See hive.h for what they hold.  A file without a folder for a column has
** NULL.
*/
#ifndef PQ_LISTING_H
#define PQ_LISTING_H

#include "core/base/arena.h"
#include "core/base/stop.h"
#include "core/files/versions.h"

typedef enum PqHiveType { PQ_HIVE_INTEGER, PQ_HIVE_DATE, PQ_HIVE_TEXT }
    PqHiveType;

typedef struct PqHiveValue {
    const char *text;                /* NULL: null */
    int64_t     integer;             /* PQ_HIVE_INTEGER; 0 where null */
} PqHiveValue;

typedef struct PqListedFile {
    const char        *path;
    const PqHiveValue *hive;         /* PqListing.n_folder_columns of them */
} PqListedFile;

/* What is not in the listing although it belongs there: see left_out.h. */
enum { PQ_LEFT_OUT_SHOWN = 8 };

typedef struct PqLeftOut {
    uint32_t    n;
    struct {                         /* of the first; without memory ""     */
        const char *path, *why;
    } v[PQ_LEFT_OUT_SHOWN];
} PqLeftOut;

/* Both are copied. */
void pq_left_out_add(PqLeftOut *out, PqArena *a, const char *path,
                     const char *why);

typedef struct PqListing {
    PqArena       arena;
    PqListedFile *files;
    uint32_t      n_files;
    PqLeftOut     left_out;
    const char  **folder_columns;    /* names, in the order of the files */
    PqHiveType   *folder_types;
    uint32_t      n_folder_columns;  /* 0 without hive */
    PqVersions   *versions;          /* of the files; NULL: any */
} PqListing;

/* PQ_IO with a message that names the pattern when nothing matches, the folder
** holds no such file, or something cannot be read; the folder that cannot be
** read is named itself.  stop is asked now and then and may be NULL.  On failure
** *out is empty and need not be freed. */
PqRc pq_listing_make(const char *pattern, bool hive, PqMem *mem,
                     const PqStop *stop, PqListing *out, PqErr *e);

/* The same, but a folder that cannot be read is left out and noted. */
PqRc pq_listing_make_of_rest(const char *pattern, bool hive, PqMem *mem,
                             const PqStop *stop, PqListing *out, PqErr *e);
void pq_listing_free(PqListing *l);

#endif
