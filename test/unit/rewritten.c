/*
** rewritten.c - see rewritten.h.
*/
#include "test/unit/rewritten.h"

#include "core/column/leaf_rows.h"
#include "core/files/chunk_files.h"
#include "core/verify/verify.h"

#include <stdlib.h>

enum { MEMORY = 64 << 20 };

void rewritten_begin(Test *t, Rewritten *w)
{
    *w = (Rewritten){.test_mem = t->mem};
    w->mem = pq_mem_new(MEMORY);
    w->plan = (PqRewritePlan){.created_by = "parquet.so for SQLite version 1",
                              .mem = w->mem};
}

static PqRc open_file(PqMem *mem, const char *path, const PqKeyChoice *keys,
                      RewrittenFile *out, PqErr *e)
{
    PQ_TRY(pq_source_open(mem, path, &out->source, e));
    out->in.source = out->source;
    return pq_footer_read(&out->in, keys, mem, &out->footer, e);
}

static void close_file(RewrittenFile *file)
{
    pq_footer_release(file->footer);
    pq_source_close(file->source);
}

PqRc rewritten_input(Rewritten *w, const char *path, PqErr *e)
{
    RewrittenFile *file = &w->inputs[w->n_inputs];
    const PqNode *root;

    w->n_inputs++;
    PQ_TRY(open_file(w->test_mem, path, w->keys, file, e));
    if (w->columns) {
        return PQ_OK;
    }
    root = file->footer->schema.root;
    w->columns = calloc(root->n_children + (size_t)1, sizeof *w->columns);
    for (uint32_t i = 0; i < root->n_children; i++) {
        w->columns[i] = (PqRewriteColumn){
            .like = file->footer, .name = root->child[i]->name,
            .options = pq_chunk_options_usual()};
    }
    w->plan.columns = w->columns;
    w->plan.n_columns = root->n_children;
    return PQ_OK;
}

static PqRc add_input(Rewritten *w, PqRewrite *r, uint32_t i, PqErr *e)
{
    RewrittenFile *file = &w->inputs[i];
    PqSource *source;

    PQ_TRY(pq_source_again(file->source, w->mem, &source, e));
    return pq_rewrite_add(r, source, file->footer, w->left_out[i],
                          w->n_left_out[i], e);
}

PqRc rewritten_run(Rewritten *w, PqErr *e)
{
    PqRewrite *r = NULL;
    PqRc rc;

    close_file(&w->out);
    pq_sink_close(w->to);
    w->out = (RewrittenFile){0};
    w->to = NULL;
    w->progress = (PqRewriteProgress){0};
    w->plan.now = &w->progress;
    pq_where_reset(e);
    PQ_GO(pq_sink_scratch(w->test_mem, ".", &w->to, e));
    PQ_GO(pq_rewrite_new(&w->plan, &r, e));
    PQ_GO(pq_rewrite_begin(r, w->to, e));
    for (uint32_t i = 0; i < w->n_inputs; i++) {
        PQ_GO(add_input(w, r, i, e));
    }
    PQ_GO(pq_rewrite_end(r, NULL, e));
    PQ_GO(pq_sink_flush(w->to, e));
    PQ_GO(pq_source_of_scratch(w->test_mem, "out.parquet", w->to,
                               &w->out.source, e));
    w->out.in.source = w->out.source;
    rc = pq_footer_read(&w->out.in, w->keys, w->test_mem, &w->out.footer, e);
done:
    pq_rewrite_free(r);
    return rc;
}

void rewritten_end(Rewritten *w)
{
    close_file(&w->out);
    pq_sink_close(w->to);
    for (uint32_t i = 0; i < w->n_inputs; i++) {
        close_file(&w->inputs[i]);
    }
    free(w->columns);
    pq_mem_release(w->mem);
}

PqRc rewritten_save(const Rewritten *w, const char *path, PqErr *e)
{
    size_t n = (size_t)pq_sink_offset(w->to);
    uint8_t *bytes = malloc(n + 1);
    FILE *f = fopen(path, "wb");
    PqRc rc = f && bytes ? pq_sink_read(w->to, 0, n, bytes, e)
                         : pq_fail(e, PQ_IO, "%s", path);

    if (rc == PQ_OK && fwrite(bytes, 1, n, f) != n) {
        rc = pq_fail(e, PQ_IO, "%s", path);
    }
    if (f) {
        fclose(f);
    }
    free(bytes);
    return rc;
}

/* ---- digests --------------------------------------------------------------------- */

static uint32_t added(uint32_t sum, const void *p, size_t n)
{
    return pq_crc32(sum, pq_slice(p, n));
}

static void add_batch(const PqLeafBatch *b, LeafDigest *d)
{
    size_t width = pq_physical_width(b->leaf->type.physical);
    const PqStr *s = b->values;

    for (uint32_t i = 0; i < b->n_values; i++) {
        if (b->leaf->type.physical == PQ_BYTE_ARRAY) {
            d->values = added(d->values, &s[i].n, sizeof s[i].n);
            d->values = added(d->values, s[i].p, s[i].n);
        } else if (b->leaf->type.physical == PQ_FIXED) {
            d->values = added(d->values, s[i].p, s[i].n);
        } else {
            d->values = added(d->values, (const char *)b->values + i * width,
                              width);
        }
    }
    for (uint32_t i = 0; i < b->n_entries; i++) {
        uint16_t def = b->def     ? b->def[i]
                       : b->valid ? (uint16_t)pq_bit(b->valid, i)
                                  : b->leaf->max_def;

        d->def = added(d->def, &def, sizeof def);
        if (b->rep) {
            d->rep = added(d->rep, &b->rep[i], sizeof b->rep[i]);
        }
    }
    d->n_rows += b->n_rows;
}

