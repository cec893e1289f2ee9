/*
** remote_blocks.c - what has come of a file, what was asked for, and what is to be
** asked for next.
*/
#include "core/remote/remote_file.h"

#include <stdio.h>

/* A gap that takes less time to send than a request takes is fetched along.  Larger
** pieces are asked for in parts, so that a reader begins before the last byte has
** come. */
enum { GAP = 128 << 10, PIECE = 4 << 20, IN_FLIGHT_MOST = 16, IN_FLIGHT_LEAST = 2 };

/* ---- blocks ---------------------------------------------------------------------- */

static void unlink_use(PqRemote *r, PqPiece *b)
{
    *(b->newer ? &b->newer->older : &r->newest) = b->older;
    *(b->older ? &b->older->newer : &r->oldest) = b->newer;
}

static void link_use(PqRemote *r, PqPiece *b)
{
    b->newer = NULL;
    b->older = r->newest;
    *(r->newest ? &r->newest->newer : &r->oldest) = b;
    r->newest = b;
}

void pq_piece_use(PqPiece *b)
{
    unlink_use(b->file->remote, b);
    link_use(b->file->remote, b);
}

/* Its bytes have come, or nobody wants them any more. */
static void lands(PqPiece *b)
{
    if (!b->has_come) {
        b->has_come = true;
        b->file->remote->in_flight--;
        b->file->in_flight -= b->at.end - b->at.begin;
        b->file->window += b->at.end - b->at.begin;
    }
}

/* Somebody looks at its bytes, or nobody wants them any more. */
void pq_piece_arrived(PqPiece *b)
{
    if (b->request && !b->answer) {
        lands(b);
        b->file->remote->unread -= (size_t)(b->at.end - b->at.begin);
    }
}

void pq_piece_drop(PqPiece *b)
{
    PqRemote *r = b->file->remote;
    PqPiece **at = &b->file->blocks;

    while (*at != b) {
        at = &(*at)->next;
    }
    *at = b->next;
    unlink_use(r, b);
    r->held -= (size_t)(b->at.end - b->at.begin);
    pq_piece_arrived(b);
    pq_request_free(b->request);
    pq_mem_free(b);
}

bool pq_pieces_make_room(PqRemote *r, uint64_t n)
{
    PqPiece *b = r->oldest, *newer;

    for (; b && r->held + n > PQ_BLOCK_BYTES; b = newer) {
        newer = b->newer;
        if (b->answer && b->n_readers == 0) {
            pq_piece_drop(b);
        }
    }
    return r->held + n <= PQ_BLOCK_BYTES;
}

PqPiece *pq_piece_find(PqRemoteFile *f, uint64_t at, PqPiece ***place)
{
    PqPiece **p = &f->blocks;

    while (*p && (*p)->at.end <= at) {
        p = &(*p)->next;
    }
    if (place) {
        *place = p;
    }
    return *p && (*p)->at.begin <= at ? *p : NULL;
}

PqRc pq_piece_new(PqRemoteFile *f, PqExtent at, PqPiece **out, PqErr *e)
{
    PqPiece *b, **place;

    PQ_TRY(PQ_NEW(f->remote->mem, b, 1, e));
    pq_piece_find(f, at.begin, &place);
    b->file = f;
    b->at = at;
    b->next = *place;
    *place = b;
    link_use(f->remote, b);
    f->remote->held += (size_t)(at.end - at.begin);
    *out = b;
    return PQ_OK;
}

static PqRc ask_for(PqPiece *b, PqErr *e)
{
    PqRemoteFile *f = b->file;
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url,
                    .if_match = f->is_etag ? f->version : NULL,
                    .most = (size_t)(b->at.end - b->at.begin),
                    .range = b->range, .own = f->terms.own,
                    .patience = &f->terms.patience};

    snprintf(b->range, sizeof b->range, "bytes=%llu-%llu",
             (unsigned long long)b->at.begin, (unsigned long long)b->at.end - 1);
    PQ_TRY(pq_request_begin(f->remote, &q, &b->request, e));
    f->remote->in_flight++;
    f->in_flight += b->at.end - b->at.begin;
    f->remote->unread += (size_t)(b->at.end - b->at.begin);
    return PQ_OK;
}

PqRc pq_piece_begin(PqRemoteFile *f, PqExtent at, PqPiece **out, PqErr *e)
{
    PQ_TRY(pq_piece_new(f, at, out, e));
    if (ask_for(*out, e) != PQ_OK) {
        pq_piece_drop(*out);
        *out = NULL;
    }
    return e->rc;
}

/* ---- what was announced ------------------------------------------------------------ */

