/*
** url.c - takes URLs apart, and compares them.
**
** What a URL means must not depend on who reads it: libcurl, a proxy, a server, or
** the question whether it lies below a prefix.  So what two of them might read
** differently is refused here, or gets its usual spelling:
**
**   HTTPS://A.org.:443/b c              https://a.org/b%20c
**   http://0xa9fea9fe/                  http://169.254.169.254/
**   https://a.org\@b.org/               refused, and so are
**   https://a.org/x/%2e%2E/b            dots, which somebody would resolve
**
** After that, equal texts are equal places, and a comparison byte by byte decides.
*/
#include "core/remote/url.h"

#include "core/base/ascii.h"
#include "core/base/secret.h"
#include "core/base/system.h"
#include "core/text/base64.h"

enum { HOST_MOST = 253, PORT_DIGITS = 5 };

static const struct {
    const char *text;
    unsigned    port;
} schemes[] = {
    [PQ_SCHEME_HTTP] = {"http://", 80},
    [PQ_SCHEME_HTTPS] = {"https://", 443},
    [PQ_SCHEME_S3] = {"s3://", 0},
};

static bool scheme_of(const char *text, PqScheme *out)
{
    for (unsigned i = 0; i < PQ_COUNT(schemes); i++) {
        if (pq_ascii_same_n(text, schemes[i].text, strlen(schemes[i].text))) {
            *out = (PqScheme)i;
            return true;
        }
    }
    return false;
}

bool pq_url_is(const char *text)
{
    PqScheme scheme;

    return scheme_of(text, &scheme);
}

/* ---- bytes as %XX -------------------------------------------------------------- */

static bool is_unreserved(int c)
{
    return pq_ascii_is_letter(c) || pq_ascii_is_digit(c) || (c && strchr("-_.~", c));
}

