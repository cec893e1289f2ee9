/*
** snapshot.c - what is common to the snapshots of all formats.
*/
#include "core/lake/snapshot.h"

#include "core/column/leaf_fill.h"
#include "core/lake/file_stats.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/time_parse.h"
#include "core/text/utf8.h"

#include <stdlib.h>

/* ---- values of partition columns --------------------------------------------------------- */

static PqRc hive_type(const PqNode *node, PqHiveType *out, PqErr *e)
{
    const PqType *t = &node->type;

    *out = PQ_HIVE_TEXT;
    if (node->kind != PQ_NODE_LEAF || t->logical == PQ_TYPE_UNKNOWN ||
        (t->physical == PQ_BYTE_ARRAY && t->logical == PQ_TYPE_NONE)) {
        return pq_fail(e, PQ_UNSUPPORTED, "a table is partitioned by %s, whose type is not "
                       "read from the log", node->path);
    }
    if (t->logical == PQ_TYPE_DATE) {
        *out = PQ_HIVE_DATE;
    } else if (t->logical == PQ_TYPE_DECIMAL || pq_type_is_float(t)) {
        *out = PQ_HIVE_REAL;
    } else if (t->logical == PQ_TYPE_INT || t->physical == PQ_BOOLEAN ||
               (t->logical == PQ_TYPE_NONE &&
                (t->physical == PQ_INT32 || t->physical == PQ_INT64))) {
        *out = PQ_HIVE_INTEGER;
    }
    return PQ_OK;
}

static PQ_COLD PqRc not_of_type(const PqNode *node, const char *text, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "the log has \"%.100s\" as a value of %s", text,
                   node->path);
}

static const char *integer_text(PqArena *a, int64_t v, PqErr *e)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    return pq_arena_text(a, text, pq_number_text_i64(v, text), e);
}

static PqRc set_integer(PqArena *a, const PqNode *node, const char *text, PqHiveValue *v,
                        PqErr *e)
{
    bool is_bool = node->type.physical == PQ_BOOLEAN;

    v->is_integer = true;
    if (is_bool && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        v->integer = *text == 't';
    } else if (is_bool ||
               pq_number_parse_i64(pq_slice_text(text), &v->integer) != PQ_PARSE_OK) {
        return not_of_type(node, text, e);
    }
    v->text = integer_text(a, v->integer, e);
    return v->text ? PQ_OK : e->rc;
}

static PqRc set_time(PqArena *a, const PqNode *node, const char *text, PqHiveValue *v,
                     PqErr *e)
{
    char out[PQ_TIME_TEXT_ROOM];
    int64_t at;
    int32_t days;
    size_t n;

    if (node->type.logical == PQ_TYPE_DATE) {
        if (pq_time_parse_date(pq_slice_text(text), &days) != PQ_PARSE_OK) {
            return not_of_type(node, text, e);
        }
        n = pq_time_text_date(days, out);
    } else {
        if (pq_time_parse_timestamp(pq_slice_text(text), PQ_MICROS, true, &at) !=
            PQ_PARSE_OK) {
            return not_of_type(node, text, e);
        }
        n = pq_time_text_timestamp(at, PQ_MICROS, out);
    }
    v->text = pq_arena_text(a, out, n, e);
    return v->text ? PQ_OK : e->rc;
}

/* Sets a value as the log has it.  An empty text is null, of any type. */
static PqRc set_value(PqArena *a, const PqNode *node, PqHiveType type, const char *text,
                      PqHiveValue *v, PqErr *e)
{
    if (!text || !*text) {
        return PQ_OK;
    }
    v->text = pq_arena_text(a, text, strlen(text), e);
    PQ_TRY(v->text ? PQ_OK : e->rc);
    if (type == PQ_HIVE_INTEGER) {
        return set_integer(a, node, text, v, e);
    }
    if (type == PQ_HIVE_DATE || node->type.logical == PQ_TYPE_TIMESTAMP) {
        return set_time(a, node, text, v, e);
    }
    return type != PQ_HIVE_REAL ||
                   pq_number_parse_double(pq_slice_text(text), &v->real) == PQ_PARSE_OK
               ? PQ_OK : not_of_type(node, text, e);
}

