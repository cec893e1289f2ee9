/*
** shred_leaf.c - turns a JSON token into a cell for its leaf; names its place
** if it does not fit.
**
** Most numbers are short integers, which are parsed here.  All other numbers
** are passed on as text, so that no digit is lost on the way to a DECIMAL or
** UINT64, and a float is rounded only once.
**
** Texts are borrowed from the cell.  Texts with escapes are decoded into the
** arena of the leaf's batch (next in json_shred.c).
*/
#include "core/nested/shred_plan.h"
#include "core/text/parse.h"
#include "core/text/number_parse.h"

#include <stdio.h>

enum { SHORT = 18 };                 /* digits that always fit an int64_t */

/* ---- places ------------------------------------------------------------- */

static bool is_plain_name(PqSlice name)
{
    for (size_t i = 0; i < name.n; i++) {
        uint8_t c = name.p[i], low = c | 0x20;
        if (!(c == '_' || c >= 0x80 || (low >= 'a' && low <= 'z') ||
              (i > 0 && c >= '0' && c <= '9'))) {
            return false;
        }
    }
    return name.n > 0;
}

/* "$.items[3].price"; of a long path only the end: "$....price". */
static void place_text(const PqShredPlace *at, char *out, size_t room)
{
    char step[80], text[256];
    size_t from = sizeof text - 1;

    text[from] = 0;
    for (; at; at = at->up) {
        int cut = at->name.n > 60 ? 60 : (int)at->name.n;
        size_t n;

        if (!at->name.p) {
            snprintf(step, sizeof step, "[%u]", at->index);
        } else {
            const char *quote = is_plain_name(at->name) ? "" : "\"";
            snprintf(step, sizeof step, ".%s%.*s%s", quote, cut,
                     (const char *)at->name.p, quote);
        }
        n = strlen(step);
        if (n > from) {
            break;
        }
        from -= n;
        memcpy(text + from, step, n);
    }
    snprintf(out, room, "$%s%s", at ? "..." : "", text + from);
}

PqRc pq_shred_misfit(PqJsonShred *s, const PqShredPlace *at, const char *text)
{
    char place[300];

    place_text(at, place, sizeof place);
    return pq_fail(&s->err, PQ_USAGE, "%s: %s", place, text);
}

PqRc pq_shred_unexpected(PqJsonShred *s, const PqShredPlace *at,
                         const PqJsonToken *found, const char *wanted)
{
    char text[200];
    int cut = found->text.n > 40 ? 40 : (int)found->text.n;
    const char *what = found->kind == PQ_JSON_ARRAY       ? "not an array"
                       : found->kind == PQ_JSON_OBJECT    ? "not an object"
                       : found->kind == PQ_JSON_ARRAY_END ? "but the array ends"
                                                          : NULL;

    if (what) {
        snprintf(text, sizeof text, "%s was expected, %s", wanted, what);
    } else {
        snprintf(text, sizeof text, "%s was expected, not '%.*s%s'", wanted,
                 cut, (const char *)found->text.p,
                 found->text.n > 40 ? "..." : "");
    }
    return pq_shred_misfit(s, at, text);
}

PqRc pq_shred_placed(PqJsonShred *s, const PqShredPlace *at)
{
    char text[PQ_ERR_TEXT];

    if (s->err.rc != PQ_USAGE) {
        return s->err.rc;
    }
    snprintf(text, sizeof text, "%s", s->err.text);
    pq_err_clear(&s->err);
    return pq_shred_misfit(s, at, text);
}

/* ---- cells -------------------------------------------------------------- */

/* -0 does not count as an integer: the leaf may be a float. */
static bool short_int(PqSlice s, int64_t *out)
{
    bool negative = s.p[0] == '-';
    size_t i = negative;
    int64_t v = 0;

    if (s.n - i > SHORT) {
        return false;
    }
    for (; i < s.n; i++) {
        uint8_t digit = (uint8_t)(s.p[i] - '0');
        if (digit > 9) {
            return false;
        }
        v = v * 10 + digit;
    }
    *out = negative ? -v : v;
    return !negative || v != 0;
}

