/*
** summary.h - describes one column in a few words: the number of values and of
** different ones, the bounds, and typical values.
**
**   pq_summary_vector    for each batch of a scan
**   pq_summary_end_chunk after the last batch of a row group
**   pq_summary_finish    then everything is known
**
** Values are integers, reals or bytes, and are compared as such.  The caller turns
** other stored values into one of these.
**
** Where pages use a dictionary, a batch only counts ids, and an entry is looked
** at once per row group, with its count.  Everything below takes values with
** counts.
**
** At first each different value is counted (counts.h): then everything is
** exact.  When there are too many, the counts become
**
**   distinct    a HyperLogLog (hyperloglog.h)        error 0.6 %
**   quartiles   a KLL sketch (ranks.h), for bytes    error of the rank 0.1 %
**               a sample (text_sample.h)             ... 0.5 %
**   top         the most frequent of the counts, as long as it is certain to be
**   among them
**
** and further values go there.  These are standard errors.  nulls, min, max,
** mean and deviation are always exact, the last two up to rounding.
**
** Memory: at most 9 MB, beside the counts of a dictionary, 8 bytes for each of
** its entries, and the least and the greatest text.
**
** A value is NULL where it is not valid, and NaN is NULL, as the host sees it.
*/
#ifndef PQ_SUMMARY_H
#define PQ_SUMMARY_H

#include "core/base/stop.h"
#include "core/column/vector.h"
#include "core/summary/counts.h"
#include "core/summary/moments.h"
#include "core/summary/ranks.h"
#include "core/summary/text_sample.h"

typedef enum PqSummaryForm {
    PQ_SUMMARY_INTS,                 /* BOOLEAN, INT32, INT64               */
    PQ_SUMMARY_REALS,                /* FLOAT, DOUBLE                       */
    PQ_SUMMARY_BYTES                 /* BYTE_ARRAY, FIXED                   */
} PqSummaryForm;

enum {                               /* what is wanted beside nulls         */
    PQ_SUMMARY_DISTINCT = 1, PQ_SUMMARY_QUARTILES = 2, PQ_SUMMARY_TOP = 4,
    PQ_SUMMARY_BOUNDS = 8, PQ_SUMMARY_MOMENTS = 16, PQ_SUMMARY_ALL = 31,
    PQ_SUMMARY_COUNTED = PQ_SUMMARY_DISTINCT | PQ_SUMMARY_QUARTILES |
                         PQ_SUMMARY_TOP
};

enum { PQ_SUMMARY_AT_ONCE = 2048 };

typedef struct PqSummaryValue {
    bool    is_there;
    int64_t i;                       /* INTS                                */
    double  r;                       /* REALS                               */
    PqStr   bytes;                   /* BYTES: until the summary is freed   */
} PqSummaryValue;

typedef struct PqSummaryResult {
    uint64_t n_values, n_nulls, n_distinct, top_count;
    bool     distinct_exact, quartiles_exact, top_exact;
    double   mean, deviation;        /* NaN: there is none                  */
    PqSummaryValue min, max, quartile[3], top;
} PqSummaryResult;

typedef struct PqSummary PqSummary;

/* stop is asked while a large dictionary is taken, and may be NULL. */
PqRc pq_summary_new(PqMem *mem, PqSummaryForm form, unsigned want,
                    const PqStop *stop, PqSummary **out, PqErr *e);
void pq_summary_free(PqSummary *s);                  /* s may be NULL */

/* A vector of a leaf that is not repeated, as it is stored. */
PqRc pq_summary_vector(PqSummary *s, const PqVector *v, PqErr *e);

/* The dictionary of the vectors so far is about to be forgotten. */
PqRc pq_summary_end_chunk(PqSummary *s, PqErr *e);

/* Values that the caller has made: valid is a bit per value, or NULL. */
PqRc pq_summary_reals(PqSummary *s, const double *v, const uint64_t *valid,
                      uint32_t n, PqErr *e);
PqRc pq_summary_bytes(PqSummary *s, const PqStr *v, const uint64_t *valid,
                      uint32_t n, PqErr *e);

/* One value, several times. */
PqRc pq_summary_int_times(PqSummary *s, int64_t v, uint64_t times, PqErr *e);
PqRc pq_summary_bytes_times(PqSummary *s, PqStr v, uint64_t times, PqErr *e);
void pq_summary_nulls(PqSummary *s, uint64_t n);

/* Numbers whose moments are wanted, where the values are bytes. */
void pq_summary_moments_of(PqSummary *s, const double *v, uint32_t n);

PqRc pq_summary_finish(PqSummary *s, PqSummaryResult *out, PqErr *e);

#endif
