/*
** plain_text.h - one PLAIN value as readable text.
**
** It serves bounds, findings and descriptions, which show values outside any
** column.  A value has the text of its SQL value (sql/values.md) if that is a
** text.  A DECIMAL keeps its digits, a BOOLEAN is true or false, and bytes that
** are not text are printable ASCII with the rest escaped:
**
**   INT32 DATE      5b 4d 00 00      2024-03-21
**   DECIMAL(4,1)    f6 ff ff ff      -1.0
**   BYTE_ARRAY      61 00 5c         a\x00\x5C
**
** A value that does not have the size of its type is shown as bytes.
*/
#ifndef PQ_PLAIN_TEXT_H
#define PQ_PLAIN_TEXT_H

#include "core/meta/schema.h"

/* Appends; v is PLAIN without a length. */
void pq_plain_text(const PqType *t, PqSlice v, PqBuf *out);

/* Appends bytes: printable ASCII except the backslash unchanged, others as
** \xNN. */
void pq_plain_text_bytes(PqSlice v, PqBuf *out);

#endif
