/*
** encoder.h - values to the bytes of a page: what decoder.h and levels.h read.
**
** Values come as arrays of the physical type, nulls left out, in the layout
** decoder.h gives them, and leave as the values section of a page, or as the
** levels in front of it, appended to a buffer:
**
**   page v1   repetition levels (pq_encode_levels, PQ_LEVELS_V1)
**             definition levels (the same, or pq_encode_valid)
**             values (pq_encode, or pq_encode_ids)
**
** An encoder keeps nothing from page to page.  Memory is that of the buffer:
** what it grows by, and for some encodings a few bytes per value while the call
** lasts, charged to the buffer's budget.  A call that fails leaves the buffer
** as it was, with more room perhaps.
**
** What may be chosen is chosen like this.  Runs: a repeat is worth its own run
** when it is eight values long or more and takes fewer bytes than it would
** bit-packed, its header and the next one counted; all else is bit-packed in
** the longest runs there are.  Deltas: blocks of 128 values in 4 miniblocks.
** ALP: vectors of 1024 values.
*/
#ifndef PQ_ENCODER_H
#define PQ_ENCODER_H

#include "core/encoding/decoder.h"

/* More values than that no page has; fewer than an int32, because groups of
** eight are filled up. */
enum { PQ_ENCODE_MOST = INT32_MAX - 7 };

/* Whether pq_encode writes the pair: those pq_decoder_open takes, dictionary
** ids apart. */
bool pq_encodes(int encoding, PqPhysical type);

/* Appends shape->n_values values as a data page or (PLAIN) a dictionary page
** holds them.  A value of FIXED has shape->fixed_length bytes.  Fails with
** PQ_USAGE when the pair is none of pq_encodes, or when this is more than a
** page can hold. */
PqRc pq_encode(const PqValueShape *shape, const void *values, PqBuf *out,
               PqErr *e);

/* A data page of a dictionary of n_entries; every id is less.  The width of
** the ids is that of the largest there could be, and at least 1: readers exist
** that do not take 0. */
PqRc pq_encode_ids(const uint32_t *ids, uint32_t n, uint32_t n_entries,
                   PqBuf *out, PqErr *e);

/* v1 pages have the length of the levels in front of them, v2 pages in their
** header. */
typedef enum PqLevelsIn { PQ_LEVELS_V1, PQ_LEVELS_V2 } PqLevelsIn;

/* n levels, none above max, as runs.  Where max is 0 there are no bytes, and no
** length. */
PqRc pq_encode_levels(const uint16_t *levels, uint32_t n, uint16_t max,
                      PqLevelsIn in, PqBuf *out, PqErr *e);

/* The levels of a column that is merely optional, max is 1: n bits, from bit
** bit_at of valid on (little-endian words), set where there is a value. */
PqRc pq_encode_valid(const uint64_t *valid, uint32_t bit_at, uint32_t n,
                     PqLevelsIn in, PqBuf *out, PqErr *e);

#endif
