/*
** order_rounds.c - rounds of keys, and the rows they stand for.
**
** A row that one round has given is not given by the next, because it does not
** come behind the last key given (the floor); so every round gets further, and
** there is an end whatever the bounds say.
*/
#include "ext/order.h"

#include <math.h>

enum {
    FIRST_ROUND = 16, GROWTH = 16,
    KEYS_SHARE = 4,                  /* of memory, for keys                 */
    TEXTS_SHARE = 8,                 /* ... for their texts                 */
    PICK_SHARE = 4,                  /* ... and for the rows they stand for */
    LONG_RUN = 1024,                 /* rows read as they lie               */
    WORDS = PQ_BATCH_ROWS / 64
};

/* A column of the ORDER BY in the batch at hand. */
typedef struct Source {
    const PqVector *vector;
    PqsqlColumn    *column;          /* for cells                           */
    PqsqlCellOf     cell_of;
    PqsqlCell       cell;
    bool            absent;          /* the file has none                   */
    bool            is_unsigned;
} Source;

/* Its values for the rows that are given. */
typedef struct Given {
    PqVector vector;
    void    *values;
    uint64_t valid[WORDS];
} Given;

/* Asks whether bounds leave anything of the round's interest. */
typedef struct OrderProof {
    PqProof           base;          /* the engine's part: first            */
    const PqextOrder *order;
} OrderProof;

struct PqextOrder {
    PqextCursor      *c;
    PqScan           *scan;
    PqMem            *mem;
    PqextOrderBy      by;
    PqRowRange       *cut;           /* those of a row group                */
    PqextOrderGroups  groups;
    OrderProof        proof;
    PqextKeys         keys;
    uint32_t          most;          /* of a round, ever                    */
    uint32_t          next_most;     /* of the next                         */
    PqextKeys         floor;         /* the last key given, or none         */
    uint32_t          at;            /* keys given                          */
    uint32_t          n_rounds;
    bool              complete;      /* no key is behind this round's       */
    bool              running;       /* a run of rows is being read         */
    Source            sources[PQEXT_ORDER_COLUMNS];
    Given            *given;         /* one per column                      */
    PqextKeyValue     candidate[PQEXT_ORDER_COLUMNS];
    uint32_t          list[PQ_BATCH_ROWS];
    int64_t           rowids[PQ_BATCH_ROWS];
};

/* ---- what can still be of interest ------------------------------------------ */

/* <0, 0, >0 in the direction of the first column. */
static int order_first(const PqextOrder *o, const PqextKeyValue *a,
                       const PqextKeyValue *b)
{
    int c = pqext_order_compare(a, b);

    return o->by.v[0].desc ? -c : c;
}

static const PqextKeyValue *worst_first(const PqextOrder *o)
{
    const PqextOrderKey *worst = pqext_keys_worst(&o->keys);

    return worst ? worst->values : NULL;
}

static const PqextKeyValue *floor_first(const PqextOrder *o)
{
    return o->floor.n ? pqext_keys_at(&o->floor, 0)->values : NULL;
}

static bool too_bad(const PqextOrder *o, const PqextKeyValue *best)
{
    const PqextKeyValue *worst = worst_first(o);

    return worst && order_first(o, best, worst) > 0;
}

static bool given_already(const PqextOrder *o, const PqextKeyValue *worst)
{
    const PqextKeyValue *floor = floor_first(o);

    return floor && order_first(o, worst, floor) < 0;
}

static bool refutes(const PqProof *base, const PqLeafBounds *b, int64_t n_rows)
{
    const PqextOrder *o = ((const OrderProof *)base)->order;
    const PqextOrderColumn *c = &o->by.v[0];
    const PqextTable *t = o->c->table;
    char best_room[PQEXT_BOUND_ROOM], worst_room[PQEXT_BOUND_ROOM];
    PqextKeyValue best, worst;

    (void)n_rows;
    return pq_type_equal(&b->leaf->type,
                         &t->table->columns[c->column].type) &&
           pqext_order_ends(t, c, b, best_room, worst_room, &best, &worst) &&
           (too_bad(o, &best) || given_already(o, &worst));
}

