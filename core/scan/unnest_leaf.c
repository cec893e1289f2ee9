/*
** unnest_leaf.c - makes vectors of elements from the vectors that were read.
**
**   a leaf that repeats         becomes
**   less than the elements      ids of its slots, which are the dictionary; or its
**                               ids, of its dictionary
**   as the elements             a part of what was read, where all slots are
**                               elements, or where each element has a value, so
**                               that the packed values are the elements; else
**                               the slots that are elements
**   further, or otherwise       the slots of each element, one after the other
**
** The hard part is that two columns may ask for one leaf in two ways: a field of a
** struct, and the JSON of the struct.  So each leaf has two vectors.
*/
#include "core/scan/unnest_inside.h"

/* ---- what was read ------------------------------------------------------- */

static bool repeats(const PqScan *s, uint32_t leaf)
{
    return leaf < PQ_PATH_LEAF && s->footer->schema.leaves[leaf].max_rep > 0;
}

/* While this lasts, the batch of rows replaces the batch of elements. */
typedef struct Outside {
    PqBatch  elements;
    uint64_t serial;
    uint32_t cast_row;
    uint64_t keep[PQ_BATCH_ROWS / 64];
} Outside;

/* A path is computed only for rows with remaining elements: its cast may fail
** in other rows, which may have no elements. */
static PqRc keep_rows_of_elements(PqScan *s, uint64_t *keep, PqErr *e)
{
    PqElements *u = s->unnest;
    const PqBatch *b = &s->batch;
    const uint32_t *rows;

    PQ_TRY(pq_unnest_entries(s, 0, &rows, e));
    rows += u->first;
    memset(keep, 0, PQ_BATCH_ROWS / 8);
    for (uint32_t i = 0; i < b->n_rows; i++) {
        uint64_t kept = !b->keep || pq_bit(b->keep, i);

        keep[rows[i] / 64] |= kept << rows[i] % 64;
    }
    if (s->cast_one) {
        s->cast_row = rows[s->cast_row];
    }
    return PQ_OK;
}

static PqRc go_outside(PqScan *s, uint32_t leaf, Outside *o, PqErr *e)
{
    PqElements *u = s->unnest;
    bool path = leaf >= PQ_PATH_LEAF;

    o->elements = s->batch;
    o->serial = s->batch_serial;
    o->cast_row = s->cast_row;
    if (path) {
        PQ_TRY(keep_rows_of_elements(s, o->keep, e));
    }
    u->inside = false;
    s->batch = u->rows;
    s->batch.keep = path ? o->keep : u->rows.keep;
    s->batch_serial = repeats(s, leaf) ? u->run : u->rows.serial;
    return PQ_OK;
}

static void come_back(PqScan *s, const Outside *o)
{
    s->unnest->inside = true;
    s->batch = o->elements;
    s->batch_serial = o->serial;
    s->cast_row = o->cast_row;
}

/* Reads a leaf for the run, or the batch of rows. */
static PqRc read_leaf(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e)
{
    Outside o;
    PqRc rc;

    PQ_TRY(go_outside(s, leaf, &o, e));
    rc = pq_scan_vector(s, leaf, out, e);
    come_back(s, &o);
    return rc;
}

static PqRc disagrees(PqScan *s, uint32_t leaf, PqErr *e)
{
    const PqSchema *schema = &s->footer->schema;

    e->where.file = pq_scan_path(s);
    e->where.row_group = (int)s->unnest->rows.group;
    e->where.column = schema->leaves[leaf].path;
    return pq_fail(e, PQ_CORRUPT, "its lists have other lengths than those of "
                   "column %s", schema->leaves[s->unnest->guide].path);
}

/* ---- state --------------------------------------------------------------- */

