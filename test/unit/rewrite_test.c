/*
** rewrite_test.c - files made of files: whatever way chunks go, the values are
** those of the inputs, and the output is true.
*/
#define _GNU_SOURCE
#include "core/crypto/key_ring.h"
#include "core/geo/geoparquet.h"
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"
#include "test/unit/rewritten.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- all ways, for the files of several writers ---------------------------------- */

typedef struct Way {
    const char *name;
    bool        repack;
    int         codec;
    unsigned    add;
    uint64_t    min_rows;
    bool        leaves_out;
} Way;

static const Way ways[] = {
    {.name = "copied"},
    {.name = "packed", .repack = true, .codec = PQ_CODEC_ZSTD},
    {.name = "unpacked", .repack = true, .codec = PQ_CODEC_UNCOMPRESSED},
    {.name = "completed", .add = PQ_ADD_PAGE_INDEX | PQ_ADD_BLOOM |
                                 PQ_ADD_CHECKSUM | PQ_ADD_SIZES},
    {.name = "joined", .min_rows = 1 << 20},
    {.name = "thinned out", .leaves_out = true},
};

static void check_way(Test *t, const char *path, const Way *way)
{
    PqRowSpan spans[] = {{1, 2}, {3, 4}, {7, 1000}, {1200, 1201}};
    uint32_t n_before;
    char text[600];
    LeafDigest d;
    Rewritten w;

    rewritten_begin(t, &w);
    if (rewritten_input(&w, path, t->e) != PQ_OK) {
        goto done;                   /* it cannot be read at all */
    }
    for (uint32_t i = 0; i < w.plan.n_columns; i++) {
        const PqNode *n = w.inputs[0].footer->schema.root->child[i];

        w.columns[i].options.codec = way->codec;
        w.columns[i].options.level = 0;
        for (uint32_t k = 0; k < n->n_leaves; k++) {
            if (n->shares_name ||
                rewritten_digest(&w.inputs[0], n->name, k, NULL, 0, &d, t->e) !=
                    PQ_OK) {
                goto done;           /* nor can these values */
            }
        }
    }
    w.plan.repack = way->repack;
    w.plan.add = way->add;
    w.plan.min_group_rows = way->min_rows;
    w.plan.threads = 1;
    if (way->leaves_out) {
        w.left_out[0] = spans;
        w.n_left_out[0] = PQ_COUNT(spans);
    }
    if (rewritten_findings(&w.inputs[0], &n_before, text, sizeof text, t->e) !=
            PQ_OK ||
        rewritten_run(&w, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s, %s: %s", path, way->name,
                  t->e->text);
        goto done;
    }
    w.may_lie = n_before > 0;
    rewritten_check(t, &w);
    if (t->failed) {
        fprintf(stderr, "     %s, %s\n", path, way->name);
    }
done:
    pq_err_clear(t->e);
    rewritten_end(&w);
}

static void check_folder(Test *t, const char *folder, const Way *way)
{
    struct dirent *entry;
    DIR *d = opendir(folder);

    while (d && (entry = readdir(d)) != NULL) {
        char path[1024];
        size_t n = strlen(entry->d_name);

        if (n > 8 && strcmp(entry->d_name + n - 8, ".parquet") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            check_way(t, path, way);
            t->failed = t->failed && !getenv("GO_ON");
            if (t->failed) {
                break;
            }
        }
    }
    if (d) {
        closedir(d);
    }
}

static void check_samples(Test *t, const char *way)
{
    static const char *const folders[] = {"data", "data/geospatial",
                                          "shredded_variant"};
    const char *root = getenv("PARQUET_TESTING");
    char path[1024];

    for (size_t i = 0; i < PQ_COUNT(ways); i++) {
        if (strcmp(ways[i].name, way) != 0) {
            continue;
        }
        check_folder(t, "test/samples", &ways[i]);
        for (size_t k = 0; k < PQ_COUNT(folders); k++) {
            snprintf(path, sizeof path, "%s/%s",
                     root ? root : "../shared/parquet-testing", folders[k]);
            check_folder(t, path, &ways[i]);
        }
    }
}

