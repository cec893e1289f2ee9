/*
** footer_door.c - fuzz door to core/thrift and core/meta: all of a file except
** its pages.
**
** An input that ends in "ARRW" is a schema of Arrow, without its base64.  One
** that ends in "PAR1" is a file.  Any other is the end of a file, so
** that the fuzzer can lengthen and shorten a footer without breaking the length
** after it:
**
**   0  zeros    u24, where `before` begins in the file
**   3  before   u16 length, then bytes: page indexes, Bloom filters
**      footer   FileMetaData, the rest
**
** Everything the footer leads to is read: each chunk's metadata, its bounds,
** its page indexes and the bounds of every page, its Bloom filter, the header
** of its first page.  Structs are written, read and written again: the bytes
** must be the same.  Types become annotations and types again, and must be the
** same.  The schema is made again from its tree, and must give that tree.
*/
#include "core/meta/arrow_schema.h"
#include "core/for_host.h"
#include "test/fuzz/door.h"

#include <stdlib.h>

typedef struct Look {
    PqInput   in;
    PqMem    *mem;
    PqFooter *f;
    PqArena   arena;                 /* of the current chunk */
    PqBuf     text;
    PqErr    *e;
} Look;

enum { MOST_ZEROS = 1 << 18, MOST_WRITTEN = 1 << 16, MOST_MADE = 2000 };

/* ---- the file ----------------------------------------------------------- */

static PqSlice file_of(PqSlice in, uint8_t **own)
{
    size_t zeros, n;
    PqSlice before;
    uint8_t *p;

    if (in.n >= 4 && memcmp(in.p + in.n - 4, "PAR1", 4) == 0) {
        *own = door_copy(in);
        return pq_slice(*own, in.n);
    }
    zeros = door_u24(&in) % MOST_ZEROS;
    before = door_take(&in, door_u16(&in));
    n = 4 + zeros + before.n + in.n + 8;
    *own = p = calloc(1, n);
    DOOR_CHECK(p != NULL);
    memcpy(p, "PAR1", 4);
    memcpy(p + 4 + zeros, before.p, before.n);
    memcpy(p + 4 + zeros + before.n, in.p, in.n);
    pq_store_u32(p + n - 8, (uint32_t)in.n);
    memcpy(p + n - 4, "PAR1", 4);
    return pq_slice(p, n);
}

/* ---- writing what was read ---------------------------------------------- */

/* Reads what is in `once` and writes it again. */
static void check_written(Look *l, const PqThriftStruct *t, void *room,
                          const PqBuf *once)
{
    PqSlice bytes = pq_buf_view(once);
    PqBuf twice;
    PqErr e;

    pq_err_init(&e);
    pq_buf_init(&twice, l->mem, &e);
    if (pq_compact_read(t, &bytes, &l->arena, room, &e) == PQ_OK) {
        DOOR_CHECK(bytes.n == 0);
        pq_compact_write(t, room, &twice);
        DOOR_CHECK(!pq_buf_ok(&twice) ||
                   pq_slice_equal(pq_buf_view(once), pq_buf_view(&twice)));
    } else {
        DOOR_CHECK(e.rc == PQ_BUDGET);
    }
    pq_buf_free(&twice);
}

static void write_again(Look *l, const PqThriftStruct *t, const void *v)
{
    void *room = malloc(t->size);
    PqBuf once;
    PqErr e;

    DOOR_CHECK(room != NULL);
    pq_err_init(&e);
    pq_buf_init(&once, l->mem, &e);
    pq_compact_write(t, v, &once);
    if (pq_buf_ok(&once) && once.n <= MOST_WRITTEN) {
        check_written(l, t, room, &once);
    }
    pq_buf_free(&once);
    free(room);
}

/* ---- bounds ------------------------------------------------------------- */

static void look_at_bounds(Look *l, uint32_t leaf, const PqBounds *b)
{
    const PqType *type = &l->f->schema.leaves[leaf].type;

    l->text.n = 0;
    if (b->has_min) {
        pq_plain_text(type, b->min, &l->text);
    }
    if (b->has_max) {
        pq_plain_text(type, b->max, &l->text);
    }
    if (b->has_min && b->has_max) {
        DOOR_CHECK(pq_stats_fits(type, b->min) && pq_stats_fits(type, b->max));
        DOOR_CHECK(pq_order_compare(b->order, type, b->min, b->max) <= 0);
        DOOR_CHECK(pq_order_compare(b->order, type, b->max, b->min) >= 0);
    }
    pq_err_clear(l->e);              /* the text may be too long */
}

