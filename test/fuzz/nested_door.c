/*
** nested_door.c - fuzz door to core/nested and core/variant: a schema, rows in
** it, and damage to their levels.
**
**   0  mode      0: a binary Variant, else a nested column
**
**   Variant      u16 length of the metadata, metadata, value
**
**   column       bit 1 of mode: maps as entries; bit 2: dictionary vectors;
**                bit 3: rows are written a few at a time; bit 7: a VARIANT as
**                blobs too, which say what the JSON text says; a column of
**                points, or of lists of points, as WKB
**      elements  u8 count, then three bytes each:
**                shape    bits 0-1 repetition, bits 2-4 children (0: a leaf),
**                         bits 5-7 length
**                kind     of a group: index of group_kinds
**                         of a leaf: bits 0-2 physical type, the rest an index
**                         of leaf_kinds
**                name     index of names
**      rows      u8 count
**      damage    u8 count, then per damage: u8 leaf, u8 slot, u8 level;
**                bit 7 of the leaf says that it is a repetition level
**      the rest  decides, byte by byte, what is null, how long lists are, and
**                what the values are
**
** Rows are made as a writer would make them, so that all leaves agree.  Then
** the damage is done.  It keeps what the column reader guarantees: no level
** exceeds its maximum, and a vector has as many rows as were asked for.
*/
#include "core/geo/wkb.h"
#include "core/nested/geo_rows.h"
#include "core/nested/json_rows.h"
#include "core/variant/variant.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

enum { MOST_ELEMENTS = 40, MOST_SLOTS = 600, MOST_DAMAGE = 16, WIDEST = 16 };

static const char *const names[] = {
    "a", "list", "element", "key_value", "key", "value", "typed_value",
    "metadata", "array", "bag", "map", "a.b", "", "\"\n", "b", "x", "y", "z",
    "m",
};

/* A converted type, or a member of LogicalType. */
typedef struct Kind {
    int converted, logical;          /* -1: not this one */
} Kind;

static const Kind group_kinds[] = {
    {-1, -1},
    {-1, PQ_LOGICAL_LIST},
    {-1, PQ_LOGICAL_MAP},
    {-1, PQ_LOGICAL_VARIANT},
    {PQ_CONVERTED_LIST, -1},
    {PQ_CONVERTED_MAP, -1},
    {PQ_CONVERTED_MAP_KEY_VALUE, -1},
};

static const Kind leaf_kinds[] = {
    {-1, -1}, {-1, PQ_LOGICAL_STRING}, {-1, PQ_LOGICAL_DECIMAL},
    {-1, PQ_LOGICAL_DATE}, {-1, PQ_LOGICAL_TIME}, {-1, PQ_LOGICAL_TIMESTAMP},
    {-1, PQ_LOGICAL_INTEGER}, {-1, PQ_LOGICAL_UNKNOWN}, {-1, PQ_LOGICAL_JSON},
    {-1, PQ_LOGICAL_UUID}, {-1, PQ_LOGICAL_FLOAT16}, {-1, PQ_LOGICAL_ENUM},
    {PQ_CONVERTED_INTERVAL, -1}, {PQ_CONVERTED_UINT_64, -1},
    {PQ_CONVERTED_TIMESTAMP_MILLIS, -1}, {PQ_CONVERTED_UTF8, -1},
};

/* The rows of a leaf. */
typedef struct Slots {
    uint16_t *rep, *def;
    uint64_t *valid;
    uint8_t  *values;
    uint32_t *ids;
    uint32_t  n;
    PqDict    dict;
    PqVector  vector;
} Slots;

typedef struct Rows {
    PqSlice  in;
    PqMem   *mem;
    PqErr   *e;
    PqArena  arena;
    PqSchema schema;
    Slots   *slots;                  /* of the schema's leaves */
    uint8_t  mode;
    bool     full;                   /* a leaf has no room left */
} Rows;

/* ---- the schema --------------------------------------------------------- */

