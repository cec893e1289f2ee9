/*
** file_stats.c - reads the statistics of a file in a log.
*/
#include "core/lake/file_stats.h"

#include "core/lake/json_members.h"
#include "core/text/number_parse.h"
#include "core/text/time_parse.h"
#include "core/text/utf8.h"

#include <float.h>
#include <math.h>

/* Of all files: their bounds take 72 bytes each. */
enum { BOUNDS_MOST = 1 << 19 };

enum { FIRST_DAY = -25567 };         /* 1900: before, calendars differ       */

typedef enum Kind { MIN, MAX, NULLS } Kind;

typedef struct Reading {
    const PqLakeSnapshot *s;
    PqArena      *arena;
    Kind          kind;
    const PqNode *node;              /* the struct whose members come        */
    int64_t       n_rows;
    PqLogBounds   v[PQ_FILE_BOUNDS_MOST];
    uint32_t      n;
} Reading;

/* ---- values ------------------------------------------------------------------------------ */

static bool store_integer(const PqType *t, int64_t v, uint8_t out[8], size_t *n)
{
    *n = t->physical == PQ_INT32 ? 4 : 8;
    pq_store_u64(out, (uint64_t)v);
    return *n == 8 || (v >= INT32_MIN && v <= INT32_MAX);
}

/* As far from v as the neighbours of a float are. */
static bool store_float(const PqType *t, double v, bool is_max, uint8_t out[8], size_t *n)
{
    double by = fabs(v) * 4 * FLT_EPSILON + FLT_MIN;
    float f;

    v += is_max ? by : -by;
    f = (float)v;
    *n = t->physical == PQ_FLOAT ? 4 : 8;
    memcpy(out, *n == 4 ? (void *)&f : (void *)&v, *n);
    return isfinite(v) && (*n == 8 || isfinite(f));
}

static bool has_zone(PqSlice s)
{
    size_t n = s.n > 10 ? 10 : s.n;

    for (; n < s.n; n++) {
        if (strchr("Zz+-", s.p[n])) {
            return true;
        }
    }
    return false;
}

static bool store_time(const PqType *t, PqSlice text, bool is_max, uint8_t out[8], size_t *n)
{
    const int64_t second = 1000000, day = 86400 * second;
    int64_t at, by = has_zone(text) || !t->utc ? second : day;
    int32_t days;

    if (t->logical == PQ_TYPE_DATE) {
        return pq_time_parse_date(text, &days) == PQ_PARSE_OK && days >= FIRST_DAY &&
               store_integer(t, days, out, n);
    }
    return text.n > strlen("2024-01-02") && t->unit == PQ_MICROS &&
           pq_time_parse_timestamp(text, PQ_MICROS, true, &at) == PQ_PARSE_OK &&
           at >= (FIRST_DAY + 1) * day && at < INT64_MAX - day &&
           store_integer(t, at + (is_max ? by : -by), out, n);
}

/* The bytes before the first character of which UTF-16 and bytes may think differently:
** U+E000 and greater. */
static PqSlice in_both_orders(PqSlice s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] < 0xee) {
        n++;
    }
    return pq_slice(s.p, n);
}

/* Without memory there is no bound.  A byte 0xff, which no text has, may follow. */
static bool keep(PqArena *a, const void *p, size_t n, bool more, PqSlice *out)
{
    PqErr ignored = PQ_NO_ERR;
    uint8_t *to = pq_arena_bytes(a, n + 1, &ignored);

    if (to) {
        memcpy(to, p, n);
        to[n] = 0xff;
        *out = pq_slice(to, n + more);
    }
    return to != NULL;
}

bool pq_file_text_bound(PqArena *a, PqSlice text, bool is_max, PqSlice *out)
{
    text = in_both_orders(text);
    return keep(a, text.p, text.n, is_max, out);
}

bool pq_file_bound(PqArena *a, const PqType *t, PqSlice text, bool is_number, bool is_max,
                   PqSlice *out)
{
    bool known = false;
    uint8_t bytes[8];
    size_t n = 0;
    int64_t i;
    double d;

    if (!is_number && t->logical == PQ_TYPE_STRING) {
        return pq_file_text_bound(a, text, is_max, out);
    }
    if (!is_number) {
        known = (t->logical == PQ_TYPE_DATE || t->logical == PQ_TYPE_TIMESTAMP) &&
                store_time(t, text, is_max, bytes, &n);
    } else if (pq_type_is_float(t)) {
        known = pq_number_parse_double(text, &d) == PQ_PARSE_OK &&
                store_float(t, d, is_max, bytes, &n);
    } else if ((t->logical == PQ_TYPE_INT && t->is_signed) || t->logical == PQ_TYPE_NONE) {
        known = (t->physical == PQ_INT32 || t->physical == PQ_INT64) &&
                pq_number_parse_i64(text, &i) == PQ_PARSE_OK && store_integer(t, i, bytes, &n);
    }
    return known && keep(a, bytes, n, false, out);
}

