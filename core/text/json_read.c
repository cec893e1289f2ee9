/*
** json_read.c - reads one token, and remembers what may follow it.
**
**   {"a": [1, true], "b": {}}
**   |    |  |   |  |     |  |
**   |    |  |   |  |     |  after the text: PQ_JSON_END
**   |    |  |   |  |     FIRST_KEY     a key, or }
**   |    |  |   |  MORE                a comma and one more, or the end
**   |    |  |   MORE
**   |    |  FIRST_ITEM                 a value, or ]
**   |    VALUE                         the colon was read with the key
**   FIRST_KEY
**
** Between two tokens the reader knows only what it expects next, its depth, and
** for each level whether it is an object.  So beginning a new text costs
** nothing.  A comma is read with the token after it, a colon with the key
** before it.
**
** Strings are searched eight bytes at a time.  Most have no escape and are
** returned in place.  Bytes beyond ASCII are not examined: the code that stores
** a text checks that it is UTF-8.  Half a surrogate pair is refused: UTF-8
** cannot represent it, and U+FFFD would be a different text.
*/
#include "core/text/json_read.h"

#include "core/base/ascii.h"
#include "core/text/utf8.h"

enum { VALUE, FIRST_ITEM, FIRST_KEY, MORE, NOTHING };

#define EACH(byte) ((byte) * UINT64_C(0x0101010101010101))

void pq_json_read_begin(PqJsonRead *r, PqSlice text, PqArena *a)
{
    r->text = text;
    r->at = 0;
    r->arena = a;
    r->depth = 0;
    r->expects = VALUE;
}

static PQ_COLD PqRc malformed(size_t at, const char *what, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "malformed JSON at byte %zu: %s", at, what);
}

/* Fails because what is at r->at is not what was wanted. */
static PQ_COLD PqRc unexpected(const PqJsonRead *r, const char *wanted,
                               PqErr *e)
{
    uint8_t c;

    if (r->at == r->text.n) {
        return pq_fail(e, PQ_CORRUPT, "malformed JSON at byte %zu: the text "
                       "ends, but %s was expected", r->at, wanted);
    }
    c = r->text.p[r->at];
    if (c > ' ' && c < 0x7f) {
        return pq_fail(e, PQ_CORRUPT, "malformed JSON at byte %zu: %s was "
                       "expected, not %c", r->at, wanted, c);
    }
    return pq_fail(e, PQ_CORRUPT, "malformed JSON at byte %zu: %s was "
                   "expected, not the byte 0x%02x", r->at, wanted, c);
}

/* Skips blanks and returns the next byte; 0 at the end.  A NUL is 0 too, and no
** token begins with one. */
static inline uint8_t look(PqJsonRead *r)
{
    const uint8_t *p = r->text.p;
    size_t at = r->at, n = r->text.n;

    while (at < n && (p[at] == ' ' || p[at] == '\n' || p[at] == '\r' ||
                      p[at] == '\t')) {
        at++;
    }
    r->at = at;
    return at < n ? p[at] : 0;
}

/* ---- strings ------------------------------------------------------------ */

/* The place of the first quote, backslash or control character from at on, or
** the end. */
static inline size_t plain_end(const PqJsonRead *r, size_t at)
{
    const uint8_t *p = r->text.p;
    size_t n = r->text.n;

    while (n - at >= 8) {
        uint64_t x = pq_load_u64(p + at);
        uint64_t quote = x ^ EACH('"'), slash = x ^ EACH('\\');
        uint64_t odd = (((x - EACH(0x20u)) & ~x) |
                        ((quote - EACH(1u)) & ~quote) |
                        ((slash - EACH(1u)) & ~slash)) & EACH(0x80u);
        if (odd) {                   /* the lowest bit is never a false one */
            return at + (size_t)__builtin_ctzll(odd) / 8;
        }
        at += 8;
    }
    while (at < n && p[at] >= 0x20 && p[at] != '"' && p[at] != '\\') {
        at++;
    }
    return at;
}

/* The value of four hex digits; -1: they are not. */
static int32_t hex4(const uint8_t *p, const uint8_t *end)
{
    int32_t v = 0;

    for (int i = 0; i < 4; i++) {
        int digit = end - p > i ? pq_ascii_hex(p[i]) : -1;

        if (digit < 0) {
            return -1;
        }
        v = v << 4 | digit;
    }
    return v;
}

