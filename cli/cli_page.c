/*
** cli_page.c - a page about a file, for a person: what it is, its columns, its first rows.
**
**   trips.parquet: 4,096 rows, 10 columns, 61.3 kB
**   [column, type]
**   [the first rows]
**
** With -o FORMAT it is the rows, all of them.
*/
#include "cli/cli.h"

#include <string.h>

enum { PAGE_ROWS = 10 };

/* What the footers say; a single file that does not open is an error. */
static const char sizes[] =
    "SELECT format('%s: %,d rows, %,d columns, %s%s%s', ?1, sum(num_rows),"
    "  (SELECT count(*) FROM pragma_table_info('FILE')),"
    "  CASE WHEN sum(file_size_bytes) < 1000 THEN sum(file_size_bytes) || ' bytes'"
    "    WHEN sum(file_size_bytes) < 1e6 THEN format('%.1f kB', sum(file_size_bytes) / 1e3)"
    "    WHEN sum(file_size_bytes) < 1e9 THEN format('%.1f MB', sum(file_size_bytes) / 1e6)"
    "    ELSE format('%.1f GB', sum(file_size_bytes) / 1e9) END,"
    "  iif(count(*) = 1, '', format(', %,d files', count(*))),"
    "  iif(count(*) = count(num_rows), '',"
    "    format(', %,d of which cannot be read', count(*) - count(num_rows))))"
    " FROM parquet_file_metadata(?1, ?2)";

static bool put_sizes(sqlite3 *db, const char *path, const CliArguments *a)
{
    char *keys = cli_join_settings(&a->settings, false);
    char *text = cli_text(db, sizes, path, keys);
    bool good = text != NULL;

    if (good) {
        cli_print_text(text, strlen(text));
        putchar('\n');
    }
    sqlite3_free(text);
    sqlite3_free(keys);
    return good;
}

static bool declare(sqlite3 *db, const char *path, const CliArguments *a)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    char *text;
    int i;
    bool good;

    sqlite3_str_appendf(sql, "CREATE VIRTUAL TABLE temp.FILE USING parquet(%Q", path);
    for (i = 0; i < a->settings.n; i++) {
        sqlite3_str_appendf(sql, ", %s", a->settings.at[i]);
    }
    sqlite3_str_appendall(sql, ")");
    text = sqlite3_str_finish(sql);
    good = text && sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(text);
    if (!good) {
        cli_say_error(db);
    }
    return good;
}

int cli_write_page(sqlite3 *db, const char *path, const CliArguments *a)
{
    CliOutput o = cli_output(a);
    int status = CLI_FAILED;

    cli_use_environment(db, path);
    if (!declare(db, path, a)) {
        return CLI_FAILED;
    }
    if (a->format < CLI_FORMATS) {
        status = cli_run(db, "SELECT * FROM temp.FILE", &o);
    } else if (put_sizes(db, path, a)) {
        o.format = CLI_BOX;
        o.rows = 0;
        status = cli_run(db, "SELECT name AS column, type FROM pragma_table_info('FILE')",
                         &o);
        o.rows = a->rows >= 0 ? a->rows : PAGE_ROWS;
        status = status == CLI_DONE ? cli_run(db, "SELECT * FROM temp.FILE", &o) : status;
    }
    sqlite3_exec(db, "DROP TABLE temp.FILE", NULL, NULL, NULL);
    return status;
}
