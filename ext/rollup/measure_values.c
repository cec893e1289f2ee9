/*
** measure_values.c - the values of an expression that a measure adds up.
**
**   sum(length(url))   count(CASE WHEN fare > 20 THEN 1 END)   min(substr(t, 1, 3))
**
** SQLite computes them, as it computes dimensions (dimension_ask.h): once for each
** entry of a dictionary, or for each stored number while there are not too many, else
** once for each row.
*/
#include "ext/rollup/inputs_inside.h"

enum {
    MOST_BYTES = 8 << 20,            /* of texts that values are            */
    MOST_WORDS = 1 << 17,            /* stored numbers whose values are kept */
    WORDS_SHARE = 64,                /* ... of memory                       */
    FEW_MISSED = 256                 /* of a batch                          */
};

void pqext_values_init(PqextInputMeasure *m, const PqextMeasure *of, sqlite3 *db,
                       PqMem *mem)
{
    *m = (PqextInputMeasure){.measure = of};
    pqext_ask_init(&m->ask, db, mem);
    pq_arena_init(&m->made, mem);
    pq_word_numbers_init(&m->words, mem, (uint64_t)(uintptr_t)m, NULL);
}

void pqext_values_free(PqextInputMeasure *m)
{
    pqext_ask_reset(&m->ask);
    pq_arena_free(&m->made);
    pq_word_numbers_free(&m->words);
}

static PqRc ask(PqextInputs *in, PqextInputMeasure *m, const PqCell *v, PqCell *out,
                PqErr *e)
{
    return pqext_ask(&m->ask, in->definition, m->measure->expression, v, out, e);
}

/* The bytes of the value for NULL lie with the input, which stays. */
static PqRc value_of_null(PqextInputs *in, PqextInputMeasure *m, PqCell *out,
                          PqErr *e)
{
    if (!m->null_known) {
        PQ_TRY(ask(in, m, &(PqCell){.kind = PQ_CELL_NULL}, &m->null, e));
        PQ_TRY(pq_cell_keep(&m->null, &in->always, e));
        m->null_known = true;
    }
    *out = m->null;
    return PQ_OK;
}

PqRc pqext_values_leave_host(PqextInputs *in, PqextInputMeasure *m, PqErr *e)
{
    PqCell null;

    PQ_TRY(m->measure->expression ? value_of_null(in, m, &null, e) : PQ_OK);
    m->ask.db = NULL;
    return PQ_OK;
}

/* Makes room for n values, of which none is known. */
static PqRc forget_values(PqextInputMeasure *m, uint32_t n, PqErr *e)
{
    m->serial = 0;
    m->most_words = 0;
    m->in_vain = false;
    m->asked = m->missed = 0;
    pq_word_numbers_free(&m->words);
    pq_arena_reset(&m->made);
    m->values = pq_arena_alloc(&m->made, (n + (size_t)1) * sizeof *m->values, e);
    m->known = pq_arena_zeros(&m->made, n / 64 + 1, sizeof *m->known, e);
    return m->values && m->known ? PQ_OK : e->rc;
}

static bool are_too_many_bytes(const PqextInputMeasure *m, uint32_t n)
{
    return pq_arena_memory(&m->made) > 2 * (n + (size_t)1) * sizeof *m->values + MOST_BYTES;
}

/* Stored numbers of which most are new, once there is no room for more, are looked up in
** vain. */
static PqRc find_words(PqextInputs *in, PqextInputMeasure *m, const PqType *stored,
                       const PqVector *v, PqErr *e)
{
    uint64_t meaning = pqext_stored_meaning(stored);
    int64_t most = in->source->table->options.memory / WORDS_SHARE /
                   (int64_t)sizeof *m->values;

    m->width = (uint8_t)pq_physical_width(stored->physical);
    if (m->width != sizeof(uint32_t) && m->width != sizeof(uint64_t)) {
        return PQ_OK;
    }
    if (m->most_words == 0 || m->meaning != meaning ||
        are_too_many_bytes(m, m->most_words)) {
        uint32_t n = most < MOST_WORDS ? (uint32_t)most : MOST_WORDS;

        PQ_TRY(forget_values(m, n, e));
        m->most_words = n;
        m->meaning = meaning;
    }
    m->in_vain = m->in_vain || (m->missed > FEW_MISSED && m->missed * 2 > m->asked);
    m->asked = m->missed = 0;
    m->stored = m->most_words > 0 && !m->in_vain ? v->values : NULL;
    return PQ_OK;
}

/* Finds what the values of the batch are kept by: its dictionary, or its stored numbers,
** if these mean the same as values of the column's type. */
static PqRc find_entries(PqextInputs *in, PqextInputMeasure *m, PqErr *e)
{
    bool leaf;
    const PqNode *node = pqext_plain_leaf(in->source, (uint32_t)m->measure->column,
                                          &leaf);
    const PqVector *v;

    m->ids = NULL;
    m->valid = NULL;
    m->stored = NULL;
    if (!leaf || !node || node->type.logical == PQ_TYPE_UNKNOWN) {
        return PQ_OK;
    }
    PQ_TRY(pq_scan_vector(in->source->scan, (uint32_t)node->leaf, &v, e));
    m->valid = v->valid;
    if (!v->dict) {
        return find_words(in, m, &node->type, v, e);
    }
    if (m->serial != v->dict->serial || are_too_many_bytes(m, v->dict->n)) {
        PQ_TRY(forget_values(m, v->dict->n, e));
        m->serial = v->dict->serial;
    }
    m->ids = v->ids;
    return PQ_OK;
}

