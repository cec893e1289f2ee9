/*
** parquet_verify.c - parquet_verify(file): a row per finding, none for a file
** that keeps what it promises.
**
** core/verify compares a file with itself.  Two findings are made here, because
** they are about several files.  A file that cannot be opened at all is a
** finding, so that a folder can be verified whole.  So is a file whose columns
** do not fit those of the first file, for a table without union_by_name.
*/
#include "ext/functions/table_function.h"

typedef struct State {
    PqVerify *verify;
    PqFinding finding;               /* the row                             */
    char      misfit[PQ_ERR_TEXT];   /* "": it fits the first file          */
} State;

/* Could the file be part of a table that takes its columns from the first? */
static PqRc compare_with_first(PqextCall *call, PqErr *e)
{
    PqTableOptions usual = {.stop = pqext_call_stop(call)};
    PqListing alone = {.files = &call->listing.files[call->n_seen - 1],
                       .n_files = 1, .places = call->listing.places,
                       .keys = &call->keys};
    State *s = call->state;
    const PqNode **nodes;
    PqErr why = PQ_NO_ERR;

    if (call->listing.n_files == 1) {
        return PQ_OK;
    }
    if (!call->table) {
        PQ_TRY(pq_table_new(call->host->engine, &alone, &usual, &call->table,
                            e));
        for (uint32_t i = 0; i < call->table->n_columns; i++) {
            call->table->columns[i].not_null = false;  /* a NULL is not a misfit */
        }
        return PQ_OK;
    }
    nodes = pq_mem_zeros(call->mem, call->table->n_columns + 1u, sizeof *nodes,
                         e);
    if (!nodes) {
        return e->rc;
    }
    pq_table_map(call->table, call->footer, call->path, false, nodes, &why);
    memcpy(s->misfit, why.text, sizeof s->misfit);
    pq_mem_free(nodes);
    return PQ_OK;
}

static PqRc verify_begin(PqextCall *call, PqErr *e)
{
    State *s = call->state;

    if (call->unreadable) {
        return PQ_OK;
    }
    PQ_TRY(compare_with_first(call, e));
    return pq_verify_new(call->mem, &call->in, call->footer,
                         pqext_call_stop(call), &s->verify, e);
}

static void verify_end(PqextCall *call)
{
    pq_verify_free(((State *)call->state)->verify);
}

/* Makes a finding about the whole file. */
static void about_file(State *s, PqSeverity severity, const char *what,
                       const char *message)
{
    s->finding = (PqFinding){.severity = severity, .row_group = -1, .leaf = -1,
                             .page = -1, .offset = -1, .what = what,
                             .message = message};
}

static PqRc verify_next(PqextCall *call, bool *more, PqErr *e)
{
    State *s = call->state;
    const PqFinding *found;

    *more = call->row == 0;
    if (call->unreadable) {
        about_file(s, call->unreadable_rc == PQ_UNSUPPORTED
                          ? PQ_FINDING_WARNING : PQ_FINDING_ERROR,
                   "file", call->unreadable);
        return PQ_OK;
    }
    if (*more && s->misfit[0]) {
        about_file(s, PQ_FINDING_WARNING, "columns", s->misfit);
        return PQ_OK;
    }
    PQ_TRY(pq_verify_next(s->verify, &found, e));
    *more = found != NULL;
    if (found) {
        s->finding = *found;
    }
    return PQ_OK;
}

static PqRc give_severity(const PqextCall *call, const void *value,
                          sqlite3_context *ctx, PqErr *e)
{
    static const char *const words[] = {
        [PQ_FINDING_ERROR] = "error",
        [PQ_FINDING_WARNING] = "warning",
        [PQ_FINDING_NOTE] = "note",
    };
    const PqFinding *f = value;

    pqext_result_text(ctx, words[f->severity]);
    return PQ_OK;
}

#define FINDING(name) PQEXT_MEMBER(State, finding.name)

static const PqextColumn columns[] = {
    {"file_name TEXT", PQEXT_FILE_NAME},
    {"severity TEXT", PQEXT_AT(State, finding), .give = give_severity},
    {"row_group_id BIGINT", FINDING(row_group)},
    {"column_id BIGINT", FINDING(leaf)},
    {"\"column\" TEXT", FINDING(column)},
    {"page BIGINT", FINDING(page)},
    {"\"offset\" BIGINT", FINDING(offset)},
    {"what TEXT", FINDING(what)},
    {"expected TEXT", FINDING(expected)},
    {"found TEXT", FINDING(found)},
    {"message TEXT", FINDING(message)},
};

const PqextFunction pqext_parquet_verify = {
    .name = "parquet_verify",
    .call = "parquet_verify('FILE')",
    PQEXT_COLUMNS(columns),
    .arguments = {"file"},
    .state_size = sizeof(State),
    .takes_unreadable = true,
    .begin = verify_begin,
    .next = verify_next,
    .end = verify_end,
};
