/*
** scan_boxes.c - asks proofs about geometries, by the boxes of row groups and
** of runs of their rows.
**
** Pages of the leaves of a covering need not begin at the same rows.  A run of
** rows lies within one page of each:
**
**   rows       0         1000        2000        3000
**   xmin       [       page            |   page       ]
**   ymax       [  page   |    page     |   page       ]
**   boxes      [   a     |     b       |     c        ]
**
** The box of a run (row_box.h) does not depend on what is asked.  A join asks for
** box after box, so boxes are kept as long as the scan, within a share of its
** memory.  Once all row groups of a file have a box, the file is not even
** opened for a box elsewhere.
*/
#include "core/scan/row_box.h"
#include "core/scan/scan_inside.h"

#include <math.h>

enum { MEMORY_SHARE = 16, BUCKETS = 64, OWN = PQ_BOX_OWN,
       N_LEAVES = PQ_BOX_LEAVES };
_Static_assert((int)N_LEAVES <= (int)PQ_RUN_LEAVES, "there is room");

/* Rows of a row group, from the end of the run before. */
typedef struct Run {
    int64_t  end;
    PqRowBox box;
} Run;

typedef struct GroupBoxes {
    PqRowBox native, cover;          /* of all rows                         */
    Run     *runs;
    uint32_t n_runs;                 /* 0: not known by pages               */
    bool     asked_index, asked_headers, by_headers;
} GroupBoxes;

typedef struct FileBoxes {
    struct FileBoxes *next;
    int64_t      file;
    uint32_t     column;
    uint32_t     n_groups, n_known;
    int64_t      n_rows;
    GroupBoxes **groups;             /* NULL: not looked at yet             */
    PqRowBox     all;                /* of all row groups, once known       */
} FileBoxes;

typedef struct PqScanBoxes {
    PqArena    arena;
    FileBoxes *bucket[BUCKETS];
} PqScanBoxes;

void pq_scan_free_boxes(PqScanBoxes *b)
{
    if (b) {
        pq_arena_free(&b->arena);
        pq_mem_free(b);
    }
}

/* ---- what is kept -------------------------------------------------------- */

static PqRc need_boxes(PqScan *s, PqErr *e)
{
    if (!s->boxes) {
        PQ_TRY(PQ_NEW(s->mem, s->boxes, 1, e));
        pq_arena_init(&s->boxes->arena, s->mem);
    }
    if (pq_arena_memory(&s->boxes->arena) >
        pq_mem_limit(s->mem) / MEMORY_SHARE) {
        pq_arena_reset(&s->boxes->arena);
        memset(s->boxes->bucket, 0, sizeof s->boxes->bucket);
    }
    return PQ_OK;
}

static FileBoxes **bucket_of(PqScanBoxes *b, int64_t file, uint32_t column)
{
    return &b->bucket[((uint64_t)file * 31 + column) % BUCKETS];
}

static FileBoxes *find_file(PqScanBoxes *b, int64_t file, uint32_t column)
{
    FileBoxes *f = *bucket_of(b, file, column);

    while (f && (f->file != file || f->column != column)) {
        f = f->next;
    }
    return f;
}

static PqRc need_file(PqScan *s, uint32_t column, FileBoxes **out, PqErr *e)
{
    FileBoxes **at, *f;

    PQ_TRY(need_boxes(s, e));
    *out = find_file(s->boxes, s->file, column);
    if (*out) {
        return PQ_OK;
    }
    at = bucket_of(s->boxes, s->file, column);
    PQ_TRY(PQ_ARENA_NEW(&s->boxes->arena, f, 1, e));
    PQ_TRY(PQ_ARENA_NEW(&s->boxes->arena, f->groups, s->footer->n_groups + 1u,
                          e));
    f->file = s->file;
    f->column = column;
    f->n_groups = s->footer->n_groups;
    f->n_rows = s->footer->n_rows;
    f->next = *at;
    *at = *out = f;
    return PQ_OK;
}

/* ---- row groups ---------------------------------------------------------- */

static PqGeoCover cover_of(const PqScan *s, uint32_t column)
{
    return pq_geo_cover(s->footer, pq_scan_node(s, column));
}

