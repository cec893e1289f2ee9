/*
** prune.c
*/
#include "ext/condition/equal.h"

#include <math.h>

/* ---- which types keep their order -------------------------------------- */

bool pqext_is_string(const PqextTable *t, const PqType *type)
{
    return pq_type_is_text(type) ||
           (type->logical == PQ_TYPE_NONE &&
            type->physical == PQ_BYTE_ARRAY && t->values.binary_as_string);
}

static bool keeps_order(const PqextTable *t, const PqType *type)
{
    if (pqext_is_string(t, type)) {
        return !t->utf16 && t->values.invalid_utf8 == PQSQL_UTF8_TEXT;
    }
    switch (type->logical) {
    case PQ_TYPE_DECIMAL:
        return !t->values.decimal_text;
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_UUID:
        return !t->utf16;
    case PQ_TYPE_TIMESTAMP:
        return t->values.timestamp == PQSQL_TIME_RAW ||
               (t->values.timestamp == PQSQL_TIME_TEXT && !t->utf16);
    case PQ_TYPE_INT:
    case PQ_TYPE_BSON:
    case PQ_TYPE_FLOAT16:
        return true;
    case PQ_TYPE_NONE:
        return type->physical != PQ_INT96;
    default:
        return false;
    }
}

bool pqext_prune_can(const PqextTable *t, uint32_t column, PqextOp op)
{
    const PqColumn *c = &t->table->columns[column];

    if (!t->options.trust_stats || c->kind != PQ_COLUMN_NODE ||
        c->node->kind != PQ_NODE_LEAF || c->node->rep != 0 ||
        c->type.logical == PQ_TYPE_UNKNOWN) {
        return false;
    }
    return op == PQEXT_IS_NULL || op == PQEXT_NOT_NULL ||
           (op <= PQEXT_IN && keeps_order(t, &c->type));
}

/* ---- bounds to values --------------------------------------------------- */

static PqextValue integer(int64_t i)
{
    return (PqextValue){.kind = PQEXT_NUMBER, .is_int = true, .i = i};
}

static PqextValue real(double r)
{
    return (PqextValue){.kind = PQEXT_NUMBER, .r = r};
}

static PqextValue bytes(PqextClass kind, const void *p, size_t n)
{
    return (PqextValue){.kind = kind, .bytes = pq_slice(p, n)};
}

/* Texts of the years 0000 to 9999 sort as their dates do. */
static bool date_text(const char *text, size_t n, PqextValue *out)
{
    if (n == 0 || text[0] == '-' || text[0] == '+') {
        return false;
    }
    *out = bytes(PQEXT_TEXT, text, n);
    return true;
}

/* A fraction adds digits behind what would else be the whole text, and 3, 6 or
** 9 of them compare as the fractions do: texts sort as instants. */
static bool timestamp_bound(const PqextTable *t, const PqType *type, int64_t v,
                            char *room, PqextValue *out)
{
    if (t->values.timestamp == PQSQL_TIME_RAW) {
        *out = integer(v);
        return true;
    }
    return date_text(room, pq_time_text_timestamp(v, type->unit, room), out);
}

static bool time96_bound(const PqextTable *t, const PqType *type, PqSlice v,
                         char *room, PqextValue *out)
{
    int64_t narrow;

    if (v.n != PQ_TIME96_SIZE) {
        return false;
    }
    if (t->values.timestamp == PQSQL_TIME_RAW) {
        *out = integer(0);
        return pq_time96_fits_i64(v.p, &narrow) &&
               timestamp_bound(t, type, narrow, room, out);
    }
    return date_text(room, pq_time_text_time96(v.p, type->unit, room), out);
}

static bool integer_bound(const PqType *type, PqSlice v, PqextValue *out)
{
    bool is_unsigned = pq_type_is_unsigned(type);

    if (type->physical == PQ_INT32) {
        uint32_t u = pq_load_u32(v.p);
        *out = integer(is_unsigned ? (int64_t)u : (int64_t)(int32_t)u);
    } else {
        *out = integer((int64_t)pq_load_u64(v.p));
    }
    return !is_unsigned || out->i >= 0;      /* above 2^63-1: a text */
}

static bool decimal_bound(const PqType *type, PqSlice v, PqextValue *out)
{
    int64_t unscaled;

    if (type->physical == PQ_INT32) {
        unscaled = (int32_t)pq_load_u32(v.p);
    } else if (type->physical == PQ_INT64) {
        unscaled = (int64_t)pq_load_u64(v.p);
    } else if (!pq_decimal_fits_i64(v, &unscaled)) {
        return false;
    }
    *out = type->scale == 0 ? integer(unscaled)
                            : real(pq_decimal_real_i64(unscaled, type->scale));
    return true;
}