static PqRc to_text(PqJsonShred *s, PqLeafBatch *b, PqSlice text, PqCell *cell)
{
    *cell = pq_cell_text(text);
    return PQ_UNLIKELY(s->copies) ? pq_cell_keep(cell, &b->bytes, &s->err)
                                  : PQ_OK;
}

static PqRc to_bytes(PqJsonShred *s, PqLeafBatch *b, const PqJsonToken *token,
                     PqCell *cell, const PqShredPlace *at)
{
    uint8_t *to = pq_arena_bytes(&b->bytes, token->text.n / 2, &s->err);

    if (!to) {
        return s->err.rc;
    }
    if ((token->kind != PQ_JSON_STRING && token->kind != PQ_JSON_KEY) ||
        pq_hex_parse(token->text, to) != PQ_PARSE_OK) {
        return pq_shred_unexpected(s, at, token, "a string of hex digits, two "
                                   "per byte,");
    }
    *cell = pq_cell_bytes(PQ_CELL_BLOB, pq_slice(to, token->text.n / 2));
    return PQ_OK;
}

static PqRc to_document(PqJsonShred *s, PqLeafBatch *b,
                        const PqJsonToken *token, PqCell *cell)
{
    PqSlice text = token->text;

    if (token->kind != PQ_JSON_STRING && token->kind != PQ_JSON_KEY) {
        PQ_TRY(pq_json_read_skip(s->read, token, &text, &s->err));
    }
    return to_text(s, b, text, cell);
}

static PqRc to_cell(PqJsonShred *s, PqLeafBatch *b, const PqShredNode *n,
                    const PqJsonToken *token, const PqShredPlace *at,
                    PqCell *cell)
{
    bool is_number = token->kind == PQ_JSON_NUMBER;

    if (n->takes == PQ_SHRED_DOCUMENT) {
        return to_document(s, b, token, cell);
    }
    if (token->kind == PQ_JSON_ARRAY || token->kind == PQ_JSON_OBJECT) {
        return pq_shred_unexpected(s, at, token, "a single value");
    }
    if (n->takes == PQ_SHRED_HEX) {
        return to_bytes(s, b, token, cell, at);
    }
    if (n->takes == PQ_SHRED_TEXT) {
        return to_text(s, b, token->text, cell);
    }
    if (is_number && short_int(token->text, &cell->i)) {
        cell->kind = PQ_CELL_INT;
        return PQ_OK;
    }
    if (is_number && n->takes == PQ_SHRED_TIME &&
        pq_number_parse_i64(token->text, &cell->i) == PQ_PARSE_OK) {
        cell->kind = PQ_CELL_INT; /* nanoseconds: more than a REAL holds  */
        return PQ_OK;
    }
    if (is_number && n->takes == PQ_SHRED_TIME &&
        pq_number_parse_double(token->text, &cell->r) == PQ_PARSE_OK) {
        cell->kind = PQ_CELL_REAL;
        return PQ_OK;
    }
    if (n->takes == PQ_SHRED_NUMBER &&
        (token->kind == PQ_JSON_TRUE || token->kind == PQ_JSON_FALSE)) {
        cell->kind = PQ_CELL_INT;
        cell->i = token->kind == PQ_JSON_TRUE;
        return PQ_OK;
    }
    return to_text(s, b, token->text, cell);
}

PqRc pq_shred_leaf(PqJsonShred *s, const PqShredNode *n,
                   const PqJsonToken *token, uint16_t rep,
                   const PqShredPlace *at)
{
    PqLeafBatch *b = &s->batch[n->first_leaf];
    PqCell cell;

    PQ_TRY(to_cell(s, b, n, token, at, &cell));
    PQ_TRY(pq_shred_reserve(b, &s->err));
    if (PQ_UNLIKELY(pq_leaf_fill_one(b, &cell, &s->rules, &s->err))) {
        return pq_shred_placed(s, at);
    }
    pq_shred_entry(b, rep, n->present);
    return PQ_OK;
}
