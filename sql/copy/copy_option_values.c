/*
** copy_option_values.c - options that are names of the format, lists or
** objects.
**
** Each function reads one kind of value and says in one text what it accepts.
** Lists grow in the arena, where their old arrays stay.
*/
#include "sql/copy/copy_option_values.h"

#include "sql/did_you_mean.h"
#include "sql/value/type_name.h"

static PqRc add_named(PqsqlOptionRead *r, PqsqlNamedList *list,
                      const PqsqlNamed *one)
{
    PQ_TRY(PQ_ARENA_GROW(r->a, list->v, list->n, r->e));
    list->v[list->n++] = *one;
    return PQ_OK;
}

/* ---- members of objects --------------------------------------------------

** As everywhere in the options, a member that is null is ignored. */

static PqRc need_object(PqsqlOptionRead *r, const PqJsonToken *t,
                        const char *wanted)
{
    return t->kind == PQ_JSON_OBJECT ? PQ_OK : pqsql_option_wrong(r, t, wanted);
}

/* Takes the next member that is not null; *name is NULL at the end. */
static PqRc next_member(PqsqlOptionRead *r, const char **name, PqJsonToken *v)
{
    do {
        PQ_TRY(pqsql_option_key(r, name));
        if (!*name) {
            return PQ_OK;
        }
        PQ_TRY(pq_json_read_next(&r->json, v, r->e));
    } while (v->kind == PQ_JSON_NULL);
    return PQ_OK;
}

/* ... whose value is a text. */
static PqRc next_text(PqsqlOptionRead *r, const char *wanted, PqsqlNamed *out)
{
    PqJsonToken v;

    PQ_TRY(next_member(r, &out->name, &v));
    return !out->name                 ? PQ_OK
           : v.kind == PQ_JSON_STRING ? pqsql_option_text(r, &v, &out->value)
                                      : pqsql_option_wrong(r, &v, wanted);
}

/* ---- words --------------------------------------------------------------- */

typedef struct Word {
    const char *name;
    int         value;
} Word;

