/*
** publish_test.c - when files of a copy appear, what it refuses, and what it
** leaves.  publish_fault_test.c tests failures.
*/
#define _GNU_SOURCE
#include "core/write/file_name.h"
#include "core/write/publish.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes one complete file. */
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

/* Opens a copy with the first n_columns of the folder columns a and b. */
static PqRc begin_folders(Test *t, const char *target, uint32_t n_columns,
                           PqOverwrite how, PqPublish **out)
{
    static const char *const columns[] = {"a", "b"};
    PqPublishPlan plan = {.target = target, .is_folder = true,
                          .folder_columns = columns,
                          .n_folder_columns = n_columns, .overwrite = how};

    return pq_publish_open(t->mem, &plan, out, t->e);
}

static PqRc begin(Test *t, const char *target, bool is_folder, PqOverwrite how,
                  PqPublish **out)
{
    PqPublishPlan plan = {.target = target, .is_folder = is_folder,
                          .overwrite = how};

    return pq_publish_open(t->mem, &plan, out, t->e);
}

static PqRc copy_file(Test *t, const char *path, PqOverwrite how,
                      const char *content)
{
    PqPublish *p = NULL;
    PqRc rc;

    PQ_GO(begin(t, path, false, how, &p));
    PQ_GO(put(p, NULL, content, t->e));
    PQ_GO(pq_publish_commit(p, t->e));
done:
    pq_publish_free(p);
    return rc;
}

/* names has spaces between them; each file holds "new".  The number of folder
** columns is that of the first name. */
static PqRc copy_folder(Test *t, const char *path, PqOverwrite how,
                        const char *names)
{
    PqPublish *p = NULL;
    uint32_t n_columns = 0;
    char name[600];
    size_t n;
    PqRc rc;

    for (n = 0; names[n] && names[n] != ' '; n++) {
        n_columns += names[n] == '/';
    }
    PQ_GO(begin_folders(t, path, n_columns, how, &p));
    for (; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, names);
        PQ_GO(put(p, name, "new", t->e));
    }
    PQ_GO(pq_publish_commit(p, t->e));
done:
    pq_publish_free(p);
    return rc;
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

/* --- one file ----------------------------------------------------------------- */

TEST(publish, a_file_is_not_there_before_it_is_complete)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "a.parquet", false, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, NULL, "new", t->e));
    CHECK(strstr(tree_text("."), ".a.parquet."));
    CHECK(access("a.parquet", F_OK) != 0);
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_TEXT(tree_text("."), "a.parquet:new");
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "a.parquet:new");
    tree_end(&d);
}

TEST(publish, a_replaced_file_is_the_old_one_to_the_end)
{
    PqPublish *p;
    FolderTree d;
    PqSink *s;

    tree_begin(&d, "d/a:old d/.a.crc:crcsum d/.b.crc:crcsum");
    CHECK_OK(begin(t, "d/a", false, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(pq_publish_file(p, NULL, NULL, &s, t->e));
    CHECK_OK(pq_sink_write(s, "new", 3, t->e));
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE, "d/a is not complete");
    CHECK_OK(pq_publish_done(p, s, t->e));
    CHECK(strstr(tree_text("."), "d/a:old"));
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("d"), ".b.crc:crcsum a:new");
    tree_end(&d);
}

TEST(publish, what_is_given_up_leaves_nothing)
{
    PqPublish *p;
    FolderTree d;
    PqSink *s;

    tree_begin(&d, "a:old");
    CHECK_OK(begin(t, "a", false, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(pq_publish_file(p, NULL, NULL, &s, t->e));
    CHECK_OK(pq_sink_write(s, "new", 3, t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "a:old");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, "a=1/b=2/x", "new", t->e));
    CHECK_OK(put(p, "a=1/y", "new", t->e));
    CHECK(strstr(tree_text("out"), "a=1/b=2/.x."));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "a:old");
    tree_end(&d);
}

TEST(publish, a_new_file_has_the_permissions_of_new_files)
{
    mode_t before = umask(027);
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(copy_file(t, "a", PQ_OVERWRITE_REPLACE, "new"));
    umask(before);
    CHECK_INT(mode_of("a"), 0640);
    tree_end(&d);
}

TEST(publish, a_replaced_file_keeps_its_permissions)
{
    FolderTree d;

    tree_begin(&d, "a:old out/data_0.parquet:old");
    chmod("a", 0604);
    chmod("out/data_0.parquet", 0620);
    CHECK_OK(copy_file(t, "a", PQ_OVERWRITE_REPLACE, "new"));
    CHECK_INT(mode_of("a"), 0604);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "data_0.parquet"));
    CHECK_INT(mode_of("out/data_0.parquet"), 0620);
    tree_end(&d);
}

TEST(publish, a_link_is_followed_to_the_file)
{
    FolderTree d;

    tree_begin(&d, "d/a:old l/");
    CHECK(symlink("../d/a", "l/one") == 0 && symlink("l/one", "two") == 0);
    CHECK_OK(copy_file(t, "two", PQ_OVERWRITE_REPLACE, "new"));
    CHECK_TEXT(tree_text("."), "d/a:new l/one@ two@");
    CHECK(symlink("d/b", "nowhere") == 0);
    CHECK_OK(copy_file(t, "nowhere", PQ_OVERWRITE_ERROR, "new"));
    CHECK_TEXT(tree_text("d"), "a:new b:new");
    CHECK(symlink("self", "self") == 0);
    CHECK_FAILS(copy_file(t, "self", PQ_OVERWRITE_REPLACE, "new"), PQ_IO,
                "self: cannot follow the link: Too many");
    tree_end(&d);
}

