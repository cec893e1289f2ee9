/*
** file_write.c
*/
#include "core/write/file_write.h"

static const char magic[4] = {'P', 'A', 'R', '1'};

/* A row group that is in the file, but for the footer. */
typedef struct Group {
    uint64_t         n_rows;
    PqColumnChunk   *chunks;
    PqSortingColumnList sorting;
    uint64_t         offset, packed, raw;
} Group;

/* Where an index lies in the buffer of its kind. */
typedef struct Piece { size_t at, n; } Piece;

struct PqFileWrite {
    PqMem      *mem;
    const PqFileShape *shape;
    PqSink     *to;
    PqArena     arena;
    Group      *groups;
    uint32_t    n_groups, groups_room;
    uint64_t    n_rows;
    PqBuf       column_indexes, offset_indexes;
    Piece      *pieces;              /* two per chunk: column, offset index  */
    size_t      n_pieces, pieces_room;
};

PqRc pq_file_write_new(PqMem *mem, const PqFileShape *shape, PqSink *to,
                       PqFileWrite **out, PqErr *e)
{
    PqFileWrite *f = pq_mem_zeros(mem, 1, sizeof *f, e);

    *out = NULL;
    if (!f) {
        return e->rc;
    }
    f->mem = mem;
    f->shape = shape;
    f->to = to;
    pq_arena_init(&f->arena, mem);
    pq_buf_init(&f->column_indexes, mem, NULL);
    pq_buf_init(&f->offset_indexes, mem, NULL);
    if (pq_sink_write(to, magic, sizeof magic, e) != PQ_OK) {
        pq_file_write_free(f);
        return e->rc;
    }
    *out = f;
    return PQ_OK;
}

void pq_file_write_free(PqFileWrite *f)
{
    if (f) {
        pq_buf_free(&f->column_indexes);
        pq_buf_free(&f->offset_indexes);
        pq_mem_free(f->pieces);
        pq_mem_free(f->groups);
        pq_arena_free(&f->arena);
        pq_mem_free(f);
    }
}

uint64_t pq_file_write_rows(const PqFileWrite *f)
{
    return f->n_rows;
}

uint64_t pq_file_write_bytes(const PqFileWrite *f)
{
    return pq_sink_offset(f->to);
}

uint32_t pq_file_write_groups(const PqFileWrite *f)
{
    return f->n_groups;
}

static PqRc room_for_group(PqFileWrite *f, PqErr *e)
{
    size_t n = f->n_pieces + 2 * (size_t)f->shape->schema->n_leaves;
    void *p;

    if (f->n_groups == f->groups_room) {
        uint32_t room = f->groups_room ? f->groups_room * 2 : 4;

        if (!(p = pq_mem_resize(f->mem, f->groups, room * sizeof *f->groups,
                                e))) {
            return e->rc;
        }
        f->groups = p;
        f->groups_room = room;
    }
    if (n > f->pieces_room) {
        size_t room = n > 2 * f->pieces_room ? n : 2 * f->pieces_room;

        if (!(p = pq_mem_resize(f->mem, f->pieces, room * sizeof *f->pieces,
                                e))) {
            return e->rc;
        }
        f->pieces = p;
        f->pieces_room = room;
    }
    return PQ_OK;
}

static PqRc keep_indexes(PqFileWrite *f, PqChunkWrite *w, PqErr *e)
{
    size_t column = f->column_indexes.n, offset = f->offset_indexes.n;

    PQ_TRY(pq_chunk_write_indexes(w, &f->column_indexes, &f->offset_indexes,
                                  e));
    f->pieces[f->n_pieces++] = (Piece){column, f->column_indexes.n - column};
    f->pieces[f->n_pieces++] = (Piece){offset, f->offset_indexes.n - offset};
    return PQ_OK;
}

static PqRc write_chunk(PqFileWrite *f, PqChunkWrite *w, uint32_t leaf,
                        PqSink *scratch, Group *g, PqErr *e)
{
    PqColumnChunk *c = &g->chunks[leaf];

    e->where.column = f->shape->schema->leaves[leaf].path;
    PQ_TRY(pq_chunk_write_out(w, scratch, f->to, &f->arena, &c->meta_data, e));
    c->has = 1u << PQ_CHUNK_FILE_OFFSET | 1u << PQ_CHUNK_META_DATA;
    c->meta_data.has |= 1u << PQ_COLUMN_PATH;
    c->meta_data.path_in_schema = f->shape->paths[leaf];
    g->packed += (uint64_t)c->meta_data.total_compressed_size;
    g->raw += (uint64_t)c->meta_data.total_uncompressed_size;
    PQ_TRY(keep_indexes(f, w, e));
    e->where.column = NULL;
    return PQ_OK;
}

