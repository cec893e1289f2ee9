/*
** unnest_test.c - elements of lists as rows of a scan.
**
** A file of random lists, of which the levels are known:
**
**   id int32; items list of { a int32; parts list of int32 }; tags list of int32
**
** What the scan hands out is compared with what the levels say, slot by slot, for
** each path, with and without filters, whichever leaves are asked for.  Then levels
** by hand: what a list may look like, and what it may not.
*/
#define _GNU_SOURCE
#include "core/scan/unnest.h"
#include "core/scan/unnest_shape.h"
#include "test/unit/made_chunk.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 3000, SLOTS = 60000, ID = 0, A = 1, PARTS = 2, TAGS = 3 };

typedef struct Slots {
    uint32_t n;
    uint16_t rep[SLOTS], def[SLOTS];
    int32_t  value[SLOTS];
} Slots;

typedef struct Lists {
    char       path[96];
    Slots      of[4];
    uint32_t   begins[4][3], begin[4][3][SLOTS]; /* of entries: slots */
    uint64_t   seed;
    int32_t    nulls[2];             /* from and before which rows elements may
                                     ** be null                                 */
    bool       dictionary;           /* of the first pages of a leaf            */
    PqEngine  *engine;
    PqListing  listing;
    PqTable   *table;
    PqScan    *scan;
} Lists;

static const int32_t everywhere[] = {0, ROWS}, nowhere[] = {0, 0},
                     later[] = {ROWS / 2, ROWS}, before[] = {0, ROWS / 2};

static uint32_t draw(Lists *x, uint32_t n)
{
    x->seed = x->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(x->seed >> 33) % n;
}

static void put(Slots *s, uint16_t rep, uint16_t def, int32_t value)
{
    s->rep[s->n] = rep;
    s->def[s->n] = def;
    s->value[s->n++] = value;
}

/* A list of integers that is there from definition level def on. */
static void put_list(Lists *x, Slots *s, uint16_t rep, uint16_t def, uint32_t most,
                     uint16_t again, bool nulls)
{
    uint32_t n = draw(x, most + 1);

    if (n == 0 || draw(x, 8) == 0) {
        put(s, rep, (uint16_t)(def - draw(x, 2)), 0);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool null = draw(x, 5) == 0 && nulls;

        put(s, i == 0 ? rep : again, (uint16_t)(def + (null ? 1 : 2)),
            null ? 0 : (int32_t)draw(x, 99));
    }
}

static void make_rows(Lists *x, uint32_t most)
{
    for (int32_t row = 0; row < ROWS; row++) {
        uint32_t n = draw(x, most + 1);
        bool nulls = row >= x->nulls[0] && row < x->nulls[1];

        put(&x->of[ID], 0, 0, row);
        put_list(x, &x->of[TAGS], 0, 1, 3, 1, nulls);
        if (n == 0) {
            uint16_t def = (uint16_t)draw(x, 2);

            put(&x->of[A], 0, def, 0);
            put(&x->of[PARTS], 0, def, 0);
        }
        for (uint32_t i = 0; i < n; i++) {
            uint16_t rep = i > 0, def = (uint16_t)(2 + draw(x, 3));

            if (draw(x, 10) == 0 && nulls) {     /* a null struct */
                put(&x->of[A], rep, 2, 0);
                put(&x->of[PARTS], rep, 2, 0);
                continue;
            }
            def = def < 3 || !nulls ? 4 : def;
            put(&x->of[A], rep, def, def < 4 ? 0 : (int32_t)draw(x, 99));
            put_list(x, &x->of[PARTS], rep, 4, 3, 2, nulls);
        }
    }
}

/* The entries of a dictionary: 98, 97, ... 0. */
enum { ENTRIES = 99 };

static void add_dictionary(MadeFile *m)
{
    int32_t v[ENTRIES];

    for (int32_t i = 0; i < ENTRIES; i++) {
        v[i] = ENTRIES - 1 - i;
    }
    made_dictionary(m, ENTRIES, v, sizeof v, PQ_ENCODING_PLAIN);
}

