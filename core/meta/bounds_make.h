/*
** bounds_make.h - computes the statistics of a page or a chunk from its values.
**
** Min and max are in the order of the type (pq_order_of_type), in the form that
** the format asks for:
**
**   doubles 1.5, 0.0           min -0.0, not exact; max 1.5; nan_count 0
**   doubles 1.5, NaN, 0.0      no bounds; nan_count 1
**   "Blart Versenwald III"     most_bytes 8: min "Blart Ve", max "Blart Vf",
**                              neither exact
**
** If there is a NaN, no bounds are written.  The format would allow bounds of
** the other values, with a nan_count.  But some readers sort NaN above all
** numbers and do not know nan_count (DuckDB, Spark): searching for values above
** 2, they would skip 1.5, NaN, 0.0.  QUIRK: DuckDB 1.5.6, seen by the queries
** of test/interop/written.mjs.
**
** A zero bound is widened, min to -0.0 and max to +0.0.  Long texts are cut at
** the end of a character, long bytes anywhere.  A max that is cut is then made
** greater in its last place; if no place can be, it is not written.  Numbers,
** decimals and UUIDs are never cut.  INTERVAL, INT96 and types without an order
** have no bounds.
**
** A caller may ask for IEEE 754's total order.  Zeros are then not widened, and
** if all values are NaN, the least and the greatest NaN are the bounds.
**
** pq_bounds_add_bounds adds the bounds of a page to the bounds of the chunk.
*/
#ifndef PQ_BOUNDS_MAKE_H
#define PQ_BOUNDS_MAKE_H

#include "core/meta/rank.h"

/* The longest text or bytes that are written as a bound. */
enum { PQ_BOUND_CHUNK_BYTES = 64, PQ_BOUND_PAGE_BYTES = 32 };

/* The largest most_bytes that may be asked for.  A longer text that may be cut
** keeps one byte more, which shows that it is longer. */
enum { PQ_BOUND_MOST_BYTES = 4095 };

typedef struct PqBoundsMake {
    const PqType *type;
    PqOrder    order;                /* NONE: only counts                    */
    PqRankKind kind;
    bool       has;                  /* a value was seen that has a bound    */
    int64_t    n_nulls, n_nans;
    int64_t    min, max;             /* ranks of numbers                     */
    int64_t    nan_min, nan_max;     /* of NaN, where n_nans > 0             */
    PqBuf      min_bytes, max_bytes; /* BYTE_ARRAY and FIXED                 */
} PqBoundsMake;

/* type is borrowed. */
void pq_bounds_make_init(PqBoundsMake *b, const PqType *type, PqMem *mem);
void pq_bounds_make_free(PqBoundsMake *b);
void pq_bounds_make_reset(PqBoundsMake *b);          /* keeps its room */

/* Called before the first value: FLOAT, DOUBLE and FLOAT16 are in total
** order. */
void pq_bounds_make_total(PqBoundsMake *b);

/* Adds n values in the layout of decoder.h and n_nulls entries without one. */
PqRc pq_bounds_add(PqBoundsMake *b, const void *values, uint32_t n,
                   int64_t n_nulls, PqErr *e);
PqRc pq_bounds_add_bounds(PqBoundsMake *b, const PqBoundsMake *page, PqErr *e);

/* The bounds as they are written, of at most most_bytes each, in a. */
typedef struct PqBoundsMade {
    bool    has_min, has_max, min_exact, max_exact;
    PqSlice min, max;
} PqBoundsMade;

PqRc pq_bounds_made(const PqBoundsMake *b, size_t most_bytes, PqArena *a,
                    PqBoundsMade *out, PqErr *e);

/* The Statistics of a chunk: bounds, exactness flags, null_count, nan_count
** for the floating-point types, distinct_count where n_distinct >= 0. */
PqRc pq_bounds_statistics(const PqBoundsMake *b, int64_t n_distinct,
                          PqArena *a, PqStatistics *out, PqErr *e);

#endif
