/*
** listing_test.c - which files an argument lists, in a tree that the test
** makes.
**
** The tree's folder is the working directory while a test runs, so paths look
** as a user writes them.  An expected listing is one text, with spaces between
** paths.  With hive every path is followed by its values: (country=FR
** year=null).
*/
#define _GNU_SOURCE
#include "core/files/listing.h"
#include "core/files/glob.h"
#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_ROOM = 4096 };

typedef FolderTree Tree;

static void must(bool ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

/* Makes the paths, with spaces between them, in a new folder. */
static Tree tree(const char *paths)
{
    Tree made;

    tree_begin(&made, paths);
    return made;
}

static void add(char *out, const char *text)
{
    strncat(out, text, TEXT_ROOM - 1 - strlen(out));
}

static void add_hive(const PqListing *l, const PqHiveValue *hive, char *out)
{
    char number[32];

    for (uint32_t k = 0; k < l->n_folder_columns; k++) {
        add(out, k ? " " : " (");
        add(out, l->folder_columns[k]);
        add(out, "=");
        if (!hive[k].text) {
            add(out, "null");
        } else if (l->folder_types[k] == PQ_HIVE_INTEGER) {
            snprintf(number, sizeof number, "%lld", (long long)hive[k].integer);
            add(out, number);
        } else {
            add(out, l->folder_types[k] == PQ_HIVE_DATE ? "date:" : "'");
            add(out, hive[k].text);
            add(out, l->folder_types[k] == PQ_HIVE_DATE ? "" : "'");
        }
    }
    add(out, l->n_folder_columns ? ")" : "");
}

/* The listing, or the error's message; the name of this folder is cut off. */
static const char *listed(Test *t, const char *pattern, bool hive)
{
    static char out[TEXT_ROOM];
    char *folder;
    PqListing l;

    out[0] = 0;
    if (pq_listing_make(pattern, hive, NULL, t->mem, NULL, &l, t->e) != PQ_OK) {
        add(out, t->e->text);
        folder = strstr(out, "paths start at /");
        if (folder) {
            strcpy(folder, "paths start at ...");
        }
        pq_err_clear(t->e);
        return out;
    }
    for (uint32_t i = 0; i < l.n_files; i++) {
        add(out, i ? " " : "");
        add(out, l.files[i].path);
        add_hive(&l, l.files[i].hive, out);
    }
    pq_listing_free(&l);
    return out;
}

/* The values of a file in these folders. */
static const char *hive_of(Test *t, const char *folders)
{
    char path[512];
    const char *text;
    Tree dir;

    snprintf(path, sizeof path, "d/%s/f.parquet", folders);
    dir = tree(path);
    text = listed(t, "d", true);
    tree_end(&dir);
    text += strlen("d/") + strlen(folders) + strlen("/f.parquet");
    return text + (*text == ' ');
}

/* --- files and folders -------------------------------------------------- */

TEST(listing, a_file_is_itself_whatever_its_name)
{
    Tree dir = tree("a.txt d/_metadata .h");

    CHECK_TEXT(listed(t, "a.txt", true), "a.txt");
    CHECK_TEXT(listed(t, "./a.txt", true), "./a.txt");
    CHECK_TEXT(listed(t, "d//_metadata", true), "d//_metadata");
    CHECK_TEXT(listed(t, "d/../.h", true), "d/../.h");
    tree_end(&dir);
}

TEST(listing, a_file_with_glob_characters_is_that_file)
{
    Tree dir = tree("a[1].parquet a1.parquet what? d*/x.parquet dd/y.parquet");

    CHECK_TEXT(listed(t, "a[1].parquet", false), "a[1].parquet");
    CHECK_TEXT(listed(t, "what?", false), "what?");
    CHECK_TEXT(listed(t, "d*", false), "d*/x.parquet");
    CHECK_TEXT(listed(t, "a[0-9].parquet", false), "a1.parquet");
    tree_end(&dir);
}

TEST(listing, a_new_file_is_in_it_as_it_will_be_listed)
{
    static const struct { const char *pattern, *path; bool has; } cases[] = {
        {"g", "g/x.parquet", true}, {"g/", "./g//x.parq", true},
        {"g", "g/new/far/x.parquet", true}, {"./g", "g/../g/x.parquet", true},
        {"g", "g/x.csv", false}, {"g", "g/_new/x.parquet", false},
        {"g", "g.parquet", false}, {"g", "gg/x.parquet", false},
        {"link", "g/x.parquet", true}, {"g", "link/x.parquet", true},
        {"g/*.parquet", "g/x.parquet", true},
        {"g/*.parquet", "g/y/x.parquet", false},
        {"*/[xy].parquet", "g/x.parquet", true}, {"**", "g/x.parquet", true},
        {"g/k=*", "g/k=1/x.parquet", true}, {"g/k=*", "g/j=1/x.parquet", false},
        {"g/a.parquet", "g/x.parquet", false}, {"none", "none/x.parquet", false},
        {"none/*.parquet", "none/x.parquet", true},
        {"[\"none\", \"g\"]", "g/x.parquet", true},
        {"[\"g\", \"none/*.parquet\"]", "none/x.parquet", true},
        {"[\"g/a.parquet\"]", "g/x.parquet", false}, {"[\"g", "g/x.parquet", false},
    };
    FolderTree d;

    tree_begin(&d, "g/a.parquet:a");
    CHECK(symlink("g", "link") == 0);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        bool has;

        pq_err_clear(t->e);
        pq_listing_would_have(cases[i].pattern, t->mem, cases[i].path, &has,
                              t->e);
        if (has != cases[i].has) {
            test_fail(t, __FILE__, __LINE__, "%s of %s", cases[i].path,
                      cases[i].pattern);
        }
    }
    tree_end(&d);
}

