/*
** call_text.c - looks for functions that are compared, and for ORs.
*/
#include "sql/call_text.h"

static PqsqlToken peek(const char *at)
{
    return pqsql_next_token(&at);
}

static bool begins_condition(PqsqlToken t)
{
    static const char *const words[] = {"where", "on"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

static bool ends_condition(PqsqlToken t)
{
    static const char *const words[] = {
        "select", "from",  "join",  "group",  "order",     "having", "window",
        "limit",  "union", "set",   "values", "returning", "except", "intersect"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words));
}

static bool compares(PqsqlToken t)
{
    static const char *const words[] = {"is", "in", "not", "like", "glob",
                                        "between"};

    return pqsql_is_one_of(t, words, PQ_COUNT(words)) ||
           (t.kind == PQSQL_TOKEN_SIGN && strchr("=<>!", *t.at) != NULL);
}

/* Goes past the parenthesis that closes the one before at; the end of the text
** if there is none. */
static const char *closing(const char *at, PqSlice *inside)
{
    const char *begin = at, *end = at;
    int depth = 1;
    PqsqlToken t;

    do {
        t = pqsql_next_token(&at);
        depth += pqsql_is_sign(t, '(') - pqsql_is_sign(t, ')');
        end = depth > 0 ? at : end;
    } while (t.n > 0 && depth > 0);
    begin += strspn(begin, " \t\r\n");
    *inside = pq_slice(begin, end > begin ? (size_t)(end - begin) : 0);
    return at;
}

/* A column, alone or after its table. */
static PqsqlToken take_column(const char **at, PqsqlToken *table)
{
    PqsqlToken t = pqsql_next_token(at);

    if (pqsql_is_sign(peek(*at), '.')) {
        *table = t;
        (void)pqsql_next_token(at);
        t = pqsql_next_token(at);
    }
    return t;
}

/* The arguments of a function, after its parenthesis. */
static bool is_compared(const char *at, PqsqlCall *c)
{
    if (peek(at).kind == PQSQL_TOKEN_TEXT) {
        c->before = pqsql_next_token(&at);
        if (!pqsql_is_sign(pqsql_next_token(&at), ',')) {
            return false;
        }
    }
    c->column = take_column(&at, &c->table);
    if (c->column.kind != PQSQL_TOKEN_WORD || pqsql_is_sign(peek(at), '(')) {
        return false;
    }
    at = closing(at, &c->rest);
    return compares(peek(at));
}

/* What follows is inside of a parenthesis or a CASE. */
static void enter(PqsqlCalls *c, bool compares_there)
{
    c->depth++;
    if (c->depth < PQSQL_CALL_DEPTH) {
        c->compares[c->depth] = compares_there;
    }
}

static void leave(PqsqlCalls *c)
{
    c->depth -= c->depth > 0;
}

/* Moves past a token.  Does it stand in a condition?  A parenthesis belongs to what is in
** it, and WHERE and ON to what follows. */
static bool step(PqsqlCalls *c, PqsqlToken *t)
{
    bool there;

    *t = pqsql_next_token(&c->at);
    there = c->depth < PQSQL_CALL_DEPTH && c->compares[c->depth];
    if (pqsql_is_sign(*t, '(')) {
        enter(c, there);
    } else if (pqsql_is_word(*t, "case")) {
        enter(c, false);
    } else if (pqsql_is_sign(*t, ')') || pqsql_is_word(*t, "end")) {
        leave(c);
    } else if (c->depth < PQSQL_CALL_DEPTH &&
               (begins_condition(*t) || ends_condition(*t))) {
        c->compares[c->depth] = begins_condition(*t);
    }
    return c->depth < PQSQL_CALL_DEPTH && c->compares[c->depth];
}

bool pqsql_next_call(PqsqlCalls *c, PqsqlCall *out)
{
    PqsqlToken t;

    do {
        bool there = step(c, &t);

        if (there && t.kind == PQSQL_TOKEN_WORD && pqsql_is_sign(peek(c->at), '(')) {
            const char *at = c->at;

            *out = (PqsqlCall){.function = t};
            (void)pqsql_next_token(&at);
            if (is_compared(at, out)) {
                return true;
            }
        }
    } while (t.n > 0);
    return false;
}

/* ---- ORs ------------------------------------------------------------------------ */

typedef struct Side {
    const char *begin, *end;
    bool        last;                /* no OR follows                       */
} Side;

/* The side of an OR that begins at `at`, in a parenthesis or a clause. */
static Side side_at(const char *at)
{
    Side s = {.begin = at, .end = at};
    PqSlice inside;

    for (;;) {
        PqsqlToken t = pqsql_next_token(&at);

        s.last = t.n == 0 || pqsql_is_sign(t, ')') || ends_condition(t) ||
                 begins_condition(t);
        if (s.last || pqsql_is_word(t, "or")) {
            return s;
        }
        at = pqsql_is_sign(t, '(') ? closing(at, &inside) : at;
        s.end = at;
    }
}

/* Without parentheses around all of it. */
static Side bare_side(Side s)
{
    for (;;) {
        const char *at = s.begin;
        PqSlice inside;

        if (!pqsql_is_sign(pqsql_next_token(&at), '(') || closing(at, &inside) != s.end) {
            return s;
        }
        s.begin = at;
        s.end = (const char *)inside.p + inside.n;
    }
}

static bool is_value(PqsqlToken t)
{
    return t.kind == PQSQL_TOKEN_TEXT || t.kind == PQSQL_TOKEN_BLOB ||
           t.kind == PQSQL_TOKEN_NUMBER || t.kind == PQSQL_TOKEN_PARAMETER;
}

/* Takes a column = a value, all of a part of an AND that ends at end. */
static bool take_equation(const char *at, const char *end, PqsqlOrColumn *out)
{
    *out = (PqsqlOrColumn){.column.n = 0};
    out->column = take_column(&at, &out->table);
    return out->column.kind == PQSQL_TOKEN_WORD &&
           pqsql_is_sign(pqsql_next_token(&at), '=') &&
           is_value(pqsql_next_token(&at)) && at == end;
}

/* The first column from *at on that a side compares; *at moves past it. */
static bool next_equation(Side s, const char **at, PqsqlOrColumn *out)
{
    while (*at < s.end) {
        const char *begin = *at, *end = begin;
        PqsqlToken t;
        PqSlice inside;

        for (t = pqsql_next_token(at); t.n > 0 && t.at < s.end && !pqsql_is_word(t, "and");
             t = pqsql_next_token(at)) {
            *at = pqsql_is_sign(t, '(') ? closing(*at, &inside) : *at;
            end = *at;
        }
        if (take_equation(begin, end, out)) {
            return true;
        }
    }
    return false;
}

static bool same_token(PqsqlToken a, PqsqlToken b)
{
    return a.n == 0 || b.n == 0 ? a.n == b.n : pqsql_names(a, pqsql_bare(b));
}

static bool side_has(Side s, const PqsqlOrColumn *c)
{
    const char *at = s.begin;
    PqsqlOrColumn other;

    while (next_equation(s, &at, &other)) {
        if (same_token(other.table, c->table) && same_token(other.column, c->column)) {
            return true;
        }
    }
    return false;
}

/* SQLite makes an IN of sides that are nothing but an equation. */
static bool is_on_each_side(const char *begin, const PqsqlOrColumn *c)
{
    Side s = side_at(begin);
    bool more = false;

    for (;;) {
        Side bare = bare_side(s);
        PqsqlOrColumn alone;

        if (!side_has(bare, c)) {
            return false;
        }
        more |= !take_equation(bare.begin, bare.end, &alone);
        if (s.last) {
            return more;
        }
        (void)pqsql_next_token(&s.end);
        s = side_at(s.end);
    }
}

bool pqsql_text_has_in(const char *sql, PqsqlToken column)
{
    PqsqlToken t = pqsql_next_token(&sql);

    while (t.n > 0 && !(same_token(t, column) && pqsql_is_word(peek(sql), "in"))) {
        t = pqsql_next_token(&sql);
    }
    return t.n > 0;
}

enum { TRIED = 4 };                  /* equations of the first side         */

/* Does a parenthesis after this token hold a condition, and not what NOT, a function or
** a comparison is about? */
static bool leads_to_condition(PqsqlToken t)
{
    static const char *const words[] = {"where", "on", "and", "or"};

    return pqsql_is_sign(t, '(') || pqsql_is_one_of(t, words, PQ_COUNT(words));
}

static size_t or_at(const char *begin, PqsqlOrColumn *out, size_t n)
{
    Side first = side_at(begin), bare = bare_side(first);
    const char *at = bare.begin;
    size_t found = 0;

    for (int i = 0; !first.last && i < TRIED && found < n &&
                    next_equation(bare, &at, &out[found]); i++) {
        found += is_on_each_side(begin, &out[found]);
    }
    return found;
}

size_t pqsql_next_or(PqsqlCalls *c, PqsqlOrColumn *out, size_t n)
{
    size_t found = 0;
    PqsqlToken t = {.n = 0}, before;

    do {
        bool there;

        before = t;
        there = step(c, &t);
        if (there && (begins_condition(t) ||
                      (pqsql_is_sign(t, '(') && leads_to_condition(before)))) {
            found = or_at(c->at, out, n);
        }
    } while (t.n > 0 && found == 0);
    return found;
}

bool pqsql_text_names_table(const char *sql, PqSlice table, PqsqlToken name)
{
    PqSlice bare = pqsql_bare(name);
    PqsqlToken t = pqsql_next_token(&sql);

    for (; t.n > 0; t = pqsql_next_token(&sql)) {
        const char *at = sql;
        PqsqlToken alias;

        if (!pqsql_names(t, table)) {
            continue;
        }
        alias = pqsql_next_token(&at);
        alias = pqsql_is_word(alias, "as") ? pqsql_next_token(&at) : alias;
        if (name.n == 0 || pqsql_names(name, table) || pqsql_names(alias, bare)) {
            return true;
        }
    }
    return false;
}
