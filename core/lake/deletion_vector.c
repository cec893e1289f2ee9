/*
** deletion_vector.c - see deletion_vector.h.
**
** The first vector of a file lies behind the byte with the version.  A descriptor with
** no offset, or 0, means that one too.  Both are read at once, and the version is
** checked.  For a later vector only its size, checksum and magic are.
*/
#include "core/lake/deletion_vector.h"

#include "core/codec/codec.h"
#include "core/lake/roaring.h"
#include "core/text/json_text.h"
#include "core/text/z85.h"

enum {
    VERSION = 1, VERSION_BYTES = 1, AROUND_DATA = 8, MAGIC = 1681511377,
    UUID_BYTES = 16, UUID_Z85 = 20, UUID_TEXT = 36
};

/* ---- where it is ---------------------------------------------------------------------- */

static bool is_first(const PqDeletionVector *d)
{
    return d->offset <= VERSION_BYTES;
}

/* Does s name a folder in the folder where it is looked for? */
static bool is_plain_name(PqSlice s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < ' ' || s.p[i] == '/' || s.p[i] == '\\') {
            return false;
        }
    }
    return !pq_slice_is(s, ".") && !pq_slice_is(s, "..");
}

static PqRc path_in_table(PqSlice name, PqArena *a, const char **out, PqErr *e)
{
    PqSlice folder = pq_slice_cut(&name, name.n < UUID_Z85 ? 0 : name.n - UUID_Z85);
    uint8_t uuid[UUID_BYTES];
    char text[UUID_TEXT];
    size_t n;

    if (name.n != UUID_Z85 || !pq_z85_parse(name, uuid, &n) || n != UUID_BYTES ||
        !is_plain_name(folder)) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector is in '%.*s%.*s', which is not "
                       "the name of a folder and a UUID in Z85",
                       (int)(folder.n < 100 ? folder.n : 100), (const char *)folder.p,
                       (int)(name.n < 100 ? name.n : 100), (const char *)name.p);
    }
    pq_uuid_text(uuid, text);
    *out = pq_arena_printf(a, e, "%.*s%sdeletion_vector_%.*s.bin", (int)folder.n,
                           (const char *)folder.p, folder.n ? "/" : "", UUID_TEXT, text);
    return *out ? PQ_OK : e->rc;
}

PqRc pq_deletion_vector_find(const PqDeletionVector *d, PqArena *a, PqDeletionPlace *out,
                             PqErr *e)
{
    PqSlice type = d->storage_type, path = d->path_or_inline;

    *out = (PqDeletionPlace){0};
    if (d->offset < 0 || d->offset > INT32_MAX || d->size < 0 || d->size > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector has %lld bytes at offset %lld",
                       (long long)d->size, (long long)d->offset);
    }
    if (pq_slice_is(type, "i")) {
        return PQ_OK;
    }
    out->part.begin = is_first(d) ? 0 : (uint64_t)d->offset;
    out->part.n = (size_t)d->size + AROUND_DATA + (is_first(d) ? VERSION_BYTES : 0);
    out->in_table = pq_slice_is(type, "u");
    if (out->in_table) {
        return path_in_table(path, a, &out->path, e);
    }
    if (!pq_slice_is(type, "p")) {
        return pq_fail(e, PQ_UNSUPPORTED, "a deletion vector of storageType '%.*s'",
                       (int)(type.n < 20 ? type.n : 20), (const char *)type.p);
    }
    if (path.n == 0 || memchr(path.p, 0, path.n)) {
        return pq_fail(e, PQ_CORRUPT, "the path of a deletion vector is empty, or has a "
                       "zero byte");
    }
    out->path = pq_arena_text(a, path.p, path.n, e);
    return out->path ? PQ_OK : e->rc;
}

/* ---- what it says --------------------------------------------------------------------- */

