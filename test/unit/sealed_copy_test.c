/*
** sealed_copy_test.c - every module of an encrypted file opens with the key and
** the ordinals that it must have, however rows are divided into files.
*/
#define _GNU_SOURCE
#include "core/crypto/key_ring.h"
#include "core/geo/wkb.h"
#include "core/meta/schema_make.h"
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"
#include "test/unit/sealed_walk.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static const char bytes[] = "0123456789abcdefFEDCBA98765432100";

/* Keys kf, k1 and k2 of so many bytes; as bytes they differ. */
static PqKeyRing *ring_of(Test *t, size_t n)
{
    PqKeyRing *r = NULL;

    if (pq_key_ring_new(t->mem, &r, t->e) != PQ_OK ||
        pq_key_ring_put(r, "kf", pq_slice(bytes, n), t->e) != PQ_OK ||
        pq_key_ring_put(r, "k1", pq_slice(bytes + 1, n), t->e) != PQ_OK ||
        pq_key_ring_put(r, "k2", pq_slice(bytes + 2, n > 24 ? 24 : n),
                        t->e) != PQ_OK) {
        abort();
    }
    return r;
}

/* A copy, its keys, and the walk through its files. */
typedef struct Sealed {
    FolderTree   d;
    PqKeyRing   *ring;
    PqEncryption how;
    Copied       c;
    Walked       w;
} Sealed;

static void begin(Test *t, Sealed *s, const char *path, uint64_t n_rows)
{
    *s = (Sealed){.ring = ring_of(t, 16)};
    tree_begin(&s->d, "");
    s->how.keys.ring = s->ring;
    s->how.keys.footer_key = "kf";
    copied_begin(t, &s->c, path, n_rows, true);
    s->c.plan.encryption = &s->how;
    walked_begin(t, &s->w, s->ring);
    s->w.footer_key = "kf";
}

static void end(Sealed *s)
{
    walked_end(&s->w);
    copied_end(&s->c);
    pq_key_ring_free(s->ring);
    tree_end(&s->d);
}

/* What the walk must find follows from what the copy was told. */
static void expect(Sealed *s)
{
    s->w.ctr = s->how.ctr;
    s->w.plaintext_footer = s->how.plaintext_footer;
    s->w.aad_prefix = s->how.keys.aad_prefix;
    s->w.stored_prefix = !s->how.hide_aad_prefix;
}

/* The engine must find every row, and the walk every byte. */
static PqRc run_and_walk(Sealed *s, const char *path, PqErr *e)
{
    expect(s);
    PQ_TRY(copied_run(&s->c, e));
    copied_check(s->w.t, &s->c);
    return walked_file(&s->w, path, e);
}

static int compare_numbers(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;

    return (*a > *b) - (*a < *b);
}

static bool uniques_differ(Walked *w)
{
    qsort(w->uniques, w->n_files, sizeof *w->uniques, compare_numbers);
    for (uint32_t i = 1; i < w->n_files; i++) {
        if (w->uniques[i] == w->uniques[i - 1]) {
            return false;
        }
    }
    return true;
}

/* --- one file ------------------------------------------------------------- */

TEST(sealed_copy, every_module_opens_where_it_belongs)
{
    Sealed s;

    begin(t, &s, "x.parquet", 100000);
    s.c.plan.row_group_rows = 30000;
    s.c.plan.threads = 2;
    for (int k = 0; k < COPIED_COLUMNS; k++) {
        s.c.columns[k].options.bloom = PQ_BLOOM_ALWAYS;
    }
    CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
    CHECK_INT(s.w.n_groups, 4);
    CHECK_INT(s.w.n_chunks, 36);
    CHECK(s.w.n_dictionaries > 0);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_FOOTER], 1);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_COLUMN_META], 0);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_OFFSET_INDEX], 36);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_COLUMN_INDEX], 36);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_BLOOM_HEADER], 32);     /* no BOOLEAN */
    CHECK_INT(s.w.n_sealed[PQ_MODULE_BLOOM_BITS], 32);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_DICTIONARY_PAGE], s.w.n_dictionaries);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_DATA_PAGE],
              s.w.n_sealed[PQ_MODULE_DATA_PAGE_HEADER]);
    CHECK_INT(s.w.n_sealed[PQ_MODULE_DATA_PAGE], 63);
    CHECK(walked_nonces_differ(&s.w));
    end(&s);
}

