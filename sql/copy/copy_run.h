/*
** copy_run.h - what the files that implement copy_to.h share.
**
**   copy_to.c     the call: what is said, the query, the target, the answer
**   copy_rows.c   rows of the query become cells; the first ones are gathered
*/
#ifndef PQSQL_COPY_RUN_H
#define PQSQL_COPY_RUN_H

#include "sql/copy/copy_append.h"
#include "sql/copy/copy_keep.h"
#include "sql/copy/copy_lake.h"
#include "sql/copy/copy_progress.h"
#include "sql/copy/copy_query.h"
#include "sql/copy/row_values.h"

typedef struct PqsqlCopyRun {
    sqlite3       *db;
    PqsqlCopyHost *host;
    PqsqlCopyArguments said;
    const char    *named;            /* the path; NULL: it has no name yet   */
    PqMem         *mem;
    PqArena        arena;
    PqsqlCopyOptions o;
    sqlite3_stmt  *query;
    PqsqlRowValues row;              /* of the query                         */
    PqsqlCopyInto  into;
    PqsqlCopyFolder *folder;         /* that files are added to; or NULL     */
    PqsqlCopyAppend append;
    PqsqlCopyLake  lake;
    PqsqlCopyColumns columns;
    uint32_t      *partition_columns; /* numbers in the query of partition_by */
    uint32_t      *values;           /* ... and of the other columns         */
    uint32_t       n_values;
    PqSlice       *partition_texts;
    PqCells       *gathered;         /* a column each; or NULL               */
    PqsqlCopyKeep  keep;
    PqPublish     *publish;          /* the copy takes it when it is opened  */
    bool           is_part;          /* ... but not of a part: copy_to.h     */
    PqCopy        *copy;
    uint64_t       n_rows;
    bool           wants_twins;
    PqStop         stop;
    unsigned       operations;       /* the query's, when it last counted as
                                     ** running                              */
    PqsqlCopyProgress own, *progress; /* a part has the one of its whole      */
    char          *lost;             /* what replace took away; or NULL      */
    char          *answer;           /* room for that of a lake's version    */
    int            code;             /* SQLite's, if the query failed        */
    PqErr          e;
} PqsqlCopyRun;

/* ---- copy_rows.c: errors are in r->e ---- */

/* Steps the query; *more says that there is a row. */
PqRc pqsql_copy_step(PqsqlCopyRun *r, bool *more);

/* Gives the row of the query to the copy. */
PqRc pqsql_copy_row(PqsqlCopyRun *r);

/* Steps the query, and keeps its first rows until the types of the columns are known;
** *more says that there may be others. */
PqRc pqsql_copy_gather(PqsqlCopyRun *r, bool *more);

/* Gives the rows that were kept to the copy, and forgets them. */
PqRc pqsql_copy_gathered(PqsqlCopyRun *r);
void pqsql_copy_forget(PqsqlCopyRun *r);

/* Tells the program how far the copy has come. */
PqRc pqsql_copy_tell(PqsqlCopyRun *r);

#endif
