/*
** variant_find.c - finds a field of an object by its name.
**
** Fields are ordered by the bytes of their names, so that the middle one tells
** in which half to go on.
**
** QUIRK: a writer in Java may have ordered them by UTF-16 units (variant.c).
** The two orders differ only where the first bytes that differ are one of
** ee..ef, U+E000 to U+FFFF, and one of f0..f4, the characters beyond, which are
** surrogates in UTF-16.  Only then the middle field tells nothing, and all
** fields are looked at.  In small objects they are looked at anyway, which is
** faster there, and finds fields in any order.
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

/* Do the two orders agree about a and b, which are not equal? */
static bool orders_agree(PqSlice a, PqSlice b)
{
    size_t i = 0, n = a.n < b.n ? a.n : b.n;
    uint8_t low, high;

    while (i < n && a.p[i] == b.p[i]) {
        i++;
    }
    if (i == n) {
        return true;
    }
    low = a.p[i] < b.p[i] ? a.p[i] : b.p[i];
    high = a.p[i] < b.p[i] ? b.p[i] : a.p[i];
    return high < 0xf0 || low < 0xee || low >= 0xf0;
}

/* *at: items->n if there is no such field. */
static PqRc find(const PqVariantMeta *m, const PqVariantItems *items,
                 PqSlice name, uint32_t *at, PqErr *e)
{
    uint32_t low = 0, high = items->n;
    PqSlice other;

    if (items->n <= FEW) {
        return find_in_turn(m, items, name, at, e);
    }
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c;

        PQ_TRY(name_at(m, items, mid, &other, e));
        c = pq_slice_compare(name, other);
        if (c == 0) {
            *at = mid;
            return PQ_OK;
        }
        if (!orders_agree(name, other)) {
            return find_in_turn(m, items, name, at, e);
        }
        low = c < 0 ? low : mid + 1;
        high = c < 0 ? mid : high;
    }
    *at = items->n;
    return PQ_OK;
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
