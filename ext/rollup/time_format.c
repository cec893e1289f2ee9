/*
** time_format.c - periods of time as integers, and their texts.
*/
#include "ext/rollup/time_format.h"

#include "sql/did_you_mean.h"

enum { DAY_SECONDS = 86400, LONGEST_FORMAT = 60 };

/* ---- formats --------------------------------------------------------------- */

static const struct {
    char       letter;
    PqextGrain grain;
} letters[] = {
    {'Y', PQEXT_YEAR}, {'m', PQEXT_MONTH}, {'d', PQEXT_DAY}, {'j', PQEXT_DAY},
    {'w', PQEXT_DAY}, {'H', PQEXT_HOUR}, {'M', PQEXT_MINUTE},
    {'S', PQEXT_SECOND},
};

const char *pqext_time_format_of(const char *function)
{
    static const struct {
        const char *name, *format;
    } of[] = {{"date", "%Y-%m-%d"}, {"time", "%H:%M:%S"},
              {"datetime", "%Y-%m-%d %H:%M:%S"}};

    for (size_t i = 0; i < PQ_COUNT(of); i++) {
        if (pq_ascii_same(of[i].name, function)) {
            return of[i].format;
        }
    }
    return NULL;
}

/* The number of first bytes that the texts of this format share with the texts
** of instants. */
static uint32_t prefix_of(const char *text)
{
    static const char whole[] = "%Y-%m-%d %H:%M:%S";
    size_t n = strlen(text);
    uint32_t bytes = 2;              /* a year has four digits */

    if (n < 2 || strncmp(text, whole, n) != 0 || text[n - 2] != '%') {
        return 0;
    }
    for (; *text; text += *text == '%' ? 2 : 1) {
        bytes += *text == '%' ? 2 : 1;
    }
    return bytes;
}

bool pqext_time_format(const char *text, PqextTimeFormat *out, char *unknown)
{
    /* Letters that some version knows: seconds with a fraction, days and
    ** seconds as numbers, weeks, clocks of 12 hours. */
    static const char others[] = "fsJeFgGIklpPRTuUVW";
    bool native = strlen(text) <= LONGEST_FORMAT;

    *out = (PqextTimeFormat){.grain = PQEXT_YEAR, .text = text,
                             .prefix = prefix_of(text)};
    *unknown = 0;
    for (; *text; text++) {
        size_t i = 0;

        if (*text != '%' || *++text == '%') {
            continue;
        }
        while (i < PQ_COUNT(letters) && letters[i].letter != *text) {
            i++;
        }
        if (i < PQ_COUNT(letters)) {
            out->grain = letters[i].grain > out->grain ? letters[i].grain
                                                       : out->grain;
        } else {
            native = false;
            if (!*text || !strchr(others, *text)) {
                *unknown = *text ? *text : '%';
                return false;
            }
        }
    }
    return native;
}

/* ---- keys ------------------------------------------------------------------ */

bool pqext_time_is_stored(const PqType *t)
{
    return (t->logical == PQ_TYPE_DATE && t->physical == PQ_INT32) ||
           (t->logical == PQ_TYPE_TIMESTAMP && t->physical == PQ_INT64);
}

/* The period of time that a value lies in. */
typedef struct Period {
    int64_t begin, last, number;
} Period;

/* The period of v, where a period has `units` units. */
static inline Period period_of(int64_t v, int64_t units)
{
    int64_t rest = v % units, r = rest < 0 ? rest + units : rest;
    Period p = {.number = v / units - (rest < 0)};

    p.begin = v < INT64_MIN + r ? INT64_MIN : v - r;
    p.last = v > INT64_MAX - (units - 1 - r) ? INT64_MAX : v + (units - 1 - r);
    return p;
}

/* Most often a value is in the same period as the value before. */
#define FLOORS(units)                                                        \
    PQ_EACH_BIT(i, valid, n) {                                               \
        if (v[i] < p.begin || v[i] > p.last) {                               \
            p = period_of(v[i], units);                                      \
        }                                                                    \
        out[i] = p.number;                                                   \
        odd |= v[i] > p.last - near;                                         \
    }

#define BY_GRAIN(second)                                                     \
    switch (grain) {                                                         \
    case PQEXT_SECOND:                                                       \
        FLOORS(INT64_C(1) * second)                                          \
        break;                                                               \
    case PQEXT_MINUTE:                                                       \
        FLOORS(INT64_C(60) * second)                                         \
        break;                                                               \
    case PQEXT_HOUR:                                                         \
        FLOORS(INT64_C(3600) * second)                                       \
        break;                                                               \
    default:                                                                 \
        FLOORS(INT64_C(86400) * second)                                      \
        break;                                                               \
    }

/* Returns whether some value may be in the last millisecond of a day, which has
** `near` units. */
static bool floors(PqextGrain grain, PqUnit unit, const int64_t *v,
                   const uint64_t *valid, uint32_t n, int64_t near,
                   int64_t *out)
{
    Period p = {.last = -1};
    bool odd = false;

    if (unit == PQ_MILLIS) {
        BY_GRAIN(1000)
    } else if (unit == PQ_MICROS) {
        BY_GRAIN(1000000)
    } else {
        BY_GRAIN(1000000000)
    }
    return odd;
}

