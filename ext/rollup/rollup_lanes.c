/*
** rollup_lanes.c - the rows of a rollup, added up by several threads.
**
**   SQLite's thread   walks: files are opened, row groups pruned -> units
**   lane A            | unit 1: decoded, filtered, added up |  unit 3  | ...
**   lane B            | unit 2 ...               |  unit 4  |
**   SQLite's thread   groups of unit 1, 2, 3 ... are merged
**
** Units wait in a queue (scan_units.h).  A lane has a scan of its own, which
** only reads (core/scan/scan_lane.c), and its own conditions, inputs and
** groups.  It takes units as long as they are of the open file; SQLite's thread opens
** the next one for it.  There is one more lane than `threads` says, since SQLite's
** thread waits.
**
** Lanes begin after FIRST_ROWS rows, which are read without them.  So small
** scans have no lanes, and by then something is known about the groups.  If
** they are
**
**   few    the groups of each unit are merged, in the order of the units.  The
**          result does not depend on the threads.
**   some   each lane keeps its groups to the end.  Sums of REAL are then
**          rounded in another order each time.  Where more would depend on the
**          order (which of 0.0 and -0.0 is shown), there are no lanes.
**   many   there are no lanes yet: merging would take as long as adding.
**
** A lane does not call SQLite, which may be built for one thread.  There are no
** lanes where SQLite computes a dimension or a measure.  A lane that meets a value
** which only SQLite can compute (a date in the year 12000) fails.
**
** If a lane fails, for want of memory or by a damaged file, the groups are thrown
** away, and SQLite's thread reads all rows from the first on.  It meets the error
** that comes first in their order, or none.
**
** While SQLite's thread waits, it asks every WAIT_MS whether the user has
** interrupted.  The lanes see the answer in a flag.
*/
#include "ext/rollup/dimension_test.h"

#include <stdatomic.h>
#include <stdio.h>

/* A test may build with other numbers. */
#ifndef PQEXT_LANES_FIRST_ROWS
#define PQEXT_LANES_FIRST_ROWS (1 << 16)
#define PQEXT_LANES_FEW 2048
#define PQEXT_LANES_OFTEN 4
#define PQEXT_LANES_MEMORY (16 << 20)
#define PQEXT_LANES_UNIT_ROWS (1 << 16)
#endif

enum {
    FIRST_ROWS = PQEXT_LANES_FIRST_ROWS,
    FEW = PQEXT_LANES_FEW,           /* groups                              */
    MANY = 1 << 16,
    OFTEN = PQEXT_LANES_OFTEN,       /* with fewer rows than this for each
                                     ** group, there are many too           */
    LEAST_MEMORY = PQEXT_LANES_MEMORY,           /* of a lane's scan        */
    UNIT_ROWS = PQEXT_LANES_UNIT_ROWS,
    SHARE = 2,                       /* of the groups' memory, for lanes    */
    MOST = PQ_POOL_THREADS,
    AHEAD = 8,                       /* units for each lane                 */
    AT_ONCE = 4,                     /* ... whose groups take all they may  */
    PLACES = AHEAD * MOST,
    WAIT_MS = 10
};

_Static_assert((int)PLACES <= (int)PQ_SCAN_UNITS, "the queue has room for those ahead");

typedef struct Lane {
    PqJob         job;               /* first */
    struct Lanes *lanes;
    PqextScan     scan;              /* no table: none                      */
    PqextInputs  *inputs;
    PqextTests   *tests;
    PqRollup     *groups;            /* of its unit, or of all its units    */
    PqScanUnit     unit;
    bool          is_out;            /* its thread has all this             */
    PqRc          rc;
    uint64_t      rows;
    int64_t       ns;
} Lane;

typedef struct Lanes {
    PqextRollupRun *run;
    PqPool         *pool;
    PqRollupSpec    spec;            /* of a lane's groups                  */
    uint32_t        n;
    Lane            lane[MOST];
    bool            few;             /* groups are merged unit by unit      */
    PqScanUnits      units;
    uint64_t        n_merged;        /* units                               */
    PqRollup *_Atomic done[PLACES];  /* groups of a unit; NULL: not
                                     ** made yet, or merged                 */
    int64_t         waited;
    _Atomic bool    stopped;
} Lanes;

static PqErr *error_of(const Lanes *l)
{
    return &l->run->source.e;
}

static PqMem *mem_of(const PqextRollupRun *r)
{
    return r->table->host->engine->mem;
}

/* ---- when ---------------------------------------------------------------- */