TEST(listing, what_does_not_exist_is_named)
{
    Tree dir = tree("a.parquet");

    CHECK_TEXT(listed(t, "b.parquet", false),
               "b.parquet: cannot open: No such file or directory; "
               "relative paths start at ...");
    CHECK_TEXT(listed(t, "a.parquet/", false),
               "a.parquet/: cannot open: Not a directory");
    CHECK_TEXT(listed(t, "b[", false),
               "b[: cannot open: No such file or directory; "
               "relative paths start at ...");
    CHECK_TEXT(listed(t, "", false), "no file, folder or glob is given");
    tree_end(&dir);
}

TEST(listing, a_folder_is_its_parquet_files_at_any_depth)
{
    Tree dir = tree("d/b.parquet d/a.parq d/c.csv d/parquet d/x/y/z.parquet "
                    "d/x.parquet.crc d/e/ d/UPPER.PARQUET");

    CHECK_TEXT(listed(t, "d", false), "d/a.parq d/b.parquet d/x/y/z.parquet");
    CHECK_TEXT(listed(t, "./d", false),
               "./d/a.parq ./d/b.parquet ./d/x/y/z.parquet");
    CHECK_TEXT(listed(t, "d/", false), "d/a.parq d/b.parquet d/x/y/z.parquet");
    CHECK_TEXT(listed(t, "d/x/..", false),
               "d/x/../a.parq d/x/../b.parquet d/x/../x/y/z.parquet");
    tree_end(&dir);
}

TEST(listing, a_folder_leaves_out_dots_and_underscores)
{
    Tree dir = tree("d/.a.parquet d/_a.parquet d/_temporary/a.parquet "
                    "d/.git/a.parquet d/_metadata d/a_.parquet "
                    "_d/a.parquet .d/a.parquet");

    CHECK_TEXT(listed(t, "d", false), "d/a_.parquet");
    CHECK_TEXT(listed(t, "_d", false), "_d/a.parquet");
    CHECK_TEXT(listed(t, ".d", false), ".d/a.parquet");
    CHECK_TEXT(listed(t, ".", false), "./d/a_.parquet");
    tree_end(&dir);
}

