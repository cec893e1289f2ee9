/*
** copy_misfit.c
*/
#include "sql/copy_misfit.h"

static bool is_number(const PqType *t)
{
    return t->logical == PQ_TYPE_INT || t->logical == PQ_TYPE_DECIMAL ||
           t->logical == PQ_TYPE_FLOAT16 ||
           (t->logical == PQ_TYPE_NONE && t->physical != PQ_BYTE_ARRAY &&
            t->physical != PQ_FIXED && t->physical != PQ_INT96);
}

static bool is_time(const PqType *t)
{
    return t->logical == PQ_TYPE_DATE || t->logical == PQ_TYPE_TIME ||
           t->logical == PQ_TYPE_TIMESTAMP || t->physical == PQ_INT96;
}

static const char *type_that_takes(const PqsqlType *type, PqCellClass cls)
{
    const PqType *t = &type->type;
    bool is_leaf = type->kind == PQ_NODE_LEAF;

    switch (cls) {
    case PQ_CELL_BLOB:
        return "BLOB";
    case PQ_CELL_TEXT:
        return "TEXT";
    case PQ_CELL_REAL:
        return is_leaf && is_number(t) ? "DOUBLE" : "TEXT";
    default:
        if (is_leaf && t->logical == PQ_TYPE_NONE && t->physical == PQ_DOUBLE) {
            return "DOUBLE";         /* by name it takes the nearest         */
        }
        return is_leaf && is_number(t) && t->logical != PQ_TYPE_DECIMAL &&
                       t->physical != PQ_FLOAT && t->physical != PQ_FIXED
                   ? "BIGINT" : "TEXT";
    }
}

static void say_what_to_write(const PqsqlCopyColumn *c, PqCellClass cls,
                              PqErr *e)
{
    bool may_be_raw = c->type->kind == PQ_NODE_LEAF && cls == PQ_CELL_INT &&
                      is_time(&c->type->type) &&
                      c->rules.number_time == PQ_NUMBER_TIME_EPOCH;

    pq_err_hint(e, "write {\"types\": {%s: \"%s\"}}%s", c->quoted,
                type_that_takes(c->type, cls),
                may_be_raw ? ", or {\"timestamp\": \"raw\"} where numbers are in "
                             "the type's unit and no seconds" : "");
}

void pqsql_copy_misfit_tell(const PqsqlCopyColumn *c, const PqCopyMisfit *misfit,
                            PqErr *e)
{
    PqErr why = *e;

    pq_err_clear(e);
    pq_where_reset(e);
    pq_fail(e, PQ_USAGE, "column %s, row %llu: %s", c->name,
            (unsigned long long)misfit->row, why.text);
    if (misfit->cls != PQ_CELL_NULL) {
        if (c->remedy) {
            pq_err_hint(e, "%s", c->remedy);
        } else {
            say_what_to_write(c, misfit->cls, e);
        }
    } else if (c->may_undo) {
        pq_err_hint(e, "%s%swrite {\"not_null\": []}", c->remedy ? c->remedy : "",
                    c->remedy ? ", or " : "");
    }
}
