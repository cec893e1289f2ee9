/*
** trouble.h - a failed request in words: the URL without its query, the status, what
** the server says, and what to do.
*/
#ifndef PQ_TROUBLE_H
#define PQ_TROUBLE_H

#include "core/remote/access.h"
#include "core/remote/http.h"
#include "core/remote/s3_answer.h"
#include "core/remote/url.h"

/* Takes the server's words away if they repeat a secret: one that belongs to the URL, or
** a value of its query. */
PqRc pq_trouble_hide(PqAccess *x, const PqUrl *u, PqArena *a, PqS3Trouble *t, PqErr *e);

/* Always fails. */
PqRc pq_trouble_of_answer(const PqUrl *u, const PqHttpAnswer *a,
                          const PqS3Trouble *t, bool had_secret, uint32_t retries,
                          PqErr *e);
/* asks: it was a GET or a HEAD. */
PqRc pq_trouble_of_transfer(bool asks, const char *why, uint32_t retries, PqErr *e);

#endif
