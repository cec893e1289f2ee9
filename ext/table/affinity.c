/*
** affinity.c - reads the option affinity: a JSON object of columns, and of the words that
** SQLite has for affinities.
**
** Any other type is an error: the words are declared as they are, and a type may say more
** than an affinity, such as HIDDEN.
*/
#include "ext/table/affinity.h"

static const char *const words[] = {
    [PQEXT_DECLARED_INTEGER] = "INTEGER", [PQEXT_DECLARED_REAL] = "REAL",
    [PQEXT_DECLARED_NUMERIC] = "NUMERIC", [PQEXT_DECLARED_TEXT] = "TEXT",
    [PQEXT_DECLARED_BLOB] = "BLOB",
};

const char *pqext_affinity_word(PqextDeclared d)
{
    return words[d];
}

static bool is_same(const char *name, PqSlice text)
{
    return strlen(name) == text.n &&
           sqlite3_strnicmp(name, (const char *)text.p, (int)text.n) == 0;
}

/* A column whose values are in the pages of files. */
static PqRc find(const PqTable *t, PqSlice name, uint32_t *out, PqErr *e)
{
    for (*out = 0; *out < t->n_columns; ++*out) {
        const PqColumn *c = &t->columns[*out];

        if (c->kind <= PQ_COLUMN_VARIANT_PATH && is_same(c->name, name)) {
            return PQ_OK;
        }
    }
    return pq_fail(e, PQ_USAGE, "parquet: affinity= names %.*s, and the files have no such column",
                   (int)(name.n < 200 ? name.n : 200), (const char *)name.p);
}

static PqRc take(const PqTable *t, PqJsonRead *r, const PqJsonToken *key, PqextDeclared *v,
                 PqErr *e)
{
    PqJsonToken value;
    uint32_t column;
    size_t w = PQEXT_DECLARED_INTEGER;

    PQ_TRY(find(t, key->text, &column, e));
    PQ_TRY(pq_json_read_next(r, &value, e));
    while (value.kind == PQ_JSON_STRING && w < PQ_COUNT(words) && !is_same(words[w], value.text)) {
        w++;
    }
    if (value.kind != PQ_JSON_STRING || w == PQ_COUNT(words)) {
        return pq_fail(e, PQ_USAGE, "parquet: affinity= of %s: it is INTEGER, REAL, NUMERIC, TEXT "
                       "or BLOB", t->columns[column].name);
    }
    v[column] = (PqextDeclared)w;
    return PQ_OK;
}

static PqRc read(const PqTable *t, PqJsonRead *r, PqextDeclared *v, PqErr *e)
{
    PqJsonToken token;

    PQ_TRY(pq_json_read_next(r, &token, e));
    if (token.kind != PQ_JSON_OBJECT) {
        return pq_fail(e, PQ_USAGE, "parquet: affinity= is a JSON object, such as "
                       "'{\"day\": \"NUMERIC\"}'");
    }
    for (;;) {
        PQ_TRY(pq_json_read_next(r, &token, e));
        if (token.kind != PQ_JSON_KEY) {
            return token.kind == PQ_JSON_OBJECT_END ? pq_json_read_next(r, &token, e) : PQ_OK;
        }
        PQ_TRY(take(t, r, &token, v, e));
    }
}

PqRc pqext_affinity_read(const PqTable *t, const char *option, PqextDeclared **out, PqErr *e)
{
    size_t size = (t->n_columns + 1u) * sizeof **out;
    PqJsonRead r;
    PqArena a;

    sqlite3_free(*out);
    *out = option ? sqlite3_malloc64(size) : NULL;
    if (!option) {
        return PQ_OK;
    }
    if (!*out) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    memset(*out, 0, size);
    pq_arena_init(&a, t->engine->mem);
    pq_json_read_begin(&r, pq_slice_text(option), &a);
    read(t, &r, *out, e);
    pq_arena_free(&a);
    return e->rc;
}
