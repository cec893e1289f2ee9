/*
** variant_build.c - a tree of sizes beside the bytes of the scalars.
**
** An object begins with the ids and offsets of its fields.  How wide they are
** depends on what comes after them, and ids are known at the very end, when all
** names are sorted.  So scalars are encoded one after the other into data, and
** a tree remembers what belongs together:
**
**   {"b": [1, 2], "a": "x"}
**
**   data    0c 01 0c 02 05 78
**   nodes   0 {   1 b [   2   3   4 a     sizes 1+1+2+3+11, 1+1+3+4, 2, 2, 2
**   groups  node 0, before byte 0; node 1, before byte 0
**
** The result is data with a header put in before the first byte of each object
** or array.  Values keep the order in which they came; only ids are sorted.  At
** the end the groups are visited twice, backwards for the sizes, because a
** group begins before those inside it, and forwards to write.  Both look at
** each node once.  Nothing recurses, and nothing is moved.
*/
#include "core/variant/variant_build_inside.h"

#include "core/base/sort.h"

PqRc pq_variant_build_new(PqMem *mem, PqVariantBuild **out, PqErr *e)
{
    PqVariantBuild *b = pq_mem_zeros(mem, 1, sizeof *b, e);

    *out = b;
    if (!b) {
        return e->rc;
    }
    b->mem = mem;
    pq_err_init(&b->e);
    pq_variant_names_init(&b->own, mem);
    pq_variant_names_init(&b->given, mem);
    pq_buf_init(&b->data, mem, &b->e);
    pq_buf_init(&b->value, mem, &b->e);
    pq_variant_build_begin(b);
    return PQ_OK;
}

void pq_variant_build_free(PqVariantBuild *b)
{
    if (b) {
        pq_variant_names_free(&b->own);
        pq_variant_names_free(&b->given);
        pq_buf_free(&b->data);
        pq_buf_free(&b->value);
        pq_mem_free(b->node);
        pq_mem_free(b->group);
        pq_mem_free(b->field);
        pq_mem_free(b->stack);
        pq_mem_free(b);
    }
}

static void begin(PqVariantBuild *b, PqVariantNames *names)
{
    pq_err_clear(&b->e);
    b->names = names;
    b->data.n = b->value.n = 0;
    b->n_nodes = b->n_groups = b->depth = 0;
    b->name = PQ_BUILD_NO_NAME;
}

void pq_variant_build_begin(PqVariantBuild *b)
{
    begin(b, &b->own);
    pq_variant_names_begin(&b->own);
}

PqRc pq_variant_build_begin_under(PqVariantBuild *b, PqSlice metadata, PqErr *e)
{
    begin(b, &b->given);
    return pq_variant_names_begin_under(&b->given, metadata, &b->e) == PQ_OK
               ? PQ_OK
               : pq_variant_build_error(b, e);
}

PqRc pq_variant_build_error(const PqVariantBuild *b, PqErr *e)
{
    return b->e.rc == PQ_OK ? PQ_OK : pq_fail(e, b->e.rc, "%s", b->e.text);
}

/* ---- the tree ------------------------------------------------------------ */

static PqBuildGroup *innermost(const PqVariantBuild *b)
{
    return b->depth ? &b->group[b->open[b->depth - 1]] : NULL;
}

/* A node for the next value; false: there is an error. */
static bool add_node(PqVariantBuild *b, uint32_t group, size_t size)
{
    PqBuildGroup *in = innermost(b);

    if (b->e.rc != PQ_OK) {
        return false;
    }
    if (PQ_UNLIKELY(in ? in->is_object != (b->name != PQ_BUILD_NO_NAME)
                       : b->n_nodes > 0)) {
        pq_fail(&b->e, PQ_USAGE, in ? "a value of a Variant object has no name"
                                    : "a Variant of more than one value");
        return false;
    }
    if (PQ_GROW(b->mem, b->node, b->n_nodes, b->node_room, &b->e) != PQ_OK) {
        return false;
    }
    if (in) {
        in->n++;
    }
    b->node[b->n_nodes++] = (PqBuildNode){b->name, group, (uint32_t)size};
    b->name = PQ_BUILD_NO_NAME;
    return true;
}

