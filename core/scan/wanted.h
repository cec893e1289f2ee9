/*
** wanted.h - which stored values of a leaf a condition wants.
**
** The host knows what its conditions mean.  It says so once per type: as spans
** of the values that the leaf stores, in their order.  Everything that the
** engine asks about a condition is then an intersection with these spans:
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
** A condition that spans cannot express exactly has wider ones (exact false).
** Some values have no place in the order that the condition compares by, such as
** dates beyond the year 9999, whose texts sort elsewhere: these are the places
** outside [least, most], and the host is asked about each.
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

/* Ends included. */
typedef struct PqSpan {
    PqPlace first, last;
} PqSpan;

/* From `from` up to, but without, `to`. */
typedef struct PqByteSpan {
    PqSlice from, to;
    bool    endless;                 /* `to` is not looked at               */
    bool    single;                  /* nothing but `from`                  */
} PqByteSpan;

typedef struct PqWanted {
    PqWantedForm form;
    bool         nulls, nans;        /* are wanted                          */
    bool         exact;              /* what is in a span is surely wanted  */
    bool         bounded;            /* PLACES: values may be outside of    */
    PqPlace      least, most;        /* these, and then are wanted perhaps, */
    bool         beyond;             /* ... or, if false, are not; so are
                                     ** those that 128 bits do not hold     */
    PqSpan      *spans;              /* ascending, disjoint                 */
    PqByteSpan  *byte_spans;         /* likewise                            */
    uint32_t     n;
} PqWanted;

/* An empty set of this form with room for n spans, in a. */
PqRc pq_wanted_begin(PqWanted *w, PqWantedForm form, const PqType *type,
                     uint32_t n, PqArena *a, PqErr *e);

/* Adds a span; there has to be room.  An empty one is left out.  What comes
** right after v in the order of bytes is v and a NUL, so a NUL has to lie behind
** a single value. */
void pq_wanted_add(PqWanted *w, PqPlace first, PqPlace last);
void pq_wanted_add_value(PqWanted *w, PqSlice v);
void pq_wanted_add_bytes(PqWanted *w, PqSlice from, PqSlice to);
void pq_wanted_add_bytes_from(PqWanted *w, PqSlice from);
void pq_wanted_add_all(PqWanted *w);

/* Puts the spans in order and joins those that overlap. */
void pq_wanted_end(PqWanted *w);

/* What comes right after v: it and the NUL that lies behind it. */
static inline PqSlice pq_bytes_after(PqSlice v)
{
    return pq_slice(v.p, v.n + 1);
}

/* May a value of these rows be wanted?  n_values: slots; -1: not known. */
bool pq_wanted_meets(const PqWanted *w, const PqType *type, const PqBounds *b,
                     int64_t n_values);

bool pq_wanted_has_place(const PqWanted *w, PqPlace place);
bool pq_wanted_has_bytes(const PqWanted *w, PqSlice v);

/* Can all values that are wanted be listed, *n of them?  Their spans say which:
** each place of one, or the start of a single one of bytes. */
bool pq_wanted_can_list(const PqWanted *w, uint32_t *n);

/* The hashes of all values that are wanted, ascending, in a; *known false: they
** are too many, or cannot be listed. */
PqRc pq_wanted_hashes(const PqWanted *w, const PqType *type, PqArena *a,
                      uint64_t **out, uint32_t *n, bool *known, PqErr *e);

/* Arrays are of the leaf's physical type, and n is at most PQ_WANTED_AT_ONCE.
** A value whose bit in asked is clear is not looked at, or its bit may come out
** either way. */
enum { PQ_WANTED_AT_ONCE = 2048 };

/* Are all values that are asked about within [least, most]? */
bool pq_wanted_bounds_hold(const PqWanted *w, const PqType *type,
                           const void *values, uint32_t n,
                           const uint64_t *asked);

/* Bit i: values[i] is in a span, or a NaN that is wanted. */
void pq_wanted_test(const PqWanted *w, const PqType *type, const void *values,
                    uint32_t n, const uint64_t *asked, uint64_t *bits);

#endif
