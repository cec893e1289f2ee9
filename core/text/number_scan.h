/*
** number_scan.h - splits the text of a number into its parts; only for this
** folder.
**
**   -0012.3400e5      negative, digits 123400 (six of them), exponent 1
**
** The digits stay in the text, from the first one that is not zero on; there
** may be a point among them.
*/
#ifndef PQ_NUMBER_SCAN_H
#define PQ_NUMBER_SCAN_H

#include "core/text/number_parse.h"

enum { PQ_SCAN_SMALL = 19 };         /* digits that always fit 64 bits */

typedef struct PqNumber {
    bool           negative;
    const uint8_t *first;            /* the first digit, if n is not 0       */
    size_t         n;                /* number of digits; 0: it is zero      */
    int64_t        exponent;         /* the number is digits * 10^exponent   */
    uint64_t       small;            /* the digits, of up to PQ_SCAN_SMALL   */
} PqNumber;

/* False: it is not a number. */
bool pq_number_scan(PqSlice text, PqNumber *out);

/* Moves trailing zeros of the digits into the exponent, at most `most`. */
void pq_number_scan_strip(PqNumber *x, int64_t most);

/* The value of the next digit.  Moves *p past it; a point before the digit is
** skipped. */
static inline uint32_t pq_scan_digit(const uint8_t **p)
{
    *p += **p == '.';
    return (uint32_t)(*(*p)++ - '0');
}

extern const uint64_t pq_scan_ten_to[PQ_SCAN_SMALL + 1];

#endif
