/*
** describe_tree.c - writes the columns as a tree, two lines or more for a leaf:
**
**   pickup               TIMESTAMP(MICROS)       13.2 kB ######
**       PLAIN ZSTD 2.5:1, no nulls, 2024-03-01 00:04 .. 2024-03-30 16:30
**
** The bar compares the sizes of leaves in the file; the largest leaf has a full
** bar.  A name that is longer than its place has a line of its own.
*/
#include "sql/describe/describe_inside.h"

#include <math.h>

enum {
    NAME = 20, TYPE = 22, SIZE = 8, BAR = 6,
    DETAILS = 4,                     /* before the second line              */
    DEEPEST = 8                      /* levels that are indented            */
};

typedef struct Tree {
    const PqsqlFileSum *sum;
    PqBuf              *out;
    PqErr              *e;
    int64_t             largest;     /* leaf, in bytes stored               */
    char                open[DEEPEST];   /* per level: a sibling follows    */
} Tree;

/* Draws the lines to the left; last says that it is the last sibling. */
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

/* " 2.5:1": decompressed bytes per stored byte. */
static void write_ratio(PqBuf *b, const PqsqlLeafSum *s)
{
    if (s->stored > 0 && s->unpacked > 0) {
        double ratio = (double)s->unpacked / (double)s->stored;

        pq_buf_text(b, b->n > 0 ? " " : "");
        if (ratio < 1000) {
            pqsql_text_tenths(b, ratio);
            pq_buf_text(b, ":1");
        } else {
            pq_buf_printf(b, "%lldk:1", ratio < 1e7 ? llround(ratio / 1000)
                                                    : 9999);
        }
    }
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
    pqsql_text_cut(t->out, name,
                   used < PQSQL_PAGE_WIDTH ? PQSQL_PAGE_WIDTH - used : 0);
    if (pqsql_text_width(t->out, *line) > NAME) {
        pq_buf_byte(t->out, '\n');
        *line = t->out->n;
        indent(t, depth, false, last);
    }
    pqsql_text_pad(t->out, *line, NAME);
    pq_buf_byte(t->out, ' ');
    pq_buf_init(&type, t->out->mem, t->e);
    pq_buf_text(&type, node->is_file ? "FILE" : kinds[node->kind]);
    if (node->kind == PQ_NODE_LEAF) {
        PqType short_type = node->type;

        if (short_type.crs) {        /* NULL, too, if there is no memory */
            short_type.crs = pq_geometry_crs(short_type.crs, t->sum->arena,
                                             t->e);
        }
        pq_type_text(&short_type, &type);
    }
    pqsql_text_cut(t->out, pq_buf_view(&type), TYPE);
    pq_buf_free(&type);
}

static void write_encodings(PqBuf *b, const PqsqlLeafSum *s)
{
    const char *comma = "";

    for (int i = 0; i < PQ_ENCODING_COUNT; i++) {
        if (s->encodings >> i & 1) {
            pq_buf_printf(b, "%s%s", comma, pq_encoding_name(i));
            comma = ", ";
        }
    }
    for (int i = 0; i < PQ_CODEC_COUNT; i++) {
        if (i != PQ_CODEC_UNCOMPRESSED && s->codecs >> i & 1) {
            pq_buf_printf(b, "%s%s", *comma ? " " : "", pq_codec_name(i));
            comma = ", ";
        }
    }
}

/* For a leaf in a list, the file's count of nulls includes lists that are NULL
** or empty. */
static void write_nulls(PqBuf *b, const PqsqlLeafSum *s, const PqLeaf *leaf)
{
    const char *null = leaf->max_rep > 0 ? "null or empty" : "null";
    double share;

    if (leaf->max_def == 0) {
        pq_buf_text(b, "never null");
    } else if (s->n_nulls < 0) {
        pq_buf_text(b, "nulls not counted");
    } else if (s->n_values == 0) {
        pq_buf_text(b, "no values");
    } else if (s->n_nulls == 0) {
        pq_buf_text(b, leaf->max_rep > 0 ? "none null or empty" : "no nulls");
    } else if (s->n_nulls == s->n_values) {
        pq_buf_printf(b, "all %s", null);
    } else {
        share = 100 * (double)s->n_nulls / (double)s->n_values;
        if (share < 0.1) {
            pq_buf_printf(b, "<0.1 %% %s", null);
        } else {
            pqsql_text_tenths(b, share > 99.9 ? 99.9 : share);
            pq_buf_printf(b, " %% %s", null);
        }
    }
}

/* The lines below the first one of a leaf: pieces, with commas between. */
typedef struct Details {
    Tree    *t;
    uint32_t depth;
    bool     last;
    size_t   line;                   /* start of the current line    */
    bool     begun;                  /* it has a piece               */
} Details;

static void next_line(Details *d)
{
    PqBuf *out = d->t->out;

    pq_buf_byte(out, '\n');
    d->line = out->n;
    indent(d->t, d->depth, false, d->last);
    pqsql_text_pad(out, d->line, pqsql_text_width(out, d->line) + DETAILS);
    d->begun = false;
}

/* How many characters fit into a new line, with a comma. */
static uint32_t room_of_line(Details *d)
{
    uint32_t levels = d->depth < DEEPEST ? d->depth : DEEPEST;

    return PQSQL_PAGE_WIDTH - 2 * levels - DETAILS - 1;
}

