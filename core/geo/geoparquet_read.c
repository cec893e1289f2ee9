/*
** geoparquet_read.c - reads the JSON of GeoParquet and of GeoArrow.
**
** Each object has a table of the members that are known, with a function that
** reads the value.  A function is given the first token of the value and takes
** all of it.  It accepts any JSON: a value of another kind is skipped, and the
** member becomes "not known".
**
** The text is read once, from front to back, with a reader that never recurses.
*/
#include "core/geo/geoparquet.h"
#include "core/text/json_read.h"
#include "core/text/number_parse.h"
#include "core/text/utf8.h"

/* A column while it is read. */
typedef struct Draft {
    PqGeoColumn c;
    const char *encoding, *edges, *algorithm;
    bool        good;
} Draft;

typedef struct Reader {
    PqJsonRead json;
    PqArena   *a;
    PqErr     *e;
    Draft     *columns;
    uint32_t   n_columns;
} Reader;

/* Reads the value that begins with `value` into what `to` points to. */
typedef PqRc Read(Reader *r, const PqJsonToken *value, void *to);

typedef struct Member {
    const char *name;
    Read       *read;
    size_t      at;                  /* where in `to` it goes                */
} Member;

static PqRc next(Reader *r, PqJsonToken *out)
{
    return pq_json_read_next(&r->json, out, r->e);
}

static PqRc skip(Reader *r, const PqJsonToken *value)
{
    return pq_json_read_skip(&r->json, value, NULL, r->e);
}

/* The members of an object, which has begun.  The table ends with a row without
** a name. */
static PqRc read_members(Reader *r, const Member *table, void *to)
{
    PqJsonToken t;

    for (;;) {
        const Member *m = table;

        PQ_TRY(next(r, &t));
        if (t.kind == PQ_JSON_OBJECT_END) {
            return PQ_OK;
        }
        while (m->name && !pq_slice_is(t.text, m->name)) m++;
        PQ_TRY(next(r, &t));
        PQ_TRY(m->name ? m->read(r, &t, (char *)to + m->at) : skip(r, &t));
    }
}

/* An object of these members.  Anything else leaves zeros, n of them. */
static PqRc read_object(Reader *r, const PqJsonToken *value,
                        const Member *table, void *to, size_t n)
{
    memset(to, 0, n);
    return value->kind == PQ_JSON_OBJECT ? read_members(r, table, to)
                                         : skip(r, value);
}

/* A const char *; NULL if the value is not a text, or has a NUL in it. */
static PqRc read_text(Reader *r, const PqJsonToken *value, void *to)
{
    const char **out = to;
    PqSlice s = value->text;

    *out = NULL;
    if (value->kind != PQ_JSON_STRING) {
        return skip(r, value);
    }
    if (s.n && memchr(s.p, 0, s.n)) {
        return PQ_OK;
    }
    *out = pq_arena_text(r->a, s.p, s.n, r->e);
    return *out ? PQ_OK : r->e->rc;
}

/* ---- crs ----------------------------------------------------------------- */

/* "EPSG:5070": a name, a colon and a name. */
static bool is_id(PqSlice s)
{
    uint32_t colons = 0;

    for (size_t i = 0; i < s.n; i++) {
        uint8_t c = s.p[i], low = c | 0x20;

        colons += c == ':';
        if (c != ':' && c != '-' && c != '.' && c != '_' &&
            !pq_ascii_is_digit(c) && (low < 'a' || low > 'z')) {
            return false;
        }
    }
    return colons == 1 && s.p[0] != ':' && s.p[s.n - 1] != ':';
}

typedef struct Id {
    const char *authority, *code;
} Id;

/* The code of a CRS is a text or a number. */
static PqRc read_code(Reader *r, const PqJsonToken *value, void *to)
{
    PqJsonToken t = *value;

    t.kind = t.kind == PQ_JSON_NUMBER ? PQ_JSON_STRING : t.kind;
    return read_text(r, &t, to);
}

