/*
** cursor_files.c - terms that choose files: by their names, their numbers, and
** the key=value folders they lie in.
**
** A term decides only where its operand is of the class that the column's values
** have.  SQLite tests the rows of the files that are left again.
*/
#include "ext/cursor.h"

/* ---- operands ---------------------------------------------------------- */

static PqRc take_operand(PqextCursor *c, void *arg, sqlite3_value *v)
{
    PqextFileTerm *t = arg;
    int type = sqlite3_value_type(v);

    if (type == SQLITE_NULL) {
        return PQ_OK;                /* equal to nothing */
    }
    if (t->is_text != (type == SQLITE_TEXT) ||
        (!t->is_text && type != SQLITE_INTEGER)) {
        t->decides = false;
    } else if (t->is_text) {
        const unsigned char *z = sqlite3_value_text(v);
        size_t n = (size_t)sqlite3_value_bytes(v);
        char *copy = z ? pq_arena_text(&c->arena, z, n, &c->e) : NULL;

        if (!copy) {
            return pq_fail(&c->e, PQ_NOMEM, "out of memory");
        }
        t->texts[t->n++] = pq_slice(copy, n);
    } else {
        t->ints[t->n++] = sqlite3_value_int64(v);
    }
    return PQ_OK;
}

/* The longest literal part of a pattern, see like.h. */
static PqRc take_pattern(PqextCursor *c, PqextFileTerm *t, sqlite3_value *v)
{
    PQ_TRY(take_operand(c, t, v));
    if (t->n > 0) {
        pqext_pattern_init(&t->pattern, t->texts[0], t->op == PQEXT_GLOB);
    }
    return PQ_OK;
}

/* UTF-16 has another order. */
static bool needs_order(PqextOp op)
{
    return op >= PQEXT_LT && op <= PQEXT_GE;
}

PqRc pqext_file_term(PqextCursor *c, PqextTerm term, sqlite3_value *v)
{
    const PqColumn *column = &c->table->table->columns[term.column];
    PqextFileTerm *t = &c->terms[c->n_terms++];
    uint32_t n;

    *t = (PqextFileTerm){.column = term.column, .op = term.op, .decides = true,
                         .literal = term.literal};
    t->is_text = pqext_is_text_of_file(column);
    if (term.op == PQEXT_IS_NULL || term.op == PQEXT_NOT_NULL) {
        return PQ_OK;
    }
    PQ_TRY(pqext_cursor_count(c, term.op, v, &n));
    t->ints = pq_arena_zeros(&c->arena, n + 1, sizeof *t->ints, &c->e);
    t->texts = pq_arena_zeros(&c->arena, n + 1, sizeof *t->texts, &c->e);
    if (!t->ints || !t->texts) {
        return c->e.rc;
    }
    if (term.op == PQEXT_LIKE || term.op == PQEXT_GLOB) {
        PQ_TRY(take_pattern(c, t, v));
    } else {
        PQ_TRY(pqext_cursor_operands(c, term.op, v, take_operand, t));
    }
    t->impossible = t->decides && t->n == 0;
    if (t->is_text && c->table->utf16 && needs_order(term.op)) {
        t->decides = false;
    }
    return PQ_OK;
}

/* ---- files ------------------------------------------------------------- */

/* What a column of this kind is in all rows of a file. */
typedef struct FileValue {
    bool    is_null;
    bool    is_other;                /* not of the table that was declared   */
    PqSlice text;
    int64_t number;
} FileValue;

static FileValue hive_value(const PqextCursor *c, const PqColumn *column,
                            const PqListedFile *file)
{
    const PqListing *l = &c->listing->list;
    FileValue out = {.is_null = true};
    uint32_t k;

    for (k = 0; k < l->n_keys && strcmp(l->keys[k], column->key); k++) {
    }
    if (k < l->n_keys && file->hive[k].text) {
        out.is_null = false;
        out.is_other = l->key_types[k] != column->hive_type;
        out.text = pq_slice_text(file->hive[k].text);
        out.number = file->hive[k].integer;
    }
    return out;
}

static FileValue value_of(const PqextCursor *c, const PqColumn *column,
                          const PqListedFile *file)
{
    if (column->kind == PQ_COLUMN_HIVE) {
        return hive_value(c, column, file);
    }
    return (FileValue){.text = pq_slice_text(file->path),
                       .number = file - c->listing->list.files};
}

static bool text_passes(const PqextFileTerm *t, PqSlice text, PqSlice operand)
{
    if (t->op == PQEXT_LIKE || t->op == PQEXT_GLOB) {
        return pqext_pattern_matches(&t->pattern, text);
    }
    return pqext_texts_may_hold(t->op, text, operand,
                                pqsql_looks_like_number(operand), t->literal);
}

/* Could a row of this file pass the term? */
static bool file_passes(const PqextCursor *c, const PqextFileTerm *t,
                        const PqListedFile *file)
{
    const PqColumn *column = &c->table->table->columns[t->column];
    FileValue v = value_of(c, column, file);

    if (t->op == PQEXT_IS_NULL || t->op == PQEXT_NOT_NULL) {
        return v.is_null == (t->op == PQEXT_IS_NULL);
    }
    if (v.is_null) {
        return t->op == PQEXT_IS_NOT;        /* what is not NULL, see settled */
    }
    if (v.is_other) {
        return true;
    }
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->is_text ? text_passes(t, v.text, t->texts[i])
                       : pqext_op_holds(t->op, (v.number > t->ints[i]) -
                                               (v.number < t->ints[i]))) {
            return true;
        }
    }
    return false;
}

bool pqext_cursor_skips(void *arg, const PqListedFile *file)
{
    const PqextCursor *c = arg;

    for (uint32_t i = 0; i < c->n_terms; i++) {
        const PqextFileTerm *t = &c->terms[i];

        if (t->impossible || (t->decides && !file_passes(c, t, file))) {
            return true;
        }
    }
    return false;
}
