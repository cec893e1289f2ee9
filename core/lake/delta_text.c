/*
** delta_text.c - writes schemas and statistics as Delta logs have them.
**
** Statistics are made of the footer of the file, and a bound that a reader could mistake is
** left out: texts are cut to 32 characters, and the last one of an upper bound that was cut
** is the greatest there is; times have milliseconds, upper bounds rounded up; there is no
** upper bound beside NaN, which Spark takes for the greatest number.
*/
#include "core/lake/delta_text.h"

#include "core/base/ascii.h"
#include "core/lake/lake_types.h"
#include "core/meta/plain_text.h"
#include "core/meta/stats.h"
#include "core/text/json_text.h"
#include "core/text/time_text.h"

/* ---- types ------------------------------------------------------------------------------- */

typedef struct Schema {
    PqBuf *out;
    bool   zoneless;
    PqErr *e;
} Schema;

static PqRc add_leaf(Schema *s, const PqType *t, const char *path)
{
    const char *word = pq_lake_word_of(PQ_LAKE_DELTA_WORDS, t);

    if (t->logical == PQ_TYPE_DECIMAL && t->precision <= 38) {
        pq_json_text_print(s->out, "'decimal(%d,%d)'", (int64_t)t->precision, (int64_t)t->scale);
        return PQ_OK;
    }
    if (!word) {
        return pq_fail(s->e, PQ_USAGE, "column %s has a type that Delta tables do not have: "
                       "name another in {\"types\": ...}", path);
    }
    s->zoneless = s->zoneless || strcmp(word, "timestamp_ntz") == 0;
    pq_json_text_print(s->out, "%s", word);
    return PQ_OK;
}

static PqRc add_type(Schema *s, const PqNode *n);

static PqRc add_fields(Schema *s, const PqNode *const *v, uint32_t n)
{
    pq_json_text_print(s->out, "{'type':'struct','fields':[");
    for (uint32_t i = 0; i < n; i++) {
        pq_json_text_print(s->out, i ? ",{'name':%s,'type':" : "{'name':%s,'type':", v[i]->name);
        PQ_TRY(add_type(s, v[i]));
        pq_json_text_print(s->out, ",'nullable':%b,'metadata':{}}", !v[i]->required);
    }
    pq_buf_text(s->out, "]}");
    return PQ_OK;
}

/* Recursion is as deep as the schema, which was made here. */
static PqRc add_type(Schema *s, const PqNode *n)
{
    const PqNode *last = n->n_children ? n->child[n->n_children - 1] : NULL;

    if (n->kind == PQ_NODE_LEAF) {
        return add_leaf(s, &n->type, n->path);
    }
    if (n->kind == PQ_NODE_STRUCT) {
        return add_fields(s, (const PqNode *const *)n->child, n->n_children);
    }
    if (n->kind == PQ_NODE_LIST) {
        pq_json_text_print(s->out, "{'type':'array','elementType':");
        PQ_TRY(add_type(s, last));
        pq_json_text_print(s->out, ",'containsNull':%b}", !last->required);
    } else if (n->kind == PQ_NODE_MAP && n->n_children == 2) {
        pq_json_text_print(s->out, "{'type':'map','keyType':");
        PQ_TRY(add_type(s, n->child[0]));
        pq_json_text_print(s->out, ",'valueType':");
        PQ_TRY(add_type(s, last));
        pq_json_text_print(s->out, ",'valueContainsNull':%b}", !last->required);
    } else {
        return pq_fail(s->e, PQ_USAGE, "column %s is a Variant, or a map without values, which "
                       "are not written into Delta tables", n->path);
    }
    return PQ_OK;
}

PqRc pq_delta_schema_text(const PqNode *const *v, uint32_t n, PqBuf *out, bool *zoneless,
                          PqErr *e)
{
    Schema s = {.out = out, .e = e};

    PQ_TRY(add_fields(&s, v, n));
    *zoneless = s.zoneless;
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}

/* ---- statistics -------------------------------------------------------------------------- */

typedef enum Part { MINS, MAXS, NULLS } Part;

static bool add_text(PqSlice v, bool is_max, PqBuf *out)
{
    enum { MOST_CHARACTERS = 32 };
    uint8_t text[PQ_LAKE_CUT_ROOM(MOST_CHARACTERS)];
    size_t n;

    if (!pq_lake_cut_text(v, MOST_CHARACTERS, is_max, text, &n)) {
        return false;
    }
    pq_json_text_string(pq_slice(text, n), out);
    return true;
}

