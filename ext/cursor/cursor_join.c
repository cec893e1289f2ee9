/*
** cursor_join.c - from an operand to the rows that have it.
**
** The hard part is that equality is SQLite's, and the index has stored
** values.  An operand may be equal to several stored values, or to one that it
** does not look like: '1.0' to an INTEGER 1, and a text '01' to a text '1'
** where SQLite compares them as numbers.  So an operand is turned into all
** stored values that it wants (compile.c).  Texts that look like numbers are
** indexed by the number (hash_text).
**
** The other question is which term to look up, if a plan has several: it is the
** one with the fewest rows (choose_term).  The filters test the others.
*/
#include "ext/cursor/cursor_join.h"

#include "ext/cursor/cursor.h"
#include "ext/plan/plan.h"

#include <math.h>

enum {
    CALLS_FIXED = 4,                 /* calls with one key until it is kept */
    FEW_ROWS = 4096,                 /* so many rows are always picked      */
    SHARE = 8,                       /* a larger share of rows is scanned   */
    ROWS_SHARE = 16,                 /* of memory, for the list of rows     */
    FIRST_PICK = 64,
    OTHER_INDEX = 4,                 /* times its rows: a term that has no  */
                                     /* index counts for so many            */
    SAME_KEY = 4                     /* ... as does one whose operand stays */
                                     /* the same                            */
};

static bool is_key(const PqextTable *t, PqextTerm term)
{
    return term.by_value &&
           (pqext_is_equal(term.op) || term.op == PQEXT_IN) &&
           pqext_join_can(t, (uint32_t)term.column);
}

/* ---- hashes of texts ---------------------------------------------------- */

/* Texts that look like numbers may be compared as numbers, so all texts of one
** number have the same hash. */
static uint32_t hash_number(double v)
{
    v = v == 0 ? 0 : v;              /* -0 is 0 */
    return pq_join_hash(pq_slice(&v, sizeof v));
}

/* The hash of texts that look like a number but cannot be read as one here
** (pqext_number_of).  Every number finds them. */
enum { ODD_NUMBER = 1 };

static uint32_t hash_text(PqSlice key)
{
    double v;

    return !pqsql_looks_like_number(key) ? pq_join_hash(key)
           : pqext_number_of(key, &v)    ? hash_number(v)
                                         : ODD_NUMBER;
}

/* Is it an integer that a double holds?  It is read the same however it is
** written; other numbers may be rounded in more than one way. */
static bool is_whole(double v)
{
    return v >= -9e15 && v <= 9e15 && v == (double)(int64_t)v;
}

/* The hash of the operand, whatever its affinity is; false: there is none.
** *number: it may be compared as a number. */
static bool hash_of_operand(const PqCell *v, bool *number, uint32_t *out)
{
    double d;

    *number = true;
    switch (v->kind) {
    case PQ_CELL_INT:
        d = (double)v->i;
        break;
    case PQ_CELL_TEXT:
        if (!pqsql_looks_like_number(pq_cell_slice(v))) {
            *number = false;
            *out = pq_join_hash(pq_cell_slice(v));
            return true;
        }
        if (!pqext_number_of(pq_cell_slice(v), &d)) {
            return false;
        }
        break;
    default:
        return false;
    }
    *out = hash_number(d);
    return is_whole(d);
}

/* ---- finding ------------------------------------------------------------ */

typedef struct Finding {
    PqextCursor *c;
    PqextJoin   *j;
    uint32_t  n_keys;
    bool      known;
} Finding;

static PqRc find_key(PqextCursor *c, Finding *f, int64_t key)
{
    bool known = true;

    f->j->key = key;
    f->n_keys++;
    PQ_TRY(pq_join_index_find(f->j->index, c->s.scan, key, f->j->most,
                              &f->j->rows, &known, &c->s.e));
    f->known &= known;
    return PQ_OK;
}

static PqRc find_text(PqextCursor *c, Finding *f, sqlite3_value *v)
{
    uint32_t hash = 0;
    PqCell operand;
    bool number;

    if (sqlite3_value_type(v) == SQLITE_BLOB) {
        return PQ_OK;                /* equal to no text */
    }
    PQ_TRY(pqext_value_take(v, false, &c->s.arena, &operand, &c->s.e));
    f->known = hash_of_operand(&operand, &number, &hash);
    if (!f->known) {
        return PQ_OK;
    }
    PQ_TRY(find_key(c, f, hash));
    return number ? find_key(c, f, ODD_NUMBER) : PQ_OK;
}