/* One byte for each id, in one run. */
static void add_ids(MadeFile *m, const Slots *s, uint32_t at, uint32_t end,
                    const int32_t *v, uint32_t n)
{
    PqBuf b;

    pq_buf_init(&b, m->t->mem, m->t->e);
    pq_buf_byte(&b, 8);
    pq_buf_varint(&b, (uint64_t)((n + 7) / 8) << 1 | 1);
    for (uint32_t i = 0; i < (n + 7) / 8 * 8; i++) {
        pq_buf_byte(&b, i < n ? (uint8_t)(ENTRIES - 1 - v[i]) : 0);
    }
    made_page_v1(m, end - at, s->rep + at, s->def + at, PQ_ENCODING_RLE_DICTIONARY,
                 b.p, b.n);
    pq_buf_free(&b);
}

static void add_chunk(MadeFile *m, const Slots *s, int leaf, uint32_t per_page,
                      bool dictionary)
{
    static const uint16_t levels[4][2] = {{0, 0}, {1, 4}, {2, 6}, {1, 3}};
    uint16_t max = levels[leaf][1];

    made_chunk(m, PQ_INT32, levels[leaf][0], max);
    if (dictionary) {
        add_dictionary(m);
    }
    for (uint32_t at = 0; at < s->n;) {
        static int32_t v[SLOTS];
        uint32_t end = at + per_page, n = 0;

        end = end < s->n ? end : s->n;
        for (uint32_t i = at; i < end; i++) {
            if (s->def[i] == max) {
                v[n++] = s->value[i];
            }
        }
        if (dictionary && at < s->n / 2) {
            add_ids(m, s, at, end, v, n);
        } else {
            made_page_v1(m, end - at, s->rep + at, s->def + at, PQ_ENCODING_PLAIN,
                         v, n * sizeof *v);
        }
        at = end;
    }
}

static PqRc open_lists(Test *t, Lists *x, const char *unnest, bool outer)
{
    PqTableOptions to = {.unnest = unnest, .outer = outer};
    PqScanOptions so = {.memory = 64 << 20, .name = "test"};

    PQ_TRY(pq_engine_new(&x->engine, t->e));
    PQ_TRY(pq_listing_make(x->path, false, NULL, x->engine->mem, NULL, &x->listing,
                           t->e));
    PQ_TRY(pq_table_new(x->engine, &x->listing, &to, &x->table, t->e));
    return pq_scan_new(x->table, &x->listing, &so, &x->scan, t->e);
}

static void close_lists(Lists *x)
{
    pq_scan_free(x->scan);
    pq_table_free(x->table);
    if (x->listing.n_files) {
        pq_listing_free(&x->listing);
    }
    pq_engine_free(x->engine);
    x->scan = NULL;
    x->table = NULL;
    x->engine = NULL;
    x->listing = (PqListing){0};
}

static Lists *new_lists(uint64_t seed, uint32_t most, const int32_t *nulls)
{
    Lists *x = calloc(1, sizeof *x);

    if (!x) {
        abort();
    }
    x->seed = seed;
    memcpy(x->nulls, nulls, sizeof x->nulls);
    make_rows(x, most);
    return x;
}

static void write_lists(Test *t, Lists *x)
{
    PqSchemaElement el[13] = {
        made_group("root", 0, 3, -1), made_leaf("id", PQ_REQUIRED, PQ_INT32),
        made_group("items", PQ_OPTIONAL, 1, PQ_CONVERTED_LIST),
        made_group("list", PQ_REPEATED, 1, -1),
        made_group("element", PQ_OPTIONAL, 2, -1),
        made_leaf("a", PQ_OPTIONAL, PQ_INT32),
        made_group("parts", PQ_OPTIONAL, 1, PQ_CONVERTED_LIST),
        made_group("list", PQ_REPEATED, 1, -1),
        made_leaf("element", PQ_OPTIONAL, PQ_INT32),
        made_group("tags", PQ_OPTIONAL, 1, PQ_CONVERTED_LIST),
        made_group("list", PQ_REPEATED, 1, -1),
        made_leaf("element", PQ_OPTIONAL, PQ_INT32)};
    const char *tmp = getenv("TMPDIR");
    MadeFile m;
    int fd;

    made_begin(t, &m, el, 12);
    for (int leaf = 0; leaf < 4; leaf++) {
        add_chunk(&m, &x->of[leaf], leaf, 500 + draw(x, 1500),
                  x->dictionary && leaf != ID);
    }
    made_footer(&m, ROWS, NULL);
    snprintf(x->path, sizeof x->path, "%s/pq-unnest-XXXXXX",
             tmp && strlen(tmp) < 60 ? tmp : "/tmp");
    fd = mkstemp(x->path);
    if (fd < 0 || write(fd, m.bytes.p, m.bytes.n) != (ssize_t)m.bytes.n ||
        close(fd) != 0) {
        abort();
    }
    made_free(&m);
}

