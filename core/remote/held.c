/*
** held.c - a JSON object, read member by member.
**
** People mix up names and values, so no message has either, but for the name of a
** member that is known or looks like one.
*/
#include "core/remote/held.h"

#include "core/base/ascii.h"
#include "core/remote/target.h"
#include "core/text/json_read.h"

enum { WORD_MOST = 24 };

static PqRc set_prefix(PqHeld *h, const char *text, PqErr *e)
{
    PqUrl *u = &h->prefix;

    if (pq_ascii_same(text, "s3://")) {
        *u = (PqUrl){.scheme = PQ_SCHEME_S3, .host = "", .path = "", .query = ""};
        return PQ_OK;
    }
    PQ_TRY(pq_url_parse(&h->a, text, u, e));
    if (u->user || *u->query) {
        return pq_fail(e, PQ_USAGE, "a prefix of URLs has no user and no query");
    }
    return strchr(u->path, '*')
               ? pq_fail(e, PQ_USAGE, "a prefix of URLs has no '*': it is meant with "
                         "all that goes on after it")
               : PQ_OK;
}

PqRc pq_held_new(PqMem *mem, PqMem *secrets, const char *prefix, PqHeld **out, PqErr *e)
{
    PqHeld *h;

    PQ_TRY(PQ_NEW(mem, h, 1, e));
    *h = (PqHeld){.holders = 1, .s = PQ_NO_SECRET, .provider = "", .profile = ""};
    pq_arena_init(&h->a, secrets);
    if (set_prefix(h, prefix, e) != PQ_OK) {
        pq_held_release(h);
        return e->rc;
    }
    *out = h;
    return PQ_OK;
}

void pq_held_release(PqHeld *h)
{
    if (h && atomic_fetch_sub(&h->holders, 1) == 1) {
        pq_arena_free(&h->a);
        pq_mem_free(h);
    }
}

/* ---- the members of a secret ---------------------------------------------------- */

typedef enum Kind { TEXT, BOOL, HEADERS } Kind;

enum { OF_S3 = 1, OF_HTTP = 2, OF_BOTH = 3 };

static const struct {
    const char *name;
    Kind        kind;
    int         of;
    size_t      at;
} members[] = {
    {"key_id", TEXT, OF_S3, offsetof(PqHeld, s.key_id)},
    {"secret", TEXT, OF_S3, offsetof(PqHeld, s.secret)},
    {"session_token", TEXT, OF_S3, offsetof(PqHeld, s.session_token)},
    {"region", TEXT, OF_S3, offsetof(PqHeld, s.region)},
    {"endpoint", TEXT, OF_S3, offsetof(PqHeld, s.endpoint)},
    {"url_style", TEXT, OF_S3, offsetof(PqHeld, s.url_style)},
    {"use_ssl", BOOL, OF_S3, offsetof(PqHeld, s.ssl)},
    {"requester_pays", BOOL, OF_S3, offsetof(PqHeld, s.requester_pays)},
    {"provider", TEXT, OF_S3, offsetof(PqHeld, provider)},
    {"profile", TEXT, OF_S3, offsetof(PqHeld, profile)},
    {"bearer_token", TEXT, OF_HTTP, offsetof(PqHeld, s.bearer_token)},
    {"headers", HEADERS, OF_HTTP, offsetof(PqHeld, s.headers)},
    {"user", TEXT, OF_HTTP, offsetof(PqHeld, s.user)},
    {"password", TEXT, OF_HTTP, offsetof(PqHeld, s.password)},
    {"ca_file", TEXT, OF_BOTH, offsetof(PqHeld, s.ca_file)},
    {"proxy", TEXT, OF_BOTH, offsetof(PqHeld, s.proxy)},
};

/* A line end would end a header, a NUL the text. */
PqRc pq_held_check_text(const char *name, PqSlice s, PqErr *e)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < ' ' || s.p[i] == 0x7f) {
            pq_fail(e, PQ_USAGE, "the member %s has a control character", name);
            if (i + 1 == s.n && s.p[i] == '\n') {
                pq_err_hint(e, "does a line end follow it?");
            }
            return e->rc;
        }
    }
    return PQ_OK;
}

