/*
** ducklake_nested.c - nested values of rows in the catalog become JSON.
**
** DuckDB keeps them as the text that it prints:
**
**   [1, 2, NULL]                     [a, 'b, c', 'it\'s', '']
**   {'a': 1, 'b': {'c': [x]}}        {key=1, 'k=2'=NULL}
**
** A text is quoted where it has to be, and then has backslashes before quotes and
** backslashes.  Without quotes it ends where a value can end.
*/
#include "sql/ducklake/ducklake_inside.h"

typedef struct Printed {
    PqsqlLakeCatalog  *c;
    const char        *p, *end;
    PqBuf             *out;
    PqBuf              text;         /* of a leaf or a name                  */
    PqErr             *e;
} Printed;

static PQ_COLD PqRc malformed(const Printed *x, const PqNode *node)
{
    return pq_fail(x->e, PQ_CORRUPT, "a value of %s is not one that DuckDB prints", node->path);
}

static void pass_blanks(Printed *x)
{
    while (x->p < x->end && *x->p == ' ') {
        x->p++;
    }
}

static bool take(Printed *x, char c)
{
    pass_blanks(x);
    if (x->p == x->end || *x->p != c) {
        return false;
    }
    x->p++;
    return true;
}

/* To x->text, with a NUL; is_null: NULL without quotes. */
static PqRc take_word(Printed *x, const PqNode *node, bool *is_null)
{
    const char *begin;

    pass_blanks(x);
    x->text.n = 0;
    *is_null = false;
    if (x->p < x->end && *x->p == '\'') {
        for (x->p++; x->p < x->end && *x->p != '\''; x->p++) {
            x->p += *x->p == '\\' && x->p + 1 < x->end;
            pq_buf_byte(&x->text, (uint8_t)*x->p);
        }
        if (x->p++ == x->end) {
            return malformed(x, node);
        }
    } else {
        for (begin = x->p; x->p < x->end && !strchr(",]}=", *x->p); x->p++) {
        }
        pq_buf_add(&x->text, begin, (size_t)(x->p - begin));
        *is_null = x->text.n == 4 && memcmp(begin, "NULL", 4) == 0;
    }
    pq_buf_byte(&x->text, 0);
    return pq_buf_ok(&x->text) ? PQ_OK : x->e->rc;
}

static PqRc take_value(Printed *x, const PqNode *node);

static PqRc take_leaf(Printed *x, const PqNode *node)
{
    bool is_null;
    PqSlice bytes;

    PQ_TRY(take_word(x, node, &is_null));
    if (is_null) {
        pq_buf_text(x->out, "null");
    } else if (node->type.physical == PQ_BYTE_ARRAY && node->type.logical == PQ_TYPE_NONE) {
        PQ_TRY(pqsql_lake_bytes(x->c, (const char *)x->text.p, &bytes, x->e));
        pq_buf_byte(x->out, '"');
        pq_hex_text(bytes, x->out);
        pq_buf_byte(x->out, '"');
    } else {
        pq_json_text_string(pq_slice(x->text.p, x->text.n - 1), x->out);
    }
    return PQ_OK;
}

static PqRc take_struct(Printed *x, const PqNode *node)
{
    bool is_null, more = !take(x, '}');

    pq_buf_byte(x->out, '{');
    while (more) {
        const PqNode *field;

        PQ_TRY(take_word(x, node, &is_null));
        field = pq_node_field(node, pq_slice_text((const char *)x->text.p), 0);
        if (!field || !take(x, ':')) {
            return malformed(x, node);
        }
        pq_json_text_string(pq_slice_text(field->name), x->out);
        pq_buf_byte(x->out, ':');
        PQ_TRY(take_value(x, field));
        more = take(x, ',');
        pq_buf_text(x->out, more ? "," : "");
        if (!more && !take(x, '}')) {
            return malformed(x, node);
        }
    }
    pq_buf_byte(x->out, '}');
    return PQ_OK;
}

/* A map becomes a list of keys and values. */
static PqRc take_elements(Printed *x, const PqNode *node, char end)
{
    bool is_map = node->kind == PQ_NODE_MAP, more = !take(x, end);

    pq_buf_byte(x->out, '[');
    while (more) {
        pq_buf_text(x->out, is_map ? "[" : "");
        PQ_TRY(take_value(x, node->child[0]));
        if (is_map && (node->n_children < 2 || !take(x, '='))) {
            return malformed(x, node);
        }
        pq_buf_text(x->out, is_map ? "," : "");
        PQ_TRY(is_map ? take_value(x, node->child[1]) : PQ_OK);
        pq_buf_text(x->out, is_map ? "]" : "");
        more = take(x, ',');
        pq_buf_text(x->out, more ? "," : "");
        if (!more && !take(x, end)) {
            return malformed(x, node);
        }
    }
    pq_buf_byte(x->out, ']');
    return PQ_OK;
}

static PqRc take_value(Printed *x, const PqNode *node)
{
    bool is_null;

    if (node->kind == PQ_NODE_LEAF) {
        return take_leaf(x, node);
    }
    if (node->kind == PQ_NODE_VARIANT) {
        return pq_fail(x->e, PQ_UNSUPPORTED, "column %s: Variants in rows of the catalog are not "
                       "read: ducklake_flush_inlined_data() moves them to files", node->path);
    }
    if (node->kind == PQ_NODE_LIST ? take(x, '[') : take(x, '{')) {
        return node->kind == PQ_NODE_STRUCT ? take_struct(x, node)
                                            : take_elements(x, node, node->kind == PQ_NODE_LIST
                                                                         ? ']' : '}');
    }
    PQ_TRY(take_word(x, node, &is_null));
    pq_buf_text(x->out, "null");
    return is_null ? PQ_OK : malformed(x, node);
}

PqRc pqsql_lake_nested(PqsqlLakeCatalog *c, const PqNode *node, PqSlice text, PqBuf *out,
                       PqErr *e)
{
    Printed x = {.c = c, .p = (const char *)text.p, .end = (const char *)text.p + text.n,
                 .out = out, .e = e};
    PqRc rc;

    out->n = 0;
    pq_buf_init(&x.text, c->r->mem, e);
    rc = take_value(&x, node);
    pass_blanks(&x);
    rc = rc || x.p == x.end ? rc : malformed(&x, node);
    pq_buf_free(&x.text);
    return rc ? rc : pq_buf_ok(out) ? PQ_OK : e->rc;
}
