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
#include "core/lake/log_names.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"

enum { BLOCK_SIZE = 64 << 20 };      /* that version 1 wants to have written */

typedef struct Field {
    int32_t     id;
    const char *name, *type;         /* JSON; NULL: the partition            */
    bool        optional;
    int         from, to;            /* versions of the format               */
} Field;

#define PAIRS(key, value, type) "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{" \
    "\"type\":\"record\",\"name\":\"k" #key "_v" #value "\",\"fields\":[" \
    "{\"name\":\"key\",\"type\":\"int\",\"field-id\":" #key "}," \
    "{\"name\":\"value\",\"type\":\"" type "\",\"field-id\":" #value "}]}}"
#define MAYBE(type) "[\"null\"," type "],\"default\":null"

static const Field of_entry[] = {
    {0, "status", "\"int\"", false, 1, 3},
    {1, "snapshot_id", "\"long\"", false, 1, 1}, {1, "snapshot_id", "\"long\"", true, 2, 3},
    {3, "sequence_number", "\"long\"", true, 2, 3},
    {4, "file_sequence_number", "\"long\"", true, 2, 3},
};
static const Field of_file[] = {
    {134, "content", "\"int\"", false, 2, 3}, {100, "file_path", "\"string\"", false, 1, 3},
    {101, "file_format", "\"string\"", false, 1, 3}, {102, "partition", NULL, false, 1, 3},
    {103, "record_count", "\"long\"", false, 1, 3},
    {104, "file_size_in_bytes", "\"long\"", false, 1, 3},
    {105, "block_size_in_bytes", "\"long\"", false, 1, 1},
    {109, "value_counts", PAIRS(119, 120, "long"), true, 1, 3},
    {110, "null_value_counts", PAIRS(121, 122, "long"), true, 1, 3},
    {125, "lower_bounds", PAIRS(126, 127, "bytes"), true, 1, 3},
    {128, "upper_bounds", PAIRS(129, 130, "bytes"), true, 1, 3},
    {142, "first_row_id", "\"long\"", true, 3, 3},
};
static const char summaries[] =
    "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"r508\",\"fields\":["
    "{\"name\":\"contains_null\",\"type\":\"boolean\",\"field-id\":509},"
    "{\"name\":\"contains_nan\",\"type\":" MAYBE("\"boolean\"") ",\"field-id\":518},"
    "{\"name\":\"lower_bound\",\"type\":" MAYBE("\"bytes\"") ",\"field-id\":510},"
    "{\"name\":\"upper_bound\",\"type\":" MAYBE("\"bytes\"") ",\"field-id\":511}]},"
    "\"element-id\":508}";
static const Field of_list[] = {
    {500, "manifest_path", "\"string\"", false, 1, 3},
    {501, "manifest_length", "\"long\"", false, 1, 3},
    {502, "partition_spec_id", "\"int\"", false, 1, 3},
    {517, "content", "\"int\"", false, 2, 3}, {515, "sequence_number", "\"long\"", false, 2, 3},
    {516, "min_sequence_number", "\"long\"", false, 2, 3},
    {503, "added_snapshot_id", "\"long\"", false, 1, 3},
    {504, "added_files_count", "\"int\"", false, 1, 3},
    {505, "existing_files_count", "\"int\"", false, 1, 3},
    {506, "deleted_files_count", "\"int\"", false, 1, 3},
    {512, "added_rows_count", "\"long\"", false, 1, 3},
    {513, "existing_rows_count", "\"long\"", false, 1, 3},
    {514, "deleted_rows_count", "\"long\"", false, 1, 3},
    {507, "partitions", summaries, true, 1, 3}, {520, "first_row_id", "\"long\"", true, 3, 3},
};

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

static void add_partition_type(const PqIcebergNew *f, PqBuf *out)
{
    pq_buf_text(out, "{\"type\":\"record\",\"name\":\"r102\",\"fields\":[");
    for (uint32_t i = 0; i < f->n_by; i++) {
        pq_buf_text(out, i ? ",{\"name\":\"" : "{\"name\":\"");
        add_avro_name(f->by[i].name, out);
        pq_buf_printf(out, "\",\"type\":[\"null\",%s],\"default\":null,\"field-id\":%lld}",
                      pq_iceberg_transform_type(&f->by[i]),
                      (long long)f->by[i].id);
    }
    pq_buf_text(out, "]}");
}

static void add_fields(const Field *v, size_t n, int64_t format, const PqIcebergNew *f, PqBuf *out)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        if (format < v[i].from || format > v[i].to) {
            continue;
        }
        pq_buf_printf(out, "%s{\"name\":\"%s\",\"type\":", any ? "," : "", v[i].name);
        any = true;
        if (!v[i].type) {
            add_partition_type(f, out);
        } else {
            pq_buf_printf(out, v[i].optional ? "[\"null\",%s],\"default\":null" : "%s", v[i].type);
        }
        pq_buf_printf(out, ",\"field-id\":%d}", (int)v[i].id);
    }
}

