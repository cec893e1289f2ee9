/*
** remote_source.c - ranges of a file on a server become blocks in memory.
**
** A block that was asked for is waited for by one thread; the others wait for that
** one.  A file stays when its last source is closed, so the next statement, which asks
** for its version first, has the blocks at once.
*/
#include "core/remote/remote_file.h"

#include "core/base/clock.h"
#include "core/numbering/hash.h"

/* What is fetched with a read that was not announced, at first and at most. */
enum { FIRST_AHEAD = 64 << 10, AHEAD_MOST = 4 << 20, STEP_MS = 50, KEPT_MOST = 64,
       SPOOLED_MOST = 1 << 30 };

typedef struct RemoteSource {
    PqSource            source;
    PqRemoteFile         *file;
    const _Atomic bool *stopped;
} RemoteSource;

static const PqSourceKind remote_kind;

/* ---- what was announced --------------------------------------------------------- */

static size_t at_hand(PqSource *s, uint64_t at, size_t n)
{
    PqRemoteFile *f = ((RemoteSource *)s)->file;
    uint64_t end;

    if (f->spool) {
        return n;
    }
    pthread_mutex_lock(&f->remote->block_lock);
    end = pq_plan_end(f, at, at + n);
    pthread_mutex_unlock(&f->remote->block_lock);
    return end - at < n ? (size_t)(end - at) : n;
}

static void will_need(PqSource *s, PqExtent at)
{
    PqRemoteFile *f = ((RemoteSource *)s)->file;
    PqErr e = PQ_NO_ERR;             /* it is fetched when it is read        */

    if (!f->spool) {
        pthread_mutex_lock(&f->remote->block_lock);
        pq_plan_add(f, at, &e);
        pthread_mutex_unlock(&f->remote->block_lock);
    }
}

/* ---- reading --------------------------------------------------------------------------- */

/* Is it of the version that was opened? */
static PqRc check_version(const RemoteSource *s, const PqHttpAnswer *a, PqErr *e)
{
    const char *version = *a->etag ? a->etag : a->last_modified;

    return a->status == 412 ||
                   (a->status == 206 && *version && strcmp(version, s->file->version) != 0)
               ? pq_source_changed(&s->source, e) : PQ_OK;
}

/* Waits for an answer.  There may be none to a request for several ranges, and a refusal says
** nothing: the server may not take them. */
static PqRc wait_for(const RemoteSource *s, PqFetch *x, PqHttpAnswer **out, PqErr *e)
{
    *out = NULL;
    if (pq_request_wait(x->request, s->stopped, out, e) == PQ_IO && x->has_parts) {
        pq_err_clear(e);
    }
    return *out && e->rc == PQ_OK ? check_version(s, *out, e) : e->rc;
}

/* Is it what was asked for? */
static PqRc check_range(const RemoteSource *s, const PqPiece *b, const PqHttpAnswer *a, PqErr *e)
{
    PqExtent at;
    uint64_t size;

    if (a->status != 206 || !pq_remote_range(a, &at, &size)) {
        return pq_remote_wrong_range(a, "a range", e);
    }
    if (size != s->file->size) {
        return pq_source_changed(&s->source, e);
    }
    if (at.begin != b->at.begin || at.end != b->at.end ||
        a->body.n != at.end - at.begin || a->body_cut) {
        return pq_fail(e, PQ_IO, "the server sent %zu bytes from byte %llu on, "
                       "%llu from byte %llu on were asked for", a->body.n,
                       (unsigned long long)at.begin,
                       (unsigned long long)(b->at.end - b->at.begin),
                       (unsigned long long)b->at.begin);
    }
    return PQ_OK;
}

/* The next statement asks for size and version anew. */
static void doubt(PqRemoteFile *f)
{
    PqErr ignored = PQ_NO_ERR;       /* what is known is not sure            */

    if (f->is_etag) {
        pq_remote_learn(f->remote, PQ_KNOWN_VERSION, f->name, "", &ignored);
    }
}

