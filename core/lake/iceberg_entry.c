/*
** iceberg_entry.c - see the specification, "Manifests" and "Manifest Lists".
**
** The partition of a file is read from the file itself, which has the columns too: see
** iceberg_transform.h.
*/
#include "core/lake/iceberg_entry.h"

#include "core/base/ascii.h"
#include "core/lake/avro_write.h"
#include "core/lake/file_stats.h"
#include "core/lake/lake_schema.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

#include <stddef.h>

enum { BLOCK_SIZE = 64 << 20 };      /* that version 1 wants to have written */

typedef enum Map { VALUES, NULLS, LOWER, UPPER, MAPS } Map;

/* A data file in a manifest. */
typedef struct Entry {
    int64_t status, snapshot, sequence, content, rows, size, block_size, first_row;
    PqSlice path, format, partition, maps[MAPS];
} Entry;

/* RAW: it is in Avro already. */
typedef enum Kind { INT, LONG, TEXT, RAW } Kind;

typedef struct Field {
    int32_t     id;
    const char *name;
    Kind        kind;
    size_t      at;                  /* of its value in the record: int64_t or PqSlice */
    bool        optional;            /* null: a number below 0, no bytes     */
    int         from, to;            /* versions of the format               */
    const char *type;                /* RAW: a pattern of JSON; NULL: the partition */
} Field;

#define PAIRS(key, value, type) "{'type':'array','logicalType':'map','items':{" \
    "'type':'record','name':'k" #key "_v" #value "','fields':[" \
    "{'name':'key','type':'int','field-id':" #key "}," \
    "{'name':'value','type':'" type "','field-id':" #value "}]}}"
#define MAYBE(type) "['null','" type "'],'default':null"
#define AT(member) offsetof(Entry, member)

static const Field of_entry[] = {
    {0, "status", INT, AT(status), false, 1, 3, NULL},
    {1, "snapshot_id", LONG, AT(snapshot), false, 1, 1, NULL},
    {1, "snapshot_id", LONG, AT(snapshot), true, 2, 3, NULL},
    {3, "sequence_number", LONG, AT(sequence), true, 2, 3, NULL},
    {4, "file_sequence_number", LONG, AT(sequence), true, 2, 3, NULL},
};
static const Field of_file[] = {
    {134, "content", INT, AT(content), false, 2, 3, NULL},
    {100, "file_path", TEXT, AT(path), false, 1, 3, NULL},
    {101, "file_format", TEXT, AT(format), false, 1, 3, NULL},
    {102, "partition", RAW, AT(partition), false, 1, 3, NULL},
    {103, "record_count", LONG, AT(rows), false, 1, 3, NULL},
    {104, "file_size_in_bytes", LONG, AT(size), false, 1, 3, NULL},
    {105, "block_size_in_bytes", LONG, AT(block_size), false, 1, 1, NULL},
    {109, "value_counts", RAW, AT(maps[VALUES]), true, 1, 3, PAIRS(119, 120, "long")},
    {110, "null_value_counts", RAW, AT(maps[NULLS]), true, 1, 3, PAIRS(121, 122, "long")},
    {125, "lower_bounds", RAW, AT(maps[LOWER]), true, 1, 3, PAIRS(126, 127, "bytes")},
    {128, "upper_bounds", RAW, AT(maps[UPPER]), true, 1, 3, PAIRS(129, 130, "bytes")},
    {142, "first_row_id", LONG, AT(first_row), true, 3, 3, NULL},
};
#undef AT
#define AT(member) offsetof(PqIcebergListed, member)

static const char summaries[] =
    "{'type':'array','items':{'type':'record','name':'r508','fields':["
    "{'name':'contains_null','type':'boolean','field-id':509},"
    "{'name':'contains_nan','type':" MAYBE("boolean") ",'field-id':518},"
    "{'name':'lower_bound','type':" MAYBE("bytes") ",'field-id':510},"
    "{'name':'upper_bound','type':" MAYBE("bytes") ",'field-id':511}]},'element-id':508}";
