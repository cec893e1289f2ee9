/*
** encoder.h - values to the bytes of a page: what decoder.h and levels.h read.
**
** Values come as arrays of the physical type, without nulls, in the layout of
** decoder.h.  The values section of a page, or the levels before it, is
** appended to a buffer:
**
**   page v1   repetition levels (pq_encode_levels, PQ_LEVELS_V1)
**             definition levels (the same, or pq_encode_valid)
**             values (pq_encode, or pq_encode_ids)
**
** An encoder keeps nothing from page to page.  All memory is charged to the
** buffer's budget: what the buffer grows by, and for some encodings a few bytes
** per value during the call.  A call that fails leaves the buffer as it was,
** perhaps with more room.
**
** Where the format leaves a choice, it is this.  Runs: a repeat of eight values
** or more gets its own run, if that takes fewer bytes than bit-packing, its own
** header and the next one included.  Everything else is bit-packed in runs as
** long as possible.  Deltas: blocks of 128 values in 4 miniblocks.  ALP:
** vectors of 1024 values.
*/
#ifndef PQ_ENCODER_H
#define PQ_ENCODER_H

#include "core/encoding/decoder.h"

/* The most values of a page: less than INT32_MAX, because groups of eight are
** padded. */
enum { PQ_ENCODE_MOST = INT32_MAX - 7 };

/* Can pq_encode write the pair?  It can write every pair that pq_decoder_open
** takes, except dictionary ids. */
bool pq_encodes(int encoding, PqPhysical type);

/* Appends shape->n_values values as a data page or (PLAIN) a dictionary page
** holds them.  A value of FIXED has shape->fixed_length bytes.  Fails with
** PQ_USAGE when pq_encodes is false for the pair, or when a page cannot hold so
** much. */
PqRc pq_encode(const PqValueShape *shape, const void *values, PqBuf *out,
               PqErr *e);

/* A data page of a dictionary of n_entries; every id is less.  The ids get the
** width of the largest possible one, and at least 1: some readers do not take
** 0. */
PqRc pq_encode_ids(const uint32_t *ids, uint32_t n, uint32_t n_entries,
                   PqBuf *out, PqErr *e);

/* v1 pages have the length of the levels before the levels, v2 pages in the
** page header. */
typedef enum PqLevelsIn { PQ_LEVELS_V1, PQ_LEVELS_V2 } PqLevelsIn;

/* n levels, none above max, as runs.  When max is 0, nothing is written, not
** even a length. */
PqRc pq_encode_levels(const uint16_t *levels, uint32_t n, uint16_t max,
                      PqLevelsIn in, PqBuf *out, PqErr *e);

/* The levels of a column that is optional but not nested, so max is 1: n bits,
** from bit bit_at of valid on (little-endian words), set where there is a
** value. */
PqRc pq_encode_valid(const uint64_t *valid, uint32_t bit_at, uint32_t n,
                     PqLevelsIn in, PqBuf *out, PqErr *e);

#endif
