/*
** copy_types_schema.c - turns settled types into the elements of a schema, with
** field ids.
**
**   from t, a Parquet table     ids   query                ids written
**   t(id, name)                 1 2   SELECT * FROM t      1 2
**                                     SELECT name, id, id AS again   2 1 -
**   u(id, price)                1 2   SELECT t.*, price    1 2 -
**
** Table formats identify a column by its field id, so an id must be unique: if
** several columns come with the same id, the first keeps it.  If the option
** field_ids is given, no ids are taken over, because two numberings do not mix.
*/
#include "sql/copy/copy_types.h"

/* ---- ids from the option ------------------------------------------------- */

/* The part of a type that a path leads to, or NULL.  A path has the names of
** fields, and element, key and value. */
static PqsqlType *part_of(PqsqlType *t, const char *path)
{
    size_t n = strcspn(path, ".");

    for (uint32_t i = 0; i < t->n_children && t->kind != PQ_NODE_VARIANT; i++) {
        const char *name = t->kind == PQ_NODE_STRUCT ? t->child[i]->name
                           : t->kind == PQ_NODE_LIST ? "element"
                           : i == 0                  ? "key" : "value";

        if (strcmp(name, path) == 0) {
            return t->child[i];
        }
        if (path[n] && strlen(name) == n && memcmp(name, path, n) == 0) {
            return part_of(t->child[i], path + n + 1);
        }
    }
    return NULL;
}

static PqRc give_id(const PqsqlCopyColumns *columns, const PqsqlNamed *id,
                    PqErr *e)
{
    const char *path = id->name;
    PqsqlType *found = NULL;

    for (uint32_t k = 0; k < columns->n && !found; k++) {
        const PqsqlCopyColumn *c = &columns->v[k];
        size_t n = strlen(c->name);

        if (!c->is_partition && strcmp(path, c->name) == 0) {
            found = c->type;
        } else if (!c->is_partition && strncmp(path, c->name, n) == 0 &&
                   path[n] == '.') {
            found = part_of(c->type, path + n + 1);
        }
    }
    if (!found) {
        return pq_fail(e, PQ_USAGE, "field_ids: there is no column or field %s",
                       path);
    }
    found->field_id = (int32_t)id->number;
    return PQ_OK;
}

static void forget_ids(PqsqlType *t)
{
    t->field_id = -1;
    for (uint32_t i = 0; i < t->n_children; i++) {
        forget_ids(t->child[i]);
    }
}

static PqRc give_ids(const PqsqlCopyColumns *columns, PqErr *e)
{
    const PqsqlNamedList *ids = &columns->o->field_ids;

    for (uint32_t i = 0; i < columns->n; i++) {
        if (!columns->v[i].is_partition) {
            forget_ids(columns->v[i].type);
        }
    }
    for (uint32_t i = 0; i < ids->n; i++) {
        PQ_TRY(give_id(columns, &ids->v[i], e));
    }
    return PQ_OK;
}

/* ---- ids are unique ------------------------------------------------------ */

/* Lists the types that have an id, in the order of the schema; only counts them
** if v is NULL. */
static uint32_t with_ids(PqsqlType *t, PqsqlType **v, uint32_t n)
{
    if (t->field_id >= 0 && v) {
        v[n] = t;
    }
    n += t->field_id >= 0;
    for (uint32_t i = 0; i < t->n_children; i++) {
        n = with_ids(t->child[i], v, n);
    }
    return n;
}

static uint32_t all_with_ids(const PqsqlCopyColumns *columns, PqsqlType **v)
{
    uint32_t n = 0, i;

    for (i = 0; i < columns->n; i++) {
        if (pqsql_copy_is_in_files(&columns->v[i])) {
            n = with_ids(columns->v[i].type, v, n);
        }
    }
    return n;
}

/* Sorts by id and then by place, to find ids that occur twice.  If an id was
** taken over twice, only the first stays. */
static PqRc keep_first_ids(const PqsqlCopyColumns *columns, PqErr *e)
{
    size_t n = all_with_ids(columns, NULL), i;
    PqsqlType **types;
    int64_t *keys;

    PQ_TRY(PQ_ARENA_NEW(columns->a, types, n + 1, e));
    PQ_TRY(PQ_ARENA_NEW(columns->a, keys, n + 1, e));
    all_with_ids(columns, types);
    for (i = 0; i < n; i++) {
        keys[i] = (int64_t)types[i]->field_id << 32 | (int64_t)i;
    }
    pq_sort_i64(keys, n);
    for (i = 1; i < n; i++) {
        if (keys[i] >> 32 != keys[i - 1] >> 32) {
            continue;
        }
        if (columns->o->has_field_ids) {
            return pq_fail(e, PQ_USAGE, "field_ids: %lld is given twice",
                           (long long)(keys[i] >> 32));
        }
        types[(uint32_t)keys[i]]->field_id = -1;
    }
    return PQ_OK;
}

/* ---- the schema ---------------------------------------------------------- */

/* A row has a box if and only if it has a geometry, so only the struct can be
** null. */
static void make_cover(const PqsqlCopyCover *c, bool required, PqSchemaMake *m)
{
    static const char *const names[] = {"xmin", "ymin", "xmax", "ymax"};
    PqType type = {.physical = c->physical};

    pq_schema_make_group(m, PQ_NODE_STRUCT, c->name, required, -1);
    for (uint32_t i = 0; i < PQ_COUNT(names); i++) {
        pq_schema_make_leaf(m, names[i], &type, true, -1);
    }
    pq_schema_make_close(m);
}

PqRc pqsql_copy_types_schema(const PqsqlCopyColumns *columns,
                             PqSchemaElementList *out, PqErr *e)
{
    PqSchemaMake *m = NULL;
    PqRc rc;

    if (columns->o->has_field_ids) {
        PQ_TRY(give_ids(columns, e));
    }
    PQ_TRY(keep_first_ids(columns, e));
    PQ_TRY(pq_schema_make_new(columns->a->mem, &m, e));
    for (uint32_t i = 0; i < columns->n; i++) {
        const PqsqlCopyColumn *c = &columns->v[i];

        if (pqsql_copy_is_in_files(c)) {
            pqsql_type_make(c->type, c->name, c->required, m);
        }
    }
    for (uint32_t i = 0; i < columns->n_covers; i++) {
        make_cover(&columns->covers[i],
                   columns->v[columns->covers[i].of].required, m);
    }
    rc = pq_schema_make_end(m, columns->a, out, e);
    pq_schema_make_free(m);
    return rc;
}
