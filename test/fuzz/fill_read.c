/*
** fill_read.c - reads a file again: see fill_door.c.
*/
#include "core/column/leaf_read.h"
#include "core/text/parse.h"
#include "core/variant/variant_build.h"
#include "test/fuzz/door_json.h"
#include "test/fuzz/fill_door.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_JSON = 60 };             /* rows that are printed */

/* ---- reading ------------------------------------------------------------- */

typedef struct Reading {
    FillColumn  *c;
    PqInput      in;
    PqFooter    *footer;
    PqReadCtx    ctx;
    bool         has_ctx;
    PqLeafReader *leaves;            /* the first n were begun */
    uint32_t     n;
} Reading;

static PqRc open_leaf(Reading *x, uint32_t leaf, PqErr *e)
{
    PqLeafReader *r = &x->leaves[leaf];
    PqArena *a;

    PQ_TRY(pq_leaf_reader_init(r, &x->ctx, e));
    x->n++;
    a = pq_leaf_reader_arena(r);
    PQ_TRY(pq_footer_chunk(x->footer, 0, leaf, a, &r->chunk.chunk, e));
    return pq_leaf_reader_open(r, &x->in, &x->footer->schema.leaves[leaf], 0,
                               x->footer->n_rows, pq_slice(NULL, 0), true, e);
}

static PqRc check_leaf(Reading *x, uint32_t leaf, PqErr *e)
{
    const PqLeafBatch *b = &x->c->all.batches[leaf];
    uint32_t step = 1 + b->n_rows / 7, row, i, n, turn;
    DoorAt at;

    for (turn = 0; turn < 2; turn++) {       /* the second with leaps */
        at = (DoorAt){0, 0};
        for (row = 0; row < b->n_rows; row += n) {
            PqVector v;
            uint32_t slot = 0;

            n = b->n_rows - row < step ? b->n_rows - row : step;
            if (turn == 1 && row / step % 2 == 0) {
                for (i = 0; i < n; i++) {
                    at = door_row_after(b, at);
                }
                continue;
            }
            PQ_TRY(pq_leaf_read(&x->leaves[leaf], row, n, &v, e));
            DOOR_CHECK(v.n_rows == n);
            for (i = 0; i < n; i++) {
                door_check_row(b, at, &v, &slot);
                at = door_row_after(b, at);
            }
            DOOR_CHECK(slot == v.n_slots);
        }
    }
    DOOR_CHECK(at.entry == b->n_entries && at.value == b->n_values);
    return PQ_OK;
}

/* ---- back to cells ------------------------------------------------------- */

/* The first rows as JSON, or as Variants; *n is how many. */
static PqRc print_rows(Reading *x, const PqVector **v, PqCells *out,
                       uint32_t n_rows, PqErr *e)
{
    const PqNode *node = x->footer->schema.root->child[0];
    bool is_variant = node->kind == PQ_NODE_VARIANT;
    const PqJsonOptions options = {.map_entries = true, .strict_utf8 = true,
                                   .nan_text = true,
                                   .variant_blob = is_variant};
    PqJsonRows *j = NULL;
    const PqStr *texts;
    uint32_t at = 0, n, i;
    PqRc rc;

    PQ_GO(pq_json_rows_new(x->c->mem, node, &options, &j, e));
    PQ_GO(pq_json_rows_begin(j, v, n_rows, e));
    for (; at < n_rows; at += n) {
        PQ_GO(pq_json_rows_write(j, at, n_rows, 1000, &n, &texts, e));
        for (i = 0; i < n; i++) {
            PQ_GO(pq_cells_reserve(out, e));
            if (texts[i].p) {
                PQ_GO(pq_cells_bytes(out, is_variant ? PQ_CELL_BLOB
                                                     : PQ_CELL_TEXT,
                                     texts[i].p, texts[i].n, e));
            } else {
                pq_cells_null(out);
            }
        }
    }
done:
    pq_json_rows_free(j);
    return rc;
}

