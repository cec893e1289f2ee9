/*
** cursor_terms.c - the terms of a plan, with the operands of one xFilter.
**
** Each becomes what the scan understands: files to be skipped, conditions on
** values, ranges of rowids.
**
** The hard part is what a term means only now.  IS depends on whether its
** operand is NULL.  LIKE may be the program's own.  A condition may belong to
** the ON of an outer join, and then chooses no rows.  A list of IN may be so
** long that reading it costs more than it spares.  A term that is left out here
** is tested by SQLite, unless the plan said that it is exact.
*/
#include "ext/cursor/cursor_scan.h"
#include "ext/plan/plan.h"
#include "ext/table/plan_idxstr.h"

/* ---- operands ---------------------------------------------------------- */

enum { ENTRIES_AT_ONCE = 256 };      /* until the user is asked             */

PqRc pqext_scan_operands(PqextScan *s, PqextOp op, sqlite3_value *v,
                         PqextVisitOperand visit, void *arg)
{
    PqStop stop = {pqext_host_stop, s->table->host};
    sqlite3_value *one = NULL;
    uint32_t n = 0;
    int rc;

    s->enough = false;
    if (op != PQEXT_IN) {
        return visit(s, arg, v);
    }
    for (rc = sqlite3_vtab_in_first(v, &one); rc == SQLITE_OK && one;
         rc = sqlite3_vtab_in_next(v, &one)) {
        PQ_TRY(visit(s, arg, one));
        if (s->enough) {
            return PQ_OK;
        }
        if (++n % ENTRIES_AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(&stop, &s->e));
        }
    }
    return rc == SQLITE_OK || rc == SQLITE_DONE
               ? PQ_OK : pq_fail(&s->e, PQ_NOMEM, "the list of IN is not there");
}

typedef struct ListRead {
    PqextList *list;
    uint64_t   most;
    bool       numeric;
} ListRead;

static PqRc list_entry(PqextScan *s, void *arg, sqlite3_value *v)
{
    ListRead *r = arg;
    PqCell entry;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        return PQ_OK;
    }
    s->enough = r->list->n >= r->most;
    if (s->enough) {
        return PQ_OK;
    }
    PQ_TRY(pqext_value_take(v, r->numeric, &s->arena, &entry, &s->e));
    return pqext_list_add(r->list, &entry, &s->arena, &s->e);
}

PqRc pqext_scan_list(PqextScan *s, sqlite3_value *v, bool numeric,
                     uint64_t most, PqextList **out, bool *whole)
{
    ListRead r = {.most = most, .numeric = numeric};

    *out = r.list = pq_arena_zeros(&s->arena, 1, sizeof *r.list, &s->e);
    if (!r.list) {
        return s->e.rc;
    }
    PQ_TRY(pqext_scan_operands(s, PQEXT_IN, v, list_entry, &r));
    *whole = !s->enough;
    pqext_list_end(r.list);
    return PQ_OK;
}

/* Reading an entry of a list costs about as much as SQLite takes to test a row.
** While files have not been opened yet, the number of rows is a guess. */
uint64_t pqext_scan_worth(const PqextScan *s)
{
    enum { FEW = 1000, MANY = 100000 };
    double rows = s->picks ? s->picked : s->table->rows_guess;
    uint64_t least = !s->picks && s->table->n_files > 1 ? MANY : FEW;

    return rows > (double)least ? (uint64_t)rows : least;
}

/* IS means = or IS NULL, depending on its operand. */
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

/* Could it be a condition that must not choose rows (outer_join.c)?  A cursor
** belongs to one statement, whose text does not change. */
static bool may_be_of_on(PqextScan *s, PqextOp op)
{
    if (!pqext_outer_offers(op)) {
        return false;
    }
    if (s->beside_outer < 0) {
        s->beside_outer = pqext_outer_in_statements(s->table->host->db);
    }
    return s->beside_outer;
}

/* A program may have its own LIKE.  It cannot change while a statement runs. */
static bool has_meaning(PqextScan *s, PqextOp op)
{
    if (!pqext_is_pattern(op)) {
        return true;
    }
    if (s->like_is_builtin < 0) {
        s->like_is_builtin = pqext_like_is_builtin(s->table->host->db);
    }
    return s->like_is_builtin;
}

bool pqext_scan_believes(PqextScan *s, PqextOp op, bool exact)
{
    return (exact || !may_be_of_on(s, op)) && has_meaning(s, op);
}

/* ---- by value ---------------------------------------------------------- */

/* s->conditions has room for all terms.  Those that choose files are at its end. */
static PqRc add_condition(PqextScan *s, PqextTerm term, sqlite3_value *v,
                          const PqextList *list)
{
    PqextCondition *to = term.by_value ? &s->conditions[s->n_conditions++]
                                       : --s->file_terms;

    s->n_file_terms += !term.by_value;
    return pqext_condition_begin(s->table, term, v, list, pqext_scan_load, s,
                                 &s->arena, to, &s->e);
}

