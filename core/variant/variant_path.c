/*
** variant_path.c - reads a path, and follows it.
**
** A quoted name ends at the quote it began with, and ] must follow.  So
** $['it's'] is an error, and $["it's"] is not.  The message about a path names
** the byte where reading stopped.
*/
#include "core/variant/variant_path.h"

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
    uint32_t i;

    *found = true;
    for (i = 0; i < n_steps && *found; i++) {
        PQ_TRY(take_step(m, &value, &step[i], found, e));
    }
    *out = value;
    return PQ_OK;
}
