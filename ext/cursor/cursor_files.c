/*
** cursor_files.c - terms that choose files: by their names, their numbers, and
** the key=value folders they lie in.
**
** The hard part is affinity: '2024' and 2024 may be equal.  A term decides only
** if its operand is of the class of the column's values.  SQLite tests the rows
** of the files that are left again.
*/
#include "ext/cursor/cursor.h"

/* ---- operands ---------------------------------------------------------- */

static bool is_of_class(const PqextFileTerm *t, const PqCell *v)
{
    return t->is_text ? v->kind == PQ_CELL_TEXT
                      : v->kind == PQ_CELL_INT;
}

static PqRc take_operand(PqextCursor *c, PqextFileTerm *t, sqlite3_value *v)
{
    PqCell x;

    t->is_null = sqlite3_value_type(v) == SQLITE_NULL;
    if (t->is_null) {
        return PQ_OK;                /* equal to nothing */
    }
    PQ_TRY(pqext_value_take(v, false, &c->arena, &x, &c->e));
    t->decides = is_of_class(t, &x);
    t->number = x.i;
    t->text = x.kind == PQ_CELL_TEXT ? pq_cell_slice(&x) : pq_slice("", 0);
    if (t->decides && pqext_is_pattern(t->op)) {
        pqext_pattern_init(&t->pattern, t->text, t->op == PQEXT_GLOB);
    }
    return PQ_OK;
}

static PqRc take_list(PqextCursor *c, PqextFileTerm *t, sqlite3_value *v)
{
    PqextList *list;

    PQ_TRY(pqext_cursor_list(c, v, false, pqext_cursor_worth(c), &list,
                             &t->decides));
    for (uint32_t i = 0; i < list->n && t->decides; i++) {
        t->decides = is_of_class(t, &list->v[i]);
    }
    t->is_null = list->n == 0;
    t->list = list;
    return PQ_OK;
}

/* Does it depend on the order of texts?  That of UTF-16 is another. */
static bool needs_order(PqextOp op)
{
    return op >= PQEXT_LT && op <= PQEXT_GE;
}

PqRc pqext_file_term(PqextCursor *c, PqextTerm term, sqlite3_value *v)
{
    const PqColumn *column = &c->table->table->columns[term.column];
    PqextFileTerm *t = &c->terms[c->n_terms++];

    *t = (PqextFileTerm){.column = term.column, .op = term.op, .decides = true,
                         .literal = term.literal};
    t->is_text = pqext_is_text_of_file(column);
    if (term.op == PQEXT_IS_NULL || term.op == PQEXT_NOT_NULL) {
        return PQ_OK;
    }
    PQ_TRY(term.op == PQEXT_IN ? take_list(c, t, v) : take_operand(c, t, v));
    t->impossible = t->decides && t->is_null;
    if (t->is_text && c->table->utf16 && needs_order(term.op)) {
        t->decides = false;
    }
    return PQ_OK;
}

/* ---- files ------------------------------------------------------------- */

static bool text_passes(const PqextFileTerm *t, PqSlice text)
{
    if (pqext_is_pattern(t->op)) {
        return pqext_pattern_matches(&t->pattern, text);
    }
    return pqext_texts_may_hold(t->op, text, t->text,
                                pqsql_looks_like_number(t->text), t->literal);
}

/* The texts of a list are compared as they are. */
static bool list_passes(const PqextFileTerm *t, const PqextFileValue *v)
{
    PqCell x = t->is_text ? pq_cell_text(pq_slice_text(v->text))
                          : pq_cell_int(v->number);

    return pqext_list_has(t->list, &x);
}

/* In a UTF-16 database, a name that is not UTF-8 has U+FFFD in place of some
** bytes, and so has an operand that was made of such a name. */
static bool is_kept(const PqextCursor *c, const PqextFileTerm *t,
                    const PqextFileValue *v)
{
    return !t->is_text || !c->table->utf16 ||
           pq_utf8_valid(pq_slice_text(v->text));
}

/* Could a row of this file pass the term? */
static bool file_passes(const PqextCursor *c, const PqextFileTerm *t,
                        const PqListedFile *file)
{
    PqextFileValue v = pqext_file_value(
        c->listing, c->table->table, (uint32_t)t->column,
        (uint32_t)(file - c->listing->list.files));

    if (t->op == PQEXT_IS_NULL || t->op == PQEXT_NOT_NULL) {
        return v.is_null == (t->op == PQEXT_IS_NULL);
    }
    if (v.is_null) {
        return t->op == PQEXT_IS_NOT;        /* what is not NULL, see settled */
    }
    if (v.is_other || !is_kept(c, t, &v)) {
        return true;
    }
    if (t->list) {
        return list_passes(t, &v);
    }
    return t->is_text ? text_passes(t, pq_slice_text(v.text))
                      : pqext_op_holds(t->op, (v.number > t->number) -
                                              (v.number < t->number));
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
