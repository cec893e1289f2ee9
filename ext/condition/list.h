/*
** list.h - the list of an IN, to look values up in.
**
** SQLite hands a list over in order, each entry once, with the affinity of the
** comparison applied; so it is read once per call, and halved:
**
**   numbers, texts, BLOBs     as SQLite orders them, all compared as they are
**   3   7.5   'a'   'b'   x'00'
**
** SQLite does not say whether a list is the same as in the previous call, and
** finding out means reading it.  That is not worth it if the list has more
** entries than there are rows to test: if the plan lets SQLite test the rows
** again, the list is left to SQLite (cursor_terms.c).
*/
#ifndef PQEXT_LIST_H
#define PQEXT_LIST_H

#include "ext/condition/compare.h"

typedef struct PqextList {
    PqCell     *v;                   /* ascending, once it is complete      */
    uint32_t    n;
    bool        looks;               /* a text in it looks like a number    */
    bool        disordered;
} PqextList;

/* NULL is equal to nothing and left out.  Bytes of v stay. */
PqRc pqext_list_add(PqextList *l, const PqCell *v, PqArena *a, PqErr *e);

/* The list is complete. */
void pqext_list_end(PqextList *l);

bool pqext_list_has(const PqextList *l, const PqCell *v);

static inline bool pqext_list_has_numbers(const PqextList *l)
{
    return l->n > 0 && pq_cell_is_number(&l->v[0]);
}

#endif
