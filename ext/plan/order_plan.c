/*
** order_plan.c - ORDER BY, min() and max() given to the engine.
**
** A plan may promise an order ("in order of ts desc").  SQLite then takes rows
** until it has enough, and the engine finds these without sorting all of them
** (core/top/top.h).  Whether that pays is decided when the statement is
** prepared:
**
**   the row groups hardly overlap       a file sorted by the column, or nearly
**   a LIMIT of not too many rows        one round finds them
**   nothing but these columns is used   max(), and sorting a column
**
** Where the files say the order, they are read in it (core/scan/file_order.h).
**
** A promised order that is not needed costs time: rows are picked one by one,
** and a file whose row groups overlap is read once per round.  So it has to pay
** by what the footer says.  SQLite's own sorter is better if
** SQLite may ask for far more rows than it says: because it tests a term
** itself, or because the table turns out to be the inner one of a join.
**
** If there are several files, perhaps only the first footer is open yet.  All
** footers are opened for a LIMIT of few rows, and if a column is sorted alone,
** which may be max(): that costs little compared with reading the rows.
**
** A file of few row groups may say that it is sorted.  That is a hint only.  If
** it is not true, the rows still come in the right order, but slowly.
*/
#include "ext/plan/plan.h"

#include "ext/condition/meaning.h"

_Static_assert((int)PQ_TOP_ROWID == (int)PQEXT_ROWID, "one rowid");
_Static_assert((int)PQ_TOP_BOUND_ROOM >= (int)PQEXT_BOUND_ROOM, "texts fit");

enum {
    FEW_ROWS = PQ_BATCH_ROWS,        /* a LIMIT up to here is one pick      */
    FEW_OF_FILES = 100,              /* ... each row from another file      */
    FEW_ROUNDS = 32,                 /* over all rows, for columns alone    */
    LEAST_GROUPS = 4,                /* for each of those that overlap,     */
                                     /* unless the file says it is sorted   */
    VALUE_BYTES = 32,                /* of a row to sort, about             */
    MEMORY_SHARE = 8,
    PICK_SHARE = 4
};

/* ---- columns ------------------------------------------------------------- */

/* How rows are sorted by this column of the table; false: its order cannot be
** promised. */
static bool order_column(const PqextTable *t, int column, bool desc,
                         PqTopColumn *out)
{
    const PqType *type;
    PqextMeaning m;

    *out = (PqTopColumn){.column = column, .desc = desc};
    if (column < 0) {
        out->column = PQEXT_ROWID;
        return true;
    }
    if ((uint32_t)column >= t->table->n_columns) {
        return false;
    }
    type = &t->table->columns[column].type;
    m = pqext_meaning(t, type);
    out->order = m.order;
    out->coarse = m.coarse;
    out->bounded = m.bounded;
    out->least = m.least;
    out->most = m.most;
    return pqext_has_order(t, (uint32_t)column) && !pqext_may_be_nan(t, type);
}

/* ---- what is asked ------------------------------------------------------- */

bool pqext_order_columns(const PqextTable *t, const sqlite3_index_info *info,
                         PqTopBy *out)
{
    *out = (PqTopBy){0};
    if (!t->options.trust_stats || info->nOrderBy < 1 ||
        info->nOrderBy > PQ_TOP_COLUMNS) {
        return false;
    }
    for (int i = 0; i < info->nOrderBy; i++) {
        if (!order_column(t, info->aOrderBy[i].iColumn,
                          info->aOrderBy[i].desc != 0, &out->v[out->n++])) {
            return false;
        }
    }
    return true;
}