static PqRc state_of(PqScan *s, uint32_t leaf, PqUnnestLeaf **out, PqErr *e)
{
    PqElements *u = s->unnest;
    PqUnnestLeaf **at;
    const PqNode *node = NULL;

    if (leaf >= PQ_PATH_LEAF) {
        at = &u->paths[leaf - PQ_PATH_LEAF];
    } else {
        if (leaf >= u->n_leaves) {
            PQ_TRY(PQ_RESIZE(s->mem, u->leaves, s->n_leaves, e));
            memset(u->leaves + u->n_leaves, 0,
                   (s->n_leaves - u->n_leaves) * sizeof *u->leaves);
            u->n_leaves = s->n_leaves;
        }
        at = &u->leaves[leaf];
        node = s->footer->schema.leaves[leaf].node;
    }
    if (!*at && !(*at = pq_mem_zeros(s->mem, 1, sizeof **at, e))) {
        return e->rc;
    }
    if ((*at)->file != s->file_serial) {
        (*at)->file = s->file_serial;
        (*at)->level = node ? pq_unnest_level(u, node) : 0;
        (*at)->run = (*at)->spaced[0].run = (*at)->spaced[1].run = 0;
    }
    *out = *at;
    return PQ_OK;
}

static void free_made(PqMadeVector *m)
{
    pq_mem_free(m->ids.v);
    pq_mem_free(m->slots.v);
    pq_mem_free(m->values);
    pq_mem_free(m->valid);
    pq_mem_free(m->rep);
    pq_mem_free(m->def);
}

static void free_spaced(PqSpaced *v)
{
    pq_mem_free(v->values);
    pq_mem_free(v->valid);
    pq_mem_free(v->def);
}

static void free_state(PqUnnestLeaf *l)
{
    if (l) {
        free_made(&l->of_elements);
        free_made(&l->of_entries);
        pq_mem_free(l->starts.v);
        free_spaced(&l->spaced[0]);
        free_spaced(&l->spaced[1]);
        pq_mem_free(l->items);
        pq_mem_free(l->items_valid);
        pq_mem_free(l);
    }
}

void pq_unnest_free_leaves(PqElements *u, uint32_t n_columns)
{
    for (uint32_t i = 0; i < u->n_leaves; i++) {
        free_state(u->leaves[i]);
    }
    for (uint32_t i = 0; u->paths && i < n_columns; i++) {
        free_state(u->paths[i]);
    }
    pq_mem_free(u->leaves);
    pq_mem_free(u->paths);
}

void pq_unnest_forget_leaf(PqScan *s, uint32_t leaf)
{
    PqElements *u = s->unnest;
    PqUnnestLeaf *l = leaf < u->n_leaves ? u->leaves[leaf] : NULL;

    if (l) {
        l->run = l->spaced[0].run = l->spaced[1].run = 0;
        l->of_elements.batch = l->of_entries.batch = 0;
        l->of_elements.dict_of = l->of_entries.dict_of = 0;
    }
}

/* ---- three kinds --------------------------------------------------------- */

/* A leaf that repeats less.  serial: of the vector that was read. */
static PqRc of_entries(PqScan *s, PqMadeVector *m, const PqVector *raw,
                       uint32_t level, uint64_t serial, PqErr *e)
{
    uint32_t n = s->batch.n_rows;
    const uint32_t *ids;

    PQ_TRY(pq_unnest_entries(s, level, &ids, e));
    ids += s->unnest->first;
    pq_made_begin(m, raw, n, n);
    PQ_TRY(pq_made_rep(s, m, raw, e));
    if (raw->dict || raw->leaf->type.physical == PQ_BOOLEAN) {
        return pq_made_gather(s, m, raw, ids, n, e);
    }
    PQ_TRY(pq_made_valid(s, m, raw, ids, n, e));
    PQ_TRY(pq_made_def(s, m, raw, ids, n, e));
    if (m->dict_of != serial || s->cast_one) {   /* which adds a value */
        m->dict = (PqDict){.type = raw->leaf->type.physical,
                           .n = raw->n_slots,
                           .values = (void *)(uintptr_t)raw->values,
                           .serial = pq_dict_serial(),
                           .valid = raw->valid};
        m->dict_of = serial;
    }
    m->vector.dict = &m->dict;
    m->vector.ids = ids;
    return PQ_OK;
}

static bool all_set(const uint64_t *bits, uint32_t n)
{
    uint64_t all = n % 64 ? bits[n / 64] | ~(uint64_t)0 << n % 64 : ~(uint64_t)0;

    for (uint32_t w = 0; w < n / 64; w++) {
        all &= bits[w];
    }
    return all == ~(uint64_t)0;
}