/* Finds the rows of a value that the column may store. */
static PqRc find_place(PqextCursor *c, Finding *f, const PqType *type,
                       PqPlace place)
{
    uint8_t room[PQ_PLACE_ROOM];
    PqSlice stored;

    if (pq_join_key_is_stored(type)) {
        return find_key(c, f, (int64_t)place);
    }
    stored = pq_place_stored(type, place, room);
    f->known = stored.p != NULL;
    return f->known ? find_key(c, f, pq_join_hash(stored)) : PQ_OK;
}

static PqRc find_wanted(PqextCursor *c, Finding *f, const PqType *type,
                        const PqWanted *w)
{
    uint32_t n;

    f->known = pq_wanted_can_list(w, &n);
    for (uint32_t i = 0; i < w->n && f->known; i++) {
        if (w->form == PQ_WANTED_BYTES) {
            PQ_TRY(find_key(c, f, pq_join_hash(w->byte_spans[i].from)));
            continue;
        }
        for (PqPlace p = w->spans[i].first; f->known; p++) {
            PQ_TRY(find_place(c, f, type, p));
            if (p == w->spans[i].last) {
                break;
            }
        }
    }
    return PQ_OK;
}

/* Finds the rows of one operand. */
static PqRc find(PqextCursor *c, Finding *f, sqlite3_value *v)
{
    const PqType *type = &c->s.table->table->columns[f->j->column].type;
    PqextAffinity a = pqext_affinity(c->s.table, (uint32_t)f->j->column);
    PqCell operand;
    PqWanted wanted;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        f->known = f->j->term.op != PQEXT_IS;    /* no index has the nulls */
        return PQ_OK;
    }
    if (sqlite3_value_type(v) == SQLITE_INTEGER &&
        pq_join_key_is_number(type)) {
        return find_key(c, f, sqlite3_value_int64(v));
    }
    if (pqext_is_string(c->s.table, type)) {
        return find_text(c, f, v);
    }
    PQ_TRY(pqext_value_take(v, a == PQEXT_AFF_NUMERIC, &c->s.arena, &operand,
                            &c->s.e));
    PQ_TRY(pqext_condition_equal(c->s.table, type, &operand, f->j->term.exact,
                                 &c->s.arena, &wanted, &c->s.e));
    return find_wanted(c, f, type, &wanted);
}

static PqRc find_operand(PqextScan *s, void *arg, sqlite3_value *v)
{
    Finding *f = arg;

    /* If a list is too long, the table is scanned. */
    f->known = f->known && f->n_keys <= f->j->most;
    s->enough = !f->known || f->j->rows.n > f->j->most;
    return s->enough ? PQ_OK : find(f->c, f, v);
}

static PqRc find_all(PqextCursor *c, sqlite3_value *v)
{
    PqextJoin *j = &c->join;
    Finding f = {.c = c, .j = j, .known = true};
    bool exact;

    j->asked = true;
    j->elements = false;
    j->rows.n = 0;
    PQ_TRY(pqext_scan_operands(&c->s, j->term.op, v, find_operand, &f));
    j->picking = f.known && j->rows.n <= j->most;
    j->at = 0;
    j->at_once = FIRST_PICK;
    exact = pq_join_index_is_exact(j->index);
    c->s.settled = j->picking && (exact || !j->term.exact) ? j->arg : -1;
    j->one_key = exact && f.n_keys == 1;
    if (j->rows.n > 1) {
        j->rows.n = (uint32_t)pq_sort_i64_once(j->rows.rowid, j->rows.n);
    }
    c->s.picks = j->picking;
    c->s.picked = j->rows.n;
    return PQ_OK;
}

PqRc pqext_join_again(PqextCursor *c, sqlite3_value **argv)
{
    PqextJoin *j = &c->join;

    j->picking = j->asked = false;
    c->s.settled = -1;
    c->s.picks = false;
    if (!j->chosen) {
        return PQ_OK;
    }
    j->calls++;
    pq_arena_reset(&c->s.arena);
    c->s.n_file_terms = c->s.n_conditions = c->s.n_geos = 0;
    return find_all(c, argv[j->arg]);
}

bool pqext_join_is_all(const PqextCursor *c)
{
    const PqextJoin *j = &c->join;

    return j->picking &&
           (j->rows.n == 0 || (j->alone && c->s.settled == j->arg));
}

/* ---- when --------------------------------------------------------------- */

/* Tells operands apart.  A text is asked for before its size: in a UTF-16
** database its bytes move when they become UTF-8. */
static uint64_t look_at(sqlite3_value *v)
{
    const void *p;
    uint64_t bits;
    double d;

    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        return (uint64_t)sqlite3_value_int64(v);
    case SQLITE_FLOAT:
        d = sqlite3_value_double(v);
        memcpy(&bits, &d, sizeof bits);
        return bits;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        p = sqlite3_value_type(v) == SQLITE_TEXT
                ? (const void *)sqlite3_value_text(v) : sqlite3_value_blob(v);
        return !p ? 0 : pq_join_hash(
                            pq_slice(p, (size_t)sqlite3_value_bytes(v)));
    default:
        return 0;
    }
}

