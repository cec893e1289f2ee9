/*
** leaf_fill.c - chooses the kind of a type, fills its nulls, words the errors.
**
**   cells     17  NULL  'x'  5       into an optional INT32, null_misfits
**   valid      1   0     0   1       all set first; a NULL clears its bit
**   values    17   5
**
** What is hard: a fill that fails must leave the batch as it was, and its error
** must tell the user which value it was, why it does not fit, and what would.
*/
#include "core/column/leaf_fill_inside.h"

#include "core/base/bits.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/text_kind.h"

#include <assert.h>
#include <math.h>

#define ALL_CLASSES (PQ_CLASS(PQ_CELL_CLASSES) - 1)

/* ---- the kind of a type -------------------------------------------------- */

static const PqFillKind *kind_of_integer(const PqType *t)
{
    return t->physical == PQ_INT32   ? &pq_fill_i32
           : pq_type_is_unsigned(t) ? &pq_fill_u64
                                    : &pq_fill_i64;
}

static const PqFillKind *kind_of_physical(const PqType *t)
{
    switch (t->physical) {
    case PQ_BOOLEAN:
        return &pq_fill_boolean;
    case PQ_INT32:
    case PQ_INT64:
        return kind_of_integer(t);
    case PQ_INT96:
        return &pq_fill_int96;
    case PQ_FLOAT:
        return &pq_fill_float;
    case PQ_DOUBLE:
        return &pq_fill_double;
    default:
        return &pq_fill_bytes_or_text;
    }
}

static const PqFillKind *kind_of(const PqType *t)
{
    static const PqFillKind *const kinds[PQ_TYPE_COUNT] = {
        [PQ_TYPE_STRING] = &pq_fill_string, [PQ_TYPE_ENUM] = &pq_fill_string,
        [PQ_TYPE_JSON] = &pq_fill_json, [PQ_TYPE_BSON] = &pq_fill_blob,
        [PQ_TYPE_UUID] = &pq_fill_uuid, [PQ_TYPE_DATE] = &pq_fill_date,
        [PQ_TYPE_INTERVAL] = &pq_fill_interval,
        [PQ_TYPE_FLOAT16] = &pq_fill_float16,
        [PQ_TYPE_UNKNOWN] = &pq_fill_unknown,
        [PQ_TYPE_GEOMETRY] = &pq_fill_geometry,
        [PQ_TYPE_GEOGRAPHY] = &pq_fill_geometry,
    };

    switch (t->logical) {
    case PQ_TYPE_INT:
        return kind_of_integer(t);
    case PQ_TYPE_DECIMAL:
        return t->physical == PQ_INT32   ? &pq_fill_decimal_i32
               : t->physical == PQ_INT64 ? &pq_fill_decimal_i64
                                         : &pq_fill_decimal_bytes;
    case PQ_TYPE_TIME:
        return t->physical == PQ_INT32 ? &pq_fill_time_i32 : &pq_fill_time_i64;
    case PQ_TYPE_TIMESTAMP:
        return pq_type_is_time96(t) ? &pq_fill_time96 : &pq_fill_timestamp;
    default:
        return kinds[t->logical] ? kinds[t->logical] : kind_of_physical(t);
    }
}

static void set_integer_range(PqFill *f)
{
    const PqType *t = f->type;
    unsigned bits = t->logical == PQ_TYPE_INT ? t->bit_width
                    : t->physical == PQ_INT32 ? 32 : 64;

    if (t->physical == PQ_BOOLEAN) {
        f->low = 0;
        f->high = 1;
    } else if (bits <= 32) {
        int64_t all = (int64_t)1 << bits;
        bool is_unsigned = pq_type_is_unsigned(t);

        f->low = is_unsigned ? 0 : -(all / 2);
        f->high = is_unsigned ? all - 1 : all / 2 - 1;
    }
}

/* 10^k; 0 if it does not fit 64 bits. */
static int64_t ten_to(int32_t k)
{
    int64_t v = 1;

    if (k < 0 || k > 18) {
        return 0;
    }
    for (; k > 0; k--) v *= 10;
    return v;
}

/* The range of integers that, times unit, have no more digits than the
** precision and fit 64 bits. */
static void set_decimal_range(PqFill *f)
{
    int64_t end = ten_to(f->type->precision - f->type->scale);

    f->unit = ten_to(f->type->scale);
    if (f->unit == 0) {
        f->low = f->high = 0;
        return;
    }
    f->low = INT64_MIN / f->unit;
    f->high = INT64_MAX / f->unit;
    if (end && end - 1 < f->high) {
        f->low = -(end - 1);
        f->high = end - 1;
    }
}

