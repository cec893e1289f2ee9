/*
** value.c - makes a column for a node of a file, and loads its batches.
**
** What is hard is speed with dictionaries.  An entry is computed once for many
** rows, but a dictionary may have millions of entries that no row has.  An
** entry without a value must fail only if a row has it.
*/
#include "sql/value/value_inside.h"

/* Are the file's own values texts? */
static bool gives_text(const PqsqlRecipe *r)
{
    return pq_type_is_text(&r->from) ||
           (r->options.binary_as_string && r->from.logical == PQ_TYPE_NONE &&
            r->from.physical == PQ_BYTE_ARRAY);
}

/* Values are made row by row from JSON text: for nested columns, and for a
** column that a union of files declares as TEXT while this file has another
** type. */
static PqRc use_json(PqsqlColumn *c, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqJsonOptions options = {
        .as = r->node->kind == PQ_NODE_LEAF ? NULL : r->options.as,
        .map_entries = r->options.map_entries,
        .strict_utf8 = r->options.invalid_utf8 == PQSQL_UTF8_ERROR,
        .binary_as_string = r->options.binary_as_string,
        .nan_text = r->options.nan_text,
        .variant_blob = r->options.variant_blob,
    };
    bool blob = r->options.variant_blob && r->node->kind == PQ_NODE_VARIANT;

    PQ_TRY(PQ_NEW(r->mem, r->vectors, r->node->n_leaves + 1u, e));
    r->family = r->unquote ? &pqsql_unquoted
                : blob     ? &pqsql_row_blob
                           : &pqsql_json;
    c->by_row = true;
    return pq_json_rows_new(r->mem, r->node, &options, &r->json, e);
}

static PqsqlEntry entry_of(const PqsqlRecipe *r)
{
    size_t width = r->make ? r->made_width
                           : pq_physical_width(r->from.physical);

    if (r->family == &pqsql_text || r->family == &pqsql_clean_text) {
        return PQSQL_ENTRY_TEXT;
    }
    return width == 4   ? PQSQL_ENTRY_4
           : width == 8 ? PQSQL_ENTRY_8
                        : PQSQL_ENTRY_OTHER;
}

static PqRc choose(PqsqlColumn *c, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    if (!r->node || (r->node->kind == PQ_NODE_LEAF &&
                     r->from.logical == PQ_TYPE_UNKNOWN)) {
        r->family = &pqsql_null;
        return PQ_OK;
    }
    if (r->node->kind == PQ_NODE_PATH && !pq_node_is_typed_path(r->node)) {
        return pqsql_use_items(c, e);
    }
    if (r->options.wkb_of != PQ_GEO_AS_WKB) {
        return pqsql_use_wkb(c, e);
    }
    if (r->node->kind != PQ_NODE_LEAF && r->node->kind != PQ_NODE_PATH) {
        return use_json(c, e);
    }
    if (pq_type_is_text(&r->to) && !gives_text(r)) {
        r->unquote = true;
        return use_json(c, e);
    }
    pqsql_choose_form(r);
    r->entry = entry_of(r);
    return PQ_OK;
}

/* Are both bytes, and does only one side say that they are WKB?  Then the
** column counts. */
static bool is_wkb_or_bytes(const PqType *t)
{
    return pq_type_is_geometry(t) ||
           (t->logical == PQ_TYPE_NONE && t->physical == PQ_BYTE_ARRAY);
}

PqRc pqsql_column_new(PqMem *mem, const PqNode *node, const PqType *type,
                      const PqsqlOptions *options, PqsqlColumn **out, PqErr *e)
{
    PqsqlRecipe *r;
    PqsqlColumn *c;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, c, 1, e));
    if (PQ_NEW(mem, r, 1, e) != PQ_OK) {
        pq_mem_free(c);
        return e->rc;
    }
    c->recipe = r;
    *r = (PqsqlRecipe){.mem = mem, .node = node, .to = *type,
                       .options = *options};
    if (node) {
        r->from = node->type;
        if (type->logical == PQ_TYPE_UNKNOWN) {  /* it says nothing */
            r->to = node->type;
        } else if (is_wkb_or_bytes(type) && is_wkb_or_bytes(&node->type)) {
            r->from = *type;
        }
    }
    pq_arena_init(&r->batch.texts, mem);
    pq_arena_init(&r->dict.texts, mem);
    pq_buf_init(&r->scratch, mem, NULL);
    if (choose(c, e) != PQ_OK) {
        pqsql_column_free(c);
        return e->rc;
    }
    *out = c;
    return PQ_OK;
}