static bool add_time(const PqType *t, int64_t v, bool is_max, PqBuf *out)
{
    int64_t per = pq_unit_per_second(t->unit) / 1000, ms = v / per;
    char text[PQ_TIME_TEXT_ROOM];
    size_t n;

    ms -= v % per < 0;                           /* rounded down */
    ms += is_max && v % per != 0;
    n = pq_time_text_timestamp(ms, PQ_MILLIS, text);
    if (*text == '+' || *text == '-' || n < 19) {
        return false;
    }
    text[10] = 'T';
    pq_buf_printf(out, "\"%s%s%s\"", text, n == 19 ? ".000" : "", t->utc ? "Z" : "");
    return true;
}

static bool is_number(const PqType *t)
{
    return t->logical == PQ_TYPE_INT || t->logical == PQ_TYPE_DECIMAL || pq_type_is_float(t) ||
           (t->logical == PQ_TYPE_NONE &&
            (t->physical == PQ_INT32 || t->physical == PQ_INT64));
}

/* False: a log has no such bound. */
static bool add_bound(const PqType *t, PqSlice v, bool is_max, PqBuf *out)
{
    size_t at = out->n;

    if (!pq_stats_fits(t, v)) {
        return false;
    }
    if (t->logical == PQ_TYPE_STRING) {
        return add_text(v, is_max, out);
    }
    if (t->logical == PQ_TYPE_TIMESTAMP && t->physical == PQ_INT64) {
        return add_time(t, (int64_t)pq_load_u64(v.p), is_max, out);
    }
    if (t->logical == PQ_TYPE_DATE) {
        pq_buf_byte(out, '"');
        pq_plain_text(t, v, out);
        pq_buf_byte(out, '"');
        return pq_buf_ok(out) && pq_ascii_is_digit((char)out->p[at + 1]);     /* no +12024 */
    }
    if (!is_number(t)) {
        return false;
    }
    pq_plain_text(t, v, out);
    return pq_buf_ok(out) && pq_ascii_is_digit((char)out->p[out->n - 1]);     /* no inf */
}

static bool add_part(const PqType *t, const PqLeafSums *leaf, Part part, PqBuf *out)
{
    bool may_be_nan = pq_type_is_float(t) && leaf->nans != 0;

    if (part == NULLS) {
        pq_buf_printf(out, "%lld", (long long)leaf->nulls);
        return leaf->nulls >= 0;
    }
    return part == MINS ? leaf->has_min && add_bound(t, leaf->min, false, out)
                        : leaf->has_max && !may_be_nan && add_bound(t, leaf->max, true, out);
}

/* The leaves below structs; those in lists have no bounds in a log. */
static void add_parts(const PqNode *of, const PqLeafSums *leaves, uint32_t most, Part part,
                      PqBuf *out)
{
    bool first = true;

    pq_buf_byte(out, '{');
    for (uint32_t i = 0; i < of->n_children; i++) {
        const PqNode *n = of->child[i];
        size_t before = out->n;
        bool kept = n->kind == PQ_NODE_STRUCT && n->first_leaf < most;

        if (!kept && (n->kind != PQ_NODE_LEAF || (uint32_t)n->leaf >= most)) {
            continue;
        }
        pq_json_text_print(out, first ? "%s:" : ",%s:", n->name);
        if (kept) {
            add_parts(n, leaves, most, part, out);
        } else {
            kept = add_part(&n->type, &leaves[n->leaf], part, out);
        }
        first = first && !kept;
        out->n = kept ? out->n : before;
    }
    pq_buf_byte(out, '}');
}

PqRc pq_delta_stats_text(const PqFooter *f, uint32_t most, PqArena *a, PqBuf *out, PqErr *e)
{
    static const char *const names[] = {[MINS] = "minValues", [MAXS] = "maxValues",
                                        [NULLS] = "nullCount"};
    const PqNode *root = f->schema.root;
    PqLeafSums *leaves;

    most = most < root->n_leaves ? most : root->n_leaves;
    PQ_TRY(pq_file_sums(f, most, a, &leaves, e));
    pq_json_text_print(out, "{'numRecords':%d", (int64_t)f->n_rows);
    for (Part part = MINS; part <= NULLS; part++) {
        pq_json_text_print(out, ",%s:", names[part]);
        add_parts(root, leaves, most, part, out);
    }
    pq_buf_byte(out, '}');
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}
