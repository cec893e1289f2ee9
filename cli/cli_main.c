/*
** cli_main.c - the program parquet: what its first word is decides what it does.
*/
#define _GNU_SOURCE                  /* getline                                   */
#include "cli/cli.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sqlite_shell(int argc, char **argv);             /* its main                  */

static const char usage[] =
    "parquet                     a shell of SQL, also for a script on stdin\n"
    "parquet 'SELECT ...'        the rows; FROM 'FILE' reads a Parquet file\n"
    "parquet FILE                a page about a file; with -o FORMAT its rows\n"
    "parquet COMMAND ...         see below\n"
    "parquet shell ...           SQLite's shell with its own arguments\n"
    "\n"
    "A FILE is a path, a glob, a folder, a URL (https://, s3://) or - for stdin.\n"
    "\n"
    "Commands (* takes several files)\n";

static const char more[] =
    "  Options of their functions are --name=value: --compression=zstd.  A value may\n"
    "  be JSON; --a.b=c is {\"a\": {\"b\": \"c\"}}, --a=b --a=c is {\"a\": [\"b\", \"c\"]}.\n"
    "\n"
    "Options\n"
    "  -o FORMAT                 csv, json, ndjson, list, box, parquet (to stdout);\n"
    "                            a terminal gets box, a pipe csv\n"
    "  --rows=N                  rows in a box on a terminal, 1000; 0: all\n"
    "  --db=FILE                 an SQLite database to work in\n"
    "  --trust                   its views and triggers may use files\n"
    "  --key-file=NAME=FILE      the key of that name for encrypted files; a FILE\n"
    "                            alone is JSON of names and keys\n"
    "  --ask-key=NAME            asks for it on the terminal\n"
    "  --secret-file=URL=FILE    JSON with a secret for the servers of a prefix\n"
    "  --aws                     AWS_... variables and ~/.aws for all s3:// URLs; for\n"
    "                            those on the command line the variables are enough\n"
    "  --allow=URL               tables of --db may ask servers of this prefix\n"
    "  -h, --help, --version     this page; versions\n"
    "\n"
    "Status: 0 done, 1 an error, 2 used wrongly, 130 interrupted.\n"
    "Manual: sql/cli.md\n";

static void print_help(void)
{
    fputs(usage, stdout);
    cli_print_commands();
    fputs(more, stdout);
}

static int print_version(sqlite3 *db)
{
    CliOutput o = {.format = CLI_LIST};

    return cli_run(db, "SELECT parquet_version()", &o);
}

/* ---- the shell ---- */

static const char *const shell_modes[CLI_FORMATS] = {
    [CLI_CSV] = ".mode csv --titles on", [CLI_JSON] = ".mode json",
    [CLI_NDJSON] = ".mode jobject", [CLI_LIST] = ".mode list", [CLI_BOX] = ".mode box",
};

/* argument[0..n) are the shell's own; NULL ends the list. */
static int run_shell(const CliArguments *a, const char **argument, int n)
{
    static const char **argv;        /* the shell keeps parts of it               */
    int argc = 0, i;

    argv = calloc((size_t)n + 8, sizeof *argv);
    if (!argv) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    setlocale(LC_CTYPE, "");         /* for the line editor                       */
    argv[argc++] = "parquet";
    if (isatty(STDIN_FILENO) && n == 0) {
        argv[argc++] = "-cmd";
        argv[argc++] = ".prompt \"parquet> \" \"    ...> \"";
        puts("SELECT * FROM 'FILE' reads a Parquet file.");
        fflush(stdout);
    }
    if (a->format < CLI_FORMATS) {
        argv[argc++] = "-cmd";
        argv[argc++] = shell_modes[a->format];
    }
    for (i = 0; i < n; i++) {
        argv[argc++] = argument[i];
    }
    if (n == 0 || a->db) {
        argv[argc++] = a->db ? a->db : ":memory:";
    }
    return sqlite_shell(argc, (char **)argv);
}

/* ---- queries and files ---- */

