/*
** plan_left.c - why a condition that SQLite offers is left to it, in EXPLAIN QUERY
** PLAN.
**
**   reads all rows, not name = ?: its collation is NOCASE, not tags = ?: nested
**
** SQLite offers only conditions on bare columns; notice_text.c tells of others.
** For name LIKE 'ab%' it offers name >= 'AB' and name < 'ac' too, in NOCASE, which
** nobody has written.
*/
#include "ext/condition/geo.h"
#include "ext/plan/plan.h"

enum { NAMED = 3 };                  /* of them, at most                    */

/* What SQLite calls by a function of the program. */
static const char *other_op(int op)
{
    return op == SQLITE_INDEX_CONSTRAINT_REGEXP  ? " REGEXP ?"
           : op == SQLITE_INDEX_CONSTRAINT_MATCH ? " MATCH ?" : NULL;
}

/* Is it the half of a range in NOCASE that has this operator? */
static bool is_half(sqlite3_index_info *info, int i, int column, int op)
{
    const char *collation = sqlite3_vtab_collation(info, i);

    return info->aConstraint[i].iColumn == column &&
           info->aConstraint[i].op == op && collation &&
           sqlite3_stricmp(collation, "NOCASE") == 0;
}

/* Is it half of a LIKE? */
static bool is_of_like(sqlite3_index_info *info, int i)
{
    const int from = SQLITE_INDEX_CONSTRAINT_GE, to = SQLITE_INDEX_CONSTRAINT_LT;
    int column = info->aConstraint[i].iColumn, k = 0;
    int other = is_half(info, i, column, from) ? to
                : is_half(info, i, column, to) ? from : 0;

    while (other && k < info->nConstraint && !is_half(info, k, column, other)) {
        k++;
    }
    return other && k < info->nConstraint;
}

/* Why values of the column cannot be compared here; NULL: they can. */
static const char *not_compared(const PqextTable *t, uint32_t column, PqextOp op)
{
    const PqColumn *c = &t->table->columns[column];
    PqextAffinity a = pqext_affinity(t, column);

    if (pqext_is_geo(op)) {
        return pqext_geo_can(t, column) ? NULL : "it is not a geometry";
    }
    if (a != PQEXT_AFF_NONE) {
        return pqext_condition_can(t, column, op) ? NULL
               : pqext_is_pattern(op)              ? "it is not a text"
                                                   : "its affinity says so";
    }
    return c->node && c->node->kind == PQ_NODE_VARIANT ? "it is a VARIANT"
           : c->kind == PQ_COLUMN_NODE && !pq_column_is_leaf(c)
               ? "it is nested"
           : c->type.logical == PQ_TYPE_INTERVAL ? "it is an INTERVAL"
           : t->utf16 ? "texts of UTF-16 have another order"
                      : "an option changes its texts";
}

/* Puts the reason, if there is one that the statement can do something about. */
static bool put_why(const PqextTable *t, sqlite3_str *s, sqlite3_index_info *info,
                    int i, PqextOp op)
{
    int column = info->aConstraint[i].iColumn;
    const PqColumn *c = &t->table->columns[column];
    const char *why = NULL;

    if (other_op(info->aConstraint[i].op)) {
        why = "a function tests it";
    } else if (pqext_plan_leaves(info, i)) {
        why = "there are too many conditions";
    } else if (!pq_column_is_of_files(c)) {
        why = not_compared(t, (uint32_t)column, op);
    } else if (pqext_is_pattern(op) && !pq_column_is_text_of_file(c)) {
        why = "it is not a text";
    }
    if (!why && !pqext_is_geo(op) && !pqext_is_binary(info, i)) {
        sqlite3_str_appendf(s, ": its collation is %s",
                            sqlite3_vtab_collation(info, i));
        return true;
    }
    if (!why && pqext_outer_offers(op)) {
        why = "it may be in the ON of an outer join";
    }
    sqlite3_str_appendf(s, ": %s", why ? why : "");
    return why != NULL;
}

static bool put_one(const PqextTable *t, sqlite3_str *out, sqlite3_index_info *info,
                    int i)
{
    const char *other = other_op(info->aConstraint[i].op);
    sqlite3_str *s = sqlite3_str_new(NULL);
    PqextOp op = PQEXT_EQ;
    bool there;
    char *text;

    sqlite3_str_appendall(s, "not ");
    pqext_plan_put_name(s, t->table->columns[info->aConstraint[i].iColumn].name);
    there = other || pqext_constraint_op(info->aConstraint[i].op, &op);
    if (other) {
        sqlite3_str_appendall(s, other);
    } else {
        pqext_plan_put_op(s, op);
    }
    there = there && put_why(t, s, info, i, op);
    text = sqlite3_str_finish(s);
    if (there && text) {
        pqext_plan_put_words(out, text);
    }
    sqlite3_free(text);
    return there;
}

void pqext_plan_put_left(const PqextTable *t, sqlite3_str *s,
                         sqlite3_index_info *info)
{
    int n = 0;

    for (int i = 0; i < info->nConstraint && n < NAMED; i++) {
        if (info->aConstraint[i].usable &&
            info->aConstraintUsage[i].argvIndex == 0 &&
            pqext_column_at(t, info->aConstraint[i].iColumn) &&
            !is_of_like(info, i)) {
            n += put_one(t, s, info, i);
        }
    }
}
