/*
** json_members.c - walks through an object or an array, and passes over what the
** visitor leaves.
*/
#include "core/lake/json_members.h"

#include "core/text/number_parse.h"

/* Reads to the end of what the visitor did not read to its end. */
static PqRc rest_of(PqJsonRead *r, uint32_t depth, PqErr *e)
{
    PqJsonToken t;

    while (r->depth > depth) {
        PQ_TRY(pq_json_read_next(r, &t, e));
    }
    return PQ_OK;
}

PqRc pq_json_members(PqJsonRead *r, PqJsonVisit visit, void *arg, PqErr *e)
{
    uint32_t depth = r->depth;

    for (;;) {
        PqJsonToken key, value;

        PQ_TRY(pq_json_read_next(r, &key, e));
        if (key.kind != PQ_JSON_KEY) {
            return PQ_OK;
        }
        PQ_TRY(pq_json_read_next(r, &value, e));
        PQ_TRY(visit(arg, r, key.text, &value, e));
        PQ_TRY(rest_of(r, depth, e));
    }
}

PqRc pq_json_elements(PqJsonRead *r, PqJsonVisit visit, void *arg, PqErr *e)
{
    uint32_t depth = r->depth;

    for (;;) {
        PqJsonToken value;

        PQ_TRY(pq_json_read_next(r, &value, e));
        if (value.kind == PQ_JSON_ARRAY_END) {
            return PQ_OK;
        }
        PQ_TRY(visit(arg, r, pq_slice(NULL, 0), &value, e));
        PQ_TRY(rest_of(r, depth, e));
    }
}

PqRc pq_json_object(PqSlice text, PqArena *a, PqJsonVisit visit, void *arg, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    pq_json_read_begin(&r, text, a);
    PQ_TRY(pq_json_read_next(&r, &t, e));
    if (t.kind != PQ_JSON_OBJECT) {
        return pq_fail(e, PQ_CORRUPT, "a JSON object is missing");
    }
    PQ_TRY(pq_json_members(&r, visit, arg, e));
    return pq_json_read_next(&r, &t, e);         /* nothing may follow */
}

typedef struct Picking {
    const PqJsonMember *m;
    size_t              n;
} Picking;

static PqRc pick(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    const Picking *p = arg;

    for (size_t i = 0; i < p->n; i++) {
        const PqJsonMember *m = &p->m[i];

        if (!pq_slice_is(key, m->key) || value->kind == PQ_JSON_NULL) {
            continue;
        }
        if (m->number && !pq_json_int(value, m->number)) {
            return pq_fail(e, PQ_CORRUPT, "%s is not a number", m->key);
        }
        if (m->text) {
            PQ_TRY(pq_json_read_skip(r, value, m->text, e));
            *m->text = value->kind == PQ_JSON_STRING ? value->text : *m->text;
        }
    }
    return PQ_OK;
}

PqRc pq_json_pick(PqJsonRead *r, const PqJsonMember *m, size_t n, PqErr *e)
{
    return pq_json_members(r, pick, &(Picking){m, n}, e);
}

PqRc pq_json_pick_of(PqSlice text, PqArena *a, const PqJsonMember *m, size_t n, PqErr *e)
{
    return pq_json_object(text, a, pick, &(Picking){m, n}, e);
}

typedef struct Each {
    PqJsonEach each;
    void      *arg;
} Each;

static PqRc visit_element(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value,
                          PqErr *e)
{
    const Each *x = arg;
    PqSlice text;

    (void)key;
    PQ_TRY(pq_json_read_skip(r, value, &text, e));
    return x->each(x->arg, value->kind == PQ_JSON_STRING ? value->text : text, e);
}

PqRc pq_json_each(PqSlice text, PqArena *a, PqJsonEach each, void *arg, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    if (!text.n) {
        return PQ_OK;
    }
    pq_json_read_begin(&r, text, a);
    PQ_TRY(pq_json_read_next(&r, &t, e));
    return t.kind == PQ_JSON_ARRAY
               ? pq_json_elements(&r, visit_element, &(Each){each, arg}, e)
               : pq_fail(e, PQ_CORRUPT, "it has another value where a list should be");
}

bool pq_json_int(const PqJsonToken *t, int64_t *out)
{
    return t->kind == PQ_JSON_NUMBER && pq_number_parse_i64(t->text, out) == PQ_PARSE_OK;
}
