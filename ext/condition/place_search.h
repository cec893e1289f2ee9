/*
** place_search.h - the place at which the values of a type reach an operand.
**
** The function from a stored number to the value that SQLite sees never falls
** (a later day is a later text).  So "less than the operand" is true from the
** least place up to some other place.  That place is found by halving, so the
** function needs no inverse.
**
**   DATE        place    text          first that is not less than
**               19782    2024-02-29
**               19783    2024-03-01    2024-03
**               19813    2024-03-31
**               19814    2024-04-01    2024-04, 2024-03-32
**
** Texts that begin alike are neighbours, so LIKE '2024-03%' is 19783 .. 19813.
*/
#ifndef PQEXT_PLACE_SEARCH_H
#define PQEXT_PLACE_SEARCH_H

#include "ext/condition/like.h"
#include "ext/condition/meaning.h"

typedef struct PqextSearch {
    const PqextTable *table;
    const PqType     *type;
    PqPlace           least, most;   /* it is between these                 */
} PqextSearch;

/* Is the value at the place not less than the operand, or (more) more? */
bool pqext_search_reached(const PqextSearch *s, PqPlace place,
                          const PqCell *operand, bool more);

/* The first place whose value is not less than the operand, or is more than it;
** false: there is none. */
bool pqext_search_from(const PqextSearch *s, const PqCell *operand, bool more,
                       PqPlace *out);

/* The places whose texts begin as every match of the pattern does, if there
** are any.  The pattern has a start. */
PqRc pqext_search_pattern(const PqextSearch *s, const PqextPattern *p,
                          PqArena *a, bool *any, PqSpan *out, PqErr *e);

/* For a guess: the first and the last date or time whose text can match the
** pattern, as texts in room; the other way round: there are none.  False: all
** can, or the type is another. */
bool pqext_pattern_ends(const PqextTable *t, const PqType *type,
                        const PqextPattern *p, PqArena *a,
                        char room[2][PQEXT_BOUND_ROOM], PqCell ends[2]);

#endif
