/*
** tvf_bloom.c - parquet_bloom_probe(file, column, value): what the Bloom
** filters of a column say about a value, a row per row group.
**
**   no          the value is certainly not there
**   maybe       it may be
**   no filter   the row group has none for this column
**   not known   the value has no single form in this column that could be
**               looked for
**
** The value is compared as SQLite would compare it with the column; one that
** the column cannot hold is a "no" without looking.  Of a filter only the
** blocks that are asked are read.
*/
#include "ext/functions/tvf.h"

#include "sql/nearest.h"
#include "sql/value/stored.h"

enum {
    FILE_NAME, ROW_GROUP_ID, EXCLUDES, ANSWER, FILTER_OFFSET, FILTER_BYTES,
    N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [ROW_GROUP_ID] = "row_group_id BIGINT",
    [EXCLUDES] = "bloom_filter_excludes BOOLEAN",
    [ANSWER] = "answer TEXT",
    [FILTER_OFFSET] = "filter_offset BIGINT",
    [FILTER_BYTES] = "filter_bytes BIGINT",
};

enum { BLOCK_BYTES = 32 };

typedef enum Answer { ANSWER_NO, ANSWER_MAYBE, ANSWER_NO_FILTER,
                      ANSWER_NOT_KNOWN } Answer;

typedef struct State {
    PqArena     arena;               /* of the value in this file           */
    PqArena     chunk_arena;
    uint32_t    leaf, next;          /* next: the row group behind the row  */
    PqsqlStored value;
    Answer      answer;
    uint64_t    offset;
    uint32_t    n_blocks;
} State;

/* A leaf by its dotted path, exactly or else as SQLite compares names. */
static PqRc find_leaf(PqextLook *l, uint32_t *out, PqErr *e)
{
    const PqSchema *schema = &l->footer->schema;
    const char *name = (const char *)sqlite3_value_text(l->argument[1]);
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
               ? pq_fail(e, PQ_USAGE, "no column \"%s\"; did you mean %s?", name,
                         pqsql_nearest(&near))
               : pq_fail(e, PQ_USAGE, "no column \"%s\"; the column path of "
                                      "parquet_schema() has them all", name);
}

static PqRc bloom_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    pq_arena_init(&s->arena, l->mem);
    pq_arena_init(&s->chunk_arena, l->mem);
    PQ_TRY(find_leaf(l, &s->leaf, e));
    return pqsql_stored_values(l->argument[2],
                               &l->footer->schema.leaves[s->leaf].type,
                               &s->arena, &s->value, e);
}

static void bloom_end(PqextLook *l)
{
    State *s = l->state;

    pq_arena_free(&s->arena);
    pq_arena_free(&s->chunk_arena);
}

static PqRc probe(PqextLook *l, PqInput *in, PqBloom *b, PqErr *e)
{
    State *s = l->state;
    bool maybe = false;
    uint32_t i;

    if (s->value.known && s->value.n == 0) {
        s->answer = ANSWER_NO;
        return PQ_OK;
    }
    if (b->n_blocks == 0) {
        s->answer = ANSWER_NO_FILTER;
        return PQ_OK;
    }
    if (!s->value.known) {
        s->answer = ANSWER_NOT_KNOWN;
        return PQ_OK;
    }
    for (i = 0; i < s->value.n && !maybe; i++) {
        PQ_TRY(pq_bloom_probe(in, b, pq_bloom_hash(s->value.plain[i]),
                              &maybe, e));
    }
    s->answer = maybe ? ANSWER_MAYBE : ANSWER_NO;
    return PQ_OK;
}

static PqRc bloom_next(PqextLook *l, bool *more, PqErr *e)
{
    State *s = l->state;
    PqColumnChunk chunk;
    uint32_t group = s->next;
    PqInput *in;
    PqBloom b;
    PqRc rc;

    *more = group < l->footer->n_groups;
    if (!*more) {
        return PQ_OK;
    }
    s->next++;
    pq_arena_reset(&s->chunk_arena);
    e->where.file = l->path;
    pq_chunk_files_close(&l->parts);
    PQ_TRY(pq_footer_chunk(l->footer, group, s->leaf, &s->chunk_arena, &chunk,
                           e));
    e->where.row_group = (int)group;
    e->where.column = l->footer->schema.leaves[s->leaf].path;
    PQ_TRY(pq_chunk_files_input(&l->parts, &chunk, group, &in, e));
    e->where.file = pq_source_path(in->source);
    PQ_TRY(pq_bloom_open(in, &chunk, (int)group, s->leaf, l->mem, &b, e));
    s->offset = b.offset;
    s->n_blocks = b.n_blocks;
    rc = probe(l, in, &b, e);
    pq_bloom_close(&b);
    return rc;
}

static PqRc bloom_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    static const char *const words[] = {
        [ANSWER_NO] = "no",
        [ANSWER_MAYBE] = "maybe",
        [ANSWER_NO_FILTER] = "no filter",
        [ANSWER_NOT_KNOWN] = "not known",
    };
    const State *s = l->state;

    (void)e;
    switch (i) {
    case FILE_NAME:
        pqext_give_text(ctx, l->path);
        break;
    case ROW_GROUP_ID:
        sqlite3_result_int64(ctx, s->next - 1);
        break;
    case EXCLUDES:
        sqlite3_result_int(ctx, s->answer == ANSWER_NO);
        break;
    case ANSWER:
        pqext_give_text(ctx, words[s->answer]);
        break;
    case FILTER_OFFSET:
        pqext_give_i64(ctx, s->n_blocks > 0, (int64_t)s->offset);
        break;
    default:
        pqext_give_i64(ctx, s->n_blocks > 0,
                       (int64_t)s->n_blocks * BLOCK_BYTES);
    }
    return PQ_OK;
}

static const char *const arguments[] = {"file", "column", "value"};

const PqextFunction pqext_parquet_bloom_probe = {
    .name = "parquet_bloom_probe",
    .call = "parquet_bloom_probe('FILE', 'COLUMN', VALUE)",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .arguments = arguments,
    .n_arguments = 3,
    .state_size = sizeof(State),
    .begin = bloom_begin,
    .next = bloom_next,
    .column = bloom_column,
    .end = bloom_end,
};
