/*
** written_chunk.c - see written_chunk.h.
*/
#define _GNU_SOURCE
#include "test/unit/written_chunk.h"

#include "core/column/leaf_read.h"
#include "core/meta/schema_make.h"
#include "core/verify/verify.h"
#include "core/write/file_write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- the schema ----------------------------------------------------------- */

static void make_schema(Test *t, WrittenColumn *c, const PqType *type,
                        WrittenShape shape)
{
    PqSchemaMake *m;

    pq_arena_init(&c->arena, t->mem);
    if (pq_schema_make_new(t->mem, &m, t->e) != PQ_OK) {
        abort();
    }
    switch (shape) {
    case WRITTEN_STRUCT:
        pq_schema_make_group(m, PQ_NODE_STRUCT, "s", false, -1);
        pq_schema_make_leaf(m, "x", type, false, -1);
        pq_schema_make_close(m);
        break;
    case WRITTEN_LIST:
        pq_schema_make_group(m, PQ_NODE_LIST, "x", false, -1);
        pq_schema_make_leaf(m, NULL, type, false, -1);
        pq_schema_make_close(m);
        break;
    default:
        pq_schema_make_leaf(m, "x", type, shape == WRITTEN_REQUIRED, -1);
        break;
    }
    if (pq_schema_make_end(m, &c->arena, &c->elements, t->e) != PQ_OK ||
        pq_schema_build(&c->elements, &c->arena, &c->schema, t->e) != PQ_OK) {
        printf("%s\n", t->e->text);
        abort();
    }
    pq_schema_make_free(m);
    c->leaf = &c->schema.leaves[0];
}

/* --- rows ----------------------------------------------------------------- */

static void *room_for(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    if (!p) {
        abort();
    }
    return p;
}

/* Adds an entry of the next row, or of the same row. */
static void add_entry(WrittenColumn *c, uint16_t rep, uint16_t def)
{
    c->rep[c->n_entries] = rep;
    c->def[c->n_entries++] = def;
    c->n_values += def == c->leaf->max_def;
    c->n_rows += rep == 0;
}

enum { MOST_ELEMENTS = 6 };

static void add_row(WrittenColumn *c, bool null, Random *r)
{
    const PqLeaf *leaf = c->leaf;
    uint32_t n = 1 + random_below(r, MOST_ELEMENTS - 1);

    if (leaf->max_def == 0) {
        add_entry(c, 0, 0);
    } else if (null || random_below(r, 4) == 0) {
        add_entry(c, 0, (uint16_t)random_below(r, leaf->max_def));
    } else if (leaf->max_rep == 0) {
        add_entry(c, 0, leaf->max_def);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            add_entry(c, i > 0,
                      (uint16_t)(leaf->max_def -
                                 (null || random_below(r, 4) == 0)));
        }
    }
}

static bool are_nulls_last(WrittenContents contents)
{
    return contents == WRITTEN_NULLS_LAST || contents == WRITTEN_FEW_NULLS_LAST;
}

static void make_rows(WrittenColumn *c, WrittenContents contents,
                      uint32_t n_rows, Random *r)
{
    size_t most = (size_t)n_rows * (c->leaf->max_rep ? MOST_ELEMENTS : 1);

    c->rep = room_for(most, sizeof *c->rep);
    c->def = room_for(most, sizeof *c->def);
    for (uint32_t i = 0; i < n_rows; i++) {
        add_row(c, contents == WRITTEN_NULLS ||
                       (contents == WRITTEN_NULLS_FIRST && i < n_rows / 3 * 2) ||
                       (are_nulls_last(contents) && i >= n_rows / 3),
                r);
    }
}

/* --- values --------------------------------------------------------------- */