/* All packed values belong to elements, so if there are as many values as
** elements, they are the elements. */
static bool each_has_value(const PqShape *shape, const PqVector *raw)
{
    return raw->packed && shape->n_elements == raw->n_packed;
}

/* A leaf of the elements. */
static PqRc of_elements(PqScan *s, PqUnnestLeaf *l, PqMadeVector *m,
                        const PqVector *raw, PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t first = u->first, n = s->batch.n_rows;
    size_t width = pq_physical_width(raw->leaf->type.physical);
    bool packed = raw->packed, full = each_has_value(&u->shape, raw);

    if (packed && !full) {
        PQ_TRY(pq_unnest_space_out(s, l, true, &raw, e));
        if (raw->n_slots != u->shape.n_elements) {
            return disagrees(s, raw->leaf->index, e);
        }
    }
    pq_made_begin(m, raw, n, n);
    PQ_TRY(pq_made_rep(s, m, raw, e));
    if (!packed && pq_shape_units(&u->shape)) {
        return pq_made_gather(s, m, raw, pq_shape_units(&u->shape) + first, n, e);
    }
    /* All batches of a run except the last have PQ_BATCH_ROWS elements. */
    m->vector.valid = raw->valid ? raw->valid + first / 64 : NULL;
    if (raw->valid && all_set(m->vector.valid, n)) {
        m->vector.valid = NULL;
    }
    m->vector.def = raw->def ? raw->def + first : NULL;
    m->vector.dict = raw->dict;
    m->vector.ids = raw->dict ? raw->ids + first : NULL;
    m->vector.values = raw->dict ? NULL
                                 : (const char *)raw->values + first * width;
    return full ? pq_made_full_def(s, m, raw, n, e) : PQ_OK;
}

static PqRc need_starts(PqScan *s, PqUnnestLeaf *l, const PqVector *raw,
                        uint32_t level, PqErr *e)
{
    if (l->starts_of == s->unnest->run && l->starts_level == level) {
        return PQ_OK;
    }
    PQ_TRY(PQ_U32S_ROOM(s->mem, l->starts, raw->n_slots + 1, e));
    pq_shape_starts(raw, level, l->starts.v);
    l->starts_of = s->unnest->run;
    l->starts_level = level;
    return PQ_OK;
}

/* Lists the slots of some entries. */
static PqRc list_slots(PqScan *s, PqMadeVector *m, const uint32_t *starts,
                       const uint32_t *entries, uint32_t n, uint32_t minus,
                       uint32_t *n_slots, PqErr *e)
{
    uint64_t total = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        total += starts[entries[i] - minus + 1] - starts[entries[i] - minus];
    }
    if (total > UINT32_MAX - 64) {
        return pq_fail(e, PQ_BUDGET, "%llu values beside %u elements",
                       (unsigned long long)total, n);
    }
    PQ_TRY(PQ_U32S_ROOM(s->mem, m->slots, (size_t)total, e));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = starts[entries[i] - minus + 1];

        for (uint32_t k = starts[entries[i] - minus]; k < end; k++) {
            m->slots.v[at++] = k;
        }
    }
    *n_slots = at;
    return PQ_OK;
}

/* A leaf that repeats further.  entries are counted from `minus`. */
static PqRc of_slots(PqScan *s, PqUnnestLeaf *l, PqMadeVector *m,
                     const PqVector *raw, uint32_t level,
                     const uint32_t *entries, uint32_t n, uint32_t minus,
                     PqErr *e)
{
    uint32_t n_slots = 0;

    PQ_TRY(need_starts(s, l, raw, level, e));
    PQ_TRY(list_slots(s, m, l->starts.v, entries, n, minus, &n_slots, e));
    pq_made_begin(m, raw, n, n_slots);
    PQ_TRY(pq_made_gather(s, m, raw, m->slots.v, n_slots, e));
    PQ_TRY(PQ_ROOM(s->mem, m->rep, n_slots, m->rep_room, e));
    for (uint32_t i = 0; i < n_slots; i++) {
        uint16_t rep = raw->rep[m->slots.v[i]];

        m->rep[i] = rep <= level ? 0 : rep;
    }
    m->vector.rep = m->rep;
    return PQ_OK;
}