/* SQLite tests the rows with a list that is too long. */
static PqRc list_term(PqextScan *s, PqextTerm term, sqlite3_value *v)
{
    bool numeric = pqext_term_affinity(s->table, term) == PQEXT_AFF_NUMERIC;
    PqextList *list;
    bool whole = false;

    PQ_TRY(pqext_scan_list(s, v, numeric,
                           term.exact ? UINT64_MAX : pqext_scan_worth(s),
                           &list, &whole));
    return whole ? add_condition(s, term, v, list) : PQ_OK;
}

/* ---- by file: names, numbers, key=value folders ------------------------ */

/* These are conditions on the one value that all rows of a file have.  SQLite
** tests the rows of the files that are left again. */

/* The texts of a UTF-16 database have another order.  A name that is not UTF-8
** has U+FFFD there in place of some bytes, and so has an operand that was made
** of it. */
static bool is_vague(const PqextCondition *f, const PqCell *v)
{
    return f->table->utf16 && v->kind == PQ_CELL_TEXT &&
           ((f->op >= PQEXT_LT && f->op <= PQEXT_GE) ||
            !pq_utf8_valid(pq_cell_slice(v)));
}

static bool cell_passes(const PqextCondition *f, const PqCell *v)
{
    return is_vague(f, v) || pqext_condition_passes_cell(f, v);
}

/* Could a row of this file pass? */
static bool file_passes(const PqextScan *s, const PqextCondition *f,
                        const PqListedFile *file)
{
    bool is_other = false;
    PqCell v = pqext_file_value(s->listing, s->table->table, f->column,
                                (uint32_t)(file - s->listing->list.files),
                                &is_other);

    return is_other || cell_passes(f, &v);
}

bool pqext_scan_skips(void *arg, const PqListedFile *file)
{
    const PqextScan *s = arg;
    uint32_t i = 0;

    while (i < s->n_file_terms && file_passes(s, &s->file_terms[i], file)) {
        i++;
    }
    return i < s->n_file_terms;
}

/* ---- rowids ------------------------------------------------------------ */

/* Rowids: what the terms so far have left of them. */
typedef struct Ranges {
    PqRowRange *v;                   /* sorted, disjoint */
    uint32_t    n;
} Ranges;

/* Adds v if it is an integer. */
static void keep_rowid(int64_t *list, uint32_t *n, const PqCell *v)
{
    if (v->kind == PQ_CELL_INT) {
        list[(*n)++] = v->i;
    } else if (v->kind == PQ_CELL_REAL && v->r >= -9e18 && v->r <= 9e18 &&
               (double)(int64_t)v->r == v->r) {
        list[(*n)++] = (int64_t)v->r;
    }
}

/* Adds the rows that are in both ranges. */
static void add_range(PqRowRange *v, uint32_t *n, PqRowRange a, PqRowRange b)
{
    a.begin = a.begin > b.begin ? a.begin : b.begin;
    a.end = a.end < b.end ? a.end : b.end;
    if (a.begin < a.end) {
        v[(*n)++] = a;
    }
}

/* Keeps of r what is in [begin, end). */
static void cut(Ranges *r, int64_t begin, int64_t end)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        add_range(r->v, &n, r->v[i], (PqRowRange){begin, end});
    }
    r->n = n;
}

