/*
** leaf_fill_number.c - BOOLEAN, integers and floating point.
**
** INT and REAL are stored inline; TEXT and everything rare takes the cold
** other_... functions.  What is hard is TEXT under the rules of a typed column:
** it must read back unchanged, or must be a value that SQLite has no number
** for (texts_come_back, texts_are_others).
*/
#include "core/column/leaf_fill_inside.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"

#include <math.h>

/* Must texts read back unchanged?  Texts that are taken by their kind read back
** as what they were taken for. */
static bool texts_come_back(const PqFill *f)
{
    return (f->rules->exact_numbers || f->rules->classes) &&
           !f->rules->text_kinds;
}

/* Does the column take texts only for values that SQLite has no number for:
** NaN, and integers from 2^63 on? */
static bool texts_are_others(const PqFill *f)
{
    return f->rules->classes && !f->rules->text_kinds;
}

/* Would the number read from the text be written as the same text?  "5" would
** be, "05" would not.  It would be written as the n bytes of spelled. */
static PqFit as_spelled(const PqFill *f, const PqCell *cell,
                        const char *spelled, size_t n)
{
    PqSlice text = pq_cell_slice(cell);

    return !texts_come_back(f) ||
                   (text.n == n && memcmp(text.p, spelled, n) == 0)
               ? PQ_FITS : PQ_FIT_SPELLED;
}

/* ---- integers ------------------------------------------------------------ */

static PqFit in_range(const PqFill *f, int64_t v)
{
    return v >= f->low && v <= f->high ? PQ_FITS : PQ_FIT_RANGE;
}

/* A number with a fraction is not an integer, whether in range or not. */
static PqFit whole(PqParse parse)
{
    return parse == PQ_PARSE_FINER ? PQ_FIT_NOT : (PqFit)parse;
}

static PQ_COLD PqFit other_integer(const PqFill *f, const PqCell *cell,
                                   int64_t *out)
{
    char spelled[PQ_NUMBER_TEXT_ROOM];
    PqFit fit;

    switch (cell->kind) {
    case PQ_CELL_INT:
        *out = cell->i;
        break;
    case PQ_CELL_REAL:
        if (!pq_fill_is_whole(cell->r, out)) {
            return fabs(cell->r) >= 0x1p63 ? PQ_FIT_RANGE : PQ_FIT_NOT;
        }
        break;
    case PQ_CELL_TEXT:
        fit = whole(pq_number_parse_i64(pq_cell_slice(cell), out));
        if (fit == PQ_FITS) {
            fit = as_spelled(f, cell, spelled,
                             pq_number_text_i64(*out, spelled));
        }
        if (fit != PQ_FITS) {
            return fit;
        }
        break;
    default:
        return PQ_FIT_NOT;
    }
    return in_range(f, *out);
}

static inline PqFit one_i32(PqFill *f, const PqCell *cell, void *out)
{
    int64_t v = cell->i;

    if (PQ_UNLIKELY(cell->kind != PQ_CELL_INT || v < f->low || v > f->high)) {
        PqFit fit = other_integer(f, cell, &v);

        if (fit != PQ_FITS) {
            return fit;
        }
    }
    *(uint32_t *)out = (uint32_t)v;
    return PQ_FITS;
}
PQ_FILL_KIND(i32, int32_t)

static inline PqFit one_i64(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_UNLIKELY(cell->kind != PQ_CELL_INT)) {
        return other_integer(f, cell, out);
    }
    *(int64_t *)out = cell->i;
    return PQ_FITS;
}
PQ_FILL_KIND(i64, int64_t)

static PQ_COLD PqFit other_u64(const PqFill *f, const PqCell *cell,
                               uint64_t *out)
{
    char spelled[PQ_NUMBER_TEXT_ROOM];
    PqFit fit;

    switch (cell->kind) {
    case PQ_CELL_INT:
        return PQ_FIT_RANGE;         /* negative */
    case PQ_CELL_REAL:
        if (!(cell->r >= 0 && cell->r < 0x1p64)) {
            return isnan(cell->r) ? PQ_FIT_NOT : PQ_FIT_RANGE;
        }
        *out = (uint64_t)cell->r;
        return (double)*out == cell->r ? PQ_FITS : PQ_FIT_NOT;
    case PQ_CELL_TEXT:
        fit = whole(pq_number_parse_u64(pq_cell_slice(cell), out));
        return fit != PQ_FITS ? fit
               : texts_are_others(f) && *out <= INT64_MAX
                   ? PQ_FIT_SPELLED
                   : as_spelled(f, cell, spelled,
                                pq_number_text_u64(*out, spelled));
    default:
        return PQ_FIT_NOT;
    }
}