static void remove_lists(Lists *x)
{
    unlink(x->path);
    free(x);
}

/* ---- what is expected ------------------------------------------------------ */

typedef struct Element {
    uint32_t row, entry, unit;       /* entry: of items */
    int32_t  ordinal[2];
} Element;

typedef struct Expected {
    uint32_t n;
    Element  v[SLOTS];
} Expected;

enum { UNFILTERED, BY_ROW, BY_ELEMENT, FILTERS };

static bool wanted_row(uint32_t row)
{
    return row % 7 == 3 || (row > 1000 && row < 1300);
}

/* depth 1: by the slots of a, 2: by those of parts. */
static void expect(const Lists *x, uint32_t depth, bool outer, int filter,
                   Expected *out)
{
    static const uint16_t there[2] = {2, 5};
    const Slots *s = &x->of[depth == 1 ? A : PARTS];
    Element at = {UINT32_MAX, UINT32_MAX, 0, {0, 0}};

    out->n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        at.row += s->rep[i] == 0;
        at.entry += s->rep[i] <= 1;
        at.unit = i;
        at.ordinal[0] = s->rep[i] == 0 ? 0 : at.ordinal[0] + (s->rep[i] == 1);
        at.ordinal[1] = s->rep[i] <= 1 ? 0 : at.ordinal[1] + 1;
        if ((outer || s->def[i] >= there[depth - 1]) &&
            (filter == UNFILTERED || wanted_row(at.row))) {
            Element *e = &out->v[out->n++];

            *e = at;
            for (uint32_t k = 0; k < depth; k++) {
                e->ordinal[k] = s->def[i] < there[k] ? -1 : e->ordinal[k];
            }
        }
    }
}

/* The slots of the nth entry at a level. */
static uint32_t entry_slot(const Slots *s, uint32_t level, uint32_t nth)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->rep[i] <= level && nth-- == 0) {
            return i;
        }
    }
    return s->n;
}

/* Are these slots of v those of s from `from` on, until the next entry? */
static bool same_slots(const PqVector *v, uint32_t *slot, const Slots *s,
                       uint32_t from, uint32_t level)
{
    uint32_t i = from;

    do {
        uint16_t rep = s->rep[i] <= level ? 0 : s->rep[i];
        bool valid = s->def[i] == v->leaf->max_def;

        if (*slot >= v->n_slots || (v->rep && v->rep[*slot] != rep) ||
            (v->def && v->def[*slot] != s->def[i]) ||
            pq_vector_is_valid(v, *slot) != valid ||
            (valid && *(const int32_t *)pq_vector_at(v, 4, *slot) !=
                          s->value[i])) {
            return false;
        }
        ++*slot;
        i++;
    } while (i < s->n && s->rep[i] > level);
    return true;
}

/* ---- filters --------------------------------------------------------------- */

static PqRc by_id(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    const PqVector *v;

    PQ_TRY(pq_scan_vector(s, ID, &v, e));
    for (uint32_t i = 0; i < v->n_rows; i++) {
        uint32_t row = (uint32_t) *(const int32_t *)pq_vector_at(v, 4, i);

        if (!wanted_row(row)) {
            keep[i / 64] &= ~((uint64_t)1 << i % 64);
        }
    }
    return PQ_OK;
}

static bool yes(const PqFilter *f, const PqScan *s)
{
    return true;
}

