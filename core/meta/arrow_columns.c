/*
** arrow_columns.c - compares the columns of a file with Arrow's schema, in order
** and by name.
*/
#include "core/meta/arrow_columns.h"

#include "core/meta/arrow_schema.h"
#include "core/meta/writer.h"

static void mark(PqSchema *s, const PqNode *n)
{
    if (n->kind == PQ_NODE_LEAF) {
        s->leaves[n->leaf].no_dictionary = true;
    }
    for (uint32_t i = 0; i < n->n_children; i++) {
        mark(s, n->child[i]);
    }
}

static void compare(PqFooter *f, PqArrowSchema *arrow)
{
    const PqNode *root = f->schema.root;

    for (uint32_t i = 0; i < root->n_children; i++) {
        if (!pq_arrow_has_dictionary(arrow, i, root->child[i]->name)) {
            mark(&f->schema, root->child[i]);
        }
    }
}

PqRc pq_arrow_columns_find(PqFooter *f, PqErr *e)
{
    PqSlice by = f->file.created_by, base64;
    PqArrowSchema arrow;
    PqBuf decoded;

    if ((!pq_writer_is(by, "parquet-cpp", PQ_VERSION_ANY) &&
         !pq_writer_is(by, "parquet-cpp-arrow", PQ_ARROW_DICTIONARIES_RIGHT)) ||
        !pq_footer_key_value(f, "ARROW:schema", &base64)) {
        return PQ_OK;
    }
    pq_buf_init(&decoded, f->mem, e);
    if (pq_arrow_decode(base64, &decoded, e) &&
        pq_arrow_open(pq_buf_view(&decoded), &arrow)) {
        compare(f, &arrow);
    }
    pq_buf_free(&decoded);
    return e->rc;
}
