/*
** publish_fault_test.c - at every point, a copy fails once, is interrupted
** once, and is killed once.
**
** Afterwards all files are old or all are new, and there are no others.  After
** a killed copy into a folder, each file is old or new, and the next copy
** removes all others.
*/
#define _GNU_SOURCE
#include "core/write/publish.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD "PAR1.old.PAR1"          /* what a Parquet file looks like */
#define META "PAR1.meta.PAR1"

/* A copy, with the files before and after it. */
typedef struct Copy {
    const char *target;
    bool        is_folder;
    PqOverwrite overwrite;
    uint32_t    n_columns;           /* of a and b                        */
    const char *names;               /* of the files, each holds "new" */
    const char *before, *after;
    bool        has_beside;          /* each file has key material, "{new" */
} Copy;

static const Copy copies[] = {
    {"d/a", false, PQ_OVERWRITE_ERROR, 0, "a", "d/b:b", "d/a:new d/b:b", false},
    {"d/a", false, PQ_OVERWRITE_REPLACE, 0, "a", "d/a:old d/b:b",
     "d/a:new d/b:b", false},
    {"d/a", false, PQ_OVERWRITE_REPLACE, 0, "a", "d/.a.crc:crcsum d/a:old",
     "d/a:new", false},
    {"d/a", false, PQ_OVERWRITE_PARQUET, 0, "a", "d/a:" OLD " d/b:b",
     "d/a:new d/b:b", false},
    {"out", true, PQ_OVERWRITE_ERROR, 2,
     "a=1/b=1/data_0.parquet a=2/b=3/data_0.parquet", "b:b",
     "b:b out/a=1/b=1/data_0.parquet:new out/a=2/b=3/data_0.parquet:new", false},
    {"x/y//out/", true, PQ_OVERWRITE_ERROR, 0, "data_0.parquet", "b:b x/b:b",
     "b:b x/b:b x/y/out/data_0.parquet:new", false},
    {"out", true, PQ_OVERWRITE_APPEND, 1,
     "a=1/data_1.parquet a=2/data_0.parquet",
     "out/_metadata:" META " out/a=1/data_0.parquet:old",
     "out/a=1/data_0.parquet:old out/a=1/data_1.parquet:new "
     "out/a=2/data_0.parquet:new", false},
    {"out", true, PQ_OVERWRITE_REPLACE, 2,
     "a=1/b=1/data_0.parquet a=3/b=1/data_1.parquet",
     "out/_metadata:" META " out/a=1/b=1/.data_0.parquet.crc:crcsum "
     "out/a=1/b=1/data_0.parquet:old out/a=1/b=1/data_7.parquet:old "
     "out/a=2/b=1/data_0.parquet:old out/b:b",
     "out/a=1/b=1/data_0.parquet:new out/a=3/b=1/data_1.parquet:new "
     "out/b:b", false},
    {"out", true, PQ_OVERWRITE_PARTITIONS, 2,
     "a=1/b=1/data_0.parquet a=3/b=1/data_1.parquet",
     "out/_metadata:" META " out/a=%31/b=1/data_0.parquet:" OLD " "
     "out/a=1/b=1/data_0.parquet:old out/a=1/b=1/data_7.parquet:old "
     "out/a=2/b=1/data_0.parquet:old out/b:b",
     "out/a=1/b=1/data_0.parquet:new out/a=2/b=1/data_0.parquet:old "
     "out/a=3/b=1/data_1.parquet:new out/b:b", false},
};

