/*
** copy_rows.c - rows of the query become cells of the copy.
**
** Values are read as sqlite3_value, because those functions take no lock, while
** the functions for columns take one each (row_values.h).  That is allowed while
** the connection's mutex is held, and the calling statement holds it.
**
** Where the values of a column decide its type, the first rows are gathered.
*/
#include "sql/copy/copy_run.h"

#include "sql/argument.h"

#include <stdio.h>

/* Rows are gathered until 1/GATHER_SHARE of the memory is used; cells grow by
** doubling. */
enum { GATHER_SHARE = 8 };

/* ---- rows --------------------------------------------------------------- */

/* Steps the query; *more says that there is a row. */
PqRc pqsql_copy_step(PqsqlCopyRun *r, bool *more)
{
    int rc = sqlite3_step(r->query);
    char before[64];

    *more = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW) {
        pqsql_row_values_begin(&r->row);
        return PQ_OK;
    }
    if (rc == SQLITE_DONE) {
        return PQ_OK;
    }
    r->code = sqlite3_extended_errcode(r->db);
    snprintf(before, sizeof before, "the query failed after %llu rows: ",
             (unsigned long long)r->n_rows);
    return pqsql_copy_query_error(r->db, &r->e, before);
}

/* A TEXT of a VARIANT column may have a twin, which knows the types. */
static PqRc append_text(PqCells *c, sqlite3_value *v,
                        const PqsqlCopyColumn *column, PqErr *e)
{
    PqSlice text, blob;

    PQ_TRY(pqsql_text_of(v, &text, e));
    if (PQ_UNLIKELY(column->twins) && pqsql_twin_of(column->twins, v, &blob)) {
        return pq_cells_bytes(c, PQ_CELL_BLOB, blob.p, blob.n, e);
    }
    if (column->empty_is_null && text.n == 0) {
        pq_cells_null(c);
        return PQ_OK;
    }
    return pq_cells_bytes(c, PQ_CELL_TEXT, text.p, text.n, e);
}

static PqRc append_blob(PqCells *c, sqlite3_value *v, PqErr *e)
{
    PqSlice blob;

    PQ_TRY(pqsql_blob_of(v, &blob, e));
    return pq_cells_bytes(c, PQ_CELL_BLOB, blob.p, blob.n, e);
}

static inline PqRc append(PqCells *c, sqlite3_value *v,
                          const PqsqlCopyColumn *column, PqErr *e)
{
    pq_cells_expect(c);
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        pq_cells_int(c, sqlite3_value_int64(v));
        return PQ_OK;
    case SQLITE_FLOAT:
        pq_cells_real(c, sqlite3_value_double(v));
        return PQ_OK;
    case SQLITE_TEXT:
        return append_text(c, v, column, e);
    case SQLITE_BLOB:
        return append_blob(c, v, e);
    default:
        pq_cells_null(c);
        return PQ_OK;
    }
}

/* The value of a column that the query has. */
static inline sqlite3_value *value_of(const PqsqlCopyRun *r, const PqsqlCopyColumn *c)
{
    return pqsql_row_value(&r->row, c->from - 1);
}

static inline PqRc append_of(PqsqlCopyRun *r, PqCells *to, uint32_t column)
{
    const PqsqlCopyColumn *c = &r->columns.v[column];

    if (PQ_UNLIKELY(!c->from)) {
        pq_cells_expect(to);
        pq_cells_null(to);
        return PQ_OK;
    }
    return append(to, value_of(r, c), c, &r->e);
}

/* Adds the place to the error about a value that is too large for the memory or
** the format. */
static PqRc place_large(PqsqlCopyRun *r, uint32_t column, uint64_t row)
{
    PqErr why = r->e;

    if (why.rc != PQ_BUDGET && why.rc != PQ_USAGE) {
        return why.rc;
    }
    pq_err_clear(&r->e);
    return pq_fail(&r->e, why.rc, "column %s, row %llu: %s",
                   r->columns.v[column].name, (unsigned long long)row,
                   why.text);
}

/* The text for a folder's name; p NULL: null. */
static PqRc partition_text(PqsqlCopyRun *r, uint32_t k, PqSlice *out)
{
    uint32_t column = r->partition_columns[k];
    sqlite3_value *v = r->columns.v[column].from ? value_of(r, &r->columns.v[column]) : NULL;

    *out = (PqSlice){0};
    if (!v || sqlite3_value_type(v) == SQLITE_NULL) {
        return PQ_OK;
    }
    if (pqsql_copy_lake_transforms(&r->lake, k)) {
        return pqsql_copy_lake_part(&r->lake, k, v, &r->columns.v[column], out, &r->e) == PQ_OK
                   ? PQ_OK : place_large(r, column, r->n_rows + 1);
    }
    if (sqlite3_value_type(v) == SQLITE_BLOB) {
        return pq_fail(&r->e, PQ_USAGE, "partition_by, column %s, row %llu: a "
                       "BLOB has no text for a folder",
                       r->columns.v[column].name,
                       (unsigned long long)r->n_rows + 1);
    }
    PQ_TRY(pqsql_text_of(v, out, &r->e));
    return pqsql_copy_lake_value(&r->lake, k, sqlite3_value_type(v), r->columns.v[column].name,
                                 out, &r->e);
}

