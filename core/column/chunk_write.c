/*
** chunk_write.c - takes batches; decides whether a chunk keeps a dictionary.
**
** A chunk begins by holding rows as dictionary ids (PQ_CHUNK_HOLDS).  The
** decision turns them into pages of ids or pages of values.  It may come early:
** the dictionary outgrows its limit, or a batch does not fit into it.  That
** batch is then not among the held rows, and must be written after them.
*/
#include "core/column/chunk_write_inside.h"

#include "core/base/bits.h"
#include "core/column/vector.h"

#include <math.h>

enum {
    HOLD_VALUES = 1 << 17,           /* enough to judge a dictionary by      */
    EARLY_VALUES = 1 << 14,          /* enough to see that it will outgrow   */
                                     /* its limit                            */
    DICT_BYTES = 1 << 20             /* limit of the entries' bytes          */
};
/* The limit where the user asked for a dictionary. */
static const size_t dict_bytes_named = (size_t)DICT_BYTES * 64;

static bool may_have_dictionary(const PqChunkWrite *w)
{
    return w->leaf->type.physical != PQ_BOOLEAN &&
           (w->o.dictionary == PQ_DICTIONARY_ALWAYS ||
            (w->o.dictionary == PQ_DICTIONARY_AUTO && w->o.encoding < 0));
}

static PqRc make_histograms(PqChunkWrite *w, PqErr *e)
{
    PQ_TRY(PQ_NEW(w->mem, w->def_histogram, (size_t)w->leaf->max_def + 1, e));
    return PQ_NEW(w->mem, w->rep_histogram, (size_t)w->leaf->max_rep + 1, e);
}

/* What the values are: the leaf's type, unless the options know better. */
static const PqType *type_of(const PqChunkWrite *w)
{
    return w->o.geometry ? w->o.geometry : &w->leaf->type;
}

static PqRc make_geo(PqChunkWrite *w, PqErr *e)
{
    const PqType *t = type_of(w);
    bool is_geography = t->logical == PQ_TYPE_GEOGRAPHY;

    if (!pq_type_is_geometry(t) || (!w->o.geometry && !w->o.statistics)) {
        return PQ_OK;
    }
    PQ_TRY(PQ_NEW(w->mem, w->geo, 1, e));
    pq_geo_bounds_begin(w->geo, is_geography,
                        is_geography && t->algorithm == 0);
    return PQ_OK;
}

/* Adds the entries of the dictionary; all of them are values of pages. */
static void add_entries(PqChunkWrite *w)
{
    const PqStr *s = w->dict.entries;

    for (uint32_t i = 0; w->geo && i < w->dict.n_entries; i++) {
        pq_geo_bounds_add(w->geo, pq_slice(s[i].p, s[i].n));
    }
}

PqRc pq_chunk_write_new(PqMem *mem, const PqLeaf *leaf,
                        const PqChunkOptions *options, uint64_t expected_rows,
                        PqChunkWrite **out, PqErr *e)
{
    PqChunkWrite *w;
    PqRc rc;

    *out = NULL;
    PQ_TRY(PQ_NEW(mem, w, 1, e));
    w->mem = mem;
    w->leaf = leaf;
    w->o = *options;
    w->expected_rows = expected_rows;
    w->state = may_have_dictionary(w) ? PQ_CHUNK_HOLDS : PQ_CHUNK_DIRECT;
    w->encoding = options->encoding;
    w->searches[0] = w->searches[1] = -1;
    w->dict_most = options->dictionary == PQ_DICTIONARY_ALWAYS
                       ? dict_bytes_named : DICT_BYTES;
    pq_page_store_init(&w->pages, mem);
    pq_page_store_init(&w->hashes, mem);
    pq_dict_make_init(&w->dict, &leaf->type, mem);
    pq_buf_init(&w->dict_page, mem, NULL);
    pq_buf_init(&w->held.ids, mem, NULL);
    pq_buf_init(&w->held.valid, mem, NULL);
    pq_buf_init(&w->held.def, mem, NULL);
    pq_buf_init(&w->held.rep, mem, NULL);
    pq_bounds_make_init(&w->bounds, type_of(w), mem);
    pq_bounds_make_init(&w->page_bounds, type_of(w), mem);
    pq_sorted_make_init(&w->sorted, type_of(w), mem);
    if (options->ieee754_order && pq_type_is_float(&leaf->type)) {
        pq_bounds_make_total(&w->bounds);
        pq_bounds_make_total(&w->page_bounds);
    }
    PQ_GO(make_histograms(w, e));
    PQ_GO(make_geo(w, e));
    PQ_GO(pq_index_make_new(mem, leaf, options->statistics && !options->geometry,
                            &w->index, e));
    *out = w;
    w = NULL;
    rc = PQ_OK;
done:
    pq_chunk_write_free(w);
    return rc;
}