/* Writes value i, of n bytes, to p. */
static void count_up(const PqType *t, uint8_t *p, size_t n, uint64_t i)
{
    bool texts = t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED;

    if (t->physical == PQ_BOOLEAN) {
        *p = i > 100;
        return;
    }
    if (t->physical == PQ_FLOAT) {
        float f = (float)i / 8;
        memcpy(p, &f, n);
        return;
    }
    if (t->physical == PQ_DOUBLE) {
        double f = (double)i / 8;
        memcpy(p, &f, n);
        return;
    }
    memset(p, 0, n);
    for (size_t k = 0; k < n && k < 8; k++) {
        p[texts && t->logical != PQ_TYPE_FLOAT16 ? n - 1 - k : k] =
            (uint8_t)(i >> 8 * k);
    }
}

static void scatter(const PqType *t, uint8_t *p, size_t n, Random *r)
{
    for (size_t k = 0; k < n; k++) {
        p[k] = t->physical == PQ_BOOLEAN ? (uint8_t)random_below(r, 2)
               : pq_type_is_text(t)      ? (uint8_t)('a' + random_below(r, 26))
                                         : (uint8_t)random_u64(r);
    }
}

enum { TEXT_BYTES = 24 };

static void make_values(WrittenColumn *c, WrittenContents contents, Random *r)
{
    const PqType *t = &c->leaf->type;
    size_t width = pq_physical_width(t->physical);
    bool texts = t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED;
    size_t n = t->physical == PQ_FIXED ? t->fixed_length
               : texts                 ? TEXT_BYTES
                                       : width;
    MadeValues *pool = room_for(1, sizeof *pool);

    made_values(pool, t, MADE_MOST, r);
    c->values = room_for(c->n_values, width);
    c->bytes = room_for(c->n_values, texts ? (n > MADE_BYTES ? n : MADE_BYTES)
                                           : 1);
    for (uint32_t i = 0; i < c->n_values; i++) {
        uint8_t *text = c->bytes + (size_t)i * (texts ? MADE_BYTES : 0);
        uint8_t *p = texts ? text : c->values + i * width;
        size_t n_value = n;

        if (contents == WRITTEN_FEW || contents == WRITTEN_FEW_NULLS_LAST ||
            contents == WRITTEN_SPECIAL) {
            PqSlice from = pool->plain[random_below(
                r, contents == WRITTEN_SPECIAL ? MADE_MOST : 8)];
            memcpy(p, from.p, from.n);
            n_value = from.n;
        } else if (t->logical == PQ_TYPE_GEOMETRY) {
            n_value = made_point(p, r);
        } else if (contents == WRITTEN_RISING) {
            count_up(t, p, n, i);
        } else {
            scatter(t, p, n, r);
        }
        if (texts) {
            ((PqStr *)(void *)c->values)[i] = (PqStr){text, (uint32_t)n_value};
        }
    }
    free(pool);
}

void written_make(Test *t, WrittenColumn *c, const PqType *type,
                  WrittenShape shape, WrittenContents contents,
                  uint32_t n_rows, Random *r)
{
    *c = (WrittenColumn){0};
    make_schema(t, c, type, shape);
    make_rows(c, contents, n_rows, r);
    make_values(c, contents, r);
}

void written_empty(Test *t, WrittenColumn *c, const PqType *type,
                   WrittenShape shape, uint32_t n_rows)
{
    *c = (WrittenColumn){0};
    make_schema(t, c, type, shape);
    c->rep = room_for(n_rows, sizeof *c->rep);
    c->def = room_for(n_rows, sizeof *c->def);
    for (uint32_t i = 0; i < n_rows; i++) {
        add_entry(c, 0, c->leaf->max_def);
    }
    c->values = room_for(n_rows, pq_physical_width(type->physical));
}

void written_free(WrittenColumn *c)
{
    pq_arena_free(&c->arena);
    free(c->def);
    free(c->rep);
    free(c->values);
    free(c->bytes);
}

/* --- writing -------------------------------------------------------------- */

typedef struct Cut { uint32_t entry, value, row; } Cut;

