/*
** upload.c - parts on their way.
**
** Parts of all uploads stand in one queue, the oldest first.  A part is sent when the
** server has named its upload, which is asked for with the first part.  When the queue
** or the memory is full, the oldest part is waited for, and only then is it sent again
** if that may help.
**
** What is hard is the end.  An answer may be lost after the server did what it was
** asked for, and then the same question gets another answer: the upload is gone, or
** the object exists.  If the question was sent more than once, and the object is as
** long as what was written, it is the one.
*/
#include "core/remote/upload.h"

#include "core/base/clock.h"
#include "core/base/folder.h"
#include "core/base/sink_kind.h"
#include "core/remote/object.h"
#include "core/remote/request.h"
#include "core/remote/s3_answer.h"

#include <stdio.h>

enum { MB = 1 << 20, PART = 8 * MB, LEAST_PART = 5 * MB, PARTS_MOST = 10000,
       DOUBLED_AFTER = 1000, DOUBLED_MOST = 3, AT_ONCE = 16, SPARE = MB,
       ETAG_MOST = 200, AGAIN_MOST = 3, AGAIN_MS = 200, STEP_MS = 20 };

static const char parquet_type[] = "application/vnd.apache.parquet";

typedef struct Upload Upload;

typedef struct Part {
    Upload    *of;
    uint32_t   number;               /* from 0                               */
    uint8_t   *bytes;
    size_t     n;
    PqRequest *asked;                /* NULL: the upload has no name yet     */
} Part;

struct Upload {
    PqSink      base;
    PqUploads  *all;
    Upload     *next;
    PqUrl       url;                 /* http: all of it is in the scratch file */
    bool        alone, is_made;
    uint8_t    *bytes;               /* of the part that is being filled; or
                                     ** NULL.  Its first n_aside bytes are in
                                     ** the scratch file, and not here       */
    size_t      room, n, n_aside;
    PqExtent   *aside;               /* where                                */
    uint32_t    n_extents, extents_room;
    uint32_t    n_parts;
    PqBuf       list;                /* of the parts that the server has, in XML */
    const char *query;               /* "uploadId=..."; NULL: it has no name */
    PqRequest  *asked;               /* for the name, or to finish it; or NULL */
    uint32_t    tries;
    const char *condition;           /* If-None-Match; NULL: none, or the server
                                     ** does not know it                     */
};

struct PqUploads {
    PqRemote *remote;
    PqMem    *mem;
    PqArena   arena;
    bool      only_new;
    const PqRemoteTerms *terms;
    Upload   *first, **end;
    Part      part[AT_ONCE];         /* the queue                            */
    uint32_t  n_parts;
    PqSink   *scratch;
};

/* ---- requests ------------------------------------------------------------------- */

/* Has no parts. */
static bool is_http(const Upload *x)
{
    return x->url.scheme != PQ_SCHEME_S3;
}

static PqQuestion question_of(const Upload *x, PqHttpMethod method, PqSlice body)
{
    return (PqQuestion){.method = method, .url = &x->url, .content_type = parquet_type,
                        .body = body, .terms = x->all->terms};
}

static void forget_asked(Upload *x)
{
    pq_request_free(x->asked);
    x->asked = NULL;
}

static PqRc ask_for_name(Upload *x, PqErr *e)
{
    PqQuestion q = question_of(x, PQ_HTTP_POST, pq_slice(NULL, 0));

    q.query = "uploads=";
    return pq_request_begin(x->all->remote, &q, &x->asked, e);
}

static PqRc take_name(Upload *x, const _Atomic bool *stopped, PqErr *e)
{
    PqArena *arena = &x->all->arena;
    const char *id;
    PqHttpAnswer *a;

    PQ_TRY(pq_request_wait(x->asked, stopped, &a, e));
    id = pq_s3_element(arena, pq_buf_view(&a->body), "/UploadId", e);
    if (!id || !*id) {
        return pq_fail(e, PQ_IO, "the server begins an upload without an UploadId");
    }
    id = pq_url_encode(arena, pq_slice_text(id), false, e);
    x->query = id ? pq_arena_printf(arena, e, "uploadId=%s", id) : NULL;
    forget_asked(x);
    return e->rc;
}

static PqRc send_part(Part *p, PqErr *e)
{
    const Upload *x = p->of;
    PqQuestion q = question_of(x, PQ_HTTP_PUT, pq_slice(p->bytes, p->n));

    q.query = pq_arena_printf(&x->all->arena, e, "partNumber=%u&%s", p->number + 1, x->query);
    return q.query ? pq_request_begin(x->all->remote, &q, &p->asked, e) : e->rc;
}

