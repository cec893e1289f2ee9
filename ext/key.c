/*
** key.c - from an operand to the rows that have it.
*/
#include "ext/key.h"

#include "ext/estimate.h"

#include "ext/cursor.h"
#include "sql/stored.h"

#include <math.h>

enum {
    CALLS_FIRST = 2,                 /* before an index is thought of       */
    ROWS_PER_CALL = 2000,            /* that might be read instead of asking
                                     ** the proofs about every row group    */
    FEW_ROWS = 4096,                 /* are always picked                   */
    SHARE = 8,                       /* more of the table are scanned for   */
    ROWS_SHARE = 16,                 /* of memory, that their list may take */
    FIRST_PICK = 64
};

/* ---- which columns ------------------------------------------------------ */

/* Types of which pqsql_stored_values knows every value that is equal to an
** operand, and that are given as it takes them to be. */
bool pqext_key_can(const PqextTable *t, uint32_t column)
{
    const PqType *type = &t->table->columns[column].type;

    if (pqext_filter_affinity(t, column) == PQEXT_AFF_NONE) {
        return false;
    }
    switch (type->physical) {
    case PQ_INT32:
    case PQ_INT64:
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        break;
    default:
        return false;
    }
    switch (type->logical) {
    case PQ_TYPE_INT:
        return !pq_type_is_u64(type);
    case PQ_TYPE_DECIMAL:
        return !t->values.decimal_text;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp == PQSQL_TIME_TEXT;
    case PQ_TYPE_NONE:
    case PQ_TYPE_DATE:
    case PQ_TYPE_UUID:
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
        return true;
    default:
        return false;
    }
}

static bool is_key(const PqextTable *t, PqextTerm term)
{
    return term.by_value && (term.op == PQEXT_EQ || term.op == PQEXT_IN) &&
           pqext_key_can(t, (uint32_t)term.column);
}

/* ---- what it costs ------------------------------------------------------ */

enum { BYTES_PER_ROW = 12 };

/* Making the index reads the table once, for all calls.  How many there will be
** is not known; SQLite takes a table that it has no statistics of for a million
** rows.  A share of that and what is paid per call make, with SQLite's own
** numbers for finding a row and for making an automatic index, that a native
** table with an index is looked up in, row by row of this one, and that a native
** table without one asks here. */
double pqext_key_cost(PqextTable *t, uint32_t column)
{
    double rows = t->rows_guess;

    if (rows * BYTES_PER_ROW > (double)t->options.memory / 2) {
        return rows * 0.9;
    }
    return 60 + rows * 2.6e-5 + 3 * pqext_rows_of_value(t, column);
}

/* ---- hashes of texts ---------------------------------------------------- */

/* Two texts that look like numbers may be compared as such, so all that are the
** same number have one hash. */
static uint32_t hash_number(double v)
{
    v = v == 0 ? 0 : v;              /* -0 is 0 */
    return pq_key_hash_bytes(pq_slice(&v, sizeof v));
}

/* Numbers that are not read here (pqext_number_of) are found by any number. */
enum { ODD_NUMBER = 1 };

static uint32_t hash_text(PqSlice key)
{
    double v;

    return !pqext_looks_like_number(key) ? pq_key_hash_bytes(key)
           : pqext_number_of(key, &v)    ? hash_number(v)
                                         : ODD_NUMBER;
}

/* An integer that a double holds, written in whatever way: other numbers may be
** rounded in more than one. */
static bool is_whole(double v)
{
    return v >= -9e15 && v <= 9e15 && v == (double)(int64_t)v;
}

