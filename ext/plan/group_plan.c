/*
** group_plan.c - chooses a way to group, or says why there is none.
**
** One pass per group (group_passes.c) is best where there are few groups and little
** else is used; and it gives the groups in order.  Else the rows are hashed
** (core/group/grouping.h), which gives no order unless it sorts the groups; or, where
** groups are few, the values of some of them are gathered in each pass
** (group_gather.h).  What that needs is known here: all columns that are used.
*/
#include "ext/plan/plan.h"

#include "ext/plan/sample.h"

#include <math.h>

enum {
    LAST_BIT = 63,                   /* of colUsed: all columns from there  */
    FEW_GROUPS = 16,                 /* rows for each group                 */
    SOME_GROUPS = 4, FEW_OTHERS = 2, /* ... where no more others are used   */
    LEAST_MEMORY = 8 << 20           /* buffers take up to one of these     */
};

/* ---- a pass per group ---------------------------------------------------- */

/* Notes take a byte per row, and have to fit into a share of the memory.
** A pass takes PASS_COLUMN nanoseconds per row to read one more column.
** SQLite's sorter takes SORT_ROW for a row, and SORT_COLUMN for each value in
** it. */
enum { PASS_COLUMN = 15, SORT_ROW = 250, SORT_COLUMN = 150,
       MOST_GROUPS = PQ_GROUP_PASSES - 1 };

/* Can a filter decide exactly whether values of the column are equal? */
static bool can_group(const PqextTable *t, uint32_t column)
{
    const PqType *type = &t->table->columns[column].type;

    return pqext_affinity(t, column) != PQEXT_AFF_NONE &&
           !pq_column_is_untyped(&t->table->columns[column]) &&
           !pq_type_is_u64(type);
}

/* How many groups there are about, if a byte can tell them apart; else 0. */
static double few_groups(PqextTable *t, const PqextGroupBy *by)
{
    double groups = 1;

    if (t->rows_guess > (double)t->options.memory / PQ_GROUP_NOTES_SHARE) {
        return 0;
    }
    for (uint32_t i = 0; i < by->n; i++) {
        if (by->column[i] >= t->n_columns || !can_group(t, by->column[i])) {
            return 0;
        }
    }
    for (uint32_t i = 0; i < by->n && groups <= MOST_GROUPS; i++) {
        groups *= pqext_sample_entries(t, by->column[i], by->guessed);
    }
    return groups <= MOST_GROUPS ? groups : 0;
}

static bool passes_pay(double groups, int n_others)
{
    return groups > 0 &&
           groups * PASS_COLUMN * n_others < SORT_ROW + SORT_COLUMN * n_others;
}

/* ---- groups by hashes ---------------------------------------------------- */

static bool is_key(const PqextGroupBy *by, uint32_t column)
{
    for (uint32_t i = 0; i < by->n; i++) {
        if (by->column[i] == column) {
            return true;
        }
    }
    return false;
}

/* Why records cannot hold the column; NULL: they can. */
static const char *not_held(const PqextTable *t, const PqColumn *c)
{
    switch (c->kind) {
    case PQ_COLUMN_NODE:
        return pq_node_is_flat_leaf(c->node) ? NULL : "is nested";
    case PQ_COLUMN_VARIANT_PATH:
        return "is a path into a VARIANT";
    case PQ_COLUMN_ROW_GROUP:
        return t->n_files == 1 ? NULL : "differs by file";
    default:
        return NULL;
    }
}

static const char *no_key(const PqextTable *t, const PqColumn *c, uint32_t i)
{
    const char *why = not_held(t, c);

    if (why || pq_column_is_of_files(c)) {
        return why;
    }
    if (c->kind != PQ_COLUMN_NODE) {
        return "is not in the files";
    }
    return pqext_affinity(t, i) == PQEXT_AFF_NONE || pq_type_is_u64(&c->type)
               ? "has values that are not compared here" : NULL;
}

static bool refuse(const PqextTable *t, PqextGroupBy *by, int column,
                   const char *why)
{
    if (!why) {
        return false;
    }
    if (column >= 0) {
        sqlite3_snprintf(sizeof by->why_not, by->why_not, "%.60s %s",
                         t->table->columns[column].name, why);
    } else {
        sqlite3_snprintf(sizeof by->why_not, by->why_not, "%s", why);
    }
    return true;
}

