/*
** footer.c - finds the footer, checks it, and parses single ColumnChunks.
**
**   file size 307
**   byte 114  FileMetaData        followed by its length, 186, and "PAR1"
**   byte 300  ba 00 00 00
**   byte 304  50 41 52 31
**
** An encrypted footer ends in "PARE".  It is opened in place; then it looks
** like a footer that was never encrypted.
**
** QUIRK: parquet-mr seals more bytes than a struct has, up to the room of its
** buffer.  So bytes after a struct mean nothing, here and in every other module.
** Test: encrypted.a_struct_may_be_followed_by_more_bytes
**
** The last 64 KiB are read at once.  They hold the whole footer of most files;
** of a longer footer, only the missing front is read then.
**
** The number of rows is the sum over the row groups.  FileMetaData has a number
** of its own, which may be wrong without anyone noticing; the rows of the
** groups can really be read.
*/
#include "core/meta/footer.h"

#include "core/meta/geometry.h"
#include "core/meta/other_format.h"
#include "core/meta/schema_make.h"
#include "core/meta/stats.h"
#include "core/text/utf8.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    TAIL_BYTES = 64 << 10, TAIL_LEAST = 16 << 10,
    ENDING = 8,                      /* the length, followed by the magic */
    MAGIC = 4
};

static const PqModule footer_module = {PQ_MODULE_FOOTER, -1, -1, -1, NULL};

/* ------------------------------------------------------- finding the bytes */

/* Fails with what the file looks like, if that is known. */
static PQ_COLD PqRc other_format(PqInput *in, PqErr *e)
{
    uint64_t size = pq_source_size(in->source);
    uint8_t first[PQ_OTHER_FORMAT_BYTES];
    size_t n = size < sizeof first ? (size_t)size : sizeof first;
    const char *what, *to_do;

    PQ_TRY(pq_module_fetch(in, &footer_module, 0, n, first, e));
    if (n >= MAGIC && (memcmp(first, "PAR1", MAGIC) == 0 ||
                       memcmp(first, "PARE", MAGIC) == 0)) {
        pq_fail(e, PQ_CORRUPT, "begins like a Parquet file but does not end "
                               "like one: it was cut off, or never finished");
        pq_err_hint(e, "copy or write it again");
        return e->rc;
    }
    what = pq_other_format(pq_slice(first, n), &to_do);
    if (what) {
        pq_fail(e, PQ_CORRUPT, "not a Parquet file: it looks like %s", what);
        pq_err_hint(e, "%s", to_do);
    }
    return e->rc;
}

/* Says why a file that ends otherwise is not read. */
static PQ_COLD PqRc not_parquet(PqInput *in, const uint8_t *magic, PqErr *e)
{
    PQ_TRY(other_format(in, e));
    return pq_fail(e, PQ_CORRUPT, "not a Parquet file (it ends in the bytes "
                                  "%02x %02x %02x %02x, not in \"PAR1\")",
                   magic[0], magic[1], magic[2], magic[3]);
}

/* Reads the last bytes of the file, at least an ending. */
static PqRc read_tail(PqInput *in, PqBuf *tail, PqErr *e)
{
    uint64_t size = pq_source_size(in->source);
    size_t n = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;

    if (size == 0) {
        pq_fail(e, PQ_CORRUPT, "the file is empty");
        pq_err_hint(e, "its writer did not finish");
        return e->rc;
    }
    if (size < MAGIC + ENDING) {
        PQ_TRY(other_format(in, e));
        return pq_fail(e, PQ_CORRUPT, "not a Parquet file: it has %llu bytes, "
                                      "the shortest one has %d",
                       (unsigned long long)size, MAGIC + ENDING);
    }
    while (n > TAIL_LEAST && pq_source_at_hand(in->source, size - n, n) < n) {
        n = n / 2 > TAIL_LEAST ? n / 2 : TAIL_LEAST;
    }
    PQ_TRY(pq_buf_resize(tail, n, e));
    return pq_module_fetch(in, &footer_module, size - n, n, tail->p, e);
}

