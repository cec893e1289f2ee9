/*
** remote_open.c - the first request for a file, which brings its end, its size and its
** version.
*/
#include "core/remote/remote_file.h"

#include <stdio.h>
#include <stdlib.h>

/* The tail holds the footer and mostly the indexes.  Of many files it is shorter,
** because all of them are opened and few are read. */
enum { TAIL = 512 << 10, SHORT_TAIL = 64 << 10 };

static PqRc no_version(const PqHttpAnswer *a, PqErr *e)
{
    return pq_fail(e, PQ_IO, "the server answers %d to a request for the end of a "
                   "file, with Content-Range \"%.60s\"", a->status,
                   a->content_range);
}

/* Texts that are not a strong ETag cannot be named in a request; they are
** compared when an answer comes. */
static PqRc set_version(PqRemoteFile *f, const PqHttpAnswer *a, PqErr *e)
{
    const char *version = *a->etag ? a->etag : a->last_modified;

    f->is_etag = *a->etag && strncmp(a->etag, "W/", 2) != 0;
    f->version = pq_arena_text(&f->arena, version, strlen(version), e);
    return f->version ? PQ_OK : e->rc;
}

/* The first answer tells the size: "bytes 99872-99999/100000", or it is the whole
** file. *begin is where its bytes lie. */
static PqRc size_of(PqRemoteFile *f, const PqHttpAnswer *a, uint64_t *begin, PqErr *e)
{
    unsigned long long first = 0, last, size;

    if (*a->content_encoding && strcmp(a->content_encoding, "identity") != 0) {
        return pq_fail(e, PQ_IO, "the server, or a proxy, sends the file packed "
                       "(Content-Encoding: %.40s), so it has no ranges",
                       a->content_encoding);
    }
    if (a->status == 416) {
        f->size = 0;
        return sscanf(a->content_range, "bytes */%llu", &size) == 1 && size == 0
                   ? PQ_OK : no_version(a, e);
    }
    if (a->status == 200 && !a->body_cut) {
        f->size = a->body.n;
    } else if (a->status == 200) {
        return pq_fail(e, PQ_UNSUPPORTED, "the server has no ranges: it sends the "
                       "whole file");
    } else if (a->status != 206 ||
               sscanf(a->content_range, "bytes %llu-%llu/%llu", &first, &last,
                      &size) != 3 || first > last || last + 1 != size ||
               size > INT64_MAX || a->body.n != size - first || a->body_cut) {
        return no_version(a, e);
    } else {
        f->size = size;
    }
    *begin = first;
    return PQ_OK;
}

/* Remembers "size version" for the next statement. */
static PqRc remember(PqRemoteFile *f, const char *name, PqErr *e)
{
    char *text;

    if (!f->is_etag) {
        return PQ_OK;
    }
    text = pq_arena_printf(&f->arena, e, "%llu %s", (unsigned long long)f->size,
                           f->version);
    return text ? pq_remote_learn(f->remote, PQ_KNOWN_VERSION, name, text, e)
                : e->rc;
}

/* The end of the file becomes its first block. */
static PqRc take_tail(PqRemoteFile *f, const char *name, PqHttpAnswer *a,
                      PqRequest **asked, PqErr *e)
{
    PqExtent at = {0};
    PqPiece *b;

    PQ_TRY(size_of(f, a, &at.begin, e));
    PQ_TRY(set_version(f, a, e));
    PQ_TRY(remember(f, name, e));
    at.end = f->size;
    if (at.begin == at.end) {
        return PQ_OK;
    }
    pthread_mutex_lock(&f->remote->block_lock);
    pq_pieces_make_room(f->remote, at.end - at.begin);
    if (pq_piece_new(f, at, &b, e) == PQ_OK) {
        b->answer = a;
        b->keeper = *asked;
        *asked = NULL;
    }
    pthread_mutex_unlock(&f->remote->block_lock);
    return e->rc;
}

/* What was known of the file, which has not changed since. */
static PqRc take_known(PqRemoteFile *f, const char *known, PqErr *e)
{
    char *version;

    f->size = strtoull(known, &version, 10);
    f->is_etag = true;
    f->version = pq_arena_text(&f->arena, version + 1, strlen(version + 1), e);
    return f->version ? PQ_OK : e->rc;
}