/* Sends a part, if its upload has a name.  waits: until it has. */
static PqRc move_on(Part *p, bool waits, PqErr *e)
{
    Upload *x = p->of;

    if (!x->query && !x->asked) {
        PQ_TRY(ask_for_name(x, e));
    }
    if (!x->query && (waits || pq_request_is_there(x->asked, 0))) {
        PQ_TRY(take_name(x, NULL, e));
    }
    return x->query && !p->asked ? send_part(p, e) : PQ_OK;
}

/* Sends what can be sent without waiting. */
static PqRc send_ready(PqUploads *u, PqErr *e)
{
    PqWhere outer = e->where;

    for (uint32_t i = 0; i < u->n_parts && e->rc == PQ_OK; i++) {
        pq_where_enter(e, u->part[i].of->base.shown);
        move_on(&u->part[i], false, e);
    }
    e->where = outer;
    return e->rc;
}

/* ---- parts ---------------------------------------------------------------------- */

static void free_oldest(PqUploads *u)
{
    pq_request_free(u->part[0].asked);
    pq_mem_free(u->part[0].bytes);
    memmove(u->part, u->part + 1, --u->n_parts * sizeof *u->part);
}

static PqRc wait_for_part(Part *p, PqErr *e)
{
    char line[ETAG_MOST + 100];
    PqHttpAnswer *a;
    int n;

    PQ_TRY(move_on(p, true, e));
    PQ_TRY(send_ready(p->of->all, e));
    PQ_TRY(pq_request_wait(p->asked, NULL, &a, e));
    if (!*a->etag || strlen(a->etag) > ETAG_MOST || strpbrk(a->etag, "<>&")) {
        return pq_fail(e, PQ_IO, "the server takes a part, but names no ETag for it");
    }
    n = snprintf(line, sizeof line, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>",
                 p->number + 1, a->etag);
    return pq_buf_append(&p->of->list, line, (size_t)n, e);
}

/* Waits until the server has the oldest part. */
static PqRc settle_oldest(PqUploads *u, PqErr *e)
{
    PqWhere outer = pq_where_enter(e, u->part[0].of->base.shown);

    if (wait_for_part(&u->part[0], e) == PQ_OK) {
        free_oldest(u);
    }
    e->where = outer;
    return e->rc;
}

static PqRc make_room(PqUploads *u, size_t n, PqErr *e)
{
    const size_t most = pq_mem_limit(u->mem) - SPARE - n;

    while (u->n_parts && (u->n_parts == AT_ONCE || pq_mem_used(u->mem) > most)) {
        PQ_TRY(settle_oldest(u, e));
    }
    return PQ_OK;
}

_Static_assert((PQ_UPLOAD_LEAST - SPARE) / 2 >= LEAST_PART, "the least memory has two parts");

static size_t size_of_part(const PqUploads *u, uint32_t number)
{
    uint32_t doubled = number / DOUBLED_AFTER;
    size_t size = (size_t)PART << (doubled < DOUBLED_MOST ? doubled : DOUBLED_MOST);
    size_t most = (pq_mem_limit(u->mem) - SPARE) / 2;

    return size < most ? size : most;
}

static PqRc need_bytes(Upload *x, PqErr *e)
{
    if (!x->bytes) {
        x->room = size_of_part(x->all, x->n_parts);
        PQ_TRY(make_room(x->all, x->room, e));
        x->bytes = pq_mem_alloc(x->all->mem, x->room, e);
    }
    return x->bytes ? PQ_OK : e->rc;
}

static PqRc need_scratch(PqUploads *u, PqErr *e)
{
    return u->scratch ? PQ_OK
                      : pq_sink_scratch(u->mem, pq_folder_of_scratch(), &u->scratch, e);
}

/* Puts what is filled of a part into the scratch file. */
static PqRc set_aside(Upload *x, PqErr *e)
{
    PqUploads *u = x->all;
    PqExtent at;

    if (x->n > x->n_aside) {
        PQ_TRY(need_scratch(u, e));
        at.begin = pq_sink_offset(u->scratch);
        at.end = at.begin + x->n - x->n_aside;
        PQ_TRY(PQ_GROW(u->mem, x->aside, x->n_extents, x->extents_room, e));
        PQ_TRY(pq_sink_write(u->scratch, x->bytes + x->n_aside, x->n - x->n_aside, e));
        x->aside[x->n_extents++] = at;
        x->n_aside = x->n;
    }
    pq_mem_free(x->bytes);
    x->bytes = NULL;
    return PQ_OK;
}

static PqRc bring_back(Upload *x, PqErr *e)
{
    size_t at = 0;

    PQ_TRY(need_bytes(x, e));
    for (uint32_t i = 0; i < x->n_extents; i++) {
        size_t n = (size_t)(x->aside[i].end - x->aside[i].begin);

        PQ_TRY(pq_sink_read(x->all->scratch, x->aside[i].begin, n, x->bytes + at, e));
        at += n;
    }
    x->n_extents = 0;
    x->n_aside = 0;
    return PQ_OK;
}

