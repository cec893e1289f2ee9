/*
** copy_remarks.h - what a user has to learn of a copy that succeeded.
**
** SQLite's log has each remark, and so have those who watch the progress.  What
** cannot be had again is in the answer of the copy, too.
*/
#ifndef PQSQL_COPY_REMARKS_H
#define PQSQL_COPY_REMARKS_H

#include "sql/copy/copy_options.h"
#include "sql/copy/copy_progress.h"

/* Makes the remarks on a finished copy to path.  What the answer has to say is
** returned, for sqlite3_free; NULL: nothing. */
char *pqsql_copy_remarks(const PqCopy *copy, const char *path,
                         const PqsqlCopyOptions *o, const PqsqlCopyProgress *progress,
                         PqMem *mem);

#endif
