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
    const PqHeldRows *h = &w->held;

    return h->ids.room + h->valid.room + h->def.room + h->rep.room +
           pq_dict_make_memory(&w->dict);
}

PqRc pq_chunk_write_spill(PqChunkWrite *w, PqSink *scratch, PqErr *e)
{
    PQ_TRY(pq_page_store_spill(&w->hashes, scratch, e));
    return pq_page_store_spill(&w->pages, scratch, e);
}

PqRc pq_ended_encodings(const uint32_t counts[][PQ_ENCODING_COUNT], PqArena *a,
                        PqColumnMetaData *out, PqErr *e)
{
    static const int kinds[] = {PQ_PAGE_DICTIONARY, PQ_PAGE_DATA,
                                PQ_PAGE_DATA_V2};
    uint32_t n = 0, n_stats = 0, seen = 1u << PQ_ENCODING_RLE;
    PqPageEncodingStats *stats;
    int32_t *v;

    PQ_TRY(PQ_ARENA_NEW(a, stats, 3 * PQ_ENCODING_COUNT, e));
    PQ_TRY(PQ_ARENA_NEW(a, v, PQ_ENCODING_COUNT + 1, e));
    v[n++] = PQ_ENCODING_RLE;        /* of levels */
    for (size_t k = 0; k < PQ_COUNT(kinds); k++) {
        for (int32_t i = 0; i < PQ_ENCODING_COUNT; i++) {
            int32_t count = (int32_t)counts[kinds[k]][i];

            if (count) {
                stats[n_stats++] = (PqPageEncodingStats){
                    1u << 1 | 1u << 2 | 1u << 3, kinds[k], i, count};
            }
            if (count && !(seen >> i & 1)) {
                v[n++] = i;
                seen |= 1u << i;
            }
        }
    }
    out->encodings = (PqI32List){v, n};
    out->encoding_stats = (PqPageEncodingStatsList){stats, n_stats};
    return PQ_OK;
}

/* Data pages may have two encodings, because pages of nulls before the first value
** are written before there is a value to choose by. */
static PqRc encodings(const PqChunkWrite *w, PqArena *a,
                      PqColumnMetaData *out, PqErr *e)
{
    uint32_t counts[PQ_PAGE_DATA_V2 + 1][PQ_ENCODING_COUNT] = {{0}};
    uint32_t *data = counts[w->o.page_v2 ? PQ_PAGE_DATA_V2 : PQ_PAGE_DATA];

    memcpy(data, w->n_pages_of, sizeof w->n_pages_of);
    data[PQ_ENCODING_RLE_DICTIONARY] += w->n_dict_pages;
    counts[PQ_PAGE_DICTIONARY][PQ_ENCODING_PLAIN] = w->n_dict_pages > 0;
    return pq_ended_encodings(counts, a, out, e);
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

static PqRc write_indexes(void *chunk, PqBuf *column_index,
                          PqBuf *offset_index, PqErr *e)
{
    PqChunkWrite *w = chunk;

    return pq_index_make_write(w->index, w->base, column_index, offset_index, e);
}

PqEndedChunk pq_chunk_write_ended(PqChunkWrite *w)
{
    static const PqEndedKind kind = {write_out, pq_chunk_write_bloom,
                                     write_indexes};

    return (PqEndedChunk){&kind, w, w->geo};
}