static void annotate(PqSchemaElement *el, Kind k, uint8_t detail)
{
    PqLogicalType *l = &el->logical_type;

    if (k.converted >= 0) {
        el->has |= 1u << PQ_SCHEMA_CONVERTED;
        el->converted_type = k.converted;
    }
    if (k.logical < 0) {
        return;
    }
    el->has |= 1u << PQ_SCHEMA_LOGICAL;
    l->has = 1u << k.logical;
    l->decimal = (PqDecimalType){6, detail & 7, 1 + (detail >> 3)};
    l->integer = (PqIntType){6, (int8_t)(8 << (detail & 3)), (detail & 4) != 0};
    l->time.has = 6;
    l->time.is_adjusted_to_utc = detail & 4;
    l->time.unit.has = 2u << detail % 3;
    l->timestamp = l->time;
    l->variant = (PqVariantType){2, 1};
}

static PqSchemaElement next_element(PqSlice *in)
{
    uint8_t shape = door_u8(in), kind = door_u8(in), name = door_u8(in);
    PqSchemaElement el = {0};

    el.has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_REPETITION;
    el.name = pq_slice_text(names[name % PQ_COUNT(names)]);
    el.repetition_type = (shape & 3) % 3;
    el.num_children = shape >> 2 & 7;
    if (el.num_children) {
        el.has |= 1u << PQ_SCHEMA_NUM_CHILDREN;
        annotate(&el, group_kinds[kind % PQ_COUNT(group_kinds)], 0);
    } else {
        static const int lengths[] = {16, 12, 2, 1, 5, 9, 0, 8};
        el.has |= 1u << PQ_SCHEMA_TYPE | 1u << PQ_SCHEMA_TYPE_LENGTH;
        el.type = kind & 7;
        el.type_length = lengths[shape >> 5];
        annotate(&el, leaf_kinds[(kind >> 3) % PQ_COUNT(leaf_kinds)],
                 name / PQ_COUNT(names) * 5);
    }
    return el;
}

static PqRc make_schema(Rows *r)
{
    PqSchemaElementList list = {0};
    uint32_t i, open = 1;

    list.v = pq_arena_zeros(&r->arena, MOST_ELEMENTS + 1, sizeof *list.v, r->e);
    DOOR_CHECK(list.v != NULL);
    list.n = 2 + door_u8(&r->in) % (MOST_ELEMENTS - 1);
    list.v[0].has = 1u << PQ_SCHEMA_NAME | 1u << PQ_SCHEMA_NUM_CHILDREN;
    list.v[0].name = pq_slice_text("root");
    list.v[0].num_children = 1;
    for (i = 1; i < list.n && open > 0; i++) {
        list.v[i] = next_element(&r->in);
        open += (uint32_t)list.v[i].num_children - 1;
    }
    list.n = i;
    return pq_schema_build(&list, &r->arena, &r->schema, r->e);
}

/* ---- values ------------------------------------------------------------- */

/* A small valid Variant, for columns named metadata and value. */
static PqSlice variant_bytes(const PqNode *leaf, uint8_t which)
{
    static const char *const values[] = {
        "\x0c\x07", "\x00", "\x02\x01\x00\x00\x02\x0c\x01",
        "\x03\x02\x00\x02\x04\x0c\x01\x0c\x02", "\x09hi", "\x04",
        "\x14\1\2\3\4",
    };
    static const uint8_t sizes[] = {2, 1, 7, 9, 3, 1, 5};
    size_t i = which % PQ_COUNT(sizes);

    if (strcmp(leaf->name, "metadata") == 0) {
        return pq_slice("\x11\x02\x00\x01\x02" "ab", 7);
    }
    return pq_slice(values[i], sizes[i]);
}

static void put_string(Rows *r, const PqLeaf *leaf, PqStr *out)
{
    uint8_t how = door_u8(&r->in);
    size_t n = leaf->type.physical == PQ_FIXED ? leaf->type.fixed_length
                                               : how & 31;
    uint8_t *p = pq_arena_alloc(&r->arena, n + 1, r->e);
    PqSlice s;

    DOOR_CHECK(p != NULL);
    memset(p, 0, n + 1);
    s = leaf->type.physical == PQ_BYTE_ARRAY && how & 32
            ? variant_bytes(leaf->node, how >> 6)
            : door_take(&r->in, n);
    memcpy(p, s.p ? s.p : p, s.n < n ? s.n : n);
    if (s.n > n) {
        p = pq_arena_alloc(&r->arena, s.n + 1, r->e);
        DOOR_CHECK(p != NULL);
        memcpy(p, s.p, s.n);
        p[s.n] = 0;
        n = s.n;
    } else if (leaf->type.physical == PQ_BYTE_ARRAY) {
        n = s.n;
        p[n] = 0;
    }
    *out = (PqStr){p, (uint32_t)n};
}

