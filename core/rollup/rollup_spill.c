/*
** rollup_spill.c - moves groups that memory does not hold to a file, and back.
**
**   memory full    all groups -> records in up to 64 partitions, by their hashes, or
**                  by ranges of keys (rollup_ranges.h)
**   ...            again, and again
**   at the end     partition 63 -> groups -> a block
**                  partition 62 -> too many groups: cut into 32, begun anew
**
** A group has the same hash each time, so all its records are in one partition,
** and a block has the whole group.  Partitions that were given are kept for
** pq_rollup_rewind.
**
** The room for records to be written holds full chunks of each partition.  Each
** chunk is a piece of the file whose place is kept, so small chunks would take
** more memory than groups.  So there are fewer partitions where memory is
** small.  While a partition is cut, the records of its parts use the groups'
** room.
*/
#include "core/rollup/rollup_inside.h"

#include <string.h>

enum {
    LEAST_BITS = 3, MOST_BITS = 6,
    LEAST_MEMORY = 128 << 10,
    STORE_SHARE = 16,                /* of memory, for what is to be written */
    CUT_SHARE = 2,                   /* ... while a partition is cut         */
    PART_ROOM = 8 << 10,
    LEAST_STORE = PART_ROOM << LEAST_BITS, LEAST_CUT = PART_ROOM << 4,
    POLL_GROUPS = 1 << 10,
    WORTH = 8,                       /* a smaller share of memory is not cut */
    CUT_BITS = 5,
    SAMPLES = 16,                    /* for each split                      */
    SAMPLED = 64,                    /* pieces of a partition               */
    ROWS_SHARE = 2, CACHED = 1 << 18,
    MOST_EXPECTED = 1 << 17, ROUND = 8
};

/* As many ranges as there would be partitions by bits of a hash. */
#define SPLITS(bits) ((1u << (bits)) / 2 - 1)

static size_t at_least(size_t n, size_t least)
{
    return n < least ? least : n;
}

void pq_rollup_spill_init(PqRollup *r)
{
    r->shape = (PqGroupShape){.has_hash = true, .has_size = true,
                              .fixed = PQ_ROLLUP_HEAD};
    r->limit = at_least(r->spec.memory, LEAST_MEMORY);
    r->enough = UINT32_MAX;
    pq_group_store_init(&r->store, r->mem, &r->shape, &r->spec.stop);
    r->store.sealed = r->spec.sealed;
    r->store.limit = at_least(r->limit / STORE_SHARE, LEAST_STORE);
    r->bits = MOST_BITS;
    while (r->store.limit >> r->bits < PART_ROOM) {
        r->bits--;
    }
    pq_rollup_ranges_init(&r->ranges, r->mem, &r->spec, r->limit);
    r->store.hint = "groups of a rollup that memory= does not hold go to a "
                    "temporary file; name fewer dimensions";
    pq_buf_init(&r->record, r->mem, NULL);
}

void pq_rollup_spill_free(PqRollup *r)
{
    if (r->store.mem) {
        pq_group_store_free(&r->store);
    }
    pq_rollup_ranges_free(&r->ranges);
    pq_mem_free(r->done);
    pq_buf_free(&r->record);
    r->done = NULL;
    r->n_done = r->done_room = 0;
}

/* ---- groups to the file -------------------------------------------------- */

/* The splits of ranges are known. */
static PqRc begin_store(PqRollup *r, PqErr *e)
{
    if (r->spec.n_by > 0) {
        PQ_TRY(pq_rollup_ranges_begin(&r->ranges, &r->store, e));
    } else {
        PQ_TRY(pq_group_store_add(&r->store, 0, r->bits, e));
    }
    r->spilled = true;
    return PQ_OK;
}

static PqRc put_bytes(PqRollup *r, const uint8_t *p, size_t n, uint64_t hash,
                      PqErr *e)
{
    uint32_t part = (uint32_t)(hash >> (64 - r->bits));

    if (r->spec.n_by > 0) {
        PqCell keys[PQ_ROLLUP_KEYS];

        pq_rollup_record_keys(r, p, keys);
        part = pq_rollup_ranges_part(&r->ranges, keys);
    }
    return pq_group_store_put(&r->store, &r->store.parts[part], hash, p, n, e);
}

