/*
** options.c - turns the arguments of USING parquet(...) into settings.
**
** option_table has a row per option.  The rest is about how people write:
** SQLite hands over each argument as the text between two commas, so
**
**   parquet('t.parquet' decimal=text)       a comma is missing
**   parquet('t.parquet', columns=a,b)       b is an argument of its own
**   parquet('t.parquet', 'decimal', 'text') name and value are two arguments
**   parquet(path='t.parquet')               the path has no name
**
** all arrive here and look alike.  Each has an error that says what to write.
*/
#include "ext/table/options.h"

#include "sql/keys/key_names.h"
#include "sql/did_you_mean.h"
#include "sql/patience.h"
#include "sql/size_text.h"
#include "sql/token.h"

typedef enum OptionKind {
    OPTION_SWITCH,                   /* bare name, or on/off                */
    OPTION_CHOICE,                   /* one of the words                    */
    OPTION_SET,                      /* 'a,b': bits, of the words           */
    OPTION_SIZE,                     /* bytes: 64MB                         */
    OPTION_COUNT,                    /* a number, or auto                   */
    OPTION_VERSION,                  /* a number from 0 on                  */
    OPTION_PATIENCE,                 /* see sql/patience.h                  */
    OPTION_NAMES,                    /* 'a,b,c'                             */
    OPTION_TEXT                      /* any text that is not empty          */
} OptionKind;

typedef struct OptionRow {
    const char *name;
    OptionKind  kind;
    size_t      offset;
    const char *words[7];            /* of CHOICE and SET: value or bit 0,
                                     ** 1, 2 ...; of TEXT: what it takes    */
} OptionRow;

#define AT(field) offsetof(PqextOptions, field)

static const OptionRow option_table[] = {
    {"hive", OPTION_SWITCH, AT(hive), {0}},
    {"union_by_name", OPTION_SWITCH, AT(union_by_name), {0}},
    {"columns", OPTION_NAMES, AT(columns), {0}},
    {"exclude", OPTION_NAMES, AT(exclude), {0}},
    {"decimal", OPTION_CHOICE, AT(decimal), {"real", "text"}},
    {"timestamp", OPTION_CHOICE, AT(timestamp), {"text", "unixepoch", "raw"}},
    {"nan", OPTION_CHOICE, AT(nan), {"null", "text"}},
    {"map", OPTION_CHOICE, AT(map), {"object", "entries"}},
    {"invalid_utf8", OPTION_CHOICE, AT(invalid_utf8),
     {"text", "blob", "error"}},
    {"variant", OPTION_CHOICE, AT(variant), {"json", "blob"}},
    {"binary_as_string", OPTION_SWITCH, AT(binary_as_string), {0}},
    {"checksum", OPTION_SWITCH, AT(checksum), {0}},
    {"trust_stats", OPTION_SWITCH, AT(trust_stats), {0}},
    {"distrust", OPTION_SET, AT(distrust),
     {[PQ_BY_STATISTICS] = "statistics", [PQ_BY_BOXES] = "boxes",
      [PQ_BY_BLOOM] = "bloom", [PQ_BY_PAGES] = "pages",
      [PQ_BY_HEADERS] = "headers", [PQ_BY_DICTIONARY] = "dictionary"}},
    {"format", OPTION_CHOICE, AT(format), {"auto", "files"}},
    {"version", OPTION_VERSION, AT(version), {0}},
    {"as_of", OPTION_TEXT, AT(as_of), {"a time, such as '2026-01-31 12:00:00'"}},
    {"table", OPTION_TEXT, AT(table),
     {"a table of a DuckLake, such as 'main.trips'"}},
    {"row_ids", OPTION_SWITCH, AT(row_ids), {0}},
    {"ignore_errors", OPTION_SWITCH, AT(ignore_errors), {0}},
    {"threads", OPTION_COUNT, AT(threads), {0}},
    {"memory", OPTION_SIZE, AT(memory), {0}},
    {"retries", OPTION_PATIENCE, AT(patience), {0}},
    {"timeout", OPTION_PATIENCE, AT(patience), {0}},
    {"spool", OPTION_PATIENCE, AT(patience), {0}},
    {"footer_key", OPTION_TEXT, AT(footer_key), {"the name of a key"}},
    {"column_keys", OPTION_TEXT, AT(column_keys),
     {"columns with their keys, such as 'ssn=k1;pay.amount=k2'"}},
    {"aad_prefix", OPTION_TEXT, AT(aad_prefix), {"a text that is not empty"}},
    {"unnest", OPTION_TEXT, AT(unnest),
     {"the path of a list or a map, such as 'items'"}},
    {"outer", OPTION_SWITCH, AT(outer), {0}},
    {"affinity", OPTION_TEXT, AT(affinity),
     {"a JSON object, such as '{\"day\": \"NUMERIC\"}'"}},
    {"rollup", OPTION_TEXT, AT(rollup),
     {"dimensions and measures, such as "
      "'country, count(*) AS n, sum(price) AS total'"}},
};