static void put_piece(Details *d, PqBuf *piece)
{
    PqBuf *out = d->t->out;
    uint32_t n = pqsql_text_width(piece, 0);

    if (n > 0 && d->begun) {
        pq_buf_byte(out, ',');
        if (pqsql_text_width(out, d->line) + 2 + n > PQSQL_PAGE_WIDTH) {
            next_line(d);
        } else {
            pq_buf_byte(out, ' ');
        }
    }
    pqsql_text_cut(out, pq_buf_view(piece), room_of_line(d));
    d->begun |= n > 0;
    piece->n = 0;
}

/* "1 .. 44"; the longer one is cut first. */
static void write_bounds(PqBuf *b, const PqsqlLeafSum *s, const PqLeaf *leaf,
                         uint32_t room, PqErr *e)
{
    PqBuf min, max;
    uint32_t low, high;

    pq_buf_init(&min, b->mem, e);
    pq_buf_init(&max, b->mem, e);
    pq_plain_text(&leaf->type, s->min, &min);
    pq_plain_text(&leaf->type, s->max, &max);
    low = pqsql_text_width(&min, 0);
    high = pqsql_text_width(&max, 0);
    room -= 5;                       /* for "only ", or " .. " */
    if (low + high > room) {
        low = low < room / 2 ? low : high < room / 2 ? room - high : room / 2;
        high = room - low;
    }
    if (pq_slice_equal(s->min, s->max)) {
        pq_buf_text(b, "only ");
        pqsql_text_cut(b, pq_buf_view(&min), room);
    } else {
        pqsql_text_cut(b, pq_buf_view(&min), low);
        pq_buf_text(b, " .. ");
        pqsql_text_cut(b, pq_buf_view(&max), high);
    }
    pq_buf_free(&min);
    pq_buf_free(&max);
}

/* Could nothing of the column be read because a key is missing? */
static bool is_unknown(const Tree *t, const PqsqlLeafSum *s, const PqLeaf *leaf)
{
    const PqFileLocks *locks = t->sum->f->locks;
    const PqLock *lock = locks ? locks->of_leaf[leaf->index] : NULL;

    return s->n_chunks == 0 && lock && !lock->key;
}

static void write_details(Details *d, const PqsqlLeafSum *s, const PqLeaf *leaf)
{
    PqBuf piece;

    pq_buf_init(&piece, d->t->out->mem, d->t->e);
    next_line(d);
    if (is_unknown(d->t, s, leaf)) {
        pq_buf_text(&piece, "cannot be read without its key");
        put_piece(d, &piece);
        pq_buf_free(&piece);
        return;
    }
    write_encodings(&piece, s);
    write_ratio(&piece, s);
    put_piece(d, &piece);
    write_nulls(&piece, s, leaf);
    put_piece(d, &piece);
    if (s->has_bounds) {
        write_bounds(&piece, s, leaf, room_of_line(d), d->t->e);
        put_piece(d, &piece);
    }
    pq_buf_free(&piece);
}

static void write_leaf(Tree *t, const PqNode *node, uint32_t depth, bool last,
                       size_t line)
{
    const PqsqlLeafSum *s = &t->sum->leaves[node->leaf];
    const PqLeaf *leaf = &t->sum->f->schema.leaves[node->leaf];
    Details d = {.t = t, .depth = depth, .last = last};
    size_t mark;

    if (!is_unknown(t, s, leaf)) {
        pqsql_text_pad(t->out, line, NAME + 1 + TYPE);
        pq_buf_byte(t->out, ' ');
        mark = t->out->n;
        pqsql_text_bytes(t->out, s->stored);
        pqsql_text_right(t->out, mark, SIZE);
        pq_buf_text(t->out, s->stored > 0 ? " " : "");
        pqsql_text_bar(t->out, s->stored, t->largest, BAR);
    }
    write_details(&d, s, leaf);
    pq_buf_byte(t->out, '\n');
}

static void write_node(Tree *t, const PqNode *node, uint32_t depth, bool last)
{
    size_t line;

    if (!pq_buf_ok(t->out)) {
        return;                      /* no memory: the page is discarded */
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
    for (uint32_t i = 0; i < node->n_children; i++) {
        write_node(t, node->child[i], depth + 1, i + 1 == node->n_children);
    }
}

PqRc pqsql_describe_tree(const PqsqlFileSum *sum, PqBuf *out, PqErr *e)
{
    const PqNode *root = sum->f->schema.root;
    Tree t = {.sum = sum, .out = out, .e = e};

    for (uint32_t i = 0; i < sum->f->schema.n_leaves; i++) {
        if (sum->leaves[i].stored > t.largest) {
            t.largest = sum->leaves[i].stored;
        }
    }
    if (sum->f->schema.n_leaves > 1) {
        pq_buf_text(out, "column, type, size in the file; the bar is its share "
                         "of\nthe largest; n:1 is how much larger it is "
                         "unpacked\n\n");
    }
    for (uint32_t i = 0; i < root->n_children; i++) {
        write_node(&t, root->child[i], 0, i + 1 == root->n_children);
    }
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}
