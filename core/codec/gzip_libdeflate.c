/*
** gzip_libdeflate.c - inflate with libdeflate.  The other choice is
** gzip_zlib.c.
**
** Memory is hard: libdeflate takes an allocator only for the whole process, and
** only while nobody in it uses the library.  We are a guest in a process we do
** not know, so we cannot set it.  But a decompressor is one block of a fixed
** size, and decompressing allocates nothing.  So a block of that size is
** charged to the budget as long as the decompressor lives, and never touched.
**
** It decodes a member whole or not at all.  So a page that takes more than some
** hundredths of a second is left to zlib, which can be stopped.
*/
#include "core/codec/codec_inside.h"

#include <libdeflate.h>

/* Decoded in one call, at several hundred megabytes a second. */
enum { WHOLE_BYTES = 16 << 20 };

/* Tables for the three codes of a deflate block: 11.3 KiB in version 1.14.
** Their size follows from the format and has only shrunk over the years. */
enum { DECOMPRESSOR_BYTES = 12 * 1024 };

typedef struct Inflater {
    struct libdeflate_decompressor *lib;
    uint8_t paid[DECOMPRESSOR_BYTES];
} Inflater;

void pq_gzip_inflate_free(PqCodecState *s)
{
    Inflater *f = s->inflater;

    if (f) {
        libdeflate_free_decompressor(f->lib);
        pq_mem_free(f);
        s->inflater = NULL;
    }
}

static PqRc find_inflater(PqCodecState *s, PqErr *e)
{
    Inflater *f;

    if (s->inflater) {
        return PQ_OK;
    }
    f = pq_mem_alloc(s->mem, sizeof *f, e);
    if (!f) {
        return e->rc;
    }
    f->lib = pq_fault_here() ? NULL : libdeflate_alloc_decompressor();
    if (!f->lib) {
        pq_mem_free(f);
        return pq_codec_fail_memory("GZIP", e);
    }
    s->inflater = f;
    return PQ_OK;
}

PqRc pq_gzip_inflate(PqCodecState *s, bool zlib, PqSlice *in, uint8_t *out,
                     size_t room, size_t *n_out, PqErr *e)
{
    enum libdeflate_result result;
    Inflater *f;
    size_t used = 0;

    if (room > WHOLE_BYTES) {
        return pq_gzip_inflate_steps(s, zlib, in, out, room, n_out, e);
    }
    PQ_TRY(find_inflater(s, e));
    f = s->inflater;
    result = zlib ? libdeflate_zlib_decompress_ex(f->lib, in->p, in->n, out,
                                                  room, &used, n_out)
                  : libdeflate_gzip_decompress_ex(f->lib, in->p, in->n, out,
                                                  room, &used, n_out);
    switch (result) {
    case LIBDEFLATE_SUCCESS:
        pq_slice_cut(in, used);
        return PQ_OK;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
        return pq_codec_fail_long("GZIP", s->n_out, e);
    default:
        return pq_codec_fail_damaged("GZIP", "cut off or altered", e);
    }
}

/* The version compiled against: the library has no function for its own. */
const char *pq_gzip_inflate_version(void)
{
    return "libdeflate " LIBDEFLATE_VERSION_STRING;
}

uint32_t pq_crc32(uint32_t crc, PqSlice v)
{
    return v.n ? libdeflate_crc32(crc, v.p, v.n) : crc;
}
