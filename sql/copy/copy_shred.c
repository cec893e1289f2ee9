/*
** copy_shred.c - takes the types that are given for the parts of a VARIANT.
**
**   {"shred": {"event": "auto"}}                        by the first rows
**   {"shred": {"event": "STRUCT<id BIGINT, tags LIST<TEXT>>"}}
**   {"shred": {"event": {"$.id": "BIGINT", "$.user.name": "TEXT"}}}
**
** The result is the child of the column's type.  Its meaning there:
**
**   a STRUCT   fields that have columns of their own; other fields may come
**   a LIST     its elements have columns
**   a leaf     values of that type have a column
**   VARIANT    a column of its own, but of no type
**
** A value that a column does not take is stored beside it.  So no schema is
** wrong: a schema that fits few values only makes the file larger.
**
** A type text is a tree already.  Paths become one: each step is a field of a
** STRUCT, which is made when it is first met.
*/
#include "sql/copy/copy_types.h"

#include "sql/did_you_mean.h"

/* ---- one type ------------------------------------------------------------ */

static PqRc no_such_part(const PqType *t, PqMem *mem, PqErr *e)
{
    PqBuf name;

    pq_buf_init(&name, mem, e);
    pq_type_text(t, &name);
    if (pq_buf_ok(&name)) {
        pq_fail(e, PQ_USAGE, "no value of a VARIANT is of type %.*s; these "
                "are: BOOLEAN, TINYINT to BIGINT, FLOAT, DOUBLE, DECIMAL, "
                "DATE, TIME, TIMESTAMP, TIMESTAMPTZ (and _NS), TEXT, BLOB, "
                "UUID, LIST<...>, STRUCT<...>", (int)name.n,
                (const char *)name.p);
    }
    pq_buf_free(&name);
    return e->rc;
}

/* May the parts of a VARIANT have these types?  NULL, the type for nulls only,
** means a column without a type.  Recursion is as deep as the type. */
static PqRc check(PqsqlType *t, PqMem *mem, PqErr *e)
{
    if (t->kind == PQ_NODE_MAP || t->is_file) {
        return pq_fail(e, PQ_USAGE, "a VARIANT has no %s: write STRUCT<...>",
                       t->is_file ? "FILE" : "MAP");
    }
    if (t->kind == PQ_NODE_LEAF && t->type.logical == PQ_TYPE_UNKNOWN) {
        t->kind = PQ_NODE_VARIANT;
    }
    if (t->kind == PQ_NODE_LEAF && !pq_variant_shred_type(&t->type)) {
        return no_such_part(&t->type, mem, e);
    }
    for (uint32_t i = 0; i < t->n_children; i++) {
        PQ_TRY(check(t->child[i], mem, e));
    }
    return PQ_OK;
}

static PqRc parse(const char *text, PqArena *a, PqsqlType **out, PqErr *e)
{
    PQ_TRY(pqsql_type_parse(text, a, out, e));
    return check(*out, a->mem, e);
}

/* ---- types by path ------------------------------------------------------- */

static PqsqlType *field_of(const PqsqlType *t, PqSlice name)
{
    for (uint32_t i = 0; i < t->n_children; i++) {
        if (pq_slice_equal(pq_slice_text(t->child[i]->name), name)) {
            return t->child[i];
        }
    }
    return NULL;
}

static PqRc add_field(PqsqlType *t, PqSlice name, PqsqlType *field, PqArena *a,
                      PqErr *e)
{
    field->name = pq_arena_text(a, name.p, name.n, e);
    if (!field->name) {
        return e->rc;
    }
    return pqsql_type_add(t, field, a, e);
}

/* Is it a name that no field of a schema can have? */
static bool is_unnameable(PqSlice name)
{
    return name.n == 0 || memchr(name.p, 0, name.n);
}

static PqRc taken(PqErr *e)
{
    return pq_fail(e, PQ_USAGE, "another path has a type for it already");
}

