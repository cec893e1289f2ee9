/*
** publish_journal_test.c - files that are replaced by files with the same rows: whatever
** stops that, each row is there once, after the next copy into the folder.
*/
#define _GNU_SOURCE
#include "core/files/listing.h"
#include "core/write/publish.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BEFORE "d/x=1/a:1 d/x=1/b:2 d/x=1/other:k d/x=2/c:3 d/x=2/e:4"
#define AFTER "d/x=1/data_0.parquet:12 d/x=1/other:k d/x=2/data_0.parquet:34"

static PqRc reads(PqPublish *p, PqMem *mem, const char *path, PqErr *e)
{
    PqSource *s = NULL;

    if (pq_source_open(mem, path, &s, e) == PQ_OK) {
        pq_publish_reads(p, path, pq_source_id(s), e);
    }
    pq_source_close(s);
    return e->rc;
}

static PqRc put(PqPublish *p, const char *name, const char *content, PqErr *e)
{
    bool taken;
    PqSink *s;

    PQ_TRY(pq_publish_file(p, name, &taken, &s, e));
    if (taken) {
        return pq_fail(e, PQ_USAGE, "%s is taken", name);
    }
    PQ_TRY(pq_sink_write(s, content, strlen(content), e));
    return pq_publish_done(p, s, e);
}

static PqRc open_folder(PqMem *mem, const char *target, PqPublish **out, PqErr *e)
{
    PqPublishPlan plan = {.target = target, .is_folder = true,
                          .overwrite = PQ_OVERWRITE_APPEND};

    return pq_publish_open(mem, &plan, out, e);
}

static PqRc replace(PqMem *mem, PqErr *e)
{
    PqPublish *p = NULL;
    PqRc rc;

    PQ_GO(open_folder(mem, "d", &p, e));
    PQ_GO(reads(p, mem, "d/x=1/a", e));
    PQ_GO(reads(p, mem, "d/x=1/b", e));
    PQ_GO(put(p, "x=1/data_0.parquet", "12", e));
    PQ_GO(reads(p, mem, "d/x=2/c", e));
    PQ_GO(reads(p, mem, "d/x=2/e", e));
    PQ_GO(put(p, "x=2/data_0.parquet", "34", e));
    PQ_GO(pq_publish_commit(p, e));
done:
    pq_publish_free(p);
    return rc;
}

TEST(publish_journal, files_that_were_read_go_and_others_stay)
{
    FolderTree d;

    tree_begin(&d, BEFORE);
    CHECK_OK(replace(t->mem, t->e));
    CHECK_TEXT(tree_text("."), AFTER);
    tree_end(&d);
}

TEST(publish_journal, a_failing_point_leaves_all_old_or_all_new)
{
    FolderTree d;
    int64_t nth = 0;
    bool passed = false;

    tree_begin(&d, "");
    for (; !passed && nth < 10000; tree_clear()) {
        PqRc rc;

        tree_make(BEFORE);
        pq_fault_set(++nth);
        rc = replace(t->mem, t->e);
        passed = pq_fault_count() < nth;
        pq_fault_set(0);
        CHECK_TEXT(tree_text("."), rc == PQ_OK ? AFTER : BEFORE);
        pq_err_clear(t->e);
    }
    CHECK(nth > 40 && passed);
    tree_end(&d);
}

/* ---- the end of the process ---------------------------------------------------- */

static int steps_left;

static void die_here(const char *step)
{
    if (--steps_left == 0) {
        raise(SIGKILL);
    }
}

