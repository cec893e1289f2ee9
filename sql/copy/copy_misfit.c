/*
** copy_misfit.c - finds the type to advise for a value that does not fit.
**
**   column price, row 7: 'abc' is not a DECIMAL(10,2); write {"types":
**   {"price": "TEXT"}}
**
** What is hard is that the type must take the column's earlier values too.  All
** that is known about them is the type they led to, and the kinds of texts.
*/
#include "sql/copy/copy_types.h"

static bool is_number(const PqType *t)
{
    return t->logical == PQ_TYPE_INT || t->logical == PQ_TYPE_DECIMAL ||
           t->logical == PQ_TYPE_FLOAT16 ||
           (t->logical == PQ_TYPE_NONE && t->physical != PQ_BYTE_ARRAY &&
            t->physical != PQ_FIXED && t->physical != PQ_INT96);
}

static bool is_bytes(const PqType *t)
{
    return t->logical == PQ_TYPE_BSON || pq_type_is_geometry(t) ||
           (t->logical == PQ_TYPE_NONE &&
            (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED));
}

static bool is_geometry(const PqsqlCopyColumn *c)
{
    return c->rules.geometry ||
           (c->type->kind == PQ_NODE_LEAF &&
            pq_type_is_geometry(&c->type->type));
}

static bool is_class_of_number(PqCellClass cls)
{
    return cls == PQ_CELL_INT || cls == PQ_CELL_REAL;
}

/* Is it a STRING only because all rows so far are NULL? */
static bool is_empty(const PqsqlCopyColumn *c)
{
    return c->type->type.logical == PQ_TYPE_STRING && c->rules.exact_numbers;
}

/* The type for texts of one kind that come after texts of another kind. */
static const char *type_of_texts(const PqsqlCopyColumn *c, unsigned kinds)
{
    const PqType *t = &c->type->type;

    if (kinds & PQ_KIND_REAL && t->logical == PQ_TYPE_NONE &&
        t->physical == PQ_INT64) {
        return "DOUBLE";
    }
    if (t->logical == PQ_TYPE_TIMESTAMP && t->unit == PQ_MICROS &&
        kinds & (t->utc ? PQ_KIND_STAMP_UTC_NANOS : PQ_KIND_STAMP_NANOS)) {
        return t->utc ? "TIMESTAMPTZ_NS" : "TIMESTAMP_NS";
    }
    return "TEXT";
}

/* The type that takes the value and all earlier ones; NULL when there is
** none. */
static const char *type_that_takes(const PqsqlCopyColumn *c,
                                   const PqCopyMisfit *misfit)
{
    const PqType *t = &c->type->type;
    bool is_leaf = c->type->kind == PQ_NODE_LEAF;
    PqCellClass cls = misfit->cls;

    if (is_leaf && is_bytes(t)) {
        return is_class_of_number(cls) ? NULL : "BLOB";
    }
    switch (cls) {
    case PQ_CELL_BLOB:
        return is_leaf && is_number(t) && !c->is_explicit ? NULL : "BLOB";
    case PQ_CELL_TEXT:
        return c->is_auto ? type_of_texts(c, misfit->kinds) : "TEXT";
    case PQ_CELL_REAL:
        return is_leaf && (is_number(t) || is_empty(c)) ? "DOUBLE" : "TEXT";
    default:
        if (is_leaf && is_empty(c)) {
            return "BIGINT";
        }
        if (is_leaf && t->logical == PQ_TYPE_NONE && t->physical == PQ_DOUBLE) {
            return "DOUBLE";         /* if asked for, it takes the nearest   */
        }
        return is_leaf && is_number(t) && t->logical != PQ_TYPE_DECIMAL &&
                       t->physical != PQ_FLOAT && t->physical != PQ_FIXED
                   ? "BIGINT" : "TEXT";
    }
}

static void say_what_to_write(const PqsqlCopyColumn *c,
                              const PqCopyMisfit *misfit, PqErr *e)
{
    bool may_be_raw = misfit->cls == PQ_CELL_INT && pqsql_type_is_time(c->type) &&
                      c->rules.number_time == PQ_NUMBER_TIME_EPOCH &&
                      !c->rules.exact_numbers;
    const char *type = type_that_takes(c, misfit);

    if (c->folder_file && !c->is_explicit) {
        pq_err_hint(e, "the column is %s in %s: CAST the value in the query, name "
                    "that type in {\"types\": {%s: \"...\"}} to convert it, or "
                    "copy the whole folder with another type and {\"overwrite\": "
                    "\"replace\"}", c->folder_type, c->folder_file, c->quoted);
        return;
    }
    if (is_geometry(c) && misfit->cls != PQ_CELL_BLOB) {
        pq_err_hint(e, "a geometry is a BLOB of WKB%s",
                    c->rules.classes || c->rules.exact_numbers
                        ? "" : ", or a TEXT of WKT");
        return;
    }
    if (!type) {
        pq_err_hint(e, "no type takes it and the others: CAST it AS TEXT or AS "
                    "BLOB in the query");
        return;
    }
    pq_err_hint(e, "write {\"types\": {%s: \"%s\"%s}}%s", c->quoted, type,
                c->all_are_auto ? ", \"*\": \"auto\"" : "",
                may_be_raw ? ", or {\"timestamp\": \"raw\"} if numbers are in "
                             "the type's unit and not seconds" : "");
}

void pqsql_copy_misfit_explain(const PqsqlCopyColumn *c,
                               const PqCopyMisfit *misfit, PqErr *e)
{
    PqErr why = *e;

    pq_err_clear(e);
    pq_where_reset(e);
    pq_fail(e, PQ_USAGE, "column %s, row %llu: %s", c->name,
            (unsigned long long)misfit->row, why.text);
    if (misfit->cls != PQ_CELL_NULL) {
        if (c->remedy && is_class_of_number(misfit->cls)) {
            pq_err_hint(e, "%s", c->remedy);
        } else {
            say_what_to_write(c, misfit, e);
        }
    } else if (c->may_undo) {
        pq_err_hint(e, "%s%swrite {\"not_null\": []}", c->remedy ? c->remedy : "",
                    c->remedy ? ", or " : "");
    }
}
