/*
** parquet_bloom_probe.c - parquet_bloom_probe(file, column, value): what the
** Bloom filters of a column say about a value, a row per row group.
**
**   no          the value is certainly not there
**   maybe       the value may be there
**   no filter   the row group has no filter for this column
**   no key      the column is encrypted with a key that is not at hand
**   not known   the value has no single stored form in this column, so there
**               is nothing to probe for
**
** The hard part is that a filter knows stored bytes, and SQL compares values:
** a condition "= value" gives all stored values that SQLite would find equal.
** A value that the column cannot hold is a "no" without a probe.  Only the
** blocks of a filter that are probed are read.
*/
#include "ext/condition/sqlite_condition.h"
#include "ext/functions/table_function.h"

#include "sql/did_you_mean.h"

enum { BLOCK_BYTES = 32 };

typedef struct State {
    PqArena     arena;               /* of the value in this file           */
    PqArena     chunk_arena;
    uint32_t    leaf;
    bool        known;               /* the value is equal to these alone:  */
    uint64_t   *hashes;
    uint32_t    n_hashes;
    /* The row. */
    bool        excludes;            /* the answer is "no"                  */
    const char *answer;
    int64_t     offset, n_bytes;     /* of the filter; -1: there is none    */
    const PqLock *sealed;            /* the key is not at hand              */
} State;

/* A leaf by its dotted path, exactly or else as SQLite compares names. */
static PqRc find_leaf(PqextCall *call, uint32_t *out, PqErr *e)
{
    const PqSchema *schema = &call->footer->schema;
    const char *name = (const char *)sqlite3_value_text(call->argument[1]);
    PqsqlNearest near = {.word = name};
    uint32_t i, alike = schema->n_leaves;

    if (!name) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    for (i = schema->n_leaves; i-- > 0;) {
        if (strcmp(schema->leaves[i].path, name) == 0) {
            *out = i;
            return PQ_OK;
        }
        if (sqlite3_stricmp(schema->leaves[i].path, name) == 0) {
            alike = i;
        }
        pqsql_nearest_look(&near, schema->leaves[i].path);
    }
    *out = alike;
    return alike < schema->n_leaves ? PQ_OK
           : pqsql_nearest(&near)
               ? pq_fail(e, PQ_USAGE, "no column \"%s\"; did you mean %s?",
                         name, pqsql_nearest(&near))
               : pq_fail(e, PQ_USAGE, "no column \"%s\"; parquet_schema() "
                                      "lists them in its column path", name);
}

static PqRc take_text(sqlite3_value *v, PqArena *a, PqCell *out, PqErr *e)
{
    PqSlice text;

    PQ_TRY(pqsql_text_of(v, &text, e));
    *out = pq_cell_text(text);
    return pq_cell_keep(out, a, e);
}

/* The value under the column's affinity: for a column of numbers a text becomes
** a number, and the other way round.  *known false: versions of SQLite
** differ. */
static PqRc take_value(sqlite3_value *v, PqextAffinity affinity, PqArena *a,
                       PqCell *out, bool *known, PqErr *e)
{
    bool unsure;

    PQ_TRY(pqsql_number_of(v, out, &unsure, e));
    *known = affinity != PQEXT_AFF_NUMERIC || !unsure;
    if (affinity == PQEXT_AFF_NUMERIC && out->kind != PQ_CELL_NULL) {
        return PQ_OK;
    }
    return affinity == PQEXT_AFF_TEXT &&
                   sqlite3_value_type(v) != SQLITE_BLOB
               ? take_text(v, a, out, e)
               : pqext_value_take(v, false, a, out, e);
}

