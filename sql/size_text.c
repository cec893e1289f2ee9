/*
** size_text.c - parses sizes like 64MB.
**
** Units are multiples of 1024 with and without the i.  At most 16 digits are
** read, and the product is checked, so nothing overflows.
*/
#include "sql/size_text.h"

#include "sql/did_you_mean.h"

bool pqsql_size_digits(const char **at, int64_t *out)
{
    const char *z = *at;

    *out = 0;
    for (; *z >= '0' && *z <= '9'; z++) {
        if (z - *at > 15) {
            return false;
        }
        *out = *out * 10 + (*z - '0');
    }
    if (z == *at) {
        return false;
    }
    *at = z;
    return true;
}

bool pqsql_size_parse(const char *text, int64_t *out)
{
    static const struct { const char *unit; int shift; } units[] = {
        {"", 0}, {"B", 0}, {"KB", 10}, {"MB", 20}, {"GB", 30},
        {"TB", 40}, {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40},
        {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40},
    };
    int64_t n;

    if (!pqsql_size_digits(&text, &n)) {
        return false;
    }
    while (*text == ' ') {
        text++;
    }
    for (size_t i = 0; i < PQ_COUNT(units); i++) {
        if (pq_ascii_same(text, units[i].unit)) {
            if (n >= (int64_t)1 << (62 - units[i].shift)) {
                return false;
            }
            *out = n << units[i].shift;
            return true;
        }
    }
    return false;
}