static void free_made(PqsqlMade *m)
{
    pq_mem_free(m->values);
    pq_mem_free(m->without);
    pq_arena_free(&m->texts);
}

void pqsql_column_free(PqsqlColumn *c)
{
    if (c) {
        PqsqlRecipe *r = c->recipe;

        free_made(&r->batch);
        free_made(&r->dict);
        pq_mem_free(r->rows);
        pq_buf_free(&r->scratch);
        pq_json_rows_free(r->json);
        pq_geo_rows_free(r->geo);
        pqsql_column_free(r->twin);
        pqsql_free_items(r->items);
        pq_mem_free(r->vectors);
        pq_mem_free(r);
        pq_mem_free(c);
    }
}

static void choose_getter(PqsqlColumn *c, const PqsqlFamily *family)
{
    c->get = family->get[(c->ids ? 1 : 0) | (c->valid ? 2 : 0)];
}

/* Entries between two polls of stop; a dictionary may have millions. */
enum { MADE_AT_ONCE = 1 << 14 };

static PqRc made_room(PqsqlRecipe *r, PqsqlMade *m, uint32_t n, PqErr *e)
{
    pq_arena_reset(&m->texts);
    return PQ_ROOM(r->mem, m->values, n * r->made_width, m->room, e);
}

/* Computes n values into m. */
static PqRc make(PqsqlRecipe *r, PqsqlMade *m, const void *in,
                 const uint64_t *valid, uint32_t n, PqErr *e)
{
    size_t width = pq_physical_width(r->from.physical);
    uint32_t at = 0;

    PQ_TRY(made_room(r, m, n, e));
    for (;;) {
        uint32_t step = n - at > MADE_AT_ONCE ? MADE_AT_ONCE : n - at;

        PQ_TRY(r->make(r, (const char *)in + at * width,
                       valid ? valid + at / 64 : NULL, step,
                       m->values + at * r->made_width, &m->texts, e));
        at += step;
        if (at == n) {
            return PQ_OK;
        }
        PQ_TRY(pq_stop_poll(r->stop, e));
    }
}

/* ---- dictionaries -------------------------------------------------------- */

/* Computes entry i of a dictionary. */
static PqRc make_entry(PqsqlRecipe *r, const PqDict *dict, uint32_t i, PqErr *e)
{
    size_t width = pq_physical_width(dict->type);

    return r->make(r, (const char *)dict->values + i * width, NULL, 1,
                   r->dict.values + i * r->made_width, &r->dict.texts, e);
}

/* Is the error about a value, and not about memory? */
static bool is_of_a_value(PqRc rc)
{
    return rc == PQ_CHANGED || rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED;
}

/* Some entry has no SQLite value.  Computes each on its own, to know which. */
static PqRc make_one_by_one(PqsqlRecipe *r, const PqDict *dict, PqErr *e)
{
    PQ_TRY(made_room(r, &r->dict, dict->n, e));
    PQ_TRY(PQ_NEW(r->mem, r->dict.without, dict->n / 64 + 1, e));
    for (uint32_t i = 0; i < dict->n; i++) {
        if ((dict->valid && !pq_bit(dict->valid, i)) ||
            make_entry(r, dict, i, e) == PQ_OK) {
            continue;
        }
        if (!is_of_a_value(e->rc)) {
            return e->rc;
        }
        pq_err_clear(e);
        pq_bit_set(r->dict.without, i);
    }
    return PQ_OK;
}

/* A dictionary may hold entries that no row has.  An entry without a SQLite
** value therefore fails only when a row has it. */
static PqRc make_dict(PqsqlRecipe *r, const PqDict *dict, PqErr *e)
{
    r->dict_serial = 0;
    pq_mem_free(r->dict.without);
    r->dict.without = NULL;
    if (make(r, &r->dict, dict->values, dict->valid, dict->n, e) != PQ_OK) {
        if (!is_of_a_value(e->rc)) {
            return e->rc;
        }
        pq_err_clear(e);
        PQ_TRY(make_one_by_one(r, dict, e));
    }
    r->dict_serial = dict->serial;
    return PQ_OK;
}

