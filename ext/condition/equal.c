/*
** equal.c
*/
#include "ext/condition/equal.h"

#include "sql/value/stored.h"

#include <stdlib.h>

/* With more values than these a filter as they are written nearly always says
** "maybe" to one of them. */
enum { MOST = 4096 };

/* The type under which the column's values are what SQLite is given. */
static PqType type_given(const PqextProof *p)
{
    PqType t = p->column->type;

    if (pqext_is_string(p->table, &t)) {
        t.logical = PQ_TYPE_STRING;
    } else if (t.logical == PQ_TYPE_TIMESTAMP) {
        t.logical = p->table->values.timestamp == PQSQL_TIME_RAW
                        ? PQ_TYPE_NONE : PQ_TYPE_TIMESTAMP;
    }
    return t;
}

/* FLOAT16 is left out: every one of its values has to be tried.  So is an integer
** that is stored in 12 bytes. */
static bool can_hash(const PqextProof *p)
{
    const PqType *t = &p->column->type;

    return (p->op == PQEXT_EQ || p->op == PQEXT_IN) &&
           t->logical != PQ_TYPE_FLOAT16 &&
           !(pq_type_is_time96(t) &&
             p->table->values.timestamp != PQSQL_TIME_TEXT) &&
           !(pq_type_is_float(t) && p->table->values.nan_text);
}

/* The column's values are texts of one kind, or texts above 2^63 - 1. */
static bool gives_texts(const PqextProof *p, const PqType *given)
{
    switch (given->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
    case PQ_TYPE_UUID:
        return true;
    default:
        return given->logical == PQ_TYPE_INT && !pqext_has_numeric_affinity(p);
    }
}

/* Is the operand equal to the same values whatever it is compared as?  See
** comparable in prune.c. */
static bool has_one_meaning(const PqextProof *p, const PqType *given,
                            const PqextValue *operand)
{
    if (!gives_texts(p, given)) {
        return true;
    }
    if (operand->kind == PQEXT_NUMBER) {
        return given->logical == PQ_TYPE_INT && operand->is_int;
    }
    return !pqext_reads_as_number(operand);
}

static PqRc make_room(PqextProof *p, uint32_t more, PqArena *a, PqErr *e)
{
    uint32_t room = (p->n_hashes + more) * 2;
    uint64_t *v;

    if (p->n_hashes + more <= p->room) {
        return PQ_OK;
    }
    v = pq_arena_zeros(a, room, sizeof *v, e);
    if (!v) {
        return e->rc;
    }
    if (p->n_hashes) {
        memcpy(v, p->hashes, p->n_hashes * sizeof *v);
    }
    p->hashes = v;
    p->room = room;
    return PQ_OK;
}

static PqRc add_hashes(PqextProof *p, const PqsqlStored *s, PqArena *a,
                       PqErr *e)
{
    uint32_t i;

    p->hashed = s->known && s->n <= MOST - p->n_hashes;
    if (!p->hashed) {
        return PQ_OK;
    }
    PQ_TRY(make_room(p, s->n, a, e));
    for (i = 0; i < s->n; i++) {
        p->hashes[p->n_hashes++] = pq_bloom_hash(s->plain[i]);
    }
    return PQ_OK;
}

PqRc pqext_equal_add(PqextProof *p, sqlite3_value *v,
                     const PqextValue *operand, PqArena *a, PqErr *e)
{
    PqType given = type_given(p);
    PqsqlStored stored;
    PqArena scratch;
    PqRc rc;

    p->hashed = p->hashed && has_one_meaning(p, &given, operand);
    if (!p->hashed) {
        return PQ_OK;
    }
    pq_arena_init(&scratch, a->mem);
    rc = pqsql_stored_values(v, &given, &scratch, &stored, e);
    if (rc == PQ_OK) {
        rc = add_hashes(p, &stored, a, e);
    }
    pq_arena_free(&scratch);
    return rc;
}

static bool hashes(const PqProof *base, const PqLeaf *leaf,
                   const uint64_t **out, uint32_t *n)
{
    const PqextProof *p = (const PqextProof *)base;

    *out = p->hashes;
    *n = p->n_hashes;
    return p->hashed && pq_type_equal(&leaf->type, &p->column->type);
}

void pqext_equal_begin(PqextProof *p)
{
    p->hashed = can_hash(p);
    p->base.hashes = p->hashed ? hashes : NULL;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void pqext_equal_end(PqextProof *p)
{
    if (p->n_hashes > 1) {
        qsort(p->hashes, p->n_hashes, sizeof *p->hashes, compare);
    }
}
