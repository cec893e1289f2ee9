/*
** cursor.c - rows out of batches.
**
** xNext is an increment until the batch is used up; xColumn is a look at
** whether the column of this batch is loaded, and a call of its getter.
** Everything else happens once per batch, or per file.
*/
#include "ext/prune.h"

#include <stdlib.h>

/* A file-choosing term with its operand, taken out of SQLite's hands. */
typedef struct FileTerm {
    int       column;
    PqextOp   op;
    bool      impossible;            /* compared with NULL: no row */
    bool      decides;               /* false: of a kind that proves nothing */
    bool      is_text;
    int64_t  *ints;                  /* n of them, or texts */
    PqSlice  *texts;
    uint32_t  n;
} FileTerm;

typedef struct PqextCursor {
    sqlite3_vtab_cursor base;        /* SQLite's part: first                */
    PqextTable   *table;
    PqextListing *listing;
    PqScan       *scan;
    bool          scan_counts;       /* it was opened to count rows only    */
    PqsqlColumn **columns;           /* made when first asked for           */
    uint64_t      file_serial;       /* that columns are for                */
    uint64_t      batch;             /* serial, 0 before the first          */
    uint32_t      row, n_rows;
    int64_t       rowid;             /* of row 0 of the batch               */
    FileTerm     *terms;
    uint32_t      n_terms;
    PqextProof   *proofs;
    uint32_t      n_proofs;
    PqArena       arena;             /* operands                            */
    PqErr         e;
} PqextCursor;

int pqext_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    PqextTable *t = (PqextTable *)vtab;
    PqextCursor *c;
    int rc;

    *out = NULL;
    if (!t->table) {
        vtab->zErrMsg = sqlite3_mprintf("%s", t->gone);
        return SQLITE_ERROR;
    }
    c = sqlite3_malloc(sizeof *c);
    if (!c) {
        return SQLITE_NOMEM;
    }
    memset(c, 0, sizeof *c);
    c->table = t;
    pq_err_init(&c->e);
    pq_arena_init(&c->arena, t->host->engine->mem);
    c->columns = sqlite3_malloc64((t->n_columns + 1) * sizeof *c->columns);
    rc = c->columns ? pqext_listing_get(t, &c->listing) : SQLITE_NOMEM;
    if (rc != SQLITE_OK) {
        sqlite3_free(c->columns);
        sqlite3_free(c);
        return rc;
    }
    memset(c->columns, 0, (t->n_columns + 1) * sizeof *c->columns);
    t->n_cursors++;
    *out = &c->base;
    return SQLITE_OK;
}

static void forget_columns(PqextCursor *c)
{
    uint32_t i;

    for (i = 0; i < c->table->n_columns; i++) {
        pqsql_column_free(c->columns[i]);
        c->columns[i] = NULL;
    }
}

static void close_scan(PqextCursor *c)
{
    forget_columns(c);
    pq_scan_free(c->scan);
    c->scan = NULL;
}

int pqext_close(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;

    close_scan(c);
    pq_arena_free(&c->arena);
    pqext_listing_release(c->listing);
    c->table->n_cursors--;
    sqlite3_free(c->columns);
    sqlite3_free(c);
    return SQLITE_OK;
}

static int report(PqextCursor *c)
{
    int rc = pqext_error(&c->e, &c->table->base.zErrMsg);

    pq_err_clear(&c->e);
    pq_where_reset(&c->e);
    c->n_rows = 0;
    return rc;
}

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

/* Calls visit for an operand, or for each of an IN list. */
typedef PqRc (*VisitOperand)(PqextCursor *c, void *arg, sqlite3_value *v);

static PqRc each_operand(PqextCursor *c, PqextOp op, sqlite3_value *v,
                         VisitOperand visit, void *arg)
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

    *t = (FileTerm){.column = term.column, .op = term.op, .decides = true};
    t->is_text = column->kind == PQ_COLUMN_FILENAME ||
                 (column->kind == PQ_COLUMN_HIVE &&
                  column->hive_type != PQ_HIVE_INTEGER);
    PQ_TRY(each_operand(c, term.op, v, count_operand, &n));
    t->ints = pq_arena_zeros(&c->arena, n + 1, sizeof *t->ints, &c->e);
    t->texts = pq_arena_zeros(&c->arena, n + 1, sizeof *t->texts, &c->e);
    if (!t->ints || !t->texts) {
        return c->e.rc;
    }
    PQ_TRY(each_operand(c, term.op, v, keep_operand, t));
    t->impossible = t->decides && t->n == 0;
    if (t->is_text && c->table->utf16 && term.op != PQEXT_EQ &&
        term.op != PQEXT_IN) {
        t->decides = false;          /* UTF-16 has another order */
    }
    return PQ_OK;
}