/* The part is full, or the last. */
static PqRc send_filled(Upload *x, PqErr *e)
{
    PqErr ignored = PQ_NO_ERR;       /* a part may have room to spare        */
    PqUploads *u = x->all;
    uint8_t *less;

    if (x->n_parts == PARTS_MOST) {
        return pq_fail(e, PQ_USAGE, "%s: an object has at most %d parts: more memory makes "
                       "them larger, and file_bytes makes several objects",
                       x->base.shown, PARTS_MOST);
    }
    PQ_TRY(bring_back(x, e));
    less = x->n < x->room ? pq_mem_resize(u->mem, x->bytes, x->n, &ignored) : NULL;
    x->bytes = less ? less : x->bytes;
    PQ_TRY(make_room(u, 0, e));
    u->part[u->n_parts++] = (Part){.of = x, .number = x->n_parts++, .bytes = x->bytes, .n = x->n};
    x->bytes = NULL;
    x->n = 0;
    return send_ready(u, e);
}

/* ---- as a sink ------------------------------------------------------------------ */

static PqRc put(PqSink *s, const uint8_t *p, size_t n, PqErr *e)
{
    Upload *x = (Upload *)s;

    if (is_http(x)) {
        return pq_sink_write(x->all->scratch, p, n, e);
    }
    while (n) {
        size_t some;

        PQ_TRY(need_bytes(x, e));
        some = x->room - x->n < n ? x->room - x->n : n;
        memcpy(x->bytes + x->n, p, some);
        x->n += some;
        p += some;
        n -= some;
        if (x->n == x->room) {
            PQ_TRY(send_filled(x, e));
        }
    }
    return PQ_OK;
}

static PqRc pause(PqSink *s, PqErr *e)
{
    Upload *x = (Upload *)s;

    PQ_TRY(send_ready(x->all, e));
    return set_aside(x, e);
}

static void close_upload(PqSink *s)
{
    Upload *x = (Upload *)s;

    forget_asked(x);
    pq_buf_free(&x->list);
    pq_mem_free(x->aside);
    pq_mem_free(x->bytes);
}

static const PqSinkKind upload_kind = {
    .size = sizeof(Upload), .put = put, .pause = pause, .close = close_upload,
};

PqRc pq_upload_new(PqUploads *u, const PqUrl *url, const char *shown, bool alone,
                   PqSink **out, PqErr *e)
{
    Upload *x;

    PQ_TRY(pq_sink_new(u->mem, &upload_kind, shown, out, e));
    x = (Upload *)*out;
    x->all = u;
    x->url = *url;
    x->alone = alone;
    x->condition = u->only_new ? "*" : NULL;
    pq_buf_init(&x->list, u->mem, NULL);
    *u->end = x;
    u->end = &x->next;
    return is_http(x) ? need_scratch(u, e) : PQ_OK;
}

PqRc pq_upload_end(PqSink *s, PqErr *e)
{
    Upload *x = (Upload *)s;

    PQ_TRY(pq_sink_flush(s, e));
    return is_http(x)                ? pq_sink_flush(x->all->scratch, e)
           : !x->n                   ? PQ_OK
           : x->n_parts || !x->alone ? send_filled(x, e) : bring_back(x, e);
}

/* ---- the end -------------------------------------------------------------------- */

static PqRc begin_finish(Upload *x, PqErr *e)
{
    PqQuestion q = question_of(x, PQ_HTTP_PUT, pq_slice(x->bytes, x->n));

    q.judged = "404 412 501";
    q.if_none_match = x->condition;
    if (is_http(x)) {
        q.body_in = x->all->scratch;
        q.body = pq_slice(NULL, (size_t)x->base.written);
    }
    if (x->query) {
        q.method = PQ_HTTP_POST;
        q.query = x->query;
        q.content_type = "application/xml";
        q.body = pq_slice_text(pq_arena_printf(
            &x->all->arena, e, "<CompleteMultipartUpload>%.*s</CompleteMultipartUpload>",
            (int)x->list.n, (const char *)x->list.p));
        PQ_TRY(e->rc);
    }
    forget_asked(x);
    pq_where_enter(e, x->base.shown);
    return pq_request_begin(x->all->remote, &q, &x->asked, e);
}

/* A server that takes long says 200 before it knows how it ends. */
static bool is_yes(const Upload *x, const PqHttpAnswer *a)
{
    PqErr ignored = PQ_NO_ERR;

    return a->status / 100 == 2 &&
           (!x->query ||
            pq_s3_element(&x->all->arena, pq_buf_view(&a->body), "/CompleteMultipartUploadResult",
                          &ignored));
}

