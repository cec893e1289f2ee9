/*
** group_read.c - reads the scan: what records look like, and how many partitions
** there are.
**
** The first file says what the columns are stored as.  If a later one differs,
** everything is forgotten and read again, with records that suit all files
** (by_file).  That is slow, and rare.
*/
#include "core/group/group_inside.h"

enum {
    MEMORY_SHARE = 2,                /* of memory, for records              */
    WRITTEN_SHARE = 8,               /* ... that are written anyway,        */
    WRITTEN_MOST = 16 << 20,         /* ... and no more bytes than these    */
    LEAST_SHARE = 32,                /* ... if reading needs more           */
    ENTRIES_SHARE = 16,              /* ... for entries of a column         */
    PART_BYTES = 512 << 10,          /* of a partition: fits the cache      */
    MOST_BITS = 8,
    GUESSED_TEXT = 24,
    ANY_WIDTH = 12                   /* of any stored number                */
};

static bool is_bytes(const PqType *t)
{
    return t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED;
}

static bool is_same(const PqGroupSlot *slot, const PqNode *node)
{
    return slot->present == (node != NULL) &&
           (!node || (pq_node_is_flat_leaf(node) &&
                      pq_type_equal(&slot->type, &node->type)));
}

static void learn(PqGrouping *g, PqGroupSlot *slot, const PqNode *node)
{
    slot->known = true;
    slot->present = pq_node_is_flat_leaf(node);
    slot->is_bytes = slot->present && is_bytes(&node->type);
    slot->width = 0;
    if (slot->present) {
        slot->type = node->type;
        slot->width = slot->is_bytes ? 2 * (unsigned)sizeof(uint32_t)
                      : (unsigned)pq_physical_width(node->type.physical);
    }
    if (g->by_file) {
        slot->width = ANY_WIDTH;
    }
}

bool pq_group_enter_file(PqGrouping *g)
{
    PqGroupShape *s = &g->shape;

    g->file_serial = pq_scan_file_serial(g->scan);
    for (uint32_t i = 0; i < s->n_slots; i++) {
        PqGroupSlot *slot = &s->slots[i];
        const PqNode *node;

        if (slot->column < 0) {
            continue;
        }
        node = pq_scan_node(g->scan, (uint32_t)slot->column);
        if (!g->by_file && (slot->known ? !is_same(slot, node)
                                        : node && !pq_node_is_flat_leaf(node))) {
            return false;
        }
        if (g->by_file || !slot->known) {
            learn(g, slot, node);
        }
    }
    return true;
}

/* ---- the shape ----------------------------------------------------------- */

static PqGroupSlot *add_slot(PqGrouping *g, int column)
{
    PqGroupSlot *slot = &g->shape.slots[g->shape.n_slots++];

    *slot = (PqGroupSlot){.column = column};
    pq_group_entries_init(&slot->entries, g->mem,
                          pq_mem_limit(g->mem) / ENTRIES_SHARE);
    return slot;
}

static void forget(PqGrouping *g)
{
    for (uint32_t i = 0; i < g->shape.n_slots; i++) {
        pq_group_entries_free(&g->shape.slots[i].entries);
    }
    pq_group_store_free(&g->store);
    g->shape = (PqGroupShape){.n_keys = g->spec.n_keys};
    g->n_spans = 0;
    g->n_numbers = 0;
}

static void begin_slots(PqGrouping *g)
{
    forget(g);
    for (uint32_t i = 0; i < g->spec.n_used; i++) {
        add_slot(g, (int)g->spec.used[i]);
    }
}

static void add_key(PqGrouping *g, uint32_t i)
{
    PqGroupShapeKey *key = &g->shape.keys[i];
    PqGroupSlot *cells;

    for (key->slot = 0; key->slot < g->spec.n_used &&
                        g->spec.used[key->slot] != g->spec.keys[i];
         key->slot++) {
    }
    key->form = PQ_GROUP_CELLS;      /* also where it has no pages */
    if (!g->by_file && key->slot < g->spec.n_used) {
        const PqGroupSlot *slot = &g->shape.slots[key->slot];

        key->form = g->spec.form(g->spec.host.arg, g->spec.keys[i],
                                 slot->present ? &slot->type : NULL,
                                 g->spec.ordered);
    }
    if (key->form == PQ_GROUP_CELLS) {
        key->slot = g->shape.n_slots;
        cells = add_slot(g, PQ_GROUP_NO_COLUMN);
        cells->is_bytes = cells->known = true;
        cells->width = 2 * sizeof(uint32_t);
    }
}

