/*
** token.c - cuts SQL into tokens.
*/
#include "sql/token.h"

static bool is_digit(char c)
{
    return pq_ascii_is_digit(c);
}

static bool is_hex(char c)
{
    return pq_ascii_hex(c) >= 0;
}

static bool is_order_mark(const char *z)
{
    return strncmp(z, "\xef\xbb\xbf", 3) == 0;
}

/* Skips blanks and comments.  A vertical tab is a blank only after another
** blank. */
static const char *skip_blanks(const char *z)
{
    for (;;) {
        if (is_order_mark(z)) {
            z += 3;
        } else if (pq_ascii_is_blank(*z) && *z != '\v') {
            while (pq_ascii_is_blank(*z)) {
                z++;
            }
        } else if (z[0] == '-' && z[1] == '-') {
            z += strcspn(z, "\n");
        } else if (z[0] == '/' && z[1] == '*' && z[2]) {
            const char *end = strstr(z + 2, "*/");

            z = end ? end + 2 : z + strlen(z);
        } else {
            return z;
        }
    }
}

const char *pqsql_end_of_quoted(const char *z)
{
    char quote = *z == '[' ? ']' : *z;

    for (z++; *z; z++) {
        if (*z == quote && z[1] == quote && quote != ']') {
            z++;
        } else if (*z == quote) {
            return z + 1;
        }
    }
    return NULL;
}

bool pqsql_is_quote(char c)
{
    return c && strchr("'\"`[", c);
}

bool pqsql_is_quoted(PqSlice text)
{
    const char *z = (const char *)text.p;

    return text.n > 1 && pqsql_is_quote(*z) &&
           pqsql_end_of_quoted(z) == z + text.n;
}

size_t pqsql_unquote(PqSlice quoted, char *out)
{
    const char *z = (const char *)quoted.p, *end = z + quoted.n - 1;
    char quote = *end;
    size_t n = 0;

    for (z++; z < end; z++) {
        out[n++] = *z;
        z += *z == quote;
    }
    out[n] = 0;
    return n;
}

static const char *end_of_digits(const char *z, bool (*is)(char c))
{
    while (is(*z) || *z == '_') {
        z++;
    }
    return z;
}

static const char *end_of_number(const char *z)
{
    const char *power;

    if (z[0] == '0' && (z[1] | 32) == 'x' && is_hex(z[2])) {
        return end_of_digits(z + 2, is_hex);
    }
    z = end_of_digits(z, is_digit);
    z = *z == '.' ? end_of_digits(z + 1, is_digit) : z;
    power = z + 1 + (*z && (z[1] == '+' || z[1] == '-'));
    return (*z | 32) == 'e' && is_digit(*power) ? end_of_digits(power, is_digit)
                                                : z;
}

static const char *end_of_word(const char *z)
{
    while (pq_ascii_in_name(*z)) {
        z++;
    }
    return z;
}

/* The end of ?1, :a, @a, $a, $a::b(c); *named: there is something after the
** sign. */
static const char *end_of_parameter(const char *z, bool *named)
{
    const char *begin = z++;

    if (*begin == '?') {
        *named = true;
        while (is_digit(*z)) {
            z++;
        }
        return z;
    }
    for (*named = false; pq_ascii_in_name(*z) || (z[0] == ':' && z[1] == ':');) {
        *named |= pq_ascii_in_name(*z);
        z += pq_ascii_in_name(*z) ? 1 : 2;
    }
    if (*z == '(' && *named) {
        while (*z && *z != ')' && !pq_ascii_is_blank(*z)) {
            z++;
        }
        *named = *z == ')';
        z += *named;
    }
    return z;
}

static const char *end_of_sign(const char *z)
{
    static const char *const signs[] = {"->>", "->", "==", "<=", "<>", "<<",
                                        ">=", ">>", "!=", "||"};

    for (size_t i = 0; i < PQ_COUNT(signs); i++) {
        if (strncmp(z, signs[i], strlen(signs[i])) == 0) {
            return z + strlen(signs[i]);
        }
    }
    return z + 1;
}