/* Reads all bytes of the footer into f->bytes.  Bytes that the tail has are
** copied. */
static PqRc read_bytes(PqInput *in, PqFooter *f, const PqBuf *tail,
                       bool *sealed, PqErr *e)
{
    uint64_t size = pq_source_size(in->source);
    const uint8_t *ending = tail->p + tail->n - ENDING;
    uint32_t n = pq_load_u32(ending);
    size_t have = tail->n - ENDING;

    *sealed = memcmp(ending + 4, "PARE", MAGIC) == 0;
    if (!*sealed && memcmp(ending + 4, "PAR1", MAGIC) != 0) {
        return not_parquet(in, ending + 4, e);
    }
    if (n == 0 || n > size - MAGIC - ENDING) {
        return pq_fail(e, PQ_CORRUPT, "the footer claims to be %u bytes long, "
                                      "the file has %llu",
                       n, (unsigned long long)size);
    }
    f->offset = size - ENDING - n;
    PQ_TRY(pq_buf_resize(&f->bytes, n, e));
    have = have < n ? have : n;
    memcpy(f->bytes.p + n - have, ending - have, have);
    if (have == n) {
        return PQ_OK;
    }
    return pq_module_fetch(in, &footer_module, f->offset, n - have,
                           f->bytes.p, e);
}

/* ------------------------------------------------------ what the bytes say */

static PqRc check_group(PqFooter *f, uint32_t i, PqErr *e)
{
    const PqRowGroup *g = &f->file.row_groups.v[i];
    PqGroup *to = &f->groups[i];

    if (g->columns.n != f->schema.n_leaves) {
        return pq_fail(e, PQ_CORRUPT, "%u columns, the schema has %u",
                       g->columns.n, f->schema.n_leaves);
    }
    if (g->num_rows < 0) {
        return pq_fail(e, PQ_CORRUPT, "%lld rows", (long long)g->num_rows);
    }
    if (g->num_rows > INT64_MAX - f->n_rows) {
        return pq_fail(e, PQ_CORRUPT, "more rows than can be counted");
    }
    to->num_rows = g->num_rows;
    to->first_row = f->n_rows;
    to->total_byte_size = g->total_byte_size < 0 ? 0 : g->total_byte_size;
    f->n_rows += g->num_rows;
    return PQ_OK;
}

static PqRc check_groups(PqFooter *f, PqErr *e)
{
    uint32_t n = f->file.row_groups.n;
    PqRc rc = PQ_OK;

    if (f->file.num_rows < 0) {
        return pq_fail(e, PQ_CORRUPT, "%lld rows", (long long)f->file.num_rows);
    }
    if (n > INT32_MAX) {
        return pq_fail(e, PQ_CORRUPT, "%u row groups", n);
    }
    PQ_TRY(PQ_ARENA_NEW(&f->arena, f->groups, n, e));
    for (; f->n_groups < n && rc == PQ_OK; f->n_groups++) {
        e->where.row_group = (int)f->n_groups;
        rc = check_group(f, f->n_groups, e);
    }
    e->where.row_group = -1;
    return rc;
}

/* ----------------------------------------------------------- encryption */

/* Reads FileCryptoMetaData, and opens the sealed footer.  f->bytes keeps the
** plain bytes. */
static PqRc open_sealed(PqFooter *f, const PqLockMaker *m, PqErr *e)
{
    PqSlice rest = pq_buf_view(&f->bytes), plain;
    PqFileCryptoMetaData how;
    size_t at;
    PqRc rc;

    e->where.offset = (int64_t)f->offset;
    rc = pq_format_read_file_crypto(&rest, &f->arena, &how, e);
    e->where.offset = -1;
    PQ_TRY(rc);
    PQ_TRY(pq_locks_new(m, &how.encryption_algorithm, how.key_metadata, true,
                        &f->locks, e));
    at = f->bytes.n - rest.n;
    PQ_TRY(pq_locks_open_footer(f->locks, m, f->bytes.p + at, rest.n, &plain,
                                e));
    f->offset += at + 4 + PQ_NONCE_BYTES;        /* where its bytes were */
    memmove(f->bytes.p, plain.p, plain.n);
    f->bytes.n = plain.n;
    return PQ_OK;
}

