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
#include "core/variant/variant_build.h"

#include "core/base/sort.h"
#include "core/variant/variant_layout.h"
#include "core/variant/variant_names.h"

enum { NO_NAME = UINT32_MAX, SCALAR = UINT32_MAX };

typedef struct Node {
    uint32_t name;                   /* index in the table; of a field       */
    uint32_t group;                  /* or SCALAR                            */
    uint32_t size;                   /* bytes, header included               */
} Node;

typedef struct Group {
    uint32_t node, end;              /* its node; the first one after it     */
    uint32_t at;                     /* where in data its header belongs     */
    uint32_t n;                      /* items                                */
    uint32_t total;                  /* bytes of the items                   */
    uint32_t last_id;                /* the largest                          */
    bool     is_object;
} Group;

struct PqVariantBuild {
    PqMem          *mem;
    PqErr           e;               /* sticky */
    PqVariantNames  own, given;
    PqVariantNames *names;           /* one of the two */
    PqBuf           data, value;
    Node           *node;
    uint32_t        n_nodes, node_room;
    Group          *group;
    uint32_t        n_groups, group_room;
    uint32_t        open[PQ_VARIANT_MAX_DEPTH], depth;
    uint32_t        name;            /* of the next value, or NO_NAME */
    int64_t        *field;           /* of an object: rank, offset */
    size_t          field_room;
};

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
        pq_mem_free(b);
    }
}

static void begin(PqVariantBuild *b, PqVariantNames *names)
{
    pq_err_clear(&b->e);
    b->names = names;
    b->data.n = b->value.n = 0;
    b->n_nodes = b->n_groups = b->depth = 0;
    b->name = NO_NAME;
}

void pq_variant_build_begin(PqVariantBuild *b)
{
    begin(b, &b->own);
    pq_variant_names_begin(&b->own);
}

PqRc pq_variant_build_begin_under(PqVariantBuild *b, PqSlice metadata,
                                  PqErr *e)
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

/* ---- the tree --------------------------------------------------------------- */

static Group *innermost(const PqVariantBuild *b)
{
    return b->depth ? &b->group[b->open[b->depth - 1]] : NULL;
}

