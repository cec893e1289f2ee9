/*
** scan_where.c - the rows of files whose column is at least some value.
**
**   scan_where trips.parquet fare 37.5
**
** Row groups and pages without such rows are not read; the last line says how many.
** Rows are printed by parquet_value(); the sum of the first column is that of vectors.
*/
#include <inttypes.h>
#include <parquet.h>
#include <stdio.h>

static void print_value(const ParquetValue *v)
{
    switch (v->what) {
    case PARQUET_CLASS_NULL:
        printf("NULL");
        break;
    case PARQUET_CLASS_INT:
        printf("%" PRId64, v->i);
        break;
    case PARQUET_CLASS_REAL:
        printf("%g", v->r);
        break;
    case PARQUET_CLASS_TEXT:
        printf("%.*s", (int)v->n, v->p);
        break;
    case PARQUET_CLASS_BYTES:
        printf("%zu bytes", v->n);
        break;
    }
}

static ParquetCode print_row(ParquetScan *s, const ParquetTable *t, uint32_t row)
{
    ParquetCode code = PARQUET_OK;
    ParquetValue v;

    for (int i = 0; i < parquet_n_columns(t) && code == PARQUET_OK; i++) {
        if (!parquet_column(t, i)->inside) {
            code = parquet_value(s, i, row, &v);
            printf("%s", i ? " | " : "");
            print_value(&v);
        }
    }
    printf("\n");
    return code;
}

/* Adds the values of an INT64 column that are not null. */
static int64_t sum_of(const ParquetVector *v, const ParquetBatch *b)
{
    const int64_t *values = (const int64_t *)v->values;
    int64_t sum = 0;

    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t r = b->rows[i];

        if (!v->valid || (v->valid[r / 64] >> r % 64 & 1)) {
            sum += values[v->ids ? v->ids[r] : r];
        }
    }
    return sum;
}

/* Prints the first rows of all, and counts the others. */
static ParquetCode scan(ParquetScan *s, const ParquetTable *t)
{
    int is_int64 = parquet_column(t, 0)->type.storage == PARQUET_INT64, shown = 0;
    int64_t n = 0, sum = 0;
    const ParquetVector *v;
    const ParquetBatch *b;
    ParquetCode code;

    while ((code = parquet_next(s, &b)) == PARQUET_OK && b) {
        for (uint32_t i = 0; i < b->n && shown < 5 && code == PARQUET_OK; i++, shown++) {
            code = print_row(s, t, b->rows[i]);
        }
        if (code == PARQUET_OK && is_int64) {
            code = parquet_vector(s, 0, &v);
            sum += code == PARQUET_OK ? sum_of(v, b) : 0;
        }
        if (code != PARQUET_OK) {
            return code;
        }
        n += b->n;
    }
    if (code == PARQUET_OK) {
        printf("%" PRId64 " rows", n);
        if (is_int64) printf(", %s adds up to %" PRId64, parquet_column(t, 0)->name, sum);
        printf("\n");
    }
    return code;
}

int main(int argc, char **argv)
{
    ParquetScan *s = NULL;
    ParquetTable *t = NULL;
    Parquet *p;
    int column, failed;

    if (argc != 4 || parquet_new(&p) != PARQUET_OK) {
        fprintf(stderr, "scan_where PATH COLUMN VALUE\n");
        return 2;
    }
    failed = parquet_open(p, argv[1], PARQUET_HIVE, &t) != PARQUET_OK;
    if (!failed && (column = parquet_column_named(t, argv[2])) < 0) {
        fprintf(stderr, "there is no column %s\n", argv[2]);
        parquet_close(t);
        parquet_free(p);
        return 1;
    }
    failed = failed || parquet_scan_open(t, &s) != PARQUET_OK ||
             parquet_where(s, column, PARQUET_GE, parquet_text(argv[3])) != PARQUET_OK ||
             scan(s, t) != PARQUET_OK;
    if (failed) {
        fprintf(stderr, "%s\n", parquet_error(p)->message);
    }
    parquet_scan_close(s);
    if (!failed) {
        const ParquetScanned *did = parquet_scanned(p);

        printf("read %lld files and %lld row groups, skipped %lld and %lld\n",
               (long long)did->files, (long long)(did->row_groups - did->row_groups_skipped),
               (long long)did->files_skipped, (long long)did->row_groups_skipped);
    }
    parquet_close(t);
    parquet_free(p);
    return failed;
}