static PqRc read_text(PqHeld *h, const char *name, const PqJsonToken *t, const char **out, PqErr *e)
{
    if (t->kind == PQ_JSON_NULL) {
        return PQ_OK;
    }
    if (t->kind != PQ_JSON_STRING) {
        return pq_fail(e, PQ_USAGE, "the member %s is a text", name);
    }
    PQ_TRY(pq_held_check_text(name, t->text, e));
    *out = pq_arena_text(&h->a, t->text.p, t->text.n, e);
    return *out ? PQ_OK : e->rc;
}

/* SQLite writes true as 1. */
static PqRc read_bool(const char *name, const PqJsonToken *t, bool *out, PqErr *e)
{
    bool one = t->kind == PQ_JSON_NUMBER && pq_slice_is(t->text, "1");
    bool zero = t->kind == PQ_JSON_NUMBER && pq_slice_is(t->text, "0");

    *out = t->kind == PQ_JSON_TRUE || one;
    return *out || t->kind == PQ_JSON_FALSE || zero
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "the member %s is true or false", name);
}

/* May a secret set a header of this name?  Not if requests set it themselves. */
static bool may_be_header(PqSlice name)
{
    static const char *const taken[] = {
        "host", "range", "if-match", "if-none-match", "content-length",
        "content-type", "transfer-encoding", "accept-encoding", "connection", "expect",
    };

    for (size_t i = 0; i < PQ_COUNT(taken); i++) {
        if (pq_ascii_compare(name.p, name.n, taken[i]) == 0) {
            return false;
        }
    }
    return name.n > 0 && pq_slice_has_only(name, PQ_SMALL_LETTERS PQ_LARGE_LETTERS "0123456789-_");
}

/* {"Name": "value", ...} */
static PqRc read_headers(PqHeld *h, PqJsonRead *r, const PqJsonToken *t, PqErr *e)
{
    const char **lines;
    PqJsonToken name, value;

    if (t->kind == PQ_JSON_NULL) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&h->a, lines, PQ_SECRET_HEADERS, e));
    h->s.headers = lines;
    while (t->kind == PQ_JSON_OBJECT) {
        PQ_TRY(pq_json_read_next(r, &name, e));
        if (name.kind == PQ_JSON_OBJECT_END) {
            return PQ_OK;
        }
        PQ_TRY(pq_json_read_next(r, &value, e));
        if (value.kind != PQ_JSON_STRING) {
            break;
        }
        PQ_TRY(pq_held_check_text("headers", value.text, e));
        if (!may_be_header(name.text) || h->s.n_headers == PQ_SECRET_HEADERS) {
            return pq_fail(e, PQ_USAGE, "the member headers has more than %d headers, "
                           "or one that cannot be set", PQ_SECRET_HEADERS);
        }
        lines[h->s.n_headers] = pq_arena_printf(
            &h->a, e, "%.*s: %.*s", (int)name.text.n, (const char *)name.text.p,
            (int)value.text.n, (const char *)value.text.p);
        PQ_TRY(lines[h->s.n_headers++] ? PQ_OK : e->rc);
    }
    return pq_fail(e, PQ_USAGE, "the member headers is an object of texts: {\"X-Key\": \"...\"}");
}

static PqRc read_member(PqHeld *h, size_t i, PqJsonRead *r, PqErr *e)
{
    void *at = (char *)h + members[i].at;
    PqJsonToken t;

    PQ_TRY(pq_json_read_next(r, &t, e));
    switch (members[i].kind) {
    case TEXT:
        return read_text(h, members[i].name, &t, at, e);
    case HEADERS:
        return read_headers(h, r, &t, e);
    default:
        return read_bool(members[i].name, &t, at, e);
    }
}

