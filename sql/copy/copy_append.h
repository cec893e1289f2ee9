/*
** copy_append.h - rows of a query at the end of a file that exists.
**
**   old file     [group 0][group 1]
**   the query               -> a file without a name [group 0]
**   new file     [group 0][group 1]                  [group 0], replaces the old one
**
** The row groups of both are copied, not decoded (core/rewrite/rewrite.h).  If the old file
** is not the one that was read when the new one is about to replace it, the copy fails:
** another append would be lost.
*/
#ifndef PQSQL_COPY_APPEND_H
#define PQSQL_COPY_APPEND_H

#include "sql/copy/copy_folder.h"

/* What becomes a part of the file. */
typedef struct PqsqlAppendPart {
    PqSource *source;                /* NULL: not opened, or taken           */
    PqFooter *footer;
} PqsqlAppendPart;

typedef struct PqsqlCopyAppend {
    const PqsqlCopyInto *into;
    PqsqlAppendPart old, added;
    PqSink      *rows;               /* without a name                       */
    PqCopyPlan   plan;               /* of them                              */
    PqEncryption inside;             /* has their key material in the file   */
} PqsqlCopyAppend;

/* Do the options mean the end of the file at the path, and not a file in a folder?  Then
** o, which into has too, says from here on that the file is replaced. */
void pqsql_copy_append_see(PqsqlCopyInto *into, PqsqlCopyOptions *o);

/* Opens a copy of the plan into a file without a name. */
PqRc pqsql_copy_append_open(PqsqlCopyAppend *a, const PqsqlCopyInto *into,
                            const PqCopyPlan *plan, PqCopy **out, PqErr *e);

/* The copy is finished: old and new rows become the file of to.  old may be NULL: the file
** is not Parquet. */
PqRc pqsql_copy_append_end(PqsqlCopyAppend *a, PqsqlCopyFolder *old,
                           const PqsqlCopyColumns *columns, PqPublish *to, PqErr *e);
void pqsql_copy_append_free(PqsqlCopyAppend *a);

#endif
