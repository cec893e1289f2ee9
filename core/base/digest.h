/*
** digest.h - the SHA-256 of a file.
*/
#ifndef PQ_DIGEST_H
#define PQ_DIGEST_H

#include "core/base/source.h"

enum { PQ_DIGEST_TEXT = 65 };        /* hexadecimal digits, and a NUL        */

PqRc pq_digest_source(PqSource *s, char out[PQ_DIGEST_TEXT], PqErr *e);

#endif
