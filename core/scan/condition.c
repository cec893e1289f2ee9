/*
** condition.c - evaluates a condition on bounds, dictionaries and batches.
**
** The hard part is to do little for each value.  A condition is compiled again
** only when the type of the leaf changes.  An entry of a dictionary is tested
** once; rows then look up the result.  A batch with values outside the limits
** goes to the host.
**
** Compiling may fail for lack of memory.  A proof then says "maybe".  The
** filter is asked about the same rows later and reports the failure.
*/
#include "core/scan/condition.h"

#include "core/scan/scan.h"
#include "core/simd/kernels.h"

#include <stddef.h>

/* ---- what is wanted ----------------------------------------------------- */

static PqRc compile_for(PqCondition *c, const PqType *type, PqErr *e)
{
    if (c->compiled && pq_type_equal(&c->type, type)) {
        return PQ_OK;
    }
    c->compiled = false;
    c->dict_serial = 0;
    PQ_TRY(c->compile(c, type, &c->wanted, e));
    c->type = *type;
    c->compiled = true;
    return PQ_OK;
}

/* The same for a proof: after an error nothing can be ruled out. */
static bool compiled_for(PqCondition *c, const PqType *type)
{
    PqRc rc;
    PqErr e;

    pq_err_init(&e);
    rc = compile_for(c, type, &e);
    pq_err_clear(&e);
    return rc == PQ_OK;
}

/* ---- proofs ------------------------------------------------------------- */

/* Scans borrow proofs as const, but what was compiled is kept in them. */
static PqCondition *of_proof(const PqProof *p)
{
    return (PqCondition *)(uintptr_t)((const char *)p -
                                      offsetof(PqCondition, proof));
}

/* Does the only value of the rows fail?  The spans are wider than the
** condition, so the host decides. */
static bool fails_alone(const PqCondition *c, const PqBounds *b)
{
    return c->wanted.form == PQ_WANTED_BYTES && !c->wanted.exact && c->holds &&
           b->has_min && b->has_max && pq_slice_equal(b->min, b->max) &&
           !c->holds(c, b->min);
}

static bool refutes(const PqProof *p, const PqLeafBounds *b, int64_t n_rows)
{
    PqCondition *c = of_proof(p);

    return compiled_for(c, &b->leaf->type) &&
           (!pq_wanted_meets(&c->wanted, &c->type, &b->bounds, b->n_values) ||
            (b->n_values == 1 && fails_alone(c, &b->bounds)));
}

static bool hashes(const PqProof *p, const PqLeaf *leaf, const uint64_t **out,
                   uint32_t *n)
{
    PqCondition *c = of_proof(p);
    PqErr e;

    if (!compiled_for(c, &leaf->type)) {
        return false;
    }
    if (!c->hashed || !pq_type_equal(&c->hashed_type, &leaf->type)) {
        pq_err_init(&e);
        c->hashes_known = pq_wanted_hashes(&c->wanted, &c->type, c->arena,
                                           &c->hashes, &c->n_hashes,
                                           &c->hashes_known, &e) == PQ_OK &&
                          c->hashes_known;
        pq_err_clear(&e);
        c->hashed = true;
        c->hashed_type = leaf->type;
    }
    *out = c->hashes;
    *n = c->n_hashes;
    return c->hashes_known;
}

/* ---- values ------------------------------------------------------------- */

enum { AT_ONCE = PQ_WANTED_AT_ONCE, WORDS = AT_ONCE / 64, FEW = 256 };

/* Asks the host about the texts in spans that are wider than the condition. */
static void ask_about(const PqCondition *c, const PqStr *texts, uint32_t n,
                      uint64_t *bits)
{
    PQ_EACH_BIT(i, bits, n) {
        if (!c->holds(c, pq_slice(texts[i].p, texts[i].n))) {
            pq_bit_clear(bits, i);
        }
    }
}

/* At most AT_ONCE values. */
static void test_values(const PqCondition *c, const void *values, uint32_t n,
                        const uint64_t *asked, uint64_t *bits)
{
    bool wider = c->wanted.form == PQ_WANTED_BYTES && !c->wanted.exact;

    if (wider && c->hold) {
        c->hold(c, values, n, asked, bits);
        return;
    }
    pq_wanted_test(&c->wanted, &c->type, values, n, asked, bits);
    if (wider && c->holds) {
        ask_about(c, values, n, bits);
    }
}

