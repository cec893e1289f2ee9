/*
** unnest_gather.c - some slots of a vector, one after the other.
*/
#include "core/scan/unnest_inside.h"

static const uint16_t no_levels[PQ_BATCH_ROWS];

PqRc pq_made_room(PqScan *s, void *v, size_t *have, size_t n, size_t size,
                  PqErr *e)
{
    void **p = v;

    if (n * size > *have) {
        pq_mem_free(*p);
        *have = 0;
        *p = pq_mem_array(s->mem, n, size, e);
        if (!*p) {
            return e->rc;
        }
        *have = n * size;
    }
    return PQ_OK;
}

static void gather_values(const void *values, size_t width,
                          const uint32_t *slots, uint32_t n, void *out)
{
    if (width == 4) {
        const uint32_t *in = values;
        uint32_t *to = out;

        for (uint32_t i = 0; i < n; i++) to[i] = in[slots[i]];
    } else if (width == 8) {
        const uint64_t *in = values;
        uint64_t *to = out;

        for (uint32_t i = 0; i < n; i++) to[i] = in[slots[i]];
    } else {
        for (uint32_t i = 0; i < n; i++) {
            memcpy((char *)out + i * width,
                   (const char *)values + slots[i] * width, width);
        }
    }
}

PqRc pq_made_valid(PqScan *s, PqMadeVector *m, const PqVector *raw,
                   const uint32_t *slots, uint32_t n, PqErr *e)
{
    uint32_t n_words = (n + 63) / 64;
    uint64_t all = ~(uint64_t)0;

    m->vector.valid = NULL;
    if (!raw->valid) {
        return PQ_OK;
    }
    PQ_TRY(pq_made_room(s, &m->valid, &m->valid_room, n_words,
                        sizeof *m->valid, e));
    for (uint32_t w = 0; w < n_words; w++) {
        uint32_t some = n - w * 64 < 64 ? n - w * 64 : 64;
        uint64_t word = 0;

        for (uint32_t i = 0; i < some; i++) {
            word |= (uint64_t)pq_bit(raw->valid, slots[w * 64 + i]) << i;
        }
        m->valid[w] = word;
        all &= some < 64 ? word | ~(uint64_t)0 << some : word;
    }
    m->vector.valid = ~all ? m->valid : NULL;
    return PQ_OK;
}

PqRc pq_made_def(PqScan *s, PqMadeVector *m, const PqVector *raw,
                 const uint32_t *slots, uint32_t n, PqErr *e)
{
    m->vector.def = NULL;
    if (!raw->def) {
        return PQ_OK;
    }
    PQ_TRY(pq_made_room(s, &m->def, &m->def_room, n, sizeof *m->def, e));
    m->vector.def = m->def;
    for (uint32_t i = 0; i < n; i++) {
        m->def[i] = raw->def[slots[i]];
    }
    return PQ_OK;
}

PqRc pq_made_full_def(PqScan *s, PqMadeVector *m, const PqVector *raw,
                      uint32_t n, PqErr *e)
{
    PQ_TRY(pq_made_room(s, &m->def, &m->def_room, n, sizeof *m->def, e));
    m->vector.def = m->def;
    for (uint32_t i = 0; i < n; i++) {
        m->def[i] = raw->leaf->max_def;
    }
    return PQ_OK;
}

static PqRc gather_ids(PqScan *s, PqMadeVector *m, const PqVector *raw,
                       const uint32_t *slots, uint32_t n, PqErr *e)
{
    PQ_TRY(pq_u32s_room(s->mem, &m->ids, n, e));
    gather_values(raw->ids, sizeof *raw->ids, slots, n, m->ids.v);
    m->vector.ids = m->ids.v;
    m->vector.dict = raw->dict;
    m->vector.values = NULL;
    return PQ_OK;
}

void pq_made_begin(PqMadeVector *m, const PqVector *raw, uint32_t n_rows,
                   uint32_t n_slots)
{
    m->vector = (PqVector){.leaf = raw->leaf, .n_rows = n_rows,
                           .n_slots = n_slots};
}

PqRc pq_made_rep(PqScan *s, PqMadeVector *m, const PqVector *raw, PqErr *e)
{
    uint32_t n = m->vector.n_slots;

    if (!raw->rep || n <= PQ_BATCH_ROWS) {
        m->vector.rep = raw->rep ? no_levels : NULL;
        return PQ_OK;
    }
    PQ_TRY(pq_made_room(s, &m->rep, &m->rep_room, n, sizeof *m->rep, e));
    memset(m->rep, 0, n * sizeof *m->rep);
    m->vector.rep = m->rep;
    return PQ_OK;
}

PqRc pq_made_gather(PqScan *s, PqMadeVector *m, const PqVector *raw,
                    const uint32_t *slots, uint32_t n, PqErr *e)
{
    size_t width = pq_physical_width(raw->leaf->type.physical);

    PQ_TRY(pq_made_valid(s, m, raw, slots, n, e));
    PQ_TRY(pq_made_def(s, m, raw, slots, n, e));
    if (raw->dict) {
        return gather_ids(s, m, raw, slots, n, e);
    }
    PQ_TRY(pq_made_room(s, &m->values, &m->values_room, n, width, e));
    gather_values(raw->values, width, slots, n, m->values);
    m->vector.values = m->values;
    return PQ_OK;
}

PqRc pq_unnest_space_out(PqScan *s, PqUnnestLeaf *l, const PqVector **raw,
                         PqErr *e)
{
    const PqVector *p = *raw;
    uint32_t n = p->n_slots;
    size_t width = p->dict ? sizeof *p->ids
                           : pq_physical_width(p->leaf->type.physical);
    uint64_t *valid;

    *raw = &l->spaced;
    if (l->spaced_of == s->unnest->run) {
        return PQ_OK;
    }
    l->spaced_of = 0;
    PQ_TRY(pq_made_room(s, &l->gapped, &l->gapped_room, n, width, e));
    PQ_TRY(pq_made_room(s, &l->gapped_valid, &l->gapped_valid_room,
                        (n + 63) / 64, sizeof *l->gapped_valid, e));
    valid = l->gapped_valid;
    for (uint32_t i = 0; i < n; i += 64) {
        valid[i / 64] = pq_level_bits(p->def + i, n - i < 64 ? n - i : 64,
                                      p->leaf->max_def);
    }
    memcpy(l->gapped, p->dict ? p->ids : p->values, p->n_packed * width);
    pq_leaf_spread_values(l->gapped, width, valid, n, p->n_packed);
    l->spaced = *p;
    l->spaced.packed = false;
    l->spaced.valid = valid;
    l->spaced.ids = p->dict ? l->gapped : NULL;
    l->spaced.values = p->dict ? NULL : l->gapped;
    l->spaced_of = s->unnest->run;
    return PQ_OK;
}
