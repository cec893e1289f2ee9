/*
** order_plan.c - whether to promise an order.
**
** Promised but not wanted, an order costs: rows are picked one by one, and a
** file whose row groups overlap is read once per round.  So it has to pay, see
** order.h, by what the footer says; and where SQLite may ask for far more rows
** than it says (a term it tests itself, a table that turns out to be the inner
** one of a join) its own sorter is better.
**
** Of several files only the first one's footer may be open yet.  All are opened
** for a LIMIT of few rows: that is little beside reading them.
*/
#include "ext/order/order.h"

#include <stdlib.h>

enum {
    FEW_ROWS = PQ_BATCH_ROWS,        /* a LIMIT up to here is one pick      */
    FEW_OF_FILES = 100,              /* ... each row from another file      */
    FEW_ROUNDS = 32,                 /* over all rows, for columns alone    */
    MOST_OVERLAP = 3,                /* row groups that overlap somewhere   */
    LEAST_GROUPS = 4,                /* ... for each of them                */
    KEY_BYTES = 32,                  /* about                               */
    MEMORY_SHARE = 8
};

static const char order_words[] = "in order of ";
static const char first_words[] = ", first ";

/* ---- what is asked ---------------------------------------------------------- */

static bool is_real(const PqType *type)
{
    return type->logical == PQ_TYPE_FLOAT16 ||
           (type->logical == PQ_TYPE_NONE &&
            (type->physical == PQ_FLOAT || type->physical == PQ_DOUBLE));
}

static bool take_columns(const PqextTable *t, const sqlite3_index_info *info,
                         PqextOrderBy *out)
{
    *out = (PqextOrderBy){0};
    if (info->nOrderBy < 1 || info->nOrderBy > PQEXT_ORDER_COLUMNS) {
        return false;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;

        if (column >= 0 &&
            ((uint32_t)column >= t->table->n_columns ||
             !pqext_has_order(t, (uint32_t)column) ||
             (t->values.nan_text &&
              is_real(&t->table->columns[column].type)))) {
            return false;
        }
        out->v[out->n++] = (PqextOrderColumn){
            .column = column < 0 ? PQEXT_ROWID : column,
            .desc = info->aOrderBy[i].desc != 0};
    }
    return true;
}

/* Are they all that is used?  Bit 63 stands for all columns from there on. */
static bool takes_all_used(const PqextOrderBy *o, uint64_t used)
{
    uint64_t taken = 0;

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

/* ---- what the file is like ---------------------------------------------------- */

/* How many row groups overlap at most, as far as it matters. */
static uint32_t overlap(const PqextOrderGroups *groups, bool desc)
{
    const PqextOrderGroup *open[MOST_OVERLAP + 1];
    uint32_t i, k, n = 0, most = 0;

    for (i = 0; i < groups->n && most <= MOST_OVERLAP; i++) {
        const PqextOrderGroup *g = &groups->v[i];
        uint32_t still = 0;

        if (!g->known) {
            return UINT32_MAX;
        }
        for (k = 0; k < n; k++) {
            int c = pqext_order_compare(&open[k]->worst, &g->best);

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

static bool hardly_overlaps(const PqextOrderBy *o, const PqextOrderGroups *g)
{
    uint32_t most = overlap(g, o->v[0].desc);

    return most <= MOST_OVERLAP && g->n >= most * LEAST_GROUPS;
}

/* Can the values be given from the keys, and do these fit into memory within a
** few rounds? */
static bool fits_as_keys(const PqextTable *t, const PqextOrderBy *o,
                         const PqextOrderGroups *g)
{
    double bytes = t->rows_guess * KEY_BYTES * o->n;
    uint32_t rounds = FEW_ROUNDS;

    for (uint32_t i = 0; i < o->n; i++) {
        PqextKeyForm form = o->v[i].form;

        if (form == PQEXT_FORM_OF_CELLS) {
            return false;
        }
        if (form == PQEXT_FORM_OF_TEXTS || form == PQEXT_FORM_OF_BLOBS) {
            bytes += 2 * (double)g->key_bytes;
            rounds = FEW_ROUNDS / 8; /* they take longer to read */
        }
    }
    return bytes <= (double)t->options.memory / MEMORY_SHARE * rounds;
}

static bool list_groups(const PqextTable *t, PqextOrderBy *o,
                        PqextOrderGroups *out)
{
    PqListedFile file = {.path = t->table->first_path};
    PqListing one = {.files = &file, .n_files = 1};
    PqErr e;

    pq_err_init(&e);
    pq_arena_init(&out->arena, t->host->engine->mem);
    return pqext_order_groups(t, &one, NULL, NULL, o, out, &e) == PQ_OK &&
           out->n > 0;
}

bool pqext_order_plan(const PqextTable *t, sqlite3_index_info *info,
                      bool all_exact, bool guarded, PqextOrderBy *out)
{
    int distinct = sqlite3_vtab_distinct(info);
    PqextOrderGroups groups = {0};
    bool limited, pays = false;
    int64_t rows;

    if (!t->options.trust_stats || distinct > 1 ||
        !take_columns(t, info, out)) {
        return false;
    }
    rows = limit_of(info, &limited);
    out->only_keys = takes_all_used(out, info->colUsed);
    out->first = rows > 0 && rows <= FEW_ROWS ? (uint32_t)rows : 0;
    if (t->n_files != 1) {
        return out->first > 0 && out->first <= FEW_OF_FILES && all_exact &&
               distinct == 0;
    }
    if (out->first > 0 && all_exact && distinct == 0) {
        return true;                 /* whatever the bounds are */
    }
    if (list_groups(t, out, &groups)) {
        pays = (hardly_overlaps(out, &groups) && (limited || !guarded)) ||
               (out->only_keys && !guarded && distinct == 0 &&
                fits_as_keys(t, out, &groups));
    }
    pqext_order_groups_free(&groups);
    return pays;
}

/* ---- words --------------------------------------------------------------------- */

void pqext_order_write(const PqextTable *t, const PqextOrderBy *o,
                       sqlite3_str *plan)
{
    for (uint32_t i = 0; i < o->n; i++) {
        const PqextOrderColumn *c = &o->v[i];

        sqlite3_str_appendall(plan, i > 0 ? ", " : order_words);
        pqext_plan_put_name(plan, t, c->column);
        sqlite3_str_appendall(plan, c->desc ? pqext_plan_desc : "");
    }
    if (o->first > 0) {
        sqlite3_str_appendf(plan, "%s%u", first_words, o->first);
    }
}

bool pqext_order_parse(PqextTable *t, const char *shape,
                       PqextOrderBy *out)
{
    *out = (PqextOrderBy){0};
    if (!pqext_plan_take(&shape, order_words)) {
        return false;
    }
    do {
        PqextOrderColumn *c = &out->v[out->n];

        if (!pqext_plan_take_name(&shape, t, &c->column)) {
            return false;
        }
        c->desc = pqext_plan_take(&shape, pqext_plan_desc);
        out->n++;
        if (pqext_plan_take(&shape, first_words)) {
            out->first = (uint32_t)strtoul(shape, NULL, 10);
            break;
        }
    } while (out->n < PQEXT_ORDER_COLUMNS && pqext_plan_take(&shape, ", "));
    return true;
}
