/*
** place.c - the integer that a value of each type stands for.
**
** The hard part is that one meaning is stored in several ways: a DECIMAL in 4
** or 8 bytes from the lowest, or in any number of bytes from the highest.
*/
#include "core/meta/place.h"

#include <math.h>

/* What a type is stored as. */
typedef enum Form {
    NO_PLACES, BOOLEAN, INTEGER, FLOAT, DOUBLE, HALF, HIGHEST_FIRST,
    LOWEST_FIRST, UNSIGNED_BYTES
} Form;

enum { UUID_SIZE = 16, HALF_SIZE = 2 };

static Form form_of_bytes(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_DECIMAL:
        return HIGHEST_FIRST;
    case PQ_TYPE_FLOAT16:
        return HALF;
    case PQ_TYPE_UUID:
        return UNSIGNED_BYTES;
    case PQ_TYPE_TIMESTAMP:
        return LOWEST_FIRST;
    default:
        return NO_PLACES;
    }
}

static Form form_of(const PqType *t)
{
    switch (t->physical) {
    case PQ_BOOLEAN:
        return BOOLEAN;
    case PQ_INT32:
    case PQ_INT64:
        return INTEGER;
    case PQ_FLOAT:
        return FLOAT;
    case PQ_DOUBLE:
        return DOUBLE;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return form_of_bytes(t);
    default:
        return NO_PLACES;
    }
}

bool pq_type_has_places(const PqType *t)
{
    return form_of(t) != NO_PLACES;
}

/* ---- from bytes --------------------------------------------------------------- */

/* Bytes from the highest; all but the last 16 have to be copies of the sign. */
static bool integer_of_bytes(PqSlice v, bool is_signed, PqPlace *out)
{
    unsigned __int128 u = 0;
    uint8_t sign = is_signed && v.n > 0 && v.p[0] & 0x80 ? 0xff : 0;
    size_t i = 0;

    if (sign) {
        u = ~u;
    }
    for (; v.n - i > sizeof u; i++) {
        if (v.p[i] != sign) {
            return false;
        }
    }
    if (is_signed && i > 0 && (v.p[i] & 0x80) != (sign & 0x80)) {
        return false;
    }
    for (; i < v.n; i++) {
        u = u << 8 | v.p[i];
    }
    *out = (PqPlace)u;
    return true;
}

static PqPlace half_of_all(void)
{
    return (PqPlace)((unsigned __int128)1 << 127);
}

static PqPlace from_lowest(PqSlice v)
{
    unsigned __int128 u = v.p[v.n - 1] & 0x80 ? ~(unsigned __int128)0 : 0;

    for (size_t i = v.n; i-- > 0;) {
        u = u << 8 | v.p[i];
    }
    return (PqPlace)u;
}

static bool integer_place(const PqType *t, PqSlice v, PqPlace *out)
{
    bool is_unsigned = pq_type_is_unsigned(t);

    if (t->physical == PQ_INT32 && v.n == 4) {
        uint32_t u = pq_load_u32(v.p);
        *out = is_unsigned ? (PqPlace)u : (PqPlace)(int32_t)u;
        return true;
    }
    if (t->physical == PQ_INT64 && v.n == 8) {
        uint64_t u = pq_load_u64(v.p);
        *out = is_unsigned ? (PqPlace)u : (PqPlace)(int64_t)u;
        return true;
    }
    return false;
}

bool pq_place_of(const PqType *t, PqSlice v, PqPlace *out)
{
    static const size_t sizes[] = {           /* 0: any, or several */
        [BOOLEAN] = 1, [FLOAT] = 4, [DOUBLE] = 8, [HALF] = HALF_SIZE,
        [LOWEST_FIRST] = PQ_TIME96_SIZE, [UNSIGNED_BYTES] = UUID_SIZE,
    };
    Form form = form_of(t);

    *out = 0;
    if (sizes[form] && v.n != sizes[form]) {
        return false;
    }
    switch (form) {
    case BOOLEAN:
        *out = v.p[0] & 1;
        return true;
    case INTEGER:
        return integer_place(t, v, out);
    case FLOAT:
        *out = pq_rank_f32((int32_t)pq_load_u32(v.p));
        return true;
    case DOUBLE:
        *out = pq_rank_f64((int64_t)pq_load_u64(v.p));
        return true;
    case HALF:
        *out = pq_rank_f16(pq_load_u16(v.p));
        return true;
    case HIGHEST_FIRST:
        return integer_of_bytes(v, true, out);
    case LOWEST_FIRST:
        *out = from_lowest(v);
        return true;
    case UNSIGNED_BYTES:
        integer_of_bytes(v, false, out);
        *out ^= half_of_all();
        return true;
    default:
        return false;
    }
}