/* The object is there, or the upload no longer is. */
static PqRc check_no(Upload *x, const PqHttpAnswer *a, PqErr *e)
{
    PqObject o = {0};

    if ((a->status == 404 || a->status == 412) &&
        (x->tries || pq_request_was_repeated(x->asked))) {
        PQ_TRY(pq_object_look(x->all->remote, &x->url, x->all->terms, &o, e));
    }
    x->is_made = o.is_there && o.size == x->base.written;
    return x->is_made         ? PQ_OK
           : a->status == 412 ? pq_fail(e, PQ_IO, "was made by somebody else while this "
                                        "copy ran")
                              : pq_request_refused(x->asked, a, e);
}

static PqRc end_finish(Upload *x, PqErr *e)
{
    PqHttpAnswer *a;

    pq_where_enter(e, x->base.shown);
    while (!x->is_made) {
        PQ_TRY(pq_request_wait(x->asked, NULL, &a, e));
        if (a->status == 501 && x->condition) {
            x->condition = NULL;
            PQ_TRY(begin_finish(x, e));
        } else if (is_yes(x, a)) {
            x->is_made = true;
        } else if (a->status / 100 == 2 && x->tries < AGAIN_MOST) {
            PQ_TRY(pq_remote_pause(x->all->remote, NULL, (uint32_t)AGAIN_MS << x->tries, e));
            x->tries++;
            PQ_TRY(begin_finish(x, e));
        } else {
            PQ_TRY(check_no(x, a, e));
        }
    }
    forget_asked(x);
    return PQ_OK;
}

PqRc pq_uploads_finish(PqUploads *u, PqErr *e)
{
    Upload *x = u->first, *ahead = x;
    PqWhere outer = e->where;

    while (u->n_parts) {
        PQ_TRY(settle_oldest(u, e));
    }
    for (uint32_t n = 1; x && e->rc == PQ_OK; n++) {
        if (ahead) {
            begin_finish(ahead, e);
            ahead = ahead->next;
        }
        if (e->rc == PQ_OK && (n >= AT_ONCE || !ahead)) {
            end_finish(x, e);
            x = x->next;
        }
    }
    e->where = outer;
    return e->rc;
}

/* ---- taking back ---------------------------------------------------------------- */

/* What is on its way is not called back by cancelling it: an upload that is being
** completed may become an object, and one that is being named can be aborted only
** then. */
static void await_answer(Upload *x)
{
    enum { DELETE_MS = 600 };        /* are left to delete what it is about  */
    PqErr ignored = PQ_NO_ERR;
    PqHttpAnswer *a;

    while (!pq_request_is_there(x->asked, STEP_MS)) {
        if (pq_clock_ms() >= x->all->remote->undo_end - DELETE_MS) {
            return;
        }
    }
    if (x->n_parts && !x->query) {
        take_name(x, &pq_remote_undoes, &ignored);
    } else if (pq_request_wait(x->asked, &pq_remote_undoes, &a, &ignored) == PQ_OK) {
        x->is_made = x->is_made || is_yes(x, a);
    }
}

static bool takes_back(Upload *x)
{
    if (x->asked) {
        await_answer(x);
        forget_asked(x);
    }
    x->url.query = x->query && !x->is_made ? x->query : "";
    return x->is_made ? x->all->only_new : x->query != NULL;
}

static void take_all_back(PqUploads *u)
{
    PqUrl urls[AT_ONCE];
    uint32_t n = 0;
    PqErr e = PQ_NO_ERR;

    pq_remote_undo_begin(u->remote);
    for (Upload *x = u->first; x; x = x->next) {
        if (takes_back(x)) {
            urls[n++] = x->url;
        }
        if (n && (n == AT_ONCE || !x->next)) {
            pq_objects_delete(u->remote, urls, n, true, &e);
            n = 0;
        }
    }
}

PqRc pq_uploads_new(PqRemote *r, size_t memory, bool only_new,
                    const PqRemoteTerms *terms, PqUploads **out, PqErr *e)
{
    PqUploads *u;

    PQ_TRY(PQ_NEW_BUDGET(memory, u, e));
    *out = u;
    u->remote = r;
    u->only_new = only_new;
    u->terms = terms;
    u->end = &u->first;
    pq_arena_init(&u->arena, u->mem);
    return PQ_OK;
}

void pq_uploads_free(PqUploads *u, bool undo)
{
    if (!u) {
        return;
    }
    while (u->n_parts) {
        free_oldest(u);
    }
    if (undo) {
        take_all_back(u);
    }
    for (Upload *x = u->first, *next; x; x = next) {
        next = x->next;
        pq_sink_close(&x->base);
    }
    pq_sink_close(u->scratch);
    pq_arena_wipe(&u->arena);
    pq_mem_free(u);
}
