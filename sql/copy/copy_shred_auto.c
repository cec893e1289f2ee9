/*
** copy_shred_auto.c - {"shred": "auto"}: which parts of a VARIANT get columns.
**
** Some of the gathered values are looked at, evenly spread, and a
** PqVariantShape says what they have in common.  Each of its parts gets a
** column if it is frequent, and the column a type if nearly all of its values
** have that type:
**
**   {"id":7,"tags":["a"],"x":1}        id    in all, INT      BIGINT
**   {"id":500,"tags":[],"x":"b"}       tags  in all, ARRAY    LIST<TEXT>
**   {"id":8,"tags":["b","c"]}          x     mixed            a column, no type
**
** Integers get 64 bits, and decimals 18 or 38 digits, because later values may
** be larger than those that were seen.  Decimals of several scales, and integers
** among them, get the largest scale: 1.5 becomes 1.50, which the specification
** calls the same value.  Nulls fit no type, and do not speak against one.
*/
#include "sql/copy/copy_types.h"

#include "sql/did_you_mean.h"

enum {
    /* Values that are looked at.  A part in 2% of the rows is then seen about
    ** 200 times. */
    SAMPLE = 10000,
    /* A part of an object is frequent if one in ROWS_PER_PART rows has it, or
    ** one in ROWS_PER_PART elements around it.  A column costs each row two
    ** levels, which compress to little.  Below this share, reading the column
    ** hardly beats reading the rest of the object. */
    ROWS_PER_PART = 50,
    /* With more columns than this, the footer gets large and each row slow, so
    ** parts then have to be more frequent. */
    MOST_PARTS = 256,
    /* How many of ten values that are not null must have the type of a scalar.
    ** The others make statistics useless for a whole page, so a type that fits
    ** fewer values gains little. */
    SCALARS_OF_TEN = 9,
    /* The same for an object or an array.  Statistics of its parts are good
    ** whatever other values there are. */
    GROUPS_OF_TEN = 5,
    SHORT_DIGITS = 18, LONG_DIGITS = 38
};

typedef struct Choice {
    PqArena *a;
    uint64_t least;                  /* times that a part must occur         */
    uint32_t n_parts;
    PqErr   *e;
} Choice;

/* ---- from shapes to types ------------------------------------------------ */

/* The kind of nearly all values; UNKNOWN if there is none.  Integers among
** decimals count as decimals. */
static PqVariantKind kind_of(const PqVariantShape *s)
{
    uint64_t n = s->n - s->n_of[PQ_VARIANT_NULL], exact;
    PqVariantKind best = PQ_VARIANT_UNKNOWN;

    for (uint32_t i = PQ_VARIANT_NULL + 1; i < PQ_VARIANT_UNKNOWN; i++) {
        unsigned of_ten = i == PQ_VARIANT_OBJECT || i == PQ_VARIANT_ARRAY
                              ? GROUPS_OF_TEN : SCALARS_OF_TEN;

        if (s->n_of[i] > 0 && s->n_of[i] * 10 >= n * of_ten &&
            (best == PQ_VARIANT_UNKNOWN || s->n_of[i] > s->n_of[best])) {
            best = (PqVariantKind)i;
        }
    }
    exact = s->n_of[PQ_VARIANT_INT] + s->n_of[PQ_VARIANT_DECIMAL];
    return best == PQ_VARIANT_UNKNOWN && s->n_of[PQ_VARIANT_DECIMAL] > 0 &&
                   exact * 10 >= n * SCALARS_OF_TEN
               ? PQ_VARIANT_DECIMAL : best;
}

static bool decimal_type(const PqVariantShape *s, PqType *out)
{
    int32_t whole = s->int_digits > s->whole_digits ? s->int_digits
                                                    : s->whole_digits;
    int32_t digits = whole + s->scale;

    *out = (PqType){.logical = PQ_TYPE_DECIMAL, .scale = s->scale,
                    .precision = digits <= SHORT_DIGITS ? SHORT_DIGITS
                                                        : LONG_DIGITS};
    return digits <= LONG_DIGITS;
}

static bool timestamp_type(const PqVariantShape *s, PqType *out)
{
    *out = (PqType){.logical = PQ_TYPE_TIMESTAMP, .unit = s->unit,
                    .utc = s->n_utc > 0};
    return s->n_utc == 0 || s->n_utc == s->n_of[PQ_VARIANT_TIMESTAMP];
}

