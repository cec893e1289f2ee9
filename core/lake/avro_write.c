/*
** avro_write.c - see avro.h for the format.
*/
#include "core/lake/avro_write.h"

#include "core/base/random.h"

enum { SYNC = 16 };

void pq_avro_put_long(PqBuf *out, int64_t v)
{
    pq_buf_varint(out, (uint64_t)v << 1 ^ (uint64_t)(v < 0 ? -1 : 0));
}

void pq_avro_put_bytes(PqBuf *out, PqSlice v)
{
    pq_avro_put_long(out, (int64_t)v.n);
    pq_buf_add(out, v.p, v.n);
}

static void put_member(PqBuf *out, const char *key, PqSlice value)
{
    pq_avro_put_bytes(out, pq_slice_text(key));
    pq_avro_put_bytes(out, value);
}

PqRc pq_avro_put_file(PqBuf *out, PqSlice schema, const PqAvroMember *v, size_t n_members,
                      PqSlice records, uint64_t n, PqErr *e)
{
    uint8_t sync[SYNC];

    PQ_TRY(pq_random_fill(sync, sizeof sync, e));
    pq_buf_add(out, "Obj\x01", 4);
    pq_avro_put_long(out, (int64_t)n_members + 2);
    put_member(out, "avro.schema", schema);
    put_member(out, "avro.codec", pq_slice_text("null"));
    for (size_t i = 0; i < n_members; i++) {
        put_member(out, v[i].key, v[i].value);
    }
    pq_avro_put_long(out, 0);        /* the metadata ends                    */
    pq_buf_add(out, sync, SYNC);
    pq_avro_put_long(out, (int64_t)n);
    pq_avro_put_bytes(out, records);
    pq_buf_add(out, sync, SYNC);
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}