TEST(listing, a_column_of_folders_may_begin_with_an_underscore)
{
    Tree dir = tree("d/_day=1/a.parquet d/_day=2/_n=3/b.parquet d/_day/c.parquet "
                    "d/.day=1/d.parquet d/_e=1.parquet d/_tmp/_day=1/f.parquet");

    CHECK_TEXT(listed(t, "d", true),
               "d/_day=1/a.parquet (_day=1 _n=null) "
               "d/_day=2/_n=3/b.parquet (_day=2 _n=3)");
    CHECK_TEXT(listed(t, "d/*", true),
               "d/_day=1/a.parquet (_day=1 _n=null) "
               "d/_day=2/_n=3/b.parquet (_day=2 _n=3) "
               "d/_e=1.parquet (_day=null _n=null)");
    CHECK_TEXT(listed(t, "d/**/*.parquet", false),
               "d/_day=1/a.parquet d/_day=2/_n=3/b.parquet d/_e=1.parquet");
    CHECK_TEXT(listed(t, "d/_day=[12]", true),
               "d/_day=1/a.parquet (_day=1 _n=null) "
               "d/_day=2/_n=3/b.parquet (_day=2 _n=3)");
    tree_end(&dir);
}

TEST(listing, a_folder_named_parquet_is_a_folder)
{
    Tree dir = tree("d/s.parquet/part-0.parquet d/s.parquet/_SUCCESS "
                    "d/t.parquet/");

    CHECK_TEXT(listed(t, "d", false), "d/s.parquet/part-0.parquet");
    CHECK_TEXT(listed(t, "d/s.parquet", false), "d/s.parquet/part-0.parquet");
    CHECK_TEXT(listed(t, "d/*.parquet", false), "d/s.parquet/part-0.parquet");
    tree_end(&dir);
}

TEST(listing, a_folder_without_parquet_files_is_named)
{
    Tree dir = tree("d/_a.parquet d/b.csv");

    CHECK_TEXT(listed(t, "d", false),
               "d: no *.parquet or *.parq file in this folder or below it; it "
               "holds 1 other name: b.csv; to read Parquet files with other "
               "names, use a glob: 'd/*'");
    tree_end(&dir);
}

TEST(listing, order_is_by_the_bytes_of_the_whole_path)
{
    Tree dir = tree("d/a/z.parquet d/a-b.parquet d/a.parquet d/B.parquet "
                    "d/\xc3\xa4.parquet d/\xff.parquet d/b.parquet");

    CHECK_TEXT(listed(t, "d", false),
               "d/B.parquet d/a-b.parquet d/a.parquet d/a/z.parquet "
               "d/b.parquet d/\xc3\xa4.parquet d/\xff.parquet");
    tree_end(&dir);
}

TEST(listing, a_name_may_have_any_bytes)
{
    Tree dir = tree("d/\n.parquet d/\x01\xfe\t.parquet d/'\".parquet");

    CHECK_TEXT(listed(t, "d/*", false),
               "d/\x01\xfe\t.parquet d/\n.parquet d/'\".parquet");
    tree_end(&dir);
}

/* --- globs -------------------------------------------------------------- */

TEST(listing, a_glob_matches_within_a_component)
{
    Tree dir = tree("d/a1.parquet d/a2.csv d/b1.parquet d/.a.parquet d/_a");

    CHECK_TEXT(listed(t, "d/a*", false), "d/a1.parquet d/a2.csv");
    CHECK_TEXT(listed(t, "./d/?1.parquet", false),
               "./d/a1.parquet ./d/b1.parquet");
    CHECK_TEXT(listed(t, "d//[!a]*", false), "d//_a d//b1.parquet");
    CHECK_TEXT(listed(t, "d/.*", false), "d/.a.parquet");
    CHECK_TEXT(listed(t, "*/b1.parquet", false), "d/b1.parquet");
    CHECK_TEXT(listed(t, "*//./b1*", false), "d/b1.parquet");
    tree_end(&dir);
}

