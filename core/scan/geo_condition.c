/*
** geo_condition.c - evaluates a condition on boxes of geometries on batches.
**
** The hard part is that the covering costs four leaves.  It pays where
** geometries are larger than these, and where it rules out many rows.  The
** sizes are compared for each row group.  The rows that it rules out are
** counted, because it is useless for a box that has most rows in it.
**
** Most geometries of large files are points, in 21 bytes that all begin alike.
** These are tested without a call.
*/
#include "core/scan/geo_condition.h"

#include "core/scan/row_box.h"
#include "core/scan/scan_inside.h"
#include "core/simd/kernels.h"

#include <math.h>
#include <stddef.h>

enum {
    POINT_BYTES = 21,                /* byte order, type, two doubles       */
    AXES_AT = 5,
    ROUGH_TRIES = 1 << 14,           /* rows until the outcome is judged    */
    ENOUGH = 8,                      /* 1/ENOUGH of them have to go         */
    WORDS = PQ_BATCH_ROWS / 64
};

/* ---- one geometry -------------------------------------------------------- */

bool pq_geo_condition_holds(const PqGeoCondition *c, PqSlice wkb)
{
    PqGeoBox box;

    return pq_wkb_box(wkb, &box) &&
           pq_geo_box_relates(c->relation, &box, &c->box);
}

static bool point_holds(const PqGeoCondition *c, double x, double y)
{
    PqGeoBox box = {{false}, {0}, {0}};

    pq_geo_box_add(&box, PQ_GEO_X, x);
    pq_geo_box_add(&box, PQ_GEO_Y, y);
    return pq_geo_box_relates(c->relation, &box, &c->box);
}

/* Is every point between min and max wanted, and no other? */
static bool is_plain(const PqGeoCondition *c)
{
    return c->relation != PQ_GEO_CONTAINS &&
           c->box.min[PQ_GEO_X] <= c->box.max[PQ_GEO_X];
}

static double load_double(const void *p)
{
    double v;

    memcpy(&v, p, sizeof v);
    return v;
}

static bool is_usual_point(const PqStr *v)
{
    return v->n == POINT_BYTES && v->p[0] == 1 &&
           pq_load_u32(v->p + 1) == PQ_GEO_POINT;
}

/* Bits of the wanted values, among at most 64 values.  A NaN compares as
** false. */
static uint64_t test_some(const PqGeoCondition *c, const PqStr *v,
                          uint64_t asked)
{
    const double x0 = c->box.min[PQ_GEO_X], x1 = c->box.max[PQ_GEO_X],
                 y0 = c->box.min[PQ_GEO_Y], y1 = c->box.max[PQ_GEO_Y];
    bool plain = is_plain(c);
    uint64_t bits = 0;

    for (; asked; asked &= asked - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(asked);
        bool is;

        if (PQ_LIKELY(plain && is_usual_point(&v[i]))) {
            double x = load_double(v[i].p + AXES_AT);
            double y = load_double(v[i].p + AXES_AT + sizeof x);

            is = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1);
        } else {
            is = pq_geo_condition_holds(c, pq_slice(v[i].p, v[i].n));
        }
        bits |= (uint64_t)is << i;
    }
    return bits;
}

/* ---- WKB ----------------------------------------------------------------- */

static PqRc room_for_entries(PqGeoCondition *c, uint32_t n, PqErr *e)
{
    if (n > c->room) {
        c->room = 0;
        PQ_TRY(PQ_ARENA_NEW(c->arena, c->passes, n + n / 2 + PQ_TABLE_SLACK,
                            e));
        c->room = n + n / 2;
    }
    return PQ_OK;
}