/* ---- ends ---------------------------------------------------------------------- */

static void ends_of_bits(unsigned bits, PqPlace *least, PqPlace *most)
{
    *most = (PqPlace)(((unsigned __int128)1 << (bits - 1)) - 1);
    *least = -*most - 1;
}

static void ends_of_integer(const PqType *t, PqPlace *least, PqPlace *most)
{
    unsigned bits = t->physical == PQ_INT32 ? 32 : 64;

    ends_of_bits(bits, least, most);
    if (pq_type_is_unsigned(t)) {
        *most -= *least;
        *least = 0;
    }
}

void pq_place_ends(const PqType *t, PqPlace *least, PqPlace *most)
{
    switch (form_of(t)) {
    case BOOLEAN:
        *least = 0;
        *most = 1;
        break;
    case INTEGER:
        ends_of_integer(t, least, most);
        break;
    case FLOAT:
        *least = pq_float_place(-INFINITY);
        *most = pq_float_place(INFINITY);
        break;
    case DOUBLE:
        *least = pq_double_place(-INFINITY);
        *most = pq_double_place(INFINITY);
        break;
    case HALF:
        *least = pq_rank_f16(0xfc00);
        *most = pq_rank_f16(0x7c00);
        break;
    case LOWEST_FIRST:
        ends_of_bits(8 * PQ_TIME96_SIZE, least, most);
        break;
    case HIGHEST_FIRST:
        ends_of_bits(t->physical == PQ_FIXED && t->fixed_length > 0 &&
                             t->fixed_length < 16 ? 8 * t->fixed_length : 128,
                     least, most);
        break;
    default:
        ends_of_bits(128, least, most);
        break;
    }
}

/* ---- and back ------------------------------------------------------------------ */

static PqSlice highest_first(PqPlace place, size_t n, uint8_t *room)
{
    unsigned __int128 u = (unsigned __int128)place;

    for (size_t i = n; i-- > 0;) {
        room[i] = (uint8_t)u;
        u = u >> 8 | (place < 0 ? (unsigned __int128)0xff << 120 : 0);
    }
    return pq_slice(room, n);
}

static PqSlice lowest_first(PqPlace place, size_t n, uint8_t *room)
{
    for (size_t i = 0; i < n; i++) {
        room[i] = (uint8_t)((unsigned __int128)place >> (8 * i));
    }
    return pq_slice(room, n);
}

PqSlice pq_place_stored(const PqType *t, PqPlace place,
                        uint8_t room[PQ_PLACE_ROOM])
{
    PqSlice none = {NULL, 0};

    switch (form_of(t)) {
    case BOOLEAN:
        return lowest_first(place, 1, room);
    case INTEGER:
        return lowest_first(place, t->physical == PQ_INT32 ? 4 : 8, room);
    case FLOAT:
        return lowest_first(pq_rank_f32((int32_t)place), 4, room);
    case DOUBLE:
        return lowest_first(pq_rank_f64((int64_t)place), 8, room);
    case HALF:
        return lowest_first(pq_float16_at((int64_t)place), HALF_SIZE, room);
    case HIGHEST_FIRST:
        if (t->physical != PQ_FIXED || t->fixed_length == 0 ||
            t->fixed_length > PQ_PLACE_ROOM) {
            return none;             /* signs may be there or not */
        }
        return highest_first(place, t->fixed_length, room);
    case LOWEST_FIRST:
        return lowest_first(place, PQ_TIME96_SIZE, room);
    case UNSIGNED_BYTES:
        return highest_first(place ^ half_of_all(), UUID_SIZE, room);
    default:
        return none;
    }
}
