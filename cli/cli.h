/*
** cli.h - the program parquet: SQLite, its shell and the extension in one file.
**
**   parquet                          the shell, with the extension
**   parquet 'SELECT ...'             rows                      cli_output.c
**   parquet FILE                     a page about the file     cli_page.c
**   parquet summary FILE             a function of the extension, by a table of
**   parquet export --db=x.db FOLDER  commands                  cli_commands.c
**
** cli_main.c reads the arguments (cli_arguments.c) and chooses.  cli_session.c opens databases
** and prepares statements, for the shell too: that is why FROM 'a.parquet' works in
** both.
**
** What a stranger's file or database says reaches a terminal only through
** cli_clean, so that it cannot send commands to the terminal.  CSV and JSON are
** data, and stay as they are.
*/
#ifndef CLI_H
#define CLI_H

#include "core/for_host.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

/* What the process ends with.  An interrupt and a closed pipe end it by their signal,
** which a Unix shell calls 130 and 141. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_MISUSED = 2 };

/* ---- cli_arguments.c ---- */

typedef struct CliList {
    const char **at;
    int          n;
} CliList;

typedef enum CliFormat {
    CLI_CSV, CLI_JSON, CLI_NDJSON, CLI_LIST, CLI_BOX, CLI_PARQUET, CLI_FORMATS
} CliFormat;

typedef struct CliArguments {
    const char *db;                  /* NULL: in memory                          */
    CliFormat   format;              /* CLI_FORMATS: not given                   */
    int64_t     rows;                /* at most in a box, 0: all; -1: not given  */
    bool        help, version, aws, trust;
    CliList     words;               /* what is not an option                    */
    CliList     settings;            /* "name=value", of the function            */
    CliList     key_files, asked_keys, secret_files, allowed;
} CliArguments;

/* False: it was said what is wrong. */
bool cli_read_arguments(int argc, char **argv, CliArguments *out);

/* ---- cli_session.c ---- */

/* What cli_opened gives to each connection.  a has to stay. */
void cli_give_access(const CliArguments *a);

/* Adds the extension, functions of the shell, keys and secrets to a connection. */
int cli_opened(sqlite3 *db);

/* As sqlite3_prepare_v2; a table that is not there and whose name is a path becomes
** a temporary table over it. */
int cli_prepare(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out,
                const char **tail);

/* A statement with two parameters; NULL: it was said what is wrong, or it is empty. */
sqlite3_stmt *cli_statement(sqlite3 *db, const char *sql, const char *first,
                            const char *second);

/* The first value of such a statement, freed by sqlite3_free; NULL: likewise. */
char *cli_text(sqlite3 *db, const char *sql, const char *first, const char *second);

/* The secret of the environment for the bucket of a URL that a user has named. */
void cli_use_environment(sqlite3 *db, const char *path);

/* NULL: it was said what is wrong. */
sqlite3 *cli_open(const char *path, bool make);
bool     cli_interrupted(void);

/* Closes db and ends the process: by its signal after an interrupt or if what reads
** the output has gone. */
_Noreturn void cli_end(sqlite3 *db, int status);

/* ---- cli_terminal.c ---- */

/* As wide as the terminal of stdout; 0: it is not a terminal. */
int cli_width(void);

/* Well-formed UTF-8 with nothing in it that a terminal acts on, but line feeds and
** tabs; of at most `most` bytes of s, 0: all.  Freed by sqlite3_free; NULL: no memory.
*/
char *cli_clean(const void *s, size_t n, size_t most, size_t *out_n);

/* "parquet: ..." on stderr. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int  cli_say_error(sqlite3 *db);     /* its last one; CLI_FAILED                 */
void cli_print_text(const char *s, size_t n);

/* A secret from the terminal, not shown.  False: there is none. */
bool cli_ask(const char *prompt, char *out, size_t room);

/* ---- cli_output.c ---- */

typedef struct CliOutput {
    CliFormat format;
    int64_t   rows;                  /* at most in a box; 0: all                 */
    bool      finds_errors;          /* rows are of parquet_verify               */
    bool      found;                 /* ... and one of them is an error          */
} CliOutput;

/* What is for whoever reads the output, if a did not say. */
CliOutput cli_output(const CliArguments *a);

/* A step; *rc is SQLITE_DONE at the end, after an interrupt, and if nobody reads any more. */
bool cli_next_row(sqlite3_stmt *s, CliOutput *o, int *rc);

/* Steps the statement to its end and writes its rows; CLI_FAILED: it was said why. */
int cli_write_rows(sqlite3_stmt *s, CliOutput *o);

/* Runs all statements of sql. */
int cli_run(sqlite3 *db, const char *sql, CliOutput *o);

/* ---- cli_box.c ---- */
int cli_write_box(sqlite3_stmt *s, CliOutput *o);

/* ---- cli_parquet.c ---- */
int cli_write_parquet(sqlite3 *db, sqlite3_stmt *s);

/* ---- cli_page.c ---- */
int cli_write_page(sqlite3 *db, const char *path, const CliArguments *a);

/* ---- cli_commands.c ---- */
typedef struct CliCommand CliCommand;

const CliCommand *cli_command(const char *word);    /* NULL: not one            */
const char *cli_near_command(const char *word);     /* that may be meant, or NULL */
int  cli_run_command(const CliCommand *c, const CliArguments *a);
void cli_print_commands(void);

/* The words as one path: themselves, or a JSON array of them.  And the settings as the
** last argument of functions that look into files: "footer_key=kf, timeout=60"; all, or
** those that are for such a function and not for a table.  Freed by sqlite3_free. */
char *cli_join_paths(sqlite3 *db, const char **word, int n);
char *cli_join_settings(const CliList *settings, bool all);

#endif
