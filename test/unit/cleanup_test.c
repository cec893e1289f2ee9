/*
** cleanup_test.c - what an interrupted copy made is removed in the background.
*/
#define _GNU_SOURCE
#include "core/write/cleanup.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <dirent.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 100 };

/* Holds the removal until the test allows it.  There is a time limit, since a
** failed test may never allow it. */
static atomic_bool may_give_up;

static void hold(const char *step)
{
    int ms = strcmp(step, "give up") ? 0 : 600000;

    while (ms-- > 0 && !may_give_up) {
        usleep(1000);
    }
}

static void hold_back(void)
{
    may_give_up = false;
    pq_publish_step_hook = hold;
}

static void let_go(void)
{
    may_give_up = true;
}

static PqRc begin_many(Test *t, PqPublish **p, PqSink **scratch)
{
    static const char *const columns[] = {"k"};
    PqPublishPlan plan = {.target = "out", .is_folder = true,
                          .folder_columns = columns, .n_folder_columns = 1,
                          .overwrite = PQ_OVERWRITE_REPLACE};
    char name[40];
    bool taken;
    PqSink *s;

    *p = NULL;
    PQ_TRY(pq_publish_open(t->mem, &plan, p, t->e));
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "k=%d/data_0.parquet", i);
        PQ_TRY(pq_publish_file(*p, name, &taken, &s, t->e));
        PQ_TRY(pq_sink_write(s, "half", 4, t->e));
        PQ_TRY(pq_sink_pause(s, t->e));
    }
    return pq_sink_scratch(t->mem, ".", scratch, t->e);
}

static int open_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    while (d && readdir(d)) {
        n++;
    }
    if (d) {
        closedir(d);
    }
    return n;
}

TEST(cleanup, the_caller_does_not_wait_and_all_goes_nevertheless)
{
    PqPublish *p;
    PqSink *scratch;
    PqCleanup *r;
    FolderTree d;
    int before;

    tree_begin(&d, "out/k=1/data_0.parquet:old");
    before = open_descriptors();
    CHECK_OK(begin_many(t, &p, &scratch));
    CHECK(open_descriptors() > before);
    hold_back();
    r = pq_cleanup(t->mem, p, scratch, NULL, 10);
    CHECK(r && strstr(tree_text("."), "half"));
    let_go();
    pq_cleanup_wait(r);
    CHECK_TEXT(tree_text("."), "out/k=1/data_0.parquet:old");
    CHECK_INT(open_descriptors(), before);
    tree_end(&d);
}

TEST(cleanup, what_is_done_in_time_needs_no_waiting)
{
    PqPublish *p;
    PqSink *scratch;
    FolderTree d;

    tree_begin(&d, "x:1");
    CHECK_OK(begin_many(t, &p, &scratch));
    CHECK(pq_cleanup(t->mem, p, scratch, NULL, 600000) == NULL);
    CHECK_TEXT(tree_text("."), "x:1");
    CHECK(pq_cleanup(t->mem, NULL, NULL, NULL, 600000) == NULL);
    tree_end(&d);
}

TEST(cleanup, one_that_is_not_done_is_part_of_the_next)
{
    PqPublish *p;
    PqSink *scratch;
    PqCleanup *r;
    FolderTree d;

    tree_begin(&d, "x:1");
    CHECK_OK(begin_many(t, &p, &scratch));
    hold_back();
    r = pq_cleanup(t->mem, p, scratch, NULL, 0);
    CHECK(r && !pq_cleanup_wait_for(r, 5));
    r = pq_cleanup(t->mem, NULL, NULL, r, 0);
    CHECK(r && !pq_cleanup_wait_for(r, 5));
    let_go();
    CHECK(pq_cleanup_wait_for(r, 600000));
    CHECK_TEXT(tree_text("."), "x:1");
    tree_end(&d);
}

/* After a fork, only the parent removes the files. */
TEST(cleanup, a_child_that_was_forked_meanwhile_neither_waits_nor_removes)
{
    int status = -1;
    PqPublish *p;
    PqSink *scratch;
    PqCleanup *r;
    FolderTree d;
    pid_t child;

    tree_begin(&d, "x:1");
    CHECK_OK(begin_many(t, &p, &scratch));
    hold_back();
    r = pq_cleanup(t->mem, p, scratch, NULL, 0);
    child = fork();
    if (child == 0) {
        alarm(600);                  /* a hang is a failure, too */
        pq_cleanup_wait(r);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    CHECK(strstr(tree_text("."), "half"));
    let_go();
    pq_cleanup_wait(r);
    CHECK_TEXT(tree_text("."), "x:1");
    tree_end(&d);
}

TEST(cleanup, without_memory_it_is_done_at_once)
{
    PqPublish *p;
    PqSink *scratch;
    PqMem *none = pq_mem_new(1);
    FolderTree d;

    CHECK(none != NULL);
    tree_begin(&d, "x:1");
    CHECK_OK(begin_many(t, &p, &scratch));
    CHECK(pq_cleanup(none, p, scratch, NULL, 0) == NULL);
    CHECK_TEXT(tree_text("."), "x:1");
    tree_end(&d);
    pq_mem_release(none);
}
