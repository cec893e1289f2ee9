/*
** base64.h - bytes to base64 and back, RFC 4648.
**
** Both alphabets are read: the standard one with + and /, and the one for URLs
** with - and _.  Padding is optional.  White space is not skipped.
*/
#ifndef PQ_BASE64_H
#define PQ_BASE64_H

#include "core/base/bytes.h"

/* Appends base64 of the standard alphabet, padded. */
void pq_base64_text(PqSlice bytes, PqBuf *out);

/* False: the text is not base64, or has more bytes than room. */
bool pq_base64_parse(PqSlice text, uint8_t *out, size_t room, size_t *n);

#endif
