/*
** versions_test.c - files that are replaced, or written to, while a statement
** reads.
*/
#define _GNU_SOURCE
#include "core/files/versions.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The first byte of the file as v opens it, or 0.  v NULL: of any version. */
static char first(Test *t, PqVersions *v, const char *path)
{
    PqSource *s;
    char out = 0;

    if ((v ? pq_versions_open(v, t->mem, path, &s, t->e)
           : pq_source_open(t->mem, path, &s, t->e)) == PQ_OK) {
        pq_source_read(s, 0, 1, &out, t->e);
        pq_source_close(s);
    }
    return out;
}

static void replace(const char *path, const char *text)
{
    char made[64];

    snprintf(made, sizeof made, "new:%s", text);
    tree_make(made);
    if (rename("new", path) != 0) {
        abort();
    }
}

static void write_over(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        abort();
    }
    close(fd);
}

TEST(versions, a_file_that_was_replaced_is_read_as_it_was)
{
    FolderTree tree;
    PqVersions *v;

    tree_begin(&tree, "f:old g:other");
    CHECK_OK(pq_versions_new(t->mem, NULL, &v, t->e));
    CHECK_INT(first(t, v, "f"), 'o');
    replace("f", "new");
    CHECK_INT(first(t, v, "f"), 'o');
    CHECK_INT(unlink("f"), 0);
    CHECK_INT(first(t, v, "f"), 'o');
    CHECK_INT(first(t, v, "g"), 'o');
    CHECK_OK(t->e->rc);
    pq_versions_free(v);
    tree_end(&tree);
}

TEST(versions, of_many_files_one_that_was_replaced_is_an_error)
{
    FolderTree tree;
    PqVersions *v;
    char path[16];
    int i;

    tree_begin(&tree, "");
    CHECK_OK(pq_versions_new(t->mem, NULL, &v, t->e));
    for (i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "%d:x", i);
        tree_make(path);
        snprintf(path, sizeof path, "%d", i);
        CHECK_INT(first(t, v, path), 'x');
    }
    for (i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "%d", i);
        CHECK_INT(first(t, v, path), 'x');
    }
    CHECK_OK(t->e->rc);
    replace("99", "y");
    CHECK_INT(first(t, v, "99"), 0);
    CHECK(t->e->rc == PQ_CHANGED);
    CHECK(strstr(t->e->text, "99: the file was written to") != NULL);
    pq_err_clear(t->e);
    replace("0", "y");
    CHECK_INT(first(t, v, "0"), 'x');
    CHECK_INT(first(t, NULL, "0"), 'y');
    pq_versions_free(v);
    tree_end(&tree);
}

/* Even if it is overwritten right after it was made. */
TEST(versions, nothing_is_read_of_a_file_that_was_written_over)
{
    FolderTree tree;
    PqSource *s;
    char got;
    int i;

    tree_begin(&tree, "");
    for (i = 0; i < 50; i++) {
        replace("f", "old");
        CHECK_OK(pq_source_open(t->mem, "f", &s, t->e));
        CHECK_OK(pq_source_read(s, 0, 1, &got, t->e));
        CHECK_INT(got, 'o');
        write_over("f", "new");
        CHECK_FAILS(pq_source_read(s, 0, 1, &got, t->e), PQ_CHANGED,
                    "f: the file was written to while it was read");
        pq_source_close(s);
    }
    tree_end(&tree);
}
