/*
** leaf_json.c - one printing function per type of leaf, and kept texts.
**
** Texts of dictionary entries are kept across batches: that is safe because the
** dictionary's serial is compared.  With strict_utf8 a malformed text is never
** kept, because each row that has it must be reported.
*/
#include "core/nested/leaf_json.h"

enum {
    KEEP_ENTRIES = 1 << 16,          /* of larger dictionaries nothing is   */
                                     /* kept                                */
    KEEP_BYTES = 1 << 20             /* the most text that is kept          */
};

static PqSlice slice_of(const void *value)
{
    const PqStr *s = value;

    return pq_slice(s->p, s->n);
}

static int32_t i32_of(const void *value)
{
    return *(const int32_t *)value;
}

static int64_t i64_of(const void *value)
{
    return *(const int64_t *)value;
}

static void print_null(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_null(out);
}

static void print_boolean(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_bool(*(const uint8_t *)value, out);
}

static void print_i32(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_i64(i32_of(value), out);
}

static void print_u32(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_u64((uint32_t)i32_of(value), out);
}

static void print_i64(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_i64(i64_of(value), out);
}

static void print_u64(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_u64((uint64_t)i64_of(value), out);
}

static void print_decimal_i32(const PqType *type, const void *value,
                              PqBuf *out)
{
    pq_decimal_text_i64(i32_of(value), type->scale, out);
}

static void print_decimal_i64(const PqType *type, const void *value,
                              PqBuf *out)
{
    pq_decimal_text_i64(i64_of(value), type->scale, out);
}

static void print_decimal_bytes(const PqType *type, const void *value,
                                PqBuf *out)
{
    pq_decimal_text_bytes(slice_of(value), type->scale, out);
}

static void print_date(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_date(i32_of(value), out);
}

static void print_time_i32(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_time(i32_of(value), type->unit, out);
}

static void print_time_i64(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_time(i64_of(value), type->unit, out);
}

static void print_timestamp(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_timestamp(i64_of(value), type->unit, out);
}

static void print_time96(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_time96(slice_of(value).p, type->unit, out);
}

static void print_int96(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_int96(value, out);
}

static void print_float(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_float(*(const float *)value, out);
}

static void print_float16(const PqType *type, const void *value, PqBuf *out)
{
    PqSlice s = slice_of(value);

    pq_json_scalar_float(pq_float16_value(pq_load_u16(s.p)), out);
}

static void print_double(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_double(*(const double *)value, out);
}

/* Prints NaN with the text it has in a flat column. */
static bool printed_nan(double v, PqBuf *out)
{
    if (!isnan(v)) {
        return false;
    }
    pq_buf_text(out, signbit(v) ? "\"-NaN\"" : "\"NaN\"");
    return true;
}

static void print_float_or_nan(const PqType *type, const void *value,
                               PqBuf *out)
{
    if (!printed_nan((double)*(const float *)value, out)) {
        print_float(type, value, out);
    }
}

static void print_float16_or_nan(const PqType *type, const void *value,
                                 PqBuf *out)
{
    PqSlice s = slice_of(value);

    if (!printed_nan((double)pq_float16_value(pq_load_u16(s.p)), out)) {
        print_float16(type, value, out);
    }
}

static void print_double_or_nan(const PqType *type, const void *value,
                                PqBuf *out)
{
    if (!printed_nan(*(const double *)value, out)) {
        print_double(type, value, out);
    }
}

static void print_string(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_text_string(slice_of(value), out);
}

static void print_hex(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_hex(slice_of(value), out);
}

static void print_uuid(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_uuid(slice_of(value).p, out);
}

static void print_interval(const PqType *type, const void *value, PqBuf *out)
{
    pq_json_scalar_interval(slice_of(value).p, out);
}

static PqLeafPrint printer_i32(const PqType *type)
{
    switch (type->logical) {
    case PQ_TYPE_DECIMAL: return print_decimal_i32;
    case PQ_TYPE_DATE:    return print_date;
    case PQ_TYPE_TIME:    return print_time_i32;
    case PQ_TYPE_INT:     return type->is_signed ? print_i32 : print_u32;
    default:              return print_i32;
    }
}

static PqLeafPrint printer_i64(const PqType *type)
{
    switch (type->logical) {
    case PQ_TYPE_DECIMAL:   return print_decimal_i64;
    case PQ_TYPE_TIME:      return print_time_i64;
    case PQ_TYPE_TIMESTAMP: return print_timestamp;
    case PQ_TYPE_INT:       return type->is_signed ? print_i64 : print_u64;
    default:                return print_i64;
    }
}

