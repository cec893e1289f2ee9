/*
** group_passes.c - rows grouped by reading them once per group.
**
** Where groups are few, records of all rows cost more than to read the rows again:
**
**   GROUP BY flag, status     rows      0 1 2 3 4 5 6 7
**                             A F  0    .   . .       .     pass 0: 0 2 3 7
**                             N F  1      .       .         pass 1: 1 5
**                             N O  2            .   .       pass 2: 4 6
**
** A first pass over the keys alone, with all conditions, numbers the groups.  It notes
** for each row the number of its group in a byte.  After it, neither the keys nor the
** conditions are looked at again: all rows of a pass have the group's own value.  The
** groups come in the order of their keys.  Without memory for the notes, or with more
** groups than a byte can name, later passes look at both again; or the rows are hashed
** (PqGroupSpec.hash).
**
** A pass gathers the values of as many groups as fit a share of the memory, or of
** fewer if there are as few passes then (group_gather.h).  If the values of one group
** do not fit, or none can be gathered, a pass hands out the rows of one group as it
** reads them.
**
** Where one row of each group is enough, the first pass has seen it.
**
** The hard part is that all later passes must find the same groups, row by row.
** But a pass may cut the rows into other batches than the first one did
** (group_notes.h).
*/
#include "core/group/group_gather.h"
#include "core/group/group_notes.h"

#include "core/base/random.h"
#include "core/scan/unnest.h"

#include <stddef.h>
#include <stdlib.h>

/* How many combinations of entries are remembered. */
enum { COMBINATIONS = 1 << 16 };

typedef struct Passes Passes;

typedef struct Group {
    const Passes *of;
    int64_t       first;             /* rowid of a row                      */
    uint32_t      number;
    PqCell        key[PQ_GROUP_KEYS];
    const void   *stored[PQ_GROUP_KEYS];         /* in that row; NULL: none */
} Group;

struct Passes {
    PqRowSource  base;               /* what others see; first              */
    PqFilter     filter;
    PqScan      *scan;
    PqMem       *mem;
    PqGroupSpec  spec;
    PqArena      arena;
    PqTextNumbers numbers;           /* of groups, by the bytes of their keys */
    PqBuf        bytes;              /* of the key of a row                 */
    Group       *v;
    uint32_t     n, room;
    uint32_t     at;                 /* the pass                            */
    bool         was_read;
    bool         again;              /* the pass has to begin               */
    PqGroupNotes notes;
    bool         noted;
    uint64_t     rows_of[PQ_GROUP_CODES];        /* by number               */
    PqRowSource *hashed;             /* gives the rows instead; or NULL     */
    /* The groups before v[end] were gathered. */
    PqGroupGather gather;
    uint32_t     end, file;          /* a file that was read                */
    uint8_t      batch_codes[PQ_BATCH_ROWS];
    uint64_t     given;              /* rows of the group                   */
    uint64_t     known_rowids;       /* ... as far as their rowids were made */
    int64_t      rowids[PQ_BATCH_ROWS];          /* of the batch            */
    /* About the batch whose rows are numbered. */
    const PqVector *vectors[PQ_GROUP_KEYS];      /* NULL: no flat leaf      */
    bool         by_ids;             /* combinations of ids are few         */
    uint32_t     stride[PQ_GROUP_KEYS];
    uint64_t     serial[PQ_GROUP_KEYS];
    uint32_t    *known;              /* by combination: number + 1          */
    /* The keys as they are given. */
    PqType       type[PQ_GROUP_KEYS];            /* of Group.stored         */
    bool         mixed[PQ_GROUP_KEYS];           /* files differ in it      */
    bool         same[PQ_GROUP_KEYS];            /* in all rows of a group  */
    uint16_t     def[PQ_BATCH_ROWS], no_def[PQ_BATCH_ROWS];  /* all 1, all 0 */
    PqDict       dict[PQ_GROUP_KEYS];            /* of the group's value    */
    uint32_t     ids[PQ_BATCH_ROWS];             /* all zero, as are these: */
    uint64_t     none[PQ_BATCH_ROWS / 64];
    PqStr        nothing;
};