static void look_at_statistics(Look *l, uint32_t leaf, const PqStatistics *s,
                               int64_t n_values)
{
    PqBounds b = pq_stats_bounds(l->f, leaf, s, n_values);
    PqSlice raw[4] = {s->min, s->max, s->min_value, s->max_value};
    size_t i;

    look_at_bounds(l, leaf, &b);
    for (i = 0; i < PQ_COUNT(raw); i++) {
        l->text.n = 0;
        pq_plain_text(&l->f->schema.leaves[leaf].type, raw[i], &l->text);
        pq_plain_text_bytes(raw[i], &l->text);
        pq_err_clear(l->e);
    }
}

/* ---- what a chunk leads to ---------------------------------------------- */

static void look_at_index(Look *l, const PqColumnChunk *c, uint32_t group,
                          uint32_t leaf)
{
    int64_t rows = l->f->groups[group].num_rows;
    PqOffsetIndex offsets;
    PqColumnIndex bounds;
    uint32_t n, i;

    if (pq_page_index_offsets(&l->in, c, (int)group, leaf, rows, &l->arena,
                              &offsets, l->e) != PQ_OK) {
        return;
    }
    n = offsets.page_locations.n;
    if (n > 0) {
        write_again(l, &pq_format_offset_index, &offsets);
        for (i = 0; i < n; i++) {
            uint32_t page = pq_page_index_find(
                &offsets, offsets.page_locations.v[i].first_row_index);
            DOOR_CHECK(page < n);
        }
        DOOR_CHECK(pq_page_index_find(&offsets, rows) < n);
    }
    if (pq_page_index_bounds(&l->in, c, (int)group,
                             &l->f->schema.leaves[leaf], n, &l->arena, &bounds,
                             l->e) != PQ_OK) {
        return;
    }
    for (i = 0; i < bounds.null_pages.n && i < n; i++) {
        PqBounds b = pq_stats_page(&l->f->schema.leaves[leaf],
                                   pq_order_of_leaf(l->f, leaf),
                                   !pq_nulls_are_doubtful(l->f, leaf), &bounds,
                                   i);
        look_at_bounds(l, leaf, &b);
    }
    if (bounds.has) {
        write_again(l, &pq_format_column_index, &bounds);
    }
}

static void look_at_bloom(Look *l, const PqColumnChunk *c, uint32_t group,
                          uint32_t leaf)
{
    PqBloom b;
    bool maybe;
    uint64_t i;

    if (pq_bloom_open(&l->in, c, (int)group, leaf, l->mem, &b, l->e) ==
        PQ_OK) {
        for (i = 0; b.n_blocks && i < 4; i++) {
            uint64_t hash = pq_bloom_hash(pq_slice(&i, sizeof i));
            if (pq_bloom_probe(&l->in, &b, hash, &maybe, l->e) != PQ_OK) {
                break;
            }
        }
    }
    pq_bloom_close(&b);
}

static void look_at_page(Look *l, const PqColumnChunk *c)
{
    uint64_t size = pq_source_size(l->in.source);
    uint64_t at = (uint64_t)c->meta_data.data_page_offset;
    size_t n = at < size && size - at < 512 ? (size_t)(size - at) : 512;
    uint8_t window[512];
    PqPageHeader h;
    PqSlice bytes = {window, n};

    if (pq_source_read(l->in.source, at, n, window, l->e) == PQ_OK &&
        pq_format_read_page_header(&bytes, &l->arena, &h, l->e) == PQ_OK) {
        write_again(l, &pq_format_page_header, &h);
    }
}

static void settle(Look *l)
{
    door_check_error(l->e, DOOR_FILE);
    pq_err_clear(l->e);
}

