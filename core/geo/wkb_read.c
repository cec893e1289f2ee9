/*
** wkb_read.c - well-known binary form is checked and taken apart.
**
** The type of EWKB has flags where ISO adds thousands.  A writer may mix both,
** and then has Z if either says so:
**
**   e9 03 00 00                  1001        POINT Z, ISO
**   01 00 00 80                  80000001    POINT Z, EWKB
**   01 00 00 20  e6 10 00 00     20000001    POINT, with SRID 4326
**
** Nothing is allocated by a count.  So it is enough to compare a count with the
** least bytes that as many parts take.
*/
#include "core/geo/wkb.h"

#include <math.h>
#include <stdio.h>

/* Of the highest 4 bits. */
enum { FLAG_Z = 0x8, FLAG_M = 0x4, FLAG_SRID = 0x2 };

enum {
    LEAST_RING = 4,                  /* its count                            */
    LEAST_PART = 9                   /* byte order, type, count              */
};

typedef struct Parent {
    PqWkbHead head;
    uint32_t  left;                  /* parts that are still to come         */
} Parent;

typedef struct Reader {
    PqSlice            whole, rest;
    const PqWkbEvents *v;
    PqErr             *e;
    bool               swapped;      /* the geometry that is being read      */
    uint32_t           depth;
    Parent            *parent;       /* room for PQ_GEO_DEPTH                */
} Reader;

/* What is wrong with the bytes that come next. */
PQ_COLD static PqRc wrong(const Reader *r, const char *fmt, ...)
    PQ_PRINTF(2, 3);

PQ_COLD static PqRc wrong(const Reader *r, const char *fmt, ...)
{
    char what[160];
    va_list ap;

    if (!r->e) {
        return PQ_USAGE;
    }
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return pq_fail(r->e, PQ_USAGE, "invalid WKB: at byte %zu, %s",
                   r->whole.n - r->rest.n, what);
}

static uint32_t load(const uint8_t *p, bool swapped)
{
    uint32_t v = pq_load_u32(p);

    return swapped ? __builtin_bswap32(v) : v;
}

/* The bytes of the head; 0: it is not a head. */
static size_t read_head(PqSlice s, PqWkbHead *h)
{
    uint32_t type, flags, iso;
    bool swapped;

    if (s.n < 5 || s.p[0] > 1) {
        return 0;
    }
    swapped = s.p[0] == 0;
    type = load(s.p + 1, swapped);
    flags = type >> 28;
    type &= 0x0fffffff;
    iso = type / 1000;
    h->has_srid = (flags & FLAG_SRID) != 0;
    if (type % 1000 < PQ_GEO_POINT || type % 1000 > PQ_GEO_COLLECTION ||
        iso > 3 || (flags & 1) || (h->has_srid && s.n < 9)) {
        return 0;
    }
    h->kind = (PqGeoKind)(type % 1000);
    h->has_z = (flags & FLAG_Z) || (iso & 1);
    h->has_m = (flags & FLAG_M) || (iso & 2);
    h->is_iso = flags == 0;
    h->srid = h->has_srid ? load(s.p + 5, swapped) : 0;
    return h->has_srid ? 9 : 5;
}

bool pq_wkb_head(PqSlice wkb, PqWkbHead *out)
{
    return read_head(wkb, out) > 0;
}

uint32_t pq_wkb_code(const PqWkbHead *h)
{
    return (uint32_t)h->kind + (h->has_z ? 1000 : 0) + (h->has_m ? 2000 : 0);
}

/* ---- other forms --------------------------------------------------------- */

/* 00, byte order, SRID, and in the last byte FE.  A usual geometry has its box
** and then 7C; a small point has 80 added to the byte order. */
static bool is_of_spatialite(PqSlice s)
{
    return s.n >= 24 && s.p[0] == 0 && s.p[s.n - 1] == 0xfe &&
           ((s.p[1] & 0xfe) == 0x80 ||
            (s.n > 43 && s.p[1] <= 1 && s.p[38] == 0x7c));
}

/* "GP", version 0, flags, SRID */
static bool is_of_geopackage(PqSlice s)
{
    return s.n >= 8 && s.p[0] == 'G' && s.p[1] == 'P' && s.p[2] == 0;
}

