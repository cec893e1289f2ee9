/*
** ascii.h - letters, digits and blanks of ASCII, whatever the locale of the host.
**
** SQLite compares names without the case of the letters A to Z, and of no others.
** The functions of C ask the locale instead: under a Turkish one, strcasecmp says
** that ID is not id.
*/
#ifndef PQ_ASCII_H
#define PQ_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PQ_SMALL_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define PQ_LARGE_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

static inline bool pq_ascii_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool pq_ascii_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The characters that SQL counts as blanks. */
static inline bool pq_ascii_is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Can the byte be inside a name that SQL has no quotes around? */
static inline bool pq_ascii_in_name(int c)
{
    return pq_ascii_is_letter(c) || pq_ascii_is_digit(c) || c == '_' ||
           c == '$' || c & 0x80;
}

static inline int pq_ascii_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* The value of a hex digit; -1: it is not one. */
static inline int pq_ascii_hex(int c)
{
    int letter = pq_ascii_lower(c);

    return pq_ascii_is_digit(c)             ? c - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* Decodes the first byte of the n bytes at p, as in URLs and names of folders: %2F is
** "/".  *used is how many bytes it took, 1 or 3.  %00 is not decoded. */
static inline uint8_t pq_ascii_decoded(const uint8_t *p, size_t n, size_t *used)
{
    int high = n > 2 && *p == '%' ? pq_ascii_hex(p[1]) : -1;
    int low = high >= 0 ? pq_ascii_hex(p[2]) : -1;

    *used = low >= 0 && high + low > 0 ? 3 : 1;
    return (uint8_t)(*used == 3 ? high << 4 | low : *p);
}

/* Negative, 0 or positive, as the n bytes at a come before b without case. */
static inline int pq_ascii_compare(const uint8_t *a, size_t n, const char *b)
{
    size_t i = 0;

    while (i < n && b[i] &&
           pq_ascii_lower(a[i]) == pq_ascii_lower((uint8_t)b[i])) {
        i++;
    }
    return i == n  ? (b[i] ? -1 : 0)
           : !b[i] ? 1
                   : pq_ascii_lower(a[i]) - pq_ascii_lower((uint8_t)b[i]);
}

/* Are the first n bytes of both equal without case, or all, if they are fewer? */
static inline bool pq_ascii_same_n(const char *a, const char *b, size_t n)
{
    size_t i = 0;

    while (i < n && a[i] && pq_ascii_lower(a[i]) == pq_ascii_lower(b[i])) {
        i++;
    }
    return i == n || pq_ascii_lower(a[i]) == pq_ascii_lower(b[i]);
}

/* Are they equal without case? */
static inline bool pq_ascii_same(const char *a, const char *b)
{
    return pq_ascii_same_n(a, b, (size_t)-1);
}

#endif
