/*
** row_box.h - the box that contains the geometries of some rows.
**
**                 from                                     known for
**   native box    the statistics of the geometry's chunk   row groups
**   covering      bounds of leaves xmin, ymin, xmax, ymax  row groups, pages
**
** A doubtful axis counts as unknown; row_box.c has the rules.
*/
#ifndef PQ_ROW_BOX_H
#define PQ_ROW_BOX_H

#include "core/meta/geometry.h"
#include "core/scan/row_proof.h"

typedef struct PqRowBox {
    bool   none;                     /* no geometry in it has a box         */
    bool   has_x, has_y;
    double min_x, max_x, min_y, max_y;       /* X may wrap                  */
} PqRowBox;

/* The leaves that tell the boxes of a column in a file. */
enum { PQ_BOX_OWN = PQ_COVERS, PQ_BOX_LEAVES };

typedef struct PqGeoCover {
    const PqLeaf *own;               /* NULL: it is not one leaf            */
    const PqLeaf *leaf[PQ_BOX_LEAVES];   /* of the covering, and own or what
                                     ** stands for it; NULL: none           */
    bool          is_x_y, x_may_wrap;
} PqGeoCover;

/* node may be NULL. */
PqGeoCover pq_geo_cover(const PqFooter *f, const PqNode *node);

/* Is the covering of a geometry, which has one, as authentic as the geometry? */
bool pq_cover_is_authentic(const PqFooter *f, const PqNode *node);

static inline bool pq_has_cover(const PqGeoCover *c)
{
    return c->leaf[0] != NULL;
}

/* The box of n_rows rows by the bounds of the leaves of a covering. */
PqRowBox pq_cover_box(const PqGeoCover *c, const PqLeafBounds b[PQ_BOX_LEAVES],
                      int64_t n_rows);

/* The boxes of a row group, from both sources.  statistics: they are
** believed. */
PqRc pq_group_boxes(const PqFooter *f, const PqGeoCover *c, uint32_t group,
                    bool statistics, PqArena *a, PqRowBox *native,
                    PqRowBox *cover, PqErr *e);

/* The bounds of a chunk, and the bounds of all leaves of a covering. */
PqRc pq_chunk_bounds(const PqFooter *f, uint32_t group, const PqLeaf *leaf,
                     PqArena *a, PqLeafBounds *out, PqErr *e);
PqRc pq_cover_bounds(const PqFooter *f, const PqGeoCover *c, uint32_t group,
                     PqArena *a, PqLeafBounds b[PQ_BOX_LEAVES], PqErr *e);

/* The box that says more.  X of a covering never wraps. */
static inline const PqRowBox *pq_better_box(const PqRowBox *native,
                                            const PqRowBox *cover)
{
    return cover->has_x && cover->has_y ? cover : native;
}

PqGeoBox pq_row_box(const PqRowBox *b);

#endif
