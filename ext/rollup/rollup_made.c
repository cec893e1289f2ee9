/*
** rollup_made.c - groups that are made once for many calls of a statement.
**
** A join or a correlated subquery calls with one key after the other.  Reading
** the files for each key would take long.  So the first calls read the rows
** with their key.  When they have read a good part of the table, all groups are
** made, and further calls are answered from a hash of the key:
**
**   call 1    rows by country = 'FI'        a scan
**   call 2    a row per country             a scan, a hash
**   call 3    'SE' -> groups 4, 9           no scan
**
** Other comparisons whose operand changes are tested for each group, or for those
** that a key leaves.  If no operand changes, all calls get the same groups.
**
** The groups belong to the listing.  So all cursors of the statement share
** them, and another statement does not see them.
**
** The hash may give groups with other keys.  Where SQLite does not test a term again,
** their keys are compared here (pq_cell_compare).
**
** The hard part is equality.  SQLite compares a dimension of numbers as
** numbers, whatever the operand is; then keys are found by their doubles.  In
** any other dimension a text that looks like a number may be compared as a
** number, whose value may depend on how its digits are rounded.  So such keys
** are found by the first bits of their double and of the doubles beside it;
** SQLite tests them again.
*/
#include "ext/rollup/rollup_table.h"

#include "ext/condition/meaning.h"
#include "ext/cursor/cursor_scan.h"

enum {
    NONE = UINT32_MAX,
    MOST_MADE = 3,                   /* entries with groups                 */
    MOST_ENTRIES = 64,
    SHARE = 4,                       /* of the table is read first          */
    ODD = 1,
    POLL = 4096                      /* groups                              */
};

/* ---- what is asked -------------------------------------------------------- */

/* False: memory is not enough for a text. */
static bool put_value(sqlite3_value *v, PqBuf *out)
{
    int type = sqlite3_value_type(v);
    int64_t i = type == SQLITE_INTEGER ? sqlite3_value_int64(v) : 0;
    double d = type == SQLITE_FLOAT ? sqlite3_value_double(v) : 0;
    const void *bytes = type == SQLITE_TEXT   ? sqlite3_value_text(v)
                        : type == SQLITE_BLOB ? sqlite3_value_blob(v) : NULL;
    int n = bytes ? sqlite3_value_bytes(v) : 0;

    if (type == SQLITE_TEXT && !bytes) {
        return false;
    }
    pq_buf_add(out, &type, sizeof type);
    pq_buf_add(out, &i, sizeof i);
    pq_buf_add(out, &d, sizeof d);
    pq_buf_add(out, &n, sizeof n);
    pq_buf_add(out, bytes, (size_t)n);
    return true;
}

