/*
** stats.h - bounds that can be trusted.
**
** The statistics of a chunk or page, reduced to what is reliable.  This decides
** which of the format's four bounds to use, in which order they are, and which
** writers have written wrong ones.  A doubtful bound is not used.
**
**   footer of parquet-mr 1.8.2, no column_orders, INT32 column
**     min 01 00 00 00  max 05 00 00 00      signed is the column's order: 1..5
**   same file, BYTE_ARRAY (UTF8) column
**     min "a"  max "f"                      made by signed bytes: no bounds
**     min "x"  max "x"                      the same in any order: x..x
**
** NaN is never a bound, and bounds say nothing about NaN: see n_nans.  Zeros of
** both signs compare equal, so a zero bound of one sign does not exclude the
** other.
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
    PqOrder order;                   /* of min and max; never FLOAT_TOTAL,
                                     ** because such bounds hold by value
                                     ** too                                  */
    bool    has_min, has_max;        /* and can be trusted                   */
    bool    min_exact, max_exact;    /* the value itself occurs              */
    bool    all_null;                /* no value that is not null            */
    PqSlice min, max;                /* PLAIN, without a length              */
    int64_t n_nulls;                 /* -1: not known                        */
    int64_t n_nans;                  /* -1: not known; 0 where the type has
                                     ** none                                 */
} PqBounds;

/* The order of the min_value, max_value and column index of a leaf.  NONE if
** the file does not say, if the type has no order or is not understood, or if
** the writer is known to get it wrong. */
PqOrder pq_order_of_leaf(const PqFooter *f, uint32_t leaf);

/* Are all bounds of the leaf unreliable, even the deprecated ones?  Its
** annotation is not understood, or its writer is known to write wrong ones. */
bool pq_order_is_doubtful(const PqFooter *f, uint32_t leaf);

/* Is the writer known to count the nulls of the leaf wrongly? */
bool pq_nulls_are_doubtful(const PqFooter *f, uint32_t leaf);

/* Notes what the writer is known to get wrong.  Sets no_dictionary of the leaves
** that were not dictionaries in Arrow, in files of versions that write wrong
** statistics of dictionaries (order.c). */
PqRc pq_order_find_doubts(PqFooter *f, PqErr *e);

/* The order of the type itself; NONE if it has none. */
PqOrder pq_order_of_type(const PqType *type);

/* <0, 0, >0.  a and b are PLAIN values of the type without a length, of the
** right size (pq_stats_fits).  A NaN is beyond the infinity of its sign. */
int pq_order_compare(PqOrder order, const PqType *type, PqSlice a, PqSlice b);

/* FLOAT, DOUBLE and FLOAT16. */
bool pq_order_is_nan(const PqType *type, PqSlice value);

/* Does the value have the size of its type?  A bound of a FIXED_LEN_BYTE_ARRAY
** that has no logical type, or holds a text, may be a shorter prefix. */
bool pq_stats_fits(const PqType *type, PqSlice value);

/* The trusted bounds of the statistics of a chunk or a page header, which has
** n_values values, nulls included (-1: not known). */
PqBounds pq_stats_bounds(const PqFooter *f, uint32_t leaf,
                         const PqStatistics *s, int64_t n_values);

/* The same from all metadata of a chunk: if the statistics do not count nulls,
** the histogram of definition levels does. */
PqBounds pq_stats_chunk(const PqFooter *f, uint32_t leaf,
                        const PqColumnMetaData *m);

/* The same for a page, from the column index.  order: pq_order_of_leaf; nulls:
** the writer's counts of nulls are right (not pq_nulls_are_doubtful). */
PqBounds pq_stats_page(const PqLeaf *of, PqOrder order, bool nulls,
                       const PqColumnIndex *index, uint32_t page);

#endif
