/*
** estimate.c
*/
#include "ext/plan/estimate.h"

#include "ext/condition/meaning.h"

#include <math.h>

/* Of the first file: all groups, or evenly chosen ones. */
enum { MOST_GROUPS = 500, LONGEST_TEXT = 64 };

/* What is taken for granted where nothing is known. */
static const double equal_share = 0.1, range_share = 0.3, null_share = 0.05,
                    pattern_share = 0.1, in_list = 4, usual_entries = 1000;

/* A column of one of the groups. */
typedef struct Summary {
    bool       bounded;
    PqextValue min, max;
    double     nulls;                /* share of its rows                   */
    double     kinds;                /* different values                    */
} Summary;

struct PqextSample {
    PqArena    arena;
    uint32_t   n;                    /* groups                              */
    uint32_t   group[MOST_GROUPS + 1];
    double     rows[MOST_GROUPS + 1];
    double     all_rows;
    double     between;              /* what lies unseen between two of the
                                     ** groups, as a share of all           */
    Summary  **columns;              /* n each, NULL: not looked at yet     */
};

void pqext_sample_free(PqextSample *s)
{
    if (s) {
        pq_arena_free(&s->arena);
        sqlite3_free(s);
    }
}

/* ---- the sample ------------------------------------------------------------ */

