/*
** file_write.c - writes row groups as they come, then indexes and footer.
**
** What is hard is memory: a file may have a million chunks.  The metadata of a
** chunk is kept as thrift bytes, but the offsets of its indexes are not known
** before the end.  So each chunk is parsed again when the footer is written,
** completed, and serialized once more.  The metadata of a column is complete
** when its row group is written, and sealed then.
*/
#include "core/write/file_write.h"

static const char magic[4] = {'P', 'A', 'R', '1'};
static const char sealed_magic[4] = {'P', 'A', 'R', 'E'};

/* A row group that is in the file but not in the footer yet.  Three pieces are
** kept for each of its chunks, in the order of the file: the thrift bytes of
** the ColumnChunk, without the offsets of its indexes, and both indexes. */
typedef struct Group {
    uint64_t n_rows, offset, packed, raw;
    uint32_t n_sorting;
} Group;

typedef enum Piece { CHUNK, COLUMN_INDEX, OFFSET_INDEX, PIECES } Piece;

/* A column of the key "geo", in all row groups. */
typedef struct Geometries {
    uint32_t    leaf;
    PqGeoBounds bounds;
} Geometries;

struct PqFileWrite {
    PqMem      *mem;
    const PqFileShape *shape;
    const PqFileSeal *seal;          /* NULL: in the clear                   */
    PqSink     *to;
    Group      *groups;
    uint32_t    n_groups, groups_room;
    uint64_t    n_rows;
    PqBuf       bytes[PIECES];
    PqBuf       lengths;             /* uint32_t, PIECES for each chunk      */
    PqBuf       sorting;             /* PqSortingColumn, of all groups       */
    Geometries *geo;                 /* of shape->geo's columns, or NULL     */
};

static PqRc make_geo(PqFileWrite *f, PqErr *e)
{
    const PqGeoParquet *geo = f->shape->geo;
    const PqNode *root = f->shape->schema->root;

    if (!geo || geo->n_columns == 0) {
        return PQ_OK;
    }
    f->geo = pq_mem_zeros(f->mem, geo->n_columns, sizeof *f->geo, e);
    for (uint32_t i = 0; f->geo && i < geo->n_columns; i++) {
        const PqGeoColumn *c = &geo->columns[i];

        for (uint32_t k = 0; k < root->n_children; k++) {
            if (strcmp(root->child[k]->name, c->name) == 0) {
                f->geo[i].leaf = root->child[k]->first_leaf;
            }
        }
        pq_geo_bounds_begin(&f->geo[i].bounds, c->algorithm != PQ_GEO_PLANAR, c->algorithm == 0);
    }
    return e->rc;
}

/* Is the footer sealed? */
static bool is_closed(const PqFileWrite *f)
{
    return f->seal && !f->seal->plan->how->plaintext_footer;
}

/* May the footer show what is in a leaf? */
static bool tells(const PqFileWrite *f, uint32_t leaf)
{
    return !f->seal || pq_seal_plan_tells(f->seal->plan, leaf);
}

static const char *magic_of(const PqFileWrite *f)
{
    return is_closed(f) ? sealed_magic : magic;
}

PqRc pq_file_write_new(PqMem *mem, const PqFileShape *shape,
                       const PqFileSeal *seal, PqSink *to, PqFileWrite **out,
                       PqErr *e)
{
    PqFileWrite *f;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, f, 1, e));
    f->mem = mem;
    f->shape = shape;
    f->seal = seal;
    f->to = to;
    for (int i = 0; i < PIECES; i++) {
        pq_buf_init(&f->bytes[i], mem, NULL);
    }
    pq_buf_init(&f->lengths, mem, NULL);
    pq_buf_init(&f->sorting, mem, NULL);
    if (make_geo(f, e) != PQ_OK ||
        pq_sink_write(to, magic_of(f), sizeof magic, e) != PQ_OK) {
        pq_file_write_free(f);
        return e->rc;
    }
    *out = f;
    return PQ_OK;
}