static bool is_out(const PqRowSpan *s, uint32_t n, int64_t row)
{
    for (uint32_t i = 0; i < n; i++) {
        if (row >= s[i].begin && row < s[i].end) {
            return true;
        }
    }
    return false;
}

static PqRc digest_group(const RewrittenFile *file, PqInput *in, PqReadCtx *ctx,
                         uint32_t group, uint32_t leaf, const PqRowSpan *out,
                         uint32_t n_out, LeafDigest *d, PqErr *e)
{
    const PqGroup *g = &file->footer->groups[group];
    int64_t row = 0, end;
    PqLeafBatch b;
    PqLeafRows rows;
    PqRc rc = PQ_OK;

    PQ_TRY(pq_leaf_rows_open(&rows, ctx, in, file->footer, group, leaf, e));
    pq_leaf_batch_init(&b, &file->footer->schema.leaves[leaf], ctx->mem);
    while (row < g->num_rows) {
        if (is_out(out, n_out, g->first_row + row)) {
            row++;
            continue;
        }
        for (end = row + 1; end < g->num_rows &&
                            !is_out(out, n_out, g->first_row + end); end++) {
        }
        while (row < end) {
            pq_leaf_batch_reset(&b);
            PQ_GO(pq_leaf_rows_next(&rows, &row, end, &b, e));
            add_batch(&b, d);
        }
    }
done:
    pq_leaf_batch_free(&b);
    pq_leaf_rows_close(&rows);
    return rc;
}

PqRc rewritten_digest(const RewrittenFile *file, const char *name,
                      uint32_t nth_leaf, const PqRowSpan *left_out,
                      uint32_t n_left_out, LeafDigest *d, PqErr *e)
{
    const PqFooter *f = file->footer;
    const PqNode *n = pq_node_field(f->schema.root, pq_slice_text(name), 0);
    PqReadCtx ctx;
    PqRc rc = PQ_OK;

    if (!n) {
        return pq_fail(e, PQ_USAGE, "no column %s", name);
    }
    PQ_TRY(pq_read_ctx_init(&ctx, f->mem, e));
    for (uint32_t g = 0; g < f->n_groups; g++) {
        if (f->groups[g].num_rows > 0) {
            PQ_GO(digest_group(file, (PqInput *)&file->in, &ctx, g,
                               n->first_leaf + nth_leaf, left_out, n_left_out,
                               d, e));
        }
    }
done:
    pq_read_ctx_reset(&ctx);
    return rc;
}

/* ---- verify ---------------------------------------------------------------------- */

PqRc rewritten_findings(const RewrittenFile *file, uint32_t *n, char *first,
                        size_t room, PqErr *e)
{
    const PqFinding *found;
    PqVerify *v;

    *n = 0;
    PQ_TRY(pq_verify_new(file->footer->mem, (PqInput *)&file->in, file->footer,
                         (PqStop){0}, &v, e));
    while (pq_verify_next(v, &found, e) == PQ_OK && found) {
        if (found->severity != PQ_FINDING_NOTE && (*n)++ == 0) {
            snprintf(first, room, "group %d, %s, page %d: %s: %s (%s, not %s)",
                     found->row_group, found->column ? found->column : "",
                     found->page, found->what, found->message,
                     found->found ? found->found : "",
                     found->expected ? found->expected : "");
        }
    }
    pq_verify_free(v);
    return e->rc;
}

static void check_leaf(Test *t, Rewritten *w, const PqRewriteColumn *c,
                       uint32_t nth)
{
    LeafDigest was = {0}, is = {0};

    for (uint32_t i = 0; i < w->n_inputs; i++) {
        CHECK_OK(rewritten_digest(&w->inputs[i], c->name, nth, w->left_out[i],
                                  w->n_left_out[i], &was, t->e));
    }
    CHECK_OK(rewritten_digest(&w->out, c->as ? c->as : c->name, nth, NULL, 0,
                              &is, t->e));
    if (memcmp(&was, &is, sizeof was) != 0) {
        test_fail(t, __FILE__, __LINE__, "%s, leaf %u: rows %lld and %lld, "
                  "values %08x and %08x, def %08x and %08x, rep %08x and %08x",
                  c->name, nth, (long long)was.n_rows, (long long)is.n_rows,
                  was.values, is.values, was.def, is.def, was.rep, is.rep);
    }
}

void rewritten_check(Test *t, Rewritten *w)
{
    const PqNode *root = w->out.footer->schema.root;
    char first[600];
    uint32_t n;

    for (uint32_t i = 0; i < w->plan.n_columns && !t->failed; i++) {
        for (uint32_t k = 0; k < root->child[i]->n_leaves &&
                             w->columns[i].mask == PQ_MASK_NONE; k++) {
            check_leaf(t, w, &w->columns[i], k);
        }
    }
    if (t->failed) {
        return;
    }
    CHECK_OK(rewritten_findings(&w->out, &n, first, sizeof first, t->e));
    if (n && !w->may_lie) {
        test_fail(t, __FILE__, __LINE__, "%u findings: %s", n, first);
    }
}