/* What is neither unreserved nor in `keep` as %XX.  codes: those that are there stay. */
static char *escape(PqArena *a, PqSlice s, const char *keep, bool codes, PqErr *e)
{
    static const char digits[] = "0123456789ABCDEF";
    char *text = (char *)pq_arena_bytes(a, 3 * s.n + 1, e), *to = text;

    for (size_t i = 0; text && i < s.n; i++) {
        uint8_t c = s.p[i];
        bool is_code = codes && c == '%' && i + 2 < s.n &&
                       pq_ascii_hex(s.p[i + 1]) >= 0 && pq_ascii_hex(s.p[i + 2]) >= 0;

        if (is_code || is_unreserved(c) || (c && strchr(keep, c))) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    if (text) {
        *to = 0;
    }
    return text;
}

const char *pq_url_encode(PqArena *a, PqSlice bytes, bool keep_slash, PqErr *e)
{
    return escape(a, bytes, keep_slash ? "/" : "", false, e);
}

const char *pq_url_decode(PqArena *a, PqSlice s, PqErr *e)
{
    char *text = (char *)pq_arena_bytes(a, s.n + 1, e), *to = text;
    size_t used;

    if (text) {
        for (size_t i = 0; i < s.n; i += used) {
            *to++ = (char)pq_ascii_decoded(s.p + i, s.n - i, &used);
        }
        *to = 0;
    }
    return text;
}

const char *pq_url_login(PqArena *a, const char *user, const char *password, PqErr *e)
{
    const char *login = pq_arena_printf(a, e, "%s:%s", user, password ? password : "");
    size_t room = 2 * (login ? strlen(login) : 0) + 8;
    PqBuf text = {.p = pq_arena_bytes(a, room, e), .room = room};        /* it is enough */

    if (login && text.p) {
        pq_base64_text(pq_slice_text(login), &text);
        text.p[text.n] = 0;
    }
    return login ? (const char *)text.p : NULL;
}

/* What may be in a path besides. */
#define DELIMITERS "!$&'()*+,;=:@/"

/* ---- paths --------------------------------------------------------------------- */

/* A server, and what stands before it, may resolve dots, also where a slash was decoded or
** what follows a ';' is cut off: something else would be asked for. */
PqRc pq_url_check_path(const char *path, PqErr *e)
{
    for (size_t n; *path; path += strcspn(path, "/\\"), path += *path != 0) {
        n = strcspn(path, "/\\;");
        if (*path == '.' && (n == 1 || (n == 2 && path[1] == '.'))) {
            return pq_fail(e, PQ_USAGE, "a URL with \".\" or \"..\" between slashes cannot be "
                           "asked for");
        }
    }
    return PQ_OK;
}

static PqRc parse_path(PqArena *a, PqSlice s, const char **out, PqErr *e)
{
    const char *decoded = pq_url_decode(a, s, e);

    *out = escape(a, s.n ? s : pq_slice_text("/"), DELIMITERS, true, e);
    return decoded && *out ? pq_url_check_path(decoded, e) : e->rc;
}

/* ---- hosts --------------------------------------------------------------------- */

/* In any spelling that C libraries take: up to four numbers, each decimal, octal or
** hexadecimal; the last fills all bytes that are left. */
static bool read_ipv4(const char *z, uint8_t out[4])
{
    const uint32_t none = UINT32_MAX, address = inet_addr(z);    /* in the order of bytes */

    memcpy(out, &address, sizeof address);
    return address != none;
}

bool pq_address_is_link_local(const uint8_t *p, size_t n)
{
    /* An address of IPv4 in one of IPv6: as it is, mapped, by NAT64. */
    static const uint8_t around[][12] = {
        {0}, {[10] = 0xff, 0xff}, {0, 0x64, 0xff, 0x9b},
    };
    static const uint8_t metadata[] = {0xfd, 0, 0x0e, 0xc2};   /* of AWS */

    for (size_t i = 0; n == 16 && i < PQ_COUNT(around); i++) {
        if (memcmp(p, around[i], sizeof around[i]) == 0) {
            return pq_address_is_link_local(p + 12, 4);
        }
    }
    return n == 4 ? p[0] == 169 && p[1] == 254
                  : n == 16 && ((p[0] == 0xfe && (p[1] & 0xc0) == 0x80) ||
                                memcmp(p, metadata, sizeof metadata) == 0);
}

size_t pq_url_address(const PqUrl *u, uint8_t out[16])
{
    if (u->scheme == PQ_SCHEME_S3) {
        return 0;                    /* a bucket may have any name */
    }
    return read_ipv4(u->host, out) ? 4 : inet_pton(AF_INET6, u->host, out) == 1 ? 16 : 0;
}

bool pq_url_link_local(const PqUrl *u)
{
    uint8_t address[16];

    return pq_address_is_link_local(address, pq_url_address(u, address));
}

static PqRc parse_ipv6(PqArena *a, PqSlice s, const char **out, PqErr *e)
{
    char text[INET6_ADDRSTRLEN] = "";
    uint8_t address[16];

    memcpy(text, s.p, s.n < sizeof text ? s.n : 0);
    if (inet_pton(AF_INET6, text, address) != 1 ||
        !inet_ntop(AF_INET6, address, text, sizeof text)) {
        return pq_fail(e, PQ_USAGE, "what the URL has in brackets is not an address of IPv6");
    }
    *out = pq_arena_text(a, text, strlen(text), e);
    return *out ? PQ_OK : e->rc;
}

/* what: "host" or "bucket" */
static PqRc check_host(PqSlice s, const char *what, PqErr *e)
{
    bool after_dot = true;

    if (s.n == 0 || s.n > HOST_MOST) {
        return pq_fail(e, PQ_USAGE, "the URL has no %s", what);
    }
    for (size_t i = 0; i < s.n; i++) {
        int c = s.p[i];
        bool is_dot = c == '.';

        if (!is_unreserved(c) || c == '~' || (is_dot && (after_dot || i + 1 == s.n))) {
            pq_fail(e, PQ_USAGE, "the %s of the URL has a character that no %s has", what, what);
            if (c >= 0x80) {
                pq_err_hint(e, "letters beyond ASCII are written as in DNS, xn--...");
            }
            return e->rc;
        }
        after_dot = is_dot;
    }
    return PQ_OK;
}

static PqRc parse_name(PqArena *a, PqSlice s, const char **out, PqErr *e)
{
    uint8_t address[4];
    char *text;

    s.n -= s.n > 1 && s.p[s.n - 1] == '.';           /* a.org. is a.org */
    PQ_TRY(check_host(s, "host", e));
    *out = text = pq_arena_text(a, s.p, s.n, e);
    for (size_t i = 0; text && i < s.n; i++) {
        text[i] = (char)pq_ascii_lower(text[i]);
    }
    if (text && read_ipv4(text, address)) {
        *out = pq_arena_printf(a, e, "%u.%u.%u.%u", address[0], address[1],
                               address[2], address[3]);
    }
    return *out ? PQ_OK : e->rc;
}

static PqRc parse_port(PqSlice s, PqUrl *out, PqErr *e)
{
    unsigned port = 0;

    if (!s.n) {
        return PQ_OK;
    }
    for (size_t i = 1; i < s.n && s.n <= PORT_DIGITS + 1; i++) {
        port = pq_ascii_is_digit(s.p[i]) ? 10 * port + s.p[i] - '0' : UINT16_MAX + 1;
    }
    if (s.p[0] != ':' || port == 0 || port > UINT16_MAX) {
        return pq_fail(e, PQ_USAGE, "the port of the URL is not a number from 1 to 65535");
    }
    out->port = port == schemes[out->scheme].port ? 0 : (uint16_t)port;
    return PQ_OK;
}

/* host, host:port, [address], [address]:port */
static PqRc parse_place(PqArena *a, PqSlice s, PqUrl *out, PqErr *e)
{
    bool brackets = s.n && s.p[0] == '[';
    const uint8_t *end = memchr(s.p, brackets ? ']' : ':', s.n);
    PqSlice host = pq_slice_cut(&s, end ? (size_t)(end - s.p) : s.n);

    PQ_TRY(brackets ? parse_ipv6(a, pq_slice(host.p + 1, end ? host.n - 1 : 0), &out->host, e)
                    : parse_name(a, host, &out->host, e));
    pq_slice_cut(&s, brackets);
    return parse_port(s, out, e);
}

/* user, user:password */
static PqRc parse_user(PqArena *a, PqSlice s, PqUrl *out, PqErr *e)
{
    PqSlice password = s, user = pq_slice_before(&password, ':');

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] <= ' ' || s.p[i] == 0x7f || s.p[i] == '\\') {
            return pq_fail(e, PQ_USAGE, "the URL has a character before the '@' that "
                           "has to be encoded");
        }
    }
    if (s.n == 0) {
        return PQ_OK;                /* https://@a.org                       */
    }
    out->user = pq_url_decode(a, user, e);
    out->password = pq_url_decode(a, password, e);
    return out->user && out->password ? PQ_OK : e->rc;
}

