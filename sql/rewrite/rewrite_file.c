/*
** rewrite_file.c - inputs become one file.
**
** Rows that where_not drops are found by SQLite, in a table of exactly these files.  Its
** rowids come in the order of the rows, so one statement runs beside the files, and what is
** kept of it is the ranges of one file.
*/
#include "sql/rewrite/rewriting.h"

#include "sql/copy/copy_query.h"

/* A rowid is file << FILE_BITS | row: scan.h. */
enum { FILE_BITS = 40 };

/* ---- rows that are left out -------------------------------------------------------------- */

static PqRc open_left_out(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    PqBuf b;

    pq_buf_init(&b, m->mem, &m->e);
    for (uint32_t i = 0; i < f->n_files; i++) {
        pqsql_move_item(&b, '[', pq_slice_text(f->files[i].path));
    }
    PQ_TRY(pqsql_rewrite_table(f, pqsql_move_close(m, &b, "[]")));
    f->left_out = pqsql_move_prepare(m, "SELECT _rowid_ FROM " PQSQL_REWRITE_FILES
                                        " WHERE (\n%s\n) ORDER BY _rowid_", f->w->where_not);
    f->has_rowid = pqsql_move_step(m, f->left_out);
    return m->e.rc;
}

static PqRc find_left_out(PqsqlRewriteFile *f, uint32_t file)
{
    PqsqlMove *m = &f->w->m;

    f->n_spans = 0;
    for (; f->has_rowid; f->has_rowid = pqsql_move_step(m, f->left_out)) {
        int64_t rowid = sqlite3_column_int64(f->left_out, 0);
        int64_t row = rowid & (((int64_t)1 << FILE_BITS) - 1);

        if (rowid >> FILE_BITS != file) {
            break;
        }
        if (f->n_spans && f->spans[f->n_spans - 1].end == row) {
            f->spans[f->n_spans - 1].end++;
        } else {
            PQ_TRY(PQ_GROW(m->mem, f->spans, f->n_spans, f->spans_room, &m->e));
            f->spans[f->n_spans++] = (PqRowSpan){row, row + 1};
        }
    }
    return m->e.rc;
}

/* ---- files --------------------------------------------------------------------------------- */

void pqsql_rewrite_cannot(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;

    if (m->e.rc == PQ_UNSUPPORTED) {
        f->why = pq_arena_text(&m->arena, m->e.text, strlen(m->e.text), &m->e);
        pq_err_clear(&m->e);
    }
}

/* Can all files be mapped?  If not, why says so. */
static PqRc check(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;

    for (uint32_t i = 0; i < f->n_files && !f->why; i++) {
        const char *path = f->files[i].path;
        PqWhere outer;
        PqFooter *footer;

        PQ_TRY(pq_engine_footer(m->host->engine, &f->w->listing, path, &footer, &m->e));
        outer = pq_where_enter(&m->e, path);
        pq_rewrite_check(f->rewrite, footer, &m->e);
        pqsql_rewrite_cannot(f);
        m->e.where = outer;
        pq_footer_release(footer);
        PQ_TRY(m->e.rc);
    }
    return m->e.rc;
}

static PqRc add(PqsqlRewriteFile *f, uint32_t i)
{
    PqsqlMove *m = &f->w->m;
    PqFooter *footer = NULL;
    PqSource *source;

    PQ_TRY(pq_stop_poll(&m->host->stop, &m->e));
    PQ_TRY(find_left_out(f, i));
    PQ_TRY(pq_engine_open(m->host->engine, &f->w->listing, f->files[i].path, &source, &footer,
                          &m->e));
    f->w->bytes_before += pq_source_size(source);
    if (f->replaces) {
        pq_publish_reads(m->publish, f->files[i].path, pq_source_id(source), &m->e);
    }
    pq_rewrite_add(f->rewrite, source, footer, f->spans, f->n_spans, &m->e);
    pq_footer_release(footer);
    return m->e.rc;
}

static PqRc tell(void *arg, PqErr *e)
{
    PqsqlRewrite *w = arg;
    PqsqlCopyProgress *p = &w->m.progress;

    return pqsql_copy_progress_is_due(p)
               ? pqsql_copy_progress_tell(p, w->done.rows, (int64_t)w->done.bytes, e) : PQ_OK;
}

PqRc pqsql_rewrite_fits(PqsqlRewriteFile *f)
{
    PqsqlMove *m = &f->w->m;
    const PqsqlCopyOptions *o = &m->o;
    PqRewritePlan plan = {
        .columns = f->chosen, .n_columns = f->n_chosen,
        .repack = o->chunk.codec != PQSQL_UNSAID || o->chunk.level != PQSQL_UNSAID,
        .add = f->w->add,
        .min_group_rows = (uint64_t)f->w->min_rows, .min_group_bytes = (uint64_t)f->w->min_bytes,
        .group_rows = (uint64_t)o->row_group_rows, .group_bytes = (uint64_t)o->row_group_bytes,
        .key_values = f->keys.v, .n_key_values = f->keys.n,
        .created_by = o->created_by ? o->created_by
                                    : PQ_WRITER_HERE " version " PARQUET_VERSION,
        .encryption = o->encryption,
        .path = m->folder,
        .threads = o->threads < 0 ? pq_pool_spare_processors() : (unsigned)o->threads,
        .stop = &m->host->stop,
        .now = &f->w->done, .progress = tell, .progress_arg = f->w,
        .mem = m->mem,
    };

    if (f->why) {
        return m->e.rc;
    }
    PQ_TRY(pq_rewrite_new(&plan, &f->rewrite, &m->e));
    if (check(f) == PQ_OK && f->why) {
        pq_rewrite_free(f->rewrite);
        f->rewrite = NULL;
    }
    return m->e.rc;
}

PqRc pqsql_rewrite_file(PqsqlRewriteFile *f, PqSink *sink)
{
    PqsqlMove *m = &f->w->m;

    PQ_TRY(pq_rewrite_begin(f->rewrite, sink, &m->e));
    if (f->w->where_not) {
        PQ_TRY(open_left_out(f));
    }
    for (uint32_t i = 0; i < f->n_files; i++) {
        PQ_TRY(add(f, i));
    }
    return pq_rewrite_end(f->rewrite, m->publish, &m->e);
}