void pq_file_write_free(PqFileWrite *f)
{
    if (f) {
        for (int i = 0; i < PIECES; i++) {
            pq_buf_free(&f->bytes[i]);
        }
        pq_buf_free(&f->lengths);
        pq_buf_free(&f->sorting);
        pq_mem_free(f->geo);
        pq_mem_free(f->groups);
        pq_mem_free(f);
    }
}

uint64_t pq_file_write_bytes(const PqFileWrite *f)
{
    return pq_sink_offset(f->to);
}

size_t pq_file_write_memory(const PqFileWrite *f)
{
    size_t n = sizeof *f + f->groups_room * sizeof *f->groups +
               f->lengths.room + f->sorting.room +
               pq_file_seal_memory(f->seal) +
               (f->geo ? f->shape->geo->n_columns * sizeof *f->geo : 0);

    for (int i = 0; i < PIECES; i++) {
        n += f->bytes[i].room;
    }
    return n;
}

static PqRc write_chunk(PqFileWrite *f, const PqEndedChunk *w, uint32_t leaf,
                        PqSink *scratch, PqArena *a, Group *g,
                        PqColumnChunk *c, PqErr *e)
{
    PQ_TRY(w->kind->out(w->chunk, scratch, f->to, f->shape->stop, a,
                        &c->meta_data, e));
    c->has = 1u << PQ_CHUNK_FILE_OFFSET | 1u << PQ_CHUNK_META_DATA;
    c->meta_data.has |= 1u << PQ_COLUMN_PATH;
    c->meta_data.path_in_schema = f->shape->paths[leaf];
    g->packed += (uint64_t)c->meta_data.total_compressed_size;
    g->raw += (uint64_t)c->meta_data.total_uncompressed_size;
    return PQ_OK;
}

static PqRc write_chunks(PqFileWrite *f, const PqEndedChunk *chunks,
                         PqSink *scratch, PqArena *a, Group *g,
                         PqColumnChunk *out, PqErr *e)
{
    const PqSchema *schema = f->shape->schema;
    const char *outer = e->where.column;
    PqRc rc = PQ_OK;

    for (uint32_t i = 0; i < schema->n_leaves && rc == PQ_OK; i++) {
        e->where.column = schema->leaves[i].path;
        rc = write_chunk(f, &chunks[i], i, scratch, a, g, &out[i], e);
    }
    e->where.column = outer;         /* the schema need not outlive e */
    return rc;
}

static PqRc write_blooms(PqFileWrite *f, const PqEndedChunk *chunks,
                         PqSink *scratch, PqColumnChunk *out, PqErr *e)
{
    const char *outer = e->where.column;
    PqBuf b;
    PqRc rc = PQ_OK;

    pq_buf_init(&b, f->mem, e);
    for (uint32_t i = 0; i < f->shape->schema->n_leaves; i++) {
        PqColumnMetaData *m = &out[i].meta_data;

        e->where.column = f->shape->schema->leaves[i].path;
        b.n = 0;
        PQ_GO(chunks[i].kind->bloom(chunks[i].chunk, scratch, f->shape->stop, &b,
                                    e));
        if (b.n) {
            m->has |= 1u << PQ_COLUMN_BLOOM_OFFSET |
                      1u << PQ_COLUMN_BLOOM_LENGTH;
            m->bloom_filter_offset = (int64_t)pq_sink_offset(f->to);
            m->bloom_filter_length = (int32_t)b.n;
            PQ_GO(pq_sink_write(f->to, b.p, b.n, e));
        }
    }
done:
    e->where.column = outer;
    pq_buf_free(&b);
    return rc;
}

/* Fills in how a reader can open the chunk. */
static void describe_lock(const PqFileWrite *f, const PqKey *key, uint32_t leaf,
                          PqColumnCryptoMetaData *out)
{
    if (key == f->seal->footer.key) {
        out->has = 1u << PQ_CRYPTO_FOOTER_KEY;
        return;
    }
    out->has = 1u << PQ_CRYPTO_COLUMN_KEY;
    out->column_key = (PqColumnKey){
        .has = 1u << PQ_COLUMN_KEY_PATH | 1u << PQ_COLUMN_KEY_METADATA,
        .path_in_schema = f->shape->paths[leaf],
        .key_metadata = f->seal->leaf_metadata[leaf]};
}

