/*
** publish_far.c - a copy to a server.
**
** Keys begin with the folder's path, and that is all that there is of a folder.  What
** lies in it is listed before the first row and after the last, and looked at as far
** as publish_replace.c needs it.
**
** What is hard is that nothing can be put back.  A new object takes the place of an
** old one when it is completed, and old ones of other names are removed after that.
** So everything that may fail is done before: all bytes are there, and completing them
** is one short request each.
*/
#define _GNU_SOURCE
#include "core/write/publish_inside.h"

#include "core/base/lake_tables.h"
#include "core/numbering/text_numbers.h"
#include "core/remote/object.h"
#include "core/remote/request.h"
#include "core/remote/upload.h"

#include <errno.h>

enum { LEAST_MEMORY = 32 << 20, SHARE = 4 };

typedef struct PubFar {
    PqRemote     *remote;
    PqRemoteTerms terms;
    PqUploads    *uploads;
    PqArena       texts;             /* of url: they may be secrets          */
    PqUrl         url;               /* of the file, or of what is below root:
                                     ** its path is "" or ends in a slash    */
    PqTextNumbers paths;             /* append: of what was there; then of the
                                     ** files of the copy                    */
    uint32_t      n_taken;           /* paths that were there                */
} PubFar;

/* ---- what is there -------------------------------------------------------------- */

/* The URL of a path that begins with the root. */
static PqRc url_of(PqPublish *p, const char *path, PqUrl *out, PqErr *e)
{
    const PubFar *far = p->far;

    *out = far->url;
    if (p->is_folder) {
        out->path = pq_arena_printf(&p->arena, e, "%s%s", far->url.path,
                                    path + strlen(p->root) + 1);
    }
    return out->path ? PQ_OK : e->rc;
}

static PqRc source(PqPublish *p, const char *path, bool again, PqSource **out, PqErr *e)
{
    PqRemoteTerms terms = p->far->terms;

    terms.last_known = again;
    return pq_remote_open(p->far->remote, p->mem, path, &terms, out, e);
}

static bool is_there(PqPublish *p, const char *path)
{
    PqErr e = PQ_NO_ERR;
    PqObject o;
    PqUrl u;

    return url_of(p, path, &u, &e) == PQ_OK &&
           (pq_object_look(p->far->remote, &u, &p->far->terms, &o, &e) != PQ_OK ||
            o.is_there || o.is_closed);
}

static bool is_hidden(const char *below)
{
    for (const char *slash; (slash = strchr(below, '/')) != NULL; below = slash + 1) {
        if (*below == '.' || (*below == '_' && !memchr(below, '=', (size_t)(slash - below)))) {
            return true;
        }
    }
    return false;
}

typedef struct Seeing {
    PqPublish          *p;
    const PqFolderWalk *how;
} Seeing;

/* The log of a lake table lies directly in its folder. */
static PqRc see_key(void *arg, const char *key, bool folder, PqArena *a, PqErr *e)
{
    const Seeing *s = arg;
    const PqFolderWalk *how = s->how;
    const char *below = key + strlen(s->p->far->url.path), *path;
    size_t n = 0;
    const char *kind = pq_lake_of_key(below, &n);

    if (kind && n == 0) {
        pq_fail(e, PQ_USAGE, "is %s: a file that its log does not know would not be one "
                "of its files", kind);
        pq_err_hint(e, "write to a folder outside of it");
        return e->rc;
    }
    path = pq_arena_printf(a, e, "%s/%s", s->p->root, below);
    PQ_TRY(path ? PQ_OK : e->rc);
    return !*below || below[strlen(below) - 1] == '/' || is_hidden(below)
               ? PQ_OK
               : how->see(how->arg, PQ_ENTRY_FILE, path, pq_path_name(path), e);
}

static PqRc walk(PqPublish *p, const PqFolderWalk *how, PqErr *e)
{
    Seeing s = {p, how};
    PqObjectWalk w = {.remote = p->far->remote, .terms = &p->far->terms, .below = &p->far->url,
                      .stop = how->stop, .see = see_key, .arg = &s};

    return pq_objects_walk(&w, e);
}

/* ---- opening -------------------------------------------------------------------- */