/* Does the operand change from call to call? */
static bool does_vary(PqextJoin *j, int arg, PqextTerm term, sqlite3_value *v)
{
    uint64_t now;

    if (arg >= PQEXT_JOIN_TERMS || !pqext_is_equal(term.op)) {
        return false;
    }
    now = look_at(v);
    j->varies[arg] = j->varies[arg] || (j->calls > 1 && now != j->seen[arg]);
    j->seen[arg] = now;
    return j->varies[arg];
}

/* About how many rows a call gets by this term.  Terms are compared by it.  A
** term counts for more rows if it has no index yet, or if its operand does not
** change from call to call. */
static double rows_by(PqextCursor *c, PqextTerm term, bool varies)
{
    uint32_t column = (uint32_t)term.column;

    return pqext_rows_of_value(c->s.table, column) *
           (pq_join_index_is_there(c->s.scan, column) ? 1 : OTHER_INDEX) *
           (varies ? 1 : SAME_KEY);
}

/* Chooses the term that an index would serve: the one with the fewest rows, but
** IN only where there is no other. */
static bool choose_term(PqextCursor *c, sqlite3_value **argv, bool *varying)
{
    PqextJoin *j = &c->join;
    double least = INFINITY;
    bool have = false;

    *varying = false;
    for (int i = 0; i < (int)c->s.plan->n_terms; i++) {
        PqextTerm term = c->s.plan->terms[i];
        bool varies, better;
        double rows;

        if (term.column == PQEXT_ROWID) {
            return false;            /* that is fast as it is */
        }
        if (!is_key(c->s.table, term)) {
            continue;
        }
        varies = does_vary(j, i, term, argv[i]);
        rows = rows_by(c, term, varies);
        better = (term.op == PQEXT_IN) == (j->term.op == PQEXT_IN)
                     ? rows < least : term.op != PQEXT_IN;
        if (!have || better) {
            j->term = term;
            j->arg = i;
            *varying = varies;
            least = rows;
        }
        have = true;
    }
    return have;
}

/* Gets the index of the term for this cursor's files. */
static PqRc need_index(PqextCursor *c)
{
    PqextJoin *j = &c->join;
    const PqType *type = &c->s.table->table->columns[j->term.column].type;
    PqJoinSpec spec = {.column = (uint32_t)j->term.column, .type = type,
                      .bounds = c->s.table->options.trust_stats != 0,
                      .n_rows = c->s.table->rows_guess / c->s.table->elements,
                      .n_keys = c->s.table->rows_guess};

    if (j->index && j->column == j->term.column &&
        j->index->ready &&
        pq_join_index_has_files(j->index, c->s.scan, pqext_scan_skips, &c->s)) {
        return PQ_OK;
    }
    if (!pq_join_key_is_stored(type)) {
        spec.hash = pqext_is_string(c->s.table, type) ? hash_text
                                                      : pq_join_hash;
    }
    j->column = j->term.column;
    pq_lookup_adopt(c->s.listing->lookup, c->s.table->kept, &c->s.listing->list,
                    c->s.table->host->engine);
    c->s.table->kept = NULL;
    return pq_join_index_of(c->s.scan, &spec, pqext_scan_skips, &c->s,
                            &j->index, &c->s.e);
}

/* Makes room for the rows of a call. */
static PqRc need_rows(PqextCursor *c)
{
    PqextJoin *j = &c->join;
    double most = c->s.table->rows_guess / SHARE;
    double room = (double)c->s.table->options.memory / ROWS_SHARE / 8;

    if (j->keys) {
        return PQ_OK;
    }
    most = most < room ? most : room;
    j->most = most > FEW_ROWS ? (uint32_t)most : FEW_ROWS;
    j->rows.mem = pq_scan_mem(c->s.scan);
    j->keys = pq_mem_array(j->rows.mem, PQ_BATCH_ROWS, sizeof *j->keys, &c->s.e);
    return j->keys ? PQ_OK : c->s.e.rc;
}

static PqRc begin(PqextCursor *c, sqlite3_value **argv)
{
    PqextJoin *j = &c->join;
    bool varying;

    j->chosen = false;
    if (c->s.scan_counts || !choose_term(c, argv, &varying)) {
        return PQ_OK;
    }
    PQ_TRY(need_index(c));
    if (j->index->scans > 0) {
        PQ_TRY(pq_join_index_make(j->index, c->s.scan, &c->s.e));
    }
    if (!j->index->ready) {
        return PQ_OK;
    }
    PQ_TRY(need_rows(c));
    j->chosen = (varying || j->calls > CALLS_FIXED) && !j->index->without;
    j->alone = c->s.plan->n_terms == 1;
    return find_all(c, argv[j->arg]);
}

