/*
** geo_condition.h - a condition on the box of a geometry: a proof and a filter.
**
** The proof compares boxes of many rows (scan_boxes.c).  The filter has three
** ways to a row's box, the cheapest first:
**
**   the leaves of a covering     before the geometry is decoded; may only say
**                                no.  It is left out where it does not pay.
**   the leaves x and y           where the geometry is made of these
**   WKB                          else
**
** The host is asked about values that are stored in another way (cells).
**
** NULLs, and bytes that are not WKB, are never wanted.
*/
#ifndef PQ_GEO_CONDITION_H
#define PQ_GEO_CONDITION_H

#include "core/meta/geometry.h"
#include "core/scan/row_proof.h"
#include "core/scan/row_filter.h"

typedef struct PqGeoCondition PqGeoCondition;
struct PqGeoCondition {
    PqProof       proof;             /* for pq_scan_add_proof,              */
    PqFilter      filter;            /* ... and for pq_scan_add_filter      */
    PqGeoRelation relation;
    PqGeoBox      box;
    bool          none;              /* no row is wanted                    */
    bool          believes;          /* the filter may use a covering       */
    uint32_t      column;
    PqArena      *arena;             /* for what is kept between calls      */
    /* Set by the host.  Are values of this type given to it as they are
    ** stored? */
    bool (*stores_wkb)(const PqGeoCondition *c, const PqType *type);
    /* Tests the rows of the batch that keep has, and clears the others. */
    PqRc (*cells)(PqGeoCondition *c, PqScan *s, uint64_t *keep, PqErr *e);
    /* Private.  Does the covering pay?  Decided for each row group, */
    uint64_t      rough_file;
    int64_t       rough_group;
    bool          rough;
    uint64_t      rough_asked, rough_left;   /* ... and by its outcome       */
    /* For the last dictionary seen: a byte per entry, 1 if it passes. */
    uint64_t      dict_serial;
    uint8_t      *passes;
    uint32_t      room;
};

/* Sets up a condition on a column of the table.  box NULL: no row is wanted.
** The host sets its functions after this call. */
void pq_geo_condition_init(PqGeoCondition *c, uint32_t column,
                           PqGeoRelation relation, const PqGeoBox *box,
                           bool believes, PqArena *a);

/* Does the box of the geometry have the relation to the condition's box? */
bool pq_geo_condition_holds(const PqGeoCondition *c, PqSlice wkb);

#endif