/* With files beside their own, and in the place of such. */
#define BESIDE "_KEY_MATERIAL_FOR_"
static const Copy besides[] = {
    {"d/a", false, PQ_OVERWRITE_ERROR, 0, "a", "d/b:b",
     "d/" BESIDE "a.json:{new d/a:new d/b:b", true},
    {"d/a", false, PQ_OVERWRITE_REPLACE, 0, "a", "d/a:old d/b:b",
     "d/" BESIDE "a.json:{new d/a:new d/b:b", true},
    {"d/a", false, PQ_OVERWRITE_REPLACE, 0, "a",
     "d/" BESIDE "a.json:{old d/" BESIDE "b.json:{old d/a:old d/b:b",
     "d/" BESIDE "b.json:{old d/a:new d/b:b", false},
    {"out", true, PQ_OVERWRITE_APPEND, 1,
     "a=1/data_1.parquet a=2/data_0.parquet",
     "out/a=1/" BESIDE "data_0.parquet.json:{old out/a=1/data_0.parquet:old",
     "out/a=1/" BESIDE "data_0.parquet.json:{old "
     "out/a=1/" BESIDE "data_1.parquet.json:{new out/a=1/data_0.parquet:old "
     "out/a=1/data_1.parquet:new out/a=2/" BESIDE "data_0.parquet.json:{new "
     "out/a=2/data_0.parquet:new", true},
    {"out", true, PQ_OVERWRITE_REPLACE, 0, "data_1.parquet",
     "out/" BESIDE "data_0.parquet.json:{old out/" BESIDE "x.parquet.json:{old "
     "out/data_0.parquet:old",
     "out/" BESIDE "data_1.parquet.json:{new out/" BESIDE "x.parquet.json:{old "
     "out/data_1.parquet:new", true},
    {"out", true, PQ_OVERWRITE_REPLACE, 0, "data_0.parquet",
     "out/" BESIDE "data_0.parquet.json:{old out/" BESIDE "data_1.parquet.json:"
     "{old out/data_0.parquet:old out/data_1.parquet:old",
     "out/data_0.parquet:new", false},
};

static PqRc put(PqPublish *p, const char *name, bool has_beside, PqErr *e)
{
    bool taken;
    PqSink *s;

    PQ_TRY(pq_publish_file(p, name, &taken, &s, e));
    if (taken) {
        return pq_fail(e, PQ_USAGE, "%s is taken", name);
    }
    PQ_TRY(pq_sink_write(s, "n", 1, e));
    PQ_TRY(pq_sink_flush(s, e));
    PQ_TRY(pq_sink_write(s, "ew", 2, e));
    if (has_beside) {
        PQ_TRY(pq_publish_beside(p, s, pq_slice("{new", 4), e));
    }
    return pq_publish_done(p, s, e);
}

static PqRc run(const Copy *c, PqMem *mem, const PqStop *stop, PqErr *e)
{
    static const char *const columns[] = {"a", "b"};
    PqPublishPlan plan = {.target = c->target, .is_folder = c->is_folder,
                          .overwrite = c->overwrite, .folder_columns = columns,
                          .n_folder_columns = c->n_columns,
                          .has_beside = c->has_beside, .stop = stop};
    const char *names = c->names;
    PqPublish *p = NULL;
    char name[100];
    size_t n;
    PqRc rc;

    PQ_GO(pq_publish_open(mem, &plan, &p, e));
    for (; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        PQ_GO(put(p, c->is_folder ? name : NULL, c->has_beside, e));
    }
    PQ_GO(pq_publish_commit(p, e));
done:
    pq_publish_free(p);
    return rc;
}

/* The lowest descriptor that is free. */
static int descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    close(fd);
    return fd;
}

/* Fails the points of c one after the other, until a run passes none. */
static void fail_each(Test *t, const Copy *c)
{
    const int free_before = descriptor();
    int64_t nth = 0;
    PqRc rc;

    do {
        tree_make(c->before);
        pq_fault_set(++nth);
        rc = run(c, t->mem, NULL, t->e);
        bool passed = pq_fault_count() < nth;
        pq_fault_set(0);
        CHECK_TEXT(tree_text("."), rc == PQ_OK ? c->after : c->before);
        CHECK(rc == PQ_OK || t->e->text[0]);
        CHECK_INT(pq_mem_used(t->mem), 0);
        CHECK_INT(descriptor(), free_before);
        pq_err_clear(t->e);
        tree_clear();
        if (passed) {
            break;
        }
    } while (nth < 10000);
    CHECK(nth > 20 && nth < 10000);
}