PqRc pq_plan_add(PqRemoteFile *f, PqExtent at, PqErr *e)
{
    uint32_t i = f->n_planned;

    PQ_TRY(PQ_GROW(f->remote->mem, f->planned, f->n_planned, f->planned_room, e));
    while (i > 0 && f->planned[i - 1].begin > at.begin) {
        i--;
    }
    if (i > 0 && f->planned[i - 1].end >= at.begin) {
        f->planned[i - 1].end = at.end > f->planned[i - 1].end ? at.end : f->planned[i - 1].end;
        return PQ_OK;
    }
    memmove(f->planned + i + 1, f->planned + i, (f->n_planned - i) * sizeof at);
    f->planned[i] = at;
    f->n_planned++;
    return PQ_OK;
}

void pq_plan_drop(PqRemoteFile *f, PqExtent at)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < f->n_planned; i++) {
        PqExtent p = f->planned[i];

        if (p.begin >= at.begin && p.begin < at.end) {
            p.begin = at.end;
        } else if (p.begin < at.begin && p.end <= at.end && p.end > at.begin) {
            p.end = at.begin;
        }
        if (p.begin < p.end) {
            f->planned[n++] = p;
        }
    }
    f->n_planned = n;
}

PqExtent pq_plan_piece(const PqRemoteFile *f, uint64_t begin, uint64_t end)
{
    PqExtent at = {begin, end};

    for (uint32_t i = 0; i < f->n_planned; i++) {
        PqExtent p = f->planned[i];

        if (p.begin <= at.end + GAP && p.end > at.end) {
            at.end = p.end;
        }
    }
    at.end = at.end - begin > PIECE ? begin + PIECE : at.end;
    at.end = at.end > f->size ? f->size : at.end;
    for (const PqPiece *b = f->blocks; b; b = b->next) {
        if (b->at.begin > begin && b->at.begin < at.end) {
            at.end = b->at.begin;
        }
    }
    return at;
}

/* All that is in flight shares the bandwidth, so the bytes that are read first would
** come as late as the last ones.  So it begins with few, and becomes more with each
** answer. */
static bool has_place(const PqRemoteFile *f)
{
    return f->remote->in_flight < IN_FLIGHT_LEAST ||
           (f->remote->in_flight < IN_FLIGHT_MOST && f->in_flight < f->window);
}

/* What has come, and waits for its reader, is in flight no more. */
static bool may_start(const PqRemoteFile *f)
{
    if (has_place(f)) {
        return true;
    }
    for (PqPiece *b = f->remote->newest; b; b = b->older) {
        if (!b->answer && !b->awaited && pq_request_is_there(b->request, 0)) {
            lands(b);
        }
    }
    return has_place(f);
}

/* Asks for what was announced, as far as half of the room goes: the other half is for
** blocks that are being read.  Whoever reads the bytes finds out why this failed. */
static void start(PqRemoteFile *f)
{
    PqRemote *r = f->remote;
    PqErr e = PQ_NO_ERR;

    while (f->n_planned && may_start(f)) {
        PqExtent p = f->planned[0];
        PqPiece *b = pq_piece_find(f, p.begin, NULL);

        if (b) {
            pq_plan_drop(f, (PqExtent){p.begin, b->at.end});
            continue;
        }
        p = pq_plan_piece(f, p.begin, p.end);
        if (r->unread + (p.end - p.begin) > PQ_BLOCK_BYTES / 2 ||
            !pq_pieces_make_room(r, p.end - p.begin) || pq_piece_begin(f, p, &b, &e) != PQ_OK) {
            break;
        }
        pq_plan_drop(f, p);
    }
}

/* Other files may be read next: the one that was opened first comes first. */
void pq_plan_start(PqRemoteFile *f)
{
    PqRemote *r = f->remote;

    while (f) {
        PqRemoteFile *first = NULL;

        start(f);
        if (f->n_planned) {
            return;
        }
        for (f = r->files; f; f = f->next) {
            first = f->n_planned ? f : first;
        }
        f = first;
    }
}

const PqExtent *pq_plan_find(const PqRemoteFile *f, uint64_t at)
{
    for (uint32_t i = 0; i < f->n_planned; i++) {
        if (f->planned[i].begin <= at && at < f->planned[i].end) {
            return &f->planned[i];
        }
    }
    return NULL;
}

uint64_t pq_plan_end(PqRemoteFile *f, uint64_t at, uint64_t enough)
{
    while (at < enough) {
        const PqPiece *b = pq_piece_find(f, at, NULL);
        const PqExtent *known = b ? &b->at : pq_plan_find(f, at);

        if (!known) {
            break;
        }
        at = known->end;
    }
    return at;
}
