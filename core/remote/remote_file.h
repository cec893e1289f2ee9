/*
** remote_file.h - a file on a server as it is in memory: shared by remote_blocks.c,
** remote_source.c and remote_open.c.
**
** The sources of one version of a file share a PqRemoteFile.  Its blocks, and the list
** of all blocks of the connection, are under the block_lock of the PqRemote, which
** nobody holds while waiting for a server.
*/
#ifndef PQ_REMOTE_FILE_H
#define PQ_REMOTE_FILE_H

#include "core/base/source_kind.h"
#include "core/remote/remote_source.h"

typedef struct PqRemoteFile PqRemoteFile;
typedef struct PqPiece PqPiece;

struct PqPiece {
    PqPiece    *next;                /* of the file, ascending              */
    PqPiece    *newer, *older;       /* of the connection, by last use      */
    PqRemoteFile *file;
    PqExtent    at;
    PqRequest  *request;             /* for its bytes                       */
    PqHttpAnswer *answer;            /* of the request, whose body they are;
                                     ** NULL: it was not looked at          */
    char        range[64];           /* that is asked for                   */
    bool        awaited;             /* a thread waits for it               */
    bool        has_come;            /* not in flight, but not looked at yet */
    uint32_t    n_readers;           /* so it cannot go                     */
};

struct PqRemoteFile {
    PqRemote      *remote;
    PqRemoteFile    *next;             /* of the connection                   */
    const char    *name;             /* as it was adopted                   */
    uint32_t       n_sources;
    PqArena        arena;
    PqUrl          url;
    PqRemoteTerms  terms;
    PqRequest     *opening;          /* for its end; NULL: there is none    */
    const char    *known;            /* "size version" of an earlier time   */
    const char    *version;          /* ETag, or date of writing; ""        */
    bool           is_etag;          /* a strong one                        */
    bool           absent;
    uint64_t       size;
    PqSource      *spool;            /* all of it; NULL: it is read by ranges */
    pthread_cond_t came;
    PqPiece       *blocks;
    PqExtent      *planned;          /* ascending, disjoint                 */
    uint32_t       n_planned, planned_room;
    uint64_t       read_to;          /* where the last read that was not
                                     ** announced ended                     */
    uint64_t       ahead;            /* bytes fetched beyond such a read    */
    uint64_t       in_flight, window;        /* bytes that are asked for, and
                                     ** so many may be                      */
};

/* ---- remote_blocks.c: all under block_lock ---- */

void pq_piece_use(PqPiece *b);
void pq_piece_drop(PqPiece *b);
void pq_piece_arrived(PqPiece *b);

/* Makes room for n bytes; false: blocks that cannot go hold too many. */
bool pq_pieces_make_room(PqRemote *r, uint64_t n);

/* The block that has the byte; or NULL, and the place for a new one. */
PqPiece *pq_piece_find(PqRemoteFile *f, uint64_t at, PqPiece ***place);

/* An empty block, linked; the caller sets its answer. */
PqRc pq_piece_new(PqRemoteFile *f, PqExtent at, PqPiece **out, PqErr *e);

/* A block that was asked for. */
PqRc pq_piece_begin(PqRemoteFile *f, PqExtent at, PqPiece **out, PqErr *e);

/* What was announced: adds it, takes it out, is the byte in it? */
PqRc pq_plan_add(PqRemoteFile *f, PqExtent at, PqErr *e);
void pq_plan_drop(PqRemoteFile *f, PqExtent at);
const PqExtent *pq_plan_find(const PqRemoteFile *f, uint64_t at);

/* What one request fetches from `begin` on: what is planned close together, at most a
** piece, and nothing that is there. */
PqExtent pq_plan_piece(const PqRemoteFile *f, uint64_t begin, uint64_t end);

/* Asks for what was announced, as far as there is room. */
void pq_plan_start(PqRemoteFile *f);

/* The end of the bytes from `at` on that are there, or will come unasked; at least so
** far as is enough. */
uint64_t pq_plan_end(PqRemoteFile *f, uint64_t at, uint64_t enough);

/* ---- remote_open.c ---- */

/* What an answer says of the file: its version, besides the size. */
PqRc pq_remote_file_is(PqRemoteFile *f, uint64_t size, const PqHttpAnswer *a, PqErr *e);

/* The header for a message, unless it has other words than it should. */
const char *pq_remote_range_shown(const PqHttpAnswer *a);

/* PQ_IO: its body is not the file, but packed. */
PqRc pq_remote_check_packed(const PqHttpAnswer *a, PqErr *e);

/* ---- remote_spool.c ---- */

/* For a file of which the server did not send the last n bytes, but this answer. */
PqRc pq_remote_without_end(PqRemoteFile *f, const PqHttpAnswer *a, uint64_t n,
                           PqErr *e);

/* ---- remote_source.c ---- */

PqRc pq_remote_source_new(PqRemoteFile *f, PqMem *mem, const char *path,
                          PqSource **out, PqErr *e);

/* Under block_lock. */
void pq_remote_file_free(PqRemoteFile *f);

#endif
