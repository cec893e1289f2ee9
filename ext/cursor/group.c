/*
** group.c - finds the groups of a GROUP BY, and hands over the rows of each.
**
** The hard part is that the groups found first have to be those of all later
** passes, row by row, although a pass may cut the rows into other batches than
** the first one did (rows_of_code_at).  A value is a member of its group by
** SQLite's comparison, so 1 and 1.0 are one group, and so are two dictionaries'
** entries of one text.
*/
#include "ext/cursor/cursor.h"
#include "ext/plan/group_plan.h"

#include <stddef.h>

/* ---- which groups there are ---------------------------------------------- */

enum { SEEN_ROOM = 1 << 16, FIRST_ROOM = 16, NO_GROUP = UINT8_MAX,
       WIDE_NO_GROUP = UINT16_MAX };

typedef struct Finder {
    PqextGroups    *g;
    PqScan         *scan;
    PqArena        *arena;
    /* Of this batch. */
    PqsqlColumn    *column[PQEXT_GROUP_COLUMNS];
    uint32_t        stride[PQEXT_GROUP_COLUMNS];
    bool            by_ids;          /* combinations of ids are few         */
    /* The vector's, rather than the column's: that may have looked them up
    ** already, or makes its values row by row. */
    const uint32_t *ids[PQEXT_GROUP_COLUMNS];
    const uint64_t *valid[PQEXT_GROUP_COLUMNS];
    uint64_t        serial[PQEXT_GROUP_COLUMNS];
    uint16_t       *group_of;        /* combinations, of these dictionaries:
                                     ** code + 1, 0 where not seen yet      */
    uint32_t        last;            /* the group of the row before         */
} Finder;

static int compare_groups(const PqextGroups *g, const PqextGroup *a,
                          const PqextGroup *b)
{
    for (uint32_t i = 0; i < g->by.n; i++) {
        int order = pq_cell_compare(&a->value[i], &b->value[i]);

        if (order != 0) {
            return g->by.descending[i] ? -order : order;
        }
    }
    return 0;
}

static PqRc group_of_row(Finder *f, uint32_t row, PqextGroup *out, PqErr *e)
{
    for (uint32_t i = 0; i < f->g->by.n; i++) {
        PqsqlColumn *c = f->column[i];

        PQ_TRY(pqsql_column_cell(c, pqsql_column_cells(c), row, &out->value[i],
                                 e));
    }
    return PQ_OK;
}

/* There are more groups than a byte can name, though the dictionaries that were
** looked at had few entries.  This is slow, because each takes a pass, but
** right. */
static PqRc widen(PqextGroups *g, PqErr *e)
{
    size_t n = g->codes.n;
    uint16_t *wide;

    PQ_TRY(pq_buf_resize(&g->codes, n * sizeof *wide, e));
    wide = (uint16_t *)(void *)g->codes.p;
    for (size_t i = n; i-- > 0;) {
        wide[i] = g->codes.p[i] == NO_GROUP ? WIDE_NO_GROUP : g->codes.p[i];
    }
    g->wide = true;
    return PQ_OK;
}

/* Adds a group.  The bytes of its values lie in a page and are copied. */
static PqRc keep_group(Finder *f, PqextGroup group, int64_t rowid, PqErr *e)
{
    PqextGroups *g = f->g;

    if (g->n == NO_GROUP && !g->wide) {
        PQ_TRY(widen(g, e));
    }
    if (g->n == WIDE_NO_GROUP) {
        return pq_fail(e, PQ_BUDGET, "more than %d groups, but few where "
                       "it was looked; GROUP BY +column has them sorted",
                       WIDE_NO_GROUP);
    }
    if (g->n == g->room) {
        uint32_t room = g->room ? g->room * 2 : FIRST_ROOM;
        PqextGroup *v = pq_arena_zeros(f->arena, room, sizeof *v, e);

        if (!v) {
            return e->rc;
        }
        if (g->n > 0) {
            memcpy(v, g->v, g->n * sizeof *v);
        }
        g->v = v;
        g->room = room;
    }
    for (uint32_t i = 0; i < g->by.n; i++) {
        PqCell *v = &group.value[i];

        PQ_TRY(pq_cell_keep(v, f->arena, e));
        group.whole[i] = v->kind == PQ_CELL_TEXT &&
                         strlen((const char *)v->p) == v->n;
    }
    group.code = g->n;
    group.first = rowid;
    g->v[g->n++] = group;
    return PQ_OK;
}

