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

#include "core/nested/json_rows.h"
#include "core/variant/json_scalar.h"

typedef void (*PqLeafPrint)(const PqType *type, const void *value, PqBuf *out);

/* Appends a part of a long value, without the quotes. */
typedef void (*PqLeafPart)(PqSlice s, PqBuf *out);

/* Where the text of an entry lies; n == 0: not made yet. */
typedef struct PqLeafSpan { uint32_t at, n; } PqLeafSpan;

typedef struct PqLeafCursor {
    const PqType   *type;
    const char     *path;
    PqLeafPrint     print;
    size_t          width;           /* of a value                          */
    bool            worth_keeping;
    const char    **malformed;       /* becomes path with a text that is not
                                     ** UTF-8; NULL: nobody asks            */
    PqLeafPart      part;            /* NULL: a value is never long         */
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

/* malformed: where strict_utf8 asks for it. */
void pq_leaf_json_init(PqLeafCursor *c, const PqNode *leaf,
                       const PqJsonOptions *options, const char **malformed,
                       PqMem *mem);
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

/* False, and malformed says where, when value is to be UTF-8 and is not. */
bool pq_leaf_json_check(const PqLeafCursor *c, const void *value);

enum { PQ_LEAF_LONG = 4 << 20 };

/* Is the value of a slot one to be written in parts? */
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