/* The numbers of the elements of the batch. */
static PqRc elements(PqScan *s, PqMadeVector *m, const uint32_t **out, PqErr *e)
{
    PqElements *u = s->unnest;
    const uint32_t *units = pq_shape_units(&u->shape);
    uint32_t n = s->batch.n_rows;

    if (units) {
        *out = units + u->first;
        return PQ_OK;
    }
    PQ_TRY(PQ_U32S_ROOM(s->mem, m->ids, n, e));
    for (uint32_t i = 0; i < n; i++) {
        m->ids.v[i] = u->first + i;
    }
    *out = m->ids.v;
    return PQ_OK;
}

static PqRc further(PqScan *s, PqUnnestLeaf *l, PqMadeVector *m,
                    const PqVector *raw, PqErr *e)
{
    PqElements *u = s->unnest;
    const uint32_t *entries;

    if (l->level == u->shape.depth && l->level > 0) {
        PQ_TRY(elements(s, m, &entries, e));
    } else {
        PQ_TRY(pq_unnest_entries(s, l->level, &entries, e));
        entries += u->first;
    }
    return of_slots(s, l, m, raw, l->level, entries, s->batch.n_rows,
                    l->level == 0 ? u->first_row : 0, e);
}

/* ---- vectors ------------------------------------------------------------- */

/* The guide agrees with itself.  But if only its levels were read for the run,
** its pages are read once more, and may have changed. */
static PqRc read_and_check(PqScan *s, uint32_t leaf, PqUnnestLeaf *l,
                           const PqVector **raw, PqErr *e)
{
    PqElements *u = s->unnest;
    bool same = leaf == u->guide && u->guide_values;

    PQ_TRY(read_leaf(s, leaf, raw, e));
    if (l->run != u->run && !same &&
        !pq_shape_agrees(&u->shape, *raw, l->level)) {
        return disagrees(s, leaf, e);
    }
    l->run = u->run;
    return PQ_OK;
}

PqRc pq_unnest_vector(PqScan *s, uint32_t leaf, const PqVector **out, PqErr *e)
{
    PqElements *u = s->unnest;
    const PqVector *raw;
    PqMadeVector *m;
    PqUnnestLeaf *l = NULL;

    PQ_TRY(state_of(s, leaf, &l, e));
    m = &l->of_elements;
    *out = &m->vector;
    if (m->batch == s->batch_serial && leaf < PQ_PATH_LEAF) {
        return PQ_OK;
    }
    m->batch = 0;
    PQ_TRY(read_and_check(s, leaf, l, &raw, e));
    if (raw->leaf->max_rep > l->level) {
        PQ_TRY(further(s, l, m, raw, e));
    } else if (l->level == u->shape.depth && l->level > 0) {
        if (!u->next_values) {
            u->next_guide = leaf;
            u->next_values = true;
        }
        PQ_TRY(of_elements(s, l, m, raw, e));
    } else {
        PQ_TRY(of_entries(s, m, raw, l->level,
                          leaf >= PQ_PATH_LEAF ? s->batch_serial
                          : repeats(s, leaf) ? u->run : u->rows.serial, e));
    }
    m->batch = s->batch_serial;
    return PQ_OK;
}

static PqRc need_items(PqScan *s, PqUnnestLeaf *l, PqErr *e)
{
    if (!l->items) {
        l->items = pq_mem_array(s->mem, PQ_BATCH_ROWS, sizeof *l->items, e);
    }
    if (!l->items_valid) {
        l->items_valid = pq_mem_array(s->mem, PQ_BATCH_ROWS / 64,
                                      sizeof *l->items_valid, e);
    }
    return l->items && l->items_valid ? PQ_OK : e->rc;
}