/* Sets f->last to the group of a row, which may be a new one. */
static PqRc find_group(Finder *f, uint32_t row, PqErr *e)
{
    PqextGroup group = {0};
    uint32_t i;

    PQ_TRY(group_of_row(f, row, &group, e));
    if (f->last < f->g->n &&
        compare_groups(f->g, &group, &f->g->v[f->last]) == 0) {
        return PQ_OK;
    }
    for (i = 0; i < f->g->n; i++) {
        if (compare_groups(f->g, &group, &f->g->v[i]) == 0) {
            f->last = i;
            return PQ_OK;
        }
    }
    f->last = f->g->n;
    return keep_group(f, group, pq_batch_rowid(pq_scan_batch(f->scan), row),
                      e);
}

/* Loads the columns of the batch.  Forgets combinations of entries if a
** dictionary is another than in the batch before. */
static PqRc enter_batch(Finder *f, PqErr *e)
{
    uint64_t combinations = 1;
    bool same = f->by_ids;

    f->by_ids = true;
    for (uint32_t i = 0; i < f->g->by.n; i++) {
        const PqNode *node = pq_scan_node(f->scan, f->g->by.column[i]);
        const PqVector *v = NULL;
        uint64_t serial = 0;

        PQ_TRY(pqext_cursor_load(f->g->cursor, f->g->by.column[i],
                                 &f->column[i], e));
        if (node && node->kind == PQ_NODE_LEAF && node->rep == 0) {
            PQ_TRY(pq_scan_vector(f->scan, (uint32_t)node->leaf, &v, e));
        }
        f->by_ids = f->by_ids && v && v->dict;
        f->stride[i] = (uint32_t)combinations;
        if (f->by_ids) {
            serial = v->dict->serial;
            f->ids[i] = v->ids;
            f->valid[i] = v->valid;
            combinations *= (uint64_t)v->dict->n + 1;
            f->by_ids = combinations <= SEEN_ROOM;
        }
        same = same && serial == f->serial[i];
        f->serial[i] = serial;
    }
    if (f->by_ids && !same) {
        memset(f->group_of, 0, SEEN_ROOM * sizeof *f->group_of);
    }
    return PQ_OK;
}

static uint32_t combination_of(const Finder *f, uint32_t row)
{
    uint32_t code = 0;

    for (uint32_t i = 0; i < f->g->by.n; i++) {
        if (!f->valid[i] || pq_bit(f->valid[i], row)) {
            code += (f->ids[i][row] + 1) * f->stride[i];
        }
    }
    return code;
}

static PqRc code_of_row(Finder *f, uint32_t row, uint32_t *code, PqErr *e)
{
    uint16_t *known = NULL;

    if (f->by_ids) {
        known = &f->group_of[combination_of(f, row)];
        if (*known) {
            *code = *known - 1u;
            return PQ_OK;
        }
    }
    PQ_TRY(find_group(f, row, e));
    *code = f->last;
    if (known) {
        *known = (uint16_t)(*code + 1);
    }
    return PQ_OK;
}

static PqRc note_batch(Finder *f, const PqBatch *b, PqErr *e)
{
    PqextGroups *g = f->g;
    PqextNotes note = {.rowid = b->rowid, .n_rows = b->n_rows};
    size_t width = g->wide ? 2 : 1, begin = g->codes.n / width;

    note.at = begin;
    PQ_TRY(pq_buf_resize(&g->codes, (begin + b->n_rows) * width, e));
    memset(g->codes.p + begin * width, NO_GROUP, b->n_rows * width);
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t row = b->kept ? b->kept[i] : i, code;

        PQ_TRY(code_of_row(f, row, &code, e));
        if (g->wide) {
            ((uint16_t *)(void *)g->codes.p)[begin + row] = (uint16_t)code;
        } else {
            g->codes.p[begin + row] = (uint8_t)code;
        }
        note.there[code % 256 / 64] |= (uint64_t)1 << code % 64;
    }
    PQ_TRY(pq_buf_resize(&g->notes, (g->n_notes + 1) * sizeof note, e));
    memcpy(g->notes.p + g->n_notes++ * sizeof note, &note, sizeof note);
    return PQ_OK;
}

static bool notes_fit(const PqextGroups *g, const PqBatch *b)
{
    size_t width = g->wide ? 2 : 1;

    return g->codes.n + b->n_rows * width + g->notes.n +
               sizeof(PqextNotes) <= g->limit;
}

