/*
** snapshot.c - what is common to the snapshots of all formats.
*/
#include "core/lake/snapshot.h"

#include "core/column/leaf_fill.h"
#include "core/lake/file_stats.h"
#include "core/meta/plain_text.h"
#include "core/text/number_parse.h"
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

/* A value as files of a type store it, without the length of a text.  *is false: it is none. */
static PqRc store(PqArena *a, const PqLeaf *leaf, const PqCell *cell, const PqFillRules *rules,
                  bool *is, PqSlice *out, PqErr *e)
{
    PqPhysical type = leaf->type.physical;
    PqErr why = PQ_NO_ERR;
    PqLeafBatch b;
    PqStr text;
    PqRc rc;

    *is = false;
    pq_leaf_batch_init(&b, leaf, a->mem);
    PQ_GO(pq_leaf_batch_reserve(&b, 1, e));
    *is = pq_leaf_fill_one(&b, cell, rules, &why) == PQ_OK;
    if (!*is) {
        rc = why.rc == PQ_NOMEM ? pq_fail(e, why.rc, "out of memory") : PQ_OK;
    } else if (type == PQ_BYTE_ARRAY || type == PQ_FIXED) {
        text = *(const PqStr *)b.values;
        rc = pq_arena_copy(a, pq_slice(text.p, text.n), out, e);
    } else {
        rc = pq_arena_copy(a, pq_slice(b.values, pq_physical_width(type)), out, e);
    }
done:
    pq_leaf_batch_free(&b);
    return rc;
}

static PqRc set_stored(PqArena *a, const PqType *t, PqHiveType type, PqSlice stored,
                       PqHiveValue *v, PqErr *e)
{
    bool is_bool = t->physical == PQ_BOOLEAN;
    PqBuf b;

    if (type == PQ_HIVE_INTEGER) {
        v->is_integer = true;
        v->integer = is_bool                    ? *stored.p != 0
                     : t->physical == PQ_INT32 ? (int32_t)pq_load_u32(stored.p)
                                                : (int64_t)pq_load_u64(stored.p);
    }
    pq_buf_init(&b, a->mem, e);
    if (is_bool) {
        pq_buf_byte(&b, v->integer ? '1' : '0');
    } else {
        pq_plain_text(t, stored, &b);
    }
    v->text = pq_arena_take(a, &b);
    return e->rc;
}

/* Sets a value as the log has it.  An empty text is null, of any type. */
static PqRc set_value(PqArena *a, const PqNode *node, PqHiveType type, const char *text,
                      PqHiveValue *v, PqErr *e)
{
    static const PqFillRules cut = {.nanos_may_lose = true};
    const PqLeaf leaf = {.node = node, .type = node->type};
    const PqCell cell = pq_cell_text(pq_slice_text(text));
    PqSlice stored = {0};
    bool is = true;

    if (!text || !*text) {
        return PQ_OK;
    }
    if (type == PQ_HIVE_REAL) {
        is = pq_number_parse_double(pq_slice_text(text), &v->real) == PQ_PARSE_OK;
    } else if (type != PQ_HIVE_TEXT || node->type.logical == PQ_TYPE_TIMESTAMP) {
        PQ_TRY(store(a, &leaf, &cell, &cut, &is, &stored, e));
    }
    if (!is) {
        return pq_fail(e, PQ_CORRUPT, "the log has \"%.100s\" as a value of %s", text,
                       node->path);
    }
    if (stored.p) {
        return set_stored(a, &node->type, type, stored, v, e);
    }
    v->text = pq_arena_text(a, text, strlen(text), e);
    return e->rc;
}

PqRc pq_lake_partition_text(PqArena *a, const char *column, const PqType *type, PqSlice text,
                            const char **out, PqErr *e)
{
    const PqNode node = {.kind = PQ_NODE_LEAF, .path = column, .type = *type};
    const char *z = text.p ? pq_arena_text(a, text.p, text.n, e) : NULL;
    PqErr why = PQ_NO_ERR;
    PqHiveValue v = {0};
    PqHiveType kind;

    *out = NULL;
    if (!z) {
        return e->rc;
    }
    if (hive_type(&node, &kind, &why) != PQ_OK ||
        set_value(a, &node, kind, z, &v, &why) != PQ_OK || !pq_utf8_valid(text)) {
        return pq_fail(e, PQ_USAGE, "the table is partitioned by %s, which cannot be "
                       "\"%.100s\"", column, z);
    }
    *out = type->physical == PQ_BOOLEAN && v.text ? v.integer ? "true" : "false" : v.text;
    return PQ_OK;
}

PqRc pq_lake_first_value(PqArena *a, const PqFooter *schema, const PqNode *node,
                         const PqCell *cell, PqLakeField *field, PqErr *e)
{
    static const PqFillRules usual = {0};
    PqSlice *first;
    bool is = false;

    PQ_TRY(PQ_ARENA_NEW(a, first, 1, e));
    PQ_TRY(node->kind == PQ_NODE_LEAF ? store(a, &schema->schema.leaves[node->leaf], cell, &usual,
                                              &is, first, e) : PQ_OK);
    field->first = is ? first : field->first;
    field->must = field->must || !is;
    return PQ_OK;
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