static PqRc read_id(Reader *r, const PqJsonToken *value, void *to)
{
    static const Member members[] = {
        {"authority", read_text, offsetof(Id, authority)},
        {"code", read_code, offsetof(Id, code)},
        {NULL, NULL, 0}
    };

    return read_object(r, value, members, to, sizeof(Id));
}

/* JSON without the blanks between its tokens. */
static char *compact(PqArena *a, PqSlice json, PqErr *e)
{
    char *out = (char *)pq_arena_bytes(a, json.n + 1, e);
    bool in_string = false;
    size_t n = 0;

    for (size_t i = 0; out && i < json.n; i++) {
        uint8_t c = json.p[i];

        if (in_string && c == '\\') {
            out[n++] = (char)c;
            c = json.p[++i];
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && c <= ' ') {
            continue;
        }
        out[n++] = (char)c;
    }
    if (out) {
        out[n] = 0;
    }
    return out;
}

/* An id as PqType.crs has it: OGC:CRS84 is NULL. */
static const char *known(const char *id)
{
    return id && strcmp(id, "OGC:CRS84") == 0 ? NULL : id;
}

static PqRc read_projjson(Reader *r, const PqJsonToken *value, PqGeoColumn *c)
{
    static const Member members[] = {
        {"id", read_id, 0},
        {NULL, NULL, 0}
    };
    Id id = {NULL, NULL};
    char *text = NULL;

    PQ_TRY(read_members(r, members, &id));
    c->crs_json = pq_slice(r->json.text.p + value->at, r->json.at - value->at);
    if (id.authority && id.code) {
        text = pq_arena_printf(r->a, r->e, "%s:%s", id.authority, id.code);
        if (!text) {
            return r->e->rc;
        }
    }
    if (!text || !is_id(pq_slice_text(text))) {
        text = compact(r->a, c->crs_json, r->e);
    }
    c->crs = known(text);
    return text ? PQ_OK : r->e->rc;
}

/* Before 0.4 a CRS was WKT, which is not understood.  Some writers give an id,
** and GeoArrow allows that. */
static PqRc read_crs(Reader *r, const PqJsonToken *value, void *to)
{
    PqGeoColumn *c = to;

    c->crs = "srid:0";
    c->crs_json = pq_slice(NULL, 0);
    if (value->kind == PQ_JSON_OBJECT) {
        return read_projjson(r, value, c);
    }
    if (value->kind == PQ_JSON_STRING && is_id(value->text)) {
        PQ_TRY(read_text(r, value, &c->crs));
        c->crs = known(c->crs);
        return PQ_OK;
    }
    return skip(r, value);
}

/* ---- the parts of a column ----------------------------------------------- */

/* The ISO code of a type: GeometryCollection ZM is 3007.  0: it is not a
** type. */
static uint32_t type_code(PqSlice s)
{
    for (uint32_t d = 0; d < PQ_COUNT(pq_geo_dimension_names); d++) {
        const char *end = pq_geo_dimension_names[d];

        for (uint32_t k = PQ_GEO_POINT; k <= PQ_GEO_COLLECTION; k++) {
            const char *kind = pq_geo_kind_names[k];
            size_t n = strlen(kind);

            if (s.n >= n && memcmp(s.p, kind, n) == 0 &&
                pq_slice_is(pq_slice(s.p + n, s.n - n), end)) {
                return d * 1000 + k;
            }
        }
    }
    return 0;
}

static bool add_type(PqGeoColumn *c, const PqJsonToken *t)
{
    uint32_t code = t->kind == PQ_JSON_STRING ? type_code(t->text) : 0, i;

    for (i = 0; i < c->n_codes && c->codes[i] != code; i++) {
    }
    if (code && i == c->n_codes) {
        c->codes[c->n_codes++] = code;
    }
    return code != 0;
}

