/*
** fill_door.c - fuzz door to the writing half of core/column, and to the
** parsers of texts: core/text and the shredder of core/nested.
**
**   0  mode      0: a text, for all parsers (door_texts.h)
**                1: a column, written to a file and read again
**
**   column       elements, depth first:  u8 shape, then of a leaf u8 logical
**                          type, u8 detail, u8 digits
**                    shape   bits 0-2: 4 STRUCT, 5 LIST, 6 MAP, else a leaf;
**                            bit 3: required; bits 4-5: fields of a STRUCT - 1;
**                            7 with bits 6 and 7, only of the column: VARIANT,
**                            then its typed_value, where 7 is none
**                options   13 bytes, see options_of
**                the rest  cells (door_cells.h); all of them many times over,
**                          perhaps, each time a little different
**
** Cells become batches, at once and in pieces, and the pieces become a file.
** The input chooses the memory, and where the writer is stopped.  A finished
** file is read again, in order and with leaps: each value and level must be
** that of the batches.  parquet_verify must find nothing.  The rows as JSON, or
** the values of a leaf as texts, must give the same cells again.
**
** Each call has a PqErr that is gone before the next call, as in a copy.  So
** the sanitizer finds a callee that keeps its pointer.
*/
#include "core/nested/variant_shred.h"
#include "core/write/file_write.h"
#include "core/write/sorting.h"
#include "test/fuzz/door_texts.h"
#include "test/fuzz/fill_door.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    MOST_ELEMENTS = 30, DEEPEST = 8, MOST_CELLS = 400, MOST_ROWS = 140000,
    MOST_BYTES = 1 << 19, MANY_ROWS = 5000
};

/* Keeps the first error.  e ends with its caller. */
static PqRc said(FillColumn *c, const PqErr *e)
{
    door_check_error(e, NULL);
    if (c->e.rc == PQ_OK) {
        c->e = *e;
        c->e.where = (PqWhere){.row_group = -1, .page = -1, .offset = -1};
    }
    return e->rc;
}

/* ---- the schema ---------------------------------------------------------- */

static const uint32_t lengths[] = {4, 1, 12, 16, 2, 8, 33, 0};

static PqType next_type(PqSlice *in)
{
    uint8_t logical = door_u8(in), detail = door_u8(in), digits = door_u8(in);
    PqType t = {.logical = (PqLogical)(logical % PQ_TYPE_COUNT)};

    if (t.logical == PQ_TYPE_INT) {
        t.bit_width = (uint8_t)(8 << (detail & 3));
        t.is_signed = detail & 4;
    } else if (t.logical == PQ_TYPE_DECIMAL) {
        t.precision = 1 + digits % 60;
        t.scale = detail % (t.precision + 1);
    } else if (t.logical == PQ_TYPE_TIME || t.logical == PQ_TYPE_TIMESTAMP) {
        t.unit = (PqUnit)(detail % 3);
        t.utc = detail & 4;
    } else if (t.logical == PQ_TYPE_GEOMETRY ||
               t.logical == PQ_TYPE_GEOGRAPHY) {
        t.crs = detail & 1 ? "EPSG:4326" : NULL;
    }
    pq_type_store(&t);
    if (t.logical == PQ_TYPE_NONE || detail & 128) {
        t.physical = (PqPhysical)(detail % PQ_PHYSICAL_COUNT);
        t.fixed_length = t.physical == PQ_FIXED
                             ? lengths[digits % PQ_COUNT(lengths)] : 0;
    }
    return t;
}

static const char *const names[] = {"a", "b.c", "\"q\n", "\xc3\xa9"};

static void make_part(FillColumn *c, const char *name, unsigned depth,
                      PqSchemaMake *m);

