/*
** avro_write.h - an Avro object container of one block, which is not compressed.
*/
#ifndef PQ_AVRO_WRITE_H
#define PQ_AVRO_WRITE_H

#include "core/base/bytes.h"

/* Appends a value; of a union, its branch comes before it as a long. */
void pq_avro_put_long(PqBuf *out, int64_t v);
void pq_avro_put_bytes(PqBuf *out, PqSlice v);

/* Of the metadata, beside the schema and the codec. */
typedef struct PqAvroMember {
    const char *key;
    PqSlice     value;
} PqAvroMember;

/* Appends a file of n records. */
PqRc pq_avro_put_file(PqBuf *out, PqSlice schema, const PqAvroMember *v, size_t n_members,
                      PqSlice records, uint64_t n, PqErr *e);

#endif