/* The bits for so many partitions that each fits the cache, as far as is
** known. */
static unsigned bits_for(const PqGrouping *g)
{
    double per_row = g->shape.fixed;
    unsigned bits = 0;

    for (uint32_t i = 0; i < g->shape.n_slots; i++) {
        per_row += g->shape.slots[i].is_bytes ? GUESSED_TEXT : 0;
    }
    while (bits < MOST_BITS && g->spec.rows * per_row > PART_BYTES << bits) {
        bits++;
    }
    return bits;
}

/* Records that will not fit are written sooner.  That takes no longer: memory that is
** touched for the first time is slow, so chunks that were written get the next rows. */
static size_t limit_of(const PqGrouping *g)
{
    size_t limit = pq_mem_limit(g->mem), most = limit / MEMORY_SHARE;

    if (g->frugal) {
        return limit / LEAST_SHARE;
    }
    if (!g->spec.all_rows || g->spec.rows * g->shape.fixed <= (double)most) {
        return most;
    }
    return limit / WRITTEN_SHARE < WRITTEN_MOST ? limit / WRITTEN_SHARE : WRITTEN_MOST;
}

static PqRc begin_store(PqGrouping *g, PqErr *e)
{
    for (uint32_t i = 0; i < g->spec.n_keys; i++) {
        add_key(g, i);
    }
    pq_group_shape_lay_out(&g->shape);
    pq_group_store_init(&g->store, g->mem, &g->shape, pq_scan_stop(g->scan));
    g->store.limit = limit_of(g);
    g->store.keeps = true;
    g->bits = bits_for(g);
    return pq_group_store_add(&g->store, 0, g->bits, e);
}

/* ---- reading ------------------------------------------------------------- */

/* *again: everything has to be read anew. */
static PqRc enter_file(PqGrouping *g, bool *again, PqErr *e)
{
    bool first = g->store.n_parts == 0;

    *again = !pq_group_enter_file(g);
    if (*again) {
        return PQ_OK;
    }
    g->file = pq_scan_batch(g->scan)->file;
    if (first) {
        PQ_TRY(begin_store(g, e));
    }
    g->store.sealed = g->store.sealed || pq_scan_footer(g->scan)->locks;
    for (uint32_t i = 0; i < g->spec.n_keys && !g->by_file; i++) {
        const PqGroupSlot *slot = &g->shape.slots[g->shape.keys[i].slot];

        *again = *again || (slot->column >= 0 &&
                            g->spec.form(g->spec.host.arg, g->spec.keys[i],
                                         slot->present ? &slot->type : NULL,
                                         g->spec.ordered) !=
                                g->shape.keys[i].form);
    }
    return PQ_OK;
}

static PqRc read_batches(PqGrouping *g, bool *again, PqErr *e)
{
    bool more;

    for (*again = false;;) {
        PQ_TRY(pq_scan_next(g->scan, &more, e));
        if (!more) {
            return PQ_OK;
        }
        if (g->file_serial != pq_scan_file_serial(g->scan)) {
            PQ_TRY(enter_file(g, again, e));
            if (*again) {
                return PQ_OK;
            }
        }
        PQ_TRY(pq_group_fill(g, e));
    }
}

/* A page may need the memory that records have taken. */
PqRc pq_group_read(PqGrouping *g, PqErr *e)
{
    const PqRowHost *h = &g->spec.host;
    bool again;

    for (;;) {
        PqRc rc;

        begin_slots(g);
        rc = read_batches(g, &again, e);
        if (rc == PQ_BUDGET && !g->frugal) {
            pq_err_clear(e);
            pq_where_reset(e);
            g->frugal = again = true;
        } else if (again) {
            g->by_file = true;
        }
        if (!again) {
            PQ_TRY(rc);
            break;
        }
        g->file_serial = 0;
        PQ_TRY(h->begin(h->arg, h->ranges, h->n_ranges, true, e));
    }
    pq_group_free_batch(g->in);
    g->in = NULL;
    PQ_TRY(g->store.file ? pq_group_store_write(&g->store, e) : PQ_OK);
    pq_group_store_drop_spare(&g->store);
    return PQ_OK;
}
