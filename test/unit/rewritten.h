/*
** rewritten.h - rewrites files, and compares the values of leaves before and
** after.
**
**   Rewritten w;
**
**   rewritten_begin(t, &w);
**   rewritten_input(&w, "a.parquet");               the columns are like its
**   rewritten_input(&w, "b.parquet");
**   w.plan.repack = true;                           ... and other settings
**   CHECK_OK(rewritten_run(&w, t->e));
**   rewritten_check(t, &w);                         every value; and verify
**   rewritten_end(&w);
*/
#ifndef REWRITTEN_H
#define REWRITTEN_H

#include "core/rewrite/rewrite.h"
#include "test/unit/test.h"

enum { REWRITTEN_INPUTS = 40 };

typedef struct RewrittenFile {
    PqSource *source;
    PqInput   in;
    PqFooter *footer;
} RewrittenFile;

typedef struct Rewritten {
    PqRewritePlan    plan;
    PqRewriteColumn *columns;
    PqRowSpan       *left_out[REWRITTEN_INPUTS];
    uint32_t         n_left_out[REWRITTEN_INPUTS];
    RewrittenFile    inputs[REWRITTEN_INPUTS];
    uint32_t         n_inputs;
    const PqKeyChoice *keys;         /* of inputs and output; may be NULL    */
    PqMem           *mem;            /* of the rewrite: a budget of its own  */
    PqMem           *test_mem;
    PqSink          *to;
    RewrittenFile    out;
    PqRewriteProgress progress;
    bool             may_lie;        /* the output, as the inputs do         */
} Rewritten;

void rewritten_begin(Test *t, Rewritten *w);
PqRc rewritten_input(Rewritten *w, const char *path, PqErr *e);
void rewritten_end(Rewritten *w);

/* The output is then open. */
PqRc rewritten_run(Rewritten *w, PqErr *e);

/* What the rows of a leaf are, in one number; of all files, without the rows
** that are left out. */
typedef struct LeafDigest {
    uint32_t values, def, rep;
    int64_t  n_rows;
} LeafDigest;
PqRc rewritten_digest(const RewrittenFile *file, const char *name,
                      uint32_t nth_leaf, const PqRowSpan *left_out,
                      uint32_t n_left_out, LeafDigest *d, PqErr *e);

/* The findings of verify, except notes. */
PqRc rewritten_findings(const RewrittenFile *file, uint32_t *n, char *first,
                        size_t room, PqErr *e);

/* Writes the output to path, to be an input. */
PqRc rewritten_save(const Rewritten *w, const char *path, PqErr *e);

/* The output has the values of the inputs, and verify finds nothing. */
void rewritten_check(Test *t, Rewritten *w);

#endif