static PqRc ask_for_tail(PqRemoteFile *f, const char *name, PqErr *e)
{
    size_t tail = f->terms.one_of_many ? SHORT_TAIL : TAIL;
    PqQuestion q = {.method = PQ_HTTP_GET, .url = &f->url, .most = tail,
                    .own = f->terms.own, .patience = &f->terms.patience};
    PqHttpAnswer *answer;
    PqRequest *asked;
    const char *known;
    char range[32];
    PqRc rc;

    PQ_TRY(pq_remote_recall(f->remote, PQ_KNOWN_VERSION, name, &f->arena, &known, e));
    if (*known && f->terms.last_known) {
        return take_known(f, known, e);
    }
    q.if_none_match = *known ? strchr(known, ' ') + 1 : NULL;
    snprintf(range, sizeof range, "bytes=-%zu", tail);
    q.range = range;
    PQ_TRY(pq_request_ask(f->remote, &q, &asked, &answer, e));
    if (answer->status == 304 && *known) {
        rc = take_known(f, known, e);
    } else {
        rc = take_tail(f, name, answer, &asked, e);
    }
    pq_request_free(asked);
    return rc;
}

static PqRc new_file(PqRemote *r, const PqRemoteTerms *terms, PqRemoteFile **out,
                     PqErr *e)
{
    PQ_TRY(PQ_NEW(r->mem, *out, 1, e));
    (*out)->remote = r;
    (*out)->terms = *terms;
    pq_arena_init(&(*out)->arena, r->mem);
    pthread_cond_init(&(*out)->came, NULL);
    return PQ_OK;
}

static PqRc learn_file(PqRemoteFile *f, const char *url, PqErr *e)
{
    const char *full;

    f->name = pq_arena_text(&f->arena, url, strlen(url), e);
    PQ_TRY(f->name ? PQ_OK : e->rc);
    PQ_TRY(pq_remote_recall(f->remote, PQ_KNOWN_URL, url, &f->arena, &full, e));
    PQ_TRY(pq_url_parse(&f->arena, *full ? full : url, &f->url, e));
    return ask_for_tail(f, url, e);
}

/* The same version that was open before, with its blocks, or f itself.  It is
** held as by one source. */
static PqRemoteFile *enlist(PqRemoteFile *f)
{
    PqRemote *r = f->remote;
    PqRemoteFile *other;

    pthread_mutex_lock(&r->block_lock);
    for (other = r->files; other; other = other->next) {
        if (f->is_etag && !f->blocks && other->size == f->size &&
            strcmp(other->name, f->name) == 0 &&
            strcmp(other->version, f->version) == 0) {
            break;
        }
    }
    if (other) {
        pq_remote_file_free(f);
        f = other;
    } else {
        f->next = r->files;
        r->files = f;
    }
    f->n_sources++;
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
    PqRemoteFile *f;

    *out = NULL;
    PQ_TRY(new_file(r, terms, &f, e));
    e->where.file = url;
    if (learn_file(f, url, e) != PQ_OK) {
        pthread_mutex_lock(&r->block_lock);
        pq_remote_file_free(f);
        pthread_mutex_unlock(&r->block_lock);
    } else {
        f = enlist(f);
        pq_remote_source_new(f, mem, url, out, e);
        let_go(f);
    }
    e->where.file = outer;
    return e->rc;
}

PqRc pq_remote_adopt(PqRemote *r, PqArena *a, const char *url, const char **out,
                     PqErr *e)
{
    const char *shown, *known;
    PqUrl u;

    PQ_TRY(pq_url_parse(a, url, &u, e));
    *out = url;
    if (!*u.query && !u.user) {
        return PQ_OK;
    }
    shown = pq_url_shown(a, &u, e);
    PQ_TRY(shown ? PQ_OK : e->rc);
    for (unsigned n = 1;; n++) {
        *out = n == 1 ? pq_arena_printf(a, e, "%s?...", shown)
                      : pq_arena_printf(a, e, "%s?...%u", shown, n);
        PQ_TRY(*out ? PQ_OK : e->rc);
        PQ_TRY(pq_remote_recall(r, PQ_KNOWN_URL, *out, a, &known, e));
        if (strcmp(known, url) == 0) {
            return PQ_OK;
        }
        if (!*known) {
            return pq_remote_learn(r, PQ_KNOWN_URL, *out, url, e);
        }
    }
}