static PqRc test_dictionary(PqGeoCondition *c, const PqDict *d,
                            const PqStop *stop, PqErr *e)
{
    const PqStr *v = d->values;

    if (c->dict_serial == d->serial) {
        return PQ_OK;
    }
    c->dict_serial = 0;
    PQ_TRY(room_for_entries(c, d->n, e));
    for (uint32_t at = 0; at < d->n; at += 64) {
        uint32_t n = d->n - at < 64 ? d->n - at : 64;
        uint64_t bits = test_some(c, v + at, n == 64 ? ~(uint64_t)0
                                                     : ((uint64_t)1 << n) - 1);

        if (at % PQ_BATCH_ROWS == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
        for (uint32_t i = 0; i < n; i++) {
            c->passes[at + i] = bits >> i & 1;
        }
    }
    c->dict_serial = d->serial;
    return PQ_OK;
}

static uint64_t valid_bits(const PqVector *v, uint32_t w)
{
    return v->valid ? v->valid[w] : ~(uint64_t)0;
}

static PqRc apply_wkb(PqGeoCondition *c, PqScan *s, const PqNode *node,
                      uint64_t *keep, PqErr *e)
{
    const PqKernels *k = pq_kernels();
    const PqVector *v;

    PQ_TRY(pq_scan_vector(s, (uint32_t)node->leaf, &v, e));
    if (v->dict) {
        PQ_TRY(test_dictionary(c, v->dict, pq_scan_stop(s), e));
    }
    for (uint32_t w = 0; w < (v->n_rows + 63) / 64; w++) {
        uint32_t at = w * 64, n = v->n_rows - at < 64 ? v->n_rows - at : 64;

        keep[w] &= valid_bits(v, w);
        if (keep[w] && v->dict) {
            keep[w] &= k->look_up64(c->passes, v->ids + at, n);
        } else if (keep[w]) {
            keep[w] = test_some(c, (const PqStr *)v->values + at, keep[w]);
        }
    }
    return PQ_OK;
}

/* ---- leaves of coordinates ----------------------------------------------- */

static double number_at(const PqVector *v, uint32_t slot)
{
    size_t width = pq_physical_width(v->leaf->type.physical);
    const void *p = pq_vector_at(v, width, slot);
    float f;

    if (!pq_vector_is_valid(v, slot)) {
        return NAN;
    }
    if (v->leaf->type.physical == PQ_DOUBLE) {
        return load_double(p);
    }
    memcpy(&f, p, sizeof f);
    return (double)f;
}

static void apply_points(const PqGeoCondition *c, const PqVector *x,
                         const PqVector *y, uint64_t *keep)
{
    PQ_EACH_BIT(row, keep, x->n_rows) {
        if (!point_holds(c, number_at(x, row), number_at(y, row))) {
            pq_bit_clear(keep, row);
        }
    }
}

/* The slots of a row begin where rep is 0. */
static uint32_t end_of_row(const PqVector *v, uint32_t slot)
{
    for (slot++; slot < v->n_slots && v->rep[slot] > 0; slot++) {
    }
    return slot < v->n_slots ? slot : v->n_slots;
}

/* Could it be a box that is cut in two at the antimeridian (pq_wkb_box)?  Only
** its WKB tells. */
static bool may_wrap(const PqGeoBox *b)
{
    return b->has[PQ_GEO_X] && b->min[PQ_GEO_X] <= -180 &&
           b->max[PQ_GEO_X] >= 180;
}

enum { NO_RINGS = UINT16_MAX };

/* The repetition level of the first point of a further ring.  A point of the
** same ring has the next level; another POLYGON has a lower one. */
static uint32_t level_of_rings(PqGeoEncoding encoding)
{
    return encoding == PQ_GEO_AS_POLYGON || encoding == PQ_GEO_AS_MULTIPOLYGON
               ? pq_geometry_depth(encoding) - 1 : NO_RINGS;
}

/* The box of the slots of a row, of first rings only, like the box of its
** WKB. */
static PqGeoBox box_of_slots(const PqVector *x, const PqVector *y,
                             uint32_t from, uint32_t until, uint32_t rings)
{
    PqGeoBox box = {{false}, {0}, {0}};
    bool is_inner = false;

    for (uint32_t i = from; i < until; i++) {
        if (x->rep[i] <= rings) {
            is_inner = x->rep[i] == rings;
        }
        if (!is_inner) {
            pq_geo_box_add(&box, PQ_GEO_X, number_at(x, i));
            pq_geo_box_add(&box, PQ_GEO_Y, number_at(y, i));
        }
    }
    return box;
}

/* Tests rows of lists.  Rows that only their WKB can decide are left in
** `doubt`. */
static void apply_lists(const PqGeoCondition *c, uint32_t rings,
                        const PqVector *x, const PqVector *y, uint64_t *keep,
                        uint64_t *doubt)
{
    uint32_t slot = 0, end;

    for (uint32_t row = 0; row < x->n_rows; row++, slot = end) {
        uint64_t bit = (uint64_t)1 << row % 64;
        PqGeoBox box;

        end = end_of_row(x, slot);
        if (!(keep[row / 64] & bit)) {
            continue;
        }
        box = box_of_slots(x, y, slot, end, rings);
        if (may_wrap(&box)) {
            doubt[row / 64] |= bit;
        } else if (!pq_geo_box_relates(c->relation, &box, &c->box)) {
            keep[row / 64] &= ~bit;
        }
    }
}

static PqRc decide(PqGeoCondition *c, PqScan *s, const uint64_t *doubt,
                   uint64_t *keep, PqErr *e)
{
    uint32_t n_words = (pq_scan_batch(s)->n_rows + 63) / 64;
    uint64_t asked[WORDS], any = 0;

    for (uint32_t w = 0; w < n_words; w++) {
        asked[w] = doubt[w];
        any |= doubt[w];
    }
    if (any) {
        PQ_TRY(c->cells(c, s, asked, e));
    }
    for (uint32_t w = 0; w < n_words && any; w++) {
        keep[w] &= asked[w] | ~doubt[w];
    }
    return PQ_OK;
}

static PqRc apply_x_y(PqGeoCondition *c, PqScan *s, const PqGeometry *g,
                      uint64_t *keep, PqErr *e)
{
    uint64_t doubt[WORDS] = {0};
    const PqVector *x, *y;

    PQ_TRY(pq_scan_vector(s, (uint32_t)g->cover[PQ_COVER_XMIN], &x, e));
    PQ_TRY(pq_scan_vector(s, (uint32_t)g->cover[PQ_COVER_YMIN], &y, e));
    if (!x->rep && !y->rep) {
        apply_points(c, x, y, keep);
        return PQ_OK;
    }
    if (!x->rep || !y->rep || x->n_slots != y->n_slots) {
        return c->cells(c, s, keep, e);
    }
    apply_lists(c, level_of_rings(g->encoding), x, y, keep, doubt);
    return decide(c, s, doubt, keep, e);
}

/* ---- the covering -------------------------------------------------------- */

static int64_t unpacked(PqScan *s, uint32_t leaf, PqArena *a, PqErr *e)
{
    PqColumnChunk chunk;

    return pq_footer_chunk(s->footer, s->batch.group, leaf, a, &chunk, e) ==
                   PQ_OK ? chunk.meta_data.total_uncompressed_size : -1;
}

/* Is the geometry larger than its covering in this row group? */
static bool is_worth_it(PqScan *s, const PqNode *node, const PqGeometry *g)
{
    int64_t own, cover = 0;
    PqArena a;
    PqErr e;

    pq_err_init(&e);
    pq_arena_init(&a, s->mem);
    own = unpacked(s, (uint32_t)node->leaf, &a, &e);
    for (int k = 0; k < PQ_COVERS && cover >= 0 && cover < own; k++) {
        int64_t n = unpacked(s, (uint32_t)g->cover[k], &a, &e);

        cover = n < 0 ? own : cover + n;
    }
    pq_arena_free(&a);
    pq_err_clear(&e);
    return cover < own;
}

static bool wants_rough(PqGeoCondition *c, PqScan *s, const PqNode *node)
{
    const PqGeometry *g = node->geometry;

    if (!c->believes || !g || g->cover[0] < 0 || g->cover_is_x_y ||
        s->batch.rowids || !pq_cover_is_authentic(s->footer, node)) {
        return false;
    }
    if (c->rough_file != s->file_serial || c->rough_group != s->batch.group) {
        c->rough_file = s->file_serial;
        c->rough_group = s->batch.group;
        c->rough = is_worth_it(s, node, g);
    }
    return c->rough && (c->rough_asked < ROUGH_TRIES ||
                        c->rough_left <
                            c->rough_asked - c->rough_asked / ENOUGH);
}

/* The limits of an axis of a row's box: it begins at most_low or before, and
** ends at least_high or after.  gap: at least one of the two holds.  An axis
** that reaches `end`, or -end, may have the other end too. */
typedef struct Limits {
    double most_low, least_high, end;
    bool   gap;
} Limits;

/* False: it may be anything. */
static bool limits_of(const PqGeoCondition *c, int axis, Limits *out)
{
    double min = c->box.min[axis], max = c->box.max[axis];

    *out = (Limits){.most_low = max, .least_high = min, .gap = min > max};
    if (c->relation == PQ_GEO_CONTAINS) {
        *out = (Limits){.most_low = min, .least_high = max};
    }
    return c->relation != PQ_GEO_CONTAINS || min <= max;
}

/* Bits of at most 64 rows whose axis breaks the limits.  A NaN says nothing,
** and neither does an axis whose ends are reversed. */
#define BREAK_OF(T)                                                          \
    static uint64_t break_of_##T(const T *low, const T *high, uint32_t n,    \
                                 T most_low, T least_high, T end, bool gap)  \
    {                                                                        \
        uint64_t bits = 0;                                                   \
                                                                             \
        for (uint32_t i = 0; i < n; i++) {                                   \
            bool a = low[i] > most_low, b = high[i] < least_high;            \
            bool is = (gap ? a & b : a | b) & (low[i] <= high[i]);           \
                                                                             \
            is &= (low[i] > -end) & (high[i] < end);                         \
            bits |= (uint64_t)is << i;                                       \
        }                                                                    \
        return bits;                                                         \
    }
