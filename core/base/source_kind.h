/*
** source_kind.h - what each kind of source implements; source.h is for those who use one.
**
** A kind has a struct of its own, whose first member is the PqSource.
*/
#ifndef PQ_SOURCE_KIND_H
#define PQ_SOURCE_KIND_H

#include "core/base/source.h"

#include <stdatomic.h>

typedef struct PqSourceKind {
    size_t size;                     /* of the kind's own struct            */
    /* n bytes that lie within the file, of the version that was opened.    */
    PqRc (*read)(PqSource *s, uint64_t offset, size_t n, void *out, PqErr *e);
    PqRc (*check)(PqSource *s, PqErr *e);            /* NULL: never changes */
    PqRc (*again)(PqSource *s, PqMem *mem, PqSource **out, PqErr *e);
    PqRc (*beside)(PqSource *s, PqMem *mem, const char *path, bool optional,
                   PqSource **out, PqErr *e);        /* NULL: nothing lies beside */
    void (*will_need)(PqSource *s, PqExtent at);     /* NULL: is not far    */
    size_t (*at_hand)(PqSource *s, uint64_t offset, size_t n);   /* ... likewise */
    void (*close)(PqSource *s);      /* frees the kind's own members; NULL:
                                     ** there are none                      */
} PqSourceKind;

struct PqSource {
    const PqSourceKind *kind;
    char             *path;
    PqFileId          id;
    _Atomic uint64_t  bytes_read;
    _Atomic int64_t   ns_read;       /* time the reads took                 */
};

/* A struct of the kind, zeros but for the PqSource.  path is copied. */
PqRc pq_source_new(PqMem *mem, const PqSourceKind *kind, const char *path,
                   PqFileId id, PqSource **out, PqErr *e);

/* PQ_CHANGED: the file is not the version that was opened. */
PQ_COLD PqRc pq_source_changed(const PqSource *s, PqErr *e);

/* The same file in the same version, as far as a time of writing tells. */
bool pq_file_id_same(PqFileId a, PqFileId b);

#endif
