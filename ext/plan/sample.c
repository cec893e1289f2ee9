/*
** sample.c - what the footer says about some row groups of the first file.
**
** The hard part is the number of different values (kinds_of), because hardly
** any writer counts them.  Several hints allow at most a number, and the least
** counts.
*/
#include "ext/plan/sample.h"

#include <math.h>

/* The bytes that are kept of a text. */
enum { LONGEST_TEXT = 64 };

/* What is taken for granted where nothing is known. */
static const double null_share = 0.05, usual_entries = 1000;

void pqext_sample_free(PqextSample *s)
{
    if (s) {
        pq_arena_free(&s->arena);
        sqlite3_free(s);
    }
}

/* ---- which row groups ---------------------------------------------------- */

static void add_group(PqextSample *s, const PqFooter *f, uint32_t group)
{
    s->group[s->n] = group;
    s->rows[s->n] = (double)f->groups[group].num_rows;
    s->all_rows += s->rows[s->n++];
}

static void choose_groups(PqextSample *s, const PqFooter *f)
{
    uint32_t last = f->n_groups - 1;

    s->each = last / PQEXT_SAMPLE_MOST + 1;
    s->between = s->each > 1 ? (double)s->each / f->n_groups : 0;
    for (uint32_t i = 0; i < f->n_groups; i += s->each) {
        add_group(s, f, i);
    }
    if (s->group[s->n - 1] < last) {
        add_group(s, f, last);
    }
}

PqextSample *pqext_sample(PqextTable *t)
{
    const PqFooter *f = t->table->footers[0];
    PqextSample *s;
    PqErr e = PQ_NO_ERR;

    if (t->sample || f->n_groups == 0) {
        return t->sample;
    }
    s = sqlite3_malloc(sizeof *s);
    if (!s) {
        return NULL;
    }
    memset(s, 0, sizeof *s);
    pq_arena_init(&s->arena, t->host->engine->mem);
    s->columns = pq_arena_zeros(&s->arena, t->n_columns + 1u,
                                sizeof *s->columns, &e);
    s->entries = pq_arena_zeros(&s->arena, t->n_columns + 1u,
                                sizeof *s->entries, &e);
    s->boxes = pq_arena_zeros(&s->arena, t->n_columns + 1u, sizeof *s->boxes,
                              &e);
    if (!s->columns || !s->entries || !s->boxes) {
        pq_err_clear(&e);
        pqext_sample_free(s);
        return NULL;
    }
    choose_groups(s, f);
    t->sample = s;
    return s;
}

uint32_t pqext_sample_few(const PqextSample *s, uint32_t few[PQEXT_SAMPLE_FEW])
{
    uint32_t some[PQEXT_SAMPLE_FEW] = {0, s->n / 2, s->n - 1}, n = 0;

    for (uint32_t i = 0; i < PQEXT_SAMPLE_FEW; i++) {
        if (n == 0 || s->group[some[i]] > few[n - 1]) {
            few[n++] = s->group[some[i]];
        }
    }
    return n;
}

/* ---- a column ------------------------------------------------------------ */

/* The leaf of a column in the first file, or NULL.  A column of a union may
** come from another file. */
static const PqLeaf *leaf_of(const PqextTable *t, uint32_t column)
{
    const PqFooter *f = t->table->footers[0];
    const PqColumn *c = &t->table->columns[column];

    if (c->kind == PQ_COLUMN_VARIANT_PATH) {
        return pq_table_path_leaf(t->table, f, column);
    }
    return pq_column_is_leaf(c) &&
                   (uint32_t)c->node->leaf < f->schema.n_leaves &&
                   f->schema.leaves[c->node->leaf].node == c->node
               ? &f->schema.leaves[c->node->leaf] : NULL;
}