/* Is the same value shown, whichever of several equal values came first? */
static bool shows_one_way(const PqextTable *source, uint32_t column)
{
    const PqColumn *c = &source->table->columns[column];

    return !pq_column_is_of_pages(c) ||
           (pq_column_is_leaf(c) && !pq_column_is_untyped(c) &&
            !pq_type_is_float(&c->type) &&
            c->type.logical != PQ_TYPE_FLOAT16);
}

static bool any_order_will_do(const PqextRollupRun *r)
{
    const PqextDefinition *d = r->table->rollup;

    for (uint32_t i = 0; i < r->n_dimensions; i++) {
        const PqextDimension *of = &d->dimensions[r->dimensions[i]];

        if (of->kind == PQEXT_DIM_COLUMN &&
            !shows_one_way(d->source, of->column)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < r->n_measures; i++) {
        const PqextMeasure *m = &d->measures[r->measures[i]];

        if ((m->op == PQ_ROLLUP_MIN || m->op == PQ_ROLLUP_MAX) &&
            (m->program || m->expression ||
             !shows_one_way(d->source, (uint32_t)m->column))) {
            return false;
        }
    }
    return true;
}

static bool asks_sqlite(const PqextRollupRun *r)
{
    const PqextDefinition *d = r->table->rollup;

    for (uint32_t i = 0; i < r->n_dimensions; i++) {
        if (pqext_dimension_asks(&d->dimensions[r->dimensions[i]])) {
            return true;
        }
    }
    for (uint32_t i = 0; i < r->n_measures; i++) {
        const PqextDimension *of = d->measures[r->measures[i]].expression;

        if (of && pqext_dimension_asks(of)) {
            return true;
        }
    }
    return false;
}

/* Without columns and conditions there is nothing to do in a lane. */
static bool only_counts(const PqextRollupRun *r)
{
    return r->plan.counts && r->plan.n_terms + r->plan.n_others == 0;
}

static uint32_t number_of_lanes(const PqextRollupRun *r)
{
    PqScanOptions o = pqext_scan_options(&r->source, false);
    size_t n = o.threads > 0 ? o.threads + (size_t)1 : 0;

    n = n < MOST ? n : MOST;
    n = n < o.memory / LEAST_MEMORY ? n : o.memory / LEAST_MEMORY;
    return n > 1 && !r->source.listing->list.on_one_thread ? (uint32_t)n : 0;
}

bool pqext_rollup_lanes_may(const PqextRollupRun *r)
{
    return number_of_lanes(r) > 0 && !r->table->utf16 && !asks_sqlite(r) &&
           !only_counts(r);
}

void pqext_rollup_lanes_wait(PqextRollupRun *r)
{
    pq_scan_pause_after(r->source.scan, FIRST_ROWS);
}

bool pqext_rollup_lanes_begin(const PqextRollupRun *r, uint64_t rows)
{
    uint32_t n;

    return !r->narrowed && pq_rollup_is_whole(r->groups, &n) &&
           (n <= FEW ||
            (n <= MANY && n * (uint64_t)OFTEN <= rows && any_order_will_do(r)));
}

/* ---- a lane's thread ----------------------------------------------------- */

static bool were_stopped(void *lanes)
{
    return atomic_load_explicit(&((Lanes *)lanes)->stopped,
                                memory_order_relaxed);
}

static PqRc read_unit(Lane *a)
{
    PqErr *e = &a->scan.e;
    PqRollupSpec spec = a->lanes->spec;
    PqRollupBatch batch;
    bool more;

    spec.arg = a->inputs;
    if (!a->groups) {
        PQ_TRY(pq_rollup_new(mem_of(a->lanes->run), &spec, &a->groups, e));
    }
    PQ_TRY(pq_scan_next(a->scan.scan, &more, e));
    while (more) {
        a->rows += pq_scan_batch(a->scan.scan)->n_kept;
        PQ_TRY(pqext_inputs_load(a->inputs, &batch, e));
        PQ_TRY(pq_rollup_add(a->groups, &batch, e));
        pq_where_reset(e);
        PQ_TRY(pq_scan_next(a->scan.scan, &more, e));
    }
    return PQ_OK;
}

/* Gives the groups of a unit to SQLite's thread, if it merges them by unit. */
static void give_groups(Lane *a)
{
    if (a->lanes->few) {
        atomic_store_explicit(&a->lanes->done[a->unit.number % PLACES],
                              a->groups, memory_order_release);
        a->groups = NULL;
    }
}

/* Takes a unit that needs nothing of SQLite's thread.  *taken: there was one. */
static PqRc take_another(Lane *a, bool *taken)
{
    *taken = pq_scan_units_take(&a->lanes->units, &a->unit, false);
    return *taken ? pq_scan_go_to(a->scan.scan, a->unit.ranges, a->unit.n,
                                  &a->scan.e)
                  : PQ_OK;
}

/* Without threads this is SQLite's thread, which has to see interrupts: it
** takes one unit. */
static PqRc read_units(Lane *a, bool many)
{
    bool more = true;

    while (more) {
        PQ_TRY(read_unit(a));
        give_groups(a);
        more = false;
        PQ_TRY(many ? take_another(a, &more) : PQ_OK);
    }
    return PQ_OK;
}

static void run_lane(PqJob *job, int thread)
{
    Lane *a = (Lane *)job;
    int64_t began = pq_clock_ns();

    a->rc = read_units(a, thread >= 0);
    a->ns += pq_clock_ns() - began;
}

/* ---- making and freeing -------------------------------------------------- */

/* The terms of the source's plan, with the operands of this call. */
static PqRc take_terms(Lane *a, PqextRollupRun *r, sqlite3_value **argv,
                       bool all)
{
    PqextScan *c = &a->scan;

    c->plan = r->source.plan;
    c->text = r->source.text;
    c->noticed = true;               /* the source's scan says it     */
    c->like_is_builtin = r->source.like_is_builtin;
    c->beside_outer = r->source.beside_outer;
    PQ_TRY(pqext_scan_terms(c, r->operands));
    for (uint32_t i = 0; i < c->n_conditions; i++) {
        c->conditions[i].stop = (PqStop){were_stopped, a->lanes};
    }
    PQ_TRY(pq_scan_start(c->scan, NULL, 0, NULL, NULL, &c->e));
    PQ_TRY(pqext_scan_filters(c));
    PQ_TRY(pqext_rollup_add_others(r, c, argv, all, false, &a->tests));
    PQ_TRY(pqext_tests_begin(a->tests, a->lanes->n));
    return pqext_tests_leave_host(a->tests);
}

static PqRc open_lane(Lane *a, PqextRollupRun *r, sqlite3_value **argv,
                      bool all)
{
    PqextScan *s = &r->source, *c = &a->scan;
    PqScanOptions o = pqext_scan_options(s, s->scan_counts);

    pqext_scan_init(c, s->table);
    c->listing = s->listing;
    c->listing->holders++;
    o.memory /= a->lanes->n;
    o.threads = 0;
    o.stop = (PqStop){were_stopped, a->lanes};
    o.name = o.plan = NULL;
    o.unlisted = true;
    PQ_TRY(pqext_scan_open(c, &o));
    PQ_TRY(take_terms(a, r, argv, all));
    PQ_TRY(pqext_inputs_new(r->table->rollup, c, r->dimensions,
                            r->n_dimensions, r->measures, r->n_measures,
                            &a->inputs, &c->e));
    return pqext_inputs_leave_host(a->inputs, &c->e);
}

static PqRc open_lanes(Lanes *l, sqlite3_value **argv, bool all)
{
    PqextRollupRun *r = l->run;

    for (uint32_t i = 0; i < l->n; i++) {
        l->lane[i].job.run = run_lane;
        l->lane[i].lanes = l;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        PQ_TRY(open_lane(&l->lane[i], r, argv, all));
    }
    PQ_TRY(pqext_rollup_spec(r, NULL, &l->spec, error_of(l)));
    l->spec.stop = (PqStop){were_stopped, l};
    l->spec.memory /= SHARE * (l->few ? (size_t)AT_ONCE * l->n : l->n);
    return PQ_OK;
}

/* What the lanes have read counts as read by the source's scan. */
static void count(Lanes *l)
{
    PqextScan *s = &l->run->source;
    PqScan *scans[MOST];
    int64_t ns = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n; i++) {
        Lane *a = &l->lane[i];

        s->timer.use.rows += a->rows;
        ns += a->ns;
        if (a->scan.scan) {
            scans[n++] = a->scan.scan;
        }
    }
    pq_scan_add_lanes(s->scan, scans, n, ns, l->waited);
}