TEST(rewrite, samples_are_copied)
{
    check_samples(t, "copied");
}

TEST(rewrite, samples_are_packed_with_another_codec)
{
    check_samples(t, "packed");
    check_samples(t, "unpacked");
}

TEST(rewrite, samples_get_what_they_lack)
{
    check_samples(t, "completed");
}

TEST(rewrite, samples_are_joined)
{
    check_samples(t, "joined");
}

TEST(rewrite, samples_lose_rows)
{
    check_samples(t, "thinned out");
}

/* ---- files of our own ------------------------------------------------------------- */

static PqKeyRing *ring;
static const PqColumnKeyName own_key = {"u", "k1"};

static PqKeyChoice keys_of(Test *t)
{
    if (pq_key_ring_new(t->mem, &ring, t->e) != PQ_OK ||
        pq_key_ring_put(ring, "kf", pq_slice_text("0123456789abcdef"),
                        t->e) != PQ_OK ||
        pq_key_ring_put(ring, "k1", pq_slice_text("fedcba9876543210"),
                        t->e) != PQ_OK) {
        abort();
    }
    return (PqKeyChoice){.ring = ring, .footer_key = "kf", .columns = &own_key,
                         .n_columns = 1};
}

/* A file of n rows, in row groups of group_rows. */
static void make(Test *t, const char *path, uint64_t n, uint64_t group_rows,
                 const PqEncryption *how)
{
    Copied c;

    copied_begin(t, &c, path, n, true);
    c.plan.row_group_rows = group_rows;
    c.plan.encryption = how;
    for (int i = 0; i < COPIED_COLUMNS; i++) {
        c.columns[i].options.page_rows = 700;
        c.columns[i].options.page_v2 = i % 2;
        c.columns[i].options.bloom = i == 3 ? PQ_BLOOM_ALWAYS : PQ_BLOOM_AUTO;
    }
    if (copied_run(&c, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    copied_end(&c);
}

static void begin(Test *t, FolderTree *d, Rewritten *w, uint64_t n,
                  uint64_t group_rows)
{
    tree_begin(d, "");
    make(t, "a.parquet", n, group_rows, NULL);
    rewritten_begin(t, w);
    if (rewritten_input(w, "a.parquet", t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
}

static void end(FolderTree *d, Rewritten *w)
{
    rewritten_end(w);
    tree_end(d);
}

static void run(Test *t, Rewritten *w)
{
    CHECK_OK(rewritten_run(w, t->e));
    rewritten_check(t, w);
}

/* The bytes of a chunk; the caller frees them. */
static uint8_t *chunk_bytes(Test *t, const RewrittenFile *file, uint32_t group,
                            uint32_t leaf, size_t *n)
{
    const PqColumnMetaData *m;
    PqColumnChunk c;
    uint8_t *bytes;
    PqArena a;

    pq_arena_init(&a, t->mem);
    *n = 0;
    if (pq_footer_chunk(file->footer, group, leaf, &a, &c, t->e) != PQ_OK) {
        return NULL;
    }
    m = &c.meta_data;
    *n = (size_t)m->total_compressed_size;
    bytes = malloc(*n + 1);
    if (pq_source_read(file->source,
                       (uint64_t)(m->dictionary_page_offset
                                      ? m->dictionary_page_offset
                                      : m->data_page_offset),
                       *n, bytes, t->e) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    pq_arena_free(&a);
    return bytes;
}

static bool same_chunk(Test *t, const RewrittenFile *a, const RewrittenFile *b,
                       uint32_t group, uint32_t leaf)
{
    size_t n, m;
    uint8_t *x = chunk_bytes(t, a, group, leaf, &n);
    uint8_t *y = chunk_bytes(t, b, group, leaf, &m);
    bool same = x && y && n == m && memcmp(x, y, n) == 0;

    free(x);
    free(y);
    return same;
}

TEST(rewrite, a_copied_chunk_has_the_same_bytes)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 5000, 1500);
    run(t, &w);
    CHECK_INT(w.progress.copied, 4);
    CHECK_INT(w.out.footer->n_groups, 4);
    for (uint32_t g = 0; g < 4; g++) {
        for (uint32_t leaf = 0; leaf < COPIED_COLUMNS; leaf++) {
            CHECK(same_chunk(t, &w.inputs[0], &w.out, g, leaf));
        }
    }
    end(&d, &w);
}

TEST(rewrite, only_small_row_groups_are_joined)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3500, 1500);                    /* 1500, 1500, 500 */
    make(t, "b.parquet", 700, 300, NULL);            /* 300, 300, 100   */
    make(t, "c.parquet", 2200, 2000, NULL);          /* 2000, 200       */
    CHECK_OK(rewritten_input(&w, "b.parquet", t->e));
    CHECK_OK(rewritten_input(&w, "c.parquet", t->e));
    w.plan.min_group_rows = 600;
    w.plan.threads = 2;
    run(t, &w);
    CHECK_INT(w.progress.copied, 4);
    CHECK_INT(w.progress.joined, 4);
    CHECK_INT(w.out.footer->n_groups, 5);
    CHECK_INT(w.out.footer->groups[2].num_rows, 1200);
    w.plan.group_rows = 850;
    run(t, &w);                                      /* 500+300, 300+100 */
    CHECK_INT(w.out.footer->n_groups, 6);
    CHECK_INT(w.out.footer->groups[2].num_rows, 800);
    end(&d, &w);
}

TEST(rewrite, rows_are_left_out_wherever_they_are)
{
    PqRowSpan spans[] = {{0, 10}, {1400, 3100}, {3200, 3201}, {3300, 9999}};
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 6000, 1500);
    w.left_out[0] = spans;
    w.n_left_out[0] = PQ_COUNT(spans);
    run(t, &w);
    CHECK_INT(w.progress.anew, 2);
    CHECK_INT(w.progress.empty, 2);
    w.plan.min_group_rows = 1450;
    run(t, &w);
    CHECK_INT(w.progress.joined, 2);
    end(&d, &w);
}

