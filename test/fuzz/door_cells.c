/*
** door_cells.c - see door_cells.h.
*/
#include "test/fuzz/door_cells.h"

#include "test/fuzz/door_variant.h"

#include <stdio.h>

/* ---- texts --------------------------------------------------------------- */

static const char *const words[] = {
    "true", "F", "on", "0", "1", "-0.0", "1e999", "-9e999", "NaN", "-nan",
    "inf", "12.345", "-99999999999999999999.5", "18446744073709551615",
    "-9223372036854775808", "65504", "1e-400", "0.1", "2024-02-29",
    "-0001-12-31", "+10000-01-01", "2024-03-01 12:34:56.789012345+02:00",
    "1969-12-31T23:59:59.999", "24:00", "23:59:59.999999999", "13:45Z",
    "P1Y2M3W4DT5H6M7.89S", "PT0S", "P14M",
    "00112233-4455-6677-8899-aabbccddeeff",
    "{00112233445566778899AABBCCDDEEFF}", "{\"a\":[1,null]}", "[]", "\"\\n\"",
    "null", "\xff\xfe", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "a\"\\\n\x01",
    "a text that is longer than the bounds of pages may be, and of chunks, too",
    "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf"
    "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4"
    "\x8f\xbf\xbf", "", " 7 ", "9999-12-31 23:59:59", "1900-01-01",
};

static PqSlice take_text(PqSlice *in)
{
    return door_take(in, door_u8(in));
}

static uint64_t take_u64(PqSlice *in)
{
    uint8_t bytes[8] = {0};
    PqSlice s = door_take(in, 8);

    if (s.n) {
        memcpy(bytes, s.p, s.n);
    }
    return pq_load_u64(bytes);
}

static double take_real(PqSlice *in)
{
    uint64_t bits = take_u64(in);
    double r;

    memcpy(&r, &bits, sizeof r);
    return r;
}

/* ---- what fits a type ---------------------------------------------------- */

enum { FIT_ROOM = 160 };

static size_t fit_decimal(PqSlice *in, const PqType *t, char *out)
{
    int n = 1 + door_u8(in) % (t->precision < 60 ? t->precision : 60), i;
    size_t at = 0;

    if (door_u8(in) & 1) {
        out[at++] = '-';
    }
    for (i = 0; i < n; i++) {
        if (i == n - t->scale && i > 0) {
            out[at++] = '.';
        }
        out[at++] = (char)('0' + door_u8(in) % 10);
    }
    return at;
}

static size_t fit_integer(PqSlice *in, const PqType *t, char *out)
{
    int bits = t->physical == PQ_INT64 ? 64 : t->logical == PQ_TYPE_INT
                                                  ? t->bit_width : 32;
    uint64_t v = take_u64(in) & (UINT64_MAX >> (64 - bits));

    if (pq_type_is_unsigned(t)) {
        return pq_number_text_u64(v, out);
    }
    return pq_number_text_i64((int64_t)(v << (64 - bits)) >> (64 - bits), out);
}

static size_t fit_time(PqSlice *in, const PqType *t, char *out)
{
    uint64_t v = take_u64(in);

    switch (t->logical) {
    case PQ_TYPE_DATE:
        return pq_time_text_date((int32_t)v, out);
    case PQ_TYPE_TIME:
        v %= (uint64_t)(86400 * pq_unit_per_second(t->unit));
        return pq_time_text_time((int64_t)v, t->unit, out);
    case PQ_TYPE_TIMESTAMP:
        return pq_time_text_timestamp((int64_t)v, t->unit, out);
    default:
        return pq_time_text_timestamp((int64_t)v, PQ_NANOS, out);
    }
}

/* Mostly a text that is a value of the type, which is not one of mere bytes. */
static size_t fit(PqSlice *in, const PqType *t, char *out)
{
    uint8_t raw[16] = {0};
    PqSlice s;

    switch (t->logical) {
    case PQ_TYPE_DECIMAL:
        return fit_decimal(in, t, out);
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return fit_time(in, t, out);
    case PQ_TYPE_UUID:
    case PQ_TYPE_INTERVAL:
        s = door_take(in, 16);
        if (s.n) {
            memcpy(raw, s.p, s.n);
        }
        if (t->logical == PQ_TYPE_INTERVAL) {
            return pq_time_text_interval(raw, out);
        }
        pq_uuid_text(raw, out);
        return 36;
    default:
        break;
    }
    if (t->physical == PQ_INT96) {
        return fit_time(in, t, out);
    }
    if (t->physical == PQ_BOOLEAN) {
        out[0] = (char)('0' + (door_u8(in) & 1));
        return 1;
    }
    if (t->physical == PQ_INT32 || t->physical == PQ_INT64) {
        return fit_integer(in, t, out);
    }
    if (pq_type_is_float(t)) {
        double r = take_real(in);
        return r == r ? pq_number_text_double(r, out)
                      : (size_t)sprintf(out, "NaN");
    }
    s = take_text(in);
    s.n = s.n < FIT_ROOM / 2 ? s.n : FIT_ROOM / 2;
    for (size_t i = 0; i < s.n; i++) {       /* texts have letters          */
        out[i] = (char)('a' + s.p[i] % 26);
    }
    return s.n;
}

