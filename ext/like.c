/*
** like.c
*/
#include "ext/like.h"

/* SQLite's limit on patterns, SQLITE_MAX_LIKE_PATTERN_LENGTH. */
enum { LONGEST = 50000 };

/* What SQLite folds: ASCII letters only. */
static unsigned fold(unsigned c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool same(const PqextPattern *p, unsigned a, unsigned b)
{
    return a == b || (!p->glob && fold(a) == fold(b));
}

static bool has_case(unsigned char c)
{
    return fold(c) >= 'a' && fold(c) <= 'z';
}

/* Bytes beyond ASCII are left out: SQLite makes U+FFFD of what is no UTF-8, so
** that different bytes may be the same to it. */
static bool is_literal(const PqextPattern *p, unsigned char c)
{
    if (c == 0 || c >= 0x80) {
        return false;
    }
    return p->glob ? c != '*' && c != '?' && c != '[' : c != '%' && c != '_';
}

static PqSlice literal_at(const PqextPattern *p, PqSlice text, size_t at)
{
    size_t end = at;

    while (end < text.n && is_literal(p, text.p[end])) {
        end++;
    }
    return pq_slice(text.p + at, end - at);
}

void pqext_pattern_init(PqextPattern *p, PqSlice text, bool glob)
{
    size_t at, end = 0;

    *p = (PqextPattern){.glob = glob};
    if (text.n > LONGEST) {
        text.n = 0;                  /* SQLite reports it: every row passes */
    }
    p->prefix = literal_at(p, text, 0);
    /* What follows a [ may be the inside of a set. */
    while (end < text.n && !(glob && text.p[end] == '[') && text.p[end]) {
        end++;
    }
    text.n = end;
    for (at = 0; at < text.n; at++) {
        PqSlice part = literal_at(p, text, at);

        if (part.n > p->inside.n) {
            p->inside = part;
        }
        at += part.n;
    }
    while (p->anchor < p->inside.n && !glob &&
           has_case(p->inside.p[p->anchor])) {
        p->anchor++;
    }
}

static bool matches_at(const PqextPattern *p, PqSlice part,
                       const unsigned char *at)
{
    for (size_t i = 0; i < part.n; i++) {
        if (!same(p, part.p[i], at[i])) {
            return false;
        }
    }
    return true;
}

/* Is it somewhere in text?  Looks for the anchor, which has only one form, or
** else for the first letter in both its forms. */
static bool is_inside(const PqextPattern *p, PqSlice text)
{
    PqSlice part = p->inside;
    const unsigned char *at = text.p, *last = text.p + (text.n - part.n);

    if (part.n == 0 || part.n > text.n) {
        return part.n == 0;
    }
    if (p->anchor < part.n) {
        for (; at <= last; at++) {
            at = memchr(at + p->anchor, part.p[p->anchor],
                        (size_t)(last - at) + 1);
            if (!at) {
                return false;
            }
            at -= p->anchor;
            if (matches_at(p, part, at)) {
                return true;
            }
        }
        return false;
    }
    for (; at <= last; at++) {
        if (fold(*at) == fold(part.p[0]) && matches_at(p, part, at)) {
            return true;
        }
    }
    return false;
}

bool pqext_pattern_matches(const PqextPattern *p, PqSlice text)
{
    return text.n >= p->prefix.n && matches_at(p, p->prefix, text.p) &&
           is_inside(p, text);
}

static bool count_own(sqlite3 *db, const char *sql, int *n)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = false;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW) {
        *n = sqlite3_column_int(stmt, 0);
        ok = true;
    }
    sqlite3_finalize(stmt);
    return ok;
}

bool pqext_like_is_builtin(sqlite3 *db)
{
    int n = 0;

    return count_own(db, "SELECT count(*) FROM pragma_function_list "
                         "WHERE name IN ('like', 'glob') AND NOT builtin",
                     &n) && n == 0;
}