static PqRc parse_http(PqArena *a, const char *at, PqUrl *out, PqErr *e)
{
    PqSlice place = pq_slice(at, strcspn(at, "/?#"));
    const char *query = at + strcspn(at, "?#");

    if (strchr(at, '#')) {
        return pq_fail(e, PQ_USAGE, "the URL has a '#'; in a path it is %%23");
    }
    if (memchr(place.p, '@', place.n)) {
        PQ_TRY(parse_user(a, pq_slice_before(&place, '@'), out, e));
    }
    PQ_TRY(parse_place(a, place, out, e));
    at = (const char *)place.p + place.n;
    PQ_TRY(parse_path(a, pq_slice(at, (size_t)(query - at)), &out->path, e));
    if (*query) {
        out->query = escape(a, pq_slice_text(query + 1), DELIMITERS "?", true, e);
    }
    return out->query ? PQ_OK : e->rc;
}

/* A bucket becomes a part of a host's name or of a path, so it has only letters that
** stay within it. */
static PqRc parse_s3(PqArena *a, const char *at, PqUrl *out, PqErr *e)
{
    size_t n = strcspn(at, "/");

    PQ_TRY(check_host(pq_slice(at, n), "bucket", e));
    out->host = pq_arena_text(a, at, n, e);
    at += n + (at[n] == '/');
    out->path = pq_arena_text(a, at, strlen(at), e);
    return out->host && out->path ? pq_url_check_path(at, e) : e->rc;
}

PqRc pq_url_parse(PqArena *a, const char *text, PqUrl *out, PqErr *e)
{
    *out = (PqUrl){.host = "", .path = "", .query = ""};
    if (!scheme_of(text, &out->scheme)) {
        return pq_fail(e, PQ_USAGE, "a URL begins with http://, https:// or s3://");
    }
    text += strlen(schemes[out->scheme].text);
    return out->scheme == PQ_SCHEME_S3 ? parse_s3(a, text, out, e) : parse_http(a, text, out, e);
}

/* ---- put together -------------------------------------------------------------- */

const char *pq_url_host(PqArena *a, const PqUrl *u, PqErr *e)
{
    const char *host = strchr(u->host, ':') ? pq_arena_printf(a, e, "[%s]", u->host) : u->host;

    return host && u->port ? pq_arena_printf(a, e, "%s:%u", host, u->port) : host;
}

const char *pq_url_shown(PqArena *a, const PqUrl *u, PqErr *e)
{
    const char *host = pq_url_host(a, u, e);

    return host ? pq_arena_printf(a, e, "%s%s%s%s", schemes[u->scheme].text, host,
                                  u->scheme == PQ_SCHEME_S3 ? "/" : "", u->path)
                : NULL;
}

bool pq_url_below(const PqUrl *prefix, const PqUrl *u)
{
    size_t n = strlen(prefix->path);
    bool all = prefix->scheme == PQ_SCHEME_S3 && !*prefix->host;

    return prefix->scheme == u->scheme &&
           (all || (strcmp(prefix->host, u->host) == 0 && prefix->port == u->port)) &&
           strncmp(prefix->path, u->path, n) == 0 &&
           (n == 0 || prefix->path[n - 1] == '/' || u->path[n] == 0 ||
            u->path[n] == '/');
}
