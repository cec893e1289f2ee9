/*
** remote_parts.c - several ranges by one request, from a server that takes that.
**
**   Range: bytes=0-9,500-599       ->   206, multipart/byteranges:
**
**   --BOUNDARY                          a part: of which bytes, and these
**   Content-Range: bytes 0-9/1000
**   (an empty line)
**   PAR1......
**   --BOUNDARY ... --BOUNDARY--
**
** nginx, Apache and Go's servers do.  S3 does not, nor do many others: they send the whole
** file, or the first range.  Nothing says so before it is tried.  So it is tried once for
** each host, where much is wanted, and what did not come is asked for range by range.
**
** A server may join ranges, and sort them: a block takes its bytes from any part that has
** them all.  An answer that is cut off, refuses or makes no sense is no error, nor is none,
** for the requests that follow find out what is wrong.  Only one of another version is.
*/
#include "core/remote/remote_file.h"

#include "core/text/parse.h"

static const char takes[] = "takes several ranges", takes_one[] = "takes one range";

/* ---- what is known of a server ---------------------------------------------------- */

static const char *host_of(PqRemoteFile *f, PqErr *e)
{
    return pq_url_host(&f->arena, &f->url, e);
}

PqRc pq_parts_recall(PqRemoteFile *f, PqErr *e)
{
    const char *known, *host;

    if (f->url.scheme == PQ_SCHEME_S3 || !pq_http_has_parts) {
        f->parts = PQ_PARTS_NO;
        return PQ_OK;
    }
    host = host_of(f, e);
    PQ_TRY(host ? pq_remote_recall(f->remote, PQ_KNOWN_PARTS, host, &f->arena, &known, e) : e->rc);
    f->parts = strcmp(known, takes) == 0       ? PQ_PARTS_YES
               : strcmp(known, takes_one) == 0 ? PQ_PARTS_NO : PQ_PARTS_UNKNOWN;
    return PQ_OK;
}

/* If it cannot be kept, the next file has to find it out again. */
static void learn(PqRemoteFile *f, bool all_came)
{
    PqTakesParts now = all_came ? PQ_PARTS_YES : PQ_PARTS_NO;
    PqErr e = PQ_NO_ERR;
    const char *host = f->parts == now ? NULL : host_of(f, &e);

    f->parts = now;
    if (host) {
        pq_remote_learn(f->remote, PQ_KNOWN_PARTS, host, all_came ? takes : takes_one, &e);
    }
}

PqPiece *pq_parts_tried(const PqRemoteFile *f)
{
    PqPiece *b = f->parts == PQ_PARTS_TRIED ? f->blocks : NULL;

    while (b && (b->bytes || !b->fetch || !b->fetch->has_parts)) {
        b = b->next;
    }
    return b && !b->fetch->awaited && pq_request_is_there(b->fetch->request, 0) ? b : NULL;
}

/* ---- an answer --------------------------------------------------------------------- */

typedef struct Part {
    PqExtent at;
    const uint8_t *bytes;
} Part;

/* The bytes of a part follow an empty line, and the next boundary follows them.  Their
** number is known, so the boundary is not searched for, but it has to be there. */
static bool next_part(PqSlice *left, uint64_t file_size, Part *out)
{
    PqHttpAnswer head;
    uint8_t *begin;
    PqSlice line, after;
    uint64_t size;

    do {                             /* the end of the line before           */
        line = pq_parse_trim(pq_slice_before(left, '\n'));
    } while (line.n == 0 && left->n > 0);
    begin = (uint8_t *)left->p;
    if (line.n < 2 || memcmp(line.p, "--", 2) != 0) {
        return false;
    }
    do {
        line = pq_parse_trim(pq_slice_before(left, '\n'));
    } while (line.n > 0);
    pq_http_take_headers(&head, (char *)begin, (size_t)(left->p - begin));
    if (!pq_remote_range(&head, &out->at, &size) || size != file_size ||
        out->at.end - out->at.begin > left->n) {
        return false;
    }
    out->bytes = left->p;
    pq_slice_cut(left, (size_t)(out->at.end - out->at.begin));
    after = *left;
    line = pq_parse_trim(pq_slice_before(&after, '\n'));
    return line.n == 0 && after.n >= 2 && memcmp(after.p, "--", 2) == 0;
}

/* Copies to each block that waits what the part has of it. */
static PqRc give(PqRemoteFile *f, const PqFetch *x, const Part *part, PqErr *e)
{
    for (PqPiece *b = f->blocks; b; b = b->next) {
        size_t n = (size_t)(b->at.end - b->at.begin);

        if (b->fetch == x && b->at.begin >= part->at.begin && b->at.end <= part->at.end) {
            b->own = pq_mem_alloc(f->remote->mem, n, e);
            PQ_TRY(b->own ? PQ_OK : e->rc);
            memcpy(b->own, part->bytes + (b->at.begin - part->at.begin), n);
            b->bytes = b->own;
            b->used = ++f->remote->n_uses;
            pq_piece_let_go(b);
        }
    }
    return PQ_OK;
}

static PqRc give_all(PqRemoteFile *f, const PqFetch *x, PqHttpAnswer *a, PqErr *e)
{
    PqSlice left = pq_slice(a->body.p, a->body.n);
    Part part = {.bytes = left.p};
    uint64_t size;

    if (*a->content_range) {         /* one part, of all ranges or of the first one */
        return pq_remote_range(a, &part.at, &size) && size == f->size &&
                       part.at.end - part.at.begin == left.n
                   ? give(f, x, &part, e) : PQ_OK;
    }
    while (next_part(&left, f->size, &part)) {
        PQ_TRY(give(f, x, &part, e));
    }
    return PQ_OK;
}

PqRc pq_parts_take(PqRemoteFile *f, PqFetch *x, PqHttpAnswer *a, PqErr *e)
{
    PQ_TRY(a && a->status == 206 ? give_all(f, x, a, e) : PQ_OK);
    learn(f, !pq_fetch_fails(f, x));
    return PQ_OK;
}
