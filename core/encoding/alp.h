/*
** alp.h - what the encoder and the decoder of ALP share: the sizes in a page
** and the powers of ten.  Those are literals, which the compiler rounds
** correctly; pow() need not, and computing them would add up errors.
** alp_decode.c has the picture.
*/
#ifndef PQ_ALP_H
#define PQ_ALP_H

#include <float.h>

_Static_assert(FLT_EVAL_METHOD == 0, "each product is rounded to its type");

enum {
    PQ_ALP_HEADER = 7,
    PQ_ALP_LOG_SMALLEST = 3,         /* of a vector's size */
    PQ_ALP_LOG_LARGEST = 15,
    PQ_ALP_FLOAT_POWERS = 11,
    PQ_ALP_DOUBLE_POWERS = 19,
};

extern const float pq_alp_float_tens[PQ_ALP_FLOAT_POWERS];
extern const float pq_alp_float_tenths[PQ_ALP_FLOAT_POWERS];
extern const double pq_alp_double_tens[PQ_ALP_DOUBLE_POWERS];
extern const double pq_alp_double_tenths[PQ_ALP_DOUBLE_POWERS];

#endif