static bool is_within(const PqType *t, int64_t v)
{
    int bits = t->logical == PQ_TYPE_INT      ? t->bit_width
               : t->physical == PQ_INT32 ? 32 : 64;

    bool is_unsigned = t->logical == PQ_TYPE_INT && !t->is_signed;

    return t->physical == PQ_BOOLEAN || bits >= 64 ||
           (is_unsigned && v >= 0 && v < (int64_t)1 << bits) ||
           (!is_unsigned && v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1));
}

PqRc pq_lake_partition_text(PqArena *a, const char *column, const PqType *type, PqSlice text,
                            const char **out, PqErr *e)
{
    const PqNode node = {.kind = PQ_NODE_LEAF, .path = column, .type = *type};
    bool is_bool = type->physical == PQ_BOOLEAN;
    PqHiveValue v = {0};
    PqHiveType kind;
    PqErr why;
    PqRc rc;

    pq_err_init(&why);
    *out = text.p ? pq_arena_text(a, text.p, text.n, e) : NULL;
    if (!text.p || !*out) {
        return e->rc;
    }
    if (is_bool && (strcmp(*out, "0") == 0 || strcmp(*out, "1") == 0)) {
        *out = **out == '1' ? "true" : "false";
    }
    rc = hive_type(&node, &kind, &why);
    rc = rc ? rc : set_value(a, &node, kind, *out, &v, &why);
    if (rc || (kind == PQ_HIVE_INTEGER && !is_within(type, v.integer)) ||
        !pq_utf8_valid(text)) {
        return pq_fail(e, PQ_USAGE, "the table is partitioned by %s, which cannot be "
                       "\"%.100s\"", column, *out);
    }
    *out = is_bool && v.text ? v.integer ? "true" : "false" : v.text;
    return PQ_OK;
}

static PqRc take_value(PqArena *a, const PqLeafBatch *b, PqLakeField *field, PqErr *e)
{
    PqPhysical type = b->leaf->type.physical;
    bool is_text = type == PQ_BYTE_ARRAY || type == PQ_FIXED;
    PqStr text = is_text ? *(const PqStr *)b->values : (PqStr){0};
    PqSlice *first;

    PQ_TRY(PQ_ARENA_NEW(a, first, 1, e));
    field->first = first;
    return pq_arena_copy(a, is_text ? pq_slice(text.p, text.n)
                                    : pq_slice(b->values, pq_physical_width(type)), first, e);
}

PqRc pq_lake_first_value(PqArena *a, const PqFooter *schema, const PqNode *node,
                         const PqCell *cell, PqLakeField *field, PqErr *e)
{
    const PqFillRules usual = {0};
    PqLeafBatch b;
    PqErr why;
    PqRc rc;

    if (node->kind != PQ_NODE_LEAF) {
        field->must = true;
        return PQ_OK;
    }
    pq_err_init(&why);
    pq_leaf_batch_init(&b, &schema->schema.leaves[node->leaf], a->mem);
    rc = pq_leaf_batch_reserve(&b, 1, e);
    if (rc == PQ_OK && pq_leaf_fill_one(&b, cell, &usual, &why) != PQ_OK) {
        rc = why.rc == PQ_NOMEM ? pq_fail(e, why.rc, "out of memory") : PQ_OK;
        field->must = true;
    } else if (rc == PQ_OK) {
        rc = take_value(a, &b, field, e);
    }
    pq_err_clear(&why);
    pq_leaf_batch_free(&b);
    return rc;
}

PqLakeField *pq_lake_field_by_id(const PqLakeSnapshot *s, int64_t id)
{
    const PqNode *node = id < 0 ? NULL : pq_node_by_id(s->schema->schema.root, id);

    return node ? &s->names.fields[node->element] : NULL;
}

