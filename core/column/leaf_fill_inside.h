/*
** leaf_fill_inside.h - shared by the files that implement leaf_fill.h.
**
**   leaf_fill.c          chooses the kind of a type; nulls and misfits
**   leaf_fill_number.c   BOOLEAN, integers, floating point
**   leaf_fill_decimal.c  DECIMAL
**   leaf_fill_time.c     DATE, TIME, TIMESTAMP, INT96, INTERVAL
**   leaf_fill_text.c     texts and bytes
**   leaf_fill_geo.c      geometries, and their boxes (covering_fill.h)
**
** A kind is one function that stores one cell.  PQ_FILL_KIND generates a loop
** around it, so that the compiler can inline it.  Common cases come first in
** the function; rare ones are calls out of the loop.
*/
#ifndef PQ_LEAF_FILL_INSIDE_H
#define PQ_LEAF_FILL_INSIDE_H

#include "core/column/leaf_fill.h"
#include "core/text/parse.h"

/* Whether a cell fits, and why not.  The first values are the same as in
** PqParse. */
typedef enum PqFit {
    PQ_FITS = PQ_PARSE_OK,
    PQ_FIT_NOT = PQ_PARSE_NOT,
    PQ_FIT_RANGE = PQ_PARSE_RANGE,
    PQ_FIT_FINER = PQ_PARSE_FINER,
    PQ_FIT_LENGTH,                   /* it is not as long as the FIXED       */
    PQ_FIT_UTF8,                     /* a text that is not UTF-8             */
    PQ_FIT_WHY,                      /* not JSON, not WKB; the error says
                                     ** why                                  */
    PQ_FIT_REAL,                     /* a REAL has too few exact digits      */
    PQ_FIT_SPELLED,                  /* a number that would be written back  */
                                     /* differently                          */
    PQ_FIT_CLASS,                    /* of a class that is not taken         */
    PQ_FIT_NULL,                     /* is NULL                              */
    PQ_FIT_FAILED                    /* no memory; the error says so         */
} PqFit;

typedef struct PqFill {
    const PqType      *type;
    const PqFillRules *rules;
    PqLeafBatch       *b;
    PqErr             *e;
    int64_t            low, high;    /* of integers, and of those that become
                                     ** a DECIMAL                            */
    int64_t            unit;         /* of a time: units per second; of a    */
                                     /* DECIMAL: 1 as an unscaled value      */
    unsigned           classes;      /* those taken; never NULL              */
    size_t             n_bytes;      /* of BYTE_ARRAY values so far          */
    PqFit              fit;          /* of the cell that did not fit         */
} PqFill;

/* Writes the value of a cell that is not NULL to out, as the physical type. */
typedef PqFit PqFillOne(PqFill *f, const PqCell *cell, void *out);

/* Writes the *n_values values of n cells to out; entry belongs to the first
** cell.  Returns how many cells were stored: if less than n, the next one is a
** misfit. */
typedef uint32_t PqFillRun(PqFill *f, const PqCell *cells, uint32_t n,
                           uint32_t entry, void *out, uint32_t *n_values);

typedef struct PqFillKind {
    PqFillOne *one;
    PqFillRun *run;
} PqFillKind;

/* A cell's class is not taken.  Does it fit all the same, as a TEXT of a kind
** that is taken?  The cell is not NULL. */
PqFit pq_fill_class(const PqFill *f, const PqCell *cell);

/* Makes the entry of a cell that does not fit NULL, if it may be: the bits of
** all entries were set before. */
static inline bool pq_fill_null(PqFill *f, PqFit fit, uint32_t entry)
{
    if (!f->b->valid || fit == PQ_FIT_FAILED ||
        (fit != PQ_FIT_NULL && !f->rules->null_misfits)) {
        f->fit = fit;
        return false;
    }
    if (fit == PQ_FIT_WHY) {
        pq_err_clear(f->e);
    }
    f->b->valid[entry / 64] &= ~((uint64_t)1 << entry % 64);
    return true;
}

/* Defines pq_fill_<name>, with a loop around one_<name>, for values of type. */
#define PQ_FILL_KIND(name, type)                                             \
    static uint32_t run_##name(PqFill *f, const PqCell *cells, uint32_t n,   \
                               uint32_t entry, void *out,                    \
                               uint32_t *n_values)                           \
    {                                                                        \
        const unsigned taken = f->classes;                                   \
        type *to = out;                                                      \
        uint32_t i;                                                          \
                                                                             \
        for (i = 0; i < n; i++) {                                            \
            PqFit fit = PQ_FITS;                                             \
                                                                             \
            if (!(taken >> cells[i].kind & 1)) {                             \
                fit = cells[i].kind == PQ_CELL_NULL                          \
                          ? PQ_FIT_NULL : pq_fill_class(f, &cells[i]);  \
            }                                                                \
            if (PQ_LIKELY(fit == PQ_FITS)) {                                 \
                fit = one_##name(f, &cells[i], to);                     \
            }                                                                \
            if (PQ_LIKELY(fit == PQ_FITS)) {                                 \
                to++;                                                        \
            } else if (!pq_fill_null(f, fit, entry + i)) {                   \
                break;                                                       \
            }                                                                \
        }                                                                    \
        *n_values = (uint32_t)(to - (type *)out);                            \
        return i;                                                            \
    }                                                                        \
    const PqFillKind pq_fill_##name = {one_##name, run_##name};

/* What an INT96 looks like in an array. */
typedef struct PqFill96 {
    uint8_t bytes[12];
} PqFill96;

/* n bytes that belong to the batch, followed by a NUL, become the value.  NULL:
** no memory. */
static inline uint8_t *pq_fill_bytes(PqFill *f, size_t n, PqStr *out)
{
    uint8_t *p = pq_arena_bytes(&f->b->bytes, n + 1, f->e);

    if (p) {
        p[n] = 0;
        *out = (PqStr){p, (uint32_t)n};
        f->n_bytes += n;
    }
    return p;
}

/* Is r a whole number within 64 bits? */
static inline bool pq_fill_is_whole(double r, int64_t *out)
{
    // cppcheck-suppress incorrectLogicOperator
    if (!(r >= -0x1p63 && r < 0x1p63)) {
        return false;
    }
    *out = (int64_t)r;
    return (double)*out == r;
}

extern const PqFillKind
    pq_fill_boolean, pq_fill_i32, pq_fill_i64, pq_fill_u64, pq_fill_float,
    pq_fill_double, pq_fill_float16, pq_fill_decimal_i32, pq_fill_decimal_i64,
    pq_fill_decimal_bytes, pq_fill_date, pq_fill_time_i32, pq_fill_time_i64,
    pq_fill_timestamp, pq_fill_time96, pq_fill_int96, pq_fill_interval, pq_fill_string,
    pq_fill_json, pq_fill_uuid, pq_fill_bytes_or_text, pq_fill_blob,
    pq_fill_geometry, pq_fill_unknown;

#endif