/* Does a word begin as a statement does, or can it not be a path? */
static bool is_sql(const char *text)
{
    static const char *const begins[] = {
        "ALTER", "ANALYZE", "ATTACH", "BEGIN", "COMMIT", "CREATE", "DELETE", "DETACH",
        "DROP", "END", "EXPLAIN", "INSERT", "PRAGMA", "REINDEX", "RELEASE", "REPLACE",
        "ROLLBACK", "SAVEPOINT", "SELECT", "UPDATE", "VACUUM", "VALUES", "WITH",
    };
    size_t i, n;

    text += strspn(text, " \t\r\n;(");
    if (strncmp(text, "--", 2) == 0 || strncmp(text, "/*", 2) == 0) {
        return true;
    }
    n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    for (i = 0; i < PQ_COUNT(begins); i++) {
        if (n == strlen(begins[i]) && sqlite3_strnicmp(text, begins[i], (int)n) == 0) {
            return text[n] == 0 || strchr(" \t\r\n;(*'\"-/", text[n]) != NULL;
        }
    }
    return strpbrk(text, " \n") && !strpbrk(text, "/.*[");
}

/* An option that nothing takes is a slip. */
static bool settings_fit(const CliArguments *a)
{
    bool fit = a->settings.n == 0 || (a->words.n > 0 && !is_sql(a->words.at[0]));

    if (!fit) {
        const char *name = a->settings.at[0];
        cli_say("--%.*s is not an option here; see parquet --help",
                (int)strcspn(name, "="), name);
    }
    return fit;
}

/* A word that is neither a file nor looks like a path may be a command with a slip. */
static bool words_fit(const CliArguments *a)
{
    const char *first = a->words.n > 0 ? a->words.at[0] : "/", *near;

    if (is_sql(first) || strpbrk(first, "/.*[") || access(first, F_OK) == 0 ||
        (near = cli_near_command(first)) == NULL) {
        return true;
    }
    cli_say("%s is neither a command nor a file; did you mean %s?", first, near);
    return false;
}

static int run_words(sqlite3 *db, const CliArguments *a)
{
    CliOutput o = cli_output(a);
    const CliList *w = &a->words;
    int status = CLI_DONE, i;
    char *path;

    if (a->format < CLI_FORMATS && !is_sql(w->at[0])) {   /* one table of all files */
        path = cli_join_paths(db, w->at, w->n);
        status = path ? cli_write_page(db, path, a) : CLI_FAILED;
        sqlite3_free(path);
        return status;
    }
    for (i = 0; i < w->n && status == CLI_DONE; i++) {
        if (is_sql(w->at[i]) && access(w->at[i], F_OK) != 0) {
            status = cli_run(db, w->at[i], &o);
        } else {
            status = cli_write_page(db, w->at[i], a);
        }
    }
    return status;
}

/* SQL alone, where -o says how rows are to be written. */
static int run_stdin(sqlite3 *db, const CliArguments *a)
{
    CliOutput o = cli_output(a);
    char *sql = NULL;
    size_t room = 0;
    int status = CLI_DONE;

    if (getdelim(&sql, &room, 0, stdin) > 0) {
        status = cli_run(db, sql, &o);
    }
    free(sql);
    return status;
}

int main(int argc, char **argv)
{
    static CliArguments a;           /* lists in it stay to the end               */
    const CliCommand *c;
    sqlite3 *db;

    if (!cli_read_arguments(argc, argv, &a)) {
        return CLI_MISUSED;
    }
    cli_give_access(&a);
    c = a.words.n > 0 ? cli_command(a.words.at[0]) : NULL;
    if (a.help || (a.words.n > 0 && strcmp(a.words.at[0], "help") == 0)) {
        print_help();
        cli_end(NULL, CLI_DONE);
    }
    if (c) {
        return cli_run_command(c, &a);
    }
    if (!words_fit(&a) || !settings_fit(&a)) {
        return CLI_MISUSED;
    }
    if (a.words.n > 0 && strcmp(a.words.at[0], "shell") == 0) {
        return run_shell(&a, a.words.at + 1, a.words.n - 1);
    }
    if (a.words.n == 0 && !a.version && (a.format == CLI_FORMATS || isatty(STDIN_FILENO))) {
        if (a.format == CLI_PARQUET) {
            cli_say("-o parquet needs a query");
            return CLI_MISUSED;
        }
        return run_shell(&a, NULL, 0);
    }
    if (a.format == CLI_PARQUET && isatty(STDOUT_FILENO)) {
        cli_say("a terminal cannot show Parquet: parquet -o parquet ... > FILE");
        return CLI_MISUSED;
    }
    db = cli_open(a.db, true);
    cli_end(db, !db ? CLI_FAILED : a.version ? print_version(db)
                : a.words.n == 0 ? run_stdin(db, &a) : run_words(db, &a));
}
