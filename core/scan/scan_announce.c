/*
** scan_announce.c - says ahead what a scan will read of a file that is far away.
**
**   entering the file     what proofs ask for: blocks of Bloom filters, small
**                         dictionaries, page indexes
**   entering a row group  of each column that is wanted its first bytes, or where
**                         few rows are live the pages that have them
**   ... and later         the whole chunks, and those of the next row groups
**   picking rows          the pages that have them
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
       SMALL_DICTIONARY = 64 << 10, FEW_HASHES = 8, BLOCK = PQ_BLOOM_BLOCK,
       HEADER_LEAST = 12 };

/* What is announced is said at once, by say(): indexes are read meanwhile, and a server
** would be asked for what is known by then. */
static void announce(PqScan *s, int64_t offset, int64_t n)
{
    PqErr e;

    pq_err_init(&e);
    if (offset > 0 && n > 0 &&
        PQ_GROW(s->mem, s->needs, s->n_needs, s->needs_room, &e) == PQ_OK) {
        s->needs[s->n_needs++] = (PqExtent){(uint64_t)offset,
                                            (uint64_t)offset + (uint64_t)n};
    }
    pq_err_clear(&e);
}

static void say(PqScan *s)
{
    for (uint32_t i = 0; i < s->n_needs; i++) {
        pq_source_will_need(s->in.source, s->needs[i]);
    }
    s->n_needs = 0;
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

/* The header, and the blocks that the hashes fall into: where these lie follows from the
** size of the header, which is guessed from that of the whole. */
static void announce_bloom(PqScan *s, const PqColumnMetaData *m,
                           const uint64_t *hashes, uint32_t n)
{
    int64_t at = m->bloom_filter_offset, all = m->bloom_filter_length, blocks;

    blocks = all < HEADER_LEAST ? 0 : (all - HEADER_LEAST) / BLOCK;
    if (n > FEW_HASHES || blocks == 0 || pq_bloom_whole((uint32_t)blocks, n)) {
        announce(s, at, all);
        return;
    }
    announce(s, at, PQ_BLOOM_OPENING);
    while (n > 0) {
        uint32_t first, last, some = pq_bloom_run((uint32_t)blocks, hashes, n, &first, &last);

        announce(s, at + all - (blocks - first) * BLOCK, (last - first + 1) * (int64_t)BLOCK);
        hashes += some;
        n -= some;
    }
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

/* Which pages have the rows that the proofs leave, or that are picked. */
static void announce_offset(PqScan *s, uint32_t group, uint32_t leaf, PqArena *a)
{
    PqColumnChunk c;

    if (s->leaves[leaf].wanted && chunk_of(s->footer, group, leaf, a, &c)) {
        announce(s, c.offset_index_offset, c.offset_index_length);
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
        for (uint32_t k = 0; k < s->footer->schema.n_leaves; k++) {
            announce_offset(s, g, k, &a);
        }
        pq_arena_reset(&a);
    }
    pq_arena_free(&a);
    say(s);
}

/* ---- what is read ---------------------------------------------------------------- */

static int64_t first_byte(const PqColumnMetaData *m)
{
    int64_t at = m->data_page_offset;

    return m->dictionary_page_offset > 0 && m->dictionary_page_offset < at
               ? m->dictionary_page_offset : at;
}

/* Do rows of the group that are live, and asked for, lie in [begin, end)? */
static bool is_live(const PqScan *s, uint32_t group, uint32_t leaf, int64_t begin,
                    int64_t end)
{
    int64_t first = (s->file << PQ_ROWID_SHIFT) + s->footer->groups[group].first_row;
    bool live = !s->is_cut, asked = false;

    (void)leaf;
    for (uint32_t i = 0; i < s->n_live && !live; i++) {
        live = s->live[i].begin < end && s->live[i].end > begin;
    }
    begin += first;
    end += first;
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

/* Are rows of [begin, end), of the row group, wanted of the leaf? */
typedef bool (*WantsRows)(const PqScan *s, uint32_t group, uint32_t leaf, int64_t begin,
                          int64_t end);

static void announce_pages(PqScan *s, uint32_t group, uint32_t leaf, WantsRows wants,
                           const PqColumnChunk *c, const PqPageLocationList *at)
{
    int64_t begin = first_byte(&c->meta_data), rows = s->footer->groups[group].num_rows;

    announce(s, begin, at->v[0].offset - begin);
    for (uint32_t i = 0; i < at->n; i++) {
        int64_t end = i + 1 < at->n ? at->v[i + 1].first_row_index : rows;

        if (wants(s, group, leaf, at->v[i].first_row_index, end)) {
            announce(s, at->v[i].offset, at->v[i].compressed_page_size);
        }
    }
}

int64_t pq_scan_chunk_bytes(const PqFooter *f, uint32_t group, uint32_t leaf, int64_t most,
                            PqArena *a, int64_t *at)
{
    PqColumnChunk c;
    int64_t n;

    if (!chunk_of(f, group, leaf, a, &c)) {
        return 0;
    }
    n = c.meta_data.total_compressed_size;
    *at = first_byte(&c.meta_data);
    return n < most || c.offset_index_offset == 0 ? n : most;
}

/* The pages of a leaf that have such rows; false: nothing says where they are. */
static bool announce_some(PqScan *s, uint32_t group, uint32_t leaf, WantsRows wants,
                          PqArena *a)
{
    PqOffsetIndex pages = {.has = 0};
    PqColumnChunk c;
    PqErr e;

    pq_err_init(&e);
    if (chunk_of(s->footer, group, leaf, a, &c) &&
        pq_page_index_offsets(&s->in, &c, (int)group, s->footer->schema.leaves[leaf].column,
                              s->footer->groups[group].num_rows, a, &pages, &e) == PQ_OK &&
        pages.page_locations.n > 0) {
        announce_pages(s, group, leaf, wants, &c, &pages.page_locations);
    }
    pq_err_clear(&e);
    return pages.page_locations.n > 0;
}

static bool is_proved(const PqScan *s, uint32_t leaf)
{
    bool is = false;

    for (uint32_t i = 0; i < s->n_proofs; i++) {
        for (uint32_t k = 0; k < s->proofs[i]->n_columns && !is; k++) {
            const PqLeaf *of = pq_scan_proof_leaf(s, s->proofs[i]->column[k]);

            is = of && of->index == leaf;
        }
    }
    return is;
}

static bool is_wanted(const PqScan *s, uint32_t leaf)
{
    return s->leaves[leaf].reader ||
           (s->leaves[leaf].wanted && (!s->few_columns || is_proved(s, leaf)));
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
        if (is_wanted(s, k) && !(live_pages && announce_some(s, group, k, is_live, &a))) {
            int64_t at = 0, bytes = pq_scan_chunk_bytes(s->footer, group, k, most, &a, &at);

            announce(s, at, bytes);
            n += bytes;
        }
    }
    pq_arena_free(&a);
    say(s);
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
        int64_t more = announce_leaves(s, s->announced, false, INT64_MAX);

        n += s->announced++ == s->group ? 0 : more;
    }
    if (s->announced == s->footer->n_groups) {
        pq_scan_look_into_next(s);
    }
}

/* ---- rows that are picked -------------------------------------------------------- */

/* Is a block to be read for a picked row, and does it have rows of [begin, end)? */
static bool is_picked(const PqScan *s, uint32_t group, uint32_t leaf, int64_t begin,
                      int64_t end)
{
    const PqGroup *g = &s->footer->groups[group];
    int64_t block_end = 0;

    for (uint32_t i = 0; i < s->batch.n_rows; i++) {
        int64_t row = pq_scan_picked_row(s, i) - g->first_row, block;

        if (row >= g->num_rows) {
            return false;
        }
        if (row >= block_end && pq_scan_lacks_block(s, leaf, group, row, &block, &block_end) &&
            block < end && block_end > begin) {
            return true;
        }
    }
    return false;
}

/* Of a column whose vector was set, nothing is read. */
static bool picks(const PqScan *s, uint32_t group, uint32_t leaf)
{
    return s->leaves[leaf].wanted && s->leaves[leaf].batch != s->batch_serial &&
           is_picked(s, group, leaf, 0, INT64_MAX);
}

static void announce_picked(PqScan *s, uint32_t group, bool offsets, PqArena *a)
{
    for (uint32_t k = 0; k < s->footer->schema.n_leaves; k++) {
        if (!picks(s, group, k)) {
            continue;
        }
        if (offsets) {
            announce_offset(s, group, k, a);
        } else {
            announce_some(s, group, k, is_picked, a);
        }
    }
}

void pq_scan_announce_picks(PqScan *s)
{
    PqArena a;

    pq_arena_init(&a, s->mem);
    for (int offsets = 1; offsets >= 0; offsets--) {
        int64_t end = 0;

        for (uint32_t i = 0; i < s->batch.n_rows; i++) {
            int64_t row = pq_scan_picked_row(s, i);

            if (row >= end) {
                uint32_t group = pq_scan_group_of_row(s->footer, row);
                const PqGroup *g = &s->footer->groups[group];

                announce_picked(s, group, offsets, &a);
                end = g->first_row + g->num_rows;
            }
        }
        say(s);
    }
    pq_arena_free(&a);
}
