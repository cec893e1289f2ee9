/*
** tvf_describe.c - SELECT * FROM parquet_describe(path): the page that the
** function of that name gives as one text, a row for each of its lines.
**
** In the modes column and box the sqlite3 shell shows such rows as they are,
** and breaks a text of many lines.
*/
#include "ext/functions/tvf.h"

#include "sql/describe/describe.h"

static const char *const columns[] = {"line TEXT"};
static const char *const arguments[] = {"file"};

typedef struct State {
    PqBuf   text;
    PqSlice line, rest;
} State;

static PqRc describe_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    PQ_TRY(pqsql_describe(l->host->db, l->host->engine, l->mem, l->argument[0],
                          &s->text, e));
    s->rest = pq_buf_view(&s->text);
    return PQ_OK;
}

static PqRc describe_next(PqextLook *l, bool *more, PqErr *e)
{
    State *s = l->state;
    const uint8_t *end;

    (void)e;
    *more = s->rest.n > 0;
    if (*more) {
        end = memchr(s->rest.p, '\n', s->rest.n);
        s->line = pq_slice(s->rest.p, end ? (size_t)(end - s->rest.p)
                                          : s->rest.n);
        s->rest.p += s->line.n + (end != NULL);
        s->rest.n -= s->line.n + (end != NULL);
    }
    return PQ_OK;
}

static PqRc describe_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    (void)i;
    (void)e;
    pqext_give_slice(ctx, ((const State *)l->state)->line);
    return PQ_OK;
}

static void describe_end(PqextLook *l)
{
    pq_buf_free(&((State *)l->state)->text);
}

const PqextFunction pqext_parquet_describe = {
    .name = "parquet_describe",
    .call = "parquet_describe('FILE')",
    .columns = columns,
    .n_columns = PQ_COUNT(columns),
    .arguments = arguments,
    .n_arguments = PQ_COUNT(arguments),
    .state_size = sizeof(State),
    .takes_paths = true,
    .also_scalar = true,
    .begin = describe_begin,
    .next = describe_next,
    .column = describe_column,
    .end = describe_end,
};
