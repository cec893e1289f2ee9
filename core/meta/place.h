/*
** place.h - where a value stands in the order of its type.
**
** Numbers, times and UUIDs are integers in disguise.  The place of a value is
** that integer: it grows with the value, and two values that differ have two
** places.
**
**   INT32     -7                     -7
**   UINT64    2^63                   2^63
**   DOUBLE    -inf  -0.0  0.0  1.5   the bits without their sign count upwards
**                                    from 0.0 and downwards from -0.0; NaN is
**                                    beyond the infinities
**   DECIMAL   12.34 at scale 2       1234, however it is stored
**   UUID      00000000-...-0001      1 - 2^127: its bytes are unsigned
**
** Texts and bytes have no place.  They are compared where they lie.
*/
#ifndef PQ_PLACE_H
#define PQ_PLACE_H

#include "core/meta/rank.h"

/* 128 bits hold a UUID, a TIMESTAMP of 96 bits, and 38 digits.  Memory is
** aligned to eight bytes here. */
__extension__ typedef __int128 PqPlace __attribute__((aligned(8)));

bool pq_type_has_places(const PqType *type);

/* The place of a value, PLAIN without a length.  False: it does not have the
** size of its type, or 128 bits do not hold it.  A DECIMAL without bytes is
** 0. */
bool pq_place_of(const PqType *type, PqSlice plain, PqPlace *out);

/* The least and the greatest place of a type, infinities included. */
void pq_place_ends(const PqType *type, PqPlace *least, PqPlace *most);

/* The value at a place, as it is stored, in room; p is NULL where the type can
** store it in more than one way. */
enum { PQ_PLACE_ROOM = 64 };
PqSlice pq_place_stored(const PqType *type, PqPlace place,
                        uint8_t room[PQ_PLACE_ROOM]);

/* ---- floats ---------------------------------------------------------------- */

static inline int64_t pq_double_place(double v)
{
    int64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return pq_rank_f64(bits);
}

static inline int64_t pq_float_place(float v)
{
    int32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return pq_rank_f32(bits);
}

static inline uint16_t pq_float16_at(int64_t place)
{
    return (uint16_t)pq_rank_f16((uint16_t)place);
}

static inline double pq_double_at(int64_t place)
{
    int64_t bits = pq_rank_f64(place);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline float pq_float_at(int64_t place)
{
    int32_t bits = pq_rank_f32((int32_t)place);
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