static PqLeafPrint printer_bytes(const PqType *type,
                                 const PqJsonOptions *options)
{
    uint32_t fixed = type->physical == PQ_FIXED ? type->fixed_length : 0;

    switch (type->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:     return print_string;   /* valid JSON or not */
    case PQ_TYPE_DECIMAL:  return print_decimal_bytes;
    case PQ_TYPE_UUID:     return fixed == 16 ? print_uuid : print_hex;
    case PQ_TYPE_INTERVAL: return fixed == 12 ? print_interval : print_hex;
    case PQ_TYPE_TIMESTAMP: return fixed == 12 ? print_time96 : print_hex;
    case PQ_TYPE_FLOAT16:
        return fixed != 2          ? print_hex
               : options->nan_text ? print_float16_or_nan : print_float16;
    case PQ_TYPE_NONE:
        return options->binary_as_string && !fixed ? print_string : print_hex;
    default:               return print_hex;
    }
}

static PqLeafPrint printer(const PqType *type, const PqJsonOptions *options)
{
    if (type->logical == PQ_TYPE_UNKNOWN) {
        return print_null;
    }
    switch (type->physical) {
    case PQ_BOOLEAN: return print_boolean;
    case PQ_INT32:   return printer_i32(type);
    case PQ_INT64:   return printer_i64(type);
    case PQ_INT96:   return print_int96;
    case PQ_FLOAT:
        return options->nan_text ? print_float_or_nan : print_float;
    case PQ_DOUBLE:
        return options->nan_text ? print_double_or_nan : print_double;
    default:         return printer_bytes(type, options);
    }
}

static bool quickly_made(PqLeafPrint print)
{
    return print == print_null || print == print_boolean ||
           print == print_i32 || print == print_u32 || print == print_i64 ||
           print == print_u64;
}

void pq_leaf_json_init(PqLeafCursor *c, const PqNode *leaf,
                       const PqJsonOptions *options, const char **malformed,
                       PqMem *mem)
{
    *c = (PqLeafCursor){.type = &leaf->type, .path = leaf->path};
    c->print = printer(&leaf->type, options);
    c->malformed = options->strict_utf8 && c->print == print_string
                       ? malformed : NULL;
    c->width = pq_physical_width(leaf->type.physical);
    c->worth_keeping = !quickly_made(c->print);
    c->part = c->print == print_string ? pq_json_text_part
              : c->print == print_hex  ? pq_hex_text
                                       : NULL;
    pq_buf_init(&c->span_bytes, mem, NULL);
    pq_buf_init(&c->texts, mem, NULL);
}

void pq_leaf_json_reset(PqLeafCursor *c)
{
    pq_buf_free(&c->span_bytes);
    pq_buf_free(&c->texts);
    c->spans = NULL;
}

/* Begins with the spans of dict: the kept ones if they are of this dict. */
static PqRc begin_spans(PqLeafCursor *c, const PqDict *dict, PqErr *e)
{
    bool known = c->span_bytes.n == dict->n * sizeof(PqLeafSpan) &&
                 c->serial == dict->serial;

    if (!known) {
        c->span_bytes.n = c->texts.n = 0;
        PQ_TRY(pq_buf_resize(&c->span_bytes, dict->n * sizeof(PqLeafSpan), e));
        memset(c->span_bytes.p, 0, c->span_bytes.n);
        c->serial = dict->serial;
    }
    c->spans = (PqLeafSpan *)(void *)c->span_bytes.p;
    return PQ_OK;
}

PqRc pq_leaf_json_begin(PqLeafCursor *c, const PqVector *v, PqErr *e)
{
    c->def = v->def;
    c->rep = v->rep;
    c->valid = v->valid;
    c->values = v->dict ? v->dict->values : v->values;
    c->ids = v->dict ? v->ids : NULL;
    c->at = 0;
    c->n_slots = v->n_slots;
    c->spans = NULL;
    if (v->dict && c->worth_keeping && v->dict->n &&
        v->dict->n <= KEEP_ENTRIES) {
        return begin_spans(c, v->dict, e);
    }
    return PQ_OK;
}

bool pq_leaf_json_check(const PqLeafCursor *c, const void *value)
{
    bool good = pq_utf8_valid(slice_of(value));

    if (!good) {
        *c->malformed = c->path;
    }
    return good;
}

void pq_leaf_json_put_new(PqLeafCursor *c, uint32_t id, PqBuf *out)
{
    const void *value = c->values + id * c->width;
    size_t at = c->texts.n, start = out->n;
    bool keep = !c->malformed || pq_leaf_json_check(c, value);

    c->print(c->type, value, out);
    c->texts.sink = out->sink;       /* of this call: the last may be gone */
    if (keep && pq_buf_ok(out) && out->n - start <= KEEP_BYTES - at) {
        pq_buf_add(&c->texts, out->p + start, out->n - start);
        c->spans[id] = (PqLeafSpan){(uint32_t)at, (uint32_t)(c->texts.n - at)};
    }
}
