/*
** meaning.c - stored values as SQLite sees them, and roughly back.
**
** Only one direction has to be right: from the place of a stored value to the
** value that SQLite is given (pqext_value_at).  It never falls as the place
** grows.  The way back is a guess, where the search for an operand begins.
*/
#include "ext/condition/meaning.h"

#include <math.h>

enum { SECONDS_PER_DAY = 86400 };

/* ---- the table ----------------------------------------------------------------- */

bool pqext_is_string(const PqextTable *t, const PqType *type)
{
    return pq_type_is_text(type) ||
           (type->logical == PQ_TYPE_NONE &&
            type->physical == PQ_BYTE_ARRAY && t->values.binary_as_string);
}

bool pqext_may_be_nan(const PqextTable *t, const PqType *type)
{
    return t->values.nan_text && pq_type_is_float(type);
}

static PqextMeaning in_order(PqextAffinity affinity, PqWantedForm order)
{
    return (PqextMeaning){.affinity = affinity, .order = order};
}

static PqextMeaning within(PqextAffinity affinity, PqPlace least, PqPlace most)
{
    return (PqextMeaning){.affinity = affinity, .order = PQ_WANTED_PLACES,
                          .bounded = true, .least = least, .most = most};
}

/* Limits of 64 bits; narrower types need no limits. */
static PqextMeaning within_64_bits(PqextAffinity affinity, const PqType *type)
{
    PqPlace least, most;

    pq_place_ends(type, &least, &most);
    return least < INT64_MIN || most > INT64_MAX
               ? within(affinity, INT64_MIN, INT64_MAX)
               : in_order(affinity, PQ_WANTED_PLACES);
}

/* The most digits with which all decimals are different REALs. */
enum { EXACT_DIGITS = 15 };

static PqextMeaning meaning_of_decimal(const PqextTable *t, const PqType *type)
{
    PqextMeaning m = within_64_bits(PQEXT_AFF_NUMERIC, type);

    if (t->values.decimal_text) {
        return in_order(PQEXT_AFF_TEXT, PQ_WANTED_CELLS);
    }
    m.coarse = type->scale != 0 && type->precision > EXACT_DIGITS;
    return m;
}

/* Texts of the years 0000 to 9999 sort as their dates do. */
static PqextMeaning days(const PqType *type, PqPlace units_per_day)
{
    PqPlace first = PQ_FIRST_DAY * units_per_day, least, most;
    PqPlace last = (PQ_LAST_DAY + 1) * units_per_day - 1;

    pq_place_ends(type, &least, &most);
    return within(PQEXT_AFF_TEXT, least > first ? least : first,
                  most < last ? most : last);
}

static PqextMeaning meaning_of_timestamp(const PqextTable *t,
                                         const PqType *type)
{
    switch (t->values.timestamp) {
    case PQSQL_TIME_TEXT:
        return days(type, (PqPlace)SECONDS_PER_DAY *
                              pq_unit_per_second(type->unit));
    case PQSQL_TIME_RAW:
        return within_64_bits(PQEXT_AFF_NUMERIC, type);
    default:
        return in_order(PQEXT_AFF_NUMERIC, PQ_WANTED_CELLS);
    }
}

static PqextMeaning meaning_of_physical(const PqextTable *t,
                                        const PqType *type)
{
    switch (type->physical) {
    case PQ_INT96:
        return in_order(t->values.timestamp == PQSQL_TIME_TEXT
                            ? PQEXT_AFF_TEXT : PQEXT_AFF_NUMERIC,
                        PQ_WANTED_CELLS);
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return in_order(PQEXT_AFF_BLOB, PQ_WANTED_BYTES);
    default:
        return in_order(PQEXT_AFF_NUMERIC, PQ_WANTED_PLACES);
    }
}

static PqextMeaning meaning_of(const PqextTable *t, const PqType *type)
{
    if (pqext_is_string(t, type)) {
        return in_order(PQEXT_AFF_TEXT, PQ_WANTED_BYTES);
    }
    switch (type->logical) {
    case PQ_TYPE_DATE:
        return days(type, 1);
    case PQ_TYPE_TIME:
        return within(PQEXT_AFF_TEXT, 0,
                      (PqPlace)SECONDS_PER_DAY *
                              pq_unit_per_second(type->unit) - 1);
    case PQ_TYPE_TIMESTAMP:
        return meaning_of_timestamp(t, type);
    case PQ_TYPE_UUID:
        return in_order(PQEXT_AFF_TEXT, PQ_WANTED_PLACES);
    case PQ_TYPE_DECIMAL:
        return meaning_of_decimal(t, type);
    case PQ_TYPE_INT:
        return pq_type_is_u64(type)
                   ? within(PQEXT_AFF_BLOB, 0, INT64_MAX)
                   : in_order(PQEXT_AFF_NUMERIC, PQ_WANTED_PLACES);
    case PQ_TYPE_FLOAT16:
        return in_order(PQEXT_AFF_NUMERIC, PQ_WANTED_PLACES);
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return in_order(PQEXT_AFF_BLOB, PQ_WANTED_BYTES);
    case PQ_TYPE_NONE:
        return meaning_of_physical(t, type);
    default:
        return in_order(PQEXT_AFF_NONE, PQ_WANTED_CELLS);
    }
}

