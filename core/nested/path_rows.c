/*
** path_rows.c - finds, casts and stores the values at a path.
**
** The hard part is to know how long a value stays.  Values of leaves are in
** pages, which stay for the batch.  An assembled value stays only until the
** next row, and the result of a cast until the next cast: both are copied.
*/
#include "core/nested/path_rows.h"

#include "core/nested/variant_assemble.h"

enum { POLL_ROWS = 256 };

struct PqPathRows {
    PqMem      *mem;
    const PqPathWant *want;
    PqPathPlan  plan;
    uint32_t    room;
    uint32_t   *leaf;                /* of the file                         */
    uint32_t    n_leaves;
    bool        as_stored;           /* typed_value has the column's type   */
    PqJsonRows *assemble;            /* SUBTREE                             */
    /* Of the batch. */
    const PqVector *const *vectors;
    const PqVector *metadata, *value, *typed;        /* NULL: none; not of a
                                     ** SUBTREE                             */
    uint32_t    n_rows;
    const PqStop *stop;
    bool        begun;               /* assembling                          */
    PqArena     bytes;
    PqBuf       text;
    uint64_t   *done, *valid;
    void       *values;
    PqPathValue *items;
};

/* ---- making -------------------------------------------------------------- */

static bool has_values(const PqPathRows *p)
{
    return p->want->typed && !p->want->target.is_variant;
}

static size_t width_of(const PqPathRows *p)
{
    return pq_physical_width(p->want->target.type.physical);
}

/* metadata, value, typed_value as far as they are needed; for a SUBTREE all
** leaves of the group, and then the metadata. */
static PqRc list_leaves(PqPathRows *p, PqErr *e)
{
    const PqPathPlan *plan = &p->plan;
    const PqNode *group = plan->group;
    uint32_t n = plan->end == PQ_PATH_SUBTREE ? group->n_leaves : 2;

    p->leaf = pq_mem_array(p->mem, n + 1u, sizeof *p->leaf, e);
    if (!p->leaf) {
        return e->rc;
    }
    if (plan->end == PQ_PATH_SUBTREE) {
        for (; p->n_leaves < n; p->n_leaves++) {
            p->leaf[p->n_leaves] = group->first_leaf + p->n_leaves;
        }
        p->leaf[p->n_leaves++] = (uint32_t)plan->metadata->leaf;
        return pq_json_rows_new_part(p->mem, plan->variant, group, &p->assemble,
                                     e);
    }
    p->leaf[p->n_leaves++] = (uint32_t)plan->metadata->leaf;
    if (plan->value) {
        p->leaf[p->n_leaves++] = (uint32_t)plan->value->leaf;
    }
    if (plan->typed) {
        p->as_stored = has_values(p) &&
                       pq_type_equal(&plan->typed->type, &p->want->target.type);
        p->leaf[p->n_leaves++] = (uint32_t)plan->typed->leaf;
    }
    return PQ_OK;
}

static PqRc make_room(PqPathRows *p, PqErr *e)
{
    size_t words = (p->room + 63u) / 64u;

    p->done = pq_mem_zeros(p->mem, words, sizeof *p->done, e);
    p->valid = pq_mem_zeros(p->mem, words, sizeof *p->valid, e);
    if (has_values(p)) {
        p->values = pq_mem_zeros(p->mem, p->room, width_of(p), e);
    } else {
        p->items = pq_mem_zeros(p->mem, p->room, sizeof *p->items, e);
    }
    return p->done && p->valid && (p->values || p->items) ? PQ_OK : e->rc;
}

PqRc pq_path_rows_new(PqMem *mem, const PqPathWant *want,
                      const PqPathPlan *plan, uint32_t n_rows,
                      PqPathRows **out, PqErr *e)
{
    PqPathRows *p;

    *out = NULL;
    if (!plan->metadata) {
        return pq_fail(e, PQ_CORRUPT, "%s in a VARIANT: metadata is missing",
                       plan->variant->path);
    }
    p = pq_mem_zeros(mem, 1, sizeof *p, e);
    if (!p) {
        return e->rc;
    }
    p->mem = mem;
    p->want = want;
    p->plan = *plan;
    p->room = n_rows;
    pq_arena_init(&p->bytes, mem);
    pq_buf_init(&p->text, mem, NULL);
    if (list_leaves(p, e) != PQ_OK || make_room(p, e) != PQ_OK) {
        pq_path_rows_free(p);
        return e->rc;
    }
    *out = p;
    return PQ_OK;
}

