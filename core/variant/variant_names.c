/*
** variant_names.c - a table of names by hash, and in order.
**
** The hash is seeded with an address, so no text can choose names that collide.
** New names are sorted, and merged with the others at the end of a Variant.  So
** a Variant costs as much as its names, plus one pass over the table.  The
** table is emptied when it has more than MOST_KEPT names or MOST_BYTES, and
** sooner if it is of no use because each Variant has other names.
*/
#include "core/variant/variant_names.h"

#include "core/meta/rank.h"
#include "core/variant/variant_build.h"
#include "core/variant/variant_layout.h"

#define XXH_INLINE_ALL               /* short values: no call per hash */
#include <xxhash.h>

enum {
    MOST_KEPT = 512,                 /* names between Variants           */
    MOST_BYTES = 1 << 16,            /* of them                          */
    OF_NO_USE = 64,                  /* names, if that is so for ...     */
    STRANGE = 4,                     /* ... Variants in a row            */
    MANY_PLACES = 1 << 10,           /* of the hash table                */
    NONE = UINT32_MAX - 1
};

void pq_variant_names_init(PqVariantNames *t, PqMem *mem)
{
    *t = (PqVariantNames){.mem = mem};
    pq_number_table_init(&t->table, mem, NULL);
    pq_buf_init(&t->bytes, mem, NULL);
    pq_buf_init(&t->metadata, mem, NULL);
}

void pq_variant_names_free(PqVariantNames *t)
{
    pq_buf_free(&t->bytes);
    pq_buf_free(&t->metadata);
    pq_mem_free(t->name);
    pq_mem_free(t->order);
    pq_number_table_free(&t->table);
    pq_mem_free(t->id_of);
}

PqSlice pq_variant_names_text(const PqVariantNames *t, uint32_t i)
{
    return pq_slice(t->bytes.p + t->name[i].at, t->name[i].n);
}

/* ---- the table ----------------------------------------------------------- */

/* The places of one large Variant are not cleared for every small Variant after
** it. */
static void clear(PqVariantNames *t)
{
    if (t->table.n_places > MANY_PLACES && t->table.n_places / 8 > t->n) {
        pq_number_table_free(&t->table);
    }
    pq_number_table_reset(&t->table);
    t->n = t->n_ordered = t->n_strange = t->mark = 0;
    t->bytes.n = 0;
}

static inline bool is_name(const PqVariantNames *t, uint32_t i, PqSlice name)
{
    return i < t->n && pq_slice_equal(pq_variant_names_text(t, i), name);
}

/* A name that is looked up. */
typedef struct Wanted {
    PqVariantNames *t;
    PqSlice         name;
} Wanted;

static bool has_number(void *arg, uint32_t number, uint32_t i)
{
    const Wanted *w = arg;

    return is_name(w->t, number, w->name);
}

static PqRc add_name(void *arg, uint32_t i, uint32_t next, uint32_t *number,
                     PqErr *e)
{
    const Wanted *w = arg;
    PqVariantNames *t = w->t;
    PqSlice name = w->name;

    if (t->bytes.n + name.n > PQ_VARIANT_MAX_BYTES) {
        return pq_fail(e, PQ_UNSUPPORTED, "the names of a Variant take more "
                       "than %d bytes", PQ_VARIANT_MAX_BYTES);
    }
    PQ_TRY(PQ_GROW(t->mem, t->name, t->n, t->room, e));
    PQ_TRY(pq_buf_reserve(&t->bytes, name.n + 1, e));
    t->name[t->n] = (PqVariantName){
        .prefix = pq_str_prefix((PqStr){name.p, (uint32_t)name.n}),
        .at = (uint32_t)t->bytes.n, .n = (uint32_t)name.n, .follower = NONE};
    if (name.n) {
        memcpy(t->bytes.p + t->bytes.n, name.p, name.n);
    }
    t->bytes.n += name.n;
    *number = t->n++;
    return PQ_OK;
}

