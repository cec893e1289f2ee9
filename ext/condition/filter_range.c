/*
** filter_range.c - a condition as ranges of what a leaf stores.
**
** A stored integer becomes the value that SQLite sees by a function that never
** falls (a later day is a later text), so "less than the operand" is true from
** the least stored value up to some other one.  Which one is found by halving:
** the function is asked, not turned round.
**
**   day >= '2024-03'     DATE    19783 ..           2024-03-01 and later
**   price = 0.1          DECIMAL(9,2)  10 .. 10
**   price <> 0.105       DECIMAL(9,2)  all: nothing rounds to it
**   x <= 9007199254740993.0      INT64   .. 9007199254740992
**
** Floats are halved by their place in the order of all floats.
*/
#include "ext/condition/filter.h"

#include <math.h>
#include <stdlib.h>

enum { SECONDS_PER_DAY = 86400 };

/* 0000-01-01 and 9999-12-31, in days since 1970. */
static const int64_t first_day = -719528, last_day = 2932896;

typedef struct Search {
    const PqextFilter *f;
    const PqType      *type;
    PqextForm          form;
    int64_t            least, most;  /* places                              */
} Search;

/* ---- places ------------------------------------------------------------- */

/* Floats in their order: the sign bit turns the rest around. */
static int64_t place_of_double(double d)
{
    int64_t k;

    memcpy(&k, &d, sizeof k);
    return k < 0 ? k ^ INT64_MAX : k;
}

static double double_at(int64_t place)
{
    double d;

    place = place < 0 ? place ^ INT64_MAX : place;
    memcpy(&d, &place, sizeof d);
    return d;
}

static int64_t place_of_float(float f)
{
    int32_t k;

    memcpy(&k, &f, sizeof k);
    return k < 0 ? k ^ INT32_MAX : k;
}

static float float_at(int64_t place)
{
    int32_t k = (int32_t)place;
    float f;

    k = k < 0 ? k ^ INT32_MAX : k;
    memcpy(&f, &k, sizeof f);
    return f;
}

/* What SQLite would see of the value at a place.  Texts are made in room. */
static PqextValue value_at(const Search *s, int64_t place, char *room)
{
    PqextValue v = {.kind = PQEXT_NUMBER};
    uint8_t plain[8];

    switch (s->form) {
    case PQEXT_FORM_FLOAT:
        v.r = (double)float_at(place);
        return v;
    case PQEXT_FORM_DOUBLE:
        v.r = double_at(place);
        return v;
    default:
        pq_store_u64(plain, (uint64_t)place);
        pqext_bound_value(s->f->table, s->type,
                          pq_slice(plain, s->form == PQEXT_FORM_I32 ? 4 : 8),
                          room, &v);
        return v;
    }
}