/* An X that wraps does not count. */
static PqRowBox join_groups(const FileBoxes *f)
{
    PqRowBox all = {.none = true, .has_x = true, .has_y = true,
                    .min_x = HUGE_VAL, .max_x = -HUGE_VAL,
                    .min_y = HUGE_VAL, .max_y = -HUGE_VAL};

    for (uint32_t i = 0; i < f->n_groups; i++) {
        const GroupBoxes *g = f->groups[i];
        const PqRowBox *b = pq_better_box(&g->native, &g->cover);

        if (g->native.none || g->cover.none) {
            continue;
        }
        all.none = false;
        all.has_x = all.has_x && b->has_x && b->min_x <= b->max_x;
        all.has_y = all.has_y && b->has_y;
        all.min_x = fmin(all.min_x, b->min_x);
        all.max_x = fmax(all.max_x, b->max_x);
        all.min_y = fmin(all.min_y, b->min_y);
        all.max_y = fmax(all.max_y, b->max_y);
    }
    return all;
}

static PqRc need_group(PqScan *s, uint32_t column, uint32_t group, PqArena *a,
                       GroupBoxes **out, PqErr *e)
{
    PqWhere outer = e->where;
    FileBoxes *f;
    GroupBoxes *g;
    PqGeoCover c;

    PQ_TRY(need_file(s, column, &f, e));
    *out = f->groups[group];
    if (*out) {
        return PQ_OK;
    }
    PQ_TRY(PQ_ARENA_NEW(&s->boxes->arena, g, 1, e));
    c = cover_of(s, column);
    PQ_TRY(pq_scan_forgive(
        pq_group_boxes(s->footer, &c, group,
                       !(s->distrust & 1u << PQ_BY_STATISTICS), a, &g->native,
                       &g->cover, e), outer, e));
    f->groups[group] = *out = g;
    f->n_known++;
    if (f->n_known == f->n_groups) {
        f->all = join_groups(f);
    }
    return PQ_OK;
}

static bool refutes(const PqProof *p, const PqRowBox *b)
{
    PqGeoBox box = pq_row_box(b);

    return b->none || p->refutes_box(p, &box);
}

PqRc pq_scan_boxes_of_group(PqScan *s, const PqProof *p, uint32_t group,
                            PqArena *a, bool *refuted, PqErr *e)
{
    PqWhere outer = e->where;
    GroupBoxes *g = NULL;

    *refuted = false;
    PQ_TRY(pq_scan_forgive(need_group(s, p->column[0], group, a, &g, e), outer,
                           e));
    *refuted = g && (refutes(p, &g->native) || refutes(p, &g->cover));
    return PQ_OK;
}

bool pq_scan_boxes_skip(PqScan *s, int64_t file)
{
    if (!s->boxes || s->distrust & 1u << PQ_BY_BOXES) {
        return false;
    }
    for (uint32_t i = 0; i < s->n_proofs; i++) {
        const PqProof *p = s->proofs[i];
        const FileBoxes *f = p->refutes_box ? find_file(s->boxes, file,
                                                        p->column[0]) : NULL;

        if (f && f->n_known == f->n_groups && f->n_groups > 0 &&
            refutes(p, &f->all)) {
            s->stats.groups += f->n_groups;
            s->stats.groups_skipped += f->n_groups;
            s->stats.groups_by[PQ_BY_BOXES] += f->n_groups;
            s->stats.rows_skipped += (uint64_t)f->n_rows;
            return true;
        }
    }
    return false;
}