/* The type of scalars of one kind; false if they have no type in common. */
static bool scalar_type(const PqVariantShape *s, PqVariantKind kind,
                        PqType *out)
{
    static const PqType of[] = {
        [PQ_VARIANT_BOOL] = {.physical = PQ_BOOLEAN},
        [PQ_VARIANT_INT] = {.physical = PQ_INT64},
        [PQ_VARIANT_FLOAT] = {.physical = PQ_FLOAT},
        [PQ_VARIANT_DOUBLE] = {.physical = PQ_DOUBLE},
        [PQ_VARIANT_DATE] = {.logical = PQ_TYPE_DATE},
        [PQ_VARIANT_TIME] = {.logical = PQ_TYPE_TIME, .unit = PQ_MICROS},
        [PQ_VARIANT_BINARY] = {.physical = PQ_BYTE_ARRAY},
        [PQ_VARIANT_STRING] = {.logical = PQ_TYPE_STRING},
        [PQ_VARIANT_UUID] = {.logical = PQ_TYPE_UUID},
    };
    bool good = true;

    if (kind == PQ_VARIANT_DECIMAL) {
        good = decimal_type(s, out);
    } else if (kind == PQ_VARIANT_TIMESTAMP) {
        good = timestamp_type(s, out);
    } else {
        *out = of[kind];
    }
    pq_type_store(out);
    return good;
}

static PqRc choose(Choice *c, const PqVariantShape *s, PqsqlType **out);

/* Can a column have this name?  Many readers do not tell a from A: if there are
** two such fields, the more frequent one gets a column. */
static bool may_be_named(const PqVariantShape *s, uint32_t i, const char *name)
{
    const PqVariantShapeField *f = s->field;

    if (f[i].name.n == 0 || strlen(name) != f[i].name.n) {
        return false;
    }
    for (uint32_t k = 0; k < s->n_fields; k++) {
        if (k != i && f[k].name.n == f[i].name.n &&
            sqlite3_strnicmp((const char *)f[k].name.p, name,
                             (int)f[i].name.n) == 0 &&
            (f[k].shape.n > f[i].shape.n ||
             (k < i && f[k].shape.n == f[i].shape.n))) {
            return false;
        }
    }
    return true;
}

static PqRc choose_fields(Choice *c, const PqVariantShape *s, PqsqlType *t)
{
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const PqVariantShapeField *f = &s->field[i];
        PqsqlType *child = NULL;
        const char *name;

        if (f->shape.n < c->least) {
            continue;
        }
        name = pq_arena_text(c->a, f->name.p, f->name.n, c->e);
        if (!name) {
            return c->e->rc;
        }
        if (may_be_named(s, i, name)) {
            PQ_TRY(choose(c, &f->shape, &child));
            child->name = name;
            PQ_TRY(pqsql_type_add(t, child, c->a, c->e));
        }
    }
    return PQ_OK;
}

static PqRc choose_element(Choice *c, const PqVariantShape *s, PqsqlType *t)
{
    PqsqlType *element = NULL;

    if (!s->element || s->element->n == 0) {
        return PQ_OK;
    }
    PQ_TRY(choose(c, s->element, &element));
    return element->kind == PQ_NODE_VARIANT
               ? PQ_OK : pqsql_type_add(t, element, c->a, c->e);
}

/* A VARIANT has no type.  Recursion is as deep as the shape. */
static PqRc choose(Choice *c, const PqVariantShape *s, PqsqlType **out)
{
    PqVariantKind kind = kind_of(s);

    PQ_TRY(pqsql_type_new(c->a, PQ_NODE_VARIANT, out, c->e));
    c->n_parts++;
    if (kind == PQ_VARIANT_OBJECT || kind == PQ_VARIANT_ARRAY) {
        PQ_TRY(kind == PQ_VARIANT_OBJECT ? choose_fields(c, s, *out)
                                         : choose_element(c, s, *out));
        if ((*out)->n_children > 0) {
            (*out)->kind = kind == PQ_VARIANT_OBJECT ? PQ_NODE_STRUCT
                                                     : PQ_NODE_LIST;
        }
    } else if (kind != PQ_VARIANT_UNKNOWN &&
               scalar_type(s, kind, &(*out)->type)) {
        (*out)->kind = PQ_NODE_LEAF;
    }
    return PQ_OK;
}