static void put_value(Rows *r, const PqLeaf *leaf, uint8_t *out)
{
    size_t width = pq_physical_width(leaf->type.physical);

    if (leaf->type.physical == PQ_BYTE_ARRAY ||
        leaf->type.physical == PQ_FIXED) {
        PqStr s;
        put_string(r, leaf, &s);
        memcpy(out, &s, sizeof s);
    } else if (leaf->type.physical == PQ_BOOLEAN) {
        *out = door_u8(&r->in) & 1;
    } else {
        PqSlice s = door_take(&r->in, width);
        if (s.n) {
            memcpy(out, s.p, s.n);
        }
    }
}

/* ---- rows --------------------------------------------------------------- */

static void put_slot(Rows *r, uint32_t leaf, unsigned rep, unsigned def)
{
    const PqLeaf *of = &r->schema.leaves[leaf];
    Slots *s = &r->slots[leaf];

    if (s->n == MOST_SLOTS) {
        r->full = true;
        return;
    }
    s->rep[s->n] = (uint16_t)(rep < of->max_rep ? rep : of->max_rep);
    s->def[s->n] = (uint16_t)(def < of->max_def ? def : of->max_def);
    if (def >= of->max_def) {
        put_value(r, of, s->values + s->n * WIDEST);
    }
    s->n++;
}

static void put_absent(Rows *r, const PqNode *n, unsigned rep, unsigned def)
{
    uint32_t i;

    for (i = 0; i < n->n_leaves; i++) {
        put_slot(r, n->first_leaf + i, rep, def);
    }
}

static void put_children(Rows *r, const PqNode *n, unsigned rep, unsigned def);

/* level: the definition level at which the parent is present. */
static void put_node(Rows *r, const PqNode *n, unsigned rep, unsigned level)
{
    uint8_t what;
    unsigned i;

    if (n->kind == PQ_NODE_LEAF && n->def_present == level) {
        put_slot(r, (uint32_t)n->leaf, rep, level);
        return;
    }
    what = door_u8(&r->in);
    if (n->def_present > level && what % 4 == 0) {
        put_absent(r, n, rep, level);
    } else if (n->kind == PQ_NODE_LEAF) {
        put_slot(r, (uint32_t)n->leaf, rep, n->def_present);
    } else if (n->kind != PQ_NODE_LIST && n->kind != PQ_NODE_MAP) {
        put_children(r, n, rep, n->def_present);
    } else if (what % 5 == 0) {
        put_absent(r, n, rep, n->def_present);
    } else {
        for (i = 0; i < 1u + (what >> 5) && !r->full; i++) {
            put_children(r, n, i ? n->repeated_rep : rep, n->repeated_def);
        }
    }
}

static void put_children(Rows *r, const PqNode *n, unsigned rep, unsigned def)
{
    uint32_t i;

    for (i = 0; i < n->n_children; i++) {
        put_node(r, n->child[i], rep, def);
    }
}

/* Damage that the column reader lets through. */
static void do_damage(Rows *r, uint32_t n, const uint8_t *damage)
{
    uint32_t i;

    for (i = 0; i < n && r->schema.n_leaves; i++, damage += 3) {
        uint32_t leaf = (damage[0] & 127) % r->schema.n_leaves;
        const PqLeaf *of = &r->schema.leaves[leaf];
        Slots *s = &r->slots[leaf];
        uint32_t slot = s->n ? damage[1] % s->n : 0;
        uint16_t max = damage[0] & 128 ? of->max_rep : of->max_def;

        if (s->n == 0) {
            continue;
        }
        if (damage[0] & 128) {       /* row borders stay */
            if (s->rep[slot] != 0 && max > 0) {
                s->rep[slot] = (uint16_t)(1 + damage[2] % max);
            }
        } else {
            s->def[slot] = (uint16_t)(damage[2] % (max + 1u));
        }
    }
}

/* ---- vectors ------------------------------------------------------------ */

