/*
** top_inside.h - inside top.h: what is shared by its files.
**
**   top_sections.c   row groups and pages by their bounds
**   top_read.c     what of a row group is read for a round, page by page
**   top_offer.c    sort values of the rows that were read
**   top_rounds.c   rounds, and the rows that they found
*/
#ifndef PQ_TOP_INSIDE_H
#define PQ_TOP_INSIDE_H

#include "core/top/top.h"

typedef struct PqTop PqTop;

/* A column of the order in the current batch. */
typedef struct PqTopSource {
    const PqVector *vector;
    bool            absent;          /* the file does not have the column   */
    bool            is_unsigned;
} PqTopSource;

/* Its values for the rows that are given. */
typedef struct PqTopGiven {
    PqVector vector;
    PqStr    values[PQ_BATCH_ROWS];              /* or narrower ones        */
    uint64_t valid[PQ_BATCH_ROWS / 64];
} PqTopGiven;

/* Asks whether bounds allow anything that the round wants. */
typedef struct PqTopProof {
    PqProof      base;               /* the scan's part: first              */
    const PqTop *top;
} PqTopProof;

struct PqTop {
    PqRowSource  base;               /* what others see; first              */
    PqScan      *scan;
    PqMem       *mem;
    PqTopSpec    spec;
    PqTopBy      by;
    PqRowRange  *cut;                /* what is read of a row group         */
    uint32_t     cut_room;
    PqTopSections  groups;
    PqTopSections  pages;              /* of one row group                    */
    PqRowRange  *some;               /* room for as many ranges             */
    PqTopProof   proof;
    PqTopSet     set;                /* the rows of the round               */
    uint32_t     most;               /* most rows of any round              */
    uint32_t     next_most;          /* most rows of the next round         */
    PqTopSet     last;               /* the last row of the round before,   */
                                     /* or none                             */
    uint32_t     at;                 /* rows given of the round             */
    uint32_t     n_rounds;
    PqRowSource *all;                /* gives the rows from now on; or NULL */
    uint64_t     passed;             /* its rows that rounds have given     */
    bool         complete;           /* no row follows this round's         */
    bool         all_given;          /* in the rows given last, no column   */
                                     /* by which they are sorted is read    */
    bool         is_bound;           /* the row that is given is not known  */
    PqTopSource  sources[PQ_TOP_COLUMNS];
    PqTopGiven  *given;              /* one per column                      */
    PqCell       candidate[PQ_TOP_COLUMNS];
    /* Not zeroed: that is a good part of the time of max(x). */
    uint32_t     list[PQ_BATCH_ROWS];
    int64_t      rowids[PQ_BATCH_ROWS];
};

/* ---- top_sections.c ---- */

/* Are values of this type the column's own, so that bounds can be compared? */
bool pq_top_is_own_type(const PqTopSpec *s, const PqTopColumn *c,
                        const PqType *type);

/* The best and the worst value that rows with these bounds can have; false: not
** known.  Bytes are borrowed, or made in the rooms. */
bool pq_top_ends(const PqTopSpec *s, const PqTopColumn *c,
                 const PqLeafBounds *b, char *best_room, char *worst_room,
                 PqCell *best, PqCell *worst);

/* Adds a section for these rows; nothing is known about it yet. */
PqRc pq_top_sections_add(PqTopSections *l, int64_t begin, int64_t end,
                         PqTopSection **out, PqErr *e);

/* Sets the ends of a section of l by its bounds. */
PqRc pq_top_section_ends(const PqTopSpec *s, const PqTopColumn *c,
                         const PqLeafBounds *b, PqTopSections *l,
                         PqTopSection *section, PqErr *e);

/* Best first; sections with unknown ends come before all others. */
void pq_top_sections_sort(PqTopSections *l, bool desc);

/* ---- top_offer.c ---- */

/* <0, 0, >0 in the direction of the first column. */
int pq_top_compare_first(const PqTop *t, const PqCell *a, const PqCell *b);

/* Does a row that is at best like this come after the worst row kept? */
bool pq_top_is_too_bad(const PqTop *t, const PqCell *best);

/* Was a row that is at worst like this given by an earlier round? */
bool pq_top_was_given(const PqTop *t, const PqCell *worst);

/* What the scan asks about bounds (PqProof.refutes). */
bool pq_top_refutes(const PqProof *base, const PqLeafBounds *b, int64_t n_rows);

/* Offers the rows of the current batch to the set. */
PqRc pq_top_offer_batch(PqTop *t, PqErr *e);

/* Do many sections overlap at one value of the first column, or all of them? */
static inline bool pq_top_all_overlap(const PqTop *t, const PqTopSections *l)
{
    uint32_t most = pq_top_overlap(l, t->by.v[0].desc);

    return most > PQ_TOP_OVERLAP || most == l->n;
}

/* ---- top_read.c ---- */

/* Do the pages of a row group overlap, or has it no index that says? */
PqRc pq_top_pages_overlap(PqTop *t, const PqTopSection *group, bool *overlap, PqErr *e);

/* Can no row of this section, or of the sections after it, be of interest? */
bool pq_top_ends_at(const PqTop *t, const PqTopSection *section);

/* Offers the wanted rows of a row group, or of its pages that can be of
** interest. */
PqRc pq_top_read_group(PqTop *t, const PqTopSection *group, PqErr *e);

#endif