/* Is no other column of pages used?  Bit 63 stands for all columns from there
** on.  The columns about files are known for any row. */
static bool takes_all_used(const PqextTable *t, const PqTopBy *o, uint64_t used)
{
    uint64_t taken = 0;

    for (uint32_t i = 0; i < t->table->n_columns && i < 63; i++) {
        if (pq_column_is_of_files(&t->table->columns[i])) {
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
        sqlite3_value *v;
        int64_t n;

        if (op != SQLITE_INDEX_CONSTRAINT_LIMIT &&
            op != SQLITE_INDEX_CONSTRAINT_OFFSET) {
            continue;
        }
        *limited = true;
        v = pqext_literal_of(info, i);
        known = known && v;
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

static bool bound(const void *arg, uint32_t column, PqSlice stored, char *room,
                  PqCell *out)
{
    const PqextTable *t = arg;

    return pqext_bound_value(t, &t->table->columns[column].type, stored, room,
                             out);
}

PqTopSpec pqext_order_spec(const PqextTable *t, PqRowHost host)
{
    return (PqTopSpec){.table = t->table, .host = host,
                       .stop = {pqext_host_stop, t->host}, .bound = bound,
                       .bound_arg = t};
}

/* The row groups of the first file.  False: there are none, or they cannot be
** read.  Frees nothing: the caller frees out. */
static bool sections(const PqextTable *t, PqTopBy *by, PqTopSections *out)
{
    PqListedFile file = {.path = t->table->first_path};
    PqListing one = {.files = &file, .n_files = 1,
                     .keys = pqext_options_keys(&t->options)};
    PqPlaces places = pq_engine_places(t->host->engine, t->options.own,
                                       &t->options.patience);
    PqTopSpec spec = pqext_order_spec(t, (PqRowHost){.listing = &one});
    PqErr e = PQ_NO_ERR;

    places.terms.last_known = true;
    one.places = places;
    pq_arena_init(&out->arena, t->host->engine->mem);
    return pq_top_sections(&spec, by, out, &e) == PQ_OK && out->n > 0;
}

/* Rows of such a file are picked from few pages, and each page has to fit. */
static bool declares_it(const PqextTable *t, const PqTopSections *g)
{
    return g->declared && g->pageless <= t->options.memory / PICK_SHARE;
}

static bool hardly_overlaps(const PqextTable *t, const PqTopBy *o,
                            const PqTopSections *g)
{
    uint32_t most = pq_top_overlap(g, o->v[0].desc);

    return most <= PQ_TOP_OVERLAP &&
           (g->n >= most * LEAST_GROUPS || (most == 1 && declares_it(t, g)));
}

/* Can the sort values serve as the values that SQLite asks for, and do they fit
** into memory within a few rounds? */
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

    if (distinct > 1 || !pqext_order_columns(t, info, out)) {
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
    if (sections(t, out, &groups)) {
        pays = (one_file && hardly_overlaps(t, out, &groups) &&
                (limited || !guarded)) ||
               (out->only_sorted && !guarded && distinct == 0 &&
                fits_memory(t, out, &groups));
    }
    pq_top_sections_free(&groups);
    return pays;
}

/* ---- the order of files -------------------------------------------------- */

/* Does each of its values belong to one file only? */
static bool is_of_one_file(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_FILENAME || c->kind == PQ_COLUMN_FILE_INDEX;
}

/* Texts of a UTF-16 database have another order. */
static bool can_order(const PqextTable *t, const PqColumn *c)
{
    return c->kind == PQ_COLUMN_FILE_INDEX ||
           (pq_column_is_of_files(c) && !t->utf16);
}

/* Does the order of rows within a file decide from here on? */
static bool is_as_listed(const PqextTable *t, int column, bool desc,
                         bool one_file)
{
    return !desc &&
           (column < 0 || (one_file && (uint32_t)column < t->n_columns &&
                           t->table->columns[column].kind ==
                               PQ_COLUMN_FILE_ROW));
}

bool pqext_file_order_plan(const PqextTable *t, sqlite3_index_info *info,
                           PqextGroupBy *out)
{
    sqlite3_uint64 others = info->colUsed;
    bool one_file = false;

    *out = (PqextGroupBy){0};
    for (int i = 0; i < info->nOrderBy; i++) {
        int column = info->aOrderBy[i].iColumn;
        bool desc = info->aOrderBy[i].desc != 0;

        if (out->n > 0 && is_as_listed(t, column, desc, one_file)) {
            others = UINT64_MAX;     /* rows of a file differ */
            break;
        }
        if (out->n == PQEXT_GROUP_COLUMNS || column < 0 ||
            (uint32_t)column >= t->n_columns ||
            !can_order(t, &t->table->columns[column])) {
            out->n = 0;
            return false;
        }
        one_file = one_file || is_of_one_file(&t->table->columns[column]);
        out->column[out->n] = (uint32_t)column;
        out->descending[out->n++] = desc;
        if (column < 63) {           /* bit 63: perhaps another one as well */
            others &= ~((sqlite3_uint64)1 << column);
        }
    }
    out->once = others == 0 && sqlite3_vtab_distinct(info) > 1;
    return out->n > 0;
}