static void close_lanes(Lanes *l)
{
    count(l);
    for (uint32_t i = 0; i < l->n; i++) {
        Lane *a = &l->lane[i];

        pqext_inputs_free(a->inputs);
        pqext_tests_free(a->tests);
        pq_rollup_free(a->groups);
        pq_mem_free(a->unit.ranges);
        if (a->scan.table) {
            pqext_scan_reset(&a->scan);
        }
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        pq_rollup_free(l->done[i]);
    }
    pq_scan_units_free(&l->units);
}

/* ---- units --------------------------------------------------------------- */

/* Fills the queue up to n units.  Units whose groups are not merged yet have a
** place in `done`. */
static PqRc fill(Lanes *l, uint32_t n)
{
    uint64_t end = l->few ? l->n_merged + AHEAD * l->n : UINT64_MAX;

    return pq_scan_units_fill(&l->units, n, end, error_of(l));
}

/* Gives a unit to each lane that has nothing to do. */
static PqRc hand_out(Lanes *l)
{
    PQ_TRY(fill(l, l->n));
    for (uint32_t i = 0; i < l->n; i++) {
        Lane *a = &l->lane[i];

        if (a->is_out || !pq_scan_units_take(&l->units, &a->unit, true)) {
            continue;
        }
        PQ_TRY(pq_scan_go_to(a->scan.scan, a->unit.ranges, a->unit.n,
                             &a->scan.e));
        a->is_out = true;
        pq_pool_add(l->pool, &a->job);
    }
    return fill(l, AHEAD * l->n);
}

