/*
** snappy_absent.c - stands in for snappy.c in a build without the library of SNAPPY.
*/
#include "core/codec/codec_inside.h"

const PqCodecWork pq_codec_snappy = {0};