/* JSON strings without their quotes, and numbers, as cells of a plain
** column. */
static PqRc bare_cells(const PqCells *from, PqCells *to, PqErr *e)
{
    PqArena scratch;
    uint32_t i;
    PqRc rc = PQ_OK;

    pq_arena_init(&scratch, from->mem);
    for (i = 0; i < from->n; i++) {
        const PqCell *cell = &from->cells[i];
        PqJsonToken t = {0};
        PqJsonRead r;

        PQ_GO(pq_cells_reserve(to, e));
        if (from->cells[i].kind == PQ_CELL_NULL) {
            pq_cells_null(to);
            continue;
        }
        pq_json_read_begin(&r, pq_slice(cell->p, cell->n), &scratch);
        PQ_GO(pq_json_read_next(&r, &t, e));
        if (t.kind == PQ_JSON_TRUE || t.kind == PQ_JSON_FALSE) {
            pq_cells_int(to, t.kind == PQ_JSON_TRUE);
        } else if (t.kind == PQ_JSON_NULL) {
            pq_cells_null(to);
        } else {
            DOOR_CHECK(t.kind == PQ_JSON_STRING || t.kind == PQ_JSON_NUMBER);
            PQ_GO(pq_cells_bytes(to, PQ_CELL_TEXT,
                                 t.text.n ? (const void *)t.text.p : "",
                                 t.text.n, e));
        }
    }
done:
    pq_arena_free(&scratch);
    return rc;
}

/* The text of a value is read as that value, with exceptions.  In a plain
** column hex digits are a text of their own.  An INT96 and a NaN have several
** forms. */
static bool text_is_value(const PqNode *n, const PqLeafBatch *b)
{
    uint32_t i;

    if (n->type.physical == PQ_INT96 || door_is_bytes(&n->type)) {
        return false;
    }
    for (i = 0; i < b->n_values && pq_type_is_float(&n->type); i++) {
        const void *p = door_value(b, i);
        double r = n->type.physical == PQ_FLOAT    ? *(const float *)p
                   : n->type.physical == PQ_DOUBLE ? *(const double *)p
                                                   : (double)pq_float16_value(
                         pq_load_u16(((const PqStr *)p)->p));
        if (isnan(r)) {
            return false;
        }
    }
    return true;
}

/* A cell of a VARIANT as JSON, with its fields in order. */
static bool variant_json(PqVariantBuild *b, const PqCell *cell,
                         PqArena *scratch, PqBuf *out, PqErr *e)
{
    PqVariantValue v = {.kind = PQ_VARIANT_INT, .u.i = cell->i};
    PqSlice metadata, value;
    PqVariantMeta m;

    pq_variant_build_begin(b);
    if (cell->kind == PQ_CELL_TEXT) {
        pq_variant_parse(pq_slice(cell->p, cell->n), b, scratch, e);
    } else if (cell->kind == PQ_CELL_BLOB) {
        if (pq_variant_split(pq_slice(cell->p, cell->n), &metadata, &value,
                             e) || pq_variant_meta_open(metadata, &m, e)) {
            return false;
        }
        pq_variant_build_copy(b, &m, value);
    } else {
        v.kind = cell->kind == PQ_CELL_REAL ? PQ_VARIANT_DOUBLE : v.kind;
        if (cell->kind == PQ_CELL_REAL) {
            v.u.d = cell->r;
        }
        pq_variant_build_value(b, &v);
    }
    return pq_variant_build_finish(b, &metadata, &value, e) == PQ_OK &&
           pq_variant_meta_open(metadata, &m, e) == PQ_OK &&
           pq_variant_json_take(&m, &value, 0, out, e) == PQ_OK &&
           pq_buf_ok(out);
}

