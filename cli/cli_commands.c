/*
** cli_commands.c - commands that are calls of the extension's functions.
**
**   parquet summary a.parquet --footer-key=kf
**       SELECT * FROM parquet_summary('a.parquet', 'footer_key=kf')
**   parquet export --db=shop.db out --compression=zstd
**       SELECT parquet_export('out', '{"compression": "zstd"}')
**
** A line of the table is all that a command needs.  A value that is JSON is taken as
** JSON, else it is a text; a name with a point in it is a member of an object; a name
** that comes twice makes an array.
**
** Where a command takes files, several of them are one list: parquet verify *.parquet.
*/
#include "cli/cli.h"

#include "sql/did_you_mean.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Kind {
    ROWS,                            /* a table-valued function                   */
    FINDINGS,                        /* ... whose rows say what is wrong          */
    PAGE,                            /* a text about files                        */
    ANSWER,                          /* does something, and says what             */
} Kind;

typedef enum Database { NO_DATABASE, ITS_DATABASE, A_NEW_DATABASE } Database;

struct CliCommand {
    const char *name;
    const char *function;
    Kind        kind;
    int         n;                   /* words after it                            */
    bool        files;               /* the first of them may be several          */
    Database    database;            /* what --db has to name                     */
    bool        progress;            /* the function has this option              */
    const char *words, *what;
};

static const CliCommand commands[] = {
    {"describe", "parquet_describe", PAGE, 1, true, NO_DATABASE, false,
     "FILE", "a page about the columns, for a person"},
    {"summary", "parquet_summary", ROWS, 1, true, NO_DATABASE, false,
     "FILE", "what the values of each column are like"},
    {"schema", "parquet_schema", ROWS, 1, true, NO_DATABASE, false,
     "FILE", "the elements of the schema"},
    {"metadata", "parquet_metadata", ROWS, 1, true, NO_DATABASE, false,
     "FILE", "column chunks"},
    {"row-groups", "parquet_row_groups", ROWS, 1, true, NO_DATABASE, false,
     "FILE", "row groups"},
    {"pages", "parquet_pages", ROWS, 1, true, NO_DATABASE, false,
     "FILE", "pages"},
    {"verify", "parquet_verify", FINDINGS, 1, true, NO_DATABASE, false,
     "FILE", "what is wrong with a file; status 1: an error"},
    {"copy", "parquet_copy_to", ANSWER, 2, false, NO_DATABASE, true,
     "QUERY FILE", "the rows of a query become a file or a folder"},
    {"rewrite", "parquet_rewrite", ANSWER, 2, true, NO_DATABASE, true,
     "FILE TO", "files made of files"},
    {"compact", "parquet_compact", ANSWER, 1, false, NO_DATABASE, true,
     "FOLDER", "small files become large ones"},
    {"export", "parquet_export", ANSWER, 1, false, ITS_DATABASE, true,
     "FOLDER", "all tables of --db become files"},
    {"import", "parquet_import", ANSWER, 1, false, A_NEW_DATABASE, true,
     "FOLDER", "and back, or one file as a table"},
    {"archive", "parquet_archive", ANSWER, 3, false, ITS_DATABASE, true,
     "TABLE WHERE FOLDER", "rows of a table go into files"},
    {"restore", "parquet_restore", ANSWER, 2, false, ITS_DATABASE, false,
     "TABLE WHERE", "and come back"},
    {"archive-drop", "parquet_archive_drop", ANSWER, 2, false, ITS_DATABASE, false,
     "TABLE WHERE", "archived files are forgotten"},
};