TEST(publish, targets_no_file_can_be_are_refused_at_once)
{
    FolderTree d;
    char name[400];

    tree_begin(&d, "a:old d/");
    memset(name, 'x', sizeof name);
    name[256] = 0;
    CHECK_FAILS(copy_file(t, "a", PQ_OVERWRITE_ERROR, "new"), PQ_USAGE,
                "a: exists");
    CHECK_FAILS(copy_file(t, "a", PQ_OVERWRITE_APPEND, "new"), PQ_USAGE,
                "cannot be appended to");
    CHECK_FAILS(copy_file(t, "d", PQ_OVERWRITE_REPLACE, "new"), PQ_USAGE,
                "d: is a folder, not a file");
    CHECK_FAILS(copy_file(t, "d/", PQ_OVERWRITE_REPLACE, "new"), PQ_USAGE,
                "is the name of a folder");
    CHECK_FAILS(copy_file(t, "/dev/null", PQ_OVERWRITE_REPLACE, "new"),
                PQ_USAGE, "is a device");
    CHECK_FAILS(copy_file(t, "no/b", PQ_OVERWRITE_REPLACE, "new"), PQ_USAGE,
                "no/b: the folder it would be in does not exist");
    CHECK_FAILS(copy_file(t, "a/b", PQ_OVERWRITE_REPLACE, "new"), PQ_IO,
                "a/b: cannot write: Not a directory");
    CHECK_FAILS(copy_file(t, "", PQ_OVERWRITE_REPLACE, "new"), PQ_USAGE,
                "no file or folder");
    CHECK_FAILS(copy_file(t, name, PQ_OVERWRITE_REPLACE, "new"), PQ_IO,
                "File name too long");
    CHECK_TEXT(tree_text("."), "a:old d/");
    tree_end(&d);
}

TEST(publish, a_name_as_long_as_names_can_be_works)
{
    char names[600], one[260];
    FolderTree d;

    tree_begin(&d, "");
    memset(one, 'x', sizeof one);
    strcpy(one + 247, ".parquet");
    CHECK_OK(copy_file(t, one, PQ_OVERWRITE_REPLACE, "new"));
    CHECK_OK(copy_file(t, one, PQ_OVERWRITE_REPLACE, "again"));
    CHECK(access(one, F_OK) == 0);
    snprintf(names, sizeof names, "%s y%s", one, one + 1);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_ERROR, names));
    CHECK_INT(strlen(tree_text("out")), 2 * (255 + 4) + 1);
    tree_end(&d);
}

/* --- what may be replaced ------------------------------------------------------- */

TEST(publish, a_copy_replaces_only_parquet_files_and_empty_ones_unless_told)
{
    static const struct { const char *content, *says; } cases[] = {
        {"notes", "a: exists and is not a Parquet file; a copy replaces only"},
        {"PAR1.cut.off", "a: exists and is a Parquet file without its end"},
        {"PAR1PAR1", "a: exists and is a Parquet file without its end"},
        {"....PAR1....PAR1", "a: exists and is not a Parquet file"},
        {"PAR1....PAR2", "a: exists and is a Parquet file without its end"},
        {"PAR1....PAR1", NULL},
        {"PARE....PARE", NULL},
        {"", NULL},
    };
    char tree[60];
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        snprintf(tree, sizeof tree, "a:%s", cases[i].content);
        tree_make(tree);
        if (cases[i].says) {
            CHECK_FAILS(copy_file(t, "a", PQ_OVERWRITE_PARQUET, "new"),
                        PQ_USAGE, cases[i].says);
            CHECK_TEXT(tree_text("."), tree);
            CHECK_OK(copy_file(t, "a", PQ_OVERWRITE_REPLACE, "new"));
        } else {
            CHECK_OK(copy_file(t, "a", PQ_OVERWRITE_PARQUET, "new"));
        }
        CHECK_TEXT(tree_text("."), "a:new");
    }
    tree_end(&d);
}

/* Puts a file in the target's place at a step of the pass, as another process
** could. */
static const char *comes_at, *comes;
static int swaps;

static void somebody_else(const char *step)
{
    swaps += !strcmp(step, "swap");
    if (!strcmp(step, comes_at)) {
        unlink("a");
        tree_make(comes);
    }
}

TEST(publish, a_file_that_appears_in_the_last_pass_is_examined)
{
    static const char *const steps[] = {"sync", "list", "rename", "swap"};
    static const char *const befores[] = {"", "a:PAR1....PAR1"};
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(steps) * 2; i++) {
        comes_at = steps[i / 2];
        comes = "a:mine";
        tree_make(befores[i % 2]);
        CHECK_OK(begin(t, "a", false, PQ_OVERWRITE_PARQUET, &p));
        CHECK_OK(put(p, NULL, "new", t->e));
        pq_publish_step_hook = somebody_else;
        swaps = 0;
        CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE,
                    "a: exists and is not a Parquet file");
        CHECK_INT(swaps, i / 2 == 3);    /* it was not touched */
        pq_publish_step_hook = NULL;
        pq_publish_free(p);
        CHECK_TEXT(tree_text("."), "a:mine");
        tree_clear();
    }
    comes = "a/b:mine";              /* a folder */
    CHECK_OK(begin(t, "a", false, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put(p, NULL, "new", t->e));
    pq_publish_step_hook = somebody_else;
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE,
                "a: exists and is not a regular file");
    pq_publish_step_hook = NULL;
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "a/b:mine");
    tree_end(&d);
}

