/*
** geo_extent.c - ST_Extent: the box of many geometries, as an aggregate and in
** windows.
**
** What is hard is the window.  SQLite removes its oldest row, and then the next
** smallest X has to be known.  So each of the four edges keeps its candidates:
** rows that become the smallest once all rows before them have left.  Their
** values rise, and a new row drops the candidates that are larger:
**
**   rows so far  5 2 7 4       candidates  2 4      the smallest: 2
**   one more     3             candidates  2 3
**   5, 2 leave                 candidates  3
**
** If rows are in no order, few are candidates.  An aggregate without a window
** does not need them, but looks the same until the first value is asked for.
** So if there are very many, only the first is kept, and removing a row is an
** error then.
*/
#include "sql/geo_functions/geo_call.h"

typedef struct Candidate {
    uint64_t row;
    double   v;                      /* negative of a maximum's              */
} Candidate;

typedef struct End {
    Candidate *c;
    uint32_t   first, n, room;       /* c[first] .. c[n - 1]                 */
} End;

enum {
    WEST, SOUTH, EAST, NORTH, ENDS,
    MOST = 1 << 20                   /* candidates, until a value is asked for */
};

typedef struct Extent {
    End      end[ENDS];
    uint64_t added, removed;         /* rows                                 */
    bool     is_window, is_cut;
} Extent;

static void forget(Extent *x)
{
    for (int i = 0; i < ENDS; i++) {
        sqlite3_free(x->end[i].c);
        x->end[i] = (End){0};
    }
}

/* Room for one more; false: no memory. */
static bool make_room(End *d)
{
    uint32_t room = d->room ? d->room * 2 : 16;
    Candidate *c;

    if (d->first > d->room / 2) {
        d->n -= d->first;
        memmove(d->c, d->c + d->first, d->n * sizeof *d->c);
        d->first = 0;
        return true;
    }
    if (d->room > UINT32_MAX / 4) {
        return false;
    }
    c = sqlite3_realloc64(d->c, room * sizeof *c);
    if (!c) {
        return false;
    }
    d->c = c;
    d->room = room;
    return true;
}

static bool add_to(End *d, uint64_t row, double v)
{
    while (d->n > d->first && d->c[d->n - 1].v >= v) {
        d->n--;
    }
    if (d->n == d->room && !make_room(d)) {
        return false;
    }
    d->c[d->n++] = (Candidate){row, v};
    return true;
}

static bool add(Extent *x, const PqGeoBox *b)
{
    double west = b->min[PQ_GEO_X], east = b->max[PQ_GEO_X];

    if (west > east) {               /* PostGIS knows no box that wraps      */
        west = -180;
        east = 180;
    }
    for (int i = 0; i < ENDS && !x->is_window; i++) {
        if (x->end[i].n - x->end[i].first >= MOST) {
            x->end[i].n = x->end[i].first + 1;
            x->is_cut = true;
        }
    }
    return add_to(&x->end[WEST], x->added, west) &&
           add_to(&x->end[SOUTH], x->added, b->min[PQ_GEO_Y]) &&
           add_to(&x->end[EAST], x->added, -east) &&
           add_to(&x->end[NORTH], x->added, -b->max[PQ_GEO_Y]);
}

void pqsql_geo_extent_step(sqlite3_context *ctx, int argc,
                           sqlite3_value **argv)
{
    Extent *x = sqlite3_aggregate_context(ctx, sizeof *x);
    PqsqlGeoArgs a;
    PqGeoBox box;

    if (!x) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (!pqsql_any_null(argc, argv)) {
        a = pqsql_geo_begin(ctx, sqlite3_user_data(ctx), PQSQL_GEO_SCALAR, argc,
                            argv);
        if (pqsql_geo_box(&a, 0, NULL, &box) && pq_geo_box_is_whole(&box) &&
            !add(x, &box)) {
            pq_fail(a.e, PQ_NOMEM, "out of memory");
        }
        pqsql_geo_end(&a, a.e->rc, PQSQL_GEO_SCALAR);
    }
    x->added++;
}

/* The oldest row leaves. */
void pqsql_geo_extent_inverse(sqlite3_context *ctx, int argc,
                              sqlite3_value **argv)
{
    Extent *x = sqlite3_aggregate_context(ctx, sizeof *x);

    if (!x) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    x->is_window = true;
    if (x->is_cut) {
        sqlite3_result_error(ctx, "ST_Extent: more than a million rows of the "
                             "window rise or fall in X or Y; begin it with "
                             "UNBOUNDED PRECEDING", -1);
        return;
    }
    for (int i = 0; i < ENDS; i++) {
        End *d = &x->end[i];

        if (d->n > d->first && d->c[d->first].row == x->removed) {
            d->first++;
        }
    }
    x->removed++;
}

static double end_of(const Extent *x, int i)
{
    return x->end[i].c[x->end[i].first].v;
}

static void give(sqlite3_context *ctx, const Extent *x)
{
    PqGeoBox box = {.has = {[PQ_GEO_X] = true, [PQ_GEO_Y] = true}};
    PqsqlGeoArgs a;

    if (!x || x->end[NORTH].n == x->end[NORTH].first) {
        return;
    }
    box.min[PQ_GEO_X] = end_of(x, WEST);
    box.min[PQ_GEO_Y] = end_of(x, SOUTH);
    box.max[PQ_GEO_X] = -end_of(x, EAST);
    box.max[PQ_GEO_Y] = -end_of(x, NORTH);
    a = pqsql_geo_begin(ctx, sqlite3_user_data(ctx), PQSQL_GEO_GEOMETRY, 0,
                        NULL);
    pqsql_geo_put_extent(a.out, &box);
    pqsql_geo_end(&a, PQ_OK, PQSQL_GEO_GEOMETRY);
}

void pqsql_geo_extent_value(sqlite3_context *ctx)
{
    Extent *x = sqlite3_aggregate_context(ctx, 0);

    if (x) {
        x->is_window = true;
    }
    give(ctx, x);
}

void pqsql_geo_extent_final(sqlite3_context *ctx)
{
    Extent *x = sqlite3_aggregate_context(ctx, 0);

    give(ctx, x);
    if (x) {
        forget(x);
    }
}
