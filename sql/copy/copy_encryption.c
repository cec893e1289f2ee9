/*
** copy_encryption.c - reads the option "encryption".
**
**   {"encryption": {"footer_key": "kf", "column_keys": {"ssn": "k1"},
**                   "clear_columns": ["day"], "algorithm": "AES_GCM_V1",
**                   "plaintext_footer": false, "aad_prefix": "orders",
**                   "store_aad_prefix": true}}
**
** {"encryption": "none"} says that the rows may be in the clear although files
** that are replaced, or lie in the same folder, are encrypted.
**
** A column is encrypted with the footer's key unless it has its own key or is
** in clear_columns.  "*" there means all columns without a key of their own.
**
** A member that is misspelt must never be ignored: a column would stay in the
** clear.  And no message repeats what may be a key.
*/
#include "sql/copy/copy_option_values.h"

#include "sql/keys/key_names.h"

#define OPTION "parquet_copy_to: option encryption: "

/* Fails with what the member takes, and not with what was written. */
static PqRc wrong(PqsqlOptionRead *r, const char *wanted)
{
    return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s: it takes %s",
                   r->before, r->name, wanted);
}

static PqRc take_name(PqsqlOptionRead *r, const PqJsonToken *t,
                      const char *wanted, const char **out)
{
    if (t->kind != PQ_JSON_STRING || t->text.n == 0) {
        return wrong(r, wanted);
    }
    return pqsql_option_text(r, t, out);
}

/* ---- members ----------------------------------------------------------------- */

typedef PqRc (*Take)(PqsqlOptionRead *r, const PqJsonToken *t,
                     PqEncryption *out);

static PqRc take_footer_key(PqsqlOptionRead *r, const PqJsonToken *t,
                            PqEncryption *out)
{
    return take_name(r, t, "the name of a key", &out->keys.footer_key);
}

#define COLUMN_KEYS "columns with their keys: {\"ssn\": \"k1\"} or " \
                    "\"ssn=k1;pay.amount=k2\""

static PqRc take_column_keys(PqsqlOptionRead *r, const PqJsonToken *t,
                             PqEncryption *out)
{
    const char *column, *key;
    PqJsonToken v;

    if (t->kind == PQ_JSON_STRING) {
        PQ_TRY(pqsql_option_text(r, t, &key));
        return pqsql_key_names_columns(key, r->a, &out->keys, r->e);
    }
    if (t->kind != PQ_JSON_OBJECT) {
        return wrong(r, COLUMN_KEYS);
    }
    for (;;) {
        PQ_TRY(pqsql_option_key(r, &column));
        if (!column) {
            return PQ_OK;
        }
        PQ_TRY(pq_json_read_next(&r->json, &v, r->e));
        PQ_TRY(take_name(r, &v, COLUMN_KEYS, &key));
        PQ_TRY(pqsql_key_names_add(column, key, r->a, &out->keys, r->e));
    }
}

#define CLEAR "columns that stay in the clear: [\"a\", \"b\"], or \"*\" for all " \
              "without a key of their own"

static PqRc add_clear(PqsqlOptionRead *r, const PqJsonToken *t,
                      PqEncryption *out)
{
    const char **v = (const char **)(void *)(size_t)out->clear;
    const char *name;

    PQ_TRY(take_name(r, t, CLEAR, &name));
    PQ_TRY(PQ_ARENA_GROW(r->a, v, out->n_clear, r->e));
    v[out->n_clear++] = name;
    out->clear = v;
    return PQ_OK;
}

static PqRc take_clear(PqsqlOptionRead *r, const PqJsonToken *t,
                       PqEncryption *out)
{
    PqJsonToken v;

    if (t->kind == PQ_JSON_STRING && pq_slice_is(t->text, "*")) {
        out->others_clear = true;
        return PQ_OK;
    }
    if (t->kind == PQ_JSON_STRING) {
        return add_clear(r, t, out);
    }
    if (t->kind != PQ_JSON_ARRAY) {
        return wrong(r, CLEAR);
    }
    for (;;) {
        PQ_TRY(pq_json_read_next(&r->json, &v, r->e));
        if (v.kind == PQ_JSON_ARRAY_END) {
            return PQ_OK;
        }
        PQ_TRY(add_clear(r, &v, out));
    }
}

static PqRc take_switch(PqsqlOptionRead *r, const PqJsonToken *t, bool *out)
{
    int yes;

    if (!pqsql_option_switch(t, &yes)) {
        return wrong(r, "true or false");
    }
    *out = yes != 0;
    return PQ_OK;
}

static PqRc take_plaintext(PqsqlOptionRead *r, const PqJsonToken *t,
                           PqEncryption *out)
{
    return take_switch(r, t, &out->plaintext_footer);
}

static PqRc take_prefix(PqsqlOptionRead *r, const PqJsonToken *t,
                        PqEncryption *out)
{
    return take_name(r, t, "a text that is not empty", &out->keys.aad_prefix);
}

static PqRc take_store(PqsqlOptionRead *r, const PqJsonToken *t,
                       PqEncryption *out)
{
    bool store = true;

    PQ_TRY(take_switch(r, t, &store));
    out->hide_aad_prefix = !store;
    return PQ_OK;
}

static PqRc take_store_name(PqsqlOptionRead *r, const PqJsonToken *t, PqEncryption *out)
{
    bool store = true;

    PQ_TRY(take_switch(r, t, &store));
    out->hide_key_names = !store;
    return PQ_OK;
}

