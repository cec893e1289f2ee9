/*
** like.h - LIKE and GLOB as SQLite's own functions mean them.
**
** They only discard rows, and SQLite tests the others again.  A program may
** have its own LIKE; then they are not used at all (pqext_like_is_builtin).
**
**   pattern         start  prefix  inside   what has to be in a text: literal
**   LIKE 'ab%c'            ab      ab       ASCII, which nothing but itself
**   LIKE '05-ab%'   05-    05-ab   05-ab    (LIKE: in either case) matches
**   LIKE '%/img/%'                 /img/
**   GLOB 'x[ab]y*'  x      x       x
**
** Texts with one start lie side by side in the order of texts, so it makes a
** range.
*/
#ifndef PQEXT_LIKE_H
#define PQEXT_LIKE_H

#include "core/for_host.h"
#include "sql/sqlite.h"

typedef struct PqextPattern {
    bool    glob;
    PqSlice prefix;                  /* its literal beginning               */
    PqSlice start;                   /* ... up to a letter that has a case  */
    PqSlice inside;                  /* its longest literal part            */
    uint64_t end, cases;             /* the last eight bytes of a prefix of
                                     ** eight or more, where the bits of cases
                                     ** are set as in the text              */
} PqextPattern;

/* text stays as long as the pattern does. */
void pqext_pattern_init(PqextPattern *p, PqSlice text, bool glob);

/* The least text that is more than all texts that begin with start, which is
** not empty, in a: 2024-04 for 2024-03. */
PqRc pqext_pattern_after(const PqextPattern *p, PqArena *a, PqSlice *out,
                         PqErr *e);

/* Perhaps. */
bool pqext_pattern_matches(const PqextPattern *p, PqSlice text);

/* The same for many texts: bit i of bits says whether v[i] perhaps matches, if
** its bit in wanted is set.  Texts that lie side by side are searched as
** one. */
void pqext_pattern_test(const PqextPattern *p, const PqStr *v, uint32_t n,
                        const uint64_t *wanted, uint64_t *bits);

/* Are like(2) and glob(2) SQLite's own? */
bool pqext_like_is_builtin(sqlite3 *db);

#endif