TEST(listing, a_glob_that_matches_nothing_is_named)
{
    Tree dir = tree("d/a.parquet");

    CHECK_TEXT(listed(t, "d/*.csv", false),
               "d/*.csv: no file matches this glob; "
               "relative paths start at ...");
    CHECK_TEXT(listed(t, "no/*", false),
               "no/*: no file matches this glob; "
               "relative paths start at ...");
    CHECK_TEXT(listed(t, "d/a.parquet/*", false),
               "d/a.parquet/*: no file matches this glob; "
               "relative paths start at ...");
    CHECK_TEXT(listed(t, "*/a.parquet/x", false),
               "*/a.parquet/x: no file matches this glob; "
               "relative paths start at ...");
    tree_end(&dir);
}

TEST(listing, two_stars_are_any_number_of_folders)
{
    Tree dir = tree("d/a.parquet d/x/a.parquet d/x/y/a.parquet d/x/y/b.csv "
                    "d/.h/a.parquet e/x/a.parquet");

    CHECK_TEXT(listed(t, "d/**/*.parquet", false),
               "d/a.parquet d/x/a.parquet d/x/y/a.parquet");
    CHECK_TEXT(listed(t, "**/x/*.parquet", false),
               "d/x/a.parquet e/x/a.parquet");
    CHECK_TEXT(listed(t, "**/x/**/a.parquet", false),
               "d/x/a.parquet d/x/y/a.parquet e/x/a.parquet");
    CHECK_TEXT(listed(t, "d/**/b*", false), "d/x/y/b.csv");
    CHECK_TEXT(listed(t, "d/**/.h/*", false), "d/.h/a.parquet");
    tree_end(&dir);
}

TEST(listing, two_stars_at_the_end_are_the_folder)
{
    Tree dir = tree("d/a.parquet d/x/b.parq d/_SUCCESS d/x/c.csv e.parquet");

    CHECK_TEXT(listed(t, "d/**", false), "d/a.parquet d/x/b.parq");
    CHECK_TEXT(listed(t, "d/**/**/", false), "d/a.parquet d/x/b.parq");
    CHECK_TEXT(listed(t, "**", false), "d/a.parquet d/x/b.parq e.parquet");
    CHECK_TEXT(listed(t, "*/**", false), "d/a.parquet d/x/b.parq");
    tree_end(&dir);
}

TEST(listing, many_two_stars_list_no_file_twice_and_are_quick)
{
    Tree dir = tree("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/f.parquet");

    CHECK_TEXT(listed(t, "**/*/**/*/**/*/**/*/**/*/**/*/**/*/**/*/*.parquet",
                      false),
               "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/f.parquet");
    tree_end(&dir);
}

TEST(listing, a_folder_that_a_glob_matches_is_walked)
{
    Tree dir = tree("d/y=1/a.parquet d/y=2/m=1/b.parquet d/y=2/_x.parquet "
                    "d/c.csv d/_t/a.parquet d/z/");

    CHECK_TEXT(listed(t, "d/y=*", false),
               "d/y=1/a.parquet d/y=2/m=1/b.parquet");
    CHECK_TEXT(listed(t, "d/*", false),
               "d/c.csv d/y=1/a.parquet d/y=2/m=1/b.parquet");
    CHECK_TEXT(listed(t, "d/*/", false),
               "d/y=1/a.parquet d/y=2/m=1/b.parquet");
    CHECK_TEXT(listed(t, "d/_*", false), "d/_t/a.parquet");
    CHECK_TEXT(listed(t, "d/z*", false), "d/z*: no file matches this glob; "
               "relative paths start at ...");
    tree_end(&dir);
}

