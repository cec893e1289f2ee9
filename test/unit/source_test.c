/*
** source_test.c - files give their descriptor back, and are opened again.
*/
#define _GNU_SOURCE
#include "core/base/source.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <stdio.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static const char *first_four(Test *t, PqSource *s)
{
    static char out[5];

    memset(out, 0, sizeof out);
    return pq_source_read(s, 0, 4, out, t->e) == PQ_OK ? out : t->e->text;
}

TEST(source, that_gave_its_descriptor_back_is_opened_again)
{
    FolderTree dir;
    PqSource *s = NULL;

    tree_begin(&dir, "");
    put("a", "abcd");
    CHECK_OK(pq_source_open(t->mem, "a", &s, t->e));
    CHECK(pq_source_make_room());
    CHECK(!pq_source_make_room());           /* there is nothing left to give */
    CHECK_TEXT(first_four(t, s), "abcd");
    CHECK(pq_source_make_room());
    CHECK_OK(pq_source_check(s, t->e));
    CHECK(pq_source_make_room());
    pq_source_close(s);
    CHECK(!pq_source_make_room());
    tree_end(&dir);
}

TEST(source, that_is_another_file_when_it_is_opened_again_has_changed)
{
    static const char says[] = "written to while it was read";
    FolderTree dir;
    PqSource *s = NULL;

    tree_begin(&dir, "");
    put("a", "abcd");
    CHECK_OK(pq_source_open(t->mem, "a", &s, t->e));
    CHECK(pq_source_make_room());
    put("b", "efgh");
    CHECK(rename("b", "a") == 0);
    CHECK(strstr(first_four(t, s), says) != NULL);
    CHECK_INT(t->e->rc, PQ_CHANGED);
    pq_err_clear(t->e);
    CHECK(unlink("a") == 0);
    CHECK_FAILS(pq_source_check(s, t->e), PQ_CHANGED, says);
    pq_source_close(s);
    tree_end(&dir);
}