/* False: the call cannot share groups, because an operand is a list that SQLite
** does not test again, or there is no memory for one. */
static bool put_about(PqextRollupRun *r, sqlite3_value **argv, PqBuf *out)
{
    const PqextRollupPlan *p = &r->plan;
    uint64_t narrows = pqext_rollup_narrows(r);

    pq_buf_add(out, &p->used, sizeof p->used);
    pq_buf_add(out, &p->keys, sizeof p->keys);
    pq_buf_add(out, &p->other_keys, sizeof p->other_keys);
    pq_buf_add(out, &r->is_true, sizeof r->is_true);
    pq_buf_add(out, &r->is_false, sizeof r->is_false);
    pq_buf_add(out, &narrows, sizeof narrows);
    for (uint32_t i = 0; i < p->n_terms; i++) {
        const PqextTerm *t = &p->terms[i];
        int what[3] = {t->column, (int)t->op, t->exact};

        pq_buf_add(out, what, sizeof what);
        if (t->op == PQEXT_IN && t->exact) {
            return false;
        }
        if (t->op != PQEXT_IN && !pqext_rollup_is_key(p->keys, i) &&
            !put_value(argv[i], out)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < p->n_others; i++) {
        pq_buf_add(out, &p->others[i], sizeof p->others[i]);
        if (p->others[i].op != PQEXT_IN &&
            !pqext_rollup_is_key(p->other_keys, i) &&
            !put_value(argv[p->n_terms + i], out)) {
            return false;
        }
    }
    return true;
}

static void free_made(PqextMade *m)
{
    pq_rollup_free(m->groups);
    sqlite3_free(m->heads);
    sqlite3_free(m->nexts);
    sqlite3_free(m->about);
    sqlite3_free(m);
}

void pqext_made_free(PqextMade *m)
{
    while (m) {
        PqextMade *next = m->next;

        free_made(m);
        m = next;
    }
}

/* The bytes of heads and nexts. */
static size_t hash_bytes_of(const PqextMade *m)
{
    return m->heads ? ((size_t)m->mask + 1) * sizeof *m->heads +
                          ((size_t)m->n + 1) * sizeof *m->nexts : 0;
}

size_t pqext_made_bytes(const PqextMade *m)
{
    size_t n = 0;

    for (; m; m = m->next) {
        n += m->groups ? pq_rollup_bytes(m->groups) + hash_bytes_of(m) : 0;
    }
    return n;
}

/* Forgets the oldest groups that nobody reads, where there are many. */
static void forget_some(PqextListing *l)
{
    uint32_t n_made = 0, n = 0;
    PqextMade **at = &l->made;

    while (*at) {
        PqextMade *m = *at;

        n++;
        n_made += m->groups != NULL;
        if (m->holders == 0 && (n > MOST_ENTRIES ||
                                (m->groups && n_made > MOST_MADE))) {
            *at = m->next;
            free_made(m);
        } else {
            at = &m->next;
        }
    }
}

/* Moves the entry that it finds to the front. */
static PqextMade *look_up(PqextListing *l, const PqBuf *about)
{
    for (PqextMade **at = &l->made; *at; at = &(*at)->next) {
        PqextMade *m = *at;

        if (m->n_about == about->n &&
            memcmp(m->about, about->p, about->n) == 0) {
            *at = m->next;
            m->next = l->made;
            l->made = m;
            return m;
        }
    }
    return NULL;
}

static PqextMade *new_entry(PqextListing *l, const PqBuf *about)
{
    PqextMade *m = sqlite3_malloc(sizeof *m);

    if (m) {
        memset(m, 0, sizeof *m);
        m->about = sqlite3_malloc64(about->n + 1);
    }
    if (!m || !m->about) {
        sqlite3_free(m);
        return NULL;
    }
    memcpy(m->about, about->p, about->n);
    m->n_about = about->n;
    m->next = l->made;
    l->made = m;
    return m;
}

PqRc pqext_made_find(PqextRollupRun *r, sqlite3_value **argv, PqextMade **out)
{
    PqextListing *l = r->source.listing;
    PqErr *e = &r->source.e;

    *out = NULL;
    r->scratch.n = 0;
    if (!put_about(r, argv, &r->scratch)) {
        return PQ_OK;
    }
    if (!pq_buf_ok(&r->scratch)) {
        return e->rc;
    }
    forget_some(l);
    *out = look_up(l, &r->scratch);
    if (!*out) {
        *out = new_entry(l, &r->scratch);
    }
    return *out ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory");
}

bool pqext_made_leaves_out(const PqextRollupPlan *p)
{
    for (uint32_t i = 0; i < p->n_terms; i++) {
        if (p->terms[i].op == PQEXT_IN) {
            return true;
        }
    }
    for (uint32_t i = 0; i < p->n_others; i++) {
        if (p->others[i].op == PQEXT_IN) {
            return true;
        }
    }
    return p->keys || p->other_keys;
}

bool pqext_made_pays(const PqextRollupRun *r, const PqextMade *m)
{
    return !m->too_large &&
           (!pqext_made_leaves_out(&r->plan) ||
            (double)m->read * SHARE >= r->table->source->rows_guess);
}

PqRc pqext_made_take(PqextRollupRun *r, PqextMade *m)
{
    PqErr *e = &r->source.e;

    m->too_large = !pq_rollup_is_whole(r->groups, &m->n);
    if (m->too_large) {
        return PQ_OK;
    }
    PQ_TRY(pq_rollup_next(r->groups, &m->n, e));
    m->groups = r->groups;
    r->groups = NULL;
    return PQ_OK;
}

/* ---- keys ---------------------------------------------------------------- */

/* A key that a call asks for.  number: the dimension, as the run counts; NONE:
** no dimension has the key. */
typedef struct Key {
    PqextOp  op;
    uint32_t number;
    uint32_t arg;
    bool     numeric, exact;
} Key;

static uint32_t number_of(const PqextRollupRun *r, const PqextTerm *t)
{
    const PqextDimension *d = r->table->rollup->dimensions;

    for (uint32_t i = 0; i < r->n_dimensions; i++) {
        if (d[r->dimensions[i]].kind == PQEXT_DIM_COLUMN &&
            d[r->dimensions[i]].column == (uint32_t)t->column) {
            return i;
        }
    }
    return NONE;
}

static Key key_of_term(const PqextRollupRun *r, uint32_t i)
{
    const PqextTerm *t = &r->plan.terms[i];

    return (Key){.op = t->op, .number = number_of(r, t), .arg = i,
                 .exact = t->exact || pqext_rollup_is_tested(r, t),
                 .numeric = t->by_value &&
                            pqext_affinity(r->table->source,
                                           (uint32_t)t->column) ==
                                PQEXT_AFF_NUMERIC};
}

static Key key_of_other(const PqextRollupRun *r, uint32_t i)
{
    Key k = {.op = r->plan.others[i].op, .number = NONE,
             .arg = r->plan.n_terms + i};

    for (uint32_t j = 0; j < r->n_dimensions; j++) {
        if (r->dimensions[j] == r->plan.others[i].dimension) {
            k.number = j;
        }
    }
    return k;
}

static uint32_t mix(uint64_t h)
{
    h *= 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) | 2;  /* never ODD */
}

