/*
** remote_open.c - the first request for a file, which brings its end, its size and its
** version.
*/
#include "core/remote/remote_file.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"

#include <stdlib.h>

/* The tail holds the footer and mostly the indexes.  Of many files it is shorter,
** because all of them are opened and few are read. */
enum { TAIL = 512 << 10, SHORT_TAIL = 64 << 10, FIRST_WINDOW = 3 << 20 };

/* What is shown instead of a query. */
#define HIDDEN "?..."

bool pq_remote_range(const PqHttpAnswer *a, PqExtent *at, uint64_t *size)
{
    static const char *const before[] = {"bytes ", "-", "/"};
    const char *text = a->content_range;
    uint64_t v[PQ_COUNT(before)];

    for (size_t i = 0; i < PQ_COUNT(before); i++) {
        size_t n = strlen(before[i]);
        char *end;

        if (strncmp(text, before[i], n) != 0 || !pq_ascii_is_digit(text[n])) {
            return false;
        }
        v[i] = strtoull(text + n, &end, 10);
        text = end;
    }
    *at = (PqExtent){v[0], v[1] + 1};
    *size = v[2];
    return !*text && v[0] <= v[1] && v[1] < v[2] && v[2] <= INT64_MAX;
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
    const char *version = *a->etag ? a->etag : a->last_modified;

    f->size = size;
    f->is_etag = *a->etag && strncmp(a->etag, "W/", 2) != 0;
    f->version = pq_arena_text(&f->arena, version, strlen(version), e);
    if (!f->version || !f->is_etag) {
        return e->rc;
    }
    f->known = pq_arena_printf(&f->arena, e, "%llu %s", (unsigned long long)size, version);
    return f->known ? pq_remote_learn(f->remote, PQ_KNOWN_VERSION, f->name, f->known, e) : e->rc;
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
    PqPiece *b;

    PQ_TRY(pq_remote_file_is(f, at.end, a, e));
    pthread_mutex_lock(&f->remote->block_lock);
    pq_pieces_make_room(f->remote, at.end - at.begin);
    if (pq_piece_new(f, at, &b, e) == PQ_OK) {
        b->answer = a;
        b->request = f->opening;
        f->opening = NULL;
    }
    pthread_mutex_unlock(&f->remote->block_lock);
    return e->rc;
}

/* What was known of the file, which has not changed since. */
static PqRc take_known(PqRemoteFile *f, PqErr *e)
{
    char *version;

    f->size = strtoull(f->known, &version, 10);
    f->is_etag = true;
    f->version = pq_arena_text(&f->arena, version + 1, strlen(version + 1), e);
    return f->version ? PQ_OK : e->rc;
}

static size_t tail_of(const PqRemoteFile *f)
{
    return f->terms.one_of_many ? SHORT_TAIL : TAIL;
}

/* Is that version of it kept, with bytes? */
static bool is_kept(const PqRemoteFile *f)
{
    const PqRemoteFile *other;

    pthread_mutex_lock(&f->remote->block_lock);
    for (other = f->remote->files; other; other = other->next) {
        if (other->blocks && other->known && strcmp(other->name, f->name) == 0 &&
            strcmp(other->known, f->known) == 0) {
            break;
        }
    }
    pthread_mutex_unlock(&f->remote->block_lock);
    return other != NULL;
}

/* Asks for the end, unless the version that was seen last will do. */
static PqRc ask_for_tail(PqRemoteFile *f, PqErr *e)
{
    size_t tail = tail_of(f);
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url, .most = tail,
                    .own = f->terms.own, .patience = &f->terms.patience};

    PQ_TRY(pq_remote_recall(f->remote, PQ_KNOWN_VERSION, f->name, &f->arena, &f->known, e));
    if (*f->known && f->terms.last_known) {
        return pq_access_check(f->remote->access, &f->url, f->terms.own, e);
    }
    q.if_none_match = *f->known && (!f->terms.bytes || is_kept(f))
                          ? strchr(f->known, ' ') + 1 : NULL;
    q.range = pq_arena_printf(&f->arena, e, "bytes=-%zu", tail);
    PQ_TRY(q.range ? PQ_OK : e->rc);
    return pq_request_begin(f->remote, &q, &f->opening, e);
}

