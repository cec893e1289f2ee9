/*
** door_variant.c - see door_variant.h.
*/
#include "test/fuzz/door_variant.h"

#include "core/variant/variant_build.h"

bool door_is_part(const PqNode *n)
{
    return n->kind == PQ_NODE_VARIANT ||
           (n->kind == PQ_NODE_STRUCT && n->n_children > 0 &&
            strcmp(n->child[0]->name, "value") == 0);
}

const PqNode *door_typed(const PqNode *n)
{
    const PqNode *last = n->child[n->n_children - 1];

    return strcmp(last->name, "typed_value") == 0 ? last : NULL;
}

static int64_t take_int(PqSlice *in)
{
    uint8_t how = door_u8(in), bytes[8] = {0};
    PqSlice s = door_take(in, 1u << (how & 3));

    if (s.n) {
        memcpy(bytes, s.p, s.n);
    }
    return how & 4 ? (int64_t)pq_load_u64(bytes) : (int8_t)bytes[0];
}

static PqVariantKind kind_of(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_INT:       return PQ_VARIANT_INT;
    case PQ_TYPE_DECIMAL:   return PQ_VARIANT_DECIMAL;
    case PQ_TYPE_DATE:      return PQ_VARIANT_DATE;
    case PQ_TYPE_TIME:      return PQ_VARIANT_TIME;
    case PQ_TYPE_TIMESTAMP: return PQ_VARIANT_TIMESTAMP;
    case PQ_TYPE_STRING:    return PQ_VARIANT_STRING;
    case PQ_TYPE_UUID:      return PQ_VARIANT_UUID;
    default:                break;
    }
    return t->physical == PQ_BOOLEAN  ? PQ_VARIANT_BOOL
           : t->physical == PQ_FLOAT  ? PQ_VARIANT_FLOAT
           : t->physical == PQ_DOUBLE ? PQ_VARIANT_DOUBLE
           : t->physical == PQ_BYTE_ARRAY ? PQ_VARIANT_BINARY
                                          : PQ_VARIANT_INT;
}

/* type NULL: of any kind. */
static void scalar(PqSlice *in, const PqType *type, PqVariantBuild *b)
{
    static const uint8_t zeros[16];
    uint8_t how = door_u8(in);
    PqVariantValue v = {.kind = (PqVariantKind)(how % PQ_VARIANT_OBJECT)};
    int64_t n = take_int(in);

    v.unit = how & 32 ? PQ_NANOS : PQ_MICROS;
    v.utc = how & 64;
    v.scale = how >> 4;
    if (type && (how & 15) != 15) {
        v.kind = kind_of(type);
        v.scale = (uint8_t)type->scale;
        v.unit = type->unit;
        v.utc = type->utc;
    }
    v.unit = v.kind == PQ_VARIANT_TIME ? PQ_MICROS : v.unit;
    switch (v.kind) {
    case PQ_VARIANT_BOOL:
        v.u.b = n & 1;
        break;
    case PQ_VARIANT_FLOAT:
        v.u.f = (float)n / 8;
        break;
    case PQ_VARIANT_DOUBLE:
        memcpy(&v.u.d, &n, sizeof n);
        break;
    case PQ_VARIANT_DECIMAL:
        v.u.decimal = (PqPlace)n * (how & 1 ? 1 : 1000000007);
        break;
    case PQ_VARIANT_DATE:
        v.u.i = (int32_t)n;
        break;
    case PQ_VARIANT_BINARY:
        v.bytes = door_take(in, (size_t)(n & 127));
        break;
    case PQ_VARIANT_STRING:
        v.bytes = pq_slice("a text that is longer than short strings of a "
                           "Variant may be, \xc3\xa9", (size_t)(n & 63));
        break;
    case PQ_VARIANT_UUID:
        v.bytes = door_take(in, 16);
        v.bytes = v.bytes.n == 16 ? v.bytes : pq_slice(zeros, 16);
        break;
    default:
        v.u.i = n;
        break;
    }
    pq_variant_build_value(b, &v);
}

static void part(PqSlice *in, const PqNode *n, PqVariantBuild *b);

static void object(PqSlice *in, const PqNode *typed, uint8_t how,
                   PqVariantBuild *b)
{
    uint32_t i;

    pq_variant_build_group(b, true);
    if (how & 16) {
        pq_variant_build_name(b, pq_slice_text("rest"));
        scalar(in, NULL, b);
    }
    for (i = 0; i < typed->n_children; i++) {
        if (how & 32 && i == 0) {
            continue;
        }
        pq_variant_build_name(b, pq_slice_text(typed->child[i]->name));
        part(in, typed->child[i], b);
    }
    if (how & 64) {
        pq_variant_build_name(b, pq_slice_text(""));
        pq_variant_build_group(b, false);
        scalar(in, NULL, b);
        pq_variant_build_end(b);
    }
    pq_variant_build_end(b);
}

/* As deep as the schema. */
static void part(PqSlice *in, const PqNode *n, PqVariantBuild *b)
{
    const PqNode *typed = door_typed(n);
    uint8_t how = door_u8(in);
    uint32_t i;

    if (!typed || (how & 7) == 7 || typed->kind == PQ_NODE_LEAF) {
        scalar(in, typed && typed->kind == PQ_NODE_LEAF ? &typed->type : NULL,
               b);
    } else if (typed->kind == PQ_NODE_LIST) {
        pq_variant_build_group(b, false);
        for (i = 0; i < (how >> 4 & 3u); i++) {
            part(in, typed->child[0], b);
        }
        pq_variant_build_end(b);
    } else {
        object(in, typed, how, b);
    }
}

void door_variant(PqSlice *in, const PqNode *n, PqMem *mem, PqBuf *out,
                  PqErr *e)
{
    PqSlice metadata, value;
    PqVariantBuild *b = NULL;

    if (pq_variant_build_new(mem, &b, e) != PQ_OK) {
        return;
    }
    pq_variant_build_begin(b);
    part(in, n, b);
    if (pq_variant_build_finish(b, &metadata, &value, e) == PQ_OK) {
        pq_buf_add(out, metadata.p, metadata.n);
        pq_buf_add(out, value.p, value.n);
    }
    pq_variant_build_free(b);
}
