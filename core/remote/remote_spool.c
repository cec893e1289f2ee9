/*
** remote_spool.c - files of servers that do not know ranges as others do.
**
**   bytes=-524288    206, the end of the file       the usual: remote_open.c
**                    200, 416, 501, or other bytes  no ranges of the last bytes
**   bytes=0-0        206, bytes 0-0/99872           the size; then bytes=34336-99871
**                    200                            no ranges: all that comes goes
**                                                   into a file without a name
**
** That file is read like a block that never goes.  It stays with the PqRemoteFile, so
** the next statement need not fetch it again, if the server knows its version.
*/
#include "core/remote/remote_file.h"

#include "core/base/folder.h"
#include "core/base/sink.h"
#include "core/numbering/hash.h"

/* A server that makes the file anew for each request may say nothing, or when it did
** so.  What the file holds is its version then. */
static PqRc version_of_bytes(PqRemoteFile *f, PqErr *e)
{
    enum { STEP = 1 << 16 };
    uint8_t *some = pq_mem_alloc(f->remote->mem, STEP, e);
    uint64_t h = 0;

    for (uint64_t at = 0; some && at < f->size && e->rc == PQ_OK; at += STEP) {
        size_t n = f->size - at < STEP ? (size_t)(f->size - at) : STEP;

        if (pq_remote_poll(f->remote, NULL, e) == PQ_OK &&
            pq_source_read(f->spool, at, n, some, e) == PQ_OK) {
            h = (h ^ pq_hash_bytes(some, n)) * 0x9e3779b97f4a7c15u;
        }
    }
    pq_mem_free(some);
    f->version = pq_arena_printf(&f->arena, e, "%016llx", (unsigned long long)h);
    return e->rc;
}

static PqRc take_spool(PqRemoteFile *f, const PqHttpAnswer *a, PqErr *e)
{
    PQ_TRY(pq_source_of_scratch(f->remote->mem, f->name, a->spool, &f->spool, e));
    PQ_TRY(pq_remote_file_is(f, pq_source_size(f->spool), a, e));
    return f->is_etag ? PQ_OK : version_of_bytes(f, e);
}

static PqRc too_large(const PqRemoteFile *f, const PqHttpAnswer *a, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "the server has no ranges, and the whole file has %.20s "
                   "bytes: spool= allows %lld", *a->content_length ? a->content_length : "more",
                   (long long)f->terms.patience.spool);
}

/* The end, which has n bytes, will be read. */
static PqRc take_size(PqRemoteFile *f, const PqHttpAnswer *a, uint64_t n, PqErr *e)
{
    uint64_t size;
    PqExtent at;

    PQ_TRY(pq_remote_check_packed(a, e));
    if (a->status == 200) {
        return a->body_cut ? too_large(f, a, e) : take_spool(f, a, e);
    }
    if (a->status == 416 && strcmp(a->content_range, "bytes */0") == 0) {
        return pq_remote_file_is(f, 0, a, e);
    }
    if (a->status != 206 || a->body.n != 1 || a->body_cut ||
        !pq_remote_range(a, &at, &size) || at.begin != 0 || at.end != 1) {
        return pq_remote_wrong_range(a, "the first byte", e);
    }
    PQ_TRY(pq_remote_file_is(f, size, a, e));
    pthread_mutex_lock(&f->remote->block_lock);
    pq_plan_add(f, (PqExtent){size > n ? size - n : 0, size}, e);
    pthread_mutex_unlock(&f->remote->block_lock);
    return e->rc;
}

PqRc pq_remote_without_end(PqRemoteFile *f, uint64_t n, PqErr *e)
{
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url, .range = "bytes=0-0",
                    .judged = "416", .most = 1, .spools = true, .terms = &f->terms};
    PqHttpAnswer *answer;
    PqRequest *asked;

    PQ_TRY(pq_request_ask(f->remote, &q, NULL, &asked, &answer, e));
    take_size(f, answer, n, e);
    pq_request_free(asked);
    return e->rc;
}
