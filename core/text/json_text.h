/*
** json_text.h - JSON strings, hex, UUIDs.
*/
#ifndef PQ_JSON_TEXT_H
#define PQ_JSON_TEXT_H

#include "core/text/utf8.h"

/* Appends "..." with what JSON wants escaped; malformed bytes become U+FFFD,
** one for each maximal ill-formed prefix. */
void pq_json_text_string(PqSlice s, PqBuf *out);

/* The same without the quotes, for a part of a string: one that does not end
** within a character. */
void pq_json_text_part(PqSlice s, PqBuf *out);

/* Appends s between quotes when it is known to need no escapes. */
void pq_json_text_plain(PqSlice s, PqBuf *out);

/* Appends upper-case hex without quotes. */
void pq_hex_text(PqSlice s, PqBuf *out);

/* 36 characters, lower case, no NUL. */
void pq_uuid_text(const uint8_t v[16], char *out);

#endif
