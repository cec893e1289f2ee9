/*
** json_shred.c - shreds the JSON of a cell into entries, in one pass.
**
** The walk follows the schema and takes tokens as it needs them, so it is never
** deeper than the schema, whatever the JSON is.  The path of the current place
** is not kept as text: each step has a link to the one above it on the stack,
** and an error message follows the links.
**
** A member that comes twice undoes its first value.  Nothing has to be recorded
** for that: a value's entries at the end of a batch reach back to the last
** entry whose repetition level begins the value (schema.h).
**
**   x: struct of {a: list of int}       {"a":[1,2],"a":[]}
**   rep  .. 0 1        def  .. 3 3      at the second "a":
**           ^ <= rep of a: the entries from here on are undone
*/
#include "core/nested/shred_plan.h"
#include "core/nested/variant_shred.h"

static PqRc shred_value(PqJsonShred *s, const PqShredNode *n,
                        const PqJsonToken *token, uint16_t rep,
                        const PqShredPlace *at);

/* The next token.  A string with escapes is decoded into the arena of leaf n,
** or into scratch (NULL: it is a name). */
static inline PqRc next(PqJsonShred *s, const PqShredNode *n,
                        PqJsonToken *token)
{
    s->read->arena = n && n->kind == PQ_NODE_LEAF
                         ? &s->batch[n->first_leaf].bytes : &s->scratch;
    return pq_json_read_next(s->read, token, &s->err);
}

/* ---- entries ------------------------------------------------------------ */

/* Appends an entry without a value to each leaf of n. */
static PqRc put_absent(PqJsonShred *s, const PqShredNode *n, uint16_t rep,
                       uint16_t def)
{
    PqLeafBatch *b = &s->batch[n->first_leaf], *end = b + n->n_leaves;

    for (; b < end; b++) {
        PQ_TRY(pq_shred_reserve(b, &s->err));
        pq_shred_entry(b, rep, def);
    }
    return PQ_OK;
}

static bool has_value(const PqLeafBatch *b, uint32_t entry)
{
    if (pq_leaf_batch_has_levels(b)) {
        return b->def[entry] == b->leaf->max_def;
    }
    return !pq_leaf_batch_has_valid(b) ||
           (b->valid[entry / 64] >> entry % 64 & 1) != 0;
}