static bool keys_can(const PqextTable *t, PqextGroupBy *by)
{
    bool any_of_pages = false;

    for (uint32_t i = 0; i < by->n; i++) {
        const PqColumn *c = pqext_column_at(t, (int)by->column[i]);

        if (refuse(t, by, (int)by->column[i], no_key(t, c, by->column[i]))) {
            return false;
        }
        any_of_pages = any_of_pages || pq_column_is_of_pages(c);
    }
    return any_of_pages;
}

/* Lists the columns that are used besides the keys. */
static bool others_can(const PqextTable *t, uint64_t used, PqextGroupBy *by)
{
    if (used >> LAST_BIT && t->table->n_columns > LAST_BIT) {
        return !refuse(t, by, -1, "columns from the 64th on are used");
    }
    by->n_others = 0;
    for (; used; used &= used - 1) {
        int i = __builtin_ctzll(used);
        const PqColumn *c = pqext_column_at(t, i);

        if (!c || is_key(by, (uint32_t)i)) {
            continue;
        }
        if (refuse(t, by, i, not_held(t, c)) ||
            (by->n + by->n_others == PQ_GROUP_USED &&
             refuse(t, by, -1, "too many columns are used"))) {
            return false;
        }
        by->other[by->n_others++] = (uint32_t)i;
    }
    return true;
}

/* ---- values gathered ------------------------------------------------------- */

/* A record of a row takes HASH_ROW nanoseconds, and HASH_COLUMN for each value.  Texts
** are numbered, so there may be so many.  To gather a group takes longer than to hand it
** out as it is read; so passes have to be FEWER than groups. */
enum { HASH_ROW = 100, HASH_COLUMN = 15, MOST_TEXTS = 1 << 12, FEWER = 3 };

/* How many passes gather all values; INFINITY: they cannot be gathered. */
static double gathering_passes(PqextTable *t, const PqextGroupBy *by, double groups)
{
    double bytes = 0, most = (double)t->options.memory / PQ_GROUP_GATHER_SHARE;

    for (uint32_t i = 0; i < by->n_others; i++) {
        const PqColumn *c = &t->table->columns[by->other[i]];

        if (!pq_column_is_of_pages(c)) {
            continue;
        }
        if (c->type.physical != PQ_BYTE_ARRAY && c->type.physical != PQ_FIXED) {
            bytes += (double)pq_physical_width(c->type.physical);
        } else if (pqext_sample_entries(t, by->other[i], false) <= MOST_TEXTS) {
            bytes += sizeof(uint32_t);
        } else {
            return INFINITY;
        }
    }
    bytes *= t->rows_guess;
    return bytes > groups * most ? groups : ceil(bytes / most);
}

/* Does that cost less than records of all rows? */
static bool gathering_pays(PqextTable *t, const PqextGroupBy *by, double groups)
{
    return groups > 0 &&
           gathering_passes(t, by, groups) * PASS_COLUMN * by->n_others <
               HASH_ROW + HASH_COLUMN * by->n_others;
}

/* ... or than a pass per group?  Without other columns there is nothing to read. */
static bool gathering_saves_passes(PqextTable *t, uint64_t used, PqextGroupBy *by,
                                   double groups)
{
    bool saves = others_can(t, used, by) &&
                 (by->n_others == 0 ||
                  gathering_passes(t, by, groups) * FEWER <= groups);

    by->n_others = saves ? by->n_others : 0;
    return saves;
}

