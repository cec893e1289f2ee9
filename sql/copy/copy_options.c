/*
** copy_options.c - turns JSON into settings, by a table of names.
**
** The row of an option says which kind of value it takes, its limits, or its
** words.  Lists and objects have functions of their own, in
** copy_option_values.c.  Half of the file is there for mistakes: every error
** names the option, what it takes, and the option that was probably meant.
*/
#include "sql/copy/copy_options.h"

#include "sql/copy/copy_option_values.h"
#include "sql/did_you_mean.h"
#include "sql/size_text.h"

enum { LEAST_MEMORY = 1 << 20, MOST = INT32_MAX };
#define HUGE_COUNT ((int64_t)1 << 50)

/* Where the value of an option is kept: by the whole copy, or by each
** column. */
#define AT(field) .offset = offsetof(PqsqlCopyOptions, field)
#define COPY .offset = 0
#define PART(field)                                                  \
    .is_of_column = true, .offset = offsetof(PqsqlChunkSettings, field)
#define COLUMN .is_of_column = true, .offset = 0

#define COUNT(name_, to, least_, most_)                              \
    {.name = name_, .kind = PQSQL_OPTION_COUNT, to,                  \
     .least = least_, .most = most_}
#define SIZE(name_, to, least_, most_)                               \
    {.name = name_, .kind = PQSQL_OPTION_SIZE, to,                   \
     .least = least_, .most = most_}
#define WORDS(name_, to, ...)                                        \
    {.name = name_, .kind = PQSQL_OPTION_WORDS, to, .words = {__VA_ARGS__}}
#define OTHER(name_, to, take_)                                      \
    {.name = name_, .kind = PQSQL_OPTION_OTHER, to, .take = take_}
#define SWITCH(name_, to) {.name = name_, .kind = PQSQL_OPTION_SWITCH, to}
#define TEXT(name_, to) {.name = name_, .kind = PQSQL_OPTION_TEXT, to}

static const PqsqlOptionRow rows[] = {
    OTHER("compression", PART(codec), pqsql_take_codec),
    COUNT("compression_level", PART(level), 1, 22),
    OTHER("encoding", COLUMN, pqsql_take_encoding),
    OTHER("dictionary", PART(dictionary), pqsql_take_use),
    OTHER("bloom", COLUMN, pqsql_take_bloom),
    SWITCH("statistics", PART(statistics)),
    COUNT("page_version", PART(page_version), 1, 2),
    COUNT("page_rows", PART(page_rows), 1, MOST),
    SIZE("page_bytes", PART(page_bytes), 1, MOST),
    WORDS("float_order", PART(float_order), "type", "ieee754"),
    WORDS("timestamp", PART(timestamp), "unixepoch", "raw"),
    WORDS("compatibility", AT(compatibility), "standard", "modern", "legacy"),
    COUNT("row_group_rows", AT(row_group_rows), 1, MOST),
    SIZE("row_group_bytes", AT(row_group_bytes), 1, HUGE_COUNT),
    SIZE("memory", AT(memory), LEAST_MEMORY, HUGE_COUNT),
    COUNT("retries", AT(patience.retries), 0, 64),
    COUNT("timeout", AT(patience.timeout), 1, 3600),
    SIZE("spool", AT(patience.spool), 1 << 20, HUGE_COUNT),
    {.name = "threads", .kind = PQSQL_OPTION_COUNT, AT(threads),
     .most = 64, .or_auto = true},
    OTHER("types", AT(types), pqsql_take_types),
    WORDS("on_mismatch", AT(null_misfits), "error", "null"),
    OTHER("not_null", AT(not_null), pqsql_take_not_null),
    OTHER("variant", AT(variant), pqsql_take_names),
    OTHER("shred", COPY, pqsql_take_shred),
    OTHER("columns", COPY, pqsql_take_columns),
    OTHER("sorting_columns", COPY, pqsql_take_sorting),
    OTHER("geoparquet", AT(geoparquet), pqsql_take_geoparquet),
    OTHER("covering", AT(covering), pqsql_take_covering),
    TEXT("primary_column", AT(primary_column)),
    TEXT("hilbert", AT(hilbert)),
    OTHER("partition_by", AT(partition_by), pqsql_take_names),
    TEXT("filename_pattern", AT(filename_pattern)),
    WORDS("overwrite", AT(overwrite), "error", "replace", "append",
          "partitions"),
    WORDS("lake", AT(lake), "append", "overwrite", "delta"),
    TEXT("table", AT(table)),
    COUNT("file_rows", AT(file_rows), 1, HUGE_COUNT),
    SIZE("file_bytes", AT(file_bytes), 1, HUGE_COUNT),
    OTHER("params", COPY, pqsql_take_params),
    OTHER("kv_metadata", COPY, pqsql_take_key_values),
    OTHER("field_ids", AT(field_ids), pqsql_take_field_ids),
    TEXT("created_by", AT(created_by)),
    OTHER("progress", AT(progress), pqsql_take_progress),
    /* A program with a NULL variable must not write in the clear. */
    {.name = "encryption", .kind = PQSQL_OPTION_OTHER, AT(encryption),
     .take = pqsql_take_encryption, .takes_null = true},
};

