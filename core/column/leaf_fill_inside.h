/*
** leaf_fill_inside.h - inside leaf_fill.h: one kind of value after the other.
**
**   leaf_fill.c          chooses the kind of a type, nulls, misfits
**   leaf_fill_number.c   BOOLEAN, integers, floating point
**   leaf_fill_decimal.c  DECIMAL
**   leaf_fill_time.c     DATE, TIME, TIMESTAMP, INT96, INTERVAL
**   leaf_fill_text.c     texts and bytes
**
** A kind is one function that puts one cell.  A loop over cells is made around
** each, so that the compiler sees the two together; the common cases of the
** function come first, and what is rare is a call out of the loop.
*/
#ifndef PQ_LEAF_FILL_INSIDE_H
#define PQ_LEAF_FILL_INSIDE_H

#include "core/column/leaf_fill.h"
#include "core/text/parse.h"

/* How a cell fits.  The first ones are those of PqParse. */
typedef enum PqFit {
    PQ_FITS = PQ_PARSE_OK,
    PQ_FIT_NOT = PQ_PARSE_NOT,
    PQ_FIT_RANGE = PQ_PARSE_RANGE,
    PQ_FIT_FINER = PQ_PARSE_FINER,
    PQ_FIT_LENGTH,                   /* bytes of another length than FIXED's */
    PQ_FIT_UTF8,                     /* a text that is none                  */
    PQ_FIT_JSON,                     /* no JSON; the error says why          */
    PQ_FIT_REAL,                     /* a REAL has not the digits            */
    PQ_FIT_SPELLED,                  /* a number, written in another way     */
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
    int64_t            unit;         /* per second; what 1 is, unscaled      */
    unsigned           classes;      /* that are taken; NULL is none of them */
    size_t             n_bytes;      /* of BYTE_ARRAY, put so far            */
    PqFit              fit;          /* of the cell that did not             */
} PqFill;

/* The value of a cell that is not NULL to out, of the physical type. */
typedef PqFit PqFillOne(PqFill *f, PqCellClass cls, const PqCell *cell,
                        void *out);

/* The values of n cells to out, *n_values of them; entry is the first one's.
** How many cells were put: less than n, and the next is a misfit. */
typedef uint32_t PqFillRun(PqFill *f, const uint8_t *classes,
                           const PqCell *cells, uint32_t n, uint32_t entry,
                           void *out, uint32_t *n_values);

typedef struct PqFillKind {
    PqFillOne *one;
    PqFillRun *run;
} PqFillKind;

/* A cell that is not NULL, of a class that is not taken: a TEXT may be of a kind
** that is. */
PqFit pq_fill_class(const PqFill *f, PqCellClass cls, const PqCell *cell);

/* The bits of all entries are set; does this one become NULL? */
static inline bool pq_fill_null(PqFill *f, PqFit fit, uint32_t entry)
{
    if (!f->b->valid || fit == PQ_FIT_FAILED ||
        (fit != PQ_FIT_NULL && !f->rules->null_misfits)) {
        f->fit = fit;
        return false;
    }
    if (fit == PQ_FIT_JSON) {
        pq_err_clear(f->e);
    }
    f->b->valid[entry / 64] &= ~((uint64_t)1 << entry % 64);
    return true;
}

/* pq_fill_<name> around one_<name>, for values of a type. */
#define PQ_FILL_KIND(name, type)                                             \
    static uint32_t run_##name(PqFill *f, const uint8_t *classes,            \
                               const PqCell *cells, uint32_t n,              \
                               uint32_t entry, void *out,                    \
                               uint32_t *n_values)                           \
    {                                                                        \
        const unsigned taken = f->classes;                                   \
        type *to = out;                                                      \
        uint32_t i;                                                          \
                                                                             \
        for (i = 0; i < n; i++) {                                            \
            PqCellClass cls = (PqCellClass)classes[i];                       \
            PqFit fit = PQ_FITS;                                             \
                                                                             \
            if (!(taken >> cls & 1)) {                                       \
                fit = cls == PQ_CELL_NULL                                    \
                          ? PQ_FIT_NULL : pq_fill_class(f, cls, &cells[i]);  \
            }                                                                \
            if (PQ_LIKELY(fit == PQ_FITS)) {                                 \
                fit = one_##name(f, cls, &cells[i], to);                     \
            }                                                                \
                                                                             \
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

static inline PqSlice pq_fill_slice(const PqCell *cell)
{
    return pq_slice(cell->s.p, cell->s.n);
}

/* n bytes that belong to the batch and a NUL behind them, as a value; NULL: no
** memory. */
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

/* Whole and within 64 bits. */
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
    pq_fill_unknown;

#endif
