/*
** json_rows.c - prints the rows of a nested column as JSON text.
**
**   links: list of { url, tag }        url      rep  def   tag      rep  def
**
**   [{"url":"a","tag":null},           a        0    2     -        0    1
**    {"url":"b","tag":"t"}]            b        1    2     t        1    2
**   null                               -        0    0     -        0    0
**
** Printing a node reads only the levels at the cursors of its leaves.  The
** first leaf says whether the node is there, and after an element whether
** another one follows; the other leaves must say the same.  A cursor only moves
** to a slot that exists, so contradictory levels may print nonsense but never
** read outside a vector.
*/
#include "core/nested/json_plan.h"

#include <assert.h>

PQ_COLD PqRc pq_json_rows_disagree(PqJsonRows *j, uint32_t leaf)
{
    return pq_fail(j->e, PQ_CORRUPT,
                   "row %u of the batch: the levels of %s do not fit those "
                   "of the columns beside it", j->row, j->leaf[leaf].path);
}

PqRc pq_json_rows_absent(PqJsonRows *j, PqLeafRange leaves, uint16_t low,
                         uint16_t high)
{
    for (uint32_t i = leaves.first; i < leaves.first + leaves.n; i++) {
        uint16_t def = pq_json_rows_def(j, i);
        if (def < low || def >= high) {
            return pq_json_rows_disagree(j, i);
        }
        j->leaf[i].at++;
    }
    return PQ_OK;
}

/* The same for a null.  DuckDB writes a null ARRAY of three as three slots; the
** last two continue a list that is not there.  They are passed too. */
static PqRc pass_null(PqJsonRows *j, PqLeafRange leaves, uint16_t low,
                      uint16_t high)
{
    PQ_TRY(pq_json_rows_absent(j, leaves, low, high));
    for (uint32_t i = leaves.first; i < leaves.first + leaves.n; i++) {
        PqLeafCursor *c = &j->leaf[i];
        while (c->rep && c->at < c->n_slots && c->rep[c->at] > j->rep &&
               c->def[c->at] >= low && c->def[c->at] < high) {
            c->at++;
        }
    }
    return PQ_OK;
}

/* The repetition level at a cursor; 0, a new row, after the last slot. */
static uint16_t rep_of(const PqLeafCursor *c)
{
    return c->at < c->n_slots ? c->rep[c->at] : 0;
}

PqRc pq_json_rows_again(PqJsonRows *j, PqLeafRange leaves, uint16_t rep,
                        bool *again)
{
    uint16_t first = rep_of(&j->leaf[leaves.first]);

    *again = first == rep;
    if (first > rep) {
        return pq_json_rows_disagree(j, leaves.first);
    }
    for (uint32_t i = leaves.first + 1; i < leaves.first + leaves.n; i++) {
        if (rep_of(&j->leaf[i]) != first) {
            return pq_json_rows_disagree(j, i);
        }
    }
    return PQ_OK;
}

/* How many bytes of s are one step.  A step ends before a byte that begins a
** character.  A character has at most three bytes that do not begin one; after
** more than three in a row, the next one is malformed and may be cut off. */
static size_t part_of(PqSlice s)
{
    size_t n = PQ_STEP_BYTES, back = 0;

    if (s.n <= n) {
        return s.n;
    }
    while (back < 3 && (s.p[n - back] & 0xc0) == 0x80) {
        back++;
    }
    return (s.p[n - back] & 0xc0) == 0x80 ? n : n - back;
}

static PQ_COLD PqRc print_long(PqJsonRows *j, const PqLeafCursor *c,
                               const PqStr *value)
{
    PqSlice s = pq_slice(value->p, value->n);

    if (c->malformed) {
        pq_leaf_json_check(c, value);
    }
    if (!pq_buf_room(&j->out, s.n + 2)) {
        return j->e->rc;
    }
    pq_json_scalar_byte(&j->out, '"');
    while (s.n) {
        size_t n = part_of(s);

        c->part(pq_slice(s.p, n), &j->out);
        PQ_TRY(pq_stop_poll(j->stop, j->e));
        s.p += n;
        s.n -= n;
    }
    pq_json_scalar_byte(&j->out, '"');
    return pq_buf_ok(&j->out) ? PQ_OK : j->e->rc;
}

