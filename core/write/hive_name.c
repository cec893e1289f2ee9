/*
** hive_name.c - makes a folder's name from a column and a value, and recognizes
** it.
**
** What is hard is that other programs read the names: the escapes must be the
** same as in Hive and Spark, and names that they would skip must not occur.
** Values come from a query, so one may be a megabyte or hold a zero byte.
*/
#include "core/write/hive_name.h"

#include "core/base/ascii.h"

static const char null_value[] = "__HIVE_DEFAULT_PARTITION__";

static bool is_escaped(uint8_t c)
{
    return c < 0x20 || c == 0x7f || strchr("\"#%'*/:=?\\{[]^", c) != NULL;
}

static void add(PqBuf *out, PqSlice s, bool first_too)
{
    for (size_t i = 0; i < s.n; i++) {
        if (is_escaped(s.p[i]) || (first_too && i == 0)) {
            pq_buf_printf(out, "%%%02X", s.p[i]);
        } else {
            pq_buf_byte(out, s.p[i]);
        }
    }
}

static PqRc check(PqSlice column, PqSlice value, PqErr *e)
{
    if (!column.n) {
        return pq_fail(e, PQ_USAGE, "a partition column without a name");
    }
    if (memchr(column.p, 0, column.n)) {
        return pq_fail(e, PQ_USAGE, "a zero byte in the name of a partition "
                                    "column");
    }
    if (value.n && memchr(value.p, 0, value.n)) {
        return pq_fail(e, PQ_USAGE,
                       "partition column %.*s: a value with a zero byte has no "
                       "folder", (int)(column.n < 100 ? column.n : 100),
                       (const char *)column.p);
    }
    return PQ_OK;
}

/* The error shows only the beginning of the value, which may be very long. */
static PQ_COLD PqRc too_long(PqSlice column, PqSlice value, size_t n, PqErr *e)
{
    const int shown = 40;

    return pq_fail(e, PQ_USAGE,
                   "partition column %.*s: the folder for \"%.*s%s\" would have "
                   "a name of %zu bytes, file systems allow %d",
                   column.n < 100 ? (int)column.n : 100, (const char *)column.p,
                   value.n < (size_t)shown ? (int)value.n : shown,
                   value.n ? (const char *)value.p : "",
                   value.n > (size_t)shown ? "..." : "", n, PQ_NAME_BYTES);
}

PqRc pq_hive_name_add(PqBuf *out, PqSlice column, PqSlice value, PqErr *e)
{
    size_t before = out->n, n;

    PQ_TRY(check(column, value, e));
    if (value.n > PQ_NAME_BYTES) {       /* avoids escaping a megabyte */
        return too_long(column, value, column.n + 1 + value.n, e);
    }
    add(out, column, column.p[0] == '.');
    pq_buf_byte(out, '=');
    if (!value.p || !value.n) {
        pq_buf_text(out, null_value);
    } else {
        add(out, value, pq_slice_is(value, null_value));
    }
    pq_buf_byte(out, '/');
    if (!pq_buf_ok(out)) {
        return out->sink->rc;
    }
    n = out->n - before - 1;
    if (n > PQ_NAME_BYTES) {
        out->n = before;
        return too_long(column, value, n, e);
    }
    return PQ_OK;
}

/* The byte that is spelt at *i.  *i moves to the last character of its
** spelling. */
static uint8_t spelt(PqSlice s, size_t *i)
{
    size_t used;
    uint8_t c = pq_ascii_decoded(s.p + *i, s.n - *i, &used);

    *i += used - 1;
    return c;
}

/* Is the text spelt in some way? */
static bool is_spelt(PqSlice s, const char *text)
{
    size_t i = 0;

    for (; i < s.n && *text && spelt(s, &i) == (uint8_t)*text; i++, text++) {
    }
    return i == s.n && !*text;
}

/* Spells each byte of s as add does. */
static void respell(PqBuf *out, PqSlice s, bool first_too)
{
    for (size_t i = 0, first = 0; i < s.n; i++) {
        uint8_t c = spelt(s, &i);

        add(out, pq_slice(&c, 1), first_too && first++ == 0);
    }
}

void pq_hive_name_respell(PqBuf *out, PqSlice folder)
{
    const uint8_t *equals = folder.n ? memchr(folder.p, '=', folder.n) : NULL;
    size_t n = equals ? (size_t)(equals - folder.p) : folder.n, at = 0;
    PqSlice value = pq_slice(folder.p + n, folder.n - n);
    uint8_t first = n ? spelt(folder, &at) : 0;

    respell(out, pq_slice(folder.p, n), first == '.');
    if (equals) {
        pq_buf_byte(out, '=');
        value = pq_slice(value.p + 1, value.n - 1);
        if (pq_slice_is(value, null_value)) {
            pq_buf_text(out, null_value);
        } else {
            respell(out, value, is_spelt(value, null_value));
        }
    }
    pq_buf_byte(out, '/');
}

bool pq_hive_name_is(PqSlice folder, PqSlice column)
{
    size_t i = 0, k = 0;

    for (; i < folder.n && folder.p[i] != '='; i++, k++) {
        uint8_t c = spelt(folder, &i);

        if (k == column.n || column.p[k] != c) {
            return false;
        }
    }
    return k && k == column.n && i < folder.n;
}