/* ---- values of a batch --------------------------------------------------------- */

static PqRc load_source(PqextOrder *o, uint32_t i, PqErr *e)
{
    const PqextOrderColumn *c = &o->by.v[i];
    Source *s = &o->sources[i];
    const PqNode *node;

    if (c->form == PQEXT_FORM_OF_ROWIDS) {
        return PQ_OK;
    }
    node = pq_scan_node(o->scan, (uint32_t)c->column);
    s->absent = !node;
    if (!node) {
        return PQ_OK;
    }
    if (c->form == PQEXT_FORM_OF_CELLS) {
        PQ_TRY(pqext_cursor_load(o->c, (uint32_t)c->column, &s->column, e));
        s->cell_of = pqsql_column_cells(s->column);
        return PQ_OK;
    }
    s->is_unsigned = pq_type_is_unsigned(&node->type);
    return pq_scan_vector(o->scan, (uint32_t)node->leaf, &s->vector, e);
}

static void value_of_cell(const PqsqlCell *cell, PqextKeyValue *out)
{
    *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
    switch (cell->kind) {
    case PQSQL_NULL:
        break;
    case PQSQL_INTEGER:
        out->kind = PQEXT_KEY_INT;
        out->as.i = cell->i;
        break;
    case PQSQL_REAL:
        out->kind = PQEXT_KEY_REAL;
        out->as.r = cell->r;
        break;
    default:
        out->kind = cell->kind == PQSQL_TEXT ? PQEXT_KEY_TEXT : PQEXT_KEY_BLOB;
        out->as.p = cell->bytes.p;
        out->n = (uint32_t)cell->bytes.n;
        break;
    }
}

static PqRc take_cell(Source *s, uint32_t row, PqextKeyValue *out, PqErr *e)
{
    const PqsqlColumn *c = s->column;

    if (c->valid && !pq_bit(c->valid, row)) {
        s->cell.kind = PQSQL_NULL;
    } else if (s->cell_of) {
        s->cell_of(c, c->ids ? c->ids[row] : row, &s->cell);
    } else {
        PQ_TRY(pqsql_column_text_cell(s->column, row, &s->cell, e));
    }
    value_of_cell(&s->cell, out);
    return PQ_OK;
}

static int64_t stored_integer(const Source *s, PqPhysical type, const void *at)
{
    switch (type) {
    case PQ_BOOLEAN:
        return *(const uint8_t *)at;
    case PQ_INT32:
        return s->is_unsigned ? (int64_t)*(const uint32_t *)at
                              : (int64_t)*(const int32_t *)at;
    default:
        return *(const int64_t *)at;
    }
}

static void take_stored(const Source *s, PqextKeyForm form, uint32_t row,
                        PqextKeyValue *out)
{
    const PqVector *v = s->vector;
    PqPhysical type = v->leaf->type.physical;
    const void *at = pq_vector_at(v, pq_physical_width(type), row);
    const PqStr *bytes = at;

    *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
    if (!pq_vector_is_valid(v, row)) {
        return;
    }
    switch (form) {
    case PQEXT_FORM_OF_INTS:
        out->kind = PQEXT_KEY_INT;
        out->as.i = stored_integer(s, type, at);
        break;
    case PQEXT_FORM_OF_REALS:
        out->as.r = type == PQ_FLOAT ? (double)*(const float *)at
                                     : *(const double *)at;
        out->kind = isnan(out->as.r) ? PQEXT_KEY_NULL : PQEXT_KEY_REAL;
        break;
    default:
        out->kind = form == PQEXT_FORM_OF_TEXTS ? PQEXT_KEY_TEXT
                                                : PQEXT_KEY_BLOB;
        out->as.p = bytes->p;
        out->n = bytes->n;
        break;
    }
}

