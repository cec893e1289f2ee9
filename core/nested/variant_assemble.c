/*
** variant_assemble.c - a shredded Variant becomes metadata and value.
**
** If a row is not in columns, its bytes are given as they are in the file.  Any
** other row is built anew, with the names of the file's metadata, so that the
** metadata stays the same.
**
** What is hard is metadata that lacks a shredded name, or that is empty.  That
** shows only when the row is half done.  Then the cursors go back, and the row
** is built once more, with metadata of its own.
*/
#include "core/nested/variant_assemble.h"

#include "core/nested/json_plan.h"
#include "core/variant/variant_build.h"

#include <assert.h>

/* A row's Variant.  value.p is NULL where it is missing. */
typedef struct Whole { PqSlice metadata, value; } Whole;

/* ---- a row --------------------------------------------------------------- */

/* Remembers where the cursors are, or goes back there. */
static PqRc save_cursors(PqJsonRows *j)
{
    uint32_t *at;

    PQ_TRY(pq_buf_resize(&j->table, j->n_leaves * sizeof *at, j->e));
    at = (uint32_t *)(void *)j->table.p;
    for (uint32_t i = 0; i < j->n_leaves; i++) {
        at[i] = j->leaf[i].at;
    }
    return PQ_OK;
}

static void go_back(PqJsonRows *j)
{
    const uint32_t *at = (const uint32_t *)(void *)j->table.p;

    for (uint32_t i = 0; i < j->n_leaves; i++) {
        j->leaf[i].at = at[i];
    }
}

static PqRc build_under(PqJsonRows *j, const PqVariantGroup *g, PqSlice stored,
                        Whole *out)
{
    PQ_TRY(pq_variant_build_begin_under(j->build, stored, j->e));
    PQ_TRY(pq_variant_walk_build(j, g, stored, j->build));
    return pq_variant_build_finish(j->build, &out->metadata, &out->value, j->e);
}

/* QUIRK: all names should be in the metadata.  Some writers leave out the names
** of shredded fields, or all metadata if nothing is in the bytes. */
static PqRc build(PqJsonRows *j, const PqVariantGroup *g, PqSlice stored,
                  Whole *out)
{
    PQ_TRY(j->build ? PQ_OK
                    : pq_variant_build_new(j->arena.mem, &j->build, j->e));
    PQ_TRY(save_cursors(j));
    if (build_under(j, g, stored, out) == PQ_OK || j->e->rc == PQ_NOMEM ||
        j->e->rc == PQ_STOPPED) {
        return j->e->rc;
    }
    pq_err_clear(j->e);
    go_back(j);
    pq_variant_build_begin(j->build);
    PQ_TRY(pq_variant_walk_build(j, g, stored, j->build));
    return pq_variant_build_finish(j->build, &out->metadata, &out->value, j->e);
}

static bool is_typed(const PqJsonRows *j, const PqVariantGroup *g)
{
    return g->shape != PQ_SHRED_NONE &&
           pq_json_rows_def(j, g->typed.first) >= g->typed_present;
}

/* The value at the cursors of a group that is there. */
static PqRc assemble(PqJsonRows *j, const PqVariantGroup *g, PqSlice stored,
                     Whole *out)
{
    PqSlice value = {NULL, 0};

    if (is_typed(j, g)) {
        return build(j, g, stored, out);
    }
    if (g->value >= 0) {
        PQ_TRY(pq_variant_walk_bytes(j, (uint32_t)g->value, g->present,
                                     &value));
    }
    PQ_TRY(pq_json_rows_absent(j, g->typed, g->present, g->typed_present));
    *out = (Whole){stored, value};
    return PQ_OK;
}

/* ---- a column ------------------------------------------------------------ */

/* QUIRK: a Variant that is missing at the top is a null: the specification asks
** readers to treat a missing required value like that. */
PqRc pq_variant_rows_blob(PqJsonRows *j, const PqVariantPlan *v)
{
    static const uint8_t null[] = {0}, no_names[] = {1, 0, 0};
    PqSlice stored;
    Whole whole = {0};

    PQ_TRY(pq_variant_walk_bytes(j, v->metadata, v->top.present, &stored));
    PQ_TRY(assemble(j, &v->top, stored, &whole));
    if (!whole.value.p) {
        whole = (Whole){pq_slice(no_names, sizeof no_names),
                        pq_slice(null, sizeof null)};
    }
    return pq_variant_join(whole.metadata, whole.value, &j->out, j->e);
}

/* ---- a part of one ------------------------------------------------------- */

/* Unless the part is the whole, the metadata has a cursor of its own, after the
** cursors of the leaves. */
static PqRc row_of_part(PqJsonRows *j, Whole *out)
{
    const PqVariantPlan *v = j->root.variant;
    const PqVariantGroup *g = &v->top;
    PqSlice stored;

    if (g->leaves.n && g->present > 0 &&
        pq_json_rows_def(j, g->leaves.first) < g->present) {
        j->leaf[v->metadata].at += v->metadata == g->leaves.n;
        return pq_json_rows_absent(j, g->leaves, 0, g->present);
    }
    PQ_TRY(pq_variant_walk_bytes(j, v->metadata, 0, &stored));
    return assemble(j, g, stored, out);
}

PqRc pq_variant_assemble_row(PqJsonRows *j, uint32_t row, PqSlice *metadata,
                             PqSlice *value, bool *missing, PqErr *e)
{
    Whole whole = {0};

    assert(row >= j->row && row < j->n_rows);
    if (j->failed) {
        return pq_fail(e, PQ_CORRUPT, "rows before row %u of the batch could "
                       "not be read", row);
    }
    j->e = j->out.sink = j->key.sink = e;
    j->out.n = 0;
    j->failed = true;
    PQ_TRY(pq_json_rows_pass(j, row));
    PQ_TRY(row_of_part(j, &whole));
    *metadata = whole.metadata;
    *value = whole.value;
    *missing = whole.value.p == NULL;
    PQ_TRY(pq_json_rows_end_row(j));
    j->failed = false;
    return PQ_OK;
}
