/*
** verify.h - is everything that a file says about itself true?
**
** Everything in a file is decoded.  What the file says about its contents is
** computed again and compared:
**
**   pages           checksums, sizes, encodings, counts of values and rows
**   statistics      of chunks and of pages: bounds, exactness, nulls, NaNs,
**                   distinct values, sizes and histograms of levels
**   page index      offsets, first rows, bounds, null pages, their order
**   Bloom filter    it must contain every value
**   row groups      sizes, offsets, row counts, the order of the rows
**
** Each difference is a finding.  It is an error if a reader that believes the
** file fails or gives wrong answers.  It is a warning if something is wrong, or
** could not be verified, but no answer suffers.  A page that cannot be decoded
** is a finding too, and verifying goes on after it.  If nothing protects some
** of a file's pages, its last finding is a note: a changed value there may
** contradict nothing.
**
** Findings are collected chunk by chunk and returned one at a time.  At most
** PQ_FINDINGS_SHOWN are kept per chunk, so memory does not grow with the
** damage.
*/
#ifndef PQ_VERIFY_H
#define PQ_VERIFY_H

#include "core/column/read_ctx.h"
#include "core/meta/footer.h"

typedef enum PqSeverity {
    PQ_FINDING_ERROR,
    PQ_FINDING_WARNING,
    PQ_FINDING_NOTE                  /* nothing is wrong: what cannot be seen */
} PqSeverity;

enum { PQ_FINDINGS_SHOWN = 100 };

typedef struct PqFinding {
    PqSeverity  severity;
    int         row_group, leaf, page;       /* -1: not inside one           */
    const char *column;                      /* path of leaf, or NULL        */
    int64_t     offset;                      /* in the file, or -1           */
    const char *what;                        /* "null_count"                 */
    const char *expected;                    /* the computed value, or NULL  */
    const char *found;                       /* the file's value, or NULL    */
    const char *message;
} PqFinding;

typedef struct PqVerify PqVerify;

/* in and f must outlive the verification. */
PqRc pq_verify_new(PqMem *mem, PqInput *in, const PqFooter *f, PqStop stop,
                   PqVerify **out, PqErr *e);
void pq_verify_free(PqVerify *v);            /* v may be NULL */

/* The next finding, valid until the next call; NULL when there are no more.
** Fails only when going on makes no sense: it was interrupted, there is no
** memory, or the file cannot be read. */
PqRc pq_verify_next(PqVerify *v, const PqFinding **out, PqErr *e);

#endif
