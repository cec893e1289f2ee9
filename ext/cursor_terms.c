/*
** cursor_terms.c - the terms of a plan, with the operands of one xFilter.
**
** Each becomes what the scan understands: files to be skipped, proofs about
** bounds, filters of rows, ranges of rowids.
*/
#include "ext/cursor.h"

/* ---- operands ---------------------------------------------------------- */

/* One operand of a file term.  It decides only when it is of the class that
** the column's values have; everything else is left to SQLite. */
static PqRc take_operand(PqextCursor *c, FileTerm *t, sqlite3_value *v)
{
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

PqRc pqext_cursor_operands(PqextCursor *c, PqextOp op, sqlite3_value *v,
                           PqextVisitOperand visit, void *arg)
{
    sqlite3_value *one = NULL;
    int rc;

    if (op != PQEXT_IN) {
        return visit(c, arg, v);
    }
    for (rc = sqlite3_vtab_in_first(v, &one); rc == SQLITE_OK && one;
         rc = sqlite3_vtab_in_next(v, &one)) {
        PQ_TRY(visit(c, arg, one));
    }
    return rc == SQLITE_OK || rc == SQLITE_DONE
               ? PQ_OK : pq_fail(&c->e, PQ_NOMEM, "the list of IN is not there");
}

static PqRc count_operand(PqextCursor *c, void *arg, sqlite3_value *v)
{
    (void)c;
    (void)v;
    ++*(uint32_t *)arg;
    return PQ_OK;
}

static PqRc keep_operand(PqextCursor *c, void *arg, sqlite3_value *v)
{
    return take_operand(c, arg, v);
}

static PqRc file_term(PqextCursor *c, FileTerm *t, PqextTerm term,
                      sqlite3_value *v)
{
    const PqColumn *column = &c->table->table->columns[term.column];
    uint32_t n = 0;

    *t = (FileTerm){.column = term.column, .op = term.op, .decides = true,
                    .literal = term.literal};
    t->is_text = column->kind == PQ_COLUMN_FILENAME ||
                 (column->kind == PQ_COLUMN_HIVE &&
                  column->hive_type != PQ_HIVE_INTEGER);
    PQ_TRY(pqext_cursor_operands(c, term.op, v, count_operand, &n));
    t->ints = pq_arena_zeros(&c->arena, n + 1, sizeof *t->ints, &c->e);
    t->texts = pq_arena_zeros(&c->arena, n + 1, sizeof *t->texts, &c->e);
    if (!t->ints || !t->texts) {
        return c->e.rc;
    }
    PQ_TRY(pqext_cursor_operands(c, term.op, v, keep_operand, t));
    t->impossible = t->decides && t->n == 0;
    if (t->is_text && c->table->utf16 && term.op != PQEXT_EQ &&
        term.op != PQEXT_IN) {
        t->decides = false;          /* UTF-16 has another order */
    }
    return PQ_OK;
}

static bool text_passes(const FileTerm *t, PqSlice text, PqSlice operand)
{
    return pqext_texts_may_hold(t->op, text, operand,
                                pqext_looks_like_number(operand), t->literal);
}

/* Could a row of this file pass the term? */
static bool file_passes(const PqextCursor *c, const FileTerm *t,
                        const PqListedFile *file)
{
    const PqColumn *column = &c->table->table->columns[t->column];
    const PqListing *l = &c->listing->list;
    PqSlice text = {NULL, 0};
    int64_t number = file - l->files;
    uint32_t i, k;

    if (column->kind == PQ_COLUMN_FILENAME) {
        text = pq_slice_text(file->path);
    } else if (column->kind == PQ_COLUMN_HIVE) {
        for (k = 0; k < l->n_keys && strcmp(l->keys[k], column->key); k++) {
        }
        if (k == l->n_keys || !file->hive[k].text) {
            return false;            /* NULL compares with nothing */
        }
        if (l->key_types[k] != column->hive_type) {
            return true;             /* not the table that was declared */
        }
        text = pq_slice_text(file->hive[k].text);
        number = file->hive[k].integer;
    }
    for (i = 0; i < t->n; i++) {
        if (t->is_text ? text_passes(t, text, t->texts[i])
                       : pqext_op_holds(t->op, (number > t->ints[i]) -
                                               (number < t->ints[i]))) {
            return true;
        }
    }
    return false;
}

bool pqext_cursor_skips(void *arg, const PqListedFile *file)
{
    const PqextCursor *c = arg;
    uint32_t i;

    for (i = 0; i < c->n_terms; i++) {
        const FileTerm *t = &c->terms[i];
        if (t->impossible || (t->decides && !file_passes(c, t, file))) {
            return true;
        }
    }
    return false;
}

/* ---- bounds ------------------------------------------------------------ */

static PqRc prove_operand(PqextCursor *c, void *proof, sqlite3_value *v)
{
    return pqext_prune_operand(proof, v, &c->arena, &c->e);
}

/* IS is = or IS NULL, as its operand says. */
static PqextTerm settled(PqextTerm term, sqlite3_value *v)
{
    bool null = sqlite3_value_type(v) == SQLITE_NULL;

    if (term.op == PQEXT_IS) {
        term.op = null ? PQEXT_IS_NULL : PQEXT_EQ;
    } else if (term.op == PQEXT_IS_NOT && null) {
        term.op = PQEXT_NOT_NULL;
    }
    return term;
}

static PqRc bounds_term(PqextCursor *c, PqextTerm term, uint32_t n,
                        sqlite3_value *v)
{
    PqextProof *p = &c->proofs[c->n_proofs++];

    PQ_TRY(pqext_prune_begin(c->table, term, n, &c->arena, p, &c->e));
    PQ_TRY(pqext_cursor_operands(c, term.op, v, prove_operand, p));
    pqext_prune_end(p);
    return PQ_OK;
}

/* ---- filters ----------------------------------------------------------- */

typedef struct FilterOperand {
    PqextFilter *filter;
    PqextOp      op;
} FilterOperand;

static PqRc filter_operand(PqextCursor *c, void *arg, sqlite3_value *v)
{
    FilterOperand *o = arg;
    return pqext_filter_operand(o->filter, o->op, v, &c->e);
}

static PqRc filter_term(PqextCursor *c, PqextTerm term, uint32_t n,
                        sqlite3_value *v)
{
    FilterOperand o = {&c->filters[c->n_filters++], term.op};

    PQ_TRY(pqext_filter_begin(c->table, term, n, pqext_cursor_load, c, &c->arena,
                              o.filter, &c->e));
    return pqext_cursor_operands(c, term.op, v, filter_operand, &o);
}

/* A program may have its own LIKE.  It cannot come or go while a statement
** runs. */
static bool may_filter(PqextCursor *c, PqextOp op)
{
    if (op != PQEXT_LIKE && op != PQEXT_GLOB) {
        return true;
    }
    if (c->like_is_builtin < 0) {
        c->like_is_builtin = pqext_like_is_builtin(c->table->host->db);
    }
    return c->like_is_builtin;
}

/* trust_stats=off filters without proofs. */
static PqRc value_term(PqextCursor *c, PqextTerm term, sqlite3_value *v)
{
    uint32_t n = 0;

    term = settled(term, v);
    PQ_TRY(pqext_cursor_operands(c, term.op, v, count_operand, &n));
    if (pqext_prune_can(c->table, (uint32_t)term.column, term.op)) {
        PQ_TRY(bounds_term(c, term, n, v));
    }
    return may_filter(c, term.op) ? filter_term(c, term, n, v) : PQ_OK;
}

/* ---- rowids ------------------------------------------------------------ */

static PqRc keep_rowid(PqextCursor *c, void *arg, sqlite3_value *v)
{
    PqextRanges *r = arg;

    (void)c;
    if (sqlite3_value_numeric_type(v) == SQLITE_INTEGER) {
        r->list[r->n_list++] = sqlite3_value_int64(v);
    } else if (sqlite3_value_numeric_type(v) == SQLITE_FLOAT) {
        double d = sqlite3_value_double(v);
        if (d >= -9e18 && d <= 9e18 && (double)(int64_t)d == d) {
            r->list[r->n_list++] = (int64_t)d;
        }
    }
    return PQ_OK;
}

/* Keeps of r what is in [begin, end). */
static void cut(PqextRanges *r, int64_t begin, int64_t end)
{
    uint32_t i, n = 0;

    for (i = 0; i < r->n; i++) {
        PqRowRange x = r->v[i];
        x.begin = x.begin > begin ? x.begin : begin;
        x.end = x.end < end ? x.end : end;
        if (x.begin < x.end) {
            r->v[n++] = x;
        }
    }
    r->n = n;
}

/* Keeps of r the rows of the list. */
static PqRc cut_to_list(PqextCursor *c, PqextRanges *r)
{
    PqRowRange *v = pq_arena_zeros(&c->arena, r->n_list + 1u, sizeof *v, &c->e);
    uint32_t i, k = 0, n = 0;

    if (!v) {
        return c->e.rc;
    }
    pq_sort_i64(r->list, r->n_list);
    for (i = 0; i < r->n_list; i++) {
        int64_t x = r->list[i];
        while (k < r->n && r->v[k].end <= x) {
            k++;
        }
        if (k == r->n || x == INT64_MAX) {
            break;
        }
        if (x < r->v[k].begin || (n > 0 && x < v[n - 1].end)) {
            continue;                /* not in a range, or twice in the list */
        }
        if (n > 0 && v[n - 1].end == x) {
            v[n - 1].end = x + 1;
        } else {
            v[n++] = (PqRowRange){x, x + 1};
        }
    }
    r->v = v;
    r->n = n;
    return PQ_OK;
}

static PqRc rowid_term(PqextCursor *c, PqextRanges *r, PqextOp op, sqlite3_value *v)
{
    int type = sqlite3_value_numeric_type(v);
    int64_t x;

    if (op == PQEXT_EQ || op == PQEXT_IN) {
        uint32_t n = 0;
        PQ_TRY(pqext_cursor_operands(c, op, v, count_operand, &n));
        r->list = pq_arena_zeros(&c->arena, n + 1, sizeof *r->list, &c->e);
        r->n_list = 0;
        if (!r->list) {
            return c->e.rc;
        }
        PQ_TRY(pqext_cursor_operands(c, op, v, keep_rowid, r));
        return cut_to_list(c, r);
    }
    if (type == SQLITE_NULL) {
        r->n = 0;
    }
    if (type != SQLITE_INTEGER) {
        return PQ_OK;                /* SQLite tests the rows */
    }
    x = sqlite3_value_int64(v);
    switch (op) {
    case PQEXT_LT: cut(r, 0, x); break;
    case PQEXT_LE: cut(r, 0, x < INT64_MAX ? x + 1 : x); break;
    case PQEXT_GT: cut(r, x < INT64_MAX ? x + 1 : x, INT64_MAX); break;
    default:       cut(r, x, INT64_MAX); break;
    }
    return PQ_OK;
}

/* ---- all of them ------------------------------------------------------- */

PqRc pqext_cursor_terms(PqextCursor *c, const char *plan, int argc,
                        sqlite3_value **argv)
{
    size_t room = (size_t)argc + 1;
    PqextRanges ranges = {NULL, 1, NULL, 0};
    PqextTerm term;
    int i;

    pq_arena_reset(&c->arena);
    c->n_terms = c->n_proofs = c->n_filters = 0;
    c->filters = pq_arena_zeros(&c->arena, room, sizeof *c->filters, &c->e);
    c->proofs = pq_arena_zeros(&c->arena, room, sizeof *c->proofs, &c->e);
    c->terms = pq_arena_zeros(&c->arena, room, sizeof *c->terms, &c->e);
    ranges.v = pq_arena_zeros(&c->arena, 1, sizeof *ranges.v, &c->e);
    if (!c->terms || !c->proofs || !c->filters || !ranges.v) {
        return c->e.rc;
    }
    ranges.v[0].end = INT64_MAX;
    for (i = 0; i < argc && pqext_plan_term(&plan, &term); i++) {
        if (i == c->key.settled) {
            continue;
        }
        if (term.column == PQEXT_ROWID) {
            PQ_TRY(rowid_term(c, &ranges, term.op, argv[i]));
        } else if (term.by_value) {
            PQ_TRY(value_term(c, term, argv[i]));
        } else {
            PQ_TRY(file_term(c, &c->terms[c->n_terms++], term, argv[i]));
        }
    }
    c->ranges = ranges.v;
    c->n_ranges = ranges.n;
    pqext_plan_groups(plan, &c->groups.by);
    return PQ_OK;
}
