/*
** face_test.c - each function of parquet.h, through that header alone.
**
** Files are written by the face, and read by it.
*/
#include "core/face/parquet.h"

#include "test/unit/folder_tree.h"
#include "test/unit/test.h"

#include <math.h>

typedef struct Face {
    FolderTree tree;
    Parquet   *p;
} Face;

static void face_begin(Face *f)
{
    tree_begin(&f->tree, "");
    parquet_new(&f->p);
}

static void face_end(Face *f)
{
    parquet_free(f->p);
    tree_end(&f->tree);
}

/* Tests leave by return, so what is open is closed by a function around them. */
#define FACE_TEST(name)                                   \
    static void face_##name(Test *t, Parquet *p);         \
    TEST(face, name)                                      \
    {                                                     \
        Face f;                                           \
                                                          \
        face_begin(&f);                                   \
        face_##name(t, f.p);                              \
        face_end(&f);                                     \
    }                                                     \
    static void face_##name(Test *t, Parquet *p)

#define CHECK_DONE(call)                                                        \
    do {                                                                        \
        if ((call) != PARQUET_OK) {                                             \
            test_fail(t, __FILE__, __LINE__, "%s: %s", #call,                   \
                      parquet_error(p)->message);                               \
            return;                                                             \
        }                                                                       \
    } while (0)

#define CHECK_REFUSED(call, code_, text_)                                       \
    do {                                                                        \
        if ((call) != (code_) || !strstr(parquet_error(p)->message, (text_))) { \
            test_fail(t, __FILE__, __LINE__, "%s: code %d, \"%s\"", #call,      \
                      (int)parquet_error(p)->code, parquet_error(p)->message);  \
            return;                                                             \
        }                                                                       \
    } while (0)

/* ---- what is written and read ---- */

/* n INT64, required, and s, a text. */
static ParquetSchema *two_columns(Parquet *p)
{
    ParquetType n = {.storage = PARQUET_INT64}, s = {.meaning = PARQUET_STRING};
    ParquetSchema *schema = NULL;

    if (parquet_schema_new(p, &schema) == PARQUET_OK) {
        parquet_schema_leaf(schema, "n", n, true);
        parquet_schema_leaf(schema, "s", s, false);
    }
    return schema;
}

/* Rows 0 to n - 1; s is "s" and the number, and NULL in every fifth row. */
static ParquetCode write_rows(Parquet *p, const char *path, int n,
                              const ParquetWriteOptions *options)
{
    ParquetSchema *schema = two_columns(p);
    ParquetWriter *w = NULL;
    ParquetCode code = schema ? parquet_writer_open(p, path, schema, options, &w)
                              : parquet_error(p)->code;
    char text[32];

    for (int i = 0; i < n && code == PARQUET_OK; i++) {
        snprintf(text, sizeof text, "s%d", i);
        code = parquet_row_begin(w, NULL);
        code = code ? code : parquet_put(w, parquet_int(i));
        code = code ? code
                    : i % 5 ? parquet_put(w, parquet_text(text)) : PARQUET_OK;
        code = code ? code : parquet_row_end(w);
    }
    code = code ? code : parquet_publish(w);
    parquet_writer_close(w);
    parquet_schema_free(schema);
    return code;
}

static ParquetCode write_groups(Parquet *p, const char *path, int n, uint64_t rows)
{
    ParquetWriteOptions options;

    parquet_write_options(&options);
    options.row_group_rows = rows;
    return write_rows(p, path, n, &options);
}

/* Counts the rows of a scan and adds up column n. */
static ParquetCode count(ParquetScan *s, int64_t *rows, int64_t *sum)
{
    const ParquetBatch *b;
    ParquetValue v;
    ParquetCode code;

    *rows = *sum = 0;
    while ((code = parquet_next(s, &b)) == PARQUET_OK && b) {
        for (uint32_t i = 0; i < b->n; i++) {
            code = parquet_value(s, 0, b->rows[i], &v);
            if (code != PARQUET_OK) {
                return code;
            }
            *rows += 1;
            *sum += v.i;
        }
    }
    return code;
}

/* "rows sum" of the rows of a.parquet that pass; or the message. */
static const char *passing(Parquet *p, const char *column, ParquetOp op, ParquetValue v)
{
    static char text[1200];
    ParquetTable *table = NULL;
    ParquetScan *s = NULL;
    int64_t rows, sum;

    if (parquet_open(p, "a.parquet", 0, &table) == PARQUET_OK &&
        parquet_scan_open(table, &s) == PARQUET_OK &&
        parquet_where(s, parquet_column_named(table, column), op, v) == PARQUET_OK &&
        count(s, &rows, &sum) == PARQUET_OK) {
        snprintf(text, sizeof text, "%lld %lld", (long long)rows, (long long)sum);
    } else {
        snprintf(text, sizeof text, "%s", parquet_error(p)->message);
    }
    parquet_scan_close(s);
    parquet_close(table);
    return text;
}

/* Damages the byte at `at` from the end of a file, or from its beginning. */
static void damage(const char *path, long at, int whence)
{
    FILE *file = fopen(path, "r+b");
    int c;

    fseek(file, at, whence);
    c = fgetc(file);
    fseek(file, at, whence);
    fputc(c ^ 0x55, file);
    fclose(file);
}

/* ---- a session ---- */

FACE_TEST(an_error_outlives_what_it_is_about)
{
    const ParquetError *e = parquet_error(p);
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    CHECK_TEXT(parquet_version(), PARQUET_VERSION);
    CHECK_INT(e->code, PARQUET_OK);
    CHECK_REFUSED(parquet_open(p, "none.parquet", 0, &table), PARQUET_IO, "none.parquet");
    CHECK(!table);
    CHECK_DONE(write_groups(p, "a.parquet", 3000, 1000));
    damage("a.parquet", 20, SEEK_SET);
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_INT(count(s, &rows, &sum), PARQUET_CORRUPT);
    CHECK_INT(parquet_next(s, &(const ParquetBatch *){NULL}), PARQUET_CORRUPT);
    parquet_scan_close(s);
    parquet_close(table);
    CHECK_INT(e->code, PARQUET_CORRUPT);
    CHECK_TEXT(e->file, "a.parquet");
    CHECK_TEXT(e->column, "n");
    CHECK_INT(e->row_group, 0);
    CHECK(strstr(e->message, "a.parquet, row group 0, column n"));
}

static bool always(void *arg)
{
    ++*(int *)arg;
    return true;
}

