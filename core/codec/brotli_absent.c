/*
** brotli_absent.c - stands in for brotli.c in a build without the library of BROTLI.
*/
#include "core/codec/codec_inside.h"

const PqCodecWork pq_codec_brotli = {0};