static inline PqFit one_u64(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_UNLIKELY(cell->kind != PQ_CELL_INT || cell->i < 0)) {
        return other_u64(f, cell, out);
    }
    *(uint64_t *)out = (uint64_t)cell->i;
    return PQ_FITS;
}
PQ_FILL_KIND(u64, uint64_t)

static PQ_COLD PqFit other_boolean(PqFill *f, const PqCell *cell, uint8_t *out)
{
    static const char *const words[][2] = {
        {"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"},
        {"off", "on"}};
    int64_t v;
    PqFit fit;

    if (cell->kind == PQ_CELL_TEXT) {
        PqSlice s = pq_parse_trim(pq_cell_slice(cell));

        for (size_t i = 0; i < 2 * PQ_COUNT(words); i++) {
            if (pq_parse_is_word(s, words[i / 2][i % 2])) {
                *out = i % 2;
                return PQ_FITS;
            }
        }
    }
    fit = other_integer(f, cell, &v);
    *out = fit == PQ_FITS && v == 1;
    return fit == PQ_FIT_RANGE ? PQ_FIT_NOT : fit;
}

static inline PqFit one_boolean(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_UNLIKELY(cell->kind != PQ_CELL_INT || (uint64_t)cell->i > 1)) {
        return other_boolean(f, cell, out);
    }
    *(uint8_t *)out = (uint8_t)cell->i;
    return PQ_FITS;
}
PQ_FILL_KIND(boolean, uint8_t)

/* ---- floating point ------------------------------------------------------ */

static bool is_double(int64_t v)
{
    int64_t back;

    return pq_fill_is_whole((double)v, &back) && back == v;
}

static PQ_COLD PqFit other_double(const PqFill *f, const PqCell *cell,
                                  double *out)
{
    char spelled[PQ_NUMBER_TEXT_ROOM];
    PqFit fit;

    switch (cell->kind) {
    case PQ_CELL_INT:
        *out = (double)cell->i;
        return !f->rules->exact_numbers || is_double(cell->i) ? PQ_FITS
                                                              : PQ_FIT_RANGE;
    case PQ_CELL_REAL:
        *out = cell->r;
        return PQ_FITS;
    case PQ_CELL_TEXT:
        fit = (PqFit)pq_number_parse_double(pq_cell_slice(cell), out);
        return fit != PQ_FITS || isnan(*out) ? fit
               : texts_are_others(f)
                   ? PQ_FIT_SPELLED
                   : as_spelled(f, cell, spelled,
                                pq_number_text_double(*out, spelled));
    default:
        return PQ_FIT_NOT;
    }
}

static inline PqFit one_double(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_UNLIKELY(cell->kind != PQ_CELL_REAL)) {
        return other_double(f, cell, out);
    }
    *(double *)out = cell->r;
    return PQ_FITS;
}
PQ_FILL_KIND(double, double)

/* Each class is converted directly: through a double some values would be
** rounded twice. */
static PQ_COLD PqFit other_float(const PqFill *f, const PqCell *cell,
                                 float *out)
{
    PqFit fit;

    switch (cell->kind) {
    case PQ_CELL_INT:
        *out = (float)cell->i;
        return PQ_FITS;
    case PQ_CELL_REAL:
        *out = (float)cell->r;       /* infinite, NaN or too large */
        return isinf(cell->r) || isnan(cell->r) ? PQ_FITS : PQ_FIT_RANGE;
    case PQ_CELL_TEXT:
        fit = (PqFit)pq_number_parse_float(pq_cell_slice(cell), out);
        return fit == PQ_FITS && texts_are_others(f) && !isnan(*out)
                   ? PQ_FIT_SPELLED : fit;
    default:
        return PQ_FIT_NOT;
    }
}

static inline PqFit one_float(PqFill *f, const PqCell *cell, void *out)
{
    /* From here on a finite double rounds to an infinite float. */
    const double beyond = 0x1.ffffffp127;

    if (PQ_UNLIKELY(cell->kind != PQ_CELL_REAL || !(fabs(cell->r) < beyond))) {
        return other_float(f, cell, out);
    }
    *(float *)out = (float)cell->r;
    return PQ_FITS;
}
PQ_FILL_KIND(float, float)

/* A text is read as a double first. */
static PqFit one_float16(PqFill *f, const PqCell *cell, void *out)
{
    double v = 0;
    PqFit fit = other_double(f, cell, &v);
    uint16_t bits;
    uint8_t *p;

    if (fit != PQ_FITS) {
        return fit;
    }
    if (!pq_float16_bits(v, &bits)) {
        return PQ_FIT_RANGE;
    }
    if (!(p = pq_fill_bytes(f, sizeof bits, out))) {
        return PQ_FIT_FAILED;
    }
    memcpy(p, &bits, sizeof bits);
    return PQ_FITS;
}
PQ_FILL_KIND(float16, PqStr)
