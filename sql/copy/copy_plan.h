/*
** copy_plan.h - options and settled types to what core/write/copy.h takes.
*/
#ifndef PQSQL_COPY_PLAN_H
#define PQSQL_COPY_PLAN_H

#include "sql/copy/copy_types.h"

/* What can be known of the path, before the query runs: it can be written, and
** overwrite and host allow it. */
PqRc pqsql_copy_plan_publish(const PqsqlCopyColumns *columns,
                             const PqsqlCopyOptions *o, const char *path,
                             const PqPublishHost *host, const PqStop *stop,
                             PqMem *mem, PqArena *a, PqPublish **out, PqErr *e);

/* All that the plan points to lies in a, but for path and stop; publish is the
** caller's to fill in. */
PqRc pqsql_copy_plan(const PqsqlCopyColumns *columns,
                     const PqsqlCopyOptions *o, const char *path,
                     const PqStop *stop, PqMem *mem, PqArena *a,
                     PqCopyPlan *out, PqErr *e);

#endif
