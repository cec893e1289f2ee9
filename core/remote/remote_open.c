/*
** remote_open.c - the first request for a file, which brings its end, its size and its
** version.
*/
#include "core/remote/remote_file.h"

#include "core/base/clock.h"

#include <stdio.h>
#include <stdlib.h>

/* The tail holds the footer and mostly the indexes.  Of many files it is shorter,
** because all of them are opened and few are read, and where only their columns are wanted
** it is for the footer alone. */
enum { TAIL = 512 << 10, SHORT_TAIL = 64 << 10, FOOTER_TAIL = 16 << 10,
       FIRST_WINDOW = 3 << 20 };

/* What is shown instead of a query. */
#define HIDDEN "?..."

/* sscanf takes blanks and signs, too, and printf gives none back. */
bool pq_remote_range(const PqHttpAnswer *a, PqExtent *at, uint64_t *size)
{
    unsigned long long begin, last, all;
    char usual[80];

    if (sscanf(a->content_range, "bytes %llu-%llu/%llu", &begin, &last, &all) != 3) {
        return false;
    }
    snprintf(usual, sizeof usual, "bytes %llu-%llu/%llu", begin, last, all);
    *at = (PqExtent){begin, last + 1};
    *size = all;
    return strcmp(a->content_range, usual) == 0 && begin <= last && last < all && all <= INT64_MAX;
}

PqRc pq_remote_wrong_range(const PqHttpAnswer *a, const char *asked, PqErr *e)
{
    const char *text = a->content_range;

    return pq_fail(e, PQ_IO, "the server answers %d to a request for %s, with "
                   "Content-Range \"%.60s\"", a->status, asked,
                   text[strspn(text, "bytes 0123456789-/*")] ? "..." : text);
}

PqRc pq_remote_check_packed(const PqHttpAnswer *a, PqErr *e)
{
    const char *encoding = a->content_encoding;
    bool is_name = strlen(encoding) <= strlen("compress");

    return !*encoding || strcmp(encoding, "identity") == 0
               ? PQ_OK
               : pq_fail(e, PQ_IO, "the server, or a proxy, sends the file packed "
                         "(Content-Encoding: %s), so it has no ranges",
                         is_name ? encoding : "...");
}

/* A request can name a strong ETag only, and other versions are compared when an answer
** comes.  A strong ETag is remembered for the next statement. */
PqRc pq_remote_file_is(PqRemoteFile *f, uint64_t size, const PqHttpAnswer *a, PqErr *e)
{
    const char *version = *a->etag ? a->etag : a->last_modified, *known;

    f->size = size;
    f->is_etag = *a->etag && strncmp(a->etag, "W/", 2) != 0;
    f->version = pq_arena_text(&f->arena, version, strlen(version), e);
    if (!f->version || !f->is_etag) {
        return e->rc;
    }
    known = pq_arena_printf(&f->arena, e, "%llu %s", (unsigned long long)size, version);
    return known ? pq_remote_learn(f->remote, PQ_KNOWN_VERSION, f->name, known, e) : e->rc;
}

/* Is it the end of the file: "bytes 99872-99999/100000"?
** QUIRK: s3rver 3.7.1 takes bytes=-5 for bytes=0-5 (remote.test, suffix). */
static bool is_tail(const PqHttpAnswer *a, PqExtent *at)
{
    uint64_t size;

    return pq_remote_range(a, at, &size) && at->end == size && a->body.n == size - at->begin &&
           !a->body_cut;
}

/* The end of the file becomes its first block. */
static PqRc take_tail(PqRemoteFile *f, PqHttpAnswer *a, PqExtent at, PqErr *e)
{
    PQ_TRY(pq_remote_file_is(f, at.end, a, e));
    pthread_mutex_lock(&f->remote->block_lock);
    pq_pieces_make_room(f->remote, at.end - at.begin);
    pq_piece_of_tail(f, at, a, e);
    pthread_mutex_unlock(&f->remote->block_lock);
    return e->rc;
}

static size_t tail_of(const PqRemoteFile *f)
{
    return !f->terms.one_of_many ? TAIL : f->terms.columns_only ? FOOTER_TAIL : SHORT_TAIL;
}

