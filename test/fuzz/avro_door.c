/*
** avro_door.c - fuzz door to core/lake: Avro files of strangers.
**
**   0  mode      what the rest is
**
**   file         a file
**   schema       1  bytes of the schema (2)
**                3  records
**                4  the schema, and then their data: they become a file
**
** A file is read twice, the second time without the fields of some numbers.  There are
** as many records, and the other fields are the same.
*/
#include "core/lake/avro.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { FILE_AS_IT_IS, SCHEMA, MODES };

static const int32_t some[] = {1, 3, 102, 125, 0};

typedef struct Seen {
    uint64_t n, sum;                 /* records; of what is not passed over  */
} Seen;

static uint64_t add(uint64_t sum, uint64_t v)
{
    return (sum ^ v) * 0x9e3779b97f4a7c15u;
}

static uint64_t sum_of(const PqAvroValue *v, uint64_t sum)
{
    if (!v->type) {
        return sum;
    }
    sum = add(sum, v->type->kind);
    switch (v->type->kind) {
    case PQ_AVRO_NULL:
        return sum;
    case PQ_AVRO_BYTES:
    case PQ_AVRO_STRING:
    case PQ_AVRO_FIXED:
        for (size_t i = 0; i < v->bytes.n; i++) {
            sum = add(sum, v->bytes.p[i]);
        }
        return sum;
    case PQ_AVRO_RECORD:
        DOOR_CHECK(v->n == v->type->n);
        for (uint32_t i = 0; i < v->n; i++) {
            bool passed_over = false;

            for (const int32_t *id = some; *id; id++) {
                passed_over = passed_over || v->type->field[i].id == *id;
            }
            sum = passed_over ? sum : sum_of(&v->v[i], sum);
        }
        return sum;
    case PQ_AVRO_ARRAY:
    case PQ_AVRO_MAP:
        DOOR_CHECK(v->type->kind == PQ_AVRO_ARRAY || v->n % 2 == 0);
        for (uint32_t i = 0; i < v->n; i++) {
            sum = sum_of(&v->v[i], sum);
        }
        return sum;
    case PQ_AVRO_UNION:
        DOOR_CHECK(v->type->kind != PQ_AVRO_UNION);      /* it is its branch */
        return sum;
    default:
        return add(sum, (uint64_t)v->i);
    }
}

static PqRc see(void *arg, const PqAvroValue *record, PqErr *e)
{
    Seen *s = arg;
    int64_t number;

    (void)e;
    DOOR_CHECK(record->type->kind == PQ_AVRO_RECORD);
    for (uint32_t i = 0; i < record->n; i++) {
        int32_t id = record->type->field[i].id;

        DOOR_CHECK(!pq_avro_int(record, id, &number) || pq_avro_field(record, id) != NULL);
    }
    s->n++;
    s->sum = sum_of(record, s->sum);
    return PQ_OK;
}

static void read_file(PqSlice file, PqMem *mem, PqErr *e)
{
    Seen whole = {0}, part = {0};
    PqAvroUse use = {.record = see, .arg = &whole};
    PqErr again;

    pq_avro_read(file, &use, mem, e);
    pq_err_init(&again);
    use.arg = &part;
    use.passed_over = some;
    pq_avro_read(file, &use, mem, &again);
    if (e->rc != PQ_BUDGET && again.rc != PQ_BUDGET) {
        DOOR_CHECK(again.rc == e->rc && part.n == whole.n && part.sum == whole.sum);
    }
}

static void put_long(PqBuf *b, size_t n)
{
    pq_buf_varint(b, (uint64_t)n << 1);
}

static void put_text(PqBuf *b, PqSlice s)
{
    put_long(b, s.n);
    pq_buf_add(b, s.p, s.n);
}

static void read_schema(PqSlice in, PqMem *mem, PqErr *e)
{
    static const uint8_t sync[16] = {0};
    size_t n = door_u16(&in);
    uint8_t records = door_u8(&in);
    PqSlice schema = door_take(&in, n);
    PqErr sink;
    PqBuf b;

    pq_err_init(&sink);
    pq_buf_init(&b, mem, &sink);
    pq_buf_add(&b, "Obj\x01", 4);
    put_long(&b, 1);
    put_text(&b, pq_slice_text("avro.schema"));
    put_text(&b, schema);
    put_long(&b, 0);
    pq_buf_add(&b, sync, sizeof sync);
    put_long(&b, records);
    put_text(&b, in);
    pq_buf_add(&b, sync, sizeof sync);
    read_file(pq_buf_view(&b), mem, e);
    pq_buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    PqMem *mem = door_open(&e);
    uint8_t *own = door_copy(pq_slice(bytes, n));
    PqSlice in = pq_slice(own, n);

    e.where.file = DOOR_FILE;
    if (door_u8(&in) % MODES == SCHEMA) {
        read_schema(in, mem, &e);
    } else {
        read_file(in, mem, &e);
    }
    DOOR_CHECK(e.rc != PQ_IO && e.rc != PQ_USAGE);
    door_check_error(&e, DOOR_FILE);
    free(own);
    door_close(mem);
    return 0;
}
