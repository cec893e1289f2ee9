/*
** number_graph.c - makes a graph of the programs of measures, and runs it.
**
** A step of a program looks among the last LOOK_BACK nodes for one with the
** same operation and operands.  So n steps take at most n * LOOK_BACK looks,
** whatever the statement is like.
*/
#include "core/rollup/numbers_inside.h"

#include <string.h>

/* ---- made ------------------------------------------------------------------- */

enum { LOOK_BACK = 256 };            /* nodes that are looked at            */

static bool is_leaf(const PqNumberStep *s)
{
    return s->op == PQ_NUMBER_COLUMN || s->op == PQ_NUMBER_CONSTANT;
}

static bool same_bits(double a, double b)
{
    uint64_t x, y;

    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

static bool same_step(const PqNumberStep *a, const PqNumberStep *b)
{
    if (a->op != b->op) {
        return false;
    }
    return a->op == PQ_NUMBER_COLUMN
               ? a->column == b->column
               : a->op != PQ_NUMBER_CONSTANT ||
                     (a->kind == b->kind && a->i == b->i &&
                      a->scale == b->scale &&
                      same_bits(a->r, b->r));
}

static PqRc add_node(PqNumberGraph *g, const PqNumberNode *node, PqArena *a,
                     uint32_t *number, PqErr *e)
{
    uint32_t first = g->n_nodes > LOOK_BACK ? g->n_nodes - LOOK_BACK : 0;

    for (uint32_t i = first; i < g->n_nodes; i++) {
        const PqNumberNode *there = &g->nodes[i];

        if (same_step(&there->step, &node->step) && there->left == node->left &&
            there->right == node->right) {
            *number = i;
            return PQ_OK;
        }
    }
    PQ_TRY(PQ_ARENA_GROW(a, g->nodes, g->n_nodes, e));
    *number = g->n_nodes;
    g->nodes[g->n_nodes++] = *node;
    return PQ_OK;
}

static PqRc add_column(PqNumberGraph *g, uint32_t column, PqArena *a,
                       uint32_t *number, PqErr *e)
{
    for (*number = 0; *number < g->n_columns; ++*number) {
        if (g->columns[*number] == column) {
            return PQ_OK;
        }
    }
    PQ_TRY(PQ_ARENA_GROW(a, g->columns, g->n_columns, e));
    g->columns[g->n_columns++] = column;
    return PQ_OK;
}

PqRc pq_number_graph_add(PqNumberGraph *g, const PqNumberProgram *p, PqArena *a,
                         uint32_t *root, PqErr *e)
{
    uint32_t *stack = pq_arena_zeros(a, p->n_steps + 1u, sizeof *stack, e);
    uint32_t top = 0;

    PQ_TRY(stack ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        PqNumberNode node = {.step = p->steps[i]};

        if (node.step.op == PQ_NUMBER_COLUMN) {
            PQ_TRY(add_column(g, p->columns[node.step.column], a,
                              &node.step.column, e));
        } else if (!is_leaf(&node.step)) {
            top -= 2;
            node.left = stack[top];
            node.right = stack[top + 1];
        }
        PQ_TRY(add_node(g, &node, a, &stack[top++], e));
    }
    *root = stack[0];
    g->nodes[*root].is_root = true;
    return PQ_OK;
}

/* ---- run -------------------------------------------------------------------- */

static PqNumberOperand constant(const PqNumberRun *run, const PqNumberStep *s)
{
    return (PqNumberOperand){.v = {.kind = s->kind,
                                   .scale = s->scale,
                                   .n = run->n,
                                   .values = s->kind == PQ_NUMBER_REAL
                                                 ? (const void *)&s->r
                                                 : (const void *)&s->i},
                             .is_constant = true,
                             .is_literal = s->kind == PQ_NUMBER_DECIMAL,
                             .r = s->r};
}

PqRc pq_number_graph_run(const PqNumberGraph *g, const PqNumbers *columns,
                         uint32_t n, PqArena *a, PqNumbers *out, PqErr *e)
{
    PqNumberRun run = {n, a, e};
    PqNumberOperand *made = pq_arena_zeros(a, g->n_nodes + 1u, sizeof *made, e);

    PQ_TRY(made ? PQ_OK : e->rc);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const PqNumberNode *node = &g->nodes[i];

        if (node->step.op == PQ_NUMBER_COLUMN) {
            made[i].v = columns[node->step.column];
        } else if (node->step.op == PQ_NUMBER_CONSTANT) {
            made[i] = constant(&run, &node->step);
        } else {
            PQ_TRY(pq_numbers_combine(&run, node->step.op, made[node->left],
                                      made[node->right], &made[i]));
        }
    }
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        PQ_TRY(g->nodes[i].is_root ? pq_numbers_give(&run, made[i], &out[i])
                                   : PQ_OK);
    }
    return PQ_OK;
}