static bool store(Reading *r, const PqType *t, const PqJsonToken *value, PqSlice *out)
{
    bool is_number = value->kind == PQ_JSON_NUMBER;

    return (is_number || value->kind == PQ_JSON_STRING) &&
           pq_file_bound(r->arena, t, value->text, is_number, r->kind == MAX, out);
}

/* ---- members ------------------------------------------------------------------------------ */

static const PqNode *field_of(const Reading *r, PqSlice key)
{
    const PqLakeNames *names = &r->s->names;

    for (uint32_t i = 0; i < r->node->n_children; i++) {
        const PqNode *field = r->node->child[i];

        if (names->n ? pq_slice_equal(names->fields[field->element].physical, key)
                     : pq_slice_is(key, field->name)) {
            return field;
        }
    }
    return NULL;
}

PqBounds *pq_file_bounds_of(PqLogBounds *v, uint32_t *n, uint32_t leaf)
{
    uint32_t i = 0;

    while (i < *n && v[i].leaf != leaf) {
        i++;
    }
    if (i == *n && i < PQ_FILE_BOUNDS_MOST) {
        v[(*n)++] = (PqLogBounds){leaf, {.n_nulls = -1, .n_nans = -1}};
    }
    return i < *n ? &v[i].bounds : NULL;
}

static void take_leaf(Reading *r, const PqNode *node, const PqJsonToken *value)
{
    PqBounds *b = pq_file_bounds_of(r->v, &r->n, (uint32_t)node->leaf);

    if (!b) {
        return;
    }
    if (r->kind == NULLS) {
        pq_json_int(value, &b->n_nulls);
    } else if (r->kind == MIN) {
        b->has_min = store(r, &node->type, value, &b->min);
    } else {
        b->has_max = store(r, &node->type, value, &b->max);
    }
}

static PqRc take_value(void *arg, PqJsonRead *json, PqSlice key, const PqJsonToken *value,
                       PqErr *e)
{
    Reading *r = arg;
    const PqNode *outer = r->node, *node = field_of(r, key);
    PqRc rc = PQ_OK;

    if (node && node->kind == PQ_NODE_STRUCT && value->kind == PQ_JSON_OBJECT) {
        r->node = node;
        rc = pq_json_members(json, take_value, r, e);
        r->node = outer;
    } else if (node && node->kind == PQ_NODE_LEAF) {
        take_leaf(r, node, value);
    }
    return rc;
}

static PqRc take_stats(void *arg, PqJsonRead *json, PqSlice key, const PqJsonToken *value,
                       PqErr *e)
{
    static const char *const kinds[] = {
        [MIN] = "minValues", [MAX] = "maxValues", [NULLS] = "nullCount"};
    Reading *r = arg;

    if (pq_slice_is(key, "numRecords") && (!pq_json_int(value, &r->n_rows) || r->n_rows < 0)) {
        r->n_rows = -1;
    }
    for (unsigned i = 0; i < PQ_COUNT(kinds); i++) {
        if (pq_slice_is(key, kinds[i]) && value->kind == PQ_JSON_OBJECT) {
            r->kind = (Kind)i;
            PQ_TRY(pq_json_members(json, take_value, r, e));
        }
    }
    return PQ_OK;
}

/* What contradicts itself says nothing. */
static void check(const PqLakeSnapshot *s, int64_t n_rows, PqLogBounds *to)
{
    const PqLeaf *leaf = &s->schema->schema.leaves[to->leaf];
    const PqType *t = &leaf->type;
    PqBounds *b = &to->bounds;

    b->order = pq_order_of_type(t);
    b->n_nulls = leaf->node->parent ? -1 : b->n_nulls;
    if (b->order == PQ_ORDER_NONE ||
        (b->has_min && b->has_max && pq_order_compare(b->order, t, b->min, b->max) > 0)) {
        b->has_min = b->has_max = false;
    }
    b->all_null = b->n_nulls > 0 && b->n_nulls == n_rows && !b->has_min && !b->has_max;
    if (b->n_nulls != 0 && !b->all_null) {
        b->n_nulls = -1;
    }
    b->n_nans = pq_type_is_float(t) ? -1 : 0;
}

