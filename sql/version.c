/*
** version.c - parquet_version().
**
** A version that users report must tell which build it is, so it names the
** kernels, the compiler and the libraries too.
*/
#include "sql/version.h"

/* "parquet 0.1.0, kernels avx2, built by gcc 12.2.0 for SQLite 3.40.1, running
** in SQLite 3.46.1; zstd 1.5.4, ..." */
static void version(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    PqMem *mem = pq_mem_new(1 << 16);
    PqBuf text;
    PqErr e;

    if (!mem) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    pq_err_init(&e);
    pq_buf_init(&text, mem, &e);
    pq_buf_printf(&text,
                  "parquet " PARQUET_VERSION ", kernels %s, built by "
                  PQ_COMPILER " for SQLite " SQLITE_VERSION ", running in SQLite %s; ",
                  pq_kernels()->name, sqlite3_libversion());
    pq_codec_versions(&text);
    pq_buf_text(&text, ", ");
    pq_crypto_version(&text);
    if (pq_buf_ok(&text)) {
        sqlite3_result_text(ctx, (const char *)text.p, (int)text.n,
                            SQLITE_TRANSIENT);
    } else {
        sqlite3_result_error_nomem(ctx);
    }
    pq_buf_free(&text);
    pq_mem_release(mem);
}

int pqsql_register_version(sqlite3 *db)
{
    return sqlite3_create_function(
        db, "parquet_version", 0,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, version,
        NULL, NULL);
}