static bool physical_bound(const PqextTable *t, const PqType *type, PqSlice v,
                           PqextValue *out)
{
    float f;
    double d;

    switch (type->physical) {
    case PQ_BOOLEAN:
        *out = integer(v.p[0] & 1);
        return true;
    case PQ_INT32:
    case PQ_INT64:
        return integer_bound(type, v, out);
    case PQ_FLOAT:
        memcpy(&f, v.p, sizeof f);
        *out = real((double)f);
        return !isnan(f);
    case PQ_DOUBLE:
        memcpy(&d, v.p, sizeof d);
        *out = real(d);
        return !isnan(d);
    default:
        *out = bytes(pqext_is_string(t, type) ? PQEXT_TEXT : PQEXT_BLOB, v.p,
                     v.n);
        return true;
    }
}

bool pqext_bound_value(const PqextTable *t, const PqType *type, PqSlice v,
                       char *room, PqextValue *out)
{
    size_t n;

    switch (type->logical) {
    case PQ_TYPE_DATE:
        return date_text(room, pq_time_text_date((int32_t)pq_load_u32(v.p),
                                                 room), out);
    case PQ_TYPE_TIME:
        n = pq_time_text_time(type->physical == PQ_INT32
                                  ? (int32_t)pq_load_u32(v.p)
                                  : (int64_t)pq_load_u64(v.p),
                              type->unit, room);
        *out = bytes(PQEXT_TEXT, room, n);
        return n > 0;
    case PQ_TYPE_TIMESTAMP:
        return type->physical == PQ_FIXED
                   ? time96_bound(t, type, v, room, out)
                   : timestamp_bound(t, type, (int64_t)pq_load_u64(v.p), room,
                                     out);
    case PQ_TYPE_DECIMAL:
        return decimal_bound(type, v, out);
    case PQ_TYPE_INT:
        return integer_bound(type, v, out);
    case PQ_TYPE_FLOAT16:
        *out = real((double)pq_float16_value(pq_load_u16(v.p)));
        return !isnan(out->r);
    case PQ_TYPE_UUID:
        if (v.n != 16) {
            return false;
        }
        pq_uuid_text(v.p, room);
        *out = bytes(PQEXT_TEXT, room, 36);
        return true;
    default:
        return physical_bound(t, type, v, out);
    }
}

/* ---- refuting ----------------------------------------------------------- */

/* Does a text from min to max look like a number, perhaps? */
static bool may_hold_numbers(const PqextValue *min, const PqextValue *max)
{
    if (min->bytes.n > 0 && min->bytes.p[0] > '9') {
        return false;
    }
    return !pq_slice_equal(min->bytes, max->bytes) ||
           pqsql_looks_like_number(min->bytes);
}

/* Is what none_between says true whatever the operand is compared as?  A number
** makes numbers of a column's texts, or is made a text; a text may do the first
** (pqext_reads_as_number), and may come from where the column's texts become
** numbers, though it is none: these are less than it. */
static bool comparable(const PqextProof *p, const PqextValue *operand,
                       const PqextValue *min, const PqextValue *max)
{
    bool numbers;

    if (min->kind == PQEXT_BLOB || operand->kind == PQEXT_BLOB) {
        return true;
    }
    if (min->kind == PQEXT_NUMBER) {
        return !pqext_reads_as_number(operand);
    }
    if (operand->kind != PQEXT_TEXT || operand->is_text) {
        return operand->kind == PQEXT_TEXT;
    }
    numbers = pqext_is_string(p->table, &p->column->type) &&
              may_hold_numbers(min, max);
    switch (p->op) {
    case PQEXT_LT:
    case PQEXT_LE: return !numbers;
    case PQEXT_GT:
    case PQEXT_GE: return !pqext_reads_as_number(operand);
    default:       return !numbers || !pqext_reads_as_number(operand);
    }
}

/* No value from min to max stands in this relation to the operand. */
static bool none_between(const PqextProof *p, const PqextValue *min,
                         const PqextValue *max, const PqextValue *operand)
{
    if (!comparable(p, operand, min, max)) {
        return false;
    }
    switch (p->op) {
    case PQEXT_LT: return pqext_value_compare(min, operand) >= 0;
    case PQEXT_LE: return pqext_value_compare(min, operand) > 0;
    case PQEXT_GT: return pqext_value_compare(max, operand) <= 0;
    case PQEXT_GE: return pqext_value_compare(max, operand) < 0;
    default:
        return pqext_value_compare(operand, min) < 0 ||
               pqext_value_compare(operand, max) > 0;
    }
}

