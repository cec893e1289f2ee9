/*
** rollup_few.c - the loops that add rows to lines (rollup_few.h), for
** rollup_by_id.c and rollup_sum_rows.c.
*/
#include "core/rollup/rollup_few.h"

#include "core/rollup/rollup_sum_inside.h"

#include <math.h>
#include <string.h>

typedef PqSumReals Reals;

/* The sum and the lost part of each line. */
typedef struct Lines {
    Reals left[PQ_FEW_LINES], right[PQ_FEW_LINES];
} Lines;

#define INLINED static inline __attribute__((always_inline))

INLINED uint32_t at(const uint32_t *rows, uint32_t i)
{
    return rows ? rows[i] : i;
}

/* Adds each number of a pair to its line, with what rounding loses. */
INLINED void add_pair(Reals *a, Reals *b, Reals x)
{
    Reals sum = {(*a)[0], (*b)[0]}, lost = {(*a)[1], (*b)[1]};
    Reals t = sum + x, back = t - sum;

    lost += (sum - (t - back)) + (x - back);
    *a = (Reals){t[0], lost[0]};
    *b = (Reals){t[1], lost[1]};
}

/* Inlined for each way that ids and values come. */
INLINED void gather(const uint32_t *ids, const uint32_t *id_rows,
                    const uint32_t *rows, uint32_t n, const double *v,
                    Lines *lines)
{
    Reals nothing = {0};
    uint32_t i = 0;

    for (; i + 2 <= n; i += 2) {
        add_pair(&lines->left[ids[at(id_rows, i)]],
                 &lines->right[ids[at(id_rows, i + 1)]],
                 rows ? (Reals){v[rows[i]], v[rows[i + 1]]}
                      : *(const Reals *)(v + i));
    }
    if (i < n) {
        add_pair(&lines->left[ids[at(id_rows, i)]], &nothing,
                 (Reals){v[at(rows, i)], 0});
    }
}

static PqRollupReal sum_of(const Lines *lines, uint32_t i)
{
    Reals a = lines->left[i], b = lines->right[i];
    PqRollupReal sum = {a[0], a[1]};

    pq_sum_both(&sum, (PqRollupReal){b[0], b[1]});
    return sum;
}

static void add_in_order(PqRollupReal *to, const PqFewRows *f, const double *v)
{
    for (uint32_t i = 0; i < f->w.n; i++) {
        uint32_t row = pq_rollup_row(&f->w, i);

        pq_sum_real(&to[f->groups ? f->groups[f->ids[row]] : f->ids[i]], v[row]);
    }
}

/* Rows go left and right in turns.  Such sums may overflow where a sum in the
** order of the rows does not.  A line without rows may have no group. */
void pq_few_add(PqRollupReal *to, const PqFewRows *f, const double *v)
{
    const uint32_t *rows = f->w.rows;
    bool finite = true;
    Lines lines;

    memset(lines.left, 0, f->n_lines * sizeof *lines.left);
    memset(lines.right, 0, f->n_lines * sizeof *lines.right);
    if (!rows) {
        gather(f->ids, NULL, NULL, f->w.n, v, &lines);
    } else if (f->groups) {
        gather(f->ids, rows, rows, f->w.n, v, &lines);
    } else {
        gather(f->ids, NULL, rows, f->w.n, v, &lines);
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        finite = finite && isfinite(sum_of(&lines, i).sum);
    }
    if (!finite) {
        add_in_order(to, f, v);
        return;
    }
    for (uint32_t i = 0; i < f->n_lines; i++) {
        PqRollupReal sum = sum_of(&lines, i);

        if (sum.sum != 0 || sum.lost != 0) {
            pq_sum_both(&to[f->groups ? f->groups[i] : i], sum);
        }
    }
}
