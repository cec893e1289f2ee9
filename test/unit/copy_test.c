/*
** copy_test.c - all rows of a copy are in its files, however they are divided
** into files, row groups and partitions, and whatever was put aside.
*/
#include "test/unit/copied.h"
#include "test/unit/folder_tree.h"

#include <stdlib.h>
#include <unistd.h>

static void run_and_check(Test *t, Copied *c, uint32_t n_files)
{
    PqRc rc = copied_run(c, t->e);

    if (rc != PQ_OK) {
        test_fail(t, __FILE__, __LINE__, "%s", t->e->text);
        return;
    }
    CHECK_INT(copied_check(t, c), n_files);
    CHECK_INT(c->progress.rows, c->n_rows);
    CHECK_INT(c->progress.files, n_files);
}

TEST(copy, every_row_comes_back)
{
    static const uint64_t rows[] = {1, 2, 63, 64, 65, 19999, 20000, 20001,
                                    60000};
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        for (unsigned threads = 0; threads < 3; threads += 2) {
            copied_begin(t, &c, "x.parquet", rows[i], true);
            c.plan.threads = threads;
            run_and_check(t, &c, 1);
            copied_end(&c);
        }
    }
    tree_end(&d);
}

TEST(copy, without_rows_there_is_a_file_without_row_groups)
{
    FolderTree d;
    int64_t rows;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "x.parquet", 0, true);
    run_and_check(t, &c, 1);
    CHECK_INT(copied_groups(t, "x.parquet", &rows, 1), 0);
    copied_end(&c);
    copied_begin(t, &c, "out", 0, true);
    c.plan.is_folder = true;
    CHECK_OK(copied_run(&c, t->e));
    copied_end(&c);
    CHECK_INT(copied_groups(t, "out/data_0.parquet", &rows, 1), 0);
    copied_begin(t, &c, "parts", 0, true);
    copied_partition(&c, 3);
    CHECK_OK(copied_run(&c, t->e));
    copied_end(&c);
    CHECK(strncmp(tree_text("."), "out/data_0.parquet:PAR1", 23) == 0);
    CHECK_TEXT(tree_text("parts"), "/");
    tree_end(&d);
}

TEST(copy, row_groups_end_at_their_rows)
{
    int64_t rows[10];
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (unsigned threads = 0; threads < 3; threads += 2) {
        copied_begin(t, &c, "x.parquet", 100000, true);
        c.plan.row_group_rows = 33000;
        c.plan.threads = threads;
        run_and_check(t, &c, 1);
        CHECK_INT(copied_groups(t, "x.parquet", rows, PQ_COUNT(rows)), 4);
        CHECK_INT(rows[0], 33000);
        CHECK_INT(rows[2], 33000);
        CHECK_INT(rows[3], 1000);
        copied_end(&c);
    }
    copied_begin(t, &c, "x.parquet", 50000, false);  /* ends there exactly */
    c.plan.row_group_rows = 25000;
    run_and_check(t, &c, 1);
    CHECK_INT(copied_groups(t, "x.parquet", rows, PQ_COUNT(rows)), 2);
    copied_end(&c);
    tree_end(&d);
}

TEST(copy, row_groups_end_at_their_bytes)
{
    int64_t rows[100];
    uint32_t n;
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "x.parquet", 400000, false);
    c.plan.row_group_bytes = 2 << 20;
    run_and_check(t, &c, 1);
    n = copied_groups(t, "x.parquet", rows, PQ_COUNT(rows));
    CHECK(n >= 4 && n < 12);
    for (uint32_t i = 0; i + 1 < n; i++) {
        CHECK(rows[i] % 20000 == 0 && rows[i] == rows[0]);
    }
    copied_end(&c);
    tree_end(&d);
}

