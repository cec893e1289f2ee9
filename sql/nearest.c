/*
** nearest.c
*/
#include "sql/nearest.h"

static unsigned lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned)c + 32 : (unsigned char)c;
}

bool pqsql_same_name(const char *a, const char *b)
{
    for (; *a && lower(*a) == lower(*b); a++, b++) {
    }
    return lower(*a) == lower(*b);
}

/* One row of the table at a time. */
unsigned pqsql_name_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    unsigned row[LONGEST + 1], i, j;
    size_t n = strlen(b);

    if (n > LONGEST || strlen(a) > LONGEST) {
        return LONGEST;
    }
    for (j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (i = 1; a[i - 1]; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (j = 1; j <= n; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

            best = above + 1 < best ? above + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = above;
        }
    }
    return row[n];
}

bool pqsql_name_is_near(const char *word, unsigned distance)
{
    size_t n = strlen(word);

    return distance <= (n < 4 ? 1 : n < 6 ? 2u : 3u);
}

bool pqsql_name_has_part(const char *name, const char *part)
{
    enum { LEAST = 4 };
    size_t n = strlen(part), i;

    for (; n >= LEAST && strlen(name) >= n; name++) {
        for (i = 0; i < n && lower(name[i]) == lower(part[i]); i++) {
        }
        if (i == n) {
            return true;
        }
    }
    return false;
}
