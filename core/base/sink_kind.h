/*
** sink_kind.h - what each kind of sink implements; sink.h is for those who use one.
**
** A kind has a struct of its own, whose first member is the PqSink.
*/
#ifndef PQ_SINK_KIND_H
#define PQ_SINK_KIND_H

#include "core/base/sink.h"

typedef struct PqSinkKind {
    size_t size;                     /* of the kind's own struct            */
    /* n bytes that follow those that were put before.  After a failure none do. */
    PqRc (*put)(PqSink *s, const uint8_t *p, size_t n, PqErr *e);
    void (*push)(PqSink *s);         /* they begin their way to the disk;
                                     ** NULL: they did                      */
    PqRc (*pause)(PqSink *s, PqErr *e);              /* NULL: it holds nothing */
    void (*close)(PqSink *s);        /* frees the kind's own members; NULL:
                                     ** there are none                      */
} PqSinkKind;

struct PqSink {
    const PqSinkKind *kind;
    PqMem     *mem;
    char      *shown;
    bool       failed;
    uint64_t   written;              /* bytes that were put                 */
    uint8_t   *gathered;             /* NULL: none yet                      */
    size_t     n_gathered;
    PqSinkTurn turn;                 /* turn NULL: as it is                 */
};

/* A struct of the kind, zeros but for the PqSink.  shown is copied. */
PqRc pq_sink_new(PqMem *mem, const PqSinkKind *kind, const char *shown, PqSink **out,
                 PqErr *e);

#endif