static const char *keys_by_column(const char *leaf)
{
    return !strcmp(leaf, "u")              ? "k1"
           : !strcmp(leaf, "l.list.element") ? "k2"
           : !strcmp(leaf, "id") || !strcmp(leaf, "n") ? NULL
                                                       : "kf";
}

static const PqColumnKeyName two_keys[] = {{"u", "k1"}, {"l", "k2"}};
static const char *const two_clear[] = {"id", "n"};

static void two_of_each(Sealed *s)
{
    s->how.keys.columns = two_keys;
    s->how.keys.n_columns = 2;
    s->how.clear = two_clear;
    s->how.n_clear = 2;
    s->w.key_of = keys_by_column;
}

typedef struct Kind {
    bool        ctr, plain, hidden;
    const char *prefix;
} Kind;

/* Algorithm, footer and AAD in all combinations, each with another size of key,
** version of pages and codec. */
TEST(sealed_copy, each_way_to_encrypt_is_as_specified)
{
    static const size_t sizes[] = {16, 24, 32};
    static const int codecs[] = {
        PQ_CODEC_UNCOMPRESSED, PQ_CODEC_SNAPPY, PQ_CODEC_GZIP, PQ_CODEC_BROTLI,
        PQ_CODEC_ZSTD, PQ_CODEC_LZ4_RAW};

    for (int i = 0; i < 72; i++) {
        const Kind kind = {i & 1, i & 2, i / 4 % 3 == 2,
                           i / 4 % 3 ? "tester" : NULL};
        Sealed s;

        begin(t, &s, "x.parquet", 3000);
        pq_key_ring_free(s.ring);
        s.ring = s.w.ring = s.how.keys.ring = ring_of(t, sizes[i % 3]);
        s.how.ctr = kind.ctr;
        s.how.plaintext_footer = kind.plain;
        s.how.keys.aad_prefix = kind.prefix;
        s.how.hide_aad_prefix = kind.hidden;
        s.c.plan.row_group_rows = 2000;
        for (int k = 0; k < COPIED_COLUMNS; k++) {
            s.c.columns[k].options.codec = codecs[i % 6];
            s.c.columns[k].options.page_v2 = i / 12 % 2;
            s.c.columns[k].options.page_rows = 500;
        }
        if (i / 24 > 0) {
            two_of_each(&s);
        }
        if (run_and_walk(&s, "x.parquet", t->e) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%d: %s", i, t->e->text);
        }
        CHECK_INT(s.w.n_groups, 2);
        CHECK_INT(s.w.n_sealed[PQ_MODULE_COLUMN_META],
                  2 * (i / 24 > 0 ? kind.plain ? 7 : 2 : kind.plain ? 9 : 0));
        CHECK_INT(s.w.has_bounds, i / 24 > 0 || !kind.plain);
        CHECK(walked_nonces_differ(&s.w));
        end(&s);
    }
}

static const char *only_list(const char *leaf)
{
    return !strcmp(leaf, "l.list.element") ? "k2" : NULL;
}

TEST(sealed_copy, all_columns_without_a_key_may_stay_in_the_clear)
{
    static const PqColumnKeyName keys[] = {{"l.list.element", "k2"}};
    Sealed s;

    for (int plain = 0; plain < 2; plain++) {
        begin(t, &s, "x.parquet", 1000);
        s.how.keys.columns = keys;
        s.how.keys.n_columns = 1;
        s.how.others_clear = true;
        s.how.plaintext_footer = plain;
        s.w.key_of = only_list;
        CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
        CHECK(s.w.n_claims > 0);     /* id ascends */
        end(&s);
    }
}

