/*
** compile.c - an operand becomes spans of stored values.
**
** Where spans begin and end is looked for (place_search.h):
**
**   day >= '2024-03'     DATE    19783 ..           2024-03-01 and later
**   day LIKE '2024-03%'  DATE    19783 .. 19813     March
**   price = 0.1          DECIMAL(9,2)  10 .. 10
**   price <> 0.105       DECIMAL(9,2)  all: nothing rounds to it
**   x <= 9007199254740993.0      INT64   .. 9007199254740992
**
** Texts are spans as they are, unless one of the two may be compared as a
** number (compare.h).  No text that looks like a number begins with a byte
** after '9'.  So these texts are one more span, and each text in it is then
** tested.
**
**   name < 'k', 'k' from another column    ["" .. ":") ["" .. "k")
*/
#include "ext/condition/place_search.h"
#include "ext/condition/sqlite_condition.h"

/* Texts that look like numbers are before this. */
static const char after_numbers[] = ":";

/* A condition, and where the places of a type are looked for. */
typedef struct Search {
    const PqextCondition *c;
    PqextSearch           in;
} Search;

/* ---- spans of places ------------------------------------------------------------- */

/* A number that is stored as it is given has one place, which need not be looked
** for: lists are long.  Zeros have two. */
static bool has_one_place(const Search *s, const PqCell *operand,
                          PqPlace *place)
{
    if (!pq_cell_is_number(operand) ||
        s->c->affinity != PQEXT_AFF_NUMERIC) {
        return false;
    }
    if (s->in.type->physical == PQ_DOUBLE) {
        *place = pq_double_place(operand->r);
        return operand->kind == PQ_CELL_REAL && operand->r != 0;
    }
    *place = operand->i;
    return operand->kind == PQ_CELL_INT && s->in.type->physical != PQ_FLOAT &&
           (s->in.type->logical == PQ_TYPE_NONE ||
            s->in.type->logical == PQ_TYPE_INT);
}

/* The places whose values are equal to the operand; false: there are none. */
static bool equal_places(const Search *s, const PqCell *operand,
                         PqSpan *out)
{
    PqPlace after;

    if (has_one_place(s, operand, &out->first)) {
        out->last = out->first;
        return out->first >= s->in.least && out->first <= s->in.most;
    }
    if (!pqext_search_from(&s->in, operand, false, &out->first)) {
        return false;
    }
    if (!pqext_search_from(&s->in, operand, true, &after)) {
        out->last = s->in.most;
        return true;
    }
    if (after == out->first) {
        return false;                /* there may be no place before it */
    }
    out->last = after - 1;
    return true;
}

static void add_less(const Search *s, const PqCell *operand, bool or_equal,
                     PqWanted *out)
{
    PqPlace end;

    if (!pqext_search_from(&s->in, operand, or_equal, &end)) {
        pq_wanted_add(out, s->in.least, s->in.most);
    } else if (end > s->in.least) {
        pq_wanted_add(out, s->in.least, end - 1);
    }
}

static void add_more(const Search *s, const PqCell *operand, bool or_equal,
                     PqWanted *out)
{
    PqPlace first;

    if (pqext_search_from(&s->in, operand, !or_equal, &first)) {
        pq_wanted_add(out, first, s->in.most);
    }
}

static void add_others(const Search *s, const PqCell *operand,
                       PqWanted *out)
{
    PqSpan equal;

    if (!equal_places(s, operand, &equal)) {
        pq_wanted_add(out, s->in.least, s->in.most);
        return;
    }
    if (equal.first > s->in.least) {
        pq_wanted_add(out, s->in.least, equal.first - 1);
    }
    if (equal.last < s->in.most) {
        pq_wanted_add(out, equal.last + 1, s->in.most);
    }
}

static void add_equal(const Search *s, const PqCell *operand, PqWanted *out)
{
    PqSpan equal;

    if (equal_places(s, operand, &equal)) {
        pq_wanted_add(out, equal.first, equal.last);
    }
}

