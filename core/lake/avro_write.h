/*
** avro_write.h - an Avro object container of one block, which is not compressed.
*/
#ifndef PQ_AVRO_WRITE_H
#define PQ_AVRO_WRITE_H

#include "core/base/bytes.h"

/* Appends a value; of a union, its branch comes before it as a long. */
void pq_avro_put_long(PqBuf *out, int64_t v);
void pq_avro_put_bytes(PqBuf *out, PqSlice v);

/* A file is put together: its magic, n members of metadata with avro.schema among them, then
** its records. */
void pq_avro_put_begin(PqBuf *out, uint32_t n);
void pq_avro_put_member(PqBuf *out, const char *key, PqSlice value);
PqRc pq_avro_put_records(PqBuf *out, uint64_t n, PqSlice records, PqErr *e);

#endif
