/*
** did_you_mean.c - finds the name that was probably meant.
**
** The distance is Damerau and Levenshtein's, in the form that changes each
** letter at most once ("optimal string alignment").
*/
#include "sql/did_you_mean.h"

enum {
    LONGEST = 64,                    /* longer words are near to nothing     */
    LETTERS_EACH = 4,                /* of the name, for each wrong one      */
    MOST_WRONG = 3,
    LEAST_PART = 4
};

static bool has_letter(const char *z)
{
    while (*z && !pq_ascii_is_letter(*z) && *z > 0) {
        z++;
    }
    return *z != 0;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Keeps three rows of the table, since a row needs the two before it.  Both
** words have at most LONGEST bytes. */
static unsigned distance(const char *a, const char *b)
{
    unsigned rows[3][LONGEST + 1], i, j;
    size_t n = strlen(b);

    for (j = 0; j <= n; j++) {
        rows[0][j] = j;
    }
    for (i = 1; a[i - 1]; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];

        row[0] = i;
        for (j = 1; j <= n; j++) {
            bool same = pq_ascii_lower(a[i - 1]) == pq_ascii_lower(b[j - 1]);

            row[j] = least(above[j - 1] + !same,
                           least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && pq_ascii_lower(a[i - 1]) == pq_ascii_lower(b[j - 2]) &&
                pq_ascii_lower(a[i - 2]) == pq_ascii_lower(b[j - 1])) {
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return rows[(i - 1) % 3][n];
}

static bool is_inside_word(char c)
{
    return pq_ascii_is_letter(c) || pq_ascii_is_digit(c);
}

/* Is part one or several words of name, and long enough not to match by
** accident? */
static bool has_part(const char *name, const char *part)
{
    size_t n = strlen(part), i;
    char before = 0;

    for (; n >= LEAST_PART && strlen(name) >= n; before = *name++) {
        for (i = 0; i < n && pq_ascii_lower(name[i]) == pq_ascii_lower(part[i]); i++) {
        }
        if (i == n && !is_inside_word(before) && !is_inside_word(name[n])) {
            return true;
        }
    }
    return false;
}

void pqsql_nearest_look(PqsqlNearest *n, const char *name)
{
    size_t n_word = strlen(n->word), n_name = strlen(name);
    size_t longer = n_word > n_name ? n_word : n_name;
    unsigned most = longer / LETTERS_EACH < MOST_WRONG
                        ? (unsigned)(longer / LETTERS_EACH) : MOST_WRONG;
    unsigned d;

    if (longer > LONGEST || !has_letter(n->word) || !has_letter(name)) {
        return;
    }
    d = distance(n->word, name);
    if (d <= most && (!n->near || d < n->distance)) {
        n->near = name;
        n->distance = d;
    }
    if (!n->by_part && (has_part(name, n->word) || has_part(n->word, name))) {
        n->by_part = name;
    }
}

const char *pqsql_nearest(const PqsqlNearest *n)
{
    return n->near ? n->near : n->by_part;
}

void pqsql_nearest_hint(const PqsqlNearest *n, PqErr *e)
{
    if (pqsql_nearest(n)) {
        pq_err_hint(e, "did you mean %s?", pqsql_nearest(n));
    }
}

static char next_letter(const char **z)
{
    char c;

    while (**z && strchr("_-. ", **z)) {
        ++*z;
    }
    c = **z;
    *z += c != 0;
    return (char)pq_ascii_lower(c);
}

bool pqsql_same_words(const char *a, const char *b)
{
    char c;

    do {
        c = next_letter(&a);
        if (c != next_letter(&b)) {
            return false;
        }
    } while (c);
    return true;
}
