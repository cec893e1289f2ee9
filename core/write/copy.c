/*
** copy.c - opens a copy, takes its rows, and chooses the output of each.
**
** Sizes are hard.  Slabs are as large as a page of each column, but all slabs,
** batches and threads must fit into shares of the memory limit, for any number
** of columns and partitions.  A partition is found by a hash of its values.
*/
#include "core/write/copy_inside.h"
#include "core/write/hive_name.h"

enum {
    SLAB_BYTES = 8 << 20,            /* of texts in a slab, at most          */
    LEAST_ROWS = 64,                 /* in a slab, however wide              */
    THREAD_BYTES = 24 << 20          /* of the memory limit, for each thread */
};

/* A slab has rows for one page of every column.  Two slabs, and two sets of
** leaf batches, must fit into a quarter of the memory. */
static void size_slabs(PqCopy *c)
{
    size_t limit = pq_mem_limit(c->mem) / 16;
    size_t row = c->plan.n_columns * sizeof(PqCell);
    uint32_t most = 1;

    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        uint32_t rows = c->plan.columns[i].options.page_rows;

        most = rows > most ? rows : most;
    }
    c->slab_bytes = limit < SLAB_BYTES ? limit : SLAB_BYTES;
    c->slab_rows = limit / row < most ? (uint32_t)(limit / row) : most;
    c->slab_rows = c->slab_rows < LEAST_ROWS ? LEAST_ROWS : c->slab_rows;
}

/* The order of each leaf's bounds: the order of its type, if there is one. */
static PqRc make_orders(PqCopy *c, PqErr *e)
{
    uint32_t n = c->schema.n_leaves;
    PqColumnOrder *orders;

    PQ_TRY(PQ_ARENA_NEW(&c->arena, orders, n + (size_t)1, e));
    for (uint32_t k = 0; k < c->plan.n_columns; k++) {
        const PqNode *node = c->schema.root->child[k];
        bool by_name = c->plan.columns[k].options.ieee754_order;

        for (uint32_t i = 0; i < node->n_leaves; i++) {
            uint32_t leaf = node->first_leaf + i;
            bool total = by_name && pq_type_is_float(
                                        &c->schema.leaves[leaf].type);

            orders[leaf].has = 1u << (total ? PQ_ORDER_IEEE754 : PQ_ORDER_TYPE);
        }
    }
    c->shape.orders = orders;
    return PQ_OK;
}

static PqRc make_sorting(PqCopy *c, PqErr *e)
{
    uint32_t n = c->plan.n_sorting_by;
    size_t room = (size_t)c->schema.n_leaves + n + 1;

    c->claims = pq_arena_alloc(&c->arena, room * sizeof *c->claims, e);
    PQ_TRY(PQ_ARENA_NEW(&c->arena, c->ended, room, e));
    c->sorting_leaves = pq_arena_alloc(&c->arena,
                                       room * sizeof *c->sorting_leaves, e);
    PQ_TRY(c->claims && c->sorting_leaves ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < n; i++) {
        const PqNode *node =
            c->schema.root->child[c->plan.sorting_by[i].column];

        if (node->kind != PQ_NODE_LEAF ||
            pq_order_of_type(&node->type) == PQ_ORDER_NONE) {
            return pq_fail(e, PQ_USAGE, "sorting_columns: column %s has a type "
                           "without an order", node->name);
        }
        c->sorting_leaves[i] = &c->schema.leaves[node->first_leaf];
    }
    return PQ_OK;
}

/* Only a folder can hold several files. */
static PqRc check_plan(const PqCopyPlan *p, PqErr *e)
{
    return !p->is_folder && (p->n_partition || p->file_rows || p->file_bytes)
               ? pq_fail(e, PQ_USAGE, "partitions and several files need a "
                         "folder")
               : PQ_OK;
}

