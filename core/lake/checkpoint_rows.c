/*
** checkpoint_rows.c - scans a file, prints each wanted field, and puts the texts of a row
** together.
*/
#include "core/lake/checkpoint_rows.h"

#include "core/lake/file_batches.h"

enum { WANTED_MOST = 32 };

/* A wanted field that the file has. */
typedef struct Field {
    const PqWantedField *wanted;
    const PqNode        *node;
    PqJsonRows          *json;
    const PqStr         *texts;      /* of the batch, a row each             */
} Field;

typedef struct Rows {
    PqMem           *mem;
    const PqWantedField *wanted;
    uint32_t         n_wanted;
    PqLineVisit      visit;
    void            *arg;
    Field            field[WANTED_MOST];
    uint32_t         n;
    const PqVector **vectors;        /* by leaf                              */
    PqBuf            line;
} Rows;

static PqRc take_wanted(Rows *r, const PqSchema *schema, const PqWantedField *wanted,
                        uint32_t n, PqMem *mem, PqErr *e)
{
    static const PqJsonOptions usual = {0};

    PQ_TRY(PQ_NEW(mem, r->vectors, schema->n_leaves + 1u, e));
    for (uint32_t i = 0; i < n && r->n < WANTED_MOST; i++) {
        Field *f = &r->field[r->n];
        const PqNode *of = pq_node_field(schema->root, pq_slice_text(wanted[i].column), 0);

        f->wanted = &wanted[i];
        f->node = of && of->kind == PQ_NODE_STRUCT && !wanted[i].field ? of
                  : of && of->kind == PQ_NODE_STRUCT
                      ? pq_node_field(of, pq_slice_text(wanted[i].field), 0) : NULL;
        if (f->node) {
            r->n++;
            PQ_TRY(pq_json_rows_new(mem, f->node, &usual, &f->json, e));
        }
    }
    return PQ_OK;
}

static void print_line(Rows *r, uint32_t row)
{
    const char *column = NULL;

    r->line.n = 0;
    pq_buf_byte(&r->line, '{');
    for (uint32_t k = 0; k < r->n; k++) {
        const Field *f = &r->field[k];

        if (!f->texts[row].p) {
            continue;
        }
        if (!f->wanted->field) {
            pq_buf_printf(&r->line, "%s\"%s\":", r->line.n > 1 ? "," : "", f->wanted->column);
            pq_buf_add(&r->line, f->texts[row].p, f->texts[row].n);
            continue;
        }
        if (!column || strcmp(column, f->wanted->column) != 0) {
            pq_buf_printf(&r->line, "%s\"%s\":{", column ? "}," : "", f->wanted->column);
            column = f->wanted->column;
        } else {
            pq_buf_byte(&r->line, ',');
        }
        pq_buf_printf(&r->line, "\"%s\":", f->wanted->field);
        pq_buf_add(&r->line, f->texts[row].p, f->texts[row].n);
    }
    pq_buf_text(&r->line, column ? "}}" : "}");
}

static PqRc visit_batch(void *arg, PqScan *scan, PqErr *e)
{
    Rows *r = arg;
    uint32_t n_rows = pq_scan_batch(scan)->n_rows;

    if (!r->vectors) {
        PQ_TRY(take_wanted(r, &pq_scan_footer(scan)->schema, r->wanted, r->n_wanted, r->mem,
                           e));
    }
    for (uint32_t k = 0; k < r->n; k++) {
        Field *f = &r->field[k];

        PQ_TRY(pq_batch_texts(scan, f->node, f->json, r->vectors, &f->texts, e));
    }
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
    for (uint32_t i = 0; i < r.n; i++) {
        pq_json_rows_free(r.field[i].json);
    }
    pq_mem_free(r.vectors);
    pq_buf_free(&r.line);
    return rc;
}