/* --- folders -------------------------------------------------------------------- */

TEST(publish, a_folder_is_made_with_those_in_it)
{
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(copy_folder(t, "out//", PQ_OVERWRITE_ERROR,
                         "a=1/x.parquet a=1/y.parquet a=2/b=1/x.parquet z"));
    CHECK_TEXT(tree_text("."), "out/a=1/x.parquet:new out/a=1/y.parquet:new "
                               "out/a=2/b=1/x.parquet:new out/z:new");
    CHECK_OK(copy_folder(t, "none", PQ_OVERWRITE_ERROR, ""));
    CHECK_TEXT(tree_text("none"), "/");
    CHECK_FAILS(copy_folder(t, "out/z", PQ_OVERWRITE_REPLACE, "a"), PQ_USAGE,
                "out/z: is a file, not a folder");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_APPEND, "z/a"), PQ_IO,
                "out/z: exists and is not a folder");
    tree_end(&d);
}

TEST(publish, the_folders_above_a_folder_are_made_and_taken_back)
{
    char path[1100], here[1000];
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "x/b:b");
    CHECK_OK(begin(t, "x/y/z/out", true, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, "data_0.parquet", "new", t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "x/b:b");
    CHECK_OK(copy_folder(t, "x/y/z/out", PQ_OVERWRITE_REPLACE, "a=1/data_0.parquet"));
    CHECK_TEXT(tree_text("."), "x/b:b x/y/z/out/a=1/data_0.parquet:new");
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(path, sizeof path, "%s/new//far/", here);
    CHECK_OK(copy_folder(t, path, PQ_OVERWRITE_APPEND, "data_0.parquet"));
    CHECK_TEXT(tree_text("new"), "far/data_0.parquet:new");
    CHECK_FAILS(copy_folder(t, "x/b/out", PQ_OVERWRITE_ERROR, "data_0.parquet"),
                PQ_IO, "x/b/out: cannot write: Not a directory");
    CHECK_FAILS(copy_folder(t, "~/x/out", PQ_OVERWRITE_ERROR, "data_0.parquet"),
                PQ_USAGE, "the folder it would be in does not exist");
    CHECK_FAILS(copy_folder(t, "~me", PQ_OVERWRITE_ERROR, "data_0.parquet"),
                PQ_USAGE, "the folder it would be in does not exist");
    CHECK_FAILS(copy_folder(t, "s3://b/x", PQ_OVERWRITE_ERROR, "data_0.parquet"),
                PQ_USAGE, "a URL is not allowed here");
    CHECK(access("~", F_OK) != 0 && access("s3:", F_OK) != 0);
    CHECK_FAILS(copy_file(t, "no/x.parquet", PQ_OVERWRITE_ERROR, "new"),
                PQ_USAGE, "the folder it would be in does not exist");
    CHECK(access("no", F_OK) != 0);
    tree_end(&d);
}

/* Another copy gave up, and took back the folders that it had made. */
TEST(publish, folders_above_that_are_taken_back_are_made_again)
{
    PqPublish *one, *two;
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "x/y/out", true, PQ_OVERWRITE_APPEND, &one));
    CHECK_OK(begin(t, "x/y/out", true, PQ_OVERWRITE_APPEND, &two));
    pq_publish_free(one);
    CHECK_OK(put(two, "data_0.parquet", "new", t->e));
    CHECK_OK(pq_publish_commit(two, t->e));
    pq_publish_free(two);
    CHECK_TEXT(tree_text("."), "x/y/out/data_0.parquet:new");
    tree_end(&d);
}

TEST(publish, the_working_directory_is_a_folder_too)
{
    FolderTree d;

    tree_begin(&d, "a=1/data_0.parquet:old a=2/data_3.parquet:old");
    CHECK_OK(copy_folder(t, ".", PQ_OVERWRITE_REPLACE, "a=1/x.parquet y"));
    CHECK_TEXT(tree_text("."), "a=1/x.parquet:new y:new");
    CHECK_FAILS(copy_folder(t, ".", PQ_OVERWRITE_REPLACE, "x.parquet"),
                PQ_USAGE, "because of a=1/x.parquet:");
    tree_end(&d);
}

#define META "PAR1.meta.PAR1"        /* what a Parquet file looks like */

