/*
** rewrite_writer_test.c - the output no longer says who wrote the input.  So
** nothing in it may depend on what is known about that writer.
*/
#include "test/unit/folder_tree.h"
#include "test/unit/made_chunk.h"
#include "test/unit/rewritten.h"

static const int32_t values[] = {1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
enum { N = 16 };

static void begin(Test *t, MadeFile *m, FolderTree *d, int physical)
{
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REQUIRED, physical)};

    tree_begin(d, "");
    made_begin(t, m, el, 2);
}

/* Rewrites the file as one by that writer. */
static void run(Test *t, MadeFile *m, Rewritten *w, const char *by)
{
    LeafDigest was = {0}, is = {0};
    FILE *f = fopen("a.parquet", "wb");

    CHECK_OK(made_end(m, N));
    fwrite(m->bytes.p, 1, m->bytes.n, f);
    fclose(f);
    rewritten_begin(t, w);
    CHECK_OK(rewritten_input(w, "a.parquet", t->e));
    w->inputs[0].footer->file.created_by = pq_slice_text(by);
    CHECK_OK(pq_order_find_doubts(w->inputs[0].footer, t->e));
    CHECK_OK(rewritten_digest(&w->inputs[0], "v", 0, NULL, 0, &was, t->e));
    CHECK_OK(rewritten_run(w, t->e));
    CHECK_OK(rewritten_digest(&w->out, "v", 0, NULL, 0, &is, t->e));
    CHECK_INT(is.values, was.values);
    CHECK_INT(is.n_rows, N);
}

static void end(MadeFile *m, FolderTree *d, Rewritten *w)
{
    rewritten_end(w);
    made_free(m);
    tree_end(d);
}

/* The header of the nth page of the output. */
static PqRc header_of(Test *t, Rewritten *w, int nth, PqPageHeader *out)
{
    PqChunkReader r;
    PqReadCtx ctx;
    bool more;
    PqRc rc;

    PQ_TRY(pq_read_ctx_init(&ctx, t->mem, t->e));
    pq_chunk_init(&r, &ctx);
    PQ_GO(pq_footer_chunk(w->out.footer, 0, 0, &r.arena, &r.chunk, t->e));
    PQ_GO(pq_chunk_open(&r, &w->out.in, &w->out.footer->schema.leaves[0], 0, N,
                        w->out.footer->file.created_by, t->e));
    for (int i = 0; i <= nth; i++) {
        PQ_GO(pq_chunk_next(&r, &more, t->e));
        *out = r.header;
        pq_chunk_pass(&r);
    }
done:
    pq_chunk_reset(&r);
    pq_read_ctx_reset(&ctx);
    return rc;
}

/* The offset index of the output, in a, which the caller frees. */
static PqRc index_of(Test *t, Rewritten *w, PqArena *a, PqOffsetIndex *out)
{
    PqColumnChunk chunk;

    pq_arena_init(a, t->mem);
    PQ_TRY(pq_footer_chunk(w->out.footer, 0, 0, a, &chunk, t->e));
    return pq_page_index_offsets(&w->out.in, &chunk, 0, 0, N, a, out, t->e);
}

/* A page of v1 whose header is changed. */
static void page(MadeFile *m, PqPageHeader h)
{
    PqBuf body;

    pq_buf_init(&body, m->t->mem, m->t->e);
    pq_buf_add(&body, values, sizeof values);
    h.has |= 1u << PQ_PAGE_HEADER_DATA;
    h.data_page.has |= 1u << PQ_DATA_PAGE_NUM_VALUES |
                       1u << PQ_DATA_PAGE_ENCODING |
                       1u << PQ_DATA_PAGE_DEFINITION |
                       1u << PQ_DATA_PAGE_REPETITION;
    h.data_page.num_values = N;
    made_page(m, &h, &body, N, N, true);
    pq_buf_free(&body);
}

TEST(rewrite, a_v2_page_says_that_it_is_compressed)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_DATA_V2,
                      .type = PQ_PAGE_DATA_V2,
                      .data_page_v2 = {.has = 0xfe, .num_values = N,
                                       .num_rows = N}};
    PqBuf body;
    FolderTree d;
    Rewritten w;
    MadeFile m;

    begin(t, &m, &d, PQ_INT32);
    m.codec = PQ_CODEC_SNAPPY;
    made_chunk(&m, PQ_INT32, 0, 0);
    pq_buf_init(&body, t->mem, t->e);
    pq_buf_add(&body, values, sizeof values);
    made_page(&m, &h, &body, N, N, true);
    pq_buf_free(&body);
    run(t, &m, &w, "parquet-cpp-arrow version 2.0.0");
    rewritten_check(t, &w);
    CHECK_OK(header_of(t, &w, 0, &h));
    CHECK(h.data_page_v2.is_compressed);
    end(&m, &d, &w);
}

