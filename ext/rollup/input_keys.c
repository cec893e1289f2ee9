/*
** input_keys.c - the keys of a batch.
**
** A key is the stored vector as it is, wherever equal stored values are one
** value of SQLite (pqext_key_form).  For other values, and for those that are met
** for the first time, pqext_inputs_cell gives the value of SQLite.
*/
#include "ext/rollup/inputs_inside.h"

#include "ext/cursor/cursor_scan.h"

/* Booleans are stored in a byte each; a key has integers of 4 bytes at least. */
static PqRc widen(PqextInputs *in, uint32_t n_rows, PqRollupKeyVector *out,
                  PqErr *e)
{
    const uint8_t *from = out->values;
    const uint64_t *valid = out->ids ? NULL : out->valid;
    uint32_t n = out->ids ? out->n_entries : n_rows;
    int32_t *to = pq_arena_zeros(&in->batch, n + 1, sizeof *to, e);

    PQ_TRY(to ? PQ_OK : e->rc);
    PQ_EACH_BIT(i, valid, n) {
        to[i] = from[i];
    }
    out->values = to;
    out->width = sizeof *to;
    return PQ_OK;
}

/* Two types with one meaning show a stored value alike. */
static uint64_t meaning_of(const PqType *t)
{
    return (uint64_t)t->physical | (uint64_t)t->logical << 8 |
           (uint64_t)t->unit << 16 | (uint64_t)t->is_signed << 20 |
           (uint64_t)t->bit_width << 24 | (uint64_t)(uint32_t)t->scale << 32;
}

/* Does the host show the stored value itself? */
static bool is_as_is(const PqextTable *t, PqGroupForm form, const PqType *type)
{
    switch (form) {
    case PQ_GROUP_INTS:
        return type->logical == PQ_TYPE_NONE ||
               (type->logical == PQ_TYPE_INT &&
                !(pq_type_is_unsigned(type))) ||
               (type->logical == PQ_TYPE_DECIMAL && type->scale == 0 &&
                !t->values.decimal_text);
    case PQ_GROUP_REALS:
        return true;
    case PQ_GROUP_BYTES:
        return pqext_is_string(t, type);
    default:
        return false;
    }
}

static PqRc stored_key(PqextInputs *in, const PqNode *node,
                       PqRollupKeyVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const PqVector *v;

    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    out->valid = v->valid;
    out->values = v->values;
    out->width = (uint8_t)pq_physical_width(node->type.physical);
    if (v->dict) {
        out->values = v->dict->values;
        out->ids = v->ids;
        out->n_entries = v->dict->n;
        out->entries_serial = v->dict->serial;
    }
    return node->type.physical == PQ_BOOLEAN ? widen(in, n, out, e) : PQ_OK;
}

static PqRc key_of_scan(PqextInputs *in, const PqextInputKey *k, PqRollupKeyVector *out,
                        PqErr *e)
{
    PqNumbers n;

    if (pq_column_is_of_files(pqext_input_column(in, k->column))) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS, .constant = true};
        return PQ_OK;
    }
    PQ_TRY(pqext_input_numbers(in, k->column, &n, e));
    if (k->makes_of_null) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS};
        return PQ_OK;
    }
    *out = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .width = sizeof(int64_t),
                               .as_is = k->dimension->kind == PQEXT_DIM_COLUMN,
                               .valid = n.valid, .values = n.values};
    return PQ_OK;
}

/* The periods of stored instants.  For a dictionary they are made once for all
** batches. */
static PqRc periods(PqextInputs *in, PqextInputKey *k, const PqNode *node,
                    PqRollupKeyVector *out, PqErr *e)
{
    uint32_t n = out->ids ? out->n_entries
                          : pq_scan_batch(in->source->scan)->n_rows;

    k->ids = out->ids;
    if (!out->ids || k->serial != out->entries_serial) {
        int64_t *to;

        k->serial = 0;
        pq_arena_reset(&k->entries);
        to = pq_arena_alloc(&k->entries, (n + 1u) * sizeof *to, e);
        PQ_TRY(to ? PQ_OK : e->rc);
        pqext_time_keys(k->dimension->format, &node->type, out->values,
                        out->ids ? NULL : out->valid, n, to);
        k->of_entries = to;
        k->serial = out->ids ? out->entries_serial : 0;
    }
    k->periods = k->of_entries;
    out->meaning = 0;                /* periods of all types are alike */
    out->values = k->periods;
    out->width = sizeof *k->periods;
    return PQ_OK;
}

