/*
** leaf_fill_text.c - texts and bytes, borrowed from the cells they are in.
**
** A STRING must be valid UTF-8.  Most texts are short and ASCII, so that is
** checked eight bytes at a time before the real check.  Numbers as texts, JSON
** and UUIDs are the exceptions: they are made in the batch's arena, or parsed.
*/
#include "core/column/leaf_fill_inside.h"
#include "core/text/parse.h"
#include "core/text/json_read.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"

#include <math.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Tuned for short texts.  No byte after the last is read. */
static inline bool is_ascii(PqStr s)
{
    uint64_t seen = 0;

    if (s.n >= 8) {
        for (size_t i = 0; i + 8 <= s.n; i += 8) {
            seen |= pq_load_u64(s.p + i);
        }
        seen |= pq_load_u64(s.p + s.n - 8);
    } else if (s.n >= 4) {
        seen = pq_load_u32(s.p) | (uint64_t)pq_load_u32(s.p + s.n - 4);
    } else {
        for (size_t i = 0; i < s.n; i++) {
            seen |= s.p[i];
        }
    }
    return !(seen & HIGH_BITS);
}

/* Stores s unchanged, if its length fits a FIXED. */
static inline PqFit put_as_is(PqFill *f, PqStr s, PqStr *out)
{
    if (f->type->physical == PQ_FIXED && s.n != f->type->fixed_length) {
        return PQ_FIT_LENGTH;
    }
    *out = s;
    f->n_bytes += s.n;
    return PQ_FITS;
}

/* ---- STRING, ENUM, JSON -------------------------------------------------- */

static size_t real_text(double r, char *text)
{
    const char *word = isnan(r) ? "-NaN" : "-Inf";

    if (isfinite(r)) {
        return pq_number_text_double(r, text);
    }
    word += !signbit(r);
    memcpy(text, word, strlen(word));
    return strlen(word);
}

static PQ_COLD PqFit number_as_text(PqFill *f, const PqCell *cell, PqStr *out)
{
    char text[PQ_NUMBER_TEXT_ROOM];
    size_t n = cell->kind == PQ_CELL_INT ? pq_number_text_i64(cell->i, text)
                                         : real_text(cell->r, text);
    uint8_t *p;

    if (f->type->physical == PQ_FIXED && n != f->type->fixed_length) {
        return PQ_FIT_LENGTH;
    }
    if (!(p = pq_fill_bytes(f, n, out))) {
        return PQ_FIT_FAILED;
    }
    memcpy(p, text, n);
    return PQ_FITS;
}

static inline PqFit one_string(PqFill *f, const PqCell *cell, void *out)
{
    if (PQ_UNLIKELY(cell->kind != PQ_CELL_TEXT)) {
        return cell->kind == PQ_CELL_BLOB ? PQ_FIT_NOT
                                          : number_as_text(f, cell, out);
    }
    if (PQ_UNLIKELY(!is_ascii(pq_cell_str(cell))) &&
        !pq_utf8_valid(pq_cell_slice(cell))) {
        return PQ_FIT_UTF8;
    }
    return put_as_is(f, pq_cell_str(cell), out);
}
PQ_FILL_KIND(string, PqStr)

/* Is it JSON?  Strings with escapes are decoded into a scratch arena and thrown
** away.  The caller sets the place of the error. */
static PqFit check_json(PqFill *f, PqSlice text)
{
    PqWhere where = f->e->where;
    PqFit fit = PQ_FITS;
    PqJsonToken token;
    PqArena scratch;
    PqJsonRead r;

    pq_where_reset(f->e);
    pq_arena_init(&scratch, f->b->mem);
    pq_json_read_begin(&r, text, &scratch);
    do {
        if (pq_json_read_next(&r, &token, f->e) != PQ_OK) {
            fit = f->e->rc == PQ_NOMEM || f->e->rc == PQ_BUDGET
                      ? PQ_FIT_FAILED : PQ_FIT_WHY;
        }
    } while (fit == PQ_FITS && token.kind != PQ_JSON_END);
    pq_arena_free(&scratch);
    f->e->where = where;
    return fit;
}

static PqFit one_json(PqFill *f, const PqCell *cell, void *out)
{
    if (cell->kind == PQ_CELL_REAL && !isfinite(cell->r)) {
        return PQ_FIT_NOT;
    }
    if (cell->kind == PQ_CELL_TEXT) {
        PqFit fit = check_json(f, pq_cell_slice(cell));

        if (fit != PQ_FITS) {
            return fit;
        }
    }
    return one_string(f, cell, out);
}
PQ_FILL_KIND(json, PqStr)

/* ---- bytes --------------------------------------------------------------- */

static inline PqFit one_blob(PqFill *f, const PqCell *cell, void *out)
{
    return cell->kind == PQ_CELL_BLOB ? put_as_is(f, pq_cell_str(cell), out)
                                      : PQ_FIT_NOT;
}
PQ_FILL_KIND(blob, PqStr)

static inline PqFit one_bytes_or_text(PqFill *f, const PqCell *cell, void *out)
{
    return cell->kind == PQ_CELL_BLOB || cell->kind == PQ_CELL_TEXT
               ? put_as_is(f, pq_cell_str(cell), out)
               : PQ_FIT_NOT;
}
PQ_FILL_KIND(bytes_or_text, PqStr)

static PqFit one_uuid(PqFill *f, const PqCell *cell, void *out)
{
    uint8_t *p;

    if (cell->kind == PQ_CELL_BLOB) {
        return put_as_is(f, pq_cell_str(cell), out);
    }
    if (cell->kind != PQ_CELL_TEXT) {
        return PQ_FIT_NOT;
    }
    if (!(p = pq_fill_bytes(f, 16, out))) {
        return PQ_FIT_FAILED;
    }
    return (PqFit)pq_uuid_parse(pq_cell_slice(cell), p);
}
PQ_FILL_KIND(uuid, PqStr)

static PqFit one_unknown(PqFill *f, const PqCell *cell, void *out)
{
    return PQ_FIT_NOT;
}
PQ_FILL_KIND(unknown, uint8_t)
