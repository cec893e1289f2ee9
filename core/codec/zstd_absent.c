/*
** zstd_absent.c - stands in for zstd.c in a build without the library of ZSTD.
*/
#include "core/codec/codec_inside.h"

const PqCodecWork pq_codec_zstd = {0};
