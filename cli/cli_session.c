/*
** cli_session.c - connections, and the statements that are prepared on them.
**
** The shell calls cli_opened for each database that it opens, and cli_prepare for each
** statement; a query of the command line goes the same way.  So both have the same
** functions, keys and tables.
**
** Secrets come from files, the environment or a terminal.  They are bound and are in
** no text of a statement; an argument of the program has only their names.
*/
#define _GNU_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECRET_MOST = 65536 };

const sqlite3_api_routines *cli_sqlite_api(void);
int sqlite3_parquet_init(sqlite3 *db, char **error, const sqlite3_api_routines *api);

/* Of SQLite's shell. */
typedef int Init(sqlite3 *, char **, const void *);
Init sqlite3_fileio_init, sqlite3_series_init, sqlite3_regexp_init, sqlite3_decimal_init,
    sqlite3_uint_init, sqlite3_ieee_init, sqlite3_sha_init, sqlite3_shathree_init;

static const CliArguments *access_of;
static sqlite3 *volatile   running;
static volatile sig_atomic_t interrupted;

/* ---- interrupts, and the end ---- */

/* The first Ctrl-C stops the statement; the second one ends the process. */
static void on_interrupt(int signal)
{
    interrupted = signal;
    if (running) {
        sqlite3_interrupt(running);
    }
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

static _Noreturn void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number);
}

_Noreturn void cli_end(sqlite3 *db, int status)
{
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    int why = errno;

    running = NULL;
    sqlite3_close_v2(db);            /* temporary files go                        */
    if (interrupted) {
        end_by(SIGINT);
    }
    if (!written && why == EPIPE) {
        end_by(SIGPIPE);
    }
    if (!written) {
        cli_say("the output cannot be written: %s", strerror(why));
        status = CLI_FAILED;
    }
    exit(status);
}

/* ---- keys and secrets ---- */

sqlite3_stmt *cli_statement(sqlite3 *db, const char *sql, const char *first,
                            const char *second)
{
    sqlite3_stmt *s = NULL;

    if (cli_prepare(db, sql, -1, &s, NULL) != SQLITE_OK) {
        cli_say_error(db);
        return NULL;
    }
    sqlite3_bind_text(s, 1, first, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(s, 2, second, -1, SQLITE_TRANSIENT);
    return s;
}

/* Takes the statement over. */
static char *text_of(sqlite3 *db, sqlite3_stmt *s)
{
    char *text = NULL;

    if (s && sqlite3_step(s) == SQLITE_ROW) {
        text = sqlite3_mprintf("%s", sqlite3_column_text(s, 0));
    } else if (s) {
        cli_say_error(db);
    }
    sqlite3_finalize(s);
    return text;
}

char *cli_text(sqlite3 *db, const char *sql, const char *first, const char *second)
{
    return text_of(db, cli_statement(db, sql, first, second));
}

/* Runs a statement that gives the connection something: ?1, and ?2, which is a secret. */
static bool give(sqlite3 *db, const char *sql, const char *name, const char *secret)
{
    sqlite3_stmt *s = cli_statement(db, sql, name, NULL);
    char *answer;

    if (s && secret) {
        sqlite3_bind_text(s, 2, secret, -1, SQLITE_STATIC);
    }
    answer = text_of(db, s);
    sqlite3_free(answer);
    return answer != NULL;
}

/* NAME=FILE, or a JSON file of keys. */
static bool give_key_file(sqlite3 *db, const char *text)
{
    return give(db, "SELECT iif(instr(?1, '='), parquet_key_file(substr(?1, 1, instr(?1, '=')"
                    " - 1), substr(?1, instr(?1, '=') + 1)), parquet_key_file(?1))", text,
                NULL);
}

static bool give_asked_key(sqlite3 *db, const char *name)
{
    char prompt[128], key[256];
    bool good;

    sqlite3_snprintf(sizeof prompt, prompt, "key %s in base64", name);
    good = cli_ask(prompt, key, sizeof key) &&
           give(db, "SELECT parquet_key(?, ?)", name, key);
    pq_wipe(key, sizeof key);
    return good;
}

/* The text of a file that only its owner may read, in SECRET_MOST zeros. */
static bool read_secret(const char *path, char *out)
{
    FILE *f = fopen(path, "re");
    bool good = f != NULL;
    struct stat is;

    if (good) {
        setvbuf(f, NULL, _IONBF, 0);             /* no copy of it stays           */
        good = fstat(fileno(f), &is) == 0;
    }
    if (good && is.st_uid == geteuid() && (is.st_mode & 077) != 0) {
        cli_say("%s: others may read this file of secrets; chmod 600", path);
    } else if (good && fread(out, 1, SECRET_MOST, f) == SECRET_MOST) {
        cli_say("%s: it is too large for a secret", path);
    } else if (!good || ferror(f)) {
        cli_say("%s: %s", path, strerror(errno));
    }
    good = good && *out && !out[SECRET_MOST - 1] && !ferror(f);
    if (f) {
        fclose(f);
    }
    return good;
}

/* URL=FILE, a file of the members of a secret.  A URL may have = in it. */
static bool give_secret_file(sqlite3 *db, const char *text)
{
    const char *file = strrchr(text, '=');
    char *url = file ? sqlite3_mprintf("%.*s", (int)(file - text), text) : NULL;
    char *json = url ? pq_secret_map(SECRET_MOST) : NULL;
    bool good = json && read_secret(file + 1, json) &&
                give(db, "SELECT parquet_secret(?, ?)", url, json);

    if (!file) {
        cli_say("--secret-file has to be URL=FILE, not %s", text);
    }
    if (json) {
        pq_secret_unmap(json, SECRET_MOST);
    }
    sqlite3_free(url);
    return good;
}

static bool give_environment(sqlite3 *db, const char *prefix)
{
    return give(db, "SELECT parquet_secret(?, '{\"provider\": \"env\"}')", prefix, NULL);
}

static bool give_allowed(sqlite3 *db, const char *prefix)
{
    return give(db, "SELECT parquet_allow(?)", prefix, NULL);
}

static bool for_each(sqlite3 *db, const CliList *l,
                     bool (*give_one)(sqlite3 *db, const char *text))
{
    bool good = true;
    int i;

    for (i = 0; i < l->n && good; i++) {
        good = give_one(db, l->at[i]);
    }
    return good;
}

/* A secret gives a stored table the right to ask its server, so the environment counts
** for the bucket alone that the user has named. */
void cli_use_environment(sqlite3 *db, const char *path)
{
    size_t n = strlen("s3://");
    char *prefix;

    if (strncmp(path, "s3://", n) != 0 || access_of->aws || access_of->secret_files.n > 0 ||
        (!getenv("AWS_ACCESS_KEY_ID") && !getenv("AWS_PROFILE"))) {
        return;
    }
    n += strcspn(path + n, "/");
    prefix = sqlite3_mprintf("%.*s/", (int)n, path);
    if (prefix) {
        give_environment(db, prefix);
    }
    sqlite3_free(prefix);
}

/* ---- connections ---- */

void cli_give_access(const CliArguments *a)
{
    access_of = a;
}

/* What the views and triggers of a schema do is not trusted, unless --trust says so. */
int cli_opened(sqlite3 *db)
{
    char *error = NULL;

    if (sqlite3_parquet_init(db, &error, cli_sqlite_api()) != SQLITE_OK) {
        cli_say("%s", error ? error : sqlite3_errmsg(db));
        exit(CLI_FAILED);
    }
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, access_of->trust, NULL);
    if (!for_each(db, &access_of->key_files, give_key_file) ||
        !for_each(db, &access_of->asked_keys, give_asked_key) ||
        !for_each(db, &access_of->secret_files, give_secret_file) ||
        !for_each(db, &access_of->allowed, give_allowed) ||
        (access_of->aws && !give_environment(db, "s3://"))) {
        cli_end(db, CLI_FAILED);
    }
    return SQLITE_OK;
}