void pq_path_rows_free(PqPathRows *p)
{
    if (p) {
        pq_json_rows_free(p->assemble);
        pq_arena_free(&p->bytes);
        pq_buf_free(&p->text);
        pq_mem_free(p->leaf);
        pq_mem_free(p->done);
        pq_mem_free(p->valid);
        pq_mem_free(p->values);
        pq_mem_free(p->items);
        pq_mem_free(p);
    }
}

uint32_t pq_path_rows_leaves(const PqPathRows *p, const uint32_t **leaves)
{
    *leaves = p->leaf;
    return p->n_leaves;
}

void pq_path_rows_begin(PqPathRows *p, const PqVector *const *vectors,
                        uint32_t n_rows, const PqStop *stop)
{
    size_t words = (n_rows + 63u) / 64u;
    uint32_t at = 1;

    p->vectors = vectors;
    p->n_rows = n_rows;
    p->stop = stop;
    p->begun = false;
    if (p->plan.end != PQ_PATH_SUBTREE) {
        p->metadata = vectors[0];
        p->value = p->plan.value ? vectors[at++] : NULL;
        p->typed = p->plan.typed ? vectors[at] : NULL;
    }
    memset(p->done, 0, words * sizeof *p->done);
    memset(p->valid, 0, words * sizeof *p->valid);
    if (p->values) {                 /* what is NULL may be looked at */
        memset(p->values, 0, n_rows * width_of(p));
    }
    pq_arena_reset(&p->bytes);
}

/* ---- one row ------------------------------------------------------------- */

static PqSlice bytes_at(const PqVector *v, uint32_t row)
{
    const PqStr *s = pq_vector_at(v, sizeof *s, row);

    return pq_slice(s->p, s->n);
}

/* Follows the rest of the path in a value. */
static PqRc find(const PqPathRows *p, PqSlice metadata, PqSlice value,
                 PqVariantMeta *m, PqVariantValue *out, bool *found, PqErr *e)
{
    *found = true;
    PQ_TRY(pq_variant_meta_open(metadata, m, e));
    if (p->plan.n_steps > 0) {
        PQ_TRY(pq_variant_path_find(m, value, p->plan.step, p->plan.n_steps,
                                    &value, found, e));
    }
    return *found ? pq_variant_value_read(value, out, e) : PQ_OK;
}

static PqRc find_assembled(PqPathRows *p, uint32_t row, PqSlice *metadata,
                           PqVariantMeta *m, PqVariantValue *out, bool *found,
                           PqErr *e)
{
    bool missing;
    PqSlice value;

    if (!p->begun) {
        pq_json_rows_watch(p->assemble, p->stop);
        PQ_TRY(pq_json_rows_begin(p->assemble, p->vectors, p->n_rows, e));
        p->begun = true;
    }
    PQ_TRY(pq_variant_assemble_row(p->assemble, row, metadata, &value, &missing,
                                   e));
    *found = !missing;
    return missing ? PQ_OK : find(p, *metadata, value, m, out, found, e);
}

/* The value of a row; *found false: there is none. */
static PqRc value_of_row(PqPathRows *p, uint32_t row, PqSlice *metadata,
                         PqVariantMeta *m, PqVariantValue *out, bool *found,
                         PqErr *e)
{
    const PqType *type;

    *found = false;
    *metadata = (PqSlice){NULL, 0};
    if (p->assemble) {
        return find_assembled(p, row, metadata, m, out, found, e);
    }
    if (p->typed && pq_vector_is_valid(p->typed, row)) {
        type = &p->typed->leaf->type;
        *found = true;
        return pq_variant_of_stored(
                   type, pq_vector_at(p->typed,
                                      pq_physical_width(type->physical), row),
                   out)
                   ? PQ_OK
                   : pq_fail(e, PQ_UNSUPPORTED, "%s in a VARIANT: no Variant "
                             "value is of its type", p->typed->leaf->path);
    }
    if (!p->value || !pq_vector_is_valid(p->value, row)) {
        return PQ_OK;
    }
    if (!pq_vector_is_valid(p->metadata, row)) {
        return pq_fail(e, PQ_CORRUPT, "a Variant without metadata");
    }
    *metadata = bytes_at(p->metadata, row);
    return find(p, *metadata, bytes_at(p->value, row), m, out, found, e);
}

