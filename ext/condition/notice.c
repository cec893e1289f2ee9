/*
** notice.c - texts that a person reads as a time and SQLite does not.
**
** Only a text that is a date or a time in another form than the column's is
** reported, and not "abc".  It is reported once per statement, on the error
** log, and the scan keeps a note.
*/
#include "ext/condition/notice.h"

#include <stdio.h>

/* ---- forms of a time ------------------------------------------------------ */

/* Takes two digits that are at most most, and a separator before them. */
static bool take_pair(PqSlice *s, char before, int most)
{
    size_t at = before != 0;
    int n;

    if (s->n < at + 2 || (before && s->p[0] != before) ||
        s->p[at] < '0' || s->p[at] > '9' || s->p[at + 1] < '0' ||
        s->p[at + 1] > '9') {
        return false;
    }
    n = (s->p[at] - '0') * 10 + (s->p[at + 1] - '0');
    s->p += at + 2;
    s->n -= at + 2;
    return n <= most;
}

static void take_digits(PqSlice *s)
{
    while (s->n > 0 && s->p[0] >= '0' && s->p[0] <= '9') {
        s->p++;
        s->n--;
    }
}

/* 12:00, 12:00:00, 12:00:00.123 */
static bool take_time(PqSlice *s)
{
    if (!take_pair(s, 0, 24) || !take_pair(s, ':', 59)) {
        return false;
    }
    if (s->n > 0 && s->p[0] == ':' && !take_pair(s, ':', 60)) {
        return false;
    }
    if (s->n > 1 && (s->p[0] == '.' || s->p[0] == ',')) {
        s->p++;
        s->n--;
        take_digits(s);
    }
    return true;
}

/* Z, +01:00, -0330, +01 */
static bool take_offset(PqSlice *s)
{
    if (s->n == 1 && (s->p[0] == 'Z' || s->p[0] == 'z')) {
        s->n = 0;
        return true;
    }
    if (s->n == 0 || (s->p[0] != '+' && s->p[0] != '-') ||
        !take_pair(s, (char)s->p[0], 24)) {
        return false;
    }
    return s->n == 0 || take_pair(s, s->p[0] == ':' ? ':' : 0, 59);
}

static bool take_year(PqSlice *s)
{
    bool century = take_pair(s, 0, 99);

    return century && take_pair(s, 0, 99);
}

bool pqext_is_foreign_time(PqSlice s, bool only_date)
{
    bool foreign = only_date;

    if (!take_year(&s) || !take_pair(&s, '-', 12) ||
        !take_pair(&s, '-', 31) || s.n == 0) {
        return false;
    }
    foreign |= s.p[0] == 'T' || s.p[0] == 't';
    if (!foreign && s.p[0] != ' ') {
        return false;
    }
    s.p++;
    s.n--;
    if (!take_time(&s)) {
        return false;
    }
    if (s.n > 0) {
        foreign = take_offset(&s);
    }
    return foreign && s.n == 0;
}

/* ---- saying so ------------------------------------------------------------ */

typedef enum TimeKind { NO_TIME, INSTANT, DAY } TimeKind;

static TimeKind kind_of(const PqextTable *t, const PqColumn *c)
{
    if (c->kind == PQ_COLUMN_HIVE) {
        return c->hive_type == PQ_HIVE_DATE ? DAY : NO_TIME;
    }
    if (!pqext_is_of_pages(c)) {
        return NO_TIME;
    }
    if (c->type.logical == PQ_TYPE_DATE) {
        return DAY;
    }
    return t->values.timestamp == PQSQL_TIME_TEXT &&
                   (c->type.logical == PQ_TYPE_TIMESTAMP ||
                    c->type.physical == PQ_INT96)
               ? INSTANT : NO_TIME;
}

enum { SHOWN = 40 };

static void say(PqextCursor *c, const PqColumn *column, TimeKind kind,
                PqSlice operand)
{
    const char *function = kind == DAY ? "date" : "datetime";
    char *text = sqlite3_mprintf(
        "%s.%s and '%.*s' are compared as texts, not as %s: "
        "write %s(?), which goes down%s",
        c->table->name, column->name,
        (int)(operand.n < SHOWN ? operand.n : SHOWN),
        (const char *)operand.p, kind == DAY ? "days" : "instants", function,
        kind == DAY ? "" : ", or make the table with timestamp=unixepoch");

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

static bool look_at(PqextCursor *c, const PqColumn *column, TimeKind kind,
                    sqlite3_value *v)
{
    const void *text;
    PqSlice s;

    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        return false;
    }
    text = sqlite3_value_text(v);
    s = pq_slice(text, text ? (size_t)sqlite3_value_bytes(v) : 0);
    if (!pqext_is_foreign_time(s, kind == DAY)) {
        return false;
    }
    say(c, column, kind, s);
    return true;
}

enum { LOOKED_AT = 8 };              /* of a list                           */

void pqext_notice_operand(PqextCursor *c, PqextTerm term, sqlite3_value *v)
{
    const PqColumn *column = &c->table->table->columns[term.column];
    TimeKind kind = c->noticed ? NO_TIME : kind_of(c->table, column);
    sqlite3_value *one = NULL;
    int rc, n = 0;

    if (kind == NO_TIME || term.op == PQEXT_LIKE || term.op == PQEXT_GLOB ||
        term.op == PQEXT_IS_NULL || term.op == PQEXT_NOT_NULL) {
        return;
    }
    if (term.op != PQEXT_IN) {
        look_at(c, column, kind, v);
        return;
    }
    for (rc = sqlite3_vtab_in_first(v, &one); rc == SQLITE_OK && one &&
                                              n < LOOKED_AT;
         rc = sqlite3_vtab_in_next(v, &one), n++) {
        if (look_at(c, column, kind, one)) {
            return;
        }
    }
}
