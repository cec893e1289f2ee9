/*
** lake.c - a snapshot of a lake table becomes a listing.
**
** Files come in the order of their paths, as in a folder, so the order of rows does not
** depend on how a log is cut into commits and checkpoints.
*/
#include "core/lake/lake.h"

#include "core/lake/delta_log.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/time_parse.h"

#include <stdlib.h>

/* ---- values of partition columns --------------------------------------------------------- */

static const PqNode *top_field(const PqListing *l, const char *name)
{
    return pq_node_field_any_case(l->schema->schema.root, pq_slice_text(name));
}

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
    v->text = text;
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

static const char *value_of(const PqDeltaPairs *values, PqSlice key)
{
    for (uint32_t i = 0; i < values->n; i++) {
        if (pq_slice_is(key, values->v[i].key)) {
            return values->v[i].text;
        }
    }
    return NULL;
}

/* Values are named as the files name columns. */
static PqSlice name_in_files(const PqListing *l, const PqNode *node)
{
    return l->lake_names.n ? l->lake_names.fields[node->element].physical
                           : pq_slice_text(node->name);
}

/* ---- files ------------------------------------------------------------------------------- */

static PqRc take_columns(PqListing *l, const PqDeltaLog *d, const PqNode **nodes, PqErr *e)
{
    uint32_t n = d->n_partition;

    PQ_TRY(PQ_ARENA_NEW(&l->arena, l->folder_columns, n, e));
    PQ_TRY(PQ_ARENA_NEW(&l->arena, l->folder_types, n, e));
    for (uint32_t k = 0; k < n; k++) {
        nodes[k] = top_field(l, d->partition[k]);
        if (!nodes[k]) {
            return pq_fail(e, PQ_CORRUPT, "the table is partitioned by %s, which its schema "
                           "does not have", d->partition[k]);
        }
        l->folder_columns[k] = pq_arena_text(&l->arena, nodes[k]->name,
                                             strlen(nodes[k]->name), e);
        PQ_TRY(l->folder_columns[k] ? PQ_OK : e->rc);
        PQ_TRY(hive_type(nodes[k], &l->folder_types[k], e));
    }
    l->n_folder_columns = n;
    return PQ_OK;
}

/* The bytes that say which rows are deleted. */
static PqRc read_deletes(PqDeltaLog *d, const PqDeletionPlace *at, PqBuf *bytes, PqErr *e)
{
    PqWhere outer;
    PqSource *source;
    const char *path;
    PqRc rc;

    if (!at->path) {
        return PQ_OK;
    }
    if (at->in_table) {
        path = pq_arena_printf(d->arena, e, "%s/%s", d->table, at->path);
        PQ_TRY(path ? PQ_OK : e->rc);
    } else {
        PQ_TRY(pq_delta_path(d, pq_slice_text(at->path), &path, e));
    }
    outer = pq_where_enter(e, path);
    PQ_GO(pq_places_open(d->places, d->mem, path, &source, e));
    if (at->begin > pq_source_size(source) || at->n > pq_source_size(source) - at->begin) {
        rc = pq_fail(e, PQ_CORRUPT, "%zu bytes of deleted rows at byte %llu of a file of %llu",
                     at->n, (unsigned long long)at->begin,
                     (unsigned long long)pq_source_size(source));
    }
    rc = rc ? rc : pq_buf_resize(bytes, at->n, e);
    rc = rc ? rc : pq_source_read(source, at->begin, at->n, bytes->p, e);
    pq_source_close(source);
done:
    e->where = outer;
    return rc;
}

static PqRc take_deletes(PqDeltaLog *d, const PqDeltaFile *f, PqListedFile *to,
                         const PqStop *stop, PqErr *e)
{
    PqWhere outer = pq_where_enter(e, f->path);
    PqDeletionPlace at;
    PqBuf bytes, ranges;
    PqRowRange *v;
    size_t n;
    PqRc rc;

    pq_buf_init(&bytes, d->mem, NULL);
    pq_buf_init(&ranges, d->mem, e);
    PQ_GO(pq_deletion_vector_find(f->deletes, &d->scratch, &at, e));
    PQ_GO(read_deletes(d, &at, &bytes, e));
    PQ_GO(pq_deletion_vector_read(f->deletes, pq_buf_view(&bytes), &ranges, stop, e));
    v = pq_row_ranges(&ranges, &n);
    to->n_deleted = (uint32_t)n;
    rc = n > UINT32_MAX ? pq_fail(e, PQ_BUDGET, "too many deleted rows") : PQ_OK;
    if (rc == PQ_OK && n) {
        PqRowRange *copy = pq_arena_alloc(d->arena, n * sizeof *copy, e);

        rc = copy ? PQ_OK : e->rc;
        if (copy) {
            memcpy(copy, v, n * sizeof *copy);
            to->deleted = copy;
        }
    }
done:
    pq_buf_free(&bytes);
    pq_buf_free(&ranges);
    e->where = outer;
    return rc;
}

