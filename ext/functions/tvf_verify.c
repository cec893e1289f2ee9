/*
** tvf_verify.c - parquet_verify(file): a row per finding, none for a file that
** keeps what it promises.
**
** A file that cannot be opened at all is a finding, too, so that a folder can
** be verified whole; and so is a file that does not fit the first one, as part of
** a table without union_by_name.
*/
#include "ext/functions/tvf.h"

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
    bool             said;           /* what is about the whole file        */
    PqFinding        whole;
    char             misfit[PQ_ERR_TEXT];    /* "": it fits the first file  */
} State;

/* Could the file be part of a table that takes its columns from the first one? */
static PqRc compare_with_first(PqextLook *l, PqErr *e)
{
    PqTableOptions usual = {.stop = pqext_look_stop(l)};
    PqListing alone = {.files = &l->listing.files[l->n_seen - 1], .n_files = 1};
    State *s = l->state;
    const PqNode **nodes;
    PqErr why;
    uint32_t i;

    if (l->listing.n_files == 1) {
        return PQ_OK;
    }
    if (!l->table) {
        PQ_TRY(pq_table_new(l->host->engine, &alone, &usual, &l->table, e));
        for (i = 0; i < l->table->n_columns; i++) {
            l->table->columns[i].not_null = false;   /* others may have some */
        }
        return PQ_OK;
    }
    nodes = pq_mem_zeros(l->mem, l->table->n_columns + 1u, sizeof *nodes, e);
    if (!nodes) {
        return e->rc;
    }
    pq_err_init(&why);
    pq_table_map(l->table, l->footer, l->path, false, nodes, &why);
    memcpy(s->misfit, why.text, sizeof s->misfit);
    pq_mem_free(nodes);
    return PQ_OK;
}

static PqRc verify_begin(PqextLook *l, PqErr *e)
{
    State *s = l->state;

    if (l->unreadable) {
        return PQ_OK;
    }
    PQ_TRY(compare_with_first(l, e));
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
        s->whole = (PqFinding){
            .severity = l->unreadable_rc == PQ_UNSUPPORTED
                            ? PQ_FINDING_WARNING : PQ_FINDING_ERROR,
            .row_group = -1, .leaf = -1, .page = -1, .offset = -1,
            .what = "file", .message = l->unreadable};
        s->finding = &s->whole;
        return PQ_OK;
    }
    if (s->misfit[0] && !s->said) {
        s->said = *more = true;
        s->whole = (PqFinding){
            .severity = PQ_FINDING_WARNING,
            .row_group = -1, .leaf = -1, .page = -1, .offset = -1,
            .what = "columns", .message = s->misfit};
        s->finding = &s->whole;
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
    .unreadable = PQEXT_BEGUN,
    .begin = verify_begin,
    .next = verify_next,
    .column = verify_column,
    .end = verify_end,
};