/* A number has the scale of its column: 7 comes back as 7.00 from a DECIMAL, and as
** 7.0 from a DOUBLE.  Takes the zeros after the point away, and that too. */
static void drop_zeros(PqBuf *json)
{
    size_t n = 0, point = 0;
    bool text = false;

    for (size_t i = 0; i < json->n; i++) {
        uint8_t c = json->p[i];
        bool digit = c >= '0' && c <= '9';

        if (point && !digit) {
            while (json->p[n - 1] == '0') n--;
            n -= n - 1 == point;
            point = 0;
        }
        if (!text && c == '.') {
            point = n;
        }
        if (text && c == '\\') {
            json->p[n++] = c;
            c = json->p[++i];
        } else if (c == '"') {
            text = !text;
        }
        json->p[n++] = c;
    }
    if (point) {
        while (json->p[n - 1] == '0') n--;
        n -= n - 1 == point;
    }
    json->n = n;
}

/* The Variants are those that were given. */
static void check_variants(const FillColumn *c, const PqCells *printed,
                           PqErr *e)
{
    PqVariantBuild *b = NULL;
    PqBuf given, back;
    PqArena scratch;
    uint32_t row, i = 0;

    pq_arena_init(&scratch, c->mem);
    pq_buf_init(&given, c->mem, e);
    pq_buf_init(&back, c->mem, e);
    if (pq_variant_build_new(c->mem, &b, e) == PQ_OK) {
        for (row = 0; row < printed->n; row++, i++) {
            while (c->left_out[i]) {
                i++;
            }
            given.n = back.n = 0;
            if (printed->cells[row].kind == PQ_CELL_NULL) {
                DOOR_CHECK(c->cells.cells[i].kind == PQ_CELL_NULL ||
                           c->rules.null_misfits);
            } else if (variant_json(b, &c->cells.cells[i], &scratch, &given,
                                    e) &&
                       variant_json(b, &printed->cells[row], &scratch, &back,
                                    e)) {
                drop_zeros(&given);
                drop_zeros(&back);
                DOOR_CHECK(pq_slice_equal(pq_buf_view(&given),
                                          pq_buf_view(&back)));
            }
        }
    }
    pq_variant_build_free(b);
    pq_buf_free(&given);
    pq_buf_free(&back);
    pq_arena_free(&scratch);
}

/* Fills again with what was printed: it must be the first rows of the
** batches. */
static PqRc fill_again(FillColumn *c, const PqCells *printed, PqErr *e)
{
    const PqFillRules rules = {.number_time = PQ_NUMBER_TIME_RAW};
    DoorFill again;
    uint32_t misfit, i, row;
    PqRc rc;

    PQ_GO(door_fill_open(&again, &c->schema, c->node, &rules, c->mem, e));
    PQ_GO(door_fill_cells(&again, printed, 0, printed->n, NULL, &misfit, e));
    DOOR_CHECK(misfit == printed->n);
    for (i = 0; i < c->node->n_leaves; i++) {
        DoorAt at = {0, 0};
        PqLeafBatch front = c->all.batches[i];

        for (row = 0; row < printed->n; row++) {
            at = door_row_after(&front, at);
        }
        front.n_rows = printed->n;
        front.n_entries = at.entry;
        front.n_values = at.value;
        door_check_batches(&front, &again.batches[i]);
    }
done:
    door_fill_close(&again);
    return rc;
}

/* Compares nested values: what was printed must be what was given. */
static void check_json(const FillColumn *c, const PqCells *printed)
{
    uint32_t row, i = 0;

    for (row = 0; row < printed->n; row++, i++) {
        const PqCell *given, *back = &printed->cells[row];

        while (c->left_out[i]) {
            i++;
        }
        given = &c->cells.cells[i];
        if (printed->cells[row].kind != PQ_CELL_NULL) {
            DOOR_CHECK(c->cells.cells[i].kind == PQ_CELL_TEXT);
            door_check_json(c->node, pq_slice(given->p, given->n),
                            pq_slice(back->p, back->n), c->mem);
        } else {                     /* JSON's null, or a misfit */
            DOOR_CHECK(c->cells.cells[i].kind == PQ_CELL_NULL ||
                       c->rules.null_misfits ||
                       pq_slice_is(pq_parse_trim(pq_slice(given->p, given->n)),
                                   "null"));
        }
    }
}

