/*
** write_rows.c - writes a file of as many rows as are asked for.
**
**   write_rows sales.parquet 1000
**
** Until parquet_publish() the file has another name: who presses Ctrl-C, or has no
** room on the disk, keeps what was there before.
*/
#include <parquet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static Parquet *p;

static void on_interrupt(int signal)
{
    (void)signal;
    parquet_interrupt(p);
}

/* id, day, price, and tags, a list of texts. */
static ParquetSchema *make_schema(void)
{
    ParquetType number = {.storage = PARQUET_INT64};
    ParquetType day = {.meaning = PARQUET_DATE};
    ParquetType price = {.meaning = PARQUET_DECIMAL, .precision = 10, .scale = 2};
    ParquetType text = {.meaning = PARQUET_STRING};
    ParquetSchema *s;

    if (parquet_schema_new(p, &s) == PARQUET_OK) {
        parquet_schema_leaf(s, "id", number, true);
        parquet_schema_leaf(s, "day", day, false);
        parquet_schema_leaf(s, "price", price, false);
        parquet_schema_begin(s, PARQUET_LIST, "tags", false);
        parquet_schema_leaf(s, NULL, text, false);
        parquet_schema_end(s);
    }
    return s;
}

static ParquetCode write_row(ParquetWriter *w, long long i)
{
    char price[32];
    ParquetCode code = parquet_row_begin(w, NULL);

    snprintf(price, sizeof price, "%lld.%02lld", i / 100, i % 100);
    if (code == PARQUET_OK) code = parquet_put(w, parquet_int(i));
    if (code == PARQUET_OK) code = parquet_put(w, parquet_int(i % 366 * 86400));
    if (code == PARQUET_OK) code = parquet_put(w, parquet_text(price));
    if (code == PARQUET_OK) code = parquet_put(w, i % 3 ? parquet_text("[\"a\", \"b\"]")
                                                        : parquet_null());
    return code == PARQUET_OK ? parquet_row_end(w) : code;
}

static ParquetCode write_file(const char *path, long long n, ParquetSchema *schema)
{
    ParquetWriteOptions options;
    ParquetWriter *w;
    ParquetCode code;

    parquet_write_options(&options);
    options.row_group_rows = 100000;
    code = parquet_writer_open(p, path, schema, &options, &w);
    for (long long i = 0; i < n && code == PARQUET_OK; i++) {
        code = write_row(w, i);
    }
    if (code == PARQUET_OK) code = parquet_publish(w);
    if (code == PARQUET_OK) {
        ParquetWritten did = parquet_written(w);

        printf("%llu rows in %u row groups\n", (unsigned long long)did.rows,
               did.row_groups);
    }
    parquet_writer_close(w);
    return code;
}

int main(int argc, char **argv)
{
    ParquetSchema *schema;
    ParquetCode code;

    if (argc != 3 || parquet_new(&p) != PARQUET_OK) {
        fprintf(stderr, "write_rows PATH ROWS\n");
        return 2;
    }
    signal(SIGINT, on_interrupt);
    schema = make_schema();
    code = schema ? write_file(argv[1], atoll(argv[2]), schema) : PARQUET_NOMEM;
    if (code != PARQUET_OK) {
        fprintf(stderr, "%s\n", parquet_error(p)->message);
    }
    parquet_schema_free(schema);
    parquet_free(p);
    return code != PARQUET_OK;
}