static uint32_t hash_bytes(PqSlice v)
{
    return (uint32_t)pq_join_hash(v) | 2;
}

static uint32_t hash_double(double v)
{
    uint64_t bits;

    v = v == 0 ? 0 : v;              /* -0 is 0 */
    memcpy(&bits, &v, sizeof bits);
    return mix(bits);
}

/* The hash of the first bits of a double, plus `beside`.  These bits have the
** order of numbers, so -1 and 1 give the bits on either side. */
static uint32_t hash_about(double v, int beside)
{
    enum { LEFT_OUT = 16 };          /* bits: 36 of the digits stay         */
    int64_t first = pq_ranks_of_real(v) >> LEFT_OUT;

    return mix((uint64_t)first + (uint64_t)(int64_t)beside);
}

static bool is_about(const PqCell *v, double *out)
{
    *out = pq_cell_is_number(v) ? pq_cell_double(v) : 0;
    return pq_cell_is_number(v) ||
           (v->kind == PQ_CELL_TEXT && pqsql_looks_like_number(pq_cell_slice(v)) &&
            pqext_number_of(pq_cell_slice(v), out));
}

static uint32_t hash_value(const PqCell *v, bool numeric)
{
    double d;

    if (!numeric && is_about(v, &d)) {
        return hash_about(d, 0);
    }
    return pq_cell_is_number(v) ? hash_double(pq_cell_double(v))
           : !numeric && v->kind == PQ_CELL_TEXT &&
                   pqsql_looks_like_number(pq_cell_slice(v))
               ? ODD : hash_bytes(pq_cell_slice(v));
}

static PqRc poll(PqextRollupRun *r)
{
    PqStop stop = {pqext_host_stop, r->table->host};

    return pq_stop_poll(&stop, &r->source.e);
}

/* Groups whose key is NULL are not in the hash. */
static PqRc make_hash(PqextRollupRun *r, PqextMade *m, Key key)
{
    PqErr *e = &r->source.e;
    uint32_t size = 16;

    while (size < m->n) {
        size *= 2;
    }
    m->heads = sqlite3_malloc64((size_t)size * sizeof *m->heads);
    m->nexts = sqlite3_malloc64(((size_t)m->n + 1) * sizeof *m->nexts);
    if (!m->heads || !m->nexts) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memset(m->heads, 0xff, (size_t)size * sizeof *m->heads);
    m->mask = size - 1;
    for (uint32_t i = m->n; i-- > 0;) {
        const PqCell *v = pq_rollup_key(m->groups, key.number, i);

        if (v->kind != PQ_CELL_NULL) {
            uint32_t *head = &m->heads[hash_value(v, key.numeric) & m->mask];

            m->nexts[i] = *head;
            *head = i;
        }
        if (i % POLL == 0) {
            PQ_TRY(poll(r));
        }
    }
    return PQ_OK;
}