static const PqNode *flat_leaf(const PqScan *s, uint32_t column)
{
    const PqNode *node = pq_scan_node(s, column);

    return pq_node_is_flat_leaf(node) ? node : NULL;
}

/* ---- a new group ----------------------------------------------------------- */

/* Keeps the value of a key in a row. */
static PqRc keep_stored(Passes *p, uint32_t k, uint32_t row, const void **out,
                        PqErr *e)
{
    const PqVector *v = p->vectors[k];
    const PqNode *node = flat_leaf(p->scan, p->spec.keys[k]);
    size_t width = node ? pq_physical_width(node->type.physical) : 0;
    void *to;

    if (!v || p->mixed[k]) {
        p->mixed[k] = true;
        return PQ_OK;
    }
    p->mixed[k] = p->n > 0 && !pq_type_equal(&p->type[k], &node->type);
    p->type[k] = node->type;
    if (!pq_vector_is_valid(v, row)) {
        return PQ_OK;
    }
    to = pq_arena_alloc(&p->arena, width, e);
    PQ_TRY(to ? PQ_OK : e->rc);
    memcpy(to, pq_vector_at(v, width, row), width);
    if (node->type.physical == PQ_BYTE_ARRAY || node->type.physical == PQ_FIXED) {
        PqStr *s = to;

        s->p = (const uint8_t *)pq_arena_text(&p->arena, s->p, s->n, e);
        PQ_TRY(s->p ? PQ_OK : e->rc);
    }
    *out = to;
    return PQ_OK;
}

/* ends: where the bytes of each key end. */
static PqRc add_group(Passes *p, uint32_t row, const PqCell *key,
                      const size_t *ends, PqErr *e)
{
    const uint8_t *bytes = p->numbers.v[p->n].p;
    Group g = {.of = p, .number = p->n,
               .first = pq_batch_rowid(pq_scan_batch(p->scan), row)};

    PQ_TRY(PQ_GROW(p->mem, p->v, p->n, p->room, e));
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        g.key[k] = key[k];
        if (pq_cell_has_bytes(&key[k])) {
            g.key[k].p = bytes + ends[k] - key[k].n;
        }
        PQ_TRY(keep_stored(p, k, row, &g.stored[k], e));
    }
    p->v[p->n++] = g;
    return PQ_OK;
}

/* ---- rows are numbered ----------------------------------------------------- */

static PqRc number_of_key(Passes *p, uint32_t row, uint32_t *out, PqErr *e)
{
    PqCell key[PQ_GROUP_KEYS];
    size_t ends[PQ_GROUP_KEYS];
    const PqRowHost *h = &p->spec.host;
    PqBuf *b = &p->bytes;

    b->n = 0;
    b->sink = e;
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        PQ_TRY(h->cell(h->arg, p->spec.keys[k], row, &key[k], e));
        key[k] = pq_cell_plain(&key[k]);
        pq_cell_put(&key[k], b);
        ends[k] = b->n;
    }
    PQ_TRY(e->rc);
    PQ_TRY(pq_text_numbers_find(&p->numbers, &(PqStr){b->p, (uint32_t)b->n}, 1,
                                out, e));
    return *out < p->n ? PQ_OK : add_group(p, row, key, ends, e);
}

/* Loads the keys of the batch.  Forgets combinations of entries if a dictionary
** has changed since the last batch. */
static PqRc enter_batch(Passes *p, PqErr *e)
{
    const PqRowHost *h = &p->spec.host;
    uint64_t combinations = 1;
    bool same = p->by_ids;

    p->by_ids = true;
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        const PqNode *node = flat_leaf(p->scan, p->spec.keys[k]);
        const PqVector *v = NULL;
        uint64_t serial = 0;

        PQ_TRY(h->load(h->arg, p->spec.keys[k], e));
        if (node) {
            PQ_TRY(pq_scan_vector(p->scan, (uint32_t)node->leaf, &v, e));
        }
        p->vectors[k] = v;
        p->stride[k] = (uint32_t)combinations;
        if (p->by_ids && v && v->dict) {
            serial = v->dict->serial;
            combinations *= (uint64_t)v->dict->n + 1;
        }
        p->by_ids = serial != 0 && combinations <= COMBINATIONS;
        same = same && serial == p->serial[k];
        p->serial[k] = serial;
    }
    if (p->by_ids && !same) {
        memset(p->known, 0, COMBINATIONS * sizeof *p->known);
    }
    return PQ_OK;
}

