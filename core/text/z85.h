/*
** z85.h - base85 as ZeroMQ writes it, RFC 32/Z85: five characters are four bytes.
**
**   "HelloWorld"    86 4f d2 6f  b5 59 f7 5b
*/
#ifndef PQ_Z85_H
#define PQ_Z85_H

#include "core/base/bytes.h"

/* Writes *n bytes, at most text.n / 5 * 4.  False: the text is not Z85. */
bool pq_z85_parse(PqSlice text, uint8_t *out, size_t *n);

#endif