static void undo_entry(PqLeafBatch *b)
{
    uint32_t i = --b->n_entries;

    if (has_value(b, i)) {
        b->n_values--;
        if (b->leaf->type.physical == PQ_BYTE_ARRAY) {
            b->n_bytes -= ((const PqStr *)b->values)[b->n_values].n;
        }
    }
    if (pq_leaf_batch_has_valid(b)) {
        b->valid[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

/* Undoes the last value of n. */
static PQ_COLD void undo_value(PqJsonShred *s, const PqShredNode *n)
{
    for (uint32_t i = 0; i < n->n_leaves; i++) {
        PqLeafBatch *b = &s->batch[n->first_leaf + i];

        while (b->leaf->max_rep > 0 && b->rep[b->n_entries - 1] > n->rep) {
            undo_entry(b);
        }
        undo_entry(b);
    }
}

static void set_marks(PqJsonShred *s)
{
    for (uint32_t i = 0; i < s->root.n_leaves; i++) {
        const PqLeafBatch *b = &s->batch[i];
        s->mark[i] = (PqShredMark){b->n_values, b->n_entries, b->n_bytes};
    }
}

/* Resets all batches to what they were before the cell. */
static PQ_COLD void undo_cell(PqJsonShred *s)
{
    for (uint32_t i = 0; i < s->root.n_leaves; i++) {
        PqLeafBatch *b = &s->batch[i];

        while (pq_leaf_batch_has_valid(b) &&
               b->n_entries > s->mark[i].n_entries) {
            undo_entry(b);
        }
        b->n_entries = s->mark[i].n_entries;
        b->n_values = s->mark[i].n_values;
        b->n_bytes = s->mark[i].n_bytes;
    }
}

/* ---- lists and structs -------------------------------------------------- */

static PqRc shred_list(PqJsonShred *s, const PqShredNode *n,
                       const PqJsonToken *begin, uint16_t rep,
                       const PqShredPlace *at)
{
    PqShredPlace here = {.up = at};
    PqJsonToken token;

    if (begin->kind != PQ_JSON_ARRAY) {
        return pq_shred_unexpected(s, at, begin, "an array");
    }
    for (;; here.index++, rep = n->repeated_rep) {
        PQ_TRY(next(s, n->child, &token));
        if (token.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        PQ_TRY(shred_value(s, n->child, &token, rep, &here));
    }
    return here.index ? PQ_OK : put_absent(s, n, rep, n->present);
}

static PqRc put_missing(PqJsonShred *s, const PqShredNode *n, uint64_t object,
                        uint16_t rep, const PqShredPlace *at)
{
    for (uint32_t i = 0; i < n->n_children; i++) {
        const PqShredNode *child = &n->child[i];

        if (child->object == object) {
            continue;
        }
        if (child->required) {
            PqShredPlace here = {.up = at, .name = child->name};
            return pq_shred_misfit(s, &here, "missing, and may not be null");
        }
        PQ_TRY(put_absent(s, child, rep, child->null_def));
    }
    return PQ_OK;
}

static PqRc shred_struct(PqJsonShred *s, const PqShredNode *n,
                         const PqJsonToken *begin, uint16_t rep,
                         const PqShredPlace *at)
{
    PqShredPlace here = {.up = at};
    uint64_t object = ++s->object;
    uint32_t expected = 0, n_met = 0;
    PqJsonToken token;

    if (begin->kind != PQ_JSON_OBJECT) {
        return pq_shred_unexpected(s, at, begin, "an object");
    }
    for (;;) {
        PqShredNode *child;

        PQ_TRY(next(s, NULL, &token));
        if (token.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        here.name = token.text;
        child = pq_shred_plan_field(n, token.text, expected);
        if (PQ_UNLIKELY(!child)) {
            return pq_shred_misfit(s, &here, "the type has no such field");
        }
        expected = (uint32_t)(child - n->child) + 1;
        if (PQ_UNLIKELY(child->object == object)) {
            undo_value(s, child);
        } else {
            child->object = object;
            n_met++;
        }
        PQ_TRY(next(s, child, &token));
        PQ_TRY(shred_value(s, child, &token, rep, &here));
    }
    return n_met == n->n_children ? PQ_OK
                                  : put_missing(s, n, object, rep, at);
}

/* ---- maps --------------------------------------------------------------- */

/* A key that is not a leaf: the name of the member is JSON text itself.  Texts
** in it lie in scratch and must be copied. */
static PqRc shred_key_text(PqJsonShred *s, const PqShredNode *n, PqSlice text,
                           uint16_t rep, const PqShredPlace *at)
{
    PqJsonRead inner, *outer = s->read;
    bool copies = s->copies;
    PqJsonToken token;
    PqRc rc;

    pq_json_read_begin(&inner, text, &s->scratch);
    s->read = &inner;
    s->copies = true;
    PQ_GO(next(s, NULL, &token));
    PQ_GO(shred_value(s, n, &token, rep, at));
    PQ_GO(next(s, NULL, &token));
done:
    s->read = outer;
    s->copies = copies;
    return rc;
}

/* The value that follows a key.  In a map without values it must be null. */
static PqRc shred_map_value(PqJsonShred *s, const PqShredNode *n,
                            const PqJsonToken *token, uint16_t rep,
                            const PqShredPlace *at)
{
    if (n->n_children > 1) {
        return shred_value(s, &n->child[1], token, rep, at);
    }
    return token->kind == PQ_JSON_NULL
               ? PQ_OK : pq_shred_unexpected(s, at, token, "null");
}

static PqRc shred_object(PqJsonShred *s, const PqShredNode *n, uint16_t rep,
                         const PqShredPlace *at)
{
    const PqShredNode *key = &n->child[0];
    const PqShredNode *value = n->n_children > 1 ? &n->child[1] : NULL;
    PqShredPlace here = {.up = at};
    PqJsonToken token;

    for (;; here.index++, rep = n->repeated_rep) {
        PQ_TRY(next(s, key, &token));
        if (token.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        here.name = token.text;
        PQ_TRY(key->kind == PQ_NODE_LEAF
                   ? pq_shred_leaf(s, key, &token, rep, &here)
                   : shred_key_text(s, key, token.text, rep, &here));
        PQ_TRY(next(s, value, &token));
        PQ_TRY(shred_map_value(s, n, &token, rep, &here));
    }
    return here.index ? PQ_OK : put_absent(s, n, rep, n->present);
}

/* [key, value]; the last token was its beginning. */
static PqRc shred_pair(PqJsonShred *s, const PqShredNode *n, uint16_t rep,
                       const PqShredPlace *at)
{
    const PqShredNode *key = &n->child[0];
    const PqShredNode *value = n->n_children > 1 ? &n->child[1] : NULL;
    PqShredPlace here = {.up = at};
    PqJsonToken token;

    PQ_TRY(next(s, key, &token));
    if (token.kind == PQ_JSON_ARRAY_END) {
        return pq_shred_unexpected(s, at, &token, "a key");
    }
    PQ_TRY(shred_value(s, key, &token, rep, &here));
    here.index++;
    PQ_TRY(next(s, value, &token));
    if (token.kind == PQ_JSON_ARRAY_END) {
        return value ? pq_shred_unexpected(s, at, &token, "a value after the "
                                           "key")
                     : PQ_OK;
    }
    PQ_TRY(shred_map_value(s, n, &token, rep, &here));
    PQ_TRY(next(s, NULL, &token));
    return token.kind == PQ_JSON_ARRAY_END
               ? PQ_OK
               : pq_shred_misfit(s, at, "more than a key and a value");
}

static PqRc shred_pairs(PqJsonShred *s, const PqShredNode *n, uint16_t rep,
                        const PqShredPlace *at)
{
    PqShredPlace here = {.up = at};
    PqJsonToken token;

    for (;; here.index++, rep = n->repeated_rep) {
        PQ_TRY(next(s, NULL, &token));
        if (token.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        if (token.kind != PQ_JSON_ARRAY) {
            return pq_shred_unexpected(s, &here, &token, "[key, value]");
        }
        PQ_TRY(shred_pair(s, n, rep, &here));
    }
    return here.index ? PQ_OK : put_absent(s, n, rep, n->present);
}

static PqRc shred_map(PqJsonShred *s, const PqShredNode *n,
                      const PqJsonToken *begin, uint16_t rep,
                      const PqShredPlace *at)
{
    return begin->kind == PQ_JSON_OBJECT  ? shred_object(s, n, rep, at)
           : begin->kind == PQ_JSON_ARRAY ? shred_pairs(s, n, rep, at)
                                          : pq_shred_unexpected(
                                                s, at, begin,
                                                "an object, or an array of "
                                                "[key, value],");
}

/* ---- Variants ------------------------------------------------------------ */

/* The JSON of a Variant inside a LIST, MAP or STRUCT, from its first token
** on. */
static PqRc shred_variant(PqJsonShred *s, const PqShredNode *n,
                          const PqJsonToken *token, uint16_t rep,
                          const PqShredPlace *at)
{
    const PqJsonRead *read = s->read;
    PqCell cell;

    PQ_TRY(pq_json_read_skip(s->read, token, NULL, &s->err));
    cell =
        pq_cell_text(pq_slice(read->text.p + token->at, read->at - token->at));
    return pq_variant_shred_cell(n->variant, s->batch, rep, &cell, &s->err)
               ? pq_shred_placed(s, at) : PQ_OK;
}

/* ---- cells -------------------------------------------------------------- */

static PqRc shred_value(PqJsonShred *s, const PqShredNode *n,
                        const PqJsonToken *token, uint16_t rep,
                        const PqShredPlace *at)
{
    if (token->kind == PQ_JSON_NULL && !(n->variant && n->required)) {
        return PQ_UNLIKELY(n->required)
                   ? pq_shred_misfit(s, at, "null, where a value is required")
                   : put_absent(s, n, rep, n->null_def);
    }
    switch (n->kind) {
    case PQ_NODE_LEAF:   return pq_shred_leaf(s, n, token, rep, at);
    case PQ_NODE_STRUCT: return shred_struct(s, n, token, rep, at);
    case PQ_NODE_LIST:   return shred_list(s, n, token, rep, at);
    case PQ_NODE_VARIANT: return shred_variant(s, n, token, rep, at);
    default:             return shred_map(s, n, token, rep, at);
    }
}

static PqRc shred_text(PqJsonShred *s, PqStr text)
{
    PqJsonRead read;
    PqJsonToken token;

    pq_json_read_begin(&read, pq_slice(text.p, text.n), &s->scratch);
    s->read = &read;                 // cppcheck-suppress autoVariables
    s->copies = false;
    PQ_TRY(next(s, NULL, &token));
    if (PQ_UNLIKELY(token.kind == PQ_JSON_NULL && s->rules.exact_numbers)) {
        return pq_shred_misfit(s, NULL, "JSON's null, which would read back as "
                                        "NULL");
    }
    PQ_TRY(shred_value(s, &s->root, &token, 0, NULL));
    return next(s, NULL, &token);    /* nothing else may follow */
}

static PqRc shred_cell(PqJsonShred *s, const PqCell *cell)
{
    static const char *const name[] = {
        [PQ_CELL_INT] = "an INTEGER where JSON was expected",
        [PQ_CELL_REAL] = "a REAL where JSON was expected",
        [PQ_CELL_BLOB] = "a BLOB where JSON was expected"
    };

    if (s->root.variant && cell->kind != PQ_CELL_NULL) {
        return pq_variant_shred_cell(s->root.variant, s->batch, 0, cell,
                                     &s->err);
    }
    if (cell->kind == PQ_CELL_TEXT) {
        return shred_text(s, pq_cell_str(cell));
    }
    if (cell->kind != PQ_CELL_NULL) {
        return pq_fail(&s->err, PQ_USAGE, "%s", name[cell->kind]);
    }
    return s->root.required
               ? pq_fail(&s->err, PQ_USAGE, "NULL, where a value is required")
               : put_absent(s, &s->root, 0, s->root.null_def);
}

/* A cell has failed.  Malformed JSON is a misfit like any other. */
static PQ_COLD PqRc take_back(PqJsonShred *s, PqErr *e)
{
    PqRc rc = s->err.rc == PQ_CORRUPT ? PQ_USAGE : s->err.rc;

    undo_cell(s);
    if (rc == PQ_USAGE && s->null_misfits && !s->root.required) {
        pq_err_clear(&s->err);
        rc = put_absent(s, &s->root, 0, s->root.null_def);
        if (rc == PQ_OK) {
            return PQ_OK;
        }
        undo_cell(s);
    }
    rc = pq_fail(e, rc, "%s", s->err.text);
    pq_err_clear(&s->err);
    return rc;
}

PqRc pq_json_shred_fill(PqJsonShred *s, PqLeafBatch *batches, const PqCells *c,
                        uint32_t from, uint32_t n, uint32_t *misfit, PqErr *e)
{
    s->batch = batches;
    for (uint32_t i = from; i < from + n; i++) {
        set_marks(s);
        if (PQ_UNLIKELY(shred_cell(s, &c->cells[i]))) {
            *misfit = i;
            PQ_TRY(take_back(s, e));
        }
        for (uint32_t k = 0; k < s->root.n_leaves; k++) {
            batches[k].n_rows++;
        }
        if (s->scratch.blocks) {
            pq_arena_reset(&s->scratch);
        }
    }
    return PQ_OK;
}
