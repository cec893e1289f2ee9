/*
** object.c - single requests about objects, and the pages of a listing.
*/
#include "core/remote/object.h"

#include "core/remote/s3_answer.h"

#include <stdlib.h>

/* Pages without a key are of objects that were deleted.  100 million keys are enough. */
enum { PAGE_BYTES = 16 << 20,        /* a page of 1,000 keys has at most 3 MB    */
       EMPTY_MOST = 1000, PAGES_MOST = 100000 };

/* Asks by HEAD, or by GET whether it has these bytes. */
static PqRc look(PqRemote *r, const PqQuestion *q, const _Atomic bool *stopped, PqSlice bytes,
                 PqObject *out, PqErr *e)
{
    PqHttpAnswer *a;
    PqRequest *asked;

    *out = (PqObject){0};
    PQ_TRY(pq_request_ask(r, q, stopped, &asked, &a, e));
    out->is_there = a->status / 100 == 2;
    out->is_closed = !out->is_there && a->status != 404;
    out->size = strtoull(a->content_length, NULL, 10);
    out->is_same = out->is_there && !a->body_cut &&
                   pq_slice_equal(pq_buf_view(&a->body), bytes);
    pq_request_free(asked);
    return PQ_OK;
}

PqRc pq_object_look(PqRemote *r, const PqUrl *u, const PqRemoteTerms *terms,
                    PqObject *out, PqErr *e)
{
    PqQuestion q = {.method = PQ_HTTP_HEAD, .url = u, .judged = "401 403 404 405",
                    .terms = terms};

    return look(r, &q, NULL, pq_slice(NULL, 0), out, e);
}

/* A 409 says that another request about the object was not over: NOT_MADE, and no error. */
static PqRc try_to_make(PqRemote *r, const PqQuestion *q, PqObjectMade *out, PqErr *e)
{
    const PqQuestion get = {.method = PQ_HTTP_GET, .url = q->url, .judged = "404",
                            .most = q->body.n + 1, .terms = q->terms};
    PqErr why = PQ_NO_ERR;
    PqObject there;
    PqRequest *asked;
    PqHttpAnswer *a = NULL;
    int status;

    PQ_TRY(pq_request_begin(r, q, &asked, e));   /* nothing was sent if it fails */
    pq_request_wait(asked, NULL, &a, e);
    status = a ? a->status : 0;
    *out = status / 100 == 2 ? PQ_OBJECT_MADE : PQ_OBJECT_NOT_MADE;
    if (status == 501) {
        pq_err_hint(e, "it does not know If-None-Match, without which one of two writers "
                    "could be lost");
    }
    pq_request_free(asked);
    if (*out == PQ_OBJECT_MADE || status == 501 || (status / 100 == 4 && e->rc)) {
        return e->rc;
    }
    pq_remote_undo_begin(r);         /* what is undone depends on the answer */
    look(r, &get, &pq_remote_undoes, q->body, &there, &why);
    if (status == 500 || status == 502 || status == 504) {
        status = 0;                  /* it may still come: nobody knows     */
    }
    *out = there.is_same               ? PQ_OBJECT_MADE
           : there.is_there            ? PQ_OBJECT_TAKEN
           : why.rc == PQ_OK && status ? PQ_OBJECT_NOT_MADE : PQ_OBJECT_UNKNOWN;
    if (there.is_there) {
        pq_err_clear(e);
    }
    return *out == PQ_OBJECT_UNKNOWN ? pq_fail(e, why.rc, "%s", why.text) : e->rc;
}

PqRc pq_object_make(PqRemote *r, const PqUrl *u, PqSlice body, bool replaces,
                    const PqRemoteTerms *terms, PqObjectMade *out, PqErr *e)
{
    enum { MOST_TRIES = 6, PAUSE_MS = 50 };
    const PqQuestion q = {.method = PQ_HTTP_PUT, .url = u, .body = body,
                          .if_none_match = replaces ? NULL : "*", .judged = "409 412",
                          .content_type = "application/octet-stream", .terms = terms};

    *out = PQ_OBJECT_NOT_MADE;
    for (int i = 0; i < MOST_TRIES && *out == PQ_OBJECT_NOT_MADE; i++) {
        PQ_TRY(i ? pq_remote_pause(r, NULL, (uint32_t)PAUSE_MS << i, e) : PQ_OK);
        PQ_TRY(try_to_make(r, &q, out, e));
    }
    return *out == PQ_OBJECT_NOT_MADE
               ? pq_fail(e, PQ_IO, "the server says that another request is in the way, and does "
                         "not say which") : PQ_OK;
}

