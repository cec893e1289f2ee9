/*
** cli_output.c - rows as CSV, JSON, JSON lines, lists and Parquet.
**
**            NULL   BLOB 41ff   text a"b    1e400   struct {"x":1} of Parquet
**   csv             41FF        "a""b"      Inf     "{""x"":1}"
**   list            41FF        a"b         Inf     {"x":1}
**   json     null   "41FF"      "a\"b"      9e999   {"x":1}
**
** An empty text in CSV is "", so it differs from NULL.  A REAL has the fewest digits
** that give it back.  A text may have NULs: in JSON they are \u0000.  Bytes that are not
** UTF-8 stay in CSV and become U+FFFD in JSON, which has to be UTF-8.
**
** What makes a text JSON in JSON is its declared type: a list, a struct, a map or a
** Variant of Parquet.  SQLite marks JSON values too, but loses the mark in a sort, and
** the form of a value must not depend on a plan.
*/
#define _GNU_SOURCE                  /* fwrite_unlocked: this is one thread      */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define putchar putchar_unlocked
#define fwrite  fwrite_unlocked
#define fputs   fputs_unlocked

/* The rows of a statement on their way out. */
typedef struct Rows {
    sqlite3_stmt *s;
    sqlite3_stmt *valid;             /* json_valid(?)                            */
    int           n;                 /* columns                                  */
    int64_t       n_rows;
    bool         *nested;            /* of n: JSON in JSON                       */
    PqMem        *mem;
    PqErr         e;
    PqBuf         made;
} Rows;

CliOutput cli_output(const CliArguments *a)
{
    bool tty = isatty(STDOUT_FILENO);

    return (CliOutput){
        .format = a->format < CLI_FORMATS ? a->format : tty ? CLI_BOX : CLI_CSV,
        .rows = a->rows >= 0 ? a->rows : tty ? 1000 : 0,
    };
}

/* ---- values ---- */

/* What the engine writes into a buffer goes out. */
static void put_made(Rows *r)
{
    fwrite(r->made.p, 1, r->made.n, stdout);
    r->made.n = 0;
}

static void put_hex(Rows *r, int i)
{
    const void *p = sqlite3_column_blob(r->s, i);

    pq_hex_text(pq_slice(p, (size_t)sqlite3_column_bytes(r->s, i)), &r->made);
    put_made(r);
}

static void put_json_text(Rows *r, const void *p, size_t n)
{
    pq_json_text_string(pq_slice(p, n), &r->made);
    put_made(r);
}

/* Integers and REALs. */
static void put_number(sqlite3_stmt *s, int i, CliFormat format)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    double v = sqlite3_column_double(s, i);
    size_t n;

    if (sqlite3_column_type(s, i) == SQLITE_INTEGER) {
        n = pq_number_text_i64(sqlite3_column_int64(s, i), text);
    } else {
        n = pq_number_text_double(v, text);
        if ((format == CLI_CSV || format == CLI_LIST) && v - v != 0) {
            n = (size_t)sprintf(text, v > 0 ? "Inf" : "-Inf");
        }
    }
    fwrite(text, 1, n, stdout);
}

static bool is_json(Rows *r, int i)
{
    bool yes = false;

    if (r->nested[i]) {
        sqlite3_bind_value(r->valid, 1, sqlite3_column_value(r->s, i));
        yes = sqlite3_step(r->valid) == SQLITE_ROW && sqlite3_column_int(r->valid, 0) == 1;
        sqlite3_reset(r->valid);
    }
    return yes;
}

static void put_json(Rows *r, int i)
{
    switch (sqlite3_column_type(r->s, i)) {
    case SQLITE_NULL:
        fputs("null", stdout);
        break;
    case SQLITE_TEXT: {
        const uint8_t *p = sqlite3_column_text(r->s, i);
        size_t n = (size_t)sqlite3_column_bytes(r->s, i);
        if (is_json(r, i)) {
            fwrite(p, 1, n, stdout);
        } else {
            put_json_text(r, p, n);
        }
        break;
    }
    case SQLITE_BLOB:
        putchar('"');
        put_hex(r, i);
        putchar('"');
        break;
    default:
        put_number(r->s, i, CLI_JSON);
    }
}

static void put_csv_text(const char *p, size_t n)
{
    size_t i;
    bool plain = n > 0;

    for (i = 0; i < n && plain; i++) {
        plain = p[i] != '"' && p[i] != ',' && p[i] != '\n' && p[i] != '\r';
    }
    if (plain) {
        fwrite(p, 1, n, stdout);
        return;
    }
    putchar('"');
    for (i = 0; i < n; i++) {
        if (p[i] == '"') {
            putchar('"');
        }
        putchar(p[i]);
    }
    putchar('"');
}

static void put_plain(Rows *r, int i, CliFormat format)
{
    switch (sqlite3_column_type(r->s, i)) {
    case SQLITE_NULL:
        break;
    case SQLITE_TEXT: {
        const char *p = (const char *)sqlite3_column_text(r->s, i);
        size_t n = (size_t)sqlite3_column_bytes(r->s, i);
        if (format == CLI_CSV) {
            put_csv_text(p, n);
        } else {
            fwrite(p, 1, n, stdout);
        }
        break;
    }
    case SQLITE_BLOB:
        put_hex(r, i);
        break;
    default:
        put_number(r->s, i, format);
    }
}