static void *zeros(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    DOOR_CHECK(p != NULL);
    return p;
}

static void slots_open(Rows *r)
{
    uint32_t i;

    r->slots = zeros(r->schema.n_leaves, sizeof *r->slots);
    for (i = 0; i < r->schema.n_leaves; i++) {
        Slots *s = &r->slots[i];
        s->rep = zeros(MOST_SLOTS, sizeof *s->rep);
        s->def = zeros(MOST_SLOTS, sizeof *s->def);
        s->valid = zeros(MOST_SLOTS / 64 + 1, sizeof *s->valid);
        s->values = zeros(MOST_SLOTS, WIDEST);
        s->ids = zeros(MOST_SLOTS, sizeof *s->ids);
    }
}

static void slots_close(Rows *r)
{
    uint32_t i;

    for (i = 0; r->slots && i < r->schema.n_leaves; i++) {
        free(r->slots[i].rep);
        free(r->slots[i].def);
        free(r->slots[i].valid);
        free(r->slots[i].values);
        free(r->slots[i].ids);
    }
    free(r->slots);
}

/* Shrinks to exactly n elements, so that the sanitizer sees a read after
** them. */
static void *cut(void *p, size_t n, size_t size)
{
    void *out = zeros(n, size);

    memcpy(out, p, n * size);
    free(p);
    return out;
}