static void look_at_chunk(Look *l, uint32_t group, uint32_t leaf)
{
    PqColumnChunk c;

    pq_arena_reset(&l->arena);
    if (pq_footer_chunk(l->f, group, leaf, &l->arena, &c, l->e) == PQ_OK) {
        write_again(l, &pq_format_chunk, &c);
        look_at_statistics(l, leaf, &c.meta_data.statistics,
                           c.meta_data.num_values);
        look_at_index(l, &c, group, leaf);
        settle(l);
        look_at_bloom(l, &c, group, leaf);
        settle(l);
        if (c.file_path.n == 0) {
            look_at_page(l, &c);
        }
    }
    settle(l);
}

/* A type is written so that the same type is read, whatever it was read
** from. */
static void annotate_again(Look *l, const PqType *type)
{
    PqSchemaElement el = {0};
    PqType again;
    PqErr e;

    pq_err_init(&e);
    pq_type_annotate(type, &el);
    again = pq_type_of_element(&el, &l->arena, &e);
    DOOR_CHECK(e.rc != PQ_OK || pq_type_equal(type, &again));
    DOOR_CHECK(pq_type_is_annotated(&el) == (type->logical != PQ_TYPE_NONE));
}

/* ---- making the schema --------------------------------------------------- */

/* Returns false at a Variant, which is not made in this way. */
static bool make_node(const PqNode *n, PqSchemaMake *m)
{
    uint32_t i;

    switch (n->kind) {
    case PQ_NODE_LEAF:
        pq_schema_make_leaf(m, n->name, &n->type, n->required, n->field_id);
        return true;
    case PQ_NODE_STRUCT:
        pq_schema_make_group(m, PQ_NODE_STRUCT, n->name, n->required, n->field_id);
        break;
    case PQ_NODE_LIST:
        pq_schema_make_group(m, PQ_NODE_LIST, n->name, n->required, n->field_id);
        break;
    case PQ_NODE_MAP:
        pq_schema_make_group(m, PQ_NODE_MAP, n->name, n->required, n->field_id);
        break;
    default:
        return false;
    }
    for (i = 0; i < n->n_children; i++) {
        if (!make_node(n->child[i], m)) {
            return false;
        }
    }
    pq_schema_make_close(m);
    return true;
}

/* A key is always required. */
static void same_node(const PqNode *a, const PqNode *b, bool is_key)
{
    uint32_t i;

    DOOR_CHECK(a->kind == b->kind && a->n_children == b->n_children);
    DOOR_CHECK(strcmp(a->name, b->name) == 0);
    DOOR_CHECK(b->required == (is_key || a->required));
    DOOR_CHECK(a->field_id < 0 || a->field_id == b->field_id);
    DOOR_CHECK(a->kind != PQ_NODE_LEAF || pq_type_equal(&a->type, &b->type));
    for (i = 0; i < a->n_children; i++) {
        same_node(a->child[i], b->child[i], a->kind == PQ_NODE_MAP && i == 0);
    }
}

static void make_again(Look *l)
{
    const PqNode *root = l->f->schema.root;
    PqSchemaElementList elements;
    PqSchemaMake *m = NULL;
    PqSchema made;
    bool whole = true;
    uint32_t i;

    if (l->f->schema.n_elements > MOST_MADE ||
        pq_schema_make_new(l->mem, &m, l->e) != PQ_OK) {
        return;
    }
    for (i = 0; i < root->n_children && whole; i++) {
        whole = make_node(root->child[i], m);
    }
    if (whole && pq_schema_make_end(m, &l->arena, &elements, l->e) == PQ_OK &&
        pq_schema_build(&elements, &l->arena, &made, l->e) == PQ_OK) {
        DOOR_CHECK(made.root->n_children == root->n_children);
        for (i = 0; i < root->n_children; i++) {
            same_node(root->child[i], made.root->child[i], false);
        }
    }
    DOOR_CHECK(l->e->rc == PQ_OK || l->e->rc == PQ_USAGE ||
               l->e->rc == PQ_BUDGET);
    pq_schema_make_free(m);
    door_check_error(l->e, NULL);    /* what cannot be made is in no file */
    pq_err_clear(l->e);
}