/* Is it one of n words?  A switch is "true" or "false", and a number may be a
** version. */
static bool is_word(const PqJsonToken *t, const Word *words, size_t n, int *out)
{
    int yes = 0;
    bool is_switch = pqsql_option_switch(t, &yes);
    bool is_text = t->kind == PQ_JSON_STRING || t->kind == PQ_JSON_NUMBER;

    for (size_t i = 0; i < n; i++) {
        if (is_switch ? strcmp(words[i].name, yes ? "true" : "false") == 0
                      : is_text && pq_ascii_compare(t->text.p, t->text.n,
                                                    words[i].name) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

PqRc pqsql_take_codec(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const Word words[] = {
        {"uncompressed", PQ_CODEC_UNCOMPRESSED}, {"none", PQ_CODEC_UNCOMPRESSED},
        {"snappy", PQ_CODEC_SNAPPY}, {"gzip", PQ_CODEC_GZIP},
        {"brotli", PQ_CODEC_BROTLI}, {"lz4_raw", PQ_CODEC_LZ4_RAW},
        {"zstd", PQ_CODEC_ZSTD},
    };

    return is_word(t, words, PQ_COUNT(words), to)
               ? PQ_OK : pqsql_option_wrong(r, t, "zstd, snappy, gzip, brotli, "
                                            "lz4_raw or uncompressed");
}

PqRc pqsql_take_geoparquet(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const Word words[] = {
        {"false", PQSQL_GEOPARQUET_NONE}, {"none", PQSQL_GEOPARQUET_NONE},
        {"1.1", PQSQL_GEOPARQUET_1}, {"1.1.0", PQSQL_GEOPARQUET_1},
        {"2.0", PQSQL_GEOPARQUET_2}, {"2.0.0", PQSQL_GEOPARQUET_2},
    };

    return is_word(t, words, PQ_COUNT(words), to)
               ? PQ_OK : pqsql_option_wrong(r, t, "none, \"1.1\" or \"2.0\"");
}

PqRc pqsql_take_covering(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const Word words[] = {
        {"false", PQSQL_COVERING_NONE}, {"true", PQSQL_COVERING_FLOAT},
        {"float", PQSQL_COVERING_FLOAT}, {"double", PQSQL_COVERING_DOUBLE},
    };

    return is_word(t, words, PQ_COUNT(words), to)
               ? PQ_OK
               : pqsql_option_wrong(r, t, "true, false, float or double");
}

/* A dictionary is not an encoding here, but PqChunkOptions.dictionary. */
PqRc pqsql_take_encoding(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    PqsqlChunkSettings *s = to;
    const char *text = "";

    if (t->kind == PQ_JSON_STRING) {
        PQ_TRY(pqsql_option_text(r, t, &text));
    }
    if (pq_ascii_same(text, "auto")) {
        s->encoding = -1;
        return PQ_OK;
    }
    if (pq_ascii_same(text, "RLE_DICTIONARY")) {
        s->dictionary = PQ_DICTIONARY_ALWAYS;
        return PQ_OK;
    }
    for (int i = 0; i < PQ_ENCODING_COUNT; i++) {
        const char *name = pq_encoding_name(i);

        if (name && pq_ascii_same(text, name) &&
            i != PQ_ENCODING_PLAIN_DICTIONARY && i != PQ_ENCODING_BIT_PACKED) {
            s->encoding = i;
            return PQ_OK;
        }
    }
    return pqsql_option_wrong(r, t, "auto, PLAIN, RLE_DICTIONARY, RLE, "
        "DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, "
        "BYTE_STREAM_SPLIT or ALP");
}

/* AUTO is 0, NEVER 1, ALWAYS 2, for dictionaries and for Bloom filters. */
_Static_assert((int)PQ_BLOOM_AUTO == (int)PQ_DICTIONARY_AUTO &&
               (int)PQ_BLOOM_NEVER == (int)PQ_DICTIONARY_NEVER &&
               (int)PQ_BLOOM_ALWAYS == (int)PQ_DICTIONARY_ALWAYS,
               "one function for both");

static bool is_use(const PqJsonToken *t, int *out)
{
    static const Word words[] = {{"auto", PQ_DICTIONARY_AUTO},
                                 {"true", PQ_DICTIONARY_ALWAYS},
                                 {"false", PQ_DICTIONARY_NEVER}};

    return is_word(t, words, PQ_COUNT(words), out);
}

PqRc pqsql_take_use(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    return is_use(t, to) ? PQ_OK
                         : pqsql_option_wrong(r, t, "true, false or auto");
}

static PqRc no_member(PqsqlOptionRead *r, const char *name, const char *wanted)
{
    return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s: it takes %s, "
                   "but no \"%s\"", r->before, r->name, wanted, name);
}

/* true, false, auto, or {"ndv": 1000000, "fpp": 0.01}. */
PqRc pqsql_take_bloom(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] =
        "true, false, auto, or {\"ndv\": 1000000, \"fpp\": 0.01}";
    PqsqlChunkSettings *s = to;

    if (is_use(t, &s->bloom)) {
        return PQ_OK;
    }
    if (t->kind != PQ_JSON_OBJECT) {
        return pqsql_option_wrong(r, t, wanted);
    }
    s->bloom = PQ_BLOOM_ALWAYS;
    for (;;) {
        const char *name;
        PqJsonToken v;
        double number = 0;
        bool is_ndv;

        PQ_TRY(next_member(r, &name, &v));
        if (!name) {
            return PQ_OK;
        }
        is_ndv = pq_ascii_same(name, "ndv");
        if (!is_ndv && !pq_ascii_same(name, "fpp")) {
            return no_member(r, name, wanted);
        }
        if (v.kind != PQ_JSON_NUMBER || !pqsql_option_real(v.text, &number) ||
            (is_ndv ? number < 1 || number > 1e12
                    : number <= 0 || number >= 1)) {
            return pqsql_option_wrong(r, &v, wanted);
        }
        if (is_ndv) {
            s->bloom_values = (int64_t)number;
        } else {
            s->bloom_fpp = number;
        }
    }
}

/* true, false, or the name of a function: copy_progress.h. */
PqRc pqsql_take_progress(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    const char **said = to;
    int is_line;

    if (pqsql_option_switch(t, &is_line)) {
        *said = is_line ? "" : NULL;
        return PQ_OK;
    }
    if (t->kind != PQ_JSON_STRING || t->text.n == 0) {
        return pqsql_option_wrong(r, t, "true, false or the name of a function");
    }
    return pqsql_option_text(r, t, said);
}

/* ---- lists --------------------------------------------------------------- */

/* "a" or ["a", "b"] */
PqRc pqsql_take_names(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] = "names of columns: [\"a\", \"b\"]";
    PqsqlNamedList *list = to;
    PqsqlNamed one = {0};
    PqJsonToken v = *t;

    if (t->kind == PQ_JSON_STRING) {
        PQ_TRY(pqsql_option_text(r, t, &one.name));
        return add_named(r, list, &one);
    }
    if (t->kind != PQ_JSON_ARRAY) {
        return pqsql_option_wrong(r, t, wanted);
    }
    for (;;) {
        PQ_TRY(pq_json_read_next(&r->json, &v, r->e));
        if (v.kind == PQ_JSON_ARRAY_END) {
            return PQ_OK;
        }
        if (v.kind != PQ_JSON_STRING) {
            return pqsql_option_wrong(r, &v, wanted);
        }
        PQ_TRY(pqsql_option_text(r, &v, &one.name));
        PQ_TRY(add_named(r, list, &one));
    }
}