FACE_TEST(an_interrupt_stops_one_call)
{
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;
    int asked = 0;

    CHECK_DONE(write_rows(p, "a.parquet", 100, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    parquet_interrupt(p);
    CHECK_REFUSED(count(s, &rows, &sum), PARQUET_STOPPED, "interrupted");
    CHECK_INT(parquet_next(s, &(const ParquetBatch *){NULL}), PARQUET_STOPPED);
    parquet_scan_close(s);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(rows, 100);
    parquet_scan_close(s);
    parquet_on_progress(p, always, &asked);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_INT(count(s, &rows, &sum), PARQUET_STOPPED);
    CHECK(asked > 0);
    parquet_on_progress(p, NULL, NULL);
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(an_interrupt_is_not_lost_to_a_call_that_was_stopped_before)
{
    const ParquetBatch *b;
    ParquetTable *table;
    ParquetScan *stopped, *s;

    CHECK_DONE(write_rows(p, "a.parquet", 100, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &stopped));
    CHECK_DONE(parquet_scan_open(table, &s));
    parquet_interrupt(p);
    CHECK_INT(parquet_next(stopped, &b), PARQUET_STOPPED);
    parquet_interrupt(p);
    CHECK_INT(parquet_next(stopped, &b), PARQUET_STOPPED);
    CHECK_INT(parquet_next(s, &b), PARQUET_STOPPED);
    parquet_scan_close(s);
    parquet_scan_close(stopped);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_next(s, &b));
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(an_error_of_a_call_has_the_place_of_that_call)
{
    const ParquetBatch *b;
    const ParquetVector *v;
    ParquetTable *table;
    ParquetScan *s;

    CHECK_DONE(write_rows(p, "a.parquet", 100, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 1, PARQUET_GE, parquet_text("s1")));
    CHECK_INT(parquet_vector(s, 9, &v), PARQUET_USAGE);
    CHECK_TEXT(parquet_error(p)->message, "there is no column 9");
    CHECK_DONE(parquet_next(s, &b));
    CHECK_DONE(parquet_vector(s, 0, &v));
    CHECK_INT(parquet_vector(s, 9, &v), PARQUET_USAGE);
    CHECK_TEXT(parquet_error(p)->message, "there is no column 9");
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(memory_is_a_limit_and_threads_change_nothing)
{
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    parquet_set_threads(p, 2);
    CHECK_DONE(write_rows(p, "a.parquet", 50000, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(sum, 50000LL * 49999 / 2);
    parquet_scan_close(s);
    parquet_set_memory(p, 300000);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_REFUSED(count(s, &rows, &sum), PARQUET_BUDGET, "memory");
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(the_memory_of_a_scan_includes_its_conditions)
{
    enum { N = 10000 };
    static ParquetValue list[N];
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    for (int i = 0; i < N; i++) {
        list[i] = parquet_int(2 * i);
    }
    CHECK_DONE(write_rows(p, "a.parquet", 100, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where_in(s, 0, list, N));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(rows, 50);
    parquet_scan_close(s);
    CHECK(parquet_scanned(p)->peak_memory > N * 2 * sizeof(int64_t));
    parquet_close(table);
}

/* ---- a table ---- */

FACE_TEST(checksums_are_looked_at_unless_somebody_says_not_to)
{
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    CHECK_DONE(write_rows(p, "a.parquet", 100, NULL));
    damage("a.parquet", 40, SEEK_SET);
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_REFUSED(count(s, &rows, &sum), PARQUET_CORRUPT, "checksum");
    CHECK_INT(parquet_error(p)->page, 0);
    parquet_scan_close(s);
    parquet_close(table);
    CHECK_DONE(parquet_open(p, "a.parquet", PARQUET_UNCHECKED, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK(count(s, &rows, &sum) != PARQUET_CORRUPT ||
          !strstr(parquet_error(p)->message, "checksum"));
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(a_table_has_its_columns_and_files)
{
    ParquetTable *table;

    tree_make("d=1/ d=2/");
    CHECK_DONE(write_rows(p, "d=1/a.parquet", 3, NULL));
    CHECK_DONE(write_rows(p, "d=2/b.parquet", 4, NULL));
    CHECK_DONE(parquet_open(p, "d=*/?.parquet", PARQUET_HIVE, &table));
    CHECK_INT(parquet_n_columns(table), 3);
    CHECK_INT(parquet_n_files(table), 2);
    CHECK_TEXT(parquet_path(table, 1), "d=2/b.parquet");
    CHECK(!parquet_path(table, 2) && !parquet_path(table, -1));
    CHECK_INT(parquet_column_named(table, "S"), 1);
    CHECK_INT(parquet_column_named(table, "x"), -1);
    CHECK(!parquet_column(table, 3) && !parquet_column(table, -1));
    CHECK_TEXT(parquet_column(table, 0)->type_name, "INT64");

    CHECK_INT(parquet_column(table, 1)->type.meaning, PARQUET_STRING);
    CHECK_INT(parquet_column(table, 2)->kind, PARQUET_FOLDER);
    parquet_close(table);
}

/* ---- conditions ---- */

FACE_TEST(each_comparison_leaves_its_rows)
{
    CHECK_DONE(write_groups(p, "a.parquet", 10, 4));
    CHECK_TEXT(passing(p, "n", PARQUET_EQ, parquet_int(7)), "1 7");
    CHECK_TEXT(passing(p, "n", PARQUET_NE, parquet_int(7)), "9 38");
    CHECK_TEXT(passing(p, "n", PARQUET_LT, parquet_int(3)), "3 3");
    CHECK_TEXT(passing(p, "n", PARQUET_LE, parquet_real(3)), "4 6");
    CHECK_TEXT(passing(p, "n", PARQUET_GT, parquet_text("7")), "2 17");
    CHECK_TEXT(passing(p, "n", PARQUET_GE, parquet_int(7)), "3 24");
    CHECK_TEXT(passing(p, "n", PARQUET_EQ, parquet_null()), "0 0");
    CHECK_TEXT(passing(p, "s", PARQUET_EQ, parquet_text("s3")), "1 3");
    CHECK_TEXT(passing(p, "s", PARQUET_NE, parquet_text("s3")), "7 37");
    CHECK_TEXT(passing(p, "s", PARQUET_LT, parquet_text("s3")), "2 3");
    CHECK_TEXT(passing(p, "s", PARQUET_LE, parquet_text("s3")), "3 6");
    CHECK_TEXT(passing(p, "s", PARQUET_GT, parquet_text("s3")), "5 34");
    CHECK_TEXT(passing(p, "s", PARQUET_GE, parquet_text("s3")), "6 37");
    CHECK_TEXT(passing(p, "s", PARQUET_IS_NULL, parquet_null()), "2 5");
    CHECK_TEXT(passing(p, "s", PARQUET_NOT_NULL, parquet_null()), "8 40");
    CHECK_TEXT(passing(p, "n", PARQUET_EQ, parquet_text("x")),
               "column n: 'x' is not an INT64");
    CHECK_TEXT(passing(p, "x", PARQUET_EQ, parquet_int(1)), "there is no column -1");
}

/* Writes a column n of reals. */
static ParquetCode write_reals(Parquet *p, const char *path, ParquetStorage storage,
                               const double *v, int n)
{
    ParquetType type = {.storage = storage};
    ParquetSchema *schema;
    ParquetWriter *w = NULL;
    ParquetCode code = parquet_schema_new(p, &schema);

    parquet_schema_leaf(schema, "n", type, false);
    code = code ? code : parquet_writer_open(p, path, schema, NULL, &w);
    for (int i = 0; i < n && code == PARQUET_OK; i++) {
        code = parquet_row_begin(w, NULL);
        code = code ? code : parquet_put(w, parquet_real(v[i]));
        code = code ? code : parquet_row_end(w);
    }
    code = code ? code : parquet_publish(w);
    parquet_writer_close(w);
    parquet_schema_free(schema);
    return code;
}

FACE_TEST(zeros_are_equal_and_nan_passes_no_comparison)
{
    static const double reals[] = {0.0, -0.0, 1.5, -2.0, NAN, INFINITY};

    CHECK_DONE(write_reals(p, "a.parquet", PARQUET_DOUBLE, reals, 6));
    CHECK_TEXT(passing(p, "n", PARQUET_EQ, parquet_real(0.0)), "2 0");
    CHECK_TEXT(passing(p, "n", PARQUET_EQ, parquet_real(-0.0)), "2 0");
    CHECK_TEXT(passing(p, "n", PARQUET_LT, parquet_real(0.0)), "1 0");
    CHECK_TEXT(passing(p, "n", PARQUET_LE, parquet_real(-0.0)), "3 0");
    CHECK_TEXT(passing(p, "n", PARQUET_GT, parquet_real(-0.0)), "2 0");
    CHECK_TEXT(passing(p, "n", PARQUET_GE, parquet_int(0)), "4 0");
    CHECK_TEXT(passing(p, "n", PARQUET_NE, parquet_int(0)), "3 0");
    CHECK_TEXT(passing(p, "n", PARQUET_NOT_NULL, parquet_null()), "6 0");
    CHECK_TEXT(passing(p, "n", PARQUET_IS_NULL, parquet_null()), "0 0");
    CHECK_TEXT(passing(p, "n", (ParquetOp)9, parquet_null()),
               "column n: there is no comparison 9");
}

FACE_TEST(a_list_and_rows_by_number_leave_their_rows)
{
    const ParquetValue list[] = {parquet_int(9), parquet_null(), parquet_int(2),
                                 parquet_int(77)};
    const ParquetBatch *b;
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    CHECK_DONE(write_groups(p, "a.parquet", 10, 4));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where_in(s, 0, list, 4));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(rows, 2);
    CHECK_INT(sum, 11);
    CHECK_REFUSED(parquet_where(s, 0, PARQUET_EQ, list[0]), PARQUET_USAGE, "comes before");
    parquet_scan_close(s);
    CHECK_INT(parquet_scanned(p)->row_groups, 3);
    CHECK_INT(parquet_scanned(p)->row_groups_skipped, 1);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_REFUSED(parquet_where_rows(s, 1, 0, 1), PARQUET_USAGE, "file 1");
    CHECK_DONE(parquet_where_rows(s, 0, 3, 4));
    CHECK_REFUSED(parquet_where_rows(s, 0, 3, 4), PARQUET_USAGE, "once");
    CHECK_DONE(parquet_next(s, &b));
    CHECK_INT(b->file, 0);
    CHECK_INT(b->row_group, 0);
    CHECK_INT(b->first_row, 3);
    CHECK_INT(b->n, 1);
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(sum, 4 + 5 + 6);
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(a_condition_on_a_folder_chooses_files)
{
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    tree_make("d=1/ d=2/");
    CHECK_DONE(write_rows(p, "d=1/a.parquet", 3, NULL));
    CHECK_DONE(write_rows(p, "d=2/b.parquet", 4, NULL));
    CHECK_DONE(parquet_open(p, "d=*", PARQUET_HIVE, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 2, PARQUET_GT, parquet_int(1)));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(rows, 4);
    parquet_scan_close(s);
    CHECK_INT(parquet_scanned(p)->files_skipped, 1);
    parquet_close(table);
    tree_make("d=__HIVE_DEFAULT_PARTITION__/");
    CHECK_DONE(write_rows(p, "d=__HIVE_DEFAULT_PARTITION__/c.parquet", 5, NULL));
    CHECK_DONE(parquet_open(p, "d=*", PARQUET_HIVE, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 2, PARQUET_IS_NULL, parquet_null()));
    CHECK_DONE(count(s, &rows, &sum));
    CHECK_INT(rows, 5);
    parquet_scan_close(s);
    parquet_close(table);
}

/* ---- values ---- */

/* Writes n rows with one column of a type. */
static ParquetCode write_values(Parquet *p, const char *path, ParquetType type,
                                const ParquetValue *v, int n)
{
    ParquetSchema *schema = NULL;
    ParquetWriter *w = NULL;
    ParquetCode code = parquet_schema_new(p, &schema);

    parquet_schema_leaf(schema, "v", type, false);
    code = code ? code : parquet_writer_open(p, path, schema, NULL, &w);
    for (int i = 0; i < n && code == PARQUET_OK; i++) {
        code = parquet_row_begin(w, NULL);
        code = code ? code : parquet_put(w, v[i]);
        code = code ? code : parquet_row_end(w);
    }
    code = code ? code : parquet_publish(w);
    parquet_writer_close(w);
    parquet_schema_free(schema);
    return code;
}

/* The first value of a scan's column as a text, or the message. */
static const char *first_value(Parquet *p, ParquetScan *s, ParquetCode code)
{
    static char text[1200];
    const ParquetBatch *b;
    ParquetValue out;

    code = code ? code : parquet_next(s, &b);
    code = code ? code : parquet_value(s, 0, b ? b->rows[0] : 9, &out);
    if (code != PARQUET_OK) {
        snprintf(text, sizeof text, "%s", parquet_error(p)->message);
    } else if (out.what == PARQUET_CLASS_INT) {
        snprintf(text, sizeof text, "INT %lld", (long long)out.i);
    } else if (out.what == PARQUET_CLASS_REAL) {
        snprintf(text, sizeof text, "REAL %g", out.r);
    } else if (out.what == PARQUET_CLASS_NULL) {
        snprintf(text, sizeof text, "NULL");
    } else {
        snprintf(text, sizeof text, "%s %.*s",
                 out.what == PARQUET_CLASS_TEXT ? "TEXT" : "BYTES", (int)out.n, out.p);
    }
    return text;
}

/* Writes one value, looks for it, and gives it as a text. */
static const char *round_trip(Parquet *p, ParquetType type, ParquetValue v)
{
    ParquetTable *table = NULL;
    ParquetScan *s = NULL;
    const char *text;
    ParquetCode code = write_values(p, "v.parquet", type, &v, 1);

    code = code ? code : parquet_open(p, "v.parquet", 0, &table);
    code = code ? code : parquet_scan_open(table, &s);
    code = code ? code : parquet_where(s, 0, PARQUET_EQ, v);
    text = first_value(p, s, code);
    parquet_scan_close(s);
    parquet_close(table);
    return text;
}

/* The value of a file, in a union that gives its column another type. */
static const char *converted(Parquet *p, ParquetType column, ParquetType type, ParquetValue v)
{
    ParquetTable *table = NULL;
    ParquetScan *s = NULL;
    const char *text;
    ParquetCode code = write_values(p, "a.parquet", column, NULL, 0);

    code = code ? code : write_values(p, "b.parquet", type, &v, 1);
    code = code ? code : parquet_open(p, "?.parquet", PARQUET_UNION, &table);
    code = code ? code : parquet_scan_open(table, &s);
    text = first_value(p, s, code);
    parquet_scan_close(s);
    parquet_close(table);
    return text;
}

FACE_TEST(a_value_of_each_type_is_found_and_comes_back)
{
#define TRIP(v, ...) round_trip(p, (ParquetType){__VA_ARGS__}, v)
    CHECK_TEXT(TRIP(parquet_int(1), .storage = PARQUET_BOOLEAN), "INT 1");
    CHECK_TEXT(TRIP(parquet_int(-5), .storage = PARQUET_INT32), "INT -5");
    CHECK_TEXT(TRIP(parquet_text("18446744073709551615"), .meaning = PARQUET_INTEGER,
                    .bits = 64), "TEXT 18446744073709551615");
    CHECK_TEXT(TRIP(parquet_int(4000000000), .meaning = PARQUET_INTEGER, .bits = 32),
               "INT 4000000000");
    CHECK_TEXT(TRIP(parquet_real(0.1), .storage = PARQUET_FLOAT), "REAL 0.1");
    CHECK_TEXT(TRIP(parquet_real(-0.0), .storage = PARQUET_DOUBLE), "REAL -0");
    CHECK_TEXT(TRIP(parquet_real(1.5), .meaning = PARQUET_FLOAT16), "REAL 1.5");
    CHECK_TEXT(TRIP(parquet_text("12.50"), .meaning = PARQUET_DECIMAL, .precision = 38,
                    .scale = 2), "TEXT 12.50");
    CHECK_TEXT(TRIP(parquet_text("2024-03-01"), .meaning = PARQUET_DATE),
               "TEXT 2024-03-01");
    CHECK_TEXT(TRIP(parquet_int(3600), .meaning = PARQUET_TIME, .unit = PARQUET_MICROS),
               "TEXT 01:00:00");
    CHECK_TEXT(TRIP(parquet_text("2024-03-01 12:00:00.5"), .meaning = PARQUET_TIMESTAMP,
                    .unit = PARQUET_MILLIS), "TEXT 2024-03-01 12:00:00.500");
    CHECK_TEXT(TRIP(parquet_text("P1M"), .meaning = PARQUET_INTERVAL), "TEXT P1M");
    CHECK_TEXT(TRIP(parquet_text("00112233-4455-6677-8899-aabbccddeeff"),
                    .meaning = PARQUET_UUID), "TEXT 00112233-4455-6677-8899-aabbccddeeff");
    CHECK_TEXT(TRIP(parquet_text("a\"b"), .meaning = PARQUET_STRING), "TEXT a\"b");
    CHECK_TEXT(TRIP(parquet_bytes("xyz", 3), .storage = PARQUET_BYTE_ARRAY), "BYTES xyz");
    CHECK_TEXT(TRIP(parquet_bytes("xyz", 3), .storage = PARQUET_FIXED, .length = 3),
               "BYTES xyz");
    CHECK_TEXT(TRIP(parquet_text("abc"), .storage = PARQUET_DOUBLE),
               "column v: row 1: 'abc' is not a DOUBLE");
    CHECK_TEXT(TRIP(parquet_int(1), .meaning = (ParquetMeaning)99),
               "the schema has a type or a kind that there is not");
    CHECK_TEXT(TRIP(parquet_real(NAN), .storage = PARQUET_DOUBLE),
               "column v: NaN compares with nothing: no row would pass");
}

FACE_TEST(a_vector_has_values_nulls_and_entries_of_a_dictionary)
{
    const ParquetVector *v;
    const ParquetBatch *b;
    const ParquetBytes *texts;
    ParquetTable *table;
    ParquetScan *s;
    ParquetValue value;

    CHECK_DONE(write_rows(p, "a.parquet", 8, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_REFUSED(parquet_vector(s, 0, &v), PARQUET_USAGE, "no batch");
    CHECK_DONE(parquet_next(s, &b));
    CHECK(parquet_column(table, 0)->never_null && !parquet_column(table, 1)->never_null);
    CHECK_INT(b->n_rows, 8);
    CHECK_INT(b->rows[7], 7);
    CHECK_DONE(parquet_vector(s, 0, &v));
    CHECK(!v->valid && !v->ids);
    CHECK_INT(((const int64_t *)v->values)[6], 6);
    CHECK_DONE(parquet_vector(s, 1, &v));
    CHECK_INT(v->type.storage, PARQUET_BYTE_ARRAY);
    CHECK_INT(v->valid[0] & 0xff, 0xde);
    texts = v->values;
    CHECK_BYTES(texts[v->ids ? v->ids[6] : 6].p, 3, "s6", 3);
    CHECK_REFUSED(parquet_vector(s, 2, &v), PARQUET_USAGE, "no column 2");
    CHECK(!v);
    CHECK_REFUSED(parquet_value(s, 0, 8, &value), PARQUET_USAGE, "no row 8");
    CHECK_DONE(parquet_value(s, 1, 5, &value));
    CHECK_INT(value.what, PARQUET_CLASS_NULL);
    CHECK_DONE(parquet_next(s, &b));
    CHECK(!b);
    parquet_scan_close(s);
    parquet_close(table);
}

FACE_TEST(ids_lead_to_the_entries_of_a_dictionary)
{
    static const char *const words[] = {"red", "green", "blue"};
    ParquetSchema *schema = two_columns(p);
    ParquetWriteOptions options;
    const ParquetVector *v;
    const ParquetBatch *b;
    ParquetTable *table;
    ParquetWriter *w;
    ParquetScan *s;
    ParquetValue value;

    parquet_write_options(&options);
    options.codec = PARQUET_UNCOMPRESSED;
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, &options, &w));
    for (int i = 0; i < 3000; i++) {
        CHECK_DONE(parquet_row_begin(w, NULL));
        CHECK_DONE(parquet_put(w, parquet_int(i)));
        CHECK_DONE(parquet_put(w, parquet_text(words[i % 3])));
        CHECK_DONE(parquet_row_end(w));
    }
    CHECK_DONE(parquet_publish(w));
    parquet_writer_close(w);
    parquet_schema_free(schema);
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 1, PARQUET_NE, parquet_text("blue")));
    CHECK_DONE(parquet_next(s, &b));
    CHECK_DONE(parquet_vector(s, 1, &v));
    CHECK(v->ids && v->n_values == 3);
    for (uint32_t i = 0; i < b->n; i++) {
        int64_t row = b->first_row + b->rows[i];

        CHECK_INT(row % 3, i % 2);
        CHECK_DONE(parquet_value(s, 1, b->rows[i], &value));
        CHECK_TEXT(value.p, words[row % 3]);
    }
    parquet_scan_close(s);
    parquet_close(table);
}

/* One file has n as INT64, the other as INT32, and s as a DATE. */
static ParquetCode write_other(Parquet *p, const char *path)
{
    ParquetType n = {.storage = PARQUET_INT32}, s = {.meaning = PARQUET_DATE};
    ParquetSchema *schema;
    ParquetWriter *w = NULL;
    ParquetCode code = parquet_schema_new(p, &schema);

    parquet_schema_leaf(schema, "n", n, true);
    parquet_schema_leaf(schema, "s", s, false);
    code = code ? code : parquet_writer_open(p, path, schema, NULL, &w);
    code = code ? code : parquet_row_begin(w, NULL);
    code = code ? code : parquet_put(w, parquet_int(100));
    code = code ? code : parquet_put(w, parquet_text("2024-03-01"));
    code = code ? code : parquet_row_end(w);
    code = code ? code : parquet_publish(w);
    parquet_writer_close(w);
    parquet_schema_free(schema);
    return code;
}

FACE_TEST(vectors_of_a_union_have_the_type_of_the_column)
{
    const ParquetVector *v;
    const ParquetBatch *b;
    ParquetTable *table;
    ParquetScan *s;

    CHECK_DONE(write_rows(p, "a.parquet", 7, NULL));
    CHECK_DONE(write_other(p, "b.parquet"));
    CHECK_DONE(parquet_open(p, "?.parquet", PARQUET_UNION, &table));
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 0, PARQUET_GE, parquet_int(6)));
    CHECK_DONE(parquet_where(s, 1, PARQUET_NE, parquet_text("2024-03-02")));
    CHECK_DONE(parquet_next(s, &b));
    CHECK_INT(b->file, 0);
    CHECK_INT(b->n, 1);
    CHECK_DONE(parquet_next(s, &b));
    CHECK_INT(b->file, 1);
    CHECK_INT(b->n, 1);
    CHECK_DONE(parquet_vector(s, 0, &v));
    CHECK_INT(v->type.storage, PARQUET_INT64);
    CHECK_INT(((const int64_t *)v->values)[0], 100);
    CHECK_DONE(parquet_vector(s, 1, &v));
    CHECK_BYTES(((const ParquetBytes *)v->values)[0].p, 10, "2024-03-01", 10);
    parquet_scan_close(s);
    parquet_close(table);
}

#define TYPE(...) ((ParquetType){__VA_ARGS__})

FACE_TEST(a_union_gives_the_values_that_sql_gives)
{
    ParquetType text = TYPE(.meaning = PARQUET_STRING);
    ParquetType bytes = TYPE(.storage = PARQUET_BYTE_ARRAY);
    ParquetType real = TYPE(.storage = PARQUET_DOUBLE);
    ParquetType flag = TYPE(.storage = PARQUET_BOOLEAN);
    ParquetType u64 = TYPE(.meaning = PARQUET_INTEGER, .bits = 64);
    ParquetType micros = TYPE(.meaning = PARQUET_TIMESTAMP, .unit = PARQUET_MICROS);
    ParquetType day = TYPE(.meaning = PARQUET_DATE);

    CHECK_TEXT(converted(p, text, bytes, parquet_bytes("a\xff", 2)), "TEXT 61FF");
    CHECK_TEXT(converted(p, text, real, parquet_real(0.1)), "TEXT 0.1");
    CHECK_TEXT(converted(p, text, real, parquet_real(NAN)), "NULL");
    CHECK_TEXT(converted(p, text, flag, parquet_int(1)), "TEXT true");
    CHECK_TEXT(converted(p, text, day, parquet_text("2024-03-01")), "TEXT 2024-03-01");
    CHECK_TEXT(converted(p, real, u64, parquet_text("18446744073709551615")),
               "REAL 1.84467e+19");
    CHECK_TEXT(converted(p, micros, day, parquet_text("2024-03-01")),
               "TEXT 2024-03-01 00:00:00");
    CHECK_TEXT(converted(p, bytes, TYPE(.storage = PARQUET_FIXED, .length = 2),
                         parquet_bytes("ab", 2)), "BYTES ab");
}

FACE_TEST(a_value_that_a_column_cannot_hold_has_its_place)
{
    ParquetType micros = TYPE(.meaning = PARQUET_TIMESTAMP, .unit = PARQUET_MICROS);
    ParquetType nanos = TYPE(.meaning = PARQUET_TIMESTAMP, .unit = PARQUET_NANOS);
    ParquetType two = TYPE(.storage = PARQUET_FIXED, .length = 2);
    ParquetType three = TYPE(.storage = PARQUET_FIXED, .length = 3);

    CHECK_TEXT(converted(p, micros, nanos, parquet_text("2024-03-01 00:00:00.000000001")),
               "b.parquet, row group 0, column v: '2024-03-01 00:00:00.000000001' is finer "
               "than TIMESTAMP(MICROS)");
    CHECK_INT(parquet_error(p)->code, PARQUET_UNSUPPORTED);
    CHECK_TEXT(parquet_error(p)->file, "b.parquet");
    CHECK_TEXT(parquet_error(p)->column, "v");
    CHECK_INT(parquet_error(p)->row_group, 0);
    CHECK(strstr(converted(p, two, three, parquet_bytes("abc", 3)), "b.parquet, row group 0"));
    CHECK_INT(parquet_error(p)->code, PARQUET_UNSUPPORTED);
}

/* v, a time, and n, the number of the row. */
static ParquetCode write_times(Parquet *p, const char *path, ParquetUnit unit, int n)
{
    static const char *const times[] = {"2024-03-01 00:00:00.000000001", "2024-03-02"};
    ParquetSchema *schema = NULL;
    ParquetWriter *w = NULL;
    ParquetCode code = parquet_schema_new(p, &schema);

    parquet_schema_leaf(schema, "v", TYPE(.meaning = PARQUET_TIMESTAMP, .unit = unit), false);
    parquet_schema_leaf(schema, "n", TYPE(.storage = PARQUET_INT32), true);
    code = code ? code : parquet_writer_open(p, path, schema, NULL, &w);
    for (int i = 0; i < n && code == PARQUET_OK; i++) {
        code = parquet_row_begin(w, NULL);
        code = code ? code : parquet_put(w, parquet_text(times[i]));
        code = code ? code : parquet_put(w, parquet_int(i));
        code = code ? code : parquet_row_end(w);
    }
    code = code ? code : parquet_publish(w);
    parquet_writer_close(w);
    parquet_schema_free(schema);
    return code;
}

FACE_TEST(rows_that_conditions_drop_are_not_converted)
{
    ParquetTable *table;
    ParquetScan *s;

    CHECK_DONE(write_times(p, "a.parquet", PARQUET_MICROS, 0));
    CHECK_DONE(write_times(p, "b.parquet", PARQUET_NANOS, 2));
    CHECK_DONE(parquet_open(p, "?.parquet", PARQUET_UNION, &table));
    for (int how = 0; how < 3; how++) {
        CHECK_DONE(parquet_scan_open(table, &s));
        for (int column = 0; column < 2 && how > 0; column++) {
            CHECK_DONE(parquet_where(s, column ^ (how == 2), PARQUET_GE,
                                     parquet_int(1)));
        }
        if (how == 0) {
            CHECK_DONE(parquet_where(s, 1, PARQUET_GE, parquet_int(1)));
        }
        CHECK_TEXT(first_value(p, s, PARQUET_OK), "TEXT 2024-03-02 00:00:00");
        parquet_scan_close(s);
    }
    parquet_close(table);
}

FACE_TEST(a_union_compares_values_and_not_what_files_store)
{
    static const double tenth = 0.1;
    ParquetTable *table;
    ParquetScan *s;
    int64_t rows, sum;

    CHECK_DONE(write_reals(p, "a.parquet", PARQUET_DOUBLE, &tenth, 1));
    CHECK_DONE(write_reals(p, "b.parquet", PARQUET_FLOAT, &tenth, 1));
    CHECK_DONE(parquet_open(p, "?.parquet", PARQUET_UNION, &table));
    CHECK_INT(parquet_column(table, 0)->type.storage, PARQUET_DOUBLE);
    for (int of_float = 0; of_float < 2; of_float++) {
        CHECK_DONE(parquet_scan_open(table, &s));
        CHECK_DONE(parquet_where(s, 0, PARQUET_EQ,
                                 parquet_real(of_float ? (double)0.1f : 0.1)));
        CHECK_DONE(count(s, &rows, &sum));
        CHECK_INT(rows, 1);
        parquet_scan_close(s);
    }
    parquet_close(table);
}

FACE_TEST(what_is_nested_is_json_in_and_out)
{
    ParquetType text = {.meaning = PARQUET_STRING}, n = {.storage = PARQUET_INT32};
    const ParquetBatch *b;
    ParquetSchema *schema;
    ParquetWriter *w;
    ParquetTable *table;
    ParquetScan *s;
    ParquetValue v;

    CHECK_DONE(parquet_schema_new(p, &schema));
    parquet_schema_begin(schema, PARQUET_LIST, "l", false);
    parquet_schema_leaf(schema, NULL, n, false);
    parquet_schema_end(schema);
    parquet_schema_begin(schema, PARQUET_STRUCT, "r", false);
    parquet_schema_begin(schema, PARQUET_MAP, "m", false);
    parquet_schema_leaf(schema, NULL, text, true);
    parquet_schema_leaf(schema, NULL, n, false);
    parquet_schema_end(schema);
    parquet_schema_leaf(schema, "x", n, false);
    parquet_schema_end(schema);
    parquet_schema_begin(schema, PARQUET_VARIANT, "v", false);
    parquet_schema_end(schema);
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, NULL, &w));
    CHECK_DONE(parquet_row_begin(w, NULL));
    CHECK_DONE(parquet_put(w, parquet_text("[1,null]")));
    CHECK_DONE(parquet_put(w, parquet_text("{\"m\":{\"k\":7},\"x\":3}")));
    CHECK_DONE(parquet_put(w, parquet_text("{\"a\":[true]}")));
    CHECK_DONE(parquet_row_end(w));
    CHECK_DONE(parquet_row_begin(w, NULL));
    CHECK_DONE(parquet_row_end(w));
    CHECK_DONE(parquet_publish(w));
    parquet_writer_close(w);
    parquet_schema_free(schema);
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    CHECK_INT(parquet_column(table, 1)->kind, PARQUET_STRUCT);
    CHECK_INT(parquet_column_named(table, "r.x"), 3);
    CHECK(parquet_column(table, 3)->inside);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_REFUSED(parquet_where(s, 0, PARQUET_EQ, parquet_int(1)), PARQUET_USAGE, "LIST");
    CHECK_DONE(parquet_where(s, 0, PARQUET_NOT_NULL, parquet_null()));
    CHECK_DONE(parquet_where(s, 3, PARQUET_EQ, parquet_int(3)));
    CHECK_DONE(parquet_next(s, &b));
    CHECK_INT(b->n, 1);
    CHECK_DONE(parquet_value(s, 0, 0, &v));
    CHECK_TEXT(v.p, "[1,null]");
    CHECK_DONE(parquet_value(s, 1, 0, &v));
    CHECK_TEXT(v.p, "{\"m\":{\"k\":7},\"x\":3}");
    CHECK_DONE(parquet_value(s, 2, 0, &v));
    CHECK_TEXT(v.p, "{\"a\":[true]}");
    CHECK_DONE(parquet_value(s, 3, 0, &v));
    CHECK_INT(v.i, 3);
    parquet_scan_close(s);
    CHECK_DONE(parquet_scan_open(table, &s));
    CHECK_DONE(parquet_where(s, 2, PARQUET_IS_NULL, parquet_null()));
    CHECK_DONE(parquet_next(s, &b));
    CHECK_INT(b->rows[0], 1);
    parquet_scan_close(s);
    parquet_close(table);
}

/* ---- a writer ---- */

FACE_TEST(calls_of_a_writer_come_in_their_order)
{
    ParquetSchema *schema = two_columns(p);
    ParquetWriteOptions options = {0};
    ParquetWriter *w;

    CHECK_REFUSED(parquet_writer_open(p, "a.parquet", schema, &options, &w), PARQUET_USAGE,
                  "parquet_write_options()");
    parquet_write_options(&options);
    for (int codec = 0; codec < 9; codec++) {
        options.codec = (ParquetCodec)codec;
        if (codec == 3 || codec == 5 || codec == 8) {
            CHECK_REFUSED(parquet_writer_open(p, "a.parquet", schema, &options, &w),
                          PARQUET_USAGE, "codec");
        } else {
            CHECK_DONE(write_rows(p, "a.parquet", 10, &options));
        }
    }
    tree_clear();
    CHECK_REFUSED(parquet_writer_open(p, "", schema, NULL, &w), PARQUET_USAGE, "empty");
    CHECK(!w);
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, NULL, &w));
    CHECK_REFUSED(parquet_put(w, parquet_int(1)), PARQUET_USAGE, "no row was begun");
    CHECK_INT(parquet_row_begin(w, NULL), PARQUET_USAGE);
    parquet_writer_close(w);
    CHECK_TEXT(tree_text("."), "/");
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, NULL, &w));
    CHECK_DONE(parquet_row_begin(w, NULL));
    CHECK_DONE(parquet_put(w, parquet_int(1)));
    CHECK_DONE(parquet_put(w, parquet_text("x")));
    CHECK_REFUSED(parquet_put(w, parquet_int(1)), PARQUET_USAGE, "each column already");
    CHECK_INT(parquet_publish(w), PARQUET_USAGE);
    parquet_writer_close(w);
    CHECK_TEXT(tree_text("."), "/");
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, NULL, &w));
    CHECK_DONE(parquet_row_begin(w, NULL));
    CHECK_DONE(parquet_row_end(w));
    CHECK_REFUSED(parquet_publish(w), PARQUET_USAGE, "column n: row 1: ");
    CHECK_TEXT(parquet_error(p)->column, "n");
    parquet_writer_close(w);
    CHECK_DONE(parquet_writer_open(p, "a.parquet", schema, NULL, &w));
    CHECK_DONE(parquet_publish(w));
    CHECK_REFUSED(parquet_publish(w), PARQUET_USAGE, "published already");
    parquet_writer_close(w);
    parquet_schema_free(schema);
}