/* Writes to the caller's struct: returning it by value would take longer than
** filling one value. */
static void begin_fill(PqFill *f, PqLeafBatch *b, const PqFillRules *rules,
                       PqErr *e)
{
    *f = (PqFill){.type = rules->geometry ? rules->geometry : &b->leaf->type,
                  .rules = rules, .b = b, .e = e, .low = INT64_MIN, .high = INT64_MAX};
    f->classes = (rules->classes ? rules->classes : ALL_CLASSES) &
                 ~PQ_CLASS(PQ_CELL_NULL);
    if (f->type->logical == PQ_TYPE_DECIMAL) {
        set_decimal_range(f);
    } else if (f->type->logical == PQ_TYPE_TIME ||
               f->type->logical == PQ_TYPE_TIMESTAMP) {
        f->unit = pq_unit_per_second(f->type->unit);
    } else {
        set_integer_range(f);
    }
}

/* ---- misfits ------------------------------------------------------------- */

enum { SHOWN = 60 };                 /* bytes of a text, half as many of a
                                     ** BLOB                                 */

static void show_text(PqStr s, PqBuf *out)
{
    size_t n = s.n <= SHOWN ? s.n : SHOWN;

    while (n < s.n && n && (s.p[n] & 0xc0) == 0x80) {
        n--;                         /* not within a character */
    }
    pq_buf_byte(out, '\'');
    for (size_t i = 0; i < n; i++) {
        if (s.p[i]) {
            pq_buf_byte(out, s.p[i]);
        } else {
            pq_buf_text(out, "\\x00");
        }
    }
    pq_buf_text(out, n < s.n ? "...'" : "'");
}

static void show_blob(PqStr s, PqBuf *out)
{
    size_t n = s.n <= SHOWN / 2 ? s.n : SHOWN / 2;

    pq_buf_text(out, "x'");
    for (size_t i = 0; i < n; i++) {
        pq_buf_printf(out, "%02x", s.p[i]);
    }
    pq_buf_text(out, n < s.n ? "...'" : "'");
}

/* The cell as a SQL literal. */
static void show(const PqCell *cell, PqBuf *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];

    switch (cell->kind) {
    case PQ_CELL_INT:
        pq_buf_add(out, text, pq_number_text_i64(cell->i, text));
        break;
    case PQ_CELL_REAL:
        if (isnan(cell->r)) {
            pq_buf_text(out, "NaN");
        } else {
            pq_buf_add(out, text, pq_number_text_double(cell->r, text));
        }
        break;
    case PQ_CELL_TEXT:
        show_text(pq_cell_str(cell), out);
        break;
    case PQ_CELL_BLOB:
        show_blob(pq_cell_str(cell), out);
        break;
    default:
        pq_buf_text(out, "NULL");
        break;
    }
}

static uint32_t length_of(const PqType *t)
{
    return t->physical == PQ_INT96 ? 12 : t->fixed_length;
}

/* The part of the message that follows the value. */
static void say_why(const PqFill *f, PqFit fit, const PqCell *cell, PqBuf *out)
{
    static const char *const class_name[PQ_CELL_CLASSES] = {
        [PQ_CELL_INT] = "an INTEGER", [PQ_CELL_REAL] = "a REAL",
        [PQ_CELL_TEXT] = "a TEXT", [PQ_CELL_BLOB] = "a BLOB"};
    const PqType *t = f->type;
    size_t article;

    if (fit == PQ_FIT_NOT && t->logical == PQ_TYPE_UNKNOWN) {
        pq_buf_text(out, " in a column that is always NULL");
        return;
    }
    switch (fit) {
    case PQ_FIT_NULL:
        pq_buf_text(out, " in a column that is NOT NULL");
        return;
    case PQ_FIT_LENGTH:
        pq_buf_printf(out, " has %u bytes, not the %u of ", cell->n,
                      length_of(t));
        break;
    case PQ_FIT_UTF8:
        pq_buf_text(out, " is not UTF-8, which is required for ");
        break;
    case PQ_FIT_REAL:
        pq_buf_printf(out, " is a REAL, which is exact for %d digits only; "
                      "give it as TEXT to ", (int)PQ_DECIMAL_REAL_DIGITS);
        break;
    case PQ_FIT_SPELLED:
        pq_buf_text(out, " would not read back unchanged from ");
        break;
    case PQ_FIT_CLASS:
        pq_buf_printf(out, " is %s in a column of ", class_name[cell->kind]);
        break;
    case PQ_FIT_RANGE:
        pq_buf_text(out, " does not fit ");
        break;
    case PQ_FIT_FINER:
        pq_buf_text(out, " is finer than ");
        break;
    default:
        article = out->n + strlen(" is not a");
        pq_buf_text(out, " is not a ");
        pq_type_text(t, out);
        if (pq_buf_ok(out) && strchr("AEIO", out->p[article + 1])) {
            out->n = article;
            pq_buf_text(out, "n ");
            pq_type_text(t, out);
        }
        return;
    }
    pq_type_text(t, out);
}

