/*
** rollup_rowids.c - the rowids of groups.
**
** SQLite compares rowids of different calls of a statement, as for an OR
** between two dimensions.  Each call makes its own groups, but a group's
** combination of values stays the same.  So a combination gets a number when
** SQLite first asks for its rowid.  The numbers belong to the listing of the
** statement.
*/
#include "ext/rollup/rollup_table.h"

struct PqextRowids {
    PqMem       *mem;
    PqTextNumbers keys;              /* the bytes of combinations           */
};

void pqext_rowids_free(struct PqextRowids *r)
{
    if (r) {
        pq_text_numbers_free(&r->keys);
        pq_mem_release(r->mem);
        sqlite3_free(r);
    }
}

static struct PqextRowids *rowids_of(PqextListing *l, size_t memory)
{
    struct PqextRowids *r = l->rowids;
    uint64_t seed;

    if (!r && (r = sqlite3_malloc(sizeof *r)) != NULL) {
        memset(r, 0, sizeof *r);
        r->mem = pq_mem_new(memory);
        if (!r->mem) {
            sqlite3_free(r);
            return NULL;
        }
        sqlite3_randomness(sizeof seed, &seed);
        pq_text_numbers_init(&r->keys, r->mem, seed, NULL);
        l->rowids = r;
    }
    return r;
}

static PqRc too_many(const struct PqextRowids *r, PqErr *e)
{
    pq_err_clear(e);
    return pq_fail(e, PQ_BUDGET, "the rowids of more than %u groups, which a RIGHT "
                   "JOIN or an OR asks for, need half of memory=; raise the "
                   "option memory", r->keys.table.n);
}

PqRc pqext_rowids_of(PqextListing *l, size_t memory, PqSlice key,
                     const PqStop *stop, int64_t *out, PqErr *e)
{
    struct PqextRowids *r = rowids_of(l, memory);
    uint32_t number = 0;
    PqRc rc;

    if (!r) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    if (key.n > UINT32_MAX) {
        return pq_fail(e, PQ_BUDGET, "a row of %zu bytes is too long for a rowid",
                       key.n);
    }
    r->keys.table.stop = stop;
    rc = pq_text_numbers_find(&r->keys, &(PqStr){key.p, (uint32_t)key.n}, 1,
                              &number, e);
    r->keys.table.stop = NULL;
    *out = (int64_t)number + 1;
    return rc == PQ_BUDGET ? too_many(r, e) : rc;
}

void pqext_rollup_put_cell(const PqCell *v, PqBuf *out)
{
    PqCell plain = pq_cell_plain(v);

    pq_cell_put(&plain, out);
}
