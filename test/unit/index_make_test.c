/*
** index_make_test.c - indexes made page by page, read by the reading side and
** compared with the values of each page.
*/
#include "core/meta/index_make.h"
#include "test/unit/made_values.h"

enum { PAGES = 12, ROWS = 1000, BASE = 100 };

static MadeValues made[PAGES];

/* A made index in a "file", and what was read of it. */
typedef struct Read {
    PqBuf         columns, offsets, file;
    PqSource     *source;
    PqInput       in;
    PqArena       arena;
    PqOffsetIndex places;
    PqColumnIndex bounds;
} Read;

static void read_free(Read *r)
{
    pq_source_close(r->source);
    pq_arena_free(&r->arena);
    pq_buf_free(&r->columns);
    pq_buf_free(&r->offsets);
    pq_buf_free(&r->file);
}

/* BASE bytes, room for all the pages, then both indexes. */
static PqRc read_back(Test *t, PqIndexMake *m, const PqLeaf *leaf, Read *r)
{
    PqColumnChunk chunk = {0};
    size_t front = BASE + PAGES * 1000;

    memset(r, 0, sizeof *r);
    pq_arena_init(&r->arena, t->mem);
    pq_buf_init(&r->columns, t->mem, NULL);
    pq_buf_init(&r->offsets, t->mem, NULL);
    pq_buf_init(&r->file, t->mem, t->e);
    PQ_TRY(pq_index_make_write(m, BASE, &r->columns, &r->offsets, t->e));
    PQ_TRY(pq_buf_resize(&r->file, front, t->e));
    memset(r->file.p, 0, front);
    pq_buf_add(&r->file, r->columns.p, r->columns.n);
    pq_buf_add(&r->file, r->offsets.p, r->offsets.n);
    PQ_TRY(pq_source_open_memory(t->mem, "made", pq_buf_view(&r->file),
                                 &r->source, t->e));
    r->in.source = r->source;
    chunk.column_index_offset = (int64_t)front;
    chunk.column_index_length = (int32_t)r->columns.n;
    chunk.offset_index_offset = (int64_t)(front + r->columns.n);
    chunk.offset_index_length = (int32_t)r->offsets.n;
    PQ_TRY(pq_page_index_offsets(&r->in, &chunk, 0, 0, ROWS, &r->arena,
                                 &r->places, t->e));
    return pq_page_index_bounds(&r->in, &chunk, 0, leaf,
                                r->places.page_locations.n, &r->arena,
                                &r->bounds, t->e);
}

/* ---- random pages of all types ---- */

typedef struct Chunk {
    MadeColumn c;
    bool       total;
    uint32_t   n_pages;
    int64_t    defs[PAGES][3], reps[PAGES][2];
    int64_t    n_nulls[PAGES];
} Chunk;

static void random_chunk(Chunk *c, const PqType *type, bool total, Random *r)
{
    made_column(&c->c, type, total);
    c->total = total;
    c->c.leaf.max_def = (uint16_t)random_below(r, 3);
    c->c.leaf.max_rep = (uint16_t)random_below(r, 2);
    c->n_pages = 1 + random_below(r, PAGES);
    for (uint32_t i = 0; i < c->n_pages; i++) {
        uint32_t max_def = c->c.leaf.max_def;
        uint32_t n = max_def && !random_below(r, 4) ? 0
                                                    : 1 + random_below(r, 5);
        made_values(&made[i], type, n, r);
        c->n_nulls[i] = max_def ? random_below(r, 4) + !n : 0;
        memset(c->defs[i], 0, sizeof c->defs[i]);
        c->defs[i][0] = c->n_nulls[i];
        c->defs[i][max_def] += n;
        c->reps[i][0] = 1;
        c->reps[i][1] = n + c->n_nulls[i] - 1;
    }
}

