/*
** scan_prune.c - decides which rows of a row group have to be read.
**
** There are six kinds of evidence, the cheapest first.  All proofs are asked
** with one kind before the next is fetched, and nothing more is fetched once no
** row is left:
**
**   statistics     bounds of the whole group, from the footer
**   boxes          the same for geometries (scan_boxes.c)
**   Bloom filter   a header, and 32 bytes for a value
**   column index   bounds of each page
**   page headers   the same, where there is no column index
**   dictionary     a page, which has to be decompressed
**
** The hard part is that pages of different columns need not align.  Every proof
** leaves ranges of rows, and only rows in all of these ranges are read.
**
**   rows      0         1000        2000        3000
**   price     [  page   |    dead   |   page         ]
**   day       [ dead |     page           |   dead   ]
**   live              xxx           xxxxxxx
**
** An invalid index is ignored.
*/
#include "core/scan/row_box.h"
#include "core/scan/scan_inside.h"

const PqLeaf *pq_scan_proof_leaf(const PqScan *s, uint32_t column)
{
    const PqNode *node = pq_scan_node(s, column);

    return node && node->kind == PQ_NODE_LEAF && (node->rep == 0 || s->unnest)
               ? &s->footer->schema.leaves[node->leaf] : NULL;
}

/* Under outer, an empty list is a NULL element.  Not all writers count it among
** the nulls of a repeated leaf. */
void pq_scan_doubt_nulls(const PqScan *s, PqLeafBounds *b)
{
    if (b->leaf->max_rep > 0 && b->bounds.n_nulls == 0 &&
        s->table->unnest.outer) {
        b->bounds.n_nulls = -1;
    }
}

PqRc pq_scan_forgive(PqRc rc, PqWhere outer, PqErr *e)
{
    e->where = outer;
    if (rc == PQ_CORRUPT || rc == PQ_UNSUPPORTED || rc == PQ_BUDGET) {
        pq_err_clear(e);
        rc = PQ_OK;
    }
    return rc;
}

static PqRc group_bounds(PqScan *s, uint32_t group, uint32_t column,
                         PqArena *a, PqLeafBounds *out, bool *have, PqErr *e)
{
    const PqLeaf *leaf = pq_scan_group_leaf(s, column, group);

    *have = leaf != NULL;
    if (leaf) {
        PQ_TRY(pq_chunk_bounds(s->footer, group, leaf, a, out, e));
        pq_scan_doubt_nulls(s, out);
    }
    return PQ_OK;
}

static PqRc refute_of(PqScan *s, uint32_t group, const PqProof *p, PqArena *a,
                      bool *refuted, PqErr *e)
{
    PqLeafBounds bounds[PQ_PROOF_LEAVES];
    bool have = true;

    for (uint32_t k = 0; k < p->n_columns && have; k++) {
        PQ_TRY(group_bounds(s, group, p->column[k], a, &bounds[k], &have, e));
    }
    *refuted = have &&
               p->refutes(p, bounds, s->footer->groups[group].num_rows);
    return PQ_OK;
}

static PqRc refute_group(PqScan *s, const PqProof *p, PqArena *a,
                         bool *refuted, PqErr *e)
{
    return p->refutes_box ? PQ_OK : refute_of(s, s->group, p, a, refuted, e);
}

/* Is the proof asked with this kind of evidence?  To walk the headers of pages that
** are far away would take a request for each. */
static bool trusts(const PqScan *s, const PqProof *p, uint32_t kind)
{
    return !(s->distrust & 1u << kind) &&
           !(kind == PQ_BY_HEADERS && pq_source_is_far(s->in.source)) &&
           !(p->refutes_box && s->distrust & 1u << PQ_BY_BOXES);
}