/* ---- the comparison -------------------------------------------------------- */

typedef struct Asked {
    uint32_t depth;
    bool     outer;
    int      filter;
    unsigned leaves;                 /* a bit for each */
    bool     backwards;              /* the last leaf first */
} Asked;

static bool row_of_element(Test *t, Lists *x, const Asked *a, uint32_t i,
                           const Element *want)
{
    int64_t ordinal, rowid, file_row = pq_scan_row_in_file(x->scan, i);
    uint32_t first = entry_slot(&x->of[a->depth == 1 ? A : PARTS], 0, want->row);

    for (uint32_t k = 0; k < a->depth; k++) {
        if (pq_scan_ordinal(x->scan, k, i, &ordinal, t->e) != PQ_OK ||
            ordinal != want->ordinal[k]) {
            return false;
        }
    }
    return pq_scan_rowid(x->scan, i, &rowid, t->e) == PQ_OK &&
           rowid == ((int64_t)want->row << 20 | (want->unit - first)) &&
           file_row == want->row;
}

/* The level at which a leaf repeats as the elements do, and which entry it is. */
static bool leaf_of_element(Lists *x, const Asked *a, uint32_t leaf,
                            const PqVector *v, uint32_t *slot,
                            const Element *want)
{
    uint32_t level = leaf == ID || leaf == TAGS ? 0
                     : leaf == A || a->depth == 1 ? 1 : 2;
    uint32_t nth = level == 0 ? want->row
                   : level == 1 ? want->entry : want->unit;

    if (x->begins[leaf][level] == 0) {
        for (uint32_t i = 0; i < x->of[leaf].n; i++) {
            if (x->of[leaf].rep[i] <= level) {
                x->begin[leaf][level][x->begins[leaf][level]++] = i;
            }
        }
    }
    return same_slots(v, slot, &x->of[leaf], x->begin[leaf][level][nth],
                      level);
}

/* Where a row begins.  Each has a slot at least. */
static uint32_t slot_of_row(const PqVector *v, uint32_t row)
{
    uint32_t begun = 0;

    if (v->n_slots == v->n_rows) {
        return row;
    }
    for (uint32_t i = 0; i < v->n_slots; i++) {
        begun += v->rep[i] == 0;
        if (begun == row + 1) {
            return i;
        }
    }
    return v->n_slots;
}

static bool compare_batch(Test *t, Lists *x, const Asked *a,
                          const Expected *want, uint32_t *at)
{
    const PqBatch *b = pq_scan_batch(x->scan);
    uint32_t slots[4] = {0};
    const PqVector *v[4];

    for (uint32_t k = 0; k < 4; k++) {
        uint32_t leaf = a->backwards ? 3 - k : k;

        if (a->leaves >> leaf & 1 &&
            pq_scan_vector(x->scan, leaf, &v[leaf], t->e) != PQ_OK) {
            return false;
        }
    }
    for (uint32_t i = 0; i < b->n_rows; i++) {
        bool kept = !b->keep || pq_bit(b->keep, i);
        Expected *all = (Expected *)(uintptr_t)want;

        if (!kept) {
            if (a->filter != BY_ELEMENT) {
                return false;
            }
            continue;
        }
        if (*at == all->n) {
            return false;
        }
        for (uint32_t leaf = 0; leaf < 4; leaf++) {
            if (a->leaves >> leaf & 1) {
                slots[leaf] = slot_of_row(v[leaf], i);
                if (!leaf_of_element(x, a, leaf, v[leaf], &slots[leaf],
                                     &all->v[*at])) {
                    return false;
                }
            }
        }
        if (*at % 5 == 0 && !row_of_element(t, x, a, i, &all->v[*at])) {
            return false;
        }
        ++*at;
    }
    return true;
}

