/*
** avro_inside.h - what the files of avro.h share.
*/
#ifndef PQ_AVRO_INSIDE_H
#define PQ_AVRO_INSIDE_H

#include "core/lake/avro.h"

/* The type of the records. */
PqRc pq_avro_schema(PqSlice json, PqArena *a, PqAvroType **out, PqErr *e);

#endif
