/*
** bytes.h - borrowed bytes, owned bytes, and reading them in order.
**
** PqSlice is borrowed: someone else keeps the bytes alive.  A slice is also
** its own cursor: the pq_slice_ functions take from its front, check every step
** and never look past its end.
**
** PqBuf is owned and grows; it is also the sink that writers append to.  The
** error of a sink is sticky: appending to a failed sink does nothing, and the
** writer checks pq_buf_ok once at the end.
**
** PqStr is one value of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY in a vector.
**
** Integers in a Parquet file are little-endian, except DECIMALs that are stored
** as bytes and values that are compared as bytes.  pq_load_ and pq_store_ take
** any alignment.
*/
#ifndef PQ_BYTES_H
#define PQ_BYTES_H

#include "core/base/mem.h"

#include <string.h>

typedef struct PqSlice {
    const uint8_t *p;
    size_t         n;
} PqSlice;

typedef struct PqStr {
    const uint8_t *p;
    uint32_t       n;
} PqStr;

typedef struct PqBuf {
    uint8_t *p;
    size_t   n, room;
    PqMem   *mem;
    PqErr   *sink;       /* receives errors of appending; see pq_buf_init */
    size_t   most;       /* more bytes are an error; 0: only the memory's
                         ** limit counts                                  */
} PqBuf;

static inline uint16_t pq_load_u16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t pq_load_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t pq_load_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void pq_store_u32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void pq_store_u64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline uint64_t pq_load_u64_be(const void *p)
{
    return __builtin_bswap64(pq_load_u64(p));
}

static inline void pq_store_u64_be(void *p, uint64_t v)
{
    pq_store_u64(p, __builtin_bswap64(v));
}

/* Two's complement, 16 bytes. */
static inline void pq_store_i128_be(uint8_t out[16], __int128 v)
{
    pq_store_u64_be(out, (uint64_t)(v >> 64));
    pq_store_u64_be(out + 8, (uint64_t)v);
}

/* memcpy; without bytes, neither needs to point to anything. */
static inline void pq_bytes_copy(void *to, const void *from, size_t n)
{
    if (n) {
        memcpy(to, from, n);
    }
}

static inline PqSlice pq_slice(const void *p, size_t n)
{
    return (PqSlice){p, n};
}

static inline PqSlice pq_slice_text(const char *z)
{
    return (PqSlice){(const uint8_t *)z, z ? strlen(z) : 0};
}

static inline bool pq_slice_is(PqSlice s, const char *z)
{
    return s.n == strlen(z) && (s.n == 0 || memcmp(s.p, z, s.n) == 0);
}

static inline bool pq_slice_equal(PqSlice a, PqSlice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Has it these characters only? */
static inline bool pq_slice_has_only(PqSlice s, const char *these)
{
    while (s.n && s.p[0] && strchr(these, s.p[0])) {
        s.p++;
        s.n--;
    }
    return s.n == 0;
}

static inline bool pq_str_equal(PqStr a, PqStr b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* What follows the last slash of a path; without a slash, the whole path. */
static inline const char *pq_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Compares as unsigned bytes; a prefix sorts before anything longer. */
int pq_slice_compare(PqSlice a, PqSlice b);

/* The first eight bytes as a number, which is compared as they are; missing ones
** are 0. */
static inline uint64_t pq_str_prefix(PqStr v)
{
    uint64_t first = 0;

    if (PQ_LIKELY(v.n >= 8)) {
        return pq_load_u64_be(v.p);
    }
    if (v.n >= 4) {                  /* two halves, which may overlap */
        return (uint64_t)__builtin_bswap32(pq_load_u32(v.p)) << 32 |
               (uint64_t)__builtin_bswap32(pq_load_u32(v.p + v.n - 4))
                   << (64 - 8 * v.n);
    }
    for (uint32_t i = 0; i < v.n; i++) {
        first |= (uint64_t)v.p[i] << (56 - 8 * i);
    }
    return first;
}

/* Takes the front of s, at most n bytes. */
static inline PqSlice pq_slice_cut(PqSlice *s, size_t n)
{
    PqSlice front = {s->p, s->n < n ? s->n : n};

    s->p = front.n ? s->p + front.n : s->p;
    s->n -= front.n;
    return front;
}

/* Takes the front of s up to a byte, or all of it, and the byte as well. */
static inline PqSlice pq_slice_before(PqSlice *s, int byte)
{
    const uint8_t *at = s->n ? (const uint8_t *)memchr(s->p, byte, s->n) : NULL;
    PqSlice front = pq_slice_cut(s, at ? (size_t)(at - s->p) : s->n);

    pq_slice_cut(s, 1);
    return front;
}

/* Each takes from the front of s, or fails with PQ_CORRUPT and takes
** nothing. */
PqRc pq_slice_u8(PqSlice *s, uint8_t *out, PqErr *e);
PqRc pq_slice_u32(PqSlice *s, uint32_t *out, PqErr *e);
PqRc pq_slice_u64(PqSlice *s, uint64_t *out, PqErr *e);
PqRc pq_slice_take(PqSlice *s, size_t n, PqSlice *out, PqErr *e);
PqRc pq_slice_varint(PqSlice *s, uint64_t *out, PqErr *e);      /* ULEB128 */
PqRc pq_slice_zigzag(PqSlice *s, int64_t *out, PqErr *e);

/* An empty buffer charged to mem.  sink may be NULL for a buffer that is only
** resized by pq_buf_resize and never appended to. */
void pq_buf_init(PqBuf *b, PqMem *mem, PqErr *sink);
void pq_buf_free(PqBuf *b);                       /* and makes it empty again */
PqRc pq_buf_reserve(PqBuf *b, size_t more, PqErr *e);
PqRc pq_buf_resize(PqBuf *b, size_t n, PqErr *e); /* new bytes are undefined */

/* Appends, or makes the buffer a copy of v, with an error of its own: for buffers
** without a sink. */
PqRc pq_buf_append(PqBuf *b, const void *p, size_t n, PqErr *e);
PqRc pq_buf_set(PqBuf *b, PqSlice v, PqErr *e);

/* Room for at least n bytes after the end, or NULL with the sink's error
** set.  The caller writes and then adds to b->n. */
uint8_t *pq_buf_room(PqBuf *b, size_t n);
void     pq_buf_add(PqBuf *b, const void *p, size_t n);
void     pq_buf_byte(PqBuf *b, uint8_t c);
void     pq_buf_text(PqBuf *b, const char *z);
void     pq_buf_printf(PqBuf *b, const char *fmt, ...) PQ_PRINTF(2, 3);
void     pq_buf_varint(PqBuf *b, uint64_t v);

static inline bool pq_buf_ok(const PqBuf *b)
{
    return !b->sink || b->sink->rc == PQ_OK;
}

static inline PqSlice pq_buf_view(const PqBuf *b)
{
    return (PqSlice){b->p, b->n};
}

#endif