static PqRc take_value(PqextOrder *o, uint32_t i, uint32_t row,
                       PqextKeyValue *out, PqErr *e)
{
    PqextKeyForm form = o->by.v[i].form;
    Source *s = &o->sources[i];

    if (form == PQEXT_FORM_OF_ROWIDS) {
        *out = (PqextKeyValue){
            .kind = PQEXT_KEY_INT,
            .as.i = pq_batch_rowid(pq_scan_batch(o->scan), row)};
        return PQ_OK;
    }
    if (s->absent) {
        *out = (PqextKeyValue){.kind = PQEXT_KEY_NULL};
        return PQ_OK;
    }
    if (form == PQEXT_FORM_OF_CELLS) {
        return take_cell(s, row, out, e);
    }
    take_stored(s, form, row, out);
    return PQ_OK;
}

/* ---- rows of interest -------------------------------------------------------------- */

/* What integers of the first column are of interest; false: anything else has
** a say in it. */
static bool interesting(const PqextOrder *o, int64_t *low, int64_t *high,
                        bool *nulls)
{
    const PqextKeyValue *worst = worst_first(o), *floor = floor_first(o);
    bool desc = o->by.v[0].desc;

    *low = INT64_MIN;
    *high = INT64_MAX;
    *nulls = true;
    if ((worst && worst->kind != PQEXT_KEY_INT) ||
        (floor && floor->kind != PQEXT_KEY_INT)) {
        return false;
    }
    if (worst) {
        *(desc ? low : high) = worst->as.i;
        *nulls = !desc;
    }
    if (floor) {
        *(desc ? high : low) = floor->as.i;
        *nulls = *nulls && desc;
    }
    return true;
}

/* Marks integers that lie there as they are; false: they do not. */
static bool mark_integers(const PqextOrder *o, uint32_t n_rows, uint64_t *bits)
{
    const PqVector *v = o->sources[0].vector;
    const PqKernels *k = pq_kernels();
    int64_t low, high;
    bool nulls;

    if (o->by.v[0].form != PQEXT_FORM_OF_INTS || o->sources[0].absent ||
        v->dict || o->sources[0].is_unsigned ||
        v->leaf->type.physical == PQ_BOOLEAN ||
        !interesting(o, &low, &high, &nulls)) {
        return false;
    }
    if (v->leaf->type.physical == PQ_INT32) {
        low = low < INT32_MIN ? INT32_MIN : low;
        high = high > INT32_MAX ? INT32_MAX : high;
    }
    if (low > high) {
        memset(bits, 0, (n_rows + 63) / 64 * sizeof *bits);
    } else if (v->leaf->type.physical == PQ_INT32) {
        k->between32(v->values, n_rows, (uint32_t)low,
                     (uint32_t)high - (uint32_t)low, bits);
    } else {
        k->between64(v->values, n_rows, (uint64_t)low,
                     (uint64_t)high - (uint64_t)low, bits);
    }
    for (uint32_t w = 0; v->valid && w < (n_rows + 63) / 64; w++) {
        bits[w] = nulls ? bits[w] | ~v->valid[w] : bits[w] & v->valid[w];
    }
    return true;
}

/* Lists rows of the batch whose first column does not rule them out. */
static PqRc list_rows(PqextOrder *o, uint32_t *n_list, PqErr *e)
{
    const PqBatch *b = pq_scan_batch(o->scan);
    uint64_t bits[WORDS];
    bool marked = mark_integers(o, b->n_rows, bits);
    PqextKeyValue v;

    *n_list = 0;
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = b->kept ? b->kept[i] : i;

        if (marked) {
            o->list[*n_list] = row;
            *n_list += pq_bit(bits, row);
            continue;
        }
        PQ_TRY(take_value(o, 0, row, &v, e));
        if (!too_bad(o, &v) && !given_already(o, &v)) {
            o->list[(*n_list)++] = row;
        }
    }
    return PQ_OK;
}

static PqRc offer_row(PqextOrder *o, uint32_t row, PqErr *e)
{
    int64_t rowid = pq_batch_rowid(pq_scan_batch(o->scan), row);
    const PqextOrderKey *floor = o->floor.n ? pqext_keys_at(&o->floor, 0) : NULL;

    for (uint32_t i = 0; i < o->by.n; i++) {
        PQ_TRY(take_value(o, i, row, &o->candidate[i], e));
        if (i == 0 && too_bad(o, &o->candidate[0])) {
            return PQ_OK;
        }
    }
    if (floor && pqext_keys_order(&o->keys, o->candidate, rowid, floor->values,
                                  floor->row) <= 0) {
        return PQ_OK;
    }
    return pqext_keys_offer(&o->keys, o->candidate, rowid, e);
}