/* What has the URL of the copy.  The server of one that is signed, and allows one PUT and no
** GET, does not say so. */
static PqRc look(PqPublish *p, PqObject *out, PqErr *e)
{
    const PqUrl *u = &p->far->url;

    *out = (PqObject){0};
    return u->scheme != PQ_SCHEME_S3 && *u->query
               ? PQ_OK : pq_object_look(p->far->remote, u, &p->far->terms, out, e);
}

static PqRc open_file(PqPublish *p, PqErr *e)
{
    PqObject o;

    p->root = pub_folder_of(p, p->target, e);
    PQ_TRY(p->root ? pub_check_one(p, e) : e->rc);
    if (!*p->far->url.path) {
        return pub_wrong(p->shown, "is a bucket, not a file", "name a file in it, or end "
                         "the path in / to write data_0.parquet and so on into it", e);
    }
    PQ_TRY(look(p, &o, e));
    if (o.is_closed && p->overwrite != PQ_OVERWRITE_REPLACE) {
        return pub_wrong(p->shown, "the server does not say whether this exists already",
                         "a secret that may read it helps; {\"overwrite\": \"replace\"} "
                         "writes in any case", e);
    }
    return pub_check_target(p, o.is_there, e);
}

static PqStr as_str(const char *path)
{
    return (PqStr){(const uint8_t *)path, (uint32_t)strlen(path)};
}

static PqRc add_path(PubFar *far, const char *path, PqErr *e)
{
    const PqStr text = as_str(path);
    uint32_t number;

    return pq_text_numbers_find(&far->paths, &text, 1, &number, e);
}

static PqRc add_taken(void *arg, PqEntryKind kind, const char *path, const char *name, PqErr *e)
{
    return add_path(((PqPublish *)arg)->far, path, e);
}

/* Beside a key, S3 may have keys below it.  Whoever names it without a slash may mean
** the object. */
static PqRc check_no_object(PqPublish *p, const char *target, PqErr *e)
{
    PqObject o = {0};

    if (target[strlen(target) - 1] != '/') {
        PQ_TRY(look(p, &o, e));
    }
    return o.is_there ? pub_not_a_folder(p, e) : PQ_OK;
}

static PqRc open_folder(PqPublish *p, const char *target, PqErr *e)
{
    PubFar *far = p->far;
    PqFolderWalk names = {add_taken, p, true, p->stop};
    PubFolder *root;

    if (far->url.scheme != PQ_SCHEME_S3) {
        return pub_wrong(p->shown, "a folder on a server is written to s3:// only",
                         "name one file", e);
    }
    p->root = p->target;
    if (*far->url.path && far->url.path[strlen(far->url.path) - 1] != '/') {
        PQ_TRY(check_no_object(p, target, e));
        far->url.path = pq_arena_printf(&p->arena, e, "%s/", far->url.path);
        PQ_TRY(far->url.path ? PQ_OK : e->rc);
    }
    PQ_TRY(pub_folder_note(p, p->root, &root, e));
    if (p->overwrite == PQ_OVERWRITE_APPEND && !p->log) {        /* else names are random */
        PQ_TRY(walk(p, &names, e));
        far->n_taken = far->paths.table.n;
    }
    return pub_check_folder(p, e);
}

static PqRc open_any(PqPublish *p, const PqPublishPlan *plan, PqErr *e)
{
    size_t all = pq_mem_limit(p->mem);       /* uploads get their share of it */
    size_t share = all / SHARE < PQ_UPLOAD_LEAST ? PQ_UPLOAD_LEAST : all / SHARE;
    const char *full;
    PubFar *far;

    if (!plan->remote) {
        return pub_wrong(p->shown, "a URL is not allowed here", NULL, e);
    }
    if (p->has_beside) {
        return pub_wrong(p->shown, "key material is not written beside a file on a "
                         "server", "have it inside (\"internal\")", e);
    }
    PQ_TRY(PQ_ARENA_NEW(&p->arena, far, 1, e));
    far->remote = plan->remote;
    far->terms = (PqRemoteTerms){.own = true, .one_of_many = true,
                                 .patience = plan->patience ? *plan->patience : pq_usual_patience};
    p->far = far;
    pq_arena_init(&far->texts, p->mem);
    pq_text_numbers_init(&far->paths, p->mem, (uint64_t)(uintptr_t)far, p->stop);
    PQ_TRY(pq_remote_recall(far->remote, PQ_KNOWN_URL, p->target, &far->texts, &full, e));
    PQ_TRY(pq_url_parse(&far->texts, *full ? full : p->target, &far->url, e));
    if (all < LEAST_MEMORY) {
        return pub_wrong(p->shown, "a copy to a server takes at least 32MB of memory", NULL, e);
    }
    pq_mem_set_limit(p->mem, all - share);
    PQ_TRY(pq_uploads_new(far->remote, share, !pub_replaces(p), &far->terms, &far->uploads, e));
    return p->is_folder ? open_folder(p, plan->target, e) : open_file(p, e);
}