const char *pq_wkb_other(PqSlice s)
{
    return is_of_spatialite(s)
               ? "this is a geometry of SpatiaLite; its ST_AsBinary(g) makes "
                 "WKB of it"
           : is_of_geopackage(s)
               ? "this is a geometry of a GeoPackage; SpatiaLite's "
                 "ST_AsBinary(GeomFromGPB(g)) makes WKB of it"
               : NULL;
}

/* ---- parts --------------------------------------------------------------- */

static void take(Reader *r, size_t n)
{
    r->rest.p += n;
    r->rest.n -= n;
}

PQ_COLD static PqRc wrong_head(const Reader *r)
{
    const char *other = r->rest.n == r->whole.n ? pq_wkb_other(r->whole) : NULL;

    if (other) {
        return wrong(r, "%s", other);
    }
    if (r->rest.n < 5) {
        return wrong(r, "it ends within a geometry");
    }
    if (r->rest.p[0] > 1) {
        return wrong(r, "the byte order is %u, not 0 or 1", r->rest.p[0]);
    }
    return wrong(r, "%u is not a type of geometry, or it ends within an SRID",
                 load(r->rest.p + 1, r->rest.p[0] == 0));
}

/* A count of things that take at least `least` bytes each. */
static PqRc take_count(Reader *r, size_t least, const char *what, uint32_t *out)
{
    if (r->rest.n < 4) {
        return wrong(r, "it ends where the number of %s should be", what);
    }
    *out = load(r->rest.p, r->swapped);
    if (*out > (r->rest.n - 4) / least) {
        return wrong(r, "%u %s do not fit into the %zu bytes that are left",
                     *out, what, r->rest.n - 4);
    }
    take(r, 4);
    return PQ_OK;
}

static PqWkbRun run_of(const PqWkbHead *h)
{
    return (PqWkbRun){.n_axes = 2u + h->has_z + h->has_m, .has_z = h->has_z,
                      .has_m = h->has_m};
}

/* The next n points.  The caller has compared n with the bytes that are left. */
static PqRc take_run(Reader *r, PqWkbRun *run, uint32_t n)
{
    run->p = r->rest.p;
    run->n = n;
    run->swapped = r->swapped;
    take(r, (size_t)n * run->n_axes * 8);
    return n > 0 && r->v->run ? r->v->run(r->v->arg, run, r->e) : PQ_OK;
}

static PqRc begin(Reader *r, const PqWkbHead *h, uint32_t n)
{
    return r->v->begin ? r->v->begin(r->v->arg, h, n, r->depth, r->e) : PQ_OK;
}

static PqRc end(Reader *r)
{
    return r->v->end ? r->v->end(r->v->arg, r->e) : PQ_OK;
}

static PqRc take_point(Reader *r, const PqWkbHead *h, bool *is_empty)
{
    PqWkbRun run = run_of(h);
    uint32_t n = run.n_axes;

    if (r->rest.n < n * 8) {
        return wrong(r, "it ends within a POINT");
    }
    *is_empty = true;
    for (uint32_t i = 0; i < n && *is_empty; i++) {
        *is_empty = isnan(pq_wkb_number(r->rest.p + i * 8, r->swapped));
    }
    PQ_TRY(begin(r, h, !*is_empty));
    if (*is_empty) {
        take(r, n * 8);
        return PQ_OK;
    }
    return take_run(r, &run, 1);
}

static PqRc take_line(Reader *r, const PqWkbHead *h, bool *is_empty)
{
    PqWkbRun run = run_of(h);
    uint32_t n;

    PQ_TRY(take_count(r, run.n_axes * 8, "points", &n));
    *is_empty = n == 0;
    PQ_TRY(begin(r, h, n));
    return take_run(r, &run, n);
}

