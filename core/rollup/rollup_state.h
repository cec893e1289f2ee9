/*
** rollup_state.h - one measure, in all groups.
**
**   group      0      1      2        3
**   flags      INT    REAL   DECIMAL  -    what came
**   ints       5      0      0        0
**   reals      0      2.5    0        0
**   decimals   0      0      1999     0    with scale 2: 19.99
**
** An array exists once it is needed, and has a place for each group.
**
** A sum has up to three parts: integers, decimals and reals.  The sum is the
** total of its parts, and REAL if one of them is.  The part of integers is
** exact, whatever is added on the way: only a total that does not fit in 64
** bits at the end is an error.  Decimals are added with one scale, the largest
** that came.  If their sum does not fit in 128 bits, it goes to the reals.  A
** real has a second number, what rounding lost (Neumaier): SQLite does the same
** from 3.43 on.
*/
#ifndef PQ_ROLLUP_STATE_H
#define PQ_ROLLUP_STATE_H

#include "core/base/arena.h"
#include "core/rollup/rollup.h"
#include "core/rollup/rollup_register.h"

/* Kinds of values, a bit each. */
enum {
    PQ_ROLLUP_INT = 1, PQ_ROLLUP_REAL = 2, PQ_ROLLUP_DECIMAL = 4,
    PQ_ROLLUP_OTHER = 8,             /* MIN, MAX: TEXT, BLOB                */
    PQ_ROLLUP_WIDE = 32              /* beside DECIMAL: it may have more
                                     ** than 64 bits; never in flags or seen */
};

/* An exact number for each group is words + wides.  Few numbers need more than
** 64 bits. */
typedef struct PqRollupExact {
    int64_t  *words;
    __int128 *wides;
} PqRollupExact;

typedef struct PqRollupReal {
    double sum, lost;
} PqRollupReal;

typedef struct PqRollupState {
    PqRollupOp     op;
    PqMem         *mem;
    const PqStop  *stop;
    uint32_t       n, room;          /* groups                              */
    uint32_t       n_flagged;        /* SUM: so many of the first groups are
                                     ** known to have flags                 */
    uint8_t        seen;             /* kinds, in any group                 */
    int            scale;            /* SUM: of all decimals; -1: none came */
    int64_t       *counts;           /* COUNT_ROWS, COUNT                   */
    uint8_t       *flags;            /* SUM                                 */
    PqRollupExact  ints;
    PqRollupExact  decimals;         /* MIN, MAX: wides only                */
    PqRollupReal  *reals;            /* SUM                                 */
    PqCell        *cells;            /* MIN, MAX                            */
    int8_t        *scales;           /* MIN, MAX: 1 + the scale of each
                                     ** wide; 0: the value is the cell      */
    PqArena        arena;            /* of bytes                            */
} PqRollupState;

/* Rows and their groups. */
typedef struct PqRollupWork {
    PqRollupRows    w;
    bool            one;             /* all are of group `number`           */
    uint32_t        number;
    const uint32_t *numbers;
} PqRollupWork;

/* One number. */
typedef struct PqRollupItem {
    int      kind;                   /* one bit; 0: NULL                    */
    double   r;
    __int128 wide;                   /* INT, DECIMAL                        */
    int      scale;
} PqRollupItem;

static inline bool pq_rollup_is_best(const PqRollupState *s)
{
    return s->op == PQ_ROLLUP_MIN || s->op == PQ_ROLLUP_MAX;
}

void   pq_rollup_state_init(PqRollupState *s, PqRollupOp op, PqMem *mem,
                            const PqStop *stop);
void   pq_rollup_state_free(PqRollupState *s);
size_t pq_rollup_state_bytes(const PqRollupState *s);

/* There will be about n groups, and none came yet: they get their room at once. */
static inline void pq_rollup_state_expect(PqRollupState *s, uint32_t n)
{
    s->room = n;
}

/* Makes room for n groups. */
PqRc pq_rollup_state_need(PqRollupState *s, uint32_t n, PqErr *e);

/* The kinds that the values of an input may have, and the rows that have a
** value. */
unsigned pq_rollup_kinds_of(const PqRollupInputVector *in);

