/*
** json_text.h - writes JSON strings, hex and UUIDs.
*/
#ifndef PQ_JSON_TEXT_H
#define PQ_JSON_TEXT_H

#include "core/text/utf8.h"

/* Appends s in quotes, escaped as JSON requires.  Malformed UTF-8 becomes
** U+FFFD, one for each maximal ill-formed prefix. */
void pq_json_text_string(PqSlice s, PqBuf *out);

/* The same without the quotes, for a part of a string that does not end within
** a character. */
void pq_json_text_part(PqSlice s, PqBuf *out);

/* Appends upper-case hex without quotes. */
void pq_hex_text(PqSlice s, PqBuf *out);

/* Lower case, no NUL. */
enum { PQ_UUID_TEXT = 36 };
void pq_uuid_text(const uint8_t v[16], char *out);

#endif
