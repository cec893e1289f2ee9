/*
** inputs.c - a batch of the source becomes vectors of keys and inputs.
**
** A key is the stored vector as it is, wherever equal stored values are one value
** of SQLite (key_form.h).  Of others, and of those that are met for the first
** time, pqext_inputs_cell tells the value.
**
** The smallest and the largest of a column are found among stored numbers and
** texts where their order is that of the values; dates are compared as the texts
** that they are to SQLite.
*/
#include "ext/rollup/inputs.h"

#include "ext/cursor/key_form.h"
#include "ext/rollup/dimension_ask.h"
#include "ext/rollup/measure.h"
#include "ext/rollup/measure_numbers.h"
#include "ext/rollup/time_format.h"

typedef struct Key {
    const PqextDimension *dimension;
    uint32_t  column;
    PqsqlCell cell;                  /* that was asked for last             */
    PqextAsk  ask;                   /* EXPRESSION, TIME                    */
    /* TIME: the keys of the batch, by entry where there are ids. */
    const int64_t  *periods;
    const uint32_t *ids;
    bool      null_known, makes_of_null;         /* NULL becomes a value    */
    PqArena   entries;               /* those of a dictionary               */
    uint64_t  serial;
    char      room[PQEXT_TIME_ROOM];
} Key;

typedef struct Input {
    const PqextMeasure *measure;
    PqsqlCell cell;
} Input;

struct PqextInputs {
    PqMem                 *mem;
    const PqextDefinition *definition;
    PqextCursor           *source;
    Key                   *keys;
    Input                 *inputs;
    uint32_t               n_keys, n_inputs;
    PqextNumberColumn     *columns;  /* one for each that measures use      */
    uint32_t               n_columns;
    PqRollupKeyVector     *key_vectors;
    PqRollupInputVector   *input_vectors;
    PqArena                batch;    /* what the vectors point to           */
};

/* ---- made once ------------------------------------------------------------- */

static uint32_t columns_used(const PqextInputs *in)
{
    uint32_t n = in->n_keys;

    for (uint32_t i = 0; i < in->n_inputs; i++) {
        const PqextMeasure *m = in->inputs[i].measure;

        n += m->program ? m->program->n_columns : 1;
    }
    return n;
}

static PqRc make_room(PqextInputs *in, PqErr *e)
{
    PqMem *m = in->mem;

    in->columns = pq_mem_zeros(m, columns_used(in) + 1, sizeof *in->columns, e);
    in->key_vectors = pq_mem_zeros(m, in->n_keys + 1, sizeof *in->key_vectors,
                                   e);
    in->input_vectors = pq_mem_zeros(m, in->n_inputs + 1,
                                     sizeof *in->input_vectors, e);
    return in->columns && in->key_vectors && in->input_vectors ? PQ_OK : e->rc;
}

PqRc pqext_inputs_new(const PqextDefinition *d, PqextCursor *source,
                      const uint32_t *dimensions, uint32_t n_dimensions,
                      const uint32_t *measures, uint32_t n_measures,
                      PqextInputs **out, PqErr *e)
{
    PqMem *mem = source->table->host->engine->mem;
    PqextInputs *in = pq_mem_zeros(mem, 1, sizeof *in, e);

    *out = NULL;
    if (!in) {
        return e->rc;
    }
    *in = (PqextInputs){.mem = mem, .definition = d, .source = source,
                        .n_keys = n_dimensions, .n_inputs = n_measures};
    pq_arena_init(&in->batch, mem);
    in->keys = pq_mem_zeros(mem, n_dimensions + 1, sizeof *in->keys, e);
    in->inputs = pq_mem_zeros(mem, n_measures + 1, sizeof *in->inputs, e);
    if (!in->keys || !in->inputs) {
        pqext_inputs_free(in);
        return e->rc;
    }
    for (uint32_t i = 0; i < n_dimensions; i++) {
        in->keys[i].dimension = &d->dimensions[dimensions[i]];
        in->keys[i].column = in->keys[i].dimension->column;
        pqext_ask_init(&in->keys[i].ask, source->table->host->db, mem);
        pq_arena_init(&in->keys[i].entries, mem);
    }
    for (uint32_t i = 0; i < n_measures; i++) {
        in->inputs[i].measure = &d->measures[measures[i]];
    }
    if (make_room(in, e) != PQ_OK) {
        pqext_inputs_free(in);
        return e->rc;
    }
    *out = in;
    return PQ_OK;
}

