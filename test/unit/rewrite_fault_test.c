/*
** rewrite_fault_test.c - every point of a rewrite fails once: each allocation,
** each read and write, each call of the cipher library.
**
** The rewrite fails with a message, and nothing stays in memory.  Or the point
** does not matter, and the output is complete.  Only some points are tried;
** make fault tries all of them, with COPY_FAULT_STEP=1.
*/
#include "core/crypto/key_ring.h"
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"
#include "test/unit/rewritten.h"

#include <stdlib.h>

typedef struct Kind {
    const char *name;
    unsigned    add, threads;
    uint64_t    min_rows;
    bool        seals, repacks, masks;
    int         step;
} Kind;

static const Kind kinds[] = {
    {.name = "copied", .step = 7},
    {.name = "completed", .step = 19,
     .add = PQ_ADD_PAGE_INDEX | PQ_ADD_BLOOM | PQ_ADD_SIZES},
    {.name = "packed and sealed", .step = 17, .seals = true, .repacks = true},
    {.name = "joined", .step = 29, .min_rows = 1000},
    {.name = "joined by threads", .step = 41, .min_rows = 1000, .threads = 2,
     .masks = true},
};

static PqKeyRing *ring;
static PqEncryption how;

static void make_input(Test *t)
{
    Copied c;

    copied_begin(t, &c, "a.parquet", 600, true);
    c.plan.row_group_rows = 250;
    for (int i = 0; i < COPIED_COLUMNS; i++) {
        c.columns[i].options.page_rows = 100;
        c.columns[i].options.statistics = i % 2;
        c.columns[i].options.page_v2 = i % 3 == 0;
    }
    CHECK_OK(copied_run(&c, t->e));
    copied_end(&c);
    CHECK_OK(pq_key_ring_new(t->mem, &ring, t->e));
    CHECK_OK(pq_key_ring_put(ring, "kf", pq_slice_text("0123456789abcdef"),
                             t->e));
    how = (PqEncryption){.keys = {.ring = ring, .footer_key = "kf"}};
}

static void prepare(Test *t, Rewritten *w, const Kind *k)
{
    rewritten_begin(t, w);
    CHECK_OK(rewritten_input(w, "a.parquet", t->e));
    w->keys = k->seals ? &how.keys : NULL;
    w->plan.encryption = k->seals ? &how : NULL;
    w->plan.repack = k->repacks;
    w->plan.add = k->add;
    w->plan.threads = k->threads;
    w->plan.min_group_rows = k->min_rows;
    for (uint32_t i = 0; i < w->plan.n_columns; i++) {
        w->columns[i].options.codec = PQ_CODEC_SNAPPY;
    }
    if (k->masks) {
        w->columns[3].mask = PQ_MASK_HASH;
        w->columns[3].mask_key = pq_key_ring_find(ring, pq_slice_text("kf"));
    }
}

/* True when the rewrite passed the nth point. */
static bool fail_one(Test *t, const Kind *k, int64_t nth)
{
    bool passed;
    Rewritten w;
    PqRc rc;

    prepare(t, &w, k);
    pq_fault_set(nth);
    rc = rewritten_run(&w, t->e);
    passed = pq_fault_count() >= nth;
    pq_fault_set(0);
    if (pq_mem_used(w.mem) != 0) {
        test_fail(t, __FILE__, __LINE__, "it leaves %zu bytes",
                  pq_mem_used(w.mem));
    } else if (rc == PQ_OK) {
        rewritten_check(t, &w);
    } else if (!passed || !t->e->text[0]) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
    }
    if (t->failed) {
        printf("     %s, point %lld\n", k->name, (long long)nth);
    }
    pq_err_clear(t->e);
    rewritten_end(&w);
    return passed;
}

TEST(rewrite, a_failing_point_leaves_nothing)
{
    const char *step = getenv("COPY_FAULT_STEP");
    FolderTree d;

    tree_begin(&d, "");
    make_input(t);
    for (size_t i = 0; i < PQ_COUNT(kinds) && !t->failed; i++) {
        int64_t nth = 1;

        while (!t->failed && fail_one(t, &kinds[i], nth)) {
            nth += step ? atoi(step) : kinds[i].step;
        }
        if (!t->failed && nth < 100) {
            test_fail(t, __FILE__, __LINE__, "%s: %lld points", kinds[i].name,
                      (long long)nth);
        }
    }
    pq_key_ring_free(ring);
    tree_end(&d);
}