static inline PqRc print_leaf(PqJsonRows *j, const PqJsonNode *n)
{
    PqLeafCursor *c = &j->leaf[n->leaves.first];
    uint32_t slot = c->at++;
    const PqStr *text;

    PQ_TRY(pq_json_rows_poll(j));
    if (!pq_leaf_json_is_null(c, slot)) {
        text = pq_leaf_json_long(c, slot);
        if (PQ_UNLIKELY(text != NULL)) {
            return print_long(j, c, text);
        }
        pq_leaf_json_put(c, slot, &j->out);
        return PQ_OK;
    }
    if (c->def && c->def[slot] < n->level) {
        return pq_json_rows_disagree(j, n->leaves.first);
    }
    pq_json_scalar_null(&j->out);
    return PQ_OK;
}

static PqRc print_struct(PqJsonRows *j, const PqJsonNode *n)
{
    if (n->leaves.n && n->present > n->level &&
        pq_json_rows_def(j, n->leaves.first) < n->present) {
        pq_json_scalar_null(&j->out);
        return pass_null(j, n->leaves, n->level, n->present);
    }
    pq_json_scalar_byte(&j->out, '{');
    for (uint32_t i = 0; i < n->n_children; i++) {
        const PqJsonNode *child = &n->child[i];
        PqSlice label = child->label;
        pq_json_scalar_raw(&j->out, label.p + (i == 0), label.n - (i == 0));
        PQ_TRY(child->kind == PQ_NODE_LEAF ? print_leaf(j, child)
                                           : pq_json_rows_node(j, child));
    }
    pq_json_scalar_byte(&j->out, '}');
    return PQ_OK;
}

/* Prints the elements of a list of leaves. */
static PqRc print_leaves(PqJsonRows *j, const PqJsonNode *n)
{
    const PqLeafCursor *c = &j->leaf[n->leaves.first];

    for (;;) {
        PQ_TRY(print_leaf(j, n->child));
        if (rep_of(c) != n->repeated_rep) {
            return PQ_OK;
        }
        pq_json_scalar_byte(&j->out, ',');
    }
}

static PqRc print_elements(PqJsonRows *j, const PqJsonNode *n)
{
    bool again;

    for (;;) {
        j->rep = n->repeated_rep;
        PQ_TRY(pq_json_rows_node(j, n->child));
        PQ_TRY(pq_json_rows_again(j, n->leaves, n->repeated_rep, &again));
        if (!again) {
            j->rep = (uint16_t)(n->repeated_rep - 1);
            return PQ_OK;
        }
        pq_json_scalar_byte(&j->out, ',');
    }
}

/* A LIST or a MAP. */
static PqRc print_repeated(PqJsonRows *j, const PqJsonNode *n)
{
    bool object = n->kind == PQ_NODE_MAP && !j->options.map_entries;
    uint16_t def;

    if (n->leaves.n == 0) {          /* the number of elements is unknown */
        pq_json_scalar_null(&j->out);
        return PQ_OK;
    }
    def = pq_json_rows_def(j, n->leaves.first);
    if (def < n->present) {
        pq_json_scalar_null(&j->out);
        return pass_null(j, n->leaves, n->level, n->present);
    }
    pq_json_scalar_byte(&j->out, object ? '{' : '[');
    if (def < n->repeated_def) {
        PQ_TRY(pq_json_rows_absent(j, n->leaves, n->present, n->repeated_def));
    } else if (n->kind == PQ_NODE_MAP) {
        PQ_TRY(pq_map_rows_entries(j, n));
    } else if (n->child->kind == PQ_NODE_LEAF) {
        PQ_TRY(print_leaves(j, n));
    } else {
        PQ_TRY(print_elements(j, n));
    }
    pq_json_scalar_byte(&j->out, object ? '}' : ']');
    return PQ_OK;
}

