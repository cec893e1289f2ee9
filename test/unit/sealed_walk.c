/*
** sealed_walk.c - see sealed_walk.h.
*/
#define _GNU_SOURCE
#include "test/unit/sealed_walk.h"

#include "core/codec/codec.h"
#include "core/meta/format.h"
#include "test/unit/copied.h"

#include <dirent.h>
#include <stdlib.h>

typedef struct Range { uint64_t from, to; } Range;

typedef struct Walk {
    Walked   *w;
    uint8_t  *file;
    size_t    n;
    PqBuf     aad;
    PqLock    footer;
    PqFileMetaData meta;
    Range    *ranges;
    uint32_t  n_ranges, ranges_room;
    PqArena   arena;
    PqErr    *e;
} Walk;

/* A check of a walk: fails with the condition's text. */
#define WALK(cond)                                                          \
    do {                                                                    \
        if (!(cond)) {                                                      \
            return pq_fail(x->e, PQ_CORRUPT, "walk, line %d: %s", __LINE__, \
                           #cond);                                          \
        }                                                                   \
    } while (0)

void walked_begin(Test *t, Walked *w, PqKeyRing *ring)
{
    *w = (Walked){.t = t, .ring = ring};
    pq_arena_init(&w->arena, t->mem);
}

void walked_end(Walked *w)
{
    pq_mem_free(w->nonces);
    pq_arena_free(&w->arena);
}

static int compare_nonces(const void *a, const void *b)
{
    return memcmp(a, b, PQ_NONCE_BYTES);
}

bool walked_nonces_differ(Walked *w)
{
    qsort(w->nonces, w->n_nonces, PQ_NONCE_BYTES, compare_nonces);
    for (size_t i = 1; i < w->n_nonces; i++) {
        const uint8_t *p = w->nonces + i * PQ_NONCE_BYTES;

        if (memcmp(p - PQ_NONCE_BYTES, p, PQ_NONCE_BYTES) == 0) {
            return false;
        }
    }
    return true;
}

static PqRc add_nonce(Walked *w, const uint8_t *nonce, PqErr *e)
{
    if (w->n_nonces == w->nonces_room) {
        w->nonces_room = w->nonces_room ? w->nonces_room * 2 : 1024;
        w->nonces = pq_mem_resize(w->t->mem, w->nonces,
                                  (size_t)w->nonces_room * PQ_NONCE_BYTES, e);
        if (!w->nonces) {
            return e->rc;
        }
    }
    memcpy(w->nonces + (size_t)w->n_nonces++ * PQ_NONCE_BYTES, nonce,
           PQ_NONCE_BYTES);
    return PQ_OK;
}

static PqRc add_range(Walk *x, uint64_t from, uint64_t n)
{
    WALK(from <= x->n && n <= x->n - from);
    PQ_TRY(PQ_GROW(x->w->t->mem, x->ranges, x->n_ranges, x->ranges_room,
                   x->e));
    x->ranges[x->n_ranges++] = (Range){from, from + n};
    return PQ_OK;
}

static PqRc open_bytes(Walk *x, const PqModule *m, PqSlice raw, PqSlice *plain,
                       size_t *used)
{
    PqBuf b;
    uint8_t *p;

    pq_buf_init(&b, x->w->t->mem, NULL);
    if (pq_module_unseal(m, raw, &b, plain, used, x->e) == PQ_OK && m->lock) {
        x->w->n_sealed[m->kind]++;
        add_nonce(x->w, raw.p + 4, x->e);
        p = pq_arena_bytes(&x->arena, plain->n + 1, x->e);
        if (p && plain->n) {
            memcpy(p, plain->p, plain->n);
        }
        plain->p = p;
    }
    pq_buf_free(&b);
    return x->e->rc;
}

/* The module at an offset; *used is 0 if it is plain. */
static PqRc open_at(Walk *x, const PqModule *m, uint64_t at, PqSlice *plain,
                    size_t *used)
{
    WALK(at < x->n);
    PQ_TRY(open_bytes(x, m, pq_slice(x->file + at, x->n - at), plain, used));
    return *used ? add_range(x, at, *used) : PQ_OK;
}

static PqModule module(PqModuleKind kind, int group, int leaf, int page,
                       const PqLock *lock)
{
    return (PqModule){kind, group, leaf, page, lock};
}

/* --- the footer ----------------------------------------------------------- */

static PqRc take_algorithm(Walk *x, const PqEncryptionAlgorithm *a)
{
    Walked *w = x->w;
    const PqAesSettings *aes = w->ctr ? &a->gcm_ctr : &a->gcm;
    PqSlice prefix = pq_slice_text(w->aad_prefix);

    WALK(a->has == 1u << (w->ctr ? PQ_ENCRYPTION_GCM_CTR : PQ_ENCRYPTION_GCM));
    WALK(PQ_HAS(aes, PQ_AES_UNIQUE) && aes->aad_file_unique.n == 8);
    if (w->aad_prefix && w->stored_prefix) {
        WALK(PQ_HAS(aes, PQ_AES_PREFIX) &&
             pq_slice_equal(aes->aad_prefix, prefix));
    } else {
        WALK(!PQ_HAS(aes, PQ_AES_PREFIX));
    }
    WALK((PQ_HAS(aes, PQ_AES_SUPPLY_PREFIX) && aes->supply_aad_prefix) ==
         (w->aad_prefix && !w->stored_prefix));
    pq_buf_add(&x->aad, prefix.p, prefix.n);
    pq_buf_add(&x->aad, aes->aad_file_unique.p, 8);
    x->footer = (PqLock){
        .key = pq_key_ring_find(w->ring, pq_slice_text(w->footer_key)),
        .ctr = w->ctr, .aad = pq_buf_view(&x->aad)};
    WALK(x->footer.key);
    return PQ_OK;
}

static PqRc open_sealed_footer(Walk *x, size_t at, size_t n)
{
    PqSlice rest = pq_slice(x->file + at, n), plain;
    PqModule m = module(PQ_MODULE_FOOTER, -1, -1, -1, &x->footer);
    PqFileCryptoMetaData c;
    size_t used;

    PQ_TRY(pq_format_read_file_crypto(&rest, &x->arena, &c, x->e));
    PQ_TRY(take_algorithm(x, &c.encryption_algorithm));
    WALK(pq_slice_is(c.key_metadata, x->w->footer_key));
    PQ_TRY(open_bytes(x, &m, rest, &plain, &used));
    WALK(used == rest.n);
    PQ_TRY(pq_format_read_file(&plain, &x->arena, &x->meta, x->e));
    WALK(plain.n == 0);
    WALK(!PQ_HAS(&x->meta, PQ_FILE_ENCRYPTION));
    return PQ_OK;
}

static PqRc open_plain_footer(Walk *x, size_t at, size_t n)
{
    PqSlice all, rest;
    PqModule m = module(PQ_MODULE_FOOTER, -1, -1, -1, &x->footer);

    WALK(n > PQ_SIGNATURE_BYTES);
    n -= PQ_SIGNATURE_BYTES;
    all = rest = pq_slice(x->file + at, n);
    PQ_TRY(pq_format_read_file(&rest, &x->arena, &x->meta, x->e));
    WALK(rest.n == 0);
    PQ_TRY(take_algorithm(x, &x->meta.encryption_algorithm));
    WALK(pq_slice_is(x->meta.footer_signing_key_metadata, x->w->footer_key));
    PQ_TRY(pq_module_verify(&m, all, x->file + at + n, x->e));
    return add_nonce(x->w, x->file + at + n, x->e);
}

static PqRc open_footer(Walk *x)
{
    const char *magic = x->w->plaintext_footer ? "PAR1" : "PARE";
    size_t n, at;

    WALK(x->n > 12 && memcmp(x->file, magic, 4) == 0 &&
         memcmp(x->file + x->n - 4, magic, 4) == 0);
    n = pq_load_u32(x->file + x->n - 8);
    WALK(n <= x->n - 12);
    at = x->n - 8 - n;
    PQ_TRY(add_range(x, 0, 4));
    PQ_TRY(add_range(x, at, n + 8));
    return x->w->plaintext_footer ? open_plain_footer(x, at, n)
                                  : open_sealed_footer(x, at, n);
}

/* --- a chunk -------------------------------------------------------------- */

typedef struct Chunk {
    int           group, leaf;
    PqColumnChunk c;
    PqColumnMetaData m;              /* opened */
    PqLock        own;
    const PqLock *lock;
    int64_t       offsets[40000], sizes[40000];
    int           n_pages;
} Chunk;

static PqRc check_crypto(Walk *x, Chunk *k, const char *want)
{
    const PqColumnCryptoMetaData *c = &k->c.crypto_metadata;

    WALK(PQ_HAS(&k->c, PQ_CHUNK_CRYPTO) == (want != NULL));
    if (!want) {
        return PQ_OK;
    }
    if (strcmp(want, x->w->footer_key) == 0) {
        WALK(c->has == 1u << PQ_CRYPTO_FOOTER_KEY);
        k->lock = &x->footer;
        return PQ_OK;
    }
    WALK(c->has == 1u << PQ_CRYPTO_COLUMN_KEY);
    WALK(pq_slice_is(c->column_key.key_metadata, want));
    k->own = x->footer;
    k->own.key = pq_key_ring_find(x->w->ring, pq_slice_text(want));
    WALK(k->own.key);
    k->lock = &k->own;
    return PQ_OK;
}

static const char *join(Walk *x, const PqSliceList *path)
{
    PqBuf b;
    char *text;

    pq_buf_init(&b, x->w->t->mem, x->e);
    for (uint32_t i = 0; i < path->n; i++) {
        pq_buf_text(&b, i ? "." : "");
        pq_buf_add(&b, path->v[i].p, path->v[i].n);
    }
    text = pq_arena_text(&x->arena, b.p, b.n, x->e);
    pq_buf_free(&b);
    return text;
}

/* Where the path of a chunk is, unless its metadata is sealed. */
static const PqSliceList *path_of(const Chunk *k)
{
    return PQ_HAS(&k->c, PQ_CHUNK_META_DATA)
               ? &k->c.meta_data.path_in_schema
               : &k->c.crypto_metadata.column_key.path_in_schema;
}

static PqRc open_meta(Walk *x, Chunk *k, const char *want)
{
    const uint32_t tell_tales = 1u << PQ_COLUMN_STATISTICS |
                                1u << PQ_COLUMN_SIZE_STATISTICS |
                                1u << PQ_COLUMN_GEOSPATIAL_STATISTICS |
                                1u << PQ_COLUMN_ENCODING_STATS;
    PqModule m = module(PQ_MODULE_COLUMN_META, k->group, k->leaf, -1, k->lock);
    bool apart = want && (x->w->plaintext_footer ||
                          strcmp(want, x->w->footer_key) != 0);
    PqSlice plain;
    size_t used;

    WALK(PQ_HAS(&k->c, PQ_CHUNK_ENCRYPTED_META) == apart);
    WALK(PQ_HAS(&k->c, PQ_CHUNK_META_DATA) ==
         (!apart || x->w->plaintext_footer));
    x->w->has_bounds |= PQ_HAS(&k->c, PQ_CHUNK_META_DATA) &&
                        PQ_HAS(&k->c.meta_data, PQ_COLUMN_STATISTICS);
    k->m = k->c.meta_data;
    if (!apart) {
        return PQ_OK;
    }
    WALK(!PQ_HAS(&k->c, PQ_CHUNK_META_DATA) ||
         !(k->c.meta_data.has & tell_tales));
    PQ_TRY(open_bytes(x, &m, k->c.encrypted_column_metadata, &plain, &used));
    WALK(used == k->c.encrypted_column_metadata.n);
    PQ_TRY(pq_format_read_column_meta(&plain, &x->arena, &k->m, x->e));
    WALK(plain.n == 0);
    return PQ_OK;
}

static PqRc open_header(Walk *x, Chunk *k, uint64_t at, bool dictionary,
                        PqPageHeader *h, size_t *n)
{
    PqModule m = module(dictionary ? PQ_MODULE_DICTIONARY_PAGE_HEADER
                                   : PQ_MODULE_DATA_PAGE_HEADER, k->group,
                        k->leaf, dictionary ? -1 : k->n_pages, k->lock);
    PqSlice plain;
    size_t before, used;

    PQ_TRY(open_at(x, &m, at, &plain, &used));
    before = plain.n;
    PQ_TRY(pq_format_read_page_header(&plain, &x->arena, h, x->e));
    *n = used ? used : before - plain.n;
    WALK(!used || plain.n == 0);
    WALK((h->type == PQ_PAGE_DICTIONARY) == dictionary);
    return used ? PQ_OK : add_range(x, at, *n);
}

/* Opens a page; *next is where it ends. */
static PqRc open_page(Walk *x, Chunk *k, uint64_t at, bool dictionary,
                      PqPageHeader *h, uint64_t *next)
{
    PqModule m = module(dictionary ? PQ_MODULE_DICTIONARY_PAGE
                                   : PQ_MODULE_DATA_PAGE, k->group, k->leaf,
                        dictionary ? -1 : k->n_pages, k->lock);
    PqSlice body, plain;
    size_t n, used;

    PQ_TRY(open_header(x, k, at, dictionary, h, &n));
    at += n;
    WALK(h->compressed_page_size >= 0 &&
         (uint64_t)h->compressed_page_size <= x->n - at);
    body = pq_slice(x->file + at, (size_t)h->compressed_page_size);
    if (k->lock && !x->w->ctr) {     /* arrow-rs takes it of other bytes */
        WALK(!PQ_HAS(h, PQ_PAGE_HEADER_CRC));
    } else {
        WALK(PQ_HAS(h, PQ_PAGE_HEADER_CRC) &&
             (uint32_t)h->crc == pq_crc32(0, body));
    }
    PQ_TRY(open_bytes(x, &m, body, &plain, &used));
    WALK(!k->lock || used == body.n);
    *next = at + body.n;
    return add_range(x, at, body.n);
}

static PqRc walk_pages(Walk *x, Chunk *k)
{
    const PqColumnMetaData *m = &k->m;
    bool has_dictionary = PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET);
    uint64_t begin = (uint64_t)(has_dictionary ? m->dictionary_page_offset
                                               : m->data_page_offset);
    uint64_t at = begin, end = begin + (uint64_t)m->total_compressed_size;
    int64_t n_values = 0;
    int n_direct = 0;
    PqPageHeader h;

    if (has_dictionary) {
        PQ_TRY(open_page(x, k, at, true, &h, &at));
        WALK(at == (uint64_t)m->data_page_offset);
        x->w->n_dictionaries++;
    }
    for (; at < end; k->n_pages++) {
        uint64_t next;

        WALK(k->n_pages < (int)PQ_COUNT(k->offsets));
        PQ_TRY(open_page(x, k, at, false, &h, &next));
        k->offsets[k->n_pages] = (int64_t)at;
        k->sizes[k->n_pages] = (int64_t)(next - at);
        n_values += h.type == PQ_PAGE_DATA ? h.data_page.num_values
                                           : h.data_page_v2.num_values;
        n_direct += (h.type == PQ_PAGE_DATA ? h.data_page.encoding
                                            : h.data_page_v2.encoding) !=
                    PQ_ENCODING_RLE_DICTIONARY;
        at = next;
    }
    x->w->n_mixed += has_dictionary && n_direct > 0;
    WALK(at == end && n_values == m->num_values);
    return PQ_OK;
}