static void add_places(const Search *s, PqextOp op, const PqCell *operand,
                       PqWanted *out)
{
    switch (op) {
    case PQEXT_LT:
    case PQEXT_LE:
        add_less(s, operand, op == PQEXT_LE, out);
        break;
    case PQEXT_GT:
    case PQEXT_GE:
        add_more(s, operand, op == PQEXT_GE, out);
        break;
    case PQEXT_NE:
    case PQEXT_IS_NOT:
        add_others(s, operand, out);
        break;
    default:
        add_equal(s, operand, out);
        break;
    }
}

/* Values beyond the limits are tested as the texts that they are, and so are all
** values if the pattern begins with a wildcard: faster than SQLite does it. */
static PqRc add_pattern_places(const Search *s, PqWanted *out, PqErr *e)
{
    const PqextPattern *p = &s->c->pattern;
    bool any;
    PqSpan span;

    if (p->start.n == 0) {
        pq_wanted_add_all(out);
        out->form = p->inside.n > 0 ? PQ_WANTED_CELLS : out->form;
        return PQ_OK;
    }
    out->beyond = true;
    PQ_TRY(pqext_search_pattern(&s->in, p, s->c->base.arena, &any, &span, e));
    if (any) {
        pq_wanted_add(out, span.first, span.last);
    }
    return PQ_OK;
}

/* ---- beyond the limits ------------------------------------------------------------ */

/* Years that have another number of digits are written with a sign, a TIME
** outside of its day as its number, a UINT64 above 2^63-1 as its digits. */
static void text_beyond(const Search *s, PqPlace place, char *room,
                        PqCell *out)
{
    if (s->in.type->logical == PQ_TYPE_TIME) {
        pq_number_text_i64((int64_t)place, room);
    } else if (s->in.type->logical == PQ_TYPE_INT) {
        pq_number_text_u64((uint64_t)place, room);
    } else {
        pqext_value_at(s->in.table, s->in.type, place, room, out);
        return;
    }
    *out = pq_cell_text(pq_slice_text(room));
}

static bool place_beyond(const Search *s, const PqCell *operand,
                         PqPlace *out)
{
    int64_t i = 0;
    uint64_t u = 0;
    bool found;

    if (s->in.type->logical == PQ_TYPE_TIME) {
        found = pq_number_parse_i64(pq_cell_slice(operand), &i) == PQ_PARSE_OK;
        *out = i;
    } else if (s->in.type->logical == PQ_TYPE_INT) {
        found = pq_number_parse_u64(pq_cell_slice(operand), &u) == PQ_PARSE_OK;
        *out = u;
    } else {
        found = pqext_guess_place(s->in.table, s->in.type, operand, out);
    }
    return found && (*out < s->in.least || *out > s->in.most);
}

/* Adds the value outside of the limits that has this text, if there is one. */
static void add_text_beyond(const Search *s, const PqCell *operand,
                            PqWanted *out)
{
    char room[PQEXT_BOUND_ROOM];
    PqPlace place, least, most;
    PqCell v;

    pq_place_ends(s->in.type, &least, &most);
    if (place_beyond(s, operand, &place) && place >= least && place <= most) {
        text_beyond(s, place, room, &v);
        if (pq_slice_equal(pq_cell_slice(&v), pq_cell_slice(operand))) {
            pq_wanted_add(out, place, place);
        }
    }
}

/* Outside of the limits, are all values known that are equal to the operand?  A
** text that may be compared as a number may be equal to several.  A REAL may be
** too: compared with a column without affinity, UINT64s that are texts become
** numbers.  A DECIMAL of more than 64 bits is a larger REAL. */
static bool add_beyond(const Search *s, const PqCell *operand,
                       PqWanted *out)
{
    const PqextCondition *c = s->c;

    if (c->affinity == PQEXT_AFF_NUMERIC) {
        return pqext_search_reached(&s->in, s->in.most, operand, true) &&
               !pqext_search_reached(&s->in, s->in.least, operand, false);
    }
    switch (operand->kind) {
    case PQ_CELL_INT:
    case PQ_CELL_REAL:
        return c->affinity == PQEXT_AFF_BLOB &&
               (c->literal ||
                (operand->kind == PQ_CELL_INT && pq_type_is_u64(s->in.type)));
    case PQ_CELL_TEXT:
        if (c->looks && !c->literal) {
            return false;
        }
        add_text_beyond(s, operand, out);
        return true;
    default:
        return true;
    }
}

