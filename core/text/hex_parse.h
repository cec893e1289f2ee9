/*
** hex_parse.h - bytes and UUIDs from hex digits of either case.
*/
#ifndef PQ_HEX_PARSE_H
#define PQ_HEX_PARSE_H

#include "core/text/parse.h"

/* Two digits a byte and nothing else: text.n / 2 bytes. */
PqParse pq_hex_parse(PqSlice text, uint8_t *out);

/* 32 digits, braces around them or not, a hyphen behind any four of them or
** not. */
PqParse pq_uuid_parse(PqSlice text, uint8_t out[16]);

#endif