/* From its better end, so that the rest is mostly not good enough. */
static PqRc offer_batch(PqextOrder *o, PqErr *e)
{
    PqextKeyValue last;
    uint32_t i, n;

    PQ_TRY(load_source(o, 0, e));
    PQ_TRY(list_rows(o, &n, e));
    if (n == 0) {
        return PQ_OK;
    }
    for (i = 1; i < o->by.n; i++) {
        PQ_TRY(load_source(o, i, e));
    }
    PQ_TRY(take_value(o, 0, o->list[n - 1], &last, e));
    PQ_TRY(take_value(o, 0, o->list[0], &o->candidate[0], e));
    if (order_first(o, &last, &o->candidate[0]) < 0) {
        for (i = n; i-- > 0;) {
            PQ_TRY(offer_row(o, o->list[i], e));
        }
    } else {
        for (i = 0; i < n; i++) {
            PQ_TRY(offer_row(o, o->list[i], e));
        }
    }
    return PQ_OK;
}

/* ---- rounds ------------------------------------------------------------------------- */

/* Begins the rows of a group that the plan leaves; false: none. */
static PqRc begin_group(PqextOrder *o, const PqextOrderGroup *g, bool *any,
                        PqErr *e)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < o->c->n_ranges; i++) {
        PqRowRange r = o->c->ranges[i];

        r.begin = r.begin > g->begin ? r.begin : g->begin;
        r.end = r.end < g->end ? r.end : g->end;
        if (r.begin < r.end) {
            o->cut[n++] = r;
        }
    }
    *any = n > 0;
    if (n == 0) {
        return PQ_OK;
    }
    PQ_TRY(pqext_cursor_begin(o->c, o->cut, n));
    return o->by.v[0].column < 0
               ? PQ_OK : pq_scan_add_proof(o->scan, &o->proof.base, e);
}

static PqRc read_group(PqextOrder *o, const PqextOrderGroup *g, PqErr *e)
{
    bool more;

    PQ_TRY(begin_group(o, g, &more, e));
    while (more) {
        PQ_TRY(pq_scan_next(o->scan, &more, e));
        if (more) {
            PQ_TRY(offer_batch(o, e));
        }
    }
    return PQ_OK;
}

/* The last key of the round before is the floor of this one. */
static PqRc raise_floor(PqextOrder *o, PqErr *e)
{
    const PqextOrderKey *last;

    if (o->keys.n == 0) {
        return PQ_OK;
    }
    last = pqext_keys_at(&o->keys, o->keys.n - 1);
    pqext_keys_begin(&o->floor, 1);
    return pqext_keys_offer(&o->floor, last->values, last->row, e);
}

static uint32_t grown(const PqextOrder *o)
{
    return o->by.only_keys || o->next_most > o->most / GROWTH
               ? o->most : o->next_most * GROWTH;
}

/* Of equal ones, with no further column to decide, the first in the file come
** first. */
static bool is_too_late(const PqextOrder *o, const PqextOrderGroup *g)
{
    const PqextOrderKey *worst = pqext_keys_worst(&o->keys);

    return worst && o->by.n == 1 && worst->row < g->begin &&
           order_first(o, &g->best, worst->values) == 0;
}

static void count_passed(PqextOrder *o, uint32_t from)
{
    int64_t rows = 0;

    for (uint32_t i = from; i < o->groups.n; i++) {
        rows += o->groups.v[i].end - o->groups.v[i].begin;
    }
    pq_scan_passed_groups(o->scan, o->groups.n - from, rows);
}

