/*
** variant_rows.c - assembles a shredded Variant from its columns, as JSON.
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
** Fields are printed in the order of their names, as in a Variant that is not
** shredded: the text of a value must not depend on how a file shreds it.  So
** the columns of an object are visited by name, not in schema order.  Each has
** its own cursor, so any order is possible.
**
** If value holds a field that has a column of its own, the column counts, even
** if the field is missing there.  The specification leaves that open; a reader
** that looks only at the column gives the same answer.
*/
#include "core/nested/json_plan.h"

/* What is known of the Variant of this row. */
typedef struct Row {
    PqJsonRows   *j;
    PqSlice       metadata;
    bool          open;              /* meta was read from metadata */
    bool          malformed;         /* a text in the bytes         */
    PqVariantMeta meta;
} Row;

static PqRc print_group(Row *r, const PqVariantGroup *g, bool *missing);

/* Takes the value at the cursor of a binary leaf; p is NULL for null. */
static PqRc take_bytes(Row *r, uint32_t leaf, uint16_t level, PqSlice *out)
{
    PqLeafCursor *c = &r->j->leaf[leaf];
    uint32_t slot = c->at++;
    const PqStr *s;

    *out = (PqSlice){NULL, 0};
    if (pq_leaf_json_is_null(c, slot)) {
        return c->def && c->def[slot] < level
                   ? pq_json_rows_disagree(r->j, leaf)
                   : PQ_OK;
    }
    s = pq_leaf_json_at(c, slot);
    *out = pq_slice(s->p ? s->p : (const uint8_t *)"", s->n);
    return PQ_OK;
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

static PqRc print_bytes(Row *r, PqSlice value)
{
    PQ_TRY(open_meta(r));
    return pq_variant_json_take(&r->meta, &value, 0, &r->j->out, r->j->e);
}

static PqRc print_scalar(Row *r, const PqVariantGroup *g)
{
    PqLeafCursor *c = &r->j->leaf[g->typed.first];
    uint32_t slot = c->at++;

    if (pq_leaf_json_is_null(c, slot)) {
        pq_json_scalar_null(&r->j->out);
    } else {
        pq_leaf_json_put(c, slot, &r->j->out);
    }
    return PQ_OK;
}

/* A missing element, which the specification does not allow, becomes null. */
static PqRc print_element(Row *r, const PqVariantGroup *element)
{
    bool missing;

    PQ_TRY(print_group(r, element, &missing));
    if (missing) {
        pq_json_scalar_null(&r->j->out);
    }
    return PQ_OK;
}

static PqRc print_array(Row *r, const PqVariantGroup *g)
{
    PqJsonRows *j = r->j;
    bool again = true;

    pq_json_scalar_byte(&j->out, '[');
    if (pq_json_rows_def(j, g->typed.first) < g->repeated_def) {
        PQ_TRY(pq_json_rows_absent(j, g->typed, g->typed_present,
                                   g->repeated_def));
        again = false;
    }
    while (again) {
        PQ_TRY(print_element(r, g->element));
        PQ_TRY(pq_json_rows_again(j, g->typed, g->repeated_rep, &again));
        if (again) {
            pq_json_scalar_byte(&j->out, ',');
        }
    }
    pq_json_scalar_byte(&j->out, ']');
    return PQ_OK;
}

/* Prints a field that has columns, unless it is missing. */
static PqRc print_field(Row *r, const PqVariantField *field, bool *first)
{
    PqBuf *out = &r->j->out;
    size_t start = out->n;
    bool missing;

    pq_json_scalar_raw(out, field->label.p + *first,
                       field->label.n - *first);
    PQ_TRY(print_group(r, &field->group, &missing));
    if (missing) {
        out->n = start;
    }
    *first = *first && missing;
    return PQ_OK;
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

/* Prints the fields of g, merged with those of the object at the front of
** value. */
static PqRc print_both(Row *r, const PqVariantGroup *g, PqSlice value)
{
    PqBuf *out = &r->j->out;
    PqSlice name = {NULL, 0};
    PqVariantItems items;
    uint32_t i, at = 0;
    bool first = true;

    PQ_TRY(open_meta(r));
    PQ_TRY(pq_variant_items_open(&value, &items, r->j->e));
    for (i = 0; i < items.n; i++) {
        PQ_TRY(pq_variant_items_name(&r->meta, &items, i, &name, r->j->e));
        while (at < g->n_fields &&
               pq_slice_compare(g->field[at].name, name) < 0) {
            PQ_TRY(print_field(r, &g->field[at++], &first));
        }
        if (has_column(g, name)) {
            continue;
        }
        if (!first) {
            pq_json_scalar_byte(out, ',');
        }
        first = false;
        pq_variant_text(&r->meta, name, out);
        pq_json_scalar_byte(out, ':');
        PQ_TRY(pq_variant_items_json(&r->meta, &items, i, 0, out, r->j->e));
    }
    while (at < g->n_fields) {
        PQ_TRY(print_field(r, &g->field[at++], &first));
    }
    return PQ_OK;
}

static PqRc print_object(Row *r, const PqVariantGroup *g, PqSlice value)
{
    bool first = true;
    uint32_t i;

    if (value.p && !pq_variant_is_object(value)) {
        return pq_fail(r->j->e, PQ_CORRUPT, "a shredded Variant with fields "
                       "in typed_value and a value that is not an object");
    }
    pq_json_scalar_byte(&r->j->out, '{');
    if (value.p) {
        PQ_TRY(print_both(r, g, value));
    } else {
        for (i = 0; i < g->n_fields; i++) {
            PQ_TRY(print_field(r, &g->field[i], &first));
        }
    }
    pq_json_scalar_byte(&r->j->out, '}');
    return PQ_OK;
}

static PqRc print_typed(Row *r, const PqVariantGroup *g, PqSlice value)
{
    if (g->shape == PQ_SHRED_OBJECT) {
        return print_object(r, g, value);
    }
    if (value.p) {
        return pq_fail(r->j->e, PQ_CORRUPT,
                       "a shredded Variant has both value and typed_value");
    }
    return g->shape == PQ_SHRED_ARRAY ? print_array(r, g)
                                      : print_scalar(r, g);
}

/* Prints value and typed_value of a group that is present.  *missing: both are
** null, and nothing was printed. */
static PqRc print_pair(Row *r, const PqVariantGroup *g, bool *missing)
{
    PqJsonRows *j = r->j;
    PqSlice value = {NULL, 0};

    if (g->value >= 0) {
        PQ_TRY(take_bytes(r, (uint32_t)g->value, g->present, &value));
    }
    if (g->shape != PQ_SHRED_NONE &&
        pq_json_rows_def(j, g->typed.first) >= g->typed_present) {
        *missing = false;
        return print_typed(r, g, value);
    }
    PQ_TRY(pq_json_rows_absent(j, g->typed, g->present, g->typed_present));
    *missing = value.p == NULL;
    return *missing ? PQ_OK : print_bytes(r, value);
}

/* QUIRK: groups of fields and elements should be required.  One that is
** optional and null counts as missing (case-084 of the official samples). */
static PqRc print_group(Row *r, const PqVariantGroup *g, bool *missing)
{
    PQ_TRY(pq_json_rows_poll(r->j));
    PqJsonRows *j = r->j;

    *missing = true;
    if (!pq_buf_ok(&j->out)) {       /* no room for any more */
        return j->e->rc;
    }
    if (g->leaves.n && g->present > g->level &&
        pq_json_rows_def(j, g->leaves.first) < g->present) {
        return pq_json_rows_absent(j, g->leaves, g->level, g->present);
    }
    return print_pair(r, g, missing);
}

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
    PQ_TRY(take_bytes(&r, v->metadata, g->present, &r.metadata));
    PQ_TRY(print_pair(&r, g, &missing));
    if (missing) {
        pq_json_scalar_null(&j->out);
    }
    if (r.malformed) {
        j->malformed = j->leaf[v->metadata].path;
    }
    return PQ_OK;
}
