/*
** log_names.h - what lies in the folder of a log, on a disk or in a bucket: names, bytes of
** files, and URLs in it.
*/
#ifndef PQ_LOG_NAMES_H
#define PQ_LOG_NAMES_H

#include "core/files/places.h"

/* Visits the names in a folder, in any order.  start_after: in a bucket, names that are not
** greater need not be visited; NULL: all.  a: scratch. */
typedef PqRc (*PqLogName)(void *arg, const char *name, PqErr *e);
PqRc pq_log_names(const PqPlaces *places, const char *folder, const char *start_after,
                  PqArena *a, const PqStop *stop, PqLogName see, void *arg, PqErr *e);

/* n bytes of a file from begin on; or_less: as many as there are. */
typedef struct PqLogPart {
    uint64_t begin;
    size_t   n;
    bool     or_less;
} PqLogPart;
#define PQ_LOG_ALL ((PqLogPart){.n = SIZE_MAX, .or_less = true})

/* Reads them: out is empty if places need not have the file, and it is not there.  id: which file
** it was. */
PqRc pq_log_read(const PqPlaces *places, PqMem *mem, const char *path, PqLogPart part, PqBuf *out,
                 PqFileId *id, PqErr *e);

/* The length of the bucket or server of a table: "s3://bucket", "https://host".  A URL that
** the table names has to be in the same one.  *rest: of that URL, from the slash on. */
size_t pq_log_place(const char *table);
PqRc pq_log_same_place(const char *table, const char *url, const char **rest, PqErr *e);

/* The next folder of a path, key=value: what it says, decoded.  *value NULL: it is NULL.  False:
** the path has no more folders, or it fails. */
bool pq_log_folder(const char **at, PqArena *a, const char **name, const char **value, PqErr *e);

#endif
