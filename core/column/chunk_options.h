/*
** chunk_options.h - how the chunks of a column are written.
*/
#ifndef PQ_CHUNK_OPTIONS_H
#define PQ_CHUNK_OPTIONS_H

#include "core/codec/codec.h"
#include "core/meta/schema.h"

typedef enum PqDictionaryUse {
    PQ_DICTIONARY_AUTO, PQ_DICTIONARY_NEVER, PQ_DICTIONARY_ALWAYS
} PqDictionaryUse;

typedef enum PqBloomUse { PQ_BLOOM_AUTO, PQ_BLOOM_NEVER, PQ_BLOOM_ALWAYS }
    PqBloomUse;

typedef struct PqChunkOptions {
    int      codec, level;           /* PqCodecId; level 0: the default      */
    int      encoding;               /* of values that are not in a
                                     ** dictionary; -1: to be chosen         */
    bool     modern;                 /* DELTA_*, BYTE_STREAM_SPLIT and RLE
                                     ** booleans may be chosen too           */
    PqDictionaryUse dictionary;
    PqBloomUse bloom;
    double   bloom_fpp;              /* 0: the default                       */
    uint64_t bloom_values;           /* expected distinct values; 0: as many
                                     ** as there are                         */
    bool     statistics;             /* bounds, and the column index         */
    bool     page_v2;
    bool     ieee754_order;          /* of FLOAT, DOUBLE, FLOAT16: only if
                                     ** the user names it                    */
    uint32_t page_rows;
    uint32_t page_bytes;
    const PqType *geometry;          /* of the values of a BYTE_ARRAY that does
                                     ** not say so itself, or of one whose box
                                     ** is needed without statistics too;
                                     ** NULL: the leaf's type counts         */
} PqChunkOptions;

/* What is good for most columns. */
static inline PqChunkOptions pq_chunk_options_usual(void)
{
    return (PqChunkOptions){.codec = pq_codec_default(), .encoding = -1, .statistics = true,
                            .page_rows = 20000, .page_bytes = 1 << 16};
}

#endif