static PqRc next_round(PqextOrder *o, PqErr *e)
{
    const PqextOrderGroups *groups = &o->groups;
    uint32_t i;

    PQ_TRY(raise_floor(o, e));
    pqext_keys_begin(&o->keys, o->next_most);
    for (i = 0; i < groups->n; i++) {
        const PqextOrderGroup *g = &groups->v[i];

        pqext_keys_tighten(&o->keys);
        if (g->known && (too_bad(o, &g->best) || is_too_late(o, g))) {
            break;                   /* and so are all behind it */
        }
        if (!g->known || !given_already(o, &g->worst)) {
            PQ_TRY(read_group(o, g, e));
        }
    }
    if (o->n_rounds++ == 0) {
        count_passed(o, i);
    }
    o->complete = !pqext_keys_worst(&o->keys);
    o->next_most = grown(o);
    o->at = 0;
    pqext_keys_sort(&o->keys);
    return PQ_OK;
}

/* ---- giving --------------------------------------------------------------------------- */

static void put_value(void *values, PqPhysical type, uint32_t i,
                      const PqextKeyValue *v)
{
    switch (type) {
    case PQ_BOOLEAN:
        ((uint8_t *)values)[i] = (uint8_t)v->as.i;
        break;
    case PQ_INT32:
        ((uint32_t *)values)[i] = (uint32_t)v->as.i;
        break;
    case PQ_INT64:
        ((int64_t *)values)[i] = v->as.i;
        break;
    case PQ_FLOAT:
        ((float *)values)[i] = (float)v->as.r;
        break;
    case PQ_DOUBLE:
        ((double *)values)[i] = v->as.r;
        break;
    default:
        ((PqStr *)values)[i] = (PqStr){v->as.p, v->n};
        break;
    }
}

/* The columns of the ORDER BY need not be read again. */
static void give_column(PqextOrder *o, uint32_t column, uint32_t n)
{
    const PqextOrderColumn *c = &o->by.v[column];
    const PqNode *node = c->column < 0
                             ? NULL : pq_scan_node(o->scan, (uint32_t)c->column);
    Given *g = &o->given[column];
    PqPhysical type;

    if (!node || c->form == PQEXT_FORM_OF_CELLS) {
        return;
    }
    type = node->type.physical;
    memset(g->valid, 0, sizeof g->valid);
    for (uint32_t i = 0; i < n; i++) {
        const PqextKeyValue *v =
            pqext_keys_at(&o->keys, o->at + i)->values + column;

        if (v->kind == PQEXT_KEY_NULL) {
            memset((char *)g->values + i * pq_physical_width(type), 0,
                   pq_physical_width(type));
        } else {
            put_value(g->values, type, i, v);
            g->valid[i / 64] |= (uint64_t)1 << i % 64;
        }
    }
    g->vector = (PqVector){
        .leaf = &pq_scan_footer(o->scan)->schema.leaves[node->leaf],
        .n_rows = n, .n_slots = n, .valid = g->valid, .values = g->values};
    pq_scan_preset(o->scan, (uint32_t)node->leaf, &g->vector);
}

/* How many rows from here on lie behind each other in the file. */
static uint32_t run_length(const PqextOrder *o)
{
    const PqextKeys *k = &o->keys;
    int64_t first = pqext_keys_at(k, o->at)->row;
    uint32_t n = 1;

    while (o->at + n < k->n && pqext_keys_at(k, o->at + n)->row == first + n) {
        n++;
    }
    return n;
}

static PqRc begin_run(PqextOrder *o, uint32_t n, PqErr *e)
{
    int64_t first = pqext_keys_at(&o->keys, o->at)->row;
    PqRowRange range = {first, first + n};

    o->at += n;
    o->running = true;
    return pq_scan_start(o->scan, &range, 1, NULL, NULL, e);
}

static PqRc give_rows(PqextOrder *o, PqErr *e)
{
    uint32_t n = 0, left = o->keys.n - o->at;

    while (n < left && n < PQ_BATCH_ROWS) {
        o->rowids[n] = pqext_keys_at(&o->keys, o->at + n)->row;
        if (o->rowids[n] >> PQ_ROWID_SHIFT != o->rowids[0] >> PQ_ROWID_SHIFT) {
            break;
        }
        n++;
    }
    PQ_TRY(pq_scan_pick(o->scan, o->rowids, n, e));
    for (uint32_t i = 0; i < o->by.n; i++) {
        give_column(o, i, n);
    }
    o->at += n;
    return PQ_OK;
}