/* The index of a name; of a new one PQ_NO_NUMBER, unless it is added. */
static PqRc find_name(PqVariantNames *t, PqSlice name, bool adds, uint32_t *out,
                      PqErr *e)
{
    Wanted w = {t, name};
    PqNumberKeys keys = {has_number, adds ? add_name : NULL, &w, NULL};
    uint64_t hash = XXH3_64bits_withSeed(name.p, name.n,
                                         (uint64_t)(uintptr_t)t);

    *out = PQ_NO_NUMBER;
    if (!adds && t->n == 0) {
        return PQ_OK;
    }
    return pq_number_table_find(&t->table, &hash, 1, &keys, out, e);
}

/* ---- names in use -------------------------------------------------------- */

static PqRc look_up(PqVariantNames *t, PqSlice name, uint32_t *out, PqErr *e)
{
    PQ_TRY(find_name(t, name, !t->fixed, out, e));
    return *out != PQ_NO_NUMBER
               ? PQ_OK
               : pq_fail(e, PQ_USAGE, "the name \"%.*s\" is not in the metadata "
                         "of the Variant", (int)(name.n < 64 ? name.n : 64),
                         (const char *)name.p);
}

void pq_variant_names_again(PqVariantNames *t, uint32_t i)
{
    PqVariantName *name = &t->name[i];

    if (name->mark != t->mark) {
        name->mark = t->mark;
        t->n_used++;
        t->used_bytes += name->n;
    }
    t->last = i;
}

PqRc pq_variant_names_use(PqVariantNames *t, PqSlice name, uint32_t *out,
                          PqErr *e)
{
    uint32_t i = t->last < t->n ? t->name[t->last].follower : 0;

    if (PQ_UNLIKELY(!is_name(t, i, name))) {
        PQ_TRY(look_up(t, name, &i, e));
        if (t->last < t->n) {
            t->name[t->last].follower = i;
        }
    }
    pq_variant_names_again(t, i);
    *out = i;
    return PQ_OK;
}

/* ---- order --------------------------------------------------------------- */

static bool is_less(const PqVariantNames *t, uint32_t a, uint32_t b)
{
    const PqVariantName *x = &t->name[a], *y = &t->name[b];

    return x->prefix != y->prefix
               ? x->prefix < y->prefix
               : pq_slice_compare(pq_variant_names_text(t, a),
                                  pq_variant_names_text(t, b)) < 0;
}

/* Merges two sorted runs of v, the second from mid on. */
static void merge(const PqVariantNames *t, uint32_t *v, uint32_t *scratch,
                  uint32_t mid, uint32_t n)
{
    uint32_t i = 0, k = mid, at = 0;

    if (mid == 0 || mid >= n || !is_less(t, v[mid], v[mid - 1])) {
        return;
    }
    memcpy(scratch, v, mid * sizeof *v);
    while (i < mid && k < n) {
        v[at++] = is_less(t, v[k], scratch[i]) ? v[k++] : scratch[i++];
    }
    memcpy(v + at, scratch + i, (mid - i) * sizeof *v);
}

static void sort_names(const PqVariantNames *t, uint32_t *v, uint32_t *scratch,
                       uint32_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from + width < n; from += 2 * width) {
            size_t end = from + 2 * width < n ? 2 * width : n - from;
            merge(t, v + from, scratch, (uint32_t)width, (uint32_t)end);
        }
    }
}

/* Names that are new get their places in order, which has room for a copy. */
static PqRc put_in_order(PqVariantNames *t, PqErr *e)
{
    uint32_t old = t->n_ordered;

    if (old == t->n) {
        return PQ_OK;
    }
    if (t->order_room < t->n) {
        uint32_t room = t->room;
        PQ_TRY(PQ_RESIZE(t->mem, t->order, (size_t)room * 2, e));
        t->order_room = room;
    }
    for (uint32_t i = old; i < t->n; i++) {
        t->order[i] = i;
    }
    sort_names(t, t->order + old, t->order + t->order_room, t->n - old);
    merge(t, t->order, t->order + t->order_room, old, t->n);
    t->n_ordered = t->n;
    return PQ_OK;
}