/* If the notes do not fit, there are none: the passes then ask the conditions
** again, and compare values. */
static PqRc add_batch(Finder *f, const PqBatch *b, PqErr *e)
{
    PqextGroups *g = f->g;

    if (g->noted && notes_fit(g, b)) {
        PqRc rc = note_batch(f, b, e);

        if (rc != PQ_BUDGET) {
            return rc;
        }
        pq_err_clear(e);
    }
    g->noted = false;
    pq_buf_free(&g->codes);
    pq_buf_free(&g->notes);
    for (uint32_t i = 0; i < b->n_kept; i++) {
        uint32_t code;

        PQ_TRY(code_of_row(f, b->kept ? b->kept[i] : i, &code, e));
    }
    return PQ_OK;
}

/* By insertion: there are few groups, as a rule. */
static void sort_groups(PqextGroups *g)
{
    for (uint32_t i = 1; i < g->n; i++) {
        PqextGroup group = g->v[i];
        uint32_t k = i;

        for (; k > 0 && compare_groups(g, &group, &g->v[k - 1]) < 0; k--) {
            g->v[k] = g->v[k - 1];
        }
        g->v[k] = group;
    }
}

/* Reads the scan, which was just begun, to its end. */
static PqRc find_groups(PqextGroups *g, PqScan *scan, PqArena *a, PqErr *e)
{
    Finder f = {.g = g, .scan = scan, .arena = a};
    bool more;

    f.group_of = pq_arena_zeros(a, SEEN_ROOM, sizeof *f.group_of, e);
    if (!f.group_of) {
        return e->rc;
    }
    for (;;) {
        PQ_TRY(pq_scan_next(scan, &more, e));
        if (!more) {
            break;
        }
        PQ_TRY(enter_batch(&f, e));
        PQ_TRY(add_batch(&f, pq_scan_batch(scan), e));
    }
    sort_groups(g);
    return PQ_OK;
}

/* ---- passes -------------------------------------------------------------- */

void pqext_groups_free(PqextGroups *g)
{
    pq_buf_free(&g->codes);
    pq_buf_free(&g->notes);
}

static void rows_of_code(const PqextGroups *g, const PqextNotes *notes,
                         uint32_t code, uint64_t *keep)
{
    const uint16_t *wide = (const uint16_t *)(void *)g->codes.p + notes->at;

    if (!g->wide) {
        pq_kernels()->equal8(g->codes.p + notes->at, notes->n_rows,
                             (uint8_t)code, keep);
        return;
    }
    memset(keep, 0, (notes->n_rows + 63) / 64 * sizeof *keep);
    for (uint32_t i = 0; i < notes->n_rows; i++) {
        keep[i / 64] |= (uint64_t)(wide[i] == code) << i % 64;
    }
}

/* The same for a batch that begins or ends elsewhere than the one that was
** noted.  Where batches end depends on indexes of pages, and these on the
** memory that is left. */
static void rows_of_code_at(const PqextGroups *g, const PqextNotes *notes,
                            uint32_t code, const PqBatch *b, uint64_t *keep)
{
    const uint16_t *wide = (const uint16_t *)(const void *)g->codes.p;

    for (uint32_t i = 0; i < notes->n_rows; i++) {
        int64_t row = notes->rowid + i - b->rowid;
        uint32_t is = g->wide ? wide[notes->at + i] : g->codes.p[notes->at + i];

        if (is == code && row >= 0 && row < b->n_rows) {
            keep[row / 64] |= (uint64_t)1 << row % 64;
        }
    }
}

static void apply_notes(PqextGroups *g, const PqBatch *b, uint64_t *keep)
{
    const PqextNotes *notes = (const PqextNotes *)(const void *)g->notes.p;
    uint32_t code = g->v[g->at].code, i = g->next_note;

    while (i < g->n_notes && notes[i].rowid + notes[i].n_rows <= b->rowid) {
        i++;
    }
    g->next_note = i;
    memset(keep, 0, (b->n_rows + 63) / 64 * sizeof *keep);
    for (; i < g->n_notes && notes[i].rowid < b->rowid + b->n_rows; i++) {
        if (!(notes[i].there[code % 256 / 64] >> code % 64 & 1)) {
            continue;
        }
        if (notes[i].rowid == b->rowid && notes[i].n_rows == b->n_rows) {
            rows_of_code(g, &notes[i], code, keep);
        } else {
            rows_of_code_at(g, &notes[i], code, b, keep);
        }
    }
}

static PqRc apply_values(PqextGroups *g, PqScan *s, uint64_t *keep, PqErr *e)
{
    Finder f = {.g = g, .scan = s};
    uint32_t n_words = (pq_scan_batch(s)->n_rows + 63) / 64;
    PqextGroup group = {0};

    for (uint32_t i = 0; i < g->by.n; i++) {
        PQ_TRY(pqext_cursor_load(g->cursor, g->by.column[i], &f.column[i], e));
    }
    for (uint32_t w = 0; w < n_words; w++) {
        for (uint64_t left = keep[w]; left; left &= left - 1) {
            uint32_t row = w * 64 + (uint32_t)__builtin_ctzll(left);

            PQ_TRY(group_of_row(&f, row, &group, e));
            if (compare_groups(g, &group, &g->v[g->at]) != 0) {
                keep[w] &= ~(left & (0 - left));
            }
        }
    }
    return PQ_OK;
}