static PqRc make_page(Test *t, const Chunk *c, uint32_t i, PqIndexMake *m)
{
    const PqLeaf *leaf = &c->c.leaf;
    PqBoundsMake b;
    PqIndexPage page = {
        .first_row = 7 * (int64_t)i,
        .offset = 40 * (int64_t)i,
        .n_bytes = 30 + (int32_t)i,
        .all_null = made[i].n == 0,
        .bounds = &b,
        .def_histogram = leaf->max_def ? c->defs[i] : NULL,
        .rep_histogram = leaf->max_rep ? c->reps[i] : NULL,
    };
    PqRc rc;

    for (uint32_t k = 0; k < made[i].n; k++) {
        page.n_text_bytes += (int64_t)made[i].plain[k].n;
    }
    pq_bounds_make_init(&b, &leaf->type, t->mem);
    if (c->total) {
        pq_bounds_make_total(&b);
    }
    rc = pq_bounds_add(&b, made_from(&made[i], 0), made[i].n, c->n_nulls[i],
                       t->e);
    if (rc == PQ_OK) {
        rc = pq_index_make_add(m, &page, t->e);
    }
    pq_bounds_make_free(&b);
    return rc;
}

static PqRc make_all(Test *t, const Chunk *c, PqIndexMake *m)
{
    PqRc rc = PQ_OK;

    for (uint32_t i = 0; i < c->n_pages && rc == PQ_OK; i++) {
        rc = make_page(t, c, i, m);
    }
    return rc;
}

static const char *judge_places(const Chunk *c, const PqOffsetIndex *x)
{
    bool texts = c->c.leaf.type.physical == PQ_BYTE_ARRAY;

    if (x->page_locations.n != c->n_pages ||
        x->unencoded_byte_array_data_bytes.n != (texts ? c->n_pages : 0)) {
        return "number of pages";
    }
    for (uint32_t i = 0; i < c->n_pages; i++) {
        const PqPageLocation *at = &x->page_locations.v[i];
        int64_t bytes = 0;
        for (uint32_t k = 0; k < made[i].n; k++) {
            bytes += (int64_t)made[i].plain[k].n;
        }
        if (at->offset != BASE + 40 * (int64_t)i ||
            at->compressed_page_size != 30 + (int32_t)i ||
            at->first_row_index != 7 * (int64_t)i ||
            (texts && x->unencoded_byte_array_data_bytes.v[i] != bytes)) {
            return "place of a page";
        }
    }
    return NULL;
}

/* Are all values of the page within its bounds? */
static const char *judge_page(const Chunk *c, uint32_t i,
                              const PqColumnIndex *x)
{
    const MadeValues *m = &made[i];
    PqBounds b = pq_stats_page(&c->c.f.schema.leaves[0],
                               pq_order_of_leaf(&c->c.f, 0),
                               !pq_nulls_are_doubtful(&c->c.f, 0), x, i);
    int64_t n_nans = 0;

    for (uint32_t k = 0; k < m->n; k++) {
        if (made_is_nan(m, k)) {
            n_nans++;
            continue;
        }
        if ((b.has_min && pq_order_compare(b.order, m->type, b.min,
                                           m->plain[k]) > 0) ||
            (b.has_max && pq_order_compare(b.order, m->type, b.max,
                                           m->plain[k]) < 0)) {
            return "a value is out of bounds";
        }
    }
    if (b.n_nulls != c->n_nulls[i] || b.n_nans != n_nans ||
        b.all_null != (m->n == 0) || x->null_pages.v[i] != (m->n == 0)) {
        return "counts of a page";
    }
    if ((!b.has_min || !b.has_max) && n_nans < m->n &&
        x->min_values.v[i].n + x->max_values.v[i].n > 0) {
        return "bounds are not believed";
    }
    return NULL;
}

