/*
** numeric.c - recognizes texts that are numbers to SQLite, and reads them.
**
** Texts are recognized and integers parsed here.  SQLite is asked for the value
** of a REAL, because only SQLite knows which REAL it takes as the nearest.
*/
#include "sql/value/numeric.h"

#include "sql/argument.h"

static const char blanks[] = " \t\n\v\f\r", digits[] = "0123456789";

static size_t run_of(PqSlice s, size_t at, const char *chars)
{
    size_t end = at;

    while (end < s.n && s.p[end] && strchr(chars, s.p[end])) {
        end++;
    }
    return end - at;
}

static size_t sign_at(PqSlice s, size_t at)
{
    return at < s.n && (s.p[at] == '-' || s.p[at] == '+');
}

/* The length of the number at the front, with the blanks around it; 0 if there
** is none.  *whole says that it has only digits. */
static size_t number_in_front(PqSlice s, bool *whole)
{
    size_t at = run_of(s, 0, blanks), before, after = 0, power;

    at += sign_at(s, at);
    before = run_of(s, at, digits);
    at += before;
    *whole = true;
    if (at < s.n && s.p[at] == '.') {
        after = run_of(s, at + 1, digits);
        at += 1 + after;
        *whole = false;
    }
    if (before + after == 0) {
        return 0;
    }
    if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
        at += 1 + sign_at(s, at + 1);
        power = run_of(s, at, digits);
        at += power;
        *whole = false;
        if (power == 0) {
            return 0;
        }
    }
    return at + run_of(s, at, blanks);
}

/* Since 3.53 a number may end at a NUL.  Before, a text with a NUL is not a
** number. */
static bool ends_at_nul(PqSlice s, size_t n)
{
    return n > 0 && n < s.n && s.p[n] == 0;
}

bool pqsql_looks_like_number(PqSlice s)
{
    bool whole;
    size_t n = number_in_front(s, &whole);

    return n > 0 && (n == s.n || ends_at_nul(s, n));
}

PqRc pqsql_number_of(sqlite3_value *v, PqCell *out, bool *unsure, PqErr *e)
{
    int type = sqlite3_value_type(v);
    bool whole = false;
    int64_t i;
    PqSlice s;
    size_t n;

    *out = (PqCell){.kind = PQ_CELL_NULL};
    *unsure = false;
    if (type == SQLITE_INTEGER) {
        *out = pq_cell_int(sqlite3_value_int64(v));
    } else if (type == SQLITE_FLOAT) {
        *out = pq_cell_real(sqlite3_value_double(v));
    } else if (type == SQLITE_TEXT) {
        PQ_TRY(pqsql_text_of(v, &s, e));
        n = number_in_front(s, &whole);
        *unsure = ends_at_nul(s, n);
        if (n > 0 && n == s.n) {
            *out = whole && pq_number_parse_i64(pq_parse_trim(s), &i) ==
                                PQ_PARSE_OK
                       ? pq_cell_int(i)
                       : pq_cell_real(sqlite3_value_double(v));
        }
    }
    return PQ_OK;
}
