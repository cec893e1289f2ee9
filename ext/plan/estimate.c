/*
** estimate.c - how many rows a condition leaves, by what the footer says.
**
** SQLite chooses the order of a join by how many rows each table would give,
** and by what that would cost.  The bounds of a sample of row groups (sample.h)
** tell both:
**
**   ts >= '2024-03-01' AND ts < '2024-03-02' AND country = 'FI'
**
**   group   ts            country           read  given
**   0       01-01..02-28  AR..US, 40 kinds  no    0
**   1       02-28..04-30  AR..US, 40 kinds  yes   1/62 of its rows, of these 1/40
**
** Conditions on one column cut an interval out of its bounds.  Within a group,
** columns are taken to be independent of one another.  An operand that is not
** known yet is taken to be like most values.  All of these are guesses, and
** only speed depends on them.
**
** The hard part is the unknown.  An operand of a join has no value yet, a
** column may have no bounds, and an operator may be LIKE.  Then a usual share
** is taken.  It must not make a join look cheap if that join reads the file
** once per row of the other table (unknown_read).
*/
#include "ext/plan/plan.h"

#include "ext/condition/geo.h"
#include "ext/condition/place_search.h"
#include "ext/plan/sample.h"

#include <math.h>

/* Assumed where nothing is known. */
static const double equal_share = 0.1, range_share = 0.3, null_share = 0.05,
                    pattern_share = 0.1, box_share = 0.01, in_list = 4,
                    unknown_rows = 10;

/* ---- where a value lies -------------------------------------------------- */

/* The byte at i as a digit of a number, and how many digits there are: 10 if all
** the texts have a decimal digit there, 'Customer#000004000', 26 if they have
** letters. */
typedef struct Digit {
    uint8_t first;
    double  radix;
} Digit;

enum { TEXTS = 3 };

static bool all_between(const PqSlice v[TEXTS], size_t i, uint8_t from,
                        uint8_t to)
{
    for (int k = 0; k < TEXTS; k++) {
        if (i < v[k].n && (v[k].p[i] < from || v[k].p[i] > to)) {
            return false;
        }
    }
    return true;
}

static Digit digit_at(const PqSlice v[TEXTS], size_t i)
{
    return all_between(v, i, '0', '9')   ? (Digit){'0', 10}
           : all_between(v, i, 'a', 'z') ? (Digit){'a', 26}
           : all_between(v, i, 'A', 'Z') ? (Digit){'A', 26}
                                         : (Digit){0, 256};
}

/* Texts as numbers below 1, by the bytes after those that the first two share. */
static void numbers_of(const PqSlice v[TEXTS], double out[TEXTS])
{
    enum { DIGITS = 8 };
    double weight = 1;
    size_t n = 0;

    while (n < v[0].n && n < v[1].n && v[0].p[n] == v[1].p[n]) {
        n++;
    }
    for (size_t i = n; i < n + DIGITS; i++) {
        Digit d = digit_at(v, i);

        weight /= d.radix;
        for (int k = 0; k < TEXTS; k++) {
            out[k] += i < v[k].n ? (v[k].p[i] - d.first) * weight : 0;
        }
    }
}

/* SQLite compares days and clocks as texts.  These fill up a text that is not
** written to its end: '2024-03' is less than all days of March. */
static const char first_day[] = "0000-01-01 00:00:00",
                  first_clock[] = "00:00:00";

/* Where a text stands among dates or times, as a place. */
static bool place_of_time(const PqextTable *t, const PqType *type,
                          const PqCell *v, PqPlace *out)
{
    bool clock = type->logical == PQ_TYPE_TIME;
    size_t day = sizeof "0000-01-01" - 1, n = v->n;
    char room[sizeof first_day];
    PqCell filled = *v;

    memcpy(room, clock ? first_clock : first_day,
           clock ? sizeof first_clock : sizeof first_day);
    if (v->kind != PQ_CELL_TEXT) {
        return false;
    }
    if (n < strlen(room)) {
        memcpy(room, v->p, n);
        filled = pq_cell_text(pq_slice_text(room));
    }
    if (type->logical == PQ_TYPE_DATE && filled.n > day) {
        filled.n = (uint32_t)day;
    }
    return pqext_guess_place(t, type, &filled, out);
}

