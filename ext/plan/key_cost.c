/*
** key_cost.c - which columns rows can be found by, and what that costs.
**
** SQLite chooses which table of a join is asked for keys by their costs, in
** steps of about 10 ns.  If it chooses the other table, all rows of this one
** are given, and each is looked up there.  For a native table that takes 23
** steps if it has an index, and 140 million steps more to make an automatic one
** if not.
**
** The hard part is the cost of making the index here (key.c), which is paid
** once for all calls.  Their number is not known.  SQLite takes a table without
** statistics for a million rows, and so does this.
*/
#include "ext/cursor/key.h"
#include "ext/plan/estimate.h"
#include "ext/plan/sample.h"

#include <math.h>

/* A DECIMAL in a BYTE_ARRAY may have more sign bytes than it needs. */
static bool has_many_forms(const PqType *type)
{
    return type->physical == PQ_BYTE_ARRAY && pq_type_has_places(type);
}

/* Types for which every value that is equal to an operand can be listed, as it
** is stored.  A float has two zeros, and a UINT64 is given as a number or as a
** text. */
bool pqext_key_can(const PqextTable *t, uint32_t column)
{
    const PqType *type = &t->table->columns[column].type;

    return pqext_affinity(t, column) != PQEXT_AFF_NONE &&
           pqext_meaning(t, type).order != PQ_WANTED_CELLS &&
           type->physical != PQ_BOOLEAN && !pq_type_is_float(type) &&
           !pq_type_is_u64(type) && !has_many_forms(type);
}

/* ---- what the file says -------------------------------------------------- */

/* The bounds of the keys in the sample; none without keys in a row group. */
static uint32_t bounds_of(const PqextSample *s, const PqextSummary *v,
                          PqKeyBounds *out)
{
    uint32_t n = 0;

    for (uint32_t g = 0; g < s->n; g++) {
        if (v[g].nulls < 1) {
            out[n] = (PqKeyBounds){.min = INT64_MIN, .max = INT64_MAX, .of = n};
            if (v[g].placed) {
                out[n].min = (int64_t)v[g].low;
                out[n].max = (int64_t)v[g].high;
            }
            n++;
        }
    }
    return n;
}

/* Would there be an index of each row group? */
static bool is_in_parts(PqextTable *t, uint32_t column)
{
    const PqextSummary *v = pqext_sample_column(t, column);
    PqKeyBounds bounds[PQEXT_SAMPLE_ROOM];

    return v && pq_key_bounds_sort(bounds, bounds_of(t->sample, v, bounds),
                                   t->sample->each);
}

/* Integers are kept packed. */
static const double packed_integer = 0.6;

/* What a column is in the first file, or NULL; of a path, its typed_value. */
static const PqNode *node_of(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];
    const PqLeaf *leaf;

    if (c->kind != PQ_COLUMN_VARIANT_PATH) {
        return c->node;
    }
    leaf = pq_table_path_leaf(t->table, t->table->footers[0], column);
    return leaf ? leaf->node : NULL;
}

/* Bytes that the rows of the columns take when they are kept, if it is no more
** than most; a bit per column, the last for all others. */
static double bytes_kept(PqextTable *t, uint64_t used, double most)
{
    const PqSchema *schema = &t->table->footers[0]->schema;
    double sum = 0;

    for (uint32_t i = 0; i < t->table->n_columns && sum <= most; i++) {
        const PqNode *node = used >> (i < 63 ? i : 63) & 1 ? node_of(t, i)
                                                           : NULL;

        if (!node ||
            node->first_leaf + node->n_leaves > schema->n_leaves) {
            continue;
        }
        for (uint32_t k = 0; k < node->n_leaves && sum <= most; k++) {
            uint32_t leaf = node->first_leaf + k;

            sum += pqext_sample_bytes(t, leaf) * t->rows_guess *
                   (pq_key_is_stored(&schema->leaves[leaf].type)
                        ? packed_integer : 1);
        }
    }
    return sum;
}

/* ---- estimates ----------------------------------------------------------- */

enum { BYTES_PER_ROW = 12 };         /* of an index: core/scan/key_index.c  */

/* Steps: of a call, of a row that is found, and for each row of the table when
** the index is made; of a call that has to unpack rows again. */
static const double a_call = 60, a_row = 10, in_parts = 1.3, as_whole = 6,
                    as_bytes = 20, a_miss = 5000, calls = 1e6;

double pqext_key_cost(PqextTable *t, uint32_t column, uint64_t used)
{
    bool stored = pq_key_is_stored(&t->table->columns[column].type);
    double rows = t->rows_guess, memory = (double)t->options.memory;
    double indexed = rows * BYTES_PER_ROW, making;

    making = !stored                   ? as_bytes
             : is_in_parts(t, column) ? in_parts
                                       : as_whole;
    if (making == in_parts) {
        indexed = t->sample->all_rows / t->sample->n * BYTES_PER_ROW;
    }
    if (indexed > memory / 2) {
        return rows * 0.9;           /* it is scanned for */
    }
    if (stored) {                    /* the index knows the key */
        used &= ~((uint64_t)(column < 63) << (column < 63 ? column : 0));
    }
    memory = memory / 8 * 7 - indexed;
    return a_call + a_row * pqext_rows_of_value(t, column) +
           making * rows / calls +
           (bytes_kept(t, used, memory) > memory ? a_miss : 0);
}
