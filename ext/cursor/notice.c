/*
** notice.c - a comparison that does not mean what it looks like.
**
** Dates and times are texts in SQLite, and compared as such.  A text of another
** form is another text, though a person reads the same instant:
**
**   column, as it is given     compared with              and so
**   2024-03-10 12:00:00        '2024-03-10T12:00:00Z'     less, and never equal
**   2024-03-10 23:59:59        '2024-03-10T00:00:00'      less: ' ' before 'T'
**   2024-03-10 (a DATE)        '2024-03-10 00:00:00'      less
**   2024-03-10 12:00:00.250    '2024-03-10 12:00:00.25'   never equal
**   2024-03-10 12:00:00.250    '...12:00:00.250000'       less
**   2024-03-10                 '2024/03/10', '10.03.2024' less, more
**   2024-03-10 12:00:00        LIKE '2024-03-10T12%'      never
**   1710072000, a number       '2024-03-10'               less
**
** JavaScript's toISOString() and Python's isoformat() bind the first two.  A
** native table would give the same rows, so nothing is changed.  But it is
** reported, once per statement and table, on the error log and in
** parquet_scan_stats().
*/
#include "ext/cursor/cursor_scan.h"

#include "sql/timestamp.h"

/* ---- forms of a time ------------------------------------------------------ */

typedef enum TimeKind { NO_TIME, INSTANT, DAY, CLOCK, SECONDS, UNITS } TimeKind;

typedef enum Form {
    NOT_TOLD,
    EXACT,                           /* a function makes the column's text   */
    LOOSE                            /* only a person can tell the day       */
} Form;

/* Up to four digits.  Returns how many there are. */
static size_t take_digits(PqSlice *s, unsigned *out)
{
    size_t n = 0;

    for (*out = 0; n < s->n && n < 4 && pq_ascii_is_digit(s->p[n]); n++) {
        *out = *out * 10 + (unsigned)(s->p[n] - '0');
    }
    *s = pq_slice(s->p + n, s->n - n);
    return n;
}

/* 2024-3-10, 2024/03/10, 10.03.2024, 3/10/2024, alone or before a clock. */
static bool is_loose_time(PqSlice s)
{
    unsigned v[3], year, other, month = 1;
    size_t digits[3], i;
    uint8_t sep = 0;

    for (i = 0; i < 3; i++) {
        digits[i] = take_digits(&s, &v[i]);
        if (i < 2) {
            if (s.n == 0 || !strchr("-/.", s.p[0]) || (i && s.p[0] != sep)) {
                return false;
            }
            sep = s.p[0];
            s = pq_slice(s.p + 1, s.n - 1);
        }
    }
    year = digits[0] == 4 ? 0 : 2;
    other = 2 - year;
    if (digits[year] != 4 || digits[month] - 1 > 1 || digits[other] - 1 > 1 ||
        v[month] - 1 > 30 || v[other] - 1 > 30 ||
        (v[month] > 12 && (year == 0 || v[other] > 12))) {
        return false;
    }
    return s.n == 0 || ((s.p[0] == ' ' || (s.p[0] | 0x20) == 't') &&
                        s.n > 1 && pq_ascii_is_digit(s.p[1]));
}

/* Can it be the beginning of texts of a column, such as 2024-03-10 12?  No text
** begins with 2024-03-10 7:05. */
static bool begins_text(PqSlice s)
{
    char room[PQ_TIME_TEXT_ROOM];
    const size_t day = strlen("2024-03-10");

    return s.n >= day && (s.n == day || s.p[day] == ' ') &&
           !(s.n > day + 2 && s.p[day + 2] == ':') &&
           pqsql_timestamp_text(pq_slice(s.p, day), room) == PQ_PARSE_OK &&
           memcmp(room, s.p, day) == 0;
}

/* The text that a TIME column has for 7:05, 07:05:00.250000 or 07:05:00Z, in room.
** Empty: s is not a clock. */
static PqSlice clock_text(PqSlice s, char room[PQ_TIME_TEXT_ROOM])
{
    static const char day[] = "1970-01-01 ";
    char whole[sizeof day + PQ_TIME_TEXT_ROOM];
    bool one_digit = s.n > 1 && s.p[1] == ':';
    size_t i = 0;

    while (i < s.n && (pq_ascii_is_digit(s.p[i]) ||
                       (s.p[i] && strchr(":.Z", s.p[i])))) {
        i++;
    }
    if (i < s.n || s.n == 0 || s.n >= PQ_TIME_TEXT_ROOM) {
        return pq_slice(NULL, 0);
    }
    sqlite3_snprintf(sizeof whole, whole, "%s%s%.*s", day,
                     one_digit ? "0" : "", (int)s.n, (const char *)s.p);
    return pqsql_timestamp_text(pq_slice_text(whole), room) == PQ_PARSE_OK &&
                   memcmp(room, day, strlen(day)) == 0
               ? pq_slice_text(room + strlen(day)) : pq_slice(NULL, 0);
}

/* A text that begins the column's text is less than it, and so is its
** meaning. */
static Form form_beside(PqSlice s, PqSlice own, bool is_equation)
{
    return s.n > own.n || memcmp(s.p, own.p, s.n) != 0 ||
                   (s.n < own.n && is_equation) ? EXACT : NOT_TOLD;
}

