/*
** bytes.c - slices are read and buffers grow; every step is checked.
**
** The limits are hard.  A varint has at most 64 bits: its tenth byte may only
** be 0 or 1.  A buffer grows by half, which must not overflow, and
** pq_buf_printf may need a second try when the text is longer than its stack
** buffer.  Values are loaded as they lie in the file, so the CPU has to be
** little-endian.
*/
#include "core/base/bytes.h"

#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "values are loaded as they lie in the file");

int pq_slice_compare(PqSlice a, PqSlice b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;

    return c ? c : (a.n > b.n) - (a.n < b.n);
}

static PQ_COLD PqRc ends_early(size_t want, size_t have, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%zu bytes wanted, %zu left", want, have);
}

PqRc pq_slice_u8(PqSlice *s, uint8_t *out, PqErr *e)
{
    if (s->n < 1) return ends_early(1, s->n, e);
    *out = *s->p;
    s->p++;
    s->n--;
    return PQ_OK;
}

PqRc pq_slice_u32(PqSlice *s, uint32_t *out, PqErr *e)
{
    if (s->n < 4) return ends_early(4, s->n, e);
    *out = pq_load_u32(s->p);
    s->p += 4;
    s->n -= 4;
    return PQ_OK;
}

PqRc pq_slice_u64(PqSlice *s, uint64_t *out, PqErr *e)
{
    if (s->n < 8) return ends_early(8, s->n, e);
    *out = pq_load_u64(s->p);
    s->p += 8;
    s->n -= 8;
    return PQ_OK;
}

PqRc pq_slice_take(PqSlice *s, size_t n, PqSlice *out, PqErr *e)
{
    if (s->n < n) return ends_early(n, s->n, e);
    *out = pq_slice(s->p, n);
    if (n) {
        s->p += n;
        s->n -= n;
    }
    return PQ_OK;
}

PqRc pq_slice_varint(PqSlice *s, uint64_t *out, PqErr *e)
{
    uint64_t v = 0;
    size_t i;

    for (i = 0; i < s->n && i < 10; i++) {
        uint8_t c = s->p[i];
        if (i == 9 && c > 1) {
            break;
        }
        v |= (uint64_t)(c & 0x7f) << (7 * i);
        if (c < 0x80) {
            *out = v;
            s->p += i + 1;
            s->n -= i + 1;
            return PQ_OK;
        }
    }
    return pq_fail(e, PQ_CORRUPT, i < 9 ? "a variable-length integer is cut off"
                                        : "a variable-length integer is wider "
                                          "than 64 bits");
}

PqRc pq_slice_zigzag(PqSlice *s, int64_t *out, PqErr *e)
{
    uint64_t v;

    PQ_TRY(pq_slice_varint(s, &v, e));
    *out = (int64_t)(v >> 1 ^ (~(v & 1) + 1));
    return PQ_OK;
}

void pq_buf_init(PqBuf *b, PqMem *mem, PqErr *sink)
{
    *b = (PqBuf){NULL, 0, 0, mem, sink, 0};
}

void pq_buf_free(PqBuf *b)
{
    pq_mem_free(b->p);
    b->p = NULL;
    b->n = b->room = 0;
}

static PQ_COLD PqRc too_long(const PqBuf *b, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "a result of more than %zu bytes",
                   b->most);
}

PqRc pq_buf_reserve(PqBuf *b, size_t more, PqErr *e)
{
    size_t want, room;

    if (more <= b->room - b->n) {
        return PQ_OK;
    }
    if (more > SIZE_MAX / 2 - b->n) {
        return pq_fail(e, PQ_NOMEM, "out of memory (%zu bytes)", more);
    }
    want = b->n + more;
    room = b->room + b->room / 2;
    if (b->most && want > b->most) {
        return too_long(b, e);
    }
    room = b->most && room > b->most ? b->most : room;
    room = room < want ? want : room;
    PQ_TRY(pq_mem_resize_array(b->mem, &b->p, room, 1, e));
    b->room = room;
    return PQ_OK;
}

PqRc pq_buf_resize(PqBuf *b, size_t n, PqErr *e)
{
    if (n > b->room) {
        PQ_TRY(pq_buf_reserve(b, n - b->n, e));
    }
    b->n = n;
    return PQ_OK;
}

uint8_t *pq_buf_room(PqBuf *b, size_t n)
{
    if (!pq_buf_ok(b) || pq_buf_reserve(b, n, b->sink) != PQ_OK || !b->p) {
        return NULL;
    }
    return b->p + b->n;
}

PqRc pq_buf_append(PqBuf *b, const void *p, size_t n, PqErr *e)
{
    PQ_TRY(pq_buf_reserve(b, n, e));
    if (n) {                         /* else there may be no bytes, here or there */
        memcpy(b->p + b->n, p, n);
        b->n += n;
    }
    return PQ_OK;
}

PqRc pq_buf_set(PqBuf *b, PqSlice v, PqErr *e)
{
    b->n = 0;
    return pq_buf_append(b, v.p, v.n, e);
}

void pq_buf_add(PqBuf *b, const void *p, size_t n)
{
    if (pq_buf_ok(b)) {
        pq_buf_append(b, p, n, b->sink);
    }
}

void pq_buf_byte(PqBuf *b, uint8_t c)
{
    if (PQ_LIKELY(b->n < b->room && pq_buf_ok(b))) {
        b->p[b->n++] = c;
    } else {
        pq_buf_add(b, &c, 1);
    }
}

void pq_buf_text(PqBuf *b, const char *z)
{
    pq_buf_add(b, z, strlen(z));
}

void pq_buf_printf(PqBuf *b, const char *fmt, ...)
{
    char small[256];
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0) {
        return;
    }
    if ((size_t)n < sizeof small) {
        pq_buf_add(b, small, (size_t)n);
        return;
    }
    if (pq_buf_room(b, (size_t)n + 1)) {
        va_start(ap, fmt);
        vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
        va_end(ap);
        b->n += (size_t)n;
    }
}

void pq_buf_varint(PqBuf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        pq_buf_byte(b, (uint8_t)(v | 0x80));
    }
    pq_buf_byte(b, (uint8_t)v);
}