void pqext_inputs_free(PqextInputs *in)
{
    if (in) {
        for (uint32_t i = 0; in->keys && i < in->n_keys; i++) {
            pqext_ask_reset(&in->keys[i].ask);
            pq_arena_free(&in->keys[i].entries);
        }
        pq_arena_free(&in->batch);
        pq_mem_free(in->keys);
        pq_mem_free(in->inputs);
        pq_mem_free(in->columns);
        pq_mem_free(in->key_vectors);
        pq_mem_free(in->input_vectors);
        pq_mem_free(in);
    }
}

/* ---- columns --------------------------------------------------------------- */

static const PqColumn *column_of(const PqextInputs *in, uint32_t column)
{
    return &in->source->table->table->columns[column];
}

static PqRc numbers(PqextInputs *in, uint32_t column, PqNumbers *out, PqErr *e)
{
    uint32_t i = 0;

    while (i < in->n_columns && in->columns[i].column != column) {
        i++;
    }
    if (i == in->n_columns) {
        in->columns[in->n_columns++] = (PqextNumberColumn){.column = column};
    }
    PQ_TRY(pqext_numbers_load(&in->columns[i], in->source, &in->batch, e));
    *out = in->columns[i].numbers;
    return PQ_OK;
}

/* What SQLite sees in a row of a column of pages. */
static PqRc cell_of_row(PqextInputs *in, uint32_t column, uint32_t row,
                        PqsqlCell *cell, PqErr *e)
{
    PqsqlColumn *of;

    PQ_TRY(pqext_cursor_load(in->source, column, &of, e));
    return pqsql_column_cell(of, pqsql_column_cells(of), row, cell, e);
}

/* A column that does not come from pages. */
static PqRc cell_of_scan(PqextInputs *in, uint32_t column, uint32_t row,
                         PqGroupCell *out, PqErr *e)
{
    PqNumbers n;

    if (pqext_is_of_files(column_of(in, column))) {
        *out = pqext_key_of_file(in->source, column,
                                 pq_scan_batch(in->source->scan)->file);
        return PQ_OK;
    }
    PQ_TRY(numbers(in, column, &n, e));
    *out = (PqGroupCell){.kind = PQ_GROUP_NULL};
    if (!n.valid || pq_bit(n.valid, row)) {
        *out = (PqGroupCell){.kind = PQ_GROUP_INT,
                             .i = ((const int64_t *)n.values)[row]};
    }
    return PQ_OK;
}

/* ---- keys ------------------------------------------------------------------ */

/* Booleans are stored in a byte each; a key has integers of 4 bytes at least. */
static PqRc widen(PqextInputs *in, const PqVector *v, uint32_t n,
                  PqRollupKeyVector *out, PqErr *e)
{
    const uint8_t *from = v->values;
    int32_t *to = pq_arena_zeros(&in->batch, n + 1, sizeof *to, e);

    if (!to) {
        return e->rc;
    }
    PQ_EACH_BIT(i, v->valid, n) {
        to[i] = from[i];
    }
    out->values = to;
    out->width = sizeof *to;
    return PQ_OK;
}

/* Stored values of types with one meaning are shown alike. */
static uint64_t meaning_of(const PqType *t)
{
    return (uint64_t)t->physical | (uint64_t)t->logical << 8 |
           (uint64_t)t->unit << 16 | (uint64_t)t->is_signed << 20 |
           (uint64_t)t->bit_width << 24 | (uint64_t)(uint32_t)t->scale << 32;
}

/* Is what the host shows of a key the stored value itself? */
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
    return node->type.physical == PQ_BOOLEAN ? widen(in, v, n, out, e) : PQ_OK;
}

static PqRc key_of_scan(PqextInputs *in, const Key *k, PqRollupKeyVector *out,
                        PqErr *e)
{
    PqNumbers n;

    if (pqext_is_of_files(column_of(in, k->column))) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS, .constant = true};
        return PQ_OK;
    }
    PQ_TRY(numbers(in, k->column, &n, e));
    if (k->makes_of_null) {
        *out = (PqRollupKeyVector){.form = PQ_GROUP_CELLS};
        return PQ_OK;
    }
    *out = (PqRollupKeyVector){.form = PQ_GROUP_INTS, .width = sizeof(int64_t),
                               .as_is = k->dimension->kind == PQEXT_DIM_COLUMN,
                               .valid = n.valid, .values = n.values};
    return PQ_OK;
}

