/*
** variant_path.c - reads a path, and follows it.
**
** A quoted name ends at the quote it began with, and ] must follow.  So
** $['it's'] is an error, and $["it's"] is not.  The message about a path names
** the byte where reading stopped.
**
** Fields should be ordered by the bytes of their names, so the middle field
** tells in which half to go on.  If that finds the name, the field is right.
**
** QUIRK: not all writers order them.  DuckDB 1.5 keeps the order of its structs
** (many_fields_are_found_in_any_order), and a writer in Java may order them by
** UTF-16 units (variant.c).  So if halving does not find the name, all fields
** are looked at.  In small objects they are looked at at once, which is faster.
*/
#include "core/variant/variant_path.h"

#include "core/variant/variant_layout.h"

static PQ_COLD PqRc wrong(PqSlice text, size_t at, const char *what, PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "the path \"%.*s\" is wrong at byte %zu: %s",
                   (int)(text.n < 200 ? text.n : 200), (const char *)text.p,
                   at, what);
}

/* ---- reading ------------------------------------------------------------- */

/* After the point. */
static PqRc read_name(PqSlice text, size_t *at, PqVariantStep *out, PqErr *e)
{
    size_t from = *at;

    while (*at < text.n && text.p[*at] != '.' && text.p[*at] != '[') {
        (*at)++;
    }
    if (*at == from) {
        return wrong(text, from, "a name is expected after the point", e);
    }
    out->name = pq_slice(text.p + from, *at - from);
    return PQ_OK;
}

/* At the quote.  An empty name has a p as well. */
static PqRc read_quoted(PqSlice text, size_t *at, PqVariantStep *out, PqErr *e)
{
    const uint8_t *from = text.p + *at + 1, *end;

    end = memchr(from, from[-1], text.n - *at - 1);
    if (!end) {
        return wrong(text, *at, "this quote is not closed", e);
    }
    out->name = pq_slice(from, (size_t)(end - from));
    *at = (size_t)(end - text.p) + 1;
    return PQ_OK;
}

static PqRc read_index(PqSlice text, size_t *at, PqVariantStep *out, PqErr *e)
{
    size_t from = *at;
    uint64_t v = 0;

    for (; *at < text.n && text.p[*at] >= '0' && text.p[*at] <= '9'; (*at)++) {
        v = v * 10 + (uint64_t)(text.p[*at] - '0');
        if (v > UINT32_MAX) {
            return wrong(text, from, "no array has so many elements", e);
        }
    }
    if (*at == from) {
        return wrong(text, from, "an index from 0 or a quoted name is expected "
                     "after [", e);
    }
    *out = (PqVariantStep){.index = (uint32_t)v};
    return PQ_OK;
}

static PqRc read_step(PqSlice text, size_t *at, PqVariantStep *out, PqErr *e)
{
    uint8_t c = text.p[(*at)++];

    *out = (PqVariantStep){0};
    if (c == '.') {
        return read_name(text, at, out, e);
    }
    if (c != '[') {
        return wrong(text, *at - 1, "a point or [ is expected", e);
    }
    if (*at < text.n && (text.p[*at] == '\'' || text.p[*at] == '"')) {
        PQ_TRY(read_quoted(text, at, out, e));
    } else {
        PQ_TRY(read_index(text, at, out, e));
    }
    if (*at == text.n || text.p[*at] != ']') {
        return wrong(text, *at, "] is expected", e);
    }
    (*at)++;
    return PQ_OK;
}

PqRc pq_variant_path_parse(PqSlice text, PqArena *a, PqVariantPath *out,
                           PqErr *e)
{
    PqVariantPath path = {0};
    size_t at = 1;
    char *copy;

    *out = (PqVariantPath){0};
    if (text.n == 0 || text.p[0] != '$') {
        return wrong(text, 0, "a path begins with $", e);
    }
    copy = pq_arena_text(a, text.p, text.n, e);
    if (!copy) {
        return e->rc;
    }
    text = pq_slice(copy, text.n);
    while (at < text.n) {
        PQ_TRY(PQ_ARENA_GROW(a, path.step, path.n, e));
        PQ_TRY(read_step(text, &at, &path.step[path.n], e));
        path.n++;
    }
    *out = path;
    return PQ_OK;
}

/* ---- a field by its name ------------------------------------------------- */

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

PqRc pq_variant_items_find(const PqVariantMeta *m, const PqVariantItems *items,
                           PqSlice name, PqSlice *out, bool *found, PqErr *e)
{
    uint32_t at = items->n;

    if (items->is_object && items->n > FEW) {
        PQ_TRY(find_by_halves(m, items, name, &at, e));
    }
    if (items->is_object && at == items->n) {
        PQ_TRY(find_in_turn(m, items, name, &at, e));
    }
    *found = at < items->n;
    return *found ? pq_variant_items_at(items, at, out, e) : PQ_OK;
}

/* ---- following ----------------------------------------------------------- */

static PqRc take_step(const PqVariantMeta *m, PqSlice *value,
                      const PqVariantStep *step, bool *found, PqErr *e)
{
    PqVariantItems items;
    PqSlice rest = *value;

    *found = false;
    if (value->n == 0) {
        return pq_fail(e, PQ_CORRUPT, "a Variant value of no bytes");
    }
    if (pq_variant_is_object(*value) ? !step->name.p
                                     : step->name.p ||
                                           !pq_variant_is_array(*value)) {
        return PQ_OK;
    }
    PQ_TRY(pq_variant_items_open(&rest, &items, e));
    if (step->name.p) {
        return pq_variant_items_find(m, &items, step->name, value, found, e);
    }
    *found = step->index < items.n;
    return *found ? pq_variant_items_at(&items, step->index, value, e) : PQ_OK;
}

PqRc pq_variant_path_find(const PqVariantMeta *m, PqSlice value,
                          const PqVariantStep *step, uint32_t n_steps,
                          PqSlice *out, bool *found, PqErr *e)
{
    *found = true;
    for (uint32_t i = 0; i < n_steps && *found; i++) {
        PQ_TRY(take_step(m, &value, &step[i], found, e));
    }
    *out = value;
    return PQ_OK;
}
