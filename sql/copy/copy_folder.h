/*
** copy_folder.h - the columns of a folder that a copy adds files to.
**
**   in the folder   in the query        in the new file
**   v BIGINT        v, integers         v BIGINT
**   v BIGINT        v, texts            an error: a table could not read both
**   v TEXT          v, integers         an error: 8 would be '8'
**   w DATE          -                   w DATE, NULL in each row
**   -               x                   an error, unless "types" names its type
**
** A table takes its columns from the first of its files by name, so that file
** is looked at here, unless it is not Parquet.  New files get its columns in
** its order: their names may come before it, and then tables look at them
** instead.
*/
#ifndef PQSQL_COPY_FOLDER_H
#define PQSQL_COPY_FOLDER_H

#include "sql/copy/copy_types.h"

/* A copy into a folder. */
typedef struct PqsqlCopyInto {
    const PqsqlCopyHost    *host;
    const PqPublishHost    *keep;    /* knows which files are databases     */
    const PqsqlCopyOptions *o;
    const char             *path;
    PqArena                *a;
    bool                    to_file; /* rows are appended to the file        */
    const char             *table;   /* the lake table whose data lie in path; NULL: it is
                                     ** path itself                          */
    const PqLakeHost       *catalogs; /* which reads it: it is of a catalog, whose
                                     ** path table is; NULL: it is not       */
} PqsqlCopyInto;

/* Fails if the copy would add a file, without being told to add, to a table that
** its query reads. */
PqRc pqsql_copy_folder_check(const PqsqlCopyInto *into, PqErr *e);

/* Is there an object of this name on a server? */
bool pqsql_copy_folder_has_object(const PqsqlCopyInto *into);

/* *out is NULL if the copy adds nothing to a folder, or if the folder holds no
** data, or if the copy will be refused because the data is encrypted. */
PqRc pqsql_copy_folder_open(const PqsqlCopyInto *into, PqsqlCopyFolder **out,
                            PqErr *e);

/* Are rows written into a lake table that is there? */
static inline bool pqsql_copy_lake_adds(const PqsqlCopyOptions *o)
{
    return o->lake == PQ_LAKE_APPEND || o->lake == PQ_LAKE_OVERWRITE;
}

/* Of a lake table: the version that was read. */
const PqListing *pqsql_copy_folder_listing(const PqsqlCopyFolder *f);
void pqsql_copy_folder_close(PqsqlCopyFolder *f);        /* f may be NULL */

/* Opens the first file again, with the keys that the copy names. */
PqRc pqsql_copy_folder_first(const PqsqlCopyInto *into, PqsqlCopyFolder *f,
                             PqSource **source, PqFooter **footer, PqErr *e);

/* Gives the columns of the query the names, types and order that they have in
** the folder, and adds the columns that the query lacks. */
PqRc pqsql_copy_folder_take(const PqsqlCopyFolder *f, PqsqlCopyColumns *columns,
                            PqErr *e);

/* Called before the new files get their names: fails if another copy has
** written a first file since, with other types.  f describes the folder as it
** was, or is NULL. */
PqRc pqsql_copy_folder_again(const PqsqlCopyFolder *f,
                             const PqsqlCopyInto *into,
                             const PqsqlCopyColumns *columns, PqErr *e);

#endif
