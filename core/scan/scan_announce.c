/*
** scan_announce.c - says ahead what a scan will read of a file that is far away.
**
**   entering the file     what proofs ask for: blocks of Bloom filters, small
**                         dictionaries, page indexes
**   entering a row group  of each column that is wanted its first bytes, or where
**                         few rows are live the pages that have them
**   ... and later         the whole chunks, and those of the next row groups
**
** A LIMIT may end a scan early, so nothing is announced ahead of the first rows.
**
** Which columns are wanted is what the host says (PqScanOptions.columns), and
** what was read before.  A mistake costs time, and never a row: what was not
** announced is fetched when it is read.
*/
#include "core/meta/bloom.h"
#include "core/scan/scan_inside.h"

/* GROUPS_MOST bounds what is looked through.  FIRST bytes of a row group are fetched
** at once, of each chunk at least FIRST_LEAST, and the rest after LATER rows. */
enum { GROUPS_MOST = 4096, FIRST = 2 << 20, FIRST_LEAST = 128 << 10, LATER = 5000,
       SMALL_DICTIONARY = 64 << 10, FEW_HASHES = 8, BLOCK = 32, HEADER_LEAST = 12,
       HEADER_MOST = 64, JOINED = 1 << 20 };

static void announce_in(PqSource *source, int64_t offset, int64_t n)
{
    if (offset > 0 && n > 0) {
        pq_source_will_need(source, (PqExtent){(uint64_t)offset,
                                               (uint64_t)offset + (uint64_t)n});
    }
}

static void announce(PqScan *s, int64_t offset, int64_t n)
{
    announce_in(s->in.source, offset, n);
}

/* A chunk of this file itself; what does not parse is not announced. */
static bool chunk_of(const PqFooter *f, uint32_t group, uint32_t leaf, PqArena *a,
                     PqColumnChunk *out)
{
    PqErr e;
    bool ok;

    pq_err_init(&e);
    ok = pq_footer_chunk(f, group, leaf, a, out, &e) == PQ_OK &&
         out->file_path.n == 0;
    pq_err_clear(&e);
    return ok;
}

/* ---- what proofs ask for ------------------------------------------------------- */

/* The header, and the blocks that the hashes fall into: where these lie follows
** from the size of the header, which is guessed from that of the whole.  What lies
** between is fetched along, so that it is one request. */
static void announce_bloom(PqScan *s, const PqColumnMetaData *m,
                           const uint64_t *hashes, uint32_t n)
{
    int64_t at = m->bloom_filter_offset, all = m->bloom_filter_length, blocks;
    int64_t end = all < HEADER_MOST ? all : HEADER_MOST;

    if (n > FEW_HASHES || all < HEADER_LEAST + BLOCK) {
        announce(s, at, all);
        return;
    }
    blocks = (all - HEADER_LEAST) / BLOCK;
    for (uint32_t i = 0; i < n; i++) {
        int64_t block = pq_bloom_block(hashes[i], (uint32_t)blocks);
        int64_t begin = all - (blocks - block) * BLOCK;

        announce(s, at + begin, BLOCK);
        end = begin < JOINED && begin + BLOCK > end ? begin + BLOCK : end;
    }
    announce(s, at, end);
}

static void announce_dictionary(PqScan *s, const PqColumnMetaData *m)
{
    int64_t at = m->dictionary_page_offset, n = m->data_page_offset - at;

    if (at > 0 && n <= SMALL_DICTIONARY && m->bloom_filter_offset == 0) {
        announce(s, at, n);
    }
}

static void announce_proof(PqScan *s, const PqProof *p, const PqLeaf *leaf,
                           uint32_t group, PqArena *a)
{
    const uint64_t *hashes;
    PqColumnChunk c;
    uint32_t n;

    if (!chunk_of(s->footer, group, leaf->index, a, &c)) {
        return;
    }
    if (p->hashes && p->hashes(p, leaf, &hashes, &n)) {
        announce_bloom(s, &c.meta_data, hashes, n);
        announce_dictionary(s, &c.meta_data);
    }
    announce(s, c.column_index_offset, c.column_index_length);
    announce(s, c.offset_index_offset, c.offset_index_length);
}