/* Seals the metadata of a chunk, in a.  A sealed footer then has no other
** metadata for it.  A plaintext footer has what a reader without the key needs
** to leave the column out, and nothing about its values. */
static PqRc seal_meta(const PqFileWrite *f, const PqModule *module, PqArena *a,
                      PqColumnChunk *c, PqErr *e)
{
    const uint32_t tell_tales = 1u << PQ_COLUMN_STATISTICS |
                                1u << PQ_COLUMN_ENCODING_STATS |
                                1u << PQ_COLUMN_SIZE_STATISTICS |
                                1u << PQ_COLUMN_GEOSPATIAL_STATISTICS;
    PqBuf plain, sealed;
    char *p;
    PqRc rc;

    pq_buf_init(&plain, f->mem, e);
    pq_buf_init(&sealed, f->mem, NULL);
    pq_format_write_column_meta(&c->meta_data, &plain);
    PQ_GO(pq_buf_ok(&plain) ? PQ_OK : e->rc);
    PQ_GO(pq_module_seal(module, pq_buf_view(&plain), &sealed, e));
    p = pq_arena_text(a, sealed.p, sealed.n, e);
    PQ_GO(e->rc);
    c->has |= 1u << PQ_CHUNK_ENCRYPTED_META;
    c->encrypted_column_metadata = pq_slice(p, sealed.n);
    c->has &= ~(is_closed(f) ? 1u << PQ_CHUNK_META_DATA : 0);
    c->meta_data.has &= ~tell_tales;
done:
    pq_buf_free(&plain);
    pq_buf_free(&sealed);
    return rc;
}

/* Adds to the metadata of a written chunk what an encrypted file needs. */
static PqRc seal_chunk(const PqFileWrite *f, uint32_t leaf, PqArena *a,
                       PqColumnChunk *c, PqErr *e)
{
    PqModule m = {PQ_MODULE_COLUMN_META, (int)f->n_groups, (int)leaf, -1,
                  pq_file_seal_lock(f->seal, leaf)};

    if (!m.lock) {
        return PQ_OK;
    }
    c->has |= 1u << PQ_CHUNK_CRYPTO;
    describe_lock(f, m.lock->key, leaf, &c->crypto_metadata);
    return tells(f, leaf) ? PQ_OK : seal_meta(f, &m, a, c, e);
}

static PqRc keep_indexes(PqFileWrite *f, const PqEndedChunk *w, uint32_t leaf,
                         PqErr *e)
{
    PqModule m = {PQ_MODULE_COLUMN_INDEX, (int)f->n_groups, (int)leaf, -1,
                  pq_file_seal_lock(f->seal, leaf)};
    PqBuf columns, offsets;
    PqRc rc;

    pq_buf_init(&columns, f->mem, e);
    pq_buf_init(&offsets, f->mem, e);
    PQ_GO(w->kind->indexes(w->chunk, &columns, &offsets, e));
    if (columns.n) {
        PQ_GO(pq_module_seal(&m, pq_buf_view(&columns), &f->bytes[COLUMN_INDEX],
                             e));
    }
    m.kind = PQ_MODULE_OFFSET_INDEX;
    if (offsets.n) {
        PQ_GO(pq_module_seal(&m, pq_buf_view(&offsets), &f->bytes[OFFSET_INDEX],
                             e));
    }
    rc = e->rc;
done:
    pq_buf_free(&columns);
    pq_buf_free(&offsets);
    return rc;
}

/* Keeps a chunk's metadata and its indexes until the end of the file. */
static PqRc keep_chunk(PqFileWrite *f, const PqEndedChunk *w, uint32_t leaf,
                       const PqColumnChunk *c, PqErr *e)
{
    size_t had[PIECES];

    for (int i = 0; i < PIECES; i++) {
        had[i] = f->bytes[i].n;
    }
    f->bytes[CHUNK].sink = e;
    pq_format_write_chunk(c, &f->bytes[CHUNK]);
    f->bytes[CHUNK].sink = NULL;     /* e may be gone by the next call */
    PQ_TRY(e->rc);
    PQ_TRY(keep_indexes(f, w, leaf, e));
    for (int i = 0; i < PIECES; i++) {
        uint32_t n = (uint32_t)(f->bytes[i].n - had[i]);

        PQ_TRY(pq_buf_append(&f->lengths, &n, sizeof n, e));
    }
    return PQ_OK;
}