/* Where v lies from low (0) to high (1), evenly spread. */
static double between(double low, double high, double v)
{
    return high > low && v >= low && v <= high ? (v - low) / (high - low)
                                               : 0.5;
}

/* Dates and times are texts to SQLite.  Their places are evenly spread, but the
** bytes of their texts are not: 1999 and 2000 differ in the first byte. */
static bool is_time(const PqextSummary *s)
{
    return s->placed && s->min.kind == PQ_CELL_TEXT &&
           (s->type->logical == PQ_TYPE_DATE ||
            s->type->logical == PQ_TYPE_TIME ||
            s->type->logical == PQ_TYPE_TIMESTAMP);
}

/* The share of a row group's values that are less than v, if they are evenly
** spread; texts count by the first bytes that differ. */
static double share_below(const PqextTable *t, const PqextSummary *s,
                          const PqCell *v)
{
    const PqCell *min = &s->min, *max = &s->max;
    double texts[TEXTS] = {0};
    PqPlace at;

    if (pq_cell_compare(v, min) <= 0) {
        return 0;
    }
    if (pq_cell_compare(v, max) >= 0) {
        return 1;
    }
    if (pq_cell_is_number(min)) {
        return between(pq_cell_double(min), pq_cell_double(max),
                       pq_cell_double(v));
    }
    if (is_time(s) && place_of_time(t, s->type, v, &at)) {
        return between((double)s->low, (double)s->high, (double)at);
    }
    numbers_of((PqSlice[]){pq_cell_slice(min), pq_cell_slice(max),
                           pq_cell_slice(v)},
               texts);
    return between(texts[0], texts[1], texts[2]);
}

/* ---- terms --------------------------------------------------------------- */

/* What the terms leave of a column in a row group. */
typedef struct Cut {
    double low, high;                /* of its values, evenly spread        */
    double share;                    /* of what is between                  */
    bool   none;                     /* the bounds rule it out              */
} Cut;

/* Without a summary, or where it has no bounds. */
static double usual_share(PqextOp op)
{
    switch (op) {
    case PQEXT_EQ: case PQEXT_IS:
        return equal_share;
    case PQEXT_IN:
        return equal_share * in_list;
    case PQEXT_IS_NULL:
        return null_share;
    case PQEXT_LIKE: case PQEXT_GLOB:
        return pattern_share;
    case PQEXT_GEO_INTERSECTS: case PQEXT_GEO_CONTAINS: case PQEXT_GEO_WITHIN:
        return box_share;
    case PQEXT_NOT_NULL: case PQEXT_NE: case PQEXT_IS_NOT:
        return 1 - null_share;
    default:
        return range_share;
    }
}

static void cut_range(Cut *c, const PqextTable *t, const PqextSummary *s,
                      PqextOp op, const PqCell *v)
{
    bool below = op == PQEXT_LT || op == PQEXT_LE;
    int order = pq_cell_compare(v, below ? &s->min : &s->max);
    double at = share_below(t, s, v);

    if (below) {
        c->none |= order < 0 || (order == 0 && op == PQEXT_LT);
        c->high = at < c->high ? at : c->high;
    } else {
        c->none |= order > 0 || (order == 0 && op == PQEXT_GT);
        c->low = at > c->low ? at : c->low;
    }
}

static void cut(Cut *c, const PqextTable *t, const PqextSummary *s, PqextOp op,
                const PqCell *v)
{
    double one = 1 / s->kinds;

    switch (op) {
    case PQEXT_IS_NULL:
        c->share *= s->nulls;
        c->none |= s->nulls <= 0;
        return;
    case PQEXT_NOT_NULL:
        c->share *= 1 - s->nulls;
        c->none |= s->nulls >= 1;
        return;
    case PQEXT_NE:
    case PQEXT_IS_NOT:
        c->share *= 1 - one;
        return;
    case PQEXT_IN:
        c->share *= one * in_list < 1 ? one * in_list : 1;
        return;
    case PQEXT_EQ:
    case PQEXT_IS:
        c->share *= one;
        c->none |= v && s->bounded &&
                   (pq_cell_compare(v, &s->min) < 0 ||
                    pq_cell_compare(v, &s->max) > 0);
        return;
    case PQEXT_LIKE:
    case PQEXT_GLOB:
        c->share *= pattern_share;
        return;
    default:
        if (v && s->bounded) {
            cut_range(c, t, s, op, v);
        } else {
            c->share *= range_share;
        }
        return;
    }
}

