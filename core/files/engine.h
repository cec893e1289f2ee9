/*
** engine.h - what a connection keeps between statements.
**
** It keeps the footers of files that were read, by path and identity; the least
** recently used ones are dropped first.  It also remembers what the last scans
** did, for users who ask why a query was slow.
**
** The footer of an encrypted file has the keys it was opened with.  It is handed
** out only for the same choice of keys, and dropped when a key of the connection
** is replaced or forgotten.
*/
#ifndef PQ_ENGINE_H
#define PQ_ENGINE_H

#include "core/base/pool.h"
#include "core/meta/footer.h"
#include "core/files/listing.h"

/* The proofs that skip rows, cheapest first.  They are tried in this order. */
typedef enum PqProofKind {
    PQ_BY_STATISTICS,
    PQ_BY_BOXES,                     /* of geometries: of row groups        */
    PQ_BY_BLOOM,
    PQ_BY_PAGES,                     /* the column index                    */
    PQ_BY_HEADERS,                   /* statistics in page headers          */
    PQ_BY_DICTIONARY,
    PQ_PROOF_KIND_COUNT
} PqProofKind;

/* Among the kinds that are not to be trusted: statistics in the log of a lake table. */
enum { PQ_BY_LOG = PQ_PROOF_KIND_COUNT };

/* Remarks of a scan for its user: each note once, with "; " between them.  When
** a note does not fit, the text ends with "; and more". */
enum { PQ_NOTES_ROOM = 1024 };

typedef struct PqScanNotes {
    char text[PQ_NOTES_ROOM];
} PqScanNotes;

void pq_notes_add(PqScanNotes *n, const char *note);

/* The room for the text of a scan's plan. */
enum { PQ_PLAN_ROOM = 512 };

typedef struct PqScanStats {
    uint64_t serial;
    char     table[64];
    uint32_t files, files_skipped;
    uint64_t groups, groups_skipped;
    uint64_t groups_by[PQ_PROOF_KIND_COUNT];         /* of the skipped ones */
    uint64_t pages_read, pages_passed, pages_refuted;
    uint64_t headers_refuted;        /* pages, by their own headers; they
                                     ** count as passed too                 */
    uint64_t rows, rows_filtered, rows_skipped;
    uint64_t file_bytes;             /* the size of the files opened        */
    uint64_t bytes_read;
    uint64_t bytes_by_kind[PQ_MODULE_KIND_COUNT];
    uint64_t bytes_unpacked;         /* decompressed, of pages              */
    uint64_t peak_memory;
    uint32_t leaves_read;
    uint64_t passes, rows_given;     /* PqScanUse                           */
    uint64_t requests, retries;      /* of the connection, to servers       */
    int64_t  ns_waited;              /* ... for their answers               */
    int64_t  ns_read, ns_decoded;    /* by all threads                      */
    int64_t  ns_outside;
    char     plan[PQ_PLAN_ROOM];     /* of the last pass                    */
    PqScanNotes notes;
} PqScanStats;

enum { PQ_STATS_KEPT = 64 };

/* Of the hash of footers: there may be thousands of small ones. */
enum { PQ_FOOTER_BUCKET_BITS = 11,
       PQ_FOOTER_BUCKETS = 1 << PQ_FOOTER_BUCKET_BITS };

typedef struct PqFooterEntry PqFooterEntry;

typedef struct PqEngine {
    PqMem         *mem;              /* of the cache and of open tables    */
    PqKeyRing     *keys;             /* that the connection was given       */
    uint64_t       keys_version;     /* of the ring, when last looked at    */
    PqRemote      *remote;           /* servers and their secrets           */
    PqPipes        pipes;            /* that were read                      */
    PqPlaces       blobs;            /* open_blob and arg, if the host has  */
    PqPool        *pool;             /* NULL until a scan wants threads     */
    PqKeptLakes    lakes;            /* snapshots that were read            */
    PqFooterEntry *newest, *oldest;
    PqFooterEntry *bucket[PQ_FOOTER_BUCKETS];
    PqScanStats    stats[PQ_STATS_KEPT];
    uint64_t       n_scans;
} PqEngine;

PqRc pq_engine_new(PqEngine **out, PqErr *e);
void pq_engine_free(PqEngine *g);

/* Drops footers that hold keys which were replaced or forgotten since. */
void pq_engine_keys_changed(PqEngine *g);

/* Raises the memory limit, never lowers it: the largest memory= option wins. */
void pq_engine_allow(PqEngine *g, size_t bytes);

/* The threads that scans share, at least n_threads.  NULL when n_threads is 0,
** or when no thread can be started. */
PqPool *pq_engine_pool(PqEngine *g, unsigned n_threads);

/* Where files may come from, for a call that begins on this thread.  own: the
** user named them, and not a schema. */
PqPlaces pq_engine_places(PqEngine *g, bool own, const PqPatience *patience);

/* Opens a file of the listing, in the listing's version and with its keys, and
** returns its footer, from the file or from the cache.  The caller must release
** both: pq_footer_release, pq_source_close. */
PqRc pq_engine_open(PqEngine *g, const PqListing *l, const char *path,
                    PqSource **source, PqFooter **footer, PqErr *e);

/* The footer alone. */
PqRc pq_engine_footer(PqEngine *g, const PqListing *l, const char *path,
                      PqFooter **footer, PqErr *e);

#endif