static bool holds(PqextOp op, int order)
{
    switch (op) {
    case PQEXT_LT: return order < 0;
    case PQEXT_LE: return order <= 0;
    case PQEXT_GT: return order > 0;
    case PQEXT_GE: return order >= 0;
    default:       return order == 0;
    }
}

/* Is all of it a number, blanks aside, as an affinity sees it? */
static bool is_number(PqSlice s, double *out)
{
    static const char blanks[] = " \t\n\v\f\r";
    static const char others[] = "+-.0123456789eE";
    char text[64], *end;
    size_t i;

    if (s.n == 0 || s.n >= sizeof text) {
        return false;
    }
    for (i = 0; i < s.n; i++) {
        if (!s.p[i] || (!strchr(blanks, s.p[i]) && !strchr(others, s.p[i]))) {
            return false;
        }
        text[i] = (char)s.p[i];
    }
    text[i] = 0;
    *out = strtod(text, &end);
    return end != text && end[strspn(end, blanks)] == 0;
}

/* Texts are compared by their bytes; but a text that looks like a number is
** compared as one with an operand that comes from a column of numbers, and an
** operand does not say where it comes from. */
static bool text_passes(PqextOp op, PqSlice text, PqSlice operand)
{
    double x, y;

    if (holds(op, pq_slice_compare(text, operand))) {
        return true;
    }
    if (!is_number(text, &x)) {
        return false;
    }
    if (!is_number(operand, &y)) {
        return holds(op, -1);        /* numbers come before texts */
    }
    return x == y || holds(op, (x > y) - (x < y));
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
        if (t->is_text ? text_passes(t->op, text, t->texts[i])
                       : holds(t->op, (number > t->ints[i]) -
                                      (number < t->ints[i]))) {
            return true;
        }
    }
    return false;
}

static bool skip_file(void *arg, const PqListedFile *file)
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

static PqRc bounds_term(PqextCursor *c, PqextProof *p, PqextTerm term,
                        sqlite3_value *v)
{
    uint32_t n = 0;

    PQ_TRY(each_operand(c, term.op, v, count_operand, &n));
    PQ_TRY(pqext_prune_begin(c->table, term, n, &c->arena, p, &c->e));
    return each_operand(c, term.op, v, prove_operand, p);
}

/* ---- rowids ------------------------------------------------------------ */

typedef struct Ranges {
    PqRowRange *v;                   /* sorted, disjoint */
    uint32_t    n;
    int64_t    *list;                /* values of an IN */
    uint32_t    n_list;
} Ranges;