/* In UTF-16, texts and NaN as a text have another order, and bytes that are not
** a text another class. */
PqextMeaning pqext_meaning(const PqextTable *t, const PqType *type)
{
    PqextMeaning m = meaning_of(t, type);
    bool is_text = m.affinity == PQEXT_AFF_TEXT;
    bool known = t->utf16 ? !is_text && !pqext_may_be_nan(t, type)
                          : !is_text ||
                                t->values.invalid_utf8 == PQSQL_UTF8_TEXT;

    return known ? m : in_order(PQEXT_AFF_NONE, PQ_WANTED_CELLS);
}

static bool is_integer(const PqType *t)
{
    return t->logical == PQ_TYPE_INT ||
           (t->logical == PQ_TYPE_NONE &&
            (t->physical == PQ_INT32 || t->physical == PQ_INT64));
}

static bool is_physical(const PqType *t, PqPhysical physical)
{
    return t->logical == PQ_TYPE_NONE && t->physical == physical;
}

bool pqext_same_meaning(const PqColumn *c, const PqType *stored)
{
    const PqType *type = &c->type;

    if (pq_column_is_untyped(c) || pq_type_equal(type, stored)) {
        return true;
    }
    if (pq_type_is_geometry(type) || pq_type_is_geometry(stored)) {
        return (pq_type_is_geometry(type) || is_physical(type, PQ_BYTE_ARRAY)) &&
               (pq_type_is_geometry(stored) || is_physical(stored, PQ_BYTE_ARRAY));
    }
    if (is_integer(stored)) {        /* a UINT64 may be a text */
        return is_integer(type) && !pq_type_is_u64(type) &&
               !pq_type_is_u64(stored);
    }
    if (stored->logical == PQ_TYPE_DECIMAL) {
        return type->logical == PQ_TYPE_DECIMAL && type->scale == stored->scale;
    }
    return is_physical(stored, PQ_FLOAT) && is_physical(type, PQ_DOUBLE);
}

bool pqext_may_become_null(const PqColumn *c, const PqType *stored)
{
    return c->kind == PQ_COLUMN_VARIANT_PATH &&
           !pq_path_is_stored(&c->path->want, stored);
}

/* Texts among other values are compared as they are stored. */
static bool compares_texts(const PqextTable *t)
{
    return !t->utf16 && !t->values.nan_text &&
           t->values.invalid_utf8 == PQSQL_UTF8_TEXT;
}

PqextAffinity pqext_affinity(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];

    if (pq_column_is_untyped(c)) {
        return compares_texts(t) ? PQEXT_AFF_BLOB : PQEXT_AFF_NONE;
    }
    return pq_column_is_leaf(c) ? pqext_meaning(t, &c->type).affinity
                                : PQEXT_AFF_NONE;
}

bool pqext_has_order(const PqextTable *t, uint32_t column)
{
    const PqColumn *c = &t->table->columns[column];

    return t->options.trust_stats && pq_column_is_leaf(c) &&
           pqext_meaning(t, &c->type).order != PQ_WANTED_CELLS;
}

/* ---- from places to values ------------------------------------------------------ */

static PqCell text(const char *p, size_t n)
{
    return pq_cell_text(pq_slice(p, n));
}

/* A fraction adds 3, 6 or 9 digits to the text of whole seconds, and these
** compare like the fractions.  So the texts sort like the instants. */
static PqCell timestamp(const PqextTable *t, const PqType *type, PqPlace place,
                        char *room)
{
    uint8_t wide[PQ_PLACE_ROOM];

    if (t->values.timestamp == PQSQL_TIME_RAW) {
        return pq_cell_int((int64_t)place);
    }
    if (pq_type_is_time96(type)) {
        pq_place_stored(type, place, wide);
        return text(room, pq_time_text_time96(wide, type->unit, room));
    }
    return text(room, pq_time_text_timestamp((int64_t)place, type->unit, room));
}

static PqCell number(const PqType *type, PqPlace place)
{
    switch (type->physical) {
    case PQ_FLOAT:
        return pq_cell_real((double)pq_float_at((int64_t)place));
    case PQ_DOUBLE:
        return pq_cell_real(pq_double_at((int64_t)place));
    default:
        return pq_cell_int((int64_t)place);
    }
}

