/*
** shred_fixture.c - see shred_fixture.h.
*/
#include "test/unit/shred_fixture.h"

#include <stdlib.h>

void shred_open(Test *t, Shred *f, const PqSchema *schema,
                const PqFillRules *rules)
{
    static const PqFillRules strict;

    memset(f, 0, sizeof *f);
    f->t = t;
    f->schema = schema;
    f->node = schema->root->child[0];
    if (f->node->n_leaves > SHRED_LEAVES) {
        abort();
    }
    pq_json_shred_new(t->mem, schema, f->node, rules ? rules : &strict,
                      &f->shred, t->e);
    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        pq_leaf_batch_init(&f->batch[i],
                           &schema->leaves[f->node->first_leaf + i], t->mem);
    }
    pq_cells_init(&f->cells, t->mem);
    pq_buf_init(&f->text, t->mem, t->e);
}

void shred_close(Shred *f)
{
    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        pq_leaf_batch_free(&f->batch[i]);
    }
    pq_json_shred_free(f->shred);
    pq_cells_free(&f->cells);
    pq_buf_free(&f->text);
}

static PqCells *one_more(Shred *f)
{
    PqErr e;

    pq_err_init(&e);
    if (pq_cells_reserve(&f->cells, &e) != PQ_OK) {
        abort();
    }
    return &f->cells;
}

static void add_bytes(Shred *f, PqCellClass cls, PqSlice s)
{
    PqErr e;

    pq_err_init(&e);
    if (pq_cells_bytes(one_more(f), cls, s.p, s.n, &e) != PQ_OK) {
        abort();
    }
}

void shred_row(Shred *f, const char *json)
{
    if (json) {
        add_bytes(f, PQ_CELL_TEXT, pq_slice_text(json));
    } else {
        pq_cells_null(one_more(f));
    }
}

void shred_blob(Shred *f, PqSlice blob)
{
    add_bytes(f, PQ_CELL_BLOB, blob);
}

void shred_int(Shred *f, int64_t v)
{
    pq_cells_int(one_more(f), v);
}

void shred_real(Shred *f, double v)
{
    pq_cells_real(one_more(f), v);
}

PqRc shred_fill(Shred *f)
{
    uint32_t from = f->n_filled;
    PqRc rc;

    f->misfit = UINT32_MAX;
    rc = pq_json_shred_fill(f->shred, f->batch, &f->cells, from,
                            f->cells.n - from, &f->misfit, f->t->e);
    f->n_filled = rc == PQ_USAGE ? f->misfit + 1 : f->cells.n;
    return rc;
}

const char *shred_levels(Shred *f, uint32_t leaf)
{
    const PqLeafBatch *b = &f->batch[leaf];

    f->text.n = 0;
    for (uint32_t i = 0; b->leaf->max_rep && i < b->n_entries; i++) {
        pq_buf_byte(&f->text, (uint8_t)('0' + b->rep[i]));
    }
    pq_buf_byte(&f->text, ' ');
    for (uint32_t i = 0; i < b->n_entries; i++) {
        pq_buf_byte(&f->text,
                    (uint8_t)('0' + (pq_leaf_batch_has_levels(b) ? b->def[i]
                                     : pq_leaf_batch_has_valid(b)
                                         ? pq_bit(b->valid, i)
                                         : 0)));
    }
    pq_buf_byte(&f->text, 0);
    return (const char *)f->text.p;
}

/* ---- out again ----------------------------------------------------------- */

typedef struct Spaced {
    PqVector  vector;
    uint64_t *valid;
    char     *values;
    uint16_t *def;
} Spaced;

