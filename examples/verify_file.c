/*
** verify_file.c - is everything true that a file says about itself?
**
**   verify_file trips.parquet
**
** Each finding is a line with its place.  The program fails if one is an error.
*/
#include <parquet.h>
#include <signal.h>
#include <stdio.h>

static Parquet *p;

static void on_interrupt(int signal)
{
    (void)signal;
    parquet_interrupt(p);
}

static void print_finding(const ParquetFinding *f)
{
    static const char *const words[] = {"error", "warning", "note"};

    printf("%s", words[f->severity]);
    if (f->row_group >= 0) printf(", row group %d", f->row_group);
    if (f->column) printf(", column %s", f->column);
    if (f->page >= 0) printf(", page %d", f->page);
    printf(": %s\n", f->message);
}

/* How many findings are errors; -1: it failed. */
static int verify(ParquetFile *f)
{
    const ParquetFinding *found;
    ParquetVerify *v;
    ParquetCode code;
    int n = 0;

    code = parquet_verify_open(f, &v);
    while (code == PARQUET_OK && (code = parquet_verify_next(v, &found)) == PARQUET_OK &&
           found) {
        n += found->severity == PARQUET_ERROR;
        print_finding(found);
    }
    parquet_verify_close(v);
    return code == PARQUET_OK ? n : -1;
}

int main(int argc, char **argv)
{
    ParquetFile *f = NULL;
    int n = -1;

    if (argc != 2 || parquet_new(&p) != PARQUET_OK) {
        fprintf(stderr, "verify_file FILE\n");
        return 2;
    }
    signal(SIGINT, on_interrupt);
    if (parquet_file_open(p, argv[1], &f) == PARQUET_OK) {
        n = verify(f);
    }
    if (n < 0) {
        const ParquetError *e = parquet_error(p);

        fprintf(stderr, "%s%s\n", e->code == PARQUET_CORRUPT ? "damaged: " : "", e->message);
    } else {
        printf("%d errors\n", n);
    }
    parquet_file_close(f);
    parquet_free(p);
    return n != 0;
}
