/*
** publish_test.c - what a copy shows, and when; what it refuses; what it
** leaves.  That everything may fail is in publish_fault_test.c.
*/
#define _GNU_SOURCE
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

/* One complete file. */
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

static PqRc copy_file(Test *t, const char *path, PqOverwrite how,
                      const char *content)
{
    PqPublish *p = NULL;
    PqRc rc;

    PQ_GO(pq_publish_open(t->mem, path, false, how, NULL, &p, t->e));
    PQ_GO(put(p, NULL, content, t->e));
    PQ_GO(pq_publish_commit(p, t->e));
done:
    pq_publish_free(p);
    return rc;
}

/* names, divided by spaces, each holds "new" */
static PqRc copy_folder(Test *t, const char *path, PqOverwrite how,
                        const char *names)
{
    PqPublish *p = NULL;
    char name[600];
    size_t n;
    PqRc rc;

    PQ_GO(pq_publish_open(t->mem, path, true, how, NULL, &p, t->e));
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
    CHECK_OK(pq_publish_open(t->mem, "a.parquet", false, PQ_OVERWRITE_ERROR,
                             NULL, &p, t->e));
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

    tree_begin(&d, "d/a:old d/.a.crc:sum d/.b.crc:sum");
    CHECK_OK(pq_publish_open(t->mem, "d/a", false, PQ_OVERWRITE_REPLACE, NULL,
                             &p, t->e));
    CHECK_OK(pq_publish_file(p, NULL, NULL, &s, t->e));
    CHECK_OK(pq_sink_write(s, "new", 3, t->e));
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_USAGE, "d/a is not complete");
    CHECK_OK(pq_publish_done(p, s, t->e));
    CHECK(strstr(tree_text("."), "d/a:old"));
    CHECK_OK(pq_publish_commit(p, t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("d"), ".b.crc:sum a:new");
    tree_end(&d);
}

TEST(publish, what_is_given_up_leaves_nothing)
{
    PqPublish *p;
    FolderTree d;
    PqSink *s;

    tree_begin(&d, "a:old");
    CHECK_OK(pq_publish_open(t->mem, "a", false, PQ_OVERWRITE_REPLACE, NULL,
                             &p, t->e));
    CHECK_OK(pq_publish_file(p, NULL, NULL, &s, t->e));
    CHECK_OK(pq_sink_write(s, "new", 3, t->e));
    pq_publish_free(p);
    CHECK_TEXT(tree_text("."), "a:old");
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_ERROR, NULL, &p,
                             t->e));
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

    tree_begin(&d, "a:old out/x.parquet:old");
    chmod("a", 0604);
    chmod("out/x.parquet", 0620);
    CHECK_OK(copy_file(t, "a", PQ_OVERWRITE_REPLACE, "new"));
    CHECK_INT(mode_of("a"), 0604);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "x.parquet"));
    CHECK_INT(mode_of("out/x.parquet"), 0620);
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
    CHECK_FAILS(copy_folder(t, "no/out", PQ_OVERWRITE_ERROR, "a"), PQ_USAGE,
                "no/out: the folder it would be in does not exist");
    CHECK_FAILS(copy_folder(t, "out/z", PQ_OVERWRITE_REPLACE, "a"), PQ_USAGE,
                "out/z: is a file, not a folder");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_APPEND, "z/a"), PQ_IO,
                "out/z: is there and is no folder");
    tree_end(&d);
}

TEST(publish, the_working_directory_is_a_folder_too)
{
    FolderTree d;

    tree_begin(&d, "a=1/old.parquet:old b=1/old.parquet:old");
    CHECK_OK(copy_folder(t, ".", PQ_OVERWRITE_REPLACE, "a=1/x.parquet y"));
    CHECK_TEXT(tree_text("."), "a=1/x.parquet:new y:new");
    tree_end(&d);
}