FACE_TEST(a_folder_gets_partitions_and_what_is_there_is_kept)
{
    static const char *const by[] = {"year"}, *const year[] = {"2024"}, *const no[] = {NULL};
    static const char *const pairs[] = {"who", "me"};
    ParquetSchema *schema = two_columns(p);
    ParquetWriteOptions options;
    ParquetWritten did;
    ParquetWriter *w;

    parquet_write_options(&options);
    options.partition_by = by;
    options.n_partition_by = 1;
    options.key_values = pairs;
    options.n_key_values = 1;
    CHECK_DONE(parquet_writer_open(p, "out", schema, &options, &w));
    CHECK_REFUSED(parquet_row_begin(w, NULL), PARQUET_USAGE, "partition_by");
    parquet_writer_close(w);
    CHECK_DONE(parquet_writer_open(p, "out", schema, &options, &w));
    for (int i = 0; i < 2; i++) {
        CHECK_DONE(parquet_row_begin(w, i ? no : year));
        CHECK_DONE(parquet_put(w, parquet_int(i)));
        CHECK_DONE(parquet_row_end(w));
    }
    CHECK_DONE(parquet_publish(w));
    did = parquet_written(w);
    CHECK_INT(did.rows, 2);
    CHECK_INT(did.files, 2);
    parquet_writer_close(w);
    CHECK(strstr(tree_text("out"), "year=2024/data_0.parquet:"));
    CHECK(strstr(tree_text("out"), "year=__HIVE_DEFAULT_PARTITION__/data_0.parquet:"));
    CHECK_REFUSED(parquet_writer_open(p, "out", schema, &options, &w), PARQUET_USAGE,
                  "out");
    options.overwrite = PARQUET_REPLACE;
    CHECK_DONE(parquet_writer_open(p, "out", schema, &options, &w));
    parquet_writer_close(w);
    CHECK(strstr(tree_text("out"), "year=2024/data_0.parquet:"));
    tree_make("text.parquet:hello");
    options.n_partition_by = 0;
    options.overwrite = PARQUET_REPLACE_PARQUET;
    CHECK_REFUSED(parquet_writer_open(p, "text.parquet", schema, &options, &w),
                  PARQUET_USAGE, "not a Parquet file");
    parquet_schema_free(schema);
}