char *pqext_dequote(const char *text)
{
    size_t n = strlen(text);
    char *out = sqlite3_malloc64(n + 1);

    if (out && pqsql_is_quoted(pq_slice(text, n))) {
        pqsql_unquote(pq_slice(text, n), out);
    } else if (out) {
        memcpy(out, text, n + 1);
    }
    return out;
}

char *pqext_trimmed(const char *text, size_t n)
{
    while (n > 0 && pq_ascii_is_blank(text[n - 1])) {
        n--;
    }
    while (n > 0 && pq_ascii_is_blank(*text)) {
        text++;
        n--;
    }
    return sqlite3_mprintf("%.*s", (int)n, text);
}

static const OptionRow *find_option(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(option_table); i++) {
        if (pq_ascii_same(name, option_table[i].name)) {
            return &option_table[i];
        }
    }
    return NULL;
}

const char *pqext_option_name(size_t i)
{
    return i < PQ_COUNT(option_table) ? option_table[i].name : NULL;
}

bool pqext_is_option(const char *word)
{
    return find_option(word) != NULL;
}

bool pqext_option_wants_value(const char *word)
{
    const OptionRow *row = find_option(word);

    return row && row->kind != OPTION_SWITCH;
}

bool pqext_option_has_names(const char *word)
{
    const OptionRow *row = find_option(word);

    return row && row->kind == OPTION_NAMES;
}

/* The number of the word at z, which has n bytes; -1: there is none. */
static int word_of(const OptionRow *row, const char *z, size_t n)
{
    for (int i = 0; i < (int)PQ_COUNT(row->words) && row->words[i]; i++) {
        if (strlen(row->words[i]) == n &&
            sqlite3_strnicmp(row->words[i], z, (int)n) == 0) {
            return i;
        }
    }
    return -1;
}

static int bad_value(const OptionRow *row, const char *value, char **error)
{
    static const char *const takes[] = {
        [OPTION_SWITCH] = "on or off", [OPTION_CHOICE] = "",
        [OPTION_SET] = "some of ",
        [OPTION_SIZE] = "a size of at least 1MB, such as '64MB' or '4GB'",
        [OPTION_COUNT] = "auto or a number from 0 to 64", [OPTION_PATIENCE] = "",
        [OPTION_VERSION] = "the number of a version",
        [OPTION_NAMES] = "names, such as 'a,b,c'", [OPTION_TEXT] = ""};
    char words[120] = "";

    for (size_t i = 0; i < PQ_COUNT(row->words) && row->words[i]; i++) {
        sqlite3_snprintf((int)(sizeof words - strlen(words)),
                         words + strlen(words), "%s%s", i ? ", " : "",
                         row->words[i]);
    }
    return pqext_fail(error, "parquet: %s=%s: it takes %s%s", row->name, value,
                      row->kind == OPTION_PATIENCE ? pqsql_patience_takes(row->name)
                                                   : takes[row->kind], words);
}

static bool take_switch(const char *value, int *out)
{
    static const char *const words[] = {"off", "on", "false", "true",
                                        "no", "yes", "0", "1"};
    size_t i = 0;

    while (i < PQ_COUNT(words) && sqlite3_stricmp(value, words[i]) != 0) {
        i++;
    }
    *out = !*value || i % 2;         /* a bare name is on */
    return !*value || i < PQ_COUNT(words);
}

/* Words with commas between them; blanks around them do no harm. */
static bool take_set(const OptionRow *row, const char *value, int *out)
{
    *out = 0;
    for (;;) {
        size_t n;
        int i;

        value += strspn(value, " ");
        n = strcspn(value, " ,");
        i = word_of(row, value, n);
        if (i < 0) {
            return false;
        }
        *out |= 1 << i;
        value += n;
        value += strspn(value, " ");
        if (*value != ',') {
            return *value == 0;
        }
        value++;
    }
}

