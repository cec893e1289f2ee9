/*
** leaf_json.c - one form of printing per type of leaf, and kept texts.
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

#define SECONDS_OF_DAY INT64_C(86400)

typedef enum Form {
    NOTHING, BOOLEAN, INTEGER, UNSIGNED, DECIMAL_INT, DECIMAL_BYTES, DATE, TIME,
    TIMESTAMP, TIME96, INT96, FLOAT, DOUBLE, FLOAT16, STRING, HEX, UUID,
    INTERVAL,
    NUMBER, MIDNIGHT                 /* integers as REAL, dates as times    */
} Form;

static PqSlice slice_of(const void *value)
{
    const PqStr *s = value;

    return pq_slice(s->p, s->n);
}

/* Of an INT32 or an INT64. */
static int64_t int_of(const PqLeafCursor *c, const void *value)
{
    return c->width == sizeof(int32_t) ? *(const int32_t *)value
                                       : *(const int64_t *)value;
}

static uint64_t unsigned_of(const PqLeafCursor *c, const void *value)
{
    return c->width == sizeof(uint32_t) ? *(const uint32_t *)value
                                        : *(const uint64_t *)value;
}

/* With nan_text, prints NaN with the text it has in a flat column. */
static bool printed_nan(const PqLeafCursor *c, double v, PqBuf *out)
{
    if (!c->nan_text || !isnan(v)) {
        return false;
    }
    pq_buf_text(out, signbit(v) ? "\"-NaN\"" : "\"NaN\"");
    return true;
}

static void print_double(const PqLeafCursor *c, double v, PqBuf *out)
{
    if (!printed_nan(c, v, out)) {
        pq_json_scalar_double(v, out);
    }
}

static void print_float(const PqLeafCursor *c, float v, PqBuf *out)
{
    if (c->as_double) {
        print_double(c, (double)v, out);
    } else if (!printed_nan(c, (double)v, out)) {
        pq_json_scalar_float(v, out);
    }
}

static void print_zeros(const PqLeafCursor *c, PqBuf *out)
{
    pq_buf_text(out, c->n_zeros && !c->type->scale ? "." : "");
    for (int32_t i = 0; i < c->n_zeros; i++) {
        pq_buf_byte(out, '0');
    }
}

/* The texts of values that only leaves have. */
static size_t time_text(const PqLeafCursor *c, const void *value, char *out)
{
    switch ((Form)c->form) {
    case INT96:  return pq_time_text_int96(value, out);
    case TIME96:
        return pq_time_text_time96(slice_of(value).p, c->type->unit, out);
    default:     return pq_time_text_interval(slice_of(value).p, out);
    }
}

static void print_time(const PqLeafCursor *c, const void *value, PqBuf *out)
{
    char *p = pq_json_scalar_quoted(out, PQ_TIME_TEXT_ROOM);

    if (p) {
        pq_json_scalar_quote(out, time_text(c, value, p));
    }
}

static void print_bytes(const PqLeafCursor *c, PqSlice s, PqBuf *out)
{
    switch ((Form)c->form) {
    case STRING:        pq_json_text_string(s, out); break;
    case UUID:          pq_json_scalar_uuid(s.p, out); break;
    case DECIMAL_BYTES:
        pq_decimal_text_bytes(s, c->type->scale, out);
        print_zeros(c, out);
        break;
    case FLOAT16:
        print_float(c, pq_float16_value(pq_load_u16(s.p)), out);
        break;
    default:            pq_json_scalar_hex(s, out); break;
    }
}

void pq_leaf_json_print(const PqLeafCursor *c, const void *value, PqBuf *out)
{
    const PqType *t = c->type;

    switch ((Form)c->form) {
    case NOTHING:   pq_json_scalar_null(out); break;
    case BOOLEAN:   pq_json_scalar_bool(*(const uint8_t *)value, out); break;
    case INTEGER:   pq_json_scalar_i64(int_of(c, value), out); break;
    case UNSIGNED:  pq_json_scalar_u64(unsigned_of(c, value), out); break;
    case DATE:      pq_json_scalar_date(*(const int32_t *)value, out); break;
    case TIME:      pq_json_scalar_time(int_of(c, value), t->unit, out); break;
    case INT96:
    case TIME96:
    case INTERVAL:  print_time(c, value, out); break;
    case TIMESTAMP:
        pq_json_scalar_timestamp(*(const int64_t *)value, t->unit, out);
        break;
    case DECIMAL_INT:
        pq_decimal_text_i128(int_of(c, value), t->scale, out);
        print_zeros(c, out);
        break;
    case NUMBER:
        print_double(c, pq_type_is_unsigned(t) ? (double)unsigned_of(c, value)
                                               : (double)int_of(c, value), out);
        break;
    case MIDNIGHT:
        pq_json_scalar_timestamp(*(const int32_t *)value * SECONDS_OF_DAY * 1000, PQ_MILLIS, out);
        break;
    case FLOAT:     print_float(c, *(const float *)value, out); break;
    case DOUBLE:    print_double(c, *(const double *)value, out); break;
    default:        print_bytes(c, slice_of(value), out); break;
    }
}

