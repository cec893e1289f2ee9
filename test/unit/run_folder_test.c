/*
** run_folder_test.c - the folder of a run of an archive: which paths are below one, and
** that nothing else is removed.
*/
#define _GNU_SOURCE                  /* symlink */
#include "core/base/digest.h"
#include "core/write/run_folder.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <stdio.h>
#include <unistd.h>

#define RUN "e-20240101T101010-0123456789abcdef"

static size_t of(const char *path)
{
    return pq_run_folder_of(path);
}

TEST(run_folder, a_path_is_below_a_run_or_not)
{
    CHECK_INT(of("/cold/" RUN "/x=1/a.parquet"), strlen("/cold/" RUN));
    CHECK_INT(of("/" RUN), strlen("/" RUN));
    CHECK_INT(of("/" RUN "/"), strlen("/" RUN));
    CHECK_INT(of("cold/" RUN "/a.parquet"), 0);
    CHECK_INT(of("/cold/" RUN "/../../etc/a.parquet"), 0);
    CHECK_INT(of("/cold/" RUN "0/a.parquet"), 0);
    CHECK_INT(of("/cold/e-20240101T101010-0123456789ABCDEF/a.parquet"), 0);
    CHECK_INT(of("/cold/a.parquet"), 0);
    CHECK_INT(of("s3://b/cold/" RUN "/x=1/a.parquet"), strlen("s3://b/cold/" RUN));
    CHECK_INT(of("s3://b/" RUN), strlen("s3://b/" RUN));
    CHECK_INT(of("s3://" RUN "/a.parquet"), 0);
    CHECK_INT(of("s3://" RUN), 0);
    CHECK_INT(of("s3://b/cold/" RUN "/../a.parquet"), 0);
    CHECK_INT(of("https://b/cold/" RUN "/a.parquet"), 0);
    CHECK_INT(of("/"), 0);
    CHECK_INT(of(""), 0);
}

TEST(run_folder, a_name_is_of_its_own_shape)
{
    const char *first, *second;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_run_folder_name(NULL, &a, "/cold//", "a/b ü'", &first, t->e));
    CHECK_OK(pq_run_folder_name(NULL, &a, "cold", "", &second, t->e));
    CHECK_INT(strncmp(first, "/cold/a-b-----2", 15), 0);
    CHECK_INT(of(first), strlen(first));
    CHECK(second[0] == '/' && strstr(second, "/cold/-2"));
    CHECK_INT(of(second), strlen(second));
    pq_arena_free(&a);
}

TEST(run_folder, only_what_is_below_a_run_is_removed)
{
    char path[600];
    FolderTree tree;

    tree_begin(&tree, RUN "/x=1/a.parquet:1 " RUN "/x=1/b.parquet:2 " RUN "/x=2/c.parquet:3 "
                      RUN "/.lock:4 other/a.parquet:5");
    CHECK_INT(symlink("other", "f-20240101T101010-0123456789abcdef"), 0);
    snprintf(path, sizeof path, "%s/f-20240101T101010-0123456789abcdef", tree.root);
    CHECK(!pq_run_folder_remove(NULL, path));
    CHECK_INT(unlink(path), 0);
    snprintf(path, sizeof path, "%s/other/a.parquet", tree.root);
    CHECK(!pq_run_folder_remove(NULL, path));
    snprintf(path, sizeof path, "%s/" RUN "/x=2/c.parquet", tree.root);
    CHECK(pq_run_folder_remove(NULL, path));
    CHECK(pq_run_folder_remove(NULL, path));
    CHECK_TEXT(tree_text("."), RUN "/.lock:4 " RUN "/x=1/a.parquet:1 " RUN "/x=1/b.parquet:2 "
                               "other/a.parquet:5");
    snprintf(path, sizeof path, "%s/" RUN, tree.root);
    CHECK(pq_run_folder_remove(NULL, path));
    CHECK(pq_run_folder_remove(NULL, path));
    CHECK_TEXT(tree_text("."), "other/a.parquet:5");
    tree_end(&tree);
}

TEST(run_folder, the_digest_is_sha_256)
{
    char digest[PQ_DIGEST_TEXT];
    PqSource *s;

    CHECK_OK(pq_source_open_memory(t->mem, "abc", pq_slice("abc", 3), &s, t->e));
    CHECK_OK(pq_digest_source(s, digest, t->e));
    CHECK_TEXT(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    pq_source_close(s);
}