PqRc pq_scan_refute_boxes(PqScan *s, const PqProof *p, PqArena *a,
                          bool *refuted, PqErr *e)
{
    return p->refutes_box ? pq_scan_boxes_of_group(s, p, s->group, a, refuted,
                                                   e) : PQ_OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* Loads the pages of the leaves.  The pages of the geometry itself are needed
** only to explain rows without a covering. */
static PqRc load_pages(PqScan *s, const PqGeoCover *c, bool by_headers, PqArena *a,
                       PqScanRuns *r, bool *any, PqErr *e)
{
    bool filled = true;

    *any = false;
    *r = (PqScanRuns){.n = N_LEAVES};
    PQ_TRY(pq_cover_bounds(s->footer, c, s->group, a, r->whole, e));
    for (uint32_t k = 0; k < N_LEAVES; k++) {
        filled = filled && (r->whole[k].bounds.n_nulls == 0 ||
                            c->leaf[k]->max_def == 0);
        if (k >= 2 && c->leaf[k] == c->leaf[k - 2]) {
            r->of[k] = r->of[k - 2];
            continue;
        }
        if (k == OWN && filled) {
            continue;
        }
        PQ_TRY(by_headers
                   ? pq_scan_headers_load(s, s->group, c->leaf[k], &r->of[k], e)
                   : pq_scan_pages_load(s, s->group, c->leaf[k], a, &r->of[k],
                                        e));
        *any = *any || (k < OWN && r->of[k].n > 0);
    }
    return PQ_OK;
}

/* Where a page does not count its nulls, the chunk may say that there are
** none. */
static void count_by_chunk(const PqScanRuns *r, PqLeafBounds *b)
{
    for (uint32_t k = 0; k < N_LEAVES; k++) {
        if (b[k].bounds.n_nulls < 0 && r->whole[k].bounds.n_nulls == 0) {
            b[k].bounds.n_nulls = 0;
        }
    }
}

static PqRc make_runs(PqScan *s, const PqGeoCover *c, PqScanRuns *r, GroupBoxes *g,
                      PqErr *e)
{
    int64_t n_rows = s->footer->groups[s->group].num_rows, end;

    for (int64_t row = 0; row < n_rows; row = end) {
        PqLeafBounds b[PQ_RUN_LEAVES];

        end = pq_scan_end_of_run(s, r, row, b);
        count_by_chunk(r, b);
        PQ_TRY(PQ_ARENA_GROW(&s->boxes->arena, g->runs, g->n_runs, e));
        g->runs[g->n_runs++] = (Run){end, pq_cover_box(c, b, end - row)};
    }
    return PQ_OK;
}

static PqRc find_runs(PqScan *s, uint32_t column, bool by_headers, PqArena *a,
                      GroupBoxes *g, PqErr *e)
{
    PqGeoCover c = cover_of(s, column);
    uint32_t walks = pq_scan_header_walks_forgotten(s);
    PqScanRuns r;
    bool any;
    PqRc rc;

    if (!pq_has_cover(&c)) {
        return PQ_OK;
    }
    PQ_TRY(load_pages(s, &c, by_headers, a, &r, &any, e));
    if (!any || pq_scan_header_walks_forgotten(s) != walks) {
        return PQ_OK;
    }
    g->by_headers = by_headers;
    rc = make_runs(s, &c, &r, g, e);
    g->n_runs = rc == PQ_OK ? g->n_runs : 0;
    return rc;
}

/* Finds the runs of the current row group; n_runs is 0 if there are none. */
static PqRc need_runs(PqScan *s, uint32_t column, bool by_headers, PqArena *a,
                      GroupBoxes *g, PqErr *e)
{
    bool *asked = by_headers ? &g->asked_headers : &g->asked_index;
    PqWhere outer = e->where;

    if (g->n_runs > 0 || *asked) {
        return PQ_OK;
    }
    *asked = true;
    return pq_scan_forgive(find_runs(s, column, by_headers, a, g, e), outer, e);
}

/* Removes the runs that the proof refutes; adjacent ones together. */
static PqRc cut_runs(PqScan *s, const PqProof *p, const GroupBoxes *g,
                     uint64_t *n_refuted, PqErr *e)
{
    int64_t row = 0, cut = -1;

    for (uint32_t i = 0; i < g->n_runs; i++) {
        bool refuted = refutes(p, &g->runs[i].box);

        *n_refuted += refuted && !s->revisited;
        if (refuted && cut < 0) {
            cut = row;
        } else if (cut >= 0 && !refuted) {
            PQ_TRY(pq_scan_cut_rows(s, cut, row, e));
            cut = -1;
        }
        row = g->runs[i].end;
    }
    return cut < 0 ? PQ_OK : pq_scan_cut_rows(s, cut, row, e);
}

PqRc pq_scan_refute_box_runs(PqScan *s, const PqProof *p, bool by_headers,
                             PqArena *a, bool *refuted, PqErr *e)
{
    PqWhere outer = e->where;
    GroupBoxes *g = NULL;

    PQ_TRY(pq_scan_forgive(need_group(s, p->column[0], s->group, a, &g, e),
                           outer, e));
    if (g) {
        PQ_TRY(need_runs(s, p->column[0], by_headers, a, g, e));
    }
    if (g && g->n_runs > 0 && g->by_headers == by_headers) {
        PQ_TRY(cut_runs(s, p, g, by_headers ? &s->stats.headers_refuted
                                            : &s->stats.pages_refuted, e));
    }
    *refuted = s->n_live == 0;
    return PQ_OK;
}
