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

/* A request for the bytes of one block, or for those of several (remote_parts.c). */
typedef struct PqFetch {
    PqRequest  *request;
    uint32_t    n_holders;           /* its blocks, and who works on it      */
    bool        has_parts;           /* several were asked for              */
    bool        awaited;             /* a thread waits for it               */
    bool        has_come;            /* it is not in flight any more        */
    char        range[];             /* that is asked for                   */
} PqFetch;

/* A block of a file.  Without a fetch and bytes it is planned: it was announced, and will be
** asked for. */
struct PqPiece {
    PqPiece    *next;                /* of the file, ascending, disjoint    */
    uint64_t    used;                /* last: n_uses of the connection then */
    PqRemoteFile *file;
    PqExtent    at;
    PqFetch    *fetch;               /* NULL: it is over, or did not begin  */
    const uint8_t *bytes;            /* of the answer, or own; NULL: nobody looked at
                                     ** the answer                          */
    uint8_t    *own;
    uint32_t    n_readers;           /* while it has any, it stays          */
};

/* Does the server answer a request for several ranges with all of them?  While it is tried,
** nothing else is asked for ahead. */
typedef enum PqTakesParts {
    PQ_PARTS_UNKNOWN, PQ_PARTS_TRIED, PQ_PARTS_NO, PQ_PARTS_YES
} PqTakesParts;

struct PqRemoteFile {
    PqRemote      *remote;
    PqRemoteFile    *next;             /* of the connection                   */
    const char    *name;             /* as it was adopted                   */
    uint32_t       n_sources;
    PqArena        arena;
    PqUrl          url;
    PqRemoteTerms  terms;
    PqRequest     *opening;          /* asks for its end; NULL: it is over  */
    const char    *version;          /* ETag, or date of writing; ""        */
    bool           is_etag;          /* a strong one: it and the size are
                                     ** remembered for the next statement   */
    bool           absent;
    uint64_t       size;
    PqSource      *spool;            /* all of it; NULL: it is read by ranges */
    PqTakesParts   parts;
    pthread_cond_t came;
    PqPiece       *blocks;
    PqPiece       *passed;           /* by the last search, which the next one mostly
                                     ** goes on from; or NULL               */
    uint32_t       n_planned;        /* of the blocks                       */
    uint64_t       read_to;          /* where the last read that was not
                                     ** announced ended                     */
    uint64_t       ahead;            /* bytes fetched beyond such a read    */
    uint64_t       window;           /* the most bytes that may be in flight */
};

/* ---- remote_blocks.c: all under block_lock ---- */

void pq_piece_drop(PqPiece *b);

/* The block holds its fetch no more. */
void pq_piece_let_go(PqPiece *b);

/* Its bytes have come: more may be in flight. */
void pq_fetch_lands(PqRemoteFile *f, PqFetch *x);

/* The blocks that wait for it are planned again.  False: none does. */
bool pq_fetch_fails(PqRemoteFile *f, const PqFetch *x);

/* Somebody holds it no more, and it goes with the last one. */
void pq_fetch_let_go(PqRemoteFile *f, PqFetch *x);

/* Makes room for n bytes; false: blocks that cannot go hold too many. */
bool pq_pieces_make_room(PqRemote *r, uint64_t n);

/* The block that has the byte; or NULL, and the place for a new one. */
PqPiece *pq_piece_find(PqRemoteFile *f, uint64_t at, PqPiece ***place);

/* The end of the file, which is there: its first block. */
PqRc pq_piece_of_tail(PqRemoteFile *f, PqExtent at, PqHttpAnswer *a, PqErr *e);

/* Asks by one request for n planned blocks, ascending. */
PqRc pq_pieces_begin(PqRemoteFile *f, PqPiece *const *b, uint32_t n, PqErr *e);

static inline bool pq_piece_is_planned(const PqPiece *b)
{
    return !b->fetch && !b->bytes;
}

/* Plans what was announced, where nothing is yet. */
PqRc pq_plan_add(PqRemoteFile *f, PqExtent at, PqErr *e);

/* A planned block that begins with a byte which nobody asked for yet.  It goes to `end`, or
** further to what is planned close after that, but has at most a piece, and nothing that is
** there. */
PqRc pq_plan_from(PqRemoteFile *f, uint64_t at, uint64_t end, PqPiece **out, PqErr *e);

/* Asks for what was announced, as far as there is room. */
void pq_plan_start(PqRemoteFile *f);

/* Where the bytes from `at` on end that are there, or will come unasked.  It looks no
** further than it takes to reach `enough`. */
uint64_t pq_plan_end(PqRemoteFile *f, uint64_t at, uint64_t enough);

/* ---- remote_parts.c ---- */

/* At most so many ranges, of so many bytes together, are asked for at once, of which each
** is short.  The answer has so many bytes more. */
enum { PQ_PARTS_MOST = 128, PQ_PARTS_BYTES = 4 << 20, PQ_PART_BYTES = 750000,
       PQ_PART_HEADERS = 512 };

/* What is known of the server, for a file that is opened. */
PqRc pq_parts_recall(PqRemoteFile *f, PqErr *e);

/* Are several ranges one request? */
static inline bool pq_parts_are_one(const PqRemoteFile *f)
{
    return f->parts == PQ_PARTS_YES || f->parts == PQ_PARTS_TRIED;
}

/* A block of the request that tries it, which has come while nobody waits for it; or NULL. */
PqPiece *pq_parts_tried(const PqRemoteFile *f);

/* Gives the blocks of a fetch, which somebody else holds too, their bytes.  What the answer
** does not have, or not as it should, is planned again, to be asked for alone.  a is NULL if
** no answer came. */
PqRc pq_parts_take(PqRemoteFile *f, PqFetch *x, PqHttpAnswer *a, PqErr *e);

/* ---- remote_open.c ---- */

/* What an answer says of the file: its version, besides the size. */
PqRc pq_remote_file_is(PqRemoteFile *f, uint64_t size, const PqHttpAnswer *a, PqErr *e);

/* Content-Range, "bytes 0-99/1000": which bytes came, of how many.  False: it says something
** else, or what cannot be. */
bool pq_remote_range(const PqHttpAnswer *a, PqExtent *at, uint64_t *size);

/* It is wrong after a request for something; its text is shown if it has no other words
** than it should. */
PqRc pq_remote_wrong_range(const PqHttpAnswer *a, const char *asked, PqErr *e);

/* PQ_IO if the body is not the file itself, but packed. */
PqRc pq_remote_check_packed(const PqHttpAnswer *a, PqErr *e);

/* ---- remote_spool.c ---- */

/* Opens a file whose server sent something else than the last n bytes. */
PqRc pq_remote_without_end(PqRemoteFile *f, uint64_t n, PqErr *e);

/* ---- remote_source.c: under block_lock ---- */

PqRc pq_remote_source_new(PqRemoteFile *f, PqMem *mem, const char *path, PqSource **out, PqErr *e);
void pq_remote_file_free(PqRemoteFile *f);

#endif