TEST(rewrite, columns_are_dropped_and_get_other_names)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3000, 1000);
    w.columns[0] = w.columns[8];                     /* l, x, u as id */
    w.columns[2] = w.columns[3];
    w.columns[2].as = "id";
    w.plan.n_columns = 3;
    run(t, &w);
    CHECK_INT(w.progress.copied, 3);
    CHECK_TEXT(w.out.footer->schema.leaves[2].path, "id");
    w.columns[1].as = "id";
    CHECK_FAILS(rewritten_run(&w, t->e), PQ_USAGE, "the name id");
    end(&d, &w);
}

static void check_sealed(Test *t, bool in, bool out, bool ctr, bool clear_footer,
                         uint64_t min_rows)
{
    PqKeyChoice keys = keys_of(t);
    PqEncryption how = {.keys = keys, .ctr = ctr,
                        .plaintext_footer = clear_footer};
    FolderTree d;
    Rewritten w;

    tree_begin(&d, "");
    make(t, "a.parquet", 2500, 1000, in ? &how : NULL);
    rewritten_begin(t, &w);
    w.keys = in ? &keys : NULL;
    CHECK_OK(rewritten_input(&w, "a.parquet", t->e));
    w.keys = out ? &keys : NULL;
    w.plan.encryption = out ? &how : NULL;
    w.plan.min_group_rows = min_rows;
    run(t, &w);
    CHECK(!w.out.footer || (w.out.footer->locks != NULL) == out);
    end(&d, &w);
    pq_key_ring_free(ring);
}

TEST(rewrite, chunks_are_opened_and_sealed)
{
    for (int i = 0; i < 24 && !t->failed; i++) {
        check_sealed(t, i & 1, i & 2 || !(i & 1), i & 4, i & 8,
                     i & 16 ? 700 : 0);
    }
}