/* Makes the error of a cell that does not fit, unless f->e has one already. */
static PqRc fail(PqFill *f, PqFit fit, const PqCell *cell)
{
    char why[PQ_ERR_TEXT] = "";
    PqBuf text;

    if (fit == PQ_FIT_FAILED) {
        return f->e->rc;
    }
    if (fit == PQ_FIT_WHY) {
        memcpy(why, f->e->text, sizeof why);
        pq_err_clear(f->e);
    }
    pq_buf_init(&text, f->b->mem, f->e);
    show(cell, &text);
    say_why(f, fit, cell, &text);
    if (why[0]) {
        pq_buf_printf(&text, ": %s", why);
    }
    if (pq_buf_ok(&text)) {
        pq_fail(f->e, PQ_USAGE, "%.*s", (int)text.n, (const char *)text.p);
    }
    pq_buf_free(&text);
    return f->e->rc;
}

PQ_COLD PqFit pq_fill_class(const PqFill *f, const PqCell *cell)
{
    double number;

    if (cell->kind != PQ_CELL_TEXT || !f->rules->text_kinds) {
        return PQ_FIT_CLASS;
    }
    if (pq_text_kinds(pq_cell_slice(cell)) & f->rules->text_kinds) {
        return PQ_FITS;
    }
    return f->rules->text_kinds & (PQ_KIND_INTEGER | PQ_KIND_REAL) &&
                   pq_number_parse_double(pq_cell_slice(cell), &number) ==
                       PQ_PARSE_OK
               ? PQ_FIT_SPELLED
               : PQ_FIT_NOT;
}

/* ---- filling ------------------------------------------------------------- */

/* Sets or clears n bits from bit `from` on. */
static void set_bits(uint64_t *bits, uint32_t from, uint32_t n, bool on)
{
    for (uint32_t i = 0; i < n; i += 64) {
        pq_bits_put(bits, from + i, n - i < 64 ? n - i : 64,
                    on ? ~(uint64_t)0 : 0);
    }
}

static void *values_end(const PqLeafBatch *b)
{
    return (uint8_t *)b->values +
           b->n_values * pq_physical_width(b->leaf->type.physical);
}

static void count_values(PqLeafBatch *b, const PqFill *f, uint32_t n)
{
    b->n_values += n;
    if (f->type->physical == PQ_BYTE_ARRAY) {
        b->n_bytes += f->n_bytes;
    }
}

PqRc pq_leaf_fill(PqLeafBatch *b, const PqCells *c, uint32_t from, uint32_t n,
                  const PqFillRules *rules, uint32_t *misfit, PqErr *e)
{
    uint32_t done, n_values;
    PqFill f;

    begin_fill(&f, b, rules, e);
    assert(b->leaf->max_rep == 0 && b->leaf->max_def <= 1);
    assert(from <= c->n && n <= c->n - from);
    if (n == 0) {
        return PQ_OK;
    }
    *misfit = from;
    PQ_TRY(pq_leaf_batch_reserve(b, n, e));
    if (b->valid) {
        set_bits(b->valid, b->n_entries, n, true);
    }
    done = kind_of(f.type)->run(&f, c->cells + from, n, b->n_entries,
                                values_end(b), &n_values);
    if (done < n) {
        if (b->valid) {
            set_bits(b->valid, b->n_entries, n, false);
        }
        *misfit = from + done;
        return fail(&f, f.fit, &c->cells[from + done]);
    }
    count_values(b, &f, n_values);
    b->n_entries += n;
    b->n_rows += n;
    return PQ_OK;
}

PqRc pq_leaf_fill_one(PqLeafBatch *b, const PqCell *cell,
                      const PqFillRules *rules, PqErr *e)
{
    PqFill f;
    PqFit fit;

    begin_fill(&f, b, rules, e);
    assert(cell->kind != PQ_CELL_NULL && b->n_values < b->values_room);
    fit = f.classes >> cell->kind & 1 ? PQ_FITS : pq_fill_class(&f, cell);
    if (fit == PQ_FITS) {
        fit = kind_of(f.type)->one(&f, cell, values_end(b));
    }
    if (fit != PQ_FITS) {
        return fail(&f, fit, cell);
    }
    count_values(b, &f, 1);
    return PQ_OK;
}
