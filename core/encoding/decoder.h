/*
** decoder.h - the values section of a page, whatever its encoding.
**
** A decoder is opened on the bytes of one page and then pulled: read n values,
** skip n values, thousands per call.  What comes out is an array of the
** physical type:
**
**   BOOLEAN  uint8_t 0/1        FLOAT   float
**   INT32    int32_t            DOUBLE  double
**   INT64    int64_t            INT96   12 bytes each
**   BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY   PqStr each
**
** A PqStr points into the page where the encoding allows it, else into the
** arena given to pq_decoder_read.  BYTE_ARRAY values are followed by a NUL byte
** that is not counted, so that they can be handed out as C strings.  The bytes
** of the page are owned and writable: a PLAIN decoder ends each value by
** overwriting the first byte of the next length, which it has read by then.  So
** the page needs one byte of room after its end.
**
**   PLAIN page:   05 00 00 00  h e l l o  05 00 00 00  w o r l d  (room)
**   after:        05 00 00 00  h e l l o  00 00 00 00  w o r l d  00
**
** So such a page cannot be opened and read a second time: a cache has to keep
** its values, not its bytes.
**
** Dictionary pages are decoded with PQ_ENCODING_PLAIN; RLE_DICTIONARY data
** pages yield indices by pq_decoder_read_ids.
*/
#ifndef PQ_DECODER_H
#define PQ_DECODER_H

#include "core/base/arena.h"
#include "core/base/lazy_bytes.h"

typedef enum PqPhysical {
    PQ_BOOLEAN = 0,
    PQ_INT32 = 1,
    PQ_INT64 = 2,
    PQ_INT96 = 3,
    PQ_FLOAT = 4,
    PQ_DOUBLE = 5,
    PQ_BYTE_ARRAY = 6,
    PQ_FIXED = 7,                    /* FIXED_LEN_BYTE_ARRAY */
    PQ_PHYSICAL_COUNT
} PqPhysical;

typedef enum PqEncoding {
    PQ_ENCODING_PLAIN = 0,
    PQ_ENCODING_PLAIN_DICTIONARY = 2,
    PQ_ENCODING_RLE = 3,
    PQ_ENCODING_BIT_PACKED = 4,
    PQ_ENCODING_DELTA_BINARY_PACKED = 5,
    PQ_ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6,
    PQ_ENCODING_DELTA_BYTE_ARRAY = 7,
    PQ_ENCODING_RLE_DICTIONARY = 8,
    PQ_ENCODING_BYTE_STREAM_SPLIT = 9,
    PQ_ENCODING_ALP = 10,
    PQ_ENCODING_COUNT
} PqEncoding;

const char *pq_encoding_name(int encoding);          /* NULL: unknown number */
const char *pq_physical_name(int physical);          /* NULL: unknown number */

/* Size of one value in a decoded array. */
size_t pq_physical_width(PqPhysical type);

typedef struct PqDecoder PqDecoder;

/* The length of a FIXED_LEN_BYTE_ARRAY if the schema has none.  Its nulls can
** be read; reading a value is an error. */
#define PQ_NO_LENGTH UINT32_MAX

/* What a page says about its values. */
typedef struct PqValueShape {
    PqPhysical type;
    uint32_t   fixed_length;         /* of PQ_FIXED */
    int        encoding;             /* as in the file: may be nonsense */
    uint32_t   n_values;             /* non-null ones, at most */
} PqValueShape;

/* Bytes of a value in the page; 0 for values of different lengths. */
uint32_t pq_width_in_page(const PqValueShape *s);

/* A decoder is made once per column and opened on page after page, so that its
** working memory is kept.  bytes is borrowed, written to (see above), and must
** stay until the next open. */
PqRc pq_decoder_new(PqMem *mem, PqDecoder **out, PqErr *e);
void pq_decoder_free(PqDecoder *d);                  /* d may be NULL */
PqRc pq_decoder_open(PqDecoder *d, const PqValueShape *shape, uint8_t *bytes,
                     size_t n_bytes, PqErr *e);

/* The same for bytes that a produces on demand; they end where a ends.  While
** some are missing, the values of a PLAIN BYTE_ARRAY page are copied into the
** arena, because a NUL after a value in the page would change bytes that are
** still needed. */
PqRc pq_decoder_open_arriving(PqDecoder *d, const PqValueShape *shape,
                              uint8_t *bytes, size_t n_bytes, PqLazyBytes *a,
                              PqErr *e);

/* n values to out (n * pq_physical_width bytes, aligned).  strings holds values
** that cannot point into the page; only BYTE_ARRAY and FIXED need it, others
** may pass NULL.  Strings of DELTA_BYTE_ARRAY can be far larger than their
** page: a read allocates all it needs at once, or fails with PQ_BUDGET. */
PqRc pq_decoder_read(PqDecoder *d, uint32_t n, void *out, PqArena *strings,
                     PqErr *e);

/* The same without a copy: *out points to n values in the page, in the form
** that pq_decoder_read gives them.  They stay as long as the page's bytes.
** NULL: the page does not have them in that form, and they are still to be
** read. */
PqRc pq_decoder_lend(PqDecoder *d, uint32_t n, const void **out, PqErr *e);

/* The same for PLAIN BYTE_ARRAY, but the values have no NUL after them: they
** stay as they are in the page, even while bytes are missing. */
PqRc pq_decoder_locate(PqDecoder *d, uint32_t n, PqStr *out, PqErr *e);

/* n dictionary indices of an (RLE|PLAIN)_DICTIONARY page; each is less than
** n_entries or the page is corrupt. */
PqRc pq_decoder_read_ids(PqDecoder *d, uint32_t n, uint32_t n_entries,
                         uint32_t *out, PqErr *e);

PqRc pq_decoder_skip(PqDecoder *d, uint32_t n, PqErr *e);

static inline bool pq_encoding_is_dictionary(int encoding)
{
    return encoding == PQ_ENCODING_PLAIN_DICTIONARY ||
           encoding == PQ_ENCODING_RLE_DICTIONARY;
}

/* The encoding of the values in a dictionary page, by what its header says.
** QUIRK: that is PLAIN or PLAIN_DICTIONARY, both meaning PLAIN. */
PqRc pq_encoding_in_dictionary(int *encoding, PqErr *e);

#endif