/* Chooses splits from the keys of groups. */
static PqRc split_groups(PqRollup *r, const PqRollup *from, uint32_t first, uint32_t end,
                         PqErr *e)
{
    uint32_t n = r->spec.n_by > 0 ? end - first : 0, wanted = SPLITS(r->bits) * SAMPLES;
    PqCell keys[PQ_ROLLUP_KEYS];

    wanted = wanted < n ? wanted : n;
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t g = first + (uint32_t)((uint64_t)n * i / wanted);

        for (uint32_t k = 0; k < r->spec.n_keys; k++) {
            keys[k] = *pq_rollup_key(from, k, g);
        }
        PQ_TRY(pq_rollup_ranges_offer(&r->ranges, keys, e));
    }
    return pq_rollup_ranges_choose(&r->ranges, SPLITS(r->bits), e);
}

PqRc pq_rollup_write_groups(PqRollup *r, PqRollup *from, uint32_t first,
                            uint32_t end, PqErr *e)
{
    uint64_t hash;

    if (!r->spilled) {
        PQ_TRY(split_groups(r, from, first, end, e));
        PQ_TRY(begin_store(r, e));
    }
    for (uint32_t g = first; g < end; g++) {
        if (g % POLL_GROUPS == 0) {
            PQ_TRY(pq_stop_poll(&r->spec.stop, e));
        }
        PQ_TRY(pq_rollup_put_record(from, g, &from->record, &hash, e));
        PQ_TRY(put_bytes(r, from->record.p, from->record.n, hash, e));
    }
    return PQ_OK;
}

/* ---- the next set ----------------------------------------------------------- */

/* What the set in memory says of the next one: how many integers came with so many
** groups. */
typedef struct Like {
    bool     distinct;               /* nearly a group per row or record    */
    uint32_t n;                      /* groups                              */
    uint32_t ints[PQ_ROLLUP_KEYS];
} Like;

static void next_is_like(const PqRollup *r, Like *out)
{
    out->n = r->set.n;
    out->distinct = r->n_added / ROWS_SHARE < r->set.n;
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        uint32_t n = r->set.registers[k].ints.map.n;

        out->ints[k] = n < out->n ? n : out->n;  /* a batch that failed left more */
    }
}

/* A little more, so that sets which differ a little take each other's blocks
** (free_blocks.h). */
static uint32_t round_up(uint32_t n)
{
    uint32_t step = n < ROUND ? 1 : (uint32_t)1 << (31 - __builtin_clz(n / ROUND));

    return (n + step - 1) / step * step;
}

/* Makes room in an empty set for n rows or records.  Without memory for it, room is made
** as they come. */
static void expect(PqRollup *r, const Like *like, uint64_t n)
{
    PqErr e;

    if (!like->distinct || n > MOST_EXPECTED) {
        return;
    }
    pq_err_init(&e);
    n = round_up((uint32_t)n);
    for (uint32_t k = 0; k < r->spec.n_keys; k++) {
        pq_rollup_register_expect(&r->set.registers[k],
                                  round_up((uint32_t)(n * like->ints[k] / like->n)), &e);
    }
    for (uint32_t m = 0; m < r->spec.n_measures; m++) {
        pq_rollup_state_expect(&r->set.states[m], (uint32_t)n);
    }
    if (r->spec.n_keys > 1) {
        pq_rollup_tuples_need(&r->set.tuples, (uint32_t)n, &e);
    }
    pq_err_clear(&e);
}

/* Where there is nearly a group per row, a small set does as well as a large one, and
** stays in the processor's cache. */
static uint32_t enough_for(const PqRollup *r, uint32_t n, bool distinct)
{
    size_t all = pq_rollup_bytes(r);

    return distinct && r->limit > CACHED ? (uint32_t)(n * (uint64_t)CACHED / all)
                                         : UINT32_MAX;
}

PqRc pq_rollup_write_set(PqRollup *r, uint32_t n, PqErr *e)
{
    Like like;

    next_is_like(r, &like);
    PQ_TRY(pq_rollup_set_settle(&r->set, e));
    PQ_TRY(pq_rollup_write_groups(r, r, 0, n, e));
    r->enough = enough_for(r, n, like.distinct);
    pq_rollup_set_clear(r);
    expect(r, &like, r->enough + (uint64_t)PQ_ROLLUP_ROWS);
    return PQ_OK;
}