/* An index, whose bytes in the file are n. */
static PqRc open_index(Walk *x, Chunk *k, PqModuleKind kind, int64_t at,
                       int32_t n, PqSlice *plain)
{
    PqModule m = module(kind, k->group, k->leaf, -1, k->lock);
    size_t used;

    PQ_TRY(open_at(x, &m, (uint64_t)at, plain, &used));
    WALK(!k->lock || used == (size_t)n);
    plain->n = k->lock ? plain->n : (size_t)n;
    return k->lock ? PQ_OK : add_range(x, (uint64_t)at, (uint64_t)n);
}

static PqRc walk_indexes(Walk *x, Chunk *k)
{
    PqSlice plain;
    PqOffsetIndex o;
    PqColumnIndex c;

    PQ_TRY(open_index(x, k, PQ_MODULE_OFFSET_INDEX, k->c.offset_index_offset,
                      k->c.offset_index_length, &plain));
    PQ_TRY(pq_format_read_offset_index(&plain, &x->arena, &o, x->e));
    WALK(plain.n == 0 && o.page_locations.n == (uint32_t)k->n_pages);
    for (int i = 0; i < k->n_pages; i++) {
        WALK(o.page_locations.v[i].offset == k->offsets[i]);
        WALK(o.page_locations.v[i].compressed_page_size == k->sizes[i]);
    }
    if (PQ_HAS(&k->c, PQ_CHUNK_COLUMN_INDEX_OFFSET)) {
        PQ_TRY(open_index(x, k, PQ_MODULE_COLUMN_INDEX,
                          k->c.column_index_offset, k->c.column_index_length,
                          &plain));
        PQ_TRY(pq_format_read_column_index(&plain, &x->arena, &c, x->e));
        WALK(plain.n == 0 && c.null_pages.n == (uint32_t)k->n_pages);
    }
    return PQ_OK;
}

