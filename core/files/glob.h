/*
** glob.h - a pattern of paths, and the walk that finds what it matches.
**
**   base      part 0   part 1   part 2            place 3
**   ./data/   y=*      **       [a-c]?.parquet    matched
**
** Within a part * is any bytes, ? one byte, [a-c] one of a range, [!a-c] and
** [^a-c] one outside it; "]" as the first of a class is itself, a "[" that is
** never closed is itself.  A part that is ** is any number of folders, none
** included.  Everything is bytes: no locale, no case, no escape.  A name that
** begins with "." is matched only by a part that begins with one.
**
** A folder may be in several places of a pattern at once (** may go on or be
** done), so the walk carries a set of places, bit i for "part i is next", and
** visits every folder once however many ** there are:
**
**   the parts ** b *.parquet against a/b/c.parquet
**   {0,1}  a->  {0,1}  b->  {0,1,2}  c.parquet->  part 2 was the last
**
** The set also tells named places, reached by a part that names this folder,
** from deep ones, reached by going on: links that lead back to a folder the
** walk is in are followed by name and not by going on, so no walk is endless.
**
** A folder with every part behind it is walked for Parquet files: that is all
** there is to a pattern of no parts, a plain folder.  A ** at the end is that
** walk too.
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

/* What an entry with some name is to the folder it lies in. */
typedef struct PqGlobStep {
    PqGlobPlaces named, deep;        /* as a folder: where it continues */
    bool         file;               /* as a file: it is one of those */
} PqGlobStep;

/* The paths found, in an arena, in no order; the array is the caller's to
** free with pq_mem_free. */
typedef struct PqPaths {
    PqArena     *arena;
    const char **path;
    uint32_t     n, room;
    PqLeftOut   *left_out;           /* NULL: a folder that cannot be read is
                                     ** an error, and else noted here       */
} PqPaths;

/* Is there a glob character in it? */
bool pq_glob_is(const char *pattern);

/* PQ_USAGE when it has too many parts, or ".." behind a glob character. */
PqRc pq_glob_parse(const char *pattern, PqGlob *out, PqErr *e);

/* The pattern of no parts. */
void pq_glob_folder(const char *path, PqGlob *out);

/* The places at the base. */
PqGlobPlaces pq_glob_start(const PqGlob *g);

/* The places among at that a folder has to be read for; the others know the
** name they want. */
PqGlobPlaces pq_glob_unnamed(const PqGlob *g, PqGlobPlaces at);

PqGlobStep pq_glob_step(const PqGlob *g, PqGlobPlaces at, const char *name);

/* One part that is not ** against one name. */
bool pq_glob_match(PqSlice part, const char *name);

/* stop is asked every few entries and may be NULL.
**
** Adds every file that matches.  That nothing does is no error; a folder that
** cannot be read, or that lies more than PQ_GLOB_DEPTH below the base, is. */
PqRc pq_glob_walk(const PqGlob *g, PqMem *mem, const PqStop *stop,
                  PqPaths *out, PqErr *e);

#endif