PqRc pq_rollup_spill(PqRollup *r, uint32_t n, PqErr *e)
{
    PQ_TRY(pq_rollup_write_set(r, n, e));
    r->n_spills++;
    return pq_group_store_write(&r->store, e);
}

bool pq_rollup_has_spilled(const PqRollup *r, uint64_t *times, uint64_t *bytes)
{
    *times = r->n_spills;
    *bytes = r->store.file ? pq_sink_offset(r->store.file) : 0;
    return r->spilled;
}

/* ---- groups from the file ------------------------------------------------ */

typedef PqRc (*Taker)(PqRollup *r, const uint8_t *const *records, uint32_t n,
                      PqErr *e);

static PqRc take_chunk(PqRollup *r, const PqGroupShape *shape,
                       const PqGroupChunk *c, Taker taker, PqErr *e)
{
    const uint8_t *records[PQ_ROLLUP_RECORDS], *at = c->bytes, *end = at + c->n;

    while (at < end) {
        uint32_t n = 0;

        for (; n < PQ_ROLLUP_RECORDS && at < end; n++) {
            records[n] = at;
            at += pq_group_size(shape, at);
        }
        PQ_TRY(pq_stop_poll(&r->spec.stop, e));
        PQ_TRY(taker(r, records, n, e));
    }
    return PQ_OK;
}

/* Takes each record of a store's partition. */
static PqRc take_part(PqRollup *r, PqGroupStore *s, const PqGroupPart *p,
                      Taker taker, PqErr *e)
{
    for (uint32_t i = p->first_piece; i > 0; i = s->pieces[i - 1].next) {
        PqGroupPart one = {0};
        PqRc rc;

        PQ_TRY(pq_group_store_read(s, &s->pieces[i - 1], &one.first, e));
        rc = take_chunk(r, s->shape, one.first, taker, e);
        pq_group_store_drop(s, &one);
        PQ_TRY(rc);
    }
    for (const PqGroupChunk *c = p->first; c; c = c->next) {
        PQ_TRY(take_chunk(r, s->shape, c, taker, e));
    }
    return PQ_OK;
}

/* Adds records to the partition that becomes a block.  PQ_BUDGET: the partition
** can be cut instead. */
static PqRc add_to_block(PqRollup *r, const uint8_t *const *records, uint32_t n,
                         PqErr *e)
{
    PQ_TRY(pq_rollup_take_records(r, records, n, e));
    r->n_added += n;
    return r->may_cut && pq_rollup_bytes(r) > r->limit
               ? pq_fail(e, PQ_BUDGET, "too many groups for memory=") : PQ_OK;
}

static PqRc keep_part(PqRollup *r, PqErr *e)
{
    PQ_TRY(PQ_GROW(r->mem, r->done, r->n_done, r->done_room, e));
    r->done[r->n_done++] = r->store.parts[--r->store.n_parts];
    return PQ_OK;
}

/* ---- cutting --------------------------------------------------------------- */

/* Offers the keys of some records, evenly. */
static PqRc offer_chunk(PqRollup *r, const PqGroupChunk *c, uint64_t wanted, PqErr *e)
{
    const uint8_t *at = c->bytes;
    PqCell keys[PQ_ROLLUP_KEYS];

    for (uint64_t i = 0, next = 0; i < c->n_rows && next < wanted; i++) {
        if (i >= next * c->n_rows / wanted) {
            pq_rollup_record_keys(r, at, keys);
            PQ_TRY(pq_rollup_ranges_offer(&r->ranges, keys, e));
            next++;
        }
        at += pq_group_size(&r->shape, at);
    }
    return PQ_OK;
}

/* Chooses splits from records of a partition, all of which are in the file. */
static PqRc split_part(PqRollup *r, const PqGroupPart *p, PqErr *e)
{
    const PqGroupPiece *pieces = r->store.pieces;
    uint64_t n = 0, at = 0, next = 0;
    uint64_t each = SPLITS(CUT_BITS) * SAMPLES / SAMPLED + 1;

    for (uint32_t i = p->first_piece; i > 0; i = pieces[i - 1].next) {
        n++;
    }
    for (uint32_t i = p->first_piece; i > 0; i = pieces[i - 1].next, at++) {
        PqGroupPart one = {0};
        PqRc rc;

        if (at < next * n / SAMPLED) {
            continue;
        }
        PQ_TRY(pq_group_store_read(&r->store, &pieces[i - 1], &one.first, e));
        rc = offer_chunk(r, one.first, n < SAMPLED ? each * SAMPLED / n : each, e);
        pq_group_store_drop(&r->store, &one);
        PQ_TRY(rc);
        next++;
    }
    return pq_rollup_ranges_choose(&r->ranges, SPLITS(CUT_BITS), e);
}

