/*
** glob.h - a pattern of paths, and the walk that finds what it matches.
**
**   base      part 0   part 1   part 2            place 3
**   ./data/   y=*      **       [a-c]?.parquet    matched
**
** Within a part, * matches any bytes, ? one byte, [a-c] one byte of the range,
** [!a-c] and [^a-c] one byte outside it.  "]" as the first of a class stands
** for itself, as does a "[" that is never closed.  A part that is just **
** matches any number of folders, or none.  Everything is bytes: no locale, no
** case folding, no escapes.  A name that begins with "." is matched only by a
** part that begins with ".".
**
** A folder may be at several places of a pattern at once, because ** may go on
** or end there.  So the walk carries a set of places, bit i for "part i is
** next", and visits every folder once, whatever the number of **:
**
**   the parts ** b *.parquet against a/b/c.parquet
**   {0,1}  a->  {0,1}  b->  {0,1,2}  c.parquet->  part 2 was the last
**
** A place is either named, reached by a part that matches this folder's name,
** or deep, reached by going on with **.  A link back to a folder that the walk
** is in is followed only at named places, so every walk ends.
**
** In a folder that matched all parts the walk looks for Parquet files, at any
** depth.  A plain folder is a pattern of no parts, and a ** at the end of a
** pattern means the same walk.
*/
#ifndef PQ_GLOB_H
#define PQ_GLOB_H

#include "core/files/listing.h"
#include "core/base/stop.h"

enum { PQ_GLOB_PARTS = 63, PQ_GLOB_DEPTH = 100 };

typedef enum PqGlobKind {
    PQ_GLOB_NAME,                    /* no glob character */
    PQ_GLOB_WILD,
    PQ_GLOB_DEEP                     /* the whole part is two stars */
} PqGlobKind;

typedef struct PqGlobPart {
    PqSlice    text;
    PqGlobKind kind;
} PqGlobPart;

/* Borrows the text it was made from. */
typedef struct PqGlob {
    PqSlice    base;                 /* as written, slashes included */
    PqGlobPart part[PQ_GLOB_PARTS];
    uint32_t   n_parts;
    bool       only_folders;         /* the pattern ends in a slash or ** */
} PqGlob;

/* Places of a pattern, bit n_parts for "matched". */
typedef uint64_t PqGlobPlaces;

/* What the pattern makes of an entry with some name. */
typedef struct PqGlobStep {
    PqGlobPlaces named, deep;        /* as a folder: where it continues */
    bool         file;               /* as a file: it matches */
} PqGlobStep;

/* Paths.  The texts are in the arena; the caller frees the array with
** pq_mem_free. */
typedef struct PqPaths {
    PqArena     *arena;
    const char **path;
    uint32_t     n, room;
    PqLeftOut   *left_out;           /* folders that cannot be read; NULL:
                                     ** such a folder is an error           */
    bool         lakes;              /* false: a lake table is an error too */
    bool         tables;             /* ... but for one at the base of a pattern in a
                                     ** bucket, if its log can be read      */
    /* Of a bucket, as in listing.h. */
    const PqFolderTest *test;        /* NULL: all folders are walked        */
    const PqListing    *part;        /* NULL: all files are as they are now */
    struct PqPaths     *skipped;     /* folders that the test left out      */
} PqPaths;

/* Adds a copy. */
PqRc pq_paths_add(PqPaths *out, const void *path, size_t n, PqErr *e);

/* Is there a glob character in it? */
bool pq_glob_is(const char *pattern);

/* PQ_USAGE when it has too many parts, or ".." after a glob character. */
PqRc pq_glob_parse(const char *pattern, PqGlob *out, PqErr *e);

/* The pattern of no parts. */
void pq_glob_folder(const char *path, PqGlob *out);

/* The places at the base. */
PqGlobPlaces pq_glob_start(const PqGlob *g);

/* The places of `at` whose part is not a plain name: for these, the names in
** the folder have to be read. */
PqGlobPlaces pq_glob_unnamed(const PqGlob *g, PqGlobPlaces at);

PqGlobStep pq_glob_step(const PqGlob *g, PqGlobPlaces at, const char *name);

/* Does a name match one part, which is not **? */
bool pq_glob_match(PqSlice part, const char *name);

/* Does a path below the places lead to a file that matches?  Its components are
** names of folders, but for the last. */
bool pq_glob_leads_to_file(const PqGlob *g, PqGlobPlaces at, const char *path);

/* Adds every matching file, in any order; there may be none.  A folder that
** cannot be read, or that lies more than PQ_GLOB_DEPTH below the base, is an
** error. stop is asked every few entries and may be NULL. */
PqRc pq_glob_walk(const PqGlob *g, PqMem *mem, const PqStop *stop,
                  PqPaths *out, PqErr *e);

#endif
