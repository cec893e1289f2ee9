/*
** remote_blocks.c - what has come of a file, what was asked for, and what is to be
** asked for next.
*/
#include "core/remote/remote_file.h"

#include <stdio.h>

/* A gap that takes less time to send than a request takes is fetched along, and where
** several ranges are one request, one that is not longer than what is said of a range.
** Larger pieces are asked for one after the other, so that a reader begins before the last
** byte has come. */
enum { GAP = 256 << 10, PART_GAP = 256, MANY = 8, PIECE = 4 << 20, IN_FLIGHT_MOST = 16,
       IN_FLIGHT_LEAST = 2 };

/* What a block costs beside its bytes, for all of them are looked through now and then. */
enum { BLOCK_COST = 4 << 10 };

/* ---- blocks ---------------------------------------------------------------------- */

void pq_fetch_lands(PqRemoteFile *f, PqFetch *x)
{
    for (PqPiece *b = f->blocks; b && !x->has_come; b = b->next) {
        f->window += b->fetch == x ? b->at.end - b->at.begin : 0;
    }
    x->has_come = true;
}

void pq_fetch_let_go(PqRemoteFile *f, PqFetch *x)
{
    if (--x->n_holders == 0) {
        if (x->has_parts && f->parts == PQ_PARTS_TRIED) {
            f->parts = PQ_PARTS_UNKNOWN;
        }
        pq_request_free(x->request);
        pq_mem_free(x);
    }
}

void pq_piece_let_go(PqPiece *b)
{
    PqFetch *x = b->fetch;

    b->fetch = NULL;
    if (x) {
        b->file->n_planned += !b->bytes;
        pq_fetch_let_go(b->file, x);
    }
}

void pq_piece_drop(PqPiece *b)
{
    PqPiece **at = &b->file->blocks;

    while (*at != b) {
        at = &(*at)->next;
    }
    *at = b->next;
    b->file->passed = b->file->passed == b ? NULL : b->file->passed;
    pq_piece_let_go(b);
    b->file->n_planned -= !b->bytes;
    pq_mem_free(b->own);
    pq_mem_free(b);
}

bool pq_fetch_fails(PqRemoteFile *f, const PqFetch *x)
{
    uint32_t before = f->n_planned;

    for (PqPiece *b = f->blocks; b; b = b->next) {
        if (b->fetch == x) {
            pq_piece_let_go(b);
        }
    }
    return f->n_planned > before;
}

/* All blocks of a connection. */
typedef struct Blocks {
    uint64_t held;                   /* bytes, and what blocks cost         */
    uint64_t unread;                 /* ... that nobody has looked at yet   */
    uint64_t flying;                 /* ... of these in flight, of one file */
    uint32_t n_flying;               /* requests in flight                  */
    PqPiece *oldest;                 /* of those that may go the one that was
                                     ** used longest ago; or NULL           */
} Blocks;

