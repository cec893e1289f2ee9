/*
** leaf_fill_time.c - DATE, TIME, TIMESTAMP, INT96 and INTERVAL.
**
** A number is seconds, or the stored integer (number_time).
*/
#include "core/column/leaf_fill_inside.h"
#include "core/text/time_parse.h"

#include <math.h>

enum { DAY_SECONDS = 86400, BILLION = 1000000000, INT96_SIZE = 12 };

static PqFit fits_day(const PqFill *f, int64_t v)
{
    return v >= 0 && v < DAY_SECONDS * f->unit ? PQ_FITS : PQ_FIT_RANGE;
}

static PqFit fits_i32(int64_t v)
{
    return v == (int32_t)v ? PQ_FITS : PQ_FIT_RANGE;
}

/* A number as seconds, and the part of a second in unit. */
static PqFit split(const PqCell *cell, int64_t unit, int64_t *seconds,
                   int64_t *part)
{
    *part = 0;
    if (cell->kind == PQ_CELL_INT) {
        *seconds = cell->i;
        return PQ_FITS;
    }
    return (PqFit)pq_time_split_seconds(cell->r, unit, seconds, part);
}

static PqFit whole(const PqCell *cell, int64_t *out)
{
    if (cell->kind == PQ_CELL_INT) {
        *out = cell->i;
        return PQ_FITS;
    }
    return pq_fill_is_whole(cell->r, out) ? PQ_FITS : PQ_FIT_NOT;
}

/* Converts *v from the stored unit to `unit` per second. */
static PQ_COLD PqFit from_stored(const PqFill *f, int64_t unit, int64_t *v)
{
    int64_t from = f->rules->stored_unit, tick;

    if (from == 0 || from == unit) {
        return PQ_FITS;
    }
    if (from == PQ_STORED_UNIT_UNKNOWN) {
        return PQ_FIT_NOT;
    }
    if (from < unit) {
        return __builtin_mul_overflow(*v, unit / from, v) ? PQ_FIT_RANGE
                                                          : PQ_FITS;
    }
    tick = from / unit;
    if (*v % tick && !f->rules->nanos_may_lose) {
        return PQ_FIT_FINER;
    }
    *v = *v / tick - (*v % tick < 0);
    return PQ_FITS;
}

/* A number that is the stored integer. */
static PqFit stored(const PqFill *f, int64_t unit, const PqCell *cell,
                    int64_t *out)
{
    PqFit fit = whole(cell, out);

    return fit == PQ_FITS && f->rules->stored_unit ? from_stored(f, unit, out)
                                                   : fit;
}

static bool is_raw(const PqFill *f)
{
    return f->rules->number_time == PQ_NUMBER_TIME_RAW;
}

/* ---- DATE ---------------------------------------------------------------- */

static PQ_COLD PqFit date_of_number(const PqFill *f, const PqCell *cell,
                                    int32_t *out)
{
    int64_t v = 0;
    PqFit fit = whole(cell, &v);

    if (fit != PQ_FITS && !is_raw(f)) {
        return isfinite(cell->r) ? PQ_FIT_FINER : PQ_FIT_NOT;
    }
    if (is_raw(f) && f->rules->stored_unit) {
        return PQ_FIT_NOT;           /* a time was stored, not days          */
    }
    if (fit == PQ_FITS && !is_raw(f)) {
        fit = v % DAY_SECONDS ? PQ_FIT_FINER : PQ_FITS;
        v /= DAY_SECONDS;
    }
    *out = fit == PQ_FITS ? (int32_t)v : 0;
    return fit == PQ_FITS ? fits_i32(v) : fit;
}

static inline PqFit one_date(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_LIKELY(cell->kind == PQ_CELL_TEXT)) {
        return (PqFit)pq_time_parse_date(pq_cell_slice(cell), out);
    }
    return pq_cell_is_number(cell) ? date_of_number(f, cell, out) : PQ_FIT_NOT;
}
PQ_FILL_KIND(date, int32_t)

/* ---- TIME ---------------------------------------------------------------- */

static PQ_COLD PqFit time_of_number(const PqFill *f, const PqCell *cell,
                                    int64_t *out)
{
    int64_t seconds, part;
    PqFit fit;

    if (is_raw(f)) {
        fit = stored(f, f->unit, cell, out);
        return fit == PQ_FITS ? fits_day(f, *out) : fit;
    }
    fit = split(cell, f->unit, &seconds, &part);
    if (fit != PQ_FITS || seconds < 0 || seconds >= DAY_SECONDS) {
        return fit == PQ_FITS ? PQ_FIT_RANGE : fit;
    }
    *out = seconds * f->unit + part;
    return PQ_FITS;
}

static inline PqFit one_time_i64(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_LIKELY(cell->kind == PQ_CELL_TEXT)) {
        PqFit fit = (PqFit)pq_time_parse_time(
            pq_cell_slice(cell), f->type->unit, f->rules->nanos_may_lose, out);

        return fit == PQ_FITS && fits_day(f, *(int64_t *)out) != PQ_FITS
                   ? from_stored(f, f->unit, out) : fit;
    }
    return pq_cell_is_number(cell) ? time_of_number(f, cell, out) : PQ_FIT_NOT;
}
PQ_FILL_KIND(time_i64, int64_t)