PqRc pq_file_bounds(PqLakeSnapshot *s, const PqLogBounds *v, uint32_t n, int64_t n_rows,
                    PqListedFile *to, PqErr *e)
{
    PqLogBounds *copy;

    to->n_rows = n_rows;
    if (n == 0 || n > BOUNDS_MOST - s->n_bounds) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&s->arena, copy, n, e));
    memcpy(copy, v, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        check(s, n_rows, &copy[i]);
    }
    to->bounds = copy;
    to->n_bounds = n;
    s->n_bounds += n;
    return PQ_OK;
}

PqRc pq_file_stats(PqLakeSnapshot *s, PqSlice stats, PqListedFile *to, PqErr *e)
{
    Reading r = {.s = s, .arena = &s->arena, .node = s->schema->schema.root, .n_rows = -1};
    PqErr wrong = PQ_NO_ERR;
    PqArena scratch;

    if (!stats.n) {
        return PQ_OK;
    }
    pq_arena_init(&scratch, s->arena.mem);
    if (pq_json_object(stats, &scratch, take_stats, &r, &wrong) != PQ_OK) {
        r.n = 0;
        r.n_rows = -1;
    }
    pq_arena_free(&scratch);
    return pq_file_bounds(s, r.v, r.n, r.n_rows, to, e);
}

/* ---- of a new file ----------------------------------------------------------------------- */

PqRc pq_file_footer(const PqPlaces *places, const PqKeyChoice *keys, PqMem *mem, const char *path,
                    PqFooter **out, uint32_t *n_bytes, PqErr *e)
{
    PqInput in = {0};
    uint8_t size[4];
    PqRc rc;

    *out = NULL;
    PQ_GO(pq_places_open(places, mem, path, &in.source, e));
    PQ_GO(pq_footer_read(&in, keys, mem, out, e));
    if (n_bytes) {
        PQ_GO(pq_source_read(in.source, pq_source_size(in.source) - 8, sizeof size, size, e));
        *n_bytes = pq_load_u32(size);
    }
done:
    if (rc != PQ_OK) {
        pq_footer_release(*out);
        *out = NULL;
    }
    pq_source_close(in.source);
    return rc;
}

PqRc pq_leaf_sums(const PqFooter *f, const PqNode *node, PqArena *a, PqLeafSums *out,
                    PqErr *e)
{
    uint32_t n = 0;

    *out = (PqLeafSums){.node = node};
    for (uint32_t g = 0; g < f->n_groups; g++) {
        PqColumnChunk chunk;
        PqBounds b;

        PQ_TRY(pq_footer_chunk(f, g, (uint32_t)node->leaf, a, &chunk, e));
        b = pq_stats_chunk(f, (uint32_t)node->leaf, &chunk.meta_data);
        out->values += chunk.meta_data.num_values;
        out->bytes += chunk.meta_data.total_compressed_size;
        out->nulls = b.n_nulls < 0 || out->nulls < 0 ? -1 : out->nulls + b.n_nulls;
        out->nans = b.n_nans < 0 || out->nans < 0 ? -1 : out->nans + b.n_nans;
        if (b.all_null) {
            continue;
        }
        out->min = n == 0 || (out->has_min && b.has_min &&
                              pq_order_compare(b.order, &node->type, b.min, out->min) < 0)
                       ? b.min : out->min;
        out->max = n == 0 || (out->has_max && b.has_max &&
                              pq_order_compare(b.order, &node->type, b.max, out->max) > 0)
                       ? b.max : out->max;
        out->has_min = b.has_min && (n == 0 || out->has_min);
        out->has_max = b.has_max && (n == 0 || out->has_max);
        n++;
    }
    return PQ_OK;
}

bool pq_lake_cut_text(PqSlice v, int most, bool is_max, uint8_t *text, size_t *n)
{
    static const char greatest[] = "\xf4\x8f\xbf\xbf";
    const uint8_t *at = v.p, *end = v.p + v.n;

    for (int i = 0; i < most && at < end; i++) {
        bool good;

        at += pq_utf8_step(at, end, &good);
        if (!good) {
            return false;
        }
    }
    *n = (size_t)(at - v.p);
    pq_bytes_copy(text, v.p, *n);
    if (is_max && at < end) {
        if ((size_t)(end - at) >= 4 && memcmp(at, greatest, 4) == 0) {
            return false;
        }
        memcpy(text + *n, greatest, 4);
        *n += 4;
    }
    return true;
}

PqRc pq_file_sums(const PqFooter *f, uint32_t most, PqArena *a, PqLeafSums **out, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(a, *out, most + 1u, e));
    for (uint32_t i = 0; i < most && i < f->schema.n_leaves; i++) {
        const PqNode *n = f->schema.leaves[i].node;

        PQ_TRY(pq_node_is_flat_leaf(n) ? pq_leaf_sums(f, n, a, &(*out)[i], e) : PQ_OK);
    }
    return PQ_OK;
}
