/*
** utf16.h - UTF-8 as UTF-16, and back.
*/
#ifndef PQ_UTF16_H
#define PQ_UTF16_H

#include "core/base/bytes.h"

/* A text in UTF-16, appended; and back. */
void pq_utf16_encode(PqSlice text, bool big, PqBuf *out);
void pq_utf16_decode(PqSlice units, bool big, PqBuf *out);

/* A text as it is after both: what is no UTF-8 has become something that is. */
void pq_utf16_kept(PqSlice text, PqBuf *out);

#endif