static void forget_held(PqChunkWrite *w)
{
    PqHeldRows *h = &w->held;

    h->n_entries = h->n_values = h->n_rows = 0;
    pq_buf_free(&h->ids);
    pq_buf_free(&h->valid);
    pq_buf_free(&h->def);
    pq_buf_free(&h->rep);
}

void pq_chunk_write_free(PqChunkWrite *w)
{
    if (!w) {
        return;
    }
    pq_page_store_free(&w->hashes);
    pq_index_make_free(w->index);
    pq_bounds_make_free(&w->bounds);
    pq_bounds_make_free(&w->page_bounds);
    pq_sorted_make_free(&w->sorted);
    pq_dict_make_free(&w->dict);
    pq_page_store_free(&w->pages);
    pq_buf_free(&w->dict_page);
    forget_held(w);
    pq_mem_free(w->geo);
    pq_mem_free(w->def_histogram);
    pq_mem_free(w->rep_histogram);
    pq_mem_free(w);
}

void pq_chunk_write_seal(PqChunkWrite *w, const PqLock *lock, int row_group)
{
    w->lock = lock;
    w->row_group = row_group;
}

void pq_chunk_write_learn(PqChunkWrite *w, const PqChunkLesson *lesson)
{
    enum { MOST = 7 };

    w->lesson = *lesson;
    w->lesson.taught = lesson->taught && lesson->n_followed < MOST;
}

void pq_chunk_write_teach(const PqChunkWrite *w, PqChunkLesson *lesson)
{
    *lesson = (PqChunkLesson){
        .taught = true,
        .searches = {w->searches[0], w->searches[1]},
        .encoding = w->encoding,
        .n_entries = w->kept_entries,
        .n_values = w->kept_values,
        .n_followed = w->lesson.taught ? w->lesson.n_followed + 1 : 0,
    };
}

PqModule pq_chunk_write_module(const PqChunkWrite *w, PqModuleKind kind)
{
    return (PqModule){kind, w->row_group, (int)w->leaf->index, -1, w->lock};
}

/* From now on pages are written without the dictionary. */
static PqRc go_direct(PqChunkWrite *w, const void *values, uint32_t n,
                      PqWriteCtx *ctx, PqErr *e)
{
    bool from_dictionary = w->state != PQ_CHUNK_DIRECT && n > 0;

    w->state = PQ_CHUNK_DIRECT;
    w->searches[1] = -1;
    pq_dict_make_seal(&w->dict);
    PQ_TRY(pq_chunk_choose_encoding(w, values, n, ctx, e));
    return pq_chunk_bloom_begin(w, from_dictionary, values, n, ctx, e);
}

/* Appends the bits of r->valid to those that are held. */
static PqRc hold_valid(PqHeldRows *h, const PqPageRows *r, PqErr *e)
{
    size_t words = ((size_t)h->n_entries + r->n_entries + 63) / 64;
    size_t had = h->valid.n;

    PQ_TRY(pq_buf_resize(&h->valid, words * 8, e));
    memset(h->valid.p + had, 0, h->valid.n - had);
    for (uint32_t i = 0; i < r->n_entries; i += 64) {
        uint32_t n = r->n_entries - i < 64 ? r->n_entries - i : 64;

        pq_bits_put((void *)h->valid.p, (uint64_t)h->n_entries + i, n,
                    pq_bits_from(r->valid, (uint64_t)r->valid_at + i, n));
    }
    return PQ_OK;
}

