/*
** rollup_run.c - reads the source of a rollup, and adds up its rows.
**
** The source has a scan of its own.  Its plan has the terms of the rollup's
** plan; otherwise it is a scan like any other, with the statement's listing.
*/
#include "ext/rollup/dimension_test.h"

#include "ext/plan/plan.h"
#include "ext/table/plan_idxstr.h"

PqRc pqext_rollup_run_init(PqextRollupRun *r, PqextTable *t, PqErr *e)
{
    PqextTable *source = t->source;

    *r = (PqextRollupRun){.table = t};
    pqext_scan_init(&r->source, source);
    pq_arena_init(&r->arena, t->host->engine->mem);
    pq_buf_init(&r->scratch, t->host->engine->mem, &r->source.e);
    return pqext_listing_begin(source, &r->source.listing, e);
}

static void forget_scan(void *run)
{
    PqextRollupRun *r = run;

    pq_rollup_free(r->groups);
    r->groups = NULL;
    pqext_inputs_free(r->inputs);
    r->inputs = NULL;
    pqext_tests_free(r->tests);
    r->tests = NULL;
    pqext_scan_forget(&r->source);
}

void pqext_rollup_run_free(PqextRollupRun *r)
{
    forget_scan(r);
    if (r->source.table) {
        pq_buf_free(&r->scratch);
        pqext_scan_reset(&r->source);
    }
    pq_arena_free(&r->arena);
}

/* ---- the plan ------------------------------------------------------------ */

/* Lists what the statement mentions. */
static PqRc find_used(PqextRollupRun *r, PqErr *e)
{
    const PqextDefinition *d = r->table->rollup;
    uint32_t n = d->n_dimensions + d->n_measures + 1u;

    r->n_dimensions = r->n_measures = 0;
    r->dimensions = pq_arena_zeros(&r->arena, n, sizeof *r->dimensions, e);
    r->measures = pq_arena_zeros(&r->arena, n, sizeof *r->measures, e);
    r->operands = pq_arena_zeros(&r->arena, r->plan.n_terms + 1u,
                                 sizeof *r->operands, e);
    PQ_TRY(r->dimensions && r->measures && r->operands ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < d->n_dimensions; i++) {
        if (pqext_rollup_uses(r->plan.used, i)) {
            r->dimensions[r->n_dimensions++] = i;
        }
    }
    for (uint32_t i = 0; i < d->n_measures; i++) {
        if (pqext_rollup_uses(r->plan.used, d->n_dimensions + i)) {
            r->measures[r->n_measures++] = i;
        }
    }
    return PQ_OK;
}

/* A plan of the source, with room for all terms. */
static PqRc plan_source(PqextRollupRun *r, PqErr *e)
{
    r->of_source = pq_arena_zeros(&r->arena, 1,
                                  pqext_plan_size(r->plan.n_terms), e);
    PQ_TRY(r->of_source ? PQ_OK : e->rc);
    r->of_source->distinct = -1;
    r->of_source->no_columns = r->plan.counts;
    r->source.plan = r->of_source;
    return PQ_OK;
}

/* Sets the terms of the plan; all: without those that pqext_rollup_run leaves
** out. */
static void set_terms(PqextRollupRun *r, sqlite3_value **argv, bool all)
{
    PqextPlan *to = r->of_source;

    to->n_terms = 0;
    for (uint32_t i = 0; i < r->plan.n_terms; i++) {
        const PqextTerm *t = &r->plan.terms[i];
        bool is_key = pqext_rollup_is_key(r->plan.keys, i);

        if (!all || !(is_key || (t->op == PQEXT_IN && !t->exact))) {
            r->operands[to->n_terms] = argv[i];
            to->terms[to->n_terms] = *t;
            to->terms[to->n_terms++].exact |= pqext_rollup_is_tested(r, t);
        }
    }
}

static void forget_groups(PqextListing *l)
{
    pqext_made_free(l->made);
    pqext_rowids_free(l->rowids);
}

