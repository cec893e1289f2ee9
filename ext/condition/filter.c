/*
** filter.c - what a condition means, for one value.
*/
#include "ext/condition/filter.h"

/* ---- which columns ------------------------------------------------------- */

static PqextAffinity affinity_of_physical(const PqextTable *t,
                                          const PqType *type)
{
    switch (type->physical) {
    case PQ_INT96:
        return t->values.timestamp == PQSQL_TIME_TEXT ? PQEXT_AFF_TEXT
                                                      : PQEXT_AFF_NUMERIC;
    case PQ_BYTE_ARRAY:
        return t->values.binary_as_string ? PQEXT_AFF_TEXT : PQEXT_AFF_BLOB;
    case PQ_FIXED:
        return PQEXT_AFF_BLOB;
    default:
        return PQEXT_AFF_NUMERIC;
    }
}

static PqextAffinity affinity_of(const PqextTable *t, const PqType *type)
{
    if (pq_type_is_text(type)) {
        return PQEXT_AFF_TEXT;
    }
    switch (type->logical) {
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_UUID:
        return PQEXT_AFF_TEXT;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp == PQSQL_TIME_TEXT ? PQEXT_AFF_TEXT
                                                      : PQEXT_AFF_NUMERIC;
    case PQ_TYPE_DECIMAL:
        return t->values.decimal_text ? PQEXT_AFF_TEXT : PQEXT_AFF_NUMERIC;
    case PQ_TYPE_INT:
        return pq_type_is_u64(type) ? PQEXT_AFF_BLOB : PQEXT_AFF_NUMERIC;
    case PQ_TYPE_FLOAT16:
        return PQEXT_AFF_NUMERIC;
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return PQEXT_AFF_BLOB;
    case PQ_TYPE_NONE:
        return affinity_of_physical(t, type);
    default:
        return PQEXT_AFF_NONE;
    }
}

PqextAffinity pqext_filter_affinity(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];
    PqextAffinity a;

    if (c->kind != PQ_COLUMN_NODE || c->node->kind != PQ_NODE_LEAF ||
        c->node->rep != 0) {
        return PQEXT_AFF_NONE;
    }
    a = affinity_of(t, &c->type);
    /* UTF-16 has another order, and bytes that are no text another class. */
    return a == PQEXT_AFF_TEXT &&
                   (t->utf16 || t->values.invalid_utf8 != PQSQL_UTF8_TEXT)
               ? PQEXT_AFF_NONE : a;
}

bool pqext_filter_can(const PqextTable *t, uint32_t column, PqextOp op)
{
    const PqColumn *c = &t->table->columns[column];
    PqextAffinity a = pqext_filter_affinity(t, column);

    if (op == PQEXT_LIKE || op == PQEXT_GLOB) {
        return a == PQEXT_AFF_TEXT &&
               (pq_type_is_text(&c->type) || c->type.logical == PQ_TYPE_NONE);
    }
    return a != PQEXT_AFF_NONE;
}

/* 'NaN' is a text, and SQLite does not tell the collation of <> and IS NOT. */
static bool may_be_nan(const PqextTable *t, const PqType *type)
{
    return t->values.nan_text &&
           (type->physical == PQ_FLOAT || type->physical == PQ_DOUBLE ||
            type->logical == PQ_TYPE_FLOAT16);
}

bool pqext_filter_is_exact(const PqextTable *t, uint32_t column, PqextOp op,
                           sqlite3_value *literal)
{
    const PqColumn *c = &t->table->columns[column];

    if (op == PQEXT_LIKE || op == PQEXT_GLOB) {
        return false;
    }
    if (op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL) {
        return true;
    }
    switch (pqext_filter_affinity(t, column)) {
    case PQEXT_AFF_NUMERIC:
        return !may_be_nan(t, &c->type) ||
               (op != PQEXT_NE && op != PQEXT_IS_NOT);
    case PQEXT_AFF_BLOB:
        return !pq_type_is_u64(&c->type);
    case PQEXT_AFF_TEXT:
        return literal && op != PQEXT_IN &&
               (sqlite3_value_type(literal) == SQLITE_TEXT ||
                sqlite3_value_type(literal) == SQLITE_BLOB);
    default:
        return false;
    }
}

/* ---- one value ------------------------------------------------------------ */

/* A text of a text column, and a number given: compared as texts or as
** numbers, depending on where it comes from. */
static bool text_passes_number(const PqextFilter *f, PqSlice text)
{
    return f->op != PQEXT_EQ || pqsql_looks_like_number(text);
}