/* For an ORDER BY, or a GROUP BY that implies one, groups are sorted.  That pays if
** there are far fewer groups than rows, and no LIMIT wants few rows.  SQLite does not
** tell a LIMIT if it tests a condition itself.  Where hardly any row passes that, all are
** put aside in vain, which takes several times longer than SQLite's sorter:
**
**   SELECT a, b, c FROM t WHERE f(c) ORDER BY a LIMIT 10
**
** So groups that are not that few are sorted only if rows come in order anyway, or if
** this may be a GROUP BY with one or two measures. */
static bool pays_in_order(PqextTable *t, const sqlite3_index_info *info, bool in_order,
                          int n_others, const PqextGroupBy *by)
{
    double groups = 1, few = 1;

    if (pqext_is_all_of_from(info)) {
        return false;
    }
    for (uint32_t i = 0; i < by->n; i++) {
        const PqColumn *c = pqext_column_at(t, (int)by->column[i]);

        if (!pq_column_is_of_pages(c) || no_key(t, c, by->column[i])) {
            return false;
        }
        few *= pqext_sample_entries(t, by->column[i], by->guessed);
        groups *= pqext_sample_values(t, by->column[i], by->guessed);
    }
    return few * FEW_GROUPS < t->rows_guess ||
           (groups * SOME_GROUPS < t->rows_guess &&
            (in_order || (pqext_order_is_said() && n_others <= FEW_OTHERS)));
}

/* Can rows be hashed?  A table that is called again and again would be grouped
** each time. */
static bool can_hash(PqextTable *t, sqlite3_index_info *info, bool guarded,
                     bool in_order, int n_others, PqextGroupBy *by)
{
    int distinct = sqlite3_vtab_distinct(info);

    by->ordered = distinct == 0;
    if ((by->ordered && !pays_in_order(t, info, in_order, n_others, by)) || distinct > 2 ||
        (distinct == 2 && !by->once)) {
        return false;
    }
    for (int i = 0; i < info->nConstraint; i++) {
        guarded = guarded || !info->aConstraint[i].usable;
    }
    if (guarded) {
        return !refuse(t, by, -1, "an operand may change from call to call");
    }
    if (t->options.memory < LEAST_MEMORY) {
        return !refuse(t, by, -1, "memory is less than 8MB");
    }
    return keys_can(t, by) && others_can(t, info->colUsed, by);
}

/* A DISTINCT with an ORDER BY of some columns gets the others after them: rows that are
** equal in all of them are one. */
static bool take_columns(const PqextTable *t, sqlite3_index_info *info,
                         PqextGroupBy *by, uint64_t *others)
{
    *by = (PqextGroupBy){0};
    if (info->nOrderBy < 1 || info->nOrderBy > PQEXT_GROUP_COLUMNS) {
        return false;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;

        if (!pqext_column_at(t, column)) {
            return false;
        }
        by->column[by->n] = (uint32_t)column;
        by->descending[by->n++] = info->aOrderBy[i].desc;
        if (column < LAST_BIT) {     /* else perhaps another one as well */
            *others &= ~((uint64_t)1 << column);
        }
    }
    while (sqlite3_vtab_distinct(info) == 3 && *others && !(*others >> LAST_BIT) &&
           by->n < PQEXT_GROUP_COLUMNS) {
        by->column[by->n++] = (uint32_t)__builtin_ctzll(*others);
        *others &= *others - 1;
    }
    return true;
}

/* Rows with equal values in these columns are to come side by side.  For
** DISTINCT one row of them is enough, unless another column is used: SQLite may
** drop that row because of the other column. */
void pqext_group_plan(PqextTable *t, sqlite3_index_info *info, bool guarded,
                      bool in_order, PqextGroupBy *by)
{
    int distinct = sqlite3_vtab_distinct(info);
    uint64_t others = info->colUsed;
    double groups;
    int n_others;

    if (!take_columns(t, info, by, &others)) {
        by->n = 0;
        return;
    }
    n_others = __builtin_popcountll(others);
    by->once = distinct > 1 && others == 0;
    by->guessed = distinct == 0 && by->n == 1 && others == 0 &&
                  pq_url_is(t->table->first_path) &&
                  !no_key(t, pqext_column_at(t, (int)by->column[0]), by->column[0]);
    groups = distinct < 2 || by->once ? few_groups(t, by) : 0;
    if (passes_pay(groups, n_others)) {
        by->gathers = gathering_saves_passes(t, info->colUsed, by, groups);
        return;
    }
    by->hashed = can_hash(t, info, guarded, in_order, n_others, by);
    by->gathers = by->hashed && gathering_pays(t, by, groups);
    if (!by->hashed) {
        by->n = by->n_others = 0;
        by->ordered = false;
        if (distinct != 1) {
            by->why_not[0] = 0;
        }
    }
}
