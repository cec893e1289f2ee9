/*
** variant_build_write.c - makes the value from a tree of sizes and the bytes of
** the scalars (variant_build.c).
**
** Groups are visited backwards for the sizes, because a group begins before
** those inside it, and forwards to write.  Both look at each node once.
*/
#include "core/base/sort.h"
#include "core/variant/variant_build_inside.h"

static size_t header_size(const PqBuildGroup *g)
{
    size_t size = 1 + (g->n > UINT8_MAX ? 4u : 1u);

    size += ((size_t)g->n + 1) * pq_variant_width(g->total);
    return g->is_object ? size + (size_t)g->n * pq_variant_width(g->last_id)
                        : size;
}

/* The node after node i and what is in it. */
static inline uint32_t next_node(const PqVariantBuild *b, uint32_t i)
{
    uint32_t group = b->node[i].group;

    return group == PQ_BUILD_SCALAR ? i + 1 : b->group[group].end;
}

static PqRc measure_group(PqVariantBuild *b, PqBuildGroup *g)
{
    uint64_t total = 0;

    for (uint32_t i = g->node + 1; i < g->end; i = next_node(b, i)) {
        const PqBuildNode *node = &b->node[i];
        total += node->size;
        if (g->is_object) {
            uint32_t id = pq_variant_names_id(b->names,
                                              b->names->name[node->name].rank);
            g->last_id = id > g->last_id ? id : g->last_id;
        }
    }
    g->total = (uint32_t)total;
    if (total <= PQ_VARIANT_MAX_BYTES) {
        total += header_size(g);
    }
    if (total > PQ_VARIANT_MAX_BYTES) {
        return pq_fail(&b->e, PQ_UNSUPPORTED, "a Variant of more than %d bytes",
                       PQ_VARIANT_MAX_BYTES);
    }
    b->node[g->node].size = (uint32_t)total;
    return PQ_OK;
}

static uint8_t *put_offsets(const PqVariantBuild *b, const PqBuildGroup *g,
                            uint8_t *to)
{
    uint32_t size = pq_variant_width(g->total), offset = 0, i;

    for (i = g->node + 1; i < g->end; i = next_node(b, i)) {
        to = pq_variant_put_number(to, size, offset);
        offset += b->node[i].size;
    }
    return pq_variant_put_number(to, size, offset);
}

enum { FEW = 32 };                   /* fields that are sorted by insertion */

static void sort_fields(int64_t *v, uint32_t n)
{
    uint32_t k;

    if (n > FEW) {
        pq_sort_i64(v, n);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        int64_t x = v[i];
        for (k = i; k && v[k - 1] > x; k--) {
            v[k] = v[k - 1];
        }
        v[k] = x;
    }
}

static PQ_COLD PqRc twice(PqVariantBuild *b, const PqBuildGroup *g,
                          uint32_t rank)
{
    uint32_t i = g->node + 1;
    PqSlice name;

    while (b->names->name[b->node[i].name].rank != rank) {
        i = next_node(b, i);
    }
    name = pq_variant_names_text(b->names, b->node[i].name);
    return pq_fail(&b->e, PQ_CORRUPT, "an object has the name \"%.*s\" twice",
                   (int)(name.n < 64 ? name.n : 64), (const char *)name.p);
}

/* Fields in the order of their names: rank and offset in one integer. */
static PqRc gather_fields(PqVariantBuild *b, const PqBuildGroup *g)
{
    uint32_t k = 0, offset = 0;
    bool sorted = true;
    int64_t *v;

    if (b->field_room < g->n) {
        PQ_TRY(PQ_RESIZE(b->mem, b->field, (size_t)g->n * 2, &b->e));
        b->field_room = (size_t)g->n * 2;
    }
    v = b->field;
    for (uint32_t i = g->node + 1; i < g->end; i = next_node(b, i)) {
        const PqBuildNode *node = &b->node[i];
        v[k] = (int64_t)b->names->name[node->name].rank << 32 | offset;
        sorted = sorted && (k == 0 || v[k - 1] < v[k]);
        offset += node->size;
        k++;
    }
    if (!sorted) {
        sort_fields(v, k);
    }
    for (uint32_t i = 1; i < k; i++) {
        if (PQ_UNLIKELY(v[i - 1] >> 32 == v[i] >> 32)) {
            return twice(b, g, (uint32_t)(v[i] >> 32));
        }
    }
    return PQ_OK;
}

static uint8_t *put_fields(const PqVariantBuild *b, const PqBuildGroup *g,
                           uint8_t *to)
{
    uint32_t size = pq_variant_width(g->last_id), i;

    for (i = 0; i < g->n; i++) {
        uint32_t rank = (uint32_t)(b->field[i] >> 32);
        to = pq_variant_put_number(to, size,
                                   pq_variant_names_id(b->names, rank));
    }
    size = pq_variant_width(g->total);
    for (i = 0; i < g->n; i++) {
        to = pq_variant_put_number(to, size, (uint32_t)b->field[i]);
    }
    return pq_variant_put_number(to, size, g->total);
}

static PqRc put_header(PqVariantBuild *b, const PqBuildGroup *g, uint8_t **to)
{
    bool large = g->n > UINT8_MAX;
    uint32_t offset_size = pq_variant_width(g->total);
    uint32_t id_size = pq_variant_width(g->last_id);

    *(*to)++ = (uint8_t)(g->is_object
                             ? 2u | (offset_size - 1) << 2 |
                                   (id_size - 1) << 4 | (uint32_t)large << 6
                             : 3u | (offset_size - 1) << 2 |
                                   (uint32_t)large << 4);
    *to = pq_variant_put_number(*to, large ? 4 : 1, g->n);
    if (g->is_object) {
        PQ_TRY(gather_fields(b, g));
        *to = put_fields(b, g, *to);
    } else {
        *to = put_offsets(b, g, *to);
    }
    return PQ_OK;
}

/* Copies data up to byte `end`. */
static uint8_t *put_data(const PqVariantBuild *b, size_t *at, size_t end,
                         uint8_t *to)
{
    size_t n = end - *at;

    if (n) {
        memcpy(to, b->data.p + *at, n);
        *at = end;
    }
    return to + n;
}

/* Writes headers, and the data between them. */
PqRc pq_build_write(PqVariantBuild *b)
{
    size_t at = 0;
    uint8_t *to;

    for (uint32_t i = b->n_groups; i-- > 0;) {
        PQ_TRY(measure_group(b, &b->group[i]));
    }
    PQ_TRY(pq_buf_resize(&b->value, b->node[0].size, &b->e));
    to = b->value.p;
    for (uint32_t i = 0; i < b->n_groups; i++) {
        to = put_data(b, &at, b->group[i].at, to);
        PQ_TRY(put_header(b, &b->group[i], &to));
    }
    put_data(b, &at, b->data.n, to);
    return PQ_OK;
}