static Cut next_cut(const WrittenColumn *c, Cut at, uint32_t n_rows)
{
    uint32_t end = at.row + n_rows < c->n_rows ? at.row + n_rows : c->n_rows;

    while (at.entry < c->n_entries &&
           (at.row < end || c->rep[at.entry] != 0)) {
        at.row += c->rep[at.entry] == 0;
        at.value += c->def[at.entry] == c->leaf->max_def;
        at.entry++;
    }
    return at;
}

/* The batch borrows the arrays, but its valid bits are copied. */
static PqRc write_batch(const WrittenColumn *c, Cut from, Cut to,
                        PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e)
{
    size_t width = pq_physical_width(c->leaf->type.physical);
    uint32_t n = to.entry - from.entry;
    uint64_t *valid = room_for(n / 64 + 1, sizeof *valid);
    PqLeafBatch b = {
        .leaf = c->leaf, .values = c->values + from.value * width,
        .n_values = to.value - from.value, .n_entries = n,
        .n_rows = to.row - from.row};
    PqRc rc;

    for (uint32_t i = 0; i < n; i++) {
        if (c->def[from.entry + i] == c->leaf->max_def) {
            valid[i / 64] |= (uint64_t)1 << i % 64;
        }
    }
    b.valid = pq_leaf_batch_has_valid(&b) ? valid : NULL;
    b.def = pq_leaf_batch_has_levels(&b) ? c->def + from.entry : NULL;
    b.rep = c->leaf->max_rep ? c->rep + from.entry : NULL;
    rc = pq_chunk_write_batch(w, &b, ctx, e);
    free(valid);
    return rc;
}

static PqRc write_rows(const WrittenColumn *c, uint32_t batch_rows,
                       PqChunkWrite *w, PqMem *mem, PqErr *e)
{
    Cut at = {0}, next;
    PqWriteCtx ctx;
    PqRc rc = PQ_OK;

    for (; rc == PQ_OK && at.row < c->n_rows; at = next) {
        next = next_cut(c, at, batch_rows);
        PQ_TRY(pq_write_ctx_init(&ctx, mem, e));
        rc = write_batch(c, at, next, w, &ctx, e);
        pq_write_ctx_reset(&ctx);
    }
    PQ_TRY(rc);
    PQ_TRY(pq_write_ctx_init(&ctx, mem, e));
    rc = pq_chunk_write_end(w, &ctx, e);
    pq_write_ctx_reset(&ctx);
    return rc;
}

static PqRc write_file(Test *t, const WrittenColumn *c, PqChunkWrite *w,
                       bool total, PqSink *to)
{
    PqColumnOrder order = {.has = 1u << (total ? PQ_ORDER_IEEE754
                                               : PQ_ORDER_TYPE)};
    PqFileShape shape = {.elements = &c->elements, .schema = &c->schema,
                         .orders = &order, .created_by = "test"};
    PqSliceList *paths;
    PqEndedChunk ended = pq_chunk_write_ended(w);
    PqFileWrite *f = NULL;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, t->mem);
    PQ_GO(pq_file_write_paths(&c->elements, 1, &a, &paths, t->e));
    shape.paths = paths;
    PQ_GO(pq_file_write_new(t->mem, &shape, NULL, to, &f, t->e));
    PQ_GO(pq_file_write_group(f, &ended, c->n_rows, NULL, 0, NULL, t->e));
    PQ_GO(pq_file_write_end(f, t->e));
    PQ_GO(pq_sink_flush(to, t->e));
done:
    pq_file_write_free(f);
    pq_arena_free(&a);
    return rc;
}

/* A file that was written a second ago is opened at once: see source.c about ticks. */
static void make_older(const char *path)
{
    struct timespec times[2];

    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec--;
    times[1] = times[0];
    utimensat(AT_FDCWD, path, times, 0);
}

