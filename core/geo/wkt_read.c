/*
** wkt_read.c - reads well-known text.
**
** A head of WKB has the dimensions, but the text may show them late:
**
**   GEOMETRYCOLLECTION(POINT EMPTY,POINT(1 2 3))
**
** All of a text has the same dimensions.  So they are looked up first: the first
** Z, M or ZM decides, or the first point if it comes before.  Then the text is
** read once, and what does not agree is an error.
**
** Counts are filled in at the end of their lists.  Nothing recurses: only
** collections nest without end, and these are kept on a stack.
**
** WKB in hex digits begins with a digit or a backslash, and WKT never does.
*/
#include "core/geo/wkt.h"
#include "core/text/parse.h"
#include "core/text/number_parse.h"

#include <math.h>
#include <stdio.h>

typedef struct Parser {
    const uint8_t *p, *begin, *end;
    PqBuf   *out;
    PqErr   *e;
    uint32_t dimensions;             /* bit 0: Z, bit 1: M                   */
    uint32_t n_axes;
    uint32_t n_rings;                /* of this POLYGON                      */
    uint32_t depth;                  /* open collections                     */
    size_t   count_at[PQ_GEO_DEPTH]; /* of these                             */
    uint32_t n_parts[PQ_GEO_DEPTH];
} Parser;

enum { NO_TAG = 4 };

/* POINT Z, or POINTZ */
typedef struct Tag {
    PqGeoKind kind;
    uint32_t  dimensions;            /* or NO_TAG                            */
} Tag;

PQ_COLD static PqRc wrong(const Parser *r, const uint8_t *at, const char *fmt,
                          ...) PQ_PRINTF(3, 4);

PQ_COLD static PqRc wrong(const Parser *r, const uint8_t *at, const char *fmt,
                          ...)
{
    size_t character = 1;
    char what[200];
    va_list ap;

    for (const uint8_t *p = r->begin; p < at; p++) {
        character += (*p & 0xc0) != 0x80;        /* not within a character   */
    }
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return pq_fail(r->e, PQ_USAGE, "WKT, at character %zu: %s", character,
                   what);
}

PQ_COLD static PqRc expected(const Parser *r, const char *what)
{
    if (r->p == r->end) {
        return wrong(r, r->p, "expected %s, but the text ends", what);
    }
    if (*r->p > ' ' && *r->p < 0x7f) {
        return wrong(r, r->p, "expected %s, not '%c'", what, *r->p);
    }
    return wrong(r, r->p, "expected %s", what);
}

/* ---- words --------------------------------------------------------------- */

static inline void skip_blanks(Parser *r)
{
    while (r->p < r->end && pq_ascii_is_blank(*r->p)) r->p++;
}

/* Takes a character, after blanks. */
static inline bool take(Parser *r, char c)
{
    skip_blanks(r);
    if (r->p < r->end && *r->p == c) {
        r->p++;
        return true;
    }
    return false;
}

/* The letters that come next, after blanks. */
static PqSlice next_word(Parser *r)
{
    const uint8_t *p;

    skip_blanks(r);
    for (p = r->p; p < r->end && pq_ascii_is_letter(*p); p++) {
    }
    return pq_slice(r->p, (size_t)(p - r->p));
}

static bool take_empty(Parser *r)
{
    PqSlice word = next_word(r);
    bool is_empty = pq_parse_is_word(word, "empty");

    r->p += is_empty ? word.n : 0;
    return is_empty;
}

/* "", z, m or zm */
static uint32_t dimensions_of(PqSlice s)
{
    return s.n == 0                    ? NO_TAG
           : pq_parse_is_word(s, "z")  ? 1
           : pq_parse_is_word(s, "m")  ? 2
           : pq_parse_is_word(s, "zm") ? 3
                                       : NO_TAG + 1;
}

/* The name of a kind, maybe with its dimensions.  False: it is not a name. */
static bool read_name(PqSlice word, Tag *out)
{
    for (uint32_t k = PQ_GEO_POINT; k <= PQ_GEO_COLLECTION; k++) {
        const char *name = pq_geo_kind_names[k];
        size_t n = 0;

        while (n < word.n && name[n] && (word.p[n] | 0x20) == (name[n] | 0x20)) {
            n++;
        }
        if (!name[n]) {
            out->kind = (PqGeoKind)k;
            out->dimensions = dimensions_of(pq_slice(word.p + n, word.n - n));
            return out->dimensions <= NO_TAG;
        }
    }
    return false;
}

