/*
** options.c
*/
#include "ext/options.h"

#include "sql/nearest.h"
#include "sql/size_text.h"

#include <ctype.h>

typedef enum OptionKind {
    OPTION_SWITCH,                   /* bare name, or on/off                */
    OPTION_CHOICE,                   /* one of the words                    */
    OPTION_SIZE,                     /* bytes: 64MB                         */
    OPTION_COUNT,                    /* a number, or auto                   */
    OPTION_NAMES,                    /* 'a,b,c'                             */
    OPTION_LATER                     /* known, but not in this version      */
} OptionKind;

typedef struct OptionRow {
    const char *name;
    OptionKind  kind;
    size_t      offset;
    const char *words[4];            /* of OPTION_CHOICE: value 0, 1, 2     */
} OptionRow;

#define AT(field) offsetof(PqextOptions, field)

static const OptionRow option_table[] = {
    {"hive", OPTION_SWITCH, AT(hive), {0}},
    {"union_by_name", OPTION_SWITCH, AT(union_by_name), {0}},
    {"columns", OPTION_NAMES, AT(columns), {0}},
    {"decimal", OPTION_CHOICE, AT(decimal), {"real", "text"}},
    {"timestamp", OPTION_CHOICE, AT(timestamp), {"text", "unixepoch", "raw"}},
    {"nan", OPTION_CHOICE, AT(nan), {"null", "text"}},
    {"map", OPTION_CHOICE, AT(map), {"object", "entries"}},
    {"invalid_utf8", OPTION_CHOICE, AT(invalid_utf8),
     {"text", "blob", "error"}},
    {"variant", OPTION_CHOICE, AT(variant), {"json"}},
    {"binary_as_string", OPTION_SWITCH, AT(binary_as_string), {0}},
    {"checksum", OPTION_SWITCH, AT(checksum), {0}},
    {"trust_stats", OPTION_SWITCH, AT(trust_stats), {0}},
    {"threads", OPTION_COUNT, AT(threads), {0}},
    {"memory", OPTION_SIZE, AT(memory), {0}},
    {"footer_key", OPTION_LATER, 0, {0}},
    {"column_keys", OPTION_LATER, 0, {0}},
    {"aad_prefix", OPTION_LATER, 0, {0}},
};