/* Marks the instants in the last millisecond of a day.  The text of one depends
** on the day, and on where in the millisecond it is: before the middle, in it,
** or after it. */
static void mark_odd(PqUnit unit, const int64_t *v, const uint64_t *valid,
                     uint32_t n, int64_t *out)
{
    int64_t second = pq_unit_per_second(unit), day = second * DAY_SECONDS;
    int64_t near = second / 1000;

    PQ_EACH_BIT(i, valid, n) {
        int64_t r = v[i] % day + (v[i] % day < 0 ? day : 0);
        int64_t which = v[i] / day - (v[i] % day < 0);

        if (r > day - near) {
            int64_t left = day - r;

            out[i] = PQEXT_TIME_ODD + which * 3 +
                     (left > near / 2 ? 0 : left == near / 2 ? 1 : 2);
        }
    }
}

static bool is_odd(int64_t key)
{
    return key > PQEXT_TIME_ODD / 2;
}

/* Days become months or years. */
static void coarser(PqextGrain grain, const uint64_t *valid, uint32_t n,
                    int64_t *keys)
{
    int64_t day = INT64_MIN, key = 0;

    PQ_EACH_BIT(i, valid, n) {
        if (keys[i] != day && !is_odd(keys[i])) {
            PqCivil c = pq_civil_of(keys[i]);

            day = keys[i];
            key = grain == PQEXT_YEAR ? c.year : c.year * 12 + c.month - 1;
        }
        keys[i] = is_odd(keys[i]) ? keys[i] : key;
    }
}

void pqext_time_keys(const PqextTimeFormat *f, const PqType *stored,
                     const void *values, const uint64_t *valid, uint32_t n,
                     int64_t *out)
{
    if (valid) {
        memset(out, 0, n * sizeof *out);
    }
    if (stored->logical == PQ_TYPE_DATE) {
        const int32_t *v = values;
        int64_t in_day = f->grain <= PQEXT_DAY      ? 1
                         : f->grain == PQEXT_HOUR   ? 24
                         : f->grain == PQEXT_MINUTE ? 1440 : DAY_SECONDS;

        PQ_EACH_BIT(i, valid, n) {
            out[i] = v[i] * in_day;
        }
    } else {
        int64_t near = stored->unit == PQ_MILLIS
                           ? 0 : pq_unit_per_second(stored->unit) / 1000;

        if (floors(f->grain, stored->unit, values, valid, n, near, out) &&
            near > 0) {
            mark_odd(stored->unit, values, valid, n, out);
        }
    }
    if (f->grain < PQEXT_DAY) {
        coarser(f->grain, valid, n, out);
    }
}

/* ---- texts ----------------------------------------------------------------- */

/* Where a period begins: the day, and the seconds in that day. */
static bool begin_of(PqextGrain grain, int64_t key, int64_t *day, int *second)
{
    int64_t in_day = grain == PQEXT_HOUR     ? 24
                     : grain == PQEXT_MINUTE ? 1440 : DAY_SECONDS;

    *second = 0;
    if (key < -(INT64_C(1) << 50) || key > INT64_C(1) << 50) {
        return false;
    }
    switch (grain) {
    case PQEXT_YEAR:
        *day = pq_days_of(key, 1, 1);
        break;
    case PQEXT_MONTH:
        *day = key >= 0 ? pq_days_of(key / 12, (int)(key % 12) + 1, 1)
                        : PQ_FIRST_DAY - 1;
        break;
    case PQEXT_DAY:
        *day = key;
        break;
    default:
        *day = key / in_day - (key % in_day < 0);
        *second = (int)((key - *day * in_day) * (DAY_SECONDS / in_day));
        break;
    }
    return *day >= PQ_FIRST_DAY && *day <= PQ_LAST_DAY;
}

static char *put_letter(char letter, int64_t day, PqCivil c, uint32_t second, char *out)
{
    switch (letter) {
    case 'Y':                        /* 0 to 9999, as begin_of() says */
        return pq_digits_2(pq_digits_2(out, (uint32_t)c.year / 100), (uint32_t)c.year % 100);
    case 'm':
        return pq_digits_2(out, c.month);
    case 'd':
        return pq_digits_2(out, c.day);
    case 'j':
        return pq_digits_3(out, (uint32_t)(day - pq_days_of(c.year, 1, 1)) + 1);
    case 'w':                        /* 1970 began on a Thursday */
        *out = (char)('0' + (day - PQ_FIRST_DAY + 6) % 7);
        return out + 1;
    case 'H':
        return pq_digits_2(out, second / 3600);
    case 'M':
        return pq_digits_2(out, second / 60 % 60);
    case 'S':
        return pq_digits_2(out, second % 60);
    default:
        *out = letter;               /* %% */
        return out + 1;
    }
}

bool pqext_time_text(const PqextTimeFormat *f, int64_t key, char *room,
                     size_t *n)
{
    char *to = room;
    PqCivil civil;
    int64_t day;
    int second;

    if (is_odd(key) || !begin_of(f->grain, key, &day, &second)) {
        return false;
    }
    civil = pq_civil_of(day);
    for (const char *z = f->text; *z; z++) {
        if (*z == '%') {
            to = put_letter(*++z, day, civil, (uint32_t)second, to);
        } else {
            *to++ = *z;
        }
    }
    *n = (size_t)(to - room);
    return true;
}
