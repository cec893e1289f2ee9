/*
** describe_tree.c
*/
#include "sql/describe_tree.h"

#include "sql/describe_text.h"

enum {
    NAME = 28, TYPE = 20, BAR = 10, SIZE = 8, RATIO = 9,
    DETAILS = 4,                     /* the second line begins behind this  */
    DEEPEST = 8                      /* levels that are indented            */
};

typedef struct Tree {
    const PqsqlFileSum *sum;
    PqBuf              *out;
    PqErr              *e;
    int64_t             largest;     /* leaf, in bytes stored               */
    char                open[DEEPEST];   /* a sibling follows, per level    */
} Tree;

/* The lines to the left; last: of its siblings. */
static void indent(Tree *t, uint32_t depth, bool corner, bool last)
{
    uint32_t shown = depth < DEEPEST ? depth : DEEPEST, i;

    for (i = 0; i + 1 < shown; i++) {
        pq_buf_text(t->out, t->open[i] ? "\u2502 " : "  ");
    }
    if (shown > 0) {
        pq_buf_text(t->out, corner ? (last ? "\u2514 " : "\u251c ")
                            : last ? "  " : "\u2502 ");
    }
}

static void write_ratio(PqBuf *b, const PqsqlLeafSum *s)
{
    size_t mark = b->n;

    if (s->stored > 0 && s->unpacked > 0) {
        double ratio = (double)s->unpacked / (double)s->stored;
        pq_buf_printf(b, ratio < 1000 ? "%.1f : 1" : "%.0fk : 1",
                      ratio < 1000  ? ratio
                      : ratio < 1e7 ? ratio / 1000 : 9999.);
    }
    pqsql_text_right(b, mark, RATIO);
}

static void write_name_and_type(Tree *t, const PqNode *node, uint32_t depth,
                                bool last, size_t *line)
{
    static const char *const kinds[] = {
        [PQ_NODE_LEAF] = "", [PQ_NODE_STRUCT] = "STRUCT",
        [PQ_NODE_LIST] = "LIST", [PQ_NODE_MAP] = "MAP",
        [PQ_NODE_VARIANT] = "VARIANT"};
    const PqSchemaElement *el = &t->sum->f->schema.elements[node->element];
    PqSlice name = node->name[0] ? pq_slice_text(node->name) : el->name;
    PqBuf type;
    uint32_t used;

    *line = t->out->n;
    indent(t, depth, true, last);
    used = pqsql_text_width(t->out, *line);
    pqsql_text_cut(t->out, name, used < NAME ? NAME - used : 0);
    pqsql_text_pad(t->out, *line, NAME);
    pq_buf_byte(t->out, ' ');
    pq_buf_init(&type, t->out->mem, t->e);
    pq_buf_text(&type, kinds[node->kind]);
    if (node->kind == PQ_NODE_LEAF) {
        pq_type_text(&node->type, &type);
    }
    pqsql_text_cut(t->out, pq_buf_view(&type), TYPE);
    pq_buf_free(&type);
}

static void write_encodings(PqBuf *b, const PqsqlLeafSum *s)
{
    const char *comma = "";
    int i;

    for (i = 0; i < PQ_ENCODING_COUNT; i++) {
        if (s->encodings >> i & 1) {
            pq_buf_printf(b, "%s%s", comma, pq_encoding_name(i));
            comma = ", ";
        }
    }
    for (i = 0; i < PQ_CODEC_COUNT; i++) {
        if (i != PQ_CODEC_UNCOMPRESSED && s->codecs >> i & 1) {
            pq_buf_printf(b, "%s%s", *comma ? " " : "", pq_codec_name(i));
            comma = ", ";
        }
    }
}

static void write_nulls(PqBuf *b, const PqsqlLeafSum *s, const PqLeaf *leaf)
{
    double share;

    if (leaf->max_def == 0) {
        pq_buf_text(b, "never null");
    } else if (s->n_nulls < 0) {
        pq_buf_text(b, "nulls not counted");
    } else if (s->n_nulls == 0) {
        pq_buf_text(b, "no nulls");
    } else if (s->n_nulls == s->n_values) {
        pq_buf_text(b, "all null");
    } else {
        share = 100 * (double)s->n_nulls / (double)s->n_values;
        pq_buf_printf(b, share < 0.1 ? "<0.1 %% null" : "%.1f %% null",
                      share > 99.9 ? 99.9 : share);
    }
}

