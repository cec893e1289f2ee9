/*
** copy_values.c - decides the type of a column by its gathered values.
**
**   declared as a hint      all values must fit the type in its usual form: a
**                           DATE is a text, a DECIMAL has no more digits than
**                           its scale, a BLOB(16) has 16 bytes
**   declared as nothing     INTEGER                   INT64
**   or as what does not     REAL, REAL and INTEGER    DOUBLE
**   fit                     TEXT, TEXT and numbers    STRING
**                           BLOB                      BYTE_ARRAY
**                           BLOB and others           an error
**                           only NULL                 STRING; modern UNKNOWN
**
** With "auto", texts of one kind (text_kind.h) count as values of that type:
** INTEGER, REAL, BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ.  Empty texts are NULL
** before they come here.
**
** Later values must be of a class on the left of the column's line.  Any other
** class is a misfit, because the value would be read back as something else.
**
** Hints are tried with the code that writes values later, so what fits here
** fits there.  What is hard is to know what later rows may bring: a type also
** fixes the classes of values that it takes from then on.
*/
#include "sql/copy/copy_types.h"

#define NUMBERS (PQ_CLASS(PQ_CELL_INT) | PQ_CLASS(PQ_CELL_REAL))
#define TEXTS PQ_CLASS(PQ_CELL_TEXT)
#define BLOBS PQ_CLASS(PQ_CELL_BLOB)
#define EXACT_IN_DOUBLE ((int64_t)1 << 53)

enum { STEP_ROWS = 8192 };

/* The classes that occur, without NULL. */
static unsigned classes_of(const PqCells *cells)
{
    unsigned seen = 0;

    for (uint32_t i = 0; i < cells->n; i++) {
        seen |= PQ_CLASS(cells->cells[i].kind);
    }
    return seen & ~PQ_CLASS(PQ_CELL_NULL);
}

/* The classes that values of the declared type have if the type is meant
** seriously. */
static unsigned classes_for(const PqsqlType *type)
{
    const PqType *t = &type->type;

    if (type->kind != PQ_NODE_LEAF) {
        return TEXTS;
    }
    switch (t->logical) {
    case PQ_TYPE_STRING:
    case PQ_TYPE_ENUM:
    case PQ_TYPE_JSON:
    case PQ_TYPE_DATE:
    case PQ_TYPE_TIME:
    case PQ_TYPE_TIMESTAMP:
    case PQ_TYPE_INTERVAL:
        return TEXTS;
    case PQ_TYPE_UUID:
        return TEXTS | BLOBS;
    case PQ_TYPE_INT:
        return PQ_CLASS(PQ_CELL_INT) | (pq_type_is_u64(t) ? TEXTS : 0);
    case PQ_TYPE_DECIMAL:
        return NUMBERS | TEXTS;
    case PQ_TYPE_BSON:
    case PQ_TYPE_GEOMETRY:
    case PQ_TYPE_GEOGRAPHY:
        return BLOBS;
    case PQ_TYPE_NONE:
        return t->physical == PQ_DOUBLE ? NUMBERS
               : t->physical == PQ_BYTE_ARRAY || t->physical == PQ_FIXED
                   ? BLOBS
               : t->physical == PQ_INT96 ? TEXTS
                                         : PQ_CLASS(PQ_CELL_INT);
    default:
        return 0;                    /* FLOAT16 would lose digits */
    }
}

/* Does every value of these classes fit? */
static bool takes_all(const PqsqlType *type, unsigned seen)
{
    const PqType *t = &type->type;

    return seen == 0 ||
           (type->kind == PQ_NODE_LEAF && t->logical == PQ_TYPE_NONE &&
            ((t->physical == PQ_INT64 && seen == PQ_CLASS(PQ_CELL_INT)) ||
             (t->physical == PQ_DOUBLE && seen == PQ_CLASS(PQ_CELL_REAL)) ||
             (t->physical == PQ_BYTE_ARRAY && seen == BLOBS)));
}

/* ---- trying ------------------------------------------------------------------------ */