static PqRc walk_bloom(Walk *x, Chunk *k)
{
    PqModule header = module(PQ_MODULE_BLOOM_HEADER, k->group, k->leaf, -1,
                             k->lock);
    PqModule bits = module(PQ_MODULE_BLOOM_BITS, k->group, k->leaf, -1,
                           k->lock);
    uint64_t at = (uint64_t)k->m.bloom_filter_offset;
    PqBloomFilterHeader h;
    size_t used, before, n;
    PqSlice plain;

    if (!PQ_HAS(&k->m, PQ_COLUMN_BLOOM_OFFSET)) {
        return PQ_OK;
    }
    PQ_TRY(open_at(x, &header, at, &plain, &used));
    before = plain.n;
    PQ_TRY(pq_format_read_bloom_header(&plain, &x->arena, &h, x->e));
    n = used ? used : before - plain.n;
    PQ_TRY(used ? PQ_OK : add_range(x, at, n));
    PQ_TRY(open_at(x, &bits, at + n, &plain, &used));
    WALK(!used || plain.n == (size_t)h.num_bytes);
    PQ_TRY(used ? PQ_OK : add_range(x, at + n, (uint64_t)h.num_bytes));
    n += used ? used : (size_t)h.num_bytes;
    WALK(n == (size_t)k->m.bloom_filter_length);
    return PQ_OK;
}