static PqRc open_far(PqPublish *p, const PqPublishPlan *plan, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, p->shown);

    open_any(p, plan, e);
    e->where = outer;
    return e->rc;
}

/* ---- files ---------------------------------------------------------------------- */

bool pub_far_has(const PqPublish *p, const char *path)
{
    uint32_t number = pq_text_numbers_get(&p->far->paths, as_str(path));

    return number != PQ_NO_NUMBER && number >= p->far->n_taken;
}

static PqRc make_far(PqPublish *p, PubFile *f, bool *taken, PqErr *e)
{
    PubFar *far = p->far;
    uint32_t n = far->paths.table.n;
    PqUrl u;

    PQ_TRY(add_path(far, f->path, e));
    *taken = far->paths.table.n == n;
    PQ_TRY(*taken ? PQ_OK : url_of(p, f->path, &u, e));
    return *taken ? PQ_OK
                  : pq_upload_new(far->uploads, &u, f->shown, !p->is_folder, &f->sink, e);
}

static PqRc done(PqPublish *p, PubFile *f, PqErr *e)
{
    return pq_upload_end(f->sink, e);
}

/* ---- the last pass -------------------------------------------------------------- */

static PqRc remove_old(PqPublish *p, PqErr *e)
{
    PqUrl *urls;

    pub_step("remove");
    PQ_TRY(PQ_ARENA_NEW(&p->arena, urls, p->old.n, e));
    for (uint32_t i = 0; i < p->old.n; i++) {
        PQ_TRY(url_of(p, ((const PubOld *)p->old.item[i])->path, &urls[i], e));
    }
    if (pq_objects_delete(p->far->remote, urls, p->old.n, false, e) != PQ_OK) {
        pq_err_hint(e, "all new files of %s are there, and some that they replace still "
                    "are: run the copy again", p->shown);
    }
    return e->rc;
}

static PqRc see_name(void *arg, PqEntryKind kind, const char *path, const char *name, PqErr *e)
{
    return pub_far_has(arg, path) ? pub_refused(path, "", EEXIST, e) : PQ_OK;
}

/* For servers that do not know If-None-Match. */
static PqRc check_new(PqPublish *p, PqErr *e)
{
    PqFolderWalk names = {see_name, p, true, p->stop};
    PqObject o;

    if (p->is_folder) {
        return walk(p, &names, e);
    }
    PQ_TRY(look(p, &o, e));
    return o.is_there ? pub_refused(p->shown, "", EEXIST, e) : PQ_OK;
}

static PqRc commit(PqPublish *p, PqErr *e)
{
    PQ_TRY(pub_list_old(p, e));
    PQ_TRY(!pub_replaces(p) && !p->log ? check_new(p, e) : PQ_OK);
    PQ_TRY(pq_stop_poll(p->stop, e));
    PQ_TRY(p->log && p->log->begin ? p->log->begin(p->log->arg, e) : PQ_OK);
    pub_step("complete");
    if (pq_uploads_finish(p->far->uploads, e) != PQ_OK) {
        if (p->is_folder && pub_replaces(p)) {
            pq_err_hint(e, "some files of %s may be new now and some old, each of them "
                        "whole", p->shown);
        }
        return e->rc;
    }
    PQ_TRY(p->log ? p->log->enter(p->log->arg, p, &p->committed, e) : PQ_OK);
    p->committed = true;
    return p->old.n ? remove_old(p, e) : PQ_OK;
}

static void close_far(PqPublish *p)
{
    if (p->far) {
        pq_uploads_free(p->far->uploads, !p->committed);
        pq_arena_wipe(&p->far->texts);
        pq_text_numbers_free(&p->far->paths);
    }
}

const PubPlace pub_far = {
    .is_far = true, .open = open_far, .file = make_far, .done = done,
    .commit = commit, .close = close_far, .walk = walk, .is_there = is_there,
    .source = source,
};