/* ---- a file ---- */

FACE_TEST(a_file_says_what_is_in_it)
{
    static const char *const pairs[] = {"who", "me"};
    const ParquetFileInfo *info;
    const ParquetChunk *c;
    ParquetWriteOptions options;
    ParquetBytes key, value;
    ParquetRowGroup g;
    ParquetFile *f;

    parquet_write_options(&options);
    options.row_group_rows = 4;
    options.codec = PARQUET_SNAPPY;
    options.key_values = pairs;
    options.n_key_values = 1;
    CHECK_DONE(write_rows(p, "a.parquet", 10, &options));
    CHECK_DONE(parquet_file_open(p, "a.parquet", &f));
    info = parquet_file_info(f);
    CHECK_INT(info->n_rows, 10);
    CHECK_INT(info->n_row_groups, 3);
    CHECK_INT(info->n_leaves, 2);
    CHECK(!info->encrypted && strstr(info->created_by, PARQUET_VERSION));
    CHECK(parquet_file_key_value(f, 0, &key, &value));
    CHECK_BYTES(key.p, key.n, "who", 3);
    CHECK_BYTES(value.p, value.n, "me", 2);
    CHECK(!parquet_file_key_value(f, 1, &key, &value));
    CHECK_TEXT(parquet_file_leaf(f, 1)->path, "s");
    CHECK_TEXT(parquet_file_leaf(f, 1)->type_name, "STRING");
    CHECK_INT(parquet_file_leaf(f, 1)->max_def, 1);
    CHECK(!parquet_file_leaf(f, 2));
    CHECK(parquet_file_row_group(f, 2, &g));
    CHECK_INT(g.n_rows, 2);
    CHECK_INT(g.first_row, 8);
    CHECK(!parquet_file_row_group(f, 3, &g));
    CHECK_DONE(parquet_file_chunk(f, 1, 1, &c));
    CHECK_INT(c->n_values, 4);
    CHECK_INT(c->n_nulls, 1);
    CHECK_TEXT(c->codec, "SNAPPY");
    CHECK_TEXT(c->min, "s4");
    CHECK_TEXT(c->max, "s7");
    CHECK(c->encodings[0] && c->compressed > 0 && c->offset > 0);
    CHECK_REFUSED(parquet_file_chunk(f, 3, 0, &c), PARQUET_USAGE, "row group 3");
    CHECK(!c);
    parquet_file_close(f);
    CHECK_DONE(write_rows(p, "b.parquet", 1, NULL));
    CHECK_REFUSED(parquet_file_open(p, "*.parquet", &f), PARQUET_USAGE, "2 files");
}

