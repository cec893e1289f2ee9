/*
** copy_plan.c - makes the plan of a copy from options and settled types.
**
** Columns of partition_by are in the query but not in the files, so the numbers
** of columns differ.  Settings that only the types can contradict are checked
** here: encodings, and columns to sort by.
*/
#include "sql/copy/copy_types.h"

_Static_assert(PQ_OVERWRITE_ERROR == 0 && PQ_OVERWRITE_REPLACE == 1 &&
               PQ_OVERWRITE_APPEND == 2 && PQ_OVERWRITE_PARTITIONS == 3,
               "words of the option overwrite");
_Static_assert(PQ_LAKE_APPEND == 0 && PQ_LAKE_OVERWRITE == 1 && PQ_LAKE_CREATE == 2,
               "words of the option lake");

bool pqsql_copy_makes_folder(const PqsqlCopyOptions *o, const char *path)
{
    size_t n = strlen(path);

    return o->lake != PQSQL_UNSAID ||
           o->partition_by.n > 0 || o->file_rows > 0 || o->file_bytes > 0 ||
           o->filename_pattern || o->overwrite == PQ_OVERWRITE_APPEND ||
           o->overwrite == PQ_OVERWRITE_PARTITIONS ||
           (n > 0 && path[n - 1] == '/');
}

/* The names of the columns of partition_by, as the query gives them, or what else their folders
** are called. */
static PqRc plan_partition(const PqsqlCopyColumns *columns,
                           const char *const **out, PqErr *e)
{
    const PqsqlNamedList *by = &columns->o->partition_by;
    PqsqlCopyColumn *c;
    const char **names;

    PQ_TRY(PQ_ARENA_NEW(columns->a, names, by->n + 1u, e));
    for (uint32_t i = 0; i < by->n; i++) {
        PQ_TRY(pqsql_copy_types_column(columns, "partition_by", by->v[i].name,
                                       &c, e));
        names[i] = by->v[i].value ? by->v[i].value : c->name;
    }
    *out = names;
    return PQ_OK;
}

PqRc pqsql_copy_plan_publish(const PqsqlCopyColumns *columns, const char *path,
                             const PqPublishHost *host, PqRemote *remote,
                             const PqStop *stop, const PqPublishLog *log,
                             PqPublish **out, PqErr *e)
{
    const PqsqlCopyOptions *o = columns->o;
    bool is_folder = pqsql_copy_makes_folder(o, path);
    PqPublishPlan plan = {
        .target = path,
        .is_folder = is_folder,
        .overwrite = o->overwrite != PQSQL_UNSAID ? (PqOverwrite)o->overwrite
                     : is_folder ? PQ_OVERWRITE_ERROR : PQ_OVERWRITE_PARQUET,
        .n_folder_columns = o->partition_by.n,
        .pattern = o->filename_pattern,
        .log = log,                  /* its folder is not looked through     */
        .is_clear = !log && !o->encryption && !o->is_clear,
        .has_beside = o->encryption &&
                      o->encryption->material == PQ_MATERIAL_EXTERNAL,
        .host = host,
        .stop = stop,
        .remote = remote,
        .patience = &o->patience,
    };

    *out = NULL;
    PQ_TRY(plan_partition(columns, &plan.folder_columns, e));
    if (o->filename_pattern) {
        PQ_TRY(pq_file_name_check(o->filename_pattern, e));
    }
    return pq_publish_open(columns->a->mem, &plan, out, e);
}

/* The place of a column of the query in the plan, which lacks the columns of
** partition_by. */
static uint32_t place(const PqsqlCopyColumns *in, const PqsqlCopyColumn *of)
{
    uint32_t n = 0;

    for (const PqsqlCopyColumn *c = in->v; c < of; c++) {
        n += pqsql_copy_is_in_files(c);
    }
    return n;
}

/* A covering column gets no Bloom filter, because nobody looks for a box by
** equality. */
static PqCopyColumn plan_cover(const PqsqlCopyColumns *columns,
                               const PqsqlCopyCover *cover)
{
    PqCopyColumn out = {
        .rules = columns->v[cover->of].rules,
        .options = pqsql_copy_options_chunk(columns->o, NULL),
        .cover_of = place(columns, &columns->v[cover->of]) + 1,
    };

    out.options.bloom = PQ_BLOOM_NEVER;
    out.options.page_rows = columns->v[cover->of].chunk.page_rows;
    return out;
}

static PqRc plan_columns(const PqsqlCopyColumns *columns, PqCopyPlan *out,
                         PqErr *e)
{
    PqCopyColumn *v;

    PQ_TRY(PQ_ARENA_NEW(columns->a, v, (size_t)columns->n + columns->n_covers,
                        e));
    for (uint32_t i = 0; i < columns->n; i++) {
        const PqsqlCopyColumn *c = &columns->v[i];

        if (pqsql_copy_is_in_files(c)) {
            v[out->n_columns++] = (PqCopyColumn){c->rules, c->chunk, 0};
        }
    }
    for (uint32_t i = 0; i < columns->n_covers; i++) {
        v[out->n_columns++] = plan_cover(columns, &columns->covers[i]);
    }
    out->columns = v;
    out->n_partition = columns->o->partition_by.n;
    return plan_partition(columns, &out->partition_names, e);
}