/* The character of a \u escape whose digits are at *p; -1 if it is invalid.  *p
** moves past it. */
static int32_t escaped_char(const uint8_t **p, const uint8_t *end)
{
    int32_t high = hex4(*p, end), low;

    if (high < 0xd800 || high > 0xdfff) {
        *p += high < 0 ? 0 : 4;
        return high;
    }
    if (high > 0xdbff || end - *p < 6 || (*p)[4] != '\\' || (*p)[5] != 'u') {
        return -1;
    }
    low = hex4(*p + 6, end);
    if (low < 0xdc00 || low > 0xdfff) {
        return -1;
    }
    *p += 10;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* Decodes the escape at *p to UTF-8; returns its length, 0 if the escape is
** invalid.  *p moves past it. */
static size_t read_escape(const uint8_t **p, const uint8_t *end, uint8_t to[4])
{
    static const uint8_t letter[0x80] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'
    };
    uint8_t c = (*p)[1];             /* a backslash is never the last byte */
    int32_t code;

    *p += 2;
    if (c != 'u') {
        to[0] = c < 0x80 ? letter[c] : 0;
        return to[0] != 0;
    }
    code = escaped_char(p, end);
    return code < 0 ? 0 : pq_utf8_put((uint32_t)code, to);
}

/* Decodes the escapes of s into to, which has room for s->n bytes: no character
** is longer than its escape.  to NULL: only checks the escapes. */
static PqRc unescape(const PqJsonRead *r, PqSlice *s, uint8_t *to, PqErr *e)
{
    const uint8_t *p = s->p, *end = s->p + s->n;
    uint8_t made[4];
    size_t n = 0;

    for (;;) {
        const uint8_t *slash = memchr(p, '\\', (size_t)(end - p));
        size_t run = (size_t)((slash ? slash : end) - p), n_made;

        if (to && run) {
            memcpy(to + n, p, run);
            n += run;
        }
        if (!slash) {
            break;
        }
        p = slash;
        n_made = read_escape(&p, end, made);
        if (n_made == 0) {
            return malformed((size_t)(slash - r->text.p),
                             slash[1] == 'u'
                                 ? "\\u without four hex digits, or half a "
                                   "surrogate pair"
                                 : "an escape that JSON does not have", e);
        }
        if (to) {
            memcpy(to + n, made, n_made);
            n += n_made;
        }
    }
    if (to) {
        *s = pq_slice(to, n);
    }
    return PQ_OK;
}

/* Reads the string whose quote is at r->at.  raw: its escapes are checked but
** not decoded. */
static PqRc read_string(PqJsonRead *r, bool raw, PqSlice *out, PqErr *e)
{
    size_t begin = r->at + 1, at = begin;
    bool escapes = false;
    uint8_t *to = NULL;

    for (;;) {
        at = plain_end(r, at);
        if (PQ_UNLIKELY(at == r->text.n)) {
            return malformed(begin - 1, "an unterminated string", e);
        }
        if (PQ_LIKELY(r->text.p[at] == '"')) {
            break;
        }
        if (r->text.p[at] != '\\') {
            return malformed(at, "a control character in a string", e);
        }
        escapes = true;
        at += 2;
        if (at >= r->text.n) {
            return malformed(begin - 1, "an unterminated string", e);
        }
    }
    r->at = at + 1;
    *out = pq_slice(r->text.p + begin, at - begin);
    if (PQ_LIKELY(!escapes)) {
        return PQ_OK;
    }
    if (!raw) {
        to = pq_arena_bytes(r->arena, out->n, e);
        if (!to) {
            return e->rc;
        }
    }
    return unescape(r, out, to, e);
}

/* ---- values ------------------------------------------------------------- */

static inline size_t digits_end(const PqJsonRead *r, size_t at)
{
    while (at < r->text.n && (uint8_t)(r->text.p[at] - '0') < 10) {
        at++;
    }
    return at;
}

static inline bool is_at(const PqJsonRead *r, size_t at, char c)
{
    return at < r->text.n && r->text.p[at] == c;
}

/* Takes the next n bytes as a token. */
static PqRc take(PqJsonRead *r, PqJsonKind kind, size_t n, PqJsonToken *out)
{
    out->kind = kind;
    out->text = pq_slice(r->text.p + r->at, n);
    r->at += n;
    return PQ_OK;
}

static PqRc read_number(PqJsonRead *r, PqJsonToken *out, PqErr *e)
{
    size_t at = r->at + is_at(r, r->at, '-'), digits = at;

    at = is_at(r, at, '0') ? at + 1 : digits_end(r, at);
    if (at > digits && is_at(r, at, '.')) {
        digits = at + 1;
        at = digits_end(r, digits);
    }
    if (at > digits && (is_at(r, at, 'e') || is_at(r, at, 'E'))) {
        digits = at + 1;
        digits += is_at(r, digits, '+') || is_at(r, digits, '-');
        at = digits_end(r, digits);
    }
    if (at == digits) {
        r->at = at;
        return unexpected(r, "a digit", e);
    }
    return take(r, PQ_JSON_NUMBER, at - r->at, out);
}

static PqRc read_word(PqJsonRead *r, const char *word, PqJsonKind kind,
                      PqJsonToken *out, PqErr *e)
{
    size_t n = strlen(word);

    if (r->text.n - r->at < n || memcmp(r->text.p + r->at, word, n) != 0) {
        return unexpected(r, "a value", e);
    }
    return take(r, kind, n, out);
}