static PqRc write_blooms(PqFileWrite *f, PqChunkWrite *const *chunks, Group *g,
                         PqErr *e)
{
    PqBuf b;
    PqRc rc = PQ_OK;

    pq_buf_init(&b, f->mem, e);
    for (uint32_t i = 0; i < f->shape->schema->n_leaves; i++) {
        PqColumnMetaData *m = &g->chunks[i].meta_data;

        b.n = 0;
        PQ_GO(pq_chunk_write_bloom(chunks[i], &b, e));
        if (b.n) {
            m->has |= 1u << PQ_COLUMN_BLOOM_OFFSET |
                      1u << PQ_COLUMN_BLOOM_LENGTH;
            m->bloom_filter_offset = (int64_t)pq_sink_offset(f->to);
            m->bloom_filter_length = (int32_t)b.n;
            PQ_GO(pq_sink_write(f->to, b.p, b.n, e));
        }
    }
done:
    pq_buf_free(&b);
    return rc;
}

PqRc pq_file_write_group(PqFileWrite *f, PqChunkWrite *const *chunks,
                         uint64_t n_rows, const PqSortingColumn *sorting,
                         uint32_t n_sorting, PqSink *scratch, PqErr *e)
{
    uint32_t n_leaves = f->shape->schema->n_leaves;
    Group g = {.n_rows = n_rows, .offset = pq_sink_offset(f->to)};

    g.chunks = pq_arena_zeros(&f->arena, n_leaves ? n_leaves : 1,
                              sizeof *g.chunks, e);
    g.sorting.v = pq_arena_alloc(&f->arena,
                                 (n_sorting + 1) * sizeof *sorting, e);
    if (!g.chunks || !g.sorting.v) {
        return e->rc;
    }
    g.sorting.n = n_sorting;
    if (n_sorting) {
        memcpy(g.sorting.v, sorting, n_sorting * sizeof *sorting);
    }
    PQ_TRY(room_for_group(f, e));
    for (uint32_t i = 0; i < n_leaves; i++) {
        PQ_TRY(write_chunk(f, chunks[i], i, scratch, &g, e));
    }
    PQ_TRY(write_blooms(f, chunks, &g, e));
    f->groups[f->n_groups++] = g;
    f->n_rows += n_rows;
    return PQ_OK;
}

/* All indexes of one kind; which is 0 for column, 1 for offset indexes. */
static PqRc write_indexes(PqFileWrite *f, const PqBuf *bytes, size_t which,
                          PqErr *e)
{
    uint64_t base = pq_sink_offset(f->to);
    uint32_t n_leaves = f->shape->schema->n_leaves;

    for (uint32_t g = 0; g < f->n_groups; g++) {
        for (uint32_t i = 0; i < n_leaves; i++) {
            PqColumnChunk *c = &f->groups[g].chunks[i];
            Piece p = f->pieces[2 * ((size_t)g * n_leaves + i) + which];

            if (p.n == 0) {
                continue;
            }
            if (which == 0) {
                c->has |= 1u << PQ_CHUNK_COLUMN_INDEX_OFFSET |
                          1u << PQ_CHUNK_COLUMN_INDEX_LENGTH;
                c->column_index_offset = (int64_t)(base + p.at);
                c->column_index_length = (int32_t)p.n;
            } else {
                c->has |= 1u << PQ_CHUNK_OFFSET_INDEX_OFFSET |
                          1u << PQ_CHUNK_OFFSET_INDEX_LENGTH;
                c->offset_index_offset = (int64_t)(base + p.at);
                c->offset_index_length = (int32_t)p.n;
            }
        }
    }
    return pq_sink_write(f->to, bytes->p, bytes->n, e);
}

/* The chunks of a group as bytes, which is how the footer takes them. */
static PqRc chunk_bytes(PqFileWrite *f, Group *g, PqSliceList *out, PqErr *e)
{
    uint32_t n_leaves = f->shape->schema->n_leaves;
    PqBuf b;
    PqRc rc = PQ_OK;

    pq_buf_init(&b, f->mem, e);
    out->v = pq_arena_alloc(&f->arena, (n_leaves + 1) * sizeof *out->v, e);
    out->n = n_leaves;
    if (!out->v) {
        rc = e->rc;
        goto done;
    }
    for (uint32_t i = 0; i < n_leaves; i++) {
        uint8_t *p;

        b.n = 0;
        pq_format_write_chunk(&g->chunks[i], &b);
        if (!pq_buf_ok(&b) || !(p = pq_arena_bytes(&f->arena, b.n, e))) {
            rc = e->rc;
            goto done;
        }
        memcpy(p, b.p, b.n);
        out->v[i] = pq_slice(p, b.n);
    }
done:
    pq_buf_free(&b);
    return rc;
}

