/*
** hex_parse.h - parses bytes and UUIDs from hex digits of either case.
*/
#ifndef PQ_HEX_PARSE_H
#define PQ_HEX_PARSE_H

#include "core/text/parse.h"

/* Two digits per byte and nothing else; writes text.n / 2 bytes. */
PqParse pq_hex_parse(PqSlice text, uint8_t *out);

/* 32 digits.  Braces around them are optional, and so is a hyphen after every
** four digits. */
PqParse pq_uuid_parse(PqSlice text, uint8_t out[16]);

#endif