static PqRc take_file(PqListing *l, PqDeltaLog *d, const PqDeltaFile *f,
                      const PqNode *const *nodes, PqHiveValue *values, const PqStop *stop,
                      PqErr *e)
{
    PqListedFile *to = &l->files[l->n_files++];

    *to = (PqListedFile){.path = f->path, .hive = values,
                                            .n_base = (uint32_t)strlen(f->path)};
    for (uint32_t k = 0; k < l->n_folder_columns; k++) {
        const char *text = value_of(&f->values, name_in_files(l, nodes[k]));

        PQ_TRY(set_value(&l->arena, nodes[k], l->folder_types[k], text, &values[k], e));
    }
    l->has_deletes = l->has_deletes || f->deletes;
    return f->deletes ? take_deletes(d, f, to, stop, e) : PQ_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const PqDeltaFile *)a)->path, ((const PqDeltaFile *)b)->path);
}

static PqRc take_files(PqListing *l, PqDeltaLog *d, const PqNode *const *nodes,
                       const PqStop *stop, PqErr *e)
{
    uint32_t columns = l->n_folder_columns, n = 0;
    PqHiveValue *values;

    for (uint32_t i = 0; i < d->n; i++) {
        if (d->files[i].is_there) {
            d->files[n++] = d->files[i];
        }
    }
    if (n) {
        qsort(d->files, n, sizeof *d->files, by_path);
    }
    PQ_TRY(PQ_ARENA_NEW(&l->arena, l->files, n + 1u, e));
    values = pq_arena_zeros(&l->arena, n + 1u, (columns + 1u) * sizeof *values, e);
    PQ_TRY(values ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n; i++) {
        if (i && strcmp(d->files[i].path, d->files[i - 1].path) == 0) {
            return pq_fail(e, PQ_CORRUPT, "the log has %.300s twice", d->files[i].path);
        }
        PQ_TRY(i % 1024 ? PQ_OK : pq_stop_poll(stop, e));
        PQ_TRY(take_file(l, d, &d->files[i], nodes, values + (size_t)i * columns, stop, e));
    }
    return PQ_OK;
}

static PqRc take_snapshot(PqListing *l, PqDeltaLog *d, const PqStop *stop, PqErr *e)
{
    const PqNode **nodes;
    PqDeltaMapping mapping;

    PQ_TRY(pq_delta_check(d, &mapping, e));
    PQ_TRY(pq_delta_schema(pq_slice_text(d->schema), mapping, &l->arena, l->arena.mem,
                           &l->schema, &l->lake_names, e));
    l->lake_names.schema = l->schema;
    pq_lake_names_mark(&l->lake_names);
    PQ_TRY(PQ_ARENA_NEW(&l->arena, nodes, d->n_partition + 1u, e));
    PQ_TRY(take_columns(l, d, nodes, e));
    PQ_TRY(take_files(l, d, nodes, stop, e));
    l->places.terms.one_of_many = l->n_files > 1;
    return PQ_OK;
}

PqRc pq_lake_read(PqListing *l, PqEngine *g, int64_t version, const PqStop *stop, PqErr *e)
{
    PqWhere outer;
    PqDeltaLog d;
    PqRc rc;

    if (!l->lake) {
        return version < 0 ? PQ_OK
                           : pq_fail(e, PQ_USAGE, "version= needs a Delta table");
    }
    outer = pq_where_enter(e, l->lake);
    rc = pq_delta_log_begin(&d, l, e);
    rc = rc ? rc : pq_delta_replay(&d, g, version, stop, e);
    pq_where_enter(e, l->lake);
    rc = rc ? rc : take_snapshot(l, &d, stop, e);
    pq_delta_log_end(&d);
    e->where = outer;
    return rc;
}