/* Refutes by everything that the footer says. */
static PqRc refute_footer(PqScan *s, uint32_t group, const PqProof *p,
                          PqArena *a, bool *refuted, PqErr *e)
{
    if (!trusts(s, p, p->refutes_box ? PQ_BY_BOXES : PQ_BY_STATISTICS)) {
        return PQ_OK;
    }
    return p->refutes_box
               ? pq_scan_boxes_of_group(s, p, group, a, refuted, e)
               : refute_of(s, group, p, a, refuted, e);
}

bool pq_scan_may_want(PqScan *s, uint32_t group)
{
    bool refuted = false;
    PqArena a;
    PqErr e;

    if (s->n_proofs == 0) {
        return true;
    }
    if (s->may_want_of == (int64_t)group) {
        return s->may_want;
    }
    pq_err_init(&e);
    pq_arena_init(&a, s->mem);
    for (uint32_t i = 0; i < s->n_proofs && !refuted; i++) {
        if (refute_footer(s, group, s->proofs[i], &a, &refuted, &e) != PQ_OK) {
            refuted = true;          /* the scan says why if it gets there */
        }
    }
    pq_arena_free(&a);
    pq_err_clear(&e);
    s->may_want_of = group;
    s->may_want = !refuted;
    return s->may_want;
}

/* Removes the rows [first, end) from the live ranges, which are sorted.  A cut
** adds at most one range. */
PqRc pq_scan_cut_rows(PqScan *s, int64_t first, int64_t end, PqErr *e)
{
    uint32_t i, n = 0, room = s->n_live + 1;
    PqRowRange *v;

    PQ_TRY(PQ_ARRAY(s->mem, v, room, e));
    for (i = 0; i < s->n_live; i++) {
        PqRowRange r = s->live[i];

        if (r.end <= first || r.begin >= end) {
            v[n++] = r;
            continue;
        }
        if (r.begin < first) {
            v[n++] = (PqRowRange){r.begin, first};
        }
        if (r.end > end) {
            v[n++] = (PqRowRange){end, r.end};
        }
    }
    pq_mem_free(s->live);
    s->live = v;
    s->n_live = n;
    return PQ_OK;
}

/* Do the bounds of each typed_value hold?  They do if its `value` has nothing
** in the run. */
static bool bounds_hold(const PqScanRuns *r, const PqLeafBounds *bounds)
{
    for (uint32_t k = r->n_asked; k < r->n; k++) {
        if (!pq_table_path_is_free(&bounds[k].bounds)) {
            return false;
        }
    }
    return true;
}

/* Removes the runs that the proof refutes.  Adjacent runs are removed
** together. */
static PqRc cut_runs(PqScan *s, const PqProof *p, PqScanRuns *runs,
                     uint64_t *n_refuted, PqErr *e)
{
    int64_t n_rows = s->footer->groups[s->group].num_rows, cut = -1, end;

    for (int64_t row = 0; row < n_rows; row = end) {
        PqLeafBounds bounds[PQ_RUN_LEAVES];
        bool refuted;

        end = pq_scan_end_of_run(s, runs, row, bounds);
        refuted = bounds_hold(runs, bounds) &&
                  p->refutes(p, bounds, end - row);
        *n_refuted += refuted && !s->revisited;
        if (refuted && cut < 0) {
            cut = row;
        }
        if (cut >= 0 && !refuted) {
            PQ_TRY(pq_scan_cut_rows(s, cut, row, e));
            cut = -1;
        }
    }
    return cut < 0 ? PQ_OK : pq_scan_cut_rows(s, cut, n_rows, e);
}

/* The leaves whose pages a proof is asked about, and the leaves that must be
** null; false: in this file, one of the columns is not a leaf. */
static bool list_leaves(const PqScan *s, const PqProof *p, PqScanRuns *out,
                        const PqLeaf *leaves[PQ_RUN_LEAVES])
{
    const PqLeaf *value;

    *out = (PqScanRuns){.n = p->n_columns, .n_asked = p->n_columns};
    for (uint32_t k = 0; k < p->n_columns; k++) {
        leaves[k] = pq_scan_proof_leaf(s, p->column[k]);
        if (!leaves[k] &&
            pq_scan_path_leaves(s, p->column[k], &leaves[k], &value) && value) {
            leaves[out->n++] = value;
        }
        if (!leaves[k]) {
            return false;
        }
    }
    return true;
}

