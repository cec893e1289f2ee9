/*
** group_functions.c - the functions by whose names the text of a statement over a
** rollup is understood (group_text.h).
*/
#include "sql/group_text_inside.h"

/* Functions of one row that are built into SQLite. */
static const char *const scalars[] = {
    "abs", "cast", "ceil", "ceiling", "char", "coalesce", "date", "datetime",
    "floor", "format", "glob", "hex", "ifnull", "iif", "instr", "julianday",
    "length", "like", "lower", "ltrim", "nullif", "printf", "quote", "replace",
    "round", "rtrim", "sign", "strftime", "substr", "substring", "time", "trim",
    "typeof", "unicode", "unixepoch", "upper"};

/* They add up, or count. */
static const char *const adds[] = {"count", "max", "min", "sum", "total"};

bool pqsql_group_is_scalar(PqsqlToken t)
{
    return pqsql_is_one_of(t, scalars, PQ_COUNT(scalars));
}

static bool is_among(const char *name, const char *const *words, size_t n)
{
    size_t i = 0;

    while (i < n && strcmp(words[i], name) != 0) {
        i++;
    }
    return i < n;
}

bool pqsql_group_relies_on(const char *function, bool of_one_row)
{
    return is_among(function, adds, PQ_COUNT(adds)) ||
           (!of_one_row && is_among(function, scalars, PQ_COUNT(scalars)));
}