/* Keeps of r the rows of the list. */
static PqRc cut_to_list(PqextScan *s, Ranges *r, int64_t *list, uint32_t n_list)
{
    PqRowRange *v = pq_arena_zeros(&s->arena, n_list + 1u, sizeof *v, &s->e);
    uint32_t i, k = 0, n = 0;

    if (!v) {
        return s->e.rc;
    }
    pq_sort_i64(list, n_list);
    for (i = 0; i < n_list; i++) {
        int64_t x = list[i];
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

/* = and IN. */
static PqRc rowid_equal(PqextScan *s, Ranges *r, PqextOp op, sqlite3_value *v)
{
    PqextList one = {.n = 0}, *values = &one;
    bool whole = true;
    uint32_t n = 0;
    int64_t *list;
    PqCell x;

    if (op == PQEXT_IN) {
        PQ_TRY(pqext_scan_list(s, v, true, pqext_scan_worth(s), &values,
                               &whole));
    } else if (sqlite3_value_type(v) != SQLITE_NULL) {
        PQ_TRY(pqext_value_take(v, true, &s->arena, &x, &s->e));
        PQ_TRY(pqext_list_add(values, &x, &s->arena, &s->e));
    }
    if (!whole) {
        return PQ_OK;
    }
    list = pq_arena_zeros(&s->arena, values->n + 1u, sizeof *list, &s->e);
    if (!list) {
        return s->e.rc;
    }
    for (uint32_t i = 0; i < values->n; i++) {
        keep_rowid(list, &n, &values->v[i]);
    }
    return cut_to_list(s, r, list, n);
}

static PqRc rowid_term(PqextScan *s, Ranges *r, PqextOp op,
                       sqlite3_value *v)
{
    int type;
    int64_t x;

    if (op == PQEXT_EQ || op == PQEXT_IN) {
        return rowid_equal(s, r, op, v);
    }
    type = sqlite3_value_numeric_type(v);
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

/* Ranges of many files beyond these are left to SQLite. */
enum { RANGES_AT_MOST = 1 << 20 };

/* Keeps of r the rows whose numbers in their files are within. */
static PqRc cut_each_file(PqextScan *s, Ranges *r, const Ranges *within)
{
    const int64_t rows = (int64_t)1 << PQ_ROWID_SHIFT;
    uint64_t n_files = s->listing->list.n_files;
    uint32_t n = 0;
    PqRowRange *v;

    if (n_files * within->n + r->n > RANGES_AT_MOST) {
        return PQ_OK;
    }
    v = pq_arena_zeros(&s->arena, n_files * within->n + r->n + 1, sizeof *v,
                       &s->e);
    if (!v) {
        return s->e.rc;
    }
    /* Both are in order, and so is what they have in common. */
    for (uint64_t k = 0, i = 0; k < n_files * within->n && i < r->n;) {
        int64_t file = (int64_t)(k / within->n) * rows;
        PqRowRange w = within->v[k % within->n];

        w.begin = file + (w.begin < rows ? w.begin : rows);
        w.end = file + (w.end < rows ? w.end : rows);
        add_range(v, &n, w, r->v[i]);
        if (w.end <= r->v[i].end) {
            k++;
        } else {
            i++;
        }
    }
    r->v = v;
    r->n = n;
    return PQ_OK;
}

static bool is_all(const Ranges *r)
{
    return r->n == 1 && r->v[0].begin <= 0 && r->v[0].end == INT64_MAX;
}

/* ---- all of them ------------------------------------------------------- */

/* Is it about a number of a file, or a rowid that has one? */
static bool counts_files(const PqTable *t, PqextTerm term)
{
    return term.column == PQEXT_ROWID || t->columns[term.column].kind == PQ_COLUMN_FILE_INDEX;
}

static bool is_of_folders(const PqTable *t, PqextTerm term)
{
    return term.column != PQEXT_ROWID && t->columns[term.column].kind == PQ_COLUMN_HIVE;
}

/* folders: only those on key=value folders. */
static PqRc take_terms(PqextScan *s, sqlite3_value **argv, bool folders)
{
    size_t room = (size_t)s->plan->n_terms + 1;
    Ranges ranges = {.n = 1}, within = ranges;

    pq_arena_reset(&s->arena);
    s->n_file_terms = s->n_conditions = s->n_geos = 0;
    s->conditions = pq_arena_zeros(&s->arena, room, sizeof *s->conditions,
                                   &s->e);
    s->geos = pq_arena_zeros(&s->arena, room, sizeof *s->geos, &s->e);
    ranges.v = pq_arena_zeros(&s->arena, 1, sizeof *ranges.v, &s->e);
    within.v = pq_arena_zeros(&s->arena, 1, sizeof *within.v, &s->e);
    if (!s->conditions || !s->geos || !ranges.v || !within.v) {
        return s->e.rc;
    }
    s->file_terms = s->conditions + room;
    ranges.v[0].end = within.v[0].end = INT64_MAX;
    for (uint32_t i = 0; i < s->plan->n_terms; i++) {
        PqextTerm term = settled(s->plan->terms[i], argv[i]);

        if ((int)i == s->settled || !pqext_scan_believes(s, term.op, term.exact) ||
            (folders && !is_of_folders(s->table->table, term))) {
            continue;
        }
        if (term.column == PQEXT_ROWID) {
            PQ_TRY(rowid_term(s, &ranges, term.op, argv[i]));
            continue;
        }
        if (s->table->table->columns[term.column].kind == PQ_COLUMN_FILE_ROW) {
            PQ_TRY(rowid_term(s, &within, term.op, argv[i]));
            continue;
        }
        if (pqext_is_geo(term.op)) {
            PQ_TRY(pqext_geo_begin(s->table, term, argv[i], pqext_scan_load, s,
                                   &s->arena, &s->geos[s->n_geos++], &s->e));
            continue;
        }
        PQ_TRY(folders ? PQ_OK : pqext_notice_operand(s, term, argv[i]));
        PQ_TRY(term.op == PQEXT_IN ? list_term(s, term, argv[i])
                                   : add_condition(s, term, argv[i], NULL));
    }
    if (!is_all(&within)) {
        PQ_TRY(cut_each_file(s, &ranges, &within));
    }
    s->ranges = ranges.v;
    s->n_ranges = ranges.n;
    return PQ_OK;
}

PqRc pqext_scan_terms(PqextScan *s, sqlite3_value **argv)
{
    return take_terms(s, argv, false);
}

/* ---- folders that need not be listed ------------------------------------- */

/* PqFolderTest.passes.  A text that came among integers is to SQLite what its affinity makes
** of it: 02024 is equal to 2024. */
static bool folder_passes(void *arg, uint32_t k, const PqHiveValue *v)
{
    const PqextFolderAsk *ask = arg;
    const PqextScan *s = ask->scan;
    const PqColumn *c = &s->table->table->columns[ask->column[k]];
    PqCell cell = pqext_folder_value(c, v);
    bool is_other = c->hive_type == PQ_HIVE_INTEGER && v->text && !v->is_integer;
    bool passes = true;

    for (uint32_t i = 0; i < s->n_file_terms && passes; i++) {
        passes = s->file_terms[i].column != ask->column[k] ||
                 cell_passes(&s->file_terms[i], &cell);
    }
    return passes || is_other;
}

static void put_cell(PqBuf *to, const PqCell *v)
{
    pq_buf_add(to, &v->kind, sizeof v->kind);
    if (pq_cell_has_bytes(v)) {
        pq_buf_add(to, &v->n, sizeof v->n);
        pq_buf_add(to, v->p, v->n);
    } else if (v->kind != PQ_CELL_NULL) {
        pq_buf_add(to, &v->i, sizeof v->i);
    }
}

static void put_condition(PqBuf *to, const PqextCondition *f)
{
    const uint32_t head[] = {f->column, f->op, f->literal, f->list ? f->list->n : 0};

    pq_buf_add(to, head, sizeof head);
    if (f->has_operand) {
        put_cell(to, &f->operand);
    }
    for (uint32_t i = 0; i < head[3]; i++) {
        put_cell(to, &f->list->v[i]);
    }
}

static void ask_for(PqextFolderAsk *ask, const PqTable *t, uint32_t column)
{
    uint32_t k = 0, n = ask->test.n;

    while (k < n && ask->column[k] != column) {
        k++;
    }
    if (k == n && n < PQ_FOLDER_TESTS) {
        ask->column[n] = column;
        ask->columns |= (uint64_t)1 << column % 64;
        ask->test.column[ask->test.n++] = t->columns[column].folder_column;
    }
}

/* What the plan with these operands asks of key=value folders; an empty question: nothing, or
** it needs the numbers of files.  Half of what a listing of all takes may be in vain. */
static PqRc find_asks(PqextScan *s, sqlite3_value **argv, PqextFolderAsk *out)
{
    const PqTable *t = s->table->table;
    bool any = false;

    out->scan = s;
    out->test.n = 0;
    out->test.passes = folder_passes;
    out->test.arg = out;
    out->test.most = s->table->n_requests / 2 + 1;
    out->columns = 0;
    for (uint32_t i = 0; i < s->plan->n_terms; i++) {
        PqextTerm term = s->plan->terms[i];

        if (counts_files(t, term)) {
            return PQ_OK;
        }
        any |= is_of_folders(t, term);
    }
    PQ_TRY(any ? take_terms(s, argv, true) : PQ_OK);
    for (uint32_t i = 0; any && i < s->n_file_terms; i++) {
        ask_for(out, t, s->file_terms[i].column);
        put_condition(&out->question, &s->file_terms[i]);
    }
    return pq_buf_ok(&out->question) ? PQ_OK : s->e.rc;
}

PqRc pqext_scan_need_files(PqextScan *s, sqlite3_value **argv, void (*forget)(void *owner),
                           void *owner)
{
    bool waits = s->listing ? s->listing->list.n_skipped > 0 : pqext_listing_waits(s->table);
    PqextFolderAsk ask = {.scan = NULL};
    PqRc rc;

    if (s->scan && !waits) {
        return PQ_OK;
    }
    pq_buf_init(&ask.question, s->table->host->engine->mem, &s->e);
    PQ_GO(waits ? find_asks(s, argv, &ask) : PQ_OK);
    if (s->scan && pqext_listing_serves(s->listing, &ask)) {
        goto done;
    }
    forget(owner);
    rc = pqext_listing_join(s->table, pqext_plan_signed(s->text)->compiled,
                            waits ? &ask : NULL, &s->listing, &s->e);
done:
    pq_buf_free(&ask.question);
    return rc;
}