static PqextSample *sample_of(PqextTable *t)
{
    const PqFooter *f = t->table->footers[0];
    uint32_t step = (f->n_groups + MOST_GROUPS - 1) / MOST_GROUPS;
    PqextSample *s;
    PqErr e;

    if (t->sample || f->n_groups == 0) {
        return t->sample;
    }
    s = sqlite3_malloc(sizeof *s);
    if (!s) {
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->between = step > 1 ? (double)step / f->n_groups : 0;
    pq_arena_init(&s->arena, t->host->engine->mem);
    pq_err_init(&e);
    s->columns = pq_arena_zeros(&s->arena, t->n_columns, sizeof *s->columns,
                                &e);
    if (!s->columns) {
        pq_err_clear(&e);
        pqext_sample_free(s);
        return NULL;
    }
    for (uint32_t i = 0; i < f->n_groups; i += step) {
        s->group[s->n] = i;
        s->rows[s->n] = (double)f->groups[i].num_rows;
        s->all_rows += s->rows[s->n++];
    }
    t->sample = s;
    return s;
}

/* The leaf a column has in the first file, or NULL. */
static const PqLeaf *leaf_of(const PqextTable *t, uint32_t column)
{
    const PqFooter *f = t->table->footers[0];
    const PqColumn *c = &t->table->columns[column];

    if (c->kind != PQ_COLUMN_NODE || c->node->kind != PQ_NODE_LEAF ||
        c->node->rep != 0 ||
        (uint32_t)c->node->leaf >= f->schema.n_leaves ||
        f->schema.leaves[c->node->leaf].node != c->node) {
        return NULL;
    }
    return &f->schema.leaves[c->node->leaf];
}

/* A value that outlives its room; of a long one the beginning will do. */
static bool keep_value(PqArena *a, PqextValue *v, PqErr *e)
{
    size_t n = v->bytes.n < LONGEST_TEXT ? v->bytes.n : LONGEST_TEXT;
    char *copy;

    if (v->kind == PQEXT_NUMBER) {
        return true;
    }
    copy = pq_arena_text(a, v->bytes.p, n, e);
    v->bytes = pq_slice(copy, copy ? n : 0);
    return copy != NULL;
}

static double number_of(const PqextValue *v)
{
    return v->is_int ? (double)v->i : v->r;
}

static bool uses_dictionary(const PqColumnMetaData *m)
{
    for (uint32_t i = 0; i < m->encodings.n; i++) {
        if (pq_encoding_is_dictionary(m->encodings.v[i])) {
            return true;
        }
    }
    return false;
}

/* How many different values a chunk has: as many as it counted; not more than
** integers lie between its bounds; as many as may be in its dictionary, which
** lies in front of its data.  Some writers do not say where. */
static double kinds_of(const PqLeaf *leaf, const PqColumnMetaData *m,
                       const PqBounds *b, double rows)
{
    bool whole = leaf->type.physical == PQ_INT32 ||
                 leaf->type.physical == PQ_INT64;
    double kinds = rows;

    if (m->statistics.distinct_count > 0) {
        return (double)m->statistics.distinct_count;
    }
    if (whole && b->has_min && b->has_max) {
        double low = (double)pq_key_integer(&leaf->type, b->min.p);
        double high = (double)pq_key_integer(&leaf->type, b->max.p);

        kinds = high - low + 1 < kinds ? high - low + 1 : kinds;
    }
    if (m->dictionary_page_offset > 0 &&
        m->data_page_offset > m->dictionary_page_offset) {
        double bytes = (double)(m->data_page_offset -
                                m->dictionary_page_offset);

        kinds = bytes / 4 < kinds ? bytes / 4 : kinds;
    } else if (uses_dictionary(m) && kinds > usual_entries) {
        kinds = usual_entries;
    }
    return kinds < 1 ? 1 : kinds;
}

static bool summarize(PqextTable *t, PqextSample *s, const PqLeaf *leaf,
                      uint32_t i, Summary *out, PqErr *e)
{
    const PqFooter *f = t->table->footers[0];
    char low[PQEXT_BOUND_ROOM], high[PQEXT_BOUND_ROOM];
    double rows = s->rows[i] > 0 ? s->rows[i] : 1;
    PqColumnChunk chunk;
    PqArena scratch;
    PqBounds b;

    pq_arena_init(&scratch, t->host->engine->mem);
    if (pq_footer_chunk(f, s->group[i], leaf->index, &scratch, &chunk, e) !=
        PQ_OK) {
        pq_arena_free(&scratch);
        return false;
    }
    b = pq_stats_chunk(f, leaf->index, &chunk.meta_data);
    out->nulls = b.all_null ? 1
                 : b.n_nulls >= 0 ? (double)b.n_nulls / rows : null_share;
    out->kinds = kinds_of(leaf, &chunk.meta_data, &b, rows);
    out->bounded = b.has_min && b.has_max &&
                   pqext_bound_value(t, &leaf->type, b.min, low, &out->min) &&
                   pqext_bound_value(t, &leaf->type, b.max, high, &out->max) &&
                   out->min.kind == out->max.kind &&
                   keep_value(&s->arena, &out->min, e) &&
                   keep_value(&s->arena, &out->max, e);
    pq_arena_free(&scratch);
    return true;
}

/* Of each group of the sample; NULL: nothing is known of the column. */
static const Summary *summary_of(PqextTable *t, PqextSample *s, uint32_t column)
{
    const PqLeaf *leaf = leaf_of(t, column);
    Summary *v;
    PqErr e;

    if (!leaf || !t->options.trust_stats) {
        return NULL;
    }
    if (s->columns[column]) {
        return s->columns[column];
    }
    pq_err_init(&e);
    v = pq_arena_zeros(&s->arena, s->n, sizeof *v, &e);
    for (uint32_t i = 0; v && i < s->n; i++) {
        if (!summarize(t, s, leaf, i, &v[i], &e)) {
            v = NULL;                /* whoever reads it says what is wrong */
        }
    }
    pq_err_clear(&e);
    s->columns[column] = v;
    return v;
}

/* ---- where a value lies ---------------------------------------------------- */

/* The bytes behind the first n_alike, as the digits of a number below 1. */
static double digits(PqSlice v, size_t n_alike)
{
    double out = 0, weight = 1;

    for (size_t i = n_alike; i < v.n && i < n_alike + 6; i++) {
        weight /= 256;
        out += v.p[i] * weight;
    }
    return out;
}

/* What share of the values from min to max are less than v: evenly spread, and
** texts by the bytes in which they first differ. */
static double share_below(const PqextValue *min, const PqextValue *max,
                          const PqextValue *v)
{
    double low, high, at;

    if (pqext_value_compare(v, min) <= 0) {
        return 0;
    }
    if (pqext_value_compare(v, max) >= 0) {
        return 1;
    }
    if (min->kind == PQEXT_NUMBER) {
        low = number_of(min);
        high = number_of(max);
        at = number_of(v);
    } else {
        size_t n = 0;

        while (n < min->bytes.n && n < max->bytes.n &&
               min->bytes.p[n] == max->bytes.p[n]) {
            n++;
        }
        low = digits(min->bytes, n);
        high = digits(max->bytes, n);
        at = digits(v->bytes, n);
    }
    return high > low && at >= low && at <= high ? (at - low) / (high - low)
                                                 : 0.5;
}

/* ---- terms ------------------------------------------------------------------ */

/* What terms say of a column of a group. */
typedef struct Cut {
    double low, high;                /* of its values, evenly spread        */
    double share;                    /* of what is between                  */
    bool   none;                     /* the bounds rule it out              */
} Cut;

/* Without a summary, or where it has no bounds. */
static double usual_share(PqextOp op)
{
    switch (op) {
    case PQEXT_EQ: case PQEXT_IS:
        return equal_share;
    case PQEXT_IN:
        return equal_share * in_list;
    case PQEXT_IS_NULL:
        return null_share;
    case PQEXT_LIKE: case PQEXT_GLOB:
        return pattern_share;
    case PQEXT_NOT_NULL: case PQEXT_NE: case PQEXT_IS_NOT:
        return 1 - null_share;
    default:
        return range_share;
    }
}

static void cut_range(Cut *c, const Summary *s, PqextOp op, const PqextValue *v)
{
    bool below = op == PQEXT_LT || op == PQEXT_LE;
    int order = pqext_value_compare(v, below ? &s->min : &s->max);
    double at = share_below(&s->min, &s->max, v);

    if (below) {
        c->none |= order < 0 || (order == 0 && op == PQEXT_LT);
        c->high = at < c->high ? at : c->high;
    } else {
        c->none |= order > 0 || (order == 0 && op == PQEXT_GT);
        c->low = at > c->low ? at : c->low;
    }
}

static void cut(Cut *c, const Summary *s, PqextOp op, const PqextValue *v)
{
    double one = 1 / s->kinds;

    switch (op) {
    case PQEXT_IS_NULL:
        c->share *= s->nulls;
        c->none |= s->nulls <= 0;
        return;
    case PQEXT_NOT_NULL:
        c->share *= 1 - s->nulls;
        c->none |= s->nulls >= 1;
        return;
    case PQEXT_NE:
    case PQEXT_IS_NOT:
        c->share *= 1 - one;
        return;
    case PQEXT_IN:
        c->share *= one * in_list < 1 ? one * in_list : 1;
        return;
    case PQEXT_EQ:
    case PQEXT_IS:
        c->share *= one;
        c->none |= v && s->bounded &&
                   (pqext_value_compare(v, &s->min) < 0 ||
                    pqext_value_compare(v, &s->max) > 0);
        return;
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        c->share *= pattern_share;
        return;
    default:
        if (v && s->bounded) {
            cut_range(c, s, op, v);
        } else {
            c->share *= range_share;
        }
        return;
    }
}

/* An operand as the column's values are compared with it; false: not known. */
static bool operand_of(const PqextTable *t, const PqextAsked *a, PqArena *arena,
                       PqextValue *out)
{
    bool numeric = pqext_affinity(t, (uint32_t)a->term.column) ==
                   PQEXT_AFF_NUMERIC;
    PqErr e;
    bool known;

    if (!a->operand || sqlite3_value_type(a->operand) == SQLITE_NULL) {
        return false;
    }
    pq_err_init(&e);
    known = pqext_value_take(a->operand, numeric, arena, out, &e) == PQ_OK;
    pq_err_clear(&e);
    return known;
}

/* All terms on the column that asked[first] is about, for each group. */
static void cut_column(PqextTable *t, PqextSample *s, const PqextAsked *asked,
                       uint32_t n, uint32_t first, PqArena *scratch,
                       double *given, bool *none)
{
    int column = asked[first].term.column;
    const Summary *groups = summary_of(t, s, (uint32_t)column);
    Cut cuts[MOST_GROUPS + 1];

    for (uint32_t g = 0; g < s->n; g++) {
        cuts[g] = (Cut){.high = 1, .share = 1};
    }
    for (uint32_t i = first; i < n; i++) {
        PqextValue v;
        bool known;

        if (asked[i].term.column != column) {
            continue;
        }
        known = groups && operand_of(t, &asked[i], scratch, &v);
        for (uint32_t g = 0; g < s->n; g++) {
            if (groups) {
                cut(&cuts[g], &groups[g], asked[i].term.op, known ? &v : NULL);
            } else {
                cuts[g].share *= usual_share(asked[i].term.op);
            }
        }
    }
    for (uint32_t g = 0; g < s->n; g++) {
        double width = cuts[g].high - cuts[g].low;
        double least = groups ? 1 / groups[g].kinds : 0;

        none[g] |= cuts[g].none;
        given[g] *= cuts[g].share * (width > least ? width : least);
    }
}

/* Columns that are not pages: files are chosen, or rows by their number. */
static double share_of_other(PqextTerm term)
{
    bool equal = term.op == PQEXT_EQ || term.op == PQEXT_IN ||
                 term.op == PQEXT_IS || term.op == PQEXT_IS_NULL;

    return term.column == PQEXT_ROWID && equal ? 1e-9 : usual_share(term.op);
}

static bool seen_before(const PqextAsked *asked, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (asked[k].term.column == asked[i].term.column) {
            return true;
        }
    }
    return false;
}