/* A node for the next value; false: there is an error. */
static bool add_node(PqVariantBuild *b, uint32_t group, size_t size)
{
    Group *in = innermost(b);

    if (b->e.rc != PQ_OK) {
        return false;
    }
    if (PQ_UNLIKELY(in ? in->is_object != (b->name != NO_NAME)
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
    b->node[b->n_nodes++] = (Node){b->name, group, (uint32_t)size};
    b->name = NO_NAME;
    return true;
}

static void begin_group(PqVariantBuild *b, bool is_object)
{
    if (!add_node(b, b->n_groups, 0)) {
        return;
    }
    if (b->depth == PQ_VARIANT_MAX_DEPTH) {
        pq_fail(&b->e, PQ_UNSUPPORTED,
                "a Variant nested more than %d levels deep",
                PQ_VARIANT_MAX_DEPTH);
        return;
    }
    if (PQ_GROW(b->mem, b->group, b->n_groups, b->group_room, &b->e) !=
        PQ_OK) {
        return;
    }
    b->group[b->n_groups] = (Group){.node = b->n_nodes - 1,
                                    .at = (uint32_t)b->data.n,
                                    .is_object = is_object};
    b->open[b->depth++] = b->n_groups++;
}

void pq_variant_build_object(PqVariantBuild *b)
{
    begin_group(b, true);
}

void pq_variant_build_array(PqVariantBuild *b)
{
    begin_group(b, false);
}

void pq_variant_build_end(PqVariantBuild *b)
{
    if (b->e.rc != PQ_OK) {
        return;
    }
    if (b->depth == 0 || b->name != NO_NAME) {
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

/* ---- scalars ----------------------------------------------------------------- */

/* Room in data for the next scalar, whose node is added; NULL: no. */
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
    if (!to || !add_node(b, SCALAR, size)) {
        return NULL;
    }
    b->data.n += size;
    return to;
}

static uint8_t head_of(PqVariantPrimitive type)
{
    return (uint8_t)(type << 2 | PQ_VARIANT_PRIMITIVE);
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
        to[0] = head_of(width == 1   ? PQ_VARIANT_TYPE_INT8
                        : width == 2 ? PQ_VARIANT_TYPE_INT16
                        : width == 4 ? PQ_VARIANT_TYPE_INT32
                                     : PQ_VARIANT_TYPE_INT64);
        pq_store_u64(bytes, (uint64_t)v);
        memcpy(to + 1, bytes, width);
    }
}

static void build_string(PqVariantBuild *b, PqSlice s)
{
    bool is_short = s.n < 64;
    uint8_t *to = add_scalar(b, (is_short ? 1u : 5u) + s.n);

    if (!to) {
        return;
    }
    if (is_short) {
        *to++ = (uint8_t)(s.n << 2 | PQ_VARIANT_SHORT_STRING);
    } else {
        *to++ = head_of(PQ_VARIANT_TYPE_STRING);
        pq_store_u32(to, (uint32_t)s.n);
        to += 4;
    }
    if (s.n) {
        memcpy(to, s.p, s.n);
    }
}

/* The least width that has as many digits, of which scale may be after the
** point; or, of at least `width`, the least that has the bits. */
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
        to[0] = head_of(width == 4   ? PQ_VARIANT_TYPE_DECIMAL4
                        : width == 8 ? PQ_VARIANT_TYPE_DECIMAL8
                                     : PQ_VARIANT_TYPE_DECIMAL16);
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

static void build_bytes(PqVariantBuild *b, PqSlice s)
{
    uint8_t *to = add_scalar(b, 5 + s.n);

    if (to) {
        to[0] = head_of(PQ_VARIANT_TYPE_BINARY);
        pq_store_u32(to + 1, (uint32_t)s.n);
        if (s.n) {
            memcpy(to + 5, s.p, s.n);
        }
    }
}

/* Bytes that are a value as they are. */
static void build_whole(PqVariantBuild *b, PqSlice s)
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
    case PQ_VARIANT_BINARY:  build_bytes(b, v->bytes); break;
    case PQ_VARIANT_UNKNOWN: build_whole(b, v->bytes); break;
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

/* ---- a value of another Variant --------------------------------------------- */

typedef struct Level { PqVariantItems items; uint32_t at; PqSlice name; } Level;

/* Builds a value, or only the begin of an object or array, which *level is to
** be then. */
static PqRc copy_one(PqVariantBuild *b, PqSlice value, Level *level,
                     bool *opens)
{
    PqVariantValue v;

    PQ_TRY(pq_variant_value_read(value, &v, &b->e));
    *opens = v.kind == PQ_VARIANT_OBJECT || v.kind == PQ_VARIANT_ARRAY;
    if (*opens) {
        *level = (Level){.at = 0};
        PQ_TRY(pq_variant_items_open(&value, &level->items, &b->e));
        begin_group(b, level->items.is_object);
    } else {
        pq_variant_build_value(b, &v);
    }
    return b->e.rc;
}

static PqRc copy_items(PqVariantBuild *b, const PqVariantMeta *m, Level *stack)
{
    uint32_t depth = 1;

    while (depth) {
        Level *top = &stack[depth - 1];
        PqSlice item;
        bool opens;

        if (top->at == top->items.n) {
            pq_variant_build_end(b);
            depth--;
            continue;
        }
        if (top->items.is_object) {
            PQ_TRY(pq_variant_items_name(m, &top->items, top->at, &top->name,
                                         &b->e));
            pq_variant_build_name(b, top->name);
        }
        PQ_TRY(pq_variant_items_take(&top->items, top->at++, &item, &b->e));
        PQ_TRY(copy_one(b, item, &stack[depth], &opens));
        depth += opens;
    }
    return b->e.rc;
}

/* Are m the metadata that were given? */
static bool has_same_names(const PqVariantBuild *b, const PqVariantMeta *m)
{
    PqSlice given = pq_buf_view(&b->given.metadata);
    size_t skip = 1 + m->offset_size;

    return b->names == &b->given && m->n_names > 0 &&
           given.n >= skip + m->offsets.n &&
           pq_slice_equal(pq_slice(given.p + skip, m->offsets.n),
                          m->offsets) &&
           pq_slice_equal(pq_slice(given.p + skip + m->offsets.n,
                                   given.n - skip - m->offsets.n), m->names);
}

void pq_variant_build_copy(PqVariantBuild *b, const PqVariantMeta *m,
                           PqSlice value)
{
    Level *stack, first;
    bool opens;

    if (b->e.rc != PQ_OK) {
        return;
    }
    if (has_same_names(b, m)) {
        if (pq_variant_check(m, value, &b->e) == PQ_OK) {
            build_whole(b, value);
        }
        return;
    }
    if (copy_one(b, value, &first, &opens) != PQ_OK || !opens) {
        return;
    }
    stack = pq_mem_array(b->mem, PQ_VARIANT_MAX_DEPTH + 1, sizeof *stack,
                         &b->e);
    if (stack) {
        stack[0] = first;
        copy_items(b, m, stack);
    }
    pq_mem_free(stack);
}

/* ---- the end ----------------------------------------------------------------- */

static size_t header_size(const Group *g)
{
    size_t size = 1 + (g->n > UINT8_MAX ? 4u : 1u);

    size += ((size_t)g->n + 1) * pq_variant_width(g->total);
    return g->is_object ? size + (size_t)g->n * pq_variant_width(g->last_id)
                        : size;
}

/* The node after node i and what is in it. */
static inline uint32_t next_node(const PqVariantBuild *b, uint32_t i)
{
    return b->node[i].group == SCALAR ? i + 1 : b->group[b->node[i].group].end;
}

static PqRc measure_group(PqVariantBuild *b, Group *g)
{
    uint64_t total = 0;
    uint32_t i;

    for (i = g->node + 1; i < g->end; i = next_node(b, i)) {
        const Node *node = &b->node[i];
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

static uint8_t *put_number(uint8_t *to, uint32_t size, uint32_t v)
{
    uint32_t k;

    for (k = 0; k < size; k++) {
        *to++ = (uint8_t)(v >> (8 * k));
    }
    return to;
}

static uint8_t *put_offsets(const PqVariantBuild *b, const Group *g,
                            uint8_t *to)
{
    uint32_t size = pq_variant_width(g->total), offset = 0, i;

    for (i = g->node + 1; i < g->end; i = next_node(b, i)) {
        to = put_number(to, size, offset);
        offset += b->node[i].size;
    }
    return put_number(to, size, offset);
}

enum { FEW = 32 };                   /* fields that are sorted by insertion */

static void sort_fields(int64_t *v, uint32_t n)
{
    uint32_t i, k;

    if (n > FEW) {
        pq_sort_i64(v, n);
        return;
    }
    for (i = 1; i < n; i++) {
        int64_t x = v[i];
        for (k = i; k && v[k - 1] > x; k--) {
            v[k] = v[k - 1];
        }
        v[k] = x;
    }
}

static PQ_COLD PqRc twice(PqVariantBuild *b, const Group *g, uint32_t rank)
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
static PqRc gather_fields(PqVariantBuild *b, const Group *g)
{
    uint32_t i, k = 0, offset = 0;
    bool sorted = true;
    int64_t *v;

    if (b->field_room < g->n) {
        PQ_TRY(PQ_RESIZE(b->mem, b->field, (size_t)g->n * 2, &b->e));
        b->field_room = (size_t)g->n * 2;
    }
    v = b->field;
    for (i = g->node + 1; i < g->end; i = next_node(b, i)) {
        const Node *node = &b->node[i];
        v[k] = (int64_t)b->names->name[node->name].rank << 32 | offset;
        sorted = sorted && (k == 0 || v[k - 1] < v[k]);
        offset += node->size;
        k++;
    }
    if (!sorted) {
        sort_fields(v, k);
    }
    for (i = 1; i < k; i++) {
        if (PQ_UNLIKELY(v[i - 1] >> 32 == v[i] >> 32)) {
            return twice(b, g, (uint32_t)(v[i] >> 32));
        }
    }
    return PQ_OK;
}

static uint8_t *put_fields(const PqVariantBuild *b, const Group *g,
                           uint8_t *to)
{
    uint32_t size = pq_variant_width(g->last_id), i;

    for (i = 0; i < g->n; i++) {
        uint32_t rank = (uint32_t)(b->field[i] >> 32);
        to = put_number(to, size, pq_variant_names_id(b->names, rank));
    }
    size = pq_variant_width(g->total);
    for (i = 0; i < g->n; i++) {
        to = put_number(to, size, (uint32_t)b->field[i]);
    }
    return put_number(to, size, g->total);
}

static PqRc put_header(PqVariantBuild *b, const Group *g, uint8_t **to)
{
    bool large = g->n > UINT8_MAX;
    uint32_t offset_size = pq_variant_width(g->total);
    uint32_t id_size = pq_variant_width(g->last_id);

    *(*to)++ = (uint8_t)(g->is_object
                             ? 2u | (offset_size - 1) << 2 |
                                   (id_size - 1) << 4 | (uint32_t)large << 6
                             : 3u | (offset_size - 1) << 2 |
                                   (uint32_t)large << 4);
    *to = put_number(*to, large ? 4 : 1, g->n);
    if (g->is_object) {
        PQ_TRY(gather_fields(b, g));
        *to = put_fields(b, g, *to);
    } else {
        *to = put_offsets(b, g, *to);
    }
    return PQ_OK;
}

/* Data up to a byte. */
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

/* Headers and what lies between them in data. */
static PqRc write_groups(PqVariantBuild *b)
{
    size_t at = 0;
    uint8_t *to;
    uint32_t i;

    for (i = b->n_groups; i-- > 0;) {
        PQ_TRY(measure_group(b, &b->group[i]));
    }
    PQ_TRY(pq_buf_resize(&b->value, b->node[0].size, &b->e));
    to = b->value.p;
    for (i = 0; i < b->n_groups; i++) {
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
        write_groups(b);
    }
    PQ_TRY(pq_variant_build_error(b, e));
    *metadata = pq_buf_view(&b->names->metadata);
    *value = pq_buf_view(b->n_groups ? &b->value : &b->data);
    return PQ_OK;
}
