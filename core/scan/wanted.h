/*
** wanted.h - which stored values of a leaf a condition wants.
**
** The host knows what its conditions mean.  It says this once per type, as
** spans of the stored values, in their order.  Everything that the engine asks
** about a condition is then an intersection with these spans:
**
**   day >= '2024-03'         DATE      [19783 ..]
**   price <> 0.1             DECIMAL(9,2)   [.. 9] [11 ..]
**   id IN (7, 3)             INT32     [3 .. 3] [7 .. 7]
**   user > 'bob'             STRING    ["bob\0" ..)
**
**   bounds of rows           may any value from min to max be wanted?
**   a Bloom filter           which single values are wanted, if they are few?
**   a batch                  which of its values are wanted?
**
** If spans cannot express a condition exactly, they are wider (exact is false).
**
** Some values do not sort as the condition compares: the texts of dates beyond
** the year 9999 sort elsewhere than the dates.  Such values lie outside
** [least, most], and the host is asked about each.
*/
#ifndef PQ_WANTED_H
#define PQ_WANTED_H

#include "core/base/arena.h"
#include "core/column/vector.h"
#include "core/meta/place.h"
#include "core/meta/stats.h"

typedef enum PqWantedForm {
    PQ_WANTED_CELLS,                 /* spans say nothing: ask the host     */
    PQ_WANTED_PLACES,                /* spans of places                     */
    PQ_WANTED_BYTES                  /* spans of texts or bytes             */
} PqWantedForm;

/* Both ends are included. */
typedef struct PqSpan {
    PqPlace first, last;
} PqSpan;

/* `from` is included, `to` is not. */
typedef struct PqByteSpan {
    PqSlice from, to;
    bool    endless;                 /* there is no upper end, `to` is unused */
    bool    single;                  /* only `from` itself                  */
} PqByteSpan;

typedef struct PqWanted {
    PqWantedForm form;
    bool         nulls, nans;        /* are wanted                          */
    bool         exact;              /* all values in a span are wanted     */
    bool         bounded;            /* PLACES: values may lie outside of   */
    PqPlace      least, most;        /* [least, most]                       */
    bool         beyond;             /* true: such values may be wanted, and
                                     ** those that do not fit into 128 bits;
                                     ** false: none of them is wanted       */
    PqSpan      *spans;              /* ascending, disjoint                 */
    PqByteSpan  *byte_spans;         /* likewise                            */
    uint32_t     n;
    /* Of many single values: the bits at their hashes.  A value whose bit is clear is
    ** not wanted, and need not be searched for. */
    uint64_t    *sieve;              /* NULL: there is none                 */
    unsigned     sieve_shift;        /* from a hash to its bit              */
    uint32_t     sieve_most;         /* values                              */
    bool         sieved;             /* by pq_wanted_end                    */
} PqWanted;

/* An empty set of this form with room for n spans, in a. */
PqRc pq_wanted_begin(PqWanted *w, PqWantedForm form, const PqType *type,
                     uint32_t n, PqArena *a, PqErr *e);

/* Adds a span; there has to be room.  An empty span is ignored.  A single
** value has to be followed by a NUL in memory: see pq_bytes_after. */
void pq_wanted_add(PqWanted *w, PqPlace first, PqPlace last);
void pq_wanted_add_value(PqWanted *w, PqSlice v);
void pq_wanted_add_bytes(PqWanted *w, PqSlice from, PqSlice to);
void pq_wanted_add_bytes_from(PqWanted *w, PqSlice from);
void pq_wanted_add_all(PqWanted *w);

/* Puts the spans in order and joins spans that overlap. */
void pq_wanted_end(PqWanted *w);

/* The next value in the order of bytes: v and the NUL that follows it in
** memory. */
static inline PqSlice pq_bytes_after(PqSlice v)
{
    return pq_slice(v.p, v.n + 1);
}

/* May a value of these rows be wanted?  n_values: slots; -1: not known. */
bool pq_wanted_meets(const PqWanted *w, const PqType *type, const PqBounds *b,
                     int64_t n_values);

bool pq_wanted_has_place(const PqWanted *w, PqPlace place);
bool pq_wanted_has_bytes(const PqWanted *w, PqSlice v);

/* Can all wanted values be listed?  *n is their number.  They are all places
** in the spans, or the starts of the byte spans, which are then all single. */
bool pq_wanted_can_list(const PqWanted *w, uint32_t *n);

/* The bits of n <= 64 integers, from the i-th on, that the sieve lets through.  There
** is a sieve. */
uint64_t pq_wanted_sift(const PqWanted *w, const PqType *type,
                        const void *values, uint32_t i, uint32_t n);

/* The hashes of all wanted values, ascending, allocated in a.  *known false:
** there are too many, or they cannot be listed. */
PqRc pq_wanted_hashes(const PqWanted *w, const PqType *type, PqArena *a,
                      uint64_t **out, uint32_t *n, bool *known, PqErr *e);

/* Arrays are of the leaf's physical type, and n is at most PQ_WANTED_AT_ONCE.
** If the bit of a value in `asked` is clear, its bit in the result may be 0 or
** 1. */
enum { PQ_WANTED_AT_ONCE = 2048 };

/* Are all values whose bit in `asked` is set within [least, most]? */
bool pq_wanted_bounds_hold(const PqWanted *w, const PqType *type,
                           const void *values, uint32_t n,
                           const uint64_t *asked);

/* Sets bit i if values[i] is in a span or is a wanted NaN. */
void pq_wanted_test(const PqWanted *w, const PqType *type, const void *values,
                    uint32_t n, const uint64_t *asked, uint64_t *bits);

#endif