static PqRc keep_chunks(PqFileWrite *f, const PqEndedChunk *chunks, PqArena *a,
                        PqColumnChunk *made, PqErr *e)
{
    const PqSchema *schema = f->shape->schema;
    const char *outer = e->where.column;
    PqRc rc = PQ_OK;

    for (uint32_t i = 0; i < schema->n_leaves; i++) {
        e->where.column = schema->leaves[i].path;
        PQ_GO(seal_chunk(f, i, a, &made[i], e));
        PQ_GO(keep_chunk(f, &chunks[i], i, &made[i], e));
    }
done:
    e->where.column = outer;
    return rc;
}

PqRc pq_file_write_group(PqFileWrite *f, const PqEndedChunk *chunks,
                         uint64_t n_rows, const PqSortingColumn *sorting,
                         uint32_t n_sorting, PqSink *scratch, PqErr *e)
{
    uint32_t n_leaves = f->shape->schema->n_leaves;
    Group g = {.n_rows = n_rows, .offset = pq_sink_offset(f->to),
               .n_sorting = n_sorting};
    PqColumnChunk *made;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, f->mem);
    PQ_GO(PQ_ARENA_NEW(&a, made, n_leaves + (size_t)1, e));
    PQ_GO(PQ_GROW(f->mem, f->groups, f->n_groups, f->groups_room, e));
    PQ_GO(pq_buf_append(&f->sorting, sorting, n_sorting * sizeof *sorting, e));
    PQ_GO(write_chunks(f, chunks, scratch, &a, &g, made, e));
    PQ_GO(write_blooms(f, chunks, scratch, made, e));
    PQ_GO(keep_chunks(f, chunks, &a, made, e));
    for (uint32_t i = 0; f->geo && i < f->shape->geo->n_columns; i++) {
        const PqGeoBounds *of = chunks[f->geo[i].leaf].geo;

        if (of) {
            pq_geo_bounds_join(&f->geo[i].bounds, of);
        } else {
            f->geo[i].bounds.invalid = true;     /* nobody looked at them */
        }
    }
    f->groups[f->n_groups++] = g;
    f->n_rows += n_rows;
done:
    pq_arena_free(&a);
    return rc;
}

/* ---- the end ---- */

/* The positions of the next chunk's pieces in the buffers, and of its indexes
** in the file. */
typedef struct Walk {
    const uint32_t *length;          /* PIECES of them                       */
    size_t   at[PIECES];
    uint64_t base[PIECES];           /* of the indexes                       */
} Walk;

static void place(const Walk *w, PqColumnChunk *c)
{
    if (w->length[COLUMN_INDEX]) {
        c->has |= 1u << PQ_CHUNK_COLUMN_INDEX_OFFSET |
                  1u << PQ_CHUNK_COLUMN_INDEX_LENGTH;
        c->column_index_offset =
            (int64_t)(w->base[COLUMN_INDEX] + w->at[COLUMN_INDEX]);
        c->column_index_length = (int32_t)w->length[COLUMN_INDEX];
    }
    if (w->length[OFFSET_INDEX]) {
        c->has |= 1u << PQ_CHUNK_OFFSET_INDEX_OFFSET |
                  1u << PQ_CHUNK_OFFSET_INDEX_LENGTH;
        c->offset_index_offset =
            (int64_t)(w->base[OFFSET_INDEX] + w->at[OFFSET_INDEX]);
        c->offset_index_length = (int32_t)w->length[OFFSET_INDEX];
    }
}