static const char *judge_histograms(const Chunk *c, const PqColumnIndex *x)
{
    uint32_t defs = c->c.leaf.max_def ? c->c.leaf.max_def + 1u : 0;
    uint32_t reps = c->c.leaf.max_rep ? c->c.leaf.max_rep + 1u : 0;

    if (x->definition_level_histograms.n != defs * c->n_pages ||
        x->repetition_level_histograms.n != reps * c->n_pages) {
        return "length of histograms";
    }
    for (uint32_t i = 0; i < c->n_pages; i++) {
        for (uint32_t k = 0; k < defs; k++) {
            if (x->definition_level_histograms.v[i * defs + k] !=
                c->defs[i][k]) {
                return "definition levels";
            }
        }
        for (uint32_t k = 0; k < reps; k++) {
            if (x->repetition_level_histograms.v[i * reps + k] !=
                c->reps[i][k]) {
                return "repetition levels";
            }
        }
    }
    return NULL;
}

static bool moves(const PqColumnIndex *x, const Chunk *c, int way)
{
    const PqSlice *min = NULL, *max = NULL;
    const PqType *t = &c->c.leaf.type;
    PqOrder order = c->total ? PQ_ORDER_FLOAT_TOTAL : pq_order_of_type(t);

    for (uint32_t i = 0; i < c->n_pages; i++) {
        if (x->null_pages.v[i]) {
            continue;
        }
        if (min &&
            (way * pq_order_compare(order, t, *min, x->min_values.v[i]) > 0 ||
             way * pq_order_compare(order, t, *max, x->max_values.v[i]) > 0)) {
            return false;
        }
        min = &x->min_values.v[i];
        max = &x->max_values.v[i];
    }
    return true;
}

/* Must there be a column index? */
static bool can_have(const Chunk *c, const PqColumnIndex *x)
{
    PqOrder order = pq_order_of_type(&c->c.leaf.type);

    for (uint32_t i = 0; i < c->n_pages; i++) {
        for (uint32_t k = 0; k < made[i].n; k++) {
            if (made_is_nan(&made[i], k) && !c->total) {
                return false;
            }
        }
    }
    return order != PQ_ORDER_NONE &&
           (x->min_values.n || c->c.leaf.type.physical != PQ_BYTE_ARRAY) &&
           (x->min_values.n || c->c.leaf.type.fixed_length <= 32);
}

static const char *judge(const Chunk *c, const Read *r)
{
    const PqColumnIndex *x = &r->bounds;
    const char *wrong = judge_places(c, &r->places);
    int order;

    if (wrong || (x->min_values.n > 0) != can_have(c, x)) {
        return wrong ? wrong : "a column index or none";
    }
    if (x->min_values.n == 0) {
        return r->columns.n ? "what is in there?" : NULL;
    }
    for (uint32_t i = 0; i < c->n_pages && !wrong; i++) {
        wrong = judge_page(c, i, x);
    }
    order = moves(x, c, 1)    ? PQ_BOUNDARY_ASCENDING
            : moves(x, c, -1) ? PQ_BOUNDARY_DESCENDING
                              : PQ_BOUNDARY_UNORDERED;
    if (!wrong && x->boundary_order != order) {
        return "boundary order";
    }
    if (!wrong && (x->nan_counts.n > 0) != made_is_float(&c->c.leaf.type)) {
        return "nan counts";
    }
    return wrong ? wrong : judge_histograms(c, x);
}