PqRc pqext_rollup_run_plan(PqextRollupRun *r, const char *text, sqlite3_value **argv)
{
    const PqextSigned *plan = pqext_plan_signed(text);
    PqextScan *s = &r->source;

    if (r->about != plan->number || !pqext_rollup_still_passes(r, argv)) {
        forget_scan(r);
        r->untold = false;
        r->about = 0;
        pq_arena_reset(&r->arena);
        r->plan = pqext_rollup_plan_of(text);
        PQ_TRY(pqext_rollup_split(r, argv, &s->e));
        PQ_TRY(find_used(r, &s->e));
        PQ_TRY(plan_source(r, &s->e));
        s->text = text;
    }
    set_terms(r, argv, false);
    PQ_TRY(pqext_scan_need_files(s, r->operands, forget_scan, r));
    s->listing->forget = forget_groups;
    r->about = plan->number;
    return PQ_OK;
}

/* ---- reading ------------------------------------------------------------- */

enum { GROUPS_SHARE = 2, LEAST_SHARE = 8 };      /* of memory               */

/* The bytes that the groups may take.  All groups that a statement keeps stay
** within `memory`, but each call gets a least share. */
static size_t memory_of_groups(const PqextRollupRun *r)
{
    size_t memory = pq_mem_limit_of(r->table->options.memory);
    size_t kept = pqext_made_bytes(r->source.listing->made);
    size_t left = kept < memory ? memory - kept : 0;

    left = left > memory / GROUPS_SHARE ? memory / GROUPS_SHARE : left;
    return left > memory / LEAST_SHARE ? left : memory / LEAST_SHARE;
}

/* Are the files encrypted? */
static bool is_secret(const PqextRollupRun *r)
{
    const PqTable *t = r->table->source->table;

    for (uint32_t i = 0; i < t->n_footers; i++) {
        if (t->footers[i]->locks) {
            return true;
        }
    }
    return pq_key_ring_at(r->table->host->engine->keys, 0) != NULL;
}

/* A text that lies in the scratch, until the next call. */
static PqRc scratch_cell(PqextRollupRun *r, PqCell *out, PqErr *e)
{
    *out = pq_cell_text(pq_buf_view(&r->scratch));
    return pq_buf_ok(&r->scratch) ? PQ_OK : pq_fail(e, PQ_NOMEM, "out of memory");
}

/* With UTF-16, arg is the run.  Different texts that are not valid UTF-8 may be
** the same text there. */
static PqRc key_cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                     PqErr *e)
{
    PqextRollupRun *r = arg;

    PQ_TRY(pqext_inputs_cell(r->inputs, key, row, out, e));
    if (out->kind != PQ_CELL_TEXT) {
        return PQ_OK;
    }
    r->scratch.n = 0;
    pq_utf16_kept(pq_cell_slice(out), &r->scratch);
    return scratch_cell(r, out, e);
}

/* SQLite compares texts by the bytes of their UTF-16, which is another order: in
** little-endian, U+1F600 is less than "z".  So MIN and MAX are of these bytes, and
** pqext_rollup_measure turns them back. */
static PqRc input_cell(void *arg, uint32_t measure, uint32_t row, PqCell *out,
                       PqErr *e)
{
    PqextRollupRun *r = arg;

    PQ_TRY(pqext_inputs_measure_cell(r->inputs, measure, row, out, e));
    if (out->kind != PQ_CELL_TEXT) {
        return PQ_OK;
    }
    r->scratch.n = 0;
    pq_utf16_encode(pq_cell_slice(out), r->table->utf16_big, &r->scratch);
    return scratch_cell(r, out, e);
}

bool pqext_rollup_lines_up(const PqextRollupRun *r)
{
    bool keys = r->n_by > 0;

    for (uint32_t i = 0; i < r->n_by; i++) {
        keys = keys && r->by[i].number < r->n_dimensions;
    }
    return keys;
}

