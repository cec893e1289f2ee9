/*
** err.c - the one place where the text of an error is put together.
**
** It allocates nothing: the text is cut at the size of PqErr.text.  What is
** hard is that file names, column names and values come from strangers.  So
** control characters, invalid UTF-8 and invisible characters become \xNN, and a
** message is always one line that a terminal can show.
*/
#define _GNU_SOURCE                  /* strerror_r */
#include "core/base/err.h"

#include "core/base/path_hint.h"
#include "core/base/system.h"

#include <stdio.h>
#include <string.h>

enum { FILE_MOST = 300 };

static const PqWhere nowhere = {NULL, NULL, -1, -1, -1};

void pq_err_init(PqErr *e)
{
    pq_err_clear(e);
    pq_where_reset(e);
}

void pq_err_clear(PqErr *e)
{
    e->rc = PQ_OK;
    e->text[0] = 0;
}

void pq_where_reset(PqErr *e)
{
    e->where = nowhere;
}

PqWhere pq_where_enter(PqErr *e, const char *file)
{
    const PqWhere outer = e->where;

    e->where = nowhere;
    e->where.file = file;
    return outer;
}

/* Adds text at *at, never past the end, always terminated. */
static void add(PqErr *e, size_t *at, const char *fmt, ...) PQ_PRINTF(3, 4);

static void add_v(PqErr *e, size_t *at, const char *fmt, va_list ap)
{
    int n;

    if (*at + 1 >= sizeof e->text) {
        return;
    }
    n = vsnprintf(e->text + *at, sizeof e->text - *at, fmt, ap);
    if (n > 0) {
        *at += (size_t)n;
    }
    if (*at >= sizeof e->text) {
        *at = sizeof e->text - 1;
    }
}

static void add(PqErr *e, size_t *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_v(e, at, fmt, ap);
    va_end(ap);
}

/* Length of the well-formed printable UTF-8 character at s, 0 if there is none.
** C1 controls and invisible separators are not printable. */
static size_t printable(const unsigned char *s)
{
    unsigned c;

    if (s[0] >= 0x20 && s[0] < 0x7f) return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf && (s[1] & 0xc0) == 0x80) {
        c = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
        return c >= 0xa1 && c != 0xad ? 2 : 0;
    }
    if ((s[0] & 0xf0) == 0xe0 && (s[1] & 0xc0) == 0x80 &&
        (s[2] & 0xc0) == 0x80) {
        c = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
        if (c == 0xfffd) return 3;   /* a name that was not UTF-8 */
        if (c < 0x800 || (c >= 0xd800 && c < 0xf900) || c >= 0xfdd0) return 0;
        return c >= 0x1680 && (c & ~0x7fu) != 0x2000 && c < 0xfe00 ? 3 : 0;
    }
    return 0;
}

/* Replaces each byte from `from` on that is not part of a printable character
** by \xNN. */
static void make_printable(PqErr *e, size_t from)
{
    char clean[PQ_ERR_TEXT];
    size_t n = 0, i = from;

    while (e->text[i]) {
        size_t k = printable((const unsigned char *)e->text + i);
        if (n + 5 > sizeof clean - from) {
            break;
        }
        if (k == 0) {
            n += (size_t)snprintf(clean + n, 5, "\\x%02x",
                                  (unsigned char)e->text[i]);
            i++;
        } else {
            memcpy(clean + n, e->text + i, k);
            n += k;
            i += k;
        }
    }
    memcpy(e->text + from, clean, n);
    e->text[from + n] = 0;
}

/* Keeps the place, or that there is none. */
static void keep_place(PqErr *e, PqWhere w)
{
    snprintf(e->file, sizeof e->file, "%s", w.file ? w.file : "");
    snprintf(e->column, sizeof e->column, "%s", w.column ? w.column : "");
    e->row_group = w.row_group;
    e->page = w.page;
    e->offset = w.offset;
}

/* A URL of a scheme that nobody here reads may have a secret before an '@' or in its
** query, which those of servers lost when they were adopted.  A key of S3 stands for
** itself. */
static void add_file(PqErr *e, size_t *at, const char *file)
{
    size_t n = pq_path_scheme(file);
    const char *place = file + n + strspn(file + n, ":/");
    size_t user = n ? strcspn(place, "@/?") : 0;
    const char *rest = user && place[user] == '@' ? place + user + 1 : place;
    const char *query = n && strncmp(file, "s3:", 3) != 0 ? strchr(rest, '?') : NULL;

    if (query && strncmp(query, "?...", 4) != 0) {
        add(e, at, "%.*s%.*s?...", (int)(place - file), file,
            (int)(query - rest < FILE_MOST ? query - rest : FILE_MOST), rest);
    } else {
        add(e, at, "%.*s%.*s", (int)(place - file), file, FILE_MOST, rest);
    }
}

static void add_place(PqErr *e, size_t *at)
{
    const PqWhere *w = &e->where;
    const char *comma = "";

    if (w->file) {
        add_file(e, at, w->file);
        comma = ", ";
    }
    if (w->row_group >= 0) {
        add(e, at, "%srow group %d", comma, w->row_group);
        comma = ", ";
    }
    if (w->column) {
        add(e, at, "%scolumn %.200s", comma, w->column);
        comma = ", ";
    }
    if (w->page >= 0) {
        add(e, at, "%spage %d", comma, w->page);
        comma = ", ";
    }
    if (w->offset >= 0) {
        add(e, at, "%sbyte %lld", comma, (long long)w->offset);
        comma = ", ";
    }
    if (comma[0]) {
        add(e, at, ": ");
    }
}

PqRc pq_fail(PqErr *e, PqRc rc, const char *fmt, ...)
{
    size_t at = 0;
    va_list ap;

    if (e->rc != PQ_OK) {
        return e->rc;
    }
    e->rc = rc;
    e->text[0] = 0;
    keep_place(e, nowhere);
    if (rc != PQ_STOPPED) {          /* an interrupt has no place */
        keep_place(e, e->where);
        add_place(e, &at);
    }
    va_start(ap, fmt);
    add_v(e, &at, fmt, ap);
    va_end(ap);
    make_printable(e, 0);
    return rc;
}

/* GNU's strerror_r gives the words, and others fill the buffer. */
const char *pq_system_words(int err, char *buf, size_t n)
{
#if defined(__GLIBC__) || defined(_WIN32)
    return strerror_r(err, buf, n);
#else
    return strerror_r(err, buf, n) == 0 ? buf : "unknown error";
#endif
}

PqRc pq_fail_system(PqErr *e, const char *what, int err)
{
    char words[128];

    return pq_fail(e, PQ_IO, "%s: %s", what, pq_system_words(err, words, sizeof words));
}

void pq_err_hint(PqErr *e, const char *fmt, ...)
{
    size_t at = strlen(e->text), from = at;
    va_list ap;

    add(e, &at, "; ");
    va_start(ap, fmt);
    add_v(e, &at, fmt, ap);
    va_end(ap);
    make_printable(e, from);
}
