/*
** variant_cast_text.c - values of a Variant as texts, bytes and UUIDs.
**
** A scalar has the same text as in JSON, without the quotes: all digits of a
** decimal, the fewest digits that give a double back, 2024-03-01 13:45:00.
** JSON has no text for NaN and the infinities, so these are NaN, Infinity,
** -Infinity.  Bytes become a text if they are UTF-8.
*/
#include "core/variant/variant_cast_inside.h"

#include "core/text/parse.h"
#include "core/text/json_text.h"
#include "core/text/number_text.h"
#include "core/text/time_text.h"

#include <math.h>

static size_t real_text(double v, bool is_float, char *out)
{
    const char *odd = isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity";

    if (!isfinite(v)) {
        memcpy(out, odd, strlen(odd));
        return strlen(odd);
    }
    return is_float ? pq_number_text_float((float)v, out)
                    : pq_number_text_double(v, out);
}

static size_t time_text(const PqVariantValue *v, char *out)
{
    size_t n = pq_time_text_time(v->u.i, v->unit, out);

    return n ? n : pq_number_text_i64(v->u.i, out);
}

/* Everything but decimals, in out. */
static size_t scalar_text(const PqVariantValue *v, char *out)
{
    switch (v->kind) {
    case PQ_VARIANT_BOOL:
        memcpy(out, v->u.b ? "true" : "false", 5);
        return v->u.b ? 4 : 5;
    case PQ_VARIANT_INT:
        return pq_number_text_i64(v->u.i, out);
    case PQ_VARIANT_FLOAT:
        return real_text((double)v->u.f, true, out);
    case PQ_VARIANT_DOUBLE:
        return real_text(v->u.d, false, out);
    case PQ_VARIANT_DATE:
        return pq_time_text_date((int32_t)v->u.i, out);
    case PQ_VARIANT_TIME:
        return time_text(v, out);
    case PQ_VARIANT_UUID:
        pq_uuid_text(v->bytes.p, out);
        return PQ_UUID_TEXT;
    default:
        return pq_time_text_timestamp(v->u.i, v->unit, out);
    }
}

static PqCastResult put_text(const PqCast *c)
{
    c->out->bytes = pq_buf_view(c->text);
    return pq_buf_ok(c->text) ? PQ_CAST_OK : PQ_CAST_ERROR;
}

PqCastResult pq_cast_string_scalar(const PqCast *c)
{
    _Static_assert((int)PQ_TIME_TEXT_ROOM >= (int)PQ_NUMBER_TEXT_ROOM,
                   "room for both");
    char *room;

    if (c->v->kind == PQ_VARIANT_DECIMAL) {
        pq_decimal_text_i128(c->v->u.decimal, c->v->scale, c->text);
        return put_text(c);
    }
    room = (char *)pq_buf_room(c->text, PQ_TIME_TEXT_ROOM);
    if (!room) {
        return PQ_CAST_ERROR;
    }
    c->text->n += scalar_text(c->v, room);
    return put_text(c);
}

PqCastResult pq_cast_string_binary(const PqCast *c)
{
    c->out->bytes = c->v->bytes;
    return pq_utf8_valid(c->v->bytes) ? PQ_CAST_OK : PQ_CAST_NOT;
}

PqCastResult pq_cast_string_json(const PqCast *c)
{
    PqSlice value = c->v->bytes;

    if (pq_variant_json_take(c->m, &value, 0, c->text, c->e) != PQ_OK) {
        return PQ_CAST_ERROR;
    }
    return put_text(c);
}

PqCastResult pq_cast_binary_string(const PqCast *c)
{
    c->out->bytes = c->v->bytes;
    return PQ_CAST_OK;
}

PqCastResult pq_cast_uuid_string(const PqCast *c)
{
    uint8_t *room = pq_buf_room(c->text, 16);

    if (!room) {
        return PQ_CAST_ERROR;
    }
    c->text->n += 16;
    c->out->bytes = pq_slice(room, 16);
    return pq_cast_of_parse(pq_uuid_parse(pq_parse_trim(c->v->bytes), room));
}