TEST(publish, replace_takes_away_the_files_of_the_dataset_and_no_more)
{
    FolderTree d;

    tree_begin(&d,
               "out/a=1/data_0.parquet:old out/a=1/data_17.parquet:old "
               "out/a=2/data_0.parquet:old out/a=3/data_0.parquet:o "
               "out/a=3/README:keep out/_metadata:" META " "
               "out/a=3/_common_metadata:" META " out/a=4/_metadata:keep "
               "out/c=2/_metadata:" META " "
               "out/_temporary/x.parquet:keep out/.hidden/x.parquet:keep "
               "out/.x.parquet:keep out/b:keep out/a=1/.data_0.parquet.crc:crc "
               "out/a=1/.data_1.parquet.crc:keep out/a=1/.z.crc:crckeep "
               "out/_y.parquet:k out/empty/ out/x.parquet.bak:keep "
               "out/_SUCCESS:");
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE,
                         "a=1/data_0.parquet a=7/data_0.parquet"));
    CHECK_TEXT(tree_text("out"),
               ".hidden/x.parquet:keep .x.parquet:keep _SUCCESS: "
               "_temporary/x.parquet:keep _y.parquet:k "
               "a=1/.data_1.parquet.crc:keep a=1/.z.crc:crckeep "
               "a=1/data_0.parquet:new a=3/README:keep a=4/_metadata:keep "
               "a=7/data_0.parquet:new b:keep c=2/_metadata:" META " empty/ "
               "x.parquet.bak:keep");
    tree_end(&d);
}

/* Files that replace must not remove. */
TEST(publish, replace_refuses_files_that_no_copy_of_this_layout_makes)
{
    static const char *const names[] = {
        "x.parquet", "data_0.parquet", "a=1/x.parquet", "a=1/data_01.parquet",
        "a=1/data_.parquet", "a=1/data_0.parq", "a=1/data_0x.parquet",
        "a=1/b=1/data_0.parquet", "b=1/data_0.parquet", "A=1/data_0.parquet",
        "aa=1/data_0.parquet", "a/data_0.parquet", "sub/a=1/data_0.parquet",
        "a=1/sub/data_0.parquet",
    };
    PqPublish *p;
    char tree[200], says[200];
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        snprintf(tree, sizeof tree, "out/%s:keep", names[i]);
        snprintf(says, sizeof says, "out: is not replaced, because of out/%s: ",
                 names[i]);
        tree_make(tree);
        CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_REPLACE,
                                "a=1/data_0.parquet"), PQ_USAGE, says);
        CHECK_TEXT(tree_text("."), tree);
        tree_clear();
        CHECK_OK(begin_folders(t, "out", 1, PQ_OVERWRITE_REPLACE, &p));
        CHECK_OK(put(p, "a=2/data_0.parquet", "new", t->e));
        tree_make(tree);             /* appears while the copy runs */
        CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE, says);
        pq_publish_free(p);
        CHECK_TEXT(tree_text("."), tree);
        tree_clear();
    }
    tree_end(&d);
}

TEST(publish, replace_names_the_first_three_files_that_are_in_the_way)
{
    FolderTree d;

    tree_begin(&d, "out/e.parquet:o out/a.parquet:o out/d.parquet:o "
                   "out/c.parquet:o out/b.parquet:o out/a=%31/data_0.parquet:o");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_REPLACE,
                            "a=1/data_0.parquet"), PQ_USAGE,
                "because of out/a.parquet, out/b.parquet, out/c.parquet and 2 "
                "more: readers of the folder would take these files for data, "
                "but replace removes only a=*/data_{i}.parquet and "
                "_metadata; move the rest away");
    tree_end(&d);
}

/* Whoever wrote the old files, and however their folders are spelt. */
TEST(publish, partitions_replaces_those_that_get_a_file_and_no_others)
{
    FolderTree d;

    tree_begin(&d,
               "out/a=1/data_0.parquet:old out/a=1/data_17.parquet:old "
               "out/a=1/part-3.parq:" META " out/a=1/_metadata:" META " "
               "out/a=1/.part-3.parq.crc:crc out/a=1/notes:keep "
               "out/a=1/.hidden.parquet:keep out/a=1/empty.parquet: "
               "out/a=2/data_0.parquet:keep out/a=2/_metadata:" META " "
               "out/a=x%2fy/data_0.parquet:old out/a=x%252fy/data_0.parquet:keep "
               "out/a=%37/x.parquet:" META " out/a=/data_0.parquet:keep "
               "out/_metadata:" META " out/_common_metadata:" META);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_PARTITIONS,
                         "a=1/data_0.parquet a=7/data_0.parquet "
                         "a=x%2Fy/data_1.parquet a=9/data_0.parquet "
                         "a=__HIVE_DEFAULT_PARTITION__/data_0.parquet"));
    CHECK_TEXT(tree_text("out"),
               "_common_metadata:" META " a=/data_0.parquet:keep "
               "a=1/.hidden.parquet:keep a=1/data_0.parquet:new a=1/notes:keep "
               "a=2/_metadata:" META " a=2/data_0.parquet:keep "
               "a=7/data_0.parquet:new a=9/data_0.parquet:new "
               "a=__HIVE_DEFAULT_PARTITION__/data_0.parquet:new "
               "a=x%252fy/data_0.parquet:keep a=x%2Fy/data_1.parquet:new");
    tree_end(&d);
}