static Blocks look_at(const PqRemote *r, const PqRemoteFile *of)
{
    Blocks all = {0};

    for (PqRemoteFile *f = r->files; f; f = f->next) {
        const PqFetch *last = NULL;  /* its blocks follow each other        */

        for (PqPiece *b = f->blocks; b; b = b->next) {
            uint64_t n = b->at.end - b->at.begin;
            PqFetch *x = b->fetch;

            if (pq_piece_is_planned(b)) {
                continue;
            }
            if (!b->bytes && !x->has_come && !x->awaited && pq_request_is_there(x->request, 0)) {
                pq_fetch_lands(f, x);
            }
            all.held += n + BLOCK_COST;
            if (!b->bytes) {
                all.unread += n + BLOCK_COST;
                all.n_flying += !x->has_come && x != last;
                all.flying += f == of && !x->has_come ? n : 0;
                last = x;
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
    PqPiece **p = f->passed && f->passed->at.end <= at ? &f->passed->next : &f->blocks;

    while (*p && (*p)->at.end <= at) {
        f->passed = *p;
        p = &(*p)->next;
    }
    if (place) {
        *place = p;
    }
    return *p && (*p)->at.begin <= at ? *p : NULL;
}

/* Planned, and nobody asks for it yet. */
static PqRc new_piece(PqRemoteFile *f, PqExtent at, PqPiece **out, PqErr *e)
{
    PqPiece *b, **place;

    PQ_TRY(PQ_NEW(f->remote->mem, b, 1, e));
    pq_piece_find(f, at.begin, &place);
    *b = (PqPiece){.next = *place, .file = f, .at = at};
    *place = *out = b;
    f->n_planned++;
    return PQ_OK;
}

static void ask_with(PqPiece *b, PqFetch *x)
{
    b->fetch = x;
    b->used = ++b->file->remote->n_uses;
    b->file->n_planned--;
    x->n_holders++;
}

PqRc pq_piece_of_tail(PqRemoteFile *f, PqExtent at, PqHttpAnswer *a, PqErr *e)
{
    PqFetch *x = pq_mem_alloc(f->remote->mem, sizeof *x, e);
    PqPiece *b;

    PQ_TRY(x ? PQ_OK : e->rc);
    if (new_piece(f, at, &b, e) != PQ_OK) {
        pq_mem_free(x);
        return e->rc;
    }
    *x = (PqFetch){.has_come = true, .request = f->opening};
    ask_with(b, x);
    f->opening = NULL;
    b->bytes = a->body.p;
    return PQ_OK;
}

/* "bytes=0-9,20-29" */
static void write_range(char *to, PqPiece *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to += sprintf(to, "%s%llu-%llu", i ? "," : "bytes=", (unsigned long long)b[i]->at.begin,
                      (unsigned long long)b[i]->at.end - 1);
    }
}

PqRc pq_pieces_begin(PqRemoteFile *f, PqPiece *const *b, uint32_t n, PqErr *e)
{
    enum { RANGE = 2 * 20 + 2 };
    PqFetch *x = pq_mem_alloc(f->remote->mem, sizeof *x + sizeof "bytes=" + n * RANGE, e);
    PqRemoteTerms terms = f->terms;
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url, .has_parts = n > 1,
                    .if_match = f->is_etag ? f->version : NULL, .judged = "412 416",
                    .most = n > 1 ? (n + 1) * (size_t)PQ_PART_HEADERS : 0, .terms = &terms};

    PQ_TRY(x ? PQ_OK : e->rc);
    if (n > 1 && terms.patience.retries > 1) {
        terms.patience.retries = 1;  /* then they are asked for one by one  */
    }
    *x = (PqFetch){.has_parts = n > 1, .n_holders = 1};      /* until it is begun */
    write_range(x->range, b, n);
    q.range = x->range;
    for (uint32_t i = 0; i < n; i++) {
        q.most += (size_t)(b[i]->at.end - b[i]->at.begin);
        ask_with(b[i], x);
    }
    if (pq_request_begin(f->remote, &q, &x->request, e) != PQ_OK) {
        pq_fetch_fails(f, x);
    }
    pq_fetch_let_go(f, x);
    return e->rc;
}

/* ---- what was announced ------------------------------------------------------------ */

PqRc pq_plan_add(PqRemoteFile *f, PqExtent at, PqErr *e)
{
    PqPiece *b, **next;

    for (; at.begin < at.end; at.begin = b->at.end) {
        b = pq_piece_find(f, at.begin, &next);
        if (!b) {
            uint64_t end = *next && (*next)->at.begin < at.end ? (*next)->at.begin : at.end;

            b = f->passed;
            if (b && b->at.end == at.begin && pq_piece_is_planned(b)) {
                b->at.end = end;
            } else {
                PQ_TRY(new_piece(f, (PqExtent){at.begin, end}, &b, e));
            }
        }
    }
    return PQ_OK;
}

/* Cuts a planned piece in two; *out begins at the byte. */
static PqRc split(PqPiece *b, uint64_t at, PqPiece **out, PqErr *e)
{
    PqExtent rest = {at, b->at.end};

    *out = b;
    if (at == b->at.begin) {
        return PQ_OK;
    }
    b->at.end = at;
    return new_piece(b->file, rest, out, e);
}

/* Gives a planned piece what has to come with it: to `end`, and what is planned close after
** that, at most PIECE bytes, and nothing that was asked for. */
static PqRc gather(PqPiece *b, uint64_t end, PqErr *e)
{
    const PqRemoteFile *f = b->file;
    uint64_t gap = pq_parts_are_one(f) ? PART_GAP : GAP, most = b->at.begin + PIECE;
    PqPiece *next = b->next;

    end = end > b->at.end ? end : b->at.end;
    for (; next && pq_piece_is_planned(next) && next->at.begin <= end + gap; next = next->next) {
        end = next->at.end > end ? next->at.end : end;
    }
    end = next && next->at.begin < end ? next->at.begin : end;
    end = end > most ? most : end;
    end = end > f->size ? f->size : end;
    while ((next = b->next) != NULL && next->at.end <= end) {
        pq_piece_drop(next);
    }
    if (next && next->at.begin < end) {
        next->at.begin = end;
    }
    if (b->at.end > end) {
        return split(b, end, &next, e);
    }
    b->at.end = end;
    return PQ_OK;
}

PqRc pq_plan_from(PqRemoteFile *f, uint64_t at, uint64_t end, PqPiece **out, PqErr *e)
{
    PqPiece *b = pq_piece_find(f, at, NULL);

    PQ_TRY(b ? split(b, at, out, e) : new_piece(f, (PqExtent){at, at}, out, e));
    return gather(*out, end, e);
}

/* All that is in flight shares the bandwidth, so the bytes that are read first would
** come as late as the last ones.  So it begins with few, and becomes more with each
** answer. */
static bool has_place(const PqRemoteFile *f, const Blocks *all)
{
    return all->n_flying < IN_FLIGHT_LEAST ||
           (all->n_flying < IN_FLIGHT_MOST && all->flying < f->window);
}

/* Finds what the next request is for. */
static uint32_t find_planned(PqRemoteFile *f, PqPiece **out, uint64_t *n_bytes, PqErr *e)
{
    uint32_t n = 0, most = pq_parts_are_one(f) ? PQ_PARTS_MOST : 1;

    *n_bytes = 0;
    for (PqPiece *b = f->blocks; b && n < most; b = b->next) {
        uint64_t size;

        if (!pq_piece_is_planned(b) || gather(b, 0, e) != PQ_OK) {
            continue;
        }
        size = b->at.end - b->at.begin;
        if (n > 0 && (size > PQ_PART_BYTES || *n_bytes + size > PQ_PARTS_BYTES)) {
            break;
        }
        out[n++] = b;
        *n_bytes += size;
        most = size > PQ_PART_BYTES ? n : most;
    }
    return n;
}

/* Asks for what comes next, as far as half of the room goes: the other half is for blocks
** that are being read.  Where much is wanted, that tries whether the server takes several
** ranges.  False: it is still planned. */
static bool start_next(PqRemoteFile *f)
{
    Blocks all = look_at(f->remote, f);
    PqPiece *next[PQ_PARTS_MOST];
    PqErr e = PQ_NO_ERR;             /* whoever reads the bytes finds it out */
    uint64_t n_bytes;
    uint32_t n;
    bool begun;

    if (!has_place(f, &all)) {
        return false;
    }
    if (f->parts == PQ_PARTS_UNKNOWN && f->n_planned >= MANY) {
        pq_parts_recall(f, &e);      /* another file may have found it out   */
        f->parts = f->parts == PQ_PARTS_UNKNOWN ? PQ_PARTS_TRIED : f->parts;
    }
    n = find_planned(f, next, &n_bytes, &e);
    n_bytes += n * (uint64_t)BLOCK_COST;
    begun = e.rc == PQ_OK && all.unread + n_bytes <= PQ_BLOCK_BYTES / 2 &&
            pq_pieces_make_room(f->remote, n_bytes) && pq_pieces_begin(f, next, n, &e) == PQ_OK;
    if (f->parts == PQ_PARTS_TRIED && (n < 2 || !begun)) {
        f->parts = PQ_PARTS_UNKNOWN;
    }
    return begun;
}

static void start(PqRemoteFile *f)
{
    while (f->n_planned && f->parts != PQ_PARTS_TRIED && start_next(f)) {
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

uint64_t pq_plan_end(PqRemoteFile *f, uint64_t at, uint64_t enough)
{
    const PqPiece *b;

    while (at < enough && (b = pq_piece_find(f, at, NULL)) != NULL) {
        at = b->at.end;
    }
    return at;
}