void pq_variant_build_group(PqVariantBuild *b, bool is_object)
{
    if (!add_node(b, b->n_groups, 0) ||
        pq_variant_check_depth(b->depth + 1, &b->e) != PQ_OK ||
        PQ_GROW(b->mem, b->group, b->n_groups, b->group_room, &b->e) != PQ_OK) {
        return;
    }
    b->group[b->n_groups] = (PqBuildGroup){.node = b->n_nodes - 1,
                                           .at = (uint32_t)b->data.n,
                                           .is_object = is_object};
    b->open[b->depth++] = b->n_groups++;
}

void pq_variant_build_end(PqVariantBuild *b)
{
    if (b->e.rc != PQ_OK) {
        return;
    }
    if (b->depth == 0 || b->name != PQ_BUILD_NO_NAME) {
        pq_fail(&b->e, PQ_USAGE, "a Variant ends too early");
        return;
    }
    innermost(b)->end = b->n_nodes;
    b->depth--;
}

void pq_variant_build_name(PqVariantBuild *b, PqSlice name)
{
    if (b->e.rc == PQ_OK) {
        pq_variant_names_use(b->names, name, &b->name, &b->e);
    }
}

/* ---- scalars ------------------------------------------------------------- */

/* Adds a node for the next scalar, and returns room for it in data; NULL: there
** is an error. */
static uint8_t *add_scalar(PqVariantBuild *b, size_t size)
{
    uint8_t *to;

    if (PQ_UNLIKELY(size > PQ_VARIANT_MAX_BYTES - b->data.n)) {
        if (b->e.rc == PQ_OK) {
            pq_fail(&b->e, PQ_UNSUPPORTED, "a Variant of more than %d bytes",
                    PQ_VARIANT_MAX_BYTES);
        }
        return NULL;
    }
    to = b->data.room - b->data.n >= size ? b->data.p + b->data.n
                                          : pq_buf_room(&b->data, size);
    if (!to || !add_node(b, PQ_BUILD_SCALAR, size)) {
        return NULL;
    }
    b->data.n += size;
    return to;
}

static uint8_t head_of(PqVariantPrimitive type)
{
    return (uint8_t)(type << 2 | PQ_VARIANT_PRIMITIVE);
}

/* Types of the same kind follow each other by their width. */
static uint8_t head_of_width(PqVariantPrimitive least, unsigned widths)
{
    unsigned more = (unsigned)__builtin_ctz(widths);

    return head_of((PqVariantPrimitive)(least + more));
}

static void build_int(PqVariantBuild *b, int64_t v, uint8_t width)
{
    uint8_t least = v == (int8_t)v    ? 1
                    : v == (int16_t)v ? 2
                    : v == (int32_t)v ? 4
                                      : 8;
    uint8_t *to, bytes[8];

    width = width < least ? least : width;
    to = add_scalar(b, 1u + width);
    if (to) {
        to[0] = head_of_width(PQ_VARIANT_TYPE_INT8, width);
        pq_store_u64(bytes, (uint64_t)v);
        memcpy(to + 1, bytes, width);
    }
}

/* A value of a type with a length. */
static void build_long(PqVariantBuild *b, PqVariantPrimitive type, PqSlice s)
{
    uint8_t *to = add_scalar(b, 5 + s.n);

    if (to) {
        to[0] = head_of(type);
        pq_store_u32(to + 1, (uint32_t)s.n);
        if (s.n) {
            memcpy(to + 5, s.p, s.n);
        }
    }
}

static void build_string(PqVariantBuild *b, PqSlice s)
{
    uint8_t *to;

    if (s.n >= 64) {
        build_long(b, PQ_VARIANT_TYPE_STRING, s);
        return;
    }
    to = add_scalar(b, 1 + s.n);
    if (to) {
        to[0] = (uint8_t)(s.n << 2 | PQ_VARIANT_SHORT_STRING);
        if (s.n) {
            memcpy(to + 1, s.p, s.n);
        }
    }
}