/* Which pages have the rows that the proofs leave. */
static void announce_offsets(PqScan *s, uint32_t group, PqArena *a)
{
    PqColumnChunk c;

    for (uint32_t k = 0; k < s->footer->schema.n_leaves; k++) {
        if (s->leaves[k].wanted && chunk_of(s->footer, group, k, a, &c)) {
            announce(s, c.offset_index_offset, c.offset_index_length);
        }
    }
}

bool pq_scan_wants(const PqScan *s, uint32_t column)
{
    return column < 63 ? s->columns >> column & 1
                       : s->columns >> 63 && (!s->late || s->late[column - 63]);
}

/* Marks the leaves of the columns that are wanted. */
static void mark_wanted(PqScan *s)
{
    for (uint32_t i = 0; i < s->table->n_columns; i++) {
        const PqNode *node = s->nodes[i];

        if (node && pq_scan_wants(s, i)) {
            for (uint32_t k = 0; k < node->n_leaves; k++) {
                s->leaves[node->first_leaf + k].wanted = true;
            }
        }
    }
}

void pq_scan_announce_file(PqScan *s)
{
    PqArena a;

    s->announced = 0;
    if (!pq_source_is_far(s->in.source)) {
        return;
    }
    mark_wanted(s);
    pq_arena_init(&a, s->mem);
    for (uint32_t g = 0; g < s->footer->n_groups && g < GROUPS_MOST; g++) {
        if (s->n_proofs == 0 || !pq_scan_may_want(s, g)) {
            continue;
        }
        for (uint32_t i = 0; i < s->n_proofs; i++) {
            const PqProof *p = s->proofs[i];

            for (uint32_t k = 0; k < p->n_columns; k++) {
                const PqLeaf *leaf = pq_scan_proof_leaf(s, p->column[k]);

                if (leaf) {
                    announce_proof(s, p, leaf, g, &a);
                }
            }
        }
        announce_offsets(s, g, &a);
        pq_arena_reset(&a);
    }
    pq_arena_free(&a);
}

/* ---- what is read ---------------------------------------------------------------- */

static int64_t first_byte(const PqColumnMetaData *m)
{
    int64_t at = m->data_page_offset;

    return m->dictionary_page_offset > 0 && m->dictionary_page_offset < at
               ? m->dictionary_page_offset : at;
}

/* Do rows of the group that are live, and asked for, lie in [begin, end)? */
static bool is_live(const PqScan *s, const PqGroup *g, int64_t begin, int64_t end)
{
    int64_t file = s->file << PQ_ROWID_SHIFT;
    bool live = s->n_proofs == 0, asked = false;

    for (uint32_t i = 0; i < s->n_live && !live; i++) {
        live = s->live[i].begin < end && s->live[i].end > begin;
    }
    begin += file + g->first_row;
    end += file + g->first_row;
    for (uint32_t i = s->range; i < s->n_ranges && !asked; i++) {
        asked = s->ranges[i].begin < end && s->ranges[i].end > begin;
        if (s->ranges[i].begin >= end) {
            break;
        }
    }
    return live && asked;
}

/* Does it pay to look at pages? */
static bool is_selective(const PqScan *s, const PqGroup *g)
{
    int64_t n = 0, first = (s->file << PQ_ROWID_SHIFT) + g->first_row;

    for (uint32_t i = 0; i < s->n_live; i++) {
        n += s->live[i].end - s->live[i].begin;
    }
    return (s->n_proofs > 0 && n < g->num_rows / 2) ||
           (s->range < s->n_ranges &&
            s->ranges[s->range].end < first + g->num_rows / 2);
}