/* Fails for the first row of the batch that has no SQLite value, with the error
** of computing it. */
static PqRc check_rows(PqsqlRecipe *r, const PqVector *v, PqErr *e)
{
    for (uint32_t i = 0; i < v->n_slots; i++) {
        if (pq_vector_is_valid(v, i) && pq_bit(r->dict.without, v->ids[i])) {
            return make_entry(r, v->dict, v->ids[i], e);
        }
    }
    return PQ_OK;
}

/* Do the texts of a dictionary have no NUL, so that getters need not look? */
static bool is_clean(PqsqlRecipe *r, const PqDict *dict)
{
    const PqStr *s = dict->values;

    if (r->clean_serial != dict->serial) {
        r->clean_serial = dict->serial;
        r->clean = true;
        for (uint32_t i = 0; i < dict->n && r->clean; i++) {
            r->clean = (dict->valid && !pq_bit(dict->valid, i)) ||
                       s[i].n == 0 ||          /* its p may be NULL */
                       (s[i].n < INT32_MAX && !memchr(s[i].p, 0, s[i].n));
        }
    }
    return r->clean;
}

/* Copies the entries of n rows; texts get one more after the last row. */
static void look_up(PqsqlEntry entry, const void *dict, const uint32_t *ids,
                    uint32_t n, void *out)
{
    const PqStr *texts = dict;
    const uint64_t *wide = dict;
    const uint32_t *narrow = dict;

    if (entry == PQSQL_ENTRY_TEXT) {
        PqStr *to = out;
        for (uint32_t i = 0; i < n; i++) to[i] = texts[ids[i]];
        to[n] = (PqStr){NULL, 0};
    } else if (entry == PQSQL_ENTRY_8) {
        uint64_t *to = out;
        for (uint32_t i = 0; i < n; i++) to[i] = wide[ids[i]];
    } else {
        uint32_t *to = out;
        for (uint32_t i = 0; i < n; i++) to[i] = narrow[ids[i]];
    }
}

/* Looks up all ids of a batch at once if entries are small.  The CPU then waits
** for many entries at a time.  Between two getters SQLite does so much that it
** would wait for each entry alone.  A null has id 0, which a dictionary without
** entries lacks. */
static PqRc in_rows(PqsqlColumn *c, const PqVector *v, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    uint32_t n = v->n_slots;

    if (v->dict->n == 0 || r->entry == PQSQL_ENTRY_OTHER) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ROOM(r->mem, r->rows, (n + 1) * sizeof(PqStr), r->rows_room, e));
    look_up(r->entry, c->values, v->ids, n, r->rows);
    c->values = r->rows;
    c->ids = NULL;
    choose_getter(c, r->entry == PQSQL_ENTRY_TEXT ? &pqsql_entry_text
                                                  : r->family);
    return PQ_OK;
}

/* The batch has ids into a dictionary. */
static PqRc load_dictionary(PqsqlColumn *c, const PqVector *v, bool few,
                            PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    c->ids = v->ids;
    c->values = v->dict->values;
    choose_getter(c, r->family);
    if (r->make) {
        if (r->dict_serial != v->dict->serial) {
            PQ_TRY(make_dict(r, v->dict, e));
        }
        if (r->dict.without) {
            PQ_TRY(check_rows(r, v, e));
        }
        c->values = r->dict.values;
    }
    if (few || (r->family == &pqsql_text && !is_clean(r, v->dict))) {
        return PQ_OK;
    }
    return in_rows(c, v, e);
}

/* ---- loading --------------------------------------------------------------- */

/* The values that have to be computed: in rows that filters have left, and not
** null. */
static const uint64_t *wanted(const PqVector *v, const PqScan *scan,
                              uint64_t *room)
{
    const PqBatch *b = pq_scan_batch(scan);

    if (!b->keep || !v->valid) {
        return b->keep ? b->keep : v->valid;
    }
    for (uint32_t w = 0; w < (b->n_rows + 63) / 64; w++) {
        room[w] = b->keep[w] & v->valid[w];
    }
    return room;
}