/* At most PQ_OBJECTS_AT_ONCE, side by side.  Returns how many failed; e has the first error. */
static uint32_t delete_some(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes, PqErr *e)
{
    static const PqRemoteTerms little = {.own = true, .patience = {.retries = 3, .timeout = 5}};
    PqRequest *asked[PQ_OBJECTS_AT_ONCE] = {NULL};
    uint32_t n_failed = 0;
    PqErr one[PQ_OBJECTS_AT_ONCE];
    PqHttpAnswer *a;

    for (uint32_t i = 0; i < n; i++) {
        PqQuestion q = {.method = PQ_HTTP_DELETE, .url = &urls[i], .judged = "404",
                        .terms = undoes ? &little : NULL};

        one[i] = PQ_NO_ERR;
        pq_request_begin(r, &q, &asked[i], &one[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (asked[i]) {
            pq_request_wait(asked[i], undoes ? &pq_remote_undoes : NULL, &a, &one[i]);
        }
        pq_request_free(asked[i]);
        if (one[i].rc != PQ_OK) {
            pq_fail(e, one[i].rc, "%s", one[i].text);
            n_failed++;
        }
    }
    return n_failed;
}

PqRc pq_objects_delete(PqRemote *r, const PqUrl *urls, uint32_t n, bool undoes, PqErr *e)
{
    for (uint32_t at = 0; at < n; at += PQ_OBJECTS_AT_ONCE) {
        uint32_t some = n - at < PQ_OBJECTS_AT_ONCE ? n - at : PQ_OBJECTS_AT_ONCE;

        if (delete_some(r, urls + at, some, undoes, e) == some) {
            break;
        }
    }
    return e->rc;
}

/* ---- listings ------------------------------------------------------------------ */

static const char *query_of(const PqObjectWalk *w, const char *token, PqArena *a, PqErr *e)
{
    const char *p = pq_url_encode(a, pq_slice_text(w->below->path), false, e);
    const char *t = pq_url_encode(a, pq_slice_text(token), false, e);
    const char *after = pq_url_encode(a, pq_slice_text(w->start_after), false, e);

    return p && t && after
               ? pq_arena_printf(a, e, "%s%s%s%sencoding-type=url&list-type=2&prefix=%s%s%s",
                                 *t ? "continuation-token=" : "", t, *t ? "&" : "",
                                 w->folders ? "delimiter=%2F&" : "", p,
                                 *after ? "&start-after=" : "", after)
               : NULL;
}

/* A page, and what comes after it. */
typedef struct Page {
    const PqObjectWalk *walk;
    PqArena    *arena;
    uint32_t    n;                   /* keys and folders                     */
    const char *next;                /* continuation token; NULL: nothing    */
} Page;

static PqRc see_key(void *page, const char *key, bool is_folder, PqErr *e)
{
    Page *p = page;
    const PqObjectWalk *w = p->walk;

    p->n++;
    return strncmp(key, w->below->path, strlen(w->below->path)) == 0 && (w->folders || !is_folder)
               ? w->see(w->arg, key, is_folder, p->arena, e)
               : pq_fail(e, PQ_IO, "the server lists a key that was not asked for: %.200s", key);
}

static PqRc ask_for_page(Page *p, PqErr *e)
{
    const PqObjectWalk *w = p->walk;
    const char *token = p->next;
    PqUrl bucket = *w->below;
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &bucket, .most = PAGE_BYTES,
                    .terms = w->terms};
    PqHttpAnswer *answer;
    PqRequest *asked;
    PqRc rc;

    bucket.path = "";
    q.query = query_of(w, token, p->arena, e);
    PQ_TRY(q.query ? pq_request_ask(w->remote, &q, NULL, &asked, &answer, e) : e->rc);
    rc = answer->body_cut
             ? pq_fail(e, PQ_IO, "the server's listing has a page of more than 16 MB")
             : pq_s3_page_read(p->arena, pq_buf_view(&answer->body), see_key, p, &p->next, e);
    pq_request_free(asked);
    return rc == PQ_OK && token && p->next && strcmp(token, p->next) == 0
               ? pq_fail(e, PQ_IO, "the server's listing goes on where it began") : rc;
}

PqRc pq_objects_walk(const PqObjectWalk *w, PqErr *e)
{
    PqArena arenas[2];               /* a page's, and the one before's       */
    Page page = {.walk = w};
    PqRc rc = PQ_OK;

    pq_arena_init(&arenas[0], w->remote->mem);
    pq_arena_init(&arenas[1], w->remote->mem);
    for (uint32_t n = 0, n_empty = 0; n == 0 || page.next; n++) {
        page.arena = &arenas[n % 2];
        page.n = 0;
        pq_arena_reset(page.arena);
        PQ_GO(pq_stop_poll(w->stop, e));
        if (w->n_pages) {
            ++*w->n_pages;
        }
        PQ_GO(ask_for_page(&page, e));
        n_empty = page.n ? 0 : n_empty + 1;
        PQ_GO(n_empty < EMPTY_MOST && n < PAGES_MOST
                  ? PQ_OK
                  : pq_fail(e, PQ_IO, "the server's listing does not end: after %u pages, "
                            "%u of them without a key, it goes on", n + 1, n_empty));
    }
done:
    pq_arena_free(&arenas[0]);
    pq_arena_free(&arenas[1]);
    return rc;
}