TEST(publish, replace_takes_away_what_readers_would_find_and_no_more)
{
    FolderTree d;

    tree_begin(&d,
               "out/a=1/x.parquet:old out/a=1/y.parq:old out/a=2/b=1/x.parquet:o"
               " out/a=3/x.parquet:o out/a=3/README:keep out/_metadata:m "
               "out/a=2/_common_metadata:m out/_temporary/x.parquet:keep "
               "out/.hidden/x.parquet:keep out/.x.parquet:keep out/b:keep "
               "out/a=1/.x.parquet.crc:sum out/a=1/.z.crc:keep out/_y.parquet:k "
               "out/empty/ out/x.parquet.bak:keep out/_SUCCESS:");
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE,
                         "a=1/x.parquet c=1/x.parquet"));
    CHECK_TEXT(tree_text("out"),
               ".hidden/x.parquet:keep .x.parquet:keep _SUCCESS: "
               "_temporary/x.parquet:keep _y.parquet:k a=1/.z.crc:keep "
               "a=1/x.parquet:new a=3/README:keep b:keep c=1/x.parquet:new "
               "empty/ x.parquet.bak:keep");
    tree_end(&d);
}

TEST(publish, replace_keeps_the_old_files_until_all_new_ones_are_done)
{
    PqPublish *p;
    FolderTree d;

    tree_begin(&d, "out/x.parquet:old out/y.parquet:old");
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_REPLACE, NULL,
                             &p, t->e));
    CHECK_OK(put(p, "x.parquet", "new", t->e));
    CHECK_OK(put(p, "z.parquet", "new", t->e));
    CHECK(strstr(tree_text("out"), " x.parquet:old y.parquet:old"));
    CHECK_OK(pq_publish_commit(p, t->e));
    CHECK_TEXT(tree_text("out"), "x.parquet:new z.parquet:new");
    pq_publish_free(p);
    tree_end(&d);
}

TEST(publish, replace_does_not_follow_links_to_folders)
{
    FolderTree d;

    tree_begin(&d, "out/x.parquet:old else/y.parquet:old z:old");
    CHECK(symlink("../z", "out/z.parquet") == 0);
    CHECK_OK(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "w.parquet"));
    CHECK_TEXT(tree_text("."), "else/y.parquet:old out/w.parquet:new z:old");
    CHECK(symlink("../else", "out/else") == 0);
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_REPLACE, "x.parquet"),
                PQ_USAGE, "out/else is a link to another folder");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_ERROR, "x.parquet"),
                PQ_USAGE, "out: the folder is not empty");
    CHECK_TEXT(tree_text("."),
               "else/y.parquet:old out/else@ out/w.parquet:new z:old");
    tree_end(&d);
}

TEST(publish, error_refuses_a_folder_that_holds_data)
{
    FolderTree d;

    tree_begin(&d, "out/a=1/x.parq:old ok/_x.parquet:o ok/.x.parquet:o ok/b:b");
    CHECK_FAILS(copy_folder(t, "out", PQ_OVERWRITE_ERROR, "y.parquet"),
                PQ_USAGE, "out: the folder is not empty; there is "
                          "out/a=1/x.parq;");
    CHECK_TEXT(tree_text("out"), "a=1/x.parq:old");
    CHECK_OK(copy_folder(t, "ok", PQ_OVERWRITE_ERROR, "y.parquet"));
    CHECK_TEXT(tree_text("ok"),
               ".x.parquet:o _x.parquet:o b:b y.parquet:new");
    tree_end(&d);
}

TEST(publish, append_takes_new_names_only)
{
    PqPublish *p;
    FolderTree d;
    PqSink *s;
    bool taken;

    tree_begin(&d, "out/a=1/x.parquet:old out/_metadata:old");
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_APPEND, NULL,
                             &p, t->e));
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
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_ERROR, NULL, &p,
                             t->e));
    CHECK_OK(put(p, "w.parquet", "new", t->e));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    tree_make("out/a=1/x.parquet:other");
    CHECK_FAILS(pq_publish_commit(p, t->e), PQ_IO,
                "out/a=1/x.parquet: was made by somebody else");
    pq_publish_free(p);
    CHECK_TEXT(tree_text("out"), "a=1/x.parquet:other");
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
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_ERROR, NULL, &p,
                             t->e));
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
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_ERROR, NULL, &p,
                             t->e));
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

/* --- the living and the dead ------------------------------------------------------ */

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

    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_APPEND, NULL,
                             &p, t->e));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_APPEND, NULL,
                             &q, t->e));
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
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_APPEND, NULL,
                             &p, t->e));
    CHECK_OK(put(p, "a=1/x.parquet", "new", t->e));
    CHECK_OK(pq_publish_open(t->mem, "out", true, PQ_OVERWRITE_APPEND, NULL,
                             &q, t->e));
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