static void set_all(uint64_t *bits, uint32_t n)
{
    memset(bits, 0xff, (n + 63) / 64 * sizeof *bits);
    if (n % 64 > 0) {
        bits[n / 64] = ((uint64_t)1 << n % 64) - 1;
    }
}

/* ---- dictionaries ------------------------------------------------------- */

static PqRc room_for_entries(PqCondition *c, uint32_t n, PqErr *e)
{
    if (n > c->room) {
        c->room = 0;
        PQ_TRY(PQ_ARENA_NEW(c->arena, c->passes, n + n / 2 + PQ_TABLE_SLACK,
                            e));
        c->room = n + n / 2;
    }
    c->n_passes = n;
    return PQ_OK;
}

static void note_entries(PqCondition *c, uint32_t at, uint32_t n,
                         const uint64_t *bits)
{
    for (uint32_t i = 0; i < n; i++) {
        c->passes[at + i] = pq_bit(bits, i);
        if (c->passes[at + i]) {
            c->one = at + i;
            c->n_passing++;
        }
    }
}

/* Marks the entries that pass, once per dictionary. */
static PqRc test_dictionary(PqCondition *c, const PqDict *d, size_t width,
                            const PqStop *stop, PqErr *e)
{
    uint64_t bits[WORDS], all[WORDS];

    if (c->dict_serial == d->serial) {
        return PQ_OK;
    }
    c->dict_serial = 0;
    c->n_passing = 0;
    PQ_TRY(room_for_entries(c, d->n, e));
    for (uint32_t at = 0; at < d->n; at += AT_ONCE) {
        uint32_t n = d->n - at < AT_ONCE ? d->n - at : AT_ONCE;

        PQ_TRY(pq_stop_poll(stop, e));
        set_all(all, n);
        test_values(c, (const char *)d->values + at * width, n, all, bits);
        note_entries(c, at, n, bits);
    }
    c->dict_serial = d->serial;
    if (d->n <= FEW) {
        memset(c->few, 0, sizeof c->few);
        for (uint32_t i = 0; i < d->n; i++) {
            c->few[i / 32] |= (uint32_t)c->passes[i] << i % 32;
        }
    }
    return PQ_OK;
}

static void look_up(const PqCondition *c, const uint32_t *ids, uint32_t n,
                    const uint64_t *asked, uint64_t *bits)
{
    const PqKernels *k = pq_kernels();

    if (c->n_passing == 1) {
        k->between32(ids, n, c->one, 0, bits);
        return;
    }
    for (uint32_t at = 0; at < n; at += 64) {
        uint32_t some = n - at < 64 ? n - at : 64;

        bits[at / 64] = !asked[at / 64] || c->n_passing == 0 ? 0
                        : c->n_passing == c->n_passes ? asked[at / 64]
                        : c->n_passes <= FEW
                            ? k->look_up_few64(c->few, ids + at, some)
                        : k->look_up64(c->passes, ids + at, some);
    }
}

/* ---- batches ------------------------------------------------------------ */

static void asked_of(const PqVector *v, const uint64_t *keep, uint64_t *asked)
{
    for (uint32_t w = 0; w < (v->n_rows + 63) / 64; w++) {
        asked[w] = keep[w] & (v->valid ? v->valid[w] : ~(uint64_t)0);
    }
}

static PqRc apply_vector(PqCondition *c, PqScan *s, const PqVector *v,
                         uint64_t *keep, PqErr *e)
{
    uint64_t bits[WORDS], asked[WORDS] = {0};
    uint64_t nulls = c->wanted.nulls ? ~(uint64_t)0 : 0;

    asked_of(v, keep, asked);
    if (v->dict) {
        PQ_TRY(test_dictionary(c, v->dict,
                               pq_physical_width(c->type.physical),
                               pq_scan_stop(s), e));
        look_up(c, v->ids, v->n_rows, asked, bits);
    } else {
        test_values(c, v->values, v->n_rows, asked, bits);
    }
    for (uint32_t w = 0; w < (v->n_rows + 63) / 64; w++) {
        uint64_t valid = v->valid ? v->valid[w] : ~(uint64_t)0;

        keep[w] &= (bits[w] & valid) | (nulls & ~valid);
    }
    return PQ_OK;
}

