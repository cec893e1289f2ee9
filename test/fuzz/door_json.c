/*
** door_json.c - see door_json.h.
*/
#include "test/fuzz/door_json.h"

enum { MOST_FIELDS = 16 };

static PqJsonToken next(PqJsonRead *r)
{
    PqJsonToken t = {0};
    PqErr e;

    pq_err_init(&e);
    DOOR_CHECK(pq_json_read_next(r, &t, &e) == PQ_OK || e.rc == PQ_BUDGET);
    return t;
}

static void skip(PqJsonRead *r, const PqJsonToken *begin)
{
    PqErr e;

    pq_err_init(&e);
    DOOR_CHECK(pq_json_read_skip(r, begin, NULL, &e) == PQ_OK ||
               e.rc == PQ_BUDGET);
}

/* Compares two values, given by their first tokens. */
static void same(const PqNode *n, PqJsonRead *a, PqJsonToken ta, PqJsonRead *b,
                 PqJsonToken tb);

/* Checks that the next value of b is null. */
static void nothing(PqJsonRead *b)
{
    DOOR_CHECK(next(b).kind == PQ_JSON_NULL);
}

static void same_list(const PqNode *n, PqJsonRead *a, PqJsonRead *b)
{
    for (;;) {
        PqJsonToken ta = next(a), tb = next(b);

        DOOR_CHECK((ta.kind == PQ_JSON_ARRAY_END) ==
                   (tb.kind == PQ_JSON_ARRAY_END));
        if (ta.kind == PQ_JSON_ARRAY_END) {
            return;
        }
        same(n->child[0], a, ta, b, tb);
    }
}

/* b is at a pair, a at a key or a pair. */
static void same_entry(const PqNode *n, PqJsonRead *a, PqJsonToken ta,
                       PqJsonRead *b)
{
    PqJsonToken key = next(b);

    if (ta.kind == PQ_JSON_KEY) {
        skip(b, &key);
    } else {
        DOOR_CHECK(ta.kind == PQ_JSON_ARRAY);
        same(n->child[0], a, next(a), b, key);
        ta = next(a);
        if (ta.kind == PQ_JSON_ARRAY_END) {      /* [key] */
            nothing(b);
            DOOR_CHECK(next(b).kind == PQ_JSON_ARRAY_END);
            return;
        }
    }
    if (ta.kind == PQ_JSON_KEY) {
        PqJsonToken value = next(a);
        if (n->n_children > 1) {
            same(n->child[1], a, value, b, next(b));
        } else {
            skip(a, &value);
            nothing(b);
        }
    } else {
        if (n->n_children > 1) {
            same(n->child[1], a, ta, b, next(b));
        } else {
            skip(a, &ta);
            nothing(b);
        }
        DOOR_CHECK(next(a).kind == PQ_JSON_ARRAY_END);
    }
    DOOR_CHECK(next(b).kind == PQ_JSON_ARRAY_END);
}

static void same_map(const PqNode *n, PqJsonRead *a, PqJsonRead *b)
{
    for (;;) {
        PqJsonToken ta = next(a), tb = next(b);
        bool over = ta.kind == PQ_JSON_ARRAY_END ||
                    ta.kind == PQ_JSON_OBJECT_END;

        DOOR_CHECK(over == (tb.kind == PQ_JSON_ARRAY_END));
        if (over) {
            return;
        }
        DOOR_CHECK(tb.kind == PQ_JSON_ARRAY);
        same_entry(n, a, ta, b);
    }
}

static uint32_t field_of(const PqNode *n, PqSlice name)
{
    uint32_t i;

    for (i = 0; i < n->n_children && i < MOST_FIELDS; i++) {
        if (pq_slice_is(name, n->child[i]->name)) {
            return i;
        }
    }
    door_broken(__FILE__, __LINE__, "a member is a field");
}

/* Reads a to its end and keeps the last value of each field for later. */
static void same_struct(const PqNode *n, PqJsonRead *a, PqJsonRead *b)
{
    PqJsonRead values[MOST_FIELDS];
    bool there[MOST_FIELDS] = {false};
    uint32_t i;

    for (;;) {
        PqJsonToken t = next(a);

        if (t.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        i = field_of(n, t.text);
        values[i] = *a;
        there[i] = true;
        t = next(a);
        skip(a, &t);
    }
    for (i = 0; i < n->n_children && i < MOST_FIELDS; i++) {
        PqJsonToken key = next(b);

        DOOR_CHECK(key.kind == PQ_JSON_KEY &&
                   pq_slice_is(key.text, n->child[i]->name));
        if (there[i]) {
            PqJsonToken t = next(&values[i]);
            same(n->child[i], &values[i], t, b, next(b));
        } else {
            nothing(b);
        }
    }
    DOOR_CHECK(next(b).kind == PQ_JSON_OBJECT_END);
}

static void same(const PqNode *n, PqJsonRead *a, PqJsonToken ta, PqJsonRead *b,
                 PqJsonToken tb)
{
    if (ta.kind == PQ_JSON_NULL || tb.kind == PQ_JSON_NULL) {
        DOOR_CHECK(ta.kind == tb.kind);
    } else if (n->kind == PQ_NODE_LEAF) {
        skip(a, &ta);
        DOOR_CHECK(tb.kind != PQ_JSON_ARRAY && tb.kind != PQ_JSON_OBJECT);
    } else if (n->kind == PQ_NODE_LIST) {
        DOOR_CHECK(ta.kind == PQ_JSON_ARRAY && tb.kind == PQ_JSON_ARRAY);
        same_list(n, a, b);
    } else if (n->kind == PQ_NODE_MAP) {
        DOOR_CHECK(tb.kind == PQ_JSON_ARRAY);
        same_map(n, a, b);
    } else {
        DOOR_CHECK(ta.kind == PQ_JSON_OBJECT && tb.kind == PQ_JSON_OBJECT);
        same_struct(n, a, b);
    }
}

void door_check_json(const PqNode *n, PqSlice given, PqSlice back, PqMem *mem)
{
    PqArena strings;
    PqJsonRead a, b;
    PqJsonToken t;

    pq_arena_init(&strings, mem);
    pq_json_read_begin(&a, given, &strings);
    pq_json_read_begin(&b, back, &strings);
    t = next(&a);
    same(n, &a, t, &b, next(&b));
    DOOR_CHECK(next(&b).kind == PQ_JSON_END);
    pq_arena_free(&strings);
}
