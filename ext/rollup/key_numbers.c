/*
** key_numbers.c - keys that are numbers made of stored values.
**
**   date(ts)      the days of instants; texts are made of them for groups only
**   length(url)   the characters of texts
**
** For a dictionary they are made once for all batches.
*/
#include "ext/rollup/inputs_inside.h"

/* Fills `to` with the numbers of n stored values. */
typedef void Make(const PqextInputs *in, const PqextInputKey *k, const PqNode *node,
                  const PqRollupKeyVector *from, uint32_t n, int64_t *to);

static void make_periods(const PqextInputs *in, const PqextInputKey *k,
                         const PqNode *node, const PqRollupKeyVector *from, uint32_t n,
                         int64_t *to)
{
    pqext_time_keys(k->dimension->format, &node->type, from->values,
                    from->ids ? NULL : from->valid, n, to);
}

static void make_lengths(const PqextInputs *in, const PqextInputKey *k,
                         const PqNode *node, const PqRollupKeyVector *from, uint32_t n,
                         int64_t *to)
{
    const uint64_t *keep = from->ids ? NULL : pq_scan_batch(in->source->scan)->keep;
    const uint64_t *valid = from->ids ? NULL : from->valid;
    const PqStr *texts = from->values;

    PQ_EACH_BIT(i, keep, n) {
        if (!valid || pq_bit(valid, i)) {
            to[i] = pqext_text_length(pq_slice(texts[i].p, texts[i].n));
        }
    }
}

static PqRc take_numbers(PqextInputs *in, PqextInputKey *k, const PqNode *node,
                         Make *make, PqRollupKeyVector *out, PqErr *e)
{
    uint32_t n = out->ids ? out->n_entries
                          : pq_scan_batch(in->source->scan)->n_rows;

    if (!out->ids || k->serial != out->entries_serial) {
        int64_t *to;

        k->serial = 0;
        pq_arena_reset(&k->entries);
        to = pq_arena_alloc(&k->entries, (n + 1u) * sizeof *to, e);
        PQ_TRY(to ? PQ_OK : e->rc);
        make(in, k, node, out, n, to);
        k->of_entries = to;
        k->serial = out->ids ? out->entries_serial : 0;
    }
    out->form = PQ_GROUP_INTS;
    out->meaning = 0;                /* numbers made of all types are alike */
    out->values = k->of_entries;
    out->width = sizeof *k->of_entries;
    return PQ_OK;
}

PqRc pqext_key_numbers(PqextInputs *in, PqextInputKey *k, const PqNode *node,
                       PqRollupKeyVector *out, PqErr *e)
{
    const PqextTable *t = in->source->table;

    if (k->dimension->kind == PQEXT_DIM_TIME && pqext_time_is_stored(&node->type)) {
        PQ_TRY(take_numbers(in, k, node, make_periods, out, e));
        k->ids = out->ids;
        k->periods = k->of_entries;
    } else if (k->dimension->is_length && out->form == PQ_GROUP_BYTES &&
               pqext_is_string(t, &node->type) &&
               t->values.invalid_utf8 == PQSQL_UTF8_TEXT) {
        PQ_TRY(take_numbers(in, k, node, make_lengths, out, e));
        out->as_is = true;
    }
    return PQ_OK;
}