static bool dictionary_holds(const PqCondition *c, const PqDict *d)
{
    size_t width = pq_physical_width(c->type.physical);
    uint64_t all[WORDS];

    for (uint32_t at = 0; at < d->n; at += AT_ONCE) {
        uint32_t n = d->n - at < AT_ONCE ? d->n - at : AT_ONCE;

        set_all(all, n);
        if (!pq_wanted_bounds_hold(&c->wanted, &c->type,
                                   (const char *)d->values + at * width, n,
                                   all)) {
            return false;
        }
    }
    return true;
}

/* Does the batch have values outside the limits that may be wanted?  In a
** dictionary all entries are checked. */
static bool needs_cells(const PqCondition *c, const PqVector *v,
                        const uint64_t *keep)
{
    uint64_t asked[WORDS];

    if (!c->wanted.bounded || !c->wanted.beyond) {
        return false;
    }
    if (v->dict) {
        return c->dict_serial != v->dict->serial &&
               !dictionary_holds(c, v->dict);
    }
    asked_of(v, keep, asked);
    return !pq_wanted_bounds_hold(&c->wanted, &c->type, v->values, v->n_rows,
                                  asked);
}

static PqRc apply_leaf(PqCondition *c, PqScan *s, const PqNode *node,
                       uint64_t *keep, PqErr *e)
{
    const PqVector *v;

    PQ_TRY(compile_for(c, &node->type, e));
    if (c->wanted.form == PQ_WANTED_CELLS) {
        return c->cells(c, s, keep, e);
    }
    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    PQ_TRY(compile_for(c, &node->type, e));  /* reading may have asked a proof
                                             ** about a leaf of another type */
    return needs_cells(c, v, keep) ? c->cells(c, s, keep, e)
                                   : apply_vector(c, s, v, keep, e);
}

/* In a file without the column all rows are NULL, whatever type it has
** elsewhere. */
static PqRc apply(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqCondition *c = (PqCondition *)(void *)((char *)f -
                                             offsetof(PqCondition, filter));
    const PqNode *node = pq_scan_node(s, c->proof.column[0]);
    uint32_t n_words = (pq_scan_batch(s)->n_rows + 63) / 64;

    if (!node && c->proof.by_value) {
        memset(keep, 0, n_words * sizeof *keep);
        return PQ_OK;                /* NULL is not wanted */
    }
    if (!node || (node->kind != PQ_NODE_LEAF && !pq_node_is_typed_path(node))) {
        return c->cells(c, s, keep, e);
    }
    return apply_leaf(c, s, node, keep, e);
}

/* A cast may fail. */
static bool may_fail(const PqFilter *f, const PqScan *s)
{
    const PqCondition *c = (const PqCondition *)(const void *)(
        (const char *)f - offsetof(PqCondition, filter));

    return pq_scan_casts(s, c->proof.column[0]);
}

/* True for a leaf beside the lists of an unnest, or a column that the file
** lacks.  A cast might fail in a row that has no elements. */
static bool of_rows(const PqFilter *f, const PqScan *s)
{
    const PqCondition *c = (const PqCondition *)(const void *)(
        (const char *)f - offsetof(PqCondition, filter));
    const PqNode *node = pq_scan_node(s, c->proof.column[0]);

    return node ? pq_node_is_flat_leaf(node)
                : pq_scan_is_field(s, c->proof.column[0]);
}

void pq_condition_init(PqCondition *c, uint32_t column, bool by_value,
                       uint32_t n_operands, PqArena *a)
{
    c->proof = (PqProof){.n_columns = 1, .column = {column},
                         .refutes = refutes, .hashes = hashes,
                         .by_value = by_value, .n_operands = n_operands};
    c->filter = (PqFilter){.apply = apply, .may_fail = may_fail,
                           .of_rows = of_rows};
    c->arena = a;
}