/* The error for a text that is something else, with what to write instead. */
PQ_COLD static PqRc no_name(const Parser *r, PqSlice word)
{
    int n = word.n > 20 ? 20 : (int)word.n;

    if (r->p < r->end && *r->p == '{') {
        return wrong(r, r->p, "this is JSON, which is not read; a point of "
                     "GeoJSON is ST_Point(g ->> '$.coordinates[0]', g ->> "
                     "'$.coordinates[1]')");
    }
    if (pq_parse_is_word(word, "box") || pq_parse_is_word(word, "box3d")) {
        return wrong(r, r->p, "a BOX is not a geometry; write "
                     "ST_MakeEnvelope(xmin, ymin, xmax, ymax)");
    }
    if (n > 1) {
        return wrong(r, r->p, "expected the name of a geometry, such as POINT, "
                     "not '%.*s'", n, (const char *)word.p);
    }
    return expected(r, "the name of a geometry, such as POINT");
}

PQ_COLD static PqRc unknown(const Parser *r, PqSlice word)
{
    static const char *const kinds[] = {
        "circularstring", "compoundcurve", "curve", "curvepolygon",
        "multicurve", "multisurface", "nurbscurve", "polyhedralsurface",
        "surface", "tin", "triangle"
    };

    for (size_t i = 0; i < PQ_COUNT(kinds); i++) {
        if (pq_parse_is_word(word, kinds[i])) {
            return wrong(r, r->p, "%.*s is not supported", (int)word.n,
                         (const char *)word.p);
        }
    }
    return no_name(r, word);
}

static PqRc read_tag(Parser *r, Tag *out)
{
    PqSlice word = next_word(r);

    if (!read_name(word, out)) {
        return unknown(r, word);
    }
    r->p += word.n;
    if (out->dimensions == NO_TAG) {
        word = next_word(r);
        out->dimensions = dimensions_of(word);
        if (out->dimensions > NO_TAG) {
            out->dimensions = NO_TAG;            /* EMPTY, or wrong          */
        } else {
            r->p += word.n;
        }
    }
    return PQ_OK;
}

/* SRID=4326; */
static PqRc skip_srid(Parser *r)
{
    PqSlice word = next_word(r);

    if (!pq_parse_is_word(word, "srid")) {
        return PQ_OK;
    }
    r->p += word.n;
    if (!take(r, '=')) {
        return expected(r, "'='");
    }
    take(r, '-');
    if (r->p == r->end || !pq_ascii_is_digit(*r->p)) {
        return expected(r, "a number");
    }
    while (r->p < r->end && pq_ascii_is_digit(*r->p)) r->p++;
    return take(r, ';') ? PQ_OK : expected(r, "';'");
}

/* ---- dimensions ---------------------------------------------------------- */

static const char *axes_name(uint32_t dimensions)
{
    static const char *const names[] = {"XY", "XYZ", "XYM", "XYZM"};

    return names[dimensions & 3];
}

/* The dimensions by how many numbers follow from p on. */
static uint32_t dimensions_at(const uint8_t *p, const uint8_t *end)
{
    uint32_t n = 0;
    bool within = false;

    for (; p < end && *p != ',' && *p != ')' && *p != '('; p++) {
        bool blank = pq_ascii_is_blank(*p);

        n += !blank && !within;
        within = !blank;
    }
    return n == 3 ? 1 : n == 4 ? 3 : 0;
}

/* Of the whole text. */
static uint32_t find_dimensions(Parser r)
{
    while (r.p < r.end) {
        PqSlice word = next_word(&r);
        uint32_t d = dimensions_of(word);
        Tag tag;

        if (read_name(word, &tag)) {
            d = tag.dimensions;
        }
        if (d < NO_TAG) {
            return d;
        }
        if (d > NO_TAG && !pq_parse_is_word(word, "empty")) {
            return dimensions_at(r.p, r.end);    /* nan                      */
        }
        r.p += word.n;
        if (!word.n && r.p < r.end) {
            if (*r.p != '(' && *r.p != ',' && *r.p != ')') {
                return dimensions_at(r.p, r.end);
            }
            r.p++;
        }
    }
    return 0;
}

static PqRc check_dimensions(const Parser *r, const uint8_t *at, uint32_t d)
{
    return d == r->dimensions
               ? PQ_OK
               : wrong(r, at, "all of a geometry has the same dimensions, but"
                       " this is %s and the rest is %s", axes_name(d),
                       axes_name(r->dimensions));
}

/* ---- points -------------------------------------------------------------- */