TEST(publish, partitions_of_two_columns_are_replaced_one_by_one)
{
    FolderTree d;

    tree_begin(&d,
               "out/a=1/_metadata:" META " out/a=1/b=1/x.parquet:" META " "
               "out/a=1/b=2/data_0.parquet:keep out/a=2/b=1/data_0.parquet:keep "
               "out/a=2/_metadata:" META);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_PARTITIONS,
                         "a=1/b=1/data_0.parquet"));
    CHECK_TEXT(tree_text("out"),
               "a=1/b=1/data_0.parquet:new a=1/b=2/data_0.parquet:keep "
               "a=2/_metadata:" META " a=2/b=1/data_0.parquet:keep");
    CHECK_OK(copy_folder(t, "new", PQ_OVERWRITE_PARTITIONS, "a=1/data_0.parquet"));
    CHECK_TEXT(tree_text("new"), "a=1/data_0.parquet:new");
    tree_end(&d);
}

TEST(publish, partitions_refuses_data_whose_partition_is_not_known)
{
    static const char *const names[] = {
        "x.parquet", "a=1/b=1/data_0.parquet", "b=1/data_0.parquet",
        "sub/a=1/data_0.parquet", "a=1/sub/data_0.parquet",
    };
    char tree[200], says[200];
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        snprintf(tree, sizeof tree, "out/%s:keep", names[i]);
        snprintf(says, sizeof says, "out: is not replaced, because of out/%s: "
                 "readers of the folder would take this file for data, but "
                 "partitions removes only a=*/*.parquet, *.parq and _metadata",
                 names[i]);
        tree_make(tree);
        CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_PARTITIONS,
                                "a=1/data_0.parquet"), PQ_USAGE, says);
        CHECK_TEXT(tree_text("."), tree);
        tree_clear();
    }
    tree_make("out/a=1/x.parquet:text out/a=2/y.parquet:text");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_PARTITIONS,
                            "a=1/data_0.parquet"), PQ_USAGE,
                "out/a=1/x.parquet: is not a Parquet file, and lies in a "
                "partition that is replaced; move it away");
    CHECK_TEXT(tree_text("."), "out/a=1/x.parquet:text out/a=2/y.parquet:text");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_PARTITIONS, "x.parquet"),
                PQ_USAGE, "needs partition_by");
    CHECK_FAILS(copy_file(t, "x.parquet", PQ_OVERWRITE_PARTITIONS, "new"),
                PQ_USAGE, "one file has no partitions");
    tree_end(&d);
}

TEST(publish, replace_tells_which_partitions_got_nothing)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "out/a=1/data_0.parquet:o out/a=2/data_0.parquet:o "
                   "out/a=2/data_1.parquet:o out/a=3/data_0.parquet:o");
    CHECK_OK(begin_folders(t, "out", 1, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put(p, "a=3/data_7.parquet", "new", t->e));
    CHECK_INT(pq_publish_lost(p).n_partitions, 0);
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_INT(pq_publish_lost(p).n_partitions, 2);
    CHECK(strstr("out/a=1 out/a=2", pq_publish_lost(p).first));
    pq_publish_free(p);
    CHECK_OK(begin_folders(t, "out", 1, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put(p, "a=3/data_0.parquet", "new", t->e));
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_INT(pq_publish_lost(p).n_partitions, 0);
    CHECK(!pq_publish_lost(p).first);
    pq_publish_free(p);
    tree_end(&d);
}

TEST(publish, a_pattern_tells_its_names_from_others)
{
    static const struct { const char *pattern, *yes, *no; } cases[] = {
        {"data_{i}", "data_12.parquet", "data_12.parq"},
        {"data_{i}", "data_0.parquet", "data_00.parquet"},
        {"data", "data_3.parquet", "data.parquet"},
        {"s-{i}.parq", "s-3.parq", "s-3.parquet"},
        {"{i}1", "111.parquet", "112.parquet"},
        {"{i}-{i}", "12-12.parquet", "12-13.parquet"},
        {"x{uuid}", "x0b6c8f6e-5d0e-4f55-9d7a-0a3f6f6a2f10.parquet",
         "x0b6c8f6e-5d0e-4f55-9d7a-0a3f6f6a2f1.parquet"},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        CHECK(pq_file_name_is_of(cases[i].pattern, cases[i].yes, NULL));
        CHECK(!pq_file_name_is_of(cases[i].pattern, cases[i].no, NULL));
    }
}

TEST(publish, replace_keeps_the_old_files_until_all_new_ones_are_done)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "out/data_0.parquet:old out/data_1.parquet:old");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put(p, "data_0.parquet", "new", t->e));
    CHECK_OK(put(p, "data_2.parquet", "new", t->e));
    CHECK(strstr(tree_text("out"), " data_0.parquet:old data_1.parquet:old"));
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_TEXT(tree_text("out"), "data_0.parquet:new data_2.parquet:new");
    pq_publish_free(p);
    tree_end(&d);
}

TEST(publish, replace_does_not_follow_links_to_folders)
{
    FolderTree d;

    tree_begin(&d, "out/data_0.parquet:old else/data_1.parquet:old z:old");
    CHECK(symlink("../z", "out/data_2.parquet") == 0);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "data_3.parquet"));
    CHECK_TEXT(tree_text("."), "else/data_1.parquet:old out/data_3.parquet:new z:old");
    CHECK(symlink("../else", "out/else") == 0);
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "data_0.parquet"),
                PQ_USAGE, "out/else is a link to another folder");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_ERROR, "data_0.parquet"),
                PQ_USAGE, "out: the folder is not empty");
    CHECK_TEXT(tree_text("."),
               "else/data_1.parquet:old out/data_3.parquet:new out/else@ z:old");
    tree_end(&d);
}