const CliCommand *cli_command(const char *word)
{
    size_t i;

    for (i = 0; i < PQ_COUNT(commands); i++) {
        if (strcmp(commands[i].name, word) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

const char *cli_near_command(const char *word)
{
    PqsqlNearest near = {.word = word};
    size_t i;

    for (i = 0; i < PQ_COUNT(commands); i++) {
        pqsql_nearest_look(&near, commands[i].name);
    }
    return pqsql_nearest(&near);
}

void cli_print_commands(void)
{
    size_t i;

    for (i = 0; i < PQ_COUNT(commands); i++) {
        const CliCommand *c = &commands[i];
        char *call = sqlite3_mprintf("%s %s%s", c->name, c->words, c->files ? " *" : "");
        printf("  %-27s %s\n", call ? call : "", c->what);
        sqlite3_free(call);
    }
}

/* ---- the arguments of the function ---- */

char *cli_join_paths(sqlite3 *db, const char **word, int n)
{
    char *out = sqlite3_mprintf("%s", n == 1 ? word[0] : "[]"), *longer;
    int i;

    for (i = 0; n > 1 && i < n && out; i++) {
        longer = cli_text(db, "SELECT json_insert(?1, '$[#]', ?2)", out, word[i]);
        sqlite3_free(out);
        out = longer;
    }
    return out;
}

char *cli_join_settings(const CliList *settings, bool all)
{
    static const char *const keys[] = {"footer_key=", "column_keys=", "aad_prefix=",
                                       "retries=", "timeout=", "spool="};
    sqlite3_str *out = sqlite3_str_new(NULL);
    int i;
    size_t k;

    for (i = 0; i < settings->n; i++) {
        bool is_key = all;
        for (k = 0; k < PQ_COUNT(keys); k++) {
            is_key |= strncmp(settings->at[i], keys[k], strlen(keys[k])) == 0;
        }
        if (is_key) {
            sqlite3_str_appendf(out, "%s%s", sqlite3_str_length(out) > 0 ? ", " : "",
                                settings->at[i]);
        }
    }
    return sqlite3_str_finish(out);
}

/* "name=value" as a member of an object, which it takes over; NULL: it was said what is
** wrong. */
static char *add_member(sqlite3 *db, char *object, const char *setting)
{
    static const char sql[] =
        "WITH a AS (SELECT ?1 AS o, substr(?2, 1, instr(?2, '=') - 1) AS name,"
        "  substr(?2, instr(?2, '=') + 1) AS value),"
        " b AS (SELECT o, '$.\"' || replace(name, '.', '\".\"') || '\"' AS p,"
        "  iif(json_valid(value), value, json_quote(value)) AS v FROM a)"
        "SELECT CASE json_type(o, p) WHEN 'array' THEN json_insert(o, p || '[#]', json(v))"
        " ELSE json_set(o, p, CASE WHEN json_type(o, p) IS NULL THEN json(v)"
        " ELSE json_array(json(o -> p), json(v)) END) END FROM b";
    char *out = cli_text(db, sql, object, setting);

    sqlite3_free(object);
    return out;
}

/* {"footer_key": "kf", "timeout": 60}; NULL: it was said what is wrong. */
static char *as_object(sqlite3 *db, const CliList *settings, bool progress)
{
    char *out = sqlite3_mprintf("{}");
    int i;

    for (i = 0; i < settings->n && out; i++) {
        progress &= strncmp(settings->at[i], "progress=", 9) != 0;
        out = add_member(db, out, settings->at[i]);
    }
    return out && progress ? add_member(db, out, "progress=true") : out;
}

/* ---- the call ---- */

static bool has_function(sqlite3 *db, const char *name)
{
    char *n = cli_text(db, "SELECT (SELECT count(*) FROM pragma_function_list WHERE name = ?1)"
                           " + (SELECT count(*) FROM pragma_module_list WHERE name = ?1)",
                       name, NULL);
    bool has = n && *n != '0';

    sqlite3_free(n);
    return has;
}

/* Only an answer has options in an object; what looks into files has a list. */
static sqlite3_stmt *prepare_call(sqlite3 *db, const CliCommand *c, const CliArguments *a)
{
    int n = a->words.n - 1, first = n - c->n + 1, i;
    char *path = cli_join_paths(db, a->words.at + 1, first);
    char *options = c->kind == ANSWER
                        ? as_object(db, &a->settings, c->progress && isatty(STDERR_FILENO))
                        : cli_join_settings(&a->settings, true);
    char *sql = sqlite3_mprintf("SELECT %s%s(%.*s?9)", c->kind > FINDINGS ? "" : "* FROM ",
                                c->function, 3 * c->n, "?1,?2,?3,");
    sqlite3_stmt *s = NULL;

    if (sql && path && (options || c->kind != ANSWER)) {
        s = cli_statement(db, sql, path, NULL);
    }
    for (i = 1; s && i < c->n; i++) {
        if (a->words.at[first + i][0]) {           /* an empty word is NULL       */
            sqlite3_bind_text(s, i + 1, a->words.at[first + i], -1, SQLITE_STATIC);
        }
    }
    if (s && options && strcmp(options, "{}") != 0) {
        sqlite3_bind_text(s, 9, options, -1, SQLITE_TRANSIENT);
    }
    sqlite3_free(sql);
    sqlite3_free(path);
    sqlite3_free(options);
    return s;
}

static int print_answer(sqlite3 *db, sqlite3_stmt *s)
{
    int rc;

    while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(s, 0);
        size_t n = (size_t)sqlite3_column_bytes(s, 0);
        cli_print_text(text ? text : "", n);
        if (n == 0 || text[n - 1] != '\n') {
            putchar('\n');
        }
    }
    return rc == SQLITE_DONE ? CLI_DONE : cli_say_error(db);
}

/* A copy prepares its query itself, and does not make tables of paths. */
static bool prepare_query(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = cli_statement(db, sql, NULL, NULL);

    sqlite3_finalize(s);
    return s != NULL || sqlite3_errcode(db) == SQLITE_OK;
}

static int run(sqlite3 *db, const CliCommand *c, const CliArguments *a)
{
    CliOutput o = cli_output(a);
    sqlite3_stmt *s;
    int status, i;

    if (!has_function(db, c->function)) {
        cli_say("this program was built without %s", c->function);
        return CLI_FAILED;
    }
    for (i = 1; i < a->words.n; i++) {
        cli_use_environment(db, a->words.at[i]);
    }
    if (strcmp(c->function, "parquet_copy_to") == 0 &&
        !prepare_query(db, a->words.at[1])) {
        return CLI_FAILED;
    }
    s = prepare_call(db, c, a);
    if (!s) {
        return CLI_FAILED;
    }
    o.finds_errors = c->kind == FINDINGS;
    o.rows = o.finds_errors ? 0 : o.rows;
    status = c->kind > FINDINGS ? print_answer(db, s)
             : o.format == CLI_PARQUET ? cli_write_parquet(db, s) : cli_write_rows(s, &o);
    sqlite3_finalize(s);
    return o.found ? CLI_FAILED : status;
}

int cli_run_command(const CliCommand *c, const CliArguments *a)
{
    int n = a->words.n - 1;
    sqlite3 *db;

    if (n < c->n || (n > c->n && !c->files)) {
        cli_say("parquet %s %s", c->name, c->words);
        return CLI_MISUSED;
    }
    if (c->database != NO_DATABASE && !a->db) {
        cli_say("%s needs --db=FILE, a database", c->name);
        return CLI_MISUSED;
    }
    if (c->kind > FINDINGS && a->format < CLI_FORMATS) {
        cli_say("%s does not write rows, so it has no -o", c->name);
        return CLI_MISUSED;
    }
    db = cli_open(a->db, c->database != ITS_DATABASE);
    cli_end(db, db ? run(db, c, a) : CLI_FAILED);
}
