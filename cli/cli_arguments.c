/*
** cli_arguments.c - reads the command line.
**
**   parquet export --db shop.db --tables='["orders"]' --compression=zstd out/
**                  the program's       the function's options          a word
**
** An option of the program has its value after = or in the next argument, or is a flag.
** Any other --name=value is for the function that the command calls; --name alone is
** --name=true.  There a - in a name is a _, as functions have it: row-group-rows.  In the
** names of members, after a point, it stays.  After -- all are words; "-- x" is SQL.
*/
#include "cli/cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { FLAG, TEXT, LIST, FORMAT, NUMBER } Kind;

static const struct {
    const char *name;
    Kind        kind;
    size_t      at;
} options[] = {
    {"-o",            FORMAT, offsetof(CliArguments, format)},
    {"--output",      FORMAT, offsetof(CliArguments, format)},
    {"--db",          TEXT,   offsetof(CliArguments, db)},
    {"--rows",        NUMBER, offsetof(CliArguments, rows)},
    {"--key-file",    LIST,   offsetof(CliArguments, key_files)},
    {"--ask-key",     LIST,   offsetof(CliArguments, asked_keys)},
    {"--secret-file", LIST,   offsetof(CliArguments, secret_files)},
    {"--allow",       LIST,   offsetof(CliArguments, allowed)},
    {"--aws",         FLAG,   offsetof(CliArguments, aws)},
    {"--trust",       FLAG,   offsetof(CliArguments, trust)},
    {"-h",            FLAG,   offsetof(CliArguments, help)},
    {"--help",        FLAG,   offsetof(CliArguments, help)},
    {"--version",     FLAG,   offsetof(CliArguments, version)},
};

static const char *const format_names[] = {"csv", "json", "ndjson", "list", "box",
                                           "parquet"};
_Static_assert(sizeof format_names / sizeof *format_names == CLI_FORMATS,
               "a name for each format");

static bool add(CliList *l, const char *text)
{
    const char **more = realloc(l->at, sizeof *more * (size_t)(l->n + 1));

    if (!more) {
        cli_say("out of memory");
        return false;
    }
    l->at = more;
    l->at[l->n++] = text;
    return true;
}

static bool read_format(const char *text, CliFormat *out)
{
    int i;

    for (i = 0; i < CLI_FORMATS; i++) {
        if (strcmp(text, format_names[i]) == 0) {
            *out = (CliFormat)i;
            return true;
        }
    }
    cli_say("-o has to be csv, json, ndjson, list, box or parquet, not %s", text);
    return false;
}

static bool read_number(const char *name, const char *text, int64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoll(text, &end, 10);
    if (errno != 0 || *end || end == text || *out < 0) {
        cli_say("%s has to be a number, not %s", name, text);
        return false;
    }
    return true;
}

static bool set(size_t option, const char *value, CliArguments *a)
{
    char *field = (char *)a + options[option].at;

    switch (options[option].kind) {
    case FLAG:   *(bool *)field = true; return true;
    case TEXT:   *(const char **)field = value; return true;
    case LIST:   return add((CliList *)field, value);
    case FORMAT: return read_format(value, (CliFormat *)field);
    default:     return read_number(options[option].name, value, (int64_t *)field);
    }
}

/* The option of the program that an argument is, its value after = or at once after
** the letter; NULL in *value: none.  -1: not one. */
static int find_option(const char *text, const char **value)
{
    size_t i, n;

    for (i = 0; i < PQ_COUNT(options); i++) {
        n = strlen(options[i].name);
        if (strncmp(text, options[i].name, n) == 0) {
            *value = text[n] == '=' ? text + n + 1 : text[n] ? text + n : NULL;
            if (!text[n] || text[n] == '=' || n == 2) {
                return (int)i;
            }
        }
    }
    return -1;
}

static bool add_setting(CliList *l, const char *text)
{
    char *setting = sqlite3_mprintf(strchr(text, '=') ? "%s" : "%s=true", text);
    char *c;

    for (c = setting; c && *c != '=' && *c != '.'; c++) {
        *c = (char)(*c == '-' ? '_' : *c);
    }
    return add(l, setting ? setting : "");
}

bool cli_read_arguments(int argc, char **argv, CliArguments *out)
{
    bool only_words = false, good = true;
    int i, option;

    *out = (CliArguments){.format = CLI_FORMATS, .rows = -1};
    for (i = 1; i < argc && good; i++) {
        const char *text = argv[i], *value;

        if (only_words || text[0] != '-' || !text[1] || strncmp(text, "-- ", 3) == 0) {
            good = add(&out->words, text);
            /* The shell's own options are not ours to read. */
            only_words |= out->words.n == 1 && strcmp(text, "shell") == 0;
        } else if (strcmp(text, "--") == 0) {
            only_words = true;
        } else if ((option = find_option(text, &value)) < 0) {
            good = text[1] == '-' && add_setting(&out->settings, text + 2);
            if (!good) {
                cli_say("%s is not an option; see parquet --help", text);
            }
        } else if (options[option].kind == FLAG) {
            good = !value && set((size_t)option, NULL, out);
            if (!good) {
                cli_say("%s has no value", options[option].name);
            }
        } else if (value || i + 1 < argc) {
            good = set((size_t)option, value ? value : argv[++i], out);
        } else {
            cli_say("%s has to be followed by its value", text);
            good = false;
        }
    }
    return good;
}