static PqRc hold_rows(PqChunkWrite *w, const PqPageRows *r, PqErr *e)
{
    PqHeldRows *h = &w->held;

    if (r->valid) {
        PQ_TRY(hold_valid(h, r, e));
    }
    if (r->def) {
        PQ_TRY(pq_buf_append(&h->def, r->def, r->n_entries * sizeof *r->def,
                             e));
    }
    if (r->rep) {
        PQ_TRY(pq_buf_append(&h->rep, r->rep, r->n_entries * sizeof *r->rep,
                             e));
    }
    PQ_TRY(pq_buf_append(&h->ids, r->ids, r->n_values * sizeof *r->ids, e));
    h->n_entries += r->n_entries;
    h->n_values += r->n_values;
    h->n_rows += r->n_rows;
    return PQ_OK;
}

/* The values of n ids, to ctx->values. */
static PqRc gather(const PqChunkWrite *w, const uint32_t *ids, uint32_t n,
                   PqWriteCtx *ctx, PqErr *e)
{
    size_t width = pq_physical_width(w->leaf->type.physical);

    PQ_TRY(pq_buf_resize(&ctx->values, n * width, e));
    pq_dict_look_up(w->dict.entries, width, ids, n, ctx->values.p);
    return PQ_OK;
}

void pq_chunk_write_lighten(PqChunkWrite *w)
{
    w->dict_most = 0;
}

bool pq_chunk_write_is_light(const PqChunkWrite *w)
{
    return w->dict_most == 0;
}

/* Turns what is held into pages of ids or of values.  Values are looked up for
** one page at a time, so they are never all in memory at once. */
static PqRc write_held(PqChunkWrite *w, bool as_ids, PqWriteCtx *ctx, PqErr *e)
{
    const PqHeldRows *h = &w->held;
    PqPageRows rest = {
        .valid = pq_leaf_has_valid(w->leaf) ? (const void *)h->valid.p : NULL,
        .def = (const void *)h->def.p,
        .rep = (const void *)h->rep.p,
        .ids = (const void *)h->ids.p,
        .n_entries = h->n_entries,
        .n_values = h->n_values,
        .n_rows = h->n_rows,
    };

    while (rest.n_rows) {
        PqPageRows rows = pq_page_rows_take(w, &rest, w->o.page_rows
                                                          ? w->o.page_rows : 1);

        if (!as_ids || !pq_page_by_entries(w, rows.ids)) {
            PQ_TRY(gather(w, rows.ids, rows.n_values, ctx, e));
            rows.values = ctx->values.p;
        }
        rows.ids = as_ids ? rows.ids : NULL;
        PQ_TRY(pq_page_write_rows(w, &rows, ctx, e));
    }
    return PQ_OK;
}

static PqRc decide(PqChunkWrite *w, bool is_all, bool hopeless,
                   PqWriteCtx *ctx, PqErr *e)
{
    const uint32_t *ids = (const void *)w->held.ids.p;
    uint32_t n = w->held.n_values < PQ_CHUNK_SAMPLE ? w->held.n_values
                                                    : PQ_CHUNK_SAMPLE;
    bool keep = false;

    PQ_TRY(gather(w, ids, n, ctx, e));
    if (!hopeless && n) {
        PQ_TRY(pq_chunk_choose_dictionary(w, ctx->values.p, ids, n, is_all,
                                          ctx, &keep, e));
    }
    if (keep) {
        w->state = PQ_CHUNK_DICTIONARY;
        w->kept_entries = w->dict.n_entries;
        w->kept_values = w->held.n_values;
    } else {
        PQ_TRY(go_direct(w, ctx->values.p, n, ctx, e));
    }
    PQ_TRY(write_held(w, keep, ctx, e));
    forget_held(w);
    if (!keep) {
        pq_dict_make_free(&w->dict);
    }
    return PQ_OK;
}

/* The ids of a batch, to ctx->ids.  *fits: the dictionary took all values.  A
** batch without values gets an empty array: NULL would say that its pages are
** pages of values. */
static PqRc look_up(PqChunkWrite *w, const PqLeafBatch *b, PqWriteCtx *ctx,
                    bool *fits, PqErr *e)
{
    uint32_t had = w->dict.n_entries, n_done;

    PQ_TRY(pq_buf_reserve(&ctx->ids, sizeof(uint32_t), e));
    PQ_TRY(pq_buf_resize(&ctx->ids, b->n_values * sizeof(uint32_t), e));
    PQ_TRY(pq_dict_make_ids(&w->dict, b->values, b->n_values, w->dict_most,
                            (void *)ctx->ids.p, &n_done, e));
    *fits = n_done == b->n_values;
    w->n_looked_up += n_done;
    w->held.n_last = b->n_values;
    w->held.n_last_new = w->dict.n_entries - had;
    return PQ_OK;
}

