/*
** unnest_shape.h - where elements are, by the levels of one leaf.
**
** A unit is a slot that begins an entry of the innermost list that the path leads
** through: its repetition level is at most the number of lists (depth).  In a leaf
** that does not repeat further, every slot is a unit.
**
**   lists a, a.b      row 0: a [ {b [x, y]}, {b []} ]    row 1: a null
**   rep               0  2  1  | 0
**   def               4  4  2  | 0       an element of b from 4 on, of a from 2 on
**   unit              0  1  2    3
**   elements          0  1               without outer: units that are elements
**   entries of a      0  0  1    2       counted by rep <= 1
**   rows              0  0  0    1       counted by rep <= 0
**
** Levels are claims.  All leaves have to agree about the lists; otherwise
** values of one element would stand beside values of another.
*/
#ifndef PQ_UNNEST_SHAPE_H
#define PQ_UNNEST_SHAPE_H

#include "core/base/mem.h"
#include "core/column/vector.h"

/* A list of numbers, which is grown and used again. */
typedef struct PqU32s {
    uint32_t *v;
    size_t    room;
} PqU32s;

#define PQ_U32S_ROOM(mem, a, n, e) PQ_ROOM(mem, (a).v, n, (a).room, e)

enum { PQ_UNNEST_LEVELS = 32 };

typedef struct PqShape {
    uint32_t        depth;           /* lists on the way                    */
    const uint16_t *element_def;     /* of each: from this definition level on
                                     ** there is an element                 */
    uint32_t        n_rows, n_units;
    const uint16_t *rep, *def;       /* of the units                        */
    uint32_t        n_elements;
    bool            listed;          /* units is set; it may not be needed  */
    uint16_t        least;           /* units are elements from this definition
                                     ** level on                            */
    const uint32_t *units;           /* by element; NULL: elements are units */
    uint16_t       *own;             /* rep, then def, if they were cut     */
    size_t          own_room;
    PqU32s          units_room;
} PqShape;

/* Makes the shape from the vector of a leaf below the innermost list.  keep has
** a bit for each row whose elements are wanted; the first is bit `from`; NULL:
** all.  The shape borrows from the vector. */
PqRc pq_shape_make(PqShape *s, PqMem *mem, const PqVector *guide, bool outer,
                   const uint64_t *keep, uint32_t from, PqErr *e);

/* The same if there is no list: each row is one element. */
PqRc pq_shape_rows(PqShape *s, PqMem *mem, uint32_t n_rows,
                   const uint64_t *keep, uint32_t from, PqErr *e);

void pq_shape_free(PqShape *s);

/* Is none of PQ_SHAPE_BLOCK definition levels below least? */
enum { PQ_SHAPE_BLOCK = 64 };

static inline bool pq_shape_all_at_least(const uint16_t *def, uint16_t least)
{
    uint16_t below = 0;

    for (uint32_t i = 0; i < PQ_SHAPE_BLOCK; i++) {
        below = (uint16_t)(below | (def[i] < least));
    }
    return below == 0;
}

/* The units of the elements; NULL: they are the same. */
const uint32_t *pq_shape_units(PqShape *s);

/* For each element, its entry at a level: the row for 0, the entry of the
** outermost list for 1.  level < depth, or depth 0. */
void pq_shape_entries(PqShape *s, uint32_t level, uint32_t *out);

/* For each element, its number in the list at a level, 0 for the outermost
** list; UINT32_MAX: it is not an element. */
void pq_shape_ordinals(PqShape *s, uint32_t level, uint32_t *out);

/* For each element, its unit, counted in its row. */
void pq_shape_positions(PqShape *s, uint32_t *out);

/* Does a leaf that lies below `level` of the lists say the same about them? */
bool pq_shape_agrees(const PqShape *s, const PqVector *v, uint32_t level);

/* Where each entry at the level begins in the vector of such a leaf, and where
** the last entry ends. */
void pq_shape_starts(const PqVector *v, uint32_t level, uint32_t *out);

#endif