/* The numbers of n rows of the batch; rows may be NULL: its first ones. */
static PqRc number_rows(Passes *p, const uint32_t *rows, uint32_t n, uint32_t *out,
                        PqErr *e)
{
    memset(out, 0, n * sizeof *out);
    for (uint32_t k = 0; p->by_ids && k < p->spec.n_keys; k++) {
        const PqVector *v = p->vectors[k];
        uint32_t stride = p->stride[k];

        for (uint32_t i = 0; i < n; i++) {
            uint32_t row = rows ? rows[i] : i;

            out[i] += pq_vector_is_valid(v, row) ? (v->ids[row] + 1) * stride : 0;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *known = &p->known[out[i]], number;

        if (PQ_UNLIKELY(*known == 0 || !p->by_ids)) {
            PQ_TRY(number_of_key(p, rows ? rows[i] : i, &number, e));
            *known = number + 1;
        }
        out[i] = *known - 1;
    }
    return PQ_OK;
}

/* ---- the first pass -------------------------------------------------------- */

static PqRc note_batch(Passes *p, const PqBatch *b, PqErr *e)
{
    uint32_t numbers[PQ_BATCH_ROWS], rows_of[PQ_GROUP_CODES] = {0};
    uint64_t *there;
    uint8_t *codes;

    PQ_TRY(pq_group_notes_add(&p->notes, b, &codes, &there, e));
    PQ_TRY(number_rows(p, b->kept, b->n_kept, numbers, e));
    if (p->n > PQ_NO_GROUP) {
        p->noted = false;
        return PQ_OK;
    }
    for (uint32_t i = 0; i < b->n_kept; i++) {
        codes[b->kept ? b->kept[i] : i] = (uint8_t)numbers[i];
        rows_of[numbers[i]]++;
    }
    for (uint32_t k = 0; k < p->n; k++) {
        p->rows_of[k] += rows_of[k];
        there[k / 64] |= (uint64_t)(rows_of[k] > 0) << k % 64;
    }
    return PQ_OK;
}

static PqRc add_batch(Passes *p, const PqBatch *b, PqErr *e)
{
    uint32_t numbers[PQ_BATCH_ROWS];

    if (p->noted && pq_group_notes_fit(&p->notes, b, PQ_GROUP_NOTES_SHARE)) {
        PqRc rc = note_batch(p, b, e);

        if (rc != PQ_BUDGET && (rc != PQ_OK || p->noted)) {
            return rc;
        }
        pq_err_clear(e);
    }
    p->noted = p->gather.can = false;
    pq_group_notes_free(&p->notes);
    return number_rows(p, b->kept, b->n_kept, numbers, e);
}

static int compare_groups(const void *pa, const void *pb)
{
    const Group *a = pa, *b = pb;
    const PqGroupSpec *s = &a->of->spec;

    for (uint32_t k = 0; k < s->n_keys; k++) {
        int order = pq_cell_compare(&a->key[k], &b->key[k]);

        if (order != 0) {
            return s->desc[k] ? -order : order;
        }
    }
    return 0;
}

/* The groups are not few: everything is read anew. */
static PqRc hash_instead(Passes *p, PqErr *e)
{
    const PqRowHost *h = &p->spec.host;

    pq_group_notes_free(&p->notes);
    PQ_TRY(h->begin(h->arg, h->ranges, h->n_ranges, true, e));
    return pq_group_new(p->scan, &p->spec, &p->hashed, e);
}

/* All rows of a group have its key, except that zeros of both signs are one key. */
static void keys_are_known(Passes *p)
{
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        p->same[k] = !p->mixed[k] && p->type[k].physical != PQ_BOOLEAN &&
                     !pq_type_is_float(&p->type[k]);
        if (p->same[k]) {
            pq_group_gather_drop(&p->gather, p->spec.keys[k]);
        }
    }
}