TEST(rewrite, a_required_column_becomes_optional)
{
    LeafDigest was = {0}, is = {0};
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3000, 1000);
    make(t, "b.parquet", 2000, 1000, NULL);
    CHECK_OK(rewritten_input(&w, "b.parquet", t->e));
    w.columns[0].optional = true;
    CHECK_OK(rewritten_run(&w, t->e));
    CHECK_INT(w.progress.anew, 5);
    CHECK_INT(w.out.footer->schema.leaves[0].max_def, 1);
    CHECK_OK(rewritten_digest(&w.inputs[0], "id", 0, NULL, 0, &was, t->e));
    CHECK_OK(rewritten_digest(&w.inputs[1], "id", 0, NULL, 0, &was, t->e));
    CHECK_OK(rewritten_digest(&w.out, "id", 0, NULL, 0, &is, t->e));
    CHECK_INT(was.values, is.values);
    CHECK_INT(is.n_rows, 5000);
    CHECK(same_chunk(t, &w.inputs[0], &w.out, 1, 1));
    end(&d, &w);
}

TEST(rewrite, a_column_that_a_file_lacks_is_null_there)
{
    LeafDigest was = {0}, is = {0};
    FolderTree d;
    Rewritten w, without;

    begin(t, &d, &w, 3000, 1000);
    rewritten_begin(t, &without);
    CHECK_OK(rewritten_input(&without, "a.parquet", t->e));
    without.plan.n_columns = 8;                      /* no l */
    without.columns[2] = without.columns[7];         /* nor t */
    without.plan.n_columns = 7;
    CHECK_OK(rewritten_run(&without, t->e));
    CHECK_OK(rewritten_save(&without, "b.parquet", t->e));
    CHECK_OK(rewritten_input(&w, "b.parquet", t->e));
    CHECK_OK(rewritten_run(&w, t->e));
    CHECK_INT(w.progress.copied, 3);
    CHECK_INT(w.progress.anew, 3);
    CHECK_OK(rewritten_digest(&w.inputs[0], "l", 0, NULL, 0, &was, t->e));
    CHECK_OK(rewritten_digest(&w.out, "l", 0, NULL, 0, &is, t->e));
    CHECK_INT(was.values, is.values);
    CHECK_INT(is.n_rows, 6000);
    w.columns[0].optional = true;                    /* id is in both */
    w.plan.n_columns = 1;
    CHECK_OK(rewritten_run(&w, t->e));
    rewritten_end(&without);
    end(&d, &w);
}

TEST(rewrite, columns_that_do_not_fit_are_named)
{
    FolderTree d;
    Rewritten w, other;

    begin(t, &d, &w, 1000, 1000);
    rewritten_begin(t, &other);
    CHECK_OK(rewritten_input(&other, "a.parquet", t->e));
    other.columns[1].as = "id";
    other.columns[0].as = "x";
    CHECK_OK(rewritten_run(&other, t->e));
    CHECK_OK(rewritten_save(&other, "b.parquet", t->e));
    CHECK_OK(rewritten_input(&w, "b.parquet", t->e));
    CHECK_FAILS(rewritten_run(&w, t->e), PQ_UNSUPPORTED,
                "b.parquet: column id is DOUBLE here and INT64 in the output");
    w.columns[0] = w.columns[6];                     /* h, x */
    w.plan.n_columns = 2;
    CHECK_FAILS(rewritten_run(&w, t->e), PQ_UNSUPPORTED, "column x");
    rewritten_end(&other);
    end(&d, &w);
}