static inline const uint64_t *pq_rollup_valid_of(const PqRollupInputVector *in)
{
    return in->kind == PQ_ROLLUP_NUMBERS ? in->numbers.valid : in->valid;
}

/* Makes room for values of these kinds.  Together with room for the groups,
** that is all that a batch needs, except for the bytes of MIN and MAX, and for
** wides where kinds has no WIDE. */
PqRc pq_rollup_state_need_kinds(PqRollupState *s, unsigned kinds, PqErr *e);

/* Makes room for the wides of a part of s, and for the reals that decimals may
** become. */
PqRc pq_rollup_state_need_wides(PqRollupState *s, PqRollupExact *part, PqErr *e);

/* Adds rows to COUNT_ROWS. */
void pq_rollup_count_rows(PqRollupState *s, const PqRollupWork *work);

/* Adds the input of rows.  MIN and MAX may run out of memory for bytes.  They
** can be added again, because a value that was added before changes nothing.  A
** SUM cannot be added again.  It fails only if it outgrows 64 bits and has no
** memory for wides. */
PqRc pq_rollup_state_add(PqRollupState *s, const PqRollupInputVector *in,
                         const PqRollupSpec *spec, uint32_t measure,
                         const PqRollupWork *work, PqErr *e);

/* Groups [first, first + n) of a state are added to groups `numbers` of another
** state.  No two go to the same group. */
typedef struct PqRollupGroups {
    const struct PqRollupState *from;
    uint32_t        first, n;
    const uint32_t *numbers;
} PqRollupGroups;

/* Makes room for adding them, except for the bytes of MIN and MAX. */
PqRc pq_rollup_state_need_groups(PqRollupState *s, const PqRollupGroups *groups,
                                 PqErr *e);
PqRc pq_rollup_state_add_groups(PqRollupState *s, const PqRollupGroups *groups,
                                PqErr *e);

/* rollup_sum.c */
PqRc pq_rollup_sum_need_groups(PqRollupState *s, const PqRollupGroups *groups,
                               PqErr *e);
PqRc pq_rollup_sum_groups(PqRollupState *s, const PqRollupGroups *groups,
                          PqErr *e);
PqRc pq_rollup_sum_add(PqRollupState *s, const PqNumbers *v,
                       const PqRollupWork *work, PqErr *e);

/* The kind of a vector without any REAL. */
static inline uint8_t pq_rollup_kind_of_exact(const PqNumbers *v)
{
    return v->kind == PQ_NUMBER_INT ? PQ_ROLLUP_INT : PQ_ROLLUP_DECIMAL;
}

PqRc pq_rollup_sum_item(PqRollupState *s, uint32_t g, const PqRollupItem *item,
                        PqErr *e);
PqRc pq_rollup_sum_value(const PqRollupState *s, uint32_t g, PqRollupValue *out,
                         PqErr *e);

/* The parts of a sum. */
typedef struct PqRollupParts {
    uint8_t      kinds;              /* of the parts that exist             */
    __int128     ints, decimal;
    int          scale;
    PqRollupReal real;
} PqRollupParts;

void pq_rollup_sum_parts(const PqRollupState *s, uint32_t g, PqRollupParts *out);
PqRc pq_rollup_sum_parts_add(PqRollupState *s, uint32_t g,
                             const PqRollupParts *parts, PqErr *e);

/* rollup_best.c */
PqRc pq_rollup_best_add(PqRollupState *s, const PqRollupInputVector *in,
                        const PqRollupSpec *spec, uint32_t measure,
                        const PqRollupWork *work, PqErr *e);
PqRc pq_rollup_best_value(PqRollupState *s, uint32_t g, const PqRollupValue *v,
                          PqErr *e);
PqRollupValue pq_rollup_best_get(const PqRollupState *s, uint32_t g);

/* The value of a valid row of numbers. */
PqRollupItem pq_rollup_item_of(const PqNumbers *v, uint32_t row);

/* *v times 10^n; false: it does not fit. */
bool pq_rollup_scale_up(__int128 *v, int n);

#endif
