/*
** type_arguments.c - the arguments in parentheses after the name of a type:
** DECIMAL(10,2), TIMESTAMP(MICROS, UTC), BLOB(16), GEOGRAPHY(crs, karney).
**
** What is hard is GEOGRAPHY: a coordinate system may hold commas, so the
** algorithm is looked for after the last one.
*/
#include "sql/value/type_words.h"

#include "sql/did_you_mean.h"

enum { MOST_DIGITS = 76 };

/* Takes the text before the next comma, or all of it. */
static PqSlice next_argument(PqSlice *rest)
{
    return pq_parse_trim(pq_slice_before(rest, ','));
}

static bool take_number(PqSlice s, uint32_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || i > 8) {
            return false;
        }
        *out = *out * 10 + (s.p[i] - '0');
    }
    return s.n > 0;
}

/* Reads at most `most` numbers; missing ones leave out unchanged. */
static bool take_numbers(PqSlice args, uint32_t *out, uint32_t most)
{
    uint32_t i = 0;

    do {
        if (i == most || !take_number(next_argument(&args), &out[i++])) {
            return false;
        }
    } while (args.n > 0);
    return true;
}

static bool is_word(PqSlice s, const char *word)
{
    return pq_ascii_compare(s.p, s.n, word) == 0;
}

static PqRc decimal_arguments(PqSlice args, PqType *type, PqErr *e)
{
    uint32_t digits[2] = {0, 0};

    if (!take_numbers(args, digits, 2)) {
        return pq_fail(e, PQ_USAGE, "needs the number of digits, and how many "
                       "of them are after the point: DECIMAL(10,2)");
    }
    if (digits[0] < 1 || digits[0] > MOST_DIGITS) {
        return pq_fail(e, PQ_USAGE, "has from 1 to %d digits", MOST_DIGITS);
    }
    if (digits[1] > digits[0]) {
        return pq_fail(e, PQ_USAGE, "has more digits after the point than in "
                       "total");
    }
    type->precision = (int32_t)digits[0];
    type->scale = (int32_t)digits[1];
    return PQ_OK;
}

static bool take_unit(PqSlice s, PqUnit *out)
{
    static const struct { const char *word; PqUnit unit; } units[] = {
        {"MILLIS", PQ_MILLIS}, {"MICROS", PQ_MICROS}, {"NANOS", PQ_NANOS},
        {"MS", PQ_MILLIS},     {"US", PQ_MICROS},     {"NS", PQ_NANOS},
    };
    uint32_t digits;

    for (size_t i = 0; i < PQ_COUNT(units); i++) {
        if (is_word(s, units[i].word)) {
            *out = units[i].unit;
            return true;
        }
    }
    if (!take_number(s, &digits) || digits > 9) {
        return false;
    }
    *out = digits <= 3 ? PQ_MILLIS : digits <= 6 ? PQ_MICROS : PQ_NANOS;
    return true;
}

static PqRc time_arguments(PqSlice args, PqType *type, PqErr *e)
{
    do {
        PqSlice one = next_argument(&args);

        if (is_word(one, "UTC")) {
            type->utc = true;
        } else if (is_word(one, "FIXED") &&
                   type->logical == PQ_TYPE_TIMESTAMP) {
            type->physical = PQ_FIXED;
            type->fixed_length = PQ_TIME96_SIZE;
        } else if (!is_word(one, "LOCAL") && !take_unit(one, &type->unit)) {
            return pq_fail(e, PQ_USAGE, "takes MILLIS, MICROS, NANOS or a "
                           "number of digits, and UTC or LOCAL%s",
                           type->logical == PQ_TYPE_TIMESTAMP
                               ? ", and FIXED for 12 bytes instead of 8" : "");
        }
    } while (args.n > 0);
    if (type->logical == PQ_TYPE_TIME) {
        type->physical = type->unit == PQ_MILLIS ? PQ_INT32 : PQ_INT64;
    }
    return PQ_OK;
}

