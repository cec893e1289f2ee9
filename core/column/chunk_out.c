/*
** chunk_out.c - writes a finished chunk into the file.
**
**   [dictionary page] page page page ...      the Bloom filter comes after all
**   ^ dictionary_page_offset                  chunks of the row group, the
**                     ^ data_page_offset      indexes after all row groups
**
** The metadata must list exactly the encodings that occur, per kind of page.
** By that list readers decide whether every page of a chunk is a dictionary
** page, and so whether its dictionary may exclude the row group.
*/
#include "core/column/chunk_write_inside.h"

uint64_t pq_chunk_write_bytes(const PqChunkWrite *w)
{
    return w->pages.n_bytes;
}

size_t pq_chunk_write_memory(const PqChunkWrite *w)
{
    return sizeof *w + w->pages.recent.room + w->hashes.recent.room +
           w->dict_page.room + pq_chunk_write_dictionary_memory(w);
}

size_t pq_chunk_write_dictionary_memory(const PqChunkWrite *w)
{
    const PqHeld *h = &w->held;

    return h->ids.room + h->valid.room + h->def.room + h->rep.room +
           pq_dict_make_memory(&w->dict);
}

PqRc pq_chunk_write_spill(PqChunkWrite *w, PqSink *scratch, PqErr *e)
{
    PQ_TRY(pq_page_store_spill(&w->hashes, scratch, e));
    return pq_page_store_spill(&w->pages, scratch, e);
}

/* The encodings that occur: of levels, of the dictionary page and of data
** pages.  Data pages may have two encodings, because pages of nulls before the
** first value are written before there is a value to choose by. */
static PqRc encodings(const PqChunkWrite *w, PqArena *a,
                      PqColumnMetaData *out, PqErr *e)
{
    const int data_page = w->o.page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA;
    const uint32_t has = 1u << 1 | 1u << 2 | 1u << 3;        /* all three */
    PqPageEncodingStats *stats;
    uint32_t n = 0, n_stats = 0;
    int32_t *v;

    PQ_TRY(PQ_ARENA_NEW(a, stats, PQ_ENCODING_COUNT + 2, e));
    PQ_TRY(PQ_ARENA_NEW(a, v, PQ_ENCODING_COUNT + 3, e));
    v[n++] = PQ_ENCODING_RLE;
    if (w->n_dict_pages) {
        v[n++] = PQ_ENCODING_PLAIN;
        v[n++] = PQ_ENCODING_RLE_DICTIONARY;
        stats[n_stats++] = (PqPageEncodingStats){
            has, PQ_PAGE_DICTIONARY, PQ_ENCODING_PLAIN, 1};
        stats[n_stats++] = (PqPageEncodingStats){
            has, data_page, PQ_ENCODING_RLE_DICTIONARY,
            (int32_t)w->n_dict_pages};
    }
    for (int32_t i = 0; i < PQ_ENCODING_COUNT; i++) {
        if (w->n_pages_of[i] == 0) {
            continue;
        }
        stats[n_stats++] = (PqPageEncodingStats){
            has, data_page, i, (int32_t)w->n_pages_of[i]};
        if (i != PQ_ENCODING_RLE &&
            !(i == PQ_ENCODING_PLAIN && w->n_dict_pages)) {
            v[n++] = i;
        }
    }
    out->encodings = (PqI32List){v, n};
    out->encoding_stats = (PqPageEncodingStatsList){stats, n_stats};
    return PQ_OK;
}

static int64_t distinct(const PqChunkWrite *w)
{
    return w->n_dict_pages && !w->n_direct_pages ? (int64_t)w->dict.n_entries
                                                  : -1;
}

static void put_axis(PqBoundingBox *to, int axis, double min, double max)
{
    double *const v[PQ_GEO_AXES][2] = {{&to->xmin, &to->xmax},
                                       {&to->ymin, &to->ymax},
                                       {&to->zmin, &to->zmax},
                                       {&to->mmin, &to->mmax}};

    *v[axis][0] = min;
    *v[axis][1] = max;
    to->has |= 3u << (PQ_BOX_XMIN + 2 * axis);
}

/* The statistics of a GEOMETRY or GEOGRAPHY; a BYTE_ARRAY of another kind has
** none. */
static PqRc geo_statistics(const PqChunkWrite *w, PqArena *a,
                           PqColumnMetaData *out, PqErr *e)
{
    PqGeospatialStatistics *s = &out->geospatial_statistics;
    int32_t *codes;
    PqGeoBox box;

    PQ_TRY(PQ_ARENA_NEW(a, codes, PQ_GEO_CODES, e));
    if (pq_geo_bounds_box(w->geo, &box)) {
        s->has |= 1u << PQ_GEOSPATIAL_BBOX;
        for (int i = 0; i < PQ_GEO_AXES; i++) {
            if (box.has[i]) {
                put_axis(&s->bbox, i, box.min[i], box.max[i]);
            }
        }
    }
    s->geospatial_types = (PqI32List){codes,
                                      pq_geo_bounds_codes(w->geo, codes)};
    s->has |= pq_has_if(s->geospatial_types.n, PQ_GEOSPATIAL_TYPES);
    out->has |= pq_has_if(s->has, PQ_COLUMN_GEOSPATIAL_STATISTICS);
    return PQ_OK;
}