/* Makes a value outlive its room; the beginning of a long value will do. */
static bool keep_value(PqArena *a, PqCell *v, PqErr *e)
{
    v->n = v->n < LONGEST_TEXT ? v->n : LONGEST_TEXT;
    return pq_cell_keep(v, a, e) == PQ_OK;
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

/* As many as the chunk counted, but not more than lie between its bounds, or
** than its dictionary can hold.  The dictionary is stored before the data, but
** some writers do not say where. */
static double kinds_of(const PqColumnMetaData *m, const PqextSummary *s,
                       double rows)
{
    double kinds = rows;

    if (m->statistics.distinct_count > 0) {
        return (double)m->statistics.distinct_count;
    }
    if (s->placed) {
        double span = (double)s->high - (double)s->low + 1;

        kinds = span < kinds ? span : kinds;
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

static bool take_bounds(PqextTable *t, PqextSample *s, const PqType *type,
                        const PqBounds *b, PqextSummary *out, PqErr *e)
{
    char low[PQEXT_BOUND_ROOM], high[PQEXT_BOUND_ROOM];

    if (!b->has_min || !b->has_max) {
        return true;
    }
    out->placed = pq_type_has_places(type) &&
                  pq_place_of(type, b->min, &out->low) &&
                  pq_place_of(type, b->max, &out->high);
    out->bounded = pqext_bound_value(t, type, b->min, low, &out->min) &&
                   pqext_bound_value(t, type, b->max, high, &out->max) &&
                   out->min.kind == out->max.kind;
    return !out->bounded || (keep_value(&s->arena, &out->min, e) &&
                             keep_value(&s->arena, &out->max, e));
}

static bool summarize(PqextTable *t, PqextSample *s, const PqLeaf *leaf,
                      uint32_t i, PqextSummary *out, PqErr *e)
{
    const PqFooter *f = t->table->footers[0];
    double rows = s->rows[i] > 0 ? s->rows[i] : 1;
    PqColumnChunk chunk;
    PqArena scratch;
    PqBounds b;
    bool done = false;

    out->type = &leaf->type;
    pq_arena_init(&scratch, t->host->engine->mem);
    if (pq_footer_chunk(f, s->group[i], leaf->index, &scratch, &chunk, e) ==
        PQ_OK) {
        b = pq_stats_chunk(f, leaf->index, &chunk.meta_data);
        if (leaf->max_rep > 0 && chunk.meta_data.num_values > 0) {
            rows = (double)chunk.meta_data.num_values;
        }
        out->nulls = b.all_null ? 1
                     : b.n_nulls >= 0 ? (double)b.n_nulls / rows : null_share;
        done = take_bounds(t, s, &leaf->type, &b, out, e);
        out->kinds = kinds_of(&chunk.meta_data, out, rows);
    }
    pq_arena_free(&scratch);
    return done;
}

const PqextSummary *pqext_sample_column(PqextTable *t, uint32_t column)
{
    PqextSample *s = pqext_sample(t);
    const PqLeaf *leaf = leaf_of(t, column);
    PqextSummary *v;
    PqErr e = PQ_NO_ERR;

    if (!s || !leaf || !t->options.trust_stats) {
        return NULL;
    }
    if (s->columns[column]) {
        return s->columns[column];
    }
    v = pq_arena_zeros(&s->arena, s->n, sizeof *v, &e);
    for (uint32_t i = 0; v && i < s->n; i++) {
        if (!summarize(t, s, leaf, i, &v[i], &e)) {
            v = NULL;                /* reading it gives the error  */
        }
    }
    pq_err_clear(&e);
    s->columns[column] = v;
    return v;
}

/* What a few chunks of a leaf have together; no rows: it is not known. */
typedef struct Chunks {
    double   rows, bytes, page;      /* page: bytes of the largest one, about */
} Chunks;

enum { USUAL_PAGE = 1 << 20 };       /* in files that have indexes of pages */

static Chunks look_at_chunks(PqextTable *t, uint32_t leaf)
{
    const PqFooter *f = t->table->footers[0];
    const PqextSample *s = pqext_sample(t);
    uint32_t few[PQEXT_SAMPLE_FEW] = {0}, n = s ? pqext_sample_few(s, few) : 0;
    Chunks c = {0};
    PqArena scratch;
    PqErr e = PQ_NO_ERR;

    pq_arena_init(&scratch, t->host->engine->mem);
    for (uint32_t i = 0; i < n; i++) {
        PqColumnChunk chunk;
        double bytes;

        if (pq_footer_chunk(f, few[i], leaf, &scratch, &chunk, &e) != PQ_OK) {
            c = (Chunks){0};
            break;
        }
        bytes = (double)chunk.meta_data.total_uncompressed_size;
        c.rows += (double)f->groups[few[i]].num_rows;
        c.bytes += bytes;
        c.page = fmax(c.page, PQ_HAS(&chunk, PQ_CHUNK_OFFSET_INDEX_OFFSET)
                                  ? fmin(bytes, USUAL_PAGE) : bytes);
    }
    pq_err_clear(&e);
    pq_arena_free(&scratch);
    return c;
}

double pqext_sample_bytes(PqextTable *t, uint32_t leaf)
{
    Chunks c = look_at_chunks(t, leaf);

    return c.rows > 0 ? c.bytes / c.rows : 0;
}

double pqext_sample_page(PqextTable *t, uint32_t leaf)
{
    return look_at_chunks(t, leaf).page;
}