/* Completes the next chunk with the offsets of its indexes; the bytes for the
** footer are in a. */
static PqRc next_chunk(const PqFileWrite *f, Walk *w, PqArena *scratch,
                       PqBuf *b, PqArena *a, PqSlice *out, PqErr *e)
{
    PqSlice kept = pq_slice(f->bytes[CHUNK].p + w->at[CHUNK], w->length[CHUNK]);
    PqColumnChunk c;

    pq_arena_reset(scratch);
    PQ_TRY(pq_format_read_chunk(&kept, scratch, &c, e));
    place(w, &c);
    b->n = 0;
    pq_format_write_chunk(&c, b);
    PQ_TRY(e->rc);
    *out = pq_slice(pq_arena_text(a, b->p, b->n, e), b->n);
    PQ_TRY(e->rc);
    for (int i = 0; i < PIECES; i++) {
        w->at[i] += w->length[i];
    }
    w->length += PIECES;
    return PQ_OK;
}

static PqRc group_chunks(const PqFileWrite *f, Walk *w, PqArena *a,
                         PqSliceList *out, PqErr *e)
{
    uint32_t n_leaves = f->shape->schema->n_leaves;
    PqArena scratch;
    PqBuf b;
    PqRc rc = PQ_OK;

    pq_arena_init(&scratch, f->mem);
    pq_buf_init(&b, f->mem, e);
    out->n = n_leaves;
    out->v = pq_arena_alloc(a, (n_leaves + (size_t)1) * sizeof *out->v, e);
    PQ_GO(out->v ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n_leaves; i++) {
        PQ_GO(next_chunk(f, w, &scratch, &b, a, &out->v[i], e));
    }
done:
    pq_arena_free(&scratch);
    pq_buf_free(&b);
    return rc;
}

static PqRc row_groups(const PqFileWrite *f, Walk *w, PqArena *a,
                       PqRowGroupList *out, PqErr *e)
{
    PqSortingColumn *sorting = (void *)f->sorting.p;
    uint64_t n_sorting = 0;          /* of the groups before */

    out->v = pq_arena_zeros(a, f->n_groups + (size_t)1, sizeof *out->v, e);
    out->n = f->n_groups;
    PQ_TRY(out->v ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < f->n_groups; i++) {
        const Group *g = &f->groups[i];
        PqRowGroup *to = &out->v[i];

        *to = (PqRowGroup){
            .has = 1u << PQ_ROW_GROUP_COLUMNS | 1u << PQ_ROW_GROUP_BYTES |
                   1u << PQ_ROW_GROUP_ROWS | 1u << PQ_ROW_GROUP_FILE_OFFSET |
                   1u << PQ_ROW_GROUP_COMPRESSED,
            .total_byte_size = (int64_t)g->raw,
            .num_rows = (int64_t)g->n_rows,
            .sorting_columns = {g->n_sorting ? sorting + n_sorting : NULL,
                                g->n_sorting},
            .file_offset = (int64_t)g->offset,
            .total_compressed_size = (int64_t)g->packed,
            .ordinal = (int16_t)i,
        };
        to->has |= g->n_sorting ? 1u << PQ_ROW_GROUP_SORTING : 0;
        to->has |= i <= INT16_MAX ? 1u << PQ_ROW_GROUP_ORDINAL : 0;
        n_sorting += g->n_sorting;
        PQ_TRY(pq_stop_poll(f->shape->stop, e));
        PQ_TRY(group_chunks(f, w, a, &to->columns, e));
    }
    return PQ_OK;
}

static void describe_geo(const PqGeoBounds *b, PqGeoColumn *out)
{
    int32_t codes[PQ_GEO_CODES];
    uint32_t n = pq_geo_bounds_codes(b, codes);

    out->has_box = pq_geo_bounds_box(b, &out->box);
    for (uint32_t i = 0; i < n && i < PQ_COUNT(out->codes); i++) {
        out->codes[out->n_codes++] = (uint32_t)codes[i];
    }
}