/* An operand that is not known yet reads nearly everything: where its values
** lie is not known, and a join that took the bounds for an index would read the
** file once per row of the other table. */
static double unknown_read(const PqextAsked *asked, uint32_t n)
{
    double share = 1;

    for (uint32_t i = 0; i < n; i++) {
        if (asked[i].term.by_value && !asked[i].operand) {
            share *= 0.9;
        }
    }
    return share;
}

PqextShares pqext_estimate(PqextTable *t, const PqextAsked *asked, uint32_t n)
{
    PqextShares out = {1, unknown_read(asked, n)};
    double given[MOST_GROUPS + 1] = {0}, rows = 0, read = 0;
    bool none[MOST_GROUPS + 1] = {false};
    PqextSample *s = sample_of(t);
    PqArena scratch;

    pq_arena_init(&scratch, t->host->engine->mem);
    for (uint32_t g = 0; s && g < s->n; g++) {
        given[g] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!asked[i].term.by_value) {
            out.given *= share_of_other(asked[i].term);
            out.read *= share_of_other(asked[i].term);
        } else if (!s) {
            out.given *= usual_share(asked[i].term.op);
        } else if (!seen_before(asked, i)) {
            cut_column(t, s, asked, n, i, &scratch, given, none);
        }
    }
    for (uint32_t g = 0; s && g < s->n; g++) {
        rows += none[g] ? 0 : given[g] * s->rows[g];
        read += none[g] ? 0 : s->rows[g];
    }
    pq_arena_free(&scratch);
    if (s && s->all_rows > 0) {
        out.given *= rows / s->all_rows;
        out.read *= read > 0 ? read / s->all_rows : s->between;
    }
    return out;
}

