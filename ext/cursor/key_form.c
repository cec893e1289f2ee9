/*
** key_form.c - which stored values of a key are one value of SQLite.
*/
#include "ext/cursor/key_form.h"

/* A REAL tells all decimals of so few bits apart, whatever precision a file
** claims. */
static PqGroupForm form_of_integer(const PqType *stored)
{
    return stored->logical == PQ_TYPE_DECIMAL && stored->scale != 0 &&
                   stored->physical != PQ_INT32
               ? PQ_GROUP_CELLS : PQ_GROUP_INTS;
}

static PqGroupForm form_of_places(const PqextTable *t, const PqType *stored)
{
    switch (stored->physical) {
    case PQ_BOOLEAN:
        return PQ_GROUP_INTS;
    case PQ_INT32:
    case PQ_INT64:
        return form_of_integer(stored);
    case PQ_FLOAT:
    case PQ_DOUBLE:
        return t->values.nan_text ? PQ_GROUP_CELLS : PQ_GROUP_REALS;
    default:
        return stored->logical == PQ_TYPE_UUID ? PQ_GROUP_BYTES
                                               : PQ_GROUP_CELLS;
    }
}

PqGroupForm pqext_key_form(const PqextTable *t, uint32_t column,
                           const PqType *stored, bool ordered)
{
    const PqColumn *c = &t->table->columns[column];
    PqextMeaning m;

    if (!stored) {
        return PQ_GROUP_INTS;        /* NULL in all rows */
    }
    if (!pqext_same_meaning(c, stored)) {
        return PQ_GROUP_CELLS;
    }
    m = pqext_meaning(t, stored);
    return m.coarse || m.order == PQ_WANTED_CELLS ||
                   (ordered && m.bounded)         ? PQ_GROUP_CELLS
           : m.order == PQ_WANTED_BYTES           ? PQ_GROUP_BYTES
                                                  : form_of_places(t, stored);
}

PqGroupCell pqext_key_cell(const PqsqlCell *v)
{
    return (PqGroupCell){
        .kind = v->kind == PQSQL_INTEGER ? PQ_GROUP_INT
                : v->kind == PQSQL_REAL  ? PQ_GROUP_REAL
                : v->kind == PQSQL_TEXT  ? PQ_GROUP_TEXT
                : v->kind == PQSQL_BLOB  ? PQ_GROUP_BLOB : PQ_GROUP_NULL,
        .i = v->i, .r = v->r, .bytes = v->bytes};
}

bool pqext_key_value(const PqGroupCell *v, PqextValue *out)
{
    *out = (PqextValue){
        .kind = v->kind == PQ_GROUP_TEXT   ? PQEXT_TEXT
                : v->kind == PQ_GROUP_BLOB ? PQEXT_BLOB : PQEXT_NUMBER,
        .is_int = v->kind == PQ_GROUP_INT, .i = v->i, .r = v->r,
        .bytes = v->bytes};
    return v->kind != PQ_GROUP_NULL;
}

PqGroupCell pqext_key_of_file(const PqextCursor *c, uint32_t column,
                              uint32_t file)
{
    PqextFileValue v = pqext_file_value(c->listing, c->table->table, column,
                                        file);

    return (PqGroupCell){
        .kind = v.is_null ? PQ_GROUP_NULL
                : v.is_text ? PQ_GROUP_TEXT : PQ_GROUP_INT,
        .i = v.is_null ? 0 : v.number,
        .bytes = v.is_text ? pq_slice_text(v.text) : pq_slice(NULL, 0)};
}