/* The hash of the operand under any affinity; false: there is none.  *number:
** it may be compared as one. */
static bool hash_of_operand(sqlite3_value *v, PqSlice text, bool *number,
                            uint32_t *out)
{
    double d;

    *number = true;
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        d = (double)sqlite3_value_int64(v);
        break;
    case SQLITE_TEXT:
        if (!pqext_looks_like_number(text)) {
            *number = false;
            *out = pq_key_hash_bytes(text);
            return true;
        }
        if (!pqext_number_of(text, &d)) {
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

static PqRc find_text(PqextCursor *c, sqlite3_value *v, uint32_t most,
                      bool *known)
{
    sqlite3_value *copy;
    uint32_t hash = 0;
    bool number;
    PqSlice text = {NULL, 0};

    if (sqlite3_value_type(v) == SQLITE_BLOB) {
        return PQ_OK;                /* equal to no text */
    }
    copy = sqlite3_value_dup(v);     /* reading it may convert it */
    if (!copy) {
        return pq_fail(&c->e, PQ_NOMEM, "out of memory");
    }
    if (sqlite3_value_type(copy) == SQLITE_TEXT) {
        text.p = sqlite3_value_text(copy);
        text.n = (size_t)sqlite3_value_bytes(copy);
        if (!text.p) {
            sqlite3_value_free(copy);
            return pq_fail(&c->e, PQ_NOMEM, "out of memory");
        }
    }
    *known = hash_of_operand(copy, text, &number, &hash);
    sqlite3_value_free(copy);
    if (!*known) {
        return PQ_OK;
    }
    PQ_TRY(pq_key_index_find_hash(c->key.index, hash, most, &c->key.rows,
                                  &c->e));
    return number ? pq_key_index_find_hash(c->key.index, ODD_NUMBER, most,
                                           &c->key.rows, &c->e)
                  : PQ_OK;
}

/* The rows of one operand; *known false: they may be others. */
static PqRc find(PqextCursor *c, sqlite3_value *v, uint32_t most, bool *known)
{
    const PqType *type = &c->table->table->columns[c->key.column].type;
    PqsqlStored stored;
    uint32_t i;

    if (sqlite3_value_type(v) == SQLITE_NULL) {
        return PQ_OK;
    }
    if (pqext_is_string(c->table, type)) {
        return find_text(c, v, most, known);
    }
    PQ_TRY(pqsql_stored_values(v, type, &c->arena, &stored, &c->e));
    *known = stored.known;
    for (i = 0; i < stored.n && *known; i++) {
        PqSlice key = stored.plain[i];

        if (type->physical == PQ_INT32 || type->physical == PQ_INT64) {
            PQ_TRY(pq_key_index_find_integer(c->key.index,
                                             pq_key_integer(type, key.p), most,
                                             &c->key.rows, &c->e));
        } else {
            PQ_TRY(pq_key_index_find_hash(c->key.index, pq_key_hash_bytes(key),
                                          most, &c->key.rows, &c->e));
        }
    }
    return PQ_OK;
}

typedef struct Finding {
    uint32_t most;
    bool     known;
} Finding;

static PqRc find_operand(PqextCursor *c, void *arg, sqlite3_value *v)
{
    Finding *f = arg;

    return f->known && c->key.rows.n <= f->most
               ? find(c, v, f->most, &f->known) : PQ_OK;
}

static PqRc find_all(PqextCursor *c, PqextTerm term, sqlite3_value *v)
{
    double share = c->table->rows_guess / SHARE;
    double room = (double)c->table->options.memory / ROWS_SHARE / 8;
    Finding f = {.known = true};

    share = share < room ? share : room;
    f.most = share > FEW_ROWS ? (uint32_t)share : FEW_ROWS;
    c->key.rows.n = 0;
    PQ_TRY(pqext_cursor_operands(c, term.op, v, find_operand, &f));
    c->key.picking = f.known && c->key.rows.n <= f.most;
    c->key.at = 0;
    c->key.at_once = FIRST_PICK;
    c->key.rows.n = (uint32_t)pq_sort_i64_once(c->key.rows.rowid,
                                               c->key.rows.n);
    return PQ_OK;
}

/* ---- when --------------------------------------------------------------- */

/* A text is asked for in UTF-8 first: in a UTF-16 database its bytes move when
** they are counted as such. */
static uint64_t look_at(sqlite3_value *v)
{
    const void *p;

    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        return (uint64_t)sqlite3_value_int64(v);
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        p = sqlite3_value_type(v) == SQLITE_TEXT
                ? (const void *)sqlite3_value_text(v) : sqlite3_value_blob(v);
        return !p ? 0 : pq_key_hash_bytes(
                            pq_slice(p, (size_t)sqlite3_value_bytes(v)));
    default:
        return 0;
    }
}

/* The term that an index would serve: one whose operand is another in each
** call, or else the first that there can be one for. */
static bool choose_term(PqextCursor *c, const char *plan, int argc,
                        sqlite3_value **argv, PqextTerm *out, int *arg)
{
    PqextKey *k = &c->key;
    PqextTerm term;
    bool have = false, have_varying = false;
    int i;

    for (i = 0; i < argc && pqext_plan_term(&plan, &term); i++) {
        if (term.column == PQEXT_ROWID) {
            return false;            /* that is fast as it is */
        }
        if (!is_key(c->table, term) ||
            (k->index && term.column != k->column)) {
            continue;
        }
        if (i < PQEXT_KEY_TERMS && term.op == PQEXT_EQ && !k->index) {
            uint64_t now = look_at(argv[i]);

            k->varies[i] = k->varies[i] || (k->calls > 1 && now != k->seen[i]);
            k->seen[i] = now;
        }
        if (!have ||
            (!have_varying && i < PQEXT_KEY_TERMS && k->varies[i])) {
            *out = term;
            *arg = i;
            have_varying = have && i < PQEXT_KEY_TERMS && k->varies[i];
        }
        have = true;
    }
    return have;
}

/* Which files the index has. */
static PqRc note_files(PqextCursor *c)
{
    const PqListing *l = &c->listing->list;
    uint32_t i;

    if (c->n_terms == 0) {
        return PQ_OK;
    }
    c->key.skipped = pq_mem_zeros(pq_scan_mem(c->scan), l->n_files, 1, &c->e);
    if (!c->key.skipped) {
        return c->e.rc;
    }
    for (i = 0; i < l->n_files; i++) {
        c->key.skipped[i] = pqext_cursor_skips(c, &l->files[i]);
    }
    return PQ_OK;
}

static PqRc make_index(PqextCursor *c, int column)
{
    const PqType *type = &c->table->table->columns[column].type;
    size_t memory = (size_t)c->table->options.memory;
    PqKeySpec spec = {.column = (uint32_t)column, .type = type,
                      .limit = memory / 2};
    PqRc rc;

    if (type->physical == PQ_BYTE_ARRAY || type->physical == PQ_FIXED) {
        spec.hash = pqext_is_string(c->table, type) ? hash_text
                                                    : pq_key_hash_bytes;
    }
    PQ_TRY(note_files(c));
    PQ_TRY(pq_scan_start(c->scan, NULL, 0, pqext_cursor_skips, c, &c->e));
    rc = pq_key_index_build(c->scan, &spec, &c->key.index, &c->e);
    c->key.column = column;
    c->key.refused = c->key.index == NULL;
    c->key.rows.mem = pq_scan_mem(c->scan);
    if (rc == PQ_BUDGET) {           /* it can be done without */
        pq_err_clear(&c->e);
        pq_where_reset(&c->e);
        return PQ_OK;
    }
    PQ_TRY(rc);
    return c->key.index
               ? pq_scan_pick_memory(c->scan, memory / 8 * 7 -
                                     pq_key_index_bytes(c->key.index), &c->e)
               : PQ_OK;
}

/* Are all files in the index that this call wants? */
static bool has_files(PqextCursor *c)
{
    const PqListing *l = &c->listing->list;
    uint32_t i;

    for (i = 0; c->key.skipped && i < l->n_files; i++) {
        if (c->key.skipped[i] && !pqext_cursor_skips(c, &l->files[i])) {
            return false;
        }
    }
    return true;
}

PqRc pqext_key_begin(PqextCursor *c, const char *plan, int argc,
                     sqlite3_value **argv)
{
    PqextKey *k = &c->key;
    PqextTerm term;
    int arg = 0;

    k->picking = false;
    k->calls++;
    if (k->refused || !choose_term(c, plan, argc, argv, &term, &arg)) {
        return PQ_OK;
    }
    if (!k->index) {
        if (k->calls <= CALLS_FIRST ||
            (double)pq_scan_rows_read(c->scan) +
                    (double)k->calls * ROWS_PER_CALL < c->table->rows_guess) {
            return PQ_OK;
        }
        PQ_TRY(make_index(c, term.column));
    }
    return k->index && has_files(c) ? find_all(c, term, argv[arg]) : PQ_OK;
}

PqRc pqext_key_next(PqextCursor *c, bool *more)
{
    PqextKey *k = &c->key;

    do {
        const int64_t *rowid = k->rows.rowid + k->at;
        uint32_t n = 0;

        while (k->at + n < k->rows.n && n < k->at_once &&
               rowid[n] >> PQ_ROWID_SHIFT == rowid[0] >> PQ_ROWID_SHIFT) {
            n++;
        }
        k->at += n;
        k->at_once = k->at_once < PQ_BATCH_ROWS / 4 ? k->at_once * 4
                                                    : PQ_BATCH_ROWS;
        *more = n > 0;
        PQ_TRY(pq_scan_pick(c->scan, rowid, n, &c->e));
        if (*more) {
            PQ_TRY(pq_scan_filter(c->scan, &c->e));
        }
    } while (*more && pq_scan_batch(c->scan)->n_kept == 0);
    return PQ_OK;
}

void pqext_key_forget(PqextKey *k)
{
    pq_key_index_free(k->index);
    pq_mem_free(k->skipped);
    pq_mem_free(k->rows.rowid);
    *k = (PqextKey){0};
}
