/*
** rewrite_test.c - files made of files: whatever way chunks go, the values are
** those of the inputs, and the output is true.
*/
#define _GNU_SOURCE
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
    const char *root = getenv("PARQUET_TESTING");
    char path[1024];

    snprintf(path, sizeof path, "%s/data",
             root ? root : "../shared/parquet-testing");
    for (size_t i = 0; i < PQ_COUNT(ways); i++) {
        if (strcmp(ways[i].name, way) == 0) {
            check_folder(t, "test/samples", &ways[i]);
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