static void look_at_leaf(Look *l, uint32_t leaf)
{
    const PqLeaf *of = &l->f->schema.leaves[leaf];

    l->text.n = 0;
    pq_type_text(&of->type, &l->text);
    pq_type_is_annotated(&l->f->schema.elements[of->node->element]);
    pq_order_of_leaf(l->f, leaf);
    pq_order_is_doubtful(l->f, leaf);
    DOOR_CHECK(pq_type_equal(&of->type, &of->type));
    annotate_again(l, &of->type);
    DOOR_CHECK(of->index == leaf && of->node->leaf == (int32_t)leaf);
    settle(l);
}

/* What is known of a geometry leads to leaves of its own kind. */
static void look_at_geometry(const PqFooter *f, const PqNode *n)
{
    const PqGeometry *g = n->geometry;

    if (!g) {
        return;
    }
    DOOR_CHECK(!n->parent && (g->type.logical == PQ_TYPE_GEOMETRY ||
                              g->type.logical == PQ_TYPE_GEOGRAPHY));
    DOOR_CHECK((g->encoding == PQ_GEO_AS_WKB) == (n->kind == PQ_NODE_LEAF));
    DOOR_CHECK(g->encoding != PQ_GEO_AS_WKB ||
               pq_type_equal(&n->type, &g->type));
    DOOR_CHECK(g->encoding == PQ_GEO_AS_WKB ||
               pq_geometry_point(n, g->encoding));
    for (int i = 0; i < PQ_COVERS; i++) {
        DOOR_CHECK((g->cover[i] < 0) == (g->cover[0] < 0));
        if (g->cover[i] >= 0) {
            PqPhysical p;

            DOOR_CHECK((uint32_t)g->cover[i] < f->schema.n_leaves);
            p = f->schema.leaves[g->cover[i]].type.physical;
            DOOR_CHECK(p == PQ_DOUBLE || p == PQ_FLOAT);
        }
    }
}

static void look_around(Look *l)
{
    uint32_t group, leaf, n = 0;

    write_again(l, &pq_format_file, &l->f->file);
    for (leaf = 0; leaf < l->f->schema.n_leaves; leaf++) {
        look_at_leaf(l, leaf);
    }
    for (uint32_t i = 0; i < l->f->schema.root->n_children; i++) {
        look_at_geometry(l->f, l->f->schema.root->child[i]);
    }
    make_again(l);
    for (group = 0; group < l->f->n_groups; group++) {
        if (n == 0) {
            pq_arena_reset(&l->arena);
            write_again(l, &pq_format_row_group,
                            &l->f->file.row_groups.v[group]);
        }
        for (leaf = 0; leaf < l->f->schema.n_leaves && n < 200; leaf++, n++) {
            look_at_chunk(l, group, leaf);
        }
    }
}

/* True: it was one. */
static bool look_at_arrow(PqSlice in)
{
    uint8_t *own;
    PqArrowField field;
    PqArrowSchema s;

    if (in.n < 4 || memcmp(in.p + in.n - 4, "ARRW", 4) != 0) {
        return false;
    }
    in.n -= 4;
    own = door_copy(in);
    if (pq_arrow_open(pq_slice(own, in.n), &s)) {
        while (pq_arrow_next(&s, &field)) {
            DOOR_CHECK(field.name.n + field.extension.n <= in.n);
        }
    }
    free(own);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *own;
    PqSlice file;
    PqErr e;
    PqMem *mem;
    Look l;

    if (look_at_arrow(pq_slice(bytes, n))) {
        return 0;
    }
    file = file_of(pq_slice(bytes, n), &own);
    mem = door_open(&e);
    l = (Look){.mem = mem, .e = &e};
    pq_arena_init(&l.arena, mem);
    pq_buf_init(&l.text, mem, &e);
    DOOR_CHECK(pq_source_open_memory(mem, DOOR_FILE, file, &l.in.source, &e) ==
               PQ_OK);
    if (pq_footer_read(&l.in, NULL, mem, &l.f, &e) == PQ_OK) {
        e.where.file = DOOR_FILE;
        look_around(&l);
    }
    settle(&l);
    pq_footer_release(l.f);
    pq_source_close(l.in.source);
    pq_buf_free(&l.text);
    pq_arena_free(&l.arena);
    door_close(mem);
    free(own);
    return 0;
}
