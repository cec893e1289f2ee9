/*
** sink_memory.c - what is written comes to the end of a buffer.
*/
#include "core/base/sink.h"
#include "core/base/sink_kind.h"

typedef struct MemorySink {
    PqSink sink;
    PqBuf *to;
} MemorySink;

static PqRc put(PqSink *s, const uint8_t *p, size_t n, PqErr *e)
{
    return pq_buf_append(((MemorySink *)s)->to, p, n, e);
}

PqRc pq_sink_memory(PqMem *mem, const char *shown, PqBuf *to, PqSink **out, PqErr *e)
{
    static const PqSinkKind kind = {.size = sizeof(MemorySink), .put = put};

    PQ_TRY(pq_sink_new(mem, &kind, shown, out, e));
    ((MemorySink *)*out)->to = to;
    return PQ_OK;
}