/* ---- values -------------------------------------------------------------- */

static const char *takes(const PqsqlOptionRow *row, char *room, size_t n)
{
    const char *const *w = row->words;
    size_t i, used = 0;

    switch (row->kind) {
    case PQSQL_OPTION_WORDS:
        for (i = 0; i < PQSQL_MOST_WORDS && w[i]; i++) {
            bool last = i + 1 == PQSQL_MOST_WORDS || !w[i + 1];

            used += (size_t)snprintf(room + used, n - used, "%s%s",
                                     !i ? "" : last ? " or " : ", ", w[i]);
        }
        return room;
    case PQSQL_OPTION_SWITCH:
        return "true or false";
    case PQSQL_OPTION_TEXT:
        return "a text";
    case PQSQL_OPTION_SIZE:
        snprintf(room, n, "a number of bytes, such as 64MB, from %lld to %lld",
                 (long long)row->least, (long long)row->most);
        return room;
    default:
        snprintf(room, n, "%sa number from %lld to %lld",
                 row->or_auto ? "auto or " : "", (long long)row->least,
                 (long long)row->most);
        return room;
    }
}

static PqRc take_words(PqsqlOptionRead *r, const PqsqlOptionRow *row,
                       const PqJsonToken *t, int *out, bool *good)
{
    const char *text = NULL;

    if (t->kind == PQ_JSON_STRING) {
        PQ_TRY(pqsql_option_text(r, t, &text));
    }
    for (int i = 0; text && i < PQSQL_MOST_WORDS && row->words[i]; i++) {
        if (pq_ascii_same(text, row->words[i])) {
            *out = i;
            *good = true;
        }
    }
    return PQ_OK;
}

bool pqsql_option_switch(const PqJsonToken *t, int *out)
{
    bool yes = t->kind == PQ_JSON_TRUE ||
               (t->kind == PQ_JSON_NUMBER && pq_slice_is(t->text, "1")) ||
               (t->kind == PQ_JSON_STRING && (pq_slice_is(t->text, "true") ||
                                              pq_slice_is(t->text, "on")));
    bool no = t->kind == PQ_JSON_FALSE ||
              (t->kind == PQ_JSON_NUMBER && pq_slice_is(t->text, "0")) ||
              (t->kind == PQ_JSON_STRING && (pq_slice_is(t->text, "false") ||
                                             pq_slice_is(t->text, "off")));

    if (yes || no) {
        *out = yes;
    }
    return yes || no;
}

/* Reads digits, a point and an exponent.  The last bit may be off, which does
** not matter for options. */
bool pqsql_option_real(PqSlice s, double *out)
{
    double scale = 0, v = 0;
    int64_t exponent = 0;
    size_t i = 0, n_digits = 0;
    bool down = false;

    for (; i < s.n; i++) {
        if (s.p[i] == '.' && scale == 0) {
            scale = 1;
        } else if (s.p[i] >= '0' && s.p[i] <= '9') {
            v = v * 10 + (s.p[i] - '0');
            scale *= 10;
            n_digits++;
        } else {
            break;
        }
    }
    if (i < s.n && (s.p[i] | 32) == 'e') {
        i++;
        down = i < s.n && s.p[i] == '-';
        i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
        for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && exponent < 400;
             i++) {
            exponent = exponent * 10 + (s.p[i] - '0');
        }
    }
    v /= scale > 1 ? scale : 1;
    for (; exponent > 0; exponent--) {
        v = down ? v / 10 : v * 10;
    }
    *out = v;
    return i == s.n && n_digits > 0;
}

