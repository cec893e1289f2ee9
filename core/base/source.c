/*
** source.c - the one way to the bytes of a file, whatever kind of file it is, and
** bytes in memory.
*/
#include "core/base/source_kind.h"

#include "core/base/clock.h"

PqRc pq_source_new(PqMem *mem, const PqSourceKind *kind, const char *path,
                   PqFileId id, PqSource **out, PqErr *e)
{
    PqSource *s = pq_mem_zeros(mem, 1, kind->size, e);

    *out = NULL;
    if (!s || !(s->path = pq_mem_text(mem, path, strlen(path), e))) {
        pq_mem_free(s);
        return e->rc;
    }
    s->kind = kind;
    s->id = id;
    *out = s;
    return PQ_OK;
}

void pq_source_close(PqSource *s)
{
    if (s) {
        if (s->kind->close) {
            s->kind->close(s);
        }
        pq_mem_free(s->path);
        pq_mem_free(s);
    }
}

PqRc pq_source_changed(const PqSource *s, PqErr *e)
{
    const char *outer = e->where.file;

    e->where.file = s->path;
    pq_fail(e, PQ_CHANGED, "the file was written to while it was read; run the "
                           "statement again");
    e->where.file = outer;
    return e->rc;
}

bool pq_file_id_same(PqFileId a, PqFileId b)
{
    return a.device == b.device && a.inode == b.inode && a.size == b.size &&
           a.mtime_ns == b.mtime_ns;
}

PqRc pq_source_is(const PqSource *s, PqFileId id, PqErr *e)
{
    return pq_file_id_same(s->id, id) ? PQ_OK : pq_source_changed(s, e);
}

PqRc pq_source_check(PqSource *s, PqErr *e)
{
    return s->kind->check ? s->kind->check(s, e) : PQ_OK;
}

PqRc pq_source_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e)
{
    *out = NULL;
    return s->kind->again(s, mem, out, e);
}

PqRc pq_source_beside(PqSource *s, PqMem *mem, const char *path, bool optional,
                      PqSource **out, PqErr *e)
{
    *out = NULL;
    if (s->kind->beside) {
        return s->kind->beside(s, mem, path, optional, out, e);
    }
    return optional ? PQ_OK : pq_fail(e, PQ_UNSUPPORTED, "%s does not lie in a folder, so "
                                      "%s cannot lie beside it", s->path, path);
}

void pq_source_will_need(PqSource *s, PqExtent at)
{
    if (s->kind->will_need && at.begin < at.end && at.end <= pq_source_size(s)) {
        s->kind->will_need(s, at);
    }
}

size_t pq_source_at_hand(PqSource *s, uint64_t offset, size_t n)
{
    return s->kind->at_hand ? s->kind->at_hand(s, offset, n) : n;
}

bool pq_source_is_far(const PqSource *s)
{
    return s->kind->will_need != NULL;
}

const char *pq_source_path(const PqSource *s)
{
    return s->path;
}

uint64_t pq_source_size(const PqSource *s)
{
    return (uint64_t)s->id.size;
}

PqFileId pq_source_id(const PqSource *s)
{
    return s->id;
}

PqRc pq_source_read(PqSource *s, uint64_t offset, size_t n, void *out, PqErr *e)
{
    uint64_t size = pq_source_size(s);
    int64_t began;
    PqRc rc;

    if (offset > size || n > size - offset) {
        return pq_fail(e, PQ_CORRUPT,
                       "%zu bytes wanted at byte %llu, the file has %llu", n,
                       (unsigned long long)offset, (unsigned long long)size);
    }
    if (pq_fault_here()) {
        return pq_fail(e, PQ_IO, "cannot read: Input/output error");
    }
    atomic_fetch_add_explicit(&s->bytes_read, n, memory_order_relaxed);
    began = pq_clock_ns();
    rc = s->kind->read(s, offset, n, out, e);
    atomic_fetch_add_explicit(&s->ns_read, pq_clock_ns() - began,
                              memory_order_relaxed);
    return rc;
}

uint64_t pq_source_bytes_read(const PqSource *s)
{
    return s->bytes_read;
}

int64_t pq_source_ns_read(const PqSource *s)
{
    return s->ns_read;
}

/* ---- bytes in memory -------------------------------------------------------- */

typedef struct MemorySource {
    PqSource       source;
    const uint8_t *bytes;
} MemorySource;

static PqRc read_memory(PqSource *s, uint64_t offset, size_t n, void *out,
                        PqErr *e)
{
    pq_bytes_copy(out, ((MemorySource *)s)->bytes + offset, n);
    return PQ_OK;
}

static PqRc open_memory_again(PqSource *s, PqMem *mem, PqSource **out, PqErr *e)
{
    PqSlice bytes = {((MemorySource *)s)->bytes, (size_t)pq_source_size(s)};

    return pq_source_open_memory(mem, s->path, bytes, out, e);
}

static const PqSourceKind memory_kind = {
    .size = sizeof(MemorySource), .read = read_memory,
    .again = open_memory_again,
};

PqRc pq_source_open_memory(PqMem *mem, const char *name, PqSlice bytes,
                           PqSource **out, PqErr *e)
{
    PQ_TRY(pq_source_new(mem, &memory_kind, name,
                         (PqFileId){.size = (int64_t)bytes.n}, out, e));
    ((MemorySource *)*out)->bytes = bytes.p ? bytes.p : (const uint8_t *)"";
    return PQ_OK;
}
