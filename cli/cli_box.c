/*
** cli_box.c - rows in a box that fits the terminal.
**
** SQLite's shell has a printer of boxes, QRF, that knows the width of characters.  It
** takes all rows of a statement.  So the rows that are to be seen are put into a table
** of a database of their own, clean and cut, and the statement is over this one.  That
** also keeps rows that were read before an error.
**
** A terminal sees the first rows and the beginning of a long value.  A pipe gets
** everything.  Where the columns are too many for the terminal's width, each row is a
** block of lines.
*/
#include "cli/cli.h"

#include <qrf.h>

#include <string.h>

enum {
    CELL_MOST  = 300,                /* characters of a value on a terminal       */
    LINES_MOST = 6,                  /* lines of a row there                      */
    NARROW     = 9                   /* a column and its border, at least         */
};

typedef struct Kept {
    sqlite3      *db;
    sqlite3_stmt *insert;
    size_t        cell_most;         /* bytes; 0: all                             */
} Kept;

static int write_all(void *arg, const char *text, sqlite3_int64 n)
{
    fwrite(text, 1, n < 0 ? strlen(text) : (size_t)n, stdout);
    return SQLITE_OK;
}

/* Prepares SQL that has n parts, joined by commas. */
static sqlite3_stmt *of_parts(sqlite3 *db, const char *before, const char *after,
                              sqlite3_stmt *named, int n, const char *part)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_stmt *s = NULL;
    char *text;
    int i;

    sqlite3_str_appendall(sql, before);
    for (i = 0; i < n; i++) {
        const char *name = named ? sqlite3_column_name(named, i) : "";
        size_t m;
        char *clean = cli_clean(name, strlen(name), CELL_MOST, &m);
        sqlite3_str_appendall(sql, i > 0 ? "," : "");
        sqlite3_str_appendf(sql, part, i, clean);
        sqlite3_free(clean);
    }
    sqlite3_str_appendall(sql, after);
    text = sqlite3_str_finish(sql);
    if (text) {
        sqlite3_prepare_v2(db, text, -1, &s, NULL);
    }
    sqlite3_free(text);
    return s;
}

/* A database without a name is in memory as long as it is small. */
static bool kept_begin(Kept *k, int n)
{
    sqlite3_stmt *make = NULL;

    if (sqlite3_open("", &k->db) == SQLITE_OK) {
        sqlite3_exec(k->db, "PRAGMA journal_mode = off; PRAGMA synchronous = off", NULL,
                     NULL, NULL);
        make = of_parts(k->db, "CREATE TABLE kept(", ")", NULL, n, "a%d");
    }
    if (make && sqlite3_step(make) == SQLITE_DONE) {
        k->insert = of_parts(k->db, "INSERT INTO kept VALUES(", ")", NULL, n, "?");
        sqlite3_exec(k->db, "BEGIN", NULL, NULL, NULL);
    }
    sqlite3_finalize(make);
    return k->insert != NULL;
}

static bool keep(Kept *k, sqlite3_stmt *s, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        size_t size = (size_t)sqlite3_column_bytes(s, i);
        const void *text;
        char *clean;
        switch (sqlite3_column_type(s, i)) {
        case SQLITE_TEXT:
            text = sqlite3_column_text(s, i);
            size = (size_t)sqlite3_column_bytes(s, i);
            clean = cli_clean(text, size, k->cell_most, &size);
            sqlite3_bind_text64(k->insert, i + 1, clean, size, sqlite3_free, SQLITE_UTF8);
            break;
        case SQLITE_BLOB:
            text = sqlite3_column_blob(s, i);
            size = k->cell_most && size > k->cell_most ? k->cell_most : size;
            sqlite3_bind_blob64(k->insert, i + 1, text ? text : "", size, SQLITE_TRANSIENT);
            break;
        default:
            sqlite3_bind_value(k->insert, i + 1, sqlite3_column_value(s, i));
        }
    }
    sqlite3_step(k->insert);
    return sqlite3_reset(k->insert) == SQLITE_OK;
}

static bool show(Kept *k, sqlite3_stmt *s, int n, int width)
{
    sqlite3_qrf_spec spec = {
        .iVersion = 1, .eEsc = QRF_ESC_Symbol, .eBlob = QRF_BLOB_Sql, .zNull = "NULL",
        .eStyle = width > 0 && n * NARROW >= width ? QRF_STYLE_Line : QRF_STYLE_Box,
        .nScreenWidth = (short)(width < QRF_MAX_WIDTH ? width : QRF_MAX_WIDTH),
        .nLineLimit = width > 0 ? LINES_MOST : 0,
        .nCharLimit = width > 0 ? CELL_MOST : 0, .xWrite = write_all,
    };
    sqlite3_stmt *rows = of_parts(k->db, "SELECT ", " FROM kept", s, n, "a%d AS \"%w\"");
    char *error = NULL;
    bool good = rows && sqlite3_format_query_result(rows, &spec, &error) == SQLITE_OK;

    if (!good) {
        cli_say("%s", error ? error : sqlite3_errmsg(k->db));
    }
    sqlite3_free(error);
    sqlite3_finalize(rows);
    return good;
}

int cli_write_box(sqlite3_stmt *s, CliOutput *o)
{
    int n = sqlite3_column_count(s), width = cli_width(), rc = SQLITE_DONE;
    Kept k = {.cell_most = width > 0 ? (size_t)4 * CELL_MOST : 0};
    int64_t n_rows = 0;
    bool good = n == 0 || kept_begin(&k, n), more = false;

    while (good && cli_next_row(s, o, &rc)) {
        more = o->rows > 0 && n_rows == o->rows;
        if (more) {
            break;
        }
        good = n == 0 || keep(&k, s, n);
        n_rows++;
    }
    if (!good) {
        cli_say("%s", k.db ? sqlite3_errmsg(k.db) : "out of memory");
    } else if (n_rows > 0 && n > 0) {
        good = show(&k, s, n, width);
    } else if (n > 0 && rc == SQLITE_DONE && width > 0) {
        puts("(no rows)");
    }
    if (more) {
        printf("(the first %lld rows; --rows=0 shows all)\n", (long long)o->rows);
    }
    if (good && rc != SQLITE_DONE && rc != SQLITE_ROW) {
        good = cli_say_error(sqlite3_db_handle(s)) == CLI_DONE;
    }
    sqlite3_finalize(k.insert);
    sqlite3_close(k.db);
    return good ? CLI_DONE : CLI_FAILED;
}
