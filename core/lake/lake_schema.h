/*
** lake_schema.h - the schema of a Delta table, which its log has as JSON.
**
**   {"type":"struct","fields":[{"name":"id","type":"long","nullable":false,
**    "metadata":{"delta.columnMapping.id":1,
**                "delta.columnMapping.physicalName":"col-5f42"}}]}
**
** It becomes the footer of a file without rows, from which a table is declared.
*/
#ifndef PQ_LAKE_SCHEMA_H
#define PQ_LAKE_SCHEMA_H

#include "core/files/lake_names.h"

/* PQ_LAKE_ICEBERG: the schema is Iceberg's, whose fields have ids.
**
**   {"type":"struct","fields":[{"id":1,"name":"tags","required":false,"type":
**    {"type":"list","element-id":2,"element-required":true,"element":"string"}}]} */
typedef enum PqLakeMapping {
    PQ_LAKE_BY_NAME, PQ_LAKE_BY_PHYSICAL_NAME, PQ_LAKE_BY_ID, PQ_LAKE_ICEBERG
} PqLakeMapping;

/* names is left empty where columns are not mapped.  lineage: with the columns of the lineage of
** rows, unless the table has such columns of its own. */
PqRc pq_lake_schema(PqSlice json, PqLakeMapping mapping, bool lineage, PqArena *a, PqMem *mem,
                     PqFooter **out, PqLakeNames *names, PqErr *e);

/* What this writer does not know, so that it writes nothing into the table. */
PqRc pq_lake_cannot_write(const char *what, PqErr *e);

/* A member of a field that says so, and its name in messages. */
typedef struct PqLakeAsk {
    const char *key, *what;
} PqLakeAsk;

/* The members of the fields of a schema, at any depth.  Names of fields are values. */
PqRc pq_lake_check_asks(PqSlice schema, PqArena *a, const PqLakeAsk *v, size_t n, PqErr *e);

#endif