static PqRc find_groups(Passes *p, PqErr *e)
{
    bool more;

    p->was_read = true;
    for (;;) {
        PQ_TRY(pq_scan_next(p->scan, &more, e));
        if (!more) {
            break;
        }
        pq_group_gather_enter(&p->gather);
        PQ_TRY(enter_batch(p, e));
        PQ_TRY(add_batch(p, pq_scan_batch(p->scan), e));
        if (p->spec.hash && !(p->noted && p->gather.can)) {
            return hash_instead(p, e);
        }
        p->file = pq_scan_batch(p->scan)->file;
    }
    if (p->n > 0) {
        qsort(p->v, p->n, sizeof *p->v, compare_groups);
    }
    keys_are_known(p);
    if (p->noted) {                  /* no row is numbered again            */
        pq_mem_free(p->known);
        p->known = NULL;
    }
    p->again = p->n > 0;
    return PQ_OK;
}

/* ---- the others ------------------------------------------------------------ */

static PqRc apply(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    Passes *p = (Passes *)(void *)((char *)f - offsetof(Passes, filter));
    uint32_t rows[PQ_BATCH_ROWS], numbers[PQ_BATCH_ROWS], n;

    if (p->end > p->at) {
        pq_group_notes_codes(&p->notes, pq_scan_batch(s), p->gather.wanted,
                             p->batch_codes, keep);
        return PQ_OK;
    }
    if (p->noted) {
        pq_group_notes_keep(&p->notes, pq_scan_batch(s), (uint8_t)p->v[p->at].number,
                            keep);
        return PQ_OK;
    }
    PQ_TRY(enter_batch(p, e));
    n = pq_kernels()->list_bits(keep, (pq_scan_batch(s)->n_rows + 63) / 64, rows);
    PQ_TRY(number_rows(p, rows, n, numbers, e));
    for (uint32_t i = 0; i < n; i++) {
        if (numbers[i] != p->v[p->at].number) {
            keep[rows[i] / 64] &= ~((uint64_t)1 << rows[i] % 64);
        }
    }
    return PQ_OK;
}

/* A dictionary for each key, with the group's value. */
static void begin_keys(Passes *p)
{
    const Group *g = &p->v[p->at];

    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        const void *stored = g->stored[k];

        p->dict[k] = (PqDict){.type = p->type[k].physical, .n = 1,
                              .serial = pq_dict_serial(),
                              .values = stored ? (void *)(uintptr_t)stored
                                               : &p->nothing,
                              .valid = stored ? NULL : p->none};
    }
}

/* Gathers the values of groups from the current one on: as many as fit. */
static PqRc gather(Passes *p, PqErr *e)
{
    const PqRowHost *h = &p->spec.host;
    PqGroupGather *g = &p->gather;
    uint8_t codes[PQ_GROUP_CODES];
    bool more = true;

    for (uint32_t i = p->at; i < p->n; i++) {
        codes[i - p->at] = (uint8_t)p->v[i].number;
    }
    p->end = p->at + pq_group_gather_begin(g, codes, p->n - p->at, p->rows_of);
    if (p->end == p->at || !pq_group_gather_reads(g)) {
        return PQ_OK;
    }
    PQ_TRY(pq_group_gather_room(g, e));
    PQ_TRY(h->begin(h->arg, h->ranges, h->n_ranges, false, e));
    PQ_TRY(pq_scan_add_filter(p->scan, &p->filter, e));
    pq_group_notes_begin(&p->notes);
    while (more && g->can && !g->again) {
        PQ_TRY(pq_scan_next(p->scan, &more, e));
        if (more) {
            PQ_TRY(pq_group_gather_add(g, p->batch_codes, e));
        }
    }
    if (!g->again) {
        pq_group_gather_end(g);
    }
    return PQ_OK;
}