static PqRc row_groups(PqFileWrite *f, PqRowGroupList *out, PqErr *e)
{
    out->v = pq_arena_zeros(&f->arena, f->n_groups + (size_t)1,
                            sizeof *out->v, e);
    out->n = f->n_groups;
    if (!out->v) {
        return e->rc;
    }
    for (uint32_t i = 0; i < f->n_groups; i++) {
        Group *g = &f->groups[i];
        PqRowGroup *to = &out->v[i];

        *to = (PqRowGroup){
            .has = 1u << PQ_ROW_GROUP_COLUMNS | 1u << PQ_ROW_GROUP_BYTES |
                   1u << PQ_ROW_GROUP_ROWS | 1u << PQ_ROW_GROUP_FILE_OFFSET |
                   1u << PQ_ROW_GROUP_COMPRESSED,
            .total_byte_size = (int64_t)g->raw,
            .num_rows = (int64_t)g->n_rows,
            .sorting_columns = g->sorting,
            .file_offset = (int64_t)g->offset,
            .total_compressed_size = (int64_t)g->packed,
            .ordinal = (int16_t)i,
        };
        to->has |= g->sorting.n ? 1u << PQ_ROW_GROUP_SORTING : 0;
        to->has |= i <= INT16_MAX ? 1u << PQ_ROW_GROUP_ORDINAL : 0;
        PQ_TRY(chunk_bytes(f, g, &to->columns, e));
    }
    return PQ_OK;
}

static PqRc describe(PqFileWrite *f, PqFileMetaData *out, PqErr *e)
{
    const PqFileShape *s = f->shape;

    *out = (PqFileMetaData){
        .has = 1u << PQ_FILE_VERSION | 1u << PQ_FILE_SCHEMA |
               1u << PQ_FILE_NUM_ROWS | 1u << PQ_FILE_ROW_GROUPS |
               1u << PQ_FILE_CREATED_BY | 1u << PQ_FILE_COLUMN_ORDERS,
        .version = 1,                /* as the format wants it of any writer */
        .schema = *s->elements,
        .num_rows = (int64_t)f->n_rows,
        .key_value_metadata = {(PqKeyValue *)s->key_values, s->n_key_values},
        .created_by = pq_slice_text(s->created_by),
        .column_orders = {(PqColumnOrder *)s->orders, s->schema->n_leaves},
    };
    out->has |= s->n_key_values ? 1u << PQ_FILE_KEY_VALUES : 0;
    return row_groups(f, &out->row_groups, e);
}

PqRc pq_file_write_end(PqFileWrite *f, PqErr *e)
{
    PqFileMetaData file;
    uint8_t tail[8];
    PqBuf b;
    PqRc rc;

    pq_buf_init(&b, f->mem, e);
    PQ_GO(write_indexes(f, &f->column_indexes, 0, e));
    PQ_GO(write_indexes(f, &f->offset_indexes, 1, e));
    PQ_GO(describe(f, &file, e));
    pq_format_write_file(&file, &b);
    if (!pq_buf_ok(&b)) {
        rc = e->rc;
        goto done;
    }
    if (b.n > INT32_MAX) {
        rc = pq_fail(e, PQ_USAGE, "a footer of %zu bytes: the format holds no "
                     "more than 2147483647; larger row groups, or several "
                     "files, make it smaller", b.n);
        goto done;
    }
    pq_store_u32(tail, (uint32_t)b.n);
    memcpy(tail + 4, magic, sizeof magic);
    PQ_GO(pq_sink_write(f->to, b.p, b.n, e));
    PQ_GO(pq_sink_write(f->to, tail, sizeof tail, e));
done:
    pq_buf_free(&b);
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

    if (!paths || !open) {
        return e->rc;
    }
    for (uint32_t i = 1; i < elements->n; i++) {
        const PqSchemaElement *el = &elements->v[i];

        open[depth++] = (Open){i, PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN)
                                      ? el->num_children : 0};
        if (PQ_HAS(el, PQ_SCHEMA_TYPE) && leaf < n_leaves) {
            PqSlice *v = pq_arena_alloc(a, depth * sizeof *v, e);

            if (!v) {
                return e->rc;
            }
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