static void fail_all(Test *t)
{
    for (size_t i = 0; i < PQ_COUNT(copies) && !t->failed; i++) {
        fail_each(t, &copies[i]);
    }
    for (size_t i = 0; i < PQ_COUNT(besides) && !t->failed; i++) {
        fail_each(t, &besides[i]);
    }
}

TEST(publish_fault, a_failing_point_leaves_all_old_or_all_new_and_no_litter)
{
    FolderTree d;

    tree_begin(&d, "");
    fail_all(t);
    tree_end(&d);
}

/* From now on the process is on a file system where two names cannot change places.
** False: this system cannot do so. */
static bool refuse_exchange(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, RENAME_EXCHANGE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {PQ_COUNT(steps), steps};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

TEST(publish_fault, without_exchange_a_failing_point_leaves_the_same)
{
    enum { CANNOT = 77 };
    FolderTree d;
    pid_t child;
    int status;

    tree_begin(&d, "");
    child = fork();
    if (child == 0) {
        if (!refuse_exchange()) {
            _exit(CANNOT);
        }
        fail_all(t);
        _exit(t->failed);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT) {
        t->skipped = "no filters of system calls";
    } else {
        CHECK_INT(WEXITSTATUS(status), 0);
    }
    tree_end(&d);
}

/* --- interrupts ------------------------------------------------------------------- */

static bool count_down(void *arg)
{
    int *left = arg;

    return --*left == 0;
}

TEST(publish_fault, an_interrupt_leaves_everything_as_it_was)
{
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(copies); i++) {
        int asked = 0, stopped = 0, left;
        do {
            PqStop stop = {count_down, &left};
            PqRc rc;

            left = ++asked;
            tree_make(copies[i].before);
            rc = run(&copies[i], t->mem, &stop, t->e);
            CHECK(rc == PQ_OK || (rc == PQ_STOPPED && left <= 0));
            stopped += rc == PQ_STOPPED;
            CHECK_TEXT(tree_text("."),
                       rc == PQ_OK ? copies[i].after : copies[i].before);
            pq_err_clear(t->e);
            tree_clear();
        } while (left <= 0);
        CHECK(stopped >= 3);
    }
    tree_end(&d);
}

/* --- the end of the process ---------------------------------------------------------- */

static int steps_left;

static void die_here(const char *step)
{
    if (--steps_left == 0) {
        raise(SIGKILL);
    }
}

/* True when it was killed. */
static bool run_and_die(const Copy *c, int step)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        PqMem *mem = pq_mem_new(1 << 24);
        PqErr e;
        pq_err_init(&e);
        steps_left = step;
        pq_publish_step_hook = die_here;
        _exit(mem && run(c, mem, NULL, &e) == PQ_OK ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* Is every file with a final name complete? */
static bool is_whole(const char *tree)
{
    char text[TREE_TEXT], *word, *state;

    snprintf(text, sizeof text, "%s", tree);
    for (word = strtok_r(text, " ", &state); word;
         word = strtok_r(NULL, " ", &state)) {
        const char *slash = strrchr(word, '/');
        const char *name = slash ? slash + 1 : word;
        const char *colon = strchr(word, ':');
        if (*name != '.' && colon && strcmp(colon, ":new") != 0 &&
            strcmp(colon, ":old") != 0 && strcmp(colon, ":b") != 0 &&
            strcmp(colon, ":" OLD) != 0 && strcmp(colon, ":" META) != 0) {
            return false;
        }
    }
    return true;
}

TEST(publish_fault, a_killed_copy_leaves_whole_files_and_the_next_one_cleans)
{
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(copies); i++) {
        Copy again = copies[i];
        int step = 1;

        if (again.overwrite != PQ_OVERWRITE_PARTITIONS) {
            again.overwrite = PQ_OVERWRITE_REPLACE;
        }
        for (tree_make(again.before); run_and_die(&copies[i], step); step++) {
            CHECK(strstr(tree_text("."), ".lock:"));
            CHECK(is_whole(tree_text(".")));
            if (!again.is_folder) {
                CHECK(strstr(tree_text("."), "a:old") ||
                      strstr(tree_text("."), "a:" OLD) ||
                      strstr(tree_text("."), "a:new") ||
                      !strstr(again.before, "d/a:"));
            }
            CHECK_OK(run(&again, t->mem, NULL, t->e));
            CHECK(!strstr(tree_text("."), ".lock:"));
            CHECK(!strstr(tree_text("."), ".tmp:"));
            if (copies[i].overwrite != PQ_OVERWRITE_APPEND) {
                CHECK_TEXT(tree_text("."), copies[i].after);
            }
            tree_clear();
            tree_make(again.before);
        }
        CHECK(step > 4);
        CHECK_TEXT(tree_text("."), copies[i].after);
        tree_clear();
    }
    tree_end(&d);
}