TEST(listing, a_glob_that_makes_no_sense_is_refused)
{
    Tree dir = tree("d/a.parquet");
    char deep[256] = "";

    CHECK_TEXT(listed(t, "*/../d/*", false),
               "*/../d/*: a glob cannot have .. after a glob character");
    CHECK_TEXT(listed(t, "d/../*/a.parquet", false), "d/../d/a.parquet");
    for (int i = 0; i < PQ_GLOB_PARTS + 1; i++) {
        strcat(deep, "*/");
    }
    CHECK(strstr(listed(t, deep, false), "a glob of more than 63 parts"));
    deep[2 * PQ_GLOB_PARTS] = 0;
    CHECK(strstr(listed(t, deep, false), "no file matches"));
    tree_end(&dir);
}

/* --- links and special files -------------------------------------------- */

TEST(listing, links_to_files_and_folders_are_followed)
{
    Tree dir = tree("d/a.parquet e/b.parquet");

    must(symlink("../e/b.parquet", "d/l.parquet") == 0, "symlink");
    must(symlink("../e", "d/le") == 0, "symlink");
    CHECK_TEXT(listed(t, "d", false),
               "d/a.parquet d/l.parquet d/le/b.parquet");
    CHECK_TEXT(listed(t, "d/l*", false), "d/l.parquet d/le/b.parquet");
    CHECK_TEXT(listed(t, "d/**/b*", false), "d/le/b.parquet");
    CHECK_TEXT(listed(t, "d/le", false), "d/le/b.parquet");
    tree_end(&dir);
}

TEST(listing, a_link_that_leads_back_is_followed_by_name_only)
{
    Tree dir = tree("d/x/a.parquet");

    must(symlink("..", "d/x/up") == 0, "symlink");
    must(symlink(".", "d/x/here") == 0, "symlink");
    CHECK_TEXT(listed(t, "d", false), "d/x/a.parquet");
    CHECK_TEXT(listed(t, "d/**/*.parquet", false), "d/x/a.parquet");
    CHECK_TEXT(listed(t, "d/x/here/*.parquet", false), "d/x/here/a.parquet");
    CHECK_TEXT(listed(t, "d/*/here/*/a.parquet", false),
               "d/x/here/here/a.parquet");
    CHECK_TEXT(listed(t, "d/**/up/x/*.parquet", false), "d/x/up/x/a.parquet");
    tree_end(&dir);
}

TEST(listing, a_link_to_nowhere_is_listed_where_a_file_would_be)
{
    Tree dir = tree("d/a.parquet");

    must(symlink("nowhere", "d/b.parquet") == 0, "symlink");
    must(symlink("c.parquet", "d/c.parquet") == 0, "symlink");
    must(symlink("nowhere", "d/folder") == 0, "symlink");
    CHECK_TEXT(listed(t, "d", false), "d/a.parquet d/b.parquet d/c.parquet");
    CHECK_TEXT(listed(t, "*/b.parquet", false), "d/b.parquet");
    tree_end(&dir);
}

TEST(listing, what_is_no_folder_counts_as_a_file)
{
    Tree dir = tree("d/a.parquet");

    must(mkfifo("d/f.parquet", 0666) == 0, "mkfifo");
    CHECK_TEXT(listed(t, "d", false), "d/a.parquet d/f.parquet");
    CHECK_TEXT(listed(t, "d/f.parquet", false), "d/f.parquet");
    tree_end(&dir);
}

TEST(listing, folders_may_be_deep_but_not_without_end)
{
    char path[512] = "";
    Tree dir;

    for (int i = 0; i < PQ_GLOB_DEPTH; i++) {
        strcat(path, "d/");
    }
    strcat(path, "f.parquet");
    dir = tree(path);
    CHECK_TEXT(listed(t, "**", false), path);
    memcpy(path + 2 * PQ_GLOB_DEPTH, "d/f.parquet", 12);
    tree_make(path);
    CHECK(strstr(listed(t, "**", false), "deeper than 100 levels: d/d/"));
    tree_end(&dir);
}

/* --- hive --------------------------------------------------------------- */

