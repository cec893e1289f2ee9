/*
** variant_json.c - prints a Variant value as JSON text.
**
** One pass over the value, depth first.  Each call takes what it prints from
** the front of its slice; nothing else is remembered.  The recursion is limited
** by PQ_VARIANT_MAX_DEPTH.
*/
#include "core/variant/json_scalar.h"
#include "core/variant/variant_layout.h"

static void print_unknown(const PqVariantValue *v, PqBuf *out)
{
    pq_buf_printf(out, "\"unknown variant type %d", v->type);
    if (v->bytes.n > 1) {
        pq_buf_text(out, ": ");
        pq_hex_text(pq_slice(v->bytes.p + 1, v->bytes.n - 1), out);
    }
    pq_buf_byte(out, '"');
}

void pq_variant_note_text(const PqVariantMeta *m, PqSlice text)
{
    if (m->malformed && !pq_utf8_valid(text)) {
        *m->malformed = true;
    }
}

void pq_variant_text(const PqVariantMeta *m, PqSlice text, PqBuf *out)
{
    pq_variant_note_text(m, text);
    pq_json_text_string(text, out);
}

/* v is neither an object nor an array. */
static void print_scalar(const PqVariantMeta *m, const PqVariantValue *v,
                         PqBuf *out)
{
    switch (v->kind) {
    case PQ_VARIANT_STRING:  pq_variant_text(m, v->bytes, out); break;
    case PQ_VARIANT_INT:     pq_json_scalar_i64(v->u.i, out); break;
    case PQ_VARIANT_BOOL:    pq_json_scalar_bool(v->u.b, out); break;
    case PQ_VARIANT_FLOAT:   pq_json_scalar_float(v->u.f, out); break;
    case PQ_VARIANT_DOUBLE:  pq_json_scalar_double(v->u.d, out); break;
    case PQ_VARIANT_DATE:    pq_json_scalar_date((int32_t)v->u.i, out); break;
    case PQ_VARIANT_TIME:    pq_json_scalar_time(v->u.i, v->unit, out); break;
    case PQ_VARIANT_UUID:    pq_json_scalar_uuid(v->bytes.p, out); break;
    case PQ_VARIANT_BINARY:  pq_json_scalar_hex(v->bytes, out); break;
    case PQ_VARIANT_UNKNOWN: print_unknown(v, out); break;
    case PQ_VARIANT_DECIMAL:
        pq_decimal_text_i128(v->u.decimal, v->scale, out);
        break;
    case PQ_VARIANT_TIMESTAMP:
        pq_json_scalar_timestamp(v->u.i, v->unit, out);
        break;
    default:
        pq_json_scalar_null(out);
        break;
    }
}

static PqRc print_items(const PqVariantMeta *m, PqSlice *value, uint32_t depth,
                        PqBuf *out, PqErr *e)
{
    PqVariantItems items;
    PqSlice name = {NULL, 0};

    PQ_TRY(pq_variant_items_open(value, &items, e));
    pq_json_scalar_byte(out, items.is_object ? '{' : '[');
    for (uint32_t i = 0; i < items.n; i++) {
        if (i) {
            pq_json_scalar_byte(out, ',');
        }
        if (items.is_object) {
            PQ_TRY(pq_variant_items_name(m, &items, i, &name, e));
            pq_variant_text(m, name, out);
            pq_json_scalar_byte(out, ':');
        }
        PQ_TRY(pq_variant_items_json(m, &items, i, depth, out, e));
    }
    pq_json_scalar_byte(out, items.is_object ? '}' : ']');
    return PQ_OK;
}

PqRc pq_variant_json_take(const PqVariantMeta *m, PqSlice *value,
                          uint32_t depth, PqBuf *out, PqErr *e)
{
    PqVariantValue v;

    if (!pq_buf_ok(out)) {           /* no room for any more */
        return out->sink->rc;
    }
    PQ_TRY(pq_variant_check_depth(depth, e));
    if (value->n && (value->p[0] & 3) > PQ_VARIANT_SHORT_STRING) {
        return print_items(m, value, depth, out, e);
    }
    PQ_TRY(pq_variant_value_take(value, &v, e));
    if (PQ_LIKELY(v.kind == PQ_VARIANT_STRING)) {
        pq_variant_text(m, v.bytes, out);
        return PQ_OK;
    }
    print_scalar(m, &v, out);
    return PQ_OK;
}