static const Field of_list[] = {
    {500, "manifest_path", TEXT, AT(path), false, 1, 3, NULL},
    {501, "manifest_length", LONG, AT(length), false, 1, 3, NULL},
    {502, "partition_spec_id", INT, AT(spec), false, 1, 3, NULL},
    {517, "content", INT, AT(content), false, 2, 3, NULL},
    {515, "sequence_number", LONG, AT(sequence), false, 2, 3, NULL},
    {516, "min_sequence_number", LONG, AT(least_sequence), false, 2, 3, NULL},
    {503, "added_snapshot_id", LONG, AT(snapshot), false, 1, 3, NULL},
    {504, "added_files_count", INT, AT(files[0]), false, 1, 3, NULL},
    {505, "existing_files_count", INT, AT(files[1]), false, 1, 3, NULL},
    {506, "deleted_files_count", INT, AT(files[2]), false, 1, 3, NULL},
    {512, "added_rows_count", LONG, AT(rows[0]), false, 1, 3, NULL},
    {513, "existing_rows_count", LONG, AT(rows[1]), false, 1, 3, NULL},
    {514, "deleted_rows_count", LONG, AT(rows[2]), false, 1, 3, NULL},
    {507, "partitions", RAW, AT(summaries), true, 1, 3, summaries},
    {520, "first_row_id", LONG, AT(first_row), true, 3, 3, NULL},
};
#undef AT

/* ---- schemas ----------------------------------------------------------------------------- */

/* Avro knows letters, digits and "_". */
static void add_avro_name(PqSlice name, PqBuf *out)
{
    if (name.n && pq_ascii_is_digit((char)name.p[0])) {
        pq_buf_byte(out, '_');
    }
    for (size_t i = 0; i < name.n; i++) {
        char c = (char)name.p[i];

        if (pq_ascii_is_letter(c) || pq_ascii_is_digit(c) || c == '_') {
            pq_buf_byte(out, name.p[i]);
        } else {
            pq_buf_printf(out, "_x%X", name.p[i]);
        }
    }
}

static void add_partition_type(const PqIcebergManifest *m, PqBuf *out)
{
    pq_json_text_print(out, "{'type':'record','name':'r102','fields':[");
    for (uint32_t i = 0; i < m->n_by; i++) {
        pq_json_text_print(out, i ? ",{'name':'" : "{'name':'");
        add_avro_name(pq_slice_text(m->by[i].folder), out);
        pq_json_text_print(out, "','type':['null',%j],'default':null,'field-id':%d}",
                           pq_slice_text(pq_iceberg_transform_type(&m->by[i])), m->by[i].id);
    }
    pq_buf_text(out, "]}");
}

static void add_fields(const Field *v, size_t n, int64_t format, const PqIcebergManifest *m,
                       PqBuf *out)
{
    static const char *const words[] = {[INT] = "'int'", [LONG] = "'long'", [TEXT] = "'string'"};
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (format < v[i].from || format > v[i].to) {
            continue;
        }
        pq_json_text_print(out, any ? ",{'name':%s,'type':" : "{'name':%s,'type':", v[i].name);
        any = true;
        pq_json_text_print(out, v[i].optional ? "['null'," : "");
        if (v[i].kind == RAW && !v[i].type) {
            add_partition_type(m, out);
        } else {
            pq_json_text_print(out, v[i].kind == RAW ? v[i].type : words[v[i].kind]);
        }
        pq_json_text_print(out, v[i].optional ? "],'default':null" : "");
        pq_json_text_print(out, ",'field-id':%d}", (int64_t)v[i].id);
    }
}

PqSlice pq_iceberg_entry_schema(const PqIcebergManifest *m, PqArena *a, PqErr *e)
{
    PqBuf out;

    pq_buf_init(&out, a->mem, e);
    pq_json_text_print(&out, "{'type':'record','name':'manifest_entry','fields':[");
    add_fields(of_entry, PQ_COUNT(of_entry), m->format, m, &out);
    pq_json_text_print(&out, ",{'name':'data_file','type':{'type':'record','name':'r2',"
                       "'fields':[");
    add_fields(of_file, PQ_COUNT(of_file), m->format, m, &out);
    pq_json_text_print(&out, "]},'field-id':2}]}");
    return pq_arena_take_bytes(a, &out);
}

PqSlice pq_iceberg_list_schema(int64_t format, PqArena *a, PqErr *e)
{
    PqBuf out;

    pq_buf_init(&out, a->mem, e);
    pq_json_text_print(&out, "{'type':'record','name':'manifest_file','fields':[");
    add_fields(of_list, PQ_COUNT(of_list), format, NULL, &out);
    pq_buf_text(&out, "]}");
    return pq_arena_take_bytes(a, &out);
}

/* ---- records ----------------------------------------------------------------------------- */

