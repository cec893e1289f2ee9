/*
** describe_sum.c - sums the metadata of column chunks.
**
** Two things are hard: sizes are claims, so sums must not overflow, and a
** column may lack bounds or counts in only some row groups, which spoils the
** sum.
*/
#include "sql/describe/describe_inside.h"

/* Sizes are claims, so their sum stops at the end of 64 bits. */
static void add(int64_t *sum, int64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum)) {
        *sum = INT64_MAX;
    }
}

static void add_encodings(PqsqlLeafSum *s, const PqColumnMetaData *m)
{
    uint32_t levels = 1u << PQ_ENCODING_RLE | 1u << PQ_ENCODING_BIT_PACKED;
    uint32_t i, mask = 0;

    for (i = 0; i < m->encoding_stats.n; i++) {
        const PqPageEncodingStats *p = &m->encoding_stats.v[i];

        if (p->page_type != PQ_PAGE_DICTIONARY && p->encoding >= 0 &&
            p->encoding < PQ_ENCODING_COUNT) {
            mask |= 1u << p->encoding;
        }
    }
    for (i = 0; !mask && i < m->encodings.n; i++) {
        int32_t encoding = m->encodings.v[i];

        if (encoding >= 0 && encoding < PQ_ENCODING_COUNT) {
            s->encodings |= 1u << encoding;
        }
    }
    if (!mask && m->type != PQ_BOOLEAN) {
        s->encodings &= ~levels;
    }
    s->encodings |= mask;
}

static void add_nulls(PqsqlLeafSum *s, const PqBounds *b)
{
    if (s->n_nulls < 0 || b->n_nulls < 0) {
        s->n_nulls = -1;
    } else {
        add(&s->n_nulls, b->n_nulls);
    }
}

static PqRc keep(PqSlice *to, PqSlice v, PqArena *a, PqErr *e)
{
    *to = pq_slice(pq_arena_text(a, v.p, v.n, e), v.n);
    return to->p ? PQ_OK : e->rc;
}

static PqRc add_bounds(PqsqlLeafSum *s, const PqType *type, const PqBounds *b,
                       int64_t n_values, PqArena *a, PqErr *e)
{
    if (b->all_null || n_values == 0) {
        s->n_bounded++;
        return PQ_OK;
    }
    if (!b->has_min || !b->has_max) {
        return PQ_OK;
    }
    s->n_bounded++;
    if (!s->has_bounds || pq_order_compare(b->order, type, b->min,
                                           s->min) < 0) {
        PQ_TRY(keep(&s->min, b->min, a, e));
    }
    if (!s->has_bounds || pq_order_compare(b->order, type, b->max,
                                           s->max) > 0) {
        PQ_TRY(keep(&s->max, b->max, a, e));
    }
    s->has_bounds = true;
    return PQ_OK;
}

static PqRc add_chunk(PqsqlFileSum *sum, uint32_t leaf, const PqColumnChunk *c,
                      PqErr *e)
{
    const PqColumnMetaData *m = &c->meta_data;
    PqsqlLeafSum *s = &sum->leaves[leaf];
    PqBounds b = pq_stats_bounds(sum->f, leaf, &m->statistics, m->num_values);

    s->n_chunks++;
    add(&s->stored, m->total_compressed_size);
    add(&s->unpacked, m->total_uncompressed_size);
    add(&s->n_values, m->num_values);
    s->n_offset_index += c->offset_index_length > 0;
    s->n_column_index += c->column_index_length > 0;
    s->n_bloom += PQ_HAS(m, PQ_COLUMN_BLOOM_OFFSET);
    s->codecs |= m->codec >= 0 && m->codec < 31 ? 1u << m->codec : 0;
    add_encodings(s, m);
    s->n_dictionary += PQ_HAS(m, PQ_COLUMN_DICTIONARY_PAGE_OFFSET);
    add_nulls(s, &b);
    return add_bounds(s, &sum->f->schema.leaves[leaf].type, &b, m->num_values,
                      sum->arena, e);
}

/* A chunk whose metadata cannot be read is left out. */
static PqRc add_group(PqsqlFileSum *sum, uint32_t group, PqArena *a, PqErr *e)
{
    for (uint32_t leaf = 0; leaf < sum->f->schema.n_leaves; leaf++) {
        PqColumnChunk c;
        PqRc rc = pq_footer_chunk(sum->f, group, leaf, a, &c, e);

        if (rc == PQ_UNSUPPORTED || rc == PQ_CORRUPT) {
            pq_err_clear(e);
            sum->n_encrypted += rc == PQ_UNSUPPORTED;
            sum->n_damaged += rc == PQ_CORRUPT;
            sum->leaves[leaf].n_nulls = -1;
            continue;
        }
        PQ_TRY(rc);
        sum->n_elsewhere += c.file_path.n > 0;
        PQ_TRY(add_chunk(sum, leaf, &c, e));
    }
    return PQ_OK;
}

PqRc pqsql_describe_sum(const PqFooter *f, PqArena *a, PqsqlFileSum *out,
                        PqErr *e)
{
    PqArena chunk;
    PqRc rc = PQ_OK;

    *out = (PqsqlFileSum){.f = f, .arena = a};
    PQ_TRY(PQ_ARENA_NEW(a, out->leaves, f->schema.n_leaves, e));
    pq_arena_init(&chunk, a->mem);
    for (uint32_t i = 0; i < f->n_groups && rc == PQ_OK; i++) {
        pq_arena_reset(&chunk);
        rc = add_group(out, i, &chunk, e);
    }
    pq_arena_free(&chunk);
    for (uint32_t i = 0; i < f->schema.n_leaves; i++) {
        out->leaves[i].has_bounds = out->leaves[i].has_bounds &&
                                    out->leaves[i].n_bounded == f->n_groups;
        add(&out->unpacked, out->leaves[i].unpacked);
    }
    return rc;
}