static bool replace_and_die(int step)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        PqErr e;

        pq_err_init(&e);
        steps_left = step;
        pq_publish_step_hook = die_here;
        _exit(replace(pq_mem_new(1 << 24), &e) == PQ_OK ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* The next copy into the folder, which is given up, from another working directory. */
static PqRc clean(PqMem *mem, PqErr *e)
{
    PqPublish *p = NULL;
    char here[4096];

    if (!getcwd(here, sizeof here) || chdir("/") != 0) {
        return pq_fail(e, PQ_IO, "cannot change the folder");
    }
    strcat(here, "/d");
    if (open_folder(mem, here, &p, e) == PQ_OK) {
        pq_publish_free(p);
    }
    here[strlen(here) - 2] = 0;
    return chdir(here) == 0 ? e->rc : pq_fail(e, PQ_IO, "cannot change the folder back");
}

TEST(publish_journal, after_a_kill_the_next_copy_leaves_each_row_once)
{
    int step, n_before = 0, n_after = 0;
    FolderTree d;

    tree_begin(&d, "");
    tree_make(BEFORE);
    for (step = 1; replace_and_die(step); step++) {
        bool is_new;

        CHECK_OK(clean(t->mem, t->e));
        is_new = strstr(tree_text("."), "data_0") != NULL;
        n_before += !is_new;
        n_after += is_new;
        CHECK_TEXT(tree_text("."), is_new ? AFTER : BEFORE);
        tree_clear();
        tree_make(BEFORE);
    }
    CHECK(step > 8 && n_before > 3 && n_after > 3);
    CHECK_TEXT(tree_text("."), AFTER);
    tree_end(&d);
}

/* ---- readers --------------------------------------------------------------------- */

static int by_byte(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* The bytes of all files that the pattern lists, sorted. */
static const char *rows_of(PqMem *mem, const char *pattern, PqErr *e)
{
    static char rows[100];
    size_t n = 0;
    PqListing l;

    if (pq_listing_make(pattern, 0, NULL, mem, NULL, &l, e) != PQ_OK) {
        return e->text;
    }
    for (uint32_t i = 0; i < l.n_files; i++) {
        FILE *f = fopen(l.files[i].path, "r");

        n += f ? fread(rows + n, 1, sizeof rows - 1 - n, f) : 0;
        f ? fclose(f) : 0;
    }
    qsort(rows, n, 1, by_byte);
    rows[n] = 0;
    pq_listing_free(&l);
    return rows;
}

TEST(publish_journal, a_reader_sees_each_row_once_after_a_kill)
{
    FolderTree d;

    tree_begin(&d, "");
    tree_make(BEFORE);
    for (int step = 1; replace_and_die(step); step++) {
        CHECK_TEXT(rows_of(t->mem, "d/*/[!o]*", t->e), "1234");
        CHECK_TEXT(rows_of(t->mem, "d/x=1/[!o]*", t->e), "12");
        tree_clear();
        tree_make(BEFORE);
    }
    tree_end(&d);
}

static PqMem *of_reader;
static int n_wrong;

static void read_here(const char *step)
{
    PqErr e;

    (void)step;
    pq_err_init(&e);
    n_wrong += strcmp(rows_of(of_reader, "d/*/[!o]*", &e), "1234") != 0;
    n_wrong += strcmp(rows_of(of_reader, "d/x=2/*", &e), "34") != 0;
}

TEST(publish_journal, a_reader_sees_each_row_once_at_each_step)
{
    FolderTree d;

    tree_begin(&d, BEFORE);
    of_reader = t->mem;
    n_wrong = 0;
    pq_publish_step_hook = read_here;
    CHECK_OK(replace(t->mem, t->e));
    pq_publish_step_hook = NULL;
    CHECK_TEXT(rows_of(t->mem, "d/*/[!o]*", t->e), "1234");
    CHECK(n_wrong == 0);
    tree_end(&d);
}

/* Somebody took the name of a file that goes, before the next copy cleans up. */
TEST(publish_journal, a_reader_sees_a_later_file_of_a_name_that_goes)
{
    FolderTree d;

    tree_begin(&d, "");
    for (int step = 1; step < 30; step++) {
        tree_make(BEFORE);
        replace_and_die(step);
        CHECK(system("mv d/x=1/a kept 2>/dev/null; echo -n 9 > d/x=1/a") == 0);
        CHECK(strchr(rows_of(t->mem, "d/x=1/*", t->e), '9'));
        tree_clear();
    }
    tree_end(&d);
}

/* ---- somebody else --------------------------------------------------------------- */

static const char *at_step, *does;

static void somebody_else(const char *step)
{
    if (at_step && strcmp(step, at_step) == 0) {
        at_step = NULL;
        if (system(does) != 0) {
            abort();
        }
    }
}

TEST(publish_journal, a_file_that_changed_since_it_was_read_is_an_error)
{
    static const struct { const char *step, *does, *after; } cases[] = {
        {"list", "echo -n 9 > d/x=1/z; mv d/x=1/z d/x=1/b",
         "d/x=1/a:1 d/x=1/b:9 d/x=1/other:k d/x=2/c:3 d/x=2/e:4"},
        {"hide", "rm d/x=2/e", "d/x=1/a:1 d/x=1/b:2 d/x=1/other:k d/x=2/c:3"},
        {"rename", "echo -n 5 > d/x=1/b", "d/x=1/a:1 d/x=1/b:5 d/x=1/other:k d/x=2/c:3 d/x=2/e:4"},
    };
    FolderTree d;

    tree_begin(&d, "");
    pq_publish_step_hook = somebody_else;
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        tree_make(BEFORE);
        at_step = cases[i].step;
        does = cases[i].does;
        CHECK(replace(t->mem, t->e) == PQ_CHANGED);
        CHECK(strstr(t->e->text, "run this again"));
        CHECK_TEXT(tree_text("."), cases[i].after);
        pq_err_clear(t->e);
        tree_clear();
    }
    pq_publish_step_hook = NULL;
    tree_end(&d);
}

TEST(publish_journal, a_file_that_is_added_meanwhile_stays)
{
    FolderTree d;

    tree_begin(&d, BEFORE);
    pq_publish_step_hook = somebody_else;
    at_step = "rename";
    does = "echo -n 7 > d/x=1/data_0.parquet";
    CHECK_OK(replace(t->mem, t->e));
    pq_publish_step_hook = NULL;
    CHECK_TEXT(tree_text("."), "d/x=1/data_0.parquet:7 d/x=1/data_1.parquet:12 d/x=1/other:k "
                               "d/x=2/data_0.parquet:34");
    tree_end(&d);
}

/* What somebody wrote into a lock file moves nothing outside of the folder, and nothing
** that is another file now. */
TEST(publish_journal, a_hostile_journal_removes_nothing)
{
    struct stat st;
    char text[400];
    FolderTree d;

    tree_begin(&d, "d/x:1 out:2");
    CHECK(stat("out", &st) == 0);
    snprintf(text, sizeof text, "printf -- '- %llu %lld %ld %lld ../out\\n- 1 2 3 1 x\\n- \\ndone\\n'"
             " > d/.parquet-folder.0123456789abcdef.lock", (unsigned long long)st.st_ino,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_size);
    CHECK(system(text) == 0);
    CHECK_OK(clean(t->mem, t->e));
    CHECK_TEXT(tree_text("."), "d/x:1 out:2");
    tree_end(&d);
}