PqRc pqsql_take_not_null(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    r->copy->has_not_null = true;
    return pqsql_take_names(r, t, to);
}

/* Removes " desc" and the like from the end of a name. */
static bool cut_word(char *z, const char *word)
{
    size_t n = strlen(z), k = strlen(word);

    if (n <= k + 1 || z[n - k - 1] != ' ' || !pq_ascii_same(z + n - k, word)) {
        return false;
    }
    for (n -= k; n > 0 && z[n - 1] == ' '; n--) {
    }
    z[n] = 0;
    return true;
}

/* "a", "a desc", "a desc nulls last": as in ORDER BY, with its defaults. */
static void sort_words(char *z, PqsqlSortName *out)
{
    bool first = cut_word(z, "nulls first");
    bool last = !first && cut_word(z, "nulls last");

    out->descending = cut_word(z, "desc");
    if (!out->descending) {
        cut_word(z, "asc");
    }
    out->nulls_first = first || (!last && !out->descending);
    out->column = z;
}

/* {"column": "a desc", "descending": true, "nulls_first": false}; here "a desc"
** is the whole name. */
static PqRc sort_object(PqsqlOptionRead *r, PqsqlSortName *out)
{
    static const char wanted[] = "{\"column\": \"a\", \"descending\": true, "
                                 "\"nulls_first\": false}";
    int descending = 0, nulls_first = PQSQL_UNSAID;

    for (;;) {
        const char *name;
        PqJsonToken v;
        bool good;

        PQ_TRY(next_member(r, &name, &v));
        if (!name) {
            break;
        }
        if (pq_ascii_same(name, "column")) {
            good = v.kind == PQ_JSON_STRING;
            if (good) {
                PQ_TRY(pqsql_option_text(r, &v, &out->column));
            }
        } else if (pq_ascii_same(name, "descending")) {
            good = pqsql_option_switch(&v, &descending);
        } else if (pq_ascii_same(name, "nulls_first")) {
            good = pqsql_option_switch(&v, &nulls_first);
        } else {
            return no_member(r, name, wanted);
        }
        if (!good) {
            return pqsql_option_wrong(r, &v, wanted);
        }
    }
    if (!out->column) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s: it takes %s",
                       r->name, wanted);
    }
    out->descending = descending != 0;
    out->nulls_first = nulls_first == PQSQL_UNSAID ? !out->descending
                                                   : nulls_first != 0;
    return PQ_OK;
}

