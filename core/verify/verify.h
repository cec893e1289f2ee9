/*
** verify.h - does a file keep what it promises?
**
** Everything in a file is decoded, and everything the file says about itself
** is computed again from what was decoded:
**
**   pages           checksums, sizes, encodings, counts of values and rows
**   statistics      of chunks and of pages: bounds, exactness, nulls, NaNs,
**                   distinct values, sizes and histograms of levels
**   page index      offsets, first rows, bounds, null pages, their order
**   Bloom filter    every value has to be found
**   row groups      sizes, offsets, row counts, the order of the rows
**
** What does not agree is a finding.  An error is what makes a reader fail, or
** give wrong answers if it believes the file; a warning is what is wrong, or
** could not be verified, but spoils no answer.  A page that cannot be decoded
** is a finding like others, and verifying goes on behind it.
**
** Findings are pulled one at a time and gathered chunk by chunk, at most
** PQ_FINDINGS_SHOWN of a chunk, so memory does not grow with the damage.
*/
#ifndef PQ_VERIFY_H
#define PQ_VERIFY_H

#include "core/column/read_ctx.h"
#include "core/meta/footer.h"

typedef enum PqSeverity { PQ_FINDING_ERROR, PQ_FINDING_WARNING } PqSeverity;

enum { PQ_FINDINGS_SHOWN = 100 };

typedef struct PqFinding {
    PqSeverity  severity;
    int         row_group, leaf, page;       /* -1: not inside one           */
    const char *column;                      /* path of leaf, or NULL        */
    int64_t     offset;                      /* in the file, -1: not there   */
    const char *what;                        /* "null_count"                 */
    const char *expected;                    /* as computed, or NULL         */
    const char *found;                       /* as the file has it, or NULL  */
    const char *message;
} PqFinding;

typedef struct PqVerify PqVerify;

/* in and f stay while the verification does. */
PqRc pq_verify_new(PqMem *mem, PqInput *in, const PqFooter *f, PqStop stop,
                   PqVerify **out, PqErr *e);
void pq_verify_free(PqVerify *v);            /* v may be NULL */

/* The next finding, good until the next call; NULL when there are no more.
** Fails only where going on makes no sense: interrupted, no memory, a file
** that cannot be read. */
PqRc pq_verify_next(PqVerify *v, const PqFinding **out, PqErr *e);

#endif