static bool take_count(const char *value, int64_t *out)
{
    if (sqlite3_stricmp(value, "auto") == 0) {
        *out = -1;
        return true;
    }
    return pqsql_size_digits(&value, out) && *value == 0 && *out <= 64;
}

/* "a, b,c": commas separate names.  Spaces around a name are not part of it.
** Within double quotes both are. */
static int take_names(const OptionRow *row, const char *value, PqextNames *to,
                      char **error)
{
    size_t n = strlen(value);
    uint32_t count = 1;
    const char *z;
    char *out;

    for (z = value; *z; z++) {
        count += *z == ',';
    }
    to->text = sqlite3_malloc64(2 * n + 2);
    to->v = sqlite3_malloc64(count * sizeof *to->v);
    if (!to->text || !to->v) {
        return SQLITE_NOMEM;
    }
    for (z = value, out = to->text; ; z++) {
        char *begin = out;

        while (*z == ' ') {
            z++;
        }
        if (!*z || *z == ',') {
            return pqext_fail(
                error, "parquet: %s=%s: a name is missing %s; a column whose "
                       "name is empty is written \"\"",
                row->name, value, !*z ? "at the end" : "before a comma");
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
        to->v[to->n++] = begin;
        if (*z != ',') {
            break;
        }
    }
    if (*z) {
        return pqext_fail(error, "parquet: %s=%s: a comma is missing before %s",
                          row->name, value, z);
    }
    return SQLITE_OK;
}

/* The state of reading the arguments. */
typedef struct Reading {
    PqextOptions *o;
    const char   *before;            /* the argument before this, or NULL   */
    uint32_t      given;             /* a bit per row of the table          */
    char        **error;
} Reading;

/* user_id = variant_get(event, '$.user.id') */
static int take_path(Reading *r, const char *name, const char *value)
{
    PqextOptions *o = r->o;
    PqPathSpec *more = sqlite3_realloc64(o->paths,
                                         (o->n_paths + 1u) * sizeof *more);

    if (!more) {
        return SQLITE_NOMEM;
    }
    o->paths = more;
    return pqext_path_parse(name, value, &o->paths[o->n_paths++], r->error);
}

static int take(Reading *r, const char *name, const char *value)
{
    const OptionRow *row = find_option(name);
    uint32_t bit = row ? 1u << (row - option_table) : 0;
    bool good = true;
    char *to;

    if (!row && pqext_is_path_call(value)) {
        return take_path(r, name, value);
    }
    if (!row) {
        sqlite3_free(*r->error);
        *r->error = pqext_option_unknown(name, r->before);
        return *r->error ? SQLITE_ERROR : SQLITE_NOMEM;
    }
    if (r->given & bit) {
        return pqext_fail(r->error, "parquet: %s is given twice", row->name);
    }
    r->given |= bit;
    to = (char *)r->o + row->offset;
    switch (row->kind) {
    case OPTION_SWITCH:
        good = (row->offset == AT(hive) && sqlite3_stricmp(value, "auto") == 0)
               || take_switch(value, (int *)to);
        break;
    case OPTION_CHOICE:
        *(int *)to = word_of(row, value, strlen(value));
        good = *(int *)to >= 0;
        break;
    case OPTION_SET:
        good = take_set(row, value, (int *)to);
        break;
    case OPTION_SIZE:
        good = pqsql_size_parse(value, (int64_t *)to) &&
               *(int64_t *)to >= 1 << 20;
        break;
    case OPTION_COUNT:
        good = take_count(value, (int64_t *)to);
        break;
    case OPTION_VERSION:
        good = pq_number_parse_i64(pq_slice_text(value), (int64_t *)to) == PQ_PARSE_OK &&
               *(int64_t *)to >= 0;
        break;
    case OPTION_PATIENCE:
        good = pqsql_patience_take(row->name, value, (PqPatience *)to);
        break;
    case OPTION_NAMES:
        if (*value) {
            return take_names(row, value, (PqextNames *)to, r->error);
        }
        good = false;
        break;
    case OPTION_TEXT:
        if (*value) {
            *(char **)to = sqlite3_mprintf("%s", value);
            return *(char **)to ? SQLITE_OK : SQLITE_NOMEM;
        }
        good = false;
        break;
    }
    return good ? SQLITE_OK : bad_value(row, value, r->error);
}

/* "name = value" or "name".  The name may be in quotes. */
static int take_pair(Reading *r, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    const char *rest = equals ? equals + 1 : "";
    char *written, *name, *value;
    int rc;

    while (pq_ascii_is_blank(*rest)) {
        rest++;
    }
    written = pqext_trimmed(text, n);
    name = written ? pqext_dequote(written) : NULL;
    value = pqext_dequote(rest);
    rc = !name || !value ? SQLITE_NOMEM : take(r, name, value);
    sqlite3_free(written);
    sqlite3_free(name);
    sqlite3_free(value);
    return rc;
}

#define SEVERAL "a glob, a folder or a JSON array names several files"

/* 'memory=1GB' in one pair of quotes is how parquet_attach takes it.  It is
** accepted here too. */
static int take_argument(Reading *r, const char *text, const char *next)
{
    char *plain = pqext_dequote(text);
    int rc;

    if (!plain) {
        return SQLITE_NOMEM;
    }
    if (next && !strchr(next, '=') && pqext_option_wants_value(plain)) {
        rc = pqext_fail(r->error, "parquet: %s and its value are two "
                                  "arguments; write %s=%s", plain, plain, next);
    } else if (pqsql_is_quote(text[0]) && !strchr(text, '=')) {
        rc = pqext_fail(r->error, "parquet: %s: one path, and it comes first, "
                                  "before the options; " SEVERAL, text);
    } else {
        rc = take_pair(r, strchr(plain, '=') ? plain : text);
    }
    sqlite3_free(plain);
    return rc;
}

/* The end of a text in quotes, or of one character. */
static const char *after_quotes(const char *z)
{
    const char *end = pqsql_is_quote(*z) ? pqsql_end_of_quoted(z) : NULL;

    return end ? end : z + 1;
}

const char *pqext_option_after(const char *text)
{
    const char *z = text;

    while (*z) {
        size_t n = strcspn(z, "= \t\r\n");
        size_t blanks = strspn(z + n, " \t\r\n");
        char word[32];

        if (z > text && (pq_ascii_is_blank(z[-1]) || z[-1] == ',') &&
            z[n + blanks] == '=' && n < sizeof word) {
            memcpy(word, z, n);
            word[n] = 0;
            if (find_option(word)) {
                return z;
            }
        }
        z = after_quotes(z);
    }
    return NULL;
}

/* An error if the first argument is an option, or the path written as one. */
static int no_path_first(const char *text, char **error)
{
    static const char *const words[] = {"path", "file", "files", "filename",
                                        "source", "glob"};
    size_t n = strcspn(text, "="), i;
    char *name;
    bool is_option;

    if (!text[n] || pqsql_is_quote(text[0])) {
        return SQLITE_OK;
    }
    name = pqext_trimmed(text, n);
    if (!name) {
        return SQLITE_NOMEM;
    }
    is_option = find_option(name) != NULL;
    for (i = 0; i < PQ_COUNT(words); i++) {
        is_option = is_option || pq_ascii_same(name, words[i]);
    }
    sqlite3_free(name);
    return is_option ? pqext_fail(error, "parquet: %s: the path comes first and "
                                         "has no name: parquet('trips.parquet',"
                                         " decimal=text)", text)
                     : SQLITE_OK;
}

/* The keys that the options name. */
static int take_keys(PqextOptions *o, char **error)
{
    enum { MEMORY = 4 << 20 };
    PqErr e = PQ_NO_ERR;

    if (!o->footer_key && !o->column_keys && !o->aad_prefix) {
        return SQLITE_OK;
    }
    o->key_mem = pq_mem_new(MEMORY);
    if (!o->key_mem) {
        return SQLITE_NOMEM;
    }
    pq_arena_init(&o->key_arena, o->key_mem);
    if ((o->footer_key && pqsql_key_names_footer(o->footer_key, &o->key_arena,
                                                 &o->keys, &e) != PQ_OK) ||
        (o->column_keys && pqsql_key_names_columns(o->column_keys,
                                                   &o->key_arena, &o->keys,
                                                   &e) != PQ_OK) ||
        (o->aad_prefix && pqsql_key_names_prefix(o->aad_prefix, &o->key_arena,
                                                 &o->keys, &e) != PQ_OK)) {
        return e.rc == PQ_NOMEM ? SQLITE_NOMEM
                                : pqext_fail(error, "parquet: %s", e.text);
    }
    return SQLITE_OK;
}

const PqKeyChoice *pqext_options_keys(const PqextOptions *o)
{
    return o->key_mem ? &o->keys : NULL;
}

static int parse(PqextOptions *o, int argc, const char *const *argv,
                 char **error)
{
    Reading r = {.o = o, .error = error};
    int i, rc;

    memset(o, 0, sizeof *o);
    o->hive = o->checksum = o->trust_stats = 1;
    o->threads = o->version = -1;
    o->memory = 256 << 20;
    o->patience = pq_usual_patience;
    if (argc < 1 || argv[0][0] == 0) {
        return pqext_fail(error, "parquet: a file, a glob or a folder is "
                                 "missing: USING parquet('trips.parquet')");
    }
    for (i = 0; i < argc; i++) {
        const char *option = pqext_option_after(argv[i]);
        if (option) {
            return pqext_fail(error, "parquet: a comma is missing before %s",
                              option);
        }
    }
    if (argv[0][0] == '[' && argv[0][1] == '\'') {
        return pqext_fail(error, "parquet: %s: a list of paths is a JSON "
                                 "array: '[\"a.parquet\", \"b.parquet\"]'",
                          argv[0]);
    }
    rc = no_path_first(argv[0], error);
    if (rc != SQLITE_OK) {
        return rc;
    }
    o->path = pq_path_list_is(argv[0]) ? sqlite3_mprintf("%s", argv[0])
                                       : pqext_dequote(argv[0]);
    if (!o->path) {
        return SQLITE_NOMEM;
    }
    if (o->path[0] == 0) {
        return pqext_fail(error, "parquet: the path is empty");
    }
    for (i = 1; i < argc; i++) {
        rc = take_argument(&r, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
        if (rc != SQLITE_OK) {
            return rc;
        }
        r.before = argv[i];
    }
    if (o->outer && !o->unnest) {
        return pqext_fail(error, "parquet: outer=on keeps rows without "
                                 "elements, and needs a list: unnest='items', "
                                 "outer=on");
    }
    if (o->table && (o->format || o->ignore_errors)) {
        return pqext_fail(error, "parquet: table= is of a DuckLake, whose catalog says "
                                 "which files it has: format=files and ignore_errors are "
                                 "for files");
    }
    if (o->row_ids && !o->table) {
        return pqext_fail(error, "parquet: row_ids=on is for a table= of a DuckLake");
    }
    if (o->affinity && o->rollup) {
        return pqext_fail(error, "parquet: affinity= is for columns of files, "
                                 "and rollup= makes others; give one of them");
    }
    if (o->columns.v && o->exclude.v) {
        return pqext_fail(error, "parquet: columns= names the columns of the "
                                 "table, and exclude= those that it has not; "
                                 "give one of them");
    }
    return take_keys(o, error);
}

int pqext_options_parse(PqextOptions *o, int argc, const char *const *argv,
                        char **error)
{
    int rc = parse(o, argc, argv, error);

    if (*error && strstr(*error, "key")) {
        pqsql_key_hide(*error);
    }
    return rc;
}

void pqext_options_free(PqextOptions *o)
{
    sqlite3_free(o->path);
    sqlite3_free(o->columns.text);
    sqlite3_free((void *)o->columns.v);
    sqlite3_free(o->exclude.text);
    sqlite3_free((void *)o->exclude.v);
    while (o->n_paths > 0) {
        pqext_path_free(&o->paths[--o->n_paths]);
    }
    sqlite3_free(o->paths);
    sqlite3_free(o->unnest);
    sqlite3_free(o->footer_key);
    sqlite3_free(o->column_keys);
    sqlite3_free(o->aad_prefix);
    sqlite3_free(o->rollup);
    sqlite3_free(o->affinity);
    sqlite3_free(o->table);
    if (o->key_mem) {
        pq_arena_free(&o->key_arena);
        pq_mem_release(o->key_mem);
    }
    memset(o, 0, sizeof *o);
}

bool pqext_options_believe(const PqextOptions *o)
{
    return o->trust_stats && !(o->distrust & 1 << PQ_BY_STATISTICS);
}

PqsqlOptions pqext_options_values(const PqextOptions *o)
{
    return (PqsqlOptions){
        .decimal_text = o->decimal != 0,
        .timestamp = (PqsqlTime)o->timestamp,
        .nan_text = o->nan != 0,
        .map_entries = o->map != 0,
        .variant_blob = o->variant != 0,
        .invalid_utf8 = (PqsqlUtf8)o->invalid_utf8,
        .binary_as_string = o->binary_as_string != 0,
    };
}