static PqRc length_argument(PqSlice args, PqType *type, PqErr *e)
{
    uint32_t n = 0;

    if (!take_numbers(args, &n, 1) || n == 0) {
        return pq_fail(e, PQ_USAGE, "takes a number of bytes: BLOB(16)");
    }
    type->physical = PQ_FIXED;
    type->fixed_length = n;
    return PQ_OK;
}

/* Takes the last argument if it is an algorithm.  A crs may hold commas. */
static PqRc edges_argument(PqSlice *args, PqType *type, PqErr *e)
{
    size_t n = args->n, i;
    PqSlice last;

    while (n > 0 && args->p[n - 1] != ',') {
        n--;
    }
    last = pq_parse_trim(pq_slice(args->p + n, args->n - n));
    for (i = 0; i < PQ_GEO_ALGORITHMS; i++) {
        if (is_word(last, pq_geo_algorithm_names[i])) {
            type->algorithm = (int32_t)i;
            args->n = n ? n - 1 : 0;
            return PQ_OK;
        }
    }
    return n == 0 ? PQ_OK
                  : pq_fail(e, PQ_USAGE, "takes a coordinate system and one of "
                            "spherical, vincenty, thomas, andoyer, karney");
}

/* PostGIS has geometry(Point, 4326): a kind first, and the CRS as a number. */
static PqRc check_crs(PqSlice crs, PqErr *e)
{
    const uint8_t *comma = memchr(crs.p, ',', crs.n);
    PqSlice first = pq_parse_trim(pq_slice(
        crs.p, comma ? (size_t)(comma - crs.p) : crs.n));
    size_t n_digits = 0;

    while (n_digits < crs.n && pq_ascii_is_digit(crs.p[n_digits])) n_digits++;
    if (n_digits == crs.n) {
        return pq_fail(e, PQ_USAGE, "takes the name of a coordinate system, "
                       "not its number: EPSG:%.*s",
                       (int)(crs.n > 20 ? 20 : crs.n), (const char *)crs.p);
    }
    if (pqsql_type_is_kind(first)) {
        return pq_fail(e, PQ_USAGE, "takes a coordinate system, such as "
                       "EPSG:25832, and not %.*s", (int)first.n,
                       (const char *)first.p);
    }
    return PQ_OK;
}

static PqRc crs_argument(PqSlice crs, PqArena *a, PqType *type, PqErr *e)
{
    crs = pq_parse_trim(crs);
    if (crs.n == 0 || pq_slice_is(crs, "OGC:CRS84")) {
        return PQ_OK;
    }
    PQ_TRY(check_crs(crs, e));
    type->crs = pq_arena_text(a, crs.p, crs.n, e);
    return type->crs ? PQ_OK : e->rc;
}

PqRc pqsql_type_arguments(const PqsqlTypeWord *word, PqSlice args, bool has,
                          PqArena *a, PqType *type, PqErr *e)
{
    uint32_t idle[2];

    if (word->args == PQSQL_ARGS_DIGITS) {
        return decimal_arguments(args, type, e);
    }
    if (!has) {
        return PQ_OK;
    }
    switch (word->args) {
    case PQSQL_ARGS_IDLE:
        return take_numbers(args, idle, 2)
                   ? PQ_OK : pq_fail(e, PQ_USAGE, "takes at most a number");
    case PQSQL_ARGS_LENGTH:
        return length_argument(args, type, e);
    case PQSQL_ARGS_TIME:
        return time_arguments(args, type, e);
    case PQSQL_ARGS_CRS_EDGES:
        PQ_TRY(edges_argument(&args, type, e));
        return crs_argument(args, a, type, e);
    case PQSQL_ARGS_CRS:
        return crs_argument(args, a, type, e);
    default:
        return pq_fail(e, PQ_USAGE, "takes nothing in parentheses");
    }
}
