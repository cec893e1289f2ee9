/*
** rollup_rowids.c - see rollup_rowids.h: a hash of combinations, and their keys.
*/
#include "ext/rollup/rollup_rowids.h"

struct PqextRowids {
    PqMem       *mem;
    PqArena      arena;              /* keys                                */
    PqSlice     *keys;               /* by number                           */
    uint32_t     room;
    PqGroupTable table;
};

void pqext_rowids_free(struct PqextRowids *r)
{
    if (r) {
        pq_group_table_free(&r->table);
        pq_arena_free(&r->arena);
        pq_mem_free(r->keys);
        pq_mem_release(r->mem);
        sqlite3_free(r);
    }
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
        pq_group_table_init(&r->table, r->mem, NULL);
        l->rowids = r;
    }
    return r;
}

static PqRc too_many(const struct PqextRowids *r, PqErr *e)
{
    pq_err_clear(e);
    return pq_fail(e, PQ_BUDGET, "the rowids of more than %u groups, which a RIGHT "
                   "JOIN or an OR asks for, need half of memory=; raise the "
                   "option memory", r->table.n);
}

/* The key that is looked for. */
typedef struct Asked {
    struct PqextRowids *r;
    PqSlice             key;
} Asked;

static bool same_key(void *arg, uint32_t number, uint32_t i)
{
    const Asked *a = arg;
    PqSlice there = a->r->keys[number];

    (void)i;
    return there.n == a->key.n && memcmp(there.p, a->key.p, there.n) == 0;
}

static PqRc keep_key(void *arg, uint32_t number, uint32_t i, PqErr *e)
{
    const Asked *a = arg;
    struct PqextRowids *r = a->r;
    char *copy;

    (void)i;
    PQ_TRY(PQ_GROW(r->mem, r->keys, number, r->room, e));
    copy = pq_arena_text(&r->arena, a->key.p, a->key.n, e);
    if (!copy) {
        return e->rc;
    }
    r->keys[number] = pq_slice(copy, a->key.n);
    return PQ_OK;
}

static PqRc rowid(struct PqextRowids *r, PqSlice key, const PqStop *stop,
                  int64_t *out, PqErr *e)
{
    Asked asked = {r, key};
    PqGroupKeep keep = {same_key, keep_key, &asked};
    uint64_t hash = pq_group_hash_bytes(key.p, key.n);
    uint32_t number = 0;
    PqRc rc;

    r->table.stop = stop;
    rc = pq_group_table_find(&r->table, &hash, 1, &keep, &number, e);
    r->table.stop = NULL;
    *out = (int64_t)number + 1;
    return rc;
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
