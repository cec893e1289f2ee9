/*
** notice_text.c - a condition for which all rows are read, and that could be written
** otherwise.
**
**   WHERE date(ts) = '2024-05-05'      the range of ts has the same rows, and
**   WHERE substr(code, 1, 3) = 'abc'   goes down; so does code GLOB 'abc*'
**   WHERE (a.n = 1 AND b.n = 2) OR (a.n = 2 AND b.n = 1)     a.n IN (1, 2) does
**
** SQLite tests such a condition alone, and does not offer it to a table.  So it is
** looked for in the text of the statement (call_text.h), once per statement and
** table, and only where no condition goes down, or for an OR none on its column.  If it
** is found in vain, because another statement has a table and a column of these names, a
** note is wrong.
*/
#include "ext/cursor/cursor_scan.h"

#include "sql/call_text.h"
#include "sql/statement_text.h"

/* Columns that an advice is for, as bits. */
enum { TEXTS = 1, DAYS = 2, INSTANTS = 4, TIMES = DAYS | INSTANTS, OTHERS = 8,
       ALL = TEXTS | TIMES | OTHERS };

typedef struct Advice {
    const char *function;
    unsigned    of;
    const char *before;              /* how the argument before it begins   */
    const char *rest;                /* ... and what follows the column     */
    const char *write;               /* %s: the column                      */
} Advice;

#define A_DAY "%s >= '2024-05-05' AND %s < '2024-05-06', or %s LIKE '2024-05-05%%'"
#define A_SPELLING "%s IN ('abc', 'Abc'), or %s LIKE 'abc'"

static const Advice advices[] = {
    {"date", DAYS, "", "", "%s alone"},
    {"date", INSTANTS, "", "", A_DAY},
    {"datetime", INSTANTS, "", "", A_DAY},
    {"strftime", TIMES, "'%Y", "", "%s LIKE '2024-05%%'"},
    {"substr", TIMES, "", ", 1", "%s LIKE '2024-05%%'"},
    {"substr", TEXTS, "", ", 1", "%s GLOB 'abc*'"},
    {"substring", TIMES, "", ", 1", "%s LIKE '2024-05%%'"},
    {"substring", TEXTS, "", ", 1", "%s GLOB 'abc*'"},
    {"lower", TEXTS, "", "", A_SPELLING},
    {"upper", TEXTS, "", "", A_SPELLING},
    {"cast", ALL, "", "AS TEXT", "%s alone"},
    {"cast", ALL, "", "AS VARCHAR", "%s alone"},
};

/* Are the tokens of both texts the same, or do those of the second only go on? */
static bool begins_alike(const char *with, PqSlice text)
{
    const char *at = (const char *)text.p, *end = at + text.n;
    PqsqlToken a, b;

    for (a = pqsql_next_token(&with); a.n > 0; a = pqsql_next_token(&with)) {
        b = pqsql_next_token(&at);
        if (at > end || a.n != b.n || sqlite3_strnicmp(a.at, b.at, (int)a.n)) {
            return false;
        }
    }
    return true;
}

static bool suits(const Advice *a, const PqsqlCall *c, unsigned kind)
{
    size_t n = strlen(a->before);

    return pqsql_is_word(c->function, a->function) && (a->of & kind) != 0 &&
           (n == 0 ? c->before.n == 0
                   : c->before.n >= n && memcmp(c->before.at, a->before, n) == 0) &&
           (a->rest[0] ? begins_alike(a->rest, c->rest) : c->rest.n == 0);
}

static unsigned kind_of(const PqextTable *t, const PqType *type)
{
    return pqext_is_string(t, type)           ? TEXTS
           : type->logical == PQ_TYPE_DATE    ? DAYS
           : type->logical == PQ_TYPE_TIMESTAMP ||
                     type->physical == PQ_INT96 ? INSTANTS : OTHERS;
}

/* The advice for the call; NULL: there is none.  Only a column whose texts are
** compared as they are has one. */
static const Advice *advice_for(const PqextTable *t, uint32_t column,
                                const PqsqlCall *c)
{
    unsigned kind = kind_of(t, &t->table->columns[column].type);

    if (!pqext_condition_can(t, column, PQEXT_GLOB)) {
        return NULL;
    }
    for (size_t i = 0; i < PQ_COUNT(advices); i++) {
        if (suits(&advices[i], c, kind)) {
            return &advices[i];
        }
    }
    return NULL;
}

