/*
** statement_files.c - the files as one statement sees them.
**
** A listing is made when a statement opens its first cursor of a table.  The
** other cursors of that table in the statement share it, and with it the
** versions of the files (core/files/versions.h).  The last of them frees it.
**
** The hard part is to know the statement.  Two statements of a connection may
** run in turns, and each must keep seeing the files that it began with.  A plan
** has the number of its statement (plan_idxstr.h), which is compared only while
** several statements run.
*/
#include "ext/table/vtable.h"

#include "sql/ducklake/ducklake.h"

/* ---- listings ------------------------------------------------------------ */

/* With ignore_errors, the listed files have been opened (ignore_errors.h). */
static PqRc list_files(PqextHost *host, const PqextOptions *o, const PqTable *t,
                       PqListing *out, PqErr *e)
{
    PqMem *mem = host->engine->mem;
    PqStop stop = {pqext_host_stop, host};

    PqPlaces places = pq_engine_places(host->engine, o->own, &o->patience);
    PqsqlDucklake ducklake = {host->db, o->table, o->row_ids};
    PqLakeHost catalog = {pqsql_ducklake_read, &ducklake};

    PQ_TRY(pq_listing_make(o->path,
                           (o->hive ? PQ_LIST_HIVE : 0u) |
                               (o->ignore_errors ? PQ_LIST_READABLE : 0u) |
                               (o->format ? PQ_LIST_LAKES : 0u) |
                               (o->format || o->ignore_errors ? 0u : PQ_LIST_TABLES) |
                               (o->table ? PQ_LIST_CATALOG : 0u),
                           &places, mem, &stop, out, e));
    out->keys = pqext_options_keys(o);
    PQ_TRY(pq_lake_read(out, host->engine, o->version, o->as_of, &catalog, &stop, e));
    PQ_TRY(t ? pq_lake_fits(out, t, e) : PQ_OK);
    PQ_TRY(pq_listing_keep_versions(out, mem, e));
    PQ_TRY(o->hive ? pq_listing_unfold(out, host->engine, &stop, e) : PQ_OK);
    return o->ignore_errors ? pq_leave_out(out, host->engine, t, &stop, e)
                            : PQ_OK;
}

PqRc pqext_listing_make(PqextHost *host, const PqextOptions *o,
                        const PqTable *t, PqextListing **out, PqErr *e)
{
    PqextListing *l = sqlite3_malloc(sizeof *l);

    *out = NULL;
    if (!l) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    *l = (PqextListing){.holders = 1};
    if (list_files(host, o, t, &l->list, e) != PQ_OK) {
        pqext_listing_release(l);
        return e->rc;
    }
    *out = l;
    return PQ_OK;
}

/* The table keeps the indexes of keys for the next statement. */
static void keep_keys(PqextListing *l)
{
    PqKeptIndexes *kept = pq_lookup_keep(l->lookup, &l->list,
                                         l->table->host->engine);

    if (kept) {
        pq_lookup_keep_free(l->table->kept);
        l->table->kept = kept;
    }
}

void pqext_listing_release(PqextListing *l)
{
    PqextListing **at;

    if (!l || --l->holders > 0) {
        return;
    }
    for (at = l->table ? &l->table->now : NULL; at && *at != l;
         at = &(*at)->next) {
    }
    if (at) {
        *at = l->next;
    }
    if (l->lookup) {
        keep_keys(l);
    }
    if (l->forget) {
        l->forget(l);
    }
    pq_lookup_free(l->lookup);
    pq_listing_free(&l->list);
    sqlite3_free(l);
}

/* Which folder column of the listing each column of the table is. */
static PqRc find_folders(PqextListing *l, const PqTable *t, PqErr *e)
{
    l->folders = pq_arena_zeros(&l->list.arena, t->n_columns + 1u,
                                sizeof *l->folders, e);
    for (uint32_t i = 0; l->folders && i < t->n_columns; i++) {
        const PqColumn *c = &t->columns[i];
        uint32_t k = 0, n = l->list.n_folder_columns;

        while (k < n && (c->kind != PQ_COLUMN_HIVE ||
                         strcmp(l->list.folder_columns[k],
                                c->folder_column) != 0)) {
            k++;
        }
        l->folders[i] = k < n ? k : (uint32_t)PQEXT_NO_FOLDER;
    }
    return l->folders ? PQ_OK : e->rc;
}

PqRc pqext_listing_begin(PqextTable *t, PqextListing **out, PqErr *e)
{
    PQ_TRY(pqext_listing_make(t->host, &t->options, t->table, out, e));
    if (find_folders(*out, t->table, e) != PQ_OK) {
        pqext_listing_release(*out);
        *out = NULL;
        return e->rc;
    }
    (*out)->table = t;
    (*out)->next = t->now;
    t->now = *out;
    return PQ_OK;
}

static bool several_run(sqlite3 *db)
{
    sqlite3_stmt *s = NULL;
    int n = 0;

    while (n < 2 && (s = sqlite3_next_stmt(db, s)) != NULL) {
        n += sqlite3_stmt_busy(s) != 0;
    }
    return n > 1;
}

static PqextListing *listing_of(const PqextTable *t, uint64_t number)
{
    PqextListing *l = t->now;

    while (l && l->compiled != number) {
        l = l->next;
    }
    return l;
}

/* While several statements run, a cursor keeps the listing that it began
** without a number, unless another cursor of its statement has since begun a
** listing with the number. */
PqRc pqext_listing_join(PqextTable *t, uint64_t number, PqextListing **l,
                        PqErr *e)
{
    PqextListing *found = *l ? *l : t->now;

    if (number && found && found->compiled != number &&
        several_run(t->host->db)) {
        found = listing_of(t, number);
        found = found || !*l || (*l)->compiled ? found : *l;
    }
    if (!found) {
        PQ_TRY(pqext_listing_begin(t, &found, e));
    } else if (found != *l) {
        found->holders++;
    }
    if (!found->compiled) {
        found->compiled = number;
    }
    if (*l && *l != found) {
        pqext_listing_release(*l);
    }
    *l = found;
    return PQ_OK;
}

/* ---- values of files ----------------------------------------------------- */

PqCell pqext_file_value(const PqextListing *l, const PqTable *t,
                        uint32_t column, uint32_t file, bool *is_other)
{
    const PqColumn *c = &t->columns[column];
    const PqListedFile *f = &l->list.files[file];
    uint32_t k = l->folders[column];
    bool is_folder = c->kind == PQ_COLUMN_HIVE;

    if (is_folder && (k == PQEXT_NO_FOLDER || !f->hive[k].text)) {
        return (PqCell){.kind = PQ_CELL_NULL};
    }
    if (is_folder && is_other) {
        *is_other = l->list.folder_types[k] != c->hive_type;
    }
    return !is_folder ? c->kind == PQ_COLUMN_FILENAME
                            ? pq_cell_text(pq_slice_text(f->path))
                            : pq_cell_int(file)
           : c->hive_type == PQ_HIVE_INTEGER && f->hive[k].is_integer
               ? pq_cell_int(f->hive[k].integer)
           : c->hive_type == PQ_HIVE_REAL ? pq_cell_shown_real(f->hive[k].real)
               : pq_cell_text(pq_slice_text(f->hive[k].text));
}
