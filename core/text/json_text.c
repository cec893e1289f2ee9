/*
** json_text.c - writes JSON: strings, hex and UUIDs, and patterns of them.
**
**   in    a b c " d e f 0a     ff  g
**   out   a b c \ " d e f \ n  ef bf bd  g          (and a quote at each end)
**
** Most bytes of a JSON string are copied unchanged.  So the text is divided
** into runs that are copied and single bytes that are escaped.  The end of a
** run is searched eight bytes at a time; a run may have well-formed characters
** beyond ASCII.  U+2028 and DEL are copied: JSON allows them.
*/
#include "core/text/json_text.h"

#include <assert.h>
#include <stdarg.h>

#define EACH(byte) ((byte) * UINT64_C(0x0101010101010101))

/* Sets the high bit of each byte of x that may need an escape.  The lowest one
** is always right; higher ones may be false. */
static inline uint64_t not_plain(uint64_t x)
{
    uint64_t quote = x ^ EACH('"'), slash = x ^ EACH('\\');

    return (x | ((x - EACH(0x20u)) & ~x) | ((quote - EACH(1u)) & ~quote) |
            ((slash - EACH(1u)) & ~slash)) & EACH(0x80u);
}

static inline bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The end of the run that is copied. */
static const uint8_t *run_end(const uint8_t *p, const uint8_t *end)
{
    bool good;

    for (;;) {
        while (end - p >= 8) {
            uint64_t odd = not_plain(pq_load_u64(p));
            if (odd) {
                p += __builtin_ctzll(odd) / 8;
                break;
            }
            p += 8;
        }
        while (p < end && is_plain(*p)) p++;
        while (p < end && *p >= 0x80) {
            size_t n = pq_utf8_step(p, end, &good);
            if (!good) {
                return p;
            }
            p += n;
        }
        if (p == end || (*p < 0x80 && !is_plain(*p))) {
            return p;
        }
    }
}

static void put_escape(uint8_t c, PqBuf *out)
{
    static const char hex[] = "0123456789abcdef";
    static const char letter[0x80] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'
    };
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

    if (letter[c]) {
        text[1] = letter[c];
        pq_buf_add(out, text, 2);
    } else {
        pq_buf_add(out, text, sizeof text);
    }
}

/* Writes the escape or U+FFFD for what is at p; returns the place after it. */
static const uint8_t *put_odd(const uint8_t *p, const uint8_t *end, PqBuf *out)
{
    bool good;

    if (*p < 0x80) {
        put_escape(*p, out);
        return p + 1;
    }
    pq_buf_add(out, "\xef\xbf\xbd", 3);
    return p + pq_utf8_step(p, end, &good);
}

/* Writes everything from p on; the first run ends at stop. */
static void put_runs(const uint8_t *p, const uint8_t *stop, const uint8_t *end,
                     PqBuf *out)
{
    while (p < end && pq_buf_ok(out)) {
        pq_buf_add(out, p, (size_t)(stop - p));
        p = stop < end ? put_odd(stop, end, out) : end;
        stop = run_end(p, end);
    }
}

void pq_json_text_string(PqSlice s, PqBuf *out)
{
    const uint8_t *end = s.n ? s.p + s.n : s.p, *stop = run_end(s.p, end);
    uint8_t *to = pq_buf_room(out, s.n + 2);

    if (!to) {
        return;
    }
    if (stop < end) {
        pq_buf_byte(out, '"');
        put_runs(s.p, stop, end, out);
        pq_buf_byte(out, '"');
        return;
    }
    to[0] = to[s.n + 1] = '"';
    pq_bytes_copy(to + 1, s.p, s.n);
    out->n += s.n + 2;
}

void pq_json_text_part(PqSlice s, PqBuf *out)
{
    const uint8_t *end = s.n ? s.p + s.n : s.p;

    put_runs(s.p, run_end(s.p, end), end, out);
}

static void print(PqBuf *out, const char *p, va_list *args)
{
    for (; *p; p++) {
        const char *z;
        PqSlice s;

        if (*p != '%') {
            pq_buf_byte(out, *p == '\'' ? '"' : (uint8_t)*p);
            continue;
        }
        switch (*++p) {
        case 's':
            z = va_arg(*args, const char *);
            if (z) {
                pq_json_text_string(pq_slice_text(z), out);
            } else {
                pq_buf_text(out, "null");
            }
            break;
        case 't':
            pq_json_text_string(va_arg(*args, PqSlice), out);
            break;
        case 'j':
            s = va_arg(*args, PqSlice);
            pq_buf_add(out, s.p, s.n);
            break;
        case 'b':
            pq_buf_text(out, va_arg(*args, int) ? "true" : "false");
            break;
        default:
            assert(*p == 'd');
            pq_buf_printf(out, "%lld", (long long)va_arg(*args, int64_t));
        }
    }
}

void pq_json_text_print(PqBuf *out, const char *pattern, ...)
{
    va_list args;

    va_start(args, pattern);
    print(out, pattern, &args);
    va_end(args);
}

PqSlice pq_json_text_make(PqArena *a, PqErr *e, const char *pattern, ...)
{
    va_list args;
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    va_start(args, pattern);
    print(&b, pattern, &args);
    va_end(args);
    return pq_arena_take_bytes(a, &b);
}

void pq_hex_text(PqSlice s, PqBuf *out)
{
    static const char hex[] = "0123456789ABCDEF";
    uint8_t *to = s.n ? pq_buf_room(out, 2 * s.n) : NULL;

    if (!to) {
        return;
    }
    for (size_t i = 0; i < s.n; i++) {
        to[2 * i] = (uint8_t)hex[s.p[i] >> 4];
        to[2 * i + 1] = (uint8_t)hex[s.p[i] & 15];
    }
    out->n += 2 * s.n;
}

void pq_uuid_text(const uint8_t v[16], char *out)
{
    static const char hex[] = "0123456789abcdef";

    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *out++ = '-';
        }
        *out++ = hex[v[i] >> 4];
        *out++ = hex[v[i] & 15];
    }
}