static bool compare(Test *t, Lists *x, const Asked *a)
{
    static Expected want;
    PqFilter f = {.apply = by_id, .of_rows = a->filter == BY_ROW ? yes : NULL};
    uint32_t at = 0;
    bool more, same;

    expect(x, a->depth, a->outer, a->filter, &want);
    same = open_lists(t, x, a->depth == 1 ? "items" : "items.parts",
                      a->outer) == PQ_OK &&
           pq_scan_start(x->scan, NULL, 0, NULL, NULL, t->e) == PQ_OK &&
           (!a->filter || pq_scan_add_filter(x->scan, &f, t->e) == PQ_OK);
    for (more = same; same && more;) {
        same = pq_scan_next(x->scan, &more, t->e) == PQ_OK &&
               (!more || compare_batch(t, x, a, &want, &at));
    }
    close_lists(x);
    return same && at == want.n;
}

TEST(unnest, elements_are_what_the_levels_say)
{
    static const unsigned leaves[] = {0, 1, 2, 4, 8, 3, 15};

    static const int32_t *const nulls[] = {everywhere, nowhere, later, before};

    for (uint32_t k = 0; k < 4 * PQ_COUNT(leaves) * FILTERS; k++) {
        Asked a = {.depth = 1 + k % 2, .outer = k / 2 % 2,
                   .leaves = leaves[k / 4 % PQ_COUNT(leaves)],
                   .filter = (int)(k / 4 / PQ_COUNT(leaves)),
                   .backwards = k % 3 == 0};
        Lists *x = new_lists(k / 4, k % 5 == 0 ? 1 : 7, nulls[k / 4 % 4]);

        x->dictionary = k / 2 % 5 < 2;
        write_lists(t, x);
        if (!compare(t, x, &a)) {
            test_fail(t, __FILE__, __LINE__, "depth %u outer %d leaves %x "
                      "filter %d case %u: %s", a.depth, a.outer, a.leaves,
                      a.filter, k, t->e->text);
        }
        remove_lists(x);
    }
}

/* ---- levels by hand -------------------------------------------------------- */

static const PqLeaf deep = {.max_rep = 2, .max_def = 4};
static const uint16_t deep_defs[] = {2, 4};

static PqRc shape_of(Test *t, PqShape *s, const uint16_t *rep,
                     const uint16_t *def, uint32_t n, bool outer)
{
    PqVector v = {.leaf = &deep, .n_slots = n, .rep = rep, .def = def};

    for (uint32_t i = 0; i < n; i++) {
        v.n_rows += rep[i] == 0;
    }
    *s = (PqShape){.depth = 2, .element_def = deep_defs};
    return pq_shape_make(s, t->mem, &v, outer, NULL, 0, t->e);
}

/* [[x, y], []], null, [null, [z]] */
TEST(unnest, a_shape_counts_entries_and_ordinals)
{
    static const uint16_t rep[] = {0, 2, 1, 0, 0, 1};
    static const uint16_t def[] = {4, 4, 3, 0, 2, 4};
    uint32_t out[6];
    PqShape s;

    CHECK_OK(shape_of(t, &s, rep, def, 6, false));
    CHECK_INT(s.n_elements, 3);
    pq_shape_entries(&s, 0, out);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 2);
    pq_shape_entries(&s, 1, out);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 4);
    pq_shape_ordinals(&s, 0, out);
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == 1);
    pq_shape_ordinals(&s, 1, out);
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 0);
    pq_shape_positions(&s, out);
    CHECK(out[0] == 0 && out[1] == 1 && out[2] == 1);
    pq_shape_free(&s);
    CHECK_OK(shape_of(t, &s, rep, def, 6, true));
    CHECK_INT(s.n_elements, 6);
    pq_shape_ordinals(&s, 0, out);
    CHECK(out[2] == 1 && out[3] == UINT32_MAX && out[4] == 0);
    pq_shape_ordinals(&s, 1, out);
    CHECK(out[2] == UINT32_MAX && out[4] == UINT32_MAX && out[5] == 0);
    pq_shape_free(&s);
}

TEST(unnest, a_list_that_goes_on_without_elements_is_an_error)
{
    static const uint16_t rep[] = {0, 1}, def[] = {0, 1};
    PqShape s;

    CHECK_FAILS(shape_of(t, &s, rep, def, 2, false), PQ_CORRUPT,
                "a list goes on that has no element");
    pq_shape_free(&s);
}

