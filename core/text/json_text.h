/*
** json_text.h - writes JSON: strings, hex and UUIDs, and patterns of them.
*/
#ifndef PQ_JSON_TEXT_H
#define PQ_JSON_TEXT_H

#include "core/base/arena.h"
#include "core/text/utf8.h"

/* Appends s in quotes, escaped as JSON requires.  Malformed UTF-8 becomes
** U+FFFD, one for each maximal ill-formed prefix. */
void pq_json_text_string(PqSlice s, PqBuf *out);

/* The same without the quotes, for a part of a string that does not end within
** a character. */
void pq_json_text_part(PqSlice s, PqBuf *out);

/* Appends JSON by a pattern, in which ' stands for a quote:
**
**   {'path':%s,'size':%d,'tags':%j}      {"path":"a b","size":7,"tags":[]}
**
** %s a text as a string, or null where it is NULL; %t a slice as a string; %j a slice of JSON;
** %d an int64_t; %b a bool. */
void pq_json_text_print(PqBuf *out, const char *pattern, ...);

/* The same in an arena; p NULL: it failed. */
PqSlice pq_json_text_make(PqArena *a, PqErr *e, const char *pattern, ...);

/* Appends upper-case hex without quotes. */
void pq_hex_text(PqSlice s, PqBuf *out);

/* Lower case, no NUL. */
enum { PQ_UUID_TEXT = 36 };
void pq_uuid_text(const uint8_t v[16], char *out);

#endif