/* ---- of a type that has places ------------------------------------------------------ */

/* Dates and UUIDs are texts that do not look like numbers.  But if the operand
** is a number, or looks like one, it may be compared as a number or as a text:
** then anything but equality may be true. */
static bool is_vague(const PqextCondition *c, const PqCell *operand)
{
    return c->affinity == PQEXT_AFF_TEXT &&
           (pq_cell_is_number(operand) ||
            (c->looks && !c->literal && c->op != PQEXT_EQ &&
             c->op != PQEXT_NE && c->op != PQEXT_IS_NOT));
}

/* A UINT64 is a number or a text, and meets a text that may be compared as a
** number.  The texts of a list are compared as they are. */
static bool is_mixed(const PqextCondition *c)
{
    return c->affinity == PQEXT_AFF_BLOB && c->looks && !c->literal;
}

/* "=", and each entry of IN. */
static void add_equal_and_beyond(const Search *s, const PqCell *operand,
                                 PqWanted *out)
{
    add_equal(s, operand, out);
    if (out->bounded && !add_beyond(s, operand, out)) {
        out->beyond = true;
    }
}

enum { ENTRIES_AT_ONCE = 256 };

static PqRc add_list(const Search *s, PqWanted *out, PqErr *e)
{
    const PqextList *l = s->c->list;

    for (uint32_t i = 0; i < l->n; i++) {
        if (i % ENTRIES_AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(&s->c->stop, e));
        }
        if (is_vague(s->c, &l->v[i])) {
            out->beyond = true;
        } else {
            add_equal_and_beyond(s, &l->v[i], out);
        }
    }
    return PQ_OK;
}

static PqRc compile_places(const PqextCondition *c, const PqType *type,
                           const PqextMeaning *m, PqWanted *out, PqErr *e)
{
    Search s = {.c = c, .in = {.table = c->table, .type = type}};
    bool pattern = pqext_is_pattern(c->op), vague;

    vague = !c->list && !pattern && is_vague(c, &c->operand);
    if (is_mixed(c) || (vague && c->op != PQEXT_EQ)) {
        pq_wanted_add_all(out);
        return PQ_OK;
    }
    if (m->bounded) {
        out->bounded = true;
        out->least = m->least;
        out->most = m->most;
    }
    s.in.least = out->least;
    s.in.most = out->most;
    if (pattern) {
        return add_pattern_places(&s, out, e);
    }
    if (c->list) {
        PQ_TRY(add_list(&s, out, e));
    } else if (c->op == PQEXT_EQ && !vague) {
        add_equal_and_beyond(&s, &c->operand, out);
    } else {
        out->beyond = true;
        if (!vague) {
            add_places(&s, c->op, &c->operand, out);
        }
    }
    pq_wanted_end(out);
    return PQ_OK;
}

/* ---- of texts and bytes --------------------------------------------------------------- */

static void add_numbers(PqWanted *out)
{
    out->exact = false;
    pq_wanted_add_bytes(out, pq_slice("", 0), pq_slice_text(after_numbers));
}

/* All values have one length, and the operand has another. */
static bool has_other_length(const PqextCondition *c, PqSlice operand)
{
    return c->type.physical == PQ_FIXED &&
           c->type.fixed_length != PQ_NO_LENGTH &&
           operand.n != c->type.fixed_length;
}

static void add_single(const PqextCondition *c, PqSlice operand, PqWanted *out)
{
    if (!has_other_length(c, operand)) {
        pq_wanted_add_value(out, operand);
    }
}

