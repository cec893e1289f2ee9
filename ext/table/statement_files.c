/*
** statement_files.c - the files as one statement sees them.
**
** A listing is made when a statement opens its first cursor of a table.  The
** other cursors of that table in the statement share it, and with it the
** versions of the files (core/files/versions.h).  The last of them frees it.
**
** If the table is a folder of a bucket that takes several requests to list, the first call
** makes the listing, and folders are left out that its terms rule out (core/files/s3_walk.h).
** A call that asks something else, and whoever needs the number of a file, gets a listing of
** all files.  That one has the files of the first one as they were then.
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
                       const PqFolderTest *test, const PqListing *part, PqListing *out,
                       PqErr *e)
{
    PqMem *mem = host->engine->mem;
    PqStop stop = {pqext_host_stop, host};

    PqPlaces places = pq_engine_places(host->engine, o->own, &o->patience);
    PqsqlDucklake ducklake = {host->db, o->table, o->row_ids};
    PqLakeHost catalog = {pqsql_ducklake_read, &ducklake};

    places.terms.columns_only = !t;  /* of a table that is being made       */
    PQ_TRY(pq_listing_make_part(o->path,
                                (o->hive ? PQ_LIST_HIVE : 0u) |
                                    (o->ignore_errors ? PQ_LIST_READABLE : 0u) |
                                    (o->format ? PQ_LIST_LAKES : 0u) |
                                    (o->format || o->ignore_errors ? 0u : PQ_LIST_TABLES) |
                                    (o->table ? PQ_LIST_CATALOG : 0u),
                                &places, mem, &stop, test, part, out, e));
    out->keys = pqext_options_keys(o);
    PQ_TRY(pq_lake_read(out, host->engine, o->version, o->as_of, &catalog, &stop, e));
    PQ_TRY(t ? pq_lake_fits(out, t, e) : PQ_OK);
    PQ_TRY(pq_listing_keep_versions(out, mem, e));
    PQ_TRY(o->hive ? pq_listing_unfold(out, host->engine, &stop, e) : PQ_OK);
    return o->ignore_errors ? pq_leave_out(out, host->engine, t, &stop, e)
                            : PQ_OK;
}

static PqRc make(PqextHost *host, const PqextOptions *o, const PqTable *t,
                 const PqFolderTest *test, const PqListing *part, PqextListing **out, PqErr *e)
{
    PqextListing *l = sqlite3_malloc(sizeof *l);

    *out = NULL;
    if (!l) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    *l = (PqextListing){.holders = 1};
    if (list_files(host, o, t, test, part, &l->list, e) != PQ_OK) {
        pqext_listing_release(l);
        return e->rc;
    }
    *out = l;
    return PQ_OK;
}