/* ---- from cells to a shape ----------------------------------------------- */

typedef struct Look {
    PqVariantShape  shape;
    PqVariantBuild *build;
    PqArena         arena;           /* of the shape                         */
    PqArena         scratch;
} Look;

static PqRc open_cell(Look *k, const PqCells *cells, uint32_t i,
                      PqSlice *metadata, PqSlice *value, PqErr *e)
{
    const PqCell *cell = &cells->cells[i];
    PqSlice bytes = pq_slice(cell->p, cell->n);
    PqVariantValue v = {.kind = PQ_VARIANT_INT};

    if (cell->kind == PQ_CELL_BLOB) {
        return pq_variant_split(bytes, metadata, value, e);
    }
    pq_variant_build_begin(k->build);
    if (cell->kind == PQ_CELL_TEXT) {
        PQ_TRY(pq_variant_parse(bytes, k->build, &k->scratch, e));
    } else {
        if (cell->kind == PQ_CELL_REAL) {
            v.kind = PQ_VARIANT_DOUBLE;
            v.u.d = cell->r;
        } else {
            v.u.i = cell->i;
        }
        pq_variant_build_value(k->build, &v);
    }
    return pq_variant_build_finish(k->build, metadata, value, e);
}

/* Adds a cell to the shape.  A cell that is not a Variant is left out: writing
** it will fail. */
static PqRc look_at(Look *k, const PqCells *cells, uint32_t i, PqErr *e)
{
    PqSlice metadata, value;
    bool malformed = false;
    PqVariantMeta m;
    PqErr why = PQ_NO_ERR;
    PqRc rc;

    rc = open_cell(k, cells, i, &metadata, &value, &why);
    rc = rc == PQ_OK ? pq_variant_meta_open(metadata, &m, &why) : rc;
    if (rc == PQ_OK) {
        m.malformed = &malformed;
        rc = pq_variant_check(&m, value, &why);
    }
    if (rc == PQ_OK && !malformed) {
        rc = pq_variant_shape_add(&k->shape, &m, value, &k->arena, &why);
    }
    if (k->scratch.blocks) {
        pq_arena_reset(&k->scratch);
    }
    return rc == PQ_NOMEM || rc == PQ_BUDGET ? pq_fail(e, rc, "%s", why.text)
                                             : PQ_OK;
}

static PqRc look(Look *k, const PqCells *cells, const PqStop *stop, PqErr *e)
{
    uint32_t n = cells->n < SAMPLE ? cells->n : SAMPLE, i;

    for (i = 0; i < n; i++) {
        uint32_t at = (uint32_t)((uint64_t)i * cells->n / n);

        if (cells->cells[at].kind != PQ_CELL_NULL) {
            PQ_TRY(look_at(k, cells, at, e));
        }
        if (i % 256 == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
    }
    return PQ_OK;
}

/* Chooses again, more strictly, while there are too many parts. */
static PqRc choose_few(const PqVariantShape *s, PqArena *a, PqsqlType **out,
                       PqErr *e)
{
    Choice c = {.a = a, .e = e};

    c.least = (s->n + ROWS_PER_PART - 1) / ROWS_PER_PART;
    do {
        c.n_parts = 0;
        PQ_TRY(choose(&c, s, out));
        c.least = c.least * 2;
    } while (c.n_parts > MOST_PARTS);
    return PQ_OK;
}

PqRc pqsql_copy_shred_settle(PqsqlCopyColumn *c, const PqCells *cells,
                             const PqStop *stop, PqArena *a, PqErr *e)
{
    Look k = {0};
    PqsqlType *type = NULL;
    PqRc rc;

    c->shreds_auto = false;
    pq_arena_init(&k.arena, a->mem);
    pq_arena_init(&k.scratch, a->mem);
    PQ_GO(pq_variant_build_new(a->mem, &k.build, e));
    PQ_GO(look(&k, cells, stop, e));
    PQ_GO(choose_few(&k.shape, a, &type, e));
    PQ_GO(pqsql_copy_shred_set(c, type, a, e));
done:
    pq_variant_build_free(k.build);
    pq_arena_free(&k.arena);
    pq_arena_free(&k.scratch);
    return rc;
}