TEST(sealed_copy, a_dictionary_that_is_given_up_leaves_pages_of_both_kinds)
{
    Sealed s;

    begin(t, &s, "x.parquet", 200000);
    copied_memory(&s.c, 12 << 20);
    s.c.plan.row_group_rows = 200000;
    for (int k = 0; k < COPIED_COLUMNS; k++) {
        s.c.columns[k].options.dictionary = PQ_DICTIONARY_ALWAYS;
    }
    CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
    CHECK(s.w.n_mixed > 0);
    end(&s);
}

TEST(sealed_copy, without_rows_there_is_a_footer)
{
    Sealed s;

    for (int plain = 0; plain < 2; plain++) {
        begin(t, &s, "x.parquet", 0);
        s.how.plaintext_footer = plain;
        CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
        CHECK_INT(s.w.n_groups, 0);
        end(&s);
    }
}

/* --- several files -------------------------------------------------------- */

/* How files end: by rows, by bytes between row groups, by bytes within one. */
TEST(sealed_copy, each_file_has_its_own_locks)
{
    static const struct {
        uint64_t file_rows, file_bytes, group_rows, group_bytes, rows;
    } ways[] = {
        {30000, 0, 20000, 1 << 30, 100000},
        {30000, 0, 1 << 20, 1 << 30, 60000},
        {0, 300000, 20000, 1 << 30, 100000},
        {0, 600000, 1 << 20, 200000, 120000},
        {50000, 800000, 33000, 400000, 120000},
        {20000, 0, 20000, 1 << 30, 80000},
        {0, 1, 20000, 1 << 30, 80000},
    };

    for (size_t i = 0; i < 2 * PQ_COUNT(ways); i++) {
        Sealed s;

        begin(t, &s, "out", ways[i / 2].rows);
        s.c.plan.is_folder = true;
        s.c.plan.threads = i % 2 ? 2 : 0;
        s.c.plan.file_rows = ways[i / 2].file_rows;
        s.c.plan.file_bytes = ways[i / 2].file_bytes;
        s.c.plan.row_group_rows = ways[i / 2].group_rows;
        s.c.plan.row_group_bytes = ways[i / 2].group_bytes;
        two_of_each(&s);
        CHECK_OK(copied_run(&s.c, t->e));
        copied_check(t, &s.c);
        if (walked_folder(&s.w, "out", t->e) != PQ_OK) {
            test_fail(t, __FILE__, __LINE__, "%zu: %s", i, t->e->text);
        }
        CHECK_INT(s.w.n_files, s.c.progress.files);
        CHECK_INT(s.w.n_groups, s.c.progress.row_groups);
        CHECK(s.w.n_files > 1);
        CHECK(uniques_differ(&s.w));
        CHECK(walked_nonces_differ(&s.w));
        end(&s);
    }
}

/* Looks into files without a name that the process has open. */
typedef struct Spy {
    int n_files, n_plain;
    uint64_t n_bytes;
} Spy;

static void look(Spy *spy, int fd)
{
    static uint8_t buf[1 << 20];
    off_t at = 0;
    ssize_t n;

    spy->n_files++;
    while ((n = pread(fd, buf, sizeof buf, at)) > 0) {
        spy->n_plain += memmem(buf, (size_t)n, "example.com", 11) ||
                        memmem(buf, (size_t)n, "country 1", 9);
        spy->n_bytes += (uint64_t)n;
        at += n;
    }
}

static bool spied(void *arg)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *entry;

    while (d && (entry = readdir(d)) != NULL) {
        char link[600], path[600];
        ssize_t n;

        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        n = readlink(path, link, sizeof link - 1);
        if (n > 10 && memmem(link, (size_t)n, "(deleted)", 9)) {
            look(arg, atoi(entry->d_name));
        }
    }
    closedir(d);
    return false;
}

static bool spied_seldom(void *arg)
{
    static unsigned n;

    return n++ % 500 == 0 && spied(arg);
}