TEST(copy, files_follow_upon_each_other)
{
    FolderTree d;
    Copied c;
    int64_t rows[10];

    tree_begin(&d, "");
    copied_begin(t, &c, "out", 100000, true);
    c.plan.is_folder = true;
    c.plan.file_rows = 30000;
    c.plan.row_group_rows = 20000;
    run_and_check(t, &c, 4);
    CHECK_INT(copied_groups(t, "out/data_0.parquet", rows, 10), 2);
    CHECK_INT(rows[0], 20000);
    CHECK_INT(rows[1], 10000);
    CHECK_INT(copied_groups(t, "out/data_3.parquet", rows, 10), 1);
    CHECK_INT(rows[0], 10000);
    copied_end(&c);

    copied_begin(t, &c, "one", 60000, true);         /* none is left empty */
    c.plan.is_folder = true;
    c.plan.file_rows = 30000;
    c.plan.threads = 2;
    run_and_check(t, &c, 2);
    copied_end(&c);
    tree_end(&d);
}

/* When a file is full at the end of a row group, no further row group begins in
** it. */
TEST(copy, a_file_that_is_full_takes_no_more_rows)
{
    FolderTree d;
    Copied c;
    int64_t rows[10];

    tree_begin(&d, "");
    copied_begin(t, &c, "out", 300000, false);
    c.plan.is_folder = true;
    c.plan.file_bytes = 1;
    c.plan.row_group_rows = 20000;   /* as many as are handed over at once */
    run_and_check(t, &c, 15);
    for (int i = 0; i < 15; i++) {
        char name[40];

        snprintf(name, sizeof name, "out/data_%d.parquet", i);
        CHECK_INT(copied_groups(t, name, rows, PQ_COUNT(rows)), 1);
        CHECK_INT(rows[0], 20000);
    }
    copied_end(&c);
    tree_end(&d);
}

TEST(copy, one_file_is_not_several)
{
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "x.parquet", 10, true);
    c.plan.file_rows = 3;
    CHECK_FAILS(copied_run(&c, t->e), PQ_USAGE, "need a folder");
    copied_end(&c);
    CHECK(access("x.parquet", F_OK) != 0);
    tree_end(&d);
}

/* --- partitions ----------------------------------------------------------- */

TEST(copy, partitions_have_their_rows)
{
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (unsigned threads = 0; threads < 3; threads += 2) {
        copied_begin(t, &c, "out", 50000, true);
        copied_partition(&c, 7);
        c.plan.threads = threads;
        c.plan.row_group_rows = 3000;
        run_and_check(t, &c, 7);
        copied_end(&c);
    }
    copied_begin(t, &c, "rolled", 50000, true);
    copied_partition(&c, 4);
    c.plan.file_rows = 5000;
    run_and_check(t, &c, 12);
    copied_end(&c);
    tree_end(&d);
}

/* A page or a buffer for each partition would need more memory than there is:
** without a limit the copy takes 16 MB. */
TEST(copy, two_thousand_partitions_take_turns_in_little_memory)
{
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (unsigned threads = 0; threads < 3; threads += 2) {
        copied_begin(t, &c, "out", 60000, threads == 2);
        copied_memory(&c, (size_t)6 << 20);
        copied_partition(&c, 2000);
        c.plan.threads = threads;
        run_and_check(t, &c, 2000);              /* not one more */
        CHECK_INT(c.progress.row_groups, 2000);
        CHECK(c.most_descriptors < 150);
        copied_end(&c);
        tree_clear();
    }
    tree_end(&d);
}

/* --- memory --------------------------------------------------------------- */

TEST(copy, a_row_group_may_be_larger_than_the_memory)
{
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    copied_begin(t, &c, "x.parquet", 2000000, false);
    copied_memory(&c, (size_t)16 << 20);
    c.plan.threads = 2;
    run_and_check(t, &c, 1);
    CHECK_INT(c.progress.row_groups, 2);
    copied_end(&c);
    tree_end(&d);
}

/* --- what does not fit ---------------------------------------------------- */

static void check_misfit(Test *t, Copied *c, uint64_t row)
{
    CHECK_FAILS(copied_run(c, t->e), PQ_USAGE, "bad");
    CHECK(c->misfit);
    CHECK_INT(c->which.column, 4);
    CHECK_INT(c->which.row, row + 1);
    CHECK(!t->e->where.column);      /* it might point into the copy */
}