static void say(PqextScan *s, const PqsqlCall *c, const Advice *a,
                const char *column)
{
    char *write = sqlite3_mprintf(a->write, column, column, column), *text;

    text = sqlite3_mprintf("%.*s() of %s.%s does not go down: write %s",
                           (int)c->function.n, c->function.at, s->table->name,
                           column, write ? write : "");
    if (text && write) {
        pq_scan_note(s->scan, text);
    }
    sqlite3_free(write);
    sqlite3_free(text);
}

static bool look_for_column(PqextScan *s, const char *sql, const PqsqlCall *c)
{
    const PqextTable *t = s->table;
    PqSlice name = pq_slice_text(t->name);

    for (uint32_t i = 0; i < t->table->n_columns; i++) {
        const char *column = t->table->columns[i].name;
        const Advice *a = NULL;

        if (pqsql_names(c->column, pq_slice_text(column))) {
            a = advice_for(t, i, c);
        }
        if (a && pqsql_text_names_table(sql, name, c->table)) {
            say(s, c, a, column);
            return true;
        }
    }
    return false;
}

static void say_or(PqextScan *s, const PqsqlOrColumn *c)
{
    const char *dot = c->table.n ? "." : "";
    char *text = sqlite3_mprintf(
        "the OR on %.*s%s%.*s does not go down: write AND %.*s%s%.*s IN (...) beside it",
        (int)c->table.n, c->table.at, dot, (int)c->column.n, c->column.at,
        (int)c->table.n, c->table.at, dot, (int)c->column.n, c->column.at);

    if (text) {
        pq_scan_note(s->scan, text);
    }
    sqlite3_free(text);
}

static bool has_term(const PqextPlan *p, uint32_t column)
{
    uint32_t i = 0;

    while (i < p->n_terms && (uint32_t)p->terms[i].column != column) {
        i++;
    }
    return i < p->n_terms;
}

enum { ORS_LOOKED_AT = 8 };

/* Columns of the table that each side of an OR compares.  SQLite may have offered each
** side alone: MULTI-INDEX OR. */
static bool look_for_or(const char *sql, const void *arg)
{
    PqextScan *s = *(PqextScan *const *)arg;
    const PqextTable *t = s->table;
    PqsqlCalls at = {.at = sql};
    PqsqlOrColumn of[2];
    bool said = false;
    size_t n;

    for (int ors = 0; ors < ORS_LOOKED_AT && !said &&
                      (n = pqsql_next_or(&at, of, PQ_COUNT(of))) > 0; ors++) {
        for (size_t k = 0; k < n; k++) {
            uint32_t i = 0;

            while (i < t->table->n_columns &&
                   !pqsql_names(of[k].column, pq_slice_text(t->table->columns[i].name))) {
                i++;
            }
            if (i < t->table->n_columns && !has_term(s->plan, i) &&
                pqext_condition_can(t, i, PQEXT_IN) &&
                pqsql_text_names_table(sql, pq_slice_text(t->name), of[k].table) &&
                !pqsql_text_has_in(sql, of[k].column)) {
                say_or(s, &of[k]);
                said = true;
            }
        }
    }
    return said;
}

static bool look_for_calls(const char *sql, const void *arg)
{
    PqextScan *s = *(PqextScan *const *)arg;
    PqsqlCalls calls = {.at = sql};
    PqsqlCall c;

    while (pqsql_next_call(&calls, &c)) {
        if (look_for_column(s, sql, &c)) {
            return true;
        }
    }
    return false;
}

void pqext_notice_text(PqextScan *s)
{
    if (s->n_conditions == 0 && s->n_geos == 0 && !s->listing->read_calls) {
        s->listing->read_calls = true;
        (void)pqsql_text_in_statements(s->table->host->db, look_for_calls, &s);
    }
    if (!s->listing->read_ors) {
        s->listing->read_ors = true;
        (void)pqsql_text_in_statements(s->table->host->db, look_for_or, &s);
    }
}