/* The value of a VARIANT, or of a part of it, and its typed_value. */
static void make_shredded(FillColumn *c, unsigned depth, PqSchemaMake *m)
{
    const PqType bytes = {.physical = PQ_BYTE_ARRAY};
    uint8_t shape = door_u8(&c->in);
    unsigned kind = shape & 7, n = kind == 4 ? 1 + (shape >> 4 & 3) : 1, i;
    PqType t;

    pq_schema_make_leaf(m, "value", &bytes, false, -1);
    if (kind == 7) {
        return;
    }
    if ((kind != 4 && kind != 5) || depth >= DEEPEST ||
        c->n_elements++ > MOST_ELEMENTS) {
        t = next_type(&c->in);
        t = pq_variant_shred_type(&t) ? t : bytes;
        pq_schema_make_leaf(m, "typed_value", &t, false, -1);
        return;
    }
    pq_schema_make_group(m, kind == 4 ? PQ_NODE_STRUCT : PQ_NODE_LIST,
                         "typed_value", false, -1);
    for (i = 0; i < n; i++) {
        make_part(c, kind == 4 ? names[i] : NULL, depth + 1, m);
    }
    pq_schema_make_close(m);
}

static void make_part(FillColumn *c, const char *name, unsigned depth,
                      PqSchemaMake *m)
{
    pq_schema_make_group(m, PQ_NODE_STRUCT, name, true, -1);
    make_shredded(c, depth, m);
    pq_schema_make_close(m);
}

static void make_variant(FillColumn *c, bool required, PqSchemaMake *m)
{
    pq_schema_make_group(m, PQ_NODE_VARIANT, "x", required, -1);
    pq_schema_make_leaf(m, "metadata", &(PqType){.physical = PQ_BYTE_ARRAY},
                        true, -1);
    make_shredded(c, 1, m);
    pq_schema_make_close(m);
}

static void make_node(FillColumn *c, const char *name, unsigned depth,
                      PqSchemaMake *m)
{
    uint8_t shape = door_u8(&c->in);
    unsigned kind = shape & 7, n = 1, i;
    bool required = shape & 8;
    PqType t;

    if (kind == 7 && shape >> 6 == 3 && depth == 0) {
        make_variant(c, required, m);
        return;
    }
    if (kind < 4 || kind == 7 || depth >= DEEPEST ||
        c->n_elements++ > MOST_ELEMENTS) {
        t = next_type(&c->in);
        pq_schema_make_leaf(m, name, &t, required, shape >> 6 ? shape : -1);
        return;
    }
    if (kind == 4) {
        n = 1 + (shape >> 4 & 3);
        pq_schema_make_group(m, PQ_NODE_STRUCT, name, required, -1);
    } else if (kind == 5) {
        pq_schema_make_group(m, PQ_NODE_LIST, name, required, -1);
    } else {
        n = 1 + (shape >> 4 & 1);
        pq_schema_make_group(m, PQ_NODE_MAP, name, required, -1);
    }
    for (i = 0; i < n; i++) {
        make_node(c, kind == 4 ? names[i] : NULL, depth + 1, m);
    }
    pq_schema_make_close(m);
}

static PqRc make_schema(FillColumn *c)
{
    PqSchemaMake *m = NULL;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    PQ_GO(pq_schema_make_new(c->mem, &m, &e));
    make_node(c, "x", 0, m);
    PQ_GO(pq_schema_make_end(m, &c->arena, &c->elements, &e));
    rc = pq_schema_build(&c->elements, &c->arena, &c->schema, &e);
    DOOR_CHECK(rc == PQ_OK);         /* what was made can be read */
    c->node = c->schema.root->child[0];
done:
    pq_schema_make_free(m);
    return said(c, &e);
}

/* ---- options ------------------------------------------------------------- */

static const int codecs[] = {PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY,
                             PQ_CODEC_GZIP, PQ_CODEC_BROTLI, PQ_CODEC_ZSTD,
                             PQ_CODEC_LZ4_RAW};

