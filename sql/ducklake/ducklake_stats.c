/*
** ducklake_stats.c - what the catalog keeps of the columns of a file, and of a table.
**
** Bounds are texts, which other programs believe without opening a file.  A bound of a table
** is the lesser or greater one of two texts, where texts say which that is: else it is NULL,
** which says nothing.
*/
#include "sql/ducklake/ducklake_write.h"

typedef struct Stats {
    PqsqlDucklakeWrite *w;
    const PqFooter *f;
    int64_t         file;
    uint32_t        n_seen;          /* columns of the catalog               */
} Stats;

/* ---- texts ------------------------------------------------------------------------------ */

/* How two texts of a type compare.  NONE: there is no value. */
typedef enum Compares { NOT, AS_NUMBERS, AS_TEXTS, AS_TIMES, NONE } Compares;

static Compares compares(const PqType *t)
{
    switch (t->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_JSON:
    case PQ_TYPE_UUID:
        return AS_TEXTS;
    case PQ_TYPE_TIME:
        return t->utc ? NOT : AS_TEXTS;
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIMESTAMP:
        return AS_TIMES;
    case PQ_TYPE_INT:
    case PQ_TYPE_DECIMAL:
        return AS_NUMBERS;
    case PQ_TYPE_NONE:
        return t->physical == PQ_BYTE_ARRAY ? AS_TEXTS : AS_NUMBERS;
    default:
        return NOT;
    }
}

/* NULL and no error: the catalog has no bound of this kind. */
static PqRc bound_text(PqArena *a, const PqType *t, PqSlice v, const char **out, PqErr *e)
{
    PqBuf b;

    *out = NULL;
    if (compares(t) == NOT || !pq_stats_fits(t, v)) {
        return PQ_OK;
    }
    pq_buf_init(&b, a->mem, e);
    if (t->physical == PQ_BOOLEAN) {
        pq_buf_byte(&b, v.p[0] ? '1' : '0');
    } else if (t->logical == PQ_TYPE_NONE && t->physical == PQ_BYTE_ARRAY) {
        pq_hex_text(v, &b);
    } else {
        pq_plain_text(t, v, &b);
    }
    if (t->logical == PQ_TYPE_TIMESTAMP && t->utc) {
        pq_buf_text(&b, "+00");
    }
    if (pq_buf_ok(&b) && !memchr(b.n ? b.p : (const uint8_t *)"", 0, b.n)) {
        *out = pq_arena_text(a, b.n ? (const char *)b.p : "", b.n, e);
    }
    pq_buf_free(&b);
    return e->rc;
}

/* The bound of the table and a new one.  A number that is not finite is not compared. */
#define NUMBERS(column, of, less)                                                              \
    "CASE WHEN " of " || " column " GLOB '*[^-+.eE0-9]*' THEN NULL WHEN CAST(" of              \
    " AS NUMERIC) " less " CAST(" column " AS NUMERIC) THEN " of " WHEN CAST(" column          \
    " AS NUMERIC) " less " CAST(" of " AS NUMERIC) OR " of " = " column " THEN " column " END"
#define YEAR "'[0-9][0-9][0-9][0-9]-*'"
#define TIMES(column, of, less)                                                                \
    "CASE WHEN " column " GLOB " YEAR " AND " of " GLOB " YEAR " THEN " less "(" column ", "   \
    of ") END"
#define UPDATE(min, max)                                                                       \
    "UPDATE $.ducklake_table_column_stats SET contains_null = contains_null OR ?4, "           \
    "contains_nan = contains_nan OR ?5, min_value = " min ", max_value = " max                 \
    " WHERE table_id = ?2 AND column_id = ?3"

static const char *const updates[] = {
    [NOT] = UPDATE("NULL", "NULL"),
    [AS_NUMBERS] = UPDATE(NUMBERS("min_value", "?6", "<"), NUMBERS("max_value", "?7", ">")),
    [AS_TEXTS] = UPDATE("min(min_value, ?6)", "max(max_value, ?7)"),
    [AS_TIMES] = UPDATE(TIMES("min_value", "?6", "min"), TIMES("max_value", "?7", "max")),
    [NONE] = UPDATE("min_value", "max_value")};

