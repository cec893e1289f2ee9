/*
** face_file.c - shows what a file says about itself, and verifies it.
*/
#include "core/face/face.h"

#include "core/meta/plain_text.h"
#include "core/verify/verify.h"

_Static_assert((int)PARQUET_NOTE == PQ_FINDING_NOTE &&
               (int)PARQUET_WARNING == PQ_FINDING_WARNING, "severities");

struct ParquetFile {
    FaceHead        h;
    PqListing       listing;
    PqInput         in;
    PqFooter       *footer;
    PqArena         texts;           /* of the chunk                           */
    ParquetFileInfo info;
    ParquetLeaf    *leaves;
    ParquetChunk    chunk;
};

static PqRc show(ParquetFile *f)
{
    const PqFileMetaData *m = &f->footer->file;
    const PqSchema *schema = &f->footer->schema;
    PqErr *e = &f->h.e;

    f->info = (ParquetFileInfo){
        .n_rows = f->footer->n_rows, .n_row_groups = (int)f->footer->n_groups,
        .n_leaves = (int)schema->n_leaves,
        .n_key_values = (int)m->key_value_metadata.n,
        .created_by = pq_arena_text(&f->h.arena, m->created_by.p, m->created_by.n, e),
        .encrypted = f->footer->locks != NULL,
    };
    f->leaves = pq_arena_zeros(&f->h.arena, schema->n_leaves + 1u, sizeof *f->leaves, e);
    for (uint32_t i = 0; f->leaves && i < schema->n_leaves; i++) {
        const PqLeaf *leaf = &schema->leaves[i];

        f->leaves[i] = (ParquetLeaf){leaf->path, pq_face_type(&leaf->type),
                                     pq_face_type_name(&leaf->type, &f->h),
                                     leaf->max_def, leaf->max_rep};
    }
    return e->rc;
}

static PqRc open_file(ParquetFile *f, const char *path)
{
    pq_arena_init(&f->texts, f->h.mem);
    PQ_TRY(pq_face_list(&f->h, path, 0, &f->listing));
    if (f->listing.n_files != 1) {
        return pq_fail(&f->h.e, PQ_USAGE, "%s has %u files, and parquet_file_open() takes "
                       "one", path, f->listing.n_files);
    }
    PQ_TRY(pq_engine_open(f->h.p->engine, &f->listing, f->listing.files[0].path,
                          &f->in.source, &f->footer, &f->h.e));
    f->h.e.where.file = f->listing.files[0].path;
    return show(f);
}

ParquetCode parquet_file_open(Parquet *p, const char *path, ParquetFile **out)
{
    ParquetFile *f = pq_face_new(p, sizeof *f);

    if (f && open_file(f, path) != PQ_OK) {
        pq_face_end(&f->h);
        parquet_file_close(f);
        f = NULL;
    }
    *out = f;
    return f ? PARQUET_OK : p->error.code;
}

void parquet_file_close(ParquetFile *f)
{
    if (f) {
        pq_footer_release(f->footer);
        pq_source_close(f->in.source);
        pq_listing_free(&f->listing);
        pq_arena_free(&f->texts);
        pq_face_free(&f->h);
    }
}

const ParquetFileInfo *parquet_file_info(const ParquetFile *f)
{
    return &f->info;
}

const ParquetLeaf *parquet_file_leaf(const ParquetFile *f, int leaf)
{
    return leaf >= 0 && leaf < f->info.n_leaves ? &f->leaves[leaf] : NULL;
}

bool parquet_file_key_value(const ParquetFile *f, int i, ParquetBytes *key,
                            ParquetBytes *value)
{
    const PqKeyValue *v = f->footer->file.key_value_metadata.v;

    if (i < 0 || i >= f->info.n_key_values) {
        return false;
    }
    *key = (ParquetBytes){v[i].key.p, (uint32_t)v[i].key.n};
    *value = (ParquetBytes){v[i].value.p, (uint32_t)v[i].value.n};
    return true;
}

bool parquet_file_row_group(const ParquetFile *f, int i, ParquetRowGroup *out)
{
    const PqGroup *g = f->footer->groups;

    if (i < 0 || i >= f->info.n_row_groups) {
        return false;
    }
    *out = (ParquetRowGroup){g[i].num_rows, g[i].first_row, g[i].total_byte_size};
    return true;
}

/* ---- a chunk ---- */