typedef struct Trial {
    PqArena      arena;
    PqSchema     schema;
    const PqNode *node;
    PqLeafBatch *batches;
    PqJsonShred *shred;
    PqFillRules  rules;
} Trial;

static PqRc begin_trial(Trial *t, const PqsqlCopyColumn *c, PqMem *mem,
                        PqErr *e)
{
    PqSchemaElementList elements;
    PqSchemaMake *m = NULL;
    PqRc rc;

    *t = (Trial){.rules = c->rules};
    t->rules.null_misfits = false;
    t->rules.exact_numbers = true;
    pq_arena_init(&t->arena, mem);
    PQ_TRY(pq_schema_make_new(mem, &m, e));
    pqsql_type_make(c->type, c->name, false, m);
    rc = pq_schema_make_end(m, &t->arena, &elements, e);
    pq_schema_make_free(m);
    PQ_TRY(rc);
    PQ_TRY(pq_schema_build(&elements, &t->arena, &t->schema, e));
    t->node = t->schema.root->child[0];
    PQ_TRY(PQ_ARENA_NEW(&t->arena, t->batches, t->schema.n_leaves, e));
    for (uint32_t i = 0; i < t->schema.n_leaves; i++) {
        pq_leaf_batch_init(&t->batches[i], &t->schema.leaves[i], mem);
    }
    return t->node->kind == PQ_NODE_LEAF
               ? PQ_OK
               : pq_json_shred_new(mem, &t->schema, t->node, &t->rules,
                                   &t->shred, e);
}

static void end_trial(Trial *t)
{
    pq_json_shred_free(t->shred);
    for (uint32_t i = 0; t->batches && i < t->schema.n_leaves; i++) {
        pq_leaf_batch_free(&t->batches[i]);
    }
    pq_arena_free(&t->arena);
}

static PqRc try_rows(Trial *t, const PqCells *cells, uint32_t from, uint32_t n,
                     bool *fits, PqErr *e)
{
    uint32_t i, misfit;
    PqErr why = PQ_NO_ERR;

    for (i = 0; i < t->schema.n_leaves; i++) {
        pq_leaf_batch_reset(&t->batches[i]);
    }
    if (t->shred) {
        pq_json_shred_fill(t->shred, t->batches, cells, from, n, &misfit, &why);
    } else {
        pq_leaf_fill(t->batches, cells, from, n, &t->rules, &misfit, &why);
    }
    *fits = why.rc == PQ_OK;
    return why.rc == PQ_OK || why.rc == PQ_USAGE
               ? PQ_OK : pq_fail(e, why.rc, "%s", why.text);
}

static PqRc hint_fits(const PqsqlCopyColumn *c, const PqCells *cells,
                      unsigned seen, const PqStop *stop, PqMem *mem,
                      bool *fits, PqErr *e)
{
    uint32_t at = 0;
    Trial t;
    PqRc rc;

    *fits = (seen & ~classes_for(c->type)) == 0 &&
            !(c->type->type.logical == PQ_TYPE_DECIMAL && seen & NUMBERS &&
              seen & TEXTS);
    if (!*fits || takes_all(c->type, seen)) {
        return PQ_OK;
    }
    PQ_GO(begin_trial(&t, c, mem, e));
    while (at < cells->n && *fits) {
        uint32_t n = cells->n - at < STEP_ROWS ? cells->n - at : STEP_ROWS;

        PQ_GO(try_rows(&t, cells, at, n, fits, e));
        PQ_GO(pq_stop_poll(stop, e));
        at += n;
    }
done:
    end_trial(&t);
    return rc;
}

/* ---- deciding ---------------------------------------------------------------------- */

static const char *class_name(uint8_t cls)
{
    static const char *const names[] = {"NULL", "INTEGER", "REAL", "TEXT",
                                        "BLOB"};

    return names[cls];
}