static PqRc keep_rowid(PqextCursor *c, void *arg, sqlite3_value *v)
{
    Ranges *r = arg;

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

static int compare_rowids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Keeps of r what is in [begin, end). */
static void cut(Ranges *r, int64_t begin, int64_t end)
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
static PqRc cut_to_list(PqextCursor *c, Ranges *r)
{
    PqRowRange *v = pq_arena_zeros(&c->arena, r->n_list + 1u, sizeof *v, &c->e);
    uint32_t i, k = 0, n = 0;

    if (!v) {
        return c->e.rc;
    }
    qsort(r->list, r->n_list, sizeof *r->list, compare_rowids);
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

static PqRc rowid_term(PqextCursor *c, Ranges *r, PqextOp op, sqlite3_value *v)
{
    int type = sqlite3_value_numeric_type(v);
    int64_t x;

    if (op == PQEXT_EQ || op == PQEXT_IN) {
        uint32_t n = 0;
        PQ_TRY(each_operand(c, op, v, count_operand, &n));
        r->list = pq_arena_zeros(&c->arena, n + 1, sizeof *r->list, &c->e);
        r->n_list = 0;
        if (!r->list) {
            return c->e.rc;
        }
        PQ_TRY(each_operand(c, op, v, keep_rowid, r));
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

/* ---- scanning ---------------------------------------------------------- */

static PqRc need_scan(PqextCursor *c, bool counts)
{
    const PqextOptions *o = &c->table->options;
    PqScanOptions options = {
        .memory = (size_t)o->memory,
        .checksum = o->checksum != 0,
        .threads = o->threads < 0 ? pq_pool_spare_processors()
                                  : (unsigned)o->threads,
        .rows_only = counts,
        .stop = {pqext_host_stop, c->table->host},
        .name = c->table->name,
    };

    if (c->scan && c->scan_counts == counts) {
        return PQ_OK;
    }
    close_scan(c);
    c->scan_counts = counts;
    return pq_scan_new(c->table->table, &c->listing->list, &options, &c->scan,
                       &c->e);
}

static PqRc next_batch(PqextCursor *c)
{
    bool more;

    c->row = 0;
    c->n_rows = 0;
    pq_where_reset(&c->e);
    PQ_TRY(pq_scan_next(c->scan, &more, &c->e));
    if (more) {
        const PqBatch *b = pq_scan_batch(c->scan);

        pqext_host_spoke(c->table->host);
        c->n_rows = b->n_rows;
        c->rowid = b->rowid;
        c->batch++;
        if (c->file_serial != pq_scan_file_serial(c->scan)) {
            c->file_serial = pq_scan_file_serial(c->scan);
            forget_columns(c);
        }
    }
    return PQ_OK;
}

static PqRc start(PqextCursor *c, const char *plan, int argc,
                  sqlite3_value **argv)
{
    PqRowRange everything = {0, INT64_MAX};
    Ranges ranges = {&everything, 1, NULL, 0};
    PqextTerm term;
    uint32_t k;
    int i;

    pq_arena_reset(&c->arena);
    c->n_terms = c->n_proofs = 0;
    c->proofs = pq_arena_zeros(&c->arena, (size_t)argc + 1, sizeof *c->proofs,
                               &c->e);
    c->terms = pq_arena_zeros(&c->arena, (size_t)argc + 1, sizeof *c->terms,
                              &c->e);
    if (!c->terms || !c->proofs) {
        return c->e.rc;
    }
    for (i = 0; i < argc && pqext_plan_term(&plan, &term); i++) {
        if (term.column == PQEXT_ROWID) {
            PQ_TRY(rowid_term(c, &ranges, term.op, argv[i]));
        } else if (term.by_bounds) {
            PQ_TRY(bounds_term(c, &c->proofs[c->n_proofs++], term, argv[i]));
        } else {
            PQ_TRY(file_term(c, &c->terms[c->n_terms++], term, argv[i]));
        }
    }
    PQ_TRY(pq_scan_start(c->scan, ranges.v, ranges.n, skip_file, c, &c->e));
    for (k = 0; k < c->n_proofs; k++) {
        PQ_TRY(pq_scan_add_proof(c->scan, &c->proofs[k].base, &c->e));
    }
    return next_batch(c);
}

int pqext_filter(sqlite3_vtab_cursor *cursor, int idx_num, const char *plan,
                 int argc, sqlite3_value **argv)
{
    PqextCursor *c = (PqextCursor *)cursor;

    pqext_host_spoke(c->table->host);
    if (need_scan(c, (idx_num & PQEXT_NO_COLUMNS) != 0) != PQ_OK ||
        start(c, plan ? plan : "", argc, argv) != PQ_OK) {
        return report(c);
    }
    return SQLITE_OK;
}

int pqext_next(sqlite3_vtab_cursor *cursor)
{
    PqextCursor *c = (PqextCursor *)cursor;

    if (PQ_LIKELY(++c->row < c->n_rows)) {
        return SQLITE_OK;
    }
    return next_batch(c) == PQ_OK ? SQLITE_OK : report(c);
}

int pqext_eof(sqlite3_vtab_cursor *cursor)
{
    return ((PqextCursor *)cursor)->n_rows == 0;
}

int pqext_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    PqextCursor *c = (PqextCursor *)cursor;

    *out = c->rowid + c->row;
    return SQLITE_OK;
}

/* ---- columns ----------------------------------------------------------- */

static void result_hive(PqextCursor *c, sqlite3_context *ctx,
                        const PqColumn *column)
{
    const PqListing *l = &c->listing->list;
    const PqHiveValue *v;
    uint32_t k;

    for (k = 0; k < l->n_keys && strcmp(l->keys[k], column->key) != 0; k++) {
    }
    if (k == l->n_keys) {
        return;
    }
    v = &l->files[pq_scan_batch(c->scan)->file].hive[k];
    if (v->text && column->hive_type == PQ_HIVE_INTEGER &&
        l->key_types[k] == PQ_HIVE_INTEGER) {
        sqlite3_result_int64(ctx, v->integer);
    } else if (v->text) {
        sqlite3_result_text(ctx, v->text, -1, SQLITE_TRANSIENT);
    }
}

/* The columns that do not come from the file's pages. */
static void result_own(PqextCursor *c, sqlite3_context *ctx,
                       const PqColumn *column)
{
    const PqBatch *b = pq_scan_batch(c->scan);

    switch (column->kind) {
    case PQ_COLUMN_FILENAME:
        sqlite3_result_text(ctx, pq_scan_path(c->scan), -1, SQLITE_TRANSIENT);
        break;
    case PQ_COLUMN_FILE_INDEX:
        sqlite3_result_int64(ctx, b->file);
        break;
    case PQ_COLUMN_FILE_ROW:
        sqlite3_result_int64(ctx, b->file_row + c->row);
        break;
    case PQ_COLUMN_ROW_GROUP:
        sqlite3_result_int64(ctx, b->group);
        break;
    default:
        result_hive(c, ctx, column);
        break;
    }
}

/* Where an error would be. */
static void enter_column(PqextCursor *c, int i)
{
    c->e.where.file = pq_scan_path(c->scan);
    c->e.where.row_group = (int)pq_scan_batch(c->scan)->group;
    c->e.where.column = c->table->table->columns[i].name;
}

static PqRc load(PqextCursor *c, uint32_t i)
{
    const PqColumn *column = &c->table->table->columns[i];

    enter_column(c, (int)i);
    if (!c->columns[i]) {
        PQ_TRY(pqsql_column_new(pq_scan_mem(c->scan), pq_scan_node(c->scan, i),
                                &column->type, &c->table->values,
                                &c->columns[i], &c->e));
    }
    PQ_TRY(pqsql_column_load(c->columns[i], c->scan, &c->e));
    c->columns[i]->loaded = c->batch;
    c->columns[i]->batch = c->columns[i]->by_row ? 0 : c->batch;
    pq_where_reset(&c->e);
    return PQ_OK;
}

static int column_error(PqextCursor *c, sqlite3_context *ctx)
{
    int rc = c->e.rc == PQ_STOPPED ? SQLITE_INTERRUPT : SQLITE_ERROR;

    pqext_result_error(ctx, &c->e);
    pq_err_clear(&c->e);
    pq_where_reset(&c->e);
    return rc;
}

/* The first time a column of the batch is asked for, and every time for one
** that is made row by row or does not come from pages. */
static PQ_COLD int slow_column(PqextCursor *c, sqlite3_context *ctx, int i)
{
    PqsqlColumn *column = c->columns[i];

    if (c->table->table->columns[i].kind != PQ_COLUMN_NODE) {
        result_own(c, ctx, &c->table->table->columns[i]);
        return SQLITE_OK;
    }
    if (!column || column->loaded != c->batch) {
        if (load(c, (uint32_t)i) != PQ_OK) {
            return column_error(c, ctx);
        }
        column = c->columns[i];
    }
    if (column->by_row) {
        enter_column(c, i);
        if (pqsql_column_text_row(column, c->row, &c->e) != PQ_OK) {
            return column_error(c, ctx);
        }
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}

int pqext_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int i)
{
    PqextCursor *c = (PqextCursor *)cursor;
    const PqsqlColumn *column = c->columns[i];

    if (PQ_UNLIKELY(!column || column->batch != c->batch)) {
        return slow_column(c, ctx, i);
    }
    column->get(ctx, column, c->row);
    return SQLITE_OK;
}