static PqRc read_data(PqSlice data, int64_t n_rows, PqBuf *ranges, const PqStop *stop,
                      PqErr *e)
{
    uint64_t n = 0;
    uint32_t magic;

    PQ_TRY(pq_slice_u32(&data, &magic, e));
    if (magic != MAGIC) {
        return pq_fail(e, PQ_UNSUPPORTED, "a deletion vector in format %u; format %d can "
                       "be read", (unsigned)magic, MAGIC);
    }
    PQ_TRY(pq_roaring_take_set(&data, ranges, &n, stop, e));
    if (data.n) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector has %zu bytes after its bitmaps",
                       data.n);
    }
    return n == (uint64_t)n_rows
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "a deletion vector has %llu rows, its cardinality "
                         "is %lld", (unsigned long long)n, (long long)n_rows);
}

static PqRc check_crc(PqSlice data, uint32_t said, const PqStop *stop, PqErr *e)
{
    uint32_t crc = 0;

    while (data.n) {
        crc = pq_crc32(crc, pq_slice_cut(&data, PQ_STEP_BYTES));
        PQ_TRY(pq_stop_poll(stop, e));
    }
    return crc == said ? PQ_OK
                       : pq_fail(e, PQ_CORRUPT, "the checksum of a deletion vector is "
                                 "%08x, %08x was written", (unsigned)crc, (unsigned)said);
}

PqRc pq_deletion_vector_blob(PqSlice blob, int64_t n_rows, PqBuf *ranges,
                             const PqStop *stop, PqErr *e)
{
    uint32_t size, crc;
    PqSlice data;

    PQ_TRY(pq_slice_u32(&blob, &size, e));
    size = __builtin_bswap32(size);
    if (blob.n < 4 || size != blob.n - 4) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector of %u bytes is where one of %lld "
                       "should be", (unsigned)size, (long long)blob.n - 4);
    }
    PQ_TRY(pq_slice_take(&blob, size, &data, e));
    PQ_TRY(pq_slice_u32(&blob, &crc, e));
    PQ_TRY(check_crc(data, __builtin_bswap32(crc), stop, e));
    return read_data(data, n_rows, ranges, stop, e);
}

/* The last group of four bytes may be padded. */
static PqRc read_inline(const PqDeletionVector *d, PqBuf *ranges, const PqStop *stop,
                        PqErr *e)
{
    PqSlice text = d->path_or_inline;
    PqBuf data;
    size_t n;
    PqRc rc;

    pq_buf_init(&data, ranges->mem, NULL);
    PQ_GO(pq_buf_resize(&data, text.n / 5 * 4, e));
    if (!pq_z85_parse(text, data.p, &n)) {
        rc = pq_fail(e, PQ_CORRUPT, "a deletion vector inline is not Z85");
    } else if (d->size < 0 || (uint64_t)d->size > n || n - (size_t)d->size > 3) {
        rc = pq_fail(e, PQ_CORRUPT, "a deletion vector inline has %zu bytes, its size is "
                     "%lld", n, (long long)d->size);
    } else {
        rc = read_data(pq_slice(data.p, (size_t)d->size), d->n_rows, ranges, stop, e);
    }
done:
    pq_buf_free(&data);
    return rc;
}

PqRc pq_deletion_vector_read(const PqDeletionVector *d, PqSlice bytes, PqBuf *ranges,
                             const PqStop *stop, PqErr *e)
{
    uint8_t version = VERSION;

    if (pq_slice_is(d->storage_type, "i")) {
        return read_inline(d, ranges, stop, e);
    }
    if (is_first(d)) {
        PQ_TRY(pq_slice_u8(&bytes, &version, e));
    }
    if (version != VERSION) {
        return pq_fail(e, PQ_UNSUPPORTED, "deletion vectors in version %u of their file "
                       "format; version %d can be read", version, VERSION);
    }
    if (bytes.n != (uint64_t)d->size + AROUND_DATA) {
        return pq_fail(e, PQ_CORRUPT, "a deletion vector of %lld bytes is cut off: %zu "
                       "bytes with size and checksum", (long long)d->size, bytes.n);
    }
    return pq_deletion_vector_blob(bytes, d->n_rows, ranges, stop, e);
}