/* The first place whose value is not less than the operand, or is more than it;
** false: there is none. */
static bool first_from(const Search *s, const PqextValue *operand, bool more,
                       int64_t *out)
{
    char room[PQEXT_BOUND_ROOM];
    int64_t low = s->least, high = s->most;
    PqextValue v = value_at(s, high, room);

    if (pqext_value_compare(&v, operand) < (int)more) {
        return false;
    }
    while (low < high) {
        int64_t middle =
            low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

        v = value_at(s, middle, room);
        if (pqext_value_compare(&v, operand) >= (int)more) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *out = low;
    return true;
}

/* ---- ranges ------------------------------------------------------------- */

static PqextRange range_of(const Search *s, int64_t low, int64_t high)
{
    PqextRange r;

    switch (s->form) {
    case PQEXT_FORM_FLOAT:
        r.low.d = (double)float_at(low);
        r.high.d = (double)float_at(high);
        break;
    case PQEXT_FORM_DOUBLE:
        r.low.d = double_at(low);
        r.high.d = double_at(high);
        break;
    default:
        r.low.i = low;
        r.high.i = high;
        break;
    }
    return r;
}

/* A number that is stored as it is given has one place, which need not be looked
** for: lists are long.  Zeros have two. */
static bool has_one_place(const Search *s, const PqextValue *operand,
                          int64_t *place)
{
    if (operand->kind != PQEXT_NUMBER || s->f->affinity == PQEXT_AFF_TEXT) {
        return false;
    }
    if (s->form == PQEXT_FORM_DOUBLE) {
        *place = place_of_double(operand->r);
        return !operand->is_int && operand->r != 0;
    }
    *place = operand->i;
    return operand->is_int && s->form != PQEXT_FORM_FLOAT &&
           (s->type->logical == PQ_TYPE_NONE ||
            s->type->logical == PQ_TYPE_INT);
}

/* Places that stand in the filter's relation to an operand, NE meaning those
** that do not. */
static void add_range(const Search *s, const PqextValue *operand,
                      PqextStoredForm *out)
{
    int64_t from = 0, beyond = 0, low = s->least, high = s->most;
    bool has_from, has_beyond;

    if (s->f->op == PQEXT_IN && has_one_place(s, operand, &from)) {
        if (from >= low && from <= high) {
            out->ranges[out->n++] = range_of(s, from, from);
        }
        return;
    }
    has_from = first_from(s, operand, false, &from);
    has_beyond = first_from(s, operand, true, &beyond);
    switch (s->f->op) {
    case PQEXT_GE:
    case PQEXT_GT:
        low = s->f->op == PQEXT_GE ? from : beyond;
        if (!(s->f->op == PQEXT_GE ? has_from : has_beyond)) {
            return;
        }
        break;
    case PQEXT_LT:
    case PQEXT_LE:
        if (s->f->op == PQEXT_LT ? has_from : has_beyond) {
            high = s->f->op == PQEXT_LT ? from : beyond;
            if (high == s->least) {
                return;
            }
            high--;
        }
        break;
    default:
        if (!has_from || (has_beyond && beyond == from)) {
            return;
        }
        low = from;
        high = has_beyond ? beyond - 1 : s->most;
        break;
    }
    out->ranges[out->n++] = range_of(s, low, high);
}

static int by_low_int(const void *a, const void *b)
{
    int64_t x = ((const PqextRange *)a)->low.i;
    int64_t y = ((const PqextRange *)b)->low.i;

    return (x > y) - (x < y);
}

static int by_low_real(const void *a, const void *b)
{
    double x = ((const PqextRange *)a)->low.d;
    double y = ((const PqextRange *)b)->low.d;

    return (x > y) - (x < y);
}

static bool is_float_form(PqextForm form)
{
    return form == PQEXT_FORM_FLOAT || form == PQEXT_FORM_DOUBLE;
}

static bool are_sorted(const PqextStoredForm *f)
{
    bool real = is_float_form(f->form);
    uint32_t i = 1;

    while (i < f->n && (real ? f->ranges[i - 1].low.d <= f->ranges[i].low.d
                             : f->ranges[i - 1].low.i <= f->ranges[i].low.i)) {
        i++;
    }
    return i >= f->n;
}

/* Sorted, and each once: different operands may mean the same values.  A list
** comes in order, and so do its ranges. */
static void sort_ranges(PqextStoredForm *f)
{
    bool real = is_float_form(f->form);
    uint32_t i, n = 0;

    if (!are_sorted(f)) {
        qsort(f->ranges, f->n, sizeof *f->ranges,
              real ? by_low_real : by_low_int);
    }
    for (i = 0; i < f->n; i++) {
        if (n == 0 || (real ? f->ranges[i].low.d > f->ranges[n - 1].high.d
                            : f->ranges[i].low.i > f->ranges[n - 1].high.i)) {
            f->ranges[n++] = f->ranges[i];
        }
    }
    f->n = n;
}

/* ---- which form a leaf has ------------------------------------------------ */

/* Integers whose text is not in the order of the integers beyond some limits. */
static void limit(Search *s, int64_t least, int64_t most, PqextStoredForm *out)
{
    out->bounded = true;
    s->least = out->least = least > s->least ? least : s->least;
    s->most = out->most = most < s->most ? most : s->most;
}

/* v * by, or the end of int64 on that side. */
static int64_t times_at_most(int64_t v, int64_t by)
{
    int64_t out;

    return __builtin_mul_overflow(v, by, &out) ? (v < 0 ? INT64_MIN : INT64_MAX)
                                               : out;
}

static void limit_times(Search *s, PqextStoredForm *out)
{
    int64_t per = s->type->logical == PQ_TYPE_DATE
                      ? 1 : pq_unit_per_second(s->type->unit);

    switch (s->type->logical) {
    case PQ_TYPE_DATE:
        limit(s, first_day, last_day, out);
        break;
    case PQ_TYPE_TIME:
        limit(s, 0, SECONDS_PER_DAY * per - 1, out);
        break;
    default:
        limit(s, times_at_most(first_day * SECONDS_PER_DAY, per),
              times_at_most((last_day + 1) * SECONDS_PER_DAY - 1, per), out);
        break;
    }
}

static PqextForm integer_form(const Search *s)
{
    const PqsqlOptions *o = &s->f->table->values;

    switch (s->type->logical) {
    case PQ_TYPE_INT:
        return pq_type_is_u64(s->type) ? PQEXT_FORM_CELLS : s->form;
    case PQ_TYPE_DECIMAL:
        return o->decimal_text ? PQEXT_FORM_CELLS : s->form;
    case PQ_TYPE_TIMESTAMP:
        return o->timestamp == PQSQL_TIME_UNIXEPOCH ? PQEXT_FORM_CELLS
                                                    : s->form;
    case PQ_TYPE_NONE:
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
        return s->form;
    default:
        return PQEXT_FORM_CELLS;
    }
}

static PqextForm choose_form(Search *s)
{
    const PqType *t = s->type;
    bool plain = t->logical == PQ_TYPE_NONE;

    switch (t->physical) {
    case PQ_INT32:
        s->form = PQEXT_FORM_I32;
        s->least = pq_type_is_unsigned(t) ? 0 : INT32_MIN;
        s->most = pq_type_is_unsigned(t) ? UINT32_MAX : INT32_MAX;
        return integer_form(s);
    case PQ_INT64:
        s->form = PQEXT_FORM_I64;
        s->least = INT64_MIN;
        s->most = INT64_MAX;
        return integer_form(s);
    case PQ_FLOAT:
        s->least = place_of_float(-INFINITY);
        s->most = place_of_float(INFINITY);
        return plain && !s->f->table->values.nan_text ? PQEXT_FORM_FLOAT
                                                      : PQEXT_FORM_CELLS;
    case PQ_DOUBLE:
        s->least = place_of_double(-INFINITY);
        s->most = place_of_double(INFINITY);
        return plain && !s->f->table->values.nan_text ? PQEXT_FORM_DOUBLE
                                                      : PQEXT_FORM_CELLS;
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        return t->logical == PQ_TYPE_DECIMAL || t->logical == PQ_TYPE_UUID ||
                       t->logical == PQ_TYPE_FLOAT16 ||
                       t->logical == PQ_TYPE_INTERVAL ||
                       t->logical == PQ_TYPE_TIMESTAMP
                   ? PQEXT_FORM_CELLS : PQEXT_FORM_BYTES;
    default:
        return PQEXT_FORM_CELLS;
    }
}

/* No value of a column of texts that has ranges looks like a number.  But a
** number given for it may be compared as one or as a text, and a text that
** looks like one as well: anything may be true, but equality. */
static bool is_vague(const PqextFilter *f, const PqextValue *operand)
{
    return f->affinity == PQEXT_AFF_TEXT &&
           (operand->kind == PQEXT_NUMBER ||
            (f->looks && !f->literal && f->op != PQEXT_EQ &&
             f->op != PQEXT_NE && f->op != PQEXT_IS_NOT));
}

enum { ENTRIES_AT_ONCE = 256 };

static PqRc add_ranges(const Search *s, const PqextFilter *f,
                       PqextStoredForm *out, PqErr *e)
{
    PqStop stop = {pqext_host_stop, f->table->host};

    for (uint32_t i = 0; i < f->list->n; i++) {
        if (i % ENTRIES_AT_ONCE == 0) {
            PQ_TRY(pq_stop_poll(&stop, e));
        }
        if (!is_vague(f, &f->list->v[i])) {
            add_range(s, &f->list->v[i], out);
        }
    }
    return PQ_OK;
}

static PqRc store(PqextFilter *f, const PqLeaf *leaf, PqErr *e)
{
    Search s = {.f = f, .type = &leaf->type};
    PqextStoredForm *out = &f->stored;
    uint32_t n = f->list ? f->list->n : 1;
    bool negated = f->op == PQEXT_NE || f->op == PQEXT_IS_NOT ||
                   f->op == PQEXT_NOT_NULL;

    s.form = out->form = choose_form(&s);
    if (out->form == PQEXT_FORM_CELLS || out->form == PQEXT_FORM_BYTES) {
        return PQ_OK;
    }
    if (f->affinity == PQEXT_AFF_TEXT) {
        limit_times(&s, out);
    }
    out->ranges = pq_arena_zeros(f->arena, n + 1, sizeof *out->ranges, e);
    if (!out->ranges) {
        return e->rc;
    }
    out->outside = negated;
    if (f->list) {
        PQ_TRY(add_ranges(&s, f, out, e));
    } else if (f->has_operand && !is_vague(f, &f->operand)) {
        add_range(&s, &f->operand, out);
    } else if (f->has_operand && f->op != PQEXT_EQ && !negated) {
        *out = (PqextStoredForm){.form = out->form, .outside = true};
        return PQ_OK;
    }
    sort_ranges(out);
    return PQ_OK;
}

/* The form is the same for all files of the column's own type. */
PqRc pqext_filter_store(PqextFilter *f, const PqLeaf *leaf, PqErr *e)
{
    f->stored = (PqextStoredForm){0};
    if (!pq_type_equal(&leaf->type, &f->column->type)) {
        return PQ_OK;                /* a union of files: cell by cell */
    }
    if (!f->own_is_known) {
        PQ_TRY(store(f, leaf, e));
        f->own = f->stored;
        f->own_is_known = true;
    }
    f->stored = f->own;
    return PQ_OK;
}