PqRc pqsql_take_sorting(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] =
        "auto, false, or columns: [\"a\", \"b desc nulls last\"]";
    PqsqlCopyOptions *o = to;
    PqJsonToken v;
    int yes;

    if (t->kind == PQ_JSON_STRING && pq_slice_is(t->text, "auto")) {
        return PQ_OK;
    }
    if (pqsql_option_switch(t, &yes) && !yes) {
        o->sorting_none = 1;
        return PQ_OK;
    }
    if (t->kind != PQ_JSON_ARRAY) {
        return pqsql_option_wrong(r, t, wanted);
    }
    for (;;) {
        PqsqlSortName one = {0};

        PQ_TRY(pq_json_read_next(&r->json, &v, r->e));
        if (v.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        if (v.kind == PQ_JSON_STRING) {
            PQ_TRY(pqsql_option_text(r, &v, &one.column));
            sort_words((char *)(uintptr_t)one.column, &one);
        } else if (v.kind == PQ_JSON_OBJECT) {
            PQ_TRY(sort_object(r, &one));
        } else {
            return pqsql_option_wrong(r, &v, wanted);
        }
        PQ_TRY(PQ_ARENA_GROW(r->a, o->sorting, o->n_sorting, r->e));
        o->sorting[o->n_sorting++] = one;
    }
    o->sorting_said = o->n_sorting > 0;
    o->sorting_none = o->n_sorting == 0;
    return PQ_OK;
}

/* ---- objects -------------------------------------------------------------- */

PqRc pqsql_take_types(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] = "types by column, {\"price\": "
                                 "\"DECIMAL(10,2)\"}, or \"auto\"";

    if (t->kind == PQ_JSON_STRING && pq_parse_is_word(t->text, "auto")) {
        r->copy->types_auto = true;
        return PQ_OK;
    }
    PQ_TRY(need_object(r, t, wanted));
    for (;;) {
        PqsqlNamed one = {0};

        PQ_TRY(next_text(r, wanted, &one));
        if (!one.name) {
            return PQ_OK;
        }
        if (strcmp(one.name, "*") != 0) {
            PQ_TRY(add_named(r, to, &one));
        } else if (pqsql_type_is_auto(one.value)) {
            r->copy->types_auto = true;
        } else {
            PqJsonToken v = {.kind = PQ_JSON_STRING,
                             .text = pq_slice_text(one.value)};

            return pqsql_option_wrong(r, &v, "\"auto\" for all the others: "
                                      "{\"zip\": \"TEXT\", \"*\": \"auto\"}");
        }
    }
}

/* {"$.user.id": "BIGINT"} */
static PqRc take_paths(PqsqlOptionRead *r, PqsqlNamedList *out,
                       const char *wanted)
{
    for (;;) {
        PqsqlNamed one = {0};

        PQ_TRY(next_text(r, wanted, &one));
        if (!one.name) {
            return PQ_OK;
        }
        PQ_TRY(add_named(r, out, &one));
    }
}

/* A word or a type, or types by path. */
static PqRc take_one_shred(PqsqlOptionRead *r, const char *column,
                           const PqJsonToken *t, const char *wanted)
{
    PqsqlCopyOptions *o = r->copy;
    PqsqlShredSetting one = {.column = column};
    int yes = 1;

    if (t->kind == PQ_JSON_OBJECT) {
        PQ_TRY(take_paths(r, &one.paths, wanted));
    } else if (pqsql_option_switch(t, &yes)) {
        one.type = yes ? "auto" : "none";
    } else if (t->kind == PQ_JSON_STRING) {
        PQ_TRY(pqsql_option_text(r, t, &one.type));
    } else {
        return pqsql_option_wrong(r, t, wanted);
    }
    PQ_TRY(PQ_ARENA_GROW(r->a, o->shred, o->n_shred, r->e));
    o->shred[o->n_shred++] = one;
    return PQ_OK;
}

