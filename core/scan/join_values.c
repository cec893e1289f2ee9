/*
** join_values.c - the keys of stored values, for a table of keys.
**
** A value that is stored as an INT32 or INT64 is its own key; for anything else
** the key is a hash.  The hard part is that files of a table may store a column
** in different widths, or as another type.
*/
#include "core/numbering/hash.h"
#include "core/scan/unnest_inside.h"

uint32_t pq_join_hash(PqSlice key)
{
    return (uint32_t)(pq_hash_bytes(key.p, key.n) >> 32);
}

int64_t pq_join_integer(const PqType *type, const void *stored)
{
    int64_t wide;
    int32_t half;

    if (type->physical == PQ_INT64) {
        memcpy(&wide, stored, sizeof wide);
        return wide;
    }
    memcpy(&half, stored, sizeof half);
    return pq_type_is_unsigned(type) ? (int64_t)(uint32_t)half : half;
}

/* ---- types --------------------------------------------------------------- */

bool pq_join_key_is_number(const PqType *t)
{
    return pq_join_key_is_stored(t) &&
           (t->logical == PQ_TYPE_NONE ||
            (t->logical == PQ_TYPE_INT && !pq_type_is_u64(t)));
}

bool pq_join_is_comparable(const PqScan *s, const PqNode *node,
                           const PqType *type)
{
    return (node->kind == PQ_NODE_LEAF || pq_node_is_typed_path(node)) &&
           node->rep == (s->unnest ? pq_unnest_level(s->unnest, node) : 0) &&
           (pq_type_equal(&node->type, type) ||
            (pq_join_key_is_number(&node->type) &&
             pq_join_key_is_number(type)));
}

/* ---- adding rows to a table ---------------------------------------------- */

static PqRc add_integers(PqJoinTable *t, const PqVector *v, PqErr *e)
{
    size_t width = pq_physical_width(v->leaf->type.physical);
    int64_t keys[PQ_BATCH_ROWS];

    if (v->leaf->type.physical == PQ_INT64 && !v->dict) {
        return pq_join_table_add(t, v->values, v->valid, v->n_rows, e);
    }
    for (uint32_t i = 0; i < v->n_rows; i++) {
        keys[i] = pq_vector_is_valid(v, i)
                      ? pq_join_integer(&v->leaf->type,
                                        pq_vector_at(v, width, i)) : 0;
    }
    return pq_join_table_add(t, keys, v->valid, v->n_rows, e);
}

/* A float is hashed as it is stored; everything else is a string here. */
static PqRc add_hashes(PqJoinTable *t, const PqVector *v, PqJoinHash hash,
                       PqErr *e)
{
    PqPhysical physical = v->leaf->type.physical;
    bool number = physical == PQ_FLOAT || physical == PQ_DOUBLE;
    size_t width = pq_physical_width(physical);
    int64_t keys[PQ_BATCH_ROWS];

    for (uint32_t i = 0; i < v->n_rows; i++) {
        const void *at = pq_vector_at(v, width, i);
        const PqStr *s = at;

        keys[i] = !pq_vector_is_valid(v, i) ? 0
                  : number                  ? hash(pq_slice(at, width))
                                            : hash(pq_slice(s->p, s->n));
    }
    return pq_join_table_add(t, keys, v->valid, v->n_rows, e);
}

PqRc pq_join_add(const PqJoinSpec *spec, PqJoinTable *t, const PqVector *v,
                 PqErr *e)
{
    return spec->hash ? add_hashes(t, v, spec->hash, e) : add_integers(t, v, e);
}