/* Waits for the answer of a block, or for another one, but not for long, and without the
** lock. */
static PqRc receive(RemoteSource *s, PqPiece *b, PqErr *e)
{
    PqRemoteFile *f = s->file;
    PqRemote *r = f->remote;
    PqFetch *x = b->fetch;
    PqHttpAnswer *answer;
    bool is_there;
    PqRc rc;

    x->awaited = true;
    x->n_holders++;
    pthread_mutex_unlock(&r->block_lock);
    is_there = pq_request_is_there(x->request, STEP_MS);
    rc = is_there ? wait_for(s, x, &answer, e) : pq_remote_poll(r, s->stopped, e);
    rc = is_there && rc == PQ_OK && !x->has_parts ? check_range(s, b, answer, e) : rc;
    pthread_mutex_lock(&r->block_lock);
    x->awaited = false;
    if (is_there && rc == PQ_OK) {
        pq_fetch_lands(f, x);
        if (x->has_parts) {
            rc = pq_parts_take(f, x, answer, e);
        } else {
            b->bytes = answer->body.p;
            b->used = ++r->n_uses;   /* so it is the last that has to go     */
        }
    }
    if (rc != PQ_OK) {
        doubt(f);                    /* a server may have said it only once  */
        pq_fetch_fails(f, x);
    }
    pq_fetch_let_go(f, x);
    pthread_cond_broadcast(&s->file->came);
    return rc;
}

/* Waits for a thread that waits for the block. */
static PqRc wait_for_other(RemoteSource *s, PqErr *e)
{
    PqRemote *r = s->file->remote;
    struct timespec until = pq_clock_in_ms(STEP_MS);
    PqRc rc;

    pthread_cond_timedwait(&s->file->came, &r->block_lock, &until);
    pthread_mutex_unlock(&r->block_lock);
    rc = pq_remote_poll(r, s->stopped, e);
    pthread_mutex_lock(&r->block_lock);
    return rc;
}

/* Where a read ends that was not announced: twice as much is fetched each time that it goes
** on where the last one ended. */
static uint64_t unplanned_end(PqRemoteFile *f, uint64_t begin, size_t n)
{
    f->ahead = begin == f->read_to && f->ahead ? f->ahead * 2 : FIRST_AHEAD;
    f->ahead = f->ahead > AHEAD_MOST ? AHEAD_MOST : f->ahead;
    return begin + (n > f->ahead ? n : f->ahead);
}

/* Asks for the block that begins with the byte.  planned: it was announced. */
static PqRc begin_at(PqRemoteFile *f, uint64_t at, size_t n, bool planned, PqErr *e)
{
    uint64_t end = planned ? at + n : unplanned_end(f, at, n);
    PqPiece *b;

    PQ_TRY(pq_plan_from(f, at, end, &b, e));
    f->read_to = planned ? f->read_to : b->at.end;
    pq_pieces_make_room(f->remote, b->at.end - b->at.begin);
    return pq_pieces_begin(f, &b, 1, e);
}

/* The block that has the byte, whose bytes are there.  Under the lock. */
static PqRc block_at(RemoteSource *s, uint64_t at, size_t n, PqPiece **out, PqErr *e)
{
    PqRemoteFile *f = s->file;

    for (;;) {
        PqPiece *b = pq_parts_tried(f);

        if (b) {
            PQ_TRY(receive(s, b, e));
        }
        pq_plan_start(f);            /* whenever an answer has come          */
        b = pq_piece_find(f, at, NULL);
        if (b && b->bytes) {
            b->used = ++f->remote->n_uses;
            *out = b;
            return PQ_OK;
        }
        PQ_TRY(!b || !b->fetch     ? begin_at(f, at, n, b, e)
               : b->fetch->awaited ? wait_for_other(s, e) : receive(s, b, e));
    }
}

static PqRc read_remote(PqSource *source, uint64_t offset, size_t n, void *out, PqErr *e)
{
    RemoteSource *s = (RemoteSource *)source;
    PqRemote *r = s->file->remote;
    const char *outer = e->where.file;
    uint8_t *to = out;
    PqRc rc = PQ_OK;

    if (s->file->spool) {
        return pq_source_read(s->file->spool, offset, n, out, e);
    }
    e->where.file = source->path;
    pthread_mutex_lock(&r->block_lock);
    while (n && rc == PQ_OK) {
        PqPiece *b = NULL;

        rc = block_at(s, offset, n, &b, e);
        if (rc == PQ_OK) {
            size_t some = (size_t)(b->at.end - offset);

            some = some < n ? some : n;
            b->n_readers++;
            pthread_mutex_unlock(&r->block_lock);
            memcpy(to, b->bytes + (offset - b->at.begin), some);
            pthread_mutex_lock(&r->block_lock);
            b->n_readers--;
            to += some;
            offset += some;
            n -= some;
        }
    }
    pthread_mutex_unlock(&r->block_lock);
    e->where.file = rc == PQ_OK ? outer : e->where.file;
    return rc;
}

