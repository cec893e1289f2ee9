/*
** key_form.c - which stored values of a key are one value of SQLite.
*/
#include "ext/cursor/key_form.h"

/* All decimals with this few bits are different REALs, whatever precision a
** file claims. */
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

PqCell pqext_key_of_file(const PqextScan *s, uint32_t column,
                              uint32_t file)
{
    PqextFileValue v = pqext_file_value(s->listing, s->table->table, column,
                                        file);

    return v.is_null   ? (PqCell){.kind = PQ_CELL_NULL}
           : v.is_text ? pq_cell_text(pq_slice_text(v.text))
                       : pq_cell_int(v.number);
}
