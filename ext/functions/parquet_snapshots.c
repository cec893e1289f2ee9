/*
** parquet_snapshots.c - parquet_snapshots(path): a row per version of a lake table, the
** newest first.  A version is what version= takes; its files may be gone.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    PqArena        arena;
    PqLakeVersions versions;
    uint64_t       next;
} State;

static PqRc snapshots_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    pq_arena_init(&s->arena, call->mem);
    s->versions.arena = &s->arena;
    return pqext_call_versions(call, &s->versions, e);
}

static PqRc snapshots_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    call->row = s->next++;
    *more = call->row < s->versions.n;
    return PQ_OK;
}

static void snapshots_end(PqextCall *call)
{
    pq_arena_free(&((State *)call->state)->arena);
}

static const void *version(const PqextCall *call, PqErr *e)
{
    return &((const State *)call->state)->versions.v[call->row];
}

static PqRc give_time(const PqextCall *call, const void *value, sqlite3_context *ctx, PqErr *e)
{
    const PqLakeVersion *v = value;
    char text[PQ_TIME_TEXT_ROOM];

    if (v->at != INT64_MAX) {
        pq_time_text_timestamp(v->at, PQ_MICROS, text);
        pqext_result_text(ctx, text);
    }
    return PQ_OK;
}

static const PqextColumn columns[] = {
    {"version BIGINT", .of = version, PQEXT_MEMBER(PqLakeVersion, version)},
    {"timestamp TEXT", .of = version, .give = give_time},
    {"operation TEXT", .of = version, PQEXT_MEMBER(PqLakeVersion, operation)},
    {"rows BIGINT", .of = version, PQEXT_MEMBER(PqLakeVersion, n_rows)},
};

const PqextFunction pqext_parquet_snapshots = {
    .name = "parquet_snapshots",
    .call = "parquet_snapshots('FOLDER')",
    PQEXT_COLUMNS(columns),
    .takes = PQEXT_PATH,
    .arguments = {"path"},
    .state_size = sizeof(State),
    .begin = snapshots_begin,
    .next = snapshots_next,
    .end = snapshots_end,
};