/* ---- keeping it ---------------------------------------------------------- */

static PqRc keep_bytes(PqPathRows *p, PqSlice *s, PqErr *e)
{
    char *copy = pq_arena_text(&p->bytes, s->p, s->n, e);

    *s = pq_slice(copy, copy ? s->n : 0);
    return copy ? PQ_OK : e->rc;
}

static bool has_bytes(PqVariantKind kind)
{
    return kind == PQ_VARIANT_STRING || kind == PQ_VARIANT_BINARY ||
           kind == PQ_VARIANT_UUID || kind >= PQ_VARIANT_OBJECT;
}

static PqRc keep_item(PqPathRows *p, uint32_t row, PqSlice metadata,
                      PqVariantValue *v, PqErr *e)
{
    if (p->assemble && metadata.n > 0) {
        PQ_TRY(keep_bytes(p, &metadata, e));
    }
    if (v->kind == PQ_VARIANT_STRING || (p->assemble && has_bytes(v->kind))) {
        PQ_TRY(keep_bytes(p, &v->bytes, e));     /* texts get a NUL */
    }
    p->items[row] = (PqPathValue){metadata, *v};
    return PQ_OK;
}

static PqRc keep_cast(PqPathRows *p, uint32_t row, const PqVariantMeta *m,
                      const PqVariantValue *v, bool *is_null, PqErr *e)
{
    const PqType *type = &p->want->target.type;
    PqVariantValue cast;

    p->text.n = 0;
    p->text.sink = e;
    PQ_TRY(pq_variant_cast(m, v, &p->want->target, &p->text, &cast, is_null,
                           e));
    if (*is_null) {
        return PQ_OK;
    }
    if (has_bytes(cast.kind)) {
        PQ_TRY(keep_bytes(p, &cast.bytes, e));
    }
    return pq_variant_store(&cast, type, &p->bytes,
                            (char *)p->values +
                                row * pq_physical_width(type->physical), e);
}

/* A value that is stored in the column's own type needs no cast. */
static bool copy_stored(PqPathRows *p, uint32_t row)
{
    size_t width;

    if (!p->as_stored || !p->typed || !pq_vector_is_valid(p->typed, row)) {
        return false;
    }
    width = width_of(p);
    memcpy((char *)p->values + row * width,
           pq_vector_at(p->typed, width, row), width);
    return true;
}

static PqRc compute_row(PqPathRows *p, uint32_t row, PqErr *e)
{
    PqVariantMeta m = {0};
    PqVariantValue v = {.kind = PQ_VARIANT_NULL};    /* not each kind has a unit */
    PqSlice metadata;
    bool found, is_null = false;

    if (copy_stored(p, row)) {
        p->valid[row >> 6] |= (uint64_t)1 << (row & 63);
        return PQ_OK;
    }
    PQ_TRY(value_of_row(p, row, &metadata, &m, &v, &found, e));
    if (!found || (v.kind == PQ_VARIANT_NULL && !p->want->target.is_variant)) {
        return PQ_OK;
    }
    PQ_TRY(has_values(p) ? keep_cast(p, row, &m, &v, &is_null, e)
                         : keep_item(p, row, metadata, &v, e));
    if (!is_null) {
        p->valid[row >> 6] |= (uint64_t)1 << (row & 63);
    }
    return PQ_OK;
}

PqRc pq_path_rows_compute(PqPathRows *p, const uint64_t *keep,
                          uint32_t *failed, PqErr *e)
{
    uint32_t n = 0;

    p->begun = false;                /* rows may be before the last ones */
    for (uint32_t row = 0; row < p->n_rows; row++) {
        if ((keep && !pq_bit(keep, row)) || pq_bit(p->done, row)) {
            continue;
        }
        *failed = row;
        if (n++ % POLL_ROWS == 0 && p->stop) {
            PQ_TRY(pq_stop_poll(p->stop, e));
        }
        PQ_TRY(compute_row(p, row, e));
        p->done[row >> 6] |= (uint64_t)1 << (row & 63);
    }
    return PQ_OK;
}

PqPathResult pq_path_rows_result(const PqPathRows *p)
{
    return (PqPathResult){p->valid, p->values, p->items};
}