static PqRc put_records(PqRollup *r, const uint8_t *const *records, uint32_t n,
                        PqErr *e)
{
    for (uint32_t i = 0; i < n; i++) {
        PQ_TRY(put_bytes(r, records[i], pq_group_size(&r->shape, records[i]),
                         pq_group_record_hash(&r->shape, records[i]), e));
    }
    return PQ_OK;
}

static PqRc cut_by_ranges(PqRollup *r, PqErr *e)
{
    PqGroupPart old = r->store.parts[--r->store.n_parts];

    PQ_TRY(split_part(r, &old, e));
    PQ_TRY(pq_rollup_ranges_begin(&r->ranges, &r->store, e));
    return take_part(r, &r->store, &old, put_records, e);
}

/* Cuts the last partition.  Its records are in the file, and so are those of the others
** that it becomes. */
static PqRc cut(PqRollup *r, PqErr *e)
{
    bool by_ranges = r->spec.n_by > 0 && !r->store.parts[r->store.n_parts - 1].one_key;

    r->store.limit = at_least(r->limit / CUT_SHARE, LEAST_CUT);
    PQ_TRY(by_ranges ? cut_by_ranges(r, e) : pq_group_store_cut(&r->store, e));
    return pq_group_store_write(&r->store, e);
}

/* Loads the last partition into memory. */
static PqRc load_part(PqRollup *r, const Like *like, PqErr *e)
{
    for (;;) {
        const PqGroupPart *p = &r->store.parts[r->store.n_parts - 1];
        PqRc rc;

        pq_rollup_set_clear(r);
        expect(r, like, p->n_rows);
        r->may_cut = p->mixed && p->in_file > r->limit / WORTH;
        if (p->n_rows == 0) {
            return keep_part(r, e);
        }
        rc = take_part(r, &r->store, p, add_to_block, e);
        if (rc == PQ_OK) {
            return keep_part(r, e);
        }
        if (rc != PQ_BUDGET || !p->mixed) {
            return rc;
        }
        pq_err_clear(e);
        pq_rollup_set_clear(r);
        PQ_TRY(cut(r, e));
    }
}

PqRc pq_rollup_next_part(PqRollup *r, PqErr *e)
{
    do {
        Like like;

        next_is_like(r, &like);
        pq_rollup_set_clear(r);
        if (r->store.n_parts == 0) {
            return PQ_OK;
        }
        PQ_TRY(load_part(r, &like, e));
    } while (r->set.n == 0);
    return PQ_OK;
}

PqRc pq_rollup_rewind_parts(PqRollup *r, PqErr *e)
{
    PqGroupStore *s = &r->store;
    uint32_t n = s->n_parts + r->n_done;

    if (n > s->room) {
        PQ_TRY(PQ_RESIZE(r->mem, s->parts, n, e));
        s->room = n;
    }
    while (r->n_done > 0) {
        s->parts[s->n_parts++] = r->done[--r->n_done];
    }
    return PQ_OK;
}

/* ---- records of a lane ---------------------------------------------------- */

/* r begins with the ranges of the lane. */
PqRc pq_rollup_take_spilled(PqRollup *r, PqRollup *from, PqErr *e)
{
    if (!r->spilled) {
        PQ_TRY(pq_rollup_ranges_copy(&r->ranges, &from->ranges, e));
        PQ_TRY(begin_store(r, e));
    }
    for (uint32_t i = 0; i < from->store.n_parts; i++) {
        PQ_TRY(take_part(r, &from->store, &from->store.parts[i], put_records,
                         e));
    }
    r->n_spills += from->n_spills;
    from->n_spills = 0;
    pq_rollup_spill_free(from);
    pq_rollup_spill_init(from);
    from->spilled = false;
    return PQ_OK;
}
