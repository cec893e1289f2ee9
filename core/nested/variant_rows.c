/*
** variant_rows.c - walks over the columns of a shredded Variant, and gives what
** it finds to one of two takers: JSON text, or a builder of Variants.
**
**   value     typed_value
**   null      null           missing: a field is left out, otherwise null
**   set       null           the value is in the bytes
**   null      set            the value is in the column
**   set       set            an object: fields are in the columns and in the
**                            bytes; with any other type the file is invalid
**
**   {"id":1,"tag":"x","zip":"9"}   typed_value.id.typed_value = 1
**                                  typed_value.zip.typed_value = "9"
**                                  value = {"tag":"x"}
**
** Fields come in the order of their names, as in a Variant that is not
** shredded, because the text of a value must not depend on how a file shreds
** it.  So the columns of an object are visited by name, not in schema order.
** Each has its own cursor, so any order is possible.
**
** If value holds a field that has a column of its own, the column counts, even
** if the field is missing there.  The specification leaves that open; a reader
** that looks only at the column gives the same answer.
**
** The name of a field is given as late as possible, right before its value,
** because a missing field has none.
*/
#include "core/nested/json_plan.h"
#include "core/variant/variant_build.h"
#include "core/variant/variant_cast.h"

enum { GROUPS_PER_POLL = 4096 };

/* What is known about the Variant of this row. */
typedef struct Row {
    PqJsonRows     *j;
    PqVariantBuild *build;           /* NULL: JSON text, to j->out   */
    PqSlice         metadata;
    bool            open;            /* meta was read from metadata  */
    bool            malformed;       /* a text in the bytes          */
    uint32_t        n_groups;
    PqVariantMeta   meta;
} Row;

/* ---- the two takers ------------------------------------------------------ */

static void put_begin(Row *r, char open)
{
    if (!r->build) {
        pq_json_scalar_byte(&r->j->out, open);
    } else {
        pq_variant_build_group(r->build, open == '{');
    }
}

static void put_end(Row *r, char close)
{
    if (r->build) {
        pq_variant_build_end(r->build);
    } else {
        pq_json_scalar_byte(&r->j->out, close);
    }
}

static void put_null(Row *r)
{
    if (r->build) {
        pq_variant_build_value(r->build, &(PqVariantValue){0});
    } else {
        pq_json_scalar_null(&r->j->out);
    }
}

/* Is the text right after the { of its object? */
static bool is_first(const PqBuf *out)
{
    return pq_buf_ok(out) && out->p[out->n - 1] == '{';
}

/* The name of a field that has columns; NULL: an element, or the whole. */
static void put_name(Row *r, const PqVariantField *field)
{
    bool first;

    if (!field) {
        return;
    }
    if (r->build) {
        pq_variant_build_name(r->build, field->name);
    } else {
        first = is_first(&r->j->out);
        pq_json_scalar_raw(&r->j->out, field->label.p + first,
                           field->label.n - first);
    }
}

/* Item i of an object in the bytes, with its name. */
static PqRc put_item(Row *r, PqVariantItems *items, uint32_t i, PqSlice name)
{
    PqBuf *out = &r->j->out;
    PqSlice value;

    if (r->build) {
        PQ_TRY(pq_variant_items_take(items, i, &value, r->j->e));
        pq_variant_build_name(r->build, name);
        pq_variant_build_copy(r->build, &r->meta, value);
        return PQ_OK;
    }
    if (!is_first(out)) {
        pq_json_scalar_byte(out, ',');
    }
    pq_variant_text(&r->meta, name, out);
    pq_json_scalar_byte(out, ':');
    return pq_variant_items_json(&r->meta, items, i, 0, out, r->j->e);
}

static PqRc open_meta(Row *r)
{
    if (r->open) {
        return PQ_OK;
    }
    r->open = true;
    PQ_TRY(pq_variant_meta_open(r->metadata, &r->meta, r->j->e));
    r->meta.malformed = r->j->options.strict_utf8 ? &r->malformed : NULL;
    return PQ_OK;
}

static PqRc put_bytes(Row *r, PqSlice value)
{
    PQ_TRY(open_meta(r));
    if (r->build) {
        pq_variant_build_copy(r->build, &r->meta, value);
        return PQ_OK;
    }
    return pq_variant_json_take(&r->meta, &value, 0, &r->j->out, r->j->e);
}