/* Appends the key "geo" to the keys of the file, in a. */
static PqRc geo_key(const PqFileWrite *f, PqArena *a, PqKeyValueList *keys,
                    PqErr *e)
{
    const PqFileShape *s = f->shape;
    PqGeoParquet geo = *s->geo;
    PqKeyValue *v = pq_arena_zeros(a, keys->n + (size_t)1, sizeof *v, e);
    PqSlice value;
    PqBuf b;

    geo.columns = pq_arena_zeros(a, geo.n_columns, sizeof *geo.columns, e);
    PQ_TRY(v && geo.columns ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < geo.n_columns; i++) {
        geo.columns[i] = s->geo->columns[i];
        if (tells(f, f->geo[i].leaf)) {
            describe_geo(&f->geo[i].bounds, &geo.columns[i]);
        }
    }
    pq_buf_init(&b, f->mem, e);
    pq_geoparquet_write(&geo, &b);
    value.n = b.n;
    value.p = (const uint8_t *)pq_arena_take(a, &b);
    PQ_TRY(e->rc);
    if (keys->n) {
        memcpy(v, keys->v, keys->n * sizeof *v);
    }
    v[keys->n++] = (PqKeyValue){
        .has = 1u << PQ_KEY_VALUE_KEY | 1u << PQ_KEY_VALUE_VALUE,
        .key = pq_slice_text("geo"), .value = value};
    keys->v = v;
    return PQ_OK;
}

/* How the file is encrypted, for the reader. */
static PqEncryptionAlgorithm algorithm_of(const PqFileSeal *s)
{
    const PqEncryption *how = s->plan->how;
    const char *prefix = how->keys.aad_prefix;
    PqAesSettings aes = {
        .has = 1u << PQ_AES_UNIQUE,
        .aad_prefix = pq_slice_text(prefix),
        .aad_file_unique = pq_slice(s->unique, sizeof s->unique),
        .supply_aad_prefix = true,
    };

    if (prefix) {
        aes.has |= 1u << (how->hide_aad_prefix ? PQ_AES_SUPPLY_PREFIX
                                               : PQ_AES_PREFIX);
    }
    return (PqEncryptionAlgorithm){
        .has = 1u << (how->ctr ? PQ_ENCRYPTION_GCM_CTR : PQ_ENCRYPTION_GCM),
        .gcm = aes, .gcm_ctr = aes};
}

static PqRc describe(const PqFileWrite *f, Walk *w, PqArena *a,
                     PqFileMetaData *out, PqErr *e)
{
    const PqFileShape *s = f->shape;

    *out = (PqFileMetaData){
        .has = 1u << PQ_FILE_VERSION | 1u << PQ_FILE_SCHEMA |
               1u << PQ_FILE_NUM_ROWS | 1u << PQ_FILE_ROW_GROUPS |
               1u << PQ_FILE_CREATED_BY | 1u << PQ_FILE_COLUMN_ORDERS,
        .version = 1,                /* the format asks all writers for it   */
        .schema = *s->elements,
        .num_rows = (int64_t)f->n_rows,
        .key_value_metadata = {(PqKeyValue *)s->key_values, s->n_key_values},
        .created_by = pq_slice_text(s->created_by),
        .column_orders = {(PqColumnOrder *)s->orders, s->schema->n_leaves},
    };
    if (f->seal && !is_closed(f)) {
        out->has |= 1u << PQ_FILE_ENCRYPTION | 1u << PQ_FILE_SIGNING_KEY;
        out->encryption_algorithm = algorithm_of(f->seal);
        out->footer_signing_key_metadata = f->seal->footer_metadata;
    }
    if (f->geo) {
        PQ_TRY(geo_key(f, a, &out->key_value_metadata, e));
    }
    out->has |= out->key_value_metadata.n ? 1u << PQ_FILE_KEY_VALUES : 0;
    return row_groups(f, w, a, &out->row_groups, e);
}

static PqRc write_indexes(PqFileWrite *f, Walk *w, Piece which, PqErr *e)
{
    w->base[which] = pq_sink_offset(f->to);
    return pq_sink_write(f->to, f->bytes[which].p, f->bytes[which].n, e);
}