PqRc pq_unnest_items(PqScan *s, uint32_t leaf, const PqPathValue **out,
                     const uint64_t **valid, PqErr *e)
{
    uint32_t n = s->batch.n_rows;
    PqUnnestLeaf *l = NULL;
    const PqPathValue *items;
    const uint64_t *bits;
    const uint32_t *rows;
    Outside o;
    PqRc rc;

    PQ_TRY(state_of(s, leaf, &l, e));
    PQ_TRY(need_items(s, l, e));
    PQ_TRY(pq_unnest_entries(s, 0, &rows, e));
    rows += s->unnest->first;
    PQ_TRY(go_outside(s, leaf, &o, e));
    rc = pq_scan_path_items(s, leaf, &items, &bits, e);
    come_back(s, &o);
    PQ_TRY(rc);
    memset(l->items_valid, 0, PQ_BATCH_ROWS / 8);
    for (uint32_t i = 0; i < n; i++) {
        l->items[i] = items[rows[i]];
        l->items_valid[i / 64] |= (uint64_t)pq_bit(bits, rows[i]) << i % 64;
    }
    *out = l->items;
    *valid = l->items_valid;
    return PQ_OK;
}

/* ---- entries ------------------------------------------------------------- */

PqRc pq_scan_entries(PqScan *s, const PqNode *node, PqScanEntries *out,
                     PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t level, n = s->batch.n_rows;
    const uint32_t *ids;

    *out = (PqScanEntries){.n = n};
    if (!u || !u->inside || n == 0) {
        return PQ_OK;
    }
    level = pq_unnest_level(u, node);
    if (level == u->shape.depth && level > 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_unnest_entries(s, level, &ids, e));
    ids += u->first;
    if (u->of_row_of[level] != s->batch_serial) {
        PQ_TRY(PQ_U32S_ROOM(s->mem, u->of_row[level], n, e));
        for (uint32_t i = 0; i < n; i++) {
            u->of_row[level].v[i] = ids[i] - ids[0];
        }
        u->of_row_of[level] = s->batch_serial;
    }
    out->n = ids[n - 1] - ids[0] + 1;
    out->of_row = u->of_row[level].v;
    return PQ_OK;
}

/* The slots of consecutive entries are consecutive. */
static PqRc make_entries(PqScan *s, PqUnnestLeaf *l, PqMadeVector *m,
                         const PqVector *raw, uint32_t level, PqErr *e)
{
    PqElements *u = s->unnest;
    uint32_t n = s->batch.n_rows, *all;
    const uint32_t *ids;
    uint32_t n_entries;

    PQ_TRY(pq_unnest_entries(s, level, &ids, e));
    ids += u->first;
    n_entries = ids[n - 1] - ids[0] + 1;
    PQ_TRY(PQ_U32S_ROOM(s->mem, m->ids, n_entries, e));
    all = m->ids.v;
    for (uint32_t i = 0; i < n_entries; i++) {
        all[i] = ids[0] + i;
    }
    if (raw->leaf->max_rep > level) {
        return of_slots(s, l, m, raw, level, all, n_entries,
                        level == 0 ? u->first_row : 0, e);
    }
    pq_made_begin(m, raw, n_entries, n_entries);
    PQ_TRY(PQ_U32S_ROOM(s->mem, m->slots, n_entries, e));
    memcpy(m->slots.v, all, n_entries * sizeof *all);    /* gather writes ids */
    PQ_TRY(pq_made_rep(s, m, raw, e));
    return pq_made_gather(s, m, raw, m->slots.v, n_entries, e);
}

PqRc pq_scan_entry_vector(PqScan *s, const PqNode *node, uint32_t leaf,
                          const PqVector **out, PqErr *e)
{
    PqElements *u = s->unnest;
    const PqVector *raw;
    PqUnnestLeaf *l = NULL;
    PqMadeVector *m;
    uint32_t level;

    if (!u || !u->inside) {
        return pq_scan_vector(s, leaf, out, e);
    }
    level = pq_unnest_level(u, node);
    if (level == u->shape.depth && level > 0) {
        return pq_scan_vector(s, leaf, out, e);
    }
    PQ_TRY(state_of(s, leaf, &l, e));
    m = &l->of_entries;
    *out = &m->vector;
    if (m->batch == s->batch_serial && m->level == level) {
        return PQ_OK;
    }
    m->batch = 0;
    PQ_TRY(read_and_check(s, leaf, l, &raw, e));
    if (raw->packed) {
        PQ_TRY(pq_unnest_space_out(s, l, false, &raw, e));
    }
    PQ_TRY(make_entries(s, l, m, raw, level, e));
    m->batch = s->batch_serial;
    m->level = level;
    return PQ_OK;
}