/* An operand as the column's values are compared with it; false: not known. */
static bool operand_of(const PqextTable *t, const PqextAsked *a, PqArena *arena,
                       PqCell *out)
{
    bool numeric = pqext_affinity(t, (uint32_t)a->term.column) ==
                   PQEXT_AFF_NUMERIC;
    PqErr e = PQ_NO_ERR;
    bool known;

    if (!a->operand || sqlite3_value_type(a->operand) == SQLITE_NULL) {
        return false;
    }
    known = pqext_value_take(a->operand, numeric, arena, out, &e) == PQ_OK;
    pq_err_clear(&e);
    return known;
}

/* Does a pattern choose a range of dates or times? */
static bool is_range_of_times(const PqextTable *t, const PqextSummary *groups,
                              PqextOp op, const PqCell *v, PqArena *a,
                              char room[2][PQEXT_BOUND_ROOM], PqCell ends[2])
{
    PqextPattern p;

    if (!pqext_is_pattern(op) || v->kind != PQ_CELL_TEXT || !is_time(groups)) {
        return false;
    }
    pqext_pattern_init(&p, pq_cell_slice(v), op == PQEXT_GLOB);
    return pqext_pattern_ends(t, groups->type, &p, a, room, ends);
}

/* Applies a term on a column, for each group of the sample. */
static void cut_all(Cut *cuts, uint32_t n, const PqextTable *t,
                    const PqextSummary *groups, const PqextAsked *asked,
                    PqArena *scratch)
{
    PqextOp op = asked->term.op;
    char room[2][PQEXT_BOUND_ROOM];
    PqCell v, ends[2];
    bool known = operand_of(t, asked, scratch, &v);
    bool range = known && is_range_of_times(t, groups, op, &v, scratch, room,
                                            ends);

    for (uint32_t g = 0; g < n; g++) {
        if (range && groups[g].bounded) {
            cut_range(&cuts[g], t, &groups[g], PQEXT_GE, &ends[0]);
            cut_range(&cuts[g], t, &groups[g], PQEXT_LE, &ends[1]);
        } else {
            cut(&cuts[g], t, &groups[g], op, known ? &v : NULL);
        }
    }
}

/* Applies all terms on the column of asked[first], for each group. */
static void cut_column(PqextTable *t, PqextSample *s, const PqextAsked *asked,
                       uint32_t n, uint32_t first, PqArena *scratch,
                       double *given, bool *none)
{
    int column = asked[first].term.column;
    const PqextSummary *groups = pqext_sample_column(t, (uint32_t)column);
    Cut cuts[PQEXT_SAMPLE_ROOM];

    for (uint32_t g = 0; g < s->n; g++) {
        cuts[g] = (Cut){.high = 1, .share = 1};
    }
    for (uint32_t i = first; i < n; i++) {
        if (asked[i].term.column != column ||
            pqext_is_geo(asked[i].term.op)) {
            continue;
        }
        if (groups) {
            cut_all(cuts, s->n, t, groups, &asked[i], scratch);
            continue;
        }
        for (uint32_t g = 0; g < s->n; g++) {
            cuts[g].share *= usual_share(asked[i].term.op);
        }
    }
    for (uint32_t g = 0; g < s->n; g++) {
        double width = cuts[g].high - cuts[g].low;
        double least = groups ? 1 / groups[g].kinds : 0;

        none[g] |= cuts[g].none;
        given[g] *= cuts[g].share * (width > least ? width : least);
    }
}