/* ---- a Variant ----------------------------------------------------------- */

void pq_variant_names_begin(PqVariantNames *t)
{
    bool strange = t->n_before >= OF_NO_USE &&
                   (t->n - t->n_before) * 2 > t->n_used;

    t->n_strange = strange ? t->n_strange + 1 : 0;
    if (t->n > MOST_KEPT || t->bytes.n > MOST_BYTES ||
        t->n_strange == STRANGE || t->mark == UINT32_MAX) {
        clear(t);
    }
    t->n_before = t->n;
    t->mark++;
    t->last = NONE;
    t->n_used = 0;
    t->used_bytes = 0;
}

/* Most Variants of a column have the same names: all names of the table, in its
** order. */
PqRc pq_variant_names_finish(PqVariantNames *t, PqErr *e)
{
    size_t most = t->used_bytes > t->n_used ? t->used_bytes : t->n_used;
    uint32_t size = pq_variant_width(most), i, rank = 0, end = 0;
    uint8_t *offset, *text;

    if (t->fixed) {
        return PQ_OK;
    }
    PQ_TRY(put_in_order(t, e));
    PQ_TRY(pq_buf_resize(&t->metadata, 1 + (size_t)size * (t->n_used + 2u) +
                         t->used_bytes, e));
    t->metadata.p[0] = (uint8_t)(1u | (t->n_used ? 1u << 4 : 0) |
                                 (size - 1) << 6);
    offset = pq_variant_put_number(t->metadata.p + 1, size, t->n_used);
    text = offset + (size_t)size * (t->n_used + 1u);
    for (i = 0; rank < t->n_used; i++) {
        PqVariantName *name = &t->name[t->order[i]];
        if (name->mark == t->mark) {
            name->rank = rank++;
            offset = pq_variant_put_number(offset, size, end);
            memcpy(text + end, t->bytes.p + name->at, name->n);
            end += name->n;
        }
    }
    pq_variant_put_number(offset, size, end);
    return PQ_OK;
}

/* ---- metadata that are given --------------------------------------------- */

/* If the metadata has a name twice, the first id counts. */
static PqRc add_given(PqVariantNames *t, const PqVariantMeta *m, PqErr *e)
{
    uint32_t i, *ids;
    PqSlice name;

    PQ_TRY(PQ_RESIZE(t->mem, t->id_of, (size_t)m->n_names * 2 + 1, e));
    ids = t->id_of + m->n_names;     /* by index; then, below, by rank */
    for (uint32_t id = 0; id < m->n_names; id++) {
        uint32_t before = t->n;

        PQ_TRY(pq_variant_meta_name(m, id, &name, e));
        PQ_TRY(find_name(t, name, true, &i, e));
        if (t->n > before) {
            ids[i] = id;
        }
    }
    PQ_TRY(put_in_order(t, e));
    for (i = 0; i < t->n; i++) {
        t->name[t->order[i]].rank = i;
        t->id_of[i] = ids[t->order[i]];
    }
    return PQ_OK;
}

PqRc pq_variant_names_begin_under(PqVariantNames *t, PqSlice metadata, PqErr *e)
{
    PqVariantMeta m;

    t->last = NONE;
    if (metadata.n && pq_slice_equal(pq_buf_view(&t->metadata), metadata)) {
        return PQ_OK;
    }
    clear(t);
    t->fixed = true;
    t->mark = 1;
    t->metadata.n = 0;               /* not yet: it may be invalid */
    PQ_TRY(pq_variant_meta_open(metadata, &m, e));
    PQ_TRY(add_given(t, &m, e));
    return pq_buf_set(&t->metadata, metadata, e);
}