/* Takes 1000, 1e6, "1000"; for a size also "64MB". */
static PqRc take_count(PqsqlOptionRead *r, const PqsqlOptionRow *row,
                       const PqJsonToken *t, int64_t *out, bool *good)
{
    const char *text;
    double v;

    if (t->kind != PQ_JSON_NUMBER && t->kind != PQ_JSON_STRING) {
        return PQ_OK;
    }
    PQ_TRY(pqsql_option_text(r, t, &text));
    if (row->or_auto && pq_ascii_same(text, "auto")) {
        *good = true;
        *out = -1;
        return PQ_OK;
    }
    if (row->kind == PQSQL_OPTION_SIZE) {
        *good = pqsql_size_parse(text, out);
    } else {
        const char *at = text;

        *good = pqsql_size_digits(&at, out) && *at == 0;
    }
    if (!*good && t->kind == PQ_JSON_NUMBER && pqsql_option_real(t->text, &v) &&
        v <= (double)row->most && v == (double)(int64_t)v) {
        *out = (int64_t)v;
        *good = true;
    }
    *good = *good && *out >= row->least && *out <= row->most;
    return PQ_OK;
}

PqRc pqsql_option_wrong(PqsqlOptionRead *r, const PqJsonToken *t,
                        const char *wanted)
{
    int n = t->text.n < 60 ? (int)t->text.n : 60;

    switch (t->kind) {
    case PQ_JSON_NUMBER:
    case PQ_JSON_STRING:
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s%s: it takes "
                       "%s, not %.*s", r->before, r->name, r->after, wanted, n,
                       (const char *)t->text.p);
    default:
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s%s: it takes "
                       "%s", r->before, r->name, r->after, wanted);
    }
}

static PqRc take_value(PqsqlOptionRead *r, const PqsqlOptionRow *row,
                       const PqJsonToken *t, void *to)
{
    bool good = false;
    char room[100];

    switch (row->kind) {
    case PQSQL_OPTION_OTHER:
        return row->take(r, t, to);
    case PQSQL_OPTION_WORDS:
        PQ_TRY(take_words(r, row, t, to, &good));
        break;
    case PQSQL_OPTION_SWITCH:
        good = pqsql_option_switch(t, to);
        break;
    case PQSQL_OPTION_TEXT:
        if (t->kind == PQ_JSON_STRING) {
            return pqsql_option_text(r, t, to);
        }
        break;
    default:
        PQ_TRY(take_count(r, row, t, to, &good));
        break;
    }
    return good ? PQ_OK
                : pqsql_option_wrong(r, t, takes(row, room, sizeof room));
}

/* ---- names --------------------------------------------------------------- */

static const PqsqlOptionRow *find(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        if (pq_ascii_same(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}

PqRc pqsql_option_unknown(PqsqlOptionRead *r, const char *name,
                          const char *const *names, size_t n)
{
    PqsqlNearest near = {.word = name};
    PqBuf all;

    for (size_t i = 0; i < n; i++) {
        pqsql_nearest_look(&near, names[i]);
    }
    if (pqsql_nearest(&near)) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: there is no option "
                       "%s%s; did you mean %s?", r->before, name,
                       pqsql_nearest(&near));
    }
    pq_buf_init(&all, r->a->mem, r->e);
    for (size_t i = 0; i < n; i++) {
        pq_buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    if (pq_buf_ok(&all)) {
        pq_fail(r->e, PQ_USAGE, "parquet_copy_to: there is no option %s%s; there "
                "are %.*s", r->before, name, (int)all.n, (const char *)all.p);
    }
    pq_buf_free(&all);
    return r->e->rc;
}

static PqRc unknown(PqsqlOptionRead *r, const char *name, bool of_column)
{
    const PqsqlElsewhere *known = pqsql_copy_elsewhere(name);
    const char *option = known ? known->option : name;
    const PqsqlOptionRow *row = find(option);
    const char *names[PQ_COUNT(rows)];
    size_t n = 0;

    if (of_column && row && !row->is_of_column) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s: %s is for "
                       "the whole copy: write it next to \"columns\"",
                       r->before, name, option);
    }
    if (known) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: there is no option "
                       "%s%s; did you mean %s?", r->before, name,
                       known->meant ? known->meant : known->option);
    }
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        if (!of_column || rows[i].is_of_column) {
            names[n++] = rows[i].name;
        }
    }
    return pqsql_option_unknown(r, name, names, n);
}