PqRc pqsql_copy_tell(PqsqlCopyRun *r)
{
    uint64_t bytes = r->copy ? pq_copy_progress(r->copy).bytes : 0;

    return pqsql_copy_progress_tell(r->progress, r->n_rows, (int64_t)bytes, &r->e);
}

static PqRc count_row(PqsqlCopyRun *r)
{
    r->n_rows++;
    return pqsql_copy_progress_is_due(r->progress) ? pqsql_copy_tell(r) : PQ_OK;
}

PqRc pqsql_copy_row(PqsqlCopyRun *r)
{
    PqCells *to;

    pqsql_copy_lake_row(&r->lake);
    for (uint32_t k = 0; k < r->o.partition_by.n; k++) {
        PQ_TRY(partition_text(r, k, &r->partition_texts[k]));
    }
    PQ_TRY(pq_copy_row(r->copy, r->partition_texts, &to, &r->e));
    for (uint32_t i = 0; i < r->n_values; i++) {
        if (PQ_UNLIKELY(append_of(r, &to[i], r->values[i]) != PQ_OK)) {
            return place_large(r, r->values[i], r->n_rows + 1);
        }
    }
    PQ_TRY(pq_copy_row_end(r->copy, &r->e));
    return count_row(r);
}

/* ---- gathering ---------------------------------------------------------- */

static uint32_t partition_of(const PqsqlCopyRun *r, uint32_t column)
{
    uint32_t k = 0;

    while (r->partition_columns[k] != column) {
        k++;
    }
    return k;
}

static PqRc gather_row(PqsqlCopyRun *r)
{
    pqsql_copy_lake_row(&r->lake);
    for (uint32_t i = 0; i < r->columns.n; i++) {
        PqCells *to = &r->gathered[i];
        PqSlice text;

        PQ_TRY(pq_cells_reserve(to, &r->e));
        if (!r->columns.v[i].is_partition) {
            if (append_of(r, to, i) != PQ_OK) {
                return place_large(r, i, r->n_rows + 1);
            }
            continue;
        }
        PQ_TRY(partition_text(r, partition_of(r, i), &text));
        if (text.p) {
            PQ_TRY(pq_cells_bytes(to, PQ_CELL_TEXT, text.p, text.n, &r->e));
        } else {
            pq_cells_null(to);
        }
    }
    return count_row(r);
}

static PqRc gather(PqsqlCopyRun *r, bool *more)
{
    size_t most = pq_mem_limit(r->mem) / GATHER_SHARE;

    PQ_TRY(PQ_ARRAY(r->mem, r->gathered, r->columns.n, &r->e));
    for (uint32_t i = 0; i < r->columns.n; i++) {
        pq_cells_init(&r->gathered[i], r->mem);
    }
    for (;;) {
        PQ_TRY(pqsql_copy_step(r, more));
        if (!*more) {
            return PQ_OK;
        }
        PQ_TRY(gather_row(r));
        if (r->n_rows >= (uint64_t)r->o.first_rows ||
            pq_mem_used(r->mem) > most) {
            return PQ_OK;
        }
    }
}

static PqRc settle(PqsqlCopyRun *r)
{
    for (uint32_t i = 0; i < r->columns.n; i++) {
        PqsqlCopyColumn *c = &r->columns.v[i];

        if (!c->is_partition && (!c->type || c->is_hint)) {
            PQ_TRY(pqsql_copy_values_settle(c, &r->gathered[i], &r->o,
                                            &r->stop, &r->arena, &r->e));
        } else if (c->shreds_auto) {
            PQ_TRY(pqsql_copy_shred_settle(c, &r->gathered[i], &r->stop,
                                           &r->arena, &r->e));
        }
    }
    return PQ_OK;
}

PqRc pqsql_copy_gather(PqsqlCopyRun *r, bool *more)
{
    PQ_TRY(gather(r, more));
    return settle(r);
}

void pqsql_copy_forget(PqsqlCopyRun *r)
{
    for (uint32_t i = 0; r->gathered && i < r->columns.n; i++) {
        pq_cells_free(&r->gathered[i]);
    }
    pq_mem_free(r->gathered);
    r->gathered = NULL;
}

PqRc pqsql_copy_gathered(PqsqlCopyRun *r)
{
    uint32_t n = r->gathered[0].n, row, i, k;
    PqCells *to;

    for (row = 0; row < n; row++) {
        for (k = 0; k < r->o.partition_by.n; k++) {
            const PqCells *cells = &r->gathered[r->partition_columns[k]];
            const PqCell *cell = &cells->cells[row];

            r->partition_texts[k] = cell->kind == PQ_CELL_NULL
                                        ? pq_slice(NULL, 0)
                                        : pq_cell_slice(cell);
        }
        PQ_TRY(pq_copy_row(r->copy, r->partition_texts, &to, &r->e));
        for (i = 0; i < r->columns.n; i++) {
            if (pqsql_copy_is_in_files(&r->columns.v[i]) &&
                pq_cells_add(to++, &r->gathered[i].cells[row], &r->e) !=
                    PQ_OK) {
                return place_large(r, i, (uint64_t)row + 1);
            }
        }
        PQ_TRY(pq_copy_row_end(r->copy, &r->e));
    }
    pqsql_copy_forget(r);
    return PQ_OK;
}
