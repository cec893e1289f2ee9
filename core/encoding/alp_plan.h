/*
** alp_plan.h - a vector of ALP before it is written: the integers of its
** values, and the exceptions, which have none.
*/
#ifndef PQ_ALP_PLAN_H
#define PQ_ALP_PLAN_H

#include "core/encoding/alp.h"
#include "core/encoding/encode_inside.h"

enum {
    PQ_ALP_LOG_SIZE = 10,
    PQ_ALP_SIZE = 1 << PQ_ALP_LOG_SIZE,  /* values of a vector we write */
    PQ_ALP_KEPT = 5,
};

typedef struct PqAlpChoice {
    uint8_t exponent, factor;
} PqAlpChoice;

typedef struct PqAlpVector {
    PqAlpChoice choice;
    uint32_t    n, n_exceptions;
    unsigned    width;
    uint64_t    frame;
    uint16_t    exceptions[PQ_ALP_SIZE]; /* their positions */
    union {                              /* integers minus the frame */
        uint32_t v32[PQ_ALP_SIZE];
        uint64_t v64[PQ_ALP_SIZE];
    } u;
} PqAlpVector;

/* Choices that were good for earlier vectors; starts as zeros. */
typedef struct PqAlpChooser {
    PqAlpChoice kept[PQ_ALP_KEPT];
    unsigned    n_kept, n_searches, n_in_vain;
} PqAlpChooser;

/* Plans n (1 to PQ_ALP_SIZE) values of job->type. */
void pq_alp_plan(const PqEncodeJob *job, PqAlpChooser *c, const void *values,
                 uint32_t n, PqAlpVector *v);

#endif