PqRc pqext_rollup_spec(PqextRollupRun *r, PqextInputs *inputs,
                       PqRollupSpec *out, PqErr *e)
{
    const PqextDefinition *d = r->table->rollup;
    PqRollupOp *measures = pq_arena_zeros(&r->source.arena, r->n_measures + 1u,
                                          sizeof *measures, e);

    *out = (PqRollupSpec){
        .n_keys = r->n_dimensions,
        .n_measures = r->n_measures,
        .measures = measures,
        .memory = memory_of_groups(r),
        .sealed = is_secret(r),
        .of_rows = r->of_rows,
        .stop = {pqext_host_stop, r->table->host},
        .arg = inputs,
        .cell = pqext_inputs_cell,
        .input_cell = pqext_inputs_measure_cell,
    };
    PQ_TRY(measures ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < r->n_measures; i++) {
        measures[i] = d->measures[r->measures[i]].op;
    }
    if (pqext_rollup_lines_up(r)) {
        memcpy(out->by, r->by, sizeof out->by);
        out->n_by = r->n_by;
    }
    return PQ_OK;
}

static PqRc new_groups(PqextRollupRun *r, PqextInputs *inputs, PqErr *e)
{
    PqRollupSpec spec;

    PQ_TRY(pqext_rollup_spec(r, inputs, &spec, e));
    if (r->table->utf16 && inputs == r->inputs) {
        spec.arg = r;
        spec.cell = key_cell;
        spec.input_cell = input_cell;
    }
    pq_rollup_free(r->groups);
    r->groups = NULL;
    return pq_rollup_new(r->table->host->engine->mem, &spec, &r->groups, e);
}

static PqRc add_batch(PqextRollupRun *r)
{
    PqextScan *s = &r->source;
    PqRollupBatch batch;

    s->timer.use.rows += pq_scan_batch(s->scan)->n_kept;
    PQ_TRY(pqext_inputs_load(r->inputs, &batch, &s->e));
    PQ_TRY(pq_rollup_add(r->groups, &batch, &s->e));
    pq_where_reset(&s->e);
    return PQ_OK;
}

/* *left: many rows are left, for lanes. */
static PqRc add_batches(PqextRollupRun *r, bool lanes, bool narrows, bool *left)
{
    PqextScan *s = &r->source;
    uint64_t rows = 0;
    bool more;

    *left = false;
    if (lanes) {
        pqext_rollup_lanes_wait(r);
    }
    PQ_TRY(pq_scan_next(s->scan, &more, &s->e));
    while (more) {
        if (pq_scan_batch(s->scan)->n_rows > 0) {
            rows += pq_scan_batch(s->scan)->n_kept;
            PQ_TRY(add_batch(r));
            PQ_TRY(narrows ? pqext_rollup_narrow(r) : PQ_OK);
        } else if (pqext_rollup_lanes_begin(r, rows)) {
            *left = true;
            return PQ_OK;
        } else {
            pqext_rollup_lanes_wait(r);
        }
        PQ_TRY(pq_scan_next(s->scan, &more, &s->e));
    }
    return PQ_OK;
}

PqRc pqext_rollup_add_condition(PqextScan *s, PqextCondition *c, bool proves)
{
    if (proves && pqext_condition_proves(c)) {
        PQ_TRY(pq_scan_add_proof(s->scan, &c->base.proof, &s->e));
    }
    return pq_scan_add_filter(s->scan, &c->base.filter, &s->e);
}

/* WHERE d AND NOT f: rows where d is not true, or f is not false, are not wanted.
** SQLite tests it again. */
static PqRc add_truths(PqextRollupRun *r, PqextScan *s, PqextTests *tests, bool proves)
{
    for (uint64_t left = r->is_true | r->is_false; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        bool is_true = r->is_true >> i & 1;
        PqextCondition *c;

        PQ_TRY(pqext_dimension_test(r->table->rollup, i, is_true, s, &s->arena, &c,
                                    &s->e));
        if (c) {
            PQ_TRY(pqext_rollup_add_condition(s, c, proves));
        } else if (r->table->rollup->dimensions[i].kind != PQEXT_DIM_COLUMN) {
            PQ_TRY(pqext_tests_add_truth(tests, i, is_true));
        }
    }
    return PQ_OK;
}