/* Without the memory, groups are read one by one. */
static PqRc try_to_gather(Passes *p, PqErr *e)
{
    PqRc rc = gather(p, e);

    while (rc == PQ_OK && p->gather.again) {
        rc = gather(p, e);
    }
    if (rc == PQ_BUDGET) {
        pq_err_clear(e);
        pq_where_reset(e);
        p->gather.can = false;
        rc = PQ_OK;
    }
    if (rc == PQ_OK && !p->gather.can) {
        pq_group_gather_free(&p->gather);
        p->end = p->at;
    }
    return rc;
}

/* Begins to give the rows of the current group, or just one of them, or gathers.  The
** filters are asked again only if their outcome was not noted. */
static PqRc begin_pass(Passes *p, PqErr *e)
{
    const PqRowHost *h = &p->spec.host;
    PqRowRange one = {p->v[p->at].first, p->v[p->at].first + 1};

    p->again = false;
    p->end = p->at;
    if (p->gather.can && !p->spec.once) {
        PQ_TRY(try_to_gather(p, e));
        if (p->end > p->at) {
            return PQ_OK;
        }
    }
    pq_group_notes_begin(&p->notes);
    begin_keys(p);
    if (p->spec.once) {
        return pq_scan_start(p->scan, &one, 1, NULL, NULL, e);
    }
    PQ_TRY(h->begin(h->arg, h->ranges, h->n_ranges, !p->noted, e));
    return pq_scan_add_filter(p->scan, &p->filter, e);
}

/* Does each row have the group's value?  Zeros of both signs are one group. */
static bool is_given(const Passes *p, uint32_t k, const PqNode *node)
{
    const PqCell *v = &p->v[p->at].key[k];
    const PqType *type = &p->type[k];

    return node && !p->mixed[k] && type->physical != PQ_BOOLEAN &&
           pq_type_equal(&node->type, type) &&
           !(pq_type_is_float(type) && v->kind == PQ_CELL_INT && v->i == 0);
}

/* The group's key, for all rows of the batch. */
static PqVector key_vector(const Passes *p, uint32_t k, const PqNode *node)
{
    uint32_t n = pq_scan_batch(p->scan)->n_rows;

    return (PqVector){
        .leaf = &pq_scan_footer(p->scan)->schema.leaves[node->leaf],
        .n_rows = n, .n_slots = n, .ids = p->ids, .dict = &p->dict[k],
        .valid = p->v[p->at].stored[k] ? NULL : p->none};
}

/* Gives the keys of the batch without reading them. */
static void give_keys(Passes *p)
{
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        const PqNode *node = flat_leaf(p->scan, p->spec.keys[k]);

        if (is_given(p, k, node)) {
            PqVector v = key_vector(p, k, node);

            (void)pq_scan_preset(p->scan, (uint32_t)node->leaf, &v);
        }
    }
}

/* ---- gathered groups ------------------------------------------------------- */

/* Sets the keys of a batch that was given. */
static void set_keys(Passes *p)
{
    for (uint32_t k = 0; k < p->spec.n_keys; k++) {
        const PqNode *node = flat_leaf(p->scan, p->spec.keys[k]);
        PqVector v;

        if (!node || !p->same[k]) {
            continue;
        }
        v = key_vector(p, k, node);
        if (v.leaf->max_def > 0) {   /* flat: it is 1 */
            v.def = v.valid ? p->no_def : p->def;
        }
        pq_scan_set_vector(p->scan, (uint32_t)node->leaf, &v);
    }
}

/* Makes the rowids of the batch, the last one that was given.  Those before it may not
** have been asked for; all of them were full. */
static void make_rowids(Passes *p)
{
    uint8_t code = (uint8_t)p->v[p->at].number;

    while (p->known_rowids < p->given) {
        uint64_t left = p->given - p->known_rowids;
        uint32_t n = left < PQ_BATCH_ROWS ? (uint32_t)left : PQ_BATCH_ROWS;

        pq_group_notes_rowids(&p->notes, code, n, p->rowids);
        p->known_rowids += n;
    }
}