/* Puts the type at the end of the path. */
static PqRc put_at(PqsqlType **root, const PqVariantPath *path,
                   PqsqlType *type, PqArena *a, PqErr *e)
{
    PqsqlType *t = *root, *next;

    if (path->n == 0) {
        *root = t ? t : type;
        return t ? taken(e) : PQ_OK;
    }
    if (!t) {
        PQ_TRY(pqsql_type_new(a, PQ_NODE_STRUCT, &t, e));
        *root = t;
    }
    for (uint32_t i = 0; i < path->n; i++, t = next) {
        PqSlice name = path->step[i].name;

        if (!name.p) {
            return pq_fail(e, PQ_USAGE, "all elements of an array have one "
                           "type: write a path to the array, with LIST<...>");
        }
        if (is_unnameable(name)) {
            return pq_fail(e, PQ_USAGE, "no column can have this name");
        }
        if (t->kind != PQ_NODE_STRUCT) {
            return taken(e);
        }
        next = field_of(t, name);
        if (!next && i + 1 < path->n) {
            PQ_TRY(pqsql_type_new(a, PQ_NODE_STRUCT, &next, e));
            PQ_TRY(add_field(t, name, next, a, e));
        } else if (!next) {
            return add_field(t, name, type, a, e);
        }
    }
    return taken(e);
}

static PqRc by_paths(const PqsqlNamedList *paths, PqArena *a, PqsqlType **out,
                     PqErr *e)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        const PqsqlNamed *one = &paths->v[i];
        PqVariantPath path;
        PqsqlType *type;
        PqErr why = PQ_NO_ERR;

        if (pq_variant_path_parse(pq_slice_text(one->name), a, &path, &why)) {
            return pq_fail(e, why.rc, "%s", why.text);
        }
        if (parse(one->value, a, &type, &why) ||
            put_at(out, &path, type, a, &why)) {
            return pq_fail(e, why.rc, "path %s: %s", one->name, why.text);
        }
    }
    return PQ_OK;
}

/* Heights of all types below t.  Recursion is as deep as the paths. */
static uint32_t set_height(PqsqlType *t, uint32_t depth)
{
    t->height = 1;
    for (uint32_t i = 0; i < t->n_children && depth < PQSQL_TYPE_DEPTH; i++) {
        uint32_t height = set_height(t->child[i], depth + 1) + 1;

        t->height = height > t->height ? height : t->height;
    }
    return t->height;
}

/* ---- the option ---------------------------------------------------------- */

static PqRc shred_as(PqsqlCopyColumn *c, const PqsqlShredSetting *s,
                     PqArena *a, PqErr *e)
{
    PqsqlType *type = NULL;
    PqErr why = PQ_NO_ERR;

    c->shreds_auto = c->rules.named_parts = false;
    c->type->n_children = 0;
    c->type->height = 1;
    if (s->type && pqsql_type_is_auto(s->type)) {
        c->shreds_auto = true;
        return PQ_OK;
    }
    if (s->type && pq_ascii_same(s->type, "none")) {
        return PQ_OK;
    }
    if (s->type ? parse(s->type, a, &type, &why)
                : by_paths(&s->paths, a, &type, &why)) {
        return pq_fail(e, why.rc, "shred, column %s: %s", c->name, why.text);
    }
    c->rules.named_parts = type != NULL;
    return type ? pqsql_copy_shred_set(c, type, a, e) : PQ_OK;
}

PqRc pqsql_copy_shred_set(PqsqlCopyColumn *c, PqsqlType *type, PqArena *a,
                          PqErr *e)
{
    if (type->kind == PQ_NODE_VARIANT) {
        return PQ_OK;                /* the same as not to shred it */
    }
    set_height(type, 0);
    if (type->height > PQSQL_TYPE_DEPTH) {
        return pq_fail(e, PQ_USAGE, "shred, column %s: more than %d types "
                       "inside each other", c->name, PQSQL_TYPE_DEPTH);
    }
    return pqsql_type_add(c->type, type, a, e);
}

static bool is_variant(const PqsqlCopyColumn *c)
{
    return !c->is_partition && c->type && !c->is_hint &&
           c->type->kind == PQ_NODE_VARIANT;
}

PqRc pqsql_copy_shred_take(PqsqlCopyColumns *columns, PqErr *e)
{
    for (uint32_t i = 0; i < columns->o->n_shred; i++) {
        const PqsqlShredSetting *s = &columns->o->shred[i];
        PqsqlCopyColumn *c;

        for (uint32_t k = 0; k < columns->n && !s->column; k++) {
            if (is_variant(&columns->v[k])) {
                PQ_TRY(shred_as(&columns->v[k], s, columns->a, e));
            }
        }
        if (!s->column) {
            continue;
        }
        PQ_TRY(pqsql_copy_types_written(columns, "shred", s->column, &c, e));
        if (!is_variant(c)) {
            return pq_fail(e, PQ_USAGE, "shred: column %s is not a VARIANT; write "
                           "{\"variant\": [%s]}", c->name, c->quoted);
        }
        PQ_TRY(shred_as(c, s, columns->a, e));
    }
    return PQ_OK;
}
