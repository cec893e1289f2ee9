/*
** leaf_json.h - the values of one leaf as JSON text, slot after slot.
**
** The function that prints a value is chosen once, from the leaf's type.  The
** texts of dictionary entries are kept once they were made, as long as the
** dictionary is small and its texts are short: a column of dates that repeat
** then costs a copy per value.  Integers and booleans are made faster than
** they are found.
*/
#ifndef PQ_LEAF_JSON_H
#define PQ_LEAF_JSON_H

#include "core/column/vector.h"
#include "core/variant/json_scalar.h"

typedef void (*PqLeafPrint)(const PqType *type, const void *value, PqBuf *out);

PqLeafPrint pq_leaf_json_printer(const PqType *type);

/* Where the text of an entry lies; n == 0: not made yet. */
typedef struct PqLeafSpan { uint32_t at, n; } PqLeafSpan;

typedef struct PqLeafCursor {
    const PqType   *type;
    const char     *path;
    PqLeafPrint     print;
    size_t          width;           /* of a value                          */
    bool            worth_keeping;
    /* The batch. */
    const uint16_t *def, *rep;
    const uint64_t *valid;
    const char     *values;          /* of slots, or of dictionary entries  */
    const uint32_t *ids;
    uint32_t        at, n_slots;
    /* Texts of the entries of dictionary `serial`. */
    PqLeafSpan     *spans;           /* NULL: not for this batch            */
    uint64_t        serial;
    PqBuf           span_bytes, texts;
} PqLeafCursor;

void pq_leaf_json_init(PqLeafCursor *c, const PqNode *leaf, PqMem *mem);
void pq_leaf_json_reset(PqLeafCursor *c);

/* A new batch, cursor at its first slot. */
PqRc pq_leaf_json_begin(PqLeafCursor *c, const PqVector *v, PqErr *e);

/* An entry whose text is not known yet: makes, keeps and appends it. */
void pq_leaf_json_put_new(PqLeafCursor *c, uint32_t id, PqBuf *out);

static inline bool pq_leaf_json_is_null(const PqLeafCursor *c, uint32_t slot)
{
    return c->valid && !pq_bit(c->valid, slot);
}

static inline const void *pq_leaf_json_at(const PqLeafCursor *c, uint32_t slot)
{
    return c->values + (c->ids ? c->ids[slot] : slot) * c->width;
}

/* Appends the value of a slot that is not null. */
static inline void pq_leaf_json_put(PqLeafCursor *c, uint32_t slot, PqBuf *out)
{
    const PqLeafSpan *span;

    if (!c->spans) {
        c->print(c->type, pq_leaf_json_at(c, slot), out);
        return;
    }
    span = &c->spans[c->ids[slot]];
    if (PQ_LIKELY(span->n != 0)) {
        pq_json_scalar_raw(out, c->texts.p + span->at, span->n);
    } else {
        pq_leaf_json_put_new(c, c->ids[slot], out);
    }
}

#endif