static inline PqFit one_time_i32(PqFill *f, const PqCell *cell, void *out)
{
    int64_t v = 0;
    PqFit fit = one_time_i64(f, cell, &v);

    *(int32_t *)out = (int32_t)v;
    return fit == PQ_FITS ? fits_i32(v) : fit;
}
PQ_FILL_KIND(time_i32, int32_t)

/* ---- TIMESTAMP and INT96 ------------------------------------------------- */

static PQ_COLD PqFit stamp_of_real(const PqFill *f, const PqCell *cell,
                                   int64_t *out)
{
    int64_t seconds, part;
    PqFit fit = split(cell, f->unit, &seconds, &part);

    if (fit == PQ_FITS &&
        (__builtin_mul_overflow(seconds, f->unit, out) ||
         __builtin_add_overflow(*out, part, out))) {
        return PQ_FIT_RANGE;
    }
    return fit;
}

static inline PqFit one_timestamp(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_LIKELY(cell->kind == PQ_CELL_TEXT)) {
        return (PqFit)pq_time_parse_timestamp(
            pq_cell_slice(cell), f->type->unit, f->rules->nanos_may_lose, out);
    }
    if (!pq_cell_is_number(cell)) {
        return PQ_FIT_NOT;
    }
    if (is_raw(f)) {
        return stored(f, f->unit, cell, out);
    }
    if (cell->kind == PQ_CELL_REAL) {
        return stamp_of_real(f, cell, out);
    }
    return __builtin_mul_overflow(cell->i, f->unit, (int64_t *)out)
               ? PQ_FIT_RANGE : PQ_FITS;
}
PQ_FILL_KIND(timestamp, int64_t)

/* The 12 bytes of a TIME96 hold times that neither an INT96 nor 64 bits can
** hold. */
static PqFit time96_of_number(const PqFill *f, const PqCell *cell,
                              uint8_t out[PQ_TIME96_SIZE])
{
    int64_t seconds = 0, part;
    PqFit fit;

    if (is_raw(f)) {
        fit = stored(f, f->unit, cell, &seconds);
        pq_time96_store(seconds, out);
        return fit;
    }
    fit = split(cell, f->unit, &seconds, &part);
    return fit != PQ_FITS
               ? fit
               : (PqFit)pq_time_parse_wide(
                     seconds, (uint32_t)(part * (BILLION / f->unit)),
                     f->type->unit, false, out);
}

static PqFit put_twelve(PqFill *f, PqFit fit, const uint8_t v[12], void *out)
{
    uint8_t *p;

    if (fit != PQ_FITS) {
        return fit;
    }
    if (!(p = pq_fill_bytes(f, 12, out))) {
        return PQ_FIT_FAILED;
    }
    memcpy(p, v, 12);
    return PQ_FITS;
}

static PqFit one_time96(PqFill *f, const PqCell *cell, void *out)
{
    uint8_t v[PQ_TIME96_SIZE];
    PqFit fit = PQ_FIT_NOT;

    if (cell->kind == PQ_CELL_TEXT) {
        fit = (PqFit)pq_time_parse_time96(pq_cell_slice(cell), f->type->unit,
                                          f->rules->nanos_may_lose, v);
    } else if (pq_cell_is_number(cell)) {
        fit = time96_of_number(f, cell, v);
    }
    return put_twelve(f, fit, v, out);
}
PQ_FILL_KIND(time96, PqStr)

static PqFit int96_of_number(const PqFill *f, const PqCell *cell,
                             uint8_t out[INT96_SIZE])
{
    int64_t seconds, nanos = 0;
    PqFit fit = is_raw(f) ? stored(f, BILLION, cell, &seconds)
                          : split(cell, BILLION, &seconds, &nanos);

    if (fit == PQ_FITS && is_raw(f)) {
        nanos = seconds % BILLION;
        seconds = seconds / BILLION - (nanos < 0);
        nanos += nanos < 0 ? BILLION : 0;
    }
    return fit == PQ_FITS ? (PqFit)pq_time_parse_instant96(
                                seconds, (uint32_t)nanos, out)
                          : fit;
}

static PqFit one_int96(PqFill *f, const PqCell *cell, void *out)
{
    switch (cell->kind) {
    case PQ_CELL_TEXT:
        return (PqFit)pq_time_parse_int96(pq_cell_slice(cell),
                                          f->rules->nanos_may_lose, out);
    case PQ_CELL_BLOB:
        if (cell->n != INT96_SIZE) {
            return PQ_FIT_LENGTH;
        }
        memcpy(out, cell->p, INT96_SIZE);
        return PQ_FITS;
    default:
        return int96_of_number(f, cell, out);
    }
}
PQ_FILL_KIND(int96, PqFill96)

/* ---- INTERVAL ------------------------------------------------------------ */

static PqFit one_interval(PqFill *f, const PqCell *cell, void *out)
{
    enum { INTERVAL_SIZE = 12 };
    uint8_t v[INTERVAL_SIZE];
    PqFit fit;

    if (cell->kind == PQ_CELL_BLOB) {
        *(PqStr *)out = pq_cell_str(cell);
        return cell->n == INTERVAL_SIZE ? PQ_FITS : PQ_FIT_LENGTH;
    }
    if (cell->kind != PQ_CELL_TEXT) {
        return PQ_FIT_NOT;
    }
    fit = (PqFit)pq_time_parse_interval(pq_cell_slice(cell),
                                        f->rules->nanos_may_lose, v);
    return put_twelve(f, fit, v, out);
}
PQ_FILL_KIND(interval, PqStr)