FACE_TEST(verifying_finds_damage_and_names_its_place)
{
    const ParquetFinding *found;
    ParquetVerify *v;
    ParquetFile *f;

    CHECK_DONE(write_groups(p, "a.parquet", 3000, 1000));
    CHECK_DONE(parquet_file_open(p, "a.parquet", &f));
    CHECK_DONE(parquet_verify_open(f, &v));
    CHECK_DONE(parquet_verify_next(v, &found));
    CHECK(!found);
    parquet_verify_close(v);
    parquet_interrupt(p);
    CHECK_DONE(parquet_verify_open(f, &v));
    CHECK_INT(parquet_verify_next(v, &found), PARQUET_STOPPED);
    parquet_verify_close(v);
    parquet_file_close(f);
    damage("a.parquet", 30, SEEK_SET);
    CHECK_DONE(parquet_file_open(p, "a.parquet", &f));
    CHECK_DONE(parquet_verify_open(f, &v));
    CHECK_DONE(parquet_verify_next(v, &found));
    CHECK(found && found->severity == PARQUET_ERROR);
    CHECK_INT(found->row_group, 0);
    CHECK_TEXT(found->column, "n");
    parquet_verify_close(v);
    parquet_file_close(f);
    damage("a.parquet", -10, SEEK_END);
    CHECK_INT(parquet_file_open(p, "a.parquet", &f), PARQUET_CORRUPT);
    CHECK(!f);
}