TEST(hive, folders_below_the_one_given_are_columns)
{
    Tree dir = tree("s/c=FR/day=2024-02-29/a.parquet s/c=DE/day=2024-03-01/b"
                    ".parquet s/c=DE/x=1.parquet s/c=IT/plain/c.parquet");

    CHECK_TEXT(listed(t, "s", true),
               "s/c=DE/day=2024-03-01/b.parquet (c='DE' day=date:2024-03-01) "
               "s/c=DE/x=1.parquet (c='DE' day=null) "
               "s/c=FR/day=2024-02-29/a.parquet (c='FR' day=date:2024-02-29) "
               "s/c=IT/plain/c.parquet (c='IT' day=null)");
    CHECK_TEXT(listed(t, "s/c=FR", true),
               "s/c=FR/day=2024-02-29/a.parquet (day=date:2024-02-29)");
    CHECK_TEXT(listed(t, "s/c=FR", false), "s/c=FR/day=2024-02-29/a.parquet");
    CHECK_TEXT(listed(t, "s/c=FR/day=2024-02-29/a.parquet", true),
               "s/c=FR/day=2024-02-29/a.parquet");
    tree_end(&dir);
}

TEST(hive, folders_from_the_first_glob_character_are_columns)
{
    Tree dir = tree("s/c=FR/y=7/a.parquet s/c=DE/y=8/b.parquet");

    CHECK_TEXT(listed(t, "s/c=*/y=7/*.parquet", true),
               "s/c=FR/y=7/a.parquet (c='FR' y=7)");
    CHECK_TEXT(listed(t, "s/c=FR/*/*", true), "s/c=FR/y=7/a.parquet (y=7)");
    CHECK_TEXT(listed(t, "s/c=FR/y=7/*", true), "s/c=FR/y=7/a.parquet");
    CHECK_TEXT(listed(t, "s/**/b*", true), "s/c=DE/y=8/b.parquet (c='DE' y=8)");
    CHECK_TEXT(listed(t, "s/c=D*", true), "s/c=DE/y=8/b.parquet (c='DE' y=8)");
    tree_end(&dir);
}

TEST(hive, an_integer_is_one_only_as_it_is_printed)
{
    CHECK_TEXT(hive_of(t, "k=0"), "(k=0)");
    CHECK_TEXT(hive_of(t, "k=-12"), "(k=-12)");
    CHECK_TEXT(hive_of(t, "k=9223372036854775807"), "(k=9223372036854775807)");
    CHECK_TEXT(hive_of(t, "k=-9223372036854775808"),
               "(k=-9223372036854775808)");
    CHECK_TEXT(hive_of(t, "k=9223372036854775808"),
               "(k='9223372036854775808')");
    CHECK_TEXT(hive_of(t, "k=-9223372036854775809"),
               "(k='-9223372036854775809')");
    CHECK_TEXT(hive_of(t, "k=99999999999999999999"),
               "(k='99999999999999999999')");
    CHECK_TEXT(hive_of(t, "k=-0"), "(k='-0')");
    CHECK_TEXT(hive_of(t, "k=007"), "(k='007')");
    CHECK_TEXT(hive_of(t, "k=+1"), "(k='+1')");
    CHECK_TEXT(hive_of(t, "k=1.0"), "(k='1.0')");
    CHECK_TEXT(hive_of(t, "k=1e3"), "(k='1e3')");
    CHECK_TEXT(hive_of(t, "k=-"), "(k='-')");
}