/* x'00ff' */
static PqsqlTokenKind blob(const char *z, const char **end)
{
    const char *digits = z + 2;
    bool whole;

    while (is_hex(*digits)) {
        digits++;
    }
    whole = *digits == '\'' && (digits - z) % 2 == 0;
    digits += strcspn(digits, "'");
    *end = digits + (*digits != 0);
    return whole ? PQSQL_TOKEN_BLOB : PQSQL_TOKEN_WRONG;
}

static PqsqlTokenKind quoted(const char *z, const char **end)
{
    *end = pqsql_end_of_quoted(z);
    if (!*end) {
        *end = z + strlen(z);
        return PQSQL_TOKEN_WRONG;
    }
    return *z == '\'' ? PQSQL_TOKEN_TEXT : PQSQL_TOKEN_WORD;
}

/* The kind of a token that is not in quotes. */
static PqsqlTokenKind plain(const char *z, const char **end)
{
    bool hex = z[0] == '0' && (z[1] | 32) == 'x' && is_hex(z[2]), named;

    if (is_digit(*z) || (*z == '.' && is_digit(z[1]))) {
        *end = end_of_number(z);
        if (hex || !pq_ascii_in_name(**end)) {
            return PQSQL_TOKEN_NUMBER;
        }
        *end = end_of_word(*end);
        return PQSQL_TOKEN_WRONG;
    }
    if ((*z | 32) == 'x' && z[1] == '\'') {
        return blob(z, end);
    }
    if (strchr("?:@$#", *z)) {
        *end = end_of_parameter(z, &named);
        return named ? PQSQL_TOKEN_PARAMETER : PQSQL_TOKEN_WRONG;
    }
    if (pq_ascii_in_name(*z)) {
        *end = end_of_word(z);
        return PQSQL_TOKEN_WORD;
    }
    *end = end_of_sign(z);
    return strchr("+-*/%=<>|&~,.();", *z) || strncmp(z, "!=", 2) == 0
               ? PQSQL_TOKEN_SIGN : PQSQL_TOKEN_WRONG;
}

PqsqlToken pqsql_next_token(const char **at)
{
    const char *z = skip_blanks(*at), *end = z;
    PqsqlToken t = {.kind = PQSQL_TOKEN_END, .at = z};

    if (pqsql_is_quote(*z)) {
        t.kind = quoted(z, &end);
        t.quoted = t.kind != PQSQL_TOKEN_WRONG;
    } else if (*z) {
        t.kind = plain(z, &end);
    }
    t.n = (size_t)(end - z);
    *at = end;
    return t;
}

/* ---- what it is ---------------------------------------------------------- */

bool pqsql_is_word(PqsqlToken t, const char *word)
{
    return t.kind == PQSQL_TOKEN_WORD && !t.quoted && t.n == strlen(word) &&
           pq_ascii_same_n(t.at, word, t.n);
}

bool pqsql_is_one_of(PqsqlToken t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (pqsql_is_word(t, words[i])) {
            return true;
        }
    }
    return false;
}

bool pqsql_is_sign(PqsqlToken t, char sign)
{
    return t.kind == PQSQL_TOKEN_SIGN && t.n == 1 && *t.at == sign;
}

bool pqsql_is_name(PqsqlToken t)
{
    return t.kind == PQSQL_TOKEN_WORD || t.kind == PQSQL_TOKEN_TEXT;
}

PqSlice pqsql_bare(PqsqlToken t)
{
    return pq_slice(t.at + t.quoted, t.n - (t.quoted ? 2 : 0));
}

bool pqsql_names(PqsqlToken t, PqSlice name)
{
    PqSlice bare = pqsql_bare(t);

    return pqsql_is_name(t) && bare.n == name.n &&
           pq_ascii_same_n((const char *)bare.p, (const char *)name.p, name.n);
}
