/*
** json_members.c - walks through an object or an array, and passes over what the
** visitor leaves.
*/
#include "core/lake/json_members.h"

#include "core/text/number_parse.h"

#include <assert.h>

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

static PQ_COLD PqRc no_object(PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "a JSON object is missing");
}

PqRc pq_json_object(PqSlice text, PqArena *a, PqJsonVisit visit, void *arg, PqErr *e)
{
    PqJsonRead r;
    PqJsonToken t;

    pq_json_read_begin(&r, text, a);
    PQ_TRY(pq_json_read_next(&r, &t, e));
    if (t.kind != PQ_JSON_OBJECT) {
        return no_object(e);
    }
    PQ_TRY(pq_json_members(&r, visit, arg, e));
    return pq_json_read_next(&r, &t, e);         /* nothing may follow */
}

/* The way to a member in an object; n: of the first key on it, SIZE_MAX if it is not there. */
typedef struct Way {
    const char *text;
    size_t      n;
} Way;

typedef struct Picking {
    const PqJsonMember *m;
    size_t              n;
    Way                 way[PQ_JSON_PICK_MOST];
} Picking;

static void begin(Picking *p, const PqJsonMember *m, size_t n)
{
    assert(n <= PQ_JSON_PICK_MOST);
    p->m = m;
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        p->way[i] = (Way){m[i].key, strcspn(m[i].key, "/")};
    }
}

/* None of them is there. */
static void begin_below(Picking *p, const Picking *above)
{
    p->m = above->m;
    p->n = above->n;
    for (size_t i = 0; i < p->n; i++) {
        p->way[i] = (Way){NULL, SIZE_MAX};
    }
}

static PqRc take(const PqJsonMember *m, PqJsonRead *r, const PqJsonToken *value, PqErr *e)
{
    if (m->number && !pq_json_int(value, m->number)) {
        return pq_fail(e, PQ_CORRUPT, "%s is not a number", m->key);
    }
    if (m->text) {
        PQ_TRY(pq_json_read_skip(r, value, m->text, e));
        *m->text = value->kind == PQ_JSON_STRING ? value->text : *m->text;
    }
    return PQ_OK;
}

static PqRc pick(void *arg, PqJsonRead *r, PqSlice key, const PqJsonToken *value, PqErr *e)
{
    const Picking *p = arg;
    bool goes_on = false;
    Picking below;

    for (size_t i = 0; i < p->n; i++) {
        const Way *w = &p->way[i];

        if (w->n != key.n || memcmp(w->text, key.p, key.n) != 0 || value->kind == PQ_JSON_NULL) {
            continue;
        }
        if (!w->text[w->n]) {
            PQ_TRY(take(&p->m[i], r, value, e));
            continue;
        }
        if (value->kind != PQ_JSON_OBJECT) {
            return no_object(e);
        }
        if (!goes_on) {
            begin_below(&below, p);
        }
        goes_on = true;
        below.way[i] = (Way){w->text + w->n + 1, strcspn(w->text + w->n + 1, "/")};
    }
    return goes_on ? pq_json_members(r, pick, &below, e) : PQ_OK;
}

PqRc pq_json_pick(PqJsonRead *r, const PqJsonMember *m, size_t n, PqErr *e)
{
    Picking p;

    begin(&p, m, n);
    return pq_json_members(r, pick, &p, e);
}

PqRc pq_json_pick_of(PqSlice text, PqArena *a, const PqJsonMember *m, size_t n, PqErr *e)
{
    Picking p;

    begin(&p, m, n);
    return pq_json_object(text, a, pick, &p, e);
}

PqJsonList pq_json_list(PqSlice text, PqArena *a)
{
    PqJsonList l = {.element = {NULL, 0}};

    pq_json_read_begin(&l.r, text, a);
    return l;
}

bool pq_json_list_next(PqJsonList *l, PqErr *e)
{
    PqJsonToken t = {.kind = PQ_JSON_ARRAY};

    if (!l->r.text.n) {
        return false;
    }
    if (l->r.depth == 0 && pq_json_read_next(&l->r, &t, e) == PQ_OK && t.kind != PQ_JSON_ARRAY) {
        pq_fail(e, PQ_CORRUPT, "it has another value where a list should be");
    }
    if (e->rc || pq_json_read_next(&l->r, &t, e) != PQ_OK || t.kind == PQ_JSON_ARRAY_END ||
        pq_json_read_skip(&l->r, &t, &l->element, e) != PQ_OK) {
        return false;
    }
    l->element = t.kind == PQ_JSON_STRING ? t.text : l->element;
    return true;
}

bool pq_json_int(const PqJsonToken *t, int64_t *out)
{
    return t->kind == PQ_JSON_NUMBER && pq_number_parse_i64(t->text, out) == PQ_PARSE_OK;
}