static void put_record(const Field *v, size_t n, int64_t format, const void *record, PqBuf *out)
{
    for (size_t i = 0; i < n; i++) {
        const void *at = (const char *)record + v[i].at;
        bool is_number = v[i].kind == INT || v[i].kind == LONG;
        int64_t number = is_number ? *(const int64_t *)at : 0;
        PqSlice bytes = is_number ? pq_slice(NULL, 0) : *(const PqSlice *)at;
        bool is_null = v[i].optional && (is_number ? number < 0 : bytes.n == 0);

        if (format < v[i].from || format > v[i].to) {
            continue;
        }
        if (v[i].optional) {
            pq_avro_put_long(out, !is_null);
        }
        if (is_null) {
            continue;
        }
        if (is_number) {
            pq_avro_put_long(out, number);
        } else if (v[i].kind == TEXT) {
            pq_avro_put_bytes(out, bytes);
        } else {
            pq_buf_add(out, bytes.p, bytes.n);
        }
    }
}

/* An array of n items, which are freed. */
static PqSlice array_of(PqBuf *items, uint32_t n, PqArena *a, PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    if (n) {
        pq_avro_put_long(&b, n);
        pq_buf_add(&b, items->p, items->n);
    }
    pq_avro_put_long(&b, 0);
    pq_buf_free(items);
    return pq_arena_take_bytes(a, &b);
}

/* ---- what a file has --------------------------------------------------------------------- */

static bool cut_text(PqSlice v, bool is_max, PqArena *a, PqSlice *out, PqErr *e)
{
    enum { MOST_CHARACTERS = 16 };
    uint8_t text[PQ_LAKE_CUT_ROOM(MOST_CHARACTERS)];
    size_t n;

    if (!pq_lake_cut_text(v, MOST_CHARACTERS, is_max, text, &n)) {
        return false;
    }
    *out = pq_slice(pq_arena_text(a, text, n, e), n);
    return out->p != NULL;
}

/* The bytes of a bound as Iceberg has it; false: it has none. */
static bool bound_of(const PqType *t, PqSlice v, bool is_max, PqArena *a, PqSlice *out, PqErr *e)
{
    uint8_t *room;

    *out = v;
    if (t->logical == PQ_TYPE_STRING) {
        return cut_text(v, is_max, a, out, e);
    }
    if (!pq_stats_fits(t, v)) {
        return false;
    }
    if (t->logical == PQ_TYPE_DECIMAL) {
        room = pq_arena_bytes(a, 8, e);
        *out = room ? pq_iceberg_decimal(t, v, room) : (PqSlice){0};
        return out->n > 0;
    }
    return t->physical != PQ_BYTE_ARRAY && t->physical != PQ_FIXED && t->physical != PQ_INT96;
}

/* What a manifest has of a leaf; false: nothing. */
static bool put_of_leaf(const PqLeafSums *s, Map map, PqArena *a, PqBuf *out, PqErr *e)
{
    bool is_bound = map >= LOWER, is_max = map == UPPER;
    bool is_known = is_max ? s->has_max : is_bound ? s->has_min : s->nulls >= 0;
    PqSlice v;

    if (!s->node || s->node->field_id < 0 || !is_known ||
        (is_bound && !bound_of(&s->node->type, is_max ? s->max : s->min, is_max, a, &v, e))) {
        return false;
    }
    pq_avro_put_long(out, s->node->field_id);
    if (is_bound) {
        pq_avro_put_bytes(out, v);
    } else {
        pq_avro_put_long(out, map == VALUES ? s->values : s->nulls);
    }
    return true;
}

static PqSlice map_of(const PqLeafSums *sums, uint32_t n_leaves, Map map, PqArena *a, PqErr *e)
{
    uint32_t n = 0;
    PqBuf pairs;

    pq_buf_init(&pairs, a->mem, e);
    for (uint32_t i = 0; i < n_leaves; i++) {
        n += put_of_leaf(&sums[i], map, a, &pairs, e);
    }
    return array_of(&pairs, n, a, e);
}

/* ---- partitions -------------------------------------------------------------------------- */

static PQ_COLD PqRc not_one_value(const PqLakeBy *by, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "%s is not one value in a file, and the table is partitioned "
                   "by it", by->column);
}

/* Statistics cut texts, and say nothing of ''. */
static bool is_text(const PqLakeBy *by)
{
    return by->type.logical == PQ_TYPE_STRING && (by->transform == PQ_ICEBERG_IDENTITY ||
                                                  by->transform == PQ_ICEBERG_TRUNCATE);
}