/* Have filters left so few rows that each is best looked up in its getter? */
static bool few_are_left(const PqScan *scan)
{
    const PqBatch *b = pq_scan_batch(scan);

    return b->n_kept < b->n_rows / 8;
}

static PqRc load_leaf(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    bool few = few_are_left(scan);
    const PqVector *v;

    PQ_TRY(pq_scan_vector(scan, (uint32_t)r->node->leaf, &v, e));
    c->valid = v->valid;
    if (v->dict) {
        return load_dictionary(c, v, few, e);
    }
    c->values = v->values;
    choose_getter(c, r->family == &pqsql_text && !few &&
                             pq_vector_is_clean(v)
                         ? &pqsql_clean_text : r->family);
    if (r->make) {
        uint64_t room[PQ_BATCH_ROWS / 64];

        PQ_TRY(make(r, &r->batch, v->values, wanted(v, scan, room),
                    v->n_slots, e));
        c->values = r->batch.values;
    }
    return PQ_OK;
}

PqRc pqsql_column_load_one(PqsqlColumn *c, const void *value, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;

    c->valid = NULL;
    c->ids = NULL;
    c->values = value;
    choose_getter(c, r->family);
    if (r->make) {
        PQ_TRY(make(r, &r->batch, value, NULL, 1, e));
        c->values = r->batch.values;
    }
    return PQ_OK;
}

static PqRc load_json(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    PqScanEntries entries;

    for (uint32_t i = 0; i < r->node->n_leaves; i++) {
        pq_scan_keep_levels(scan, r->node->first_leaf + i);
    }
    PQ_TRY(pq_scan_entries(scan, r->node, &entries, e));
    for (uint32_t i = 0; i < r->node->n_leaves; i++) {
        PQ_TRY(pq_scan_entry_vector(scan, r->node, r->node->first_leaf + i,
                                    &r->vectors[i], e));
    }
    r->entry_of_row = entries.of_row;
    r->n_entries = entries.n;
    r->text_first = r->text_n = 0;
    pq_json_rows_watch(r->json, r->stop);
    return pq_json_rows_begin(r->json, r->vectors, r->n_entries, e);
}

PqRc pqsql_column_load(PqsqlColumn *c, PqScan *scan, PqErr *e)
{
    c->valid = NULL;
    c->ids = NULL;
    c->recipe->path = pq_scan_path(scan);
    c->recipe->group = pq_scan_batch(scan)->group;
    c->recipe->stop = pq_scan_stop(scan);
    choose_getter(c, c->recipe->family);
    if (c->recipe->json) {
        return load_json(c, scan, e);
    }
    if (c->recipe->geo) {
        return pqsql_load_wkb(c, scan, e);
    }
    if (c->recipe->items) {
        return pqsql_load_items(c, scan, e);
    }
    return c->recipe->family == &pqsql_null ? PQ_OK : load_leaf(c, scan, e);
}

/* Texts are made for some rows at a time, because a row may hold megabytes.
** How many depends on whether the last ones were all used, since a filter may
** leave few rows.  Rows that the filter has read already are made again for
** SQLite. */
enum { TEXT_AT_ONCE = 1 << 20 };

PqRc pqsql_column_text_row(PqsqlColumn *c, uint32_t row, PqErr *e)
{
    PqsqlRecipe *r = c->recipe;
    uint32_t next = r->text_first + r->text_n, left;

    if (r->items) {
        return pqsql_item_of_row(c, row, e);
    }
    row = pqsql_entry_of(r, row);
    left = r->n_entries - row;
    if (r->geo) {
        return pqsql_wkb_of_entry(c, row, e);
    }
    if (row - r->text_first < r->text_n) {
        return PQ_OK;
    }
    r->text_ahead = row == next || row == 0 ? r->text_ahead * 2 : 1;
    if (r->text_ahead == 0 || r->text_ahead > left) {
        r->text_ahead = r->text_ahead ? left : 1;
    }
    r->text_n = 0;
    if (row < next) {
        PQ_TRY(pq_json_rows_begin(r->json, r->vectors, r->n_entries, e));
    }
    PQ_TRY(pq_json_rows_write(r->json, row, row + r->text_ahead, TEXT_AT_ONCE,
                              &r->text_n, &r->texts, e));
    r->text_first = row;
    return PQ_OK;
}