static const char *judge_sizes(Test *t, const Chunk *c, PqIndexMake *m,
                               PqArena *a)
{
    int64_t bytes = 0, defs[3] = {0}, reps[2] = {0};
    PqSizeStatistics s;
    bool texts = c->c.leaf.type.physical == PQ_BYTE_ARRAY;

    if (pq_index_make_sizes(m, a, &s, t->e) != PQ_OK) {
        return "a call failed";
    }
    for (uint32_t i = 0; i < c->n_pages; i++) {
        for (uint32_t k = 0; k < made[i].n; k++) {
            bytes += (int64_t)made[i].plain[k].n;
        }
        for (uint32_t k = 0; k < 3; k++) {
            defs[k] += c->defs[i][k];
        }
        reps[0] += c->reps[i][0];
        reps[1] += c->reps[i][1];
    }
    if (s.has != (texts ? HAS(PQ_SIZE_STATISTICS_BYTES) : 0) +
                     (c->c.leaf.max_rep ? HAS(PQ_SIZE_STATISTICS_REPETITION)
                                        : 0) +
                     (c->c.leaf.max_def ? HAS(PQ_SIZE_STATISTICS_DEFINITION)
                                        : 0)) {
        return "fields of the sizes";
    }
    if ((texts && s.unencoded_byte_array_data_bytes != bytes) ||
        (c->c.leaf.max_def &&
         memcmp(s.definition_level_histogram.v, defs,
                (c->c.leaf.max_def + 1u) * sizeof *defs) != 0) ||
        (c->c.leaf.max_rep &&
         memcmp(s.repetition_level_histogram.v, reps, sizeof reps) != 0)) {
        return "sizes";
    }
    return NULL;
}

TEST(index_make, what_is_made_of_random_pages_is_read_back_and_holds)
{
    Random r = {47};
    uint32_t n_orders[3] = {0}, n_with = 0;

    for (size_t i = 0; i < PQ_COUNT(made_types); i++) {
        bool floats = pq_type_is_float(&made_types[i]);
        for (uint32_t k = 0; k < 400; k++) {
            const char *wrong = "a call failed";
            PqIndexMake *m;
            Chunk c;
            Read read;

            random_chunk(&c, &made_types[i], floats && k % 2, &r);
            CHECK_OK(pq_index_make_new(t->mem, &c.c.leaf, true, &m, t->e));
            if (make_all(t, &c, m) == PQ_OK &&
                read_back(t, m, &c.c.leaf, &read) == PQ_OK) {
                wrong = judge(&c, &read);
                wrong = wrong ? wrong : judge_sizes(t, &c, m, &read.arena);
                n_with += read.bounds.min_values.n > 0;
                n_orders[read.bounds.boundary_order]++;
                read_free(&read);
            }
            pq_index_make_free(m);
            if (wrong) {
                test_fail(t, __FILE__, __LINE__, "%s: type %zu, round %u: %s",
                          wrong, i, k, t->e->text);
                return;
            }
        }
    }
    CHECK(n_with > 2000 && n_orders[1] > 200 && n_orders[2] > 200);
}

/* ---- single things ---- */

/* A page of one text, or of none. */
static PqRc add_text(Test *t, PqIndexMake *m, const PqLeaf *leaf,
                     const char *text, uint32_t i)
{
    PqStr v = {(const uint8_t *)text, text ? (uint32_t)strlen(text) : 0};
    PqIndexPage page = {.first_row = i, .offset = 10 * (int64_t)i,
                        .n_bytes = 10, .all_null = !text};
    PqBoundsMake b;
    PqRc rc;

    pq_bounds_make_init(&b, &leaf->type, t->mem);
    page.bounds = &b;
    rc = pq_bounds_add(&b, &v, text != NULL, !text, t->e);
    if (rc == PQ_OK) {
        rc = pq_index_make_add(m, &page, t->e);
    }
    pq_bounds_make_free(&b);
    return rc;
}

/* texts: one a page, ended by ""; "-" is a page of nulls. */
static PqRc texts_order(Test *t, const char *const *texts, int *order)
{
    PqLeaf leaf = {.type = {.physical = PQ_BYTE_ARRAY,
                            .logical = PQ_TYPE_STRING}};
    PqIndexMake *m;
    Read r = {0};
    PqRc rc;

    PQ_TRY(pq_index_make_new(t->mem, &leaf, true, &m, t->e));
    for (uint32_t i = 0; texts[i][0]; i++) {
        rc = add_text(t, m, &leaf, texts[i][0] == '-' ? NULL : texts[i], i);
        if (rc != PQ_OK) {
            goto done;
        }
    }
    rc = read_back(t, m, &leaf, &r);
    *order = r.bounds.min_values.n ? r.bounds.boundary_order : -1;
    read_free(&r);
done:
    pq_index_make_free(m);
    return rc;
}

