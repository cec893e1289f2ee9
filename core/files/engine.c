/*
** engine.c - the footer cache, and the pool of threads that scans share.
**
** An entry is found by path and identity (device, inode, size, times), so a
** file that was replaced never gets its old footer.  An encrypted file may have
** several entries, one for each choice of keys.  Footers are counted: a footer
** that is in use outlives its entry.  After each new footer the oldest entries
** go until CACHE_BYTES are left.  Entries of encrypted files go when keys
** change.
*/
#include "core/files/engine.h"

#include "core/base/free_blocks.h"
#include "core/numbering/hash.h"

#include <stdlib.h>

struct PqFooterEntry {
    PqFooterEntry *newer, *older;    /* by last use                        */
    PqFooterEntry *next;             /* in its bucket                      */
    PqFileId       id;
    uint64_t       names;            /* PqLakeNames.mark, and of the log     */
    PqFooter      *footer;
    char           path[];
};

/* Unused footers may stay as long as memory in use is within CACHE_BYTES. */
enum { CACHE_BYTES = 16 << 20, DEFAULT_MEMORY = 256 << 20 };

PqRc pq_engine_new(PqEngine **out, PqErr *e)
{
    PQ_TRY(PQ_NEW_BUDGET(DEFAULT_MEMORY, *out, e));
    pq_free_blocks_open();
    (*out)->pipes.mem = (*out)->mem;
    if (pq_key_ring_new((*out)->mem, &(*out)->keys, e) != PQ_OK ||
        pq_remote_new(&(*out)->remote, e) != PQ_OK) {
        pq_engine_free(*out);
        *out = NULL;
    }
    return e->rc;
}

void pq_engine_allow(PqEngine *g, size_t bytes)
{
    if (bytes > pq_mem_limit(g->mem)) {
        pq_mem_set_limit(g->mem, bytes);
    }
}

PqPool *pq_engine_pool(PqEngine *g, unsigned n_threads)
{
    PqErr e = PQ_NO_ERR;

    if (n_threads == 0) {
        return NULL;
    }
    if (!g->pool) {                  /* on failure, scans use no threads */
        pq_pool_new(g->mem, n_threads, &g->pool, &e);
    } else {
        pq_pool_grow(g->pool, n_threads);
    }
    return g->pool;
}

static uint32_t bucket_of(PqFileId id)
{
    uint64_t h = (id.inode ^ id.device << 17) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> (64 - PQ_FOOTER_BUCKET_BITS));
}

static void unlink_entry(PqEngine *g, PqFooterEntry *x)
{
    *(x->newer ? &x->newer->older : &g->newest) = x->older;
    *(x->older ? &x->older->newer : &g->oldest) = x->newer;
}

static void link_newest(PqEngine *g, PqFooterEntry *x)
{
    x->newer = NULL;
    x->older = g->newest;
    *(g->newest ? &g->newest->newer : &g->oldest) = x;
    g->newest = x;
}

static void drop(PqEngine *g, PqFooterEntry *x)
{
    PqFooterEntry **at = &g->bucket[bucket_of(x->id)];

    while (*at != x) {
        at = &(*at)->next;
    }
    *at = x->next;
    unlink_entry(g, x);
    pq_footer_release(x->footer);
    pq_mem_free(x);
}

static void shrink(PqEngine *g, size_t to)
{
    PqFooterEntry *x = g->oldest;

    while (x && pq_mem_used(g->mem) > to) {
        PqFooterEntry *newer = x->newer;
        drop(g, x);
        x = newer;
    }
}

void pq_engine_free(PqEngine *g)
{
    if (g) {
        pq_pool_free(g->pool);
        while (g->oldest) {
            drop(g, g->oldest);
        }
        pq_kept_lakes_free(&g->lakes);
        pq_key_ring_free(g->keys);
        pq_remote_free(g->remote);
        pq_pipes_free(&g->pipes);
        pq_mem_free(g);
        pq_free_blocks_close();
    }
}