static PqRc apply(PqFilter *base, PqScan *s, uint64_t *keep, PqErr *e)
{
    PqextGroups *g = (PqextGroups *)base;

    if (!g->noted) {
        return apply_values(g, s, keep, e);
    }
    apply_notes(g, pq_scan_batch(s), keep);
    return PQ_OK;
}

static void result_value(sqlite3_context *ctx, const PqCell *v, bool whole)
{
    if (whole) {
        sqlite3_result_text(ctx, (const char *)v->p, -1, SQLITE_TRANSIENT);
    } else {
        pqsql_result_cell(ctx, v);
    }
}

/* Zeros of both signs are one group. */
static bool is_zero(const PqextGroup *group, uint32_t i)
{
    const PqCell *v = &group->value[i];

    return v->kind == PQ_CELL_REAL && v->r == 0;
}

/* JSON is taken from the row, because it has a subtype besides its value. */
bool pqext_groups_result(const PqextGroups *g, const PqextTable *t, int column,
                         sqlite3_context *ctx)
{
    const PqextGroup *group = &g->v[g->at];

    for (uint32_t i = 0; i < g->by.n; i++) {
        if (g->by.column[i] == (uint32_t)column) {
            if (t->table->columns[column].type.logical == PQ_TYPE_JSON ||
                is_zero(group, i)) {
                return false;
            }
            result_value(ctx, &group->value[i], group->whole[i]);
            return true;
        }
    }
    return false;
}

/* Begins to give the rows of the current group, or just one of them.  The
** filters are asked again only if their outcome was not noted. */
static PqRc begin_pass(PqextGroups *g, PqErr *e)
{
    const PqextGroup *group = &g->v[g->at];
    PqextCursor *c = g->cursor;
    PqRowRange one = {group->first, group->first + 1};

    g->again = false;
    g->next_note = 0;
    if (g->by.once) {
        return pq_scan_start(c->scan, &one, 1, NULL, NULL, e);
    }
    PQ_TRY(pqext_cursor_proofs(c, c->ranges, c->n_ranges));
    if (!g->noted) {
        PQ_TRY(pqext_cursor_filters(c));
    }
    return pq_scan_add_filter(c->scan, &g->base, e);
}

static PqextGroups *groups_of(PqRowSource *rows)
{
    return (PqextGroups *)(void *)((char *)rows - offsetof(PqextGroups, rows));
}

static PqRc next(PqRowSource *rows, bool *more, PqErr *e)
{
    PqextGroups *g = groups_of(rows);

    *more = false;
    if (g->again) {
        PQ_TRY(begin_pass(g, e));
    }
    for (;;) {
        if (g->n > 0) {
            PQ_TRY(pq_scan_next(rows->scan, more, e));
        }
        if (*more || g->at + 1 >= g->n) {
            return PQ_OK;
        }
        g->at++;
        PQ_TRY(begin_pass(g, e));
    }
}

/* All rows of this group come, and of those to come. */
static PqRc tell_apart(PqRowSource *rows, uint32_t row, bool *changed, PqErr *e)
{
    PqextGroups *g = groups_of(rows);

    (void)row;
    (void)changed;
    (void)e;
    g->again = g->again || g->by.once;
    g->by.once = false;
    return PQ_OK;
}

PqRc pqext_groups_begin(PqextCursor *c, PqRowSource **out)
{
    PqextGroups *g = &c->groups;
    PqMem *mem = pq_scan_mem(c->scan);

    pqext_groups_free(g);
    *g = (PqextGroups){.base = {.apply = apply}, .cursor = c, .noted = true,
                       .by = c->plan->groups, .again = true,
                       .rows = pq_row_source(c->scan, next),
                       .limit = pq_mem_limit(mem) / PQEXT_SHARE_OF_NOTES};
    g->rows.tell_apart = tell_apart;
    pq_buf_init(&g->codes, mem, NULL);
    pq_buf_init(&g->notes, mem, NULL);
    *out = &g->rows;
    PQ_TRY(pqext_cursor_begin(c, c->ranges, c->n_ranges));
    PQ_TRY(find_groups(g, c->scan, &c->arena, &c->e));
    g->again = g->n > 0;
    return PQ_OK;
}