static PqRc read_number(Parser *r, double *out)
{
    const uint8_t *p;

    skip_blanks(r);
    for (p = r->p; p < r->end && *p != ',' && *p != ')' && *p != '(' &&
                   !pq_ascii_is_blank(*p); p++) {
    }
    switch (pq_number_parse_double(pq_slice(r->p, (size_t)(p - r->p)), out)) {
    case PQ_PARSE_OK:
        r->p = p;
        *out = *out == *out ? *out : (double)NAN;
        return PQ_OK;
    case PQ_PARSE_RANGE:
        return wrong(r, r->p, "the number is too large");
    default:
        return expected(r, "a number");
    }
}

static bool is_end_of_point(const Parser *r)
{
    return r->p == r->end || *r->p == ',' || *r->p == ')';
}

PQ_COLD static PqRc wrong_count(Parser *r, const uint8_t *at, uint32_t n)
{
    double v;

    for (; !is_end_of_point(r); n++) {
        PQ_TRY(read_number(r, &v));
        skip_blanks(r);
    }
    return wrong(r, at, "expected %u numbers (%s), not %u", r->n_axes,
                 axes_name(r->dimensions), n);
}

/* The numbers of a point, up to a comma or a parenthesis. */
static PqRc read_point(Parser *r)
{
    uint8_t *to = pq_buf_room(r->out, PQ_GEO_AXES * sizeof(double));
    const uint8_t *at;
    double v;

    if (!to) {
        return r->out->sink->rc;
    }
    skip_blanks(r);
    at = r->p;
    for (uint32_t i = 0; i < r->n_axes; i++) {
        PQ_TRY(read_number(r, &v));
        memcpy(to + 8 * i, &v, sizeof v);
        skip_blanks(r);
        if (i + 1 < r->n_axes && is_end_of_point(r)) {
            return wrong_count(r, at, i + 1);
        }
    }
    r->out->n += r->n_axes * sizeof v;
    return is_end_of_point(r) ? PQ_OK : wrong_count(r, at, r->n_axes);
}

static void put_head(Parser *r, PqGeoKind kind)
{
    pq_wkb_put_head(r->out, kind, r->dimensions & 1, r->dimensions & 2);
}

/* ---- lists --------------------------------------------------------------- */

static size_t begin_count(Parser *r)
{
    pq_wkb_put_count(r->out, 0);
    return r->out->n - 4;
}

static void end_count(Parser *r, size_t at, uint32_t n)
{
    if (pq_buf_ok(r->out)) {
        pq_store_u32(r->out->p + at, n);
    }
}

static PqRc expect_open(Parser *r)
{
    return take(r, '(') ? PQ_OK : expected(r, "'(' or EMPTY");
}

/* EMPTY or (item,item,...), with its count. */
static PqRc read_list(Parser *r, PqRc (*item)(Parser *r))
{
    size_t at = begin_count(r);
    uint32_t n = 0;

    if (take_empty(r)) {
        return PQ_OK;
    }
    PQ_TRY(expect_open(r));
    do {
        PQ_TRY(item(r));
        n++;
    } while (take(r, ','));
    if (!take(r, ')')) {
        return expected(r, "',' or ')'");
    }
    end_count(r, at, n);
    return PQ_OK;
}

/* The first ring must not be EMPTY, because the whole POLYGON is EMPTY then. */
static PqRc read_ring(Parser *r)
{
    if (r->n_rings++ == 0) {
        skip_blanks(r);
        if (r->p == r->end || *r->p != '(') {
            return expected(r, "'('");
        }
    }
    return read_list(r, read_point);
}

static PqRc read_rings(Parser *r)
{
    r->n_rings = 0;
    return read_list(r, read_ring);
}

/* EMPTY or (numbers).  bare: or the numbers alone. */
static PqRc read_single_point(Parser *r, bool bare)
{
    if (take_empty(r)) {
        for (uint32_t i = 0; i < r->n_axes; i++) {
            pq_wkb_put_number(r->out, (double)NAN);
        }
        return PQ_OK;
    }
    if (!take(r, '(')) {
        return bare ? read_point(r) : expected(r, "'(' or EMPTY");
    }
    PQ_TRY(read_point(r));
    return take(r, ')') ? PQ_OK : expected(r, "')'");
}

static PqRc read_point_part(Parser *r)
{
    put_head(r, PQ_GEO_POINT);
    return read_single_point(r, true);
}

static PqRc read_line_part(Parser *r)
{
    put_head(r, PQ_GEO_LINESTRING);
    return read_list(r, read_point);
}

static PqRc read_polygon_part(Parser *r)
{
    put_head(r, PQ_GEO_POLYGON);
    return read_rings(r);
}

/* ---- geometries ---------------------------------------------------------- */

