/*
** plan_text.c - a plan as the text that EXPLAIN QUERY PLAN shows.
*/
#include "ext/plan/plan.h"

static const char *const op_names[] = {
    [PQEXT_EQ] = "= ?", [PQEXT_LT] = "< ?", [PQEXT_LE] = "<= ?",
    [PQEXT_GT] = "> ?", [PQEXT_GE] = ">= ?", [PQEXT_IN] = "IN ?",
    [PQEXT_IS_NULL] = "IS NULL", [PQEXT_NOT_NULL] = "IS NOT NULL",
    [PQEXT_NE] = "<> ?", [PQEXT_IS] = "IS ?", [PQEXT_IS_NOT] = "IS NOT ?",
    [PQEXT_LIKE] = "LIKE ?", [PQEXT_GLOB] = "GLOB ?",
    [PQEXT_GEO_INTERSECTS] = "ST_Intersects_Extent ?",
    [PQEXT_GEO_CONTAINS] = "ST_Contains_Extent ?",
    [PQEXT_GEO_WITHIN] = "ST_Within_Extent ?",
};

static bool is_plain(const char *name)
{
    const char *z = name;

    while ((pq_ascii_in_name(*z) && *z != '$') || *z == '.') {
        z++;
    }
    return !*z && z > name && sqlite3_stricmp(name, "rowid") != 0 &&
           strcmp(name, "first") != 0;       /* "in order of a, first 10" */
}

void pqext_plan_put_name(sqlite3_str *s, const char *name)
{
    sqlite3_str_appendf(s, is_plain(name) ? "%s" : "\"%w\"", name);
}

static void put_name(sqlite3_str *s, const PqextTable *t, int column)
{
    if (column < 0) {
        sqlite3_str_appendall(s, "rowid");
    } else {
        pqext_plan_put_name(s, t->table->columns[column].name);
    }
}

void pqext_plan_put_words(sqlite3_str *s, const char *words)
{
    int n = sqlite3_str_length(s);

    sqlite3_str_appendall(
        s, n > 0 && sqlite3_str_value(s)[n - 1] != ' ' ? ", " : "");
    sqlite3_str_appendall(s, words);
}

static const char *words_of(const PqextTable *t, const PqextTerm *term)
{
    return term->exact      ? "exactly "
           : term->by_value ? "rows by "
           : t->table->columns[term->column].kind == PQ_COLUMN_FILE_ROW
               ? "rows of files by "
           : term->literal  ? "files by literal "
                            : "files by ";
}

static void put_term(const PqextTable *t, sqlite3_str *s, const PqextTerm *term)
{
    if (term->column == PQEXT_ROWID) {
        pqext_plan_put_words(s, "rowid ");
    } else {
        pqext_plan_put_words(s, words_of(t, term));
        put_name(s, t, term->column);
        sqlite3_str_appendchar(s, 1, ' ');
    }
    sqlite3_str_appendall(s, op_names[term->op]);
}

void pqext_plan_put_op(sqlite3_str *s, PqextOp op)
{
    sqlite3_str_appendf(s, " %s", op_names[op]);
}

void pqext_plan_put_terms(const PqextTable *t, sqlite3_str *s,
                          const PqextPlan *p)
{
    for (uint32_t i = 0; i < p->n_terms; i++) {
        put_term(t, s, &p->terms[i]);
    }
}

static void put_sorted(const PqextTable *t, sqlite3_str *s, const char *words,
                       int column, bool desc)
{
    pqext_plan_put_words(s, words);
    put_name(s, t, column);
    sqlite3_str_appendall(s, desc ? " desc" : "");
}

static void put_groups(const PqextTable *t, sqlite3_str *s, const char *words,
                       const PqextGroupBy *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        put_sorted(t, s, i ? "" : words, (int)g->column[i], g->descending[i]);
    }
    sqlite3_str_appendall(s, g->n > 0 && g->once ? ", a row of each" : "");
    for (uint32_t i = 0; g->n > 0 && i < g->n_others; i++) {
        sqlite3_str_appendall(s, i ? ", " : ", with ");
        put_name(s, t, (int)g->other[i]);
    }
}

static void put_shape(const PqextTable *t, sqlite3_str *s, const PqextPlan *p)
{
    const PqTopBy *o = &p->order;
    bool first = pqext_plan_finds_first(p);

    if (p->distinct >= 0) {
        put_sorted(t, s, "distinct ", p->distinct, false);
    }
    for (uint32_t i = 0; first && i < o->n; i++) {
        put_sorted(t, s, i ? "" : "in order of ", o->v[i].column, o->v[i].desc);
    }
    if (first && o->first > 0) {
        sqlite3_str_appendf(s, ", first %u", o->first);
    }
    if (!first) {
        put_groups(t, s, p->groups.ordered  ? "hashed in order by "
                         : p->groups.hashed ? "hashed by " : "grouped by ",
                   &p->groups);
    }
    put_groups(t, s, "files in order of ", &p->files);
}

void pqext_plan_put(const PqextTable *t, sqlite3_str *s, const PqextPlan *p)
{
    pqext_plan_put_terms(t, s, p);
    put_shape(t, s, p);
    if (sqlite3_str_length(s) == 0) {
        sqlite3_str_appendall(s, p->no_columns ? "counts all rows"
                                               : "reads all rows");
    }
    if (p->groups.n == 0 && p->groups.why_not[0]) {
        pqext_plan_put_words(s, "not grouped: ");
        sqlite3_str_appendall(s, p->groups.why_not);
    }
}
