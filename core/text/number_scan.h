/*
** number_scan.h - a number as its digits, for the files of this folder.
**
**   -0012.3400e5      negative, digits 123400 (six of them), exponent 1
**
** The digits stay where they are in the text: from the first that is not zero,
** maybe with a point among them.
*/
#ifndef PQ_NUMBER_SCAN_H
#define PQ_NUMBER_SCAN_H

#include "core/text/number_parse.h"

enum { PQ_SCAN_SMALL = 19 };         /* digits that always fit 64 bits */

typedef struct PqNumber {
    bool           negative;
    const uint8_t *first;            /* unless n is 0: the number is zero    */
    size_t         n;                /* digits from there on                 */
    int64_t        exponent;         /* the number is digits * 10^exponent   */
    uint64_t       small;            /* the digits, of up to PQ_SCAN_SMALL   */
} PqNumber;

/* False: it is none. */
bool pq_number_scan(PqSlice text, PqNumber *out);

/* Zeros at the end of the digits, as many as there are but at most `most`,
** move into the exponent. */
void pq_number_scan_strip(PqNumber *x, int64_t most);

extern const uint64_t pq_scan_ten_to[PQ_SCAN_SMALL + 1];

#endif
