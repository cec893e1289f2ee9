/*
** door_rows.c - see door_rows.h.
*/
#include "test/fuzz/door_rows.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- filling ------------------------------------------------------------- */

PqRc door_fill_open(DoorFill *f, const PqSchema *schema, const PqNode *node,
                    const PqFillRules *rules, PqMem *mem, PqErr *e)
{
    *f = (DoorFill){.schema = schema, .node = node, .rules = rules,
                    .mem = mem};
    f->batches = calloc(node->n_leaves + (size_t)1, sizeof *f->batches);
    DOOR_CHECK(f->batches != NULL);
    for (uint32_t i = 0; i < node->n_leaves; i++) {
        pq_leaf_batch_init(&f->batches[i],
                           &schema->leaves[node->first_leaf + i], mem);
    }
    return node->kind == PQ_NODE_LEAF
               ? PQ_OK
               : pq_json_shred_new(mem, schema, node, rules, &f->shred, e);
}

void door_fill_close(DoorFill *f)
{
    for (uint32_t i = 0; f->batches && i < f->node->n_leaves; i++) {
        pq_leaf_batch_free(&f->batches[i]);
    }
    pq_json_shred_free(f->shred);
    free(f->batches);
}

void door_fill_reset(DoorFill *f)
{
    for (uint32_t i = 0; i < f->node->n_leaves; i++) {
        pq_leaf_batch_reset(&f->batches[i]);
    }
}

/* Fills all cells, or the ones before a misfit. */
static PqRc fill_some(DoorFill *f, const PqCells *c, uint32_t from, uint32_t n,
                      uint32_t *misfit, PqErr *e)
{
    PqErr here;
    PqRc rc;

    pq_err_init(&here);
    rc = f->shred ? pq_json_shred_fill(f->shred, f->batches, c, from, n,
                                       misfit, &here)
                  : pq_leaf_fill(f->batches, c, from, n, f->rules, misfit,
                                 &here);
    if (rc != PQ_OK) {
        door_check_error(&here, NULL);
        DOOR_CHECK(rc == here.rc);
        DOOR_CHECK(rc != PQ_USAGE ||
                   (*misfit >= from && *misfit < from + n));
        DOOR_CHECK(rc == PQ_USAGE || rc == PQ_BUDGET || rc == PQ_NOMEM);
        *e = here;
    }
    return rc;
}

PqRc door_fill_cells(DoorFill *f, const PqCells *c, uint32_t from, uint32_t n,
                     uint8_t *left_out, uint32_t *misfit, PqErr *e)
{
    uint32_t end = from + n, at = from, had, bad = 0;

    *misfit = end;
    while (at < end) {
        PqErr here;
        PqRc rc;

        had = f->batches[0].n_rows;
        pq_err_init(&here);
        rc = fill_some(f, c, at, end - at, &bad, &here);
        if (rc == PQ_OK) {
            DOOR_CHECK(f->batches[0].n_rows == had + (end - at));
            break;
        }
        if (rc != PQ_USAGE) {
            *e = here;
            return rc;
        }
        if (f->shred) {              /* the cells before it are there */
            DOOR_CHECK(f->batches[0].n_rows == had + (bad - at));
        } else {
            DOOR_CHECK(f->batches[0].n_rows == had);
            if (bad > at) {
                uint32_t ignored;

                rc = fill_some(f, c, at, bad - at, &ignored, &here);
                DOOR_CHECK(rc != PQ_USAGE);
                if (rc != PQ_OK) {
                    *e = here;
                    return rc;
                }
            }
        }
        if (left_out) {
            left_out[bad] = 1;
        }
        *misfit = *misfit == end ? bad : *misfit;
        at = bad + 1;
    }
    return PQ_OK;
}

/* ---- comparing ----------------------------------------------------------- */