/* Two texts, or two BLOBs, compared as they are. */
static void add_bytes(const PqextCondition *c, PqWanted *out)
{
    PqSlice operand = pq_cell_slice(&c->operand);
    PqSlice start = pq_slice("", 0), after = pq_bytes_after(operand);

    switch (c->op) {
    case PQEXT_LT:
        pq_wanted_add_bytes(out, start, operand);
        break;
    case PQEXT_LE:
        pq_wanted_add_bytes(out, start, after);
        break;
    case PQEXT_GT:
        pq_wanted_add_bytes_from(out, after);
        break;
    case PQEXT_GE:
        pq_wanted_add_bytes_from(out, operand);
        break;
    case PQEXT_NE:
    case PQEXT_IS_NOT:
        pq_wanted_add_bytes(out, start, operand);
        pq_wanted_add_bytes_from(out, after);
        break;
    default:
        add_single(c, operand, out);
        break;
    }
}

/* A text that is perhaps a number, against a column of texts: adds the texts
** that may be compared as numbers. */
static void add_text(const PqextCondition *c, PqWanted *out)
{
    bool may_be_number = c->looks && !c->literal;
    bool is_order = c->op == PQEXT_LT || c->op == PQEXT_LE ||
                    c->op == PQEXT_GT || c->op == PQEXT_GE;

    if (may_be_number && (c->op == PQEXT_GT || c->op == PQEXT_GE)) {
        out->exact = false;          /* a text is more than any number */
        pq_wanted_add_all(out);
        return;
    }
    add_bytes(c, out);
    if (!c->literal && (c->op == PQEXT_LT || c->op == PQEXT_LE ||
                        (may_be_number && !is_order &&
                         c->op != PQEXT_NE && c->op != PQEXT_IS_NOT))) {
        add_numbers(out);
    }
}

/* All texts that match begin alike. */
static PqRc add_pattern(const PqextCondition *c, PqWanted *out, PqErr *e)
{
    PqSlice start = c->pattern.start, after;

    out->exact = false;
    if (start.n == 0) {
        pq_wanted_add_all(out);
        return PQ_OK;
    }
    PQ_TRY(pqext_pattern_after(&c->pattern, c->base.arena, &after, e));
    pq_wanted_add_bytes(out, start, after);
    return PQ_OK;
}

static PqRc add_entries(const PqextCondition *c, PqCellClass kind, PqWanted *out,
                        PqErr *e)
{
    const PqextList *l = c->list;

    if (kind == PQ_CELL_TEXT && pqext_list_has_numbers(l)) {
        add_numbers(out);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        if (i % ENTRIES_AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(&c->stop, e));
        }
        if (l->v[i].kind == kind) {
            add_single(c, pq_cell_slice(&l->v[i]), out);
        }
    }
    return PQ_OK;
}

/* An operand of another class than the column's values. */
static void add_other_class(const PqextCondition *c, PqCellClass kind,
                            PqWanted *out)
{
    PqSlice infinity = pqext_text_of_infinity(&c->operand);

    if (kind == PQ_CELL_TEXT && pq_cell_is_number(&c->operand) &&
        !(c->affinity == PQEXT_AFF_BLOB && c->literal)) {
        if (c->op == PQEXT_EQ) {
            add_numbers(out);
            if (infinity.n > 0) {
                pq_wanted_add_value(out, infinity);
            }
        } else {
            out->exact = false;
            pq_wanted_add_all(out);
        }
    } else if (pqext_op_holds(c->op, kind < c->operand.kind ? -1 : 1)) {
        pq_wanted_add_all(out);
    }
}

static PqCellClass class_of_bytes(const PqextCondition *c, const PqType *type)
{
    return pqext_is_string(c->table, type) ? PQ_CELL_TEXT : PQ_CELL_BLOB;
}