TEST(sealed_copy, many_partitions_in_little_memory_leave_nothing_plain_behind)
{
    for (int sealed = 1; sealed >= 0; sealed--) {
        Spy spy = {0};
        const PqStop stop = {spied_seldom, &spy};
        Sealed s;

        begin(t, &s, "out", 100000);
        copied_partition(&s.c, 200);
        copied_memory(&s.c, 8 << 20);
        s.c.plan.row_group_rows = 150;
        s.c.plan.stop = &stop;
        s.c.plan.threads = 1;
        two_of_each(&s);
        s.c.plan.encryption = sealed ? &s.how : NULL;
        CHECK_OK(copied_run(&s.c, t->e));
        CHECK(spy.n_bytes > 0);
        CHECK_INT(spy.n_plain > 0, !sealed);     /* the spy has eyes */
        copied_check(t, &s.c);
        if (sealed) {
            CHECK_OK(walked_folder(&s.w, "out", t->e));
            CHECK_INT(s.w.n_files, s.c.progress.files);
            CHECK(s.w.n_files >= 200 && s.w.n_groups >= 3 * 200);
            CHECK(uniques_differ(&s.w));
            CHECK(walked_nonces_differ(&s.w));
        }
        end(&s);
    }
}

/* Hashes of Bloom filters are put aside as they are: plain, of plain values. */
TEST(sealed_copy, pages_that_are_put_aside_come_back_into_their_file)
{
    Spy spy = {0};
    const PqStop stop = {spied_seldom, &spy};
    Sealed s;

    begin(t, &s, "x.parquet", 400000);
    copied_memory(&s.c, 8 << 20);
    s.c.plan.stop = &stop;
    s.how.others_clear = true;
    s.how.keys.columns = two_keys;
    s.how.keys.n_columns = 2;
    s.w.key_of = NULL;
    for (int k = 0; k < COPIED_COLUMNS; k++) {
        s.c.columns[k].options.codec = PQ_CODEC_UNCOMPRESSED;
        s.c.columns[k].options.dictionary = PQ_DICTIONARY_NEVER;
        s.c.columns[k].options.bloom = PQ_BLOOM_ALWAYS;
    }
    CHECK_OK(copied_run(&s.c, t->e));
    CHECK(spy.n_bytes > 0);
    CHECK_INT(spy.n_plain, 0);
    copied_check(t, &s.c);
    end(&s);
}

/* --- what would tell ------------------------------------------------------ */

/* Copies points with a covering column "box" and a key "geo".  The geometries
** have key k1, or the footer's if that is NULL. */
typedef struct Points {
    PqArena             arena;
    PqSchemaElementList elements;
    PqCopyColumn        columns[3];
    PqGeoColumn         geo_column;
    PqGeoParquet        geo;
    PqCopyPlan          plan;
} Points;

static const PqType point_type = {.physical = PQ_BYTE_ARRAY,
                                  .logical = PQ_TYPE_GEOMETRY};
static const PqType double_type = {.physical = PQ_DOUBLE};

static void make_points(Test *t, Points *p, const PqEncryption *how)
{
    static const char *const sides[] = {"xmin", "ymin", "xmax", "ymax"};
    PqSchemaMake *m;

    *p = (Points){.geo_column = {.name = "g", .algorithm = PQ_GEO_PLANAR}};
    pq_arena_init(&p->arena, t->mem);
    CHECK_OK(pq_schema_make_new(t->mem, &m, t->e));
    pq_schema_make_leaf(m, "salary", &double_type, true, -1);
    pq_schema_make_leaf(m, "g", &point_type, false, -1);
    pq_schema_make_group(m, PQ_NODE_STRUCT, "box", false, -1);
    for (int i = 0; i < 4; i++) {
        pq_schema_make_leaf(m, sides[i], &double_type, true, -1);
    }
    pq_schema_make_close(m);
    CHECK_OK(pq_schema_make_end(m, &p->arena, &p->elements, t->e));
    pq_schema_make_free(m);
    for (int i = 0; i < 3; i++) {
        p->columns[i].options = (PqChunkOptions){
            .encoding = -1, .statistics = true, .page_rows = 1000,
            .page_bytes = 1 << 20};
        p->columns[i].rules.geometry = i ? &point_type : NULL;
    }
    p->columns[2].cover_of = 2;
    p->geo = (PqGeoParquet){"1.1.0", "g", &p->geo_column, 1};
    p->plan = (PqCopyPlan){
        .path = "g.parquet", .schema = &p->elements, .columns = p->columns,
        .n_columns = 3, .geo = &p->geo, .row_group_rows = 1000,
        .row_group_bytes = 1 << 30, .created_by = "test", .encryption = how,
        .mem = t->mem};
}