static void options_of(FillColumn *c)
{
    static const double fpps[] = {0, 0.5, 0.05, 0.001, 1e-9, 0.999};
    static const uint64_t ndvs[] = {0, 1, 1000, 100000};
    static const uint64_t expected[] = {0, 1, 30000, 1 << 20};
    static const uint32_t times[] = {1, 1, 1, 1, 2, 5, 20, 80};
    static const uint32_t rows[] = {20000, 1, 3, 64, 1000, 100, 7, 5000};
    PqChunkOptions *o = &c->options;
    uint8_t codec = door_u8(&c->in), encoding = door_u8(&c->in);
    uint8_t flags = door_u8(&c->in), rules = door_u8(&c->in);
    uint16_t page_rows = door_u16(&c->in), page_bytes = door_u16(&c->in);
    uint8_t bloom = door_u8(&c->in), many = door_u8(&c->in);
    uint8_t memory = door_u8(&c->in), spill = door_u8(&c->in);

    o->codec = codecs[(codec & 7) % PQ_COUNT(codecs)];
    o->level = (codec >> 3) % (pq_codec_levels(o->codec) + 1);
    o->encoding = encoding % (PQ_ENCODING_COUNT + 1) - 1;
    o->modern = flags & 1;
    o->statistics = !(flags & 2);
    o->page_v2 = flags & 4;
    o->ieee754_order = flags & 8;
    o->dictionary = (PqDictionaryUse)((flags >> 4 & 3) % 3);
    o->bloom = (PqBloomUse)((flags >> 6) % 3);
    o->bloom_fpp = fpps[(bloom & 7) % PQ_COUNT(fpps)];
    o->bloom_values = ndvs[bloom >> 3 & 3];
    o->page_rows = page_rows ? page_rows : 20000;
    o->page_bytes = page_bytes ? page_bytes : 1 << 20;
    c->rules.number_time = rules & 1 ? PQ_NUMBER_TIME_RAW
                                     : PQ_NUMBER_TIME_EPOCH;
    c->rules.null_misfits = rules & 2;
    c->rules.nanos_may_lose = rules & 4;
    c->varies = rules & 8;
    c->expected_rows = expected[rules >> 6];
    c->spills = spill & 1;
    c->lightens = spill & 2;
    c->times = spill >> 4 == 15 ? 1500 : times[many & 7];
    c->batch_rows = rows[many >> 3 & 7];
    c->stop.left = door_u8(&c->in);
    pq_mem_set_limit(c->small, memory ? ((size_t)1 << 11) +
                                            ((size_t)memory * memory << 7)
                                      : DOOR_MEMORY);
}

/* With many rows, small pages would be too many and thorough codecs too
** slow. */
static void be_quick(FillColumn *c)
{
    PqChunkOptions *o = &c->options;

    if (c->cells.n > MANY_ROWS) {
        o->page_rows = o->page_rows < 500 ? 500 : o->page_rows;
        o->page_bytes = o->page_bytes < 4096 ? 4096 : o->page_bytes;
        o->level = o->level > 2 ? 2 : o->level;
        c->batch_rows = c->batch_rows < 1000 ? 1000 : c->batch_rows;
    }
    o->level = o->codec == PQ_CODEC_BROTLI && o->level > 5 ? 5 : o->level;
}

/* ---- cells and batches --------------------------------------------------- */

static void make_cells(FillColumn *c)
{
    PqSlice from = c->in;
    uint32_t time, i;
    PqErr e;

    pq_err_init(&e);
    for (time = 0; time < c->times; time++) {
        c->in = from;
        for (i = 0; i < MOST_CELLS; i++) {
            door_cell(&c->in, c->node, c->varies ? time : 0, &c->cells, &e);
            if (e.rc != PQ_OK || c->cells.n >= MOST_ROWS ||
                c->cells.n_bytes > MOST_BYTES) {
                said(c, &e);
                return;
            }
            if (c->in.n == 0) {
                break;
            }
        }
    }
}

static PqRc fill_all(FillColumn *c)
{
    uint32_t misfit;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    c->left_out = calloc(c->cells.n + (size_t)1, 1);
    DOOR_CHECK(c->left_out != NULL);
    PQ_GO(door_fill_open(&c->all, &c->schema, c->node, &c->rules, c->mem, &e));
    PQ_GO(door_fill_cells(&c->all, &c->cells, 0, c->cells.n, c->left_out,
                          &misfit, &e));
done:
    return said(c, &e);
}