static PqRc take_polygon(Reader *r, const PqWkbHead *h, bool *is_empty)
{
    PqWkbRun run = run_of(h);
    uint32_t n, n_rings;

    PQ_TRY(take_count(r, LEAST_RING, "rings", &n_rings));
    *is_empty = n_rings == 0;
    PQ_TRY(begin(r, h, n_rings));
    for (uint32_t i = 0; i < n_rings; i++) {
        PQ_TRY(take_count(r, run.n_axes * 8, "points", &n));
        run.is_inner = i > 0;
        run.is_void = i > 0 ? run.is_void : n == 0;
        PQ_TRY(r->v->ring ? r->v->ring(r->v->arg, n, r->e) : PQ_OK);
        PQ_TRY(take_run(r, &run, n));
        PQ_TRY(r->v->ring_end ? r->v->ring_end(r->v->arg, r->e) : PQ_OK);
    }
    return PQ_OK;
}

static PqRc take_parent(Reader *r, const PqWkbHead *h)
{
    uint32_t n;

    if (r->depth == PQ_GEO_DEPTH) {
        return wrong(r, "geometries are nested more than %d deep",
                     PQ_GEO_DEPTH);
    }
    PQ_TRY(take_count(r, LEAST_PART, "parts", &n));
    PQ_TRY(begin(r, h, n));
    r->parent[r->depth++] = (Parent){*h, n};
    return PQ_OK;
}

/* ---- the whole ----------------------------------------------------------- */

/* The parts of a MULTI* have its kind, and its dimensions unless they are
** empty.
** QUIRK: GEOS 3.12 writes an empty part of a MULTIPOINT Z without Z (test
** wkb.an_empty_part_may_lack_z). */
static PqRc check_part(const Reader *r, const PqWkbHead *parent,
                       const PqWkbHead *h)
{
    if (parent->kind != PQ_GEO_COLLECTION && h->kind + 3 != parent->kind) {
        return wrong(r, "a geometry of type %u is a part of one of type %u",
                     pq_wkb_code(h), pq_wkb_code(parent));
    }
    return PQ_OK;
}

static PqRc check_axes(const Reader *r, const PqWkbHead *parent,
                       const PqWkbHead *h)
{
    if (parent->kind != PQ_GEO_COLLECTION &&
        (h->has_z != parent->has_z || h->has_m != parent->has_m)) {
        return wrong(r, "a part of type %u ends, and its dimensions are not"
                     " those of type %u around it", pq_wkb_code(h),
                     pq_wkb_code(parent));
    }
    return PQ_OK;
}

/* All of a geometry, or a parent without its parts. */
static PqRc take_geometry(Reader *r)
{
    const PqWkbHead *parent = r->depth ? &r->parent[r->depth - 1].head : NULL;
    bool is_empty = true;
    PqWkbHead h;
    size_t n = read_head(r->rest, &h);

    if (n == 0) {
        return wrong_head(r);
    }
    PQ_TRY(parent ? check_part(r, parent, &h) : PQ_OK);
    r->swapped = r->rest.p[0] == 0;
    take(r, n);
    if (h.kind >= PQ_GEO_MULTIPOINT) {
        return take_parent(r, &h);
    }
    PQ_TRY(h.kind == PQ_GEO_POINT        ? take_point(r, &h, &is_empty)
           : h.kind == PQ_GEO_LINESTRING ? take_line(r, &h, &is_empty)
                                         : take_polygon(r, &h, &is_empty));
    PQ_TRY(end(r));
    return parent && !is_empty ? check_axes(r, parent, &h) : PQ_OK;
}

PqRc pq_wkb_runs(PqSlice wkb, const PqWkbEvents *v, PqErr *e)
{
    Parent parents[PQ_GEO_DEPTH];
    Reader r = {.whole = wkb, .rest = wkb, .v = v, .e = e, .parent = parents};

    do {
        PQ_TRY(take_geometry(&r));
        while (r.depth && r.parent[r.depth - 1].left == 0) {
            r.depth--;
            PQ_TRY(end(&r));
        }
        if (r.depth) {
            r.parent[r.depth - 1].left--;
        }
    } while (r.depth);
    return r.rest.n ? wrong(&r, "the geometry ends and %zu more bytes follow",
                            r.rest.n)
                    : PQ_OK;
}

PqRc pq_wkb_check(PqSlice wkb, PqErr *e)
{
    static const PqWkbEvents none;

    return pq_wkb_runs(wkb, &none, e);
}