static PQ_COLD PqRc not_encrypted(PqErr *e)
{
    pq_fail(e, PQ_CORRUPT, "the file is not encrypted, but footer_key=, "
            "column_keys= or aad_prefix= says that it is: someone may have "
            "replaced it");
    pq_err_hint(e, "without these options it is read as it is");
    return e->rc;
}

/* A changed byte can end the struct before it says that the file is
** encrypted. */
static PQ_COLD PqRc surplus(size_t n, PqErr *e)
{
    return pq_fail(e, PQ_CORRUPT, "%zu bytes follow the footer's struct, as "
                   "many as a signature or more, but it says nothing of "
                   "encryption", n);
}

/* rest is what follows the struct. */
static PqRc lock_plain(PqFooter *f, const PqLockMaker *m, PqSlice rest,
                       PqErr *e)
{
    if (!PQ_HAS(&f->file, PQ_FILE_ENCRYPTION)) {
        return pq_key_choice_names(m->keys)   ? not_encrypted(e)
               : rest.n >= PQ_SIGNATURE_BYTES ? surplus(rest.n, e)
                                              : PQ_OK;
    }
    PQ_TRY(pq_locks_new(m, &f->file.encryption_algorithm,
                        f->file.footer_signing_key_metadata, false, &f->locks,
                        e));
    return pq_locks_check_footer(f->locks, m,
                                 pq_slice(f->bytes.p, f->bytes.n - rest.n),
                                 rest, e);
}

static PqRc lock_leaves(PqFooter *f, const PqLockMaker *m, PqSlice rest,
                        PqErr *e)
{
    const PqRowGroupList *groups = &f->file.row_groups;
    PqSlice footer = pq_slice(f->bytes.p, f->bytes.n - rest.n);

    if (!f->locks) {
        return PQ_OK;
    }
    pq_buf_init(&f->opened_with, f->mem, e);
    pq_key_choice_text(m->keys, &f->opened_with);
    PQ_TRY(e->rc);
    f->opened_with.sink = NULL;
    PQ_TRY(pq_locks_of_leaves(f->locks, m, &f->schema,
                              groups->n ? &groups->v[0].columns : NULL, e));
    return pq_locks_check_again(f->locks, footer, rest, e);
}

bool pq_footer_is_for(const PqFooter *f, const PqKeyChoice *keys)
{
    bool same;
    PqBuf text;
    PqErr e;

    if (!f->locks) {
        return !pq_key_choice_names(keys);
    }
    pq_err_init(&e);
    pq_buf_init(&text, f->mem, &e);
    pq_key_choice_text(keys, &text);
    same = pq_buf_ok(&text) && pq_slice_equal(pq_buf_view(&text),
                                              pq_buf_view(&f->opened_with));
    pq_buf_free(&text);
    return same;
}

const PqKeyValue *pq_key_value_find(const PqKeyValueList *list, PqSlice key)
{
    for (uint32_t i = 0; i < list->n; i++) {
        if (pq_slice_equal(list->v[i].key, key)) {
            return &list->v[i];
        }
    }
    return NULL;
}

bool pq_footer_key_value(const PqFooter *f, const char *key, PqSlice *out)
{
    const PqKeyValue *kv = pq_key_value_find(&f->file.key_value_metadata, pq_slice_text(key));

    if (kv) {
        *out = kv->value;
    }
    return kv != NULL;
}

/* ------------------------------------------------------------- all of it */