static PqRc add_other(PqextRollupRun *r, PqextScan *s, const PqextRollupTerm *t,
                      sqlite3_value *v, PqextTests *tests, bool proves)
{
    const PqextDefinition *d = r->table->rollup;
    PqextCondition *conditions[2];
    uint32_t n = 0;
    bool literal = t->exact || (r->tested >> t->dimension & 1);

    if (t->op == PQEXT_IN || sqlite3_value_type(v) != SQLITE_NULL) {
        PQ_TRY(pqext_dimension_begin(d, t->dimension, t->op, v, s, &s->arena,
                                     conditions, &n, &s->e));
    }
    for (uint32_t k = 0; k < n; k++) {
        PQ_TRY(pqext_rollup_add_condition(s, conditions[k], proves));
    }
    return n > 0 && d->dimensions[t->dimension].is_test &&
                   !pqext_is_pattern(d->dimensions[t->dimension].test)
               ? PQ_OK               /* that is all of it */
               : pqext_tests_add(tests, t->dimension, t->op, literal, v);
}

PqRc pqext_rollup_add_others(PqextRollupRun *r, PqextScan *s, sqlite3_value **argv,
                             bool all, bool proves, PqextTests **out)
{
    *out = NULL;
    if (r->plan.n_others == 0 && !r->is_true && !r->is_false) {
        return PQ_OK;
    }
    PQ_TRY(pqext_tests_new(r->table->rollup, s, out));
    for (uint32_t i = 0; i < r->plan.n_others; i++) {
        const PqextRollupTerm *t = &r->plan.others[i];
        bool later = all && (pqext_rollup_is_key(r->plan.other_keys, i) ||
                             t->op == PQEXT_IN);

        if (!later && pqext_scan_believes(s, t->op, t->exact)) {
            PQ_TRY(add_other(r, s, t, argv[r->plan.n_terms + i], *out, proves));
        }
    }
    return add_truths(r, s, *out, proves);
}

/* A new scan has other batches, and other columns than the inputs. */
static PqRc scan_source(PqextRollupRun *r)
{
    const PqScan *before = r->source.scan;

    PQ_TRY(pqext_scan_need(&r->source));
    if (r->source.scan != before) {
        pqext_inputs_free(r->inputs);
        r->inputs = NULL;
    }
    return PQ_OK;
}

static PqRc begin(PqextRollupRun *r, sqlite3_value **argv, bool all)
{
    PqextScan *s = &r->source;

    PQ_TRY(scan_source(r));
    pqext_timer_pass(&s->timer);
    PQ_TRY(pqext_scan_terms(s, r->operands));
    PQ_TRY(pqext_scan_begin(s, s->ranges, s->n_ranges));
    pqext_tests_free(r->tests);
    PQ_TRY(pqext_rollup_add_others(r, s, argv, all, true, &r->tests));
    return pqext_tests_begin(r->tests, 1);
}

static PqRc need_inputs(PqextRollupRun *r)
{
    return r->inputs ? PQ_OK
                     : pqext_inputs_new(r->table->rollup, &r->source,
                                        r->dimensions, r->n_dimensions,
                                        r->measures, r->n_measures, &r->inputs,
                                        &r->source.e);
}

/* *told: the footers have told everything. */
static PqRc ask_footers(PqextRollupRun *r, PqArena *a, bool *told)
{
    PqextScan *s = &r->source;
    PqextInputs *keys = NULL;
    PqRc rc = PQ_OK;
    bool more;

    *told = true;
    PQ_GO(pqext_inputs_new(r->table->rollup, s, r->dimensions, r->n_dimensions,
                           NULL, 0, &keys, &s->e));
    PQ_GO(new_groups(r, keys, &s->e));
    PQ_GO(pq_scan_next(s->scan, &more, &s->e));
    while (more && *told) {
        PQ_GO(pqext_rollup_footers_add(r, keys, a, told));
        if (*told) {
            s->timer.use.rows += pq_scan_batch(s->scan)->n_kept;
            PQ_GO(pq_scan_next(s->scan, &more, &s->e));
        }
    }
done:
    pqext_inputs_free(keys);
    return rc;
}

static PqRc run_by_footers(PqextRollupRun *r, sqlite3_value **argv)
{
    PqextScan *s = &r->source;
    PqArena a;
    PqRc rc;
    bool told = false;

    r->of_source->no_columns = true;
    PQ_TRY(begin(r, argv, false));
    pq_arena_init(&a, r->table->host->engine->mem);
    rc = ask_footers(r, &a, &told);
    pq_arena_free(&a);
    pqext_timer_leave(&s->timer, false);
    r->untold = !told;
    return rc;
}