/* Until 0.4 a single type could stand without brackets, and Unknown was a
** type. */
static PqRc read_types(Reader *r, const PqJsonToken *value, void *to)
{
    PqGeoColumn *c = to;
    bool good = true;
    PqJsonToken t;

    c->n_codes = 0;
    if (value->kind != PQ_JSON_ARRAY) {
        add_type(c, value);
        return skip(r, value);
    }
    for (;;) {
        PQ_TRY(next(r, &t));
        if (t.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        good = good && add_type(c, &t);
        PQ_TRY(skip(r, &t));
    }
    c->n_codes = good ? c->n_codes : 0;
    return PQ_OK;
}

/* False: there is none, or too many for a box. */
static bool make_box(const double *v, uint32_t n, PqGeoBox *box)
{
    uint32_t axes = n / 2;

    if (n != 4 && n != 6 && n != 8) {
        return false;
    }
    *box = (PqGeoBox){{false}, {0}, {0}};
    for (uint32_t i = 0; i < axes; i++) {
        box->has[i] = true;
        box->min[i] = v[i];
        box->max[i] = v[axes + i];
        if (i != PQ_GEO_X && box->min[i] > box->max[i]) {
            return false;
        }
    }
    return true;
}

static PqRc read_box(Reader *r, const PqJsonToken *value, void *to)
{
    PqGeoColumn *c = to;
    double v[8];
    uint32_t n = 0;
    PqJsonToken t;

    c->has_box = false;
    if (value->kind != PQ_JSON_ARRAY) {
        return skip(r, value);
    }
    for (;;) {
        PQ_TRY(next(r, &t));
        if (t.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        if (n < PQ_COUNT(v) && t.kind == PQ_JSON_NUMBER &&
            pq_number_parse_double(t.text, &v[n]) == PQ_PARSE_OK) {
            n++;
        } else {
            n = PQ_COUNT(v) + 1;     /* no such box                          */
        }
        PQ_TRY(skip(r, &t));
    }
    c->has_box = make_box(v, n, &c->box);
    return PQ_OK;
}

static PqRc read_path(Reader *r, const PqJsonToken *value, void *to)
{
    PqGeoPath *p = to;
    uint32_t n = 0;
    PqJsonToken t;

    p->n = 0;
    if (value->kind != PQ_JSON_ARRAY) {
        return skip(r, value);
    }
    for (;; n++) {
        const char *name;

        PQ_TRY(next(r, &t));
        if (t.kind == PQ_JSON_ARRAY_END) {
            break;
        }
        PQ_TRY(n < 2 ? read_text(r, &t, &name) : skip(r, &t));
        if (n < 2) {
            p->name[n] = name;
        }
    }
    p->n = n <= 2 && n && p->name[0] && p->name[n - 1] ? n : 0;
    return PQ_OK;
}

static PqRc read_cover_box(Reader *r, const PqJsonToken *value, void *to)
{
    static const Member members[] = {
        {"xmin", read_path, 0 * sizeof(PqGeoPath)},
        {"ymin", read_path, 1 * sizeof(PqGeoPath)},
        {"xmax", read_path, 2 * sizeof(PqGeoPath)},
        {"ymax", read_path, 3 * sizeof(PqGeoPath)},
        {NULL, NULL, 0}
    };
    PqGeoPath *cover = to;

    PQ_TRY(read_object(r, value, members, cover, 4 * sizeof *cover));
    if (!cover[0].n || !cover[1].n || !cover[2].n || !cover[3].n) {
        memset(cover, 0, 4 * sizeof *cover);
    }
    return PQ_OK;
}

static PqRc read_covering(Reader *r, const PqJsonToken *value, void *to)
{
    static const Member members[] = {
        {"bbox", read_cover_box, 0},
        {NULL, NULL, 0}
    };

    return read_object(r, value, members, to, 4 * sizeof(PqGeoPath));
}

/* A text; "" if it is something else, so that it differs from null. */
static PqRc read_choice(Reader *r, const PqJsonToken *value, void *to)
{
    const char **out = to;

    PQ_TRY(read_text(r, value, to));
    *out = *out || value->kind == PQ_JSON_NULL ? *out : "";
    return PQ_OK;
}

/* ---- columns ------------------------------------------------------------- */

bool pq_geo_encoding_find(PqSlice name, PqGeoEncoding *out)
{
    *out = PQ_GEO_AS_WKB;
    if (pq_parse_is_word(name, "wkb")) {
        return true;
    }
    for (uint32_t i = PQ_GEO_AS_POINT; i < PQ_GEO_ENCODINGS; i++) {
        if (pq_slice_is(name, pq_geo_encoding_names[i])) {
            *out = (PqGeoEncoding)i;
            return true;
        }
    }
    return false;
}

/* The text of 2.0 gives the algorithm as edges, its schema has a member for it
** beside "edges": "spherical".  Both are read. */
static bool find_algorithm(const Draft *d, int32_t *out)
{
    const char *name = d->algorithm ? d->algorithm : d->edges;

    *out = PQ_GEO_PLANAR;
    if (!name || strcmp(name, "planar") == 0) {
        return true;
    }
    for (int32_t i = 0; i < PQ_GEO_ALGORITHMS; i++) {
        if (strcmp(name, pq_geo_algorithm_names[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static const Member column_members[] = {
    {"encoding", read_text, offsetof(Draft, encoding)},
    {"geometry_types", read_types, offsetof(Draft, c)},
    {"geometry_type", read_types, offsetof(Draft, c)},
    {"crs", read_crs, offsetof(Draft, c)},
    {"edges", read_choice, offsetof(Draft, edges)},
    {"algorithm", read_choice, offsetof(Draft, algorithm)},
    {"bbox", read_box, offsetof(Draft, c)},
    {"covering", read_covering, offsetof(Draft, c.cover)},
    {NULL, NULL, 0}
};

/* Of columns with the same name the last counts, even if it is not
** understood. */
static PqRc add_column(Reader *r, const Draft *d)
{
    uint32_t n = r->n_columns, i;

    for (i = 0; i < n && strcmp(r->columns[i].c.name, d->c.name) != 0; i++) {
    }
    if (i == n) {
        PQ_TRY(PQ_ARENA_GROW(r->a, r->columns, n, r->e));
        r->n_columns++;
    }
    r->columns[i] = *d;
    return PQ_OK;
}

static PqRc read_column(Reader *r, PqSlice name, const PqJsonToken *value)
{
    PqJsonToken t = {.kind = PQ_JSON_STRING, .text = name};
    Draft d = {.good = value->kind == PQ_JSON_OBJECT};

    PQ_TRY(read_text(r, &t, &d.c.name));
    PQ_TRY(d.good ? read_members(r, column_members, &d) : skip(r, value));
    d.good = d.good && d.encoding &&
             pq_geo_encoding_find(pq_slice_text(d.encoding),
                                  &d.c.encoding) &&
             find_algorithm(&d, &d.c.algorithm);
    return d.c.name ? add_column(r, &d) : PQ_OK;
}

static PqRc read_columns(Reader *r, const PqJsonToken *value, void *to)
{
    PqGeoParquet *g = to;
    PqJsonToken key, t;
    uint32_t n = 0;

    r->n_columns = 0;
    r->columns = NULL;
    g->columns = NULL;
    if (value->kind != PQ_JSON_OBJECT) {
        return skip(r, value);
    }
    for (;;) {
        PQ_TRY(next(r, &key));
        if (key.kind == PQ_JSON_OBJECT_END) {
            break;
        }
        PQ_TRY(next(r, &t));
        PQ_TRY(n++ < PQ_GEO_COLUMNS ? read_column(r, key.text, &t)
                                    : skip(r, &t));
    }
    g->columns = pq_arena_alloc(r->a, (r->n_columns + 1) * sizeof *g->columns,
                                r->e);
    return g->columns ? PQ_OK : r->e->rc;
}

/* ---- whole texts --------------------------------------------------------- */

static PqRc read_whole(PqSlice json, const Member *members, Reader *r, void *to)
{
    PqJsonToken t;

    pq_json_read_begin(&r->json, json, r->a);
    PQ_TRY(next(r, &t));
    if (t.kind != PQ_JSON_OBJECT) {
        return pq_fail(r->e, PQ_CORRUPT, "not a JSON object");
    }
    PQ_TRY(read_members(r, members, to));
    return next(r, &t);
}

/* QUIRK: GeoPandas up to 0.12 writes "bbox": [NaN, NaN, NaN, NaN] if there is
** no geometry.  These words, and Infinity, become null.  Test:
** a_box_of_nans_is_none. */
static PqRc without_nan(PqArena *a, PqSlice json, PqSlice *out, PqErr *e)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    uint8_t *to = pq_arena_bytes(a, json.n + json.n / 3 + 1, e);
    bool in_string = false;
    size_t n = 0, i = 0;

    while (to && i < json.n) {
        size_t len = 0;

        for (uint32_t w = 0; !in_string && !len && w < PQ_COUNT(words); w++) {
            len = strlen(words[w]);
            len = json.n - i >= len && memcmp(json.p + i, words[w], len) == 0
                      ? len : 0;
        }
        if (len) {
            memcpy(to + n, "null", 4);
            n += 4;
            i += len;
            continue;
        }
        in_string ^= json.p[i] == '"';
        if (in_string && json.p[i] == '\\' && i + 1 < json.n) {
            to[n++] = json.p[i++];
        }
        to[n++] = json.p[i++];
    }
    *out = pq_slice(to, n);
    return to ? PQ_OK : e->rc;
}

/* True: it is read.  An error that is only about the text is forgotten. */
static bool is_read(PqRc rc, PqErr *e)
{
    if (rc == PQ_CORRUPT) {
        pq_err_clear(e);
    }
    return rc == PQ_OK;
}

static PqRc read_geo(PqSlice json, PqArena *a, PqGeoParquet *out, PqErr *e)
{
    static const Member members[] = {
        {"version", read_text, offsetof(PqGeoParquet, version)},
        {"primary_column", read_text, offsetof(PqGeoParquet, primary)},
        {"columns", read_columns, 0},
        {NULL, NULL, 0}
    };
    Reader r = {.a = a, .e = e};

    *out = (PqGeoParquet){NULL, NULL, NULL, 0};
    PQ_TRY(read_whole(json, members, &r, out));
    if (!out->columns) {
        return pq_fail(e, PQ_CORRUPT, "no columns");
    }
    for (uint32_t i = 0; i < r.n_columns; i++) {
        if (r.columns[i].good) {
            out->columns[out->n_columns++] = r.columns[i].c;
        }
    }
    out->version = out->version ? out->version : "";
    out->primary = out->primary ? out->primary : "";
    return PQ_OK;
}

bool pq_geoparquet_read(PqSlice json, PqArena *a, PqGeoParquet *out, PqErr *e)
{
    PqSlice mended;
    PqRc rc;

    if (!pq_utf8_valid(json)) {
        return false;
    }
    rc = read_geo(json, a, out, e);
    if (rc == PQ_CORRUPT) {
        pq_err_clear(e);
        rc = without_nan(a, json, &mended, e);
        if (rc == PQ_OK && !pq_slice_equal(mended, json)) {
            rc = read_geo(mended, a, out, e);
        } else if (rc == PQ_OK) {
            return false;
        }
    }
    return is_read(rc, e);
}

bool pq_geoarrow_read(PqSlice json, PqArena *a, PqGeoColumn *out, PqErr *e)
{
    static const Member members[] = {
        {"crs", read_crs, offsetof(Draft, c)},
        {"edges", read_choice, offsetof(Draft, edges)},
        {NULL, NULL, 0}
    };
    Draft d = {.c = {.crs = "srid:0"}};
    Reader r = {.a = a, .e = e};

    if (!pq_utf8_valid(json) ||
        !is_read(read_whole(json, members, &r, &d), e) ||
        !find_algorithm(&d, &out->algorithm)) {
        return false;
    }
    out->crs = d.c.crs;
    out->crs_json = d.c.crs_json;
    return true;
}