/* The value of a part of the partition of the file; folder: what its folder is called for it. */
static PqRc part_of(const PqFooter *footer, const PqLeafSums *sums, const PqLakeBy *by,
                    const char *folder, bool *is_null, PqIcebergValue *out, PqErr *e)
{
    const PqNode *n = pq_node_field(footer->schema.root, pq_slice_text(by->column), 0);
    const PqLeafSums *s;
    PqIcebergValue max;

    if (!pq_node_is_flat_leaf(n)) {
        return pq_fail(e, PQ_USAGE, "the file lacks %s, by which the table is partitioned",
                       by->column);
    }
    if (by->transform == PQ_ICEBERG_BUCKET) {
        *is_null = !folder;
        return *is_null || pq_number_parse_i64(pq_slice_text(folder), &out->i) == PQ_PARSE_OK
                   ? PQ_OK : not_one_value(by, e);
    }
    s = &sums[n->leaf];
    *is_null = s->nulls == s->values;
    if (*is_null) {
        return PQ_OK;
    }
    if (s->nulls == 0 && is_text(by)) {
        out->bytes = pq_slice_text(folder ? folder : "");
        return PQ_OK;
    }
    if (s->nulls != 0 || !s->has_min || !s->has_max || !pq_stats_fits(&by->type, s->min) ||
        !pq_stats_fits(&by->type, s->max)) {
        return not_one_value(by, e);
    }
    *out = pq_iceberg_transform(by, s->min);
    max = pq_iceberg_transform(by, s->max);
    return out->i == max.i && pq_slice_equal(out->bytes, max.bytes) ? PQ_OK : not_one_value(by, e);
}

static int order(const PqIcebergValue *a, const PqIcebergValue *b)
{
    size_t n = a->bytes.n < b->bytes.n ? a->bytes.n : b->bytes.n;
    int c = n ? memcmp(a->bytes.p, b->bytes.p, n) : 0;

    return c ? c : a->bytes.n != b->bytes.n ? (a->bytes.n > b->bytes.n) - (a->bytes.n < b->bytes.n)
                                            : (a->i > b->i) - (a->i < b->i);
}

/* The footer of the file, which has the bytes of v, goes. */
static PqRc add_to_range(PqIcebergRange *r, bool is_null, PqIcebergValue v, PqArena *a, PqErr *e)
{
    if (is_null) {
        r->has_null = true;
        return PQ_OK;
    }
    v.bytes = pq_slice(pq_arena_text(a, v.bytes.p, v.bytes.n, e), v.bytes.n);
    r->min = r->any && order(&r->min, &v) < 0 ? r->min : v;
    r->max = r->any && order(&r->max, &v) > 0 ? r->max : v;
    r->any = true;
    return e->rc;
}

static PqRc put_partition(PqIcebergManifest *m, const PqLakeNew *f, const PqLeafSums *sums,
                          PqBuf *out, PqErr *e)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < m->n_by; i++) {
        const PqLakeBy *by = &m->by[i];
        PqIcebergValue v = {0};
        bool is_null = true;

        if (by->column) {
            PQ_TRY(part_of(f->footer, sums, by, at < f->n_folders ? f->values[at] : NULL, &is_null,
                           &v, e));
            at++;
        }
        PQ_TRY(add_to_range(&m->ranges[i], is_null, v, m->arena, e));
        pq_avro_put_long(out, !is_null);
        if (is_null) {
            continue;
        }
        switch (pq_iceberg_transform_width(by)) {
        case 0:
            pq_avro_put_bytes(out, v.bytes);
            break;
        case 1:
            pq_buf_byte(out, v.i != 0);
            break;
        default:
            pq_avro_put_long(out, v.i);
        }
    }
    return PQ_OK;
}

PqRc pq_iceberg_entry(PqIcebergManifest *m, const PqLakeNew *f, const char *path, PqArena *a,
                      PqBuf *out, PqErr *e)
{
    enum { ADDED = 1 };
    uint32_t n_leaves = f->footer->schema.n_leaves;
    Entry x = {.status = ADDED, .snapshot = m->snapshot, .sequence = -1, .first_row = -1,
               .rows = (int64_t)f->footer->n_rows, .size = (int64_t)f->file.size,
               .block_size = BLOCK_SIZE, .path = pq_slice_text(path),
               .format = pq_slice_text("PARQUET")};      /* -1: they are inherited */
    PqLeafSums *sums;
    PqBuf partition;

    PQ_TRY(pq_file_sums(f->footer, n_leaves, a, &sums, e));
    pq_buf_init(&partition, a->mem, e);
    put_partition(m, f, sums, &partition, e);
    x.partition = pq_buf_view(&partition);
    for (Map map = 0; map < MAPS; map++) {
        x.maps[map] = map_of(sums, n_leaves, map, a, e);
    }
    if (e->rc == PQ_OK) {
        put_record(of_entry, PQ_COUNT(of_entry), m->format, &x, out);
        put_record(of_file, PQ_COUNT(of_file), m->format, &x, out);
    }
    pq_buf_free(&partition);
    return e->rc;
}

