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

bool pq_json_int(const PqJsonToken *t, int64_t *out)
{
    return t->kind == PQ_JSON_NUMBER && pq_number_parse_i64(t->text, out) == PQ_PARSE_OK;
}
