/*
** variants.c - takes Variants from SQLite, and hands them back.
**
** What is hard is that bytes come from strangers.  A blob is split and its
** metadata opened before anything else; the inside of its value is checked as
** far as it is read.
*/
#include "sql/variant_functions/variants.h"

#include "sql/argument.h"
#include "sql/did_you_mean.h"
#include "sql/value/value.h"

/* A text or blob of SQLite has at most 1 GB, and usually much less. */
static const size_t memory = (size_t)2 << 30;
enum {
    KEPT = 1 << 20,                  /* bytes of a buffer between calls      */
    KEPT_IN_ALL = 64 << 20,          /* of the builders too                  */
    ROOM = 256                       /* asked for without being used         */
};

PqsqlVariants *pqsql_variants_new(sqlite3 *db, const PqsqlTwins *twins)
{
    PqsqlVariants *s = sqlite3_malloc(sizeof *s);

    if (!s) {
        return NULL;
    }
    *s = (PqsqlVariants){.db = db, .twins = twins, .mem = pq_mem_new(memory),
                         .holders = 1};
    if (!s->mem) {
        sqlite3_free(s);
        return NULL;
    }
    pq_err_init(&s->e);
    pq_arena_init(&s->scratch, s->mem);
    pq_buf_init(&s->text, s->mem, &s->e);
    return s;
}

void pqsql_variants_release(void *state)
{
    PqsqlVariants *s = state;

    if (--s->holders) {
        return;
    }
    pq_variant_build_free(s->parsed);
    pq_variant_build_free(s->built);
    pq_buf_free(&s->text);
    pq_arena_free(&s->scratch);
    pq_mem_release(s->mem);
    sqlite3_free(s);
}

void pqsql_variants_tidy(PqsqlVariants *s)
{
    if (s->text.room > KEPT) {
        pq_buf_free(&s->text);
    }
    if (pq_arena_memory(&s->scratch) > KEPT) {
        pq_arena_free(&s->scratch);
        pq_arena_init(&s->scratch, s->mem);
    }
    if (pq_mem_used(s->mem) > KEPT_IN_ALL) {
        pq_variant_build_free(s->parsed);
        pq_variant_build_free(s->built);
        s->parsed = s->built = NULL;
    }
}

char *pqsql_variants_message(PqsqlVariants *s, const char *function)
{
    PqErr *e = &s->e;
    char *text = NULL;

    if (e->rc == PQ_BUDGET) {
        text = sqlite3_mprintf("%s: this takes more memory than a function "
                               "may use", function);
    } else if (e->rc != PQ_NOMEM) {
        text = sqlite3_mprintf("%s: %s", function, e->text);
    }
    pq_err_clear(e);
    return text;
}

PqRc pqsql_variants_begin(PqsqlVariants *s, PqVariantBuild **b)
{
    if (!*b) {
        PQ_TRY(pq_variant_build_new(s->mem, b, &s->e));
    }
    pq_variant_build_begin(*b);
    return PQ_OK;
}

/* ---- arguments ----------------------------------------------------------- */

PqRc pqsql_variant_of(PqSlice metadata, PqSlice value, PqsqlVariant *out,
                      PqErr *e)
{
    out->metadata = metadata;
    out->value = value;
    return pq_variant_meta_open(metadata, &out->m, e);
}

static PqRc open_blob(PqSlice blob, PqsqlVariant *out, PqErr *e)
{
    PqSlice metadata, value;
    PqRc rc = pq_variant_split(blob, &metadata, &value, e);

    if (PQ_LIKELY(rc == PQ_OK)) {
        rc = pqsql_variant_of(metadata, value, out, e);
    }
    if (PQ_UNLIKELY(rc != PQ_OK && rc != PQ_NOMEM)) {
        PqErr why = *e;

        pq_err_clear(e);
        rc = pq_fail(e, PQ_CORRUPT, "the blob is not a Variant: %s", why.text);
    }
    return rc;
}

/* The Variant that was built from an argument. */
static PqRc take_parsed(PqsqlVariants *s, PqsqlVariant *out)
{
    PqSlice metadata, value;

    PQ_TRY(pq_variant_build_finish(s->parsed, &metadata, &value, &s->e));
    return pqsql_variant_of(metadata, value, out, &s->e);
}