PqRc pq_footer_show_as(PqFooter *f, const PqSchemaElementList *elements,
                       const PqLeafOrigin *from, PqErr *e)
{
    const PqColumnOrder *old = f->file.column_orders.n ? f->file.column_orders.v : NULL;
    PqColumnOrder *orders;

    f->file.schema = *elements;
    PQ_TRY(pq_schema_build(&f->file.schema, &f->arena, &f->schema, e));
    PQ_TRY(PQ_ARENA_NEW(&f->arena, orders, f->schema.n_leaves + 1u, e));
    for (uint32_t i = 0; i < f->schema.n_leaves; i++) {
        PqLeaf *l = &f->schema.leaves[i];
        const PqLeafOrigin *o = &from[l->node->element];
        const PqLeaf *in_file = o->made ? o->made->guide : o->leaf;

        l->made = o->made;
        l->column = in_file ? in_file->column : UINT32_MAX;
        l->no_dictionary = !o->made && o->leaf->no_dictionary;
        orders[i] = old && in_file ? old[in_file->column] : (PqColumnOrder){0};
    }
    f->file.column_orders = (PqColumnOrderList){orders, old ? f->schema.n_leaves : 0};
    return pq_geometry_find(f, e);
}

static PqRc parse(PqFooter *f, const PqLockMaker *m, bool sealed, PqErr *e)
{
    PqSlice bytes;
    PqRc rc;

    if (sealed) {
        PQ_TRY(open_sealed(f, m, e));
    }
    bytes = pq_buf_view(&f->bytes);
    e->where.offset = (int64_t)f->offset;
    rc = pq_format_read_file(&bytes, &f->arena, &f->file, e);
    e->where.offset = -1;
    PQ_TRY(rc);
    if (!sealed) {
        PQ_TRY(lock_plain(f, m, bytes, e));
    } else if (PQ_HAS(&f->file, PQ_FILE_ENCRYPTION)) {
        PQ_TRY(pq_locks_check_algorithm(f->locks,
                                        &f->file.encryption_algorithm, e));
    }
    PQ_TRY(pq_schema_build(&f->file.schema, &f->arena, &f->schema, e));
    PQ_TRY(pq_geometry_find(f, e));
    PQ_TRY(pq_order_find_doubts(f, e));
    PQ_TRY(check_groups(f, e));
    PQ_TRY(lock_leaves(f, m, bytes, e));
    if (f->file.column_orders.n != f->schema.n_leaves) {
        f->file.column_orders.n = 0;         /* they match no leaves */
    }
    return PQ_OK;
}

static PqRc new_footer(PqMem *mem, PqFooter **out, PqErr *e)
{
    PQ_TRY(PQ_NEW(mem, *out, 1, e));
    (*out)->mem = mem;
    (*out)->holders = 1;
    pq_arena_init(&(*out)->arena, mem);
    pq_buf_init(&(*out)->bytes, mem, NULL);
    pq_buf_init(&(*out)->opened_with, mem, NULL);
    return PQ_OK;
}

PqRc pq_footer_of_schema(PqSchemaMake *make, PqMem *mem, PqFooter **out, PqErr *e)
{
    PqFooter *f;

    PQ_TRY(new_footer(mem, out, e));
    f = *out;
    if (pq_schema_make_end(make, &f->arena, &f->file.schema, e) != PQ_OK ||
        pq_schema_build(&f->file.schema, &f->arena, &f->schema, e) != PQ_OK) {
        pq_footer_release(f);
        *out = NULL;
    }
    return e->rc;
}

PqRc pq_footer_read(PqInput *in, const PqKeyChoice *keys, PqMem *mem,
                    PqFooter **out, PqErr *e)
{
    const PqWhere outer = pq_where_enter(e, pq_source_path(in->source));
    PqFooter *f = NULL;
    PqLockMaker maker;
    bool sealed;
    PqBuf tail;
    PqRc rc;

    *out = NULL;
    pq_buf_init(&tail, mem, NULL);
    PQ_GO(read_tail(in, &tail, e));
    PQ_GO(new_footer(mem, &f, e));
    PQ_GO(read_bytes(in, f, &tail, &sealed, e));
    pq_buf_free(&tail);                      /* before the large allocations */
    maker = (PqLockMaker){keys, in->source, mem, &f->arena};
    PQ_GO(parse(f, &maker, sealed, e));
    *out = f;
    f = NULL;
done:
    pq_buf_free(&tail);
    pq_footer_release(f);
    e->where = outer;
    return rc;
}

void pq_footer_hold(PqFooter *f)
{
    atomic_fetch_add(&f->holders, 1);
}

