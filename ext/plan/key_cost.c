/*
** key_cost.c - which columns rows can be found by, and what that costs.
**
** SQLite chooses which table of a join is asked for keys, and whether it is: by
** estimates in steps of its own, of which one takes about 10 ns.  The other way
** round, all rows of this table are given, and each is looked up in a native
** one, in 23 steps where that has an index, and else with 140 million for an
** automatic one.
**
** Making the index is paid for once, by all calls.  How many there will be is
** not known; SQLite takes a table that it has no statistics of for a million
** rows, and so does this.
*/
#include "ext/plan/estimate.h"
#include "ext/condition/meaning.h"
#include "ext/cursor/key.h"

#include <math.h>

/* Types of which every value that is equal to an operand can be listed.  There
** would be two of a zero, and of a UINT64 there may be a number or a text. */
bool pqext_key_can(const PqextTable *t, uint32_t column)
{
    const PqType *type = &t->table->columns[column].type;

    return pqext_affinity(t, column) != PQEXT_AFF_NONE &&
           pqext_meaning(t, type).order != PQ_WANTED_CELLS &&
           type->physical != PQ_BOOLEAN && !pq_type_is_float(type) &&
           !pq_type_is_u64(type);
}

/* ---- what the file says ---------------------------------------------------- */

enum { GROUPS_ASKED = 8 };

/* Some row groups of a column, of the first file. */
typedef struct Sample {
    const PqFooter *f;
    const PqLeaf   *leaf;
    uint32_t        n_groups;
    double          rows, bytes;     /* of them; bytes when they are kept    */
    bool            bounded;         /* all have bounds, integers that are   */
    double          min, max, width; /* ... so far apart together            */
} Sample;

static bool is_integer(const PqType *type)
{
    return type->physical == PQ_INT32 || type->physical == PQ_INT64;
}

static bool add_group(Sample *s, uint32_t group, PqArena *a)
{
    PqColumnChunk chunk;
    PqBounds b;
    PqErr e;

    pq_err_init(&e);
    if (pq_footer_chunk(s->f, group, s->leaf->index, a, &chunk, &e) != PQ_OK) {
        return false;
    }
    s->n_groups++;
    s->rows += (double)s->f->groups[group].num_rows;
    s->bytes += (double)chunk.meta_data.total_uncompressed_size *
                (is_integer(&s->leaf->type) ? 0.6 : 1);
    b = pq_stats_chunk(s->f, s->leaf->index, &chunk.meta_data);
    s->bounded = s->bounded && b.has_min && b.has_max &&
                 is_integer(&s->leaf->type);
    if (s->bounded) {
        double min = (double)pq_key_integer(&s->leaf->type, b.min.p);
        double max = (double)pq_key_integer(&s->leaf->type, b.max.p);

        s->min = min < s->min ? min : s->min;
        s->max = max > s->max ? max : s->max;
        s->width += max - min + 1;
    }
    return true;
}

/* False: there is nothing to be learned. */
static bool take_sample(const PqextTable *t, uint32_t leaf, uint32_t n,
                        Sample *out)
{
    const PqFooter *f = t->table->footers[0];
    uint32_t step = f->n_groups / n + 1, i;
    bool read = f->n_groups > 0;
    PqArena a;

    *out = (Sample){.f = f, .leaf = &f->schema.leaves[leaf], .bounded = true,
                    .min = INFINITY, .max = -INFINITY};
    pq_arena_init(&a, t->host->engine->mem);
    for (i = 0; i < f->n_groups && read; i += step) {
        read = add_group(out, i, &a);
    }
    if (read && (f->n_groups - 1) % step > 0) {
        read = add_group(out, f->n_groups - 1, &a);
    }
    pq_arena_free(&a);
    return read && out->rows > 0;
}

/* A column of a union may come from another file than the first. */
static bool is_of(const PqNode *node, const PqFooter *f)
{
    return node->kind == PQ_NODE_LEAF &&
           (uint32_t)node->leaf < f->schema.n_leaves &&
           f->schema.leaves[node->leaf].node == node;
}

static bool sample_key(const PqextTable *t, uint32_t column, Sample *out)
{
    const PqNode *node = t->table->columns[column].node;

    return is_of(node, t->table->footers[0]) &&
           take_sample(t, (uint32_t)node->leaf, GROUPS_ASKED, out);
}

/* Bytes that the rows of the columns take when they are kept, if it is no more
** than most; a bit per column, the last for all others. */
static double bytes_kept(const PqextTable *t, uint64_t used, double most)
{
    const PqFooter *f = t->table->footers[0];
    double sum = 0;
    uint32_t i, k;
    Sample s;

    for (i = 0; i < t->table->n_columns && sum <= most; i++) {
        const PqNode *node = t->table->columns[i].node;

        if (!(used >> (i < 63 ? i : 63) & 1) || !node ||
            node->first_leaf + node->n_leaves > f->schema.n_leaves) {
            continue;
        }
        for (k = 0; k < node->n_leaves && sum <= most; k++) {
            if (take_sample(t, node->first_leaf + k, 2, &s)) {
                sum += s.bytes / s.rows * t->rows_guess;
            }
        }
    }
    return sum;
}

/* ---- estimates ------------------------------------------------------------- */

/* As in core/scan/key_index.c: row groups overlap no more than that. */
enum { OVERLAP = 3, BYTES_PER_ROW = 12 };

static bool is_in_parts(const PqextTable *t, const Sample *s)
{
    return s->bounded && t->options.trust_stats &&
           s->width / s->n_groups * s->f->n_groups <=
               OVERLAP * (s->max - s->min + 1);
}

/* Steps: of a call, of a row that is found, and for each row of the table when
** the index is made; of a call that has to unpack rows again. */
static const double a_call = 60, a_row = 10, in_parts = 1.3, as_whole = 6,
                    as_bytes = 20, a_miss = 5000, calls = 1e6;

double pqext_key_cost(PqextTable *t, uint32_t column, uint64_t used)
{
    const PqType *type = &t->table->columns[column].type;
    double rows = t->rows_guess, memory = (double)t->options.memory;
    double indexed = rows * BYTES_PER_ROW, making;
    Sample s;
    bool known = sample_key(t, column, &s);

    making = !is_integer(type)              ? as_bytes
             : known && is_in_parts(t, &s) ? in_parts
                                            : as_whole;
    if (making == in_parts) {
        indexed = s.rows / s.n_groups * BYTES_PER_ROW;
    }
    if (indexed > memory / 2) {
        return rows * 0.9;           /* it is scanned for */
    }
    if (is_integer(type)) {          /* the index knows the key */
        used &= ~((uint64_t)(column < 63) << (column < 63 ? column : 0));
    }
    memory = memory / 8 * 7 - indexed;
    return a_call + a_row * pqext_rows_of_value(t, column) + making * rows / calls +
           (bytes_kept(t, used, memory) > memory ? a_miss : 0);
}
