/*
** order_inside.h - inside order.h: what an order is, between its files.
**
**   order_groups.c   row groups by their bounds
**   order_read.c     what of them is read for a round, page by page
**   order_offer.c    keys of the rows that were read
**   order_rounds.c   rounds of keys, and the rows they stand for
*/
#ifndef PQEXT_ORDER_INSIDE_H
#define PQEXT_ORDER_INSIDE_H

#include "ext/order/order.h"

/* A column of the ORDER BY in the batch at hand. */
typedef struct PqextOrderSource {
    const PqVector *vector;
    PqsqlColumn    *column;          /* for cells                           */
    PqsqlCellOf     cell_of;
    PqsqlCell       cell;
    bool            absent;          /* the file has none                   */
    bool            is_unsigned;
} PqextOrderSource;

/* Its values for the rows that are given. */
typedef struct PqextOrderGiven {
    PqVector vector;
    void    *values;
    uint64_t valid[PQ_BATCH_ROWS / 64];
} PqextOrderGiven;

/* Asks whether bounds leave anything of the round's interest. */
typedef struct PqextOrderProof {
    PqProof           base;          /* the engine's part: first            */
    const PqextOrder *order;
} PqextOrderProof;

struct PqextOrder {
    PqextCursor      *c;
    PqScan           *scan;
    PqMem            *mem;
    PqextOrderBy      by;
    PqRowRange       *cut;           /* what is read of a row group         */
    uint32_t          cut_room;
    PqextOrderGroups  groups;
    PqextOrderGroups  pages;         /* of one of them                      */
    PqRowRange       *some;
    PqextOrderProof        proof;
    PqextKeys         keys;
    uint32_t          most;          /* of a round, ever                    */
    uint32_t          next_most;     /* of the next                         */
    PqextKeys         floor;         /* the last key given, or none         */
    uint32_t          at;            /* keys given                          */
    uint32_t          n_rounds;
    bool              complete;      /* no key is behind this round's       */
    bool              running;       /* a run of rows is being read         */
    bool              is_bound;      /* the row that is given is not known  */
    PqextOrderSource  sources[PQEXT_ORDER_COLUMNS];
    PqextOrderGiven  *given;         /* one per column                      */
    PqextKeyValue     candidate[PQEXT_ORDER_COLUMNS];
    uint32_t          list[PQ_BATCH_ROWS];
    int64_t           rowids[PQ_BATCH_ROWS];
};

/* ---- order_offer.c ---- */

/* <0, 0, >0 in the direction of the first column. */
int pqext_order_first(const PqextOrder *o, const PqextKeyValue *a,
                      const PqextKeyValue *b);

/* Rows at best like this do not come before the worst key that is kept; at
** worst like this, all were given by rounds before. */
bool pqext_order_too_bad(const PqextOrder *o, const PqextKeyValue *best);
bool pqext_order_given_already(const PqextOrder *o, const PqextKeyValue *worst);

/* What the engine asks about bounds (PqProof.refutes). */
bool pqext_order_refutes(const PqProof *base, const PqLeafBounds *b,
                         int64_t n_rows);

/* Offers the rows of the batch at hand to the keys. */
PqRc pqext_order_offer_batch(PqextOrder *o, PqErr *e);

/* ---- order_read.c ---- */

/* Neither is g of interest, nor is any behind it. */
bool pqext_order_ends_at(const PqextOrder *o, const PqextOrderGroup *g);

/* Offers the rows of a row group that the plan leaves, or those of its pages
** that are of interest. */
PqRc pqext_order_read_group(PqextOrder *o, const PqextOrderGroup *g, PqErr *e);

#endif