/* Reads everything except the parts of a collection. */
static PqRc read_body(Parser *r, PqGeoKind kind, bool *opens)
{
    if (kind >= PQ_GEO_MULTIPOINT && r->depth == PQ_GEO_DEPTH) {
        return wrong(r, r->p, "geometries are nested more than %d deep",
                     PQ_GEO_DEPTH);
    }
    switch (kind) {
    case PQ_GEO_POINT:
        return read_single_point(r, false);
    case PQ_GEO_LINESTRING:
        return read_list(r, read_point);
    case PQ_GEO_POLYGON:
        return read_rings(r);
    case PQ_GEO_MULTIPOINT:
        return read_list(r, read_point_part);
    case PQ_GEO_MULTILINESTRING:
        return read_list(r, read_line_part);
    case PQ_GEO_MULTIPOLYGON:
        return read_list(r, read_polygon_part);
    default:
        r->count_at[r->depth] = begin_count(r);
        r->n_parts[r->depth] = 1;
        *opens = !take_empty(r);
        r->depth += *opens;
        return *opens ? expect_open(r) : PQ_OK;
    }
}

static PqRc read_geometry(Parser *r, bool *opens)
{
    const uint8_t *at;
    Tag tag;

    *opens = false;
    skip_blanks(r);
    at = r->p;
    PQ_TRY(read_tag(r, &tag));
    if (tag.dimensions != NO_TAG) {
        PQ_TRY(check_dimensions(r, at, tag.dimensions));
    } else if (r->dimensions == 2 && tag.kind != PQ_GEO_COLLECTION &&
               next_word(r).n == 0) {
        PQ_TRY(check_dimensions(r, at, 1));      /* three numbers without M  */
    }
    put_head(r, tag.kind);
    return read_body(r, tag.kind, opens);
}

static PqRc read_all(Parser *r)
{
    bool opens;

    PQ_TRY(skip_srid(r));
    r->dimensions = find_dimensions(*r);
    r->n_axes = 2 + (r->dimensions & 1) + (r->dimensions >> 1);
    do {
        PQ_TRY(read_geometry(r, &opens));
        while (!opens && r->depth && !take(r, ',')) {
            if (!take(r, ')')) {
                return expected(r, "',' or ')'");
            }
            r->depth--;
            end_count(r, r->count_at[r->depth], r->n_parts[r->depth]);
        }
        if (!opens && r->depth) {
            r->n_parts[r->depth - 1]++;
        }
    } while (r->depth);
    skip_blanks(r);
    return r->p == r->end ? PQ_OK : expected(r, "the end of the text");
}

/* ---- hex ----------------------------------------------------------------- */

/* After blanks and a "\x": the byte order comes first, which is 00 or 01. */
static bool take_hex_mark(Parser *r)
{
    skip_blanks(r);
    if (r->end - r->p >= 2 && r->p[0] == '\\' && (r->p[1] | 0x20) == 'x') {
        r->p += 2;
        return true;
    }
    return r->end - r->p >= 2 && r->p[0] == '0' && (r->p[1] | 1) == '1';
}

static PqRc read_hex(Parser *r)
{
    const uint8_t *from = r->p;
    PqSlice digits;
    PqBuf wkb;
    PqRc rc;

    while (r->p < r->end && pq_ascii_hex(*r->p) >= 0) r->p++;
    digits = pq_slice(from, (size_t)(r->p - from));
    skip_blanks(r);
    if (r->p < r->end || digits.n & 1) {
        return expected(r, "a hex digit of WKB");
    }
    pq_buf_init(&wkb, r->out->mem, r->e);
    if (pq_buf_room(&wkb, digits.n / 2 + 1) &&
        pq_hex_parse(digits, wkb.p) == PQ_PARSE_OK) {
        wkb.n = digits.n / 2;
    }
    rc = pq_buf_ok(&wkb) ? pq_wkb_to_iso(pq_buf_view(&wkb), r->out, r->e)
                         : r->e->rc;
    pq_buf_free(&wkb);
    return rc;
}

/* ---- both ---------------------------------------------------------------- */

PqRc pq_wkt_read(PqSlice text, PqBuf *out, PqErr *e)
{
    Parser r = {.p = text.p, .begin = text.p, .out = out, .e = e};
    size_t from = out->n;
    PqRc rc;

    r.end = text.n ? text.p + text.n : text.p;
    rc = text.n >= UINT32_MAX ? pq_fail(e, PQ_USAGE, "WKT of %zu bytes is too "
                                        "long", text.n)
         : take_hex_mark(&r)  ? read_hex(&r)
                              : read_all(&r);
    return pq_wkb_put_end(out, from, rc, e);
}
