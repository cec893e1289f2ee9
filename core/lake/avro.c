/*
** avro.c - blocks are decompressed, and records read.
*/
#include "core/lake/avro.h"

#include "core/codec/codec.h"

enum { SYNC = 16, BLOCK_MOST = 64 << 20 };

typedef struct Reader {
    const PqAvroUse *use;
    PqMem           *mem;
    PqSlice          file;           /* all of it                            */
    PqArena          schema, values; /* ... of a record                      */
    PqAvroType      *type;
    PqSlice          rest;           /* of the block's data                  */
    PqSlice          codec, json, sync;
    PqCodecState    *state;
    PqBuf            block;          /* decompressed                         */
} Reader;

static PqRc cut_off(PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "an Avro value goes beyond its block");
}

static PqRc take_length(PqSlice *in, PqSlice *out, PqErr *e)
{
    int64_t n;

    PQ_TRY(pq_slice_zigzag(in, &n, e));
    return n < 0 || (uint64_t)n > in->n ? cut_off(e)
                                        : pq_slice_take(in, (size_t)n, out, e);
}

/* The number of items of the next block of an array or a map; 0: it has ended. */
static PqRc take_count(PqSlice *in, bool has_bytes, uint32_t *out, PqErr *e)
{
    int64_t n, size;

    PQ_TRY(pq_slice_zigzag(in, &n, e));
    if (n < 0) {
        PQ_TRY(pq_slice_zigzag(in, &size, e));
        n = n == INT64_MIN ? INT64_MAX : -n;
    }
    if ((uint64_t)n > in->n || (n && !has_bytes)) {
        return pq_fail(e, PQ_CORRUPT, "an Avro block of %lld items in %zu bytes",
                       (long long)n, in->n);
    }
    *out = (uint32_t)n;
    return PQ_OK;
}

/* ---- values ------------------------------------------------------------------------------ */

/* out NULL: it is passed over. */
static PqRc take_value(Reader *r, const PqAvroType *t, PqAvroValue *out, PqErr *e);

static PqRc take_fields(Reader *r, const PqAvroType *t, PqAvroValue *out, PqErr *e)
{
    if (out) {
        out->n = t->n;
        out->v = pq_arena_zeros(&r->values, t->n + 1u, sizeof *out->v, e);
        PQ_TRY(out->v ? PQ_OK : e->rc);
    }
    for (uint32_t i = 0; i < t->n; i++) {
        bool wanted = out && !t->field[i].passed_over;

        PQ_TRY(take_value(r, t->field[i].type, wanted ? &out->v[i] : NULL, e));
    }
    return PQ_OK;
}

/* Items of an array; keys and values of a map. */
static PqRc take_items(Reader *r, const PqAvroType *t, PqAvroValue *out, PqErr *e)
{
    static const PqAvroType text = {.kind = PQ_AVRO_STRING};
    const PqAvroType *item = t->field->type;
    bool map = t->kind == PQ_AVRO_MAP;
    uint32_t n, used = 0;
    PqAvroValue *v = NULL;

    for (;;) {
        PQ_TRY(take_count(&r->rest, map || item->has_bytes, &n, e));
        if (!n) {
            break;
        }
        for (uint32_t i = 0; i < n; i++) {
            for (int k = map ? 0 : 1; k < 2; k++) {
                PqAvroValue *to = NULL;

                if (out) {
                    PQ_TRY(PQ_ARENA_GROW(&r->values, v, used, e));
                    to = &v[used++];
                    *to = (PqAvroValue){0};
                }
                PQ_TRY(take_value(r, k ? item : &text, to, e));
            }
        }
    }
    if (out) {
        out->v = v;
        out->n = used;
    }
    return PQ_OK;
}

static PqRc take_number(Reader *r, const PqAvroType *t, PqAvroValue *to, PqErr *e)
{
    uint8_t byte;
    uint32_t u32;
    uint64_t u64;
    float f;

    switch (t->kind) {
    case PQ_AVRO_BOOLEAN:
        PQ_TRY(pq_slice_u8(&r->rest, &byte, e));
        to->i = byte == 1;
        return byte <= 1 ? PQ_OK : pq_fail(e, PQ_CORRUPT, "an Avro boolean is %u", byte);
    case PQ_AVRO_FLOAT:
        PQ_TRY(pq_slice_u32(&r->rest, &u32, e));
        memcpy(&f, &u32, sizeof f);
        to->f = f;
        return PQ_OK;
    case PQ_AVRO_DOUBLE:
        PQ_TRY(pq_slice_u64(&r->rest, &u64, e));
        memcpy(&to->f, &u64, sizeof u64);
        return PQ_OK;
    default:
        PQ_TRY(pq_slice_zigzag(&r->rest, &to->i, e));
        return t->kind == PQ_AVRO_LONG ||
                       (to->i >= INT32_MIN && to->i <= INT32_MAX &&
                        (t->kind == PQ_AVRO_INT || (to->i >= 0 && to->i < t->n)))
                   ? PQ_OK : pq_fail(e, PQ_CORRUPT, "%lld is not a value of its Avro type",
                                     (long long)to->i);
    }
}