static PqRc unknown_member(PqHeld *h, PqSlice name, int of, PqErr *e)
{
    const char *list = "";

    for (size_t i = 0; i < PQ_COUNT(members) && list; i++) {
        if (members[i].of & of) {
            list = pq_arena_printf(&h->a, e, "%s%s%s", list, *list ? ", " : "", members[i].name);
        }
    }
    /* Short and in small letters, as names of members are and secrets are not. */
    if (name.n <= WORD_MOST && pq_slice_has_only(name, PQ_SMALL_LETTERS "_")) {
        pq_fail(e, PQ_USAGE, "a secret has no member %.*s", (int)name.n, (const char *)name.p);
    } else {
        pq_fail(e, PQ_USAGE, "a secret has no member with such a name of %zu characters", name.n);
    }
    pq_err_hint(e, "for %s there are %s", of == OF_S3 ? "s3" : "http", list);
    return e->rc;
}

static PqRc read_members(PqHeld *h, PqJsonRead *r, PqErr *e)
{
    int of = h->prefix.scheme == PQ_SCHEME_S3 ? OF_S3 : OF_HTTP;
    uint32_t seen = 0;
    PqJsonToken t;

    PQ_TRY(pq_json_read_next(r, &t, e));
    if (t.kind != PQ_JSON_OBJECT) {
        return pq_fail(e, PQ_USAGE, "a secret is a JSON object: json_object('key_id', ...)");
    }
    for (;;) {
        size_t i = 0;

        PQ_TRY(pq_json_read_next(r, &t, e));
        if (t.kind == PQ_JSON_OBJECT_END) {
            return pq_json_read_next(r, &t, e);
        }
        while (i < PQ_COUNT(members) &&
               !(members[i].of & of && pq_slice_is(t.text, members[i].name))) {
            i++;
        }
        if (i == PQ_COUNT(members)) {
            return unknown_member(h, t.text, of, e);
        }
        if (seen >> i & 1) {
            return pq_fail(e, PQ_USAGE, "the member %s is there twice", members[i].name);
        }
        seen |= UINT32_C(1) << i;
        PQ_TRY(read_member(h, i, r, e));
    }
}

static PqRc check_members(PqHeld *h, PqErr *e)
{
    const PqSecret *s = &h->s;
    const char *wrong = NULL;
    PqTarget any;

    h->env = strcmp(h->provider, "env") == 0;
    if (*h->provider && !h->env && strcmp(h->provider, "config") != 0) {
        wrong = "provider is config or env";
    } else if (h->env && (*s->key_id || *s->secret || *s->session_token)) {
        wrong = "with provider env, keys come from the environment and from ~/.aws";
    } else if (*h->profile && !h->env) {
        wrong = "a profile needs provider env";
    } else if (*s->url_style && strcmp(s->url_style, "path") != 0 &&
               strcmp(s->url_style, "vhost") != 0) {
        wrong = "url_style is vhost or path";
    } else if (!*s->key_id != !*s->secret) {
        wrong = "key_id and secret belong together";
    } else if (*s->session_token && !*s->key_id) {
        wrong = "a session_token needs key_id and secret";
    } else if (*s->password && !*s->user) {
        wrong = "a password needs a user";
    } else if (*s->user && *s->bearer_token) {
        wrong = "user and bearer_token exclude each other";
    }
    return wrong ? pq_fail(e, PQ_USAGE, "%s", wrong)
                 : pq_target_make(&h->a, &h->prefix, s, "", NULL, &any, e);
}

PqRc pq_held_read(PqHeld *h, PqSlice json, PqErr *e)
{
    PqErr own = PQ_NO_ERR;           /* what the reader of JSON says may have a part
                                     ** of the text                              */
    PqJsonRead r;

    pq_json_read_begin(&r, json, &h->a);
    if (read_members(h, &r, &own) == PQ_OK) {
        return check_members(h, e);
    }
    return own.rc == PQ_CORRUPT ? pq_fail(e, PQ_USAGE, "malformed JSON at byte %zu", r.at)
                                : pq_fail(e, own.rc, "%s", own.text);
}