/* *any: pages are known for at least one leaf. */
static PqRc load_pages(PqScan *s, const PqProof *p, PqArena *a, PqScanRuns *out,
                       bool *any, PqErr *e)
{
    const PqLeaf *leaves[PQ_RUN_LEAVES] = {NULL};

    *any = false;
    if (!list_leaves(s, p, out, leaves)) {
        return PQ_OK;
    }
    for (uint32_t k = 0; k < out->n; k++) {
        PQ_TRY(pq_scan_pages_load(s, s->group, leaves[k], a, &out->of[k], e));
        *any = *any || out->of[k].n > 0;
    }
    for (uint32_t k = 0; k < out->n && *any; k++) {
        if (out->of[k].n == 0) {
            *any = k < out->n_asked || s->table->believes;
            PQ_TRY(pq_chunk_bounds(s->footer, s->group, leaves[k], a, &out->whole[k],
                                   e));
            pq_scan_doubt_nulls(s, &out->whole[k]);
        }
    }
    return PQ_OK;
}

static PqRc refute_pages(PqScan *s, const PqProof *p, PqArena *a,
                         bool *refuted, PqErr *e)
{
    bool any;
    PqScanRuns pages;

    if (p->refutes_box) {
        return pq_scan_refute_box_runs(s, p, false, a, refuted, e);
    }
    PQ_TRY(load_pages(s, p, a, &pages, &any, e));
    if (any) {
        PQ_TRY(cut_runs(s, p, &pages, &s->stats.pages_refuted, e));
    }
    *refuted = s->n_live == 0;
    return PQ_OK;
}

/* Only for proofs on a single leaf, because only the headers of one leaf at a
** time are known. */
static PqRc refute_headers(PqScan *s, const PqProof *p, PqArena *a,
                           bool *refuted, PqErr *e)
{
    const PqLeaf *leaf = p->n_columns == 1
                             ? pq_scan_group_leaf(s, p->column[0], s->group)
                             : NULL;
    PqScanRuns pages = {.n = 1, .n_asked = 1};

    if (p->refutes_box) {
        return pq_scan_refute_box_runs(s, p, true, a, refuted, e);
    }
    if (leaf) {
        PQ_TRY(pq_scan_headers_load(s, s->group, leaf, &pages.of[0], e));
    }
    if (pages.of[0].n > 0) {
        PQ_TRY(cut_runs(s, p, &pages, &s->stats.headers_refuted, e));
    }
    *refuted = s->n_live == 0;
    return PQ_OK;
}

/* Asks every proof with every kind of evidence, until the row group is
** refuted: by the kind *by. */
static PqRc ask_all(PqScan *s, PqArena *a, uint32_t *by, PqErr *e)
{
    static const PqScanRefute ways[PQ_PROOF_KIND_COUNT] = {
        [PQ_BY_STATISTICS] = refute_group,
        [PQ_BY_BOXES] = pq_scan_refute_boxes,
        [PQ_BY_BLOOM] = pq_scan_refute_bloom,
        [PQ_BY_PAGES] = refute_pages,
        [PQ_BY_HEADERS] = refute_headers,
        [PQ_BY_DICTIONARY] = pq_scan_refute_dict,
    };

    for (uint32_t kind = 0; kind < PQ_PROOF_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < s->n_proofs; i++) {
            bool refuted = false;

            if (!trusts(s, s->proofs[i], kind)) {
                continue;
            }
            PQ_TRY(ways[kind](s, s->proofs[i], a, &refuted, e));
            if (refuted) {
                s->group_refuted = true;
                *by = kind;
                return PQ_OK;
            }
        }
    }
    return PQ_OK;
}

