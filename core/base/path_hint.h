/*
** path_hint.h - what a path where nothing was found may have meant.
*/
#ifndef PQ_PATH_HINT_H
#define PQ_PATH_HINT_H

#include "core/base/err.h"

/* Adds to an error about path what to write instead.  "s3://..." is not a local
** file.  Only other programs understand "file://...", "~/..." and "{a,b}".  A
** relative path starts at a folder that the user may not know. */
void pq_path_hint(const char *path, PqErr *e);

/* The same for a path to write to, whose folder does not exist. */
void pq_path_hint_to(const char *path, PqErr *e);

/* The same for a folder in which no Parquet file was found: what it holds, and how to
** read Parquet files with other names.  Names that begin with "." or "_", which are
** left out, are mentioned only when there are no others. */
void pq_folder_hint(const char *folder, PqErr *e);

/* What to write instead of a folder of a server of http. */
#define PQ_NAME_FILES "servers of http have no listings: name the files, as " \
    "'[\"https://h/a\", \"https://h/b\"]'"

/* Length of the scheme of "gs://...", 0 if there is none. */
size_t pq_path_scheme(const char *path);

/* Does it begin with what a shell or another program would replace: ~, or a
** scheme as in s3://? */
bool pq_path_is_of_others(const char *path);

#endif
