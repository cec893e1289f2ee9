/*
** path_option.c - takes NAME = variant_get(column, path, type) apart.
**
** SQLite hands the call over as it was written.  Its arguments are texts in
** quotes or bare words; a comma in quotes or brackets separates nothing.
*/
#include "ext/table/options.h"
#include "sql/token.h"

/* Moves *z to the bracket that opens the call; false: it is something else. */
static bool take_name(const char **z, bool *try_)
{
    PqsqlToken t = pqsql_next_token(z);
    const char *after = *z;

    *try_ = pqsql_is_word(t, "try_variant_get");
    return (*try_ || pqsql_is_word(t, "variant_get")) &&
           pqsql_is_sign(pqsql_next_token(&after), '(');
}

bool pqext_is_path_call(const char *value)
{
    bool try_;

    return take_name(&value, &try_);
}

/* An argument, without its quotes.  Moves *z past what ends it, which is *last: a
** comma, or the bracket that closes the call. */
static char *take_argument(const char **z, PqsqlToken *last)
{
    const char *begin, *end;
    char *written, *plain;
    int depth = 0;

    *last = pqsql_next_token(z);
    begin = end = last->at;
    while (last->n > 0 && (depth > 0 || !(pqsql_is_sign(*last, ',') ||
                                          pqsql_is_sign(*last, ')')))) {
        depth += pqsql_is_sign(*last, '(') - pqsql_is_sign(*last, ')');
        end = *z;
        *last = pqsql_next_token(z);
    }
    written = sqlite3_mprintf("%.*s", (int)(end - begin), begin);
    plain = written ? pqext_dequote(written) : NULL;
    sqlite3_free(written);
    return plain;
}

static int bad_call(const char *name, const char *value, const char *why,
                    char **error)
{
    return pqext_fail(error, "parquet: %s = %s: %s; write %s = variant_get("
                             "column, '$.path') or variant_get(column, "
                             "'$.path', 'type')", name, value, why, name);
}

static bool is_missing(const char *text)
{
    return !text || !*text;
}

int pqext_path_parse(const char *name, const char *value, PqPathSpec *out,
                     char **error)
{
    char *part[3] = {NULL, NULL, NULL};
    const char *z = value;
    PqsqlToken last;
    size_t n = 0;

    *out = (PqPathSpec){0};
    take_name(&z, &out->try_);
    last = pqsql_next_token(&z);
    for (; n < PQ_COUNT(part) && (n == 0 || pqsql_is_sign(last, ',')); n++) {
        part[n] = take_argument(&z, &last);
    }
    out->name = sqlite3_mprintf("%s", name);
    out->column = part[0];
    out->path = part[1];
    out->type = part[2];
    if (!out->name || (n > 0 && !part[n - 1])) {
        return SQLITE_NOMEM;
    }
    if (!pqsql_is_sign(last, ')')) {
        return bad_call(name, value, last.n ? "it has too many arguments"
                                            : "a bracket is not closed", error);
    }
    if (pqsql_next_token(&z).n > 0) {
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
