/*
** face_type.c - converts types and values between the face and the engine.
**
** The enums of parquet.h have the same numbers as the engine's enums, so they
** are only cast.
*/
#include "core/face/face.h"

#include "core/column/leaf_fill.h"
#include "core/meta/plain_text.h"
#include "core/meta/schema.h"
#include "core/text/number_text.h"

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a)
SAME(PARQUET_USAGE, PQ_USAGE);
SAME(PARQUET_STOPPED, PQ_STOPPED);
SAME(PARQUET_INT96, PQ_INT96);
SAME(PARQUET_FIXED, PQ_FIXED);
SAME(PARQUET_INTEGER, PQ_TYPE_INT);
SAME(PARQUET_GEOGRAPHY, PQ_TYPE_COUNT - 1);
SAME(PARQUET_NANOS, PQ_NANOS);
SAME(PARQUET_CLASS_REAL, PQ_CELL_REAL);
SAME(PARQUET_CLASS_BYTES, PQ_CELL_BLOB);
SAME(sizeof(ParquetBytes), sizeof(PqStr));
SAME(offsetof(ParquetBytes, n), offsetof(PqStr, n));

PqType pq_face_stored(const ParquetType *t)
{
    PqType out = {
        .physical = (PqPhysical)t->storage, .fixed_length = t->length,
        .logical = (PqLogical)t->meaning, .bit_width = (uint8_t)t->bits,
        .is_signed = t->is_signed, .utc = t->utc, .unit = (PqUnit)t->unit,
        .precision = t->precision, .scale = t->scale,
    };

    pq_type_store(&out);
    return out;
}

ParquetType pq_face_type(const PqType *t)
{
    return (ParquetType){
        .storage = (ParquetStorage)t->physical, .meaning = (ParquetMeaning)t->logical,
        .length = t->physical == PQ_FIXED ? t->fixed_length : 0, .bits = t->bit_width,
        .is_signed = t->is_signed, .utc = t->utc, .unit = (ParquetUnit)t->unit,
        .precision = t->precision, .scale = t->scale,
    };
}

const char *pq_face_type_name(const PqType *t, FaceHead *h)
{
    PqBuf text;

    pq_buf_init(&text, h->mem, &h->e);
    pq_type_text(t, &text);
    return pq_arena_take(&h->arena, &text);
}

PqSlice pq_face_plain(const PqType *t, const void *at)
{
    const PqStr *s = at;

    return t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED
               ? pq_slice(s->p, s->n) : pq_slice(at, pq_physical_width(t->physical));
}

/* The value as text. */
static PqRc text_of(const PqType *t, PqSlice plain, PqArena *a, ParquetValue *out,
                    PqErr *e)
{
    PqBuf text;

    pq_buf_init(&text, a->mem, e);
    pq_plain_text(t, plain, &text);
    out->what = PARQUET_CLASS_TEXT;
    out->n = text.n;
    out->p = pq_arena_take(a, &text);
    return e->rc;
}

/* The value as a number; false: it is not a number, or does not fit. */
static bool number_of(const PqType *t, const void *at, ParquetValue *out)
{
    bool is_unsigned = pq_type_is_unsigned(t);

    if (t->logical == PQ_TYPE_FLOAT16) {
        *out = parquet_real((double)pq_float16_value(pq_load_u16(pq_face_plain(t, at).p)));
        return true;
    }
    if (t->logical != PQ_TYPE_NONE && t->logical != PQ_TYPE_INT) {
        return false;
    }
    switch (t->physical) {
    case PQ_BOOLEAN:
        *out = parquet_int(*(const uint8_t *)at);
        return true;
    case PQ_INT32:
        *out = parquet_int(is_unsigned ? (int64_t)*(const uint32_t *)at
                                       : *(const int32_t *)at);
        return true;
    case PQ_INT64:
        *out = parquet_int(*(const int64_t *)at);
        return out->i >= 0 || !is_unsigned;
    case PQ_FLOAT:
        *out = parquet_real((double)*(const float *)at);
        return true;
    case PQ_DOUBLE:
        *out = parquet_real(*(const double *)at);
        return true;
    default:
        return false;
    }
}

PqRc pq_face_value(const PqType *t, const void *at, PqArena *a, ParquetValue *out,
                   PqErr *e)
{
    PqSlice plain = pq_face_plain(t, at);

    if (number_of(t, at, out)) {
        return PQ_OK;
    }
    if (pq_type_is_text(t)) {        /* a NUL follows those that are BYTE_ARRAYs */
        *out = (ParquetValue){.what = PARQUET_CLASS_TEXT, .n = plain.n};
        out->p = plain.n == 0                     ? ""
                 : t->physical == PQ_BYTE_ARRAY ? (const char *)plain.p
                                                : pq_arena_text(a, plain.p, plain.n, e);
        return e->rc;
    }
    if (t->logical == PQ_TYPE_BSON || pq_type_is_geometry(t) ||
        (t->logical == PQ_TYPE_NONE && t->physical != PQ_INT96)) {
        *out = parquet_bytes(plain.p, plain.n);
        return PQ_OK;
    }
    return text_of(t, plain, a, out, e);
}

PqRc pq_face_cell(const ParquetValue *v, PqCell *out, PqErr *e)
{
    *out = (PqCell){.kind = (uint8_t)v->what};
    switch (v->what) {
    case PARQUET_CLASS_INT:
        out->i = v->i;
        return PQ_OK;
    case PARQUET_CLASS_REAL:
        out->r = v->r;
        return PQ_OK;
    case PARQUET_CLASS_TEXT:
    case PARQUET_CLASS_BYTES:
        out->p = (const uint8_t *)v->p;
        out->n = (uint32_t)v->n;
        return v->n < INT32_MAX ? PQ_OK : pq_fail(e, PQ_USAGE, "a value of %zu bytes is too "
                                                  "large", v->n);
    default:
        return v->what == PARQUET_CLASS_NULL ? PQ_OK
                                             : pq_fail(e, PQ_USAGE, "a value of no class");
    }
}

PqRc pq_face_fill(const ParquetValue *v, PqLeafBatch *b, PqErr *e)
{
    static const PqFillRules rules = {0};
    PqCell cell;

    PQ_TRY(pq_face_cell(v, &cell, e));
    return pq_leaf_fill_one(b, &cell, &rules, e);
}
