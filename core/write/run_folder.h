/*
** run_folder.h - the folder that one run of an archive writes into, and no other.
**
**   cold/events-20261128T081500-7f3a91c2d05be846/by_year=2024/data_0.parquet
**        |    | |              |
**        |      UTC             random
**        what is archived, as a name that every file system takes
**   s3://bucket/cold/events-20261128T081500-7f3a91c2d05be846/data_0.parquet
**
** Only what lies below a folder of such a name is ever removed: the path comes from a
** database, and a stranger may have written it.  So a server is asked only if the
** connection has a secret for it, or allows it.
*/
#ifndef PQ_RUN_FOLDER_H
#define PQ_RUN_FOLDER_H

#include "core/remote/remote.h"

/* "FOLDER/WHAT-TIME-RANDOM", where the folder is an absolute path from here on, or lies in a
** bucket that may be asked.  remote NULL: there are no servers. */
PqRc pq_run_folder_name(PqRemote *remote, PqArena *a, const char *folder, const char *what,
                        const char **out, PqErr *e);

/* Is it in a bucket, and has the connection a secret for it, or allows it?  The tables over
** an archive are in a stored schema, which must not make anybody speak. */
PqRc pq_run_folder_may_ask(PqRemote *remote, PqArena *a, const char *url, PqUrl *out, PqErr *e);

/* Does a part of the path have such a name?  Nothing is removed by that. */
bool pq_run_folder_in(const char *path);

/* The length of "s3://BUCKET/" at its beginning; 0: it does not lie in a bucket. */
size_t pq_run_folder_bucket(const char *path);

/* The length of the path as far as the folder of a run; 0: it is not below one. */
size_t pq_run_folder_of(const char *path);

/* Removes a file below the folder of a run, and folders that have become empty, as far as
** that of the run; or that, with all files in it.  What is not there is gone already.
** False: something is left. */
bool pq_run_folder_remove(PqRemote *remote, const char *path);

#endif
