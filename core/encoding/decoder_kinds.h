/*
** decoder_kinds.h - the inside of a PqDecoder: one kind per pair of encoding
** and physical type, each in the file of its encoding.
**
** decoder.c has the table, and checks for all kinds that no more values are
** asked for than are left.  A kind that can tell from its bytes how many values
** there are lowers `left` when it is opened.  The others fail when they run
** out.
*/
#ifndef PQ_DECODER_KINDS_H
#define PQ_DECODER_KINDS_H

#include "core/encoding/decoder.h"
#include "core/encoding/delta.h"
#include "core/encoding/rle.h"

/* n is at least 1 and at most left; decoder.c subtracts it from left. */
typedef struct PqDecoderKind {
    PqRc (*open)(PqDecoder *d, PqErr *e);
    PqRc (*read)(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                 PqErr *e);
    PqRc (*skip)(PqDecoder *d, uint32_t n, PqErr *e);
} PqDecoderKind;

typedef struct PqIds {
    PqRle    runs;
    uint32_t n_entries;              /* of the dictionary; set for each read */
} PqIds;

typedef struct PqText {
    uint32_t next_length;            /* of the value that comes next */
    size_t   copied;                 /* bytes of values, so far */
} PqText;

typedef struct PqSplit {
    size_t stride;                   /* values in the page */
    size_t first;                    /* passed so far */
} PqSplit;

typedef struct PqAlp {
    PqSlice  vectors;                /* from the offset array to the end */
    uint32_t count, at;              /* values in the page, passed so far */
    uint32_t log_size;               /* of a vector */
    uint32_t held;                   /* which vector is in PqDecoder.vector */
} PqAlp;

struct PqDecoder {
    PqMem               *mem;
    const PqKernels     *k;
    const PqDecoderKind *kind;
    PqValueShape         shape;
    size_t               n_bytes;    /* of the page */
    uint8_t             *p, *end;    /* not yet taken */
    PqLazyBytes           *arrival;    /* NULL: all bytes are there */
    uint32_t             left;       /* values not yet handed out */
    uint32_t             width;      /* bytes of a value; 0 for BYTE_ARRAY */
    bool                 no_length;  /* the schema has none: see decoder.c */
    union {
        size_t   bit;                /* PLAIN booleans: passed so far */
        PqText   text;               /* PLAIN BYTE_ARRAY */
        PqRle    runs;               /* RLE booleans */
        PqIds    ids;
        PqDelta  delta;
        uint32_t at;                 /* delta strings: passed so far */
        PqSplit  split;
        PqAlp    alp;
    } u;
    PqBuf lengths, prefixes;         /* delta strings: uint32_t each */
    PqBuf previous;                  /* DELTA_BYTE_ARRAY: the value before */
    PqBuf vector;                    /* ALP: a decoded vector */
    uint8_t nothing;                 /* p of a page without bytes */
};

static inline PqSlice pq_decoder_rest(const PqDecoder *d)
{
    return pq_slice(d->p, (size_t)(d->end - d->p));
}

/* Makes sure that n bytes from p on are there. */
static inline PqRc pq_decoder_want(const PqDecoder *d, const uint8_t *p,
                                   size_t n, PqErr *e)
{
    return pq_lazy_bytes_want(d->arrival, p, n, e);
}

/* plain_decode.c: for pq_decoder_lend; NULL: the values are not aligned. */
const void *pq_plain_lend(PqDecoder *d, uint32_t n);

/* ... for pq_decoder_locate. */
PqRc pq_plain_locate(PqDecoder *d, uint32_t n, PqStr *out, PqErr *e);

extern const PqDecoderKind pq_plain_bool, pq_plain_fixed_size,
    pq_plain_byte_array, pq_plain_fixed;
extern const PqDecoderKind pq_rle_bool, pq_dictionary_ids;
extern const PqDecoderKind pq_delta_int32, pq_delta_int64;
extern const PqDecoderKind pq_delta_length, pq_delta_prefix;
extern const PqDecoderKind pq_split_number, pq_split_fixed;
extern const PqDecoderKind pq_alp;

#endif