static PqRc put_scalar(Row *r, PqLeafCursor *c, uint32_t slot)
{
    PqVariantValue v;

    if (!r->build) {
        pq_leaf_json_put(c, slot, &r->j->out);
        return PQ_OK;
    }
    if (!pq_variant_of_stored(c->type, pq_leaf_json_at(c, slot), &v)) {
        return pq_fail(r->j->e, PQ_UNSUPPORTED,
                       "%s: a value that no Variant can hold", c->path);
    }
    pq_variant_build_value(r->build, &v);
    return PQ_OK;
}

/* ---- the walk ------------------------------------------------------------ */

static PqRc walk_group(Row *r, const PqVariantGroup *g,
                       const PqVariantField *field, bool *missing);

/* Takes the value at the cursor of a binary leaf; p is NULL for null. */
PqRc pq_variant_walk_bytes(PqJsonRows *j, uint32_t leaf, uint16_t level,
                           PqSlice *out)
{
    PqLeafCursor *c = &j->leaf[leaf];
    uint32_t slot = c->at++;
    const PqStr *s;

    *out = (PqSlice){NULL, 0};
    if (pq_leaf_json_is_null(c, slot)) {
        return c->def && c->def[slot] < level
                   ? pq_json_rows_disagree(j, leaf) : PQ_OK;
    }
    s = pq_leaf_json_at(c, slot);
    *out = pq_slice(s->p ? s->p : (const uint8_t *)"", s->n);
    return PQ_OK;
}

static PqRc walk_scalar(Row *r, const PqVariantGroup *g)
{
    PqLeafCursor *c = &r->j->leaf[g->typed.first];
    uint32_t slot = c->at++;

    if (!pq_leaf_json_is_null(c, slot)) {
        return put_scalar(r, c, slot);
    }
    put_null(r);
    return PQ_OK;
}

/* A missing element, which the specification does not allow, becomes null. */
static PqRc walk_element(Row *r, const PqVariantGroup *element)
{
    bool missing;

    PQ_TRY(walk_group(r, element, NULL, &missing));
    if (missing) {
        put_null(r);
    }
    return PQ_OK;
}

static PqRc walk_array(Row *r, const PqVariantGroup *g)
{
    PqJsonRows *j = r->j;
    bool again = true;

    put_begin(r, '[');
    if (pq_json_rows_def(j, g->typed.first) < g->repeated_def) {
        PQ_TRY(pq_json_rows_absent(j, g->typed, g->typed_present,
                                   g->repeated_def));
        again = false;
    }
    while (again) {
        PQ_TRY(walk_element(r, g->element));
        PQ_TRY(pq_json_rows_again(j, g->typed, g->repeated_rep, &again));
        if (again && !r->build) {
            pq_json_scalar_byte(&j->out, ',');
        }
    }
    put_end(r, ']');
    return PQ_OK;
}

static PqRc walk_field(Row *r, const PqVariantField *field)
{
    bool missing;

    return walk_group(r, &field->group, field, &missing);
}

static bool has_column(const PqVariantGroup *g, PqSlice name)
{
    uint32_t low = 0, high = g->n_fields;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int c = pq_slice_compare(g->field[mid].name, name);
        if (c == 0) {
            return true;
        }
        low = c < 0 ? mid + 1 : low;
        high = c < 0 ? high : mid;
    }
    return false;
}

/* The fields of g, merged with the fields of the object at the front of
** value. */
static PqRc walk_both(Row *r, const PqVariantGroup *g, PqSlice value)
{
    PqSlice name = {NULL, 0};
    PqVariantItems items;
    uint32_t at = 0;

    PQ_TRY(open_meta(r));
    PQ_TRY(pq_variant_items_open(&value, &items, r->j->e));
    for (uint32_t i = 0; i < items.n; i++) {
        PQ_TRY(pq_variant_items_name(&r->meta, &items, i, &name, r->j->e));
        while (at < g->n_fields &&
               pq_slice_compare(g->field[at].name, name) < 0) {
            PQ_TRY(walk_field(r, &g->field[at++]));
        }
        if (!has_column(g, name)) {
            PQ_TRY(put_item(r, &items, i, name));
        }
    }
    while (at < g->n_fields) {
        PQ_TRY(walk_field(r, &g->field[at++]));
    }
    return PQ_OK;
}

