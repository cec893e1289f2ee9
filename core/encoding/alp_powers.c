/*
** alp_powers.c - the powers of ten and their inverses.  They are literals, so
** the compiler rounds each of them correctly; computing them would add up
** errors.
*/
#include "core/encoding/alp.h"

const float pq_alp_float_tens[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                   1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
const float pq_alp_float_tenths[] = {1e-0f, 1e-1f, 1e-2f, 1e-3f,
                                     1e-4f, 1e-5f, 1e-6f, 1e-7f,
                                     1e-8f, 1e-9f, 1e-10f};
const double pq_alp_double_tens[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
const double pq_alp_double_tenths[] = {
    1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
    1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