/* As the shell opens it. */
sqlite3 *cli_open(const char *path, bool make)
{
    static Init *const of_shell[] = {
        sqlite3_fileio_init, sqlite3_series_init, sqlite3_regexp_init,
        sqlite3_decimal_init, sqlite3_uint_init, sqlite3_ieee_init, sqlite3_sha_init,
        sqlite3_shathree_init,
    };
    struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sqlite3 *db = NULL;
    size_t i;

    if (sqlite3_open_v2(path ? path : ":memory:", &db,
                        SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0),
                        NULL) != SQLITE_OK) {
        cli_say("%s: %s", path ? path : ":memory:",
                db ? sqlite3_errmsg(db) : "out of memory");
        sqlite3_close(db);
        return NULL;
    }
    running = db;
    sigaction(SIGINT, &act, NULL);
    signal(SIGPIPE, SIG_IGN);        /* cli_end sees to it                        */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_busy_timeout(db, 5000);
    for (i = 0; i < PQ_COUNT(of_shell); i++) {
        of_shell[i](db, NULL, NULL);
    }
    cli_opened(db);
    return db;
}

/* ---- tables that are paths ---- */

static bool ends(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && sqlite3_stricmp(text + n - m, end) == 0;
}

/* A name in a view of a database has that database in front: a view cannot have a file
** opened. */
static bool is_path(sqlite3 *db, const char *name)
{
    const char *dot = strchr(name, '.');
    char *schema = dot ? sqlite3_mprintf("%.*s", (int)(dot - name), name) : NULL;
    bool of_schema = schema && *schema && sqlite3_db_readonly(db, schema) >= 0;

    sqlite3_free(schema);
    return !of_schema && (strcmp(name, "-") == 0 || ends(name, ".parquet") ||
                          ends(name, ".parq") || strpbrk(name, "/*[") != NULL);
}

/* If the last error is that a table is missing, and its name is a path, there is one. */
static bool attach_missing(sqlite3 *db)
{
    static const char says[] = "no such table: ";
    const char *message = sqlite3_errmsg(db);
    char *name, *sql;
    bool made = false;

    if (strncmp(message, says, sizeof says - 1) != 0 ||
        !is_path(db, message + sizeof says - 1)) {
        return false;
    }
    name = sqlite3_mprintf("%s", message + sizeof says - 1);
    sql = name ? sqlite3_mprintf("CREATE VIRTUAL TABLE temp.\"%w\" USING parquet(%Q)", name,
                                 name)
               : NULL;
    if (sql && sqlite3_table_column_metadata(db, "temp", name, NULL, NULL, NULL, NULL, NULL,
                                             NULL) != SQLITE_OK) {
        cli_use_environment(db, name);
        made = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    }
    sqlite3_free(name);
    sqlite3_free(sql);
    return made;
}

/* Each turn makes a table that was not there, or is the last one. */
int cli_prepare(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                const char **tail)
{
    int rc;

    do {
        rc = sqlite3_prepare_v2(db, sql, n, out, tail);
    } while (rc == SQLITE_ERROR && attach_missing(db));
    return rc;
}