static PqRc walk_object(Row *r, const PqVariantGroup *g, PqSlice value)
{
    if (value.p && !pq_variant_is_object(value)) {
        return pq_fail(r->j->e, PQ_CORRUPT, "a shredded Variant with fields "
                       "in typed_value and a value that is not an object");
    }
    put_begin(r, '{');
    if (value.p) {
        PQ_TRY(walk_both(r, g, value));
    } else {
        for (uint32_t i = 0; i < g->n_fields; i++) {
            PQ_TRY(walk_field(r, &g->field[i]));
        }
    }
    put_end(r, '}');
    return PQ_OK;
}

static PqRc walk_typed(Row *r, const PqVariantGroup *g, PqSlice value)
{
    if (g->shape == PQ_SHRED_OBJECT) {
        return walk_object(r, g, value);
    }
    if (value.p) {
        return pq_fail(r->j->e, PQ_CORRUPT,
                       "a shredded Variant has both value and typed_value");
    }
    return g->shape == PQ_SHRED_ARRAY ? walk_array(r, g) : walk_scalar(r, g);
}

/* Gives value and typed_value of a group that is present.  *missing: both are
** null, and nothing was given. */
static PqRc walk_pair(Row *r, const PqVariantGroup *g,
                      const PqVariantField *field, bool *missing)
{
    PqJsonRows *j = r->j;
    PqSlice value = {NULL, 0};

    if (g->value >= 0) {
        PQ_TRY(pq_variant_walk_bytes(j, (uint32_t)g->value, g->present,
                                     &value));
    }
    if (g->shape != PQ_SHRED_NONE &&
        pq_json_rows_def(j, g->typed.first) >= g->typed_present) {
        *missing = false;
        put_name(r, field);
        return walk_typed(r, g, value);
    }
    PQ_TRY(pq_json_rows_absent(j, g->typed, g->present, g->typed_present));
    *missing = value.p == NULL;
    if (*missing) {
        return PQ_OK;
    }
    put_name(r, field);
    return put_bytes(r, value);
}

/* Between groups: asks whether to stop. */
static PqRc poll(Row *r)
{
    if (!r->build) {
        return pq_json_rows_poll(r->j);
    }
    return ++r->n_groups % GROUPS_PER_POLL ? PQ_OK
                                           : pq_stop_poll(r->j->stop, r->j->e);
}

/* QUIRK: groups of fields and elements should be required.  An optional group
** that is null counts as missing (case-084 of the official samples). */
static PqRc walk_group(Row *r, const PqVariantGroup *g,
                       const PqVariantField *field, bool *missing)
{
    PqJsonRows *j = r->j;

    *missing = true;
    PQ_TRY(poll(r));
    if (!pq_buf_ok(&j->out)) {       /* no room for any more */
        return j->e->rc;
    }
    if (g->leaves.n && g->present > g->level &&
        pq_json_rows_def(j, g->leaves.first) < g->present) {
        return pq_json_rows_absent(j, g->leaves, g->level, g->present);
    }
    return walk_pair(r, g, field, missing);
}

/* ---- a row --------------------------------------------------------------- */

PqRc pq_variant_rows_print(PqJsonRows *j, const PqVariantPlan *v)
{
    const PqVariantGroup *g = &v->top;
    Row r = {.j = j};
    bool missing;

    if (g->present > g->level &&
        pq_json_rows_def(j, g->leaves.first) < g->present) {
        pq_json_scalar_null(&j->out);
        return pq_json_rows_absent(j, g->leaves, g->level, g->present);
    }
    PQ_TRY(pq_variant_walk_bytes(j, v->metadata, g->present, &r.metadata));
    PQ_TRY(walk_pair(&r, g, NULL, &missing));
    if (missing) {
        pq_json_scalar_null(&j->out);
    }
    if (r.malformed) {
        j->malformed = j->leaf[v->metadata].path;
    }
    return PQ_OK;
}

PqRc pq_variant_walk_build(PqJsonRows *j, const PqVariantGroup *g,
                           PqSlice metadata, PqVariantBuild *build)
{
    Row r = {.j = j, .build = build, .metadata = metadata};
    bool missing;

    return walk_pair(&r, g, NULL, &missing);
}