BREAK_OF(float)
BREAK_OF(double)

/* Two steps: one because the limit is rounded, one because the values are. */
static float wider(double v, float to)
{
    return nextafterf(nextafterf((float)v, to), to);
}

static uint64_t break_some(const PqVector *low, const PqVector *high,
                           uint32_t at, uint32_t n, const Limits *l)
{
    double a[64], b[64];

    if (low->dict || high->dict ||
        low->leaf->type.physical != high->leaf->type.physical) {
        for (uint32_t i = 0; i < n; i++) {
            a[i] = number_at(low, at + i);
            b[i] = number_at(high, at + i);
        }
        return break_of_double(a, b, n, (double)wider(l->most_low, HUGE_VALF),
                               (double)wider(l->least_high, -HUGE_VALF),
                               l->end, l->gap);
    }
    if (low->leaf->type.physical == PQ_FLOAT) {
        return break_of_float((const float *)low->values + at,
                              (const float *)high->values + at, n,
                              wider(l->most_low, HUGE_VALF),
                              wider(l->least_high, -HUGE_VALF),
                              (float)l->end, l->gap);
    }
    return break_of_double((const double *)low->values + at,
                           (const double *)high->values + at, n, l->most_low,
                           l->least_high, l->end, l->gap);
}

/* Clears the rows that an axis rules out.  is_arc: it is X on a globe, where 180
** is -180. */
static void test_axis(const PqGeoCondition *c, int axis, bool is_arc,
                      const PqVector *low, const PqVector *high,
                      uint64_t *keep)
{
    Limits l;

    if (!limits_of(c, axis, &l)) {
        return;
    }
    l.end = is_arc ? 180 : HUGE_VAL;
    for (uint32_t w = 0; w < (low->n_rows + 63) / 64; w++) {
        uint32_t at = w * 64, n = low->n_rows - at < 64 ? low->n_rows - at : 64;

        if (keep[w]) {
            keep[w] &= ~(break_some(low, high, at, n, &l) &
                         valid_bits(low, w) & valid_bits(high, w));
        }
    }
}