static PqRc compile_bytes(const PqextCondition *c, const PqType *type,
                          PqWanted *out, PqErr *e)
{
    PqCellClass kind = class_of_bytes(c, type);

    out->exact = true;
    if (c->list) {
        PQ_TRY(add_entries(c, kind, out, e));
    } else if (pqext_is_pattern(c->op)) {
        PQ_TRY(add_pattern(c, out, e));
    } else if (c->operand.kind != kind) {
        add_other_class(c, kind, out);
    } else if (kind == PQ_CELL_TEXT) {
        add_text(c, out);
    } else {
        add_bytes(c, out);
    }
    pq_wanted_end(out);
    return PQ_OK;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* NaN is NULL, or one of two texts.  If only one of the texts is wanted, each
** NaN is tested: no NaN is within the limits. */
static void add_nans(const PqextCondition *c, PqWanted *out)
{
    const PqCell nan = pq_cell_text(pq_slice_text("NaN"));
    const PqCell minus = pq_cell_text(pq_slice_text("-NaN"));
    bool one, other;

    if (!c->table->values.nan_text) {
        out->nans = pqext_condition_passes_null(c);
        return;
    }
    one = pqext_condition_passes(c, &nan);
    other = pqext_condition_passes(c, &minus);
    out->nans = one || other;
    out->bounded = out->beyond = one != other;
}

static PqRc compile(PqextCondition *c, const PqType *type, PqWanted *out,
                    PqErr *e)
{
    PqextMeaning m = pqext_meaning(c->table, type);
    uint32_t n = c->list ? c->list->n + 1 : 2;
    bool all = c->op == PQEXT_NOT_NULL;
    bool none = c->op == PQEXT_IS_NULL ||
                type->logical == PQ_TYPE_UNKNOWN ||
                (c->list ? c->list->n == 0 : !c->has_operand && !all);

    PQ_TRY(pq_wanted_begin(out, none && m.order == PQ_WANTED_CELLS
                                    ? PQ_WANTED_BYTES : m.order,
                           type, n, c->base.arena, e));
    out->nulls = pqext_condition_passes_null(c);
    out->exact = true;
    if (pq_type_is_float(type)) {
        add_nans(c, out);
    }
    if (all) {
        pq_wanted_add_all(out);
    } else if (!none && m.order == PQ_WANTED_PLACES) {
        return compile_places(c, type, &m, out, e);
    } else if (!none && m.order == PQ_WANTED_BYTES) {
        return compile_bytes(c, type, out, e);
    }
    return PQ_OK;
}

/* Is it known which values of a leaf are wanted, and which are NULL? */
static bool is_known_of(const PqextCondition *c, const PqType *type)
{
    const PqColumn *column = &c->table->table->columns[c->column];

    return pqext_same_meaning(column, type) &&
           !(pqext_condition_passes_null(c) &&
             pqext_may_become_null(column, type));
}

/* In a union of files a column may have another type, whose values are
** converted.  If they then mean something else, each value is tested.  Each
** value is also tested if a NULL is wanted and a value may become NULL. */
PqRc pqext_condition_compile(PqCondition *base, const PqType *type,
                             PqWanted *out, PqErr *e)
{
    PqextCondition *c = (PqextCondition *)base;

    c->texts = class_of_bytes(c, type);
    if (pq_type_equal(type, &c->type)) {
        if (!c->known) {
            PQ_TRY(compile(c, type, &c->wanted, e));
            c->known = true;
        }
        *out = c->wanted;
        return PQ_OK;
    }
    if (is_known_of(c, type)) {
        if (!c->other_known || !pq_type_equal(type, &c->other_type)) {
            c->other_known = false;
            PQ_TRY(compile(c, type, &c->other, e));
            c->other_type = *type;
            c->other_known = true;
        }
        *out = c->other;
        return PQ_OK;
    }
    *out = (PqWanted){.form = PQ_WANTED_CELLS, .nans = true,
                      .nulls = pqext_condition_passes_null(c)};
    return PQ_OK;
}
