/*
** copy_fault_test.c - every point of a copy fails once: each allocation, each
** read, write, fsync and rename.
**
** Only some points are tried, at even distances; with threads, those in
** between.  make fault tries all of them, with COPY_FAULT_STEP=1.
**
** The copy may fail with a message.  Then nothing stays in memory or open, and
** the old files are unchanged.  Or the point does not matter, and the copy is
** complete.
*/
#define _GNU_SOURCE
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"
#include "test/unit/sealed_walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Kind {
    const char *before;              /* the files before it */
    uint64_t    n_rows;
    bool        nested, spilled;
    uint32_t    n_parts;
    uint64_t    file_rows;
    int         step;                /* from point to point */
    bool        sealed, plaintext_footer;
} Kind;

static const Kind kinds[] = {
    {"x.parquet:old", 700, false, false, 0, 0, 31, false, false},
    {"x.parquet:old", 700, true, false, 0, 0, 31, false, false},
    {"x.parquet:old", 12000, false, true, 0, 0, 17, false, false},
    {"out/part=p1/data_0.parquet:old out/part=p9/data_4.parquet:old", 300, true,
     false, 3, 40, 97, false, false},
    {"out/part=p1/data_0.parquet:old", 300, false, true, 120, 0, 1201, false,
     false},
    {"x.parquet:old", 700, true, false, 0, 0, 53, true, true},
    {"x.parquet:old", 12000, false, true, 0, 0, 97, true, false},
    {"out/part=p1/data_0.parquet:old", 300, false, false, 3, 40, 397, true,
     false},
};

/* The keys of those that are sealed, and how. */
static PqKeyRing *ring;
static PqEncryption how;

static const char *key_of(const char *leaf)
{
    return strcmp(leaf, "u") ? "kf" : "k1";
}

static void make_keys(Test *t)
{
    static const PqColumnKeyName u = {"u", "k1"};

    if (pq_key_ring_new(t->mem, &ring, t->e) != PQ_OK ||
        pq_key_ring_put(ring, "kf", pq_slice_text("0123456789abcdef"),
                        t->e) != PQ_OK ||
        pq_key_ring_put(ring, "k1", pq_slice_text("fedcba9876543210"),
                        t->e) != PQ_OK) {
        abort();
    }
    how = (PqEncryption){.keys = {.ring = ring, .footer_key = "kf",
                                  .columns = &u, .n_columns = 1}};
}

static void check(Test *t, const Copied *c, const Kind *k)
{
    Walked w;

    copied_check(t, c);
    if (!k->sealed) {
        return;
    }
    walked_begin(t, &w, ring);
    w.footer_key = "kf";
    w.key_of = key_of;
    w.plaintext_footer = k->plaintext_footer;
    if ((k->n_parts ? walked_folder(&w, "out", t->e)
                    : walked_file(&w, "x.parquet", t->e)) != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    walked_end(&w);
}

/* Small pages and row groups, and a codec of each kind. */
static void prepare(Test *t, Copied *c, const Kind *k, unsigned threads)
{
    static const int codecs[] = {PQ_CODEC_ZSTD, PQ_CODEC_GZIP,
                                 PQ_CODEC_BROTLI, PQ_CODEC_SNAPPY,
                                 PQ_CODEC_LZ4_RAW, PQ_CODEC_UNCOMPRESSED};

    copied_begin(t, c, k->n_parts ? "out" : "x.parquet", k->n_rows, k->nested);
    if (k->n_parts) {
        copied_partition(c, k->n_parts);
    }
    for (uint32_t i = 0; i < COPIED_COLUMNS; i++) {
        PqChunkOptions *o = &c->columns[i].options;

        o->codec = codecs[(k->spilled ? 5 : i) % PQ_COUNT(codecs)];
        o->page_rows = k->spilled ? 2000 : 100;
        o->page_v2 = i % 2;
        o->modern = i % 3;
        o->bloom = i == 3 || i == 6 ? PQ_BLOOM_ALWAYS : PQ_BLOOM_AUTO;
        o->dictionary = i == 6 ? PQ_DICTIONARY_NEVER : PQ_DICTIONARY_AUTO;
    }
    if (k->spilled) {
        copied_memory(c, k->n_parts ? (size_t)1000 << 10 : (size_t)2600 << 10);
    } else {
        c->plan.row_group_rows = 300;
    }
    how.plaintext_footer = k->plaintext_footer;
    c->plan.encryption = k->sealed ? &how : NULL;
    c->plan.file_rows = k->file_rows;
    c->plan.threads = threads;
}

/* The lowest descriptor that is free. */
static int descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(fd);
    return fd;
}

/* True when the copy passed the nth point. */
static bool fail_one(Test *t, const Kind *k, unsigned threads, int64_t nth)
{
    const int free_before = descriptor();
    bool passed = false;
    Copied c;
    PqRc rc;

    tree_make(k->before);
    prepare(t, &c, k, threads);
    pq_fault_set(nth);
    rc = copied_run(&c, t->e);       /* aborts when memory is left */
    passed = pq_fault_count() >= nth;
    pq_fault_set(0);
    if (rc == PQ_OK) {
        check(t, &c, k);
    } else if (strcmp(tree_text("."), k->before) != 0) {
        test_fail(t, __FILE__, __LINE__, "%s", tree_text("."));
    } else if (!t->e->text[0]) {
        test_fail(t, __FILE__, __LINE__, "an error without a word");
    } else if (!passed) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    if (descriptor() != free_before) {
        test_fail(t, __FILE__, __LINE__, "a descriptor is left open");
    }
    if (t->failed) {
        printf("     %llu rows, %u partitions, %u threads, point %lld\n",
               (unsigned long long)k->n_rows, k->n_parts, threads,
               (long long)nth);
    }
    pq_err_clear(t->e);
    copied_end(&c);
    tree_clear();
    return passed;
}

static void fail_each(Test *t, const Kind *k, unsigned threads, int64_t step)
{
    int64_t nth = threads ? 1 + step / 2 : 1;

    while (!t->failed && fail_one(t, k, threads, nth)) {
        nth += step;
    }
    if (!t->failed && nth < 500) {
        test_fail(t, __FILE__, __LINE__, "%lld points", (long long)nth);
    }
}

TEST(copy_fault, a_failing_point_leaves_what_was_there)
{
    const char *step = getenv("COPY_FAULT_STEP");
    FolderTree d;

    tree_begin(&d, "");
    make_keys(t);
    for (size_t i = 0; i < PQ_COUNT(kinds); i++) {
        for (unsigned threads = 0; threads < 3; threads += 2) {
            fail_each(t, &kinds[i], threads,
                      step ? atoi(step) : kinds[i].step);
        }
    }
    pq_key_ring_free(ring);
    tree_end(&d);
}