static PqRc statistics(PqChunkWrite *w, PqArena *a, PqColumnMetaData *out,
                       PqErr *e)
{
    if (w->o.statistics) {
        PQ_TRY(pq_bounds_statistics(&w->bounds, distinct(w), a,
                                    &out->statistics, e));
        out->has |= 1u << PQ_COLUMN_STATISTICS;
    }
    if (w->geo && w->o.statistics && w->leaf->type.logical != PQ_TYPE_NONE) {
        PQ_TRY(geo_statistics(w, a, out, e));
    }
    PQ_TRY(pq_index_make_sizes(w->index, a, &out->size_statistics, e));
    out->has |= pq_has_if(out->size_statistics.has, PQ_COLUMN_SIZE_STATISTICS);
    return PQ_OK;
}

static PqRc write_out(void *chunk, PqSink *scratch, PqSink *to,
                      const PqStop *stop, PqArena *a, PqColumnMetaData *out,
                      PqErr *e)
{
    PqChunkWrite *w = chunk;
    uint64_t at = pq_sink_offset(to);

    *out = (PqColumnMetaData){
        .has = 1u << PQ_COLUMN_TYPE | 1u << PQ_COLUMN_ENCODINGS |
               1u << PQ_COLUMN_CODEC | 1u << PQ_COLUMN_NUM_VALUES |
               1u << PQ_COLUMN_UNCOMPRESSED_SIZE |
               1u << PQ_COLUMN_COMPRESSED_SIZE |
               1u << PQ_COLUMN_DATA_PAGE_OFFSET |
               1u << PQ_COLUMN_ENCODING_STATS,
        .type = (int32_t)w->leaf->type.physical,
        .codec = w->o.codec,
        .num_values = (int64_t)w->n_entries,
        .total_uncompressed_size = (int64_t)w->raw_bytes,
        .total_compressed_size = (int64_t)(w->pages.n_bytes + w->dict_page.n),
        .data_page_offset = (int64_t)(at + w->dict_page.n),
    };
    if (w->dict_page.n) {
        out->has |= 1u << PQ_COLUMN_DICTIONARY_PAGE_OFFSET;
        out->dictionary_page_offset = (int64_t)at;
        PQ_TRY(pq_sink_write(to, w->dict_page.p, w->dict_page.n, e));
    }
    w->base = out->data_page_offset;
    PQ_TRY(pq_page_store_write(&w->pages, scratch, to, stop, e));
    PQ_TRY(encodings(w, a, out, e));
    return statistics(w, a, out, e);
}

/* Both indexes as modules; an empty index makes no module. */
static PqRc sealed_indexes(PqChunkWrite *w, PqBuf *column_index,
                           PqBuf *offset_index, PqErr *e)
{
    PqModule columns = pq_chunk_write_module(w, PQ_MODULE_COLUMN_INDEX);
    PqModule offsets = pq_chunk_write_module(w, PQ_MODULE_OFFSET_INDEX);
    PqBuf plain[2];
    PqRc rc;

    pq_buf_init(&plain[0], w->mem, NULL);
    pq_buf_init(&plain[1], w->mem, NULL);
    PQ_GO(pq_index_make_write(w->index, w->base, &plain[0], &plain[1], e));
    if (plain[0].n) {
        PQ_GO(pq_module_seal(&columns, pq_buf_view(&plain[0]), column_index,
                             e));
    }
    PQ_GO(pq_module_seal(&offsets, pq_buf_view(&plain[1]), offset_index, e));
done:
    pq_buf_free(&plain[0]);
    pq_buf_free(&plain[1]);
    return rc;
}

static PqRc write_indexes(void *chunk, PqBuf *column_index,
                          PqBuf *offset_index, PqErr *e)
{
    PqChunkWrite *w = chunk;

    return w->lock ? sealed_indexes(w, column_index, offset_index, e)
                   : pq_index_make_write(w->index, w->base, column_index,
                                         offset_index, e);
}

PqEndedChunk pq_chunk_write_ended(PqChunkWrite *w)
{
    static const PqEndedKind kind = {write_out, pq_chunk_write_bloom,
                                     write_indexes};

    return (PqEndedChunk){&kind, w, w->geo};
}
