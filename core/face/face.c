/*
** face.c - a session: its error, its keys, and stopping it.
**
** An error is copied, because its object may be closed next.
*/
#include "core/face/face.h"

#include <stdatomic.h>
#include <stdlib.h>

const char *parquet_version(void)
{
    return PARQUET_VERSION;
}

static bool asked(void *arg)
{
    Parquet *p = arg;

    return atomic_load_explicit(&p->interrupted, memory_order_relaxed) ||
           (p->progress.asked && p->progress.asked(p->progress.arg));
}

ParquetCode parquet_new(Parquet **out)
{
    enum { MEMORY = 256 << 20 };
    Parquet *p = calloc(1, sizeof *p);
    PqErr e;

    *out = NULL;
    pq_err_init(&e);
    if (!p || pq_engine_new(&p->engine, &e) != PQ_OK) {
        free(p);
        return PARQUET_NOMEM;
    }
    p->memory = MEMORY;
    p->stop = (PqStop){asked, p};
    p->engine->remote->stop = p->stop;
    pq_arena_init(&p->texts, p->engine->mem);
    p->keys.ring = p->engine->keys;
    p->error = (ParquetError){PARQUET_OK, "", NULL, NULL, -1, -1, -1};
    *out = p;
    return PARQUET_OK;
}

void parquet_free(Parquet *p)
{
    if (p) {
        pq_arena_free(&p->texts);
        pq_engine_free(p->engine);
        free(p);
    }
}

void parquet_set_memory(Parquet *p, size_t bytes)
{
    p->memory = bytes;
    pq_mem_set_limit(p->engine->mem, bytes);
}

void parquet_set_threads(Parquet *p, unsigned n)
{
    p->threads = n < PQ_POOL_THREADS ? n : PQ_POOL_THREADS;
}

void parquet_interrupt(Parquet *p)
{
    atomic_store_explicit(&p->interrupted, true, memory_order_relaxed);
}

void parquet_on_progress(Parquet *p, bool (*ask)(void *arg), void *arg)
{
    p->progress = (PqStop){ask, arg};
}

/* ---- errors ---- */

const ParquetError *parquet_error(const Parquet *p)
{
    return &p->error;
}

static ParquetCode failed(Parquet *p, const PqErr *e)
{
    p->failure = *e;
    e = &p->failure;
    p->error = (ParquetError){(ParquetCode)e->rc, e->text, e->file[0] ? e->file : NULL,
                              e->column[0] ? e->column : NULL, e->row_group, e->page,
                              e->offset};
    return p->error.code;
}

ParquetCode pq_face_end(FaceHead *h)
{
    if (h->e.rc == PQ_STOPPED && !h->told) {     /* this is the call that it stopped */
        atomic_store_explicit(&h->p->interrupted, false, memory_order_relaxed);
    }
    h->told = h->e.rc != PQ_OK;
    return h->told ? failed(h->p, &h->e) : PARQUET_OK;
}

void pq_face_forget(FaceHead *h)
{
    pq_err_init(&h->e);
    h->told = false;
}

/* ---- objects ---- */

void *pq_face_new(Parquet *p, size_t size)
{
    PqErr e = PQ_NO_ERR;
    FaceHead *h;

    if (pq_mem_new_budget(p->memory, &h, size, offsetof(FaceHead, mem), &e) != PQ_OK) {
        failed(p, &e);
        return NULL;
    }
    *h = (FaceHead){.p = p, .mem = h->mem, .keys = p->keys};
    pq_err_init(&h->e);
    pq_arena_init(&h->arena, h->mem);
    return h;
}

void pq_face_free(FaceHead *h)
{
    pq_arena_free(&h->arena);
    pq_mem_free(h);
}

PqRc pq_face_list(FaceHead *h, const char *path, unsigned how, PqListing *out)
{
    PqPlaces places = pq_engine_places(h->p->engine, true, &pq_usual_patience);

    PQ_TRY(pq_listing_make(path, how, &places, h->mem, &h->p->stop, out, &h->e));
    out->keys = &h->keys;
    return pq_listing_keep_versions(out, h->mem, &h->e);
}

/* ---- keys ---- */

ParquetCode parquet_key(Parquet *p, const char *name, const void *bytes, size_t n)
{
    PqErr e;

    pq_err_init(&e);
    if (!pq_key_size_ok(n)) {
        pq_fail(&e, PQ_USAGE, "a key has 16, 24 or 32 bytes, and this one has %zu", n);
    } else if (!name || !name[0]) {
        pq_fail(&e, PQ_USAGE, "the name of a key is empty");
    } else {
        pq_key_ring_put(p->engine->keys, name, pq_slice(bytes, n), &e);
    }
    pq_engine_keys_changed(p->engine);
    return e.rc == PQ_OK ? PARQUET_OK : failed(p, &e);
}

bool parquet_key_forget(Parquet *p, const char *name)
{
    bool there = pq_key_ring_forget(p->engine->keys, name);

    pq_engine_keys_changed(p->engine);
    return there;
}

static const char *copy(Parquet *p, const char *text, PqErr *e)
{
    return text ? pq_arena_text(&p->texts, text, strlen(text), e) : NULL;
}

/* Earlier choices stay in the arena, because open objects use them. */
ParquetCode parquet_key_choice(Parquet *p, const char *footer_key,
                               const ParquetColumnKey *columns, size_t n,
                               const char *aad_prefix)
{
    PqKeyChoice keys = {.ring = p->engine->keys, .n_columns = (uint32_t)n};
    PqColumnKeyName *v;
    PqErr e;

    pq_err_init(&e);
    keys.columns = v = pq_arena_zeros(&p->texts, n + 1, sizeof *v, &e);
    for (size_t i = 0; v && i < n; i++) {
        v[i].column = copy(p, columns[i].column, &e);
        v[i].key = copy(p, columns[i].key, &e);
    }
    keys.footer_key = copy(p, footer_key, &e);
    keys.aad_prefix = copy(p, aad_prefix, &e);
    if (e.rc != PQ_OK) {
        return failed(p, &e);
    }
    p->keys = keys;
    return PARQUET_OK;
}
