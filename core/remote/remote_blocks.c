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

void pq_piece_lands(PqPiece *b)
{
    if (!b->has_come) {
        b->has_come = true;
        b->file->window += b->at.end - b->at.begin;
    }
}

void pq_piece_drop(PqPiece *b)
{
    PqPiece **at = &b->file->blocks;

    while (*at != b) {
        at = &(*at)->next;
    }
    *at = b->next;
    pq_request_free(b->request);
    pq_mem_free(b);
}

/* All blocks of a connection. */
typedef struct Blocks {
    uint64_t held;                   /* bytes                               */
    uint64_t unread;                 /* ... that nobody has looked at yet   */
    uint64_t flying;                 /* ... of these in flight, of one file */
    uint32_t n_flying;               /* blocks in flight                    */
    PqPiece *oldest;                 /* of those that may go the one that was
                                     ** used longest ago; or NULL           */
} Blocks;

static Blocks look_at(const PqRemote *r, const PqRemoteFile *of)
{
    Blocks all = {0};

    for (const PqRemoteFile *f = r->files; f; f = f->next) {
        for (PqPiece *b = f->blocks; b; b = b->next) {
            uint64_t n = b->at.end - b->at.begin;

            if (!b->answer && !b->awaited && pq_request_is_there(b->request, 0)) {
                pq_piece_lands(b);
            }
            all.held += n;
            if (!b->answer) {
                all.unread += n;
                all.n_flying += !b->has_come;
                all.flying += f == of && !b->has_come ? n : 0;
            } else if (!b->n_readers && (!all.oldest || b->used < all.oldest->used)) {
                all.oldest = b;
            }
        }
    }
    return all;
}

bool pq_pieces_make_room(PqRemote *r, uint64_t n)
{
    Blocks all = look_at(r, NULL);

    for (; all.oldest && all.held + n > PQ_BLOCK_BYTES; all = look_at(r, NULL)) {
        pq_piece_drop(all.oldest);
    }
    return all.held + n <= PQ_BLOCK_BYTES;
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
    b->used = ++f->remote->n_uses;
    *out = b;
    return PQ_OK;
}

PqRc pq_piece_begin(PqRemoteFile *f, PqExtent at, PqErr *e)
{
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url,
                    .if_match = f->is_etag ? f->version : NULL,
                    .most = (size_t)(at.end - at.begin), .terms = &f->terms};
    PqPiece *b;

    PQ_TRY(pq_piece_new(f, at, &b, e));
    q.range = b->range;
    snprintf(b->range, sizeof b->range, "bytes=%llu-%llu", (unsigned long long)at.begin,
             (unsigned long long)at.end - 1);
    if (pq_request_begin(f->remote, &q, &b->request, e) != PQ_OK) {
        pq_piece_drop(b);
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
static bool has_place(const PqRemoteFile *f, const Blocks *all)
{
    return all->n_flying < IN_FLIGHT_LEAST ||
           (all->n_flying < IN_FLIGHT_MOST && all->flying < f->window);
}

/* Asks for what was announced, as far as half of the room goes: the other half is for
** blocks that are being read.  Whoever reads the bytes finds out why this failed. */
static void start(PqRemoteFile *f)
{
    PqErr e = PQ_NO_ERR;

    while (f->n_planned) {
        PqExtent p = f->planned[0];
        const PqPiece *b = pq_piece_find(f, p.begin, NULL);

        if (b) {
            p.end = b->at.end;
        } else {
            Blocks all = look_at(f->remote, f);

            p = pq_plan_piece(f, p.begin, p.end);
            if (!has_place(f, &all) || all.unread + (p.end - p.begin) > PQ_BLOCK_BYTES / 2 ||
                !pq_pieces_make_room(f->remote, p.end - p.begin) ||
                pq_piece_begin(f, p, &e) != PQ_OK) {
                break;
            }
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