/* Of the word of the tree that ends with name: what the file holds, "" if it is
** not there. */
static const char *held(const char *tree, const char *name)
{
    const char *at = tree ? strstr(tree, name) : NULL;

    while (at && at != tree && at[-1] != '/') {
        at = strstr(at + 1, name);
    }
    return at ? at + strlen(name) : "";
}

/* Does each data file have the key material that it was written with?  A new one of
** a copy without has none. */
static bool has_its_own(const char *tree, const char *name, bool has_beside)
{
    char file[100], beside[100];
    const char *is, *material;

    snprintf(file, sizeof file, "%s:", name);
    snprintf(beside, sizeof beside, BESIDE "%s.json:", name);
    is = held(tree, file);
    material = held(tree, beside);
    return !strncmp(is, "new", 3)   ? !has_beside || !strncmp(material, "{new", 4)
           : !strncmp(is, "old", 3) ? has_beside || !strncmp(material, "{old", 4)
                                    : true;
}

TEST(publish_fault, a_killed_copy_leaves_each_file_its_key_material)
{
    static const char *const names[] = {"a", "data_0.parquet", "data_1.parquet"};
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(besides); i++) {
        const Copy *c = &besides[i];
        int step = 1;

        for (tree_make(c->before); run_and_die(c, step); step++) {
            for (size_t k = 0; k < PQ_COUNT(names); k++) {
                CHECK(has_its_own(tree_text(c->is_folder ? "out" : "d"), names[k],
                                  c->has_beside));
            }
            tree_clear();
            tree_make(c->before);
        }
        CHECK(step > 4);
        CHECK_TEXT(tree_text("."), c->after);
        tree_clear();
    }
    tree_end(&d);
}

/* --- no space ------------------------------------------------------------------------ */

/* A limit on the size of files stands for a full disk; SIGXFSZ would end the
** process. */
TEST(publish_fault, a_file_that_cannot_grow_leaves_the_old_one)
{
    PqPublishPlan plan = {.target = "a", .overwrite = PQ_OVERWRITE_REPLACE};
    char *big = calloc(1, 1 << 20);
    struct rlimit before, now;
    PqPublish *p;
    FolderTree d;
    PqSink *s;

    tree_begin(&d, "a:old");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    now = before;
    now.rlim_cur = 100000;
    CHECK(big && setrlimit(RLIMIT_FSIZE, &now) == 0);
    CHECK_OK(pq_publish_open(t->mem, &plan, &p, t->e));
    CHECK_OK(pq_publish_file(p, NULL, NULL, &s, t->e));
    CHECK_FAILS(pq_sink_write(s, big, 1 << 20, t->e), PQ_IO,
                "a: cannot write: File too large");
    CHECK_FAILS(pq_publish_done(p, s, t->e), PQ_IO, "a: cannot write after");
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE, "a is not complete");
    pq_publish_free(p);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK_TEXT(tree_text("."), "a:old");
    free(big);
    tree_end(&d);
}
