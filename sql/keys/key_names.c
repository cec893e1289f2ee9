/*
** key_names.c - reads names of keys, and finds keys that were written in their
** place.
*/
#include "sql/keys/key_names.h"

#include "sql/did_you_mean.h"
#include "sql/patience.h"
#include "sql/token.h"

/* ---- a text of several names --------------------------------------------- */

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* The end of a piece that begins at z: the first mark outside quotes, or the
** end of the text. */
static const char *piece_end(const char *z, const char *marks)
{
    while (*z && !strchr(marks, *z)) {
        const char *end = is_quote(*z) ? pqsql_end_of_quoted(z) : z + 1;

        z = end ? end : z + strlen(z);
    }
    return z;
}

/* The piece without blanks around it. */
static PqSlice bare(const char *z, const char *end)
{
    return pq_parse_trim(pq_slice(z, (size_t)(end - z)));
}

/* ... and without its quotes. */
static char *take_piece(const char *z, const char *end, PqArena *a, PqErr *e)
{
    PqSlice piece = bare(z, end);
    char *out = pq_arena_text(a, piece.p, piece.n, e);

    if (out && piece.n > 0 && is_quote((char)*piece.p) &&
        pqsql_is_quoted(piece)) {
        pqsql_unquote(piece, out);
    }
    return out;
}

/* ---- options ---------------------------------------------------------------- */

static PqRc wants_name(const char *option, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "%s= takes the name of a key, such as kf", option);
}

PqRc pqsql_key_names_footer(const char *text, PqArena *a, PqKeyChoice *out,
                            PqErr *e)
{
    char *name = take_piece(text, text + strlen(text), a, e);

    out->footer_key = name;
    return !name    ? e->rc
           : *name ? PQ_OK : wants_name("footer_key", e);
}

PqRc pqsql_key_names_prefix(const char *text, PqArena *a, PqKeyChoice *out,
                            PqErr *e)
{
    out->aad_prefix = pq_arena_text(a, text, strlen(text), e);
    return !out->aad_prefix ? e->rc
           : *text ? PQ_OK
                   : pq_fail(e, PQ_USAGE, "aad_prefix= takes a text that is not "
                             "empty");
}

PqRc pqsql_key_names_add(const char *column, const char *key, PqArena *a,
                         PqKeyChoice *out, PqErr *e)
{
    PqColumnKeyName *v = (PqColumnKeyName *)(void *)(size_t)out->columns;

    for (uint32_t i = 0; i < out->n_columns; i++) {
        if (strcmp(v[i].column, column) == 0) {
            return pq_fail(e, PQ_USAGE, "column_keys: %s is there twice",
                           column);
        }
    }
    PQ_TRY(PQ_ARENA_GROW(a, v, out->n_columns, e));
    v[out->n_columns++] = (PqColumnKeyName){column, key};
    out->columns = v;
    return PQ_OK;
}

#define PAIRS "column_keys= takes columns with their keys, such as " \
              "'ssn=k1;pay.amount=k2'"

/* One "column=key". */
static PqRc take_pair(const char *z, const char *end, PqArena *a,
                      PqKeyChoice *out, PqErr *e)
{
    const char *equals = piece_end(z, "=;"), *rest;
    char *column, *key;

    if (equals >= end) {
        return pq_fail(e, PQ_USAGE, PAIRS);
    }
    rest = equals + 1;
    column = take_piece(z, equals, a, e);
    key = take_piece(rest, end, a, e);
    if (!column || !key) {
        return e->rc;
    }
    if (!*column || !*key) {
        return pq_fail(e, PQ_USAGE, PAIRS "; a %s is missing",
                       *column ? "key" : "column");
    }
    if (piece_end(rest, "=") < end &&
        !pq_key_looks_like_one(pq_slice_text(key))) {
        return pq_fail(e, PQ_USAGE, PAIRS "; a name with = or ; in it stands in "
                       "double quotes");
    }
    return pqsql_key_names_add(column, key, a, out, e);
}

PqRc pqsql_key_names_columns(const char *text, PqArena *a, PqKeyChoice *out,
                             PqErr *e)
{
    const char *z = text, *end;

    out->columns = NULL;
    out->n_columns = 0;
    for (;; z = end + 1) {
        end = piece_end(z, ";");
        if (bare(z, end).n > 0) {
            PQ_TRY(take_pair(z, end, a, out, e));
        }
        if (!*end) {
            break;
        }
    }
    return out->n_columns ? PQ_OK : pq_fail(e, PQ_USAGE, PAIRS);
}

/* ---- all in one text ----------------------------------------------------------- */

typedef PqRc (*Take)(const char *text, PqArena *a, PqKeyChoice *out, PqErr *e);

static const struct {
    const char *name;
    Take        take;
} rows[] = {
    {"footer_key", pqsql_key_names_footer},
    {"column_keys", pqsql_key_names_columns},
    {"aad_prefix", pqsql_key_names_prefix},
};

#define ALL "the argument keys is a text like 'footer_key=kf, " \
            "column_keys=ssn=k1;pay=k2, aad_prefix=x'"