/* Takes the member whose key was the last token; null mostly changes
** nothing. */
static PqRc take_member(PqsqlOptionRead *r, const char *name,
                        PqsqlCopyOptions *copy, PqsqlChunkSettings *chunk)
{
    const PqsqlOptionRow *row = find(name);
    PqJsonToken t;

    if (!row || (!copy && !row->is_of_column)) {
        return unknown(r, name, !copy);
    }
    r->name = row->name;
    PQ_TRY(pq_json_read_next(&r->json, &t, r->e));
    if (t.kind == PQ_JSON_NULL && !row->takes_null) {
        return PQ_OK;
    }
    return take_value(r, row, &t, (row->is_of_column ? (char *)chunk
                                                     : (char *)copy) +
                                      row->offset);
}

PqRc pqsql_option_text(PqsqlOptionRead *r, const PqJsonToken *t,
                       const char **out)
{
    *out = pq_arena_text(r->a, t->text.p, t->text.n, r->e);
    if (*out && strlen(*out) != t->text.n) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: option %s%s: a text "
                       "with a NUL in it", r->before, r->name);
    }
    return *out ? PQ_OK : r->e->rc;
}

PqRc pqsql_option_key(PqsqlOptionRead *r, const char **name)
{
    PqJsonToken t;

    PQ_TRY(pq_json_read_next(&r->json, &t, r->e));
    if (t.kind == PQ_JSON_OBJECT_END) {
        *name = NULL;
        return PQ_OK;
    }
    return pqsql_option_text(r, &t, name);
}

static PqsqlChunkSettings unsaid(void)
{
    return (PqsqlChunkSettings){
        .codec = PQSQL_UNSAID, .encoding = PQSQL_UNSAID, .level = PQSQL_UNSAID,
        .dictionary = PQSQL_UNSAID, .bloom = PQSQL_UNSAID,
        .bloom_fpp = PQSQL_UNSAID, .bloom_values = PQSQL_UNSAID,
        .statistics = PQSQL_UNSAID, .page_version = PQSQL_UNSAID,
        .page_rows = PQSQL_UNSAID, .page_bytes = PQSQL_UNSAID,
        .float_order = PQSQL_UNSAID, .timestamp = PQSQL_UNSAID,
    };
}

/* Takes the members of an object that has begun. */
static PqRc take_members(PqsqlOptionRead *r, PqsqlCopyOptions *copy,
                         PqsqlChunkSettings *chunk)
{
    const char *name;

    for (;;) {
        PQ_TRY(pqsql_option_key(r, &name));
        if (!name) {
            return PQ_OK;
        }
        PQ_TRY(take_member(r, name, copy, chunk));
    }
}

PqRc pqsql_take_chunk(PqsqlOptionRead *r, PqsqlChunkSettings *out)
{
    *out = unsaid();
    return take_members(r, NULL, out);
}

/* ---- all of them --------------------------------------------------------- */

static PqRc take_all(PqsqlOptionRead *r, PqsqlCopyOptions *out)
{
    PqJsonToken t;

    PQ_TRY(pq_json_read_next(&r->json, &t, r->e));
    if (t.kind != PQ_JSON_OBJECT) {
        return pq_fail(r->e, PQ_USAGE, "parquet_copy_to: the options are a JSON "
                       "object, such as {\"compression\": \"zstd\"}");
    }
    PQ_TRY(take_members(r, out, &out->chunk));
    return pq_json_read_next(&r->json, &t, r->e);
}

/* Checks the level against the codec that it is for. */
static PqRc check_level(const PqsqlCopyOptions *o, const PqsqlColumnSettings *c,
                        PqErr *e)
{
    int64_t level = c ? c->chunk.level : o->chunk.level;
    int codec = pqsql_copy_options_chunk(o, c).codec;
    int most = pq_codec_levels(codec);
    const char *before = c ? "columns." : "", *column = c ? c->column : "";

    if (level == PQSQL_UNSAID || level <= most) {
        return PQ_OK;
    }
    return most ? pq_fail(e, PQ_USAGE, "parquet_copy_to: option %s%s%s"
                          "compression_level: %s has levels from 1 to %d, not "
                          "%lld", before, column, c ? "." : "",
                          pq_codec_name(codec), most, (long long)level)
                : pq_fail(e, PQ_USAGE, "parquet_copy_to: option %s%s%s"
                          "compression_level: %s has no levels", before, column,
                          c ? "." : "", pq_codec_name(codec));
}