/* The same of all entries of a list.  A number may equal any text that looks
** like one. */
static bool none_listed_between(const PqextProof *p, const PqextValue *min,
                                const PqextValue *max)
{
    uint32_t at = pqext_list_from(p->list, min);

    if (min->kind == PQEXT_TEXT && pqext_list_has_numbers(p->list)) {
        return false;
    }
    return at == p->list->n ||
           pqext_value_compare(&p->list->v[at], max) > 0;
}

static bool bounds_refute(const PqextProof *p, const PqLeafBounds *b)
{
    char low[PQEXT_BOUND_ROOM], high[PQEXT_BOUND_ROOM];
    const PqType *type = &b->leaf->type;
    PqextValue min, max;

    if (p->table->values.nan_text && pq_type_is_float(type) &&
        b->bounds.n_nans != 0) {
        return false;                /* 'NaN' is a text, above any number */
    }
    if (!b->bounds.has_min || !b->bounds.has_max ||
        !pqext_bound_value(p->table, type, b->bounds.min, low, &min) ||
        !pqext_bound_value(p->table, type, b->bounds.max, high, &max)) {
        return false;
    }
    return p->list ? none_listed_between(p, &min, &max)
                   : none_between(p, &min, &max, &p->operand);
}

/* NaN is NULL unless it is a text. */
static bool all_null(const PqextProof *p, const PqLeafBounds *b)
{
    const PqBounds *x = &b->bounds;

    return x->all_null ||
           (!p->table->values.nan_text && b->n_values > 0 && x->n_nulls >= 0 &&
            x->n_nans > 0 && x->n_nans == b->n_values - x->n_nulls);
}

/* What is compared with NULL alone is true of nothing. */
static bool has_no_operand(const PqextProof *p)
{
    return p->list ? p->list->n == 0 : !p->has_operand;
}

static bool refutes(const PqProof *base, const PqLeafBounds *b, int64_t n_rows)
{
    const PqextProof *p = (const PqextProof *)base;

    (void)n_rows;
    if (!pq_type_equal(&b->leaf->type, &p->column->type)) {
        return false;                /* a union of files: values converted */
    }
    switch (p->op) {
    case PQEXT_IS_NULL:
        return b->bounds.n_nulls == 0 &&
               (p->table->values.nan_text || b->bounds.n_nans == 0);
    case PQEXT_NOT_NULL:
        return all_null(p, b);
    default:
        return all_null(p, b) || has_no_operand(p) || bounds_refute(p, b);
    }
}

/* ---- operands ----------------------------------------------------------- */

void pqext_prune_begin(const PqextTable *t, PqextTerm term, PqextProof *out)
{
    *out = (PqextProof){.table = t, .op = term.op,
                        .column = &t->table->columns[term.column],
                        .is_text = term.exact || term.op == PQEXT_IN};
    out->base.name = "bounds";
    out->base.n_columns = 1;
    out->base.column[0] = (uint32_t)term.column;
    out->base.refutes = refutes;
    out->base.by_value = term.op < PQEXT_IS_NULL;
    out->base.n_operands = 1;
    pqext_equal_begin(out);
}

/* Columns of numbers make a number of a text that looks like one. */
bool pqext_has_numeric_affinity(const PqextProof *p)
{
    const PqType *t = &p->column->type;

    if (pqext_is_string(p->table, t)) {
        return false;
    }
    switch (t->logical) {
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_UUID:
    case PQ_TYPE_BSON:
        return false;
    case PQ_TYPE_TIMESTAMP:
        return p->table->values.timestamp != PQSQL_TIME_TEXT;
    case PQ_TYPE_INT:
        return !pq_type_is_u64(t);
    case PQ_TYPE_NONE:
        return t->physical != PQ_BYTE_ARRAY && t->physical != PQ_FIXED;
    default:
        return true;
    }
}

PqRc pqext_prune_operand(PqextProof *p, sqlite3_value *v, PqArena *a, PqErr *e)
{
    if (sqlite3_value_type(v) == SQLITE_NULL || p->op == PQEXT_IS_NULL ||
        p->op == PQEXT_NOT_NULL) {
        return PQ_OK;                /* true of no row, or not looked at */
    }
    PQ_TRY(pqext_value_take(v, pqext_has_numeric_affinity(p), a, &p->operand,
                            e));
    p->has_operand = true;
    p->operand.is_text = p->is_text;
    return pqext_equal_add(p, v, &p->operand, a, e);
}

PqRc pqext_prune_entry(PqextProof *p, sqlite3_value *v, const PqextValue *entry,
                       PqArena *a, PqErr *e)
{
    return pqext_equal_add(p, v, entry, a, e);
}

/* A list is halved: that takes as many steps as its length has bits. */
void pqext_prune_end(PqextProof *p, const PqextList *list)
{
    p->list = list;
    for (uint32_t n = list ? list->n : 0; n > 1; n /= 2) {
        p->base.n_operands++;
    }
    pqext_equal_end(p);
}
