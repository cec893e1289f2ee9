/*
** table_types.c - which types convert without loss, and the type for both.
**
** It is not enough that one of two types converts to the other: UINT32 and
** INT32 need INT64, DECIMAL(4,2) and DECIMAL(5,0) need DECIMAL(7,2).  INT64 and
** UINT64 have no type that holds both.
*/
#include "core/files/table_types.h"

static bool is_int(const PqType *t)
{
    return (t->physical == PQ_INT32 || t->physical == PQ_INT64) &&
           (t->logical == PQ_TYPE_NONE || t->logical == PQ_TYPE_INT);
}

static int int_bits(const PqType *t)
{
    return t->logical == PQ_TYPE_INT ? t->bit_width
           : t->physical == PQ_INT32 ? 32 : 64;
}

static int float_bits(const PqType *t)
{
    return t->physical == PQ_DOUBLE ? 64 : t->physical == PQ_FLOAT ? 32 : 16;
}

static bool is_bytes(const PqType *t)
{
    return t->logical == PQ_TYPE_NONE &&
           (t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED);
}

/* WKB is bytes, and bytes may be WKB in a file that does not say so; for other
** bytes, functions of geometries give NULL.  But different CRSs do not mix. */
static bool is_wkb(const PqType *from, const PqType *to)
{
    return (pq_type_is_geometry(from) && is_bytes(to)) ||
           (pq_type_is_geometry(to) && from->logical == PQ_TYPE_NONE &&
            from->physical == PQ_BYTE_ARRAY);
}

/* X is the longitude in both, whatever EPSG says about the order of axes. */
static bool is_wgs84(const char *crs)
{
    return !crs || strcmp(crs, "OGC:CRS84") == 0 ||
           strcmp(crs, "EPSG:4326") == 0;
}

static bool is_same_geometry(const PqType *from, const PqType *to)
{
    return pq_type_is_geometry(from) && from->logical == to->logical &&
           from->algorithm == to->algorithm &&
           (is_wgs84(from->crs)
                ? is_wgs84(to->crs)
                : to->crs && strcmp(from->crs, to->crs) == 0);
}

bool pq_table_converts(const PqType *from, const PqType *to)
{
    if (pq_type_equal(from, to) || from->logical == PQ_TYPE_UNKNOWN) {
        return true;
    }
    if (pq_type_is_text(to)) {
        return to->logical == PQ_TYPE_STRING || pq_type_is_text(from);
    }
    if (is_int(from) && is_int(to)) {
        return pq_type_is_unsigned(from) == pq_type_is_unsigned(to)
                   ? int_bits(from) <= int_bits(to)
                   : pq_type_is_unsigned(from) && int_bits(from) < int_bits(to);
    }
    if (pq_type_is_float(to)) {
        return is_int(from) ||
               (pq_type_is_float(from) && float_bits(from) <= float_bits(to));
    }
    if (from->logical == PQ_TYPE_DECIMAL && to->logical == PQ_TYPE_DECIMAL) {
        return from->scale <= to->scale &&
               from->precision - from->scale <= to->precision - to->scale;
    }
    if (pq_type_is_instant(to)) {
        return from->logical == PQ_TYPE_DATE || pq_type_is_instant(from);
    }
    if (from->logical == PQ_TYPE_TIME && to->logical == PQ_TYPE_TIME) {
        return true;
    }
    return (is_bytes(from) && is_bytes(to)) || is_wkb(from, to) ||
           is_same_geometry(from, to);
}

bool pq_table_widen(PqType *type, const PqType *with)
{
    PqType wide;

    if (pq_type_is_geometry(type) && !is_same_geometry(with, type) &&
        (pq_type_is_geometry(with) || is_wkb(with, type))) {
        *type = (PqType){.physical = PQ_BYTE_ARRAY};
        return true;
    }
    if (pq_table_converts(with, type)) {
        return true;
    }
    if (pq_table_converts(type, with) && !pq_type_is_text(with)) {
        *type = *with;
        return true;
    }
    if (is_int(type) && is_int(with)) {
        wide = (PqType){.physical = PQ_INT64};
    } else if (type->logical == PQ_TYPE_DECIMAL &&
               with->logical == PQ_TYPE_DECIMAL) {
        int32_t whole = type->precision - type->scale;
        int32_t other = with->precision - with->scale;

        wide = *type;
        wide.scale = type->scale > with->scale ? type->scale : with->scale;
        wide.precision = wide.scale + (whole > other ? whole : other);
    } else {
        return false;
    }
    if (!pq_table_converts(type, &wide) || !pq_table_converts(with, &wide)) {
        return false;
    }
    *type = wide;
    return true;
}

/* Adds what to do about a column that is c in one file and node in another. */
static PQ_COLD void hint_type(const PqTable *t, const PqColumn *c,
                              const PqNode *node, PqErr *e)
{
    bool ints = is_int(&c->type) && is_int(&node->type);
    PqType wide = c->type;

    if (c->node->kind != node->kind || node->kind != PQ_NODE_LEAF) {
        pq_err_hint(e, "columns= without it reads the others");
    } else if (!t->union_by_name && pq_table_widen(&wide, &node->type)) {
        pq_err_hint(e, "union_by_name=on takes the type that holds both");
    } else {
        pq_err_hint(e, "columns= without it reads the others, or write one of "
                       "the files again with \"types\": {\"%s\": \"%s\"}",
                    c->name, ints ? "DECIMAL(20,0)" : "TEXT");
    }
}

PqRc pq_table_types_differ(const PqTable *t, const PqColumn *c,
                         const PqNode *node, const char *path, PqErr *e)
{
    PqBuf declared, found;

    if (c->node->kind != node->kind || node->kind != PQ_NODE_LEAF) {
        pq_fail(e, PQ_CHANGED,
                "column %s has one nesting in %s and another in %s", c->name,
                c->typed_by, path);
        hint_type(t, c, node, e);
        return e->rc;
    }
    pq_buf_init(&declared, t->engine->mem, e);
    pq_buf_init(&found, t->engine->mem, e);
    pq_type_text(&c->type, &declared);
    pq_type_text(&node->type, &found);
    pq_fail(e, PQ_CHANGED,
            "column %s is %.*s in %s and %.*s in %s: the first type cannot "
            "hold the values of the second", c->name, (int)declared.n,
            (const char *)declared.p, c->typed_by, (int)found.n,
            (const char *)found.p, path);
    pq_buf_free(&declared);
    pq_buf_free(&found);
    hint_type(t, c, node, e);
    return e->rc;
}