TEST(rewrite, masked_columns_tell_nothing)
{
    LeafDigest was = {0}, is = {0};
    PqKeyChoice keys = keys_of(t);
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3000, 1000);
    w.columns[0].mask = PQ_MASK_NULL;                /* id, required */
    w.columns[8].mask = PQ_MASK_NULL;                /* l, a list    */
    w.columns[3].mask = PQ_MASK_HASH;
    w.columns[3].mask_key = pq_key_ring_find(keys.ring,
                                             pq_slice_text("k1"));
    run(t, &w);
    CHECK_INT(w.progress.anew, 3);
    CHECK_OK(rewritten_digest(&w.out, "l", 0, NULL, 0, &is, t->e));
    CHECK_INT(is.values, 0);
    CHECK_INT(is.n_rows, 3000);
    is = (LeafDigest){0};
    CHECK_OK(rewritten_digest(&w.out, "u", 0, NULL, 0, &is, t->e));
    CHECK_OK(rewritten_digest(&w.inputs[0], "u", 0, NULL, 0, &was, t->e));
    CHECK_INT(is.def, was.def);
    CHECK(is.values != was.values);
    w.columns[1].mask = PQ_MASK_HASH;
    CHECK_FAILS(rewritten_run(&w, t->e), PQ_USAGE, "column x is not a text");
    end(&d, &w);
    pq_key_ring_free(ring);
}

TEST(rewrite, little_memory_is_enough)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 60000, 4000);
    pq_mem_release(w.mem);
    w.mem = w.plan.mem = pq_mem_new((size_t)8 << 20);
    w.plan.min_group_rows = 10000;
    w.plan.group_rows = 1 << 20;
    run(t, &w);
    CHECK(w.out.footer->n_groups < 15);              /* there were 15 */
    end(&d, &w);
}

static bool asked_often(void *arg)
{
    int *left = arg;

    return --*left < 0;
}

TEST(rewrite, an_interrupt_ends_it)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3000, 1000);
    w.plan.threads = 1;
    for (int after = 0; after < 100; after += 7) {
        int left = after;
        const PqStop stop = {asked_often, &left};

        w.plan.stop = &stop;
        w.plan.min_group_rows = after % 2 ? 2000 : 0;
        if (rewritten_run(&w, t->e) == PQ_OK) {
            CHECK(after > 20);
            break;
        }
        CHECK_INT(t->e->rc, PQ_STOPPED);
        pq_err_clear(t->e);
    }
    end(&d, &w);
}

/* ---- what is said about the file ----------------------------------------------- */

static bool geo_of(Test *t, const RewrittenFile *file, PqArena *a,
                   PqGeoParquet *out)
{
    PqSlice json;

    return pq_footer_key_value(file->footer, "geo", &json) &&
           pq_geoparquet_read(json, a, out, t->e);
}

static int times(PqSlice text, const char *word)
{
    const PqSlice w = pq_slice_text(word);
    int n = 0;

    for (size_t i = 0; i + w.n <= text.n; i++) {
        n += memcmp(text.p + i, w.p, w.n) == 0;
    }
    return n;
}

TEST(rewrite, geometries_stay_what_they_are)
{
    PqSlice json;
    PqGeoParquet was, is;
    PqArena a;
    Rewritten w;

    pq_arena_init(&a, t->mem);
    rewritten_begin(t, &w);
    CHECK_OK(rewritten_input(&w, "test/samples/duckdb_geometry.parquet", t->e));
    CHECK_OK(rewritten_input(&w, "test/samples/duckdb_geometry.parquet", t->e));
    CHECK(geo_of(t, &w.inputs[0], &a, &was));
    w.columns[1].as = "g";
    for (int i = 0; i < 3; i++) {
        w.plan.min_group_rows = i == 1 ? 1 << 20 : 0;
        w.columns[1].mask = i == 2 ? PQ_MASK_HASH : PQ_MASK_NONE;
        if (i == 2) {
            w.plan.n_columns = 1;
        }
        run(t, &w);
        if (t->failed || i == 2) {
            break;
        }
        CHECK(geo_of(t, &w.out, &a, &is));
        CHECK_TEXT(is.columns[0].name, "g");
        CHECK_TEXT(is.primary, "g");
        CHECK(pq_footer_key_value(w.out.footer, "geo", &json));
        CHECK_INT(times(json, "\"Polygon\""), 1);
        CHECK_INT(is.columns[0].n_codes, was.columns[0].n_codes);
        CHECK(memcmp(&is.columns[0].box, &was.columns[0].box,
                     sizeof is.columns[0].box) == 0);
    }
    CHECK(!geo_of(t, &w.out, &a, &is));
    pq_arena_free(&a);
    rewritten_end(&w);
}

