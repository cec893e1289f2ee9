/*
** face_where.c - conditions of a scan.
**
** A value is converted to the stored form of its column, and a condition to
** spans of such values.  The engine does the rest.  If a file has another type,
** its values are converted (face_vector.c) and tested one by one.
*/
#include "core/face/face.h"

#include "core/text/number_parse.h"

/* ---- one value ---- */

/* The stored form of v in a column of this type.  It is in a, with a NUL after
** it. */
static PqRc store(const PqType *type, const ParquetValue *v, PqArena *a, PqSlice *out,
                  PqErr *e)
{
    PqLeaf leaf = {.type = *type};
    PqLeafBatch b;
    PqSlice plain;

    pq_leaf_batch_init(&b, &leaf, a->mem);
    if (pq_leaf_batch_reserve(&b, 1, e) == PQ_OK && pq_face_fill(v, &b, e) == PQ_OK) {
        plain = pq_face_plain(type, b.values);
        *out = pq_slice(pq_arena_text(a, plain.p, plain.n, e), plain.n);
    }
    pq_leaf_batch_free(&b);
    if (e->rc == PQ_OK && pq_type_is_float(type) && pq_order_is_nan(type, *out)) {
        return pq_fail(e, PQ_USAGE, "NaN compares with nothing: no row would pass");
    }
    return e->rc;
}

/* ---- spans ---- */

/* The two zeros are equal, but have two places. */
static PqSpan equal_to(const PqType *type, PqPlace place)
{
    return pq_type_is_float(type) && (place == 0 || place == -1)
               ? (PqSpan){-1, 0} : (PqSpan){place, place};
}

static void add_places(PqWanted *w, const PqType *type, ParquetOp op, PqPlace place)
{
    PqSpan equal = equal_to(type, place);

    if (op == PARQUET_EQ) {
        pq_wanted_add(w, equal.first, equal.last);
        return;
    }
    if (op == PARQUET_LE) {
        pq_wanted_add(w, w->least, equal.last);
    } else if (op != PARQUET_GT && op != PARQUET_GE && equal.first > w->least) {
        pq_wanted_add(w, w->least, equal.first - 1);
    }
    if (op == PARQUET_GE) {
        pq_wanted_add(w, equal.first, w->most);
    } else if ((op == PARQUET_GT || op == PARQUET_NE) && equal.last < w->most) {
        pq_wanted_add(w, equal.last + 1, w->most);
    }
}

static void add_bytes(PqWanted *w, ParquetOp op, PqSlice v)
{
    bool less = op == PARQUET_LT || op == PARQUET_LE || op == PARQUET_NE;
    bool more = op == PARQUET_GT || op == PARQUET_GE || op == PARQUET_NE;

    if (op == PARQUET_EQ) {
        pq_wanted_add_value(w, v);
    }
    if (less) {
        pq_wanted_add_bytes(w, pq_slice("", 0), op == PARQUET_LE ? pq_bytes_after(v) : v);
    }
    if (more) {
        pq_wanted_add_bytes_from(w, op == PARQUET_GE ? v : pq_bytes_after(v));
    }
}

/* Can the condition be asked of the column's type? */
static PqRc check(const ParquetScan *s, int column, ParquetOp op, PqErr *e)
{
    const char *name = s->t->columns[column].type_name;
    const PqType *type = &s->t->of[column].type;
    bool is_null = op == PARQUET_IS_NULL || op == PARQUET_NOT_NULL;
    ParquetKind kind = s->t->columns[column].kind;

    if ((unsigned)op > PARQUET_NOT_NULL) {
        return pq_fail(e, PQ_USAGE, "there is no comparison %d", (int)op);
    }
    if (!is_null && ((kind != PARQUET_LEAF && kind != PARQUET_FOLDER) ||
                     type->physical == PQ_INT96)) {
        return pq_fail(e, PQ_USAGE, "values of type %s are not compared: read them, and "
                       "look at each", name);
    }
    if (!is_null && type->logical == PQ_TYPE_DECIMAL &&
        type->precision > PQ_DECIMAL_WIDE_DIGITS) {
        return pq_fail(e, PQ_USAGE, "a DECIMAL of more than 38 digits is not compared");
    }
    if (!is_null && op != PARQUET_EQ && op != PARQUET_NE &&
        pq_order_of_type(type) == PQ_ORDER_NONE) {
        return pq_fail(e, PQ_USAGE, "values of type %s have no order", name);
    }
    return PQ_OK;
}