/* Packs values of WIDEST bytes to their own width.  After the damage more
** levels may ask for a value: these are zeros. */
static void finish_slots(Rows *r, uint32_t leaf, uint32_t n_rows)
{
    const PqLeaf *of = &r->schema.leaves[leaf];
    size_t width = pq_physical_width(of->type.physical);
    Slots *s = &r->slots[leaf];
    uint8_t *values = zeros(s->n, width);
    uint32_t i;

    for (i = 0; i < s->n; i++) {
        PqStr empty = {(const uint8_t *)"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0};
        bool text = width == sizeof(PqStr);
        empty.n = of->type.physical == PQ_FIXED ? of->type.fixed_length : 0;
        memcpy(values + i * width, s->values + i * WIDEST, width);
        if (text && ((PqStr *)(void *)values)[i].p == NULL) {
            memcpy(values + i * width, &empty, sizeof empty);
        }
        if (s->def[i] == of->max_def) {
            s->valid[i / 64] |= (uint64_t)1 << i % 64;
            s->ids[i] = i;
        }
    }
    free(s->values);
    s->values = values;
    s->rep = cut(s->rep, s->n, sizeof *s->rep);
    s->def = cut(s->def, s->n, sizeof *s->def);
    s->ids = cut(s->ids, s->n, sizeof *s->ids);
    s->vector = (PqVector){.leaf = of, .n_rows = n_rows, .n_slots = s->n};
    s->vector.rep = of->max_rep ? s->rep : NULL;
    s->vector.def = of->max_def ? s->def : NULL;
    s->vector.valid = of->max_def ? s->valid : NULL;
    s->dict = (PqDict){.type = of->type.physical, .n = s->n, .values = values,
                       .serial = leaf + 1u};
    if (r->mode & 4 && s->n > 0) {
        s->vector.dict = &s->dict;
        s->vector.ids = s->ids;
    } else {
        s->vector.values = values;
    }
}

/* ---- reading ------------------------------------------------------------ */

static void check_texts(const PqStr *texts, uint32_t n)
{
    uint32_t i;

    for (i = 0; i < n; i++) {
        DOOR_CHECK(!texts[i].p || texts[i].n > 0);
        DOOR_CHECK(!texts[i].p || texts[i].p[texts[i].n] == 0);
        DOOR_CHECK(!texts[i].p || !memchr(texts[i].p, '\n', texts[i].n));
    }
}

static void write_rows(Rows *r, PqJsonRows *j, uint32_t n_rows)
{
    const PqStr *texts;
    uint32_t at = 0, n;

    while (at < n_rows) {
        size_t n_bytes = r->mode & 8 ? 20 : SIZE_MAX;
        if (pq_json_rows_write(j, at, n_rows, n_bytes, &n, &texts, r->e) !=
            PQ_OK) {
            return;
        }
        DOOR_CHECK(n > 0 && n <= n_rows - at);
        check_texts(texts, n);
        at += n + (r->mode & 16 ? 1 : 0);        /* some are skipped */
    }
}

static void read_rows(Rows *r, const PqNode *column, uint32_t n_rows)
{
    PqJsonOptions options = {.map_entries = r->mode & 2,
                             .strict_utf8 = r->mode & 32,
                             .binary_as_string = r->mode & 64};
    const PqVector **v = zeros(column->n_leaves, sizeof(PqVector *));
    PqJsonRows *j = NULL;
    uint32_t i;
    int again;

    for (i = 0; i < column->n_leaves; i++) {
        v[i] = &r->slots[column->first_leaf + i].vector;
    }
    if (pq_json_rows_new(r->mem, column, &options, &j, r->e) == PQ_OK) {
        for (again = 0; again < 2 && r->e->rc == PQ_OK; again++) {
            if (pq_json_rows_begin(j, v, n_rows, r->e) == PQ_OK) {
                write_rows(r, j, n_rows);
            }
        }
    }
    pq_json_rows_free(j);
    free(v);
}

/* ---- Variants as blobs ---------------------------------------------------- */

/* The blob as JSON has the length of text.  Only the order of fields may be
** another one: the builder sorts them. */
static void check_blob(Rows *r, PqStr blob, PqStr text)
{
    PqSlice metadata, value;
    PqVariantMeta m;
    PqBuf out;

    DOOR_CHECK(!blob.p == !text.p);
    if (!blob.p) {
        return;
    }
    pq_buf_init(&out, r->mem, r->e);
    DOOR_CHECK(pq_variant_split(pq_slice(blob.p, blob.n), &metadata, &value,
                                r->e) == PQ_OK);
    DOOR_CHECK(pq_variant_meta_open(metadata, &m, r->e) == PQ_OK);
    if (pq_variant_json_take(&m, &value, 0, &out, r->e) == PQ_OK &&
        pq_buf_ok(&out)) {
        DOOR_CHECK(out.n == text.n);
    } else {
        DOOR_CHECK(r->e->rc == PQ_NOMEM || r->e->rc == PQ_BUDGET);
    }
    pq_buf_free(&out);
}

static void compare_rows(Rows *r, PqJsonRows *j, PqJsonRows *b, uint32_t n_rows)
{
    const PqStr *texts, *blobs;
    uint32_t at, n;

    for (at = 0; at < n_rows && r->e->rc == PQ_OK; at++) {
        if (pq_json_rows_write(j, at, at + 1, 1, &n, &texts, r->e) == PQ_OK &&
            pq_json_rows_write(b, at, at + 1, 1, &n, &blobs, r->e) == PQ_OK) {
            check_blob(r, blobs[0], texts[0]);
        }
    }
}

static void read_blobs(Rows *r, const PqNode *column, uint32_t n_rows)
{
    PqJsonOptions options = {.variant_blob = true};
    const PqVector **v = zeros(column->n_leaves, sizeof(PqVector *));
    PqJsonRows *j = NULL, *b = NULL;

    for (uint32_t i = 0; i < column->n_leaves; i++) {
        v[i] = &r->slots[column->first_leaf + i].vector;
    }
    if (pq_json_rows_new(r->mem, column, NULL, &j, r->e) == PQ_OK &&
        pq_json_rows_new(r->mem, column, &options, &b, r->e) == PQ_OK &&
        pq_json_rows_begin(j, v, n_rows, r->e) == PQ_OK &&
        pq_json_rows_begin(b, v, n_rows, r->e) == PQ_OK) {
        compare_rows(r, j, b, n_rows);
    }
    pq_json_rows_free(j);
    pq_json_rows_free(b);
    free(v);
}

/* ---- geometries ----------------------------------------------------------- */

/* A native encoding of the column's shape, or PQ_GEO_AS_WKB. */
static PqGeoEncoding encoding_of(const PqNode *column)
{
    static const PqGeoEncoding of_depth[][2] = {
        {PQ_GEO_AS_POINT, PQ_GEO_AS_POINT},
        {PQ_GEO_AS_LINESTRING, PQ_GEO_AS_MULTIPOINT},
        {PQ_GEO_AS_POLYGON, PQ_GEO_AS_MULTILINESTRING},
        {PQ_GEO_AS_MULTIPOLYGON, PQ_GEO_AS_MULTIPOLYGON},
    };

    for (size_t i = 0; i < PQ_COUNT(of_depth); i++) {
        if (pq_geometry_point(column, of_depth[i][0])) {
            return of_depth[i][column->n_leaves % 2];
        }
    }
    return PQ_GEO_AS_WKB;
}

/* Rows forwards and backwards; all of it is valid WKB. */
static void check_geo(Rows *r, PqGeoRows *g, uint32_t n_rows)
{
    PqSlice wkb;

    for (uint32_t i = 0; i < 2 * n_rows; i++) {
        uint32_t row = i < n_rows ? i : 2 * n_rows - 1 - i;

        if (pq_geo_rows_wkb(g, row, &wkb, r->e) != PQ_OK) {
            return;                  /* no memory */
        }
        DOOR_CHECK(!wkb.p || pq_wkb_check(wkb, r->e) == PQ_OK);
    }
}

static void read_geo(Rows *r, const PqNode *column, uint32_t n_rows)
{
    const PqVector *v[PQ_GEO_AXES];
    const uint32_t *leaves;
    PqGeoRows *g;
    uint32_t n;

    if (pq_geo_rows_new(r->mem, column, encoding_of(column), &g, r->e) ==
        PQ_OK) {
        n = pq_geo_rows_leaves(g, &leaves);
        for (uint32_t i = 0; i < n; i++) {
            v[i] = &r->slots[leaves[i]].vector;
        }
        if (pq_geo_rows_begin(g, v, n_rows, r->e) == PQ_OK) {
            check_geo(r, g, n_rows);
        }
        pq_geo_rows_free(g);
    }
}

static void read_column(Rows *r)
{
    uint8_t damage[MOST_DAMAGE * 3];
    uint32_t n_rows, i, n_damage;
    const PqNode *column;

    if (make_schema(r) != PQ_OK || r->schema.root->n_children == 0) {
        return;
    }
    column = r->schema.root->child[0];
    n_rows = door_u8(&r->in);
    n_damage = door_u8(&r->in) % (MOST_DAMAGE + 1u);
    for (i = 0; i < n_damage * 3; i++) {
        damage[i] = door_u8(&r->in);
    }
    slots_open(r);
    for (i = 0; i < n_rows && !r->full; i++) {
        put_node(r, column, 0, 0);
    }
    if (!r->full) {
        do_damage(r, n_damage, damage);
        for (i = 0; i < r->schema.n_leaves; i++) {
            finish_slots(r, i, n_rows);
        }
        if (r->mode & 128 && column->kind == PQ_NODE_VARIANT) {
            read_blobs(r, column, n_rows);
        } else if (r->mode & 128 && encoding_of(column) != PQ_GEO_AS_WKB) {
            read_geo(r, column, n_rows);
        } else {
            read_rows(r, column, n_rows);
        }
    }
    slots_close(r);
}

static void read_variant(Rows *r)
{
    PqSlice metadata = door_take(&r->in, door_u16(&r->in));
    uint8_t *own = door_copy(metadata), *value = door_copy(r->in);
    PqSlice rest = pq_slice(value, r->in.n);
    PqVariantMeta m;
    PqBuf out;

    pq_buf_init(&out, r->mem, r->e);
    if (pq_variant_meta_open(pq_slice(own, metadata.n), &m, r->e) == PQ_OK &&
        pq_variant_json_take(&m, &rest, 0, &out, r->e) == PQ_OK &&
        pq_buf_ok(&out)) {
        DOOR_CHECK(out.n > 0 && !memchr(out.p, 0, out.n));
    }
    pq_buf_free(&out);
    free(own);
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqErr e;
    Rows r = {.in = {bytes, n}, .mem = door_open(&e), .e = &e};

    e.where.file = DOOR_FILE;
    pq_arena_init(&r.arena, r.mem);
    r.mode = door_u8(&r.in);
    if (r.mode == 0) {
        read_variant(&r);
    } else {
        read_column(&r);
    }
    door_check_error(&e, DOOR_FILE);
    pq_arena_free(&r.arena);
    door_close(r.mem);
    return 0;
}