/* Filled one at a time, as by a shredder, the cells give the same batches. */
static void fill_one_by_one(FillColumn *c)
{
    PqLeafBatch b;
    uint32_t i, n = c->cells.n < 50 ? c->cells.n : 50;
    const PqFillRules rules = {.number_time = c->rules.number_time,
                               .nanos_may_lose = c->rules.nanos_may_lose};
    uint32_t n_values = 0;

    pq_leaf_batch_init(&b, c->all.batches[0].leaf, c->mem);
    for (i = 0; i < n; i++) {
        PqErr e;

        pq_err_init(&e);
        if (c->cells.cells[i].kind == PQ_CELL_NULL) {
            continue;
        }
        if (pq_leaf_batch_reserve(&b, 1, &e) == PQ_OK &&
            pq_leaf_fill_one(&b, &c->cells.cells[i], &rules, &e) == PQ_OK) {
            n_values++;
        } else {
            door_check_error(&e, NULL);
        }
    }
    DOOR_CHECK(b.n_values == n_values);
    DOOR_CHECK(n_values <= c->all.batches[0].n_values);
    b.n_rows = b.n_entries = n_values;
    for (i = 0; i < n_values; i++) {
        DOOR_CHECK(door_same_value(&b, i, door_value(&c->all.batches[0], i)));
    }
    pq_leaf_batch_free(&b);
}

/* ---- writing ------------------------------------------------------------- */

static const char *scratch_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static PqRc open_chunks(FillColumn *c)
{
    uint32_t n = c->node->n_leaves, i;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    c->chunks = calloc(n + (size_t)1, sizeof(PqChunkWrite *));
    DOOR_CHECK(c->chunks != NULL);
    PQ_GO(pq_write_ctx_init(&c->ctx, c->small, &e));
    c->has_ctx = true;
    c->ctx.stop = (PqStop){door_stop_asked, &c->stop};
    for (i = 0; i < n; i++) {
        PqChunkOptions o = c->options;

        if (o.encoding >= 0 &&
            !pq_encodes(o.encoding, c->schema.leaves[i].type.physical)) {
            o.encoding = -1;
        }
        PQ_GO(pq_chunk_write_new(c->small, &c->schema.leaves[i], &o,
                                 c->expected_rows, &c->chunks[i], &e));
    }
    PQ_GO(door_fill_open(&c->piece, &c->schema, c->node, &c->rules, c->small,
                         &e));
done:
    return said(c, &e);
}

static PqRc write_piece(FillColumn *c, uint32_t from, uint32_t n)
{
    uint32_t misfit;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    door_fill_reset(&c->piece);
    PQ_GO(door_fill_cells(&c->piece, &c->cells, from, n, NULL, &misfit, &e));
    for (uint32_t i = 0; i < c->node->n_leaves; i++) {
        if (c->piece.batches[i].n_rows) {
            PQ_GO(pq_chunk_write_batch(c->chunks[i], &c->piece.batches[i],
                                       &c->ctx, &e));
        }
    }
done:
    return said(c, &e);
}

static PqRc spill(FillColumn *c)
{
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    if (!c->scratch) {
        PQ_GO(pq_sink_scratch(c->small, scratch_folder(), &c->scratch, &e));
    }
    for (uint32_t i = 0; i < c->node->n_leaves; i++) {
        PQ_GO(pq_chunk_write_spill(c->chunks[i], c->scratch, &e));
        DOOR_CHECK(pq_chunk_write_memory(c->chunks[i]) >=
                   pq_chunk_write_dictionary_memory(c->chunks[i]));
    }
done:
    return said(c, &e);
}

static PqRc write_pieces(FillColumn *c)
{
    uint32_t from, n, i;

    for (from = 0; from < c->cells.n; from += n) {
        n = c->cells.n - from;
        n = n < c->batch_rows ? n : c->batch_rows;
        PQ_TRY(write_piece(c, from, n));
        if (c->spills && from / c->batch_rows % 3 == 0) {
            PQ_TRY(spill(c));
        }
        for (i = 0; c->lightens && i < c->node->n_leaves; i++) {
            pq_chunk_write_lighten(c->chunks[i]);
        }
    }
    return PQ_OK;
}

static PqRc end_chunks(FillColumn *c)
{
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    for (uint32_t i = 0; i < c->node->n_leaves; i++) {
        PQ_GO(pq_chunk_write_end(c->chunks[i], &c->ctx, &e));
    }
done:
    return said(c, &e);
}

