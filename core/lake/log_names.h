/*
** log_names.h - what lies in the folder of a log, on a disk or in a bucket: names, bytes of
** files, and paths in it.
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

/* A path that a log names, as it is opened: of a file below the folder of the table. */
PqRc pq_log_below(const char *table, const char *path, PqArena *a, const char **out, PqErr *e);

/* ... or a URL, which has to be in the bucket of the table, or an absolute path on the disk that
** has the table.  is_url: it is written as in a URL. */
PqRc pq_log_elsewhere(const PqPlaces *places, const char *table, const char *path, bool is_url,
                      PqArena *a, const char **out, PqErr *e);

/* The next folder of a path, key=value: what it says, decoded.  *value NULL: it is NULL.  False:
** the path has no more folders, or it fails. */
bool pq_log_folder(const char **at, PqArena *a, const char **name, const char **value, PqErr *e);

#endif