/* The hashes of the values that are equal to the argument. */
static PqRc list_value(PqextCall *call, const PqType *type, PqErr *e)
{
    State *s = call->state;
    PqextTable defaults = {.host = call->host};
    PqCell value;
    PqWanted wanted;
    sqlite3_value *v;
    PqRc rc;

    if (sqlite3_value_type(call->argument[2]) == SQLITE_NULL) {
        s->known = true;             /* it is equal to nothing */
        return PQ_OK;
    }
    v = sqlite3_value_dup(call->argument[2]);   /* reading it may convert it */
    if (!v) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    rc = take_value(v, pqext_meaning(&defaults, type).affinity, &s->arena,
                    &value, &s->known, e);
    sqlite3_value_free(v);
    if (rc != PQ_OK || !s->known) {
        return rc;
    }
    PQ_TRY(pqext_condition_equal(&defaults, type, &value, true, &s->arena,
                                 &wanted, e));
    return pq_wanted_hashes(&wanted, type, &s->arena, &s->hashes, &s->n_hashes,
                            &s->known, e);
}

static PqRc bloom_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    pq_arena_init(&s->arena, call->mem);
    pq_arena_init(&s->chunk_arena, call->mem);
    PQ_TRY(find_leaf(call, &s->leaf, e));
    return list_value(call, &call->footer->schema.leaves[s->leaf].type, e);
}

static void bloom_end(PqextCall *call)
{
    State *s = call->state;

    pq_arena_free(&s->arena);
    pq_arena_free(&s->chunk_arena);
}

static PqRc probe(PqextCall *call, PqInput *in, PqBloom *b, PqErr *e)
{
    State *s = call->state;
    bool maybe = false;

    s->excludes = s->known && s->n_hashes == 0;
    if (s->excludes || b->n_blocks == 0 || !s->known) {
        s->answer = s->excludes          ? "no"
                    : b->n_blocks == 0   ? "no filter" : "not known";
        return PQ_OK;
    }
    PQ_TRY(pq_bloom_probe_any(in, b, s->hashes, s->n_hashes, &maybe, e));
    s->excludes = !maybe;
    s->answer = maybe ? "maybe" : "no";
    return PQ_OK;
}

static PqRc bloom_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;
    PqColumnChunk chunk;
    uint32_t row_group = (uint32_t)call->row;
    PqInput *in;
    PqBloom b;
    PqRc rc;

    *more = call->row < call->footer->n_groups;
    if (!*more) {
        return PQ_OK;
    }
    s->sealed = pq_leaf_lock(call->footer->locks, s->leaf);
    if (s->sealed && !s->sealed->key) {
        s->answer = "no key";
        s->offset = s->n_bytes = -1;
        return PQ_OK;
    }
    s->sealed = NULL;
    pq_arena_reset(&s->chunk_arena);
    e->where.file = call->path;
    pq_chunk_files_close(&call->parts);
    PQ_TRY(pq_footer_chunk(call->footer, row_group, s->leaf, &s->chunk_arena,
                           &chunk, e));
    e->where.row_group = (int)row_group;
    e->where.column = call->footer->schema.leaves[s->leaf].path;
    PQ_TRY(pq_chunk_files_input(&call->parts, &chunk, row_group, &in, e));
    e->where.file = pq_source_path(in->source);
    PQ_TRY(pq_bloom_open(in, &chunk, (int)row_group, s->leaf, call->mem, &b,
                         e));
    s->offset = b.n_blocks ? (int64_t)b.offset : -1;
    s->n_bytes = b.n_blocks ? (int64_t)b.n_blocks * BLOCK_BYTES : -1;
    rc = probe(call, in, &b, e);
    pq_bloom_close(&b);
    return rc;
}

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"row_group_id BIGINT", PQEXT_ROW},
    {"bloom_filter_excludes BOOLEAN", PQEXT_MEMBER(State, excludes)},
    {"answer TEXT", PQEXT_MEMBER(State, answer)},
    {"filter_offset BIGINT", PQEXT_MEMBER(State, offset)},
    {"filter_bytes BIGINT", PQEXT_MEMBER(State, n_bytes)},
    {"missing_key TEXT", PQEXT_MEMBER(State, sealed)},
};

const PqextFunction pqext_parquet_bloom_probe = {
    .name = "parquet_bloom_probe",
    .call = "parquet_bloom_probe('FILE', 'COLUMN', VALUE)",
    PQEXT_COLUMNS(columns),
    .arguments = {"file", "column", "value"},
    .state_size = sizeof(State),
    .begin = bloom_begin,
    .next = bloom_next,
    .end = bloom_end,
};