static PqRc read_cover(PqGeoCondition *c, PqScan *s, const PqGeometry *g,
                       uint64_t *keep, PqErr *e)
{
    static const int pairs[][3] = {
        {PQ_GEO_Y, PQ_COVER_YMIN, PQ_COVER_YMAX},
        {PQ_GEO_X, PQ_COVER_XMIN, PQ_COVER_XMAX}};
    uint32_t n_words = (s->batch.n_rows + 63) / 64;

    c->rough_asked += pq_kernels()->count_bits(keep, n_words);
    for (size_t i = 0; i < PQ_COUNT(pairs); i++) {
        const PqVector *low, *high;

        if (pq_kernels()->count_bits(keep, n_words) == 0) {
            return PQ_OK;
        }
        PQ_TRY(pq_scan_vector(s, (uint32_t)g->cover[pairs[i][1]], &low, e));
        PQ_TRY(pq_scan_vector(s, (uint32_t)g->cover[pairs[i][2]], &high, e));
        if (low->rep || high->rep) {
            return PQ_OK;
        }
        test_axis(c, pairs[i][0], g->cover_may_wrap &&
                  pairs[i][0] == PQ_GEO_X, low, high, keep);
    }
    c->rough_left += pq_kernels()->count_bits(keep, n_words);
    return PQ_OK;
}