static bool operand_passes(const PqextFilter *f, const PqextValue *v)
{
    const PqextValue *operand = &f->operand;

    if (f->affinity == PQEXT_AFF_TEXT && v->kind == PQEXT_TEXT) {
        if (operand->kind == PQEXT_NUMBER) {
            return text_passes_number(f, v->bytes);
        }
        if (operand->kind == PQEXT_TEXT) {
            return pqext_texts_may_hold(f->op, v->bytes, operand->bytes,
                                        f->looks, f->literal);
        }
    }
    if (f->affinity == PQEXT_AFF_BLOB &&
        (v->kind == PQEXT_TEXT || (v->kind == PQEXT_NUMBER && f->looks))) {
        return true;                 /* a UINT64 that is a text, or meets one
                                     ** that may be compared as a number     */
    }
    return pqext_op_holds(f->op, pqext_value_compare(v, operand));
}

/* The same of a list, whose texts are compared as they are. */
static bool list_passes(const PqextFilter *f, const PqextValue *v)
{
    const PqextList *l = f->list;

    if (l->n == 0) {
        return false;
    }
    if (f->affinity == PQEXT_AFF_TEXT && v->kind == PQEXT_TEXT &&
        pqext_list_has_numbers(l) && pqsql_looks_like_number(v->bytes)) {
        return true;
    }
    if (f->affinity == PQEXT_AFF_BLOB &&
        (v->kind == PQEXT_TEXT || (v->kind == PQEXT_NUMBER && l->looks))) {
        return true;
    }
    return pqext_list_has(l, v);
}

bool pqext_filter_passes(const PqextFilter *f, const PqextValue *v)
{
    switch (f->op) {
    case PQEXT_IS_NULL:
        return false;
    case PQEXT_NOT_NULL:
        return true;
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        return v->kind != PQEXT_TEXT ||
               pqext_pattern_matches(&f->pattern, v->bytes);
    case PQEXT_IN:
        return list_passes(f, v);
    default:
        return f->has_operand && operand_passes(f, v);
    }
}

bool pqext_filter_passes_null(const PqextFilter *f)
{
    return f->op == PQEXT_IS_NULL || f->op == PQEXT_IS_NOT;
}

bool pqext_filter_passes_cell(const PqextFilter *f, const PqsqlCell *cell)
{
    PqextValue v;

    return pqext_value_of_cell(cell, &v) ? pqext_filter_passes(f, &v)
                                         : pqext_filter_passes_null(f);
}

/* ---- operands ---------------------------------------------------------------- */

static PqRc take_operand(PqextFilter *f, PqextOp op, sqlite3_value *v, PqErr *e)
{
    if (sqlite3_value_type(v) == SQLITE_NULL || op == PQEXT_IS_NULL ||
        op == PQEXT_NOT_NULL) {
        return PQ_OK;
    }
    f->op = op == PQEXT_IS ? PQEXT_EQ : op;
    PQ_TRY(pqext_value_take(v, f->affinity == PQEXT_AFF_NUMERIC, f->arena,
                            &f->operand, e));
    f->has_operand = true;
    f->looks = f->operand.kind == PQEXT_TEXT &&
               pqsql_looks_like_number(f->operand.bytes);
    if (op == PQEXT_LIKE || op == PQEXT_GLOB) {
        pqext_pattern_init(&f->pattern,
                           f->operand.kind == PQEXT_TEXT ? f->operand.bytes
                                                         : pq_slice("", 0),
                           op == PQEXT_GLOB);
    }
    return PQ_OK;
}

PqRc pqext_filter_begin(const PqextTable *t, PqextTerm term, sqlite3_value *v,
                        const PqextList *list, PqextLoadColumn load,
                        void *cursor, PqArena *a, PqextFilter *out, PqErr *e)
{
    *out = (PqextFilter){
        .base.apply = pqext_filter_apply,
        .table = t,
        .column = &t->table->columns[term.column],
        .index = (uint32_t)term.column,
        .affinity = pqext_filter_affinity(t, (uint32_t)term.column),
        .op = term.op == PQEXT_IS ? PQEXT_IS_NULL
              : term.op == PQEXT_IS_NOT ? PQEXT_NOT_NULL : term.op,
        .literal = term.exact,
        .list = list,
        .load = load,
        .cursor = cursor,
        .arena = a,
    };
    if (term.op == PQEXT_NE) {
        out->op = PQEXT_EQ;          /* until an operand comes: none is NULL */
    }
    return term.op == PQEXT_IN ? PQ_OK : take_operand(out, term.op, v, e);
}
