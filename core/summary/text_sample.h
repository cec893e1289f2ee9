/*
** text_sample.h - some of many texts, all drawn with the same chance, in 2 MB.
**
** One text of each block of 1, 2, 4, ... texts is drawn.  When there are 16384
** texts, or too many bytes, they are sorted and every second one is removed;
** from then on blocks are twice as long.  With 8192 texts the standard error of
** a rank is about 0.5 % of the number of values.
**
** Long texts leave fewer.  With less than 256 there is no answer.
*/
#ifndef PQ_TEXT_SAMPLE_H
#define PQ_TEXT_SAMPLE_H

#include "core/base/arena.h"

enum { PQ_SAMPLE_MOST = 1 << 14, PQ_SAMPLE_LEAST = 256,
       PQ_SAMPLE_BYTES = 2 << 20 };

typedef struct PqTextSample {
    PqMem   *mem;
    PqStr   *v;
    uint32_t n;
    PqArena  texts;
    size_t   n_bytes;
    unsigned shift;                  /* blocks have 2^shift texts           */
    uint64_t at, drawn;              /* in the current block                */
    uint64_t random;
    bool     is_sorted;
    bool     too_long;               /* some text was: no answer is given    */
} PqTextSample;

void pq_text_sample_init(PqTextSample *s, PqMem *mem);
void pq_text_sample_free(PqTextSample *s);

/* Adds n texts: v[0], v[step], v[2 * step] ...  With step 0 they are equal. */
PqRc pq_text_sample_add(PqTextSample *s, const PqStr *v, uint64_t n,
                        unsigned step, PqErr *e);

/* A value such that about that share of all values is below it; NULL: not
** known. */
const PqStr *pq_text_sample_find(PqTextSample *s, double share);

#endif