static PqRc unknown(const char *name, PqErr *e)
{
    PqsqlNearest near = {.word = name};

    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        pqsql_nearest_look(&near, rows[i].name);
    }
    for (size_t i = 0; pqsql_patience_name(i); i++) {
        pqsql_nearest_look(&near, pqsql_patience_name(i));
    }
    if (pqsql_nearest(&near)) {
        return pq_fail(e, PQ_USAGE, "there is no %s in the argument keys; did "
                       "you mean %s?", name, pqsql_nearest(&near));
    }
    return pq_fail(e, PQ_USAGE, ALL);
}

static PqRc take_patience(const char *name, const char *value, PqPatience *out,
                          PqErr *e)
{
    return pqsql_patience_take(name, value, out)
               ? PQ_OK : pq_fail(e, PQ_USAGE, "%s=%s: it takes %s", name, value,
                                 pqsql_patience_takes(name));
}

static PqRc take_option(const char *z, const char *end, uint32_t *given,
                        PqArena *a, PqKeyChoice *out, PqPatience *patience, PqErr *e)
{
    const char *equals = piece_end(z, "=,");
    char *name, *value;

    if (equals >= end) {
        return pq_fail(e, PQ_USAGE, ALL);
    }
    name = take_piece(z, equals, a, e);
    value = take_piece(equals + 1, end, a, e);
    if (!name || !value) {
        return e->rc;
    }
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        if (!pq_ascii_same(name, rows[i].name)) {
            continue;
        }
        if (*given & 1u << i) {
            return pq_fail(e, PQ_USAGE, "%s is given twice", rows[i].name);
        }
        *given |= 1u << i;
        return rows[i].take(value, a, out, e);
    }
    return pqsql_patience_takes(name) ? take_patience(name, value, patience, e)
                                      : unknown(name, e);
}

PqRc pqsql_key_names_all(const char *text, PqArena *a, PqKeyChoice *out,
                         PqPatience *patience, PqErr *e)
{
    uint32_t given = 0;
    const char *z = text, *end;

    for (;; z = end + 1) {
        end = piece_end(z, ",");
        if (take_option(z, end, &given, a, out, patience, e) != PQ_OK) {
            pqsql_key_hide(e->text);
            return e->rc;
        }
        if (!*end) {
            return PQ_OK;
        }
    }
}

/* ---- keys in the place of names -------------------------------------------------- */

PqRc pqsql_key_name_check(const char *option, const char *name,
                          const PqKeyRing *ring, PqErr *e)
{
    if (!name || !pq_key_looks_like_one(pq_slice_text(name)) ||
        (ring && pq_key_ring_find(ring, pq_slice_text(name)))) {
        return PQ_OK;
    }
    return pq_fail(e, PQ_USAGE, "%s takes the name of a key, and this looks like "
                   "a key itself: SELECT parquet_key_file('k1', 'FILE') gives "
                   "the key a name, and the name is written here", option);
}

PqRc pqsql_key_names_check(const PqKeyChoice *c, PqErr *e)
{
    PQ_TRY(pqsql_key_name_check("footer_key=", c->footer_key, c->ring, e));
    for (uint32_t i = 0; i < c->n_columns; i++) {
        PQ_TRY(pqsql_key_name_check("column_keys=", c->columns[i].key, c->ring,
                                    e));
    }
    return PQ_OK;
}

static bool is_of_keys(char c)
{
    return pq_ascii_is_letter(c) || pq_ascii_is_digit(c) ||
           (c && strchr("+/-_=", c));
}

void pqsql_key_hide(char *message)
{
    char *z = message, *end;

    while (*z) {
        for (end = z; is_of_keys(*end); end++) {
        }
        /* "k1=abc=": what is before a sign of equality is a name. */
        for (char *from = z; from < end; from++) {
            if ((from == z || from[-1] == '=') &&
                pq_key_looks_like_one(pq_slice(from, (size_t)(end - from)))) {
                memset(from, '.', 3);
                memmove(from + 3, end, strlen(end) + 1);
                end = from + 3;
                break;
            }
        }
        z = end > z ? end : z + 1;
    }
}

/* ---- columns ------------------------------------------------------------------- */

bool pqsql_key_path_in(const PqSchema *schema, const char *path)
{
    size_t n = strlen(path);

    for (uint32_t i = 0; i < schema->n_leaves; i++) {
        const char *leaf = schema->leaves[i].path;

        if (strncmp(leaf, path, n) == 0 && (!leaf[n] || leaf[n] == '.')) {
            return true;
        }
    }
    return false;
}

PqRc pqsql_key_names_no_column(const char *path, const PqSchema *s, PqErr *e)
{
    PqsqlNearest near = {.word = path};

    for (uint32_t i = 0; i < s->root->n_children; i++) {
        pqsql_nearest_look(&near, s->root->child[i]->name);
    }
    for (uint32_t i = 0; i < s->n_leaves; i++) {
        pqsql_nearest_look(&near, s->leaves[i].path);
    }
    pq_fail(e, PQ_USAGE, "column_keys: there is no column %s", path);
    pqsql_nearest_hint(&near, e);
    pqsql_key_hide(e->text);         /* some write key=column               */
    return e->rc;
}
