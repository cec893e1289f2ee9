/*
** list_columns.c - the columns of a file, and its row groups.
**
**   list_columns trips.parquet
*/
#include <parquet.h>
#include <stdio.h>

static int failed(Parquet *p)
{
    fprintf(stderr, "%s\n", parquet_error(p)->message);
    parquet_free(p);
    return 1;
}

static void list_columns(const ParquetTable *t)
{
    for (int i = 0; i < parquet_n_columns(t); i++) {
        const ParquetColumn *c = parquet_column(t, i);

        printf("%-12s %s%s\n", c->name, c->type_name, c->never_null ? ", never NULL" : "");
    }
}

/* The bytes of each row group, and the bounds of its first leaf. */
static ParquetCode list_row_groups(ParquetFile *f)
{
    const ParquetChunk *c;
    ParquetRowGroup g;

    for (int i = 0; parquet_file_row_group(f, i, &g); i++) {
        ParquetCode code = parquet_file_chunk(f, i, 0, &c);

        if (code != PARQUET_OK) {
            return code;
        }
        printf("row group %d: %lld rows, %s %s .. %s\n", i, (long long)g.n_rows,
               parquet_file_leaf(f, 0)->path, c->min ? c->min : "?",
               c->max ? c->max : "?");
    }
    return PARQUET_OK;
}

int main(int argc, char **argv)
{
    const ParquetFileInfo *info;
    ParquetTable *t;
    ParquetFile *f;
    Parquet *p;

    if (argc != 2 || parquet_new(&p) != PARQUET_OK) {
        fprintf(stderr, "list_columns FILE\n");
        return 2;
    }
    if (parquet_open(p, argv[1], 0, &t) != PARQUET_OK) {
        return failed(p);
    }
    list_columns(t);
    parquet_close(t);
    if (parquet_file_open(p, argv[1], &f) != PARQUET_OK) {
        return failed(p);
    }
    info = parquet_file_info(f);
    printf("%lld rows, written by %s\n", (long long)info->n_rows, info->created_by);
    if (list_row_groups(f) != PARQUET_OK) {
        parquet_file_close(f);
        return failed(p);
    }
    parquet_file_close(f);
    parquet_free(p);
    return 0;
}