/* Where the value of a row is kept, or PQ_NO_NUMBER. */
static PqRc place_of(PqextInputMeasure *m, uint32_t row, uint32_t *out, PqErr *e)
{
    uint64_t word;

    *out = PQ_NO_NUMBER;
    if ((m->valid && !pq_bit(m->valid, row)) || (!m->ids && !m->stored)) {
        return PQ_OK;
    }
    if (m->ids) {
        *out = m->ids[row];
        return PQ_OK;
    }
    word = m->width == sizeof word ? ((const uint64_t *)m->stored)[row]
                                   : ((const uint32_t *)m->stored)[row];
    m->asked++;
    *out = pq_word_numbers_get(&m->words, word);
    if (*out == PQ_NO_NUMBER && m->words.n < m->most_words) {
        *out = m->words.n;
        return pq_word_numbers_add(&m->words, word, *out, e);
    }
    m->missed += *out == PQ_NO_NUMBER;
    return PQ_OK;
}

PqRc pqext_values_cell(PqextInputs *in, PqextInputMeasure *m, uint32_t row,
                       PqCell *out, PqErr *e)
{
    uint32_t place;
    PqCell v;

    PQ_TRY(place_of(m, row, &place, e));
    if (place != PQ_NO_NUMBER && pq_bit(m->known, place)) {
        *out = m->values[place];
        return PQ_OK;
    }
    PQ_TRY(pqext_scan_cell(in->source, (uint32_t)m->measure->column, row, &v, e));
    if (v.kind == PQ_CELL_NULL) {
        return value_of_null(in, m, out, e);
    }
    PQ_TRY(ask(in, m, &v, out, e));
    if (place != PQ_NO_NUMBER) {
        PQ_TRY(pq_cell_keep(out, &m->made, e));
        m->values[place] = *out;
        pq_bit_set(m->known, place);
    }
    return PQ_OK;
}

/* How cells of texts are read whose lengths are wanted, row by row; *cell NULL: they are
** asked for as other values are. */
static PqRc find_texts(PqextInputs *in, const PqextInputMeasure *m, PqsqlColumn **of,
                       PqsqlCellOf *cell, PqErr *e)
{
    uint32_t column = (uint32_t)m->measure->column;

    *cell = NULL;
    if (!m->measure->expression->is_length || m->ids ||
        !pq_column_is_of_pages(&in->source->table->table->columns[column])) {
        return PQ_OK;
    }
    PQ_TRY(pqext_scan_load(in->source, column, of, e));
    *cell = pqsql_column_cells(*of);
    return PQ_OK;
}

/* Adds the lengths of the rows' texts.  Rows with other values are left in `others`. */
static void load_lengths(const PqsqlColumn *of, PqsqlCellOf cell_of, const uint64_t *keep,
                         uint32_t n, int64_t *to, uint64_t *valid, uint64_t *others)
{
    PqCell v;

    PQ_EACH_BIT(i, keep, n) {
        if (of->valid && !pq_bit(of->valid, i)) {
            continue;
        }
        cell_of(of, of->ids ? of->ids[i] : i, &v);
        if (v.kind == PQ_CELL_TEXT) {
            to[i] = pqext_text_length(pq_cell_slice(&v));
            pq_bit_set(valid, i);
        } else {
            pq_bit_set(others, i);
        }
    }
}

/* The numbers that sum() adds. */
static PqRc load_numbers(PqextInputs *in, PqextInputMeasure *m,
                         PqRollupInputVector *out, PqErr *e)
{
    uint32_t n = pq_scan_batch(in->source->scan)->n_rows;
    const uint64_t *keep = pq_scan_batch(in->source->scan)->keep;
    int64_t *to = pq_arena_zeros(&in->batch, n + 1u, sizeof *to, e);
    uint64_t *valid = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *valid, e);
    uint64_t *reals = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *reals, e);
    uint64_t *others = pq_arena_zeros(&in->batch, n / 64 + 1, sizeof *others, e);
    bool any = false;
    PqsqlColumn *of;
    PqsqlCellOf cell_of;
    PqCell v;

    PQ_TRY(to && valid && reals && others ? PQ_OK : e->rc);
    PQ_TRY(find_texts(in, m, &of, &cell_of, e));
    if (cell_of) {
        load_lengths(of, cell_of, keep, n, to, valid, others);
        keep = others;
    }
    PQ_EACH_BIT(i, keep, n) {
        PQ_TRY(pqext_values_cell(in, m, i, &v, e));
        if (v.kind == PQ_CELL_NULL) {
            continue;
        }
        pq_bit_set(valid, i);
        to[i] = v.i;
        if (v.kind == PQ_CELL_REAL) {
            memcpy(&to[i], &v.r, sizeof v.r);
            pq_bit_set(reals, i);
            any = true;
        }
    }
    out->kind = PQ_ROLLUP_NUMBERS;
    out->numbers = (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = to,
                               .valid = valid, .reals = any ? reals : NULL};
    return PQ_OK;
}

PqRc pqext_values_load(PqextInputs *in, PqextInputMeasure *m,
                       PqRollupInputVector *out, PqErr *e)
{
    PQ_TRY(find_entries(in, m, e));
    out->kind = PQ_ROLLUP_CELLS;
    return m->measure->op == PQ_ROLLUP_SUM ? load_numbers(in, m, out, e) : PQ_OK;
}