static bool is_partition(const PqCopyPlan *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_partition; i++) {
        if (strcmp(p->partition_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Partition columns are in no file.  They are in the clear, in the names of
** folders: that may be said, but they can have no key. */
static PqRc plan_encryption(PqCopy *c, PqErr *e)
{
    PqEncryption *how = &c->encryption;
    const char **clear;

    *how = *c->plan.encryption;
    for (uint32_t i = 0; i < how->keys.n_columns; i++) {
        const char *name = how->keys.columns[i].column;

        if (is_partition(&c->plan, name)) {
            return pq_fail(e, PQ_USAGE, "encryption: column_keys: %.200s is a "
                           "partition column: its values are names of folders, "
                           "which cannot be encrypted", name);
        }
    }
    clear = pq_arena_alloc(&c->arena, (how->n_clear + (size_t)1) *
                                          sizeof *clear, e);
    PQ_TRY(clear ? PQ_OK : e->rc);
    how->n_clear = 0;
    for (uint32_t i = 0; i < c->plan.encryption->n_clear; i++) {
        if (!is_partition(&c->plan, how->clear[i])) {
            clear[how->n_clear++] = how->clear[i];
        }
    }
    how->clear = clear;
    return PQ_OK;
}

/* The boxes of a covering column tell where its geometries are. */
static PqRc make_seal(PqCopy *c, PqErr *e)
{
    const PqNode *root = c->schema.root;

    if (!c->plan.encryption) {
        return PQ_OK;
    }
    PQ_TRY(plan_encryption(c, e));
    PQ_TRY(pq_seal_plan_new(&c->encryption, &c->schema, c->mem, &c->seal, e));
    for (uint32_t k = c->n_cells; k < c->plan.n_columns; k++) {
        const PqNode *node = root->child[k];
        uint32_t of = root->child[c->plan.columns[k].cover_of - 1]->first_leaf;

        for (uint32_t i = 0; i < node->n_leaves; i++) {
            pq_seal_plan_follow(c->seal, node->first_leaf + i, of);
        }
    }
    return PQ_OK;
}

/* Counts for the columns whose parts the user named. */
static PqRc make_tally(PqCopy *c, PqErr *e)
{
    PqCopyColumn *columns = NULL;

    for (uint32_t i = 0; i < c->plan.n_columns; i++) {
        if (!c->plan.columns[i].rules.named_parts) {
            continue;
        }
        if (!columns) {
            columns = pq_arena_zeros(&c->arena, c->plan.n_columns,
                                     sizeof *columns, e);
            c->tally = pq_arena_zeros(&c->arena, c->schema.n_leaves,
                                      sizeof *c->tally, e);
            PQ_TRY(columns && c->tally ? PQ_OK : e->rc);
            memcpy(columns, c->plan.columns,
                   c->plan.n_columns * sizeof *columns);
            c->plan.columns = columns;
        }
        columns[i].rules.tally = c->tally;
    }
    return PQ_OK;
}

static PqRc make_shape(PqCopy *c, PqErr *e)
{
    const PqSchemaElementList *named = c->plan.named ? c->plan.named : c->plan.schema;
    PqSliceList *paths;

    PQ_TRY(pq_schema_build(c->plan.schema, &c->arena, &c->schema, e));
    if (c->schema.root->n_children != c->plan.n_columns ||
        c->plan.n_columns == 0) {
        return pq_fail(e, PQ_USAGE, "a copy needs at least one column");
    }
    while (c->n_cells < c->plan.n_columns &&
           !c->plan.columns[c->n_cells].cover_of) {
        c->n_cells++;
    }
    PQ_TRY(pq_file_write_paths(named, c->schema.n_leaves, &c->arena,
                               &paths, e));
    PQ_TRY(make_tally(c, e));
    PQ_TRY(make_orders(c, e));
    PQ_TRY(make_sorting(c, e));
    c->shape.elements = named;
    c->shape.schema = &c->schema;
    c->shape.paths = paths;
    c->shape.geo = c->plan.geo;
    c->shape.key_values = c->plan.key_values;
    c->shape.n_key_values = c->plan.n_key_values;
    c->shape.created_by = c->plan.created_by;
    c->shape.stop = c->plan.stop;
    return make_seal(c, e);
}

/* Each thread needs memory for a few pages and the state of a codec. */
static unsigned threads(const PqCopyPlan *plan)
{
    size_t most = pq_mem_limit(plan->mem) / THREAD_BYTES;

    return plan->threads < most ? plan->threads : (unsigned)most;
}

/* What this copy has to free. */
static PqPublish *own_publish(const PqCopyPlan *plan)
{
    return plan->name ? NULL : plan->publish;
}

PqRc pq_copy_open(const PqCopyPlan *plan, PqCopy **out, PqErr *e)
{
    PqCopy *c = pq_mem_zeros(plan->mem, 1, sizeof *c, e);
    PqRc rc;

    *out = NULL;
    if (!c) {
        pq_publish_free(own_publish(plan));
        return e->rc;
    }
    c->plan = *plan;
    c->stop.host = plan->stop ? *plan->stop : (PqStop){0};
    c->publish = plan->publish;
    c->mem = plan->mem;
    pq_mem_use_malloc(c->mem);       /* row groups, one like the other */
    pq_arena_init(&c->arena, c->mem);
    pq_text_numbers_init(&c->partitions, c->mem, (uint64_t)(uintptr_t)c, NULL);
    pq_buf_init(&c->partition, c->mem, NULL);
    pthread_mutex_init(&c->lock, NULL);
    PQ_GO(check_plan(plan, e));
    PQ_GO(make_shape(c, e));
    size_slabs(c);
    c->n_threads = threads(plan);
    PQ_GO(pq_pool_new(c->mem, c->n_threads, &c->pool, e));
    *out = c;
    c = NULL;
done:
    pq_copy_free(c);
    return rc;
}

/* Frees all memory; files stay as they are. */
static void forget(PqCopy *c)
{
    c->stop.stopped = true;
    for (uint32_t i = 0; i < c->n_outs; i++) {
        pq_copy_out_free(c->outs[i]);
    }
    pq_pool_free(c->pool);
    for (size_t i = 0; i < PQ_COUNT(c->workers); i++) {
        pq_write_ctx_reset(&c->workers[i].ctx);
    }
    pq_mem_free(c->outs);
    pq_text_numbers_free(&c->partitions);
    pq_mem_free(c->weights);
    pq_buf_free(&c->partition);
    pq_seal_plan_free(c->seal);
    pq_arena_free(&c->arena);
    pthread_mutex_destroy(&c->lock);
}

void pq_copy_free(PqCopy *c)
{
    if (c) {
        forget(c);
        pq_sink_close(c->scratch);
        pq_publish_free(own_publish(&c->plan));
        pq_mem_free(c);
    }
}

PqCleanup *pq_copy_cleanup(PqCopy *c, PqCleanup *before, unsigned ms)
{
    PqCleanup *r = before;

    if (c) {
        forget(c);
        r = pq_cleanup(c->mem, own_publish(&c->plan), c->scratch, before, ms);
        pq_mem_free(c);
    }
    return r;
}

static PqRc add_out(PqCopy *c, const char *folder, PqErr *e)
{
    uint32_t room = c->outs_room;

    PQ_TRY(PQ_GROW(c->mem, c->outs, c->n_outs, room, e));
    PQ_TRY(PQ_GROW(c->mem, c->weights, c->n_outs, c->outs_room, e));
    PQ_TRY(pq_copy_out_new(c, folder, &c->outs[c->n_outs], e));
    c->n_outs++;
    return PQ_OK;
}

/* A new partition: its folder is country=DE/year=2024/. */
static PqRc add_partition(PqCopy *c, const PqSlice *values, PqErr *e)
{
    char *folder;
    PqBuf b;

    pq_buf_init(&b, c->mem, e);
    for (uint32_t i = 0; i < c->plan.n_partition && e->rc == PQ_OK; i++) {
        pq_hive_name_add(&b, pq_slice_text(c->plan.partition_names[i]), values[i],
                         e);
    }
    folder = pq_arena_take(&c->arena, &b);
    return folder ? add_out(c, folder, e) : e->rc;
}

/* Joins the values to one text: length and bytes of each.  Null differs from
** empty. */
static PqRc join_values(PqCopy *c, const PqSlice *values, PqErr *e)
{
    PqRc rc;

    c->partition.sink = e;
    c->partition.n = 0;
    for (uint32_t i = 0; i < c->plan.n_partition; i++) {
        pq_buf_varint(&c->partition, values[i].p ? values[i].n + 1 : 0);
        pq_buf_add(&c->partition, values[i].p, values[i].n);
    }
    rc = pq_buf_ok(&c->partition) ? PQ_OK : e->rc;
    c->partition.sink = NULL;        /* e may be gone by the next call */
    return rc;
}

static PqRc find_partition(PqCopy *c, const PqSlice *values, PqErr *e)
{
    PqStr partition;
    uint32_t number;

    PQ_TRY(join_values(c, values, e));
    if (c->partition.n > INT32_MAX) {
        return pq_fail(e, PQ_USAGE, "values of %zu bytes are too long for the name of "
                       "a folder", c->partition.n);
    }
    partition = (PqStr){c->partition.p, (uint32_t)c->partition.n};
    PQ_TRY(pq_text_numbers_find(&c->partitions, &partition, 1, &number, e));
    if (number == c->n_outs) {
        PQ_TRY(add_partition(c, values, e));
    }
    c->at = c->outs[number];
    return PQ_OK;
}

/* After a failure the copy is over, because rows are missing. */
static PqRc over(PqCopy *c, PqRc rc)
{
    c->is_over = c->is_over || rc != PQ_OK;
    return rc;
}

PqRc pq_copy_row(PqCopy *c, const PqSlice *values, PqCells **columns, PqErr *e)
{
    PqSlab *s;

    if (c->is_over) {
        return pq_fail(e, PQ_USAGE, "a copy that has ended takes no rows");
    }
    if (c->plan.n_partition) {
        PQ_TRY(over(c, find_partition(c, values, e)));
    } else if (!c->at) {
        PQ_TRY(over(c, add_out(c, NULL, e)));
        c->at = c->outs[0];
    }
    s = &c->at->slabs[c->at->filling];
    if (!s->columns || s->n_rows == s->columns[0].room ||
        (c->plan.n_partition && s->n_rows == s->numbers_room)) {
        PQ_TRY(over(c, pq_copy_slab_reserve(c->at, e)));
    }
    *columns = s->columns;
    return PQ_OK;
}

/* Rows that were put aside come before the rows of the slab.  The very last
** rows may then not fill a slab, and stay in it. */
static PqRc hand_over(PqCopyOut *o, PqErr *e)
{
    return o->n_pieces ? pq_copy_spill_back(o, e) : pq_copy_out_submit(o, e);
}

PqRc pq_copy_row_end(PqCopy *c, PqErr *e)
{
    PqCopyOut *o = c->at;
    PqSlab *s = &o->slabs[o->filling];

    c->progress.rows++;
    if (s->numbers) {
        s->numbers[s->n_rows] = c->progress.rows;
    } else if (s->n_rows == 0) {
        s->first = c->progress.rows;
    }
    s->n_rows++;
    if (pq_copy_out_is_full(o) || o->aside_rows + s->n_rows >= c->slab_rows) {
        PQ_TRY(over(c, hand_over(o, e)));
    }
    c->unasked++;
    return c->plan.n_partition ? over(c, pq_copy_relieve(c, e)) : PQ_OK;
}

/* "column v, $.a: 3 of 20 values are not of type DOUBLE" */
static void unfit_text(const PqCopy *c, uint32_t i, PqBuf *out)
{
    const PqNode *value = c->schema.leaves[i].node, *variant = value;
    uint64_t n = c->tally[i].n, n_taken = c->tally[i].n_taken;
    PqBuf type;

    while (variant->kind != PQ_NODE_VARIANT) {
        variant = variant->parent;
    }
    pq_buf_init(&type, c->mem, out->sink);
    pq_buf_printf(out, "column %s, ", variant->name);
    pq_variant_shred_part(value, out, &type);
    pq_buf_printf(out, ": %llu of %llu values are not of type %.*s",
                  (unsigned long long)(n - n_taken), (unsigned long long)n,
                  (int)type.n, (const char *)type.p);
    pq_buf_free(&type);
}

void pq_copy_unfit(const PqCopy *c, PqBuf *out)
{
    for (uint32_t i = 0; i < c->schema.n_leaves && c->tally; i++) {
        if (c->tally[i].n_taken < c->tally[i].n) {
            pq_buf_text(out, out->n ? "; " : "");
            unfit_text(c, i, out);
        }
    }
}

/* A column that the user named with its type but that got no value is an
** error. */
static PqRc check_named(const PqCopy *c, PqErr *e)
{
    uint32_t i = 0;
    PqBuf text;

    while (c->tally && i < c->schema.n_leaves &&
           (c->tally[i].n == 0 || c->tally[i].n_taken > 0)) {
        i++;
    }
    if (!c->tally || i == c->schema.n_leaves) {
        return PQ_OK;
    }
    pq_buf_init(&text, c->mem, e);
    unfit_text(c, i, &text);
    if (pq_buf_ok(&text)) {
        pq_fail(e, PQ_USAGE, "shred, %.*s", (int)text.n, (const char *)text.p);
        pq_err_hint(e, "name the type that they have, or VARIANT for a column "
                    "without one");
    }
    pq_buf_free(&text);
    return e->rc;
}

static PqRc end_files(PqCopy *c, PqErr *e)
{
    if (!c->plan.n_partition && !c->plan.adds && c->n_outs == 0) {
        PQ_TRY(add_out(c, NULL, e));
    }
    for (uint32_t i = 0; i < c->n_outs; i++) {
        PQ_TRY(pq_copy_out_end_file(c->outs[i], e));
        pq_copy_out_slim(c->outs[i]);
    }
    return check_named(c, e);
}

PqRc pq_copy_end_files(PqCopy *c, PqErr *e)
{
    c->is_over = c->is_over || end_files(c, e) != PQ_OK;
    c->is_written = !c->is_over;
    return e->rc;
}

static PqRc finish(PqCopy *c, PqErr *e)
{
    PQ_TRY(c->is_written ? PQ_OK : pq_copy_end_files(c, e));
    return c->plan.name || !c->publish ? PQ_OK : pq_publish_commit(c->publish, e);
}

PqRc pq_copy_finish(PqCopy *c, PqErr *e)
{
    PqRc rc;

    if (c->is_over) {
        return pq_fail(e, PQ_USAGE, "a copy that has ended cannot be "
                                    "finished");
    }
    rc = finish(c, e);
    c->is_over = true;
    return rc;
}

bool pq_copy_misfit(const PqCopy *c, PqCopyMisfit *out)
{
    *out = (PqCopyMisfit){c->failed_column, c->failed_row, c->failed_class,
                          c->failed_kinds};
    return c->failed && c->misfit;
}

PqCopyProgress pq_copy_progress(const PqCopy *c)
{
    return c->progress;
}

PqPublishLost pq_copy_lost(const PqCopy *c)
{
    return c->publish ? pq_publish_lost(c->publish) : (PqPublishLost){0};
}
