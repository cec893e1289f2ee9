/*
** order_plan.c - whether to promise an order.
**
** An order that is promised but not needed costs: rows are picked one by one,
** and a file whose row groups overlap is read once per round.  So it has to pay
** by what the footer says (order.h).  SQLite's own sorter is better if SQLite
** may ask for far more rows than it says: because it tests a term itself, or
** because the table turns out to be the inner one of a join.
**
** Of several files, perhaps only the first one's footer is open yet.  All
** footers are opened for a LIMIT of few rows, and where a column is sorted
** alone, which may be max(): that is little beside reading the rows.
**
** A file of few row groups may say that it is sorted.  That is a hint only.  If
** it is not true, the rows still come in the right order, but slowly.
*/
#include "ext/order/order.h"

enum {
    FEW_ROWS = PQ_BATCH_ROWS,        /* a LIMIT up to here is one pick      */
    FEW_OF_FILES = 100,              /* ... each row from another file      */
    FEW_ROUNDS = 32,                 /* over all rows, for columns alone    */
    MOST_OVERLAP = 3,                /* row groups that overlap somewhere   */
    LEAST_GROUPS = 4,                /* ... for each of them, unless the    */
                                     /* file says that it is sorted         */
    VALUE_BYTES = 32,                /* of a row to sort, about             */
    MEMORY_SHARE = 8,
    PICK_SHARE = 4
};

/* ---- what is asked ------------------------------------------------------- */

static bool take_columns(const PqextTable *t, const sqlite3_index_info *info,
                         PqTopBy *out)
{
    *out = (PqTopBy){0};
    if (info->nOrderBy < 1 || info->nOrderBy > PQ_TOP_COLUMNS) {
        return false;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        if (!pqext_order_column(t, info->aOrderBy[i].iColumn,
                                info->aOrderBy[i].desc != 0,
                                &out->v[out->n++])) {
            return false;
        }
    }
    return true;
}

/* Is no other column of pages used?  Bit 63 stands for all columns from there
** on.  What a file says of its rows is known for any of them. */
static bool takes_all_used(const PqextTable *t, const PqTopBy *o, uint64_t used)
{
    uint64_t taken = 0;

    for (uint32_t i = 0; i < t->table->n_columns && i < 63; i++) {
        if (pqext_is_of_files(&t->table->columns[i])) {
            taken |= (uint64_t)1 << i;
        }
    }

    for (uint32_t i = 0; i < o->n; i++) {
        if (o->v[i].column >= 63) {
            return false;
        }
        taken |= o->v[i].column < 0 ? 0 : (uint64_t)1 << o->v[i].column;
    }
    return (used & ~taken) == 0;
}

/* The rows that LIMIT and OFFSET want, 0: none said, or not known. */
static int64_t limit_of(sqlite3_index_info *info, bool *limited)
{
    int64_t rows = 0;
    bool known = true;

    *limited = false;
    for (int i = 0; i < info->nConstraint; i++) {
        int op = info->aConstraint[i].op;
        sqlite3_value *v = NULL;
        int64_t n;

        if (op != SQLITE_INDEX_CONSTRAINT_LIMIT &&
            op != SQLITE_INDEX_CONSTRAINT_OFFSET) {
            continue;
        }
        *limited = true;
        known = sqlite3_vtab_rhs_value(info, i, &v) == SQLITE_OK && v && known;
        n = known ? sqlite3_value_int64(v) : 0;
        if (n < 0 || n > INT32_MAX) {
            known = known && n < 0 && op == SQLITE_INDEX_CONSTRAINT_OFFSET;
        } else {
            rows += n;
        }
    }
    return known ? rows : 0;
}

/* ---- what the file is like ----------------------------------------------- */

/* The most row groups that overlap at one value, as far as that matters. */
static uint32_t overlap(const PqTopSections *groups, bool desc)
{
    const PqTopSection *open[MOST_OVERLAP + 1];
    uint32_t i, k, n = 0, most = 0;

    for (i = 0; i < groups->n && most <= MOST_OVERLAP; i++) {
        const PqTopSection *g = &groups->v[i];
        uint32_t still = 0;

        if (!g->known) {
            return UINT32_MAX;
        }
        for (k = 0; k < n; k++) {
            int c = pq_cell_compare(&open[k]->worst, &g->best);

            if ((desc ? -c : c) > 0) {
                open[still++] = open[k];
            }
        }
        open[still++] = g;
        n = still;
        most = n > most ? n : most;
    }
    return most;
}

/* Rows of such a file are picked from few pages, of which each has to fit. */
static bool declares_it(const PqextTable *t, const PqTopSections *g)
{
    return g->declared && g->pageless <= t->options.memory / PICK_SHARE;
}

static bool hardly_overlaps(const PqextTable *t, const PqTopBy *o,
                            const PqTopSections *g)
{
    uint32_t most = overlap(g, o->v[0].desc);

    return most <= MOST_OVERLAP &&
           (g->n >= most * LEAST_GROUPS || (most == 1 && declares_it(t, g)));
}

/* Can the values that SQLite asks for be the sort values, and do these fit into
** memory within a few rounds? */
static bool fits_memory(const PqextTable *t, const PqTopBy *o,
                        const PqTopSections *g)
{
    double bytes = t->rows_guess * VALUE_BYTES * o->n;
    double all_files = t->n_files > 1 ? t->n_files : 1;
    uint32_t rounds = FEW_ROUNDS;

    for (uint32_t i = 0; i < o->n; i++) {
        PqTopForm form = o->v[i].form;

        if (form == PQ_TOP_CELLS) {
            return false;
        }
        if (form == PQ_TOP_BYTES) {
            bytes += 2 * (double)g->bytes * all_files;
            rounds = FEW_ROUNDS / 8; /* they take longer to read */
        }
    }
    return bytes <= (double)t->options.memory / MEMORY_SHARE * rounds;
}

bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqTopBy *out)
{
    int distinct = sqlite3_vtab_distinct(info);
    PqTopSections groups = {0};
    bool limited, pays = false, one_file = t->n_files == 1;
    int64_t rows;

    if (!t->options.trust_stats || distinct > 1 ||
        !take_columns(t, info, out)) {
        return false;
    }
    rows = limit_of(info, &limited);
    out->only_sorted = takes_all_used(t, out, info->colUsed);
    out->first = rows > 0 && rows <= FEW_ROWS ? (uint32_t)rows : 0;
    if (out->first > 0 && all_exact && distinct == 0 &&
        (one_file || out->first <= FEW_OF_FILES)) {
        return true;                 /* whatever the bounds are */
    }
    if (!one_file && (!out->only_sorted || limited)) {
        return false;
    }
    if (pqext_order_sections(t, out, &groups)) {
        pays = (one_file && hardly_overlaps(t, out, &groups) &&
                (limited || !guarded)) ||
               (out->only_sorted && !guarded && distinct == 0 &&
                fits_memory(t, out, &groups));
    }
    pq_top_sections_free(&groups);
    return pays;
}