PqRc pqext_join_begin(PqextCursor *c, sqlite3_value **argv)
{
    PqextJoin *j = &c->join;

    if (j->scanning) {
        j->index->ended++;
        j->index->scanned += pq_scan_rows_read(c->s.scan) - j->read;
        j->scanning = false;
    }
    if (!j->asked) {
        j->calls++;
        PQ_TRY(begin(c, argv));
    }
    if (j->index && !j->picking) {
        j->index->scans++;
        j->scanning = true;
    }
    j->read = pq_scan_rows_read(c->s.scan);
    return PQ_OK;
}

/* ---- picking ------------------------------------------------------------ */

/* All rows of the batch have the key that was asked for, so its column need not
** be read. */
static void preset_key(PqextCursor *c)
{
    const PqextJoin *j = &c->join;
    const PqNode *node = pq_scan_node(c->s.scan, (uint32_t)j->column);
    uint32_t i, n = pq_scan_batch(c->s.scan)->n_rows;
    PqVector v;

    if (!j->one_key || !node || node->kind != PQ_NODE_LEAF) {
        return;
    }
    v = (PqVector){.leaf = &pq_scan_footer(c->s.scan)->schema.leaves[node->leaf],
                   .n_rows = n, .n_slots = n, .values = j->keys};
    for (i = 0; i < n; i++) {
        if (v.leaf->type.physical == PQ_INT64) {
            j->keys[i] = j->key;
        } else {
            ((int32_t *)j->keys)[i] = (int32_t)j->key;
        }
    }
    pq_scan_preset(c->s.scan, (uint32_t)node->leaf, &v);
}

/* The index may have files that this call does not want. */
static void pass_files(PqextCursor *c)
{
    PqextJoin *j = &c->join;
    int64_t passed = -1;

    while (c->s.n_file_terms > 0 && j->at < j->rows.n) {
        int64_t file = j->rows.rowid[j->at] >> PQ_ROWID_SHIFT;

        if (file != passed &&
            !pqext_scan_skips(&c->s, &c->s.listing->list.files[file])) {
            return;
        }
        passed = file;
        j->at++;
    }
}

/* The number of rows that are picked next.  They are in one file, and each time
** there are more. */
static uint32_t count_next(PqextJoin *j)
{
    const int64_t *rowid = j->rows.rowid + j->at;
    uint32_t n = 0, most = pq_join_index_at_once(j->index);

    j->at_once = j->at_once < most ? j->at_once : most;
    while (j->at + n < j->rows.n && n < j->at_once &&
           rowid[n] >> PQ_ROWID_SHIFT == rowid[0] >> PQ_ROWID_SHIFT) {
        n++;
    }
    j->at_once = j->at_once < PQ_BATCH_ROWS / 4 ? j->at_once * 4
                                                : PQ_BATCH_ROWS;
    return n;
}

/* Picks the next rows, and asks the filters about them; *more false: none is
** left.  With unnest, it picks the elements of the rows. */
static PqRc pick(PqextCursor *c, bool *more)
{
    PqextJoin *j = &c->join;
    const int64_t *rowid = j->rows.rowid + j->at;
    uint32_t n = count_next(j);

    j->at += n;
    if (c->s.table->table->unnest.n > 0) {
        PQ_TRY(pq_scan_pick_elements(c->s.scan, rowid, n, &c->s.e));
        j->elements = true;
        return pq_scan_next_picked(c->s.scan, more, &c->s.e);
    }
    PQ_TRY(pq_scan_pick(c->s.scan, rowid, n, &c->s.e));
    preset_key(c);
    PQ_TRY(pq_scan_filter(c->s.scan, &c->s.e));
    *more = pq_scan_batch(c->s.scan)->n_kept > 0;
    return PQ_OK;
}

static PqRc next(PqRowSource *source, bool *more, PqErr *e)
{
    PqextJoin *j = (PqextJoin *)source;
    PqextCursor *c = j->cursor;

    *more = false;
    if (j->elements) {
        PQ_TRY(pq_scan_next_picked(c->s.scan, more, e));
    }
    while (!*more) {
        pass_files(c);
        if (j->at == j->rows.n) {
            return PQ_OK;
        }
        PQ_TRY(pick(c, more));
    }
    return PQ_OK;
}

PqRowSource *pqext_join_rows(PqextCursor *c)
{
    c->join.source = pq_row_source(c->s.scan, next);
    c->join.cursor = c;
    return &c->join.source;
}

void pqext_join_forget(PqextJoin *j)
{
    pq_mem_free(j->keys);
    pq_mem_free(j->rows.rowid);
    *j = (PqextJoin){0};
}
