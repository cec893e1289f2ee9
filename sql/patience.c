/*
** patience.c - a table of three options.
*/
#include "sql/patience.h"

#include "sql/size_text.h"

static const struct {
    const char *name, *takes;
    int64_t     least, most;
} rows[] = {
    {"retries", "a number from 0 to 64", 0, 64},
    {"timeout", "seconds from 1 to 3600", 1, 3600},
    {"spool", "a size of at least 1MB, such as '64MB' or '4GB'", 1 << 20, INT64_MAX},
};

static size_t row_of(const char *name)
{
    size_t i = 0;

    while (i < PQ_COUNT(rows) && !pq_ascii_same(name, rows[i].name)) {
        i++;
    }
    return i;
}

const char *pqsql_patience_name(size_t i)
{
    return i < PQ_COUNT(rows) ? rows[i].name : NULL;
}

const char *pqsql_patience_takes(const char *name)
{
    size_t i = row_of(name);

    return i < PQ_COUNT(rows) ? rows[i].takes : NULL;
}

bool pqsql_patience_take(const char *name, const char *value, PqPatience *out)
{
    size_t i = row_of(name);
    int64_t n;

    if (!(i == 2 ? pqsql_size_parse(value, &n)
                 : pqsql_size_digits(&value, &n) && !*value) ||
        n < rows[i].least || n > rows[i].most) {
        return false;
    }
    switch (i) {
    case 0: out->retries = (uint32_t)n; break;
    case 1: out->timeout_ms = (uint32_t)n * 1000; break;
    default: out->spool = (uint64_t)n;
    }
    return true;
}