/* Merges the groups of units, up to the first that is missing. */
static PqRc merge_units(Lanes *l)
{
    for (;;) {
        PqRollup *_Atomic *at = &l->done[l->n_merged % PLACES];
        PqRollup *groups = atomic_load_explicit(at, memory_order_acquire);

        if (!groups) {
            return PQ_OK;
        }
        PQ_TRY(pq_rollup_merge(l->run->groups, groups, error_of(l)));
        pq_rollup_free(groups);
        *at = NULL;
        l->n_merged++;
    }
}

/* Merges the groups that lanes have kept.  A lane that found no unit is done;
** the others read on. */
static PqRc merge_lanes(Lanes *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        Lane *a = &l->lane[i];

        if (!a->is_out && a->groups) {
            PQ_TRY(pq_rollup_merge(l->run->groups, a->groups, error_of(l)));
            pq_rollup_free(a->groups);
            a->groups = NULL;
        }
    }
    return PQ_OK;
}

/* Waits until a lane is done, or for WAIT_MS. */
static PqRc await(Lanes *l)
{
    PqJob *jobs[MOST];
    int64_t began = pq_clock_ns();
    int i;

    for (uint32_t k = 0; k < l->n; k++) {
        jobs[k] = &l->lane[k].job;
    }
    i = pq_pool_wait_for_any(l->pool, jobs, l->n, WAIT_MS);
    l->waited += pq_clock_ns() - began;
    if (i < 0) {
        return PQ_OK;
    }
    l->lane[i].is_out = false;
    return l->lane[i].rc;
}

static bool any_out(const Lanes *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->lane[i].is_out) {
            return true;
        }
    }
    return false;
}

static PqRc run_all(Lanes *l)
{
    const PqStop *stop = pq_scan_stop(l->run->source.scan);

    for (;;) {
        PQ_TRY(hand_out(l));
        PQ_TRY(merge_lanes(l));
        if (!any_out(l)) {
            return PQ_OK;
        }
        PQ_TRY(await(l));
        PQ_TRY(pq_stop_poll(stop, error_of(l)));
        PQ_TRY(merge_units(l));
    }
}

/* Stops the lanes and waits for them.  Afterwards no thread uses anything of
** l. */
static void call_back(Lanes *l)
{
    atomic_store_explicit(&l->stopped, true, memory_order_relaxed);
    for (uint32_t i = 0; i < l->n; i++) {
        while (l->lane[i].is_out &&
               !pq_pool_wait_for(l->pool, &l->lane[i].job, WAIT_MS)) {
        }
        l->lane[i].is_out = false;
    }
}

/* ---- all of it ----------------------------------------------------------- */

static void note(Lanes *l)
{
    char text[64];

    snprintf(text, sizeof text, "%u threads added up row groups", l->n);
    pq_scan_note(l->run->source.scan, text);
}

PqRc pqext_rollup_lanes_run(PqextRollupRun *r, sqlite3_value **argv, bool all,
                            bool *failed)
{
    PqErr *e = &r->source.e;
    Lanes *l = pq_mem_zeros(mem_of(r), 1, sizeof *l, e);
    uint32_t n;
    PqRc rc;

    *failed = false;
    PQ_TRY(l ? PQ_OK : e->rc);
    l->run = r;
    pq_scan_units_init(&l->units, mem_of(r), r->source.scan, UNIT_ROWS);
    l->n = number_of_lanes(r);
    l->few = pq_rollup_is_whole(r->groups, &n) && n <= FEW;
    l->pool = pq_engine_pool(r->table->host->engine, l->n);
    rc = l->pool ? open_lanes(l, argv, all) : PQ_NOMEM;
    if (rc == PQ_OK) {
        rc = run_all(l);
    }
    if (rc == PQ_OK) {
        note(l);
    }
    call_back(l);
    close_lanes(l);
    pq_mem_free(l);
    if (rc != PQ_OK && e->rc != PQ_STOPPED) {
        *failed = true;
        pq_err_clear(e);
        pq_where_reset(e);
        return PQ_OK;
    }
    return rc;
}
