/*
** trouble.h - a failed request in words: the URL without its query, the status, what
** the server says, and what to do.
*/
#ifndef PQ_TROUBLE_H
#define PQ_TROUBLE_H

#include "core/remote/remote.h"

/* Both always fail.  Of an answer the server's words are left out if they repeat a secret:
** one that belongs to the URL, or a value of its query.  led_away: by a redirect, to
** another server. */
PqRc pq_trouble_of_answer(PqRemote *r, const PqUrl *u, const PqHttpAnswer *a,
                          bool led_away, uint32_t retries, PqErr *e);

/* asks: it was a GET or a HEAD. */
PqRc pq_trouble_of_transfer(bool asks, const char *why, uint32_t retries, PqErr *e);

#endif