static PqRc copy_points(Test *t, Points *p, PqErr *e)
{
    PqPublishPlan publish = {.target = "g.parquet",
                             .overwrite = PQ_OVERWRITE_REPLACE};
    PqCopy *copy = NULL;
    PqCells *to;
    PqBuf b;
    PqRc rc;

    pq_buf_init(&b, t->mem, e);
    PQ_GO(pq_publish_open(t->mem, &publish, &p->plan.publish, e));
    PQ_GO(pq_copy_open(&p->plan, &copy, e));
    for (int i = 0; i < 2500; i++) {
        b.n = 0;
        pq_wkb_put_head(&b, PQ_GEO_POINT, false, false);
        pq_wkb_put_number(&b, 1000 + i);
        pq_wkb_put_number(&b, 77);
        PQ_GO(pq_copy_row(copy, NULL, &to, e));
        pq_cells_real(&to[0], i);
        PQ_GO(pq_cells_bytes(&to[1], PQ_CELL_BLOB, b.p, b.n, e));
        PQ_GO(pq_copy_row_end(copy, e));
    }
    PQ_GO(pq_copy_finish(copy, e));
done:
    pq_buf_free(&b);
    pq_copy_free(copy);
    return rc;
}

static const char *points_key;       /* of g and box */

static const char *key_of_points(const char *leaf)
{
    return strcmp(leaf, "salary") ? points_key : "kf";
}

static PqRc seal_points(Test *t, Sealed *s, const char *key, PqErr *e)
{
    const PqColumnKeyName keys[] = {{"g", key}};
    Points p;
    PqRc rc;

    points_key = key;
    s->how.keys.columns = keys;
    s->how.keys.n_columns = 1;
    s->w.key_of = key_of_points;
    make_points(t, &p, &s->how);
    expect(s);
    PQ_GO(copy_points(t, &p, e));
    PQ_GO(walked_file(&s->w, "g.parquet", e));
done:
    pq_arena_free(&p.arena);
    return rc;
}

static bool says(PqSlice text, const char *z)
{
    return memmem(text.p, text.n, z, strlen(z)) != NULL;
}

/* The walk checks that the covering column has the key of its geometries. */
TEST(sealed_copy, where_geometries_are_is_told_only_to_those_who_may_know)
{
    static const struct {
        const char *key;
        bool        plain, tells;
    } ways[] = {{"kf", false, true}, {"k1", false, false}, {"kf", true, false},
                {"k1", true, false}};

    for (size_t i = 0; i < PQ_COUNT(ways); i++) {
        Sealed s;

        begin(t, &s, "x.parquet", 0);
        s.how.plaintext_footer = ways[i].plain;
        CHECK_OK(seal_points(t, &s, ways[i].key, t->e));
        CHECK(says(s.w.geo, "\"columns\""));
        CHECK_INT(says(s.w.geo, "3499"), ways[i].tells);
        CHECK_INT(says(s.w.geo, "Point"), ways[i].tells);
        CHECK_INT(s.w.n_claims > 0, !ways[i].plain);
        end(&s);
    }
}

/* --- limits --------------------------------------------------------------- */

TEST(sealed_copy, pages_are_numbered_as_far_as_the_format_goes)
{
    Sealed s;

    for (uint64_t n = 32768; n < 32770; n++) {
        begin(t, &s, "x.parquet", n);
        for (int k = 0; k < COPIED_COLUMNS; k++) {
            s.c.columns[k].options.page_rows = k == 0 ? 1 : 20000;
        }
        if (n == 32768) {
            CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
            CHECK(s.w.n_sealed[PQ_MODULE_DATA_PAGE] >= 32768);
        } else {
            CHECK_FAILS(copied_run(&s.c, t->e), PQ_USAGE, "page_rows");
        }
        end(&s);
    }
}

