/*
** checkpoint_rows.c - scans a file, prints each wanted field, and puts the texts of a row
** together.
*/
#include "core/lake/checkpoint_rows.h"

#include "core/lake/file_batches.h"

typedef struct Rows {
    PqMem           *mem;
    const PqWantedField *wanted;
    uint32_t         n_wanted;
    PqLineVisit      visit;
    void            *arg;
    PqBatchTexts     fields;         /* wanted ones that the file has        */
    const PqWantedField *of[PQ_BATCH_TEXTS_MOST];
    PqBuf            line;
} Rows;

static PqRc take_wanted(Rows *r, const PqSchema *schema, PqErr *e)
{
    for (uint32_t i = 0; i < r->n_wanted && r->fields.n < PQ_BATCH_TEXTS_MOST; i++) {
        const PqWantedField *w = &r->wanted[i];
        const PqNode *node = pq_node_field(schema->root, pq_slice_text(w->column), 0);

        node = node && node->kind == PQ_NODE_STRUCT ? node : NULL;
        node = node && w->field ? pq_node_field(node, pq_slice_text(w->field), 0) : node;
        if (node) {
            r->of[r->fields.n] = w;
            PQ_TRY(pq_batch_texts_add(&r->fields, r->mem, schema, node, e));
        }
    }
    return PQ_OK;
}

static void print_line(Rows *r, uint32_t row)
{
    const char *column = NULL;

    r->line.n = 0;
    pq_buf_byte(&r->line, '{');
    for (uint32_t k = 0; k < r->fields.n; k++) {
        const PqWantedField *w = r->of[k];
        PqStr text = r->fields.texts[k][row];

        if (!text.p) {
            continue;
        }
        if (!w->field) {
            pq_buf_printf(&r->line, "%s\"%s\":", r->line.n > 1 ? "," : "", w->column);
        } else if (!column || strcmp(column, w->column) != 0) {
            pq_buf_printf(&r->line, "%s\"%s\":{\"%s\":", column ? "}," : "", w->column, w->field);
            column = w->column;
        } else {
            pq_buf_printf(&r->line, ",\"%s\":", w->field);
        }
        pq_buf_add(&r->line, text.p, text.n);
    }
    pq_buf_text(&r->line, column ? "}}" : "}");
}

static PqRc visit_batch(void *arg, PqScan *scan, PqErr *e)
{
    Rows *r = arg;
    uint32_t n_rows = pq_scan_batch(scan)->n_rows;

    PQ_TRY(r->fields.n ? PQ_OK : take_wanted(r, &pq_scan_footer(scan)->schema, e));
    PQ_TRY(pq_batch_texts_load(&r->fields, scan, e));
    for (uint32_t row = 0; row < n_rows; row++) {
        print_line(r, row);
        PQ_TRY(pq_buf_ok(&r->line) ? r->visit(r->arg, pq_buf_view(&r->line), e) : e->rc);
    }
    return PQ_OK;
}

PqRc pq_checkpoint_rows(PqEngine *g, const PqPlaces *places, const char *path,
                        const PqWantedField *wanted, uint32_t n, const PqStop *stop,
                        PqLineVisit visit, void *arg, PqErr *e)
{
    Rows r = {.mem = g->mem, .wanted = wanted, .n_wanted = n, .visit = visit, .arg = arg};
    PqRc rc;

    pq_buf_init(&r.line, g->mem, e);
    rc = pq_file_batches(g, places, path, stop, visit_batch, &r, e);
    pq_batch_texts_free(&r.fields);
    pq_buf_free(&r.line);
    return rc;
}
