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

static const char *endpoint_of(PqArena *a, const PqSecret *s, const char *region, PqErr *e)
{
    bool china = strncmp(region, "cn-", 3) == 0;

    return *s->endpoint ? s->endpoint
                        : pq_arena_printf(a, e, "s3.%s.amazonaws.com%s", region,
                                          china ? ".cn" : "");
}

static PqRc of_s3(PqArena *a, const PqUrl *u, const PqSecret *s, PqTarget *t, PqErr *e)
{
    const char *endpoint = endpoint_of(a, s, t->region, e);
    const char *key = pq_url_encode(a, pq_slice_text(u->path), true, e);
    bool in_path = s->path_style || !pq_slice_has_only(pq_slice_text(u->host), NAME);

    PQ_TRY(pq_url_check_path(u->path, e));            /* or a server listed it */
    if (!pq_target_may_be_region(t->region)) {
        return pq_fail(e, PQ_USAGE, "a region has letters, digits, '-' and '_' only");
    }
    PQ_TRY(endpoint && key ? PQ_OK : e->rc);
    t->host = in_path ? endpoint : pq_arena_printf(a, e, "%s.%s", u->host, endpoint);
    t->path = in_path ? pq_arena_printf(a, e, "/%s%s%s", u->host, *key ? "/" : "", key)
                      : pq_arena_printf(a, e, "/%s", key);
    return t->host && t->path ? PQ_OK : e->rc;
}

PqRc pq_target_make(PqArena *a, const PqUrl *u, const PqSecret *s,
                    const char *region, const char *query, PqTarget *out, PqErr *e)
{
    bool is_s3 = u->scheme == PQ_SCHEME_S3;
    bool plain = is_s3 ? s->plain : u->scheme == PQ_SCHEME_HTTP;

    *out = (PqTarget){.query = query ? query : u->query,
                      .region = *region ? region : *s->region ? s->region : usual_region};
    if (is_s3) {
        PQ_TRY(of_s3(a, u, s, out, e));
    } else {
        out->host = pq_url_host(a, u, e);
        out->path = u->path;
        PQ_TRY(out->host ? PQ_OK : e->rc);
    }
    out->url = pq_arena_printf(a, e, "http%s://%s%s%s%s", plain ? "" : "s", out->host,
                               out->path, *out->query ? "?" : "", out->query);
    return out->url ? PQ_OK : e->rc;
}