static PqRc check_levels(const PqsqlCopyOptions *o, PqErr *e)
{
    PQ_TRY(check_level(o, NULL, e));
    for (uint32_t i = 0; i < o->n_columns; i++) {
        PQ_TRY(check_level(o, &o->columns[i], e));
    }
    return PQ_OK;
}

static void settle_rows(PqsqlCopyOptions *o)
{
    bool said = o->row_group_rows != PQSQL_UNSAID;

    o->first_rows = said ? o->row_group_rows : PQSQL_FIRST_ROWS;
    if (!said) {
        o->row_group_rows = o->hilbert ? PQSQL_NEAR_GROUP_ROWS
                                       : PQ_COPY_GROUP_ROWS;
    }
}

PqRc pqsql_copy_options_parse(const char *json, PqArena *a,
                              PqsqlCopyOptions *out, PqErr *e)
{
    PqsqlOptionRead r = {.a = a, .e = e, .copy = out, .before = "",
                         .name = "", .after = ""};

    *out = (PqsqlCopyOptions){
        .chunk = unsaid(), .row_group_rows = PQSQL_UNSAID,
        .row_group_bytes = PQ_COPY_GROUP_BYTES, .memory = 256 << 20, .threads = -1,
        .patience = pq_usual_patience,
        .overwrite = PQSQL_UNSAID, .lake = PQSQL_UNSAID, .covering = PQSQL_UNSAID,
    };
    if (!json) {
        settle_rows(out);
        return PQ_OK;
    }
    pq_json_read_begin(&r.json, pq_slice_text(json), a);
    if (take_all(&r, out) == PQ_CORRUPT) {
        PqErr why = *e;

        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "parquet_copy_to: options: %s", why.text);
        pq_err_hint(e, "they are a JSON object, such as {\"compression\": "
                    "\"zstd\"}, or what json_object('compression', 'zstd') "
                    "makes");
        return e->rc;
    }
    settle_rows(out);
    return e->rc == PQ_OK ? check_levels(out, e) : e->rc;
}

static int64_t said(int64_t setting, int64_t otherwise)
{
    return setting != PQSQL_UNSAID ? setting : otherwise;
}

static void overlay(const PqsqlChunkSettings *s, PqChunkOptions *out)
{
    if (s->codec != PQSQL_UNSAID) {
        out->codec = s->codec;
        out->level = 0;
    }
    if (s->encoding != PQSQL_UNSAID) {
        out->encoding = s->encoding;
        out->dictionary = s->encoding < 0 ? PQ_DICTIONARY_AUTO
                                          : PQ_DICTIONARY_NEVER;
    }
    if (s->bloom_fpp > 0) {
        out->bloom_fpp = s->bloom_fpp;
    }
    out->level = (int)said(s->level, out->level);
    out->dictionary = (PqDictionaryUse)said(s->dictionary, out->dictionary);
    out->bloom = (PqBloomUse)said(s->bloom, out->bloom);
    out->bloom_values = (uint64_t)said(s->bloom_values,
                                       (int64_t)out->bloom_values);
    out->statistics = said(s->statistics, out->statistics) != 0;
    out->page_v2 = said(s->page_version, out->page_v2 ? 2 : 1) == 2;
    out->page_rows = (uint32_t)said(s->page_rows, out->page_rows);
    out->page_bytes = (uint32_t)said(s->page_bytes, out->page_bytes);
    out->ieee754_order = said(s->float_order, out->ieee754_order) != 0;
}

PqChunkOptions pqsql_copy_options_chunk(const PqsqlCopyOptions *o,
                                        const PqsqlColumnSettings *column)
{
    bool legacy = o->compatibility == PQSQL_LEGACY;
    PqChunkOptions out = pq_chunk_options_usual();

    out.codec = legacy ? PQ_CODEC_SNAPPY : out.codec;
    out.modern = o->compatibility == PQSQL_MODERN;
    out.page_rows = o->hilbert ? PQSQL_NEAR_PAGE_ROWS : out.page_rows;
    overlay(&o->chunk, &out);
    if (column) {
        overlay(&column->chunk, &out);
    }
    return out;
}

PqChunkOptions pqsql_copy_options_named(const PqsqlCopyOptions *o, const char *column)
{
    const PqsqlColumnSettings *its = NULL;

    for (uint32_t i = 0; i < o->n_columns; i++) {
        its = pq_ascii_same(o->columns[i].column, column) ? &o->columns[i] : its;
    }
    return pqsql_copy_options_chunk(o, its);
}