/* Appends to out the parts that an encrypted file has in place of
** FileMetaData. */
static PqRc seal_footer(const PqFileWrite *f, PqSlice plain, PqBuf *out,
                        PqErr *e)
{
    const PqModule footer = {PQ_MODULE_FOOTER, -1, -1, -1, &f->seal->footer};
    const PqFileCryptoMetaData crypto = {
        .has = 1u << PQ_FILE_CRYPTO_ALGORITHM | 1u << PQ_FILE_CRYPTO_KEY,
        .encryption_algorithm = algorithm_of(f->seal),
        .key_metadata = f->seal->footer_metadata};
    uint8_t signature[PQ_SIGNATURE_BYTES];

    if (is_closed(f)) {
        pq_format_write_file_crypto(&crypto, out);
        return pq_buf_ok(out) ? pq_module_seal(&footer, plain, out, e) : e->rc;
    }
    PQ_TRY(pq_module_sign(&footer, plain, signature, e));
    PQ_TRY(pq_buf_reserve(out, plain.n + sizeof signature, e));
    pq_buf_add(out, plain.p, plain.n);
    pq_buf_add(out, signature, sizeof signature);
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

static PqRc write_tail(PqFileWrite *f, PqSlice footer, PqErr *e)
{
    uint8_t tail[8];

    if (footer.n > INT32_MAX) {
        return pq_fail(e, PQ_USAGE, "a footer of %zu bytes: the format allows "
                       "2147483647; larger row groups, or several files, make "
                       "it smaller", footer.n);
    }
    pq_store_u32(tail, (uint32_t)footer.n);
    memcpy(tail + 4, magic_of(f), sizeof magic);
    PQ_TRY(pq_sink_write(f->to, footer.p, footer.n, e));
    return pq_sink_write(f->to, tail, sizeof tail, e);
}

static PqRc write_footer(PqFileWrite *f, const PqFileMetaData *file, PqErr *e)
{
    PqBuf plain, sealed;
    PqRc rc;

    pq_buf_init(&plain, f->mem, e);
    pq_buf_init(&sealed, f->mem, e);
    pq_format_write_file(file, &plain);
    PQ_GO(pq_buf_ok(&plain) ? PQ_OK : e->rc);
    if (f->seal && plain.n <= INT32_MAX) {
        PQ_GO(seal_footer(f, pq_buf_view(&plain), &sealed, e));
        pq_buf_free(&plain);
    }
    PQ_GO(write_tail(f, pq_buf_view(sealed.n ? &sealed : &plain), e));
done:
    pq_buf_free(&plain);
    pq_buf_free(&sealed);
    return rc;
}

PqRc pq_file_write_end(PqFileWrite *f, PqErr *e)
{
    Walk w = {.length = (const void *)f->lengths.p};
    PqFileMetaData file;
    PqArena a;
    PqRc rc;

    pq_arena_init(&a, f->mem);
    PQ_GO(write_indexes(f, &w, COLUMN_INDEX, e));
    PQ_GO(write_indexes(f, &w, OFFSET_INDEX, e));
    PQ_GO(describe(f, &w, &a, &file, e));
    PQ_GO(write_footer(f, &file, e));
done:
    pq_arena_free(&a);
    return rc;
}

PqRc pq_file_write_paths(const PqSchemaElementList *elements, uint32_t n_leaves,
                         PqArena *a, PqSliceList **out, PqErr *e)
{
    typedef struct Open { uint32_t element; int32_t left; } Open;
    PqSliceList *paths = pq_arena_zeros(a, n_leaves + (size_t)1,
                                        sizeof *paths, e);
    Open *open = pq_arena_alloc(a, (elements->n + (size_t)1) * sizeof *open, e);
    uint32_t depth = 0, leaf = 0;

    PQ_TRY(paths && open ? PQ_OK : e->rc);
    for (uint32_t i = 1; i < elements->n; i++) {
        const PqSchemaElement *el = &elements->v[i];

        open[depth++] = (Open){i, PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN)
                                      ? el->num_children : 0};
        if (PQ_HAS(el, PQ_SCHEMA_TYPE) && leaf < n_leaves) {
            PqSlice *v = pq_arena_alloc(a, depth * sizeof *v, e);

            PQ_TRY(v ? PQ_OK : e->rc);
            for (uint32_t d = 0; d < depth; d++) {
                v[d] = elements->v[open[d].element].name;
            }
            paths[leaf++] = (PqSliceList){v, depth};
        }
        while (depth && open[depth - 1].left == 0) {
            depth--;
            if (depth) {
                open[depth - 1].left--;
            }
        }
    }
    *out = paths;
    return PQ_OK;
}