PqRc pqsql_take_shred(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char all[] = "auto, none, or by column: {\"event\": \"auto\"}";
    static const char wanted[] =
        "auto, none, a type, {\"event\": \"STRUCT<id BIGINT>\"}, or types by "
        "path, {\"event\": {\"$.user.id\": \"BIGINT\"}}";

    if (t->kind != PQ_JSON_OBJECT) {
        bool word = t->kind != PQ_JSON_STRING ||
                    pq_parse_is_word(t->text, "auto") ||
                    pq_parse_is_word(t->text, "none");

        return word ? take_one_shred(r, NULL, t, all)
                    : pqsql_option_wrong(r, t, all);
    }
    for (;;) {
        const char *name;
        PqJsonToken v;

        PQ_TRY(next_member(r, &name, &v));
        if (!name) {
            return PQ_OK;
        }
        PQ_TRY(take_one_shred(r, name, &v, wanted));
    }
}

PqRc pqsql_take_field_ids(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] =
        "numbers by column: {\"id\": 1, \"tags.element\": 2}";

    PQ_TRY(need_object(r, t, wanted));
    r->copy->has_field_ids = true;
    for (;;) {
        PqsqlNamed one = {0};
        PqJsonToken v;
        double number = -1;

        PQ_TRY(next_member(r, &one.name, &v));
        if (!one.name) {
            return PQ_OK;
        }
        if (v.kind != PQ_JSON_NUMBER || !pqsql_option_real(v.text, &number) ||
            number < 0 || number > INT32_MAX ||
            number != (double)(int64_t)number) {
            return pqsql_option_wrong(r, &v, wanted);
        }
        one.number = (int64_t)number;
        PQ_TRY(add_named(r, to, &one));
    }
}

PqRc pqsql_take_columns(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    static const char wanted[] =
        "settings by column: {\"id\": {\"dictionary\": false}}";
    PqsqlCopyOptions *o = to;

    PQ_TRY(need_object(r, t, wanted));
    for (;;) {
        PqsqlColumnSettings *more;
        const char *name;
        PqJsonToken v;

        r->name = "columns";
        PQ_TRY(next_member(r, &name, &v));
        if (!name) {
            return PQ_OK;
        }
        PQ_TRY(need_object(r, &v, wanted));
        PQ_TRY(PQ_ARENA_GROW(r->a, o->columns, o->n_columns, r->e));
        more = &o->columns[o->n_columns++];
        more->column = name;
        r->before = pq_arena_printf(r->a, r->e, "columns.%s.", name);
        if (!r->before) {
            return r->e->rc;
        }
        PQ_TRY(pqsql_take_chunk(r, &more->chunk));
        r->before = "";
    }
}

PqRc pqsql_take_params(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    PqsqlCopyOptions *o = to;

    if (t->kind != PQ_JSON_ARRAY && t->kind != PQ_JSON_OBJECT) {
        return pqsql_option_wrong(r, t, "values, [1, \"a\"], or values by name, "
                                        "{\"limit\": 10}");
    }
    o->params_are_named = t->kind == PQ_JSON_OBJECT;
    return pq_json_read_skip(&r->json, t, &o->params, r->e);
}

/* Texts are stored as they are, other values as JSON. */
PqRc pqsql_take_key_values(PqsqlOptionRead *r, const PqJsonToken *t, void *to)
{
    PqsqlCopyOptions *o = to;

    PQ_TRY(need_object(r, t, "texts by key: {\"source\": \"orders\"}"));
    for (;;) {
        PqKeyValue one = {.has = 1u << PQ_KEY_VALUE_KEY |
                                1u << PQ_KEY_VALUE_VALUE};
        const char *name;
        PqJsonToken v;

        PQ_TRY(next_member(r, &name, &v));
        if (!name) {
            return PQ_OK;
        }
        one.key = pq_slice_text(name);
        one.value = v.text;
        if (v.kind != PQ_JSON_STRING) {
            PQ_TRY(pq_json_read_skip(&r->json, &v, &one.value, r->e));
        }
        PQ_TRY(PQ_ARENA_GROW(r->a, o->key_values.v, o->key_values.n, r->e));
        o->key_values.v[o->key_values.n++] = one;
    }
}