PqRc pqext_order_next(PqextOrder *o, bool *more, PqErr *e)
{
    for (;;) {
        uint32_t run;

        if (o->running) {
            PQ_TRY(pq_scan_next(o->scan, more, e));
            if (*more) {
                return PQ_OK;
            }
            o->running = false;
        }
        if (o->at < o->keys.n) {
            run = o->by.only_keys ? 0 : run_length(o);
            if (run < LONG_RUN) {
                *more = true;
                return give_rows(o, e);
            }
            PQ_TRY(begin_run(o, run, e));
            continue;
        }
        if (o->complete) {
            *more = false;
            return PQ_OK;
        }
        PQ_TRY(next_round(o, e));
    }
}

/* ---- making and freeing ----------------------------------------------------------------- */

static PqRc make_room(PqextOrder *o, PqErr *e)
{
    size_t most = pq_mem_limit(o->mem) / KEYS_SHARE / (2 * o->keys.width);

    o->most = most < FIRST_ROUND ? FIRST_ROUND
              : most > INT32_MAX ? INT32_MAX : (uint32_t)most;
    o->keys.limit = pq_mem_limit(o->mem) / TEXTS_SHARE;
    for (uint32_t i = 0; i < o->by.n; i++) {
        o->keys.desc[i] = o->floor.desc[i] = o->by.v[i].desc;
    }
    PQ_TRY(pq_scan_pick_memory(o->scan, pq_mem_limit(o->mem) / PICK_SHARE, e));
    o->cut = pq_mem_array(o->mem, o->c->n_ranges + 1u, sizeof *o->cut, e);
    o->given = pq_mem_zeros(o->mem, o->by.n, sizeof *o->given, e);
    if (!o->cut || !o->given) {
        return e->rc;
    }
    for (uint32_t i = 0; i < o->by.n; i++) {
        o->given[i].values = pq_mem_array(o->mem, PQ_BATCH_ROWS, sizeof(PqStr),
                                          e);
        if (!o->given[i].values) {
            return e->rc;
        }
    }
    return PQ_OK;
}

PqRc pqext_order_new(PqextCursor *c, const PqextOrderBy *by, PqextOrder **out,
                     PqErr *e)
{
    PqMem *mem = pq_scan_mem(c->scan);
    PqextOrder *o = pq_mem_zeros(mem, 1, sizeof *o, e);

    *out = NULL;
    if (!o) {
        return e->rc;
    }
    o->c = c;
    o->scan = c->scan;
    o->mem = mem;
    o->by = *by;
    pq_arena_init(&o->groups.arena, mem);
    pqext_keys_init(&o->keys, mem, by->n);
    pqext_keys_init(&o->floor, mem, by->n);
    o->proof = (OrderProof){.base = {.name = "order", .n_columns = 1,
                                     .refutes = refutes},
                            .order = o};
    o->proof.base.column[0] = by->v[0].column < 0 ? 0
                                                  : (uint32_t)by->v[0].column;
    o->next_most = by->first ? by->first : by->only_keys ? 1 : FIRST_ROUND;
    if (make_room(o, e) != PQ_OK ||
        pqext_order_groups(c->table, &c->listing->list, pqext_cursor_skips, c,
                           &o->by, &o->groups, e) != PQ_OK) {
        pqext_order_free(o);
        return e->rc;
    }
    o->keys.mixed = o->by.v[0].form == PQEXT_FORM_OF_CELLS;
    *out = o;
    return PQ_OK;
}

void pqext_order_free(PqextOrder *o)
{
    if (o) {
        for (uint32_t i = 0; o->given && i < o->by.n; i++) {
            pq_mem_free(o->given[i].values);
        }
        pq_mem_free(o->given);
        pq_mem_free(o->cut);
        pqext_keys_free(&o->keys);
        pqext_keys_free(&o->floor);
        pqext_order_groups_free(&o->groups);
        pq_mem_free(o);
    }
}
