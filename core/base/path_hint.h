/*
** path_hint.h - what may be meant by a path that leads nowhere.
*/
#ifndef PQ_PATH_HINT_H
#define PQ_PATH_HINT_H

#include "core/base/err.h"

/* Adds to an error about path, at which nothing was found, what to write instead:
** "s3://..." is no file here, "file://..." and "~/..." are read by other
** programs, and a relative path was looked for from some folder. */
void pq_path_hint(const char *path, PqErr *e);

/* The same of a path that was to be written to: the folder of it is not there. */
void pq_path_hint_to(const char *path, PqErr *e);

#endif