TEST(hive, a_date_is_one_that_the_calendar_has)
{
    CHECK_TEXT(hive_of(t, "k=2024-02-29"), "(k=date:2024-02-29)");
    CHECK_TEXT(hive_of(t, "k=2000-02-29"), "(k=date:2000-02-29)");
    CHECK_TEXT(hive_of(t, "k=0000-12-31"), "(k=date:0000-12-31)");
    CHECK_TEXT(hive_of(t, "k=1900-02-29"), "(k='1900-02-29')");
    CHECK_TEXT(hive_of(t, "k=2023-02-29"), "(k='2023-02-29')");
    CHECK_TEXT(hive_of(t, "k=2023-04-31"), "(k='2023-04-31')");
    CHECK_TEXT(hive_of(t, "k=2023-13-01"), "(k='2023-13-01')");
    CHECK_TEXT(hive_of(t, "k=2023-00-01"), "(k='2023-00-01')");
    CHECK_TEXT(hive_of(t, "k=2023-01-00"), "(k='2023-01-00')");
    CHECK_TEXT(hive_of(t, "k=2023-1-1"), "(k='2023-1-1')");
    CHECK_TEXT(hive_of(t, "k=2023-01-01x"), "(k='2023-01-01x')");
}

TEST(hive, a_key_has_the_type_that_all_its_values_have)
{
    Tree dir = tree("d/a=1/b=1/c=2024-01-01/e=__HIVE_DEFAULT_PARTITION__/f"
                    ".parquet d/a=__HIVE_DEFAULT_PARTITION__/b=x/c=2024/f"
                    ".parquet d/a=3/g.parquet");

    CHECK_TEXT(listed(t, "d", true),
               "d/a=1/b=1/c=2024-01-01/e=__HIVE_DEFAULT_PARTITION__/f.parquet "
               "(a=1 b='1' c='2024-01-01' e=null) "
               "d/a=3/g.parquet (a=3 b=null c=null e=null) "
               "d/a=__HIVE_DEFAULT_PARTITION__/b=x/c=2024/f.parquet "
               "(a=null b='x' c='2024' e=null)");
    tree_end(&dir);
}

TEST(hive, keys_and_values_are_percent_decoded)
{
    CHECK_TEXT(hive_of(t, "k=a%2Fb%3dc"), "(k='a/b=c')");
    CHECK_TEXT(hive_of(t, "a%20b=%31"), "(a b=1)");
    CHECK_TEXT(hive_of(t, "k=100%"), "(k='100%')");
    CHECK_TEXT(hive_of(t, "k=%zz%4"), "(k='%zz%4')");
    CHECK_TEXT(hive_of(t, "k=%00"), "(k='%00')");
    CHECK_TEXT(hive_of(t, "k=%c3%A4"), "(k='\xc3\xa4')");
    CHECK_TEXT(hive_of(t, "k%31=1/k1=2"), "(k1=1)");
}

TEST(hive, the_first_equals_divides_and_the_outermost_folder_wins)
{
    CHECK_TEXT(hive_of(t, "k=a=b"), "(k='a=b')");
    CHECK_TEXT(hive_of(t, "k="), "(k='')");
    CHECK_TEXT(hive_of(t, "=v"), "");
    CHECK_TEXT(hive_of(t, "k=1/j=2/k=3"), "(k=1 j=2)");
    CHECK_TEXT(hive_of(t, "k=__HIVE_DEFAULT_PARTITION__/k=1"), "(k=null)");
    CHECK_TEXT(hive_of(t, "Key=1/key=2"), "(Key=1 key=2)");
}

TEST(hive, more_keys_than_a_table_could_have_are_refused)
{
    Tree dir = tree("d/");
    char path[64];

    for (int i = 0; i < 1001; i++) {
        snprintf(path, sizeof path, "d/k%d=1/f.parquet", i);
        tree_make(path);
    }
    CHECK_TEXT(listed(t, "d", true),
               "d: key=value folders with more than 1000 different keys; "
               "hive=off reads the files without them");
    tree_end(&dir);
}

/* --- what the system refuses -------------------------------------------- */

static void unreadable_folders(Test *t)
{
    CHECK_TEXT(listed(t, "d", false),
               "d/x/y: cannot read this folder: Permission denied");
    CHECK_TEXT(listed(t, "d/**/*.parquet", false),
               "d/x/y: cannot read this folder: Permission denied");
    CHECK_TEXT(listed(t, "d/x/y/b.parquet", false),
               "d/x/y/b.parquet: cannot open: Permission denied");
}