PqRc pqext_listing_make(PqextHost *host, const PqextOptions *o,
                        const PqTable *t, PqextListing **out, PqErr *e)
{
    return make(host, o, t, NULL, NULL, out, e);
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
    if (l->all) {
        l->list.versions = NULL;     /* all has them                        */
    }
    pq_listing_free(&l->list);
    pqext_listing_release(l->all);
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

static PqRc begin(PqextTable *t, const PqextFolderAsk *ask, const PqListing *part,
                  PqextListing **out, PqErr *e)
{
    bool asks = ask && ask->question.n && ask->columns != t->asked_in_vain;

    PQ_TRY(make(t->host, &t->options, t->table, asks ? &ask->test : NULL, part, out, e));
    if ((*out)->list.in_vain) {
        t->asked_in_vain = ask->columns;
    }
    if ((*out)->list.n_skipped) {
        (*out)->question.n = ask->question.n;
        (*out)->question.p = (const uint8_t *)pq_arena_text(&(*out)->list.arena, ask->question.p,
                                                            ask->question.n, e);
    }
    if (e->rc != PQ_OK || find_folders(*out, t->table, e) != PQ_OK) {
        pqext_listing_release(*out);
        *out = NULL;
        return e->rc;
    }
    (*out)->table = t;
    (*out)->next = t->now;
    t->now = *out;
    return PQ_OK;
}

PqRc pqext_listing_begin(PqextTable *t, PqextListing **out, PqErr *e)
{
    return t->now || pqext_listing_waits(t) ? PQ_OK : begin(t, NULL, NULL, out, e);
}

bool pqext_listing_waits(const PqextTable *t)
{
    return t->n_requests > 1 && !t->options.ignore_errors && t->table->unnest.n == 0;
}

bool pqext_listing_serves(const PqextListing *l, const PqextFolderAsk *ask)
{
    return l->list.n_skipped == 0 ||
           (ask && pq_slice_equal(l->question, pq_slice(ask->question.p, ask->question.n)));
}

/* Each file stays in the version that the statement has opened.  Both are sorted. */
PqRc pqext_listing_all(PqextListing *part, PqextListing **out, PqErr *e)
{
    const PqListing *of = &part->list;
    PqextListing *all;

    *out = of->n_skipped ? part->all : part;
    if (*out) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&part->list.arena, part->numbers, of->n_files + 1u, e));
    PQ_TRY(begin(part->table, NULL, of, &all, e));
    for (uint32_t i = 0, k = 0; i < of->n_files; i++) {
        while (k < all->list.n_files && strcmp(all->list.files[k].path, of->files[i].path) != 0) {
            k++;
        }
        part->numbers[i] = k;
    }
    pq_versions_free(all->list.versions);
    all->list.versions = of->versions;
    all->compiled = part->compiled;
    all->noticed = part->noticed;
    all->forget = part->forget;
    *out = part->all = all;
    return PQ_OK;
}

PqRc pqext_listing_number(PqextListing *l, int64_t *file, PqErr *e)
{
    PqextListing *all;

    if (l->list.n_skipped == 0) {
        return PQ_OK;
    }
    PQ_TRY(pqext_listing_all(l, &all, e));
    *file = l->numbers[*file];
    return *file < all->list.n_files
               ? PQ_OK : pq_fail(e, PQ_CHANGED, "the files were replaced while they were read");
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
PqRc pqext_listing_join(PqextTable *t, uint64_t number, const PqextFolderAsk *ask,
                        PqextListing **l, PqErr *e)
{
    PqextListing *found = *l ? *l : t->now;

    if (number && found && found->compiled != number &&
        several_run(t->host->db)) {
        found = listing_of(t, number);
        found = found || !*l || (*l)->compiled ? found : *l;
    }
    if (!found) {
        PQ_TRY(begin(t, ask, NULL, &found, e));
    } else {
        if (!pqext_listing_serves(found, ask)) {
            PQ_TRY(pqext_listing_all(found, &found, e));
        }
        found->holders += found != *l;
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

PqCell pqext_folder_value(const PqColumn *c, const PqHiveValue *v)
{
    return !v || !v->text ? (PqCell){.kind = PQ_CELL_NULL}
           : c->hive_type == PQ_HIVE_INTEGER && v->is_integer ? pq_cell_int(v->integer)
           : c->hive_type == PQ_HIVE_REAL ? pq_cell_shown_real(v->real)
                                          : pq_cell_text(pq_slice_text(v->text));
}

PqCell pqext_file_value(const PqextListing *l, const PqTable *t,
                        uint32_t column, uint32_t file, bool *is_other)
{
    const PqColumn *c = &t->columns[column];
    const PqListedFile *f = &l->list.files[file];
    uint32_t k = l->folders[column];
    bool is_folder = c->kind == PQ_COLUMN_HIVE;
    const PqHiveValue *v = is_folder && k != PQEXT_NO_FOLDER ? &f->hive[k] : NULL;

    if (v && v->text && is_other) {
        *is_other = l->list.folder_types[k] != c->hive_type;
    }
    return is_folder                       ? pqext_folder_value(c, v)
           : c->kind == PQ_COLUMN_FILENAME ? pq_cell_text(pq_slice_text(f->path))
                                           : pq_cell_int(file);
}
