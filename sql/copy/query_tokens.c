/*
** query_tokens.c - see query_tokens.h.
*/
#include "sql/copy/query_tokens.h"

static const char *skip_blanks(const char *z)
{
    for (;;) {
        if (pq_ascii_is_blank(*z)) {
            z++;
        } else if (z[0] == '-' && z[1] == '-') {
            z += strcspn(z, "\n");
        } else if (z[0] == '/' && z[1] == '*') {
            const char *end = strstr(z + 2, "*/");
            z = end ? end + 2 : z + strlen(z);
        } else {
            return z;
        }
    }
}

static const char *take_quoted(const char *z, bool after_point, PqsqlToken *t)
{
    char quote = *z == '[' ? ']' : *z;

    t->kind = quote == '\'' && !after_point ? PQSQL_TOKEN_OTHER
                                            : PQSQL_TOKEN_NAME;
    t->c = '\'';
    t->quoted = true;
    t->z = ++z;
    while (*z && (*z != quote || (quote != ']' && z[1] == quote))) {
        z += *z == quote ? 2 : 1;
    }
    t->n = (size_t)(z - t->z);
    return z + (*z != 0);
}

void pqsql_tokens_begin(PqsqlTokens *t, const char *sql)
{
    *t = (PqsqlTokens){.from = sql, .at = sql, .last = sql};
}

void pqsql_tokens_next(PqsqlTokens *s)
{
    const char *z = skip_blanks(s->at);
    bool after_point = pqsql_token_is_char(&s->now, '.');
    PqsqlToken *t = &s->now;

    s->last = s->at;
    s->from = z;
    *t = (PqsqlToken){.kind = PQSQL_TOKEN_OTHER, .c = *z, .z = z};
    if (!*z) {
        t->kind = PQSQL_TOKEN_END;
    } else if (strchr("'\"`[", *z)) {
        z = take_quoted(z, after_point, t);
    } else if (pq_ascii_is_digit(*z) ||
               (*z == '.' && pq_ascii_is_digit(z[1]))) {
        t->kind = PQSQL_TOKEN_NUMBER;
        for (; pq_ascii_in_name(*z) || *z == '.'; z++) {
        }
    } else if (pq_ascii_in_name(*z) && *z != '$') {
        t->kind = PQSQL_TOKEN_NAME;
        for (; pq_ascii_in_name(*z); z++) {
        }
    } else {                         /* a parameter is no name */
        bool parameter = strchr("?:@$#", *z);

        for (z++; parameter && pq_ascii_in_name(*z); z++) {
        }
    }
    t->n = t->quoted ? t->n : (size_t)(z - t->z);
    s->at = z;
}

bool pqsql_token_is_char(const PqsqlToken *t, char c)
{
    return t->kind == PQSQL_TOKEN_OTHER && !t->quoted && t->c == c;
}

bool pqsql_token_is_name(const PqsqlToken *t, const char *name)
{
    return t->kind == PQSQL_TOKEN_NAME && t->n == strlen(name) &&
           pq_ascii_same_n(t->z, name, t->n);
}

bool pqsql_token_is_word(const PqsqlToken *t, const char *word)
{
    return !t->quoted && pqsql_token_is_name(t, word);
}
