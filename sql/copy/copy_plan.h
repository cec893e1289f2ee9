/*
** copy_plan.h - turns options and settled types into the plan of
** core/write/copy.h.
*/
#ifndef PQSQL_COPY_PLAN_H
#define PQSQL_COPY_PLAN_H

#include "sql/copy/copy_types.h"

/* Does the copy make a folder of files? */
bool pqsql_copy_makes_folder(const PqsqlCopyOptions *o, const char *path);

/* Opens the publication before the query runs: fails if the path cannot be
** written, or if overwrite or host forbid it. */
PqRc pqsql_copy_plan_publish(const PqsqlCopyColumns *columns, const char *path,
                             const PqPublishHost *host, const PqStop *stop,
                             PqPublish **out, PqErr *e);

/* Makes the plan, after it has added to the columns what GeoParquet needs.  It
** points into the columns' arena, except for path and stop; the caller fills in
** publish. */
PqRc pqsql_copy_plan(PqsqlCopyColumns *columns, const char *path,
                     const PqStop *stop, PqCopyPlan *out, PqErr *e);

#endif
