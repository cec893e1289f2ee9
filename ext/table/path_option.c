/*
** path_option.c - takes NAME = variant_get(column, path, type) apart.
**
** SQLite hands the call over as it was written.  Its arguments are texts in
** quotes or bare words; a comma in quotes or brackets separates nothing.
*/
#include "ext/table/path_option.h"

#include "ext/table/options.h"


static const char *const calls[] = {"variant_get", "try_variant_get"};

/* The bracket that opens the call; NULL: it is something else. */
static const char *bracket_of(const char *value, bool *try_)
{
    size_t i;

    for (i = 0; i < PQ_COUNT(calls); i++) {
        size_t n = strlen(calls[i]);

        if (sqlite3_strnicmp(value, calls[i], (int)n) == 0) {
            const char *z = value + n + strspn(value + n, " \t\r\n");

            *try_ = i == 1;
            return *z == '(' ? z : NULL;
        }
    }
    return NULL;
}

bool pqext_is_path_call(const char *value)
{
    bool try_;

    return bracket_of(value, &try_) != NULL;
}

/* The end of what is in quotes, where *z opens them; or the next byte. */
static const char *after_quoted(const char *z)
{
    char quote = *z == '[' ? ']' : *z;

    if (!strchr("'\"`[", *z)) {
        return z + 1;
    }
    for (z++; *z; z++) {
        if (*z == quote && z[1] == quote && quote != ']') {
            z++;
        } else if (*z == quote) {
            return z + 1;
        }
    }
    return z;
}

/* The end of an argument: a comma, or the bracket that closes the call. */
static const char *end_of_argument(const char *z)
{
    int depth = 0;

    while (*z && !(depth == 0 && (*z == ',' || *z == ')'))) {
        depth += (*z == '(') - (*z == ')');
        z = after_quoted(z);
    }
    return z;
}

/* Without blanks around it, and without its quotes. */
static char *argument(const char *begin, const char *end)
{
    char *written, *plain;

    while (begin < end && pq_ascii_is_blank(*begin)) {
        begin++;
    }
    while (end > begin && pq_ascii_is_blank(end[-1])) {
        end--;
    }
    written = sqlite3_mprintf("%.*s", (int)(end - begin), begin);
    plain = written ? pqext_dequote(written) : NULL;
    sqlite3_free(written);
    return plain;
}

static int bad_call(const char *name, const char *value, const char *why,
                    char **error)
{
    sqlite3_free(*error);
    *error = sqlite3_mprintf(
        "parquet: %s = %s: %s; write %s = variant_get(column, '$.path') or "
        "variant_get(column, '$.path', 'type')", name, value, why, name);
    return *error ? SQLITE_ERROR : SQLITE_NOMEM;
}

static bool is_missing(const char *text)
{
    return !text || !*text;
}

int pqext_path_parse(const char *name, const char *value, PqPathSpec *out,
                     char **error)
{
    char *part[3] = {NULL, NULL, NULL};
    const char *z, *end = NULL;
    size_t n = 0;

    *out = (PqPathSpec){0};
    z = bracket_of(value, &out->try_);
    for (; n < PQ_COUNT(part) && *z && (n == 0 || *z == ','); n++, z = end) {
        end = end_of_argument(z + 1);
        part[n] = argument(z + 1, end);
    }
    out->name = sqlite3_mprintf("%s", name);
    out->column = part[0];
    out->path = part[1];
    out->type = part[2];
    if (!out->name || (n > 0 && !part[n - 1])) {
        return SQLITE_NOMEM;
    }
    if (*z != ')') {
        return bad_call(name, value, *z ? "it has too many arguments"
                                        : "a bracket is not closed", error);
    }
    if (z[1 + strspn(z + 1, " \t\r\n")]) {
        return bad_call(name, value, "something follows the call", error);
    }
    if (is_missing(part[0]) || is_missing(part[1])) {
        return bad_call(name, value, "a column and a path are its arguments",
                        error);
    }
    return !*name || (part[2] && !*part[2])
               ? bad_call(name, value, *name ? "the type is empty"
                                             : "the name is empty", error)
               : SQLITE_OK;
}

void pqext_path_free(PqPathSpec *p)
{
    sqlite3_free((void *)(uintptr_t)p->name);
    sqlite3_free((void *)(uintptr_t)p->column);
    sqlite3_free((void *)(uintptr_t)p->path);
    sqlite3_free((void *)(uintptr_t)p->type);
    *p = (PqPathSpec){0};
}