/* Integers cannot be more than lie between the bounds of all groups; a
** dictionary of one group is taken for that of all. */
double pqext_rows_of_value(PqextTable *t, uint32_t column)
{
    PqextSample *s = sample_of(t);
    const Summary *v = s ? summary_of(t, s, column) : NULL;
    double kinds = 0, min = INFINITY, max = -INFINITY, rows;
    bool numbers = v != NULL, alike = true;

    for (uint32_t g = 0; v && g < s->n; g++) {
        numbers = numbers && v[g].bounded && v[g].min.kind == PQEXT_NUMBER &&
                  v[g].min.is_int;
        if (numbers) {
            min = fmin(min, number_of(&v[g].min));
            max = fmax(max, number_of(&v[g].max));
        }
        kinds = v[g].kinds > kinds ? v[g].kinds : kinds;
        alike = alike && v[g].kinds < s->rows[g];
    }
    if (!v) {
        return 10;
    }
    if (!alike) {
        kinds = t->rows_guess;       /* as many as there are rows */
    }
    if (numbers && (!alike || max - min + 1 < kinds)) {
        kinds = max - min + 1;
    }
    rows = t->rows_guess / kinds;
    return rows > 1 ? rows : 1;
}

bool pqext_may_have_values(PqextTable *t, uint32_t column, double more_than)
{
    PqextSample *s = sample_of(t);
    const Summary *v = s ? summary_of(t, s, column) : NULL;

    for (uint32_t g = 0; v && g < s->n; g++) {
        if (v[g].kinds > more_than) {
            return true;
        }
    }
    return !v;
}
