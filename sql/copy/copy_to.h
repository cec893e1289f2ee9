/*
** copy_to.h - parquet_copy_to(query, path [, options]), and copies that are published
** together.
*/
#ifndef PQSQL_COPY_TO_H
#define PQSQL_COPY_TO_H

#include "sql/copy/copy_origin.h"
#include "sql/copy/copy_progress.h"

/* One of several copies that get their names together. */
typedef struct PqsqlCopyPart {
    const char *query;
    const char *name;                /* of its file, in the folder of        */
    PqPublish  *of;                  /* what all write into, and the caller
                                     ** commits                              */
    const char *options;             /* those of parquet_copy_to, but not
                                     ** overwrite and progress; or NULL      */
    PqsqlCopyProgress *progress;     /* of all of them; or NULL              */
} PqsqlCopyPart;

PqRc pqsql_copy_part(sqlite3 *db, PqsqlCopyHost *host, const PqsqlCopyPart *part,
                     uint64_t *n_rows, PqErr *e);

/* host must live as long as the connection's modules. */
int pqsql_register_copy(sqlite3 *db, PqsqlCopyHost *host);

#endif
