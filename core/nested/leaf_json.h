/*
** leaf_json.h - prints the values of one leaf as JSON text, slot by slot.
**
** How a value is printed is chosen once, by the leaf's type.  Texts of
** dictionary entries are kept if the dictionary is small and its texts are
** short: a column of repeated dates then costs one copy per value.  Integers
** and booleans are not kept, because printing them is faster than a lookup.
*/
#ifndef PQ_LEAF_JSON_H
#define PQ_LEAF_JSON_H

#include "core/nested/json_rows.h"
#include "core/variant/json_scalar.h"

/* Appends a part of a long value, without the quotes. */
typedef void (*PqLeafPart)(PqSlice s, PqBuf *out);

/* Where the text of an entry lies; n == 0: not made yet. */
typedef struct PqLeafSpan { uint32_t at, n; } PqLeafSpan;

typedef struct PqLeafCursor {
    const PqType   *type;
    const char     *path;
    unsigned        form;            /* private to leaf_json.c              */
    size_t          width;           /* of a value                          */
    bool            worth_keeping, nan_text, as_double;
    int32_t         n_zeros;         /* that a wider DECIMAL has more       */
    const char    **malformed;       /* set to path at a text that is not
                                     ** UTF-8; NULL: not checked            */
    PqLeafPart      part;            /* NULL: a value is never long         */
    /* The batch. */
    const uint16_t *def, *rep;
    const uint64_t *valid;
    const char     *values;          /* of slots, or of dictionary entries  */
    const uint32_t *ids;
    uint32_t        at, n_slots;
    /* Kept texts of the dictionary `serial`. */
    PqLeafSpan     *spans;           /* NULL: not for this batch            */
    uint64_t        serial;
    PqBuf           span_bytes, texts;
} PqLeafCursor;

/* malformed is used only with strict_utf8. */
void pq_leaf_json_init(PqLeafCursor *c, const PqNode *leaf,
                       const PqJsonOptions *options, const char **malformed,
                       PqMem *mem);
void pq_leaf_json_reset(PqLeafCursor *c);

/* Values will look like those of a wider type. */
void pq_leaf_json_as(PqLeafCursor *c, const PqType *wide);

/* Begins a batch, with the cursor at its first slot. */
PqRc pq_leaf_json_begin(PqLeafCursor *c, const PqVector *v, PqErr *e);

/* Appends a value. */
void pq_leaf_json_print(const PqLeafCursor *c, const void *value, PqBuf *out);

/* Makes, keeps and appends the text of a dictionary entry. */
void pq_leaf_json_put_new(PqLeafCursor *c, uint32_t id, PqBuf *out);

static inline bool pq_leaf_json_is_null(const PqLeafCursor *c, uint32_t slot)
{
    return c->valid && !pq_bit(c->valid, slot);
}

static inline const void *pq_leaf_json_at(const PqLeafCursor *c, uint32_t slot)
{
    return c->values + (c->ids ? c->ids[slot] : slot) * c->width;
}

/* False, and *c->malformed is set, if value is not UTF-8. */
bool pq_leaf_json_check(const PqLeafCursor *c, const void *value);

enum { PQ_LEAF_LONG = 4 << 20 };

/* The value of a slot if it must be written in parts, else NULL. */
static inline const PqStr *pq_leaf_json_long(const PqLeafCursor *c,
                                             uint32_t slot)
{
    const PqStr *s;

    if (!c->part || (c->spans && c->spans[c->ids[slot]].n != 0)) {
        return NULL;
    }
    s = pq_leaf_json_at(c, slot);
    return PQ_UNLIKELY(s->n > PQ_LEAF_LONG) ? s : NULL;
}

/* Appends the value of a slot that is not null. */
static inline void pq_leaf_json_put(PqLeafCursor *c, uint32_t slot, PqBuf *out)
{
    const PqLeafSpan *span;

    if (!c->spans) {
        if (PQ_UNLIKELY(c->malformed != NULL)) {
            pq_leaf_json_check(c, pq_leaf_json_at(c, slot));
        }
        pq_leaf_json_print(c, pq_leaf_json_at(c, slot), out);
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
