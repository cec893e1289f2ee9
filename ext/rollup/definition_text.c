/*
** definition_text.c - items and tokens of a rollup's text.
*/
#include "ext/rollup/definition_inside.h"

#include "sql/did_you_mean.h"

#include <stdio.h>

enum { NAME_ROOM = 200, MOST_ITEMS = 2000 };

PqRc pqext_item_error(PqErr *e, const PqextItem *item, const char *fmt, ...)
{
    char why[PQ_ERR_TEXT / 2];
    va_list args;

    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    pq_where_reset(e);
    return pq_fail(e, PQ_USAGE, "parquet: rollup: %.*s: %s", NAME_ROOM,
                   item->text, why);
}

PqRc pqext_item_check(const PqextItem *item, PqErr *e)
{
    for (uint32_t i = 0; i < item->n; i++) {
        const PqextToken *t = &item->body[i];

        if (pqsql_is_sign(t->sql, ';')) {
            return pqext_item_error(e, item, "; is not expected; write a comma "
                                    "between two items");
        }
        if (strncmp(t->sql.at, "::", 2) == 0) {
            return pqext_item_error(e, item, ":: is not SQLite's; write "
                                    "CAST(x AS TEXT)");
        }
        if (t->sql.kind == PQSQL_TOKEN_PARAMETER ||
            (t->sql.kind == PQSQL_TOKEN_WRONG && strchr("?:@$", *t->sql.at))) {
            return pqext_item_error(e, item, "%c begins a parameter, which cannot "
                                    "be in a rollup; write the value, or compare "
                                    "the column in the query", *t->sql.at);
        }
    }
    return PQ_OK;
}

/* ---- tokens ---------------------------------------------------------------- */

static const char *unquoted(PqsqlToken t, PqArena *a, PqErr *e)
{
    char *out = pq_arena_text(a, t.at, t.n, e);

    if (out && t.quoted) {
        pqsql_unquote(pq_slice(t.at, t.n), out);
    }
    return out;
}

static PqRc read_token(PqsqlToken t, PqextToken *out, PqArena *a, PqErr *e)
{
    *out = (PqextToken){.sql = t};
    if (t.kind == PQSQL_TOKEN_WRONG && pqsql_is_quote(*t.at)) {
        pq_where_reset(e);
        return pq_fail(e, PQ_USAGE, "parquet: rollup: the quote before %.20s is "
                       "not closed", t.at + 1);
    }
    if (pqsql_is_name(t)) {
        out->text = unquoted(t, a, e);
    }
    return e->rc;
}

/* ---- items ----------------------------------------------------------------- */

/* The text between two tokens, with one blank for each run of blanks. */
static const char *normalised(const PqextToken *t, uint32_t n, PqArena *a,
                              PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0 && pqext_token_is_apart(&t[i])) {
            pq_buf_byte(&b, ' ');
        }
        pq_buf_add(&b, t[i].sql.at, t[i].sql.n);
    }
    return pq_arena_take(a, &b);
}

/* Does AS, with a name, end the n tokens? */
static bool is_named(const PqextToken *t, uint32_t n)
{
    return n >= 2 && pqsql_is_word(t[n - 2].sql, "as") &&
           (t[n - 1].sql.kind == PQSQL_TOKEN_WORD ||
            t[n - 1].sql.kind == PQSQL_TOKEN_TEXT);
}

static PqRc end_item(PqextToken *t, uint32_t n, PqArena *a, PqextItem *out,
                     PqErr *e)
{
    *out = (PqextItem){.body = t, .n = n};
    out->text = normalised(t, n, a, e);
    PQ_TRY(out->text ? PQ_OK : e->rc);
    if (n == 0) {
        pq_where_reset(e);
        return pq_fail(e, PQ_USAGE, "parquet: rollup: there is a comma too many, or "
                       "nothing after it; write rollup='country, count(*) AS "
                       "n'");
    }
    if (is_named(t, n)) {
        out->name = t[n - 1].text;
        out->n = n - 2;
        if (!*out->name || out->n == 0) {
            return pqext_item_error(e, out, "%s", !*out->name
                                        ? "its name is empty"
                                        : "there is nothing before AS");
        }
        out->text = normalised(t, out->n, a, e);
    } else if (pqsql_is_word(t[n - 1].sql, "as")) {
        return pqext_item_error(e, out, "a name has to follow AS");
    }
    t[out->n] = (PqextToken){.sql = {.at = t[out->n].sql.at}};
    return out->text ? PQ_OK : e->rc;
}

static PqRc bracket_error(const PqextToken *t, uint32_t n, int depth,
                          PqArena *a, PqErr *e)
{
    PqextItem item = {.text = normalised(t, n, a, e)};

    PQ_TRY(item.text ? PQ_OK : e->rc);
    return depth > 0
               ? pqext_item_error(e, &item, "a parenthesis is not closed")
               : pqext_item_error(e, &item, "a parenthesis is closed that was "
                                  "not opened");
}