/* The first of the file's deleted ranges that reaches into the rows from `row` on. */
static uint32_t first_deleted(const PqListedFile *f, int64_t row)
{
    uint32_t low = 0, high = f->n_deleted;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (f->deleted[mid].end <= row) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* Removes deleted rows from the live ranges.  Both are sorted, so one walk does for all. */
static PqRc cut_deleted(PqScan *s, const PqGroup *g, PqErr *e)
{
    const PqListedFile *f = &s->listing->files[s->file];
    uint32_t k = first_deleted(f, g->first_row), n = 0, room;
    uint32_t last = first_deleted(f, g->first_row + g->num_rows);
    PqRowRange *v;

    last += last < f->n_deleted;     /* it may begin in the group            */
    room = s->n_live + (last - k);
    PQ_TRY(PQ_ARRAY(s->mem, v, room + 1u, e));
    for (uint32_t i = 0; i < s->n_live; i++) {
        PqRowRange r = s->live[i];

        while (k < last && f->deleted[k].end - g->first_row <= r.begin) {
            k++;
        }
        for (; k < last && f->deleted[k].begin - g->first_row < r.end; k++) {
            int64_t begin = f->deleted[k].begin - g->first_row;

            if (begin > r.begin) {
                v[n++] = (PqRowRange){r.begin, begin};
            }
            r.begin = f->deleted[k].end - g->first_row;
            if (r.begin >= r.end) {
                break;               /* it may reach into the next range too */
            }
        }
        if (r.begin < r.end) {
            v[n++] = r;
        }
    }
    pq_mem_free(s->live);
    s->live = v;
    s->n_live = n;
    s->live_at = 0;
    return PQ_OK;
}

static uint64_t rows_left(const PqScan *s)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < s->n_live && !s->group_refuted; i++) {
        n += (uint64_t)(s->live[i].end - s->live[i].begin);
    }
    return n;
}

PqRc pq_scan_prune_group(PqScan *s, PqErr *e)
{
    const PqGroup *g = &s->footer->groups[s->group];
    bool is_new = !s->revisited;
    const char *outer = e->where.file;
    uint32_t by = PQ_BY_STATISTICS;
    PqArena arena;
    PqRc rc = PQ_OK;

    s->group_known = true;
    s->group_refuted = false;
    s->n_live = 0;
    s->stats.groups += is_new;
    s->is_cut = s->n_proofs > 0 || s->listing->files[s->file].n_deleted > 0;
    s->live_at = 0;
    if (!s->is_cut) {
        s->revisited = false;
        return PQ_OK;
    }
    e->where.file = pq_source_path(s->in.source);
    pq_arena_init(&arena, s->mem);
    pq_mem_free(s->live);
    PQ_GO(PQ_NEW(s->mem, s->live, 1, e));
    s->live[0] = (PqRowRange){0, g->num_rows};
    s->n_live = 1;
    PQ_GO(ask_all(s, &arena, &by, e));
    PQ_GO(s->listing->files[s->file].n_deleted ? cut_deleted(s, g, e) : PQ_OK);
    if (is_new) {
        s->stats.groups_skipped += s->group_refuted;
        s->stats.groups_by[by] += s->group_refuted;
        s->stats.rows_skipped += (uint64_t)g->num_rows - rows_left(s);
    }
done:
    s->revisited = false;
    e->where.file = outer;
    pq_arena_free(&arena);
    return rc;
}

bool pq_scan_live_rows(PqScan *s, int64_t row, int64_t *begin,
                       int64_t *end)
{
    uint32_t i = s->live_at;

    *begin = row;
    *end = s->footer->groups[s->group].num_rows;
    if (!s->is_cut) {
        return true;
    }
    if (i > 0 && row < s->live[i - 1].end) {
        i = 0;                       /* back to an earlier row               */
    }
    for (; i < s->n_live && s->live[i].end <= row; i++) {
    }
    s->live_at = i;
    if (i == s->n_live) {
        return false;
    }
    *begin = s->live[i].begin > row ? s->live[i].begin : row;
    *end = s->live[i].end;
    return true;
}