bool door_is_bytes(const PqType *t)
{
    return (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED) &&
           (t->logical == PQ_TYPE_NONE || t->logical == PQ_TYPE_BSON ||
            t->logical == PQ_TYPE_GEOMETRY || t->logical == PQ_TYPE_GEOGRAPHY);
}

/* The bytes of a value that has no other text.  A FIXED gets its length. */
static PqSlice fit_bytes(PqSlice *in, const PqType *t, uint8_t *room, size_t n)
{
    size_t want = t->physical == PQ_FIXED ? t->fixed_length : door_u8(in);
    PqSlice s;

    want = want < n ? want : n;
    memset(room, 0, n);
    s = door_take(in, want);
    if (s.n) {
        memcpy(room, s.p, s.n);
    }
    return pq_slice(room, t->physical == PQ_FIXED ? want : s.n);
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_leaf(PqSlice *in, const PqType *t, PqBuf *out)
{
    uint8_t how = door_u8(in), room[64];
    char text[FIT_ROOM];

    switch (how & 7) {
    case 0:
        pq_buf_printf(out, "%d", (int)(int8_t)door_u8(in));
        break;
    case 1:
        pq_buf_text(out, how & 8 ? "true" : "false");
        break;
    case 2:
        pq_json_text_string(pq_slice_text(
            words[door_u8(in) % PQ_COUNT(words)]), out);
        break;
    case 3:
        pq_json_text_string(take_text(in), out);
        break;
    case 4: {
        PqSlice s = take_text(in);
        pq_buf_add(out, s.p, s.n);   /* which may be no JSON */
        break;
    }
    default:
        if (door_is_bytes(t)) {
            pq_buf_byte(out, '"');
            pq_hex_text(fit_bytes(in, t, room, sizeof room), out);
            pq_buf_byte(out, '"');
        } else {
            pq_json_text_string(pq_slice(text, fit(in, t, text)), out);
        }
    }
}

static void json_node(PqSlice *in, const PqNode *n, PqBuf *out);

static void json_struct(PqSlice *in, const PqNode *n, uint8_t how, PqBuf *out)
{
    uint32_t i, k;

    pq_buf_byte(out, '{');
    for (i = 0; i < n->n_children; i++) {
        k = how & 8 ? n->n_children - 1 - i : i;
        if (how & 16 && i == 0 && n->n_children > 1) {
            continue;                /* a field is missing */
        }
        pq_buf_text(out, out->p && out->n && out->p[out->n - 1] == '{' ? ""
                                                                       : ",");
        pq_json_text_string(pq_slice_text(n->child[k]->name), out);
        pq_buf_byte(out, ':');
        json_node(in, n->child[k], out);
    }
    if (how & 32) {                  /* a field is there twice, or unknown */
        pq_buf_text(out, how & 64 ? ", \"no field\":1" : "");
        pq_buf_text(out, how & 16 ? "" : ",");
        if (!(how & 16)) {
            pq_json_text_string(pq_slice_text(n->child[0]->name), out);
            pq_buf_byte(out, ':');
            json_node(in, n->child[0], out);
        }
    }
    pq_buf_byte(out, '}');
}

/* The key of an object: a string, whatever the type of the key. */
static void json_key(PqSlice *in, const PqNode *key, PqBuf *out)
{
    PqBuf text;

    pq_buf_init(&text, out->mem, out->sink);
    json_node(in, key, &text);
    if (text.n && text.p[0] == '"' && text.p[text.n - 1] == '"') {
        pq_buf_add(out, text.p, text.n);
    } else if (pq_buf_ok(&text)) {
        pq_json_text_string(pq_buf_view(&text), out);
    }
    pq_buf_free(&text);
}

static void json_map(PqSlice *in, const PqNode *n, uint8_t how, PqBuf *out)
{
    bool pairs = how & 8;
    unsigned i;

    pq_buf_byte(out, pairs ? '[' : '{');
    for (i = 0; i < how >> 4; i++) {
        pq_buf_text(out, i ? ", " : "");
        if (pairs) {
            pq_buf_byte(out, '[');
            json_node(in, n->child[0], out);
        } else {
            json_key(in, n->child[0], out);
        }
        if (n->n_children > 1) {
            pq_buf_byte(out, pairs ? ',' : ':');
            json_node(in, n->child[1], out);
        } else if (!pairs) {
            pq_buf_text(out, ":null");
        }
        pq_buf_text(out, pairs ? "]" : "");
    }
    pq_buf_byte(out, pairs ? ']' : '}');
}

static void json_list(PqSlice *in, const PqNode *n, uint8_t how, PqBuf *out)
{
    unsigned i;

    pq_buf_byte(out, '[');
    for (i = 0; i < how >> 3; i++) {
        pq_buf_text(out, i ? "," : "");
        json_node(in, n->child[0], out);
    }
    pq_buf_byte(out, ']');
}

/* A value in the shape of the node, or null.  After the end of the input zeros
** are read, and they give empty lists.  So the recursion ends. */
static void json_node(PqSlice *in, const PqNode *n, PqBuf *out)
{
    uint8_t how = door_u8(in);

    if ((how & 7) == 7 && !n->required) {
        pq_buf_text(out, "null");
    } else if (door_is_part(n)) {
        if (door_typed(n) && (how & 7) != 6) {
            json_node(in, door_typed(n), out);
        } else {
            pq_buf_text(out, how & 8 ? "-1.50" : "[1e3,{\"a\":false}]");
        }
    } else if (n->kind == PQ_NODE_STRUCT) {
        json_struct(in, n, how, out);
    } else if (n->kind == PQ_NODE_LIST) {
        json_list(in, n, how, out);
    } else if (n->kind == PQ_NODE_MAP) {
        json_map(in, n, how, out);
    } else {
        json_leaf(in, &n->type, out);
    }
}

/* ---- cells --------------------------------------------------------------- */

static void put_bytes(PqCells *c, PqCellClass cls, PqSlice s,
                      uint64_t variation, PqErr *e)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t room[256];
    size_t n = s.n < sizeof room ? s.n : sizeof room, i;

    if (variation && n) {            /* the last digits change   */
        memcpy(room, s.p, n);
        for (i = 0; i < n && i < 5; i++, variation >>= 4) {
            room[n - 1 - i] = (uint8_t)digits[variation & 15];
        }
        s = pq_slice(room, n);
    }
    if (pq_cells_bytes(c, cls, s.p ? (const void *)s.p : "", s.n, e) !=
        PQ_OK) {
        pq_cells_null(c);
    }
}