/* The periods of stored instants; those of a dictionary once for all batches. */
static PqRc periods(PqextInputs *in, Key *k, const PqNode *node,
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
        if (!to) {
            return e->rc;
        }
        pqext_time_keys(k->dimension->format, &node->type, out->values,
                        out->ids ? NULL : out->valid, n, to);
        k->periods = to;
        k->serial = out->ids ? out->entries_serial : 0;
    }
    out->meaning = 0;                /* periods are those of all types */
    out->values = k->periods;
    out->width = sizeof *k->periods;
    return PQ_OK;
}

/* What the expression makes of NULL: coalesce(x, '-'). */
static PqRc ask_of_null(PqextInputs *in, Key *k, PqErr *e)
{
    PqGroupCell out;

    if (k->null_known || k->dimension->kind == PQEXT_DIM_COLUMN) {
        return PQ_OK;
    }
    k->cell.kind = PQSQL_NULL;
    PQ_TRY(pqext_ask(&k->ask, in->definition, k->dimension, &k->cell, &out, e));
    k->makes_of_null = out.kind != PQ_GROUP_NULL;
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
static PqRc key_without_values(PqextInputs *in, const Key *k,
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

/* How the keys of a column are looked up.  An expression may tell 0.0 from -0.0, so
** its REALs are looked up by their bits, as integers. */
static PqGroupForm form_of(const PqextInputs *in, const Key *k,
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

static PqRc load_key(PqextInputs *in, Key *k, PqRollupKeyVector *out, PqErr *e)
{
    const PqNode *node;
    bool leaf;

    PQ_TRY(ask_of_null(in, k, e));
    if (!pqext_is_of_pages(column_of(in, k->column))) {
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

/* What the expression makes of a row. */
static PqRc ask(PqextInputs *in, Key *k, uint32_t row, PqGroupCell *out,
                PqErr *e)
{
    PqGroupCell v;

    if (pqext_is_of_pages(column_of(in, k->column))) {
        PQ_TRY(cell_of_row(in, k->column, row, &k->cell, e));
    } else {
        PQ_TRY(cell_of_scan(in, k->column, row, &v, e));
        k->cell.kind = v.kind == PQ_GROUP_INT    ? PQSQL_INTEGER
                       : v.kind == PQ_GROUP_TEXT ? PQSQL_TEXT : PQSQL_NULL;
        k->cell.i = v.i;
        k->cell.bytes = v.bytes;
    }
    return pqext_ask(&k->ask, in->definition, k->dimension, &k->cell, out, e);
}

static PqRc computed(PqextInputs *in, Key *k, uint32_t row, PqGroupCell *out,
                     PqErr *e)
{
    const PqRollupKeyVector *v = &in->key_vectors[k - in->keys];
    size_t n;

    if (k->periods && (!v->valid || pq_bit(v->valid, row)) &&
        pqext_time_text(k->dimension->format,
                        k->periods[k->ids ? k->ids[row] : row], k->room, &n)) {
        *out = (PqGroupCell){.kind = PQ_GROUP_TEXT,
                             .bytes = pq_slice(k->room, n)};
        return PQ_OK;
    }
    return ask(in, k, row, out, e);
}

PqRc pqext_inputs_cell(void *arg, uint32_t key, uint32_t row, PqGroupCell *out,
                       PqErr *e)
{
    PqextInputs *in = arg;
    Key *k = &in->keys[key];

    if (k->dimension->kind != PQEXT_DIM_COLUMN) {
        return computed(in, k, row, out, e);
    }
    if (!pqext_is_of_pages(column_of(in, k->column))) {
        return cell_of_scan(in, k->column, row, out, e);
    }
    PQ_TRY(cell_of_row(in, k->column, row, &k->cell, e));
    *out = pqext_key_cell(&k->cell);
    return PQ_OK;
}

/* ---- inputs ---------------------------------------------------------------- */

static void set_bit(uint64_t *b, uint32_t i)
{
    b[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* Integers of many digits are to SQLite what fits 64 bits, or REAL. */
static PqRc to_integers(PqextInputs *in, PqNumbers *n, PqErr *e)
{
    const PqWide *from = n->values;
    int64_t *to = pq_arena_zeros(&in->batch, n->n + 1, sizeof *to, e);
    uint64_t *reals = pq_arena_zeros(&in->batch, n->n / 64 + 1, sizeof *reals,
                                     e);

    if (!to || !reals) {
        return e->rc;
    }
    for (uint32_t i = 0; i < n->n; i++) {
        double r = (double)from[i];

        if (from[i] >= INT64_MIN && from[i] <= INT64_MAX) {
            to[i] = (int64_t)from[i];
        } else {
            set_bit(reals, i);
            memcpy(&to[i], &r, sizeof r);
        }
    }
    n->kind = PQ_NUMBER_INT;
    n->values = to;
    n->reals = reals;
    return PQ_OK;
}

static PqRc run(PqextInputs *in, const PqNumberProgram *p, PqNumbers *out,
                PqErr *e)
{
    PqNumbers *columns = pq_arena_zeros(&in->batch, p->n_columns + 1,
                                        sizeof *columns, e);

    if (!columns) {
        return e->rc;
    }
    for (uint32_t i = 0; i < p->n_columns; i++) {
        PQ_TRY(numbers(in, p->columns[i], &columns[i], e));
        if (columns[i].kind == PQ_NUMBER_WIDE && columns[i].scale == 0) {
            PQ_TRY(to_integers(in, &columns[i], e));
        }
    }
    return pq_numbers_run(p, columns, pq_scan_batch(in->source->scan)->n_rows,
                          &in->batch, out, e);
}

/* Which rows have a value. */
static PqRc validity(PqextInputs *in, uint32_t column, const uint64_t **out,
                     PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    PqsqlCell cell;

    if (!valid) {
        return e->rc;
    }
    *out = valid;
    PQ_EACH_BIT(i, keep, n) {
        cell.kind = PQSQL_NULL;
        if (!pqext_is_of_pages(column_of(in, column))) {
            PqGroupCell c;

            PQ_TRY(cell_of_scan(in, column, i, &c, e));
            cell.kind = c.kind == PQ_GROUP_NULL ? PQSQL_NULL : PQSQL_INTEGER;
        } else {
            PQ_TRY(cell_of_row(in, column, i, &cell, e));
        }
        if (cell.kind != PQSQL_NULL) {
            set_bit(valid, i);
        }
    }
    return PQ_OK;
}

static PqRc load_count(PqextInputs *in, const PqextMeasure *m,
                       PqRollupInputVector *out, PqErr *e)
{
    const PqColumn *c = column_of(in, (uint32_t)m->column);
    const PqNode *node;
    const PqVector *v;
    PqNumbers of;
    bool leaf;

    out->kind = PQ_ROLLUP_VALIDITY;
    if (pqext_is_numeric(in->source->table, (uint32_t)m->column)) {
        node = pqext_plain_leaf(in->source, (uint32_t)m->column, &leaf);
        if (!leaf || !node || pq_type_is_float(&c->type) ||
            node->type.logical == PQ_TYPE_UNKNOWN) {
            PQ_TRY(numbers(in, (uint32_t)m->column, &of, e));
            out->valid = of.valid;
            return PQ_OK;
        }
    }
    node = pqext_plain_leaf(in->source, (uint32_t)m->column, &leaf);
    if (!leaf || !node) {
        return validity(in, (uint32_t)m->column, &out->valid, e);
    }
    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    out->valid = v->valid;
    return PQ_OK;
}

/* How the values of a leaf are ordered, for MIN and MAX. */
typedef enum Ordered { BY_NUMBER, BY_TEXT, BY_CELL } Ordered;

static Ordered order_of(const PqextTable *t, const PqType *stored)
{
    switch (stored->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
        return t->utf16 || t->values.invalid_utf8 != PQSQL_UTF8_TEXT ? BY_CELL
                                                                     : BY_TEXT;
    case PQ_TYPE_DATE:
    case PQ_TYPE_UUID:
    case PQ_TYPE_TIME:
        return BY_TEXT;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp == PQSQL_TIME_TEXT  ? BY_TEXT
               : t->values.timestamp == PQSQL_TIME_RAW ? BY_NUMBER : BY_CELL;
    case PQ_TYPE_DECIMAL:
        return t->values.decimal_text ? BY_CELL : BY_NUMBER;
    case PQ_TYPE_INT:
        return pq_type_is_u64(stored) ? BY_CELL : BY_NUMBER;
    case PQ_TYPE_NONE:
        return stored->physical == PQ_BYTE_ARRAY || stored->physical == PQ_FIXED ||
                       stored->physical == PQ_INT96 ||
                       (t->values.nan_text && pq_type_is_float(stored))
                   ? BY_CELL : BY_NUMBER;
    default:
        return BY_CELL;
    }
}

/* The texts that SQLite sees of the rows. */
static PqRc load_texts(PqextInputs *in, uint32_t column,
                       PqRollupInputVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    PqStr *texts = pq_arena_zeros(&in->batch, n + 1, sizeof *texts, e);
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    PqsqlColumn *of;
    PqsqlCellOf cell_of;

    if (!texts || !valid) {
        return e->rc;
    }
    PQ_TRY(pqext_cursor_load(in->source, column, &of, e));
    cell_of = pqsql_column_cells(of);
    if (!cell_of) {
        out->kind = PQ_ROLLUP_CELLS;
        return PQ_OK;
    }
    PQ_EACH_BIT(i, keep, n) {
        PqsqlCell cell;

        if (of->valid && !pq_bit(of->valid, i)) {
            continue;
        }
        cell_of(of, of->ids ? of->ids[i] : i, &cell);
        set_bit(valid, i);
        texts[i] = (PqStr){cell.bytes.p, (uint32_t)cell.bytes.n};
    }
    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_BYTES, .valid = valid,
                                 .texts = texts};
    return PQ_OK;
}

static PqRc load_extreme(PqextInputs *in, uint32_t column,
                         PqRollupInputVector *out, PqErr *e)
{
    const PqextTable *t = in->source->table;
    Ordered order = BY_CELL;
    const PqNode *node;
    bool leaf;

    if (!pqext_is_of_pages(column_of(in, column))) {
        order = pqext_is_numeric(t, column) ? BY_NUMBER : BY_CELL;
    } else {
        node = pqext_plain_leaf(in->source, column, &leaf);
        order = !leaf ? BY_CELL
                      : order_of(t, node ? &node->type
                                         : &column_of(in, column)->type);
        order = leaf && !node ? BY_NUMBER : order;   /* all NULL */
    }
    if (order == BY_NUMBER) {
        out->kind = PQ_ROLLUP_NUMBERS;
        return numbers(in, column, &out->numbers, e);
    }
    out->kind = PQ_ROLLUP_CELLS;
    return order == BY_TEXT ? load_texts(in, column, out, e) : PQ_OK;
}

static PqRc load_input(PqextInputs *in, const PqextMeasure *m,
                       PqRollupInputVector *out, PqErr *e)
{
    *out = (PqRollupInputVector){.kind = PQ_ROLLUP_NO_INPUT};
    if (m->op == PQ_ROLLUP_COUNT_ROWS) {
        return PQ_OK;
    }
    if (m->program) {
        out->kind = m->op == PQ_ROLLUP_COUNT ? PQ_ROLLUP_VALIDITY
                                             : PQ_ROLLUP_NUMBERS;
        PQ_TRY(run(in, m->program, &out->numbers, e));
        out->valid = out->numbers.valid;
        return PQ_OK;
    }
    if (m->op == PQ_ROLLUP_COUNT) {
        return load_count(in, m, out, e);
    }
    if (m->op != PQ_ROLLUP_SUM) {
        return load_extreme(in, (uint32_t)m->column, out, e);
    }
    out->kind = PQ_ROLLUP_NUMBERS;
    return numbers(in, (uint32_t)m->column, &out->numbers, e);
}

PqRc pqext_inputs_measure_cell(void *arg, uint32_t measure, uint32_t row,
                               PqGroupCell *out, PqErr *e)
{
    PqextInputs *in = arg;
    Input *i = &in->inputs[measure];
    uint32_t column = (uint32_t)i->measure->column;

    if (!pqext_is_of_pages(column_of(in, column))) {
        return cell_of_scan(in, column, row, out, e);
    }
    PQ_TRY(cell_of_row(in, column, row, &i->cell, e));
    *out = pqext_key_cell(&i->cell);
    return PQ_OK;
}

PqRc pqext_inputs_load(PqextInputs *in, PqRollupBatch *out, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(in->source->scan);

    pq_arena_reset(&in->batch);
    for (uint32_t i = 0; i < in->n_columns; i++) {
        in->columns[i].batch = 0;
    }
    for (uint32_t i = 0; i < in->n_keys; i++) {
        PQ_TRY(load_key(in, &in->keys[i], &in->key_vectors[i], e));
    }
    for (uint32_t i = 0; i < in->n_inputs; i++) {
        PQ_TRY(load_input(in, in->inputs[i].measure, &in->input_vectors[i], e));
    }
    *out = (PqRollupBatch){.n_rows = b->n_rows, .kept = b->kept,
                           .n_kept = b->n_kept, .keys = in->key_vectors,
                           .inputs = in->input_vectors};
    return PQ_OK;
}