void pq_iceberg_entry_schema(const PqIcebergNew *f, PqBuf *out)
{
    pq_buf_text(out, "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":[");
    add_fields(of_entry, PQ_COUNT(of_entry), f->format, f, out);
    pq_buf_text(out, ",{\"name\":\"data_file\",\"type\":{\"type\":\"record\",\"name\":\"r2\","
                "\"fields\":[");
    add_fields(of_file, PQ_COUNT(of_file), f->format, f, out);
    pq_buf_text(out, "]},\"field-id\":2}]}");
}

void pq_iceberg_list_schema(int64_t format, PqBuf *out)
{
    pq_buf_text(out, "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":[");
    add_fields(of_list, PQ_COUNT(of_list), format, NULL, out);
    pq_buf_text(out, "]}");
}

/* ---- what a file has --------------------------------------------------------------------- */

typedef enum Map { VALUES, NULLS, LOWER, UPPER, MAPS } Map;

typedef struct Entry {
    const PqFooter *footer;
    PqLeafSums *sums;                /* by leaf                              */
    PqArena *arena;
    PqBuf    map[MAPS];
    uint32_t n[MAPS];
} Entry;

static void add_pair(Entry *x, Map map, int32_t id, PqSlice bytes, int64_t n)
{
    pq_avro_put_long(&x->map[map], id);
    if (map < LOWER) {
        pq_avro_put_long(&x->map[map], n);
    } else {
        pq_avro_put_bytes(&x->map[map], bytes);
    }
    x->n[map]++;
}

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
    uint8_t *big;

    *out = v;
    if (t->logical == PQ_TYPE_STRING) {
        return cut_text(v, is_max, a, out, e);
    }
    if (t->logical == PQ_TYPE_DECIMAL && t->physical != PQ_FIXED) {
        big = pq_arena_bytes(a, v.n, e);
        for (size_t i = 0; big && i < v.n; i++) {
            big[i] = v.p[v.n - 1 - i];
        }
        *out = pq_slice(big, big ? v.n : 0);
    }
    if (t->logical == PQ_TYPE_DECIMAL) {
        *out = pq_iceberg_short_decimal(*out);
        return out->n > 0;
    }
    return pq_stats_fits(t, v) && t->physical != PQ_BYTE_ARRAY && t->physical != PQ_FIXED &&
           t->physical != PQ_INT96;
}

static PqRc add_leaves(Entry *x, PqErr *e)
{
    for (uint32_t i = 0; i < x->footer->schema.n_leaves; i++) {
        const PqLeafSums *s = &x->sums[i];
        const PqNode *n = s->node;
        PqSlice v;

        if (!n || n->field_id < 0) {
            continue;
        }
        if (s->nulls >= 0) {
            add_pair(x, VALUES, n->field_id, (PqSlice){0}, s->values);
            add_pair(x, NULLS, n->field_id, (PqSlice){0}, s->nulls);
        }
        if (s->has_min && bound_of(&n->type, s->min, false, x->arena, &v, e)) {
            add_pair(x, LOWER, n->field_id, v, 0);
        }
        if (s->has_max && bound_of(&n->type, s->max, true, x->arena, &v, e)) {
            add_pair(x, UPPER, n->field_id, v, 0);
        }
    }
    return e->rc;
}

/* ---- partitions -------------------------------------------------------------------------- */

static PQ_COLD PqRc not_one_value(const PqIcebergBy *by, PqErr *e)
{
    return pq_fail(e, PQ_UNSUPPORTED, "%s is not one value in a file, and the table is partitioned "
                   "by it", by->column);
}

/* Statistics cut texts, and say nothing of ''. */
static bool is_text(const PqIcebergBy *by)
{
    return by->type.logical == PQ_TYPE_STRING && (by->transform == PQ_ICEBERG_IDENTITY ||
                                                  by->transform == PQ_ICEBERG_TRUNCATE);
}

/* The value of a part of the partition of the file; folder: what its folder is called for it. */
static PqRc part_of(const Entry *x, const PqIcebergBy *by, const char *folder, bool *is_null,
                    PqIcebergValue *out, PqErr *e)
{
    const PqNode *n = pq_node_field(x->footer->schema.root, pq_slice_text(by->column), 0);
    const PqLeafSums *s;
    PqIcebergValue max;
    PqSlice bytes;

    if (!pq_node_is_flat_leaf(n)) {
        return pq_fail(e, PQ_USAGE, "the file lacks %s, by which the table is partitioned",
                       by->column);
    }
    if (by->transform == PQ_ICEBERG_BUCKET) {
        *is_null = !folder;
        return *is_null || pq_number_parse_i64(pq_slice_text(folder), &out->i) == PQ_PARSE_OK
                   ? PQ_OK : not_one_value(by, e);
    }
    s = &x->sums[n->leaf];
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
    if (out->i != max.i || !pq_slice_equal(out->bytes, max.bytes)) {
        return not_one_value(by, e);
    }
    bytes = out->bytes;
    out->bytes = pq_slice(pq_arena_text(x->arena, bytes.p, bytes.n, e), bytes.n);
    return e->rc;
}

static int order(const PqIcebergValue *a, const PqIcebergValue *b)
{
    size_t n = a->bytes.n < b->bytes.n ? a->bytes.n : b->bytes.n;
    int c = n ? memcmp(a->bytes.p, b->bytes.p, n) : 0;

    return c ? c : a->bytes.n != b->bytes.n ? (a->bytes.n > b->bytes.n) - (a->bytes.n < b->bytes.n)
                                            : (a->i > b->i) - (a->i < b->i);
}

static void add_to_range(PqIcebergRange *r, bool is_null, const PqIcebergValue *v)
{
    if (is_null) {
        r->has_null = true;
        return;
    }
    r->min = r->any && order(&r->min, v) < 0 ? r->min : *v;
    r->max = r->any && order(&r->max, v) > 0 ? r->max : *v;
    r->any = true;
}

static PqRc put_partition(const Entry *x, const PqIcebergNew *f, PqBuf *out, PqErr *e)
{
    const char *at = f->below, *name, *folder = NULL;

    for (uint32_t i = 0; i < f->n_by; i++) {
        const PqIcebergBy *by = &f->by[i];
        PqIcebergValue v = {0};
        bool is_null = true;

        if (by->column) {
            pq_log_folder(&at, x->arena, &name, &folder, e);
            PQ_TRY(e->rc ? e->rc : part_of(x, by, folder, &is_null, &v, e));
        }
        add_to_range(&f->ranges[i], is_null, &v);
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

static PqRc put_entry(Entry *x, const PqIcebergNew *f, PqBuf *out, PqErr *e)
{
    enum { ADDED = 1, DATA = 0 };

    pq_avro_put_long(out, ADDED);
    if (f->format > 1) {
        pq_avro_put_long(out, 1);
    }
    pq_avro_put_long(out, f->snapshot);
    if (f->format > 1) {             /* sequence numbers are inherited       */
        pq_avro_put_long(out, 0);
        pq_avro_put_long(out, 0);
        pq_avro_put_long(out, DATA);
    }
    pq_avro_put_bytes(out, pq_slice_text(f->path));
    pq_avro_put_bytes(out, pq_slice_text("PARQUET"));
    PQ_TRY(put_partition(x, f, out, e));
    pq_avro_put_long(out, x->footer->n_rows);
    pq_avro_put_long(out, (int64_t)f->size);
    if (f->format == 1) {
        pq_avro_put_long(out, BLOCK_SIZE);
    }
    for (Map k = 0; k < MAPS; k++) {
        pq_avro_put_long(out, 1);
        if (x->n[k]) {
            pq_avro_put_long(out, x->n[k]);
            pq_buf_add(out, x->map[k].p, x->map[k].n);
        }
        pq_avro_put_long(out, 0);
    }
    if (f->format > 2) {             /* inherited                            */
        pq_avro_put_long(out, 0);
    }
    return e->rc;
}

PqRc pq_iceberg_entry(const PqIcebergNew *f, const PqFooter *footer, PqArena *a, PqBuf *out,
                      PqErr *e)
{
    Entry x = {.footer = footer, .arena = a};

    for (Map k = 0; k < MAPS; k++) {
        pq_buf_init(&x.map[k], a->mem, e);
    }
    if (pq_file_sums(footer, footer->schema.n_leaves, a, &x.sums, e) == PQ_OK &&
        add_leaves(&x, e) == PQ_OK) {
        put_entry(&x, f, out, e);
    }
    for (Map k = 0; k < MAPS; k++) {
        pq_buf_free(&x.map[k]);
    }
    return e->rc;
}

/* ---- manifest lists ---------------------------------------------------------------------- */

PqRc pq_iceberg_listed(const PqAvroValue *r, PqIcebergListed *m, PqErr *e)
{
    PqSlice key;

    *m = (PqIcebergListed){.first_row = -1, .partitions = pq_avro_field(r, 507)};
    for (int i = 0; i < 3; i++) {
        if (!pq_avro_int(r, 504 + i, &m->files[i]) || !pq_avro_int(r, 512 + i, &m->rows[i])) {
            return pq_fail(e, PQ_UNSUPPORTED, "a manifest list does not say how many files and "
                           "rows a manifest has");
        }
    }
    pq_avro_int(r, 517, &m->content);
    pq_avro_int(r, 515, &m->sequence);
    pq_avro_int(r, 516, &m->least_sequence);
    pq_avro_int(r, 520, &m->first_row);
    if (m->partitions && m->partitions->type->kind != PQ_AVRO_ARRAY) {
        m->partitions = NULL;
    }
    return pq_avro_bytes(r, 500, &m->path) && pq_avro_int(r, 501, &m->length) &&
                   pq_avro_int(r, 502, &m->spec) && pq_avro_int(r, 503, &m->snapshot) &&
                   !(pq_avro_bytes(r, 519, &key) && key.n)
               ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "a manifest list lacks a path, a length, a "
                                 "spec or a snapshot of a manifest, or one is encrypted");
}

/* The bytes of a bound: see the specification, "Binary single-value serialization". */
static void put_bound(const PqIcebergBy *by, bool any, const PqIcebergValue *v, PqBuf *out)
{
    size_t n = pq_iceberg_transform_width(by);
    uint8_t bytes[8];

    pq_store_u64(bytes, (uint64_t)v->i);
    pq_avro_put_long(out, any);
    if (any) {
        pq_avro_put_bytes(out, n ? pq_slice(bytes, n) : v->bytes);
    }
}

void pq_iceberg_summaries(const PqIcebergBy *by, const PqIcebergRange *ranges, uint32_t n,
                          PqBuf *out)
{
    pq_avro_put_long(out, n);
    for (uint32_t i = 0; i < n; i++) {
        pq_buf_byte(out, ranges[i].has_null);
        pq_avro_put_long(out, 0);    /* contains_nan: not said               */
        put_bound(&by[i], ranges[i].any, &ranges[i].min, out);
        put_bound(&by[i], ranges[i].any, &ranges[i].max, out);
    }
    if (n) {
        pq_avro_put_long(out, 0);
    }
}

static void put_maybe(const PqAvroValue *r, int32_t id, PqBuf *out)
{
    const PqAvroValue *v = pq_avro_field(r, id);

    pq_avro_put_long(out, v != NULL);
    if (v && v->type->kind == PQ_AVRO_BOOLEAN) {
        pq_buf_byte(out, v->i != 0);
    } else if (v) {
        pq_avro_put_bytes(out, v->bytes);
    }
}

static bool is_summary(const PqAvroValue *v)
{
    const PqAvroValue *nan = pq_avro_field(v, 518), *low = pq_avro_field(v, 510),
                      *high = pq_avro_field(v, 511), *null = pq_avro_field(v, 509);

    return v->type && null && null->type->kind == PQ_AVRO_BOOLEAN &&
           (!nan || nan->type->kind == PQ_AVRO_BOOLEAN) &&
           (!low || low->type->kind == PQ_AVRO_BYTES) &&
           (!high || high->type->kind == PQ_AVRO_BYTES);
}

static void put_summaries(const PqAvroValue *v, PqBuf *out)
{
    bool all = v != NULL;

    for (uint32_t i = 0; all && i < v->n; i++) {
        all = is_summary(&v->v[i]);
    }
    pq_avro_put_long(out, all);
    if (!all) {
        return;
    }
    if (v->n) {
        pq_avro_put_long(out, v->n);
    }
    for (uint32_t i = 0; i < v->n; i++) {
        pq_buf_byte(out, pq_avro_field(&v->v[i], 509)->i != 0);
        put_maybe(&v->v[i], 518, out);
        put_maybe(&v->v[i], 510, out);
        put_maybe(&v->v[i], 511, out);
    }
    pq_avro_put_long(out, 0);
}

void pq_iceberg_list_add(const PqIcebergListed *m, int64_t format, PqBuf *out)
{
    pq_avro_put_bytes(out, m->path);
    pq_avro_put_long(out, m->length);
    pq_avro_put_long(out, m->spec);
    if (format > 1) {
        pq_avro_put_long(out, m->content);
        pq_avro_put_long(out, m->sequence);
        pq_avro_put_long(out, m->least_sequence);
    }
    pq_avro_put_long(out, m->snapshot);
    for (int i = 0; i < 3; i++) {
        pq_avro_put_long(out, m->files[i]);
    }
    for (int i = 0; i < 3; i++) {
        pq_avro_put_long(out, m->rows[i]);
    }
    if (m->summaries.n) {
        pq_avro_put_long(out, 1);
        pq_buf_add(out, m->summaries.p, m->summaries.n);
    } else {
        put_summaries(m->partitions, out);
    }
    if (format > 2) {
        pq_avro_put_long(out, m->first_row >= 0);
        if (m->first_row >= 0) {
            pq_avro_put_long(out, m->first_row);
        }
    }
}