PqRc pq_json_rows_node(PqJsonRows *j, const PqJsonNode *n)
{
    if (!pq_buf_ok(&j->out)) {       /* no room for any more */
        return j->e->rc;
    }
    PQ_TRY(pq_json_rows_poll(j));
    switch (n->kind) {
    case PQ_NODE_LEAF:   return print_leaf(j, n);
    case PQ_NODE_STRUCT: return print_struct(j, n);
    case PQ_NODE_LIST:
    case PQ_NODE_MAP:    return print_repeated(j, n);
    default:             return j->options.variant_blob && n == &j->root
                                    ? pq_variant_rows_blob(j, n->variant)
                                    : pq_variant_rows_print(j, n->variant);
    }
}

/* ---- rows --------------------------------------------------------------- */

static PqRc begin_leaf(PqJsonRows *j, uint32_t i, const PqVector *v)
{
    PqLeafCursor *c = &j->leaf[i];

    assert(v->n_rows == j->n_rows);
    assert(v->rep || v->leaf->max_rep == 0);
    assert(v->def || v->leaf->max_def == 0);
    if (v->rep) {
        j->repeated[j->n_repeated++] = i;
    }
    PQ_TRY(pq_leaf_json_begin(c, v, j->e));
    if (v->rep ? v->n_slots < v->n_rows : v->n_slots != v->n_rows) {
        return pq_fail(j->e, PQ_CORRUPT, "%s has %u levels for %u rows",
                       c->path, v->n_slots, v->n_rows);
    }
    if (v->rep && v->n_slots && v->rep[0] != 0) {
        return pq_fail(j->e, PQ_CORRUPT,
                       "%s begins in the middle of a row", c->path);
    }
    return PQ_OK;
}

PqRc pq_json_rows_begin(PqJsonRows *j, const PqVector *const *vectors,
                        uint32_t n_rows, PqErr *e)
{
    j->row = 0;
    j->n_rows = n_rows;
    j->n_repeated = 0;
    j->e = e;
    j->failed = true;
    j->bad_row = UINT32_MAX;
    for (uint32_t i = 0; i < j->n_leaves; i++) {
        PQ_TRY(begin_leaf(j, i, vectors[i]));
    }
    j->failed = false;
    return PQ_OK;
}

/* Every repeated leaf must be where a row begins, or at the end after the last
** row. */
static PqRc check_row(PqJsonRows *j)
{
    bool more = j->row < j->n_rows;

    for (uint32_t i = 0; i < j->n_repeated; i++) {
        const PqLeafCursor *c = &j->leaf[j->repeated[i]];
        if (rep_of(c) != 0 || (c->at < c->n_slots) != more) {
            return pq_fail(j->e, PQ_CORRUPT,
                           "the levels of %s do not end with row %u of the "
                           "batch", c->path, j->row);
        }
    }
    return PQ_OK;
}

PqRc pq_json_rows_end_row(PqJsonRows *j)
{
    j->row++;
    return check_row(j);
}

PqRc pq_json_rows_pass(PqJsonRows *j, uint32_t to)
{
    uint32_t n = to - j->row;

    if (n == 0) {
        return PQ_OK;
    }
    for (uint32_t i = 0; i < j->n_leaves; i++) {
        PqLeafCursor *c = &j->leaf[i];
        if (!c->rep) {
            c->at += n;
            continue;
        }
        for (uint32_t k = 0; k < n && c->at < c->n_slots; k++) {
            do {
                c->at++;
            } while (rep_of(c) != 0);
        }
    }
    j->row = to;
    return check_row(j);
}

