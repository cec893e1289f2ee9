/*
** object.c - single requests about objects, and the pages of a listing.
*/
#include "core/remote/object.h"

#include <stdlib.h>

enum { PAGE_BYTES = 16 << 20,        /* a page of 1,000 keys has at most 3 MB    */
       AT_ONCE = 16 };

PqRc pq_object_look(PqRemote *r, const PqUrl *u, const PqPatience *patience,
                    PqObject *out, PqErr *e)
{
    static const int also[] = {404, 401, 403, 405, 0};
    PqQuestion q = {.method = PQ_HTTP_HEAD, .url = u, .own = true, .also = also,
                    .patience = patience};
    PqHttpAnswer *a;
    PqRequest *asked;

    *out = (PqObject){0};
    PQ_TRY(pq_request_ask(r, &q, &asked, &a, e));
    out->is_there = a->status == 200;
    out->is_closed = !out->is_there && a->status != 404;
    out->size = strtoull(a->content_length, NULL, 10);
    pq_request_free(asked);
    return PQ_OK;
}

/* At most AT_ONCE, side by side.  Returns how many failed; e has the first error. */
static uint32_t delete_some(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes,
                            PqErr *e)
{
    static const PqPatience little = {.retries = 3, .timeout_ms = 5000};
    static const int also[] = {404, 0};
    PqRequest *asked[AT_ONCE] = {NULL};
    uint32_t n_failed = 0;
    PqErr one[AT_ONCE];
    PqHttpAnswer *a;

    for (uint32_t i = 0; i < n; i++) {
        PqQuestion q = {.method = PQ_HTTP_DELETE, .url = &urls[i], .own = true,
                        .also = also, .patience = undoes ? &little : NULL};

        pq_err_init(&one[i]);
        pq_request_begin(r, &q, &asked[i], &one[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (asked[i]) {
            pq_request_wait(asked[i], undoes ? &pq_remote_undoes : NULL, &a, &one[i]);
            pq_request_free(asked[i]);
        }
        if (one[i].rc != PQ_OK) {
            pq_fail(e, one[i].rc, "%s", one[i].text);
            n_failed++;
        }
    }
    return n_failed;
}

PqRc pq_objects_delete(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes,
                       PqErr *e)
{
    for (uint32_t at = 0; at < n; at += AT_ONCE) {
        uint32_t some = n - at < AT_ONCE ? n - at : AT_ONCE;

        if (delete_some(r, urls + at, some, undoes, e) == some) {
            break;
        }
    }
    return e->rc;
}

static const char *query_of(PqArena *a, const char *prefix, bool folders,
                            const char *token, PqErr *e)
{
    const char *p = pq_url_encode(a, pq_slice_text(prefix), false, e);
    const char *t = token ? pq_url_encode(a, pq_slice_text(token), false, e) : "";

    return p && t ? pq_arena_printf(a, e, "%s%s%slist-type=2&prefix=%s"
                                    "&encoding-type=url",
                                    *t ? "continuation-token=" : "", t,
                                    *t ? "&" : folders ? "delimiter=%2F&" : "", p)
                  : NULL;
}

PqRc pq_objects_page(PqRemote *r, const PqRemoteTerms *terms, const PqUrl *bucket,
                     const char *prefix, bool folders, const char *token, PqArena *a,
                     PqS3Page *out, PqErr *e)
{
    PqQuestion q = {.method = PQ_HTTP_GET, .url = bucket, .most = PAGE_BYTES,
                    .own = terms->own, .patience = &terms->patience};
    PqHttpAnswer *answer;
    PqRequest *asked;
    PqRc rc;

    PQ_TRY((q.query = query_of(a, prefix, folders, token, e)) ? PQ_OK : e->rc);
    PQ_TRY(pq_request_ask(r, &q, &asked, &answer, e));
    rc = answer->status == 200 && !answer->body_cut
             ? pq_s3_page_read(a, pq_slice(answer->body.p, answer->body.n), out, e)
             : pq_fail(e, PQ_IO, "the server answers %d to a listing",
                       answer->status);
    pq_request_free(asked);
    return rc;
}

PqRc pq_objects_check(const char *prefix, const char *key, PqErr *e)
{
    return strncmp(key, prefix, strlen(prefix)) == 0
               ? PQ_OK : pq_fail(e, PQ_IO, "the server lists a key that was not "
                                 "asked for: %.200s", key);
}
