/*
** patience.c - a table of three options.
*/
#include "sql/patience.h"

#include "sql/size_text.h"

static bool parse_number(const char *value, int64_t *out)
{
    return pqsql_size_digits(&value, out) && !*value;
}

static const struct {
    const char *name, *takes;
    bool      (*parse)(const char *value, int64_t *out);
    int64_t     least, most;
    size_t      at;
} rows[] = {
    {"retries", "a number from 0 to 64", parse_number, 0, 64,
     offsetof(PqPatience, retries)},
    {"timeout", "seconds from 1 to 3600", parse_number, 1, 3600,
     offsetof(PqPatience, timeout)},
    {"spool", "a size of at least 1MB, such as '64MB' or '4GB'", pqsql_size_parse,
     1 << 20, INT64_MAX, offsetof(PqPatience, spool)},
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

    if (!rows[i].parse(value, &n) || n < rows[i].least || n > rows[i].most) {
        return false;
    }
    *(int64_t *)(void *)((char *)out + rows[i].at) = n;
    return true;
}