static PqPageRows rows_of(const PqLeafBatch *b, const void *ids)
{
    return (PqPageRows){
        .valid = b->valid, .def = b->def, .rep = b->rep, .values = b->values,
        .ids = ids, .n_entries = b->n_entries, .n_values = b->n_values,
        .n_rows = b->n_rows,
    };
}

/* Will the dictionary outgrow its limit?  Let m be the number of entries that
** it may hold.  n draws from m equally likely values yield
** m * (1 - exp(-n / m)) distinct ones.  If there are more entries already, it
** will. */
static bool outgrows(const PqChunkWrite *w)
{
    double n = w->held.n_values, entries = w->dict.n_entries, m;

    if (w->o.dictionary == PQ_DICTIONARY_ALWAYS || n < EARLY_VALUES) {
        return false;
    }
    m = (double)w->dict_most * entries / (double)(w->dict.n_plain + 1);
    return m <= entries || entries > m * (1 - exp(-n / m));
}

static PqRc hold_batch(PqChunkWrite *w, const PqLeafBatch *b, PqWriteCtx *ctx,
                       PqErr *e)
{
    PqPageRows rows;
    bool fits;

    PQ_TRY(look_up(w, b, ctx, &fits, e));
    if (!fits) {                     /* this batch is not among what is held */
        bool had = w->held.n_rows > 0;

        if (had) {
            PQ_TRY(decide(w, false, outgrows(w), ctx, e));
        }
        if (!had || w->state == PQ_CHUNK_DICTIONARY) {
            PQ_TRY(go_direct(w, b->values, b->n_values, ctx, e));
            if (!had) {
                pq_dict_make_free(&w->dict);
            }
        }
        rows = rows_of(b, NULL);
        return pq_page_write_rows(w, &rows, ctx, e);
    }
    rows = rows_of(b, ctx->ids.p);
    PQ_TRY(hold_rows(w, &rows, e));
    if (outgrows(w)) {
        return decide(w, false, true, ctx, e);
    }
    return w->held.n_entries >= HOLD_VALUES
               ? decide(w, false, false, ctx, e) : PQ_OK;
}

static bool may_be_sorted(const PqLeaf *leaf)
{
    return leaf->max_rep == 0 && leaf->max_def <= 1;
}

const PqSortedMake *pq_chunk_write_sorted(const PqChunkWrite *w)
{
    return may_be_sorted(w->leaf) ? &w->sorted : NULL;
}

PqRc pq_chunk_write_batch(PqChunkWrite *w, const PqLeafBatch *b,
                          PqWriteCtx *ctx, PqErr *e)
{
    PqPageRows rows = rows_of(b, NULL);
    bool fits;

    if (may_be_sorted(w->leaf)) {
        PQ_TRY(pq_sorted_make_add(&w->sorted, b->values, b->valid, b->n_rows,
                                  e));
    }
    if (w->state == PQ_CHUNK_HOLDS) {
        return hold_batch(w, b, ctx, e);
    }
    if (w->state == PQ_CHUNK_DICTIONARY) {
        PQ_TRY(look_up(w, b, ctx, &fits, e));
        if (fits) {
            rows = rows_of(b, ctx->ids.p);
            return pq_page_write_rows(w, &rows, ctx, e);
        }
        PQ_TRY(go_direct(w, b->values, b->n_values, ctx, e));
    } else if (w->n_nulls == w->n_entries) {     /* the first values */
        w->encoding = w->o.encoding;
        PQ_TRY(go_direct(w, b->values, b->n_values, ctx, e));
    }
    return pq_page_write_rows(w, &rows, ctx, e);
}

PqRc pq_chunk_write_end(PqChunkWrite *w, PqWriteCtx *ctx, PqErr *e)
{
    if (w->state == PQ_CHUNK_HOLDS && w->held.n_rows) {
        PQ_TRY(decide(w, true, false, ctx, e));
    }
    if (w->n_dict_pages) {
        add_entries(w);
        PQ_TRY(pq_page_write_dictionary(w, ctx, e));
    }
    return pq_chunk_bloom_end(w, ctx, e);
}
