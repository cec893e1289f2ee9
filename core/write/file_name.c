/*
** file_name.c - makes names from a pattern, and recognizes them.
**
** A pattern is a sequence of pieces: texts, {i}, {uuid}.  Recognizing is the
** hard part, since a replaced folder loses the files that match: digits after
** {i} may belong to the text, and numbers have no leading zeros.
*/
#include "core/write/file_name.h"

#include "core/base/folder.h"
#include "core/base/random.h"
#include "core/write/hive_name.h"

#include <stdio.h>
#include <stdlib.h>

enum { UUID_TEXT = 37 };             /* 36 characters and a NUL */

typedef enum Piece { PIECE_END, PIECE_TEXT, PIECE_NUMBER, PIECE_UUID,
                     PIECE_UNKNOWN } Piece;

/* Takes the next piece from the front of *at; n is its length. */
static Piece next_piece(const char **at, const char **piece, size_t *n)
{
    const char *z = *at;
    size_t end;

    *piece = z;
    *n = strcspn(z, "{");
    if (!*n && *z) {
        end = strcspn(z, "}");
        *n = z[end] ? end + 1 : end;
    }
    *at = z + *n;
    return !*z                              ? PIECE_END
           : *z != '{'                      ? PIECE_TEXT
           : !strncmp(z, "{i}", 3)          ? PIECE_NUMBER
           : !strncmp(z, "{uuid}", 6)       ? PIECE_UUID
                                            : PIECE_UNKNOWN;
}

static bool has_number(const char *pattern)
{
    return strstr(pattern, "{i}") || strstr(pattern, "{uuid}");
}

/* The pattern without its ending; a number is put after it. */
static PqSlice stem(const char *pattern, PqSlice *ending)
{
    PqSlice s = pq_slice_text(pattern);

    *ending = pq_slice_text(".parquet");
    if (pq_folder_is_parquet(s)) {
        const char *dot = strrchr(pattern, '.');
        *ending = pq_slice_text(dot);
        s.n -= ending->n;
    }
    return s;
}

/* The length of the longest name: with the highest number, and a UUID. */
static size_t longest(const char *pattern)
{
    const char *at = pattern, *piece;
    const size_t digits = 20;
    size_t n, sum = 0;
    PqSlice ending;
    Piece p;

    while ((p = next_piece(&at, &piece, &n)) != PIECE_END) {
        sum += p == PIECE_NUMBER ? digits
               : p == PIECE_UUID ? UUID_TEXT - 1
                                 : n;
    }
    stem(pattern, &ending);
    sum += pq_folder_is_parquet(pq_slice_text(pattern)) ? 0 : ending.n;
    return has_number(pattern) ? sum : sum + 1 + digits;
}

PqRc pq_file_name_check(const char *pattern, PqErr *e)
{
    const char *at = pattern, *piece;
    PqSlice ending;
    size_t n;
    Piece p;

    if (!stem(pattern, &ending).n) {
        return pq_fail(e, PQ_USAGE, "a pattern for file names needs a name");
    }
    if (strchr(pattern, '/')) {
        return pq_fail(e, PQ_USAGE, "the pattern \"%s\" names a folder; folders "
                       "come from partitions", pattern);
    }
    if (*pattern == '.' || *pattern == '_') {
        return pq_fail(e, PQ_USAGE, "files named by the pattern \"%s\" would be "
                       "left out by readers, because the names begin with "
                       "\"%c\"", pattern, *pattern);
    }
    while ((p = next_piece(&at, &piece, &n)) != PIECE_END) {
        if (p == PIECE_UNKNOWN) {
            return pq_fail(e, PQ_USAGE, "the pattern \"%s\" has %.*s; only {i} "
                           "and {uuid} are known", pattern, (int)n, piece);
        }
    }
    n = longest(pattern);
    return n > PQ_NAME_BYTES
               ? pq_fail(e, PQ_USAGE, "the pattern \"%s\" makes names of %zu "
                         "bytes, file systems allow %d", pattern, n,
                         PQ_NAME_BYTES)
               : PQ_OK;
}