static PqRc want(FaceTerm *term, const PqType *type, ParquetOp op, const ParquetValue *v,
                 size_t n, PqErr *e)
{
    PqArena *a = &term->s->h.arena;
    PqWanted *w = &term->wanted;
    bool places = pq_type_has_places(type);
    PqSlice stored;
    PqPlace place;

    PQ_TRY(pq_wanted_begin(w, places ? PQ_WANTED_PLACES : PQ_WANTED_BYTES, type,
                           (uint32_t)n * 2 + 1, a, e));
    w->exact = true;
    w->nulls = op == PARQUET_IS_NULL;
    w->nans = op == PARQUET_NOT_NULL && pq_type_is_float(type);
    if (op == PARQUET_NOT_NULL) {
        pq_wanted_add_all(w);
        return PQ_OK;
    }
    for (size_t i = 0; i < n && !w->nulls; i++) {
        if (v[i].what == PARQUET_CLASS_NULL) {
            continue;                /* nothing is equal to it, or less, or more */
        }
        PQ_TRY(store(type, &v[i], a, &stored, e));
        if (!places) {
            add_bytes(w, op, stored);
        } else if (pq_place_of(type, stored, &place)) {
            add_places(w, type, op, place);
        }
    }
    pq_wanted_end(w);
    return PQ_OK;
}

/* ---- what the engine asks ---- */

static PqRc compile(PqCondition *c, const PqType *type, PqWanted *out, PqErr *e)
{
    const FaceTerm *term = (const FaceTerm *)c;

    *out = pq_type_equal(type, &term->s->t->of[term->column].type)
               ? term->wanted
               : (PqWanted){.form = PQ_WANTED_CELLS, .nans = true,
                            .nulls = term->wanted.nulls};
    return PQ_OK;
}

/* Converting values of another type may. */
static bool may_fail(const PqFilter *f, const PqScan *scan)
{
    const FaceTerm *term = (const FaceTerm *)(const void *)(
        (const char *)f - offsetof(PqCondition, filter));
    const FaceColumn *of = &term->s->t->of[term->column];
    const PqNode *node = pq_scan_node(scan, of->number);

    return node && !pq_type_equal(&node->type, &of->type);
}

/* Clears the bits of rows that do not pass. */
static void test(const FaceTerm *term, const ParquetVector *v, uint64_t *keep)
{
    const PqType *type = &term->s->t->of[term->column].type;
    size_t width = pq_physical_width(type->physical);
    const uint64_t one = 1;

    for (uint32_t r = 0; r < v->n_rows; r++) {
        const char *at = v->values;
        uint64_t passes = term->wanted.nulls;

        if (!pq_bit(keep, r)) {
            continue;
        }
        if (!v->valid || pq_bit(v->valid, r)) {
            at += (v->ids ? v->ids[r] : r) * width;
            pq_wanted_test(&term->wanted, type, at, 1, &one, &passes);
        }
        keep[r / 64] &= ~((~passes & 1) << r % 64);
    }
}

static PqRc cells(PqCondition *c, PqScan *scan, uint64_t *keep, PqErr *e)
{
    FaceTerm *term = (FaceTerm *)c;
    const ParquetVector *v;

    (void)e;                         /* it is the scan's error */
    PQ_TRY(pq_face_load(term->s, term->column, &v));
    test(term, v, keep);
    return PQ_OK;
}