static const char *bound_text(ParquetFile *f, uint32_t leaf, bool has, PqSlice v)
{
    PqBuf text;

    if (!has) {
        return NULL;
    }
    pq_buf_init(&text, f->h.mem, &f->h.e);
    pq_plain_text(&f->footer->schema.leaves[leaf].type, v, &text);
    return pq_arena_take(&f->texts, &text);
}

static const char *encodings_text(ParquetFile *f, const PqI32List *list)
{
    PqBuf text;

    pq_buf_init(&text, f->h.mem, &f->h.e);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = pq_encoding_name(list->v[i]);

        pq_buf_text(&text, i ? ", " : "");
        pq_buf_text(&text, name ? name : "unknown");
    }
    return pq_arena_take(&f->texts, &text);
}

static PqRc show_chunk(ParquetFile *f, uint32_t group, uint32_t leaf)
{
    const PqColumnMetaData *m;
    PqColumnChunk c;
    PqBounds b;

    pq_arena_reset(&f->texts);
    PQ_TRY(pq_footer_chunk(f->footer, group, leaf, &f->texts, &c, &f->h.e));
    m = &c.meta_data;
    b = pq_stats_chunk(f->footer, leaf, m);
    f->chunk = (ParquetChunk){
        .n_values = m->num_values, .n_nulls = b.n_nulls,
        .offset = m->dictionary_page_offset > 0 ? m->dictionary_page_offset
                                                : m->data_page_offset,
        .compressed = m->total_compressed_size, .uncompressed = m->total_uncompressed_size,
        .codec = pq_codec_name(m->codec),
        .encodings = encodings_text(f, &m->encodings),
        .min = bound_text(f, leaf, b.has_min, b.min),
        .max = bound_text(f, leaf, b.has_max, b.max),
        .has_bloom = PQ_HAS(m, PQ_COLUMN_BLOOM_OFFSET),
        .has_page_index = PQ_HAS(&c, PQ_CHUNK_OFFSET_INDEX_OFFSET),
    };
    f->chunk.codec = f->chunk.codec ? f->chunk.codec : "unknown";
    return f->h.e.rc;
}

ParquetCode parquet_file_chunk(ParquetFile *f, int row_group, int leaf,
                               const ParquetChunk **out)
{
    ParquetCode code;

    *out = NULL;
    if (row_group < 0 || row_group >= f->info.n_row_groups || leaf < 0 ||
        leaf >= f->info.n_leaves) {
        pq_fail(&f->h.e, PQ_USAGE, "there is no leaf %d of row group %d", leaf, row_group);
    } else if (show_chunk(f, (uint32_t)row_group, (uint32_t)leaf) == PQ_OK) {
        *out = &f->chunk;
    }
    code = pq_face_end(&f->h);
    pq_face_forget(&f->h);           /* other chunks may be whole */
    f->h.e.where.file = f->listing.files[0].path;
    return code;
}

/* ---- verifying ---- */

struct ParquetVerify {
    FaceHead       h;
    PqVerify      *verify;
    ParquetFinding finding;
};

ParquetCode parquet_verify_open(ParquetFile *f, ParquetVerify **out)
{
    ParquetVerify *v = pq_face_new(f->h.p, sizeof *v);

    if (v) {
        v->h.e.where.file = f->listing.files[0].path;
        if (pq_verify_new(v->h.mem, &f->in, f->footer, f->h.p->stop, &v->verify,
                          &v->h.e) != PQ_OK) {
            pq_face_end(&v->h);
            parquet_verify_close(v);
            v = NULL;
        }
    }
    *out = v;
    return v ? PARQUET_OK : f->h.p->error.code;
}

void parquet_verify_close(ParquetVerify *v)
{
    if (v) {
        pq_verify_free(v->verify);
        pq_face_free(&v->h);
    }
}

ParquetCode parquet_verify_next(ParquetVerify *v, const ParquetFinding **out)
{
    const PqFinding *found = NULL;

    *out = NULL;
    if (v->h.e.rc == PQ_OK && pq_verify_next(v->verify, &found, &v->h.e) == PQ_OK && found) {
        v->finding = (ParquetFinding){
            (ParquetSeverity)found->severity, found->row_group, found->page, found->column,
            found->offset, found->what, found->expected, found->found, found->message,
        };
        *out = &v->finding;
    }
    return pq_face_end(&v->h);
}