/* Under the lock: the same version that was open before.  NULL: it is not kept. */
static PqRemoteFile *find_same(const PqRemoteFile *f)
{
    PqRemoteFile *other = f->remote->files;

    while (other && !(other->is_etag && other->size == f->size &&
                      strcmp(other->name, f->name) == 0 &&
                      strcmp(other->url.query, f->url.query) == 0 &&
                      strcmp(other->version, f->version) == 0)) {
        other = other->next;
    }
    return other;
}

/* Under the lock.  Asks for the end, unless the version that was seen last will do. */
static PqRc ask_for_tail(PqRemoteFile *f, PqErr *e)
{
    size_t tail = tail_of(f);
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url, .most = tail, .terms = &f->terms,
                    .judged = f->terms.optional ? "304 404 416 501" : "304 416 501"};
    const PqRemoteFile *same = NULL;
    const char *known;

    PQ_TRY(pq_remote_recall(f->remote, PQ_KNOWN_VERSION, f->name, &f->arena, &known, e));
    if (*known) {
        f->size = strtoull(known, NULL, 10);
        f->version = strchr(known, ' ') + 1;
        f->is_etag = true;
        same = find_same(f);
    }
    if (*known && f->terms.last_known) {
        return pq_access_check(f->remote->access, &f->url, f->terms.own, e);
    }
    q.if_none_match = !f->terms.bytes || (same && same->blocks) ? f->version : NULL;
    q.range = pq_arena_printf(&f->arena, e, "bytes=-%zu", tail);
    return q.range ? pq_request_begin(f->remote, &q, &f->opening, e) : e->rc;
}

static PqRc take_answer(PqRemoteFile *f, PqHttpAnswer *a, PqErr *e)
{
    PqExtent at;

    if (a->status == 404) {
        f->absent = true;
        return PQ_OK;
    }
    if (a->status == 304 && f->is_etag) {
        return PQ_OK;                /* it is as it was seen last            */
    }
    PQ_TRY(pq_remote_check_packed(a, e));
    return a->status == 206 && is_tail(a, &at) ? take_tail(f, a, at, e)
                                               : pq_remote_without_end(f, tail_of(f), e);
}

static PqRc wait_for_tail(PqRemoteFile *f, PqErr *e)
{
    PqHttpAnswer *answer;

    if (f->opening) {
        PQ_TRY(pq_request_wait(f->opening, NULL, &answer, e));
        PQ_TRY(take_answer(f, answer, e));
        pq_request_free(f->opening);
        f->opening = NULL;
    }
    return PQ_OK;
}

static PqRc begin_file(PqRemoteFile *f, const char *url, PqErr *e)
{
    const char *full;

    f->name = pq_arena_text(&f->arena, url, strlen(url), e);
    PQ_TRY(f->name ? PQ_OK : e->rc);
    PQ_TRY(pq_remote_recall(f->remote, PQ_KNOWN_URL, url, &f->arena, &full, e));
    if (!*full && strstr(url, HIDDEN)) {
        return pq_fail(e, PQ_IO, "the query of this URL is not known any more");
    }
    PQ_TRY(pq_url_parse(&f->arena, *full ? full : url, &f->url, e));
    if (!*f->url.path) {
        pq_fail(e, PQ_USAGE, "is a bucket, not a file");
        pq_err_hint(e, "end the path in / to read what is in it");
        return e->rc;
    }
    PQ_TRY(pq_parts_recall(f, e));
    return ask_for_tail(f, e);
}

/* Under the lock, which nobody holds while waiting for an answer. */
static PqRc new_file(PqRemote *r, const char *url, const PqRemoteTerms *terms,
                     PqRemoteFile **out, PqErr *e)
{
    PqRemoteFile *f;

    PQ_TRY(PQ_NEW(r->mem, f, 1, e));
    f->remote = r;
    f->terms = *terms;
    pq_arena_init(&f->arena, r->mem);
    pq_clock_cond(&f->came);
    if (begin_file(f, url, e) != PQ_OK) {
        pq_remote_file_free(f);
        return e->rc;
    }
    *out = f;
    return PQ_OK;
}

/* ---- files that will be opened ----------------------------------------------------- */

/* At most so many requests for ends are in flight. */
enum { EXPECTED_MOST = 16 };