static PqRc take_json(PqsqlVariants *s, sqlite3_value *v, PqsqlVariant *out)
{
    PqSlice text;

    PQ_TRY(pqsql_text_of(v, &text, &s->e));
    pq_arena_reset(&s->scratch);
    PQ_TRY(pqsql_variants_begin(s, &s->parsed));
    PQ_TRY(pq_variant_parse(text, s->parsed, &s->scratch, &s->e));
    return take_parsed(s, out);
}

static PqRc take_number(PqsqlVariants *s, sqlite3_value *v, PqsqlVariant *out)
{
    PqVariantValue number = {.kind = PQ_VARIANT_INT};

    if (sqlite3_value_type(v) == SQLITE_INTEGER) {
        number.u.i = sqlite3_value_int64(v);
    } else {
        number.kind = PQ_VARIANT_DOUBLE;
        number.u.d = sqlite3_value_double(v);
    }
    PQ_TRY(pqsql_variants_begin(s, &s->parsed));
    pq_variant_build_value(s->parsed, &number);
    return take_parsed(s, out);
}

PqRc pqsql_variant_take(PqsqlVariants *s, sqlite3_value *v, PqsqlVariant *out)
{
    PqSlice blob;

    s->text.most = ROOM + (size_t)sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1);
    switch (sqlite3_value_type(v)) {
    case SQLITE_BLOB:
        PQ_TRY(pqsql_blob_of(v, &blob, &s->e));
        return open_blob(blob, out, &s->e);
    case SQLITE_TEXT:
        if (s->twins && pqsql_twin_of(s->twins, v, &blob)) {
            return open_blob(blob, out, &s->e);
        }
        return take_json(s, v, out);
    default:
        return take_number(s, v, out);
    }
}

PqRc pqsql_variant_target(PqSlice name, PqVariantTarget *out, PqErr *e)
{
    PqRc rc = pq_variant_target_parse(name, out, e);
    const uint8_t *end = memchr(name.p, '(', name.n);
    char word[32];

    name.n = end ? (size_t)(end - name.p) : name.n;
    if (rc == PQ_USAGE && name.n < sizeof word) {
        PqsqlNearest near = {.word = word};
        const char *other;
        uint32_t i;

        memcpy(word, name.p, name.n);
        word[name.n] = 0;
        for (i = 0; (other = pq_variant_target_name(i)); i++) {
            pqsql_nearest_look(&near, other);
        }
        other = pqsql_nearest(&near);
        if (other && !pq_ascii_same(other, word)) {
            pq_err_hint(e, "did you mean %s?", other);
        }
    }
    return rc;
}

/* ---- results ------------------------------------------------------------- */

void pqsql_variant_result_blob(sqlite3_context *ctx, PqSlice metadata,
                               PqSlice value)
{
    uint8_t *p = sqlite3_malloc64(metadata.n + value.n);

    if (!p) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    memcpy(p, metadata.p, metadata.n);
    if (value.n) {
        memcpy(p + metadata.n, value.p, value.n);
    }
    sqlite3_result_blob64(ctx, p, metadata.n + value.n, sqlite3_free);
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_VARIANT);
}

PqRc pqsql_variant_result_built(sqlite3_context *ctx, PqsqlVariants *s)
{
    PqSlice metadata, value;

    PQ_TRY(pq_variant_build_finish(s->built, &metadata, &value, &s->e));
    pqsql_variant_result_blob(ctx, metadata, value);
    return PQ_OK;
}

PqRc pqsql_variant_result_part(sqlite3_context *ctx, PqsqlVariants *s,
                               const PqVariantMeta *m, PqSlice value)
{
    PQ_TRY(pqsql_variants_begin(s, &s->built));
    pq_variant_build_copy(s->built, m, value);
    return pqsql_variant_result_built(ctx, s);
}

PqRc pqsql_variant_result_text(sqlite3_context *ctx, PqsqlVariants *s)
{
    if (!pq_buf_ok(&s->text)) {
        return s->e.rc;
    }
    pqsql_result_text(ctx, s->text.p, s->text.n);
    return PQ_OK;
}

PqRc pqsql_variant_result_json(sqlite3_context *ctx, PqsqlVariants *s,
                               const PqVariantMeta *m, PqSlice value)
{
    s->text.n = 0;
    PQ_TRY(pq_variant_json_take(m, &value, 0, &s->text, &s->e));
    if (value.n) {
        return pq_fail(&s->e, PQ_CORRUPT, "%zu bytes follow the value of the "
                       "Variant", value.n);
    }
    PQ_TRY(pqsql_variant_result_text(ctx, s));
    sqlite3_result_subtype(ctx, PQSQL_SUBTYPE_JSON);
    return PQ_OK;
}
