/*
** s3_walk.h - the objects that a pattern matches, as pq_glob_walk finds files.
**
**   s3://bucket/sales/            all *.parquet below the prefix sales/
**   s3://bucket/sales/year=202*   the listing begins at sales/year=202
**   s3://bucket/a/X/y.parquet     X a wildcard: the folders of a/, then one key each
**
** A bucket has no folders.  A "folder" is asked for by the slash where a pattern
** has a wildcard in one component.  Where any depth matches, one listing of all
** keys takes the fewest requests, unless a statement asks for some folders only:
**
**   s3://bucket/sales/            where year = 2024 AND day = '2024-03-01'
**     sales/                      its folders: year=2023/ is left out
**     sales/year=2024/            its folders
**     sales/year=2024/day=2024-03-01/    all below: no column is unknown there
**
** If that takes more requests than the test allows, all keys are listed after all.
*/
#ifndef PQ_S3_WALK_H
#define PQ_S3_WALK_H

#include "core/files/glob.h"

/* Is the pattern a listing, and not one object? */
bool pq_s3_is_pattern(const char *path);

/* g was made of a pattern that begins with s3://bucket/.  Paths begin so, too.  The listing
** says where servers are asked; the walk notes in it a lake table and the requests it took. */
PqRc pq_s3_walk(PqListing *l, const PqGlob *g, const PqStop *stop, PqPaths *out, PqErr *e);

#endif
