/*
** group_gather.h - the values of the rows of some groups, gathered in one pass.
**
** The first pass over the keys (group_passes.c) says how many rows each group has, so
** each row has its place before its values are read:
**
**   rows        0 1 2 3 4 5        a column      5 7 3 9 1 2
**   groups      A B A B A A        places of A   0 . 1 . 2 3
**                                  gathered      A: 5 3 1 2    B: 7 9
**
** A value takes its width and no more, since its place says which row it is of.  A text
** takes the number of the text; so texts have to be few.  Where that makes fewer passes,
** a number of 8 bytes takes 4 (float, int32_t).  Then a value that does not fit ends the
** pass, and the column takes 8 bytes from then on.
**
** A group begins at a multiple of 64, so that the bits of what is NULL can be handed out
** as they lie.
*/
#ifndef PQ_GROUP_GATHER_H
#define PQ_GROUP_GATHER_H

#include "core/group/group_notes.h"
#include "core/numbering/memo.h"
#include "core/numbering/text_numbers.h"

typedef struct PqGroupColumn {
    uint32_t  column;                /* of the table                        */
    bool      known, present;        /* present false: NULL in all rows     */
    bool      dropped;               /* a key: all rows of a group have it  */
    bool      is_text;
    PqType    type;                  /* stored                              */
    size_t    width;                 /* of what is kept of a value          */
    bool      half;                  /* ... is half of the type's           */
    bool      too_wide;              /* a value did not fit half of it      */
    uint64_t  room;                  /* places                              */
    void     *values;                /* by place; numbers of texts          */
    uint64_t *valid;                 /* a bit per place; set if nulls       */
    bool      nulls;
    PqTextNumbers texts;
    PqMemo    numbers;               /* uint32_t: id -> number + 1          */
    PqDict    dict;                  /* the texts                           */
    PqVector  vector;                /* of the batch that is given          */
    uint16_t  def[PQ_BATCH_ROWS];
    uint64_t  wide[PQ_BATCH_ROWS];   /* its values, if half                 */
} PqGroupColumn;

typedef struct PqGroupGather {
    PqScan   *scan;
    PqMem    *mem;
    bool      can;                   /* false: values have to be read group by
                                     ** group                               */
    bool      again;                 /* the pass has to begin again         */
    bool      widths_chosen;
    uint64_t  file_serial;
    PqGroupColumn *columns;
    uint32_t  n_columns;
    bool      wanted[PQ_GROUP_CODES];            /* groups of this pass     */
    uint32_t  first[PQ_GROUP_CODES];             /* places of a group       */
    uint32_t  next[PQ_GROUP_CODES], end[PQ_GROUP_CODES];
    uint64_t  n_places;
    uint32_t  places[PQ_BATCH_ROWS];             /* of a batch              */
} PqGroupGather;

PqRc pq_group_gather_init(PqGroupGather *g, PqScan *scan,
                          const PqGroupSpec *spec, PqErr *e);
void pq_group_gather_free(PqGroupGather *g);

/* Learns the types of the columns in the scan's file; can becomes false if they differ
** from those of an earlier one. */
void pq_group_gather_enter(PqGroupGather *g);

/* Leaves out a column: all rows of a group have the same value in it. */
void pq_group_gather_drop(PqGroupGather *g, uint32_t column);

/* Begins a pass, of as many of the groups, in this order, as fit a share of the memory.
** Takes fewer if there are as few passes then: of 40 groups, 16 may fit, but 14 in each
** of three passes do as well.  codes: of n groups; rows: by code.  Returns how many
** groups it takes.  Then makes room for their values. */
uint32_t pq_group_gather_begin(PqGroupGather *g, const uint8_t *codes, uint32_t n,
                               const uint64_t *rows);
PqRc pq_group_gather_room(PqGroupGather *g, PqErr *e);

/* Has any column to be read?  Without one, a group is known by its rows alone. */
bool pq_group_gather_reads(const PqGroupGather *g);

/* Adds the rows that are left of the scan's batch.  codes: of all its rows.  If a value
** does not fit its column, the pass has to begin again. */
PqRc pq_group_gather_add(PqGroupGather *g, const uint8_t *codes, PqErr *e);

/* The pass has ended; can becomes false if it had not as many rows as were counted. */
void pq_group_gather_end(PqGroupGather *g);

/* Sets the vectors of the scan's batch, which was given: n rows of a group from row
** `from` of the group on. */
void pq_group_gather_give(PqGroupGather *g, uint8_t code, uint32_t from, uint32_t n);

#endif
