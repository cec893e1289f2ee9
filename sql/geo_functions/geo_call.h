/*
** geo_call.h - what the functions of geometries share: arguments and results.
**
**   argument                     is
**   BLOB                         WKB or EWKB.  If it is invalid the result is
**                                NULL: one bad row must not end a query
**   TEXT                         WKT; an error if it is not valid
**   INTEGER, REAL                an error
**
** Results are ISO WKB.  The buffers belong to the connection, because making one
** takes longer than a call.  They can be shared: SQLite copies a result before
** it calls another function.
*/
#ifndef PQSQL_GEO_CALL_H
#define PQSQL_GEO_CALL_H

#include "sql/argument.h"
#include "sql/geo_functions/geo_functions.h"

/* Of a connection. */
typedef struct PqsqlGeo {
    sqlite3 *db;
    PqMem   *mem;
    PqBuf    in;                     /* WKB of an argument that was text     */
    PqBuf    out;                    /* a result                             */
    PqErr    e;                      /* of the current call                  */
    uint32_t holders;
} PqsqlGeo;

/* The user data of a function. */
typedef struct PqsqlGeoCall {
    PqsqlGeo   *geo;
    const char *name;                /* as registered                        */
    int         what;                /* the function's own choice            */
    uint32_t    row;                 /* in the table of geo_register.c       */
} PqsqlGeoCall;

PqsqlGeo *pqsql_geo_new(sqlite3 *db);       /* NULL: no memory              */
void pqsql_geo_release(PqsqlGeo *g);

/* A call of a function.  Its result goes to ctx, or into out if it is a blob or
** a text; without any, it is NULL. */
typedef struct PqsqlGeoArgs {
    sqlite3_context *ctx;
    int              argc;
    sqlite3_value  **argv;
    int              what;
    PqBuf           *out;
    PqErr           *e;
    const PqsqlGeoCall *call;
} PqsqlGeoArgs;

/* No argument is NULL; the error is in a->e. */
typedef PqRc PqsqlGeoRun(PqsqlGeoArgs *a);

typedef enum PqsqlGeoGives {
    PQSQL_GEO_SCALAR, PQSQL_GEO_TEXT, PQSQL_GEO_JSON, PQSQL_GEO_BINARY,
    PQSQL_GEO_GEOMETRY
} PqsqlGeoGives;

/* Empties the buffer of a result, and forgets an error. */
void pqsql_geo_prepare(PqsqlGeo *g);

/* Gives what is in out, or the error, with the function's name before it. */
void pqsql_geo_give(PqsqlGeoArgs *a, PqRc rc, PqsqlGeoGives gives);

/* A function is called for each row.  One whose result is a number has nothing to
** empty and nothing to give: that takes a tenth of a call. */
static inline PqsqlGeoArgs pqsql_geo_begin(sqlite3_context *ctx,
                                           const PqsqlGeoCall *call,
                                           PqsqlGeoGives gives, int argc,
                                           sqlite3_value **argv)
{
    PqsqlGeo *g = call->geo;

    if (gives != PQSQL_GEO_SCALAR || PQ_UNLIKELY(g->e.rc != PQ_OK)) {
        pqsql_geo_prepare(g);
    }
    return (PqsqlGeoArgs){ctx, argc, argv, call->what, &g->out, &g->e, call};
}

static inline void pqsql_geo_end(PqsqlGeoArgs *a, PqRc rc, PqsqlGeoGives gives)
{
    if (gives != PQSQL_GEO_SCALAR || PQ_UNLIKELY(rc != PQ_OK || a->e->rc != PQ_OK)) {
        pqsql_geo_give(a, rc, gives);
    }
}

/* Argument i as WKB, which need not be valid. */
PqRc pqsql_geo_wkb(PqsqlGeoArgs *a, int i, PqSlice *wkb);

/* ... and its box, which need not be whole.  wkb may be NULL.  False: the WKB
** is not valid, or there is an error. */
bool pqsql_geo_box(PqsqlGeoArgs *a, int i, PqSlice *wkb, PqGeoBox *box);

/* Arguments `from` and later as numbers. */
PqRc pqsql_geo_numbers(PqsqlGeoArgs *a, int from, double *out);

/* An error as the result of the function of this name; needs no state. */
void pqsql_geo_error(sqlite3_context *ctx, const char *name, const PqErr *e);

/* Says why a value is not a geometry; needs no state. */
PqRc pqsql_no_geometry(sqlite3_value *v, PqErr *e);

/* ---- which predicates are ours on a connection (geo_ours.c) -------------- */

/* The function that a second load asks for the list of the first. */
#define PQSQL_GEO_OF_FIRST_LOAD "pq_st_intersects_extent"

/* The list of the connection, which has that function if is_loaded; otherwise a
** new list.  The caller holds it.  NULL: no memory. */
PqsqlGeoOurs *pqsql_geo_ours_of(sqlite3 *db, bool is_loaded);

/* A predicate with NULL as its first argument: that may be the question of
** pqsql_geo_ours_of. */
void pqsql_geo_ours_asked(sqlite3_context *ctx, sqlite3_value *v);

/* Registers the predicate by its name. */
int pqsql_geo_ours_register(PqsqlGeoOurs *ours, sqlite3 *db,
                            const PqsqlGeoPredicate *p);

/* ---- writing boxes (geo_boxes.c) ----------------------------------------- */

/* Appends a box as PostGIS casts it: a POLYGON, or a LINESTRING or POINT if it
** has no height or width.  A box that wraps becomes a MULTIPOLYGON.  box is
** whole. */
void pqsql_geo_put_extent(PqBuf *out, const PqGeoBox *box);

/* ---- the functions ------------------------------------------------------- */

PqsqlScalar pqsql_geo_relates;                       /* geo_predicates.c     */

PqsqlGeoRun pqsql_geo_edge;                          /* geo_boxes.c          */
PqsqlGeoRun pqsql_geo_make_envelope;
PqsqlGeoRun pqsql_geo_envelope;
PqsqlGeoRun pqsql_geo_expand;
PqsqlGeoRun pqsql_geo_hilbert;

PqsqlGeoRun pqsql_geo_type_name;                     /* geo_values.c         */
PqsqlGeoRun pqsql_geo_n_points;
PqsqlGeoRun pqsql_geo_is_empty;
PqsqlGeoRun pqsql_geo_point;
PqsqlGeoRun pqsql_geo_as_text;
PqsqlGeoRun pqsql_geo_as_json;
PqsqlGeoRun pqsql_geo_as_binary;
PqsqlGeoRun pqsql_geo_from_text;
PqsqlGeoRun pqsql_geo_from_wkb;

PqsqlScalar pqsql_geo_extent_step;                   /* geo_extent.c         */
PqsqlScalar pqsql_geo_extent_inverse;
void pqsql_geo_extent_value(sqlite3_context *ctx);
void pqsql_geo_extent_final(sqlite3_context *ctx);

/* pqsql_geo_edge: an end of the box, of a geometry or of a POINT. */
enum { PQSQL_EDGE_MAX = 8, PQSQL_EDGE_OF_POINT = 16 };

/* pqsql_geo_type_name: ST_Point, or POINT. */
enum { PQSQL_TYPE_ST, PQSQL_TYPE_PLAIN };

#endif
