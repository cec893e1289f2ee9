/*
** copy_remarks.h - what a user has to learn about a copy that succeeded.
**
** Each remark goes to SQLite's log, and to the line of progress.  If the remark
** is about something that cannot be undone, it is also in the copy's answer.
*/
#ifndef PQSQL_COPY_REMARKS_H
#define PQSQL_COPY_REMARKS_H

#include "sql/copy/copy_options.h"
#include "sql/copy/copy_progress.h"

/* Makes the remarks on a finished copy to path.  Returns the part for the
** answer, for sqlite3_free; NULL: nothing. */
char *pqsql_copy_remarks(const PqCopy *copy, const char *path,
                         const PqsqlCopyOptions *o, const PqsqlCopyProgress *progress,
                         PqMem *mem);

#endif