TEST(publish, error_refuses_a_folder_that_holds_data)
{
    FolderTree d;

    tree_begin(&d, "out/a=1/x.parq:old ok/_x.parquet:o ok/.x.parquet:o ok/b:b");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_ERROR, "data_1.parquet"),
                PQ_USAGE, "out: the folder is not empty; there is "
                          "out/a=1/x.parq: {\"overwrite\": \"append\"} writes "
                          "new files beside what is there, {\"overwrite\": "
                          "\"replace\"} removes data_{i}.parquet and "
                          "_metadata, and nothing else");
    CHECK_TEXT(tree_text("out"), "a=1/x.parq:old");
    CHECK_OK(copy_folder(t, "ok", PQ_OVERWRITE_ERROR, "data_1.parquet"));
    CHECK_TEXT(tree_text("ok"),
               ".x.parquet:o _x.parquet:o b:b data_1.parquet:new");
    tree_end(&d);
}

TEST(publish, append_takes_new_names_only)
{
    PqPublish *p;
    FolderTree d;
    PqSink *s;
    bool taken;

    tree_begin(&d, "out/a=1/x.parquet:old out/_metadata:" META);
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &p));
    CHECK_OK(pq_publish_file(p, "a=1/x.parquet", &taken, &s, t->e));
    CHECK(taken && !s);
    CHECK_OK(put(p, "a=1/y.parquet", "new", t->e));
    CHECK_OK(pq_publish_file(p, "a=1/y.parquet", &taken, &s, t->e));
    CHECK(taken && !s);
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("out"), "a=1/x.parquet:old a=1/y.parquet:new");
    tree_end(&d);
}

TEST(publish, a_name_that_somebody_takes_meanwhile_is_not_overwritten)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, "w.parquet", "new", t->e));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    tree_make("out/a=1/x.parquet:other");
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_IO,
                "out/a=1/x.parquet: was made by somebody else");
    pq_publish_free(p);
    CHECK_TEXT(tree_text("out"), "a=1/x.parquet:other");
    tree_end(&d);
}

/* Acts at the nth call of a step. */
static int comes_nth;

static void somebody_else_later(const char *step)
{
    if (!strcmp(step, comes_at) && --comes_nth == 0) {
        unlink("out/data_0.parquet");
        unlink("out/data_7.parquet");
        tree_make(comes);
    }
}

static void commit_beside(Test *t, PqPublish *p, int nth, const char *step,
                          const char *files)
{
    comes_at = step;
    comes_nth = nth;
    comes = files;
    pq_publish_step_hook = somebody_else_later;
    pq_publish_commit(p, t->e);
    pq_publish_step_hook = NULL;
    pq_publish_free(p);
}

TEST(publish, append_takes_the_next_name_when_another_copy_took_it)
{
    PqPublish *p, *q;
    FolderTree d;

    tree_begin(&d, "out/data_0.parquet:old");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &p));
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &q));
    CHECK_OK(put(p, "data_1.parquet", "new", t->e));
    CHECK_OK(put(p, "data_2.parquet", "new", t->e));
    CHECK_OK(put(q, "data_1.parquet", "other", t->e));
    CHECK_OK(put(q, "data_2.parquet", "other", t->e));
    CHECK_OK(pq_publish_commit(q, t->e));
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_free(p);
    pq_publish_free(q);
    CHECK_TEXT(tree_text("out"),
               "data_0.parquet:old data_1.parquet:other data_2.parquet:other "
               "data_3.parquet:new data_4.parquet:new");
    tree_end(&d);
}

/* The same with key material beside the file. */
static PqRc put_both(PqPublish *p, const char *name, const char *content, PqErr *e)
{
    char material[40];
    bool taken;
    PqSink *s;

    PQ_TRY(pq_publish_file(p, name, &taken, &s, e));
    if (taken) {
        return pq_fail(e, PQ_USAGE, "%s is taken", name);
    }
    snprintf(material, sizeof material, "{%s", content);
    PQ_TRY(pq_sink_write(s, content, strlen(content), e));
    PQ_TRY(pq_publish_beside(p, s, pq_slice_text(material), e));
    return pq_publish_done(p, s, e);
}

static PqRc begin_both(Test *t, const char *target, PqOverwrite how, PqPublish **out)
{
    PqPublishPlan plan = {.target = target, .has_beside = true, .overwrite = how,
                          .is_folder = !strcmp(target, "out")};

    return pq_publish_open(t->mem, &plan, out, t->e);
}

#define BESIDE "_KEY_MATERIAL_FOR_"