PqRc written_write(Test *t, const WrittenColumn *c, const PqChunkOptions *o,
                   uint32_t batch_rows, const char *path)
{
    bool total = o->ieee754_order && pq_type_is_float(&c->leaf->type);
    PqChunkWrite *w = NULL;
    PqSink *to = NULL;
    PqRc rc;

    unlink(path);
    PQ_GO(pq_chunk_write_new(t->mem, c->leaf, o, c->n_rows, &w, t->e));
    PQ_GO(write_rows(c, batch_rows, w, t->mem, t->e));
    PQ_GO(pq_sink_create(t->mem, path, path, &to, t->e));
    PQ_GO(write_file(t, c, w, total, to));
done:
    pq_chunk_write_free(w);
    pq_sink_close(to);
    make_older(path);
    return rc;
}

/* --- reading -------------------------------------------------------------- */

typedef struct Reading {
    PqSource    *source;
    PqInput      in;
    PqFooter    *footer;
    PqReadCtx    ctx;
    PqLeafReader r;
} Reading;

static PqRc open_with(Test *t, Reading *x, const char *path,
                      const PqKeyChoice *keys)
{
    memset(x, 0, sizeof *x);
    PQ_TRY(pq_source_open(t->mem, path, &x->source, t->e));
    x->in.source = x->source;
    return pq_footer_read(&x->in, keys, t->mem, &x->footer, t->e);
}

static PqRc open_file(Test *t, Reading *x, const char *path)
{
    return open_with(t, x, path, NULL);
}

static void close_file(Reading *x)
{
    pq_footer_release(x->footer);
    pq_source_close(x->source);
}

static PqRc open_leaf(Test *t, Reading *x)
{
    PqArena *a;

    PQ_TRY(pq_read_ctx_init(&x->ctx, t->mem, t->e));
    x->ctx.verify_crc = true;
    PQ_TRY(pq_leaf_reader_init(&x->r, &x->ctx, t->e));
    a = pq_leaf_reader_arena(&x->r);
    PQ_TRY(pq_footer_chunk(x->footer, 0, 0, a, &x->r.chunk.chunk, t->e));
    return pq_leaf_reader_open(&x->r, &x->in, &x->footer->schema.leaves[0], 0,
                               x->footer->n_rows, (PqSlice){NULL, 0}, true,
                               t->e);
}