TEST(unnest, leaves_of_other_lengths_are_an_error)
{
    Lists *x = new_lists(1, 5, everywhere), *y = new_lists(2, 5, everywhere);
    const PqVector *v;
    bool more;

    x->of[PARTS] = y->of[PARTS];
    free(y);
    write_lists(t, x);
    CHECK_OK(open_lists(t, x, "items", false));
    CHECK_OK(pq_scan_start(x->scan, NULL, 0, NULL, NULL, t->e));
    CHECK_OK(pq_scan_next(x->scan, &more, t->e));
    CHECK(more);
    CHECK_OK(pq_scan_vector(x->scan, A, &v, t->e));
    CHECK_FAILS(pq_scan_vector(x->scan, PARTS, &v, t->e), PQ_CORRUPT,
                "its lists have other lengths than those of column "
                "items.list.element.a");
    CHECK(t->e->where.file && t->e->where.row_group == 0);
    CHECK_TEXT(t->e->where.column, "items.list.element.parts.list.element");
    close_lists(x);
    remove_lists(x);
}

/* Are the entries of a node those of the rows of the batch, in a leaf? */
static void check_entries(Test *t, Lists *x, const PqNode *node, uint32_t leaf)
{
    const PqVector *v;
    PqScanEntries of;

    CHECK_OK(pq_scan_entries(x->scan, node, &of, t->e));
    CHECK_OK(pq_scan_entry_vector(x->scan, node, leaf, &v, t->e));
    CHECK_INT(v->n_rows, of.n);
    for (uint32_t i = 0; i < pq_scan_batch(x->scan)->n_rows; i++) {
        uint32_t row = (uint32_t)pq_scan_row_in_file(x->scan, i);
        uint32_t slot = slot_of_row(v, of.of_row[i]);

        CHECK(same_slots(v, &slot, &x->of[leaf], entry_slot(&x->of[leaf], 0, row),
                         0));
    }
}

/* Values of several leaves: each entry once.  The elements of a batch stay when their
** lists are asked for. */
TEST(unnest, entries_of_a_node_come_once)
{
    Lists *x = new_lists(3, 7, later);
    const PqSchema *schema;
    const PqVector *a;
    PqScanEntries of;
    int32_t first;
    bool more;

    write_lists(t, x);
    CHECK_OK(open_lists(t, x, "items", false));
    CHECK_OK(pq_scan_start(x->scan, NULL, 0, NULL, NULL, t->e));
    for (;;) {
        CHECK_OK(pq_scan_next(x->scan, &more, t->e));
        if (!more) {
            break;
        }
        schema = &pq_scan_footer(x->scan)->schema;
        CHECK_OK(pq_scan_vector(x->scan, A, &a, t->e));
        first = *(const int32_t *)pq_vector_at(a, 4, 0);
        check_entries(t, x, schema->root->child[2], TAGS);
        check_entries(t, x, schema->root->child[1], A);
        CHECK_INT(*(const int32_t *)pq_vector_at(a, 4, 0), first);
        CHECK_OK(pq_scan_entries(x->scan, schema->leaves[A].node, &of, t->e));
        CHECK(of.of_row == NULL);
    }
    close_lists(x);
    remove_lists(x);
}

/* Each allocation and each read fails once.  Either the scan fails with a message,
** or the point does not matter. */
TEST(unnest, every_point_may_fail)
{
    Lists *x = new_lists(4, 7, everywhere);

    write_lists(t, x);
    for (uint32_t k = 0; k < 4; k++) {
        Asked a = {.depth = 1 + k % 2, .outer = k > 1, .leaves = 15,
                   .filter = k > 0 ? BY_ROW : UNFILTERED};

        for (int n = 1;; n += 3) {
            bool same, passed;

            pq_fault_set(n);
            same = compare(t, x, &a);
            passed = pq_fault_count() >= n;
            pq_fault_set(0);
            if (!same) {
                CHECK(t->e->rc != PQ_OK);
                pq_err_clear(t->e);
                pq_where_reset(t->e);
            }
            if (!passed) {
                CHECK(same);
                break;
            }
        }
    }
    remove_lists(x);
}
