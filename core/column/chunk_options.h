/*
** chunk_options.h - how the chunks of a column are to be written.
*/
#ifndef PQ_CHUNK_OPTIONS_H
#define PQ_CHUNK_OPTIONS_H

#include "core/codec/codec.h"

typedef enum PqDictionaryUse {
    PQ_DICTIONARY_AUTO, PQ_DICTIONARY_NEVER, PQ_DICTIONARY_ALWAYS
} PqDictionaryUse;

typedef enum PqBloomUse { PQ_BLOOM_AUTO, PQ_BLOOM_NEVER, PQ_BLOOM_ALWAYS }
    PqBloomUse;

typedef struct PqChunkOptions {
    int      codec, level;           /* PqCodecId; level 0: the default      */
    int      encoding;               /* of values that are not in a
                                     ** dictionary; -1: chosen               */
    bool     modern;                 /* what may be chosen: DELTA_*,
                                     ** BYTE_STREAM_SPLIT, RLE booleans too  */
    PqDictionaryUse dictionary;
    PqBloomUse bloom;
    double   bloom_fpp;              /* 0: 0.01                              */
    uint64_t bloom_values;           /* ndv; 0: as many as there are         */
    bool     statistics;             /* bounds, and the column index         */
    bool     page_v2;
    bool     ieee754_order;          /* FLOAT, DOUBLE, FLOAT16: by name only */
    uint32_t page_rows;
    uint32_t page_bytes;
} PqChunkOptions;

#endif