static bool same_value(const WrittenColumn *c, uint32_t i, const void *got)
{
    size_t width = pq_physical_width(c->leaf->type.physical);
    const uint8_t *want = c->values + i * width;

    if (c->leaf->type.physical == PQ_BYTE_ARRAY ||
        c->leaf->type.physical == PQ_FIXED) {
        const PqStr *a = (const void *)want, *b = got;
        return a->n == b->n && (a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
    }
    return memcmp(want, got, width) == 0;
}

/* Compares the slots of v with what was written, from *at on. */
static void compare(Test *t, const WrittenColumn *c, const PqVector *v,
                    Cut *at)
{
    size_t width = pq_physical_width(c->leaf->type.physical);

    for (uint32_t s = 0; s < v->n_slots; s++) {
        bool want = c->def[at->entry] == c->leaf->max_def;

        if (at->entry >= c->n_entries ||
            (v->rep && v->rep[s] != c->rep[at->entry]) ||
            (v->def && v->def[s] != c->def[at->entry]) ||
            pq_vector_is_valid(v, s) != want ||
            (want && !same_value(c, at->value, pq_vector_at(v, width, s)))) {
            test_fail(t, __FILE__, __LINE__, "entry %u, value %u differs",
                      at->entry, at->value);
            return;
        }
        at->row += c->rep[at->entry] == 0;
        at->value += want;
        at->entry++;
    }
}

static PqRc read_all(Test *t, const WrittenColumn *c, Reading *x, Cut *at)
{
    uint32_t step = 1 + c->n_rows / 7;

    while (at->row < c->n_rows && !t->failed) {
        uint32_t left = c->n_rows - at->row;
        PqVector v;

        PQ_TRY(pq_leaf_read(&x->r, at->row, left < step ? left : step, &v,
                            t->e));
        compare(t, c, &v, at);
    }
    return PQ_OK;
}

void written_check(Test *t, const WrittenColumn *c, const char *path)
{
    Cut at = {0};
    Reading x;

    if (t->failed) {
        return;
    }
    if (open_file(t, &x, path) != PQ_OK || open_leaf(t, &x) != PQ_OK ||
        x.footer->n_rows != c->n_rows ||
        read_all(t, c, &x, &at) != PQ_OK || at.row != c->n_rows) {
        test_fail(t, __FILE__, __LINE__, "%u rows of %u: %s", at.row,
                  c->n_rows, t->e->text);
    }
    pq_leaf_reader_reset(&x.r);
    pq_read_ctx_reset(&x.ctx);
    close_file(&x);
    written_verify(t, path, NULL);
}

void written_verify(Test *t, const char *path, const PqKeyChoice *keys)
{
    PqStop never = {NULL, NULL};
    const PqFinding *f = NULL;
    PqVerify *v = NULL;
    Reading x;

    if (t->failed) {
        return;
    }
    if (open_with(t, &x, path, keys) != PQ_OK ||
        pq_verify_new(t->mem, &x.in, x.footer, never, &v, t->e) != PQ_OK ||
        pq_verify_next(v, &f, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    } else if (f) {
        test_fail(t, __FILE__, __LINE__,
                  "group %d, column %s, page %d: %s, expected %s, found %s: %s",
                  f->row_group, f->column ? f->column : "", f->page, f->what,
                  f->expected ? f->expected : "", f->found ? f->found : "",
                  f->message);
    }
    pq_verify_free(v);
    close_file(&x);
}

PqColumnMetaData written_meta(Test *t, WrittenColumn *c, const char *path)
{
    PqColumnChunk chunk = {0};
    PqColumnMetaData m;
    Reading x;

    if (open_file(t, &x, path) != PQ_OK ||
        pq_footer_chunk(x.footer, 0, 0, &c->arena, &chunk, t->e) != PQ_OK) {
        printf("%s\n", t->e->text);
        abort();
    }
    m = chunk.meta_data;
    m.path_in_schema = (PqSliceList){NULL, 0};       /* in the footer */
    close_file(&x);
    return m;
}

bool written_has(const PqColumnMetaData *m, int encoding)
{
    for (uint32_t i = 0; i < m->encodings.n; i++) {
        if (m->encodings.v[i] == encoding) {
            return true;
        }
    }
    return false;
}

static WrittenPage page_of(const PqPageHeader *h)
{
    WrittenPage p = {.type = h->type, .n_raw = h->uncompressed_page_size,
                     .n_packed = h->compressed_page_size};

    if (h->type == PQ_PAGE_DICTIONARY) {
        p.n_entries = h->dictionary_page.num_values;
        p.encoding = h->dictionary_page.encoding;
    } else if (h->type == PQ_PAGE_DATA_V2) {
        p.n_entries = h->data_page_v2.num_values;
        p.encoding = h->data_page_v2.encoding;
    } else {
        p.n_entries = h->data_page.num_values;
        p.encoding = h->data_page.encoding;
    }
    return p;
}

uint32_t written_pages(Test *t, const char *path, WrittenPage *pages,
                       uint32_t most)
{
    uint32_t n = 0;
    bool more = true;
    Reading x;

    if (open_file(t, &x, path) != PQ_OK || open_leaf(t, &x) != PQ_OK) {
        printf("%s\n", t->e->text);
        abort();
    }
    while (n < most) {
        if (pq_chunk_next(&x.r.chunk, &more, t->e) != PQ_OK || !more) {
            break;
        }
        pages[n++] = page_of(&x.r.chunk.header);
        pq_chunk_pass(&x.r.chunk);
    }
    pq_leaf_reader_reset(&x.r);
    pq_read_ctx_reset(&x.ctx);
    close_file(&x);
    return n;
}