static void put_made(PqSlice *in, const PqNode *node, uint64_t variation,
                     PqCells *c, PqErr *e)
{
    uint8_t room[256];
    char text[FIT_ROOM];
    PqBuf b;

    if (node->kind == PQ_NODE_VARIANT && door_u8(in) & 1) {
        pq_buf_init(&b, c->mem, e);
        door_variant(in, node, c->mem, &b, e);
        put_bytes(c, PQ_CELL_BLOB, pq_buf_view(&b), 0, e);
        pq_buf_free(&b);
    } else if (node->kind != PQ_NODE_LEAF) {
        pq_buf_init(&b, c->mem, e);
        json_node(in, node, &b);
        if (pq_buf_ok(&b)) {
            put_bytes(c, PQ_CELL_TEXT, pq_buf_view(&b), 0, e);
        } else {
            pq_cells_null(c);
        }
        pq_buf_free(&b);
    } else if (door_is_bytes(&node->type)) {
        put_bytes(c, PQ_CELL_BLOB,
                  fit_bytes(in, &node->type, room, sizeof room), variation, e);
    } else {
        put_bytes(c, PQ_CELL_TEXT,
                  pq_slice(text, fit(in, &node->type, text)), variation, e);
    }
}

void door_cell(PqSlice *in, const PqNode *node, uint64_t variation,
               PqCells *c, PqErr *e)
{
    uint8_t tag = door_u8(in);

    if (pq_cells_reserve(c, e) != PQ_OK) {
        return;
    }
    switch (tag & 7) {
    case 0:
        pq_cells_null(c);
        break;
    case 1:
        pq_cells_int(c, (int8_t)door_u8(in) + (int64_t)variation);
        break;
    case 2:
        pq_cells_int(c, (int64_t)(take_u64(in) + variation));
        break;
    case 3:
        pq_cells_real(c, take_real(in) + (double)variation);
        break;
    case 4:
        put_bytes(c, PQ_CELL_TEXT, take_text(in), variation, e);
        break;
    case 5:
        put_bytes(c, PQ_CELL_BLOB, take_text(in), variation, e);
        break;
    case 6:
        put_bytes(c, PQ_CELL_TEXT, pq_slice_text(
            words[door_u8(in) % PQ_COUNT(words)]), 0, e);
        break;
    default:
        put_made(in, node, variation, c, e);
    }
}
