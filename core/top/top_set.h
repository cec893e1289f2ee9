/*
** top_set.h - the best rows so far, in a given order, in bounded memory.
**
** A row of the set is a sort value (a cell) for each column of the order,
** and the rowid.  The rowid decides last, so no two rows are equal.
**
**   ORDER BY day DESC, name             better <------------> worse
**   (2024-03-02, 'b', 17) (2024-03-02, 'c', 3) (2024-03-01, 'a', 40) (NULL, ..)
**
** The set takes rows until it has as many as are wanted.  From then on its
** worst row is known, and only better rows are taken.  When there are twice as
** many, the better half stays:
**
**   wanted 4     9 7 8 6            6 is the worst
**                9 7 8 6 | 7 9 8 7  full: 9 9 8 8 stay, 8 is the worst
**
** Rows that come in order are not sorted again.  If texts take too much memory,
** the set keeps fewer rows than were wanted.
*/
#ifndef PQ_TOP_SET_H
#define PQ_TOP_SET_H

#include "core/numbering/cell.h"

enum { PQ_TOP_COLUMNS = 8, PQ_TOP_SET_COLUMNS = 72 };

/* The rowid, then n_values values.  If two heads differ, the smaller head
** belongs to the better row. */
typedef struct PqTopRow {
    uint64_t    head;
    int64_t     rowid;
    PqCell values[1];
} PqTopRow;

typedef struct PqTopSet {
    PqMem   *mem;
    uint32_t n_columns, n_values;    /* those after the columns are kept,   */
                                     /* and not compared                    */
    bool     desc[PQ_TOP_SET_COLUMNS];
    bool     lent[PQ_TOP_SET_COLUMNS];           /* bytes stay where they are */
    bool     mixed;                  /* the first column may have values of */
                                     /* several classes                     */
    size_t   limit, bytes;           /* of texts and BLOBs                  */
    uint32_t most;                   /* rows wanted                         */
    uint32_t n, room;
    size_t   width;                  /* of a row                            */
    char    *rows;
    bool     in_order;               /* as they came                        */
    bool     has_worst;              /* row number most - 1 is the worst of */
                                     /* rows 0 .. most - 1                  */
    uint64_t chance;                 /* for sorting                         */
} PqTopSet;

void pq_top_set_init(PqTopSet *s, PqMem *mem, uint32_t n_columns,
                     uint32_t n_values);
void pq_top_set_free(PqTopSet *s);

/* Forgets all rows.  From now on `most` are wanted. */
void pq_top_set_begin(PqTopSet *s, uint32_t most);

/* The order of the set: <0, 0, >0. */
int pq_top_set_compare(const PqTopSet *s, const PqCell *a, int64_t a_rowid,
                       const PqCell *b, int64_t b_rowid);

static inline const PqTopRow *pq_top_set_at(const PqTopSet *s, uint32_t i)
{
    return (const PqTopRow *)(const void *)(s->rows + i * s->width);
}

/* A row has to be better than this one; NULL: any row is taken. */
static inline const PqTopRow *pq_top_set_worst(const PqTopSet *s)
{
    return s->has_worst ? pq_top_set_at(s, s->most - 1) : NULL;
}

/* Takes a copy of the row if it is wanted. */
PqRc pq_top_set_offer(PqTopSet *s, const PqCell *values, int64_t rowid,
                      PqErr *e);

/* Makes the worst row the worst of the best `most` rows offered so far. */
void pq_top_set_tighten(PqTopSet *s);

/* From now on row i is the i-th best, until the next begin. */
void pq_top_set_sort(PqTopSet *s);

#endif
