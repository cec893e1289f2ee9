/*
** join_cost.c - which columns rows can be found by, and what that costs.
**
** SQLite chooses which table of a join is asked for keys by their costs.  If it
** chooses the other table, all rows of this one are given, and each is looked
** up there.  So the prices of a call, of a given row, and SQLite's own prices
** for a native table must have one unit.  SQLite counts 3 steps for a scanned
** row of a native table, and 23 for a row that an index finds.  That is 20 ns a
** step, by processor time (TPC-H at scale 0.3, SQLite 3.40.1):
**
**   native   a row scanned, 1 to 7 columns          25 .. 160 ns     3 steps
**            a row looked up, in no order          450 .. 650       23
**   here     a row given: 10, and for each column     15 .. 20      0.5 + 0.75
**            a row tested and left out                 5 .. 8       0.3
**            a call that finds nothing              100 .. 300      6
**            ... for each column of the rows         80 .. 140      4
**            ... for each other term                 50 .. 100      4
**            a row that it finds, with one column    60 .. 75       2 + 1.25
**            a row of the index made: in parts       15 .. 30       1
**                                     as a whole     50 .. 60       3
**
** The hard part is the cost of making the index (cursor_join.c).  It is paid
** once for all calls, and SQLite asks for a price per call.  So it is shared
** out among the keys, as if each key were asked for once: a call that finds
** many rows pays for indexing as many.
*/
#include "ext/plan/plan.h"

#include "ext/plan/sample.h"

#include <math.h>

/* A DECIMAL in a BYTE_ARRAY may have more sign bytes than it needs. */
static bool has_many_forms(const PqType *type)
{
    return type->physical == PQ_BYTE_ARRAY && pq_type_has_places(type);
}

/* Does the type allow listing all stored values that are equal to an operand? */
bool pqext_join_can(const PqextTable *t, uint32_t column)
{
    const PqType *type = &t->table->columns[column].type;

    return pqext_affinity(t, column) != PQEXT_AFF_NONE &&
           pqext_meaning(t, type).order != PQ_WANTED_CELLS &&
           type->physical != PQ_BOOLEAN && !has_many_forms(type);
}

/* ---- what the file says -------------------------------------------------- */

/* The bounds of the keys in the sample; none without keys in a row group. */
static uint32_t bounds_of(const PqextSample *s, const PqextSummary *v,
                          PqJoinBounds *out)
{
    uint32_t n = 0;

    for (uint32_t g = 0; g < s->n; g++) {
        if (v[g].nulls < 1) {
            out[n] = (PqJoinBounds){.min = INT64_MIN, .max = INT64_MAX,
                                    .of = n};
            if (v[g].placed) {
                out[n].min = (int64_t)v[g].low;
                out[n].max = (int64_t)v[g].high;
            }
            n++;
        }
    }
    return n;
}

/* Would each row group get its own index? */
static bool is_in_parts(PqextTable *t, uint32_t column)
{
    const PqextSummary *v = pqext_sample_column(t, column);
    PqJoinBounds bounds[PQEXT_SAMPLE_ROOM];

    return v && pq_join_bounds_sort(bounds, bounds_of(t->sample, v, bounds),
                                    t->sample->each);
}

/* Integers are kept packed. */
static const double packed_integer = 0.6;

/* The column's node in the first file, or NULL; for a path, its typed_value. */
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

/* The bytes that the rows of the columns take when they are kept.  used: a bit per
** column, the last for all others. */
static double bytes_kept(PqextTable *t, uint64_t used)
{
    const PqSchema *schema = &t->table->footers[0]->schema;
    double sum = 0;

    for (uint32_t i = 0; i < t->table->n_columns; i++) {
        const PqNode *node = used >> (i < 63 ? i : 63) & 1 ? node_of(t, i)
                                                           : NULL;

        if (!node ||
            node->first_leaf + node->n_leaves > schema->n_leaves) {
            continue;
        }
        for (uint32_t k = 0; k < node->n_leaves; k++) {
            uint32_t leaf = node->first_leaf + k;

            sum += pqext_sample_bytes(t, leaf) * t->rows_guess / t->elements *
                   (pq_join_key_is_stored(&schema->leaves[leaf].type)
                        ? packed_integer : 1);
        }
    }
    return sum;
}

/* ---- estimates ----------------------------------------------------------- */

/* Sizes in an index: core/scan/join_index.c. */
enum { BYTES_PER_ROW = 12, BYTES_PER_START = 16, LONG_LISTS = 1 << 14 };

/* Steps (see the head): for a call, its columns and other terms, and a row that
** it finds; for each row of the table when the index is made; for a call that
** has to unpack rows again, at least, and for each byte then; and for a row that is
** tested if there is no index.  a_list, an_element: see the head, lists. */
static const double a_call = 6, a_column = 4, a_term = 4, a_find = 2,
                    in_parts = 1, as_whole = 3, as_bytes = 8, a_miss = 2500,
                    a_byte = 0.1, a_test = 0.3, a_list = 100, an_element = 1;

/* A call for a row that was not kept unpacks half a page of each column.  Keys that are
** numbers mostly come in the order of the rows, and then find it kept.  Texts do not.
** share: of the rows that cannot be kept. */
static double cost_of_miss(PqextTable *t, bool stored, uint64_t used, double share)
{
    double bytes = 0;

    for (uint32_t i = 0; i < t->table->n_columns && !stored; i++) {
        const PqNode *node = used >> (i < 63 ? i : 63) & 1 ? node_of(t, i) : NULL;

        if (node && pq_node_is_flat_leaf(node) &&
            (uint32_t)node->leaf < t->table->footers[0]->schema.n_leaves) {
            bytes += pqext_sample_page(t, (uint32_t)node->leaf);
        }
    }
    return fmax(a_miss, share * bytes / 2 * a_byte);
}

double pqext_row_cost(uint64_t used)
{
    return 0.5 + 0.75 * __builtin_popcountll(used);
}

double pqext_join_cost(PqextTable *t, uint32_t column, uint64_t used,
                       uint32_t n_others, double given)
{
    bool stored = pq_join_key_is_stored(&t->table->columns[column].type);
    bool unnested = t->table->unnest.n > 0;
    double rows = t->rows_guess, memory = (double)t->options.memory;
    double indexed = rows * BYTES_PER_ROW, found, making, call, kept;

    making = !stored                                ? as_bytes
             : !unnested && is_in_parts(t, column) ? in_parts
                                                    : as_whole;
    if (making == in_parts) {
        indexed = t->sample->all_rows / t->sample->n * BYTES_PER_ROW;
    }
    if (unnested) {                  /* the index knows the rows of elements */
        indexed = 2 * (indexed + rows / t->elements * BYTES_PER_START);
    }
    if (indexed > memory / 2 || t->elements > LONG_LISTS) {
        return rows * a_test;        /* it is scanned for */
    }
    found = pqext_rows_of_value(t, column);
    given = given < found ? given : found;
    if (stored && !unnested) {       /* the index knows the key */
        used &= ~((uint64_t)(column < 63) << (column < 63 ? column : 0));
    }
    memory = memory / 8 * 7 - indexed;
    kept = bytes_kept(t, used);
    call = a_call + a_column * __builtin_popcountll(used) + a_term * n_others;
    if (unnested) {                  /* lists are gathered and tested */
        call += a_list + found * t->elements * (a_test + an_element);
    }
    return call + found * (a_find + making) + given * pqext_row_cost(used) +
           (kept > memory ? cost_of_miss(t, stored, used, 1 - fmax(memory, 0) / kept) : 0);
}