TEST(sealed_copy, row_groups_are_numbered_as_far_as_the_format_goes)
{
    Sealed s;

    begin(t, &s, "x.parquet", 32769);
    s.c.plan.row_group_rows = 1;
    CHECK_FAILS(copied_run(&s.c, t->e), PQ_USAGE, "row_group_rows");
    end(&s);
}

TEST(sealed_copy, a_key_that_has_sealed_too_often_ends_the_copy)
{
    static const uint64_t most = UINT64_C(1) << 32;
    PqKey *k1;
    Sealed s;

    begin(t, &s, "x.parquet", 3000);
    two_of_each(&s);
    k1 = pq_key_ring_find(s.ring, pq_slice_text("k1"));
    pq_key_set_sealed(k1, most - 1000);
    CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
    tree_clear();
    for (uint64_t left = 0; left < 6; left++) {      /* page, indexes, ... */
        s.c.plan.threads = left % 2 * 2;
        pq_key_set_sealed(k1, most - left);
        if (copied_run(&s.c, t->e) == PQ_OK) {
            CHECK(left == 5);
            continue;
        }
        CHECK(t->e->rc == PQ_USAGE && strstr(t->e->text, "column u") &&
              strstr(t->e->text, "key k1 has sealed 2^32 modules"));
        pq_err_clear(t->e);
        CHECK_TEXT(tree_text("."), "/");
    }
    end(&s);
}

/* --- what the user says --------------------------------------------------- */

static PqRc run_with(Sealed *s, const char *column, const char *key,
                     const char *clear, PqErr *e)
{
    const PqColumnKeyName keys[] = {{column, key}};

    s->how.keys.columns = keys;
    s->how.keys.n_columns = column != NULL;
    s->how.clear = &clear;
    s->how.n_clear = clear != NULL;
    return copied_run(&s->c, e);
}

TEST(sealed_copy, what_is_not_understood_leaves_nothing_open)
{
    Sealed s;

    begin(t, &s, "x.parquet", 10);
    CHECK_FAILS(run_with(&s, "uu", "k1", NULL, t->e), PQ_USAGE,
                "column_keys: there is no column uu");
    CHECK_FAILS(run_with(&s, "l.list.elem", "k1", NULL, t->e), PQ_USAGE,
                "there is no column l.list.elem");
    CHECK_FAILS(run_with(&s, NULL, NULL, "x.y", t->e), PQ_USAGE,
                "clear_columns: there is no column x.y");
    CHECK_FAILS(run_with(&s, "u", "k3", NULL, t->e), PQ_USAGE,
                "key k3 is not at hand");
    CHECK_FAILS(run_with(&s, "u", "k1", "u", t->e), PQ_USAGE,
                "column u is there twice");
    s.how.keys.footer_key = "none";
    CHECK_FAILS(run_with(&s, NULL, NULL, NULL, t->e), PQ_USAGE,
                "key none is not at hand");
    s.how.keys.footer_key = "MDEyMzQ1Njc4OWFiY2RlZg==";
    CHECK(run_with(&s, NULL, NULL, NULL, t->e) == PQ_USAGE);
    CHECK(!strstr(t->e->text, "MDEy"));
    pq_err_clear(t->e);
    CHECK_TEXT(tree_text("."), "/");
    end(&s);
}

TEST(sealed_copy, a_partition_column_has_no_key)
{
    Sealed s;

    begin(t, &s, "out", 10);
    copied_partition(&s.c, 3);
    CHECK_FAILS(run_with(&s, "part", "k1", NULL, t->e), PQ_USAGE,
                "part is a partition column");
    CHECK_OK(run_with(&s, NULL, NULL, "part", t->e));
    end(&s);
}

TEST(sealed_copy, a_key_that_was_forgotten_meanwhile_is_still_used)
{
    Sealed s;

    begin(t, &s, "x.parquet", 1000);
    CHECK_OK(run_and_walk(&s, "x.parquet", t->e));
    CHECK(pq_key_ring_forget(s.ring, "kf"));
    CHECK_FAILS(copied_run(&s.c, t->e), PQ_USAGE, "key kf is not at hand");
    end(&s);
}