/* ---- sources ----------------------------------------------------------------------------- */

void pq_remote_file_free(PqRemoteFile *f)
{
    while (f->blocks) {
        pq_piece_drop(f->blocks);
    }
    pq_request_free(f->opening);
    if (f->spool) {                  /* its version is of no use without them */
        doubt(f);
    }
    pq_source_close(f->spool);
    pq_arena_free(&f->arena);
    pthread_cond_destroy(&f->came);
    pq_mem_free(f);
}

/* Of files that were fetched whole it keeps at most SPOOLED_MOST bytes, and only what a
** server can call unchanged. */
void pq_remote_keep_files(PqRemote *r, uint32_t most)
{
    PqRemoteFile **at = &r->files, *f;
    uint64_t spooled = 0;
    uint32_t n = 0;

    while ((f = *at) != NULL) {
        spooled += f->spool && !f->n_sources ? f->size : 0;
        if (f->n_sources == 0 &&
            (n++ >= most || (f->spool && (!f->is_etag || spooled > SPOOLED_MOST)))) {
            *at = f->next;
            pq_remote_file_free(f);
        } else {
            at = &f->next;
        }
    }
}

/* What nobody waits for any more is not asked for any more. */
static void close_remote(PqSource *s)
{
    PqRemoteFile *f = ((RemoteSource *)s)->file;
    PqRemote *r = f->remote;

    pthread_mutex_lock(&r->block_lock);
    if (--f->n_sources == 0) {
        for (PqPiece *b = f->blocks, *next; b; b = next) {
            next = b->next;
            if (!b->bytes) {
                pq_piece_drop(b);
            }
        }
        pq_remote_keep_files(r, KEPT_MOST);
    }
    pthread_mutex_unlock(&r->block_lock);
}

static PqFileId id_of(const PqRemoteFile *f, const char *path)
{
    size_t n = strlen(f->version);

    return (PqFileId){.device = pq_hash_bytes(path, strlen(path)),
                      .inode = pq_hash_bytes(f->version, n),
                      .size = (int64_t)f->size,
                      .mtime_ns = (int64_t)(pq_hash_bytes(f->version, n) * 31 + n)};
}

PqRc pq_remote_source_new(PqRemoteFile *f, PqMem *mem, const char *path, PqSource **out, PqErr *e)
{
    PQ_TRY(pq_source_new(mem, &remote_kind, path, id_of(f, path), out, e));
    ((RemoteSource *)*out)->file = f;
    f->n_sources++;
    return PQ_OK;
}

static PqRc open_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e)
{
    PqRemoteFile *f = ((RemoteSource *)s)->file;

    pthread_mutex_lock(&f->remote->block_lock);
    if (pq_remote_source_new(f, mem, s->path, out, e) == PQ_OK) {
        ((RemoteSource *)*out)->stopped = ((RemoteSource *)s)->stopped;
    }
    pthread_mutex_unlock(&f->remote->block_lock);
    return e->rc;
}

static PqRc open_beside(PqSource *s, PqMem *mem, const char *path, bool optional,
                        PqSource **out, PqErr *e)
{
    PqRemoteFile *f = ((RemoteSource *)s)->file;
    PqRemoteTerms terms = f->terms;

    terms.optional = optional;
    terms.last_known = false;
    return pq_remote_open(f->remote, mem, path, &terms, out, e);
}

static const PqSourceKind remote_kind = {
    .size = sizeof(RemoteSource), .read = read_remote, .again = open_again,
    .beside = open_beside, .will_need = will_need, .at_hand = at_hand,
    .close = close_remote,
};

void pq_remote_source_stops(PqSource *s, const _Atomic bool *stopped)
{
    if (s->kind == &remote_kind) {
        ((RemoteSource *)s)->stopped = stopped;
    }
}

const char *pq_remote_source_note(const PqSource *s)
{
    const PqRemoteFile *f = s->kind == &remote_kind ? ((const RemoteSource *)s)->file : NULL;

    return !f || !f->spool ? ""
           : f->is_etag    ? "the server has no ranges: the whole file is fetched, and kept for "
                             "the next statement"
                           : "the server has no ranges and gives no ETag: each statement fetches "
                             "the whole file; parquet_copy_to makes a copy of it here";
}