/* "1 .. 44" in what is left of the line, the longer one cut first. */
static void write_bounds(Tree *t, const PqsqlLeafSum *s, const PqLeaf *leaf,
                         size_t line)
{
    uint32_t used = pqsql_text_width(t->out, line) + 6, room, low, high;
    PqBuf min, max;

    pq_buf_init(&min, t->out->mem, t->e);
    pq_buf_init(&max, t->out->mem, t->e);
    pq_plain_text(&leaf->type, s->min, &min);
    pq_plain_text(&leaf->type, s->max, &max);
    room = used + 8 < PQSQL_PAGE_WIDTH ? PQSQL_PAGE_WIDTH - used : 8;
    low = pqsql_text_width(&min, 0);
    high = pqsql_text_width(&max, 0);
    if (low + high > room) {
        low = low < room / 2 ? low : high < room / 2 ? room - high : room / 2;
        high = room - low;
    }
    if (pq_slice_equal(s->min, s->max)) {
        pq_buf_text(t->out, ", only ");
        pqsql_text_cut(t->out, pq_buf_view(&min), room - 1);
    } else {
        pq_buf_text(t->out, ", ");
        pqsql_text_cut(t->out, pq_buf_view(&min), low);
        pq_buf_text(t->out, " .. ");
        pqsql_text_cut(t->out, pq_buf_view(&max), high);
    }
    pq_buf_free(&min);
    pq_buf_free(&max);
}

static void write_leaf(Tree *t, const PqNode *node, uint32_t depth, bool last,
                       size_t line)
{
    const PqsqlLeafSum *s = &t->sum->leaves[node->leaf];
    const PqLeaf *leaf = &t->sum->f->schema.leaves[node->leaf];
    size_t mark;

    pqsql_text_pad(t->out, line, NAME + 1 + TYPE);
    pq_buf_byte(t->out, ' ');
    mark = t->out->n;
    pqsql_text_bar(t->out, s->stored, t->largest, BAR);
    pqsql_text_pad(t->out, mark, BAR + 1);
    mark = t->out->n;
    pqsql_text_bytes(t->out, s->stored);
    pqsql_text_right(t->out, mark, SIZE + 1);
    pq_buf_byte(t->out, ' ');
    write_ratio(t->out, s);
    pq_buf_byte(t->out, '\n');

    line = t->out->n;
    indent(t, depth, false, last);
    pqsql_text_pad(t->out, line,
                   pqsql_text_width(t->out, line) + DETAILS);
    mark = t->out->n;
    write_encodings(t->out, s);
    pq_buf_text(t->out, t->out->n > mark ? ", " : "");
    write_nulls(t->out, s, leaf);
    if (s->has_bounds) {
        write_bounds(t, s, leaf, line);
    }
    pq_buf_byte(t->out, '\n');
}

static void write_node(Tree *t, const PqNode *node, uint32_t depth, bool last)
{
    size_t line;
    uint32_t i;

    if (!pq_buf_ok(t->out)) {
        return;                      /* no memory: nothing will be shown */
    }
    write_name_and_type(t, node, depth, last, &line);
    if (node->kind == PQ_NODE_LEAF) {
        write_leaf(t, node, depth, last, line);
        return;
    }
    pq_buf_byte(t->out, '\n');
    if (depth > 0 && depth <= DEEPEST) {
        t->open[depth - 1] = !last;
    }
    for (i = 0; i < node->n_children; i++) {
        write_node(t, node->child[i], depth + 1, i + 1 == node->n_children);
    }
}

PqRc pqsql_describe_tree(const PqsqlFileSum *sum, PqBuf *out, PqErr *e)
{
    const PqNode *root = sum->f->schema.root;
    Tree t = {.sum = sum, .out = out, .e = e};
    uint32_t i;

    for (i = 0; i < sum->f->schema.n_leaves; i++) {
        if (sum->leaves[i].stored > t.largest) {
            t.largest = sum->leaves[i].stored;
        }
    }
    for (i = 0; i < root->n_children; i++) {
        write_node(&t, root->child[i], 0, i + 1 == root->n_children);
    }
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}
