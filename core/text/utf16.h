/*
** utf16.h - UTF-8 as UTF-16, and back.
*/
#ifndef PQ_UTF16_H
#define PQ_UTF16_H

#include "core/base/bytes.h"

/* Appends a text in UTF-16; and back. */
void pq_utf16_encode(PqSlice text, bool big, PqBuf *out);
void pq_utf16_decode(PqSlice units, bool big, PqBuf *out);

/* Appends a text after both conversions, which make it valid UTF-8. */
void pq_utf16_kept(PqSlice text, PqBuf *out);

#endif