static PqRc need_hash(PqextRollupRun *r, PqextMade *m, Key key)
{
    if (!m->heads && make_hash(r, m, key) != PQ_OK) {
        sqlite3_free(m->heads);
        sqlite3_free(m->nexts);
        m->heads = m->nexts = NULL;
        return r->source.e.rc;
    }
    return PQ_OK;
}

/* ---- answers -------------------------------------------------------------- */

typedef struct Asked {
    Key        key;
    bool       null;                 /* IS NULL, IS NOT NULL                */
    PqCell     value;                /* else                                */
} Asked;

static bool passes_one(const Asked *a, const PqCell *v)
{
    bool there = v->kind != PQ_CELL_NULL, both_null = a->null && !there;

    if (a->null || !there) {
        return a->key.op == PQEXT_IS_NOT ? !both_null : both_null;
    }
    return !a->key.exact ||
           pqext_op_holds(a->key.op, pq_cell_compare(v, &a->value));
}

static bool passes(const PqextMade *m, const Asked *asked, uint32_t n,
                   uint32_t group)
{
    uint32_t i = 0;

    while (i < n && passes_one(&asked[i], pq_rollup_key(m->groups, asked[i].key.number,
                                                        group))) {
        i++;
    }
    return i == n;
}

/* Moves a key with this operator to the front.  The first key is hashed, and
** has to be the same one in every call. */
static void put_first(Asked *asked, uint32_t n, PqextOp op)
{
    for (uint32_t i = 0; i < n; i++) {
        if (asked[i].key.op == op) {
            Asked first = asked[i];

            asked[i] = asked[0];
            asked[0] = first;
            return;
        }
    }
}

static void add_key(PqextRollupRun *r, Key key, Asked *asked, uint32_t *n)
{
    if (pqext_scan_believes(&r->source, key.op, key.exact)) {
        asked[(*n)++].key = key;
    }
}

/* Takes all keys of the call; *none: no group has them, because one is NULL and
** is not compared by IS or IS NOT. */
static PqRc take_keys(PqextRollupRun *r, sqlite3_value **argv, PqArena *a,
                      Asked *asked, uint32_t *n, bool *none)
{
    PqErr *e = &r->source.e;

    *none = false;
    for (uint64_t left = r->plan.keys; left; left &= left - 1) {
        add_key(r, key_of_term(r, (uint32_t)__builtin_ctzll(left)), asked, n);
    }
    for (uint64_t left = r->plan.other_keys; left; left &= left - 1) {
        add_key(r, key_of_other(r, (uint32_t)__builtin_ctzll(left)), asked, n);
    }
    put_first(asked, *n, PQEXT_IS);
    put_first(asked, *n, PQEXT_EQ);
    for (uint32_t i = 0; i < *n; i++) {
        sqlite3_value *v = argv[asked[i].key.arg];

        asked[i].null = sqlite3_value_type(v) == SQLITE_NULL;
        if (asked[i].null && asked[i].key.op != PQEXT_IS &&
            asked[i].key.op != PQEXT_IS_NOT) {
            *none = true;
            return PQ_OK;
        }
        if (asked[i].null) {
            continue;
        }
        asked[i].key.op = asked[i].key.op == PQEXT_IS ? PQEXT_EQ
                                                      : asked[i].key.op;
        PQ_TRY(pqext_value_take(v, asked[i].key.numeric, a, &asked[i].value,
                                e));
    }
    return PQ_OK;
}

static PqRc add_chain(PqextRollupRun *r, const PqextMade *m, const Asked *asked,
                      uint32_t n_asked, uint32_t hash, uint32_t *list,
                      uint32_t *n)
{
    uint32_t looked = 0;

    for (uint32_t i = m->heads[hash & m->mask]; i != NONE; i = m->nexts[i]) {
        const PqCell *v = pq_rollup_key(m->groups, asked[0].key.number, i);

        if (++looked % POLL == 0) {
            PQ_TRY(poll(r));
        }
        if (v->kind != PQ_CELL_NULL &&
            hash_value(v, asked[0].key.numeric) == hash &&
            passes(m, asked, n_asked, i)) {
            list[(*n)++] = i;
        }
    }
    return PQ_OK;
}