void pq_footer_forget(PqFooter *f, const PqKeyRing *ring)
{
    if (f->locks && atomic_load(&f->holders) == f->n_tables) {
        pq_locks_forget(f->locks, ring);
    }
}

void pq_footer_release(PqFooter *f)
{
    if (f && atomic_fetch_sub(&f->holders, 1) == 1) {
        pq_locks_free(f->locks);
        pq_arena_free(&f->arena);
        pq_buf_free(&f->bytes);
        pq_buf_free(&f->opened_with);
        pq_mem_free(f);
    }
}

/* --------------------------------------------------------- one ColumnChunk */

/* Offsets must lie in this file, before its footer.  If the chunk is in another
** file, which is not open yet, any offset may be right. */
static PqRc check_sizes(const PqFooter *f, const PqColumnChunk *c, PqErr *e)
{
    const PqColumnMetaData *m = &c->meta_data;
    int64_t end = c->file_path.n > 0 ? INT64_MAX / 2 : (int64_t)f->offset;

    if (m->num_values < 0) {
        return pq_fail(e, PQ_CORRUPT, "%lld values", (long long)m->num_values);
    }
    if (m->total_compressed_size < 0 || m->total_compressed_size > end ||
        m->total_uncompressed_size < 0) {
        return pq_fail(e, PQ_CORRUPT, "%lld bytes (%lld uncompressed) before a "
                       "footer at byte %lld",
                       (long long)m->total_compressed_size,
                       (long long)m->total_uncompressed_size, (long long)end);
    }
    if (m->data_page_offset < 0 || m->data_page_offset > end ||
        m->dictionary_page_offset < 0 || m->dictionary_page_offset > end) {
        return pq_fail(e, PQ_CORRUPT, "data pages at byte %lld, a dictionary "
                       "at byte %lld, but the footer is at byte %lld",
                       (long long)m->data_page_offset,
                       (long long)m->dictionary_page_offset, (long long)end);
    }
    return PQ_OK;
}

static PqRc check_chunk(const PqFooter *f, const PqLeaf *leaf,
                        PqColumnChunk *c, PqErr *e)
{
    PqColumnMetaData *m = &c->meta_data;
    const char *name;

    if (!PQ_HAS(c, PQ_CHUNK_META_DATA)) {
        return pq_fail(e, PQ_UNSUPPORTED, "the footer has no metadata for it");
    }
    if (m->type != (int)leaf->type.physical) {
        name = pq_physical_name(m->type);
        return pq_fail(e, PQ_CORRUPT, "a chunk of type %s (%d), the schema "
                                      "says %s",
                       name ? name : "unknown", m->type,
                       pq_physical_name((int)leaf->type.physical));
    }
    PQ_TRY(check_sizes(f, c, e));
    if (m->dictionary_page_offset == 0) {    /* the file's magic is there */
        m->has &= ~(1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET);
    }
    return PQ_OK;
}

/* Is that the path of the leaf?  Newer writers leave it out, and a name that is
** not valid UTF-8 was replaced. */
static bool is_path_of(const PqSliceList *names, const char *leaf)
{
    const char *begin = leaf;
    size_t left = strlen(leaf);

    for (uint32_t i = 0; i < names->n; i++) {
        PqSlice name = names->v[i];

        if (!pq_utf8_valid(name) || (name.n && memchr(name.p, 0, name.n))) {
            return true;
        }
        if (leaf > begin && left > 0 && *leaf == '.') {
            leaf++;
            left--;
        } else if (leaf > begin) {
            return false;
        }
        if (name.n > left || (name.n && memcmp(leaf, name.p, name.n) != 0)) {
            return false;
        }
        leaf += name.n;
        left -= name.n;
    }
    return names->n == 0 || left == 0;
}