/* The width of a decimal: the least width that holds v and all scale digits
** after the point.  If `width` is given, the least width from there on that
** holds v. */
static uint8_t decimal_width(PqPlace v, uint8_t scale, uint8_t width)
{
    const PqPlace nine = 1000000000;

    if (width ? width == 4 && v == (int32_t)v
              : scale <= 9 && v > -nine && v < nine) {
        return 4;
    }
    if (width ? width <= 8 && v == (int64_t)v
              : scale <= 18 && v > -nine * nine && v < nine * nine) {
        return 8;
    }
    return 16;
}

static void build_decimal(PqVariantBuild *b, const PqVariantValue *v)
{
    uint8_t width = decimal_width(v->u.decimal, v->scale, v->width);
    uint8_t *to, bytes[16];

    to = add_scalar(b, 2u + width);
    if (to) {
        to[0] = head_of_width(PQ_VARIANT_TYPE_DECIMAL4, width / 4);
        to[1] = v->scale;
        pq_store_u64(bytes, (uint64_t)v->u.decimal);
        pq_store_u64(bytes + 8, (uint64_t)(v->u.decimal >> 64));
        memcpy(to + 2, bytes, width);
    }
}

/* A primitive value whose n bytes are at p. */
static void build_fixed(PqVariantBuild *b, const PqVariantValue *v,
                        const void *p, size_t n)
{
    PqVariantPrimitive type = pq_variant_primitive_of(v);
    uint8_t *to = add_scalar(b, 1 + n);

    if (PQ_UNLIKELY(type == PQ_VARIANT_TYPES)) {
        pq_fail(&b->e, PQ_USAGE, "no Variant has a TIME or TIMESTAMP of this "
                "unit");
    } else if (to) {
        to[0] = head_of(type);
        if (n) {
            memcpy(to + 1, p, n);
        }
    }
}

void pq_build_whole(PqVariantBuild *b, PqSlice s)
{
    uint8_t *to = add_scalar(b, s.n);

    if (to) {
        memcpy(to, s.p, s.n);
    }
}

void pq_variant_build_value(PqVariantBuild *b, const PqVariantValue *v)
{
    switch (v->kind) {
    case PQ_VARIANT_INT:     build_int(b, v->u.i, v->width); break;
    case PQ_VARIANT_STRING:  build_string(b, v->bytes); break;
    case PQ_VARIANT_DECIMAL: build_decimal(b, v); break;
    case PQ_VARIANT_BINARY:
        build_long(b, PQ_VARIANT_TYPE_BINARY, v->bytes);
        break;
    case PQ_VARIANT_UNKNOWN: pq_build_whole(b, v->bytes); break;
    case PQ_VARIANT_UUID:    build_fixed(b, v, v->bytes.p, 16); break;
    case PQ_VARIANT_DATE:    build_fixed(b, v, &v->u.i, 4); break;
    case PQ_VARIANT_FLOAT:   build_fixed(b, v, &v->u.f, 4); break;
    case PQ_VARIANT_DOUBLE:  build_fixed(b, v, &v->u.d, 8); break;
    case PQ_VARIANT_TIME:
    case PQ_VARIANT_TIMESTAMP:
        build_fixed(b, v, &v->u.i, 8);
        break;
    case PQ_VARIANT_NULL:
    case PQ_VARIANT_BOOL:
        build_fixed(b, v, NULL, 0);
        break;
    default:
        pq_fail(&b->e, PQ_USAGE, "a Variant value that is not a scalar");
        break;
    }
}

/* ---- the end ------------------------------------------------------------- */

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
static PqRc write_value(PqVariantBuild *b)
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

PqRc pq_variant_build_finish(PqVariantBuild *b, PqSlice *metadata,
                             PqSlice *value, PqErr *e)
{
    if (b->e.rc == PQ_OK && (b->n_nodes == 0 || b->depth)) {
        pq_fail(&b->e, PQ_USAGE, "a Variant that is not whole");
    }
    if (b->e.rc == PQ_OK) {
        pq_variant_names_finish(b->names, &b->e);
    }
    if (b->e.rc == PQ_OK && b->n_groups) {
        write_value(b);
    }
    PQ_TRY(pq_variant_build_error(b, e));
    *metadata = pq_buf_view(&b->names->metadata);
    *value = pq_buf_view(b->n_groups ? &b->value : &b->data);
    return PQ_OK;
}
