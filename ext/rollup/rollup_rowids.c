/*
** rollup_rowids.c - see rollup_rowids.h: a hash of combinations, and their keys.
*/
#include "ext/rollup/rollup_rowids.h"

enum { NONE = UINT32_MAX, POLL = 4096 };

typedef struct Rowid {
    PqSlice  key;
    uint32_t next;
} Rowid;

struct PqextRowids {
    PqMem    *mem;
    PqArena   arena;                 /* keys                                */
    Rowid    *v;
    uint32_t  n, room;
    uint32_t *heads, mask;
};

void pqext_rowids_free(struct PqextRowids *r)
{
    if (r) {
        pq_arena_free(&r->arena);
        pq_mem_free(r->v);
        pq_mem_free(r->heads);
        pq_mem_release(r->mem);
        sqlite3_free(r);
    }
}

static uint32_t hash_of(PqSlice key)
{
    return (uint32_t)pq_key_hash_bytes(key);
}

/* All keys find their places again. */
static PqRc place_all(struct PqextRowids *r, const PqStop *stop, PqErr *e)
{
    PQ_TRY(pq_stop_fill(stop, r->heads, 0xff, r->room * sizeof *r->heads, e));
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t *head = &r->heads[hash_of(r->v[i].key) & r->mask];

        if (i % POLL == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
        r->v[i].next = *head;
        *head = i;
    }
    return PQ_OK;
}

static PqRc grow(struct PqextRowids *r, const PqStop *stop, PqErr *e)
{
    uint32_t room = r->room ? r->room * 2 : 64;

    PQ_TRY(PQ_RESIZE(r->mem, r->v, room, e));
    PQ_TRY(PQ_RESIZE(r->mem, r->heads, room, e));
    r->room = room;
    r->mask = room - 1;
    if (place_all(r, stop, e) != PQ_OK) {
        r->n = r->room = 0;          /* the statement is over */
    }
    return e->rc;
}

static struct PqextRowids *rowids_of(PqextListing *l, size_t memory)
{
    struct PqextRowids *r = l->rowids;

    if (!r && (r = sqlite3_malloc(sizeof *r)) != NULL) {
        memset(r, 0, sizeof *r);
        r->mem = pq_mem_new(memory);
        if (!r->mem) {
            sqlite3_free(r);
            return NULL;
        }
        pq_arena_init(&r->arena, r->mem);
        l->rowids = r;
    }
    return r;
}

static PqRc too_many(const struct PqextRowids *r, PqErr *e)
{
    pq_err_clear(e);
    return pq_fail(e, PQ_BUDGET, "the rowids of more than %u groups, which a RIGHT "
                   "JOIN or an OR asks for, need half of memory=; raise the "
                   "option memory", r->n);
}

static PqRc rowid(struct PqextRowids *r, PqSlice key, const PqStop *stop,
                  int64_t *out, PqErr *e)
{
    uint32_t hash = hash_of(key), i;
    char *copy;

    for (i = r->n ? r->heads[hash & r->mask] : NONE; i != NONE;
         i = r->v[i].next) {
        if (r->v[i].key.n == key.n && memcmp(r->v[i].key.p, key.p, key.n) == 0) {
            *out = (int64_t)i + 1;
            return PQ_OK;
        }
    }
    if (r->n == r->room) {
        PQ_TRY(grow(r, stop, e));
    }
    copy = pq_arena_text(&r->arena, key.p, key.n, e);
    if (!copy) {
        return e->rc;
    }
    r->v[r->n] = (Rowid){pq_slice(copy, key.n), r->heads[hash & r->mask]};
    r->heads[hash & r->mask] = r->n;
    *out = (int64_t)++r->n;
    return PQ_OK;
}

PqRc pqext_rowids_of(PqextListing *l, size_t memory, PqSlice key,
                     const PqStop *stop, int64_t *out, PqErr *e)
{
    struct PqextRowids *r = rowids_of(l, memory);
    PqRc rc = r ? rowid(r, key, stop, out, e)
                : pq_fail(e, PQ_NOMEM, "out of memory");

    return rc == PQ_BUDGET ? too_many(r, e) : rc;
}

/* An integer and a real that are equal are one value of a dimension. */
void pqext_rollup_put_cell(const PqGroupCell *v, PqBuf *out)
{
    bool whole = v->kind == PQ_GROUP_REAL && pq_rollup_is_whole_real(v->r);
    PqGroupKind kind = whole ? PQ_GROUP_INT : v->kind;
    int64_t i = whole ? (int64_t)v->r : v->i;
    uint64_t n = v->bytes.n;

    pq_buf_byte(out, (uint8_t)kind);
    if (kind == PQ_GROUP_INT) {
        pq_buf_add(out, &i, sizeof i);
    } else if (kind == PQ_GROUP_REAL) {
        pq_buf_add(out, &v->r, sizeof v->r);
    } else if (kind != PQ_GROUP_NULL) {
        pq_buf_add(out, &n, sizeof n);
        pq_buf_add(out, v->bytes.p, v->bytes.n);
    }
}