const PqNode *pq_lake_leaf_by_id(const PqLakeSnapshot *s, int64_t id, uint32_t *at)
{
    uint32_t n = s->schema->schema.n_leaves;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (*at + i) % n;
        const PqNode *leaf = s->schema->schema.leaves[k].node;
        const PqLakeField *field = &s->names.fields[leaf->element];

        if (pq_node_is_flat_leaf(leaf) && field->physical.p && field->id == id &&
            !pq_lake_is_lineage(leaf)) {
            *at = k + 1;
            return leaf;
        }
    }
    return NULL;
}

/* ---- the table ---------------------------------------------------------------------------- */

bool pq_lake_is_known(PqLakeReading *r, int64_t version, PqFileId id)
{
    PqLakeSnapshot *kept = pq_kept_lakes_find(&r->engine->lakes, r->lake, version);
    bool is = kept && pq_file_id_equal(kept->id, id);

    if (is) {
        pq_lake_snapshot_hold(kept);
        pq_lake_snapshot_release(r->s);
        r->s = kept;
    }
    return is;
}

PqRc pq_lake_partition_by(PqLakeReading *r, const char *const *columns, uint32_t n,
                          PqErr *e)
{
    PqLakeSnapshot *s = r->s;

    PQ_TRY(PQ_ARENA_NEW(&s->arena, s->folder_columns, n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(&s->arena, s->folder_types, n + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(&s->arena, s->folder_nodes, n + 1u, e));
    for (uint32_t k = 0; k < n; k++) {
        const PqNode *node = pq_node_field_any_case(s->schema->schema.root,
                                                    pq_slice_text(columns[k]));

        if (!node) {
            return pq_fail(e, PQ_CORRUPT, "the table is partitioned by %s, which its schema "
                           "does not have", columns[k]);
        }
        s->folder_nodes[k] = node;
        s->folder_columns[k] = pq_arena_text(&s->arena, node->name, strlen(node->name), e);
        PQ_TRY(s->folder_columns[k] ? PQ_OK : e->rc);
        PQ_TRY(hive_type(node, &s->folder_types[k], e));
    }
    s->n_folder_columns = n;
    return PQ_OK;
}

PqRc pq_lake_delete_row(PqBuf *ranges, int64_t row, PqErr *e)
{
    size_t n;
    PqRowRange *v = pq_row_ranges(ranges, &n), one = {row, row + (row < INT64_MAX)};

    if (row < 0 || row == INT64_MAX) {
        return pq_fail(e, PQ_CORRUPT, "row %lld is deleted", (long long)row);
    }
    if (n && v[n - 1].end == row) {
        v[n - 1].end++;
        return PQ_OK;
    }
    return pq_buf_append(ranges, &one, sizeof one, e);
}

static int by_begin(const void *a, const void *b)
{
    const PqRowRange *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorted ranges that do not touch.  Most come so. */
static void put_in_order(PqBuf *ranges)
{
    size_t n, i = 1, used = 0;
    PqRowRange *v = pq_row_ranges(ranges, &n);

    while (i < n && v[i - 1].end < v[i].begin) {
        i++;
    }
    if (i >= n) {
        return;
    }
    qsort(v, n, sizeof *v, by_begin);
    for (i = 0; i < n; i++) {
        if (used && v[used - 1].end >= v[i].begin) {
            v[used - 1].end = v[i].end > v[used - 1].end ? v[i].end : v[used - 1].end;
        } else {
            v[used++] = v[i];
        }
    }
    ranges->n = used * sizeof *v;
}

static PqRc take_deleted(PqLakeSnapshot *s, PqBuf *ranges, PqListedFile *to, PqErr *e)
{
    const PqRowRange *v;
    PqRowRange *copy;
    size_t n;

    put_in_order(ranges);
    v = pq_row_ranges(ranges, &n);
    if (n == 0) {
        return PQ_OK;
    }
    PQ_TRY(n <= UINT32_MAX ? PQ_OK : pq_fail(e, PQ_BUDGET, "too many deleted rows"));
    PQ_TRY(PQ_ARENA_NEW(&s->arena, copy, n, e));
    memcpy(copy, v, n * sizeof *copy);
    to->deleted = copy;
    to->n_deleted = (uint32_t)n;
    s->has_deletes = true;
    return PQ_OK;
}

PqRc pq_lake_add_file(PqLakeReading *r, const PqLakeFile *file, PqErr *e)
{
    PqLakeSnapshot *s = r->s;
    PqHiveValue *values = pq_arena_zeros(&s->arena, s->n_folder_columns + 1u,
                                         sizeof *values, e);
    size_t n = strlen(file->path);
    const char *path = pq_arena_text(&s->arena, file->path, n, e);

    PQ_TRY(values && path ? PQ_OK : e->rc);
    PQ_TRY(s->n_files % 1024 ? PQ_OK : pq_stop_poll(r->stop, e));
    PQ_TRY(PQ_ARENA_GROW(&s->arena, s->files, s->n_files, e));
    s->files[s->n_files++] = (PqListedFile){
        .path = path, .hive = values, .n_base = (uint32_t)n, .size = file->size, .n_rows = -1,
        .first_row = file->first_row, .sequence = file->sequence};
    PQ_TRY(file->deleted ? take_deleted(s, file->deleted, &s->files[s->n_files - 1], e) : PQ_OK);
    PQ_TRY(file->bounds ? pq_file_bounds(s, file->bounds, file->n_bounds, file->n_rows,
                                         &s->files[s->n_files - 1], e)
                        : pq_file_stats(s, file->stats, &s->files[s->n_files - 1], e));
    s->has_deletes = s->has_deletes || file->has_deletes;
    for (uint32_t k = 0; k < s->n_folder_columns; k++) {
        PQ_TRY(set_value(&s->arena, s->folder_nodes[k], s->folder_types[k],
                         file->values[k], &values[k], e));
    }
    return PQ_OK;
}

PqRc pq_lake_copy_file(PqLakeReading *r, const PqListedFile *file, PqErr *e)
{
    PqLakeSnapshot *s = r->s;
    PqArena *a = &s->arena;
    PqHiveValue *values;
    PqLogBounds *bounds;
    PqListedFile *to;

    PQ_TRY(s->n_files % 1024 ? PQ_OK : pq_stop_poll(r->stop, e));
    PQ_TRY(PQ_ARENA_GROW(a, s->files, s->n_files, e));
    PQ_TRY(PQ_ARENA_NEW(a, values, s->n_folder_columns + 1u, e));
    PQ_TRY(PQ_ARENA_NEW(a, bounds, file->n_bounds + 1u, e));
    to = &s->files[s->n_files];
    *to = *file;
    to->path = pq_arena_text(a, file->path, strlen(file->path), e);
    for (uint32_t k = 0; k < s->n_folder_columns; k++) {
        const char *text = file->hive[k].text;

        values[k] = file->hive[k];
        values[k].text = text ? pq_arena_text(a, text, strlen(text), e) : NULL;
    }
    for (uint32_t i = 0; i < file->n_bounds; i++) {
        bounds[i] = file->bounds[i];
        PQ_TRY(pq_arena_copy(a, bounds[i].bounds.min, &bounds[i].bounds.min, e));
        PQ_TRY(pq_arena_copy(a, bounds[i].bounds.max, &bounds[i].bounds.max, e));
    }
    to->hive = values;
    to->bounds = bounds;
    s->n_bounds += file->n_bounds;
    s->n_files++;
    return e->rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const PqListedFile *)a)->path, ((const PqListedFile *)b)->path);
}

PqRc pq_lake_finish(PqLakeReading *r, PqErr *e)
{
    PqLakeSnapshot *s = r->s;

    s->names.schema = s->schema;
    pq_lake_names_mark(&s->names);
    if (s->n_files) {
        qsort(s->files, s->n_files, sizeof *s->files, by_path);
    }
    for (uint32_t i = 1; i < s->n_files; i++) {
        if (strcmp(s->files[i].path, s->files[i - 1].path) == 0) {
            return pq_fail(e, PQ_CORRUPT, "the log has %.300s twice", s->files[i].path);
        }
    }
    return PQ_OK;
}