/* ---- rows ---- */

static void put_names(Rows *r)
{
    int i;

    for (i = 0; i < r->n; i++) {
        const char *name = sqlite3_column_name(r->s, i);
        if (i > 0) {
            putchar(',');
        }
        put_csv_text(name, strlen(name));
    }
    fputs("\r\n", stdout);
}

static void put_row(Rows *r, CliFormat format)
{
    bool json = format == CLI_JSON || format == CLI_NDJSON;
    int i;

    if (format == CLI_CSV && r->n_rows == 0) {
        put_names(r);
    } else if (format == CLI_JSON) {
        fputs(r->n_rows == 0 ? "[" : ",\n", stdout);
    }
    for (i = 0; i < r->n; i++) {
        if (json) {
            const char *name = sqlite3_column_name(r->s, i);
            putchar(i == 0 ? '{' : ',');
            put_json_text(r, name, strlen(name));
            putchar(':');
            put_json(r, i);
        } else {
            if (i > 0) {
                putchar(format == CLI_CSV ? ',' : '|');
            }
            put_plain(r, i, format);
        }
    }
    fputs(format == CLI_CSV ? "\r\n" : format == CLI_JSON ? "}"
          : format == CLI_NDJSON ? "}\n" : "\n", stdout);
    r->n_rows++;
}

static bool rows_begin(Rows *r, sqlite3_stmt *s)
{
    static const char *const types[] = {"LIST<", "STRUCT<", "MAP<", "FILE<", "VARIANT"};
    int i;
    size_t k;

    *r = (Rows){.s = s, .n = sqlite3_column_count(s), .mem = pq_mem_new(SIZE_MAX / 2)};
    r->nested = calloc((size_t)r->n + 1, sizeof *r->nested);
    if (!r->mem || !r->nested ||
        sqlite3_prepare_v2(sqlite3_db_handle(s), "SELECT json_valid(?)", -1, &r->valid,
                           NULL) != SQLITE_OK) {
        cli_say("out of memory");
        return false;
    }
    pq_err_init(&r->e);
    pq_buf_init(&r->made, r->mem, &r->e);
    for (i = 0; i < r->n; i++) {
        const char *type = sqlite3_column_decltype(s, i);
        for (k = 0; type && k < PQ_COUNT(types); k++) {
            r->nested[i] |= strncmp(type, types[k], strlen(types[k])) == 0;
        }
    }
    return true;
}

bool cli_next_row(sqlite3_stmt *s, CliOutput *o, int *rc)
{
    const char *text;

    *rc = ferror(stdout) || cli_interrupted() ? SQLITE_DONE : sqlite3_step(s);
    if (*rc == SQLITE_ROW && o->finds_errors) {
        text = (const char *)sqlite3_column_text(s, 1);
        o->found |= text && strcmp(text, "error") == 0;
    }
    return *rc == SQLITE_ROW;
}

static void rows_end(Rows *r)
{
    free(r->nested);
    sqlite3_finalize(r->valid);
    if (r->mem) {
        pq_buf_free(&r->made);
        pq_mem_release(r->mem);
    }
}

int cli_write_rows(sqlite3_stmt *s, CliOutput *o)
{
    Rows r;
    int rc = SQLITE_NOMEM;

    if (o->format == CLI_BOX) {
        return cli_write_box(s, o);
    }
    if (!rows_begin(&r, s)) {
        rows_end(&r);
        return CLI_FAILED;
    }
    while (r.e.rc == PQ_OK && cli_next_row(s, o, &rc)) {
        put_row(&r, o->format);
    }
    if (rc == SQLITE_DONE && r.n_rows == 0 && r.n > 0 && o->format == CLI_CSV) {
        put_names(&r);
    }
    if (rc == SQLITE_DONE && r.n > 0 && o->format == CLI_JSON) {
        fputs(r.n_rows == 0 ? "[]\n" : "]\n", stdout);
    }
    if (r.e.rc != PQ_OK) {
        cli_say("out of memory");
    } else if (rc != SQLITE_DONE) {
        cli_say_error(sqlite3_db_handle(s));
    }
    rows_end(&r);
    return rc == SQLITE_DONE ? CLI_DONE : CLI_FAILED;
}

int cli_run(sqlite3 *db, const char *sql, CliOutput *o)
{
    int status = CLI_DONE;

    while (status == CLI_DONE && !ferror(stdout) && *sql) {
        sqlite3_stmt *s = NULL;
        if (cli_prepare(db, sql, -1, &s, &sql) != SQLITE_OK) {
            return cli_say_error(db);
        }
        if (s && sqlite3_column_count(s) > 0 && o->format == CLI_PARQUET) {
            status = cli_write_parquet(db, s);
        } else if (s) {
            status = cli_write_rows(s, o);
        }
        sqlite3_finalize(s);
    }
    return status;
}