static PqRc give_gathered(Passes *p, bool *more, PqErr *e)
{
    uint8_t code = (uint8_t)p->v[p->at].number;
    uint64_t left = p->rows_of[code] - p->given;
    uint32_t n = left < PQ_BATCH_ROWS ? (uint32_t)left : PQ_BATCH_ROWS;

    *more = n > 0;
    if (n == 0) {
        return PQ_OK;
    }
    if (p->given == 0) {
        begin_keys(p);
        pq_group_notes_begin(&p->notes);
        p->known_rowids = 0;
    }
    p->given += n;
    if (p->spec.rowids) {
        make_rowids(p);
    }
    PQ_TRY(pq_scan_give(p->scan, p->file, p->rowids, n, e));
    set_keys(p);
    pq_group_gather_give(&p->gather, code, (uint32_t)(p->given - n), n);
    return PQ_OK;
}

static PqRc next(PqRowSource *base, bool *more, PqErr *e)
{
    Passes *p = (Passes *)base;

    *more = false;
    if (!p->was_read) {
        PQ_TRY(find_groups(p, e));
    }
    if (p->hashed) {
        return p->hashed->next(p->hashed, more, e);
    }
    while (p->at < p->n) {
        if (p->again) {
            PQ_TRY(begin_pass(p, e));
        }
        if (p->end > p->at) {
            PQ_TRY(give_gathered(p, more, e));
        } else {
            PQ_TRY(pq_scan_next(p->scan, more, e));
            if (*more) {
                give_keys(p);
            }
        }
        if (*more) {
            return PQ_OK;
        }
        p->at++;
        p->given = 0;
        p->again = p->at >= p->end;
    }
    return PQ_OK;
}

/* All rows of this group come, beginning with that row, and all of later groups. */
static PqRc tell_apart(PqRowSource *base, uint32_t row, bool *changed, PqErr *e)
{
    Passes *p = (Passes *)base;

    if (p->hashed) {
        return p->hashed->tell_apart(p->hashed, row, changed, e);
    }
    p->again = p->spec.once;
    p->spec.once = false;
    return p->again ? next(base, changed, e) : PQ_OK;
}

static PqRc rowid(PqRowSource *base, uint32_t row, int64_t *out, PqErr *e)
{
    Passes *p = (Passes *)base;

    if (p->end > p->at) {
        make_rowids(p);
    }
    return pq_scan_rowid(p->scan, row, out, e);
}

/* ---- making and freeing ---------------------------------------------------- */

static void free_passes(PqRowSource *base)
{
    Passes *p = (Passes *)base;

    pq_row_source_free(p->hashed);
    pq_group_gather_free(&p->gather);
    pq_arena_free(&p->arena);
    pq_text_numbers_free(&p->numbers);
    pq_buf_free(&p->bytes);
    pq_group_notes_free(&p->notes);
    pq_mem_free(p->known);
    pq_mem_free(p->v);
    pq_mem_free(p);
}

PqRc pq_group_passes_new(PqScan *scan, const PqGroupSpec *spec,
                         PqRowSource **out, PqErr *e)
{
    PqMem *mem = pq_scan_mem(scan);
    Passes *p = pq_mem_zeros(mem, 1, sizeof *p, e);
    uint64_t seed;

    *out = NULL;
    PQ_TRY(p ? PQ_OK : e->rc);
    p->base = pq_row_source(scan, next);
    p->base.tell_apart = tell_apart;
    p->base.rowid = rowid;
    p->base.free = free_passes;
    p->filter.apply = apply;
    p->scan = scan;
    p->mem = mem;
    p->spec = *spec;
    p->noted = true;
    pq_arena_init(&p->arena, mem);
    pq_buf_init(&p->bytes, mem, NULL);
    pq_group_notes_init(&p->notes, mem);
    for (uint32_t i = 0; i < PQ_BATCH_ROWS; i++) {
        p->def[i] = 1;
    }
    p->known = pq_mem_zeros(mem, COMBINATIONS, sizeof *p->known, e);
    if (!p->known || pq_random_fill(&seed, sizeof seed, e) != PQ_OK ||
        pq_group_gather_init(&p->gather, scan, spec, e) != PQ_OK) {
        free_passes(&p->base);
        return e->rc;
    }
    pq_text_numbers_init(&p->numbers, mem, seed, pq_scan_stop(scan));
    *out = &p->base;
    return PQ_OK;
}