static Form form_of(PqSlice s, TimeKind kind, bool is_equation)
{
    char room[PQ_TIME_TEXT_ROOM];
    PqSlice own;

    if (kind == CLOCK) {
        own = clock_text(s, room);
        return own.n ? form_beside(s, own, is_equation) : NOT_TOLD;
    }
    if (pqsql_timestamp_text(s, room) != PQ_PARSE_OK) {
        return is_loose_time(s) && !begins_text(s) ? LOOSE : NOT_TOLD;
    }
    own = pq_slice_text(room);
    if (kind == DAY) {
        own.n -= strlen(" 12:00:00");
    }
    if (kind == SECONDS || kind == UNITS) {
        return EXACT;
    }
    return form_beside(s, own, is_equation);
}

/* ---- saying so ------------------------------------------------------------ */

static TimeKind kind_of(const PqextTable *t, const PqColumn *c)
{
    if (c->kind == PQ_COLUMN_HIVE) {
        return c->hive_type == PQ_HIVE_DATE ? DAY : NO_TIME;
    }
    if (!pq_column_is_of_pages(c)) {
        return NO_TIME;
    }
    if (c->type.logical == PQ_TYPE_DATE) {
        return DAY;
    }
    if (c->type.logical == PQ_TYPE_TIME) {
        return t->values.timestamp == PQSQL_TIME_TEXT ? CLOCK : NO_TIME;
    }
    if (c->type.logical != PQ_TYPE_TIMESTAMP && c->type.physical != PQ_INT96) {
        return NO_TIME;
    }
    return t->values.timestamp == PQSQL_TIME_TEXT  ? INSTANT
           : t->values.timestamp == PQSQL_TIME_RAW ? UNITS : SECONDS;
}

enum { SHOWN = 40 };

/* What to write instead of a text. */
static char *advice(const PqColumn *c, TimeKind kind, Form form, PqSlice text)
{
    PqUnit unit = c->type.physical == PQ_INT96 ? PQ_NANOS : c->type.unit;
    char room[PQ_TIME_TEXT_ROOM];
    PqSlice own;

    switch (kind) {
    case CLOCK:
        own = clock_text(text, room);
        return sqlite3_mprintf("it as %.*s", (int)own.n, (const char *)own.p);
    case UNITS:
        return sqlite3_mprintf("unixepoch(?) * %lld, which goes down",
                               (long long)pq_unit_per_second(unit));
    case SECONDS:
        return sqlite3_mprintf("unixepoch(?), which goes down");
    case DAY:
        return sqlite3_mprintf(form == LOOSE ? "it as 2024-03-10"
                                             : "date(?), which goes down");
    default:
        return sqlite3_mprintf(
            form == LOOSE ? "it as 2024-03-10 12:00:00"
                          : "parquet_timestamp(?), which goes down, or make "
                            "the table with timestamp=unixepoch");
    }
}

static void say(PqextScan *c, const PqColumn *column, TimeKind kind,
                Form form, PqSlice operand)
{
    char *write = advice(column, kind, form, operand), *text;

    text = sqlite3_mprintf(
        "%s.%s and '%!.*s' are compared as %s: write %s", c->table->name,
        column->name, (int)(operand.n < SHOWN ? operand.n : SHOWN),
        (const char *)operand.p,
        kind == DAY       ? "texts, not as days"
        : kind == INSTANT ? "texts, not as instants"
        : kind == CLOCK   ? "texts, not as times of day"
                          : "a number and a text, which is always more",
        write ? write : "");
    sqlite3_free(write);
    if (!text) {
        return;                      /* nobody is worse off than before */
    }
    pq_scan_note(c->scan, text);
    if (!c->listing->noticed) {
        c->listing->noticed = true;
        sqlite3_log(SQLITE_WARNING, "parquet: %s", text);
    }
    sqlite3_free(text);
    c->noticed = true;
}

enum { LOOKED_AT = 8 };              /* of a list                           */

typedef struct Looking {
    const PqColumn *column;
    TimeKind        kind;
    PqextOp         op;
    uint32_t        n;
} Looking;

/* A pattern is judged by what it begins with.  No function makes such a text, so
** its form is LOOSE. */
static Form form_of_operand(PqSlice s, const Looking *l)
{
    bool is_equation = pqext_is_equal(l->op) || l->op == PQEXT_IN;
    PqextPattern p;

    if (!pqext_is_pattern(l->op)) {
        return form_of(s, l->kind, is_equation);
    }
    pqext_pattern_init(&p, s, l->op == PQEXT_GLOB);
    return form_of(p.prefix, l->kind, false) ? LOOSE : NOT_TOLD;
}

static PqRc look_at(PqextScan *c, void *arg, sqlite3_value *v)
{
    Looking *l = arg;
    const void *text;
    PqSlice s;
    Form form;

    c->enough = l->n++ == LOOKED_AT;
    if (c->enough || sqlite3_value_type(v) != SQLITE_TEXT) {
        return PQ_OK;
    }
    text = sqlite3_value_text(v);
    s = pq_slice(text, text ? (size_t)sqlite3_value_bytes(v) : 0);
    form = form_of_operand(s, l);
    c->enough = form != NOT_TOLD;
    if (c->enough) {
        say(c, l->column, l->kind, form, s);
    }
    return PQ_OK;
}

PqRc pqext_notice_operand(PqextScan *c, PqextTerm term, sqlite3_value *v)
{
    const PqColumn *column = &c->table->table->columns[term.column];
    Looking l = {.column = column, .op = term.op};

    l.kind = c->noticed ? NO_TIME : kind_of(c->table, column);
    return l.kind == NO_TIME || term.op == PQEXT_IS_NULL ||
                   term.op == PQEXT_NOT_NULL
               ? PQ_OK : pqext_scan_operands(c, term.op, v, look_at, &l);
}