static PqRc plan_sorting(const PqsqlCopyColumns *columns, PqCopyPlan *out,
                         PqErr *e)
{
    const PqsqlCopyOptions *o = columns->o;
    PqSortingBy *by;

    out->sorting = o->sorting_none   ? PQ_SORTING_NONE
                   : o->sorting_said ? PQ_SORTING_GIVEN : PQ_SORTING_AUTO;
    if (!o->sorting_said) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(columns->a, by, o->n_sorting, e));
    for (uint32_t i = 0; i < o->n_sorting; i++) {
        const PqsqlSortName *s = &o->sorting[i];
        PqsqlCopyColumn *c;

        PQ_TRY(pqsql_copy_types_column(columns, "sorting_columns", s->column,
                                       &c, e));
        if (c->is_partition) {
            return pq_fail(e, PQ_USAGE, "sorting_columns: %s is in partition_by, "
                           "and not in the files", s->column);
        }
        if (c->type->kind != PQ_NODE_LEAF) {
            return pq_fail(e, PQ_USAGE, "sorting_columns: %s is nested, and has "
                           "no order", s->column);
        }
        for (uint32_t b = 0; b < i; b++) {
            if (by[b].column == place(columns, c)) {
                return pq_fail(e, PQ_USAGE, "sorting_columns: %s twice",
                               s->column);
            }
        }
        by[i] = (PqSortingBy){place(columns, c), s->descending, s->nulls_first};
    }
    out->sorting_by = by;
    out->n_sorting_by = o->n_sorting;
    return PQ_OK;
}

/* Is there a leaf below t that has the encoding? */
static bool is_encoded(const PqsqlType *t, int encoding)
{
    if (t->kind == PQ_NODE_LEAF) {
        return pq_encodes(encoding, t->type.physical);
    }
    if (t->kind == PQ_NODE_VARIANT && pq_encodes(encoding, PQ_BYTE_ARRAY)) {
        return true;
    }
    for (uint32_t i = 0; i < t->n_children; i++) {
        if (is_encoded(t->child[i], encoding)) {
            return true;
        }
    }
    return false;
}

/* An encoding that was asked for must exist for the column's type, or for one
** of its leaves. */
static PqRc check_encodings(const PqsqlCopyColumns *columns, PqErr *e)
{
    for (uint32_t i = 0; i < columns->n; i++) {
        const PqsqlCopyColumn *c = &columns->v[i];
        int encoding = c->chunk.encoding;

        if (!pqsql_copy_is_in_files(c) || encoding < 0 || is_encoded(c->type, encoding)) {
            continue;
        }
        if (c->type->kind != PQ_NODE_LEAF) {
            return pq_fail(e, PQ_USAGE, "column %s: there is no %s for any of "
                           "its leaves", c->name, pq_encoding_name(encoding));
        }
        return pq_fail(e, PQ_USAGE, "column %s: there is no %s for %s", c->name,
                       pq_encoding_name(encoding),
                       pq_physical_name((int)c->type->type.physical));
    }
    return PQ_OK;
}

PqRc pqsql_copy_plan(PqsqlCopyColumns *columns, const char *path,
                     const PqStop *stop, PqCopyPlan *out, PqErr *e)
{
    const PqsqlCopyOptions *o = columns->o;
    PqSchemaElementList *schema;

    PQ_TRY(PQ_ARENA_NEW(columns->a, schema, 1, e));
    *out = (PqCopyPlan){
        .path = path,
        .is_folder = pqsql_copy_makes_folder(o, path),
        .adds = o->overwrite == PQ_OVERWRITE_APPEND,
        .row_group_rows = (uint64_t)o->row_group_rows,
        .row_group_bytes = (uint64_t)o->row_group_bytes,
        .file_rows = (uint64_t)o->file_rows,
        .file_bytes = (uint64_t)o->file_bytes,
        .key_values = o->key_values.v,
        .n_key_values = o->key_values.n,
        .created_by = o->created_by ? o->created_by
                                    : PQ_WRITER_HERE " version "
                                      PARQUET_VERSION,
        .stop = stop,
        .threads = o->threads < 0 ? pq_pool_spare_processors()
                                  : (unsigned)o->threads,
        .schema = schema,
        .encryption = o->encryption,
        .mem = columns->a->mem,
    };
    PQ_TRY(pqsql_copy_geo(columns, &out->geo, e));
    PQ_TRY(check_encodings(columns, e));
    PQ_TRY(pqsql_copy_types_schema(columns, schema, e));
    PQ_TRY(pqsql_copy_seal_fit(columns, schema, e));
    PQ_TRY(plan_columns(columns, out, e));
    return plan_sorting(columns, out, e);
}