static inline bool in_object(const PqJsonRead *r)
{
    uint32_t level = r->depth - 1;

    return r->is_object[level / 64] >> level % 64 & 1;
}

static PqRc open_group(PqJsonRead *r, bool is_object, PqJsonToken *out,
                       PqErr *e)
{
    uint64_t *word = &r->is_object[r->depth / 64];
    uint64_t bit = UINT64_C(1) << r->depth % 64;

    if (r->depth == PQ_JSON_DEPTH) {
        return pq_fail(e, PQ_CORRUPT, "JSON nested deeper than %d levels at "
                       "byte %zu", PQ_JSON_DEPTH, r->at);
    }
    *word = is_object ? *word | bit : *word & ~bit;
    r->depth++;
    r->expects = is_object ? FIRST_KEY : FIRST_ITEM;
    return take(r, is_object ? PQ_JSON_OBJECT : PQ_JSON_ARRAY, 1, out);
}

static PqRc close_group(PqJsonRead *r, PqJsonKind kind, PqJsonToken *out)
{
    r->depth--;
    r->expects = r->depth ? MORE : NOTHING;
    return take(r, kind, 1, out);
}

static PqRc read_value(PqJsonRead *r, uint8_t c, bool raw, PqJsonToken *out,
                       PqErr *e)
{
    r->expects = r->depth ? MORE : NOTHING;
    switch (c) {
    case '"':
        out->kind = PQ_JSON_STRING;
        return read_string(r, raw, &out->text, e);
    case '[': return open_group(r, false, out, e);
    case '{': return open_group(r, true, out, e);
    case 't': return read_word(r, "true", PQ_JSON_TRUE, out, e);
    case 'f': return read_word(r, "false", PQ_JSON_FALSE, out, e);
    case 'n': return read_word(r, "null", PQ_JSON_NULL, out, e);
    case '-':
    case '0': case '1': case '2': case '3': case '4':
    case '5': case '6': case '7': case '8': case '9':
        return read_number(r, out, e);
    default:
        return unexpected(r, "a value", e);
    }
}

static PqRc read_key(PqJsonRead *r, uint8_t c, bool raw, PqJsonToken *out,
                     PqErr *e)
{
    if (c != '"') {
        return unexpected(r, "the name of a member", e);
    }
    out->kind = PQ_JSON_KEY;
    PQ_TRY(read_string(r, raw, &out->text, e));
    if (look(r) != ':') {
        return unexpected(r, "a colon", e);
    }
    r->at++;
    r->expects = VALUE;
    return PQ_OK;
}

/* After a value inside an array or object. */
static PqRc read_more(PqJsonRead *r, uint8_t c, bool raw, PqJsonToken *out,
                      PqErr *e)
{
    bool object = in_object(r);

    if (c == ',') {
        r->at++;
        c = look(r);
        out->at = r->at;
        return object ? read_key(r, c, raw, out, e)
                      : read_value(r, c, raw, out, e);
    }
    if (c == (object ? '}' : ']')) {
        return close_group(r, object ? PQ_JSON_OBJECT_END : PQ_JSON_ARRAY_END,
                           out);
    }
    return unexpected(r, object ? "a comma or }" : "a comma or ]", e);
}

static PqRc read_token(PqJsonRead *r, bool raw, PqJsonToken *out, PqErr *e)
{
    uint8_t c = look(r);

    out->at = r->at;
    switch (r->expects) {
    case MORE:
        return read_more(r, c, raw, out, e);
    case FIRST_KEY:
        return c == '}' ? close_group(r, PQ_JSON_OBJECT_END, out)
                        : read_key(r, c, raw, out, e);
    case FIRST_ITEM:
        return c == ']' ? close_group(r, PQ_JSON_ARRAY_END, out)
                        : read_value(r, c, raw, out, e);
    case VALUE:
        return read_value(r, c, raw, out, e);
    default:
        if (r->at < r->text.n) {
            return unexpected(r, "the end of the text", e);
        }
        out->kind = PQ_JSON_END;
        out->text = pq_slice(NULL, 0);
        return PQ_OK;
    }
}

PqRc pq_json_read_next(PqJsonRead *r, PqJsonToken *out, PqErr *e)
{
    return read_token(r, false, out, e);
}

PqRc pq_json_read_skip(PqJsonRead *r, const PqJsonToken *begin, PqSlice *whole,
                       PqErr *e)
{
    PqJsonToken t;

    if (begin->kind == PQ_JSON_ARRAY || begin->kind == PQ_JSON_OBJECT) {
        uint32_t depth = r->depth;

        do {
            PQ_TRY(read_token(r, true, &t, e));
        } while (r->depth >= depth);
    }
    if (whole) {
        *whole = pq_slice(r->text.p + begin->at, r->at - begin->at);
    }
    return PQ_OK;
}