#define X32 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

TEST(index_make, the_boundary_order_is_that_of_the_bounds_as_written)
{
    static const struct {
        const char *texts[5];
        int         order;
    } want[] = {
        {{"a", "b", "c", ""}, PQ_BOUNDARY_ASCENDING},
        {{"a", "-", "b", ""}, PQ_BOUNDARY_ASCENDING},
        {{"c", "-", "b", ""}, PQ_BOUNDARY_DESCENDING},
        {{"b", "b", "b", ""}, PQ_BOUNDARY_ASCENDING},
        {{"b", "b", "a", ""}, PQ_BOUNDARY_DESCENDING},
        {{"a", "c", "b", ""}, PQ_BOUNDARY_UNORDERED},
        {{"-", "-", ""}, PQ_BOUNDARY_ASCENDING},
        {{"b", ""}, PQ_BOUNDARY_ASCENDING},
        /* in order only once they are cut */
        {{X32 "b", X32 "a", X32 "c", ""}, PQ_BOUNDARY_ASCENDING},
        /* in order until they are cut: its max becomes greater than the next */
        {{X32 "b", X32 "b", ""}, PQ_BOUNDARY_ASCENDING},
        {{"a", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
          "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
          "\xff\xff", ""}, -1},
    };

    for (size_t i = 0; i < PQ_COUNT(want); i++) {
        int order;
        CHECK_OK(texts_order(t, want[i].texts, &order));
        CHECK_INT(order, want[i].order);
    }
}

TEST(index_make, without_bounds_there_is_an_offset_index_only)
{
    PqLeaf leaf = {.type = {.physical = PQ_INT32}};
    PqIndexPage page = {.n_bytes = 10};
    PqIndexMake *m;
    Read r;

    CHECK_OK(pq_index_make_new(t->mem, &leaf, false, &m, t->e));
    CHECK_OK(pq_index_make_add(m, &page, t->e));
    CHECK_OK(read_back(t, m, &leaf, &r));
    CHECK_INT(r.columns.n, 0);
    CHECK_INT(r.places.page_locations.n, 1);
    read_free(&r);
    pq_index_make_free(m);
}

TEST(index_make, an_allocation_that_fails_fails_cleanly)
{
    PqRc rc = PQ_NOMEM;
    int64_t nth;
    Random r = {53};
    Chunk c;

    do {
        random_chunk(&c, &made_types[11], false, &r);
    } while (c.n_pages < 5 || !c.c.leaf.max_def || !c.c.leaf.max_rep);
    for (nth = 1; rc != PQ_OK; nth++) {
        PqSizeStatistics s;
        PqIndexMake *m = NULL;
        PqBuf columns, offsets;
        PqArena sizes;

        pq_arena_init(&sizes, t->mem);
        pq_buf_init(&columns, t->mem, NULL);
        pq_buf_init(&offsets, t->mem, NULL);
        pq_fault_set(nth);
        PQ_GO(pq_index_make_new(t->mem, &c.c.leaf, true, &m, t->e));
        PQ_GO(make_all(t, &c, m));
        PQ_GO(pq_index_make_write(m, 0, &columns, &offsets, t->e));
        rc = pq_index_make_sizes(m, &sizes, &s, t->e);
done:
        pq_fault_set(0);
        CHECK(rc == PQ_OK || rc == PQ_NOMEM);
        pq_err_clear(t->e);
        pq_buf_free(&columns);
        pq_buf_free(&offsets);
        pq_arena_free(&sizes);
        pq_index_make_free(m);
    }
    CHECK(nth > 15);
}