static bool has_value(const PqLeafBatch *b, uint32_t entry)
{
    return pq_leaf_batch_has_levels(b)  ? b->def[entry] == b->leaf->max_def
           : pq_leaf_batch_has_valid(b) ? pq_bit(b->valid, entry)
                                        : true;
}

DoorAt door_row_after(const PqLeafBatch *b, DoorAt at)
{
    do {
        at.value += has_value(b, at.entry);
        at.entry++;
    } while (at.entry < b->n_entries && b->leaf->max_rep &&
             b->rep[at.entry] != 0);
    return at;
}

const void *door_value(const PqLeafBatch *b, uint32_t i)
{
    return (const uint8_t *)b->values +
           i * pq_physical_width(b->leaf->type.physical);
}

bool door_same_value(const PqLeafBatch *b, uint32_t i, const void *other)
{
    const void *want = door_value(b, i);
    const PqStr *x = want, *y = other;

    return b->leaf->type.physical == PQ_BYTE_ARRAY ||
                   b->leaf->type.physical == PQ_FIXED
               ? x->n == y->n && (x->n == 0 || memcmp(x->p, y->p, x->n) == 0)
               : memcmp(want, other,
                        pq_physical_width(b->leaf->type.physical)) == 0;
}

void door_check_row(const PqLeafBatch *b, DoorAt at, const PqVector *v,
                    uint32_t *slot)
{
    DoorAt end = door_row_after(b, at);
    size_t width = pq_physical_width(b->leaf->type.physical);

    for (; at.entry < end.entry; at.entry++, ++*slot) {
        bool has = has_value(b, at.entry);

        DOOR_CHECK(*slot < v->n_slots);
        DOOR_CHECK(!v->rep || v->rep[*slot] == b->rep[at.entry]);
        DOOR_CHECK(!v->def || !pq_leaf_batch_has_levels(b) ||
                   v->def[*slot] == b->def[at.entry]);
        DOOR_CHECK(pq_vector_is_valid(v, *slot) == has);
        DOOR_CHECK(!has || door_same_value(b, at.value,
                                      pq_vector_at(v, width, *slot)));
        at.value += has;
    }
    DOOR_CHECK(*slot == v->n_slots || !v->rep || v->rep[*slot] == 0);
}

void door_check_batches(const PqLeafBatch *a, const PqLeafBatch *b)
{
    uint32_t i;

    DOOR_CHECK(a->n_rows == b->n_rows && a->n_entries == b->n_entries &&
               a->n_values == b->n_values);
    for (i = 0; i < a->n_entries; i++) {
        DOOR_CHECK(has_value(a, i) == has_value(b, i));
        DOOR_CHECK(!pq_leaf_batch_has_levels(a) || a->def[i] == b->def[i]);
        DOOR_CHECK(!a->leaf->max_rep || a->rep[i] == b->rep[i]);
    }
    for (i = 0; i < a->n_values; i++) {
        DOOR_CHECK(door_same_value(a, i, door_value(b, i)));
    }
}

/* ---- files --------------------------------------------------------------- */

static const char *or_none(const char *text)
{
    return text ? text : "";
}

PqRc door_verify(PqMem *mem, PqInput *in, const PqFooter *f, PqErr *e)
{
    const PqStop never = {NULL, NULL};
    const PqFinding *found = NULL;
    PqVerify *v = NULL;
    PqRc rc;

    PQ_GO(pq_verify_new(mem, in, f, never, &v, e));
    PQ_GO(pq_verify_next(v, &found, e));
    if (found) {
        fprintf(stderr, "does not verify: group %d, column %s, page %d: %s, "
                "expected %s, found %s: %s\n", found->row_group,
                or_none(found->column), found->page, found->what,
                or_none(found->expected), or_none(found->found),
                found->message);
        abort();
    }
done:
    pq_verify_free(v);
    return rc;
}

bool door_stop_asked(void *stop)
{
    DoorStop *s = stop;

    return s->left > 0 && --s->left == 0;
}
