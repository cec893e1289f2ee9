/*
** unnest_gather.c - some slots of a vector, one after the other.
*/
#include "core/scan/unnest_inside.h"

static const uint16_t no_levels[PQ_BATCH_ROWS];

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
    PQ_TRY(PQ_ROOM(s->mem, m->valid, n_words, m->valid_room, e));
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
    PQ_TRY(PQ_ROOM(s->mem, m->def, n, m->def_room, e));
    m->vector.def = m->def;
    for (uint32_t i = 0; i < n; i++) {
        m->def[i] = raw->def[slots[i]];
    }
    return PQ_OK;
}

PqRc pq_made_full_def(PqScan *s, PqMadeVector *m, const PqVector *raw,
                      uint32_t n, PqErr *e)
{
    PQ_TRY(PQ_ROOM(s->mem, m->def, n, m->def_room, e));
    m->vector.def = m->def;
    for (uint32_t i = 0; i < n; i++) {
        m->def[i] = raw->leaf->max_def;
    }
    return PQ_OK;
}

static PqRc gather_ids(PqScan *s, PqMadeVector *m, const PqVector *raw,
                       const uint32_t *slots, uint32_t n, PqErr *e)
{
    PQ_TRY(PQ_U32S_ROOM(s->mem, m->ids, n, e));
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
    PQ_TRY(PQ_ROOM(s->mem, m->rep, n, m->rep_room, e));
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
    PQ_TRY(PQ_ROOM(s->mem, m->values, n * width, m->values_room, e));
    gather_values(raw->values, width, slots, n, m->values);
    m->vector.values = m->values;
    return PQ_OK;
}

/* Writes the definition levels of elements one after the other; returns their
** number.  Most lists have elements, so most blocks are copied as they are. */
static uint32_t take_elements(const uint16_t *def, uint32_t n, uint16_t least,
                              uint16_t *out)
{
    uint32_t i = 0, k = 0;

    for (; i + PQ_SHAPE_BLOCK <= n; i += PQ_SHAPE_BLOCK) {
        if (pq_shape_all_at_least(def + i, least)) {
            memcpy(out + k, def + i, PQ_SHAPE_BLOCK * sizeof *def);
            k += PQ_SHAPE_BLOCK;
            continue;
        }
        for (uint32_t j = i; j < i + PQ_SHAPE_BLOCK; j++) {
            out[k] = def[j];
            k += def[j] >= least;
        }
    }
    for (; i < n; i++) {
        out[k] = def[i];
        k += def[i] >= least;
    }
    return k;
}

static PqRc spread(PqScan *s, PqSpaced *to, const PqVector *p, PqErr *e)
{
    uint32_t n = to->vector.n_slots;
    size_t width = p->dict ? sizeof *p->ids
                           : pq_physical_width(p->leaf->type.physical);

    PQ_TRY(PQ_ROOM(s->mem, to->values, n * width, to->values_room, e));
    PQ_TRY(PQ_ROOM(s->mem, to->valid, (n + 63) / 64, to->valid_room, e));
    for (uint32_t i = 0; i < n; i += 64) {
        to->valid[i / 64] = pq_level_bits(to->vector.def + i,
                                          n - i < 64 ? n - i : 64,
                                          p->leaf->max_def);
    }
    if (p->n_packed > 0) {
        memcpy(to->values, p->dict ? p->ids : p->values, p->n_packed * width);
    }
    pq_leaf_spread_values(to->values, width, to->valid, n, p->n_packed);
    to->vector.packed = false;
    to->vector.valid = to->valid;
    to->vector.ids = p->dict ? (const void *)to->values : NULL;
    to->vector.values = p->dict ? NULL : to->values;
    return PQ_OK;
}

PqRc pq_unnest_space_out(PqScan *s, PqUnnestLeaf *l, bool elements,
                         const PqVector **raw, PqErr *e)
{
    PqSpaced *to = &l->spaced[elements];
    const PqVector *p = *raw;

    *raw = &to->vector;
    if (to->run == s->unnest->run) {
        return PQ_OK;
    }
    to->run = 0;
    to->vector = *p;
    if (elements) {
        PQ_TRY(PQ_ROOM(s->mem, to->def, p->n_slots, to->def_room, e));
        to->vector.n_slots = take_elements(p->def, p->n_slots,
                                           s->unnest->shape.least, to->def);
        to->vector.def = to->def;
    }
    PQ_TRY(spread(s, to, p, e));
    to->run = s->unnest->run;
    return PQ_OK;
}