static PqRc take_value(Reader *r, const PqAvroType *t, PqAvroValue *out, PqErr *e)
{
    PqAvroValue other, *to = out ? out : &other;
    int64_t branch;

    if (t->kind == PQ_AVRO_UNION) {
        PQ_TRY(pq_slice_zigzag(&r->rest, &branch, e));
        if (branch < 0 || branch >= t->n) {
            return pq_fail(e, PQ_CORRUPT, "an Avro union of %u has branch %lld", t->n,
                           (long long)branch);
        }
        t = t->field[branch].type;
    }
    to->type = t;
    switch (t->kind) {
    case PQ_AVRO_NULL:   return PQ_OK;
    case PQ_AVRO_BYTES:
    case PQ_AVRO_STRING: return take_length(&r->rest, &to->bytes, e);
    case PQ_AVRO_FIXED:
        return t->size > r->rest.n ? cut_off(e)
                                   : pq_slice_take(&r->rest, t->size, &to->bytes, e);
    case PQ_AVRO_RECORD: return take_fields(r, t, out, e);
    case PQ_AVRO_ARRAY:
    case PQ_AVRO_MAP:    return take_items(r, t, out, e);
    default:             return take_number(r, t, to, e);
    }
}

/* ---- blocks ------------------------------------------------------------------------------ */

static PqRc unpack(Reader *r, PqSlice data, PqErr *e)
{
    bool snappy = pq_slice_is(r->codec, "snappy");
    uint64_t n;
    PqSlice length = data;

    r->block.n = 0;
    if (!r->codec.n || pq_slice_is(r->codec, "null")) {
        r->rest = data;
        return PQ_OK;
    }
    if (pq_slice_is(r->codec, "deflate") || pq_slice_is(r->codec, "zstandard")) {
        PQ_TRY(pq_codec_decode_all(r->state,
                                   r->codec.p[0] == 'd' ? PQ_CODEC_GZIP : PQ_CODEC_ZSTD, true,
                                   data, BLOCK_MOST, &r->block, e));
    } else if (snappy) {             /* and a CRC-32, big-endian             */
        if (data.n < 4) {
            return cut_off(e);
        }
        data.n = length.n = data.n - 4;
        PQ_TRY(pq_slice_varint(&length, &n, e));
        n = n > BLOCK_MOST ? BLOCK_MOST : n;
        PQ_TRY(pq_codec_check_claim(PQ_CODEC_SNAPPY, data, (size_t)n, e));
        PQ_TRY(pq_buf_resize(&r->block, (size_t)n, e));
        PQ_TRY(pq_codec_decode(r->state, PQ_CODEC_SNAPPY, data, r->block.p, (size_t)n, e));
        if (pq_crc32(0, pq_buf_view(&r->block)) !=
            __builtin_bswap32(pq_load_u32(data.p + data.n))) {
            return pq_fail(e, PQ_CORRUPT, "the checksum of an Avro block is wrong");
        }
    } else {
        return pq_fail(e, PQ_UNSUPPORTED, "Avro compressed with %.*s is not read",
                       (int)(r->codec.n < 100 ? r->codec.n : 100), (const char *)r->codec.p);
    }
    r->rest = pq_buf_view(&r->block);
    return PQ_OK;
}

static PqRc read_records(Reader *r, uint32_t n, PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        PqAvroValue record = {0};

        pq_arena_reset(&r->values);
        PQ_TRY(i % 256 ? PQ_OK : pq_stop_poll(r->use->stop, e));
        PQ_TRY(take_value(r, r->type, &record, e));
        PQ_TRY(r->use->record(r->use->arg, &record, e));
    }
    return r->rest.n == 0 ? PQ_OK
                          : pq_fail(e, PQ_CORRUPT, "an Avro block has %zu bytes after its "
                                    "records", r->rest.n);
}