TEST(copy, the_first_row_that_does_not_fit_is_told)
{
    static const uint64_t rows[] = {0, 1, 999, 25000, 40017, 59999};
    FolderTree d;
    Copied c;

    tree_begin(&d, "x.parquet:old");
    for (size_t i = 0; i < PQ_COUNT(rows) && !t->failed; i++) {
        copied_begin(t, &c, "x.parquet", 60000, true);
        c.plan.threads = (unsigned)i % 3;
        c.plan.row_group_rows = 9000;
        c.bad_row = rows[i];
        check_misfit(t, &c, rows[i]);
        copied_end(&c);
        CHECK_TEXT(tree_text("."), "x.parquet:old");
    }
    tree_end(&d);
}

/* No later row fits either, in any partition.  Some of them are handed over
** first, others wait in memory or in the scratch file. */
TEST(copy, the_first_row_of_all_partitions_is_told)
{
    static const uint64_t rows[] = {0, 7, 5003, 19998, 29999};
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (size_t i = 0; i < 4 * PQ_COUNT(rows) && !t->failed; i++) {
        copied_begin(t, &c, "out", 30000, false);
        copied_partition(&c, i < 2 * PQ_COUNT(rows) ? 5 : 400);
        if (i >= 2 * PQ_COUNT(rows)) {
            copied_memory(&c, (size_t)3 << 20);
        }
        c.columns[0].options.page_rows = i % 2 ? 20000 : 100;
        for (int k = 0; k < COPIED_COLUMNS; k++) {
            c.columns[k].options.page_rows = i % 2 ? 20000 : 100;
            c.columns[k].options.codec = PQ_CODEC_UNCOMPRESSED;
        }
        c.plan.threads = (unsigned)i % 3;
        c.bad_row = rows[i % PQ_COUNT(rows)];
        check_misfit(t, &c, c.bad_row);
        copied_end(&c);
        CHECK_TEXT(tree_text("."), "/");
    }
    tree_end(&d);
}

/* --- interrupts ----------------------------------------------------------- */

static bool count_down(void *arg)
{
    int *left = arg;

    return --*left <= 0;
}

TEST(copy, an_interrupt_stops_a_copy_wherever_it_asks)
{
    FolderTree d;
    Copied c;

    tree_begin(&d, "");
    for (int parts = 0; parts < 9; parts += 8) {
        for (unsigned threads = 0; threads < 3; threads += 2) {
            int asked = 1, left = 0;

            for (; left <= 0 && !t->failed; asked += asked / 4 + 1) {
                PqStop stop = {count_down, &left};
                PqRc rc;

                tree_make("x.parquet:old");
                copied_begin(t, &c, parts ? "out" : "x.parquet", 3000, true);
                if (parts) {
                    copied_partition(&c, (uint32_t)parts);
                }
                c.plan.row_group_rows = 1000;
                c.plan.stop = &stop;
                c.plan.threads = threads;
                left = asked;
                rc = copied_run(&c, t->e);
                CHECK(rc == (left > 0 ? PQ_OK : PQ_STOPPED));
                CHECK(rc == PQ_OK ||
                      !strcmp(tree_text("."), "x.parquet:old"));
                pq_err_clear(t->e);
                copied_end(&c);
                tree_clear();
            }
            CHECK(asked > 10);
        }
    }
    tree_end(&d);
}

static bool count_up(void *arg)
{
    ++*(int *)arg;
    return false;
}

/* Each partition takes some time, and there may be many thousand. */
TEST(copy, an_interrupt_is_heard_between_partitions_that_are_put_aside)
{
    FolderTree d;
    Copied c;
    int asked = 0;
    PqStop stop = {count_up, &asked};

    tree_begin(&d, "");
    copied_begin(t, &c, "out", 300000, false);
    copied_memory(&c, (size_t)16 << 20);
    copied_partition(&c, 2000);
    c.plan.stop = &stop;
    run_and_check(t, &c, 2000);
    CHECK(asked > 135000);           /* otherwise 123000 */
    copied_end(&c);
    tree_end(&d);
}