/* Anyone can change a plaintext footer whose signature was not verified: give a
** column the name of another column, or a row group fewer rows.  The metadata
** of an encrypted column are authentic, and have to agree. */
static PqRc check_authentic(const PqFooter *f, uint32_t group,
                            const PqLeaf *leaf, const PqColumnMetaData *m,
                            PqErr *e)
{
    int64_t rows = f->groups[group].num_rows;

    if (!is_path_of(&m->path_in_schema, leaf->path)) {
        return pq_fail(e, PQ_CORRUPT, "its encrypted metadata are those of "
                       "another column: the footer was changed");
    }
    return m->num_values == rows || (leaf->max_rep > 0 && m->num_values > rows)
               ? PQ_OK
               : pq_fail(e, PQ_CORRUPT, "%lld values by its encrypted metadata, "
                         "and %lld rows by the footer, which was changed",
                         (long long)m->num_values, (long long)rows);
}

static PqRc unlock(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                   PqArena *a, PqColumnChunk *c, PqErr *e)
{
    if (f->locks) {
        PQ_TRY(pq_locks_chunk(f->locks, group, leaf->column, a, c, e));
        return c->lock && !f->locks->verified
                   ? check_authentic(f, group, leaf, &c->meta_data, e)
                   : PQ_OK;
    }
    c->lock = NULL;
    return !PQ_HAS(c, PQ_CHUNK_CRYPTO)
               ? PQ_OK
               : pq_fail(e, PQ_UNSUPPORTED, "the column is encrypted, but the "
                         "footer does not say how");
}

/* Those of a row group without ids in the file. */
static PqRc bounds_of_ids(const PqGroup *g, const PqMade *made, PqArena *a, PqColumnMetaData *out,
                          PqErr *e)
{
    int64_t *v, first = (int64_t)pq_load_u64(made->value.p);
    int64_t end = g->first_row + g->num_rows;

    if (made->fills || first < 0 || !g->num_rows || first > INT64_MAX - end) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(a, v, 2, e));
    v[0] = first + g->first_row;
    v[1] = first + end - 1;
    out->statistics.min_value = pq_slice(&v[0], sizeof v[0]);
    out->statistics.max_value = pq_slice(&v[1], sizeof v[1]);
    return PQ_OK;
}

/* A leaf that is not repeated has a value in each row, whatever its guide has. */
static PqRc chunk_of_made(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                       PqArena *a, PqColumnChunk *out, PqErr *e)
{
    const PqLeaf *guide = leaf->max_rep > 0 ? leaf->made->guide : NULL;
    int64_t n = f->groups[group].num_rows;

    if (guide) {
        PQ_TRY(pq_footer_chunk_of(f, group, guide, a, out, e));
        n = out->meta_data.num_values;
    }
    *out = (PqColumnChunk){
        .has = 1u << PQ_CHUNK_META_DATA,
        .meta_data = {.type = (int32_t)leaf->type.physical, .num_values = n,
                      .total_uncompressed_size = n}};
    return leaf->made->counts ? bounds_of_ids(&f->groups[group], leaf->made, a, &out->meta_data, e)
                              : PQ_OK;
}

PqRc pq_footer_chunk(const PqFooter *f, uint32_t group, uint32_t leaf,
                     PqArena *a, PqColumnChunk *out, PqErr *e)
{
    assert(leaf < f->schema.n_leaves);
    return pq_footer_chunk_of(f, group, &f->schema.leaves[leaf], a, out, e);
}

PqRc pq_footer_chunk_of(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                        PqArena *a, PqColumnChunk *out, PqErr *e)
{
    PqWhere outer = e->where;
    PqSlice bytes;
    PqRc rc;

    assert(group < f->n_groups);
    if (leaf->made) {
        return chunk_of_made(f, group, leaf, a, out, e);
    }
    bytes = f->file.row_groups.v[group].columns.v[leaf->column];
    e->where.row_group = (int)group;
    e->where.column = leaf->path;
    e->where.page = -1;
    e->where.offset = (int64_t)f->offset + (bytes.p - f->bytes.p);
    PQ_GO(pq_format_read_chunk(&bytes, a, out, e));
    e->where.offset = -1;
    PQ_GO(unlock(f, group, leaf, a, out, e));
    PQ_GO(check_chunk(f, leaf, out, e));
done:
    e->where = outer;
    return rc;
}
