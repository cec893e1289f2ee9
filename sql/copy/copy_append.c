/*
** copy_append.c - the row groups of a file, and those of the rows that are appended.
**
** The file keeps its schema, and the keys of its metadata; what the options say is for the
** new row groups, and encryption for all of it.
*/
#include "sql/copy/copy_append.h"

#include "core/base/system.h"

static bool is_object(const PqsqlCopyInto *into)
{
    PqPlaces places = pq_engine_places(into->host->engine, true, &into->o->patience);
    PqSource *s = NULL;
    PqErr why;

    pq_err_init(&why);
    pq_places_open(&places, into->a->mem, into->path, &s, &why);
    pq_source_close(s);
    return why.rc == PQ_OK;
}

static bool appends(const PqsqlCopyInto *into)
{
    const PqsqlCopyOptions *o = into->o;
    size_t n = strlen(into->path);
    struct stat st;

    if (o->overwrite != PQ_OVERWRITE_APPEND || o->partition_by.n || o->file_rows ||
        o->file_bytes || o->filename_pattern || !n || into->path[n - 1] == '/') {
        return false;
    }
    return pq_url_is(into->path)
               ? pq_folder_is_parquet(pq_slice_text(into->path)) && is_object(into)
               : stat(into->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

void pqsql_copy_append_see(PqsqlCopyInto *into, PqsqlCopyOptions *o)
{
    if (appends(into)) {
        into->to_file = true;
        o->overwrite = PQSQL_UNSAID;
    }
}

PqRc pqsql_copy_append_open(PqsqlCopyAppend *a, const PqsqlCopyInto *into,
                            const PqCopyPlan *plan, PqCopy **out, PqErr *e)
{
    PqCopyPlan of_rows = *plan;

    a->into = into;
    a->plan = *plan;
    if (plan->encryption) {
        a->inside = *plan->encryption;
        a->inside.material = PQ_MATERIAL_INTERNAL;
        of_rows.encryption = plan->encryption->material == PQ_MATERIAL_EXTERNAL
                                 ? &a->inside : plan->encryption;
    }
    PQ_TRY(pq_copy_scratch_beside(plan->mem, into->path, false, false, &a->rows, e));
    of_rows.into = a->rows;
    return pq_copy_open(&of_rows, out, e);
}

/* ---- what the file is made of -------------------------------------------------------- */

static PqRc open_rows(PqsqlCopyAppend *a, PqSource **source, PqFooter **footer, PqErr *e)
{
    PqKeyChoice keys = {.ring = a->into->host->keys};
    PqInput in = {0};

    if (a->plan.encryption) {
        keys = a->plan.encryption->keys;
    }
    PQ_TRY(pq_sink_flush(a->rows, e));
    PQ_TRY(pq_source_of_scratch(a->plan.mem, "the new rows", a->rows, source, e));
    in.source = *source;
    return pq_footer_read(&in, &keys, a->plan.mem, footer, e);
}

/* Its columns, all of them as they are. */
static PqRc name_columns(PqFooter *old, const PqsqlCopyColumns *columns,
                         PqRewriteColumn **out, PqErr *e)
{
    const PqNode *root = old->schema.root;

    PQ_TRY(PQ_ARENA_NEW(columns->a, *out, root->n_children + 1u, e));
    for (uint32_t i = 0; i < root->n_children; i++) {
        PqRewriteColumn *c = &(*out)[i];

        *c = (PqRewriteColumn){.like = old, .name = root->child[i]->name,
                               .optional = !root->child[i]->required,
                               .options = pqsql_copy_options_chunk(columns->o, NULL)};
        for (uint32_t k = 0; k < columns->n; k++) {
            c->options = strcmp(columns->v[k].name, c->name) == 0 ? columns->v[k].chunk
                                                                  : c->options;
        }
    }
    return PQ_OK;
}

/* The keys of the file; those of the options win.  "geo" is made anew. */
static PqRc name_keys(const PqFooter *old, const PqsqlCopyColumns *columns, PqRewritePlan *plan,
                      PqErr *e)
{
    const PqKeyValueList *has = &old->file.key_value_metadata, *said = &columns->o->key_values;
    PqKeyValue *v;
    uint32_t n = 0;

    PQ_TRY(PQ_ARENA_NEW(columns->a, v, (size_t)has->n + said->n + 1, e));
    for (uint32_t i = 0; i < has->n; i++) {
        bool goes = pq_slice_is(has->v[i].key, "geo");

        for (uint32_t k = 0; k < said->n; k++) {
            goes = goes || pq_slice_equal(has->v[i].key, said->v[k].key);
        }
        if (!goes) {
            v[n++] = has->v[i];
        }
    }
    for (uint32_t k = 0; k < said->n; k++) {
        v[n++] = said->v[k];
    }
    plan->key_values = v;
    plan->n_key_values = n;
    return PQ_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

static PqRc check(const PqsqlCopyAppend *a, PqRewrite *r, const PqFooter *rows, PqErr *e)
{
    if (pq_rewrite_check(r, rows, e) == PQ_UNSUPPORTED) {
        PqErr why = *e;

        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "%s: the query's rows cannot be appended: %s", a->into->path,
                why.text);
    }
    return e->rc;
}

static PqRc write_groups(PqsqlCopyAppend *a, PqRewrite *r, PqSource *old_source, PqFooter *old,
                         PqErr *e)
{
    PqSource *source = NULL;
    PqFooter *rows = NULL;

    if (open_rows(a, &source, &rows, e) != PQ_OK || check(a, r, rows, e) != PQ_OK) {
        pq_source_close(source);
        pq_source_close(old_source);
        pq_footer_release(rows);
        return e->rc;
    }
    if (pq_rewrite_add(r, old_source, old, NULL, 0, e) != PQ_OK) {
        pq_source_close(source);
    } else {
        pq_rewrite_add(r, source, rows, NULL, 0, e);
    }
    pq_footer_release(rows);
    return e->rc == PQ_OK ? pq_rewrite_end(r, e) : e->rc;
}

static PqRc write_file(PqsqlCopyAppend *a, PqSource *source, PqFooter *old,
                       const PqsqlCopyColumns *columns, PqPublish *to, PqErr *e)
{
    const PqCopyPlan *p = &a->plan;
    PqRewriteColumn *names;
    PqRewritePlan plan = {
        .n_columns = old->schema.root->n_children, .created_by = p->created_by,
        .encryption = p->encryption, .path = a->into->path,
        .threads = p->threads, .stop = p->stop, .mem = p->mem,
    };
    PqRewrite *r = NULL;
    PqSink *sink;
    PqSlice beside;

    if (name_columns(old, columns, &names, e) != PQ_OK ||
        name_keys(old, columns, &plan, e) != PQ_OK ||
        pq_publish_reads(to, a->into->path, pq_source_id(source), e) != PQ_OK ||
        pq_publish_file(to, NULL, NULL, &sink, e) != PQ_OK) {
        pq_source_close(source);
        return e->rc;
    }
    plan.columns = names;
    if (pq_rewrite_new(&plan, sink, &r, e) != PQ_OK) {
        pq_source_close(source);
        return e->rc;
    }
    if (write_groups(a, r, source, old, e) == PQ_OK) {
        beside = pq_rewrite_beside(r);
        if (!beside.n || pq_publish_beside(to, sink, beside, e) == PQ_OK) {
            pq_publish_done(to, sink, e);
        }
    }
    pq_rewrite_free(r);
    return e->rc == PQ_OK ? pq_publish_commit(to, e) : e->rc;
}

PqRc pqsql_copy_append_end(PqsqlCopyAppend *a, PqsqlCopyFolder *old,
                           const PqsqlCopyColumns *columns, PqPublish *to, PqErr *e)
{
    PqSource *source;
    PqFooter *footer;

    if (!old) {
        return pq_fail(e, PQ_USAGE, "%s: cannot be read as Parquet, so no rows are appended",
                       a->into->path);
    }
    PQ_TRY(pqsql_copy_folder_first(a->into, old, &source, &footer, e));
    write_file(a, source, footer, columns, to, e);
    pq_footer_release(footer);
    return e->rc;
}

void pqsql_copy_append_free(PqsqlCopyAppend *a)
{
    pq_sink_close(a->rows);
}
