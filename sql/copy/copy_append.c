/*
** copy_append.c - the row groups of a file, and those of the rows that are appended.
**
** The file keeps its schema, and the keys of its metadata; what the options say is for the
** new row groups, and encryption for all of it.
*/
#include "sql/copy/copy_append.h"

#include "core/base/system.h"

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
               ? pq_folder_is_parquet(pq_slice_text(into->path)) &&
                     pqsql_copy_folder_has_object(into)
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
    if (plan->encryption && plan->encryption->material == PQ_MATERIAL_EXTERNAL) {
        a->inside = *plan->encryption;
        a->inside.material = PQ_MATERIAL_INTERNAL;
        of_rows.encryption = &a->inside;
    }
    PQ_TRY(pq_copy_scratch_beside(plan->mem, into->path, false, false, &a->rows, e));
    of_rows.into = a->rows;
    return pq_copy_open(&of_rows, out, e);
}

/* ---- what the file is made of -------------------------------------------------------- */

static PqRc open_rows(PqsqlCopyAppend *a, PqErr *e)
{
    PqKeyChoice keys = {.ring = a->into->host->keys};
    PqInput in = {0};

    if (a->plan.encryption) {
        keys = a->plan.encryption->keys;
    }
    PQ_TRY(pq_sink_flush(a->rows, e));
    PQ_TRY(pq_source_of_scratch(a->plan.mem, "the new rows", a->rows, &a->added.source, e));
    in.source = a->added.source;
    return pq_footer_read(&in, &keys, a->plan.mem, &a->added.footer, e);
}

/* Its columns, all of them as they are. */
static PqRc name_columns(PqFooter *old, const PqsqlCopyColumns *columns,
                         PqRewriteColumn **out, PqErr *e)
{
    const PqNode *root = old->schema.root;

    PQ_TRY(PQ_ARENA_NEW(columns->a, *out, root->n_children + 1u, e));
    for (uint32_t i = 0; i < root->n_children; i++) {
        const PqNode *n = root->child[i];

        (*out)[i] = (PqRewriteColumn){
            .like = old, .name = n->name, .optional = !n->required,
            .options = pqsql_copy_options_named(columns->o, n->name)};
    }
    return PQ_OK;
}

/* The keys of the file, of which a rewrite makes GeoParquet's anew; those of the options win. */
static PqRc name_keys(const PqFooter *old, const PqsqlCopyColumns *columns, PqRewritePlan *plan,
                      PqErr *e)
{
    const PqKeyValueList *has = &old->file.key_value_metadata, *said = &columns->o->key_values;
    PqKeyValue *v;

    PQ_TRY(PQ_ARENA_NEW(columns->a, v, (size_t)has->n + said->n + 1, e));
    plan->key_values = v;
    for (uint32_t i = 0; i < has->n; i++) {
        if (!pq_key_value_find(said, has->v[i].key) && !pq_geometry_is_key(old, has->v[i].key)) {
            v[plan->n_key_values++] = has->v[i];
        }
    }
    pq_bytes_copy(&v[plan->n_key_values], said->v, said->n * sizeof *v);
    plan->n_key_values += said->n;
    return PQ_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

static PqRc plan_file(PqsqlCopyAppend *a, const PqsqlCopyColumns *columns,
                      PqRewriteProgress *now, PqRewrite **out, PqErr *e)
{
    const PqCopyPlan *p = &a->plan;
    PqFooter *old = a->old.footer;
    PqRewriteColumn *names;
    PqRewritePlan plan = {
        .n_columns = old->schema.root->n_children, .created_by = p->created_by,
        .encryption = p->encryption, .path = a->into->path,
        .threads = p->threads, .stop = p->stop, .now = now, .mem = p->mem,
    };

    PQ_TRY(name_columns(old, columns, &names, e));
    PQ_TRY(name_keys(old, columns, &plan, e));
    plan.columns = names;
    return pq_rewrite_new(&plan, out, e);
}

static PqRc begin(const PqsqlCopyAppend *a, PqRewrite *r, PqPublish *to, PqErr *e)
{
    PqSink *sink;

    if (pq_rewrite_check(r, a->added.footer, e) == PQ_UNSUPPORTED) {
        PqErr why = *e;

        pq_err_clear(e);
        pq_fail(e, PQ_USAGE, "%s: the query's rows cannot be appended: %s", a->into->path,
                why.text);
    }
    PQ_TRY(e->rc);
    PQ_TRY(pq_publish_reads(to, a->into->path, pq_source_id(a->old.source), e));
    PQ_TRY(pq_publish_file(to, NULL, NULL, &sink, e));
    return pq_rewrite_begin(r, sink, e);
}

static PqRc add(PqsqlAppendPart *part, PqRewrite *r, PqErr *e)
{
    PqSource *source = part->source;

    part->source = NULL;             /* it is taken */
    return pq_rewrite_add(r, source, part->footer, NULL, 0, e);
}

PqRc pqsql_copy_append_end(PqsqlCopyAppend *a, PqsqlCopyFolder *old,
                           const PqsqlCopyColumns *columns, PqPublish *to, PqErr *e)
{
    PqRewriteProgress now = {0};
    PqRewrite *r = NULL;

    if (!old) {
        return pq_fail(e, PQ_USAGE, "%s: cannot be read as Parquet, so no rows are appended",
                       a->into->path);
    }
    PQ_TRY(pqsql_copy_folder_first(a->into, old, &a->old.source, &a->old.footer, e));
    PQ_TRY(open_rows(a, e));
    if (plan_file(a, columns, &now, &r, e) == PQ_OK && begin(a, r, to, e) == PQ_OK &&
        add(&a->old, r, e) == PQ_OK && add(&a->added, r, e) == PQ_OK) {
        pq_rewrite_end(r, to, e);
    }
    pq_rewrite_free(r);
    return e->rc == PQ_OK ? pq_publish_commit(to, e) : e->rc;
}

static void free_part(PqsqlAppendPart *part)
{
    pq_source_close(part->source);
    pq_footer_release(part->footer);
}

void pqsql_copy_append_free(PqsqlCopyAppend *a)
{
    free_part(&a->old);
    free_part(&a->added);
    pq_sink_close(a->rows);
}