static PqRc mixed(const PqsqlCopyColumn *c, const PqCells *cells, unsigned seen,
                  PqErr *e)
{
    uint32_t first = 0, other;

    while (cells->cells[first].kind == PQ_CELL_NULL) {
        first++;
    }
    other = first;
    while ((cells->cells[other].kind == PQ_CELL_BLOB) ==
               (cells->cells[first].kind == PQ_CELL_BLOB) ||
           cells->cells[other].kind == PQ_CELL_NULL) {
        other++;
    }
    pq_fail(e, PQ_USAGE, "column %s has %s in row %u and %s in row %u", c->name,
            class_name(cells->cells[first].kind), first + 1,
            class_name(cells->cells[other].kind), other + 1);
    if (seen & NUMBERS) {
        pq_err_hint(e, "no type takes both: CAST it AS TEXT or AS BLOB in the "
                    "query");
    } else {
        pq_err_hint(e, "write {\"types\": {%s: \"BLOB\"}}", c->quoted);
    }
    return e->rc;
}

/* Is there, among REALs, an integer that no DOUBLE represents? */
static bool loses_integers(const PqCells *cells, unsigned seen)
{
    for (uint32_t i = 0; i < cells->n && seen & PQ_CLASS(PQ_CELL_INT); i++) {
        int64_t v = cells->cells[i].i;

        if (cells->cells[i].kind == PQ_CELL_INT &&
            (v < -EXACT_IN_DOUBLE || v > EXACT_IN_DOUBLE)) {
            return true;
        }
    }
    return false;
}

static PqRc by_values(PqsqlCopyColumn *c, const PqCells *cells, unsigned seen,
                      bool modern, PqErr *e)
{
    PqType *t = &c->type->type;

    *t = (PqType){.physical = PQ_BYTE_ARRAY, .logical = PQ_TYPE_STRING};
    if (seen == 0 && !c->required && modern) {
        *t = (PqType){.physical = PQ_INT32, .logical = PQ_TYPE_UNKNOWN};
    } else if (seen == PQ_CLASS(PQ_CELL_INT)) {
        *t = (PqType){.physical = PQ_INT64};
    } else if (seen && !(seen & (TEXTS | BLOBS))) {
        *t = (PqType){.physical = PQ_DOUBLE};
        if (loses_integers(cells, seen)) {
            return pq_fail(e, PQ_USAGE, "column %s has REALs, and INTEGERs that "
                           "no DOUBLE holds: write {\"types\": {%s: "
                           "\"DOUBLE\"}} to take the nearest", c->name,
                           c->quoted);
        }
    } else if (seen == BLOBS) {
        t->logical = PQ_TYPE_NONE;
    } else if (seen & BLOBS) {
        return mixed(c, cells, seen, e);
    }
    return PQ_OK;
}

/* The classes that later rows may have: if the first rows had had them, they
** would have led to the same type.  A REAL without a fraction counts as an
** integer. */
static unsigned classes_later(const PqsqlType *type, unsigned seen)
{
    unsigned classes = classes_for(type);

    if (type->kind != PQ_NODE_LEAF) {
        return classes;
    }
    if (type->type.logical == PQ_TYPE_DECIMAL && seen) {
        return seen & TEXTS ? TEXTS : NUMBERS;
    }
    if (type->type.logical == PQ_TYPE_STRING && seen) {
        return TEXTS | NUMBERS;
    }
    return classes & NUMBERS ? classes | NUMBERS : classes;
}

/* ---- "auto": kinds of texts ---------------------------------------------- */

/* The kinds that all texts and numbers have in common. */
static PqRc kinds_of(const PqCells *cells, const PqStop *stop, unsigned *out,
                     PqErr *e)
{
    unsigned kinds = PQ_KIND_ANY;

    for (uint32_t i = 0; i < cells->n && kinds; i++) {
        const PqCell *cell = &cells->cells[i];

        switch (cells->cells[i].kind) {
        case PQ_CELL_TEXT:
            kinds &= pq_text_kinds(pq_slice(cell->p, cell->n));
            break;
        case PQ_CELL_INT:
            kinds &= PQ_KIND_INTEGER |
                     (cell->i >= -EXACT_IN_DOUBLE && cell->i <= EXACT_IN_DOUBLE
                          ? PQ_KIND_REAL : 0u);
            break;
        case PQ_CELL_REAL:
            kinds &= PQ_KIND_REAL;
            break;
        case PQ_CELL_BLOB:
            kinds = 0;
            break;
        default:
            break;
        }
        if (i % STEP_ROWS == 0) {
            PQ_TRY(pq_stop_poll(stop, e));
        }
    }
    *out = kinds;
    return PQ_OK;
}