static PqRc read_block(Reader *r, PqSlice *in, PqErr *e)
{
    PqSlice data, sync;
    int64_t n, size;

    e->where.offset = in->p - r->file.p;
    PQ_TRY(pq_slice_zigzag(in, &n, e));
    PQ_TRY(pq_slice_zigzag(in, &size, e));
    if (size < 0 || (uint64_t)size > in->n || in->n - (uint64_t)size < SYNC) {
        return pq_fail(e, PQ_CORRUPT, "an Avro block of %lld bytes, where %zu are left",
                       (long long)size, in->n);
    }
    PQ_TRY(pq_slice_take(in, (size_t)size, &data, e));
    PQ_TRY(pq_slice_take(in, SYNC, &sync, e));
    if (!pq_slice_equal(sync, r->sync)) {
        return pq_fail(e, PQ_CORRUPT, "an Avro block does not end with the mark of its file");
    }
    PQ_TRY(unpack(r, data, e));
    if (n < 0 || n > UINT32_MAX || (uint64_t)n > r->rest.n) {
        return pq_fail(e, PQ_CORRUPT, "an Avro block of %lld records in %zu bytes",
                       (long long)n, r->rest.n);
    }
    return read_records(r, (uint32_t)n, e);
}

/* ---- the file ---------------------------------------------------------------------------- */

static PqRc read_metadata(Reader *r, PqSlice *in, PqErr *e)
{
    PqSlice key, value;
    uint32_t n;

    do {
        PQ_TRY(take_count(in, true, &n, e));
        for (uint32_t i = 0; i < n; i++) {
            PQ_TRY(take_length(in, &key, e));
            PQ_TRY(take_length(in, &value, e));
            r->json = pq_slice_is(key, "avro.schema") ? value : r->json;
            r->codec = pq_slice_is(key, "avro.codec") ? value : r->codec;
            PQ_TRY(r->use->metadata ? r->use->metadata(r->use->arg, key, value, e) : PQ_OK);
        }
    } while (n);
    return pq_slice_take(in, SYNC, &r->sync, e);
}

/* Types are marked once, however often they are used. */
static void pass_over(PqAvroType *t, const int32_t *ids)
{
    for (uint32_t i = 0; t->kind > PQ_AVRO_ENUM && i < t->n; i++) {
        for (const int32_t *id = ids; *id && t->field[i].id > 0; id++) {
            t->field[i].passed_over = t->field[i].passed_over || *id == t->field[i].id;
        }
        pass_over(t->field[i].type, ids);
    }
}

static PqRc read_file(Reader *r, PqErr *e)
{
    PqSlice in = r->file, magic;

    e->where.offset = 0;
    if (in.n < 4 || memcmp(in.p, "Obj\x01", 4) != 0) {
        return pq_fail(e, PQ_CORRUPT, "this is not an Avro file");
    }
    PQ_TRY(pq_slice_take(&in, 4, &magic, e));
    PQ_TRY(read_metadata(r, &in, e));
    PQ_TRY(pq_avro_schema(r->json, &r->schema, &r->type, e));
    if (r->use->passed_over) {
        pass_over(r->type, r->use->passed_over);
    }
    PQ_TRY(pq_codec_state_new(r->mem, &r->state, e));
    pq_codec_watch(r->state, r->use->stop);
    while (in.n) {
        PQ_TRY(read_block(r, &in, e));
    }
    return PQ_OK;
}

PqRc pq_avro_read(PqSlice file, const PqAvroUse *use, PqMem *mem, PqErr *e)
{
    Reader r = {.use = use, .mem = mem, .file = file};
    PqRc rc;

    pq_arena_init(&r.schema, mem);
    pq_arena_init(&r.values, mem);
    pq_buf_init(&r.block, mem, NULL);
    rc = read_file(&r, e);
    pq_codec_state_free(r.state);
    pq_buf_free(&r.block);
    pq_arena_free(&r.values);
    pq_arena_free(&r.schema);
    return rc;
}

/* ---- fields ------------------------------------------------------------------------------ */

const PqAvroValue *pq_avro_field(const PqAvroValue *record, int32_t id)
{
    for (uint32_t i = 0; record && record->type->kind == PQ_AVRO_RECORD && i < record->n; i++) {
        const PqAvroValue *v = &record->v[i];

        if (record->type->field[i].id == id) {
            return v->type && v->type->kind != PQ_AVRO_NULL ? v : NULL;
        }
    }
    return NULL;
}

bool pq_avro_int(const PqAvroValue *record, int32_t id, int64_t *out)
{
    const PqAvroValue *v = pq_avro_field(record, id);

    if (v && (v->type->kind == PQ_AVRO_INT || v->type->kind == PQ_AVRO_LONG)) {
        *out = v->i;
        return true;
    }
    return false;
}

bool pq_avro_bytes(const PqAvroValue *record, int32_t id, PqSlice *out)
{
    const PqAvroValue *v = pq_avro_field(record, id);

    if (v && (v->type->kind == PQ_AVRO_BYTES || v->type->kind == PQ_AVRO_STRING ||
              v->type->kind == PQ_AVRO_FIXED)) {
        *out = v->bytes;
        return true;
    }
    return false;
}
