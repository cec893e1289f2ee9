/*
** stats.h - bounds one may believe.
**
** A chunk's or page's statistics, reduced to what is proven: which of the four
** bounds of the format to use, in which order they are bounds, and which
** writers are known to have written wrong ones.  No bound is better than a
** doubtful one.
**
**   footer of parquet-mr 1.8.2, no column_orders, INT32 column
**     min 01 00 00 00  max 05 00 00 00      signed is the column's order: 1..5
**   same file, BYTE_ARRAY (UTF8) column
**     min "a"  max "f"                      made by signed bytes: nothing
**     min "x"  max "x"                      every order agrees: x..x
**
** NaN is never a bound, and no bound says anything about NaN: n_nans does.
** Zeros of both signs compare equal, so a bound of either does not rule out
** the other.
*/
#ifndef PQ_STATS_H
#define PQ_STATS_H

#include "core/meta/footer.h"

typedef enum PqOrder {
    PQ_ORDER_NONE,                   /* undefined or unknown: no bounds      */
    PQ_ORDER_SIGNED,                 /* INT32, INT64, BOOLEAN                */
    PQ_ORDER_UNSIGNED,               /* unsigned INT32, INT64                */
    PQ_ORDER_FLOAT,                  /* FLOAT, DOUBLE, FLOAT16 by value      */
    PQ_ORDER_FLOAT_TOTAL,            /* ... by IEEE 754 total order          */
    PQ_ORDER_BYTES,                  /* unsigned bytes                       */
    PQ_ORDER_SIGNED_BYTES,           /* big-endian two's complement          */
    PQ_ORDER_SIGNED_LITTLE,          /* little-endian two's complement       */
    PQ_ORDER_INT96_TIME
} PqOrder;

typedef struct PqBounds {
    PqOrder order;                   /* min and max are bounds in this one;
                                     ** never FLOAT_TOTAL: by value is true
                                     ** as well                              */
    bool    has_min, has_max;        /* believable                           */
    bool    min_exact, max_exact;    /* the value itself occurs              */
    bool    all_null;                /* no value that is not null            */
    PqSlice min, max;                /* PLAIN, without a length              */
    int64_t n_nulls;                 /* -1: not known                        */
    int64_t n_nans;                  /* -1: not known; 0 where the type has
                                     ** none                                 */
} PqBounds;

/* The order of the min_value, max_value and column index of a leaf.  NONE when
** the file does not say, when its type has none or is not understood, and when
** the writer is known to have got it wrong. */
PqOrder pq_order_of_leaf(const PqFooter *f, uint32_t leaf);

/* No bounds of the leaf are to be believed, the deprecated ones included: its
** annotation is not understood, or its writer is known to err here. */
bool pq_order_is_doubtful(const PqFooter *f, uint32_t leaf);

/* The order that the type itself has, NONE where it has none. */
PqOrder pq_order_of_type(const PqType *type);

/* <0, 0, >0; a and b are PLAIN values of the leaf's type without a length, of
** the right size (pq_stats_fits).  A NaN is beyond the infinity of its sign. */
int pq_order_compare(PqOrder order, const PqType *type, PqSlice a, PqSlice b);

/* FLOAT, DOUBLE and FLOAT16. */
bool pq_order_is_nan(const PqType *type, PqSlice value);

/* The value has the size its type asks for.  A bound of a FIXED_LEN_BYTE_ARRAY
** without a meaning, or of a text in one, may be a shorter prefix. */
bool pq_stats_fits(const PqType *type, PqSlice value);

/* From row-group or page-header statistics of n_values values, nulls included
** (-1: not known). */
PqBounds pq_stats_bounds(const PqFooter *f, uint32_t leaf,
                         const PqStatistics *s, int64_t n_values);

/* The same from all that a chunk says about itself: where the statistics do not
** count nulls, the histogram of definition levels does. */
PqBounds pq_stats_chunk(const PqFooter *f, uint32_t leaf,
                        const PqColumnMetaData *m);

/* The same from page number page of a column index. */
PqBounds pq_stats_page(const PqFooter *f, uint32_t leaf,
                       const PqColumnIndex *index, uint32_t page);

#endif