/* Is the whole column null in this row?  If so, passes its slots. */
static PqRc root_is_null(PqJsonRows *j, bool *is_null)
{
    const PqJsonNode *n = &j->root;

    *is_null = n->leaves.n && n->present > 0 &&
               pq_json_rows_def(j, n->leaves.first) < n->present;
    return *is_null ? pass_null(j, n->leaves, 0, n->present) : PQ_OK;
}

static PqRc write_row(PqJsonRows *j, PqStr *text, size_t *start)
{
    bool is_null;
    size_t n;

    j->rep = 0;
    j->malformed = NULL;
    PQ_TRY(root_is_null(j, &is_null));
    *start = is_null ? SIZE_MAX : j->out.n;
    text->n = 0;
    if (!is_null) {
        PQ_TRY(pq_json_rows_node(j, &j->root));
        pq_json_scalar_byte(&j->out, '\0');
        if (!pq_buf_ok(&j->out)) {
            return j->e->rc;
        }
        n = j->out.n - *start - 1;
        if (n > UINT32_MAX) {
            return pq_fail(j->e, PQ_UNSUPPORTED,
                           "a nested value of %zu bytes as JSON", n);
        }
        text->n = (uint32_t)n;
    }
    return pq_json_rows_end_row(j);
}

static PqRc write_rows(PqJsonRows *j, uint32_t from, uint32_t until,
                       size_t n_bytes, uint32_t *n, const PqStr **texts)
{
    size_t *start;
    PqStr *text;
    uint32_t i;

    PQ_TRY(pq_json_rows_pass(j, from));
    PQ_TRY(pq_buf_resize(&j->starts, (until - from) * sizeof *start, j->e));
    PQ_TRY(pq_buf_resize(&j->texts, (until - from) * sizeof *text, j->e));
    start = (size_t *)(void *)j->starts.p;
    text = (PqStr *)(void *)j->texts.p;
    for (*n = 0; from + *n < until && (*n == 0 || j->out.n <= n_bytes); ++*n) {
        PQ_TRY(write_row(j, &text[*n], &start[*n]));
        if (j->malformed) {          /* return only the rows before it */
            j->bad_leaf = j->malformed;
            j->bad_row = from + *n;
            break;
        }
    }
    for (i = 0; i < *n; i++) {       /* now that out does not move any more */
        text[i].p = start[i] == SIZE_MAX ? NULL : j->out.p + start[i];
    }
    *texts = text;
    return PQ_OK;
}

static PQ_COLD PqRc not_utf8(const PqJsonRows *j, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT,
                   "bytes that are not UTF-8 in %s; invalid_utf8=text replaces "
                   "them by U+FFFD", j->bad_leaf);
}

PqRc pq_json_rows_write(PqJsonRows *j, uint32_t from, uint32_t until,
                        size_t n_bytes, uint32_t *n, const PqStr **texts,
                        PqErr *e)
{
    PqRc rc;

    if (from == j->bad_row) {
        return not_utf8(j, e);
    }
    assert(from >= j->row && from < until && until <= j->n_rows);
    *n = 0;
    *texts = NULL;
    if (j->failed) {
        return pq_fail(e, PQ_CORRUPT, "rows before row %u of the batch could "
                       "not be read", from);
    }
    j->e = j->out.sink = j->key.sink = e;
    j->out.n = j->entries.n = j->asked_at = 0;
    rc = write_rows(j, from, until, n_bytes, n, texts);
    j->failed = rc != PQ_OK;
    return rc == PQ_OK && *n == 0 ? not_utf8(j, e) : rc;
}

PqStr pq_json_unquoted(PqStr json)
{
    if (json.p && json.n >= 2 && json.p[0] == '"') {
        return (PqStr){json.p + 1, json.n - 2};
    }
    return json.p && json.n == 4 && memcmp(json.p, "null", 4) == 0
               ? (PqStr){NULL, 0} : json;
}