/* Values as a reader has them, with gaps for nulls. */
static void space_out(const PqLeafBatch *b, Spaced *out)
{
    size_t width = pq_physical_width(b->leaf->type.physical);
    uint32_t n = b->n_entries, k = 0;

    out->valid = calloc(n / 64 + 1, sizeof *out->valid);
    out->values = calloc(n + 1, width);
    if (!out->valid || !out->values) {
        abort();
    }
    for (uint32_t i = 0; i < n; i++) {
        bool has = pq_leaf_batch_has_levels(b) ? b->def[i] == b->leaf->max_def
                   : pq_leaf_batch_has_valid(b) ? pq_bit(b->valid, i)
                                                : true;
        if (has) {
            out->valid[i / 64] |= UINT64_C(1) << i % 64;
            memcpy(out->values + i * width,
                   (const char *)b->values + k++ * width, width);
        }
    }
    if (k != b->n_values) {
        abort();
    }
    out->vector = (PqVector){
        .leaf = b->leaf, .n_rows = b->n_rows, .n_slots = n,
        .rep = b->leaf->max_rep ? b->rep : NULL, .valid = out->valid,
        .def = pq_leaf_batch_has_levels(b) ? b->def : NULL,
        .values = out->values};
}

static Spaced spaced[SHRED_LEAVES];

/* Every leaf gets definition levels. */
static void make_levels(const PqLeafBatch *b, Spaced *s)
{
    uint16_t *def = calloc(s->vector.n_slots + 1, sizeof *def);

    if (!def) {
        abort();
    }
    for (uint32_t i = 0; i < s->vector.n_slots; i++) {
        def[i] = pq_leaf_batch_has_levels(b) ? b->def[i]
                 : b->leaf->max_def ? pq_bit(s->valid, i) : 0;
    }
    s->vector.def = s->def = def;
}

const PqVector *const *shred_vectors(Shred *f)
{
    static const PqVector *vectors[SHRED_LEAVES];

    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        space_out(&f->batch[i], &spaced[i]);
        make_levels(&f->batch[i], &spaced[i]);
        vectors[i] = &spaced[i].vector;
    }
    return vectors;
}

void shred_vectors_free(Shred *f)
{
    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        free(spaced[i].valid);
        free(spaced[i].values);
        free(spaced[i].def);
    }
}

static PqRc print_rows(Shred *f, PqJsonRows *j, uint32_t n_rows)
{
    const PqStr *texts;
    uint32_t n;

    for (uint32_t row = 0; row < n_rows; row += n) {
        PQ_TRY(pq_json_rows_write(j, row, n_rows, 1 << 20, &n, &texts,
                                  f->t->e));
        for (uint32_t i = 0; i < n; i++) {
            if (texts[i].p) {
                pq_buf_add(&f->text, texts[i].p, texts[i].n);
            }
            pq_buf_byte(&f->text, '\n');
        }
    }
    return PQ_OK;
}

const char *shred_rows(Shred *f, bool map_entries)
{
    PqJsonOptions options = {.map_entries = map_entries};
    PqJsonRows *j = NULL;

    f->text.n = 0;
    if (pq_json_rows_new(f->t->mem, f->node, &options, &j, f->t->e) ||
        pq_json_rows_begin(j, shred_vectors(f), f->batch[0].n_rows,
                           f->t->e) ||
        print_rows(f, j, f->batch[0].n_rows)) {
        pq_buf_printf(&f->text, "%s", f->t->e->text);
    }
    pq_json_rows_free(j);
    shred_vectors_free(f);
    pq_buf_byte(&f->text, 0);
    return f->text.p ? (const char *)f->text.p : f->t->e->text;
}

const char *shred_counts(Shred *f)
{
    f->text.n = 0;
    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        const PqLeafBatch *b = &f->batch[i];
        size_t words = pq_leaf_batch_has_valid(b) ? (b->entries_room + 63) / 64
                                                  : 0;
        unsigned bits = 0, n_bytes = 0;

        for (size_t k = 0; k < words; k++) {
            bits += (unsigned)__builtin_popcountll(b->valid[k]);
        }
        for (uint32_t k = 0; b->leaf->type.physical == PQ_BYTE_ARRAY &&
                             k < b->n_values; k++) {
            n_bytes += ((const PqStr *)b->values)[k].n;
        }
        pq_buf_printf(&f->text, "%u values, %u entries, %u rows, %u bits, "
                      "%s bytes; ", b->n_values, b->n_entries, b->n_rows, bits,
                      b->n_bytes == n_bytes ? "right" : "wrong");
    }
    pq_buf_byte(&f->text, 0);
    return (const char *)f->text.p;
}
