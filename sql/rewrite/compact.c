/*
** compact.c - parquet_compact(folder [, options]): the small files of each folder become
** large ones.
**
**   day=1/data_0.parquet  2 MB  \
**   day=1/data_1.parquet  3 MB   > day=1/data_3.parquet  5 MB
**   day=1/data_2.parquet  120 MB                          stays
**   day=2/data_0.parquet  1 MB                            stays: it is alone
**
** A file is small if it has less than half of file_bytes.  Small files of a folder are taken
** in their order until file_bytes are full, so what was written is not small, and a second
** run finds nothing to do.
**
** All new files are published together, and only then those that were read go
** (pq_publish_reads).  A file that another process adds meanwhile was not read, and stays.
*/
#define _GNU_SOURCE
#include "sql/rewrite/lake_change.h"
#include "sql/rewrite/rewriting.h"

#include "core/base/system.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_BYTES = 128 << 20, SMALL_SHARE = 2 };

static const char options[] = "table, " PQSQL_REWRITE_OPTIONS;
static const char of_copy[] = "file_bytes, filename_pattern, " PQSQL_REWRITE_OF_COPY;

typedef struct Compact {
    PqsqlRewrite w;
    PqListedFile *small;             /* the files that become one            */
    uint32_t     n_small;
    uint64_t     bytes;              /* of them                              */
    uint32_t     n_read, n_written, n_left;
    const char  *why;                /* the first files that were left       */
} Compact;

/* The bytes of a path before the name of its file. */
static size_t folder_bytes(const char *path)
{
    return (size_t)(pq_path_name(path) - path);
}

static bool same_folder(const char *a, const char *b)
{
    size_t n = folder_bytes(a);

    return n == folder_bytes(b) && memcmp(a, b, n) == 0;
}

/* Files of a folder lie together, in the order of their names. */
static int by_folder(const void *a, const void *b)
{
    const char *one = ((const PqListedFile *)a)->path, *other = ((const PqListedFile *)b)->path;
    size_t n = folder_bytes(one), n_other = folder_bytes(other);

    return n == n_other ? strcmp(one, other) : n < n_other ? -1 : 1;
}

/* ---- files become one ---------------------------------------------------------------- */

/* Writes the next file of the folder that they are in. */
static PqRc write_joined(Compact *c, PqsqlRewriteFile *f)
{
    PqsqlMove *m = &c->w.m;
    const char *in = f->files[0].path + strlen(m->folder);
    const char *folder = pqsql_move_print(m, "%.*s", (int)folder_bytes(in), in);
    uint64_t number = 0;
    PqSink *sink;

    PQ_TRY(pq_publish_next(m->publish, folder, &number, &sink, &m->e));
    PQ_TRY(pqsql_rewrite_file(f, sink));
    c->n_read += c->n_small;
    c->n_written++;
    return PQ_OK;
}

/* Files whose columns cannot be mapped stay as they are. */
static PqRc join(Compact *c)
{
    PqsqlMove *m = &c->w.m;
    PqsqlRewriteFile f = {.w = &c->w, .files = c->small, .n_files = c->n_small, .replaces = true};

    if (c->n_small >= 2 && pqsql_rewrite_columns(&f) == PQ_OK) {
        f.why = !f.differs ? f.why : "they look like several tables: no file has the columns of "
                                     "all; parquet_rewrite joins them";
        pqsql_rewrite_fits(&f);
        pqsql_rewrite_cannot(&f);
        if (f.why) {
            c->n_left += c->n_small;
            c->why = c->why ? c->why : f.why;
        } else if (m->e.rc == PQ_OK) {
            write_joined(c, &f);
        }
    }
    pqsql_rewrite_free(&f);
    c->n_small = 0;
    c->bytes = 0;
    return m->e.rc;
}

/* ---- which files --------------------------------------------------------------------- */

/* What a link in the folder names, a file or a folder, lies elsewhere, for others too. */
static bool is_linked(const char *folder, const char *path)
{
    const char *end = path + strlen(folder);
    char part[PATH_MAX];
    struct stat st;

    while (*end) {
        end += strspn(end, "/");
        end += strcspn(end, "/");
        if (snprintf(part, sizeof part, "%.*s", (int)(end - path), path) < (int)sizeof part &&
            lstat(part, &st) == 0 && S_ISLNK(st.st_mode)) {
            return true;
        }
    }
    return false;
}

