/*
** remote_source.h - a file on a server, as a source.
**
**   open        bytes=-524288         its end, with size and version (ETag)
**   will need   [pages of a] [pages of b] ........ [pages of z]
**                 gap: one request            two requests, side by side
**   read        out of blocks that have come; what was not announced is fetched,
**               and more and more after it while it is read in order
**
** Every request names the version that was opened, so bytes of two versions are
** never mixed.  Blocks of all files of a connection share PQ_BLOCK_BYTES; those used
** longest ago go first, and are fetched again if they are needed after all.
*/
#ifndef PQ_REMOTE_SOURCE_H
#define PQ_REMOTE_SOURCE_H

#include "core/base/source.h"
#include "core/remote/request.h"

enum { PQ_BLOCK_BYTES = 64 << 20 };

/* url as pq_remote_adopt gave it.  stopped may be NULL. */
PqRc pq_remote_open(PqRemote *r, PqMem *mem, const char *url,
                    const PqRemoteTerms *terms, PqSource **out, PqErr *e);

/* Asks for the end of a file that the same statement will open soon, and does not wait.
** False: enough are asked for. */
bool pq_remote_expect(PqRemote *r, const char *url, const PqRemoteTerms *terms);

/* Has the end come of a file that is expected? */
bool pq_remote_has_come(PqRemote *r, const char *url, const PqRemoteTerms *terms);

/* What a statement expected, and did not open, is not expected any more. */
void pq_remote_expect_none(PqRemote *r, const void *statement);

/* The name of a URL, which is shown and kept in its place: https://h/a.parquet?... if
** its user or query may be a secret, with a number after it if another URL has that
** name.  Any other URL is its own name, and so is a name.  *out lies in the arena.  The name
** has a holder more (pq_remote_hold). */
PqRc pq_remote_adopt(PqRemote *r, PqArena *a, const char *url, const char **out, PqErr *e);

/* Frees files that are not open, but for the newest; most 0: when the connection ends. */
void pq_remote_keep_files(PqRemote *r, uint32_t most);

/* What a statement should know of where its bytes come from; "": nothing. */
const char *pq_remote_source_note(const PqSource *s);

/* Once the flag is set, no read waits any more, on any thread. */
void pq_remote_source_stops(PqSource *s, const _Atomic bool *stopped);

#endif
