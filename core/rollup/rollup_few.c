/*
** rollup_few.c - see rollup_few.h: the loops.  What they are used for: rollup_by_id.c
** and rollup_sum_rows.c.
*/
#include "core/rollup/rollup_few.h"

#include "core/rollup/rollup_sum_inside.h"

#include <math.h>
#include <string.h>

typedef PqSumReals Reals;
typedef PqSumWords Words;

/* No line lies across two lines of the cache. */
typedef struct Line {
    union {
        Reals reals;                 /* sum, lost                           */
        Words words;                 /* sums of the low and the high halves */
    };
    uint64_t n, unused;
} __attribute__((aligned(32))) Line;

typedef struct Lines {
    Line left[PQ_FEW_LINES], right[PQ_FEW_LINES];
} Lines;

/* The same loop for each way that rows and ids come. */
#define EACH_WAY(loop, ...)                                                    \
    do {                                                                       \
        const uint32_t *rows_ = f->w.rows;                                     \
        if (!rows_) {                                                          \
            loop(f->ids, NULL, NULL, __VA_ARGS__);                             \
        } else if (f->by_row) {                                                \
            loop(f->ids, rows_, rows_, __VA_ARGS__);                           \
        } else {                                                               \
            loop(f->ids, NULL, rows_, __VA_ARGS__);                            \
        }                                                                      \
    } while (0)

#define INLINED static inline __attribute__((always_inline))

INLINED uint32_t at(const uint32_t *rows, uint32_t i)
{
    return rows ? rows[i] : i;
}

/* ---- counts ---------------------------------------------------------------- */

INLINED void count(const uint32_t *ids, const uint32_t *id_rows,
                   const uint32_t *rows, uint32_t n, uint64_t *counts)
{
    (void)rows;
    for (uint32_t i = 0; i < n; i++) {
        counts[ids[at(id_rows, i)]]++;
    }
}

void pq_few_count(const PqFewRows *f, uint64_t *counts)
{
    memset(counts, 0, f->n_lines * sizeof *counts);
    EACH_WAY(count, f->w.n, counts);
}

/* ---- reals ----------------------------------------------------------------- */

/* Each of a pair to its line, with what rounding loses. */
INLINED void add_reals(Line *a, Line *b, Reals x)
{
    Reals sum = {a->reals[0], b->reals[0]}, lost = {a->reals[1], b->reals[1]};
    Reals t = sum + x, back = t - sum;

    lost += (sum - (t - back)) + (x - back);
    a->reals = (Reals){t[0], lost[0]};
    b->reals = (Reals){t[1], lost[1]};
    a->n++;
    b->n++;
}

INLINED void gather_reals(const uint32_t *ids, const uint32_t *id_rows,
                          const uint32_t *rows, uint32_t n, const double *v,
                          Lines *lines)
{
    Line nothing;
    uint32_t i = 0;

    for (; i + 2 <= n; i += 2) {
        add_reals(&lines->left[ids[at(id_rows, i)]],
                  &lines->right[ids[at(id_rows, i + 1)]],
                  rows ? (Reals){v[rows[i]], v[rows[i + 1]]}
                       : *(const Reals *)(v + i));
    }
    if (i < n) {
        memset(&nothing, 0, sizeof nothing);
        add_reals(&lines->left[ids[at(id_rows, i)]], &nothing,
                  (Reals){v[at(rows, i)], 0});
    }
}

static void begin(Lines *lines, uint32_t n)
{
    memset(lines->left, 0, n * sizeof *lines->left);
    memset(lines->right, 0, n * sizeof *lines->right);
}

bool pq_few_reals(const PqFewRows *f, const double *v, PqFewReal *out)
{
    bool finite = true;
    Lines lines;

    begin(&lines, f->n_lines);
    EACH_WAY(gather_reals, f->w.n, v, &lines);
    for (uint32_t i = 0; i < f->n_lines; i++) {
        const Line *a = &lines.left[i], *b = &lines.right[i];

        out[i].real = (PqRollupReal){a->reals[0], a->reals[1]};
        pq_sum_both(&out[i].real, (PqRollupReal){b->reals[0], b->reals[1]});
        out[i].n = a->n + b->n;
        finite = finite && isfinite(out[i].real.sum);
    }
    return finite;
}

void pq_few_reals_in_order(const PqFewRows *f, const double *v,
                           const uint32_t *groups, PqRollupReal *to)
{
    for (uint32_t i = 0; i < f->w.n; i++) {
        uint32_t row = pq_rollup_row(&f->w, i);
        uint32_t line = f->ids[f->by_row ? row : i];

        pq_sum_real(&to[groups ? groups[line] : line], v[row]);
    }
}

/* ---- integers -------------------------------------------------------------- */

INLINED void add_int(Line *to, int64_t v)
{
    uint64_t x = (uint64_t)v ^ pq_sum_bias;

    to->words += (Words){(uint32_t)x, x >> 32};
    to->n++;
}

INLINED void gather_ints(const uint32_t *ids, const uint32_t *id_rows,
                         const uint32_t *rows, uint32_t n, const int64_t *v,
                         Lines *lines)
{
    uint32_t i = 0;

    for (; i + 2 <= n; i += 2) {
        add_int(&lines->left[ids[at(id_rows, i)]], v[at(rows, i)]);
        add_int(&lines->right[ids[at(id_rows, i + 1)]], v[at(rows, i + 1)]);
    }
    if (i < n) {
        add_int(&lines->left[ids[at(id_rows, i)]], v[at(rows, i)]);
    }
}

void pq_few_ints(const PqFewRows *f, const int64_t *v, PqFewInt *out)
{
    Lines lines;

    begin(&lines, f->n_lines);
    EACH_WAY(gather_ints, f->w.n, v, &lines);
    for (uint32_t i = 0; i < f->n_lines; i++) {
        Words sum = lines.left[i].words + lines.right[i].words;

        out[i].n = lines.left[i].n + lines.right[i].n;
        out[i].sum = pq_sum_of_halves(sum[0], sum[1], out[i].n);
    }
}