/* Reads one item; *z is moved past the comma.  *last: there was no comma. */
static PqRc read_item(const char **z, bool *last, PqArena *a, PqextItem *out,
                      PqErr *e)
{
    PqextToken *t = NULL;
    uint32_t n = 0;
    int depth = 0;

    for (;; n++) {
        PqsqlToken next = pqsql_next_token(z);

        PQ_TRY(PQ_ARENA_GROW(a, t, n, e));
        PQ_TRY(read_token(next, &t[n], a, e));
        *last = next.n == 0;
        if (*last || (pqsql_is_sign(next, ',') && depth == 0)) {
            break;
        }
        depth += pqsql_is_sign(t[n].sql, '(') -
                 pqsql_is_sign(t[n].sql, ')');
        if (depth < 0) {
            return bracket_error(t, n + 1, depth, a, e);
        }
    }
    return depth > 0 ? bracket_error(t, n, depth, a, e)
                     : end_item(t, n, a, out, e);
}

PqRc pqext_items_read(const char *text, PqArena *a, PqextItem **out,
                      uint32_t *n, PqErr *e)
{
    const char *first = text;
    PqextItem *v = NULL;
    bool last = false;

    *n = 0;
    if (pqsql_next_token(&first).n == 0) {
        pq_where_reset(e);
        return pq_fail(e, PQ_USAGE, "parquet: rollup is empty; write "
                       "rollup='country, count(*) AS n'");
    }
    for (; !last; ++*n) {
        if (*n == MOST_ITEMS) {
            pq_where_reset(e);
            return pq_fail(e, PQ_USAGE, "parquet: rollup has more than %d items",
                           MOST_ITEMS);
        }
        PQ_TRY(PQ_ARENA_GROW(a, v, *n, e));
        PQ_TRY(read_item(&text, &last, a, &v[*n], e));
    }
    *out = v;
    return PQ_OK;
}

/* ---- columns --------------------------------------------------------------- */

static int column_of(const PqTable *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (pq_ascii_same(t->columns[i].name, name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool is_point_and_word(const PqextToken *t)
{
    return pqsql_is_sign(t->sql, '.') && t[1].sql.kind == PQSQL_TOKEN_WORD;
}

int pqext_token_column(const PqTable *t, const PqextToken *body, uint32_t *at,
                       PqArena *a, const char **name, PqErr *e)
{
    *name = body[*at].text;
    for (++*at; *name && is_point_and_word(&body[*at]); *at += 2) {
        *name = pq_arena_printf(a, e, "%s.%s", *name, body[*at + 1].text);
    }
    return *name ? column_of(t, *name) : -1;
}

/* Adds the names of some columns to an error. */
static void list_columns(const PqTable *t, PqErr *e)
{
    enum { SOME = 8 };
    char text[400];
    size_t n = 0;
    uint32_t shown = 0;

    for (uint32_t i = 0; i < t->n_columns && shown < SOME; i++) {
        const char *name = t->columns[i].name;

        if (!t->columns[i].hidden && n + strlen(name) + 8 < sizeof text) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                  shown ? ", " : "", name);
            shown++;
        }
    }
    if (shown > 0) {
        pq_err_hint(e, "it has %s%s", text, shown == SOME ? ", ..." : "");
    }
}

/* Is the name a path into the list, map or VARIANT? */
static bool leads_into(const PqColumn *c, const char *name)
{
    size_t n = strlen(c->name);

    return c->kind == PQ_COLUMN_NODE &&
           (c->node->kind == PQ_NODE_LIST || c->node->kind == PQ_NODE_MAP ||
            c->node->kind == PQ_NODE_VARIANT) &&
           sqlite3_strnicmp(c->name, name, (int)n) == 0 && name[n] == '.';
}

static void hint_inside(const PqColumn *c, const char *name, PqErr *e)
{
    const char *path = name + strlen(c->name) + 1;

    if (c->node->kind == PQ_NODE_VARIANT) {
        pq_err_hint(e, "%s is a VARIANT, of which an option makes a column: "
                    "x=variant_get(%s, '$.%s', 'double')", c->name, c->name, path);
    } else {
        pq_err_hint(e, "%s is a %s, and unnest='%s' makes a row of each element",
                    c->name, c->node->kind == PQ_NODE_MAP ? "map" : "list",
                    c->name);
    }
}

/* Is this the name of a field, the last part of the column's name? */
static bool is_field(const PqColumn *c, const char *name)
{
    const char *point = strrchr(c->name, '.');

    return point && pq_ascii_same(point + 1, name);
}

PqRc pqext_no_column(const PqTable *t, const PqextItem *item, const char *name,
                     PqErr *e)
{
    PqsqlNearest near = {.word = name};
    const PqColumn *whole = NULL, *field = NULL;

    for (uint32_t i = 0; i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];

        pqsql_nearest_look(&near, c->name);
        whole = !whole && leads_into(c, name) ? c : whole;
        field = !field && is_field(c, name) ? c : field;
    }
    pqext_item_error(e, item, "there is no column %.*s", NAME_ROOM, name);
    if (whole) {
        hint_inside(whole, name, e);
    } else if (field) {
        pq_err_hint(e, "did you mean %s?", field->name);
    } else if (pqsql_nearest(&near)) {
        pq_err_hint(e, "did you mean %s?", pqsql_nearest(&near));
    } else {
        list_columns(t, e);
    }
    return e->rc;
}