/* A row for each type that texts may become; the first row that fits all texts
** is taken. */
static const struct {
    unsigned kinds;                  /* all have one of these                */
    unsigned later;                  /* ... and later ones one of these      */
    PqType   type;
} of_kinds[] = {
    {PQ_KIND_BOOLEAN, PQ_KIND_BOOLEAN, {.physical = PQ_BOOLEAN}},
    {PQ_KIND_INTEGER, PQ_KIND_INTEGER, {.physical = PQ_INT64}},
    {PQ_KIND_REAL, PQ_KIND_REAL, {.physical = PQ_DOUBLE}},
    {PQ_KIND_DATE, PQ_KIND_DATE,
     {.physical = PQ_INT32, .logical = PQ_TYPE_DATE}},
    {PQ_KIND_STAMP_MICROS, PQ_KIND_STAMP,
     {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP, .unit = PQ_MICROS}},
    {PQ_KIND_STAMP_NANOS, PQ_KIND_STAMP,
     {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP, .unit = PQ_NANOS}},
    {PQ_KIND_STAMP_UTC_MICROS, PQ_KIND_STAMP_UTC,
     {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP, .unit = PQ_MICROS,
      .utc = true}},
    {PQ_KIND_STAMP_UTC_NANOS, PQ_KIND_STAMP_UTC,
     {.physical = PQ_INT64, .logical = PQ_TYPE_TIMESTAMP, .unit = PQ_NANOS,
      .utc = true}},
};

/* False when the texts stay texts, or when there are none. */
static bool by_kinds(PqsqlCopyColumn *c, unsigned seen, unsigned kinds)
{
    for (size_t i = 0; i < PQ_COUNT(of_kinds) && seen; i++) {
        if (kinds & of_kinds[i].kinds) {
            c->type->type = of_kinds[i].type;
            c->rules.text_kinds = (uint8_t)of_kinds[i].later;
            c->rules.classes = (uint8_t)(
                PQ_CLASS(PQ_CELL_NULL) |
                (of_kinds[i].later & (PQ_KIND_INTEGER | PQ_KIND_REAL) ? NUMBERS
                                                                      : 0));
            return true;
        }
    }
    return false;
}

/* ---- all of it --------------------------------------------------------------------- */

PqRc pqsql_copy_values_settle(PqsqlCopyColumn *c, const PqCells *cells,
                              const PqsqlCopyOptions *o, const PqStop *stop,
                              PqArena *a, PqErr *e)
{
    unsigned seen = classes_of(cells), kinds = 0;
    bool fits = false;

    if (c->type && !(c->is_auto && pqsql_type_is_string(c->type) && seen)) {
        PQ_TRY(hint_fits(c, cells, seen, stop, a->mem, &fits, e));
    }
    if (c->is_auto && !fits) {
        PQ_TRY(kinds_of(cells, stop, &kinds, e));
    }
    if (!fits) {
        int32_t field_id = c->type ? c->type->field_id : -1;

        PQ_TRY(pqsql_type_new(a, PQ_NODE_LEAF, &c->type, e));
        c->type->field_id = field_id;
        if (!by_kinds(c, seen, kinds)) {
            PQ_TRY(by_values(c, cells, seen, o->compatibility == PQSQL_MODERN,
                             e));
        }
    }
    c->is_hint = false;
    c->rules.exact_numbers = true;   /* the user did not ask for the type    */
    if (!c->rules.text_kinds) {
        c->rules.classes = (uint8_t)(classes_later(c->type, seen) |
                                     PQ_CLASS(PQ_CELL_NULL));
    }
    return pqsql_copy_types_adapt(o, c, e);
}
