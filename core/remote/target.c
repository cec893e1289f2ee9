/*
** target.c - a bucket and a key become a host and a path.
**
** A bucket is a part of the host's name where it can be.  It is the first part of
** the path if the secret says so, and if its name has what no name of DNS has, or a
** dot, which no certificate covers.
**
** A region becomes a part of the host's name too, and servers may name one: so it is
** looked at.
*/
#include "core/remote/target.h"

#include "core/base/ascii.h"

#define NAME PQ_SMALL_LETTERS "0123456789-"

static const char usual_region[] = "us-east-1";

bool pq_target_may_be_region(const char *text)
{
    return pq_slice_has_only(pq_slice_text(text), NAME PQ_LARGE_LETTERS "_");
}

/* host, host:port, http://host:port/, or none: becomes what the header Host has. */
static const char *find_endpoint(PqArena *a, const PqSecret *s, const char *region, bool *ssl,
                                 PqErr *e)
{
    const char *text = s->endpoint;
    PqUrl u;

    if (!*text) {
        text = pq_arena_printf(a, e, "s3.%s.amazonaws.com%s", region,
                               strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
    }
    if (text && !pq_url_is(text)) {
        text = pq_arena_printf(a, e, "http%s://%s", s->ssl ? "s" : "", text);
    }
    if (!text || pq_url_parse(a, text, &u, e) != PQ_OK) {
        return NULL;
    }
    *ssl = u.scheme == PQ_SCHEME_HTTPS;
    if (u.scheme == PQ_SCHEME_S3 || u.user || *u.query || strcmp(u.path, "/") != 0) {
        pq_fail(e, PQ_USAGE, "an endpoint is host or host:port");
        return NULL;
    }
    return pq_url_host(a, &u, e);
}

static PqRc of_s3(PqArena *a, const PqUrl *u, const PqSecret *s, PqTarget *t, bool *ssl, PqErr *e)
{
    const char *key = pq_url_encode(a, pq_slice_text(u->path), true, e), *endpoint;
    bool in_path;

    PQ_TRY(pq_url_check_path(u->path, e));            /* or a server listed it */
    if (!pq_target_may_be_region(t->region)) {
        return pq_fail(e, PQ_USAGE, "a region has letters, digits, '-' and '_' only");
    }
    endpoint = find_endpoint(a, s, t->region, ssl, e);
    PQ_TRY(endpoint && key ? PQ_OK : e->rc);
    /* Other servers than Amazon's often have no name for each bucket. */
    in_path = (*s->url_style ? strcmp(s->url_style, "path") == 0
                             : !strstr(endpoint, ".amazonaws.com")) ||
              !pq_slice_has_only(pq_slice_text(u->host), NAME);
    t->host = in_path ? endpoint : pq_arena_printf(a, e, "%s.%s", u->host, endpoint);
    t->path = in_path ? pq_arena_printf(a, e, "/%s%s%s", u->host, *key ? "/" : "", key)
                      : pq_arena_printf(a, e, "/%s", key);
    return t->host && t->path ? PQ_OK : e->rc;
}

PqRc pq_target_make(PqArena *a, const PqUrl *u, const PqSecret *s,
                    const char *region, const char *query, PqTarget *out, PqErr *e)
{
    bool ssl = u->scheme == PQ_SCHEME_HTTPS;

    *out = (PqTarget){.query = query ? query : u->query,
                      .region = *region ? region : *s->region ? s->region : usual_region};
    if (u->scheme == PQ_SCHEME_S3) {
        PQ_TRY(of_s3(a, u, s, out, &ssl, e));
    } else {
        out->host = pq_url_host(a, u, e);
        out->path = u->path;
        PQ_TRY(out->host ? PQ_OK : e->rc);
    }
    out->url = pq_arena_printf(a, e, "http%s://%s%s%s%s", ssl ? "s" : "", out->host,
                               out->path, *out->query ? "?" : "", out->query);
    return out->url ? PQ_OK : e->rc;
}