/* ---- columns ------------------------------------------------------------------------------ */

static PqRc add_of_table(Stats *s, const PqsqlLakeColumn *k, Compares how, int64_t nulls,
                         int64_t nans, const char *min, const char *max, PqErr *e)
{
    PqsqlLakeCatalog *c = &s->w->c;

    PQ_TRY(pqsql_lake_run(c, e, updates[how], "iinss", k->id, (int64_t)(nulls != 0), nans, min,
                          max));
    return sqlite3_changes(c->db) || s->w->has_stats
               ? PQ_OK
               : pqsql_lake_run(c, e, "INSERT INTO $.ducklake_table_column_stats(table_id, "
                                "column_id, contains_null, contains_nan, min_value, max_value) "
                                "VALUES (?2, ?3, ?4, ?5, ?6, ?7)", "iinss", k->id,
                                (int64_t)(nulls != 0), nans, min, max);
}

static PqRc add_leaf(Stats *s, const PqsqlLakeColumn *k, const PqNode *n, PqErr *e)
{
    const char *min = NULL, *max = NULL;
    const PqType *t = n->kind == PQ_NODE_LEAF && !pq_ascii_same(k->type, "int128") &&
                      !pq_ascii_same(k->type, "uint128") ? &n->type : NULL;
    PqLeafSums b = {.nulls = -1, .nans = -1};
    int64_t nans;

    if (n->kind == PQ_NODE_LEAF) {
        PQ_TRY(pq_leaf_sums(s->f, n, &s->w->writer.scratch, &b, e));
    }
    if (t) {
        PQ_TRY(b.has_min ? bound_text(&s->w->writer.scratch, t, b.min, &min, e) : PQ_OK);
        PQ_TRY(b.has_max ? bound_text(&s->w->writer.scratch, t, b.max, &max, e) : PQ_OK);
    }
    nans = t && pq_type_is_float(t) && b.nans >= 0 ? b.nans > 0 : -1;
    PQ_TRY(pqsql_lake_run(&s->w->c, e, "INSERT INTO $.ducklake_file_column_stats(data_file_id, "
                          "table_id, column_id, column_size_bytes, value_count, null_count, "
                          "min_value, max_value, contains_nan) VALUES "
                          "(?3, ?2, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", "iiinnssn", s->file, k->id,
                          b.bytes, b.nulls < 0 ? -1 : b.values - b.nulls, b.nulls, min, max,
                          nans));
    return s->w->merges
               ? PQ_OK : add_of_table(s, k, b.nulls >= 0 && b.nulls == b.values ? NONE
                                               : t ? compares(t) : NOT, b.nulls, nans, min, max, e);
}

/* The file was written with the ids of all columns and fields. */
static PqRc add_parts(Stats *s, const PqNode *of, PqErr *e)
{
    const PqsqlLakeCatalog *c = &s->w->c;

    for (uint32_t i = 0; i < of->n_children; i++) {
        const PqNode *n = of->child[i];
        uint32_t k = 0;

        while (k < c->n_columns && c->columns[k].id != n->field_id) {
            k++;
        }
        if (k == c->n_columns) {
            continue;                /* of what merged files have besides    */
        }
        s->n_seen++;
        PQ_TRY(n->kind == PQ_NODE_LEAF || n->kind == PQ_NODE_VARIANT
                   ? add_leaf(s, &c->columns[k], n, e) : add_parts(s, n, e));
    }
    return PQ_OK;
}

PqRc pqsql_ducklake_stats(PqsqlDucklakeWrite *w, int64_t file, const PqFooter *f, PqErr *e)
{
    Stats s = {.w = w, .f = f, .file = file};

    PQ_TRY(add_parts(&s, f->schema.root, e));
    return s.n_seen == w->c.n_columns
               ? PQ_OK : pq_fail(e, PQ_USAGE, "the new file does not have each column of the "
                                 "table: names of columns and fields cannot be told apart");
}
