/*
** plan_text.c - a plan as text, and back.
**
** Nothing else knows the words.  What is written has to be read as it was, with
** any name of a column: one that is no plain word, is a word of the plan, or
** has quotes in it.  So such names are quoted, and no operator or word begins
** another.
**
** A cursor reads a plan once and keeps it (cursor_kept.c).
*/
#include "ext/order/order.h"

#include <assert.h>
#include <stdlib.h>

/* None is the beginning of another. */
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

static const char comma[] = ", ", rowid_name[] = "rowid";

/* Before the name of a term's column; "files by literal " is looked for before
** "files by ". */
static const char rowid_words[] = "rowid ", file_words[] = "files by ",
                  literal_words[] = "files by literal ",
                  value_words[] = "rows by ", exact_words[] = "exactly ",
                  within_words[] = "rows of files by ";

/* Of the shape. */
static const char distinct_words[] = "distinct ",
                  order_words[] = "in order of ", first_words[] = ", first ",
                  group_words[] = "grouped by ",
                  hash_words[] = "hashed by ",
                  sorted_hash_words[] = "hashed in order by ",
                  with_words[] = ", with ",
                  why_words[] = "not grouped: ",
                  files_words[] = "files in order of ",
                  once_words[] = ", a row of each", desc_words[] = " desc",
                  count_words[] = "counts all rows",
                  all_words[] = "reads all rows";

/* idxNum */
enum {
    NO_COLUMNS = 1,                  /* only rows are counted               */
    ONLY_SORTED = 2                  /* only the columns of the order       */
};

/* ---- the plan ------------------------------------------------------------ */

PqextPlan *pqext_plan_new(int n_terms)
{
    size_t size = sizeof(PqextPlan) + (size_t)n_terms * sizeof(PqextTerm);
    PqextPlan *p = sqlite3_malloc64(size);

    if (p) {
        memset(p, 0, size);
        p->distinct = -1;
    }
    return p;
}

void pqext_plan_free(PqextPlan *p)
{
    sqlite3_free(p);
}

/* ---- writing ------------------------------------------------------------- */

static bool is_plain(const char *name)
{
    const char *z = name;

    while ((pq_ascii_in_name(*z) && *z != '$') || *z == '.') {
        z++;
    }
    return !*z && z > name && sqlite3_stricmp(name, rowid_name) != 0 &&
           strcmp(name, "first") != 0;       /* "in order of a, first 10" */
}

void pqext_plan_put_name(sqlite3_str *s, const char *name)
{
    sqlite3_str_appendf(s, is_plain(name) ? "%s" : "\"%w\"", name);
}

static void put_name(sqlite3_str *s, const PqextTable *t, int column)
{
    if (column < 0) {
        sqlite3_str_appendall(s, rowid_name);
    } else {
        pqext_plan_put_name(s, t->table->columns[column].name);
    }
}

/* ", " between two parts of a plan. */
static void put_words(sqlite3_str *s, const char *words)
{
    sqlite3_str_appendall(s, sqlite3_str_length(s) > 0 ? comma : "");
    sqlite3_str_appendall(s, words);
}

static const char *words_of(const PqextTable *t, const PqextTerm *term)
{
    return term->exact      ? exact_words
           : term->by_value ? value_words
           : t->table->columns[term->column].kind == PQ_COLUMN_FILE_ROW
               ? within_words
           : term->literal  ? literal_words
                            : file_words;
}

static void put_term(const PqextTable *t, sqlite3_str *s, const PqextTerm *term)
{
    if (term->column == PQEXT_ROWID) {
        put_words(s, rowid_words);
    } else {
        put_words(s, words_of(t, term));
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
    put_words(s, words);
    put_name(s, t, column);
    sqlite3_str_appendall(s, desc ? desc_words : "");
}

static void put_groups(const PqextTable *t, sqlite3_str *s, const char *words,
                       const PqextGroupBy *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        put_sorted(t, s, i ? "" : words, (int)g->column[i], g->descending[i]);
    }
    sqlite3_str_appendall(s, g->n > 0 && g->once ? once_words : "");
    for (uint32_t i = 0; g->n > 0 && i < g->n_others; i++) {
        sqlite3_str_appendall(s, i ? comma : with_words);
        put_name(s, t, (int)g->other[i]);
    }
}

static void put_shape(const PqextTable *t, sqlite3_str *s, const PqextPlan *p)
{
    const PqTopBy *o = &p->order;

    if (p->distinct >= 0) {
        put_sorted(t, s, distinct_words, p->distinct, false);
    }
    for (uint32_t i = 0; i < o->n; i++) {
        put_sorted(t, s, i ? "" : order_words, o->v[i].column,
                   o->v[i].desc);
    }
    if (o->n > 0 && o->first > 0) {
        sqlite3_str_appendf(s, "%s%u", first_words, o->first);
    }
    put_groups(t, s, p->groups.ordered  ? sorted_hash_words
                     : p->groups.hashed ? hash_words : group_words,
               &p->groups);
    put_groups(t, s, files_words, &p->files);
}

char *pqext_plan_write(const PqextTable *t, const PqextPlan *p, int *flags)
{
    sqlite3_str *s = sqlite3_str_new(NULL);

    pqext_plan_put_terms(t, s, p);
    put_shape(t, s, p);
    if (sqlite3_str_length(s) == 0) {
        sqlite3_str_appendall(s, p->no_columns ? count_words : all_words);
    }
    if (p->groups.n == 0 && p->groups.why_not[0]) {
        put_words(s, why_words);
        sqlite3_str_appendall(s, p->groups.why_not);
    }
    *flags = (p->no_columns ? NO_COLUMNS : 0) |
             (p->order.only_sorted ? ONLY_SORTED : 0);
    return sqlite3_str_finish(s);    /* NULL: no memory */
}

