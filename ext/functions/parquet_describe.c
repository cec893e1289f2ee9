/*
** parquet_describe.c - SELECT * FROM parquet_describe(path): a row for each
** line of the page that the scalar function of that name gives as one text.
**
** In its modes column and box, the sqlite3 shell shows such rows as they are,
** but breaks up a text of many lines.
*/
#include "ext/functions/table_function.h"

#include "sql/describe/describe.h"

typedef struct State {
    PqBuf   text;
    PqSlice line, rest;
} State;

static PqRc describe_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    PQ_TRY(pqsql_describe(call->host->db, call->host->engine, call->mem,
                          call->argument[0], &call->keys, &call->patience, &s->text,
                          e));
    s->rest = pq_buf_view(&s->text);
    return PQ_OK;
}

static PqRc describe_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;

    *more = s->rest.n > 0;
    if (*more) {
        s->line = pq_slice_before(&s->rest, '\n');
    }
    return PQ_OK;
}

static void describe_end(PqextCall *call)
{
    pq_buf_free(&((State *)call->state)->text);
}

static const PqextColumn columns[] = {
    {"line TEXT", PQEXT_AT(State, line), .give = pqext_give_slice},
};

const PqextFunction pqext_parquet_describe = {
    .name = "parquet_describe",
    .call = "parquet_describe('FILE')",
    PQEXT_COLUMNS(columns),
    .takes = PQEXT_PATH,
    .arguments = {"file"},
    .state_size = sizeof(State),
    .also_scalar = true,
    .begin = describe_begin,
    .next = describe_next,
    .end = describe_end,
};