/* For columns without pages: files are chosen, or rows by their number. */
static double share_of_other(PqextTerm term)
{
    bool equal = term.op == PQEXT_EQ || term.op == PQEXT_IN ||
                 term.op == PQEXT_IS || term.op == PQEXT_IS_NULL;

    return term.column == PQEXT_ROWID && equal ? 1e-9 : usual_share(term.op);
}

static bool seen_before(const PqextAsked *asked, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++) {
        if (asked[k].term.column == asked[i].term.column &&
            !pqext_is_geo(asked[k].term.op)) {
            return true;
        }
    }
    return false;
}

/* An operand that is not known yet reads nearly everything.  A join that took
** the bounds for an index would read the file once per row of the other
** table. */
static const double unknown_read = 0.9;

static double unknown_reads(const PqextAsked *asked, uint32_t n)
{
    double share = 1;

    for (uint32_t i = 0; i < n; i++) {
        if (asked[i].term.by_value && !asked[i].operand &&
            !pqext_is_geo(asked[i].term.op)) {
            share *= unknown_read;
        }
    }
    return share;
}

/* Boxes are different: in a file whose rows are in the order of a curve, each
** row group has its own part of the map. */
static void cut_boxes(PqextTable *t, const PqextSample *s, const PqextAsked *a,
                      double *given, double *read, bool *none)
{
    if (pqext_sample_cut_boxes(t, (uint32_t)a->term.column,
                               pqext_geo_relation(a->term.op), a->operand,
                               given, read, none)) {
        return;
    }
    for (uint32_t g = 0; g < s->n; g++) {
        given[g] *= box_share;
        read[g] *= a->operand ? 1 : unknown_read;
    }
}

PqextShares pqext_estimate(PqextTable *t, const PqextAsked *asked, uint32_t n)
{
    PqextShares out = {1, unknown_reads(asked, n)};
    double given[PQEXT_SAMPLE_ROOM] = {0}, parts[PQEXT_SAMPLE_ROOM] = {0};
    double rows = 0, read = 0;
    bool none[PQEXT_SAMPLE_ROOM] = {false};
    PqextSample *s = pqext_sample(t);
    PqArena scratch;

    pq_arena_init(&scratch, t->host->engine->mem);
    for (uint32_t g = 0; s && g < s->n; g++) {
        given[g] = parts[g] = 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!asked[i].term.by_value) {
            out.given *= share_of_other(asked[i].term);
            out.read *= share_of_other(asked[i].term);
        } else if (!s) {
            out.given *= usual_share(asked[i].term.op);
        } else if (pqext_is_geo(asked[i].term.op)) {
            cut_boxes(t, s, &asked[i], given, parts, none);
        } else if (!seen_before(asked, i)) {
            cut_column(t, s, asked, n, i, &scratch, given, none);
        }
    }
    for (uint32_t g = 0; s && g < s->n; g++) {
        rows += none[g] ? 0 : given[g] * s->rows[g];
        read += none[g] ? 0 : parts[g] * s->rows[g];
    }
    pq_arena_free(&scratch);
    if (s && s->all_rows > 0) {
        out.given *= rows / s->all_rows;
        out.read *= read > 0 ? read / s->all_rows : s->between;
    }
    return out;
}

/* There cannot be more values than lie between the bounds of all groups.  The
** dictionary of one group counts for all. */
double pqext_rows_of_value(PqextTable *t, uint32_t column)
{
    const PqextSummary *v = pqext_sample_column(t, column);
    double kinds = 0, low = INFINITY, high = -INFINITY, rows;
    bool placed = true, alike = true;

    if (!v) {
        return unknown_rows;
    }
    for (uint32_t g = 0; g < t->sample->n; g++) {
        placed = placed && v[g].placed;
        low = fmin(low, (double)v[g].low);
        high = fmax(high, (double)v[g].high);
        kinds = fmax(kinds, v[g].kinds);
        alike = alike && v[g].kinds < t->sample->rows[g];
    }
    if (!alike) {
        kinds = t->rows_guess;       /* as many as there are rows */
    }
    if (placed && (!alike || high - low + 1 < kinds)) {
        kinds = high - low + 1;
    }
    rows = t->rows_guess / kinds;
    return rows > 1 ? rows : 1;
}