static void announce_pages(PqScan *s, const PqGroup *g, const PqColumnChunk *c,
                           const PqPageLocationList *at)
{
    int64_t begin = first_byte(&c->meta_data);

    announce(s, begin, at->v[0].offset - begin);
    for (uint32_t i = 0; i < at->n; i++) {
        int64_t end = i + 1 < at->n ? at->v[i + 1].first_row_index : g->num_rows;

        if (is_live(s, g, at->v[i].first_row_index, end)) {
            announce(s, at->v[i].offset, at->v[i].compressed_page_size);
        }
    }
}

int64_t pq_scan_announce_chunk(PqSource *source, const PqFooter *f, uint32_t group,
                               uint32_t leaf, int64_t most, PqArena *a)
{
    PqColumnChunk c;
    int64_t n;

    if (!chunk_of(f, group, leaf, a, &c)) {
        return 0;
    }
    n = c.meta_data.total_compressed_size;
    n = n < most || c.offset_index_offset == 0 ? n : most;
    announce_in(source, first_byte(&c.meta_data), n);
    return n;
}

/* The pages of a leaf that have live rows; false: nothing says where they are. */
static bool announce_live(PqScan *s, uint32_t leaf, PqArena *a)
{
    const PqGroup *g = &s->footer->groups[s->group];
    PqOffsetIndex pages = {.has = 0};
    PqColumnChunk c;
    PqErr e;

    pq_err_init(&e);
    if (chunk_of(s->footer, s->group, leaf, a, &c) &&
        pq_page_index_offsets(&s->in, &c, (int)s->group, leaf, g->num_rows, a, &pages,
                              &e) == PQ_OK && pages.page_locations.n > 0) {
        announce_pages(s, g, &c, &pages.page_locations);
    }
    pq_err_clear(&e);
    return pages.page_locations.n > 0;
}

static bool is_wanted(const PqScan *s, uint32_t leaf)
{
    return s->leaves[leaf].wanted || s->leaves[leaf].reader;
}

static int64_t first_of_each(const PqScan *s)
{
    int64_t n = 1;

    for (uint32_t k = 0; k < s->footer->schema.n_leaves; k++) {
        n += is_wanted(s, k);
    }
    return FIRST / n > FIRST_LEAST ? FIRST / n : FIRST_LEAST;
}

static int64_t announce_leaves(PqScan *s, uint32_t group, bool live_pages, int64_t most)
{
    int64_t n = 0;
    PqArena a;

    pq_arena_init(&a, s->mem);
    for (uint32_t k = 0; k < s->footer->schema.n_leaves; k++) {
        if (is_wanted(s, k) && !(live_pages && announce_live(s, k, &a))) {
            n += pq_scan_announce_chunk(s->in.source, s->footer, group, k, most, &a);
        }
    }
    pq_arena_free(&a);
    return n;
}

/* Will the scan go on into this row group? */
static bool goes_into(PqScan *s, uint32_t group)
{
    int64_t row = (s->file << PQ_ROWID_SHIFT) + s->footer->groups[group].first_row;

    return s->ranges[s->range].end > row &&
           (s->n_proofs == 0 || pq_scan_may_want(s, group));
}

void pq_scan_announce_group(PqScan *s)
{
    s->announces = false;
    if (!pq_source_is_far(s->in.source) || s->group_refuted || s->rows_only) {
        return;
    }
    if (is_selective(s, &s->footer->groups[s->group])) {
        announce_leaves(s, s->group, true, INT64_MAX);
        pq_scan_look_into_next(s);
        return;
    }
    if (s->announced <= s->group) {
        announce_leaves(s, s->group, false, first_of_each(s));
    }
    s->announces = true;
}

void pq_scan_announce_more(PqScan *s)
{
    int64_t n = 0;

    if (s->stats.rows < LATER) {
        return;
    }
    s->announces = false;
    if (s->announced < s->group) {
        s->announced = s->group;
    }
    while (s->announced < s->footer->n_groups && n < PQ_SCAN_AHEAD &&
           s->announced - s->group < GROUPS_MOST &&
           (s->announced == s->group || goes_into(s, s->announced))) {
        n += announce_leaves(s, s->announced++, false, INT64_MAX);
    }
    if (s->announced == s->footer->n_groups) {
        pq_scan_look_into_next(s);
    }
}
