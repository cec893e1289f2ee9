/*
** delta_schema.h - the schema of a Delta table, which its log has as JSON.
**
**   {"type":"struct","fields":[{"name":"id","type":"long","nullable":false,
**    "metadata":{"delta.columnMapping.id":1,
**                "delta.columnMapping.physicalName":"col-5f42"}}]}
**
** It becomes the footer of a file without rows, from which a table is declared.
*/
#ifndef PQ_DELTA_SCHEMA_H
#define PQ_DELTA_SCHEMA_H

#include "core/files/lake_names.h"

/* PQ_ICEBERG: the schema is Iceberg's, whose fields have ids.
**
**   {"type":"struct","fields":[{"id":1,"name":"tags","required":false,"type":
**    {"type":"list","element-id":2,"element-required":true,"element":"string"}}]} */
typedef enum PqDeltaMapping {
    PQ_DELTA_BY_NAME, PQ_DELTA_BY_PHYSICAL_NAME, PQ_DELTA_BY_ID, PQ_ICEBERG
} PqDeltaMapping;

/* names is left empty where columns are not mapped. */
PqRc pq_delta_schema(PqSlice json, PqDeltaMapping mapping, PqArena *a, PqMem *mem,
                     PqFooter **out, PqLakeNames *names, PqErr *e);

#endif
