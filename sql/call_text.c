/*
** call_text.c - looks for functions of a column that are compared.
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
static const char *close(const char *at, PqSlice *inside)
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

/* The arguments of a function, after its parenthesis. */
static bool is_compared(const char *at, PqsqlCall *c)
{
    PqsqlToken t = pqsql_next_token(&at);

    if (t.kind == PQSQL_TOKEN_TEXT) {
        c->before = t;
        if (!pqsql_is_sign(pqsql_next_token(&at), ',')) {
            return false;
        }
        t = pqsql_next_token(&at);
    }
    if (pqsql_is_sign(peek(at), '.')) {
        c->table = t;
        (void)pqsql_next_token(&at);
        t = pqsql_next_token(&at);
    }
    c->column = t;
    if (t.kind != PQSQL_TOKEN_WORD || pqsql_is_sign(peek(at), '(')) {
        return false;
    }
    at = close(at, &c->rest);
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

bool pqsql_next_call(PqsqlCalls *c, PqsqlCall *out)
{
    PqsqlToken t = pqsql_next_token(&c->at);

    for (; t.n > 0; t = pqsql_next_token(&c->at)) {
        bool known = c->depth < PQSQL_CALL_DEPTH;
        bool there = known && c->compares[c->depth];
        bool calls = t.kind == PQSQL_TOKEN_WORD && pqsql_is_sign(peek(c->at), '(');

        if (pqsql_is_sign(t, '(')) {
            enter(c, there);
        } else if (pqsql_is_word(t, "case")) {
            enter(c, false);
        } else if (pqsql_is_sign(t, ')') || pqsql_is_word(t, "end")) {
            leave(c);
        } else if (known && (begins_condition(t) || ends_condition(t))) {
            c->compares[c->depth] = begins_condition(t);
        } else if (there && calls) {
            const char *at = c->at;

            *out = (PqsqlCall){.function = t};
            (void)pqsql_next_token(&at);
            if (is_compared(at, out)) {
                return true;
            }
        }
    }
    return false;
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
