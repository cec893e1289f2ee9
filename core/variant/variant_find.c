/*
** variant_find.c - finds a field of an object by its name.
**
** Fields should be ordered by the bytes of their names, so the middle field
** tells in which half to go on.  If that finds the name, the field is right.
**
** QUIRK: not all writers order them.  DuckDB 1.5 keeps the order of its structs
** (many_fields_are_found_in_any_order), and a writer in Java may order them by
** UTF-16 units (variant.c).  So if halving does not find the name, all fields
** are looked at.  In small objects they are looked at at once, which is faster.
*/
#include "core/variant/variant_layout.h"

enum { FEW = 16 };                   /* fields that are looked at in turn */

static PqRc name_at(const PqVariantMeta *m, const PqVariantItems *items,
                    uint32_t i, PqSlice *out, PqErr *e)
{
    return pq_variant_meta_name(
        m, pq_variant_number(items->ids, items->id_size, i), out, e);
}

static PqRc find_in_turn(const PqVariantMeta *m, const PqVariantItems *items,
                         PqSlice name, uint32_t *at, PqErr *e)
{
    PqSlice other;
    uint32_t i;

    for (i = 0; i < items->n; i++) {
        PQ_TRY(name_at(m, items, i, &other, e));
        if (pq_slice_equal(name, other)) {
            break;
        }
    }
    *at = i;
    return PQ_OK;
}

/* *at: items->n if halving does not find it. */
static PqRc find_by_halves(const PqVariantMeta *m, const PqVariantItems *items,
                           PqSlice name, uint32_t *at, PqErr *e)
{
    uint32_t low = 0, high = items->n;
    PqSlice other;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c;

        PQ_TRY(name_at(m, items, mid, &other, e));
        c = pq_slice_compare(name, other);
        if (c == 0) {
            *at = mid;
            return PQ_OK;
        }
        low = c < 0 ? low : mid + 1;
        high = c < 0 ? mid : high;
    }
    *at = items->n;
    return PQ_OK;
}

/* *at: items->n if there is no such field. */
static PqRc find(const PqVariantMeta *m, const PqVariantItems *items,
                 PqSlice name, uint32_t *at, PqErr *e)
{
    *at = items->n;
    if (items->n > FEW) {
        PQ_TRY(find_by_halves(m, items, name, at, e));
    }
    return *at < items->n ? PQ_OK : find_in_turn(m, items, name, at, e);
}

PqRc pq_variant_items_find(const PqVariantMeta *m, const PqVariantItems *items,
                           PqSlice name, PqSlice *out, bool *found, PqErr *e)
{
    uint32_t at = items->n;

    *found = false;
    if (items->is_object) {
        PQ_TRY(find(m, items, name, &at, e));
    }
    if (at < items->n) {
        PQ_TRY(pq_variant_items_at(items, at, out, e));
        *found = true;
    }
    return PQ_OK;
}