/* ---- reading ------------------------------------------------------------- */

static bool begins(const char *z, const char *words)
{
    return strncmp(z, words, strlen(words)) == 0;
}

/* Moves *at past the words, if they come next. */
static bool take(const char **at, const char *words)
{
    bool there = begins(*at, words);

    *at += there ? strlen(words) : 0;
    return there;
}

/* Where a name that begins at z ends. */
static const char *end_of_name(const char *z)
{
    if (*z != '"') {
        return z + strcspn(z, " ,");
    }
    for (z++; *z && (*z != '"' || z[1] == '"'); z++) {
        z += *z == '"';
    }
    return z + (*z == '"');
}

/* Is name what is written from z to end? */
static bool is_name(const char *z, const char *end, const char *name)
{
    bool quoted = *z == '"';

    for (z += quoted, end -= quoted; z < end && *name == *z; z++, name++) {
        z += quoted && *z == '"';
    }
    return z == end && !*name;
}

static bool take_name(const char **at, const PqextTable *t, int *column)
{
    const char *z = *at, *end = end_of_name(z);

    *at = end;
    *column = PQEXT_ROWID;
    if (is_name(z, end, rowid_name) && *z != '"') {
        return true;
    }
    for (uint32_t i = 0; i < t->n_columns; i++) {
        if (is_name(z, end, t->table->columns[i].name)) {
            *column = (int)i;
            return true;
        }
    }
    return false;
}

static bool take_op(const char **at, PqextOp *out)
{
    for (size_t i = 0; i < PQ_COUNT(op_names); i++) {
        if (take(at, op_names[i])) {
            *out = (PqextOp)i;
            return true;
        }
    }
    return false;
}

/* The column of a term that is not about the rowid. */
static bool take_column(const char **at, const PqextTable *t, PqextTerm *out)
{
    out->exact = take(at, exact_words);
    out->by_value = out->exact || take(at, value_words);
    if (!out->by_value && !take(at, within_words)) {
        out->literal = take(at, literal_words);
        if (!out->literal && !take(at, file_words)) {
            return false;
        }
    }
    return take_name(at, t, &out->column) && take(at, " ");
}

static bool take_term(const char **at, const PqextTable *t, PqextTerm *out)
{
    *out = (PqextTerm){.column = PQEXT_ROWID};
    take(at, comma);
    return (take(at, rowid_words) || take_column(at, t, out)) &&
           take_op(at, &out->op);
}

static void take_order(const char **at, const PqextTable *t, PqTopBy *o)
{
    int column;

    while (o->n < PQ_TOP_COLUMNS && take_name(at, t, &column)) {
        (void)pqext_order_column(t, column, take(at, desc_words),
                                 &o->v[o->n++]);
        if (take(at, first_words)) {
            o->first = (uint32_t)strtoul(*at, NULL, 10);
            return;
        }
        if (!take(at, comma)) {
            return;
        }
    }
}

static void take_others(const char **at, const PqextTable *t, PqextGroupBy *g)
{
    int column;

    while (g->n_others < PQ_GROUP_USED && take_name(at, t, &column) &&
           column >= 0) {
        g->other[g->n_others++] = (uint32_t)column;
        if (!take(at, comma)) {
            return;
        }
    }
}

static void take_groups(const char **at, const PqextTable *t, PqextGroupBy *g)
{
    int column;

    while (g->n < PQEXT_GROUP_COLUMNS && take_name(at, t, &column) &&
           column >= 0) {
        g->column[g->n] = (uint32_t)column;
        g->descending[g->n++] = take(at, desc_words);
        g->once = take(at, once_words);
        if (take(at, with_words)) {
            take_others(at, t, g);
            return;
        }
        if (g->once || !take(at, comma)) {
            return;
        }
    }
}

static void take_shape(const char **at, const PqextTable *t, PqextPlan *p)
{
    take(at, comma);
    if (take(at, distinct_words)) {
        take_name(at, t, &p->distinct);
    } else if (take(at, order_words)) {
        take_order(at, t, &p->order);
    } else if (take(at, group_words)) {
        take_groups(at, t, &p->groups);
    } else if (take(at, hash_words)) {
        p->groups.hashed = true;
        take_groups(at, t, &p->groups);
    } else if (take(at, sorted_hash_words)) {
        p->groups.hashed = p->groups.ordered = true;
        take_groups(at, t, &p->groups);
    } else if (take(at, files_words)) {
        take_groups(at, t, &p->files);
    }
}

PqRc pqext_plan_read(const PqextTable *t, const char *text, int flags,
                     int n_terms, PqextPlan **out, PqErr *e)
{
    PqextPlan *p = pqext_plan_new(n_terms);
    const char *at = text ? text : "";

    *out = p;
    if (!p) {
        return pq_fail(e, PQ_NOMEM, "out of memory");
    }
    p->text = text;
    p->no_columns = (flags & NO_COLUMNS) != 0;
    while ((int)p->n_terms < n_terms &&
           take_term(&at, t, &p->terms[p->n_terms])) {
        p->n_terms++;
    }
    take_shape(&at, t, p);
    p->order.only_sorted = (flags & ONLY_SORTED) != 0;
    assert((int)p->n_terms == n_terms);
    return PQ_OK;
}