/* The expression's value for NULL, as of coalesce(x, '-').  A program's own
** function may fail.  This matters only to rows that are NULL: they ask
** again. */
static PqRc ask_of_null(PqextInputs *in, PqextInputKey *k, PqErr *e)
{
    PqCell null = {.kind = PQ_CELL_NULL}, out;
    PqRc rc;

    if (k->null_known || k->dimension->kind == PQEXT_DIM_COLUMN) {
        return PQ_OK;
    }
    rc = pqext_ask(&k->ask, in->definition, k->dimension, &null, &out, e);
    if (rc == PQ_USAGE) {
        pq_err_clear(e);
    } else if (rc != PQ_OK) {
        return rc;
    }
    k->makes_of_null = rc != PQ_OK || out.kind != PQ_CELL_NULL;
    k->null_known = true;
    return PQ_OK;
}

PqRc pqext_inputs_leave_host(PqextInputs *in, PqErr *e)
{
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(ask_of_null(in, &in->keys[i], e));
        in->keys[i].ask.db = NULL;
    }
    return PQ_OK;
}

/* NULL in all rows. */
static PqRc key_without_values(PqextInputs *in, const PqextInputKey *k,
                               PqRollupKeyVector *out, PqErr *e)
{
    void *none = pq_arena_zeros(&in->batch, 1, sizeof(uint64_t), e);

    *out = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .constant = true,
                               .width = sizeof(int64_t), .valid = none,
                               .values = none};
    if (k->makes_of_null) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS, .constant = true};
    }
    return none ? PQ_OK : e->rc;
}

/* How the keys of a column are looked up.  An expression may distinguish 0.0
** and -0.0, so its REALs are looked up by their bits, as integers. */
static PqGroupForm form_of(const PqextInputs *in, const PqextInputKey *k,
                           const PqType *stored)
{
    if (k->dimension->kind == PQEXT_DIM_COLUMN) {
        return pqext_key_form(in->source->table, k->column, stored, false);
    }
    switch (stored->physical) {
    case PQ_INT96:
        return PQ_GROUP_CELLS;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return PQ_GROUP_BYTES;
    default:
        return PQ_GROUP_INTS;
    }
}

PqRc pqext_input_load_key(PqextInputs *in, PqextInputKey *k,
                          PqRollupKeyVector *out, PqErr *e)
{
    const PqNode *node;
    bool leaf;

    PQ_TRY(ask_of_null(in, k, e));
    if (!pq_column_is_of_pages(pqext_input_column(in, k->column))) {
        return key_of_scan(in, k, out, e);
    }
    node = pqext_plain_leaf(in->source, k->column, &leaf);
    k->periods = NULL;
    if (leaf && (!node || node->type.logical == PQ_TYPE_UNKNOWN)) {
        return key_without_values(in, k, out, e);
    }
    *out = (PqRollupKeyVector){
        .form = leaf ? form_of(in, k, &node->type) : PQ_GROUP_CELLS};
    if (out->form != PQ_GROUP_CELLS) {
        PQ_TRY(stored_key(in, node, out, e));
        out->meaning = meaning_of(&node->type);
        out->as_is = k->dimension->kind == PQEXT_DIM_COLUMN &&
                     is_as_is(in->source->table, out->form, &node->type);
    }
    if (k->makes_of_null && out->valid) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS};
    }
    return out->form != PQ_GROUP_CELLS && k->dimension->kind == PQEXT_DIM_TIME &&
                   pqext_time_is_stored(&node->type)
               ? periods(in, k, node, out, e) : PQ_OK;
}

/* The expression's value for a row. */
static PqRc ask(PqextInputs *in, PqextInputKey *k, uint32_t row, PqCell *out,
                PqErr *e)
{
    PqCell v;

    PQ_TRY(pqext_scan_cell(in->source, k->column, row, &v, e));
    return pqext_ask(&k->ask, in->definition, k->dimension, &v, out, e);
}

static PqRc computed(PqextInputs *in, PqextInputKey *k, uint32_t row, PqCell *out,
                     PqErr *e)
{
    const PqRollupKeyVector *v = &in->key_vectors[k - in->keys];
    size_t n;

    if (k->periods && (!v->valid || pq_bit(v->valid, row)) &&
        pqext_time_text(k->dimension->format,
                        k->periods[k->ids ? k->ids[row] : row], k->room, &n)) {
        *out = pq_cell_text(pq_slice(k->room, n));
        return PQ_OK;
    }
    return ask(in, k, row, out, e);
}

PqRc pqext_inputs_cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                       PqErr *e)
{
    PqextInputs *in = arg;
    PqextInputKey *k = &in->keys[key];

    return k->dimension->kind == PQEXT_DIM_COLUMN
               ? pqext_scan_cell(in->source, k->column, row, out, e)
               : computed(in, k, row, out, e);
}