/* ---- memory that there is not, a read that fails ---- */

static ParquetCode everything(Parquet *p)
{
    const ParquetFinding *found = NULL;
    const ParquetChunk *c;
    ParquetTable *table = NULL;
    ParquetVerify *v = NULL;
    ParquetScan *s = NULL;
    ParquetFile *f = NULL;
    int64_t rows, sum;
    ParquetCode code = write_groups(p, "a.parquet", 30, 20);

    code = code ? code : parquet_open(p, "a.parquet", PARQUET_UNION, &table);
    code = code ? code : parquet_scan_open(table, &s);
    code = code ? code : parquet_where(s, 1, PARQUET_GT, parquet_text("s2"));
    code = code ? code : count(s, &rows, &sum);
    code = code ? code : parquet_file_open(p, "a.parquet", &f);
    code = code ? code : parquet_file_chunk(f, 1, 1, &c);
    code = code ? code : parquet_verify_open(f, &v);
    code = code ? code : parquet_verify_next(v, &found);
    parquet_verify_close(v);
    parquet_file_close(f);
    parquet_scan_close(s);
    parquet_close(table);
    return code;
}

TEST(face, each_failure_is_an_error_with_a_message)
{
    int64_t n = 0;
    bool reached;

    do {
        ParquetCode code;
        Face f;

        face_begin(&f);
        pq_fault_set(++n);
        code = everything(f.p);
        reached = pq_fault_count() >= n;
        pq_fault_set(0);
        if (code != PARQUET_OK && !parquet_error(f.p)->message[0]) {
            test_fail(t, __FILE__, __LINE__, "fault %lld has no message", (long long)n);
        }
        face_end(&f);
    } while (reached && !t->failed);
    CHECK(n > 100);
}