TEST(publish, key_material_takes_the_next_name_with_its_file)
{
    PqPublish *p, *q;
    FolderTree d;

    for (int i = 0; i < 2; i++) {    /* the file is taken, or the material */
        tree_begin(&d, "out/data_0.parquet:old");
        CHECK_OK(begin_both(t, "out", PQ_OVERWRITE_APPEND, &p));
        CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &q));
        CHECK_OK(put_both(p, "data_1.parquet", "new", t->e));
        CHECK_OK(put_both(p, "data_2.parquet", "two", t->e));
        if (i == 0) {
            CHECK_OK(put(q, "data_1.parquet", "other", t->e));
        } else {
            tree_make("out/" BESIDE "data_1.parquet.json:{other");
        }
        CHECK_OK(pq_publish_commit(q, t->e));
        CHECK_OK(pq_publish_commit(p, t->e));
        pq_publish_free(p);
        pq_publish_free(q);
        CHECK_TEXT(tree_text("out"), i == 0
                   ? BESIDE "data_2.parquet.json:{new " BESIDE
                     "data_3.parquet.json:{two data_0.parquet:old data_1.parquet:"
                     "other data_2.parquet:new data_3.parquet:two"
                   : BESIDE "data_1.parquet.json:{other " BESIDE
                     "data_2.parquet.json:{new " BESIDE "data_3.parquet.json:{two "
                     "data_0.parquet:old data_2.parquet:new data_3.parquet:two");
        tree_end(&d);
    }
}

TEST(publish, a_name_with_key_material_beside_it_is_not_taken)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "out/" BESIDE "data_0.parquet.json:{old out/data_0.parquet:old "
                   "d/a:old d/" BESIDE "a.json:{old d/" BESIDE "b.json:{old");
    CHECK_OK(begin_both(t, "out", PQ_OVERWRITE_REPLACE, &p));
    CHECK_FAILS(put_both(p, "data_0.parquet", "new", t->e), PQ_USAGE, "is taken");
    pq_publish_free(p);
    CHECK_FAILS(begin_both(t, "d/a", PQ_OVERWRITE_REPLACE, &p), PQ_USAGE,
                "d/a: there is key material beside it");
    CHECK_FAILS(begin_both(t, "d/b", PQ_OVERWRITE_REPLACE, &p), PQ_USAGE,
                "d/b: there is key material beside it");
    CHECK_OK(begin_both(t, "d/c", PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put_both(p, NULL, "new", t->e));
    tree_make("d/" BESIDE "c.json:{other");
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_IO, BESIDE "c.json: was made by "
                                                  "somebody else");
    pq_publish_free(p);
    CHECK_TEXT(tree_text("d"), BESIDE "a.json:{old " BESIDE "b.json:{old " BESIDE
                               "c.json:{other a:old");
    tree_end(&d);
}

TEST(publish, what_another_copy_put_there_since_is_not_taken_back)
{
    static const char others[] = "out/data_0.parquet:theirs "
                                 "out/data_1.parquet:theirs";
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, "data_0.parquet", "new", t->e));
    CHECK_OK(put(p, "data_1.parquet", "new", t->e));
    commit_beside(t, p, 2, "rename", others);
    CHECK(t->e->rc == PQ_IO &&
          strstr(t->e->text, "data_1.parquet: was made by somebody else while "
                             "this copy ran"));
    CHECK_TEXT(tree_text("."), others);
    tree_end(&d);
}

TEST(publish, old_files_that_another_copy_took_away_are_no_error)
{
    static const struct { const char *comes, *after; } cases[] = {
        {"", "out/data_1.parquet:new"},
        {"out/data_7.parquet:theirs",
         "out/data_1.parquet:new out/data_7.parquet:theirs"},
        {"out/data_0.parquet:theirs out/data_7.parquet:theirs",
         "out/data_0.parquet:theirs out/data_1.parquet:new "
         "out/data_7.parquet:theirs"},
    };
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        tree_make("out/data_0.parquet:old out/data_1.parquet:old "
                  "out/data_7.parquet:old");
        CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_REPLACE, &p));
        CHECK_OK(put(p, "data_1.parquet", "new", t->e));
        commit_beside(t, p, 1, "hide", cases[i].comes);
        CHECK(t->e->rc == PQ_OK);
        CHECK_TEXT(tree_text("."), cases[i].after);
        tree_clear();
    }
    tree_end(&d);
}

/* The temporary name of the old file whose name the copy has taken. */
static void old_one_back(const char *step)
{
    if (!strcmp(step, "hide")) {
        rename("kept", "out/data_1.parquet");
    }
}

TEST(publish, an_old_file_that_somebody_puts_back_is_theirs)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "out/data_1.parquet:old out/data_7.parquet:old");
    CHECK(link("out/data_1.parquet", "kept") == 0);
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_REPLACE, &p));
    CHECK_OK(put(p, "data_1.parquet", "new", t->e));
    pq_publish_step_hook = old_one_back;
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_step_hook = NULL;
    pq_publish_free(p);
    CHECK(!strstr(tree_text("out"), ".tmp"));
    CHECK(!strstr(tree_text("out"), "data_7"));
    tree_end(&d);
}

TEST(publish, a_folder_that_somebody_removed_is_an_error_that_says_so)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    tree_clear();
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_IO,
                "out/a=1/x.parquet: was removed by somebody else while this copy "
                "ran, or its folder was");
    CHECK(!strstr(t->e->text, "some files"));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "/");
    tree_end(&d);
}