static PqRc walk_chunk(Walk *x, int group, int leaf, PqSlice bytes)
{
    Chunk *k = pq_arena_zeros(&x->arena, 1, sizeof *k, x->e);
    const char *path, *want;

    if (!k) {
        return x->e->rc;
    }
    k->group = group;
    k->leaf = leaf;
    PQ_TRY(pq_format_read_chunk(&bytes, &x->arena, &k->c, x->e));
    path = join(x, path_of(k));
    if (!path) {
        return x->e->rc;
    }
    x->e->where.column = path;
    want = x->w->key_of ? x->w->key_of(path) : x->w->footer_key;
    PQ_TRY(check_crypto(x, k, want));
    PQ_TRY(open_meta(x, k, want));
    PQ_TRY(walk_pages(x, k));
    PQ_TRY(walk_indexes(x, k));
    PQ_TRY(walk_bloom(x, k));
    x->e->where.column = NULL;
    x->w->n_chunks++;
    return PQ_OK;
}

/* --- the file ------------------------------------------------------------- */

static PqRc walk_groups(Walk *x)
{
    for (uint32_t i = 0; i < x->meta.row_groups.n; i++) {
        const PqRowGroup *g = &x->meta.row_groups.v[i];

        WALK(PQ_HAS(g, PQ_ROW_GROUP_ORDINAL) && g->ordinal == (int)i);
        x->w->n_claims += g->sorting_columns.n;
        for (uint32_t k = 0; k < g->columns.n; k++) {
            PQ_TRY(walk_chunk(x, (int)i, (int)k, g->columns.v[k]));
        }
        x->w->n_groups++;
    }
    return PQ_OK;
}