static bool skip_file(void *arg, const PqListedFile *file)
{
    const ParquetScan *s = arg;

    for (const FaceTerm *term = s->terms; term; term = term->next) {
        const PqType *type = &s->t->of[term->column].type;
        uint64_t one = 1, passes = term->wanted.nulls;
        PqStr text;
        int64_t i;

        if (s->t->columns[term->column].kind != PARQUET_FOLDER) {
            continue;
        }
        if (pq_face_of_folder(s->t, term->column, file, &i, &text)) {
            pq_wanted_test(&term->wanted, type,
                           type->physical == PQ_INT64 ? (const void *)&i : &text, 1, &one,
                           &passes);
        }
        if (!(passes & 1)) {
            return true;
        }
    }
    return false;
}

PqRc pq_face_start(ParquetScan *s)
{
    PQ_TRY(pq_scan_start(s->scan, s->rows.end ? &s->rows : NULL, 1, skip_file, s,
                         &s->h.e));
    for (FaceTerm *term = s->terms; term; term = term->next) {
        ParquetKind kind = s->t->columns[term->column].kind;

        if (kind == PARQUET_LEAF) {
            PQ_TRY(pq_scan_add_proof(s->scan, &term->base.proof, &s->h.e));
        }
        if (kind != PARQUET_FOLDER) {
            PQ_TRY(pq_scan_add_filter(s->scan, &term->base.filter, &s->h.e));
        }
    }
    return PQ_OK;
}

/* ---- the calls ---- */

enum { MOST_VALUES = 1 << 24 };

static PqRc add(ParquetScan *s, int column, ParquetOp op, const ParquetValue *v, size_t n,
                PqErr *e)
{
    FaceTerm *term;

    if (!parquet_column(s->t, column)) {
        return pq_fail(e, PQ_USAGE, "there is no column %d", column);
    }
    e->where.column = s->t->columns[column].name;
    if (s->begun || n > MOST_VALUES) {
        return pq_fail(e, PQ_USAGE, s->begun ? "a condition comes before parquet_next()"
                                             : "a list has at most 2^24 values");
    }
    PQ_TRY(check(s, column, op, e));
    PQ_TRY(PQ_ARENA_NEW(&s->h.arena, term, 1, e));
    term->s = s;
    term->column = column;
    PQ_TRY(want(term, &s->t->of[column].type, op, v, n, e));
    pq_condition_init(&term->base, s->t->of[column].number, !term->wanted.nulls,
                      (uint32_t)n, &s->h.arena);
    term->base.compile = compile;
    term->base.cells = cells;
    term->base.filter.may_fail = may_fail;
    term->next = s->terms;
    s->terms = term;
    pq_where_reset(e);
    return PQ_OK;
}

ParquetCode parquet_where(ParquetScan *s, int column, ParquetOp op, ParquetValue v)
{
    add(s, column, op, &v, 1, &s->h.e);
    return pq_face_scan_end(s);
}

ParquetCode parquet_where_in(ParquetScan *s, int column, const ParquetValue *v, size_t n)
{
    add(s, column, PARQUET_EQ, v, n, &s->h.e);
    return pq_face_scan_end(s);
}

ParquetCode parquet_where_rows(ParquetScan *s, int file, int64_t first, int64_t n)
{
    const int64_t most = (int64_t)1 << PQ_ROWID_SHIFT;

    if (s->begun || s->rows.end) {
        pq_fail(&s->h.e, PQ_USAGE, "parquet_where_rows() is called once, and before "
                "parquet_next()");
    } else if (!parquet_path(s->t, file) || first < 0 || first > most || n <= 0) {
        pq_fail(&s->h.e, PQ_USAGE, "file %d, row %lld: there are no %lld rows", file,
                (long long)first, (long long)n);
    } else {
        s->rows.begin = (int64_t)file * most + first;
        s->rows.end = s->rows.begin + (n < most - first ? n : most - first);
    }
    return pq_face_scan_end(s);
}