TEST(rewrite, the_order_of_rows_stays_known)
{
    FolderTree d;
    Rewritten w;

    begin(t, &d, &w, 3000, 1000);                    /* id ascends */
    for (int i = 0; i < 4; i++) {
        const PqRowGroup *g;

        if (i == 1) {                                /* id comes second */
            w.columns[1] = w.columns[0];
            w.columns[0] = w.columns[2];
            w.plan.n_columns = 2;
        }
        w.plan.min_group_rows = i == 2 ? 2000 : 0;
        w.columns[1].mask = i == 3 ? PQ_MASK_NULL : PQ_MASK_NONE;
        run(t, &w);
        if (t->failed) {
            break;
        }
        g = &w.out.footer->file.row_groups.v[0];
        CHECK_INT(g->sorting_columns.n, i < 3);
        CHECK(i == 3 || g->sorting_columns.v[0].column_idx == (i > 0));
    }
    end(&d, &w);
}

/* ---- damage ------------------------------------------------------------------------ */

/* What is damaged in the input is an error, or changes nothing. */
static void check_damaged(Test *t, const uint8_t *bytes, size_t n, size_t at,
                          uint8_t with, int way)
{
    uint8_t *damaged = malloc(n);
    FILE *f = fopen("damaged.parquet", "wb");
    Rewritten w;

    memcpy(damaged, bytes, n);
    damaged[at] ^= with;
    fwrite(damaged, 1, n, f);
    fclose(f);
    free(damaged);
    rewritten_begin(t, &w);
    if (rewritten_input(&w, "damaged.parquet", t->e) == PQ_OK) {
        w.plan.repack = way == 1;
        w.plan.add = way == 2 ? PQ_ADD_PAGE_INDEX | PQ_ADD_BLOOM : 0;
        w.plan.min_group_rows = way == 3 ? 2000 : 0;
        for (uint32_t i = 0; i < w.plan.n_columns; i++) {
            w.columns[i].options.codec = PQ_CODEC_SNAPPY;
        }
        if (rewritten_run(&w, t->e) == PQ_OK) {
            for (uint32_t i = 0; i < w.plan.n_columns; i++) {
                const char *name = w.columns[i].name;
                LeafDigest was = {0}, is = {0};

                if (rewritten_digest(&w.inputs[0], name, 0, NULL, 0, &was,
                                     t->e) == PQ_OK &&
                    (rewritten_digest(&w.out, name, 0, NULL, 0, &is, t->e) !=
                         PQ_OK || was.values != is.values)) {
                    test_fail(t, __FILE__, __LINE__, "byte %zu, way %d: %s",
                              at, way, t->e->text);
                }
                pq_err_clear(t->e);
            }
        } else if (!t->e->text[0] || t->e->rc == PQ_NOMEM) {
            test_fail(t, __FILE__, __LINE__, "byte %zu: %s", at, t->e->text);
        }
    }
    pq_err_clear(t->e);
    rewritten_end(&w);
}

TEST(rewrite, damage_is_an_error_or_changes_nothing)
{
    uint8_t *bytes;
    FolderTree d;
    size_t n;

    tree_begin(&d, "");
    make(t, "a.parquet", 900, 300, NULL);
    bytes = copied_bytes("a.parquet", &n);
    for (size_t i = 0; i < 600 && !t->failed; i++) {
        size_t at = i < 200 ? n - 1 - i * 11 : i * 7919 % n;

        check_damaged(t, bytes, n, at, (uint8_t)(1u << i % 8), (int)(i % 4));
    }
    free(bytes);
    tree_end(&d);
}