static void searchable_folders(Test *t)
{
    CHECK_TEXT(listed(t, "d/*/y/b.parquet", false), "d/x/y/b.parquet");
}

/* Root may read everything, so root becomes another user for this test. */
static void as_nobody(Test *t, void (*check)(Test *t))
{
    enum { NOBODY = 65534 };
    bool root = geteuid() == 0;

    must(!root || seteuid(NOBODY) == 0, "seteuid");
    check(t);
    must(!root || seteuid(0) == 0, "seteuid");
}

TEST(listing, a_folder_that_cannot_be_read_is_named)
{
    Tree dir = tree("d/a.parquet d/x/y/b.parquet");

    must(chmod(".", 0755) == 0, "chmod");
    must(chmod("d/x/y", 0) == 0, "chmod");
    as_nobody(t, unreadable_folders);
    must(chmod("d/x/y", 0111) == 0, "chmod");
    as_nobody(t, searchable_folders);
    must(chmod("d/x/y", 0777) == 0, "chmod");
    tree_end(&dir);
}

/* Fails every allocation and system call of a listing, one after the other.
** Memory that is still allocated when the test ends is a failure too. */
static void fail_each(Test *t, const char *pattern)
{
    PqListing l;
    int64_t nth = 0, points;

    pq_fault_set(INT64_MAX);
    CHECK_OK(pq_listing_make(pattern, true, NULL, t->mem, NULL, &l, t->e));
    points = pq_fault_count();
    pq_listing_free(&l);
    CHECK(points > 10);
    while (++nth <= points) {
        PqRc rc;
        pq_fault_set(nth);
        rc = pq_listing_make(pattern, true, NULL, t->mem, NULL, &l, t->e);
        pq_fault_set(0);
        CHECK(rc == PQ_NOMEM || rc == PQ_IO);
        CHECK(t->e->text[0] && !l.files && !t->e->where.file);
        CHECK_INT(pq_mem_used(t->mem), 0);
        pq_err_clear(t->e);
    }
}

TEST(listing, every_refusal_is_an_error_and_leaves_nothing)
{
    Tree dir = tree("d/a=1/b=2024-01-01/f.parquet d/a=2/g.parquet d/h.parquet");
    char path[512];

    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "d/a=%d/some_longer_name.parquet", i);
        tree_make(path);
    }
    must(symlink("..", "d/a=1/up") == 0, "symlink");
    must(symlink("nowhere", "d/a=1/n.parquet") == 0, "symlink");
    fail_each(t, "d");
    if (!t->failed) {
        fail_each(t, "d/**/*.parquet");
    }
    if (!t->failed) {
        fail_each(t, "*/a=1/n.parquet");
    }
    if (!t->failed) {
        fail_each(t, "d/a=*");
    }
    tree_end(&dir);
}

TEST(listing, a_budget_that_is_too_small_is_an_error)
{
    Tree dir = tree("d/k=1/a.parquet d/k=2/b.parquet");
    PqListing l;

    pq_mem_set_limit(t->mem, 500);
    CHECK_FAILS(pq_listing_make("d", true, NULL, t->mem, NULL, &l, t->e), PQ_BUDGET, "");
    CHECK(!l.files);
    tree_end(&dir);
}

TEST(listing, thousands_of_files_are_all_there_in_order)
{
    Tree dir = tree("d/");
    char path[64];
    PqListing l;

    for (int i = 0; i < 2000; i++) {
        snprintf(path, sizeof path, "d/part-%05d.parquet", 1999 - i);
        tree_make(path);
    }
    CHECK_OK(pq_listing_make("d/part-*.parquet", true, NULL, t->mem, NULL, &l, t->e));
    CHECK_INT(l.n_files, 2000);
    for (uint32_t i = 0; i < l.n_files; i++) {
        snprintf(path, sizeof path, "d/part-%05u.parquet", i);
        CHECK_TEXT(l.files[i].path, path);
    }
    pq_listing_free(&l);
    tree_end(&dir);
}