/* Under the lock: the place of an expected file in the list; *n: how many are there. */
static PqRemoteFile **find_expected(PqRemote *r, const char *url,
                                    const PqRemoteTerms *terms, uint32_t *n)
{
    PqRemoteFile **at = &r->expected;

    for (*n = 0; *at; at = &(*at)->next, ++*n) {
        if ((*at)->terms.statement == terms->statement && strcmp((*at)->name, url) == 0) {
            break;
        }
    }
    return at;
}

bool pq_remote_expect(PqRemote *r, const char *url, const PqRemoteTerms *terms)
{
    PqErr e = PQ_NO_ERR;             /* whoever opens it says why            */
    PqRemoteFile **at;
    uint32_t n;

    pthread_mutex_lock(&r->block_lock);
    at = find_expected(r, url, terms, &n);
    if (!*at && n < EXPECTED_MOST) {
        new_file(r, url, terms, at, &e);
    }
    pthread_mutex_unlock(&r->block_lock);
    return n < EXPECTED_MOST;
}

bool pq_remote_has_come(PqRemote *r, const char *url, const PqRemoteTerms *terms)
{
    PqRemoteFile *f;
    bool has;
    uint32_t n;

    pthread_mutex_lock(&r->block_lock);
    f = *find_expected(r, url, terms, &n);
    has = f && (!f->opening || pq_request_is_there(f->opening, 0));
    pthread_mutex_unlock(&r->block_lock);
    return has;
}

void pq_remote_expect_none(PqRemote *r, const void *statement)
{
    PqRemoteFile **at, *f;

    pthread_mutex_lock(&r->block_lock);
    for (at = &r->expected; (f = *at) != NULL;) {
        if (f->terms.statement == statement) {
            *at = f->next;
            pq_remote_file_free(f);
        } else {
            at = &f->next;
        }
    }
    pthread_mutex_unlock(&r->block_lock);
}

/* ---- opening ------------------------------------------------------------------------- */

/* Under the lock.  The same version that was open before, with its blocks, or f itself. */
static PqRemoteFile *enlist(PqRemoteFile *f)
{
    PqRemote *r = f->remote;
    PqRemoteFile *same = f->is_etag && !f->blocks ? find_same(f) : NULL;

    if (same) {
        same->terms.patience = f->terms.patience;
        same->terms.own |= f->terms.own;     /* each was checked for itself  */
        f->is_etag = false;          /* the other has these bytes            */
        pq_remote_file_free(f);
        f = same;
    } else {
        f->next = r->files;
        r->files = f;
    }
    f->window = f->n_sources ? f->window : FIRST_WINDOW;
    return f;
}

PqRc pq_remote_open(PqRemote *r, PqMem *mem, const char *url,
                    const PqRemoteTerms *terms, PqSource **out, PqErr *e)
{
    const char *outer = e->where.file;
    PqRemoteFile **at, *f;
    uint32_t n;

    *out = NULL;
    e->where.file = url;
    pthread_mutex_lock(&r->block_lock);
    at = find_expected(r, url, terms, &n);
    f = *at;
    if (f) {
        *at = f->next;
    } else {
        new_file(r, url, terms, &f, e);
    }
    pthread_mutex_unlock(&r->block_lock);
    if (f) {
        wait_for_tail(f, e);
        pthread_mutex_lock(&r->block_lock);
        if (e->rc == PQ_OK && !f->absent) {
            pq_remote_source_new(enlist(f), mem, url, out, e);
        } else {
            pq_remote_file_free(f);
        }
        pthread_mutex_unlock(&r->block_lock);
    }
    e->where.file = outer;
    return e->rc;
}

PqRc pq_remote_adopt(PqRemote *r, PqArena *a, const char *url, const char **out, PqErr *e)
{
    const char *shown;
    PqUrl u;

    PQ_TRY(pq_url_parse(a, url, &u, e));
    *out = url;
    if ((!*u.query && !u.user) || pq_remote_hold(r, url, true)) {
        return PQ_OK;
    }
    shown = pq_url_shown(a, &u, e);
    shown = shown ? pq_arena_printf(a, e, "%s" HIDDEN, shown) : NULL;
    return shown ? pq_remote_name(r, shown, url, a, out, e) : e->rc;
}