/* Version 4. */
static PqRc random_uuid(char *out, PqErr *e)
{
    uint8_t b[16];

    PQ_TRY(pq_random_fill(b, sizeof b, e));
    b[6] = (uint8_t)(0x40 | (b[6] & 0x0f));      /* version 4 */
    b[8] = (uint8_t)(0x80 | (b[8] & 0x3f));      /* variant 1 */
    snprintf(out, UUID_TEXT,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
             b[10], b[11], b[12], b[13], b[14], b[15]);
    return PQ_OK;
}

PqRc pq_file_name_add(PqBuf *out, const char *pattern, uint64_t i, PqErr *e)
{
    const char *at = pattern, *piece;
    char uuid[UUID_TEXT];
    PqSlice rest, ending;
    size_t n;
    Piece p;

    rest = stem(pattern, &ending);
    while (at < (const char *)rest.p + rest.n) {
        p = next_piece(&at, &piece, &n);
        if (at > (const char *)rest.p + rest.n) {
            n = (size_t)((const char *)rest.p + rest.n - piece);
        }
        if (p == PIECE_NUMBER) {
            pq_buf_printf(out, "%llu", (unsigned long long)i);
        } else if (p == PIECE_UUID) {
            PQ_TRY(random_uuid(uuid, e));
            pq_buf_text(out, uuid);
        } else {
            pq_buf_add(out, piece, n);
        }
    }
    if (!has_number(pattern)) {
        pq_buf_printf(out, "_%llu", (unsigned long long)i);
    }
    pq_buf_add(out, ending.p, ending.n);
    return pq_buf_ok(out) ? PQ_OK : out->sink->rc;
}

/* --- recognizing names -------------------------------------------------------- */

static size_t count_digits(const char *z)
{
    return strspn(z, "0123456789");
}

static bool is_uuid(const char *z)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    for (size_t i = 0; form[i]; i++) {
        if (form[i] == 'x' ? !z[i] || !strchr("0123456789abcdef", z[i])
                           : z[i] != form[i]) {
            return false;
        }
    }
    return true;
}

static bool fits(const char *pattern, const char *name, PqSlice *number);

/* Tries all numbers of digits, since more digits may follow in the pattern.
** There is no leading zero.  A second {i} must be the same number. */
static bool fits_number(const char *rest, const char *name, PqSlice *number)
{
    size_t n = *name == '0' ? 1 : count_digits(name);

    if (number->n) {
        return !strncmp(name, (const char *)number->p, number->n) &&
               fits(rest, name + number->n, number);
    }
    for (n = n > 20 ? 20 : n; n; n--) {
        *number = pq_slice(name, n);
        if (fits(rest, name + n, number)) {
            return true;
        }
    }
    *number = pq_slice(NULL, 0);
    return false;
}

static bool fits(const char *pattern, const char *name, PqSlice *number)
{
    const char *at = pattern, *piece;
    size_t n;

    switch (next_piece(&at, &piece, &n)) {
    case PIECE_END:
        return !*name;
    case PIECE_NUMBER:
        return fits_number(at, name, number);
    case PIECE_UUID:
        return is_uuid(name) && fits(at, name + UUID_TEXT - 1, number);
    default:
        return !strncmp(name, piece, n) && fits(at, name + n, number);
    }
}

void pq_file_name_describe(PqBuf *out, const char *pattern)
{
    PqSlice ending, rest = stem(pattern, &ending);

    pq_buf_add(out, rest.p, rest.n);
    pq_buf_text(out, has_number(pattern) ? "" : "_{i}");
    pq_buf_add(out, ending.p, ending.n);
}

bool pq_file_name_is_of(const char *pattern, const char *name, uint64_t *number)
{
    char room[2 * PQ_NAME_BYTES];
    PqSlice ending, rest = stem(pattern, &ending), digits = pq_slice(NULL, 0);
    int n = snprintf(room, sizeof room, "%.*s%s%.*s", (int)rest.n,
                     (const char *)rest.p, has_number(pattern) ? "" : "_{i}",
                     (int)ending.n, (const char *)ending.p);
    bool is = n > 0 && (size_t)n < sizeof room && fits(room, name, &digits);

    if (number) {
        *number = is && digits.n ? strtoull((const char *)digits.p, NULL, 10) : 0;
    }
    return is;
}