static PqRc there_and_back(Reading *x, PqErr *e)
{
    FillColumn *c = x->c;
    uint32_t n = c->all.batches[0].n_rows, i;
    PqVector *v = calloc(c->node->n_leaves, sizeof *v);
    const PqVector **at = calloc(c->node->n_leaves, sizeof *at);
    PqCells printed, bare;
    PqRc rc = PQ_OK;

    DOOR_CHECK(v && at);
    pq_cells_init(&printed, c->mem);
    pq_cells_init(&bare, c->mem);
    n = n < MOST_JSON ? n : MOST_JSON;
    for (i = 0; i < c->node->n_leaves; i++) {
        PQ_GO(pq_leaf_read(&x->leaves[i], 0, n, &v[i], e));
        at[i] = &v[i];
    }
    PQ_GO(print_rows(x, at, &printed, n, e));
    if (c->node->kind != PQ_NODE_LEAF) {
        if (c->node->kind == PQ_NODE_VARIANT) {
            check_variants(c, &printed, e);
        } else {
            check_json(c, &printed);
        }
        PQ_GO(fill_again(c, &printed, e));
    } else if (text_is_value(c->node, &c->all.batches[0])) {
        PQ_GO(bare_cells(&printed, &bare, e));
        PQ_GO(fill_again(c, &bare, e));
    }
done:
    pq_cells_free(&printed);
    pq_cells_free(&bare);
    free(v);
    free(at);
    return rc;
}

static PqRc read_rows(Reading *x, PqErr *e)
{
    FillColumn *c = x->c;

    PQ_TRY(pq_footer_read(&x->in, NULL, c->mem, &x->footer, e));
    DOOR_CHECK(x->footer->n_rows == c->all.batches[0].n_rows);
    DOOR_CHECK(x->footer->schema.n_leaves == c->schema.n_leaves);
    PQ_TRY(door_verify(c->mem, &x->in, x->footer, e));
    if (x->footer->n_rows == 0) {
        return PQ_OK;
    }
    PQ_TRY(pq_read_ctx_init(&x->ctx, c->mem, e));
    x->has_ctx = true;
    x->ctx.verify_crc = true;
    for (uint32_t i = 0; i < c->node->n_leaves; i++) {
        DOOR_CHECK(pq_type_equal(&x->footer->schema.leaves[i].type,
                                 &c->schema.leaves[i].type));
        PQ_TRY(open_leaf(x, i, e));
        PQ_TRY(check_leaf(x, i, e));
    }
    return there_and_back(x, e);
}

void fill_read(FillColumn *c)
{
    Reading x = {.c = c};
    PqErr e;

    pq_err_init(&e);
    x.leaves = calloc(c->node->n_leaves, sizeof *x.leaves);
    DOOR_CHECK(x.leaves != NULL);
    if (pq_source_open_memory(c->mem, DOOR_FILE, pq_slice(c->file, c->n_file),
                              &x.in.source, &e) == PQ_OK) {
        read_rows(&x, &e);
    }
    /* Reads what was written: this must succeed unless memory is short. */
    if (e.rc != PQ_OK && e.rc != PQ_BUDGET) {
        door_broken(__FILE__, __LINE__, e.text);
    }
    while (x.n > 0) {
        pq_leaf_reader_reset(&x.leaves[--x.n]);
    }
    if (x.has_ctx) {
        pq_read_ctx_reset(&x.ctx);
    }
    free(x.leaves);
    pq_footer_release(x.footer);
    pq_source_close(x.in.source);
}
