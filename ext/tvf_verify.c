/*
** tvf_verify.c - parquet_verify(file): a row per finding, none for a file that
** keeps what it promises.
**
** A file that cannot be opened at all is a finding, too, so that a folder can
** be verified whole.
*/
#include "ext/tvf.h"

enum {
    FILE_NAME, SEVERITY, ROW_GROUP_ID, COLUMN_ID, COLUMN, PAGE, OFFSET, WHAT,
    EXPECTED, FOUND, MESSAGE, N_COLUMNS
};

static const char *const columns[N_COLUMNS] = {
    [FILE_NAME] = "file_name TEXT",
    [SEVERITY] = "severity TEXT",
    [ROW_GROUP_ID] = "row_group_id BIGINT",
    [COLUMN_ID] = "column_id BIGINT",
    [COLUMN] = "\"column\" TEXT",
    [PAGE] = "page BIGINT",
    [OFFSET] = "\"offset\" BIGINT",
    [WHAT] = "what TEXT",
    [EXPECTED] = "expected TEXT",
    [FOUND] = "found TEXT",
    [MESSAGE] = "message TEXT",
};

typedef struct State {
    PqVerify        *verify;
    const PqFinding *finding;
    bool             said;           /* the finding that there is no file    */
    PqFinding        unreadable;
} State;

static PqRc verify_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    if (l->unreadable) {
        return PQ_OK;
    }
    return pq_verify_new(l->mem, &l->in, l->footer, pqext_look_stop(l),
                         &s->verify, e);
}

static void verify_end(PqextLook *l)
{
    pq_verify_free(((State *)l->state)->verify);
}

static PqRc verify_next(PqextLook *l, bool *more, PqErr *e)
{
    State *s = l->state;

    if (l->unreadable) {
        *more = !s->said;
        s->said = true;
        s->unreadable = (PqFinding){
            .severity = l->unreadable_rc == PQ_CORRUPT ? PQ_FINDING_ERROR
                                                       : PQ_FINDING_WARNING,
            .row_group = -1, .leaf = -1, .page = -1, .offset = -1,
            .what = "file", .message = l->unreadable};
        s->finding = &s->unreadable;
        return PQ_OK;
    }
    PQ_TRY(pq_verify_next(s->verify, &s->finding, e));
    *more = s->finding != NULL;
    return PQ_OK;
}

static PqRc verify_column(PqextLook *l, int i, sqlite3_context *ctx, PqErr *e)
{
    const PqFinding *f = ((const State *)l->state)->finding;

    (void)e;
    switch (i) {
    case FILE_NAME:
        pqext_give_text(ctx, l->path);
        break;
    case SEVERITY:
        pqext_give_text(ctx, f->severity == PQ_FINDING_ERROR ? "error"
                                                             : "warning");
        break;
    case ROW_GROUP_ID:
        pqext_give_i64(ctx, f->row_group >= 0, f->row_group);
        break;
    case COLUMN_ID:
        pqext_give_i64(ctx, f->leaf >= 0, f->leaf);
        break;
    case COLUMN:
        pqext_give_text(ctx, f->column);
        break;
    case PAGE:
        pqext_give_i64(ctx, f->page >= 0, f->page);
        break;
    case OFFSET:
        pqext_give_i64(ctx, f->offset >= 0, f->offset);
        break;
    case WHAT:
        pqext_give_text(ctx, f->what);
        break;
    case EXPECTED:
        pqext_give_text(ctx, f->expected);
        break;
    case FOUND:
        pqext_give_text(ctx, f->found);
        break;
    default:
        pqext_give_text(ctx, f->message);
    }
    return PQ_OK;
}

static const char *const arguments[] = {"file"};

const PqextFunction pqext_parquet_verify = {
    .name = "parquet_verify",
    .call = "parquet_verify('FILE')",
    .columns = columns,
    .n_columns = N_COLUMNS,
    .arguments = arguments,
    .n_arguments = 1,
    .state_size = sizeof(State),
    .takes_unreadable = true,
    .begin = verify_begin,
    .next = verify_next,
    .column = verify_column,
    .end = verify_end,
};