/* One of two words; the first is the default. */
static PqRc take_either(PqsqlOptionRead *r, const PqJsonToken *t,
                        const char *first, const char *second, bool *is_second)
{
    const char *wanted = pq_arena_printf(r->a, r->e, "%s or %s", first, second);
    const char *word;

    if (!wanted) {
        return r->e->rc;
    }
    PQ_TRY(take_name(r, t, wanted, &word));
    *is_second = pq_ascii_same(word, second);
    return *is_second || pq_ascii_same(word, first) ? PQ_OK : wrong(r, wanted);
}

static PqRc take_algorithm(PqsqlOptionRead *r, const PqJsonToken *t,
                           PqEncryption *out)
{
    return take_either(r, t, "AES_GCM_V1", "AES_GCM_CTR_V1", &out->ctr);
}

static PqRc take_material(PqsqlOptionRead *r, const PqJsonToken *t,
                          PqEncryption *out)
{
    bool is_external = false;

    PQ_TRY(take_either(r, t, "internal", "external", &is_external));
    out->material = is_external ? PQ_MATERIAL_EXTERNAL : PQ_MATERIAL_INTERNAL;
    return PQ_OK;
}

static PqRc take_wrapping(PqsqlOptionRead *r, const PqJsonToken *t,
                          PqEncryption *out)
{
    out->wrapping_given = true;
    return take_either(r, t, "double", "single", &out->wrap_once);
}

static const struct {
    const char *name;
    Take        take;
} members[] = {
    {"footer_key", take_footer_key},
    {"column_keys", take_column_keys},
    {"clear_columns", take_clear},
    {"algorithm", take_algorithm},
    {"plaintext_footer", take_plaintext},
    {"aad_prefix", take_prefix},
    {"store_aad_prefix", take_store},
    {"store_key_name", take_store_name},
    {"key_material", take_material},
    {"wrapping", take_wrapping},
};

/* ---- all of them ------------------------------------------------------------- */

static PqRc unknown(PqsqlOptionRead *r, const char *name)
{
    const char *names[PQ_COUNT(members)];

    for (size_t i = 0; i < PQ_COUNT(members); i++) {
        names[i] = members[i].name;
    }
    return pqsql_option_unknown(r, name, names, PQ_COUNT(members));
}

/* A column that is in both lists. */
static PqRc contradiction(const PqEncryption *x, PqErr *e)
{
    for (uint32_t i = 0; i < x->n_clear; i++) {
        for (uint32_t k = 0; k < x->keys.n_columns; k++) {
            if (pq_ascii_same(x->clear[i], x->keys.columns[k].column)) {
                return pq_fail(e, PQ_USAGE, OPTION "%s is in clear_columns, "
                               "and has a key in column_keys", x->clear[i]);
            }
        }
    }
    return PQ_OK;
}

static PqRc check(const PqEncryption *x, PqErr *e)
{
    if (!x->keys.footer_key) {
        return pq_fail(e, PQ_USAGE, OPTION "footer_key is missing: the footer, "
                       "and all columns without a key of their own, are "
                       "encrypted with it");
    }
    if (x->hide_aad_prefix && !x->keys.aad_prefix) {
        return pq_fail(e, PQ_USAGE, OPTION "store_aad_prefix is false, and "
                       "there is no aad_prefix");
    }
    if (x->wrapping_given && !x->material) {
        return pq_fail(e, PQ_USAGE, OPTION "wrapping is given, and there is no "
                       "key_material");
    }
    return contradiction(x, e);
}

static PqRc take_member(PqsqlOptionRead *r, const char *name, uint32_t *given,
                        PqEncryption *out)
{
    PqJsonToken t;
    size_t i;

    for (i = 0; i < PQ_COUNT(members) &&
                !pq_ascii_same(members[i].name, name); i++) {
    }
    if (i == PQ_COUNT(members)) {
        return unknown(r, name);
    }
    r->name = members[i].name;
    PQ_TRY(pq_json_read_next(&r->json, &t, r->e));
    if (t.kind == PQ_JSON_NULL) {
        return PQ_OK;
    }
    if (*given & 1u << i) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s is given "
                       "twice", r->before, r->name);
    }
    *given |= 1u << i;
    return members[i].take(r, &t, out);
}

static PqRc take_all(PqsqlOptionRead *r, PqEncryption *out)
{
    uint32_t given = 0;
    const char *name;

    for (;;) {
        PQ_TRY(pqsql_option_key(r, &name));
        if (!name) {
            return check(out, r->e);
        }
        PQ_TRY(take_member(r, name, &given, out));
    }
}

PqRc pqsql_take_encryption(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    PqEncryption *out;

    PQ_TRY(PQ_ARENA_NEW(r->a, out, 1, r->e));
    if (t->kind == PQ_JSON_STRING && pq_slice_is(t->text, "none")) {
        r->copy->is_clear = true;
        return PQ_OK;
    }
    if (t->kind != PQ_JSON_OBJECT) {
        return pq_fail(r->e, PQ_USAGE, OPTION "it takes none, or an object "
                       "such as {\"footer_key\": \"kf\", \"column_keys\": "
                       "{\"ssn\": \"k1\"}}");
    }
    r->before = "encryption.";
    if (take_all(r, out) != PQ_OK) {
        pqsql_key_hide(r->e->text);
        return r->e->rc;
    }
    r->before = "";
    *(PqEncryption **)to = out;
    return PQ_OK;
}
