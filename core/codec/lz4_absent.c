/*
** lz4_absent.c - stands in for lz4.c and lz4_encode.c in a build without the library
** of LZ4.
*/
#include "core/codec/codec_inside.h"

const PqCodecWork pq_codec_lz4 = {0};
const PqCodecWork pq_codec_lz4_raw = {0};