/* Adds a file to those that become one, if it is small. */
static PqRc see_file(Compact *c, const PqListedFile *file, uint64_t most)
{
    PqsqlMove *m = &c->w.m;
    PqSource *source;
    uint64_t size;

    PQ_TRY(pq_stop_poll(&m->host->stop, &m->e));
    if (is_linked(m->folder, file->path)) {
        return PQ_OK;
    }
    PQ_TRY(pq_listing_open(&c->w.listing, m->mem, file->path, &source, &m->e));
    size = pq_source_size(source);
    pq_source_close(source);
    if (size >= most / SMALL_SHARE) {
        return PQ_OK;
    }
    if (c->n_small && (c->bytes + size > most ||
                       !same_folder(c->small[0].path, file->path))) {
        PQ_TRY(join(c));
    }
    PQ_TRY(PQ_ARENA_GROW(&m->arena, c->small, c->n_small, &m->e));
    c->small[c->n_small++] = *file;
    c->bytes += size;
    return PQ_OK;
}

/* Somebody else knows the files by their names. */
static PqRc refuse_owned(Compact *c)
{
    PqsqlMove *m = &c->w.m;
    const PqListing *l = &c->w.listing;

    if (pqsql_manifest_is_there(m)) {
        return pqsql_move_refuse(m, "%.300s is a database that parquet_export wrote: manifest.json "
                                 "names its files", m->folder);
    }
    for (uint32_t i = 0; i < l->n_files; i++) {
        if (pq_run_folder_in(l->files[i].path)) {
            return pqsql_move_refuse(m, "%.300s is of an archive: parquet_archive_files of its "
                                     "database names it", l->files[i].path);
        }
    }
    return m->e.rc;
}

/* ---- the call -------------------------------------------------------------------------- */

static PqRc run(Compact *c)
{
    PqsqlRewrite *w = &c->w;
    PqsqlMove *m = &w->m;
    const PqListing *l = &w->listing;
    PqListedFile *files;
    uint64_t most;

    m->host->sqlite_ran(m->host->arg);
    if (pqsql_ducklake_is(m->folder)) {
        return pqsql_move_refuse(m, "%.300s is the catalog of a DuckLake: say which \"table\"",
                                 m->folder);
    }
    PQ_TRY(pqsql_rewrite_options(w, options, of_copy));
    PQ_TRY(pqsql_move_name_folder(m));
    most = m->o.file_bytes ? (uint64_t)m->o.file_bytes : FILE_BYTES;
    m->o.overwrite = PQ_OVERWRITE_APPEND;
    /* Ends what a dead process has begun.  Two calls that read the same files would both have
    ** their rows in a new one. */
    PQ_TRY(pqsql_move_publish(m));
    PQ_TRY(pq_publish_alone(m->publish, &m->e));
    PQ_TRY(pqsql_rewrite_list(w, m->folder, PQ_LIST_FOLDER));
    if (!l->n_files) {
        return pqsql_move_refuse(m, "%.300s has no Parquet files", m->folder);
    }
    PQ_TRY(refuse_owned(c));
    PQ_TRY(PQ_ARENA_NEW(&m->arena, files, l->n_files, &m->e));
    pq_bytes_copy(files, l->files, l->n_files * sizeof *files);
    qsort(files, l->n_files, sizeof *files, by_folder);
    for (uint32_t i = 0; i < l->n_files; i++) {
        PQ_TRY(see_file(c, &files[i], most));
    }
    PQ_TRY(join(c));
    PQ_TRY(pqsql_copy_progress_tell(&m->progress, w->done.rows, (int64_t)w->done.bytes, &m->e));
    return c->n_written ? pq_publish_commit(m->publish, &m->e) : PQ_OK;
}

void pqsql_call_compact(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    Compact c = {.w = {.m = {.function = "parquet_compact"}}};
    PqsqlMove *m = &c.w.m;
    const char *table;

    if (!pqsql_move_begin(m, ctx, argc, argv, 1, 2, "folder [, options])")) {
        return;
    }
    pqsql_move_take_folder(m, argv[0]);
    table = pqsql_move_option(m, "table");
    if (table) {
        pqsql_move_end(m, ctx, pqsql_lake_compact(m, table));
        return;
    }
    if (m->e.rc == PQ_OK) {
        run(&c);
    }
    pqsql_rewrite_end(&c.w, ctx, pqsql_move_print(m, ",\"read\":%u,\"written\":%u,\"left\":%u",
                                                  c.n_read, c.n_written, c.n_left), false, c.why);
}