static int compare_ranges(const void *pa, const void *pb)
{
    const Range *a = pa, *b = pb;

    return (a->from > b->from) - (a->from < b->from);
}

/* No byte is left over, and none is used twice. */
static PqRc check_ranges(Walk *x)
{
    uint64_t at = 0;

    qsort(x->ranges, x->n_ranges, sizeof *x->ranges, compare_ranges);
    for (uint32_t i = 0; i < x->n_ranges; i++) {
        WALK(x->ranges[i].from == at);
        at = x->ranges[i].to;
    }
    WALK(at == x->n);
    return PQ_OK;
}

/* Keeps what tests ask for. */
static PqRc keep(Walk *x)
{
    Walked *w = x->w;

    PQ_TRY(PQ_ARENA_GROW(&w->arena, w->uniques, w->n_files, x->e));
    w->uniques[w->n_files++] = pq_load_u64(x->aad.p + x->aad.n - 8);
    for (uint32_t i = 0; i < x->meta.key_value_metadata.n; i++) {
        PqKeyValue *kv = &x->meta.key_value_metadata.v[i];

        if (pq_slice_is(kv->key, "geo")) {
            w->geo = pq_slice(pq_arena_text(&w->arena, kv->value.p,
                                            kv->value.n, x->e), kv->value.n);
        }
    }
    return x->e->rc;
}

PqRc walked_file(Walked *w, const char *path, PqErr *e)
{
    Walk x = {.w = w, .e = e};
    PqRc rc;

    x.file = copied_bytes(path, &x.n);
    pq_arena_init(&x.arena, w->t->mem);
    pq_buf_init(&x.aad, w->t->mem, e);
    e->where.file = path;
    PQ_GO(open_footer(&x));
    PQ_GO(walk_groups(&x));
    PQ_GO(check_ranges(&x));
    PQ_GO(keep(&x));
done:
    pq_where_reset(e);
    free(x.file);
    pq_mem_free(x.ranges);
    pq_buf_free(&x.aad);
    pq_arena_free(&x.arena);
    return rc;
}

PqRc walked_folder(Walked *w, const char *folder, PqErr *e)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    PqRc rc = PQ_OK;

    while (d && rc == PQ_OK && (entry = readdir(d)) != NULL) {
        char path[600];

        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        rc = entry->d_type == DT_DIR ? walked_folder(w, path, e)
                                     : walked_file(w, path, e);
    }
    if (d) {
        closedir(d);
    }
    return rc;
}