/* ---- manifest lists ---------------------------------------------------------------------- */

/* A value of a union with null. */
static void put_maybe(bool is_there, PqSlice v, PqBuf *out)
{
    pq_avro_put_long(out, is_there);
    if (is_there) {
        pq_avro_put_bytes(out, v);
    }
}

/* The bytes of a bound: see the specification, "Binary single-value serialization". */
static void put_bound(const PqLakeBy *by, bool any, const PqIcebergValue *v, PqBuf *out)
{
    size_t n = pq_iceberg_transform_width(by);
    uint8_t bytes[8];

    pq_store_u64(bytes, (uint64_t)v->i);
    put_maybe(any, n ? pq_slice(bytes, n) : v->bytes, out);
}

PqSlice pq_iceberg_summaries(const PqIcebergManifest *m, PqArena *a, PqErr *e)
{
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    for (uint32_t i = 0; i < m->n_by; i++) {
        const PqIcebergRange *r = &m->ranges[i];

        pq_buf_byte(&b, r->has_null);
        pq_avro_put_long(&b, 0);     /* contains_nan: not said               */
        put_bound(&m->by[i], r->any, &r->min, &b);
        put_bound(&m->by[i], r->any, &r->max, &b);
    }
    return array_of(&b, m->n_by, a, e);
}

static bool is_of(const PqAvroValue *v, PqAvroKind kind)
{
    return !v || v->type->kind == kind;
}

/* False: it is none. */
static bool put_summary(const PqAvroValue *v, PqBuf *out)
{
    const PqAvroValue *null = pq_avro_field(v, 509), *nan = pq_avro_field(v, 518),
                      *low = pq_avro_field(v, 510), *high = pq_avro_field(v, 511);

    if (!v->type || !null || !is_of(null, PQ_AVRO_BOOLEAN) || !is_of(nan, PQ_AVRO_BOOLEAN) ||
        !is_of(low, PQ_AVRO_BYTES) || !is_of(high, PQ_AVRO_BYTES)) {
        return false;
    }
    pq_buf_byte(out, null->i != 0);
    pq_avro_put_long(out, nan != NULL);
    if (nan) {
        pq_buf_byte(out, nan->i != 0);
    }
    put_maybe(low != NULL, low ? low->bytes : pq_slice(NULL, 0), out);
    put_maybe(high != NULL, high ? high->bytes : pq_slice(NULL, 0), out);
    return true;
}

/* Those of a manifest that is there. */
static PqSlice summaries_of(const PqAvroValue *v, PqArena *a, PqErr *e)
{
    bool all = v && v->type->kind == PQ_AVRO_ARRAY;
    PqSlice made;
    PqBuf b;

    pq_buf_init(&b, a->mem, e);
    for (uint32_t i = 0; all && i < v->n; i++) {
        all = put_summary(&v->v[i], &b);
    }
    made = array_of(&b, all ? v->n : 0, a, e);
    return all ? made : pq_slice(NULL, 0);
}

PqRc pq_iceberg_listed(const PqAvroValue *r, PqArena *a, PqIcebergListed *out, PqErr *e)
{
    enum { PARTITIONS = 507, KEY = 519 };
    PqSlice key;

    *out = (PqIcebergListed){.first_row = -1};
    for (size_t i = 0; i < PQ_COUNT(of_list); i++) {
        const Field *f = &of_list[i];
        void *at = (char *)out + f->at;
        bool is_there = f->kind == TEXT   ? pq_avro_bytes(r, f->id, at)
                        : f->kind != RAW ? pq_avro_int(r, f->id, at) : false;

        if (!is_there && f->from == 1 && !f->optional) {
            return pq_fail(e, PQ_UNSUPPORTED, "a manifest list does not say the %s of a manifest",
                           f->name);
        }
    }
    if (pq_avro_bytes(r, KEY, &key) && key.n) {
        return pq_lake_cannot_write("encrypted manifests", e);
    }
    out->summaries = summaries_of(pq_avro_field(r, PARTITIONS), a, e);
    return e->rc;
}

void pq_iceberg_list_add(const PqIcebergListed *m, int64_t format, PqBuf *out)
{
    put_record(of_list, PQ_COUNT(of_list), format, m, out);
}