void pqext_value_at(const PqextTable *t, const PqType *type, PqPlace place,
                    char *room, PqCell *out)
{
    uint8_t stored[PQ_PLACE_ROOM];

    switch (type->logical) {
    case PQ_TYPE_DATE:
        *out = text(room, pq_time_text_date((int32_t)place, room));
        return;
    case PQ_TYPE_TIME:
        *out = text(room, pq_time_text_time((int64_t)place, type->unit, room));
        return;
    case PQ_TYPE_TIMESTAMP:
        *out = timestamp(t, type, place, room);
        return;
    case PQ_TYPE_UUID:
        pq_uuid_text(pq_place_stored(type, place, stored).p, room);
        *out = text(room, PQ_UUID_TEXT);
        return;
    case PQ_TYPE_DECIMAL:
        *out = type->scale == 0 ? pq_cell_int((int64_t)place)
                                : pq_cell_real(pq_decimal_real_i64(
                                      (int64_t)place, type->scale));
        return;
    case PQ_TYPE_FLOAT16:
        *out = pq_cell_real(
            (double)pq_float16_value(pq_float16_at((int64_t)place)));
        return;
    default:
        *out = number(type, place);
    }
}

bool pqext_bound_value(const PqextTable *t, const PqType *type, PqSlice v,
                       char *room, PqCell *out)
{
    PqextMeaning m = pqext_meaning(t, type);
    PqPlace place, least, most;

    if (m.order == PQ_WANTED_BYTES) {
        *out = pq_cell_bytes(
            pqext_is_string(t, type) ? PQ_CELL_TEXT : PQ_CELL_BLOB, v);
        return true;
    }
    if (m.order == PQ_WANTED_CELLS || !pq_place_of(type, v, &place)) {
        return false;
    }
    pq_place_ends(type, &least, &most);
    if (m.bounded) {
        least = m.least;
        most = m.most;
    }
    if (place < least || place > most) {
        return false;
    }
    pqext_value_at(t, type, place, room, out);
    return true;
}

/* ---- and roughly back ------------------------------------------------------------ */

static bool guess_time(const PqType *type, PqSlice text, PqPlace *out)
{
    uint8_t wide[PQ_TIME96_SIZE];
    int64_t v = 0;
    int32_t day = 0;
    PqParse said;

    if (type->logical == PQ_TYPE_DATE) {
        said = pq_time_parse_date(text, &day);
        *out = day;
    } else if (type->logical == PQ_TYPE_TIME) {
        said = pq_time_parse_time(text, type->unit, true, &v);
        *out = v;
    } else if (pq_type_is_time96(type)) {
        said = pq_time_parse_time96(text, type->unit, true, wide);
        return said == PQ_PARSE_OK &&
               pq_place_of(type, pq_slice(wide, sizeof wide), out);
    } else {
        said = pq_time_parse_timestamp(text, type->unit, true, &v);
        *out = v;
    }
    return said == PQ_PARSE_OK;
}

/* Stays within what a place holds; 0 times an infinite power of ten is NaN. */
static PqPlace nearest_place(double r)
{
    const double most = 1e38;

    return (PqPlace)(r > most ? most : r > -most ? r : -most);
}

static bool guess_number(const PqType *type, const PqCell *v, PqPlace *out)
{
    bool is_int = v->kind == PQ_CELL_INT;
    double r = pq_cell_double(v);
    uint16_t half;

    if (type->logical == PQ_TYPE_DECIMAL && (type->scale != 0 || !is_int)) {
        *out = nearest_place(nearbyint(r * pow(10, type->scale)));
    } else if (type->physical == PQ_DOUBLE) {
        *out = pq_double_place(r);
    } else if (type->physical == PQ_FLOAT) {
        *out = pq_float_place((float)r);
    } else if (type->logical == PQ_TYPE_FLOAT16) {
        if (!pq_float16_bits(r, &half)) {
            return false;
        }
        *out = pq_rank_f16(half);
    } else {
        *out = is_int ? (PqPlace)v->i : nearest_place(r);
    }
    return true;
}

bool pqext_guess_place(const PqextTable *t, const PqType *type, const PqCell *v,
                       PqPlace *out)
{
    uint8_t uuid[16];

    if (pq_cell_is_number(v)) {
        return pqext_meaning(t, type).affinity != PQEXT_AFF_TEXT &&
               guess_number(type, v, out);
    }
    if (v->kind != PQ_CELL_TEXT) {
        return false;
    }
    switch (type->logical) {
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
        return guess_time(type, pq_cell_slice(v), out);
    case PQ_TYPE_UUID:
        return pq_uuid_parse(pq_cell_slice(v), uuid) == PQ_PARSE_OK &&
               pq_place_of(type, pq_slice(uuid, sizeof uuid), out);
    default:
        return false;
    }
}