void pq_engine_keys_changed(PqEngine *g)
{
    uint64_t version = pq_key_ring_version(g->keys);
    PqFooterEntry *x = g->newest, *older;

    for (; x && version != g->keys_version; x = older) {
        older = x->older;
        if (x->footer->locks) {
            drop(g, x);
        }
    }
    g->keys_version = version;
}

static PqFooterEntry *find(PqEngine *g, const char *path, PqFileId id,
                           uint64_t names, const PqKeyChoice *keys)
{
    PqFooterEntry *x = g->bucket[bucket_of(id)];

    while (x && !(pq_file_id_equal(x->id, id) && x->names == names &&
                  strcmp(x->path, path) == 0 &&
                  pq_footer_is_for(x->footer, keys))) {
        x = x->next;
    }
    return x;
}

/* Without memory the footer is just not cached. */
static void remember(PqEngine *g, const char *path, PqFileId id, uint64_t names,
                     PqFooter *f)
{
    size_t n = strlen(path) + 1;
    PqFooterEntry *x = pq_mem_lib_alloc(g->mem, sizeof *x + n);

    if (x) {
        memset(x, 0, sizeof *x);
        memcpy(x->path, path, n);
        x->id = id;
        x->names = names;
        x->footer = f;
        pq_footer_hold(f);
        x->next = g->bucket[bucket_of(id)];
        g->bucket[bucket_of(id)] = x;
        link_newest(g, x);
        shrink(g, CACHE_BYTES);
    }
}

PqPlaces pq_engine_places(PqEngine *g, bool own, const PqPatience *patience)
{
    PqPlaces p = g->blobs;

    pq_remote_enter(g->remote);
    p.remote = g->remote;
    p.pipes = &g->pipes;
    p.terms = (PqRemoteTerms){.own = own, .patience = *patience};
    return p;
}

static int by_path(const void *path, const void *file)
{
    return strcmp(path, ((const PqListedFile *)file)->path);
}

PqRc pq_engine_open(PqEngine *g, const PqListing *l, const char *path,
                    PqSource **source, PqFooter **footer, PqErr *e)
{
    const PqKeyChoice by_metadata = {.ring = g->keys};
    const PqKeyChoice *keys = l->keys ? l->keys : &by_metadata;
    const PqLakeSnapshot *s = l->snapshot;
    const PqListedFile *listed = s && s->n_files ? bsearch(path, s->files, s->n_files,
                                                           sizeof *s->files, by_path) : NULL;
    uint64_t names = s ? s->names.mark : 0;
    PqFooterEntry *x;
    PqInput in = {0};
    PqRc rc;

    *source = NULL;
    *footer = NULL;
    if (names && listed) {           /* what columns are made of             */
        names = pq_hash_mix(names, (uint64_t)listed->first_row);
        names = pq_hash_mix(names, (uint64_t)listed->sequence) | 1;
    }
    PQ_TRY(pq_listing_open(l, g->mem, path, source, e));
    pq_engine_keys_changed(g);
    x = find(g, path, pq_source_id(*source), names, keys);
    if (x) {
        unlink_entry(g, x);
        link_newest(g, x);
        *footer = x->footer;
        pq_footer_hold(*footer);
        return PQ_OK;
    }
    shrink(g, CACHE_BYTES);
    in.source = *source;
    e->where.file = pq_source_path(*source);
    rc = pq_footer_read(&in, keys, g->mem, footer, e);
    if (rc == PQ_OK && names) {
        rc = pq_lake_names_give(&s->names, listed, *footer, e);
    }
    pq_where_reset(e);
    if (rc != PQ_OK) {
        pq_footer_release(*footer);
        *footer = NULL;
        pq_source_close(*source);
        *source = NULL;
        return rc;
    }
    remember(g, path, pq_source_id(*source), names, *footer);
    return PQ_OK;
}

PqRc pq_engine_footer(PqEngine *g, const PqListing *l, const char *path,
                      PqFooter **footer, PqErr *e)
{
    PqSource *source;
    PqRc rc = pq_engine_open(g, l, path, &source, footer, e);

    pq_source_close(source);
    return rc;
}