TEST(publish, names_that_lead_elsewhere_are_refused)
{
    static const char *const bad[] = {"", "/a", "a/", "a//b", "../a", "a/..",
                                      "./a", "a/./b", ".."};
    PqPublish *p;
    FolderTree d;
    PqSink *s;
    bool taken;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    for (size_t i = 0; i < PQ_COUNT(bad); i++) {
        CHECK_FAILS(pq_publish_file(p, bad[i], &taken, &s, t->e), PQ_USAGE,
                    "can be called");
    }
    CHECK_FAILS(pq_publish_file(p, NULL, &taken, &s, t->e), PQ_USAGE, "names");
    mkdir("out/dir.parquet", 0777);
    CHECK_FAILS(pq_publish_file(p, "dir.parquet", &taken, &s, t->e), PQ_IO,
                "out/dir.parquet: cannot be a file: Is a directory");
    rmdir("out/dir.parquet");
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "/");
    tree_end(&d);
}

TEST(publish, thousands_of_files_need_few_descriptors)
{
    struct rlimit before, now;
    char name[100];
    FolderTree d;
    PqPublish *p;
    int n = 0;

    tree_begin(&d, "");
    getrlimit(RLIMIT_NOFILE, &before);
    now = before;
    now.rlim_cur = 100;
    CHECK(setrlimit(RLIMIT_NOFILE, &now) == 0);
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_ERROR, &p));
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "a=%d/b=%d/x.parquet", i % 37, i / 37);
        CHECK_OK(put(p, name, "n", t->e));
    }
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_free(p);
    setrlimit(RLIMIT_NOFILE, &before);
    for (const char *z = tree_text("out"); *z; z++) {
        n += *z == ':';
    }
    CHECK_INT(n, 2000);
    CHECK(!strstr(tree_text("out"), ".tmp"));
    tree_end(&d);
}

/* --- what dead processes left --------------------------------------------- */

TEST(publish, what_a_dead_process_left_is_removed)
{
    FolderTree d;

    tree_begin(&d,
               "out/.parquet-folder.0123456789abcdef.lock: "
               "out/.y.parquet.0123456789abcdef.tmp:half "
               "out/a=1/.x.parquet.0123456789abcdef.tmp:half out/a=2/ "
               "out/a=1/x.parquet:old out/.x.parquet.ffff456789abcdef.tmp:keep "
               "out/.parquet-file.00000000000000aa.lock: "
               "out/.f.00000000000000aa.tmp:half "
               "out/a=1/.f.00000000000000aa.tmp:keep "
               "out/.parquet-folder.0123456789ABCDEF.lock:keep");
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_APPEND, "y.parquet"));
    CHECK_TEXT(tree_text("out"),
               ".parquet-folder.0123456789ABCDEF.lock:keep "
               ".x.parquet.ffff456789abcdef.tmp:keep "
               "a=1/.f.00000000000000aa.tmp:keep a=1/x.parquet:old "
               "y.parquet:new");
    tree_clear();
    tree_make(".parquet-file.00000000000000aa.lock: .f.00000000000000aa.tmp:x");
    CHECK_OK(copy_file(t, "g", PQ_OVERWRITE_REPLACE, "new"));
    CHECK_TEXT(tree_text("."), "g:new");
    tree_end(&d);
}

TEST(publish, what_a_living_process_works_on_stays)
{
    PqPublish *p, *q;
    FolderTree d;
    int fd;

    tree_begin(&d, ".parquet-file.00000000000000aa.lock: "
                   ".f.00000000000000aa.tmp:half");
    fd = open(".parquet-file.00000000000000aa.lock", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    CHECK_OK(copy_file(t, "g", PQ_OVERWRITE_REPLACE, "new"));
    CHECK(access(".f.00000000000000aa.tmp", F_OK) == 0);
    close(fd);

    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &p));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &q));
    CHECK_OK(put(q, "a=1/y.parquet", "new", t->e));
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_OK(pq_publish_commit(q, t->e));
    pq_publish_free(p);
    pq_publish_free(q);
    CHECK_TEXT(tree_text("out"), "a=1/x.parquet:new a=1/y.parquet:new");
    CHECK_OK(copy_file(t, "g", PQ_OVERWRITE_REPLACE, "again"));
    CHECK_TEXT(tree_text("."), "g:again out/a=1/x.parquet:new "
                               "out/a=1/y.parquet:new");
    tree_end(&d);
}

TEST(publish, a_folder_that_another_copy_takes_back_is_made_again)
{
    PqPublish *p, *q;
    FolderTree d;
    PqSink *s;
    bool taken;

    tree_begin(&d, "");
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &p));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    CHECK_OK(begin(t, "out", true, PQ_OVERWRITE_APPEND, &q));
    CHECK_OK(put(q, "a=1/y.parquet", "new", t->e));
    pq_publish_free(p);
    tree_make("out/a=2/b=1/x.parquet:other");
    CHECK_OK(pq_publish_file(q, "a=2/b=1/x.parquet", &taken, &s, t->e));
    CHECK(taken && unlink("out/a=2/b=1/x.parquet") == 0);
    CHECK(rmdir("out/a=2/b=1") == 0 && rmdir("out/a=2") == 0);
    CHECK_OK(put(q, "a=2/b=1/z.parquet", "new", t->e));
    CHECK_OK(pq_publish_commit(q, t->e));
    pq_publish_free(q);
    CHECK_TEXT(tree_text("."), "out/a=1/y.parquet:new "
                               "out/a=2/b=1/z.parquet:new");
    tree_end(&d);
}