TEST(rewrite, a_flat_page_has_a_row_per_value_whatever_it_says)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_DATA_V2,
                      .type = PQ_PAGE_DATA_V2,
                      .data_page_v2 = {.has = 0xfe, .num_values = N / 2}};
    PqOffsetIndex index;
    PqArena a;
    FolderTree d;
    Rewritten w;
    MadeFile m;
    PqBuf body;

    begin(t, &m, &d, PQ_INT32);
    made_chunk(&m, PQ_INT32, 0, 0);
    for (int i = 0; i < 2; i++) {
        h.data_page_v2.num_rows = i ? N / 2 : 1;
        pq_buf_init(&body, t->mem, t->e);
        pq_buf_add(&body, values, sizeof values / 2);
        made_page(&m, &h, &body, N / 2, N / 2, true);
        pq_buf_free(&body);
    }
    run(t, &m, &w, "somebody");
    CHECK_OK(index_of(t, &w, &a, &index));
    CHECK_INT(index.page_locations.v[1].first_row_index, N / 2);
    pq_arena_free(&a);
    end(&m, &d, &w);
}

TEST(rewrite, the_size_of_a_chunk_has_all_headers)
{
    static const uint8_t ids[] = {1, 2 * N, 0};      /* N times id 0 */
    FolderTree d;
    Rewritten w;
    MadeFile m;

    begin(t, &m, &d, PQ_INT32);
    made_chunk(&m, PQ_INT32, 0, 0);
    made_dictionary(&m, 1, values, 4, PQ_ENCODING_PLAIN);
    made_page_v1(&m, N, NULL, NULL, PQ_ENCODING_RLE_DICTIONARY, ids,
                 sizeof ids);
    m.size_lacks = m.page[0][0].offset - 4 - 4;
    run(t, &m, &w, "parquet-mr version 1.2.8");
    rewritten_check(t, &w);
    end(&m, &d, &w);
}

TEST(rewrite, a_checksum_that_is_none_is_left_out)
{
    PqPageHeader h = {.has = 1u << PQ_PAGE_HEADER_CRC};
    FolderTree d;
    Rewritten w;
    MadeFile m;

    begin(t, &m, &d, PQ_INT32);
    made_chunk(&m, PQ_INT32, 0, 0);
    page(&m, h);
    run(t, &m, &w, "Parquet.jl version 0.7.0");
    rewritten_check(t, &w);
    CHECK_OK(header_of(t, &w, 0, &h));
    CHECK(!PQ_HAS(&h, PQ_PAGE_HEADER_CRC) || h.crc != 0);
    end(&m, &d, &w);
}

TEST(rewrite, bounds_are_kept_if_their_writer_is_believed)
{
    static const char *const writers[] = {"parquet.js", "somebody version 1.0"};

    for (int i = 0; i < 2; i++) {
        PqPageHeader h = {0};
        PqColumnMetaData *of;
        PqColumnChunk chunk;
        PqArena a;
        FolderTree d;
        Rewritten w;
        MadeFile m;

        h.data_page.has = 1u << PQ_DATA_PAGE_STATISTICS;
        h.data_page.statistics = (PqStatistics){
            .has = 1u << PQ_STATISTICS_MIN | 1u << PQ_STATISTICS_MAX,
            .min = pq_slice(values, 4), .max = pq_slice(values + 3, 4)};
        begin(t, &m, &d, PQ_INT32);
        made_chunk(&m, PQ_INT32, 0, 0);
        of = &m.chunk[0].meta_data;
        of->has |= 1u << PQ_COLUMN_STATISTICS;
        of->statistics = h.data_page.statistics;
        page(&m, h);
        run(t, &m, &w, writers[i]);
        rewritten_check(t, &w);
        pq_arena_init(&a, t->mem);
        CHECK_OK(pq_footer_chunk(w.out.footer, 0, 0, &a, &chunk, t->e));
        CHECK_INT(PQ_HAS(&chunk.meta_data.statistics, PQ_STATISTICS_MIN_VALUE),
                  i);
        pq_arena_free(&a);
        CHECK_OK(header_of(t, &w, 0, &h));
        CHECK(!PQ_HAS(&h.data_page, PQ_DATA_PAGE_STATISTICS));
        end(&m, &d, &w);
    }
}

TEST(rewrite, pages_of_lists_get_an_index_by_their_levels)
{
    static const uint16_t rep[] = {0, 1, 1, 0}, def[] = {1, 1, 1, 1};
    PqSchemaElement el[2] = {made_group("root", 0, 1, -1),
                             made_leaf("v", PQ_REPEATED, PQ_INT32)};
    FolderTree d;
    PqOffsetIndex index;
    PqArena a;
    Rewritten w;
    MadeFile m;

    tree_begin(&d, "");
    made_begin(t, &m, el, 2);
    m.codec = PQ_CODEC_SNAPPY;
    made_chunk(&m, PQ_INT32, 1, 1);
    for (int i = 0; i < N / 2; i++) {
        made_page_v1(&m, 4, rep, def, PQ_ENCODING_PLAIN, values, 16);
    }
    run(t, &m, &w, "somebody");
    rewritten_check(t, &w);
    w.plan.add = PQ_ADD_PAGE_INDEX;
    CHECK_OK(rewritten_run(&w, t->e));
    rewritten_check(t, &w);
    CHECK_OK(index_of(t, &w, &a, &index));
    CHECK_INT(index.page_locations.n, N / 2);
    CHECK_INT(index.page_locations.v[3].first_row_index, 6);
    pq_arena_free(&a);
    end(&m, &d, &w);
}