static PqRc write_file(FillColumn *c)
{
    const PqStop stop = {door_stop_asked, &c->stop};
    PqFileShape shape = {.elements = &c->elements, .schema = &c->schema,
                         .created_by = "door", .stop = &stop};
    uint32_t n = c->node->n_leaves, n_claims = 0, i;
    PqSortingColumn *claims = calloc(n + (size_t)1, sizeof *claims);
    PqColumnOrder *orders = calloc(n + (size_t)1, sizeof *orders);
    PqEndedChunk *ended = calloc(n + (size_t)1, sizeof *ended);
    uint64_t n_rows = c->all.batches[0].n_rows;
    PqSliceList *paths;
    PqFileWrite *f = NULL;
    PqErr e;
    PqRc rc;

    pq_err_init(&e);
    DOOR_CHECK(claims && orders && ended);
    for (i = 0; i < n; i++) {
        bool total = c->options.ieee754_order &&
                     pq_type_is_float(&c->schema.leaves[i].type);
        orders[i].has = 1u << (total ? PQ_ORDER_IEEE754 : PQ_ORDER_TYPE);
    }
    shape.orders = orders;
    PQ_GO(pq_file_write_paths(&c->elements, n, &c->arena, &paths, &e));
    shape.paths = paths;
    PQ_GO(pq_sink_scratch(c->small, scratch_folder(), &c->to, &e));
    PQ_GO(pq_file_write_new(c->small, &shape, NULL, c->to, &f, &e));
    if (n_rows) {
        n_claims = pq_sorting_proven(c->chunks, n, claims);
        for (i = 0; i < n; i++) {
            ended[i] = pq_chunk_write_ended(c->chunks[i]);
        }
        PQ_GO(pq_file_write_group(f, ended, n_rows, claims, n_claims,
                                  c->scratch, &e));
    }
    PQ_GO(pq_file_write_end(f, &e));
    PQ_GO(pq_sink_flush(c->to, &e));
    c->n_file = (size_t)pq_sink_offset(c->to);
    c->file = malloc(c->n_file + 1);
    DOOR_CHECK(c->file && c->n_file > 12);
    PQ_GO(pq_sink_read(c->to, 0, c->n_file, c->file, &e));
done:
    pq_file_write_free(f);
    free(claims);
    free(orders);
    free(ended);
    return said(c, &e);
}

static PqRc write_column(FillColumn *c)
{
    PQ_TRY(open_chunks(c));
    PQ_TRY(write_pieces(c));
    PQ_TRY(end_chunks(c));
    return write_file(c);
}

/* ---- the door ------------------------------------------------------------ */

static void close_column(FillColumn *c)
{
    for (uint32_t i = 0; c->chunks && i < c->node->n_leaves; i++) {
        pq_chunk_write_free(c->chunks[i]);
    }
    free(c->chunks);
    if (c->has_ctx) {
        pq_write_ctx_reset(&c->ctx);
    }
    if (c->piece.node) {
        door_fill_close(&c->piece);
    }
    if (c->all.node) {
        door_fill_close(&c->all);
    }
    pq_sink_close(c->scratch);
    pq_sink_close(c->to);
    pq_cells_free(&c->cells);
    free(c->file);
    free(c->left_out);
    pq_arena_free(&c->arena);
}

static void column(PqSlice in)
{
    FillColumn c = {.in = in};

    c.mem = door_open(&c.e);
    c.small = pq_mem_new(DOOR_MEMORY);
    DOOR_CHECK(c.small != NULL);
    pq_arena_init(&c.arena, c.mem);
    pq_cells_init(&c.cells, c.mem);
    if (make_schema(&c) == PQ_OK) {
        options_of(&c);
        make_cells(&c);
        be_quick(&c);
        if (c.e.rc == PQ_OK && fill_all(&c) == PQ_OK) {
            if (!c.all.shred) {
                fill_one_by_one(&c);
            }
            if (write_column(&c) == PQ_OK) {
                fill_read(&c);
            }
        }
    }
    DOOR_CHECK(c.e.rc == PQ_OK || c.e.rc == PQ_BUDGET || c.e.rc == PQ_USAGE ||
               c.e.rc == PQ_STOPPED);
    close_column(&c);
    DOOR_CHECK(pq_mem_used(c.small) == 0);
    pq_mem_release(c.small);
    door_close(c.mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    PqSlice in = {bytes, n};

    if (door_u8(&in) & 1) {
        column(in);
    } else {
        door_texts(in);
    }
    return 0;
}
