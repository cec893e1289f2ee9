/*
** rewrite.c - row groups of files become row groups of another file.
*/
#include "core/rewrite/rewrite.h"

#include "core/write/file_write.h"

struct PqRewrite {
    PqRewritePlan plan;
    PqRewriteProgress now;
};

PqRc pq_rewrite_new(const PqRewritePlan *plan, PqSink *to, PqRewrite **out,
                    PqErr *e)
{
    (void)to;
    PQ_TRY(PQ_NEW(plan->mem, *out, 1, e));
    (*out)->plan = *plan;
    return PQ_OK;
}

void pq_rewrite_free(PqRewrite *r)
{
    pq_mem_free(r);
}

PqRc pq_rewrite_check(PqRewrite *r, const PqFooter *f, const char *path,
                      bool *fits, PqErr *e)
{
    (void)r;
    (void)f;
    (void)path;
    *fits = true;
    return e->rc;
}

PqRc pq_rewrite_add(PqRewrite *r, PqInput *in, PqFooter *f,
                    const PqRowSpan *left_out, uint32_t n_left_out, PqErr *e)
{
    (void)f;
    (void)left_out;
    (void)n_left_out;
    pq_source_close(in->source);
    pq_mem_free(in);
    r->now.files++;
    return pq_fail(e, PQ_UNSUPPORTED, "not yet");
}

PqRc pq_rewrite_end(PqRewrite *r, PqErr *e)
{
    (void)r;
    return e->rc;
}

PqSlice pq_rewrite_beside(const PqRewrite *r)
{
    (void)r;
    return pq_slice(NULL, 0);
}

PqRewriteProgress pq_rewrite_progress(const PqRewrite *r)
{
    return r->now;
}