static uint32_t chain_length(const PqextMade *m, uint32_t hash)
{
    uint32_t n = 0;

    for (uint32_t i = m->heads[hash & m->mask]; i != NONE; i = m->nexts[i]) {
        n++;
    }
    return n;
}

enum { MOST_HASHES = 4 };

static void add_hash(uint32_t hash, uint32_t *hashes, uint32_t *n)
{
    uint32_t i = 0;

    while (i < *n && hashes[i] != hash) {
        i++;
    }
    if (i == *n) {
        hashes[(*n)++] = hash;
    }
}

/* A text whose number only SQLite knows, such as '1e0', may be equal to any
** key. */
static bool is_vague(const Asked *a)
{
    double d;

    return !a->key.numeric && a->value.kind == PQ_CELL_TEXT &&
           pqsql_looks_like_number(pq_cell_slice(&a->value)) && !is_about(&a->value, &d);
}

/* The hashes that an equal group may have, each once. */
static uint32_t hashes_of(const Asked *a, uint32_t *hashes)
{
    uint32_t n = 0;
    double d;

    add_hash(hash_value(&a->value, a->key.numeric), hashes, &n);
    if (!a->key.numeric && is_about(&a->value, &d)) {
        add_hash(hash_about(d, -1), hashes, &n);
        add_hash(hash_about(d, 1), hashes, &n);
        add_hash(ODD, hashes, &n);
    }
    return n;
}

/* Lists the groups that pass, where no key is hashed: all groups are tested. */
static PqRc list_all(PqextRollupRun *r, const PqextMade *m, const Asked *asked,
                     uint32_t n_asked, PqArena *a, uint32_t **list, uint32_t *n)
{
    PqErr *e = &r->source.e;

    *list = pq_arena_alloc(a, (m->n + (size_t)1) * sizeof **list, e);
    for (uint32_t i = 0; *list && i < m->n; i++) {
        if (i % POLL == 0) {
            PQ_TRY(poll(r));
        }
        if (passes(m, asked, n_asked, i)) {
            (*list)[(*n)++] = i;
        }
    }
    return *list ? PQ_OK : e->rc;
}

/* Lists the groups whose hashed key may be equal. */
static PqRc list_chains(PqextRollupRun *r, PqextMade *m, const Asked *asked,
                        uint32_t n_asked, PqArena *a, uint32_t **list,
                        uint32_t *n)
{
    uint32_t hashes[MOST_HASHES], n_hashes, most = 0;

    PQ_TRY(need_hash(r, m, asked[0].key));
    n_hashes = hashes_of(&asked[0], hashes);
    for (uint32_t i = 0; i < n_hashes; i++) {
        most += chain_length(m, hashes[i]);
    }
    *list = pq_arena_alloc(a, (most + (size_t)1) * sizeof **list,
                           &r->source.e);
    PQ_TRY(*list ? PQ_OK : r->source.e.rc);
    for (uint32_t i = 0; i < n_hashes; i++) {
        PQ_TRY(add_chain(r, m, asked, n_asked, hashes[i], *list, n));
    }
    return PQ_OK;
}

PqRc pqext_made_list(PqextRollupRun *r, PqextMade *m, sqlite3_value **argv,
                     PqArena *a, uint32_t **list, uint32_t *n)
{
    Asked asked[2 * PQEXT_ROLLUP_TERMS];
    uint32_t n_asked = 0;
    bool none;

    *n = m->n;
    *list = NULL;
    if (!r->plan.keys && !r->plan.other_keys) {
        return PQ_OK;
    }
    PQ_TRY(take_keys(r, argv, a, asked, &n_asked, &none));
    *n = 0;
    return none ? PQ_OK
           : n_asked > 0 && asked[0].key.op == PQEXT_EQ && !is_vague(&asked[0])
               ? list_chains(r, m, asked, n_asked, a, list, n)
               : list_all(r, m, asked, n_asked, a, list, n);
}