/* A covering that cannot be read costs speed only. */
static PqRc apply_cover(PqGeoCondition *c, PqScan *s, const PqGeometry *g,
                        uint64_t *keep, PqErr *e)
{
    PqWhere outer = e->where;
    PqRc rc = read_cover(c, s, g, keep, e);

    if (rc != PQ_OK) {
        c->rough = false;
        for (int k = 0; k < PQ_COVERS; k++) {
            s->leaves[g->cover[k]].group = -1;
        }
    }
    return pq_scan_forgive(rc, outer, e);
}

/* ---- batches ------------------------------------------------------------- */

static PqGeoCondition *of_filter(const PqFilter *f)
{
    return (PqGeoCondition *)(uintptr_t)((const char *)f -
                                         offsetof(PqGeoCondition, filter));
}

static PqRc apply(PqFilter *f, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqGeoCondition *c = of_filter(f);
    const PqNode *node = pq_scan_node(s, c->column);
    const PqGeometry *g = node ? node->geometry : NULL;
    uint32_t n_words = (pq_scan_batch(s)->n_rows + 63) / 64;

    if (!node || c->none) {
        memset(keep, 0, n_words * sizeof *keep);
        return PQ_OK;
    }
    if (g && g->cover_is_x_y) {
        return apply_x_y(c, s, g, keep, e);
    }
    if (!pq_node_is_flat_leaf(node) || node->type.physical != PQ_BYTE_ARRAY ||
        !c->stores_wkb(c, &node->type)) {
        return c->cells(c, s, keep, e);
    }
    if (wants_rough(c, s, node)) {
        PQ_TRY(apply_cover(c, s, g, keep, e));
        if (pq_kernels()->count_bits(keep, n_words) == 0) {
            return PQ_OK;
        }
        s->first_filter = false;     /* few of the geometries are read */
    }
    return apply_wkb(c, s, node, keep, e);
}

/* ---- proofs -------------------------------------------------------------- */

static bool refutes_box(const PqProof *p, const PqGeoBox *box)
{
    const PqGeoCondition *c = (const PqGeoCondition *)(const void *)(
        (const char *)p - offsetof(PqGeoCondition, proof));

    return c->none || !pq_geo_box_may_relate(c->relation, box, &c->box);
}

void pq_geo_condition_init(PqGeoCondition *c, uint32_t column,
                           PqGeoRelation relation, const PqGeoBox *box,
                           bool believes, PqArena *a)
{
    *c = (PqGeoCondition){
        .proof = {.n_columns = 1, .column = {column}, .n_operands = 1,
                  .refutes_box = refutes_box},
        .filter = {.apply = apply},
        .relation = relation,
        .none = !box || !pq_geo_box_is_whole(box),
        .believes = believes,
        .column = column,
        .arena = a,
        .rough_group = -1,
    };
    if (box) {
        c->box = *box;
    }
}