/* ---- keys ---- */

FACE_TEST(an_encrypted_file_is_read_with_its_keys_only)
{
    static const ParquetColumnKey columns[] = {{"s", "ks"}};
    ParquetWriteOptions options;
    ParquetTable *table;
    ParquetFile *f;

    CHECK_REFUSED(parquet_key(p, "kf", "short", 5), PARQUET_USAGE, "16, 24 or 32");
    CHECK_REFUSED(parquet_key(p, "", "0123456789abcdef", 16), PARQUET_USAGE, "empty");
    CHECK_DONE(parquet_key(p, "kf", "0123456789abcdef", 16));
    CHECK_DONE(parquet_key(p, "ks", "fedcba9876543210", 16));
    parquet_write_options(&options);
    options.footer_key = "kf";
    options.column_keys = columns;
    options.n_column_keys = 1;
    CHECK_DONE(write_rows(p, "a.parquet", 10, &options));
    CHECK_DONE(parquet_file_open(p, "a.parquet", &f));
    CHECK(parquet_file_info(f)->encrypted);
    parquet_file_close(f);
    CHECK_TEXT(passing(p, "s", PARQUET_EQ, parquet_text("s3")), "1 3");
    CHECK(parquet_key_forget(p, "ks") && !parquet_key_forget(p, "ks"));
    CHECK_TEXT(passing(p, "n", PARQUET_LT, parquet_int(4)), "4 6");
    CHECK(strstr(passing(p, "s", PARQUET_EQ, parquet_text("s3")), "ks"));
    CHECK_INT(parquet_error(p)->code, PARQUET_UNSUPPORTED);
    CHECK(parquet_key_forget(p, "kf"));
    CHECK_INT(parquet_open(p, "a.parquet", 0, &table), PARQUET_UNSUPPORTED);
    CHECK_DONE(parquet_key(p, "other", "0123456789abcdef", 16));
    CHECK_INT(parquet_open(p, "a.parquet", 0, &table), PARQUET_UNSUPPORTED);
    CHECK_DONE(parquet_key_choice(p, "other", NULL, 0, NULL));
    CHECK_DONE(parquet_open(p, "a.parquet", 0, &table));
    parquet_close(table);
    options.footer_key = NULL;
    CHECK_REFUSED(write_rows(p, "b.parquet", 1, &options), PARQUET_USAGE, "footer_key");
}
