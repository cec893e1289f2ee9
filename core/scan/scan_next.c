/*
** scan_next.c - the files that a scan gets to next, if they are far away.
**
**   in the file         a     its row groups are read
**   opened              b c   what will be read of them was announced
**   expected            d ... their ends were asked for (listing.h)
**
** Where there are conditions, and it is not known which pages have rows, no more than
** the first bytes of chunks are announced.
*/
#include "core/scan/row_box.h"
#include "core/scan/scan_inside.h"

enum { FIRST = 128 << 10, LATER = 5000, LOOKED_AT_MOST = 1000 };

/* Is the file, of the listing, not for this scan? */
static bool is_passed_over(void *arg, const PqListedFile *file)
{
    PqScan *s = arg;
    int64_t begin = (int64_t)(file - s->listing->files) << PQ_ROWID_SHIFT;
    int64_t end = begin + (INT64_C(1) << PQ_ROWID_SHIFT);
    uint32_t i = s->range;

    while (i < s->n_ranges && s->ranges[i].end <= begin) {
        i++;
    }
    return i == s->n_ranges || s->ranges[i].begin >= end ||
           (s->skip_file && s->skip_file(s->skip_arg, file)) ||
           pq_scan_log_skips(s, file);
}

static void close_first(PqScan *s)
{
    pq_source_close(s->next[0].source);
    pq_footer_release(s->next[0].footer);
    memmove(s->next, s->next + 1, --s->n_next * sizeof *s->next);
}

void pq_scan_close_next(PqScan *s)
{
    while (s->n_next) {
        close_first(s);
    }
}

PqRc pq_scan_enter_next(PqScan *s, uint32_t file, PqErr *e)
{
    while (s->n_next && s->next[0].file != file) {
        close_first(s);
    }
    pq_listing_expect(s->listing, file, is_passed_over, s);
    if (s->n_next) {
        s->in.source = s->next[0].source;
        s->footer = s->next[0].footer;
        memmove(s->next, s->next + 1, --s->n_next * sizeof *s->next);
        return PQ_OK;
    }
    return pq_engine_open(s->table->engine, s->listing, s->listing->files[file].path,
                          &s->in.source, &s->footer, e);
}

/* ---- what will be read of it --------------------------------------------------------- */

/* Does the footer rule the row group out? */
static bool is_refuted(const PqScan *s, const PqScanNext *x, const PqNode **nodes,
                       uint32_t group, PqArena *a)
{
    bool refuted = false;
    PqErr e;

    pq_err_init(&e);
    for (uint32_t i = 0; i < s->n_proofs && !refuted; i++) {
        const PqProof *p = s->proofs[i];
        PqLeafBounds bounds[PQ_PROOF_LEAVES];
        uint32_t k = 0;

        while (k < p->n_columns && !p->refutes_box) {
            const PqNode *node = nodes[p->column[k]];

            if (!node || node->kind != PQ_NODE_LEAF ||
                pq_chunk_bounds(x->footer, group, &x->footer->schema.leaves[node->leaf],
                                a, &bounds[k], &e) != PQ_OK) {
                break;
            }
            k++;
        }
        refuted = k == p->n_columns && k > 0 &&
                  p->refutes(p, bounds, x->footer->groups[group].num_rows);
    }
    pq_err_clear(&e);
    return refuted;
}

static bool is_wanted(const PqScan *s, uint32_t column)
{
    const PqNode *now = s->nodes[column];

    return pq_scan_wants(s, column) ||
           (now && now->kind == PQ_NODE_LEAF && s->leaves[now->leaf].reader);
}

static void announce_file(PqScan *s, PqScanNext *x, const PqNode **nodes)
{
    int64_t most = s->n_proofs ? FIRST : INT64_MAX;
    PqArena a;

    pq_arena_init(&a, s->mem);
    for (uint32_t g = 0; g < x->footer->n_groups && x->bytes < PQ_SCAN_AHEAD; g++) {
        if (is_refuted(s, x, nodes, g, &a)) {
            continue;
        }
        for (uint32_t i = 0; i < s->table->n_columns; i++) {
            for (uint32_t k = 0; nodes[i] && is_wanted(s, i) && k < nodes[i]->n_leaves; k++) {
                int64_t at = 0, n = pq_scan_chunk_bytes(
                    x->footer, g, nodes[i]->first_leaf + k, most, &a, &at);

                pq_source_will_need(x->source, (PqExtent){(uint64_t)at, (uint64_t)(at + n)});
                x->bytes += n;
            }
        }
        pq_arena_reset(&a);
    }
    pq_arena_free(&a);
}

/* That it fails is found out when the scan gets there. */
static bool look_into(PqScan *s, uint32_t file)
{
    const char *path = s->listing->files[file].path;
    PqScanNext x = {.file = file};
    const PqNode **nodes;
    PqErr e;

    pq_err_init(&e);
    if (pq_engine_open(s->table->engine, s->listing, path, &x.source, &x.footer,
                       &e) == PQ_OK &&
        PQ_ARRAY(s->mem, nodes, s->table->n_columns + 1u, &e) == PQ_OK) {
        if (pq_table_map(s->table, x.footer, path, pq_listing_is_first(s->listing, file), nodes,
                         &e) == PQ_OK) {
            announce_file(s, &x, nodes);
        }
        pq_mem_free(nodes);
    }
    if (x.footer) {
        s->next[s->n_next++] = x;
    }
    pq_err_clear(&e);
    return x.footer != NULL;
}

void pq_scan_look_into_next(PqScan *s)
{
    uint32_t file = (uint32_t)s->file, left = LOOKED_AT_MOST;
    int64_t bytes = 0;

    for (uint32_t i = 0; i < s->n_next; i++) {
        bytes += s->next[i].bytes;
        file = s->next[i].file;
    }
    if (s->stats.rows < LATER && s->stats.files < 2) {
        return;
    }
    while (s->n_next < PQ_SCAN_NEXT && bytes < PQ_SCAN_AHEAD) {
        file++;
        while (left && file < s->listing->n_files && is_passed_over(s, &s->listing->files[file])) {
            file++;
            left--;
        }
        if (!left || !pq_listing_has_come(s->listing, file) || !look_into(s, file)) {
            return;
        }
        bytes += s->next[s->n_next - 1].bytes;
    }
}