static PqRc wait_for_tail(PqRemoteFile *f, PqErr *e)
{
    PqHttpAnswer *answer = NULL;
    int status = 0;
    PqExtent at;

    if (f->opening) {
        PQ_TRY(pq_request_wait(f->opening, NULL, &answer, e));
        status = answer->status;
    }
    if (status == 404 && f->terms.optional) {
        f->absent = true;
    } else if (!f->opening || (status == 304 && *f->known)) {
        PQ_TRY(take_known(f, e));
    } else if (status != 200 && status != 206 && status != 416 && status != 501) {
        return pq_request_refused(f->opening, answer, e);
    } else if (pq_remote_check_packed(answer, e) != PQ_OK) {
        return e->rc;
    } else if (status == 206 && is_tail(answer, &at)) {
        PQ_TRY(take_tail(f, answer, at, e));
    } else {
        PQ_TRY(pq_remote_without_end(f, answer, tail_of(f), e));
    }
    pq_request_free(f->opening);
    f->opening = NULL;
    return PQ_OK;
}

static void drop(PqRemoteFile *f)
{
    PqRemote *r = f->remote;

    pthread_mutex_lock(&r->block_lock);
    pq_remote_file_free(f);
    pthread_mutex_unlock(&r->block_lock);
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
    return ask_for_tail(f, e);
}

static PqRc new_file(PqRemote *r, const char *url, const PqRemoteTerms *terms,
                     PqRemoteFile **out, PqErr *e)
{
    PqRemoteFile *f;

    PQ_TRY(PQ_NEW(r->mem, f, 1, e));
    f->remote = r;
    f->terms = *terms;
    pq_arena_init(&f->arena, r->mem);
    pq_clock_cond(&f->came);
    *out = f;
    if (begin_file(f, url, e) != PQ_OK) {
        drop(f);
        *out = NULL;
    }
    return e->rc;
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
    PqRemoteFile *f;
    bool is_there;
    uint32_t n;
    PqErr e;

    pthread_mutex_lock(&r->block_lock);
    is_there = *find_expected(r, url, terms, &n) != NULL;
    pthread_mutex_unlock(&r->block_lock);
    if (is_there || n >= EXPECTED_MOST) {
        return is_there;
    }
    pq_err_init(&e);                 /* whoever opens it says why            */
    if (new_file(r, url, terms, &f, &e) == PQ_OK) {
        pthread_mutex_lock(&r->block_lock);
        f->next = r->expected;
        r->expected = f;
        pthread_mutex_unlock(&r->block_lock);
    }
    return true;
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

static PqRemoteFile *take_expected(PqRemote *r, const char *url, const PqRemoteTerms *terms)
{
    PqRemoteFile **at, *f;
    uint32_t n;

    pthread_mutex_lock(&r->block_lock);
    at = find_expected(r, url, terms, &n);
    f = *at;
    if (f) {
        *at = f->next;
    }
    pthread_mutex_unlock(&r->block_lock);
    return f;
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

/* The same version that was open before, with its blocks, or f itself.  It is
** held as by one source. */
static PqRemoteFile *enlist(PqRemoteFile *f)
{
    PqRemote *r = f->remote;
    PqRemoteFile *other;

    pthread_mutex_lock(&r->block_lock);
    for (other = r->files; other; other = other->next) {
        if (f->is_etag && !f->blocks && other->size == f->size &&
            strcmp(other->name, f->name) == 0 && strcmp(other->url.query, f->url.query) == 0 &&
            strcmp(other->version, f->version) == 0) {
            break;
        }
    }
    if (other) {
        other->terms.patience = f->terms.patience;
        other->terms.own |= f->terms.own;    /* each was checked for itself  */
        f->known = NULL;             /* the other has these bytes             */
        pq_remote_file_free(f);
        f = other;
    } else {
        f->next = r->files;
        r->files = f;
    }
    f->window = f->n_sources++ ? f->window : FIRST_WINDOW;
    pthread_mutex_unlock(&r->block_lock);
    return f;
}

static void let_go(PqRemoteFile *f)
{
    pthread_mutex_lock(&f->remote->block_lock);
    f->n_sources--;
    pthread_mutex_unlock(&f->remote->block_lock);
}

PqRc pq_remote_open(PqRemote *r, PqMem *mem, const char *url,
                    const PqRemoteTerms *terms, PqSource **out, PqErr *e)
{
    const char *outer = e->where.file;
    PqRemoteFile *f = take_expected(r, url, terms);

    *out = NULL;
    e->where.file = url;
    if (!f && new_file(r, url, terms, &f, e) != PQ_OK) {
        f = NULL;
    } else if (wait_for_tail(f, e) != PQ_OK || f->absent) {
        drop(f);
    } else {
        f = enlist(f);
        pq_remote_source_new(f, mem, url, out, e);
        let_go(f);
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