static Form form_of_ints(const PqType *type)
{
    bool wide = type->physical == PQ_INT64;

    switch (type->logical) {
    case PQ_TYPE_DECIMAL:   return DECIMAL_INT;
    case PQ_TYPE_TIME:      return TIME;
    case PQ_TYPE_DATE:      return wide ? INTEGER : DATE;
    case PQ_TYPE_TIMESTAMP: return wide ? TIMESTAMP : INTEGER;
    case PQ_TYPE_INT:       return type->is_signed ? INTEGER : UNSIGNED;
    default:                return INTEGER;
    }
}

static Form form_of_bytes(const PqType *type, const PqJsonOptions *options)
{
    uint32_t fixed = type->physical == PQ_FIXED ? type->fixed_length : 0;

    switch (type->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:      return STRING;   /* valid JSON or not */
    case PQ_TYPE_DECIMAL:   return DECIMAL_BYTES;
    case PQ_TYPE_UUID:      return fixed == 16 ? UUID : HEX;
    case PQ_TYPE_INTERVAL:  return fixed == 12 ? INTERVAL : HEX;
    case PQ_TYPE_TIMESTAMP: return fixed == 12 ? TIME96 : HEX;
    case PQ_TYPE_FLOAT16:   return fixed == 2 ? FLOAT16 : HEX;
    case PQ_TYPE_NONE:
        return options->binary_as_string && !fixed ? STRING : HEX;
    default:                return HEX;
    }
}

static Form form_of(const PqType *type, const PqJsonOptions *options)
{
    if (type->logical == PQ_TYPE_UNKNOWN) {
        return NOTHING;
    }
    switch (type->physical) {
    case PQ_BOOLEAN: return BOOLEAN;
    case PQ_INT32:
    case PQ_INT64:   return form_of_ints(type);
    case PQ_INT96:   return INT96;
    case PQ_FLOAT:   return FLOAT;
    case PQ_DOUBLE:  return DOUBLE;
    default:         return form_of_bytes(type, options);
    }
}

void pq_leaf_json_init(PqLeafCursor *c, const PqNode *leaf,
                       const PqJsonOptions *options, const char **malformed,
                       PqMem *mem)
{
    Form form = form_of(&leaf->type, options);

    *c = (PqLeafCursor){
        .type = &leaf->type, .path = leaf->path, .form = form,
        .nan_text = options->nan_text,
        .malformed = options->strict_utf8 && form == STRING ? malformed : NULL,
        .width = pq_physical_width(leaf->type.physical),
        .worth_keeping = form > UNSIGNED,    /* those before are made quickly */
        .part = form == STRING ? pq_json_text_part
                : form == HEX  ? pq_hex_text
                               : NULL};
    pq_buf_init(&c->span_bytes, mem, NULL);
    pq_buf_init(&c->texts, mem, NULL);
}

void pq_leaf_json_as(PqLeafCursor *c, const PqType *wide)
{
    bool is_int = c->form == INTEGER || c->form == UNSIGNED;

    c->as_double = wide->physical == PQ_DOUBLE;
    if ((is_int && pq_type_is_float(wide)) || (c->form == DATE && pq_type_is_instant(wide))) {
        c->form = is_int ? NUMBER : MIDNIGHT;
        c->worth_keeping = true;
    } else if (c->type->logical == PQ_TYPE_DECIMAL && wide->logical == PQ_TYPE_DECIMAL) {
        c->n_zeros = wide->scale - c->type->scale;
    }
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

    pq_leaf_json_print(c, value, out);
    c->texts.sink = out->sink;       /* of this call: the last may be gone */
    if (keep && pq_buf_ok(out) && out->n - start <= KEEP_BYTES - at) {
        pq_buf_add(&c->texts, out->p + start, out->n - start);
        c->spans[id] = (PqLeafSpan){(uint32_t)at, (uint32_t)(c->texts.n - at)};
    }
}