/* All rows of the source.  *failed: lanes have failed, or groups that are not whole
** have left memory. */
static PqRc read_source(PqextRollupRun *r, sqlite3_value **argv, bool all,
                        bool fast, uint64_t *read, bool *failed)
{
    PqextScan *s = &r->source;
    bool lanes = fast && pqext_rollup_lanes_may(r);
    bool narrows = fast && !(all && pqext_made_leaves_out(&r->plan)) &&
                   pqext_rollup_narrows(r) > 0;
    uint64_t before;
    uint32_t n;
    bool left;

    r->narrowed = false;
    PQ_TRY(begin(r, argv, all));
    PQ_TRY(need_inputs(r));
    before = pq_scan_rows_read(s->scan);
    PQ_TRY(new_groups(r, r->inputs, &s->e));
    PQ_TRY(add_batches(r, lanes && !pqext_tests_ask(r->tests), narrows, &left));
    *failed = r->narrowed && !pq_rollup_is_whole(r->groups, &n);
    if (left) {
        PQ_TRY(pqext_rollup_lanes_run(r, argv, all, failed));
    }
    *read = pq_scan_rows_read(s->scan) - before;
    pq_scan_drop_terms(s->scan);
    pqext_timer_leave(&s->timer, false);
    return PQ_OK;
}

static void tell_notes(PqextRollupRun *r)
{
    PqextScan *s = &r->source;

    if (r->not_split) {
        pq_scan_note(s->scan, r->not_split);
    }
    if (r->mistake) {
        pq_scan_note(s->scan, r->mistake);
        if (!s->listing->noticed) {
            s->listing->noticed = true;
            sqlite3_log(SQLITE_WARNING, "parquet: %s: %s", r->table->name, r->mistake);
        }
    }
}

PqRc pqext_rollup_run(PqextRollupRun *r, sqlite3_value **argv, bool all,
                      uint64_t *read)
{
    PqextScan *s = &r->source;
    uint32_t n;
    bool failed;

    set_terms(r, argv, all);
    *read = 0;
    if (r->plan.footers && !r->untold) {
        PQ_TRY(run_by_footers(r, argv));
        if (!r->untold) {
            tell_notes(r);
            return PQ_OK;
        }
    }
    r->of_source->no_columns = r->plan.counts;
    PQ_TRY(read_source(r, argv, all, true, read, &failed));
    if (failed) {
        PQ_TRY(read_source(r, argv, all, false, read, &failed));
    }
    tell_notes(r);
    if (!pq_rollup_is_whole(r->groups, &n)) {
        pq_scan_note(s->scan, "groups spilled: they are more than memory");
    }
    return PQ_OK;
}

/* ---- values -------------------------------------------------------------- */

/* A decimal as a column of its type would give it. */
static PqRc decimal_cell(PqextRollupRun *r, const PqRollupValue *v, PqCell *out,
                         PqErr *e)
{
    if (r->table->source->values.decimal_text) {
        r->scratch.n = 0;
        pq_decimal_text_i128(v->decimal, v->scale, &r->scratch);
        return scratch_cell(r, out, e);
    }
    if (v->scale == 0 && (int64_t)v->decimal == v->decimal) {
        *out = pq_cell_int((int64_t)v->decimal);
    } else {
        *out = pq_cell_real(v->cell.r);
    }
    return PQ_OK;
}

PqRc pqext_rollup_measure(PqextRollupRun *r, const PqRollup *groups,
                          uint32_t number, uint32_t group, PqCell *out,
                          PqErr *e)
{
    PqRollupValue v = {.is_decimal = false};

    PQ_TRY(pq_rollup_value(groups, number, group, &v, e));
    if (v.is_decimal) {
        return decimal_cell(r, &v, out, e);
    }
    *out = v.cell;
    if (v.cell.kind == PQ_CELL_TEXT && r->table->utf16) {
        r->scratch.n = 0;
        pq_utf16_decode(pq_cell_slice(&v.cell), r->table->utf16_big, &r->scratch);
        return scratch_cell(r, out, e);
    }
    return PQ_OK;
}