static int fail(char **error, const char *fmt, ...)
{
    va_list ap;

    sqlite3_free(*error);
    va_start(ap, fmt);
    *error = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

char *pqext_dequote(const char *text)
{
    size_t n = strlen(text), i, k = 0;
    char *out = sqlite3_malloc64(n + 1), quote;

    if (!out) {
        return NULL;
    }
    quote = text[0];
    if (quote == '[') {
        quote = ']';
    }
    if (n < 2 || !strchr("'\"`]", quote) || text[n - 1] != quote) {
        memcpy(out, text, n + 1);
        return out;
    }
    for (i = 1; i + 1 < n; i++) {
        out[k++] = text[i];
        i += text[i] == quote && text[i + 1] == quote;
    }
    out[k] = 0;
    return out;
}

static int unknown_option(const char *name, char **error)
{
    PqsqlNearest near = {.word = name};
    size_t i;

    for (i = 0; i < PQ_COUNT(option_table); i++) {
        pqsql_nearest_look(&near, option_table[i].name);
    }
    if (strchr("'\"`[", name[0])) {
        return fail(error, "parquet: %s: one path, and it comes first, before "
                           "the options", name);
    }
    if (pqsql_nearest(&near)) {
        return fail(error, "parquet: there is no option %s; did you mean %s?",
                    name, pqsql_nearest(&near));
    }
    return fail(error, "parquet: there is no option %s; the README lists them",
                name);
}

static int bad_value(const OptionRow *row, const char *value, char **error)
{
    if (row->kind == OPTION_CHOICE) {
        const char *const *w = row->words;
        return fail(error, "parquet: %s=%s: it takes %s%s%s%s%s", row->name,
                    value, w[0], w[1] ? ", " : "", w[1] ? w[1] : "",
                    w[2] ? ", " : "", w[2] ? w[2] : "");
    }
    return fail(error, "parquet: %s=%s: it takes %s", row->name, value,
                row->kind == OPTION_SWITCH  ? "on or off"
                : row->kind == OPTION_COUNT ? "auto or a number from 0 to 64"
                : row->kind == OPTION_SIZE
                    ? "a size of at least 1MB, such as 64MB or 4GB"
                    : "names, such as 'a,b,c'");
}

static bool take_switch(const char *value, int *out)
{
    static const char *const yes[] = {"", "on", "true", "yes", "1"};
    static const char *const no[] = {"off", "false", "no", "0"};
    size_t i;

    for (i = 0; i < PQ_COUNT(yes); i++) {
        if (sqlite3_stricmp(value, yes[i]) == 0) {
            *out = 1;
            return true;
        }
    }
    for (i = 0; i < PQ_COUNT(no); i++) {
        if (sqlite3_stricmp(value, no[i]) == 0) {
            *out = 0;
            return true;
        }
    }
    return false;
}

static bool take_choice(const OptionRow *row, const char *value, int *out)
{
    int i;

    for (i = 0; i < 4 && row->words[i]; i++) {
        if (sqlite3_stricmp(value, row->words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool take_size(const char *value, int64_t *out)
{
    return pqsql_size_parse(value, out) && *out >= 1 << 20;
}

static bool take_count(const char *value, int64_t *out)
{
    if (sqlite3_stricmp(value, "auto") == 0) {
        *out = -1;
        return true;
    }
    return pqsql_size_digits(&value, out) && *value == 0 && *out <= 64;
}

/* "a, b,c": commas separate, spaces around a name are not part of it, double
** quotes keep both. */
static int take_names(PqextOptions *o, const char *value, char **error)
{
    size_t n = strlen(value), k = 0;
    uint32_t count = 1;
    const char *z;
    char *out;

    for (z = value; *z; z++) {
        count += *z == ',';
    }
    sqlite3_free(o->columns);
    sqlite3_free((void *)o->only);
    o->columns = sqlite3_malloc64(2 * n + 2);
    o->only = sqlite3_malloc64(count * sizeof *o->only);
    o->n_only = 0;
    if (!o->columns || !o->only) {
        return SQLITE_NOMEM;
    }
    for (z = value, out = o->columns; ; z++) {
        char *begin = out;

        while (*z == ' ') {
            z++;
        }
        if (*z == '"') {
            for (z++; *z && !(*z == '"' && z[1] != '"'); z++) {
                z += *z == '"';
                *out++ = *z;
            }
            z += *z == '"';
            while (*z == ' ') {
                z++;
            }
        } else {
            while (*z && *z != ',') {
                *out++ = *z++;
            }
            while (out > begin && out[-1] == ' ') {
                out--;
            }
        }
        *out++ = 0;
        o->only[o->n_only++] = begin;
        k++;
        if (*z != ',') {
            break;
        }
    }
    if (*z) {
        return fail(error, "parquet: columns=%s: a comma is missing before %s",
                    value, z);
    }
    return SQLITE_OK;
}

static int take(PqextOptions *o, const char *name, const char *value,
                char **error)
{
    const OptionRow *row = NULL;
    bool good = true;
    char *to;
    size_t i;

    for (i = 0; i < PQ_COUNT(option_table) && !row; i++) {
        if (sqlite3_stricmp(name, option_table[i].name) == 0) {
            row = &option_table[i];
        }
    }
    if (!row) {
        return unknown_option(name, error);
    }
    to = (char *)o + row->offset;
    switch (row->kind) {
    case OPTION_SWITCH:
        good = (row->offset == AT(hive) && sqlite3_stricmp(value, "auto") == 0)
               || take_switch(value, (int *)to);
        break;
    case OPTION_CHOICE:
        good = take_choice(row, value, (int *)to);
        break;
    case OPTION_SIZE:
        good = take_size(value, (int64_t *)to);
        break;
    case OPTION_COUNT:
        good = take_count(value, (int64_t *)to);
        break;
    case OPTION_NAMES:
        if (*value) {
            return take_names(o, value, error);
        }
        good = false;
        break;
    case OPTION_LATER:
        return fail(error, "parquet: %s: encrypted files cannot be read by "
                           "this version", row->name);
    }
    return good ? SQLITE_OK : bad_value(row, value, error);
}

/* "name = value" or "name". */
static int take_argument(PqextOptions *o, const char *text, char **error)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    const char *rest = equals ? equals + 1 : "";
    char *name, *value;
    int rc;

    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        n--;
    }
    while (isspace((unsigned char)*rest)) {
        rest++;
    }
    name = sqlite3_mprintf("%.*s", (int)n, text);
    value = pqext_dequote(rest);
    rc = !name || !value ? SQLITE_NOMEM : take(o, name, value, error);
    sqlite3_free(name);
    sqlite3_free(value);
    return rc;
}

int pqext_options_parse(PqextOptions *o, int argc, const char *const *argv,
                        char **error)
{
    int i, rc;

    memset(o, 0, sizeof *o);
    o->hive = o->checksum = o->trust_stats = 1;
    o->threads = -1;
    o->memory = 256 << 20;
    if (argc < 1 || argv[0][0] == 0) {
        return fail(error, "parquet: a file, a glob or a folder is missing: "
                           "USING parquet('trips.parquet')");
    }
    o->path = pqext_dequote(argv[0]);
    if (!o->path) {
        return SQLITE_NOMEM;
    }
    if (o->path[0] == 0) {
        return fail(error, "parquet: the path is empty");
    }
    for (i = 1; i < argc; i++) {
        rc = take_argument(o, argv[i], error);
        if (rc != SQLITE_OK) {
            return rc;
        }
    }
    return SQLITE_OK;
}

void pqext_options_free(PqextOptions *o)
{
    sqlite3_free(o->path);
    sqlite3_free(o->columns);
    sqlite3_free((void *)o->only);
    memset(o, 0, sizeof *o);
}

PqsqlOptions pqext_options_values(const PqextOptions *o)
{
    return (PqsqlOptions){
        .decimal_text = o->decimal != 0,
        .timestamp = (PqsqlTime)o->timestamp,
        .nan_text = o->nan != 0,
        .map_entries = o->map != 0,
        .invalid_utf8 = (PqsqlUtf8)o->invalid_utf8,
        .binary_as_string = o->binary_as_string != 0,
    };
}
