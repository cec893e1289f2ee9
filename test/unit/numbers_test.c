/*
** numbers_test.c - arithmetic over vectors, against SQLite's rules.
*/
#include "test/unit/test.h"

#include "core/rollup/numbers.h"
#include "core/text/number_text.h"

#include <math.h>

static PqNumberStep column(uint32_t i)
{
    return (PqNumberStep){.op = PQ_NUMBER_COLUMN, .column = i};
}

static PqNumberStep integer(int64_t i)
{
    return (PqNumberStep){.op = PQ_NUMBER_CONSTANT, .i = i};
}

static PqNumberStep literal(int64_t unscaled, int scale, double r)
{
    return (PqNumberStep){.op = PQ_NUMBER_CONSTANT, .kind = PQ_NUMBER_DECIMAL,
                          .i = unscaled, .scale = scale, .r = r};
}

static PqNumberStep op(PqNumberOp which)
{
    return (PqNumberStep){.op = which};
}

typedef struct Machine {
    PqMem  *mem;
    PqArena arena;
    PqErr   e;
} Machine;

static void begin(Machine *m)
{
    pq_err_init(&m->e);
    m->mem = pq_mem_new(1 << 20);
    pq_arena_init(&m->arena, m->mem);
}

static void end(Machine *m)
{
    pq_arena_free(&m->arena);
    pq_mem_release(m->mem);
}

enum { MOST_STEPS = 16 };

static PqNumbers run(Machine *m, PqNumberStep *steps, uint32_t n_steps,
                     const PqNumbers *columns, uint32_t n)
{
    static uint32_t numbers[] = {0, 1, 2, 3};
    PqNumberProgram p = {
        .steps = steps, .n_steps = n_steps, .columns = numbers};
    PqNumberGraph g = {0};
    PqNumbers out[MOST_STEPS] = {{0}}, of_graph[PQ_COUNT(numbers)];
    uint32_t root = 0;

    (void)pq_number_graph_add(&g, &p, &m->arena, &root, &m->e);
    for (uint32_t i = 0; i < g.n_columns; i++) {
        of_graph[i] = columns[g.columns[i]];
    }
    (void)pq_number_graph_run(&g, of_graph, n, &m->arena, out, &m->e);
    return out[root];
}

static PqNumbers ints(const int64_t *v, uint32_t n, const uint64_t *valid)
{
    return (PqNumbers){.kind = PQ_NUMBER_INT, .n = n, .values = v,
                       .valid = valid};
}

static bool is_null(const PqNumbers *v, uint32_t i)
{
    return v->valid && !pq_bit(v->valid, i);
}

static bool is_real(const PqNumbers *v, uint32_t i)
{
    return v->kind == PQ_NUMBER_REAL || (v->reals && pq_bit(v->reals, i));
}

static int64_t int_at(const PqNumbers *v, uint32_t i)
{
    return ((const int64_t *)v->values)[i];
}

static double real_at(const PqNumbers *v, uint32_t i)
{
    return ((const double *)v->values)[i];
}

TEST(numbers, an_overflow_makes_one_row_a_real)
{
    static const int64_t v[] = {1, INT64_MAX, -5};
    PqNumberStep steps[] = {column(0), integer(1), op(PQ_NUMBER_ADD)};
    PqNumbers in = ints(v, 3, NULL), out;
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 3);
    CHECK(out.kind == PQ_NUMBER_INT && out.reals);
    CHECK(!is_real(&out, 0) && int_at(&out, 0) == 2);
    CHECK(is_real(&out, 1) && real_at(&out, 1) == 9223372036854775808.0);
    CHECK(!is_real(&out, 2) && int_at(&out, 2) == -4);
    end(&m);
}

TEST(numbers, integers_are_cut_and_zero_divides_to_null)
{
    static const int64_t a[] = {7, -7, 7, INT64_MIN, INT64_MIN},
                         b[] = {2, 2, 0, -1, -1};
    PqNumberStep divide[] = {column(0), column(1), op(PQ_NUMBER_DIVIDE)};
    PqNumberStep rest[] = {column(0), column(1), op(PQ_NUMBER_REMAINDER)};
    PqNumbers in[] = {ints(a, 5, NULL), ints(b, 5, NULL)}, out;
    Machine m;

    begin(&m);
    out = run(&m, divide, 3, in, 5);
    CHECK(int_at(&out, 0) == 3 && int_at(&out, 1) == -3 && is_null(&out, 2));
    CHECK(is_real(&out, 3) && real_at(&out, 3) == 9223372036854775808.0);
    out = run(&m, rest, 3, in, 5);
    CHECK(int_at(&out, 0) == 1 && int_at(&out, 1) == -1 && is_null(&out, 2));
    CHECK(int_at(&out, 3) == 0 && !is_null(&out, 3));
    end(&m);
}

TEST(numbers, what_is_not_a_number_is_null)
{
    static const double a[] = {INFINITY, 1.5, 0.0}, b[] = {INFINITY, 0.5, 0.0};
    PqNumbers in[] = {{.kind = PQ_NUMBER_REAL, .n = 3, .values = a},
                      {.kind = PQ_NUMBER_REAL, .n = 3, .values = b}}, out;
    PqNumberStep minus[] = {column(0), column(1), op(PQ_NUMBER_SUBTRACT)};
    PqNumberStep divide[] = {column(0), column(1), op(PQ_NUMBER_DIVIDE)};
    Machine m;

    begin(&m);
    out = run(&m, minus, 3, in, 3);
    CHECK(is_null(&out, 0) && !is_null(&out, 1) && real_at(&out, 1) == 1.0);
    out = run(&m, divide, 3, in, 3);
    CHECK(is_null(&out, 0) && real_at(&out, 1) == 3.0 && is_null(&out, 2));
    end(&m);
}

TEST(numbers, decimals_stay_exact_beside_constants)
{
    static const int64_t price[] = {1999, 10}, discount[] = {7, 50};
    PqNumbers in[] = {
        {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = price},
        {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = discount}};
    PqNumberStep steps[] = {column(0), integer(1), column(1),
                            op(PQ_NUMBER_SUBTRACT), op(PQ_NUMBER_MULTIPLY),
                            literal(5, 1, 0.5), op(PQ_NUMBER_ADD)};
    PqNumbers out;
    Machine m;

    begin(&m);                       /* 19.99 * (1 - 0.07) + 0.5 */
    out = run(&m, steps, 7, in, 2);
    CHECK(out.kind == PQ_NUMBER_DECIMAL && out.scale == 4);
    CHECK(int_at(&out, 0) == 1999 * 93 + 5000);
    CHECK(int_at(&out, 1) == 10 * 50 + 5000);
    end(&m);
}

TEST(numbers, a_product_that_64_bits_cannot_hold_is_wide)
{
    static const int64_t v[] = {INT64_C(900000000000000000), 1};
    PqNumbers in = {.kind = PQ_NUMBER_DECIMAL, .scale = 2, .n = 2, .values = v},
              out;
    PqNumberStep steps[] = {column(0), column(0), op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 2);
    CHECK(out.kind == PQ_NUMBER_WIDE && out.scale == 4);
    CHECK(((const PqWide *)out.values)[0] == (PqWide)v[0] * v[0]);
    CHECK(((const PqWide *)out.values)[1] == 1);
    end(&m);
}

/* Where the operands are near the bound of what fits, each result is looked at. */
TEST(numbers, results_at_the_ends_of_64_bits_are_exact)
{
    static const int64_t ends[] = {
        INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 62,
        (INT64_C(1) << 62) - 1, -(INT64_C(1) << 62), INT64_C(1) << 31,
        (INT64_C(1) << 32) - 1, -(INT64_C(1) << 32), INT64_C(3037000499),
        INT64_C(3037000500), 1, 2, 0, -1, -2};
    static const PqNumberOp ops[] = {PQ_NUMBER_ADD, PQ_NUMBER_SUBTRACT,
                                     PQ_NUMBER_MULTIPLY};
    enum { ENDS = PQ_COUNT(ends) };

    for (size_t k = 0; k < PQ_COUNT(ops) * ENDS * ENDS; k++) {
        int64_t v[2] = {ends[k % ENDS], ends[k / ENDS % ENDS]};
        PqNumberOp which = ops[k / ENDS / ENDS];
        PqNumberStep steps[] = {column(0), column(1), op(which)};
        PqNumbers in[2] = {ints(&v[0], 1, NULL), ints(&v[1], 1, NULL)}, out;
        PqWide want = which == PQ_NUMBER_ADD        ? (PqWide)v[0] + v[1]
                      : which == PQ_NUMBER_SUBTRACT ? (PqWide)v[0] - v[1]
                                                    : (PqWide)v[0] * v[1];
        Machine m;

        begin(&m);
        out = run(&m, steps, 3, in, 1);
        CHECK(is_real(&out, 0) == (want != (int64_t)want));
        CHECK(is_real(&out, 0) ? real_at(&out, 0) == (double)want
                               : int_at(&out, 0) == (int64_t)want);
        CHECK(out.bound == 0 || want <= (PqWide)out.bound);
        CHECK(out.bound == 0 || want >= -(PqWide)out.bound);
        end(&m);
    }
}

TEST(numbers, a_decimal_beyond_128_bits_is_a_real)
{
    static const int64_t v[] = {INT64_MAX};
    PqNumbers in = {.kind = PQ_NUMBER_DECIMAL, .scale = 1, .n = 1, .values = v},
              out;
    PqNumberStep steps[] = {column(0), column(0), op(PQ_NUMBER_MULTIPLY),
                            column(0), op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 5, &in, 1);
    CHECK(out.kind == PQ_NUMBER_REAL);
    CHECK(fabs(real_at(&out, 0) / 7.846377169233350e53 - 1) < 1e-12);
    end(&m);
}

TEST(numbers, a_constant_with_a_point_is_a_real_beside_integers)
{
    static const int64_t v[] = {3, 4};
    static const uint64_t valid[] = {2};
    PqNumbers in = ints(v, 2, valid), out;
    PqNumberStep steps[] = {column(0), literal(15, 1, 1.5),
                            op(PQ_NUMBER_MULTIPLY)};
    Machine m;

    begin(&m);
    out = run(&m, steps, 3, &in, 2);
    CHECK(out.kind == PQ_NUMBER_REAL);
    CHECK(is_null(&out, 0) && !is_null(&out, 1) && real_at(&out, 1) == 6.0);
    end(&m);
}

TEST(numbers, what_programs_share_is_one_node)
{
    PqNumberStep steps[] = {column(0),
                            integer(1),
                            column(1),
                            op(PQ_NUMBER_SUBTRACT),
                            op(PQ_NUMBER_MULTIPLY),
                            integer(2),
                            op(PQ_NUMBER_MULTIPLY)};
    uint32_t columns[] = {7, 9}, longer, shorter, again;
    PqNumberProgram p = {steps, 7, columns, 2};
    PqNumberGraph g = {0};
    Machine m;

    begin(&m);
    CHECK_OK(pq_number_graph_add(&g, &p, &m.arena, &longer, &m.e));
    CHECK_INT(g.n_nodes, 7);
    p.n_steps = 5;
    CHECK_OK(pq_number_graph_add(&g, &p, &m.arena, &shorter, &m.e));
    CHECK_INT(g.n_nodes, 7);
    CHECK(g.nodes[longer].left == shorter);
    steps[1] = integer(3); /* another constant: two nodes and theirs */
    CHECK_OK(pq_number_graph_add(&g, &p, &m.arena, &again, &m.e));
    CHECK_INT(g.n_nodes, 10);
    CHECK_INT(g.n_columns, 2);
    end(&m);
}

/* ---- all forms of operands --------------------------------------------------- */

enum { ROWS = 100, ENTRIES = 5 };

typedef enum Form { PLAIN, OF_DICTIONARY, CONSTANT, FORMS } Form;

/* An operand, and the same by row. */
typedef struct Made {
    int64_t entries[ENTRIES], rows[ROWS];
    uint32_t ids[ROWS];
    PqNumbers v, by_row;
    PqNumberStep step;
} Made;

static int64_t bits_of(double r)
{
    int64_t i;

    memcpy(&i, &r, sizeof i);
    return i;
}

static void make_operand(PqNumberKind kind, Form form, uint32_t number,
                         const int64_t *entries, const uint64_t *valid,
                         Made *out)
{
    *out = (Made){.step = column(number)};
    memcpy(out->entries, entries, sizeof out->entries);
    for (uint32_t i = 0; i < ROWS; i++) {
        out->ids[i] = form == CONSTANT ? 0 : (i * 7 + number) % ENTRIES;
        out->rows[i] = entries[out->ids[i]];
    }
    out->by_row = (PqNumbers){.kind = kind,
                              .n = ROWS,
                              .values = out->rows,
                              .scale = kind == PQ_NUMBER_DECIMAL ? 2 : 0,
                              .valid = form == CONSTANT ? NULL : valid};
    out->v = out->by_row;
    if (form == OF_DICTIONARY) {
        out->v.values = out->entries;
        out->v.ids = out->ids;
        out->v.n_entries = ENTRIES;
    } else if (form == CONSTANT) {
        out->step = (PqNumberStep){.op = PQ_NUMBER_CONSTANT,
                                   .kind = kind,
                                   .i = entries[0],
                                   .scale = out->v.scale};
        memcpy(&out->step.r, &entries[0], sizeof out->step.r);
        if (kind == PQ_NUMBER_DECIMAL) {
            out->step.r = pq_decimal_real_i64(entries[0], out->v.scale);
        }
    }
}

static bool same_row(const PqNumbers *a, const PqNumbers *b, uint32_t i)
{
    uint32_t at = a->ids ? a->ids[i] : i;

    if (is_null(a, i) || is_null(b, i)) {
        return is_null(a, i) == is_null(b, i);
    }
    if (is_real(a, i) != is_real(b, i) || a->scale != b->scale) {
        return false;
    }
    return a->kind == PQ_NUMBER_WIDE ? ((const PqWide *)a->values)[at] ==
                                           ((const PqWide *)b->values)[i]
                                     : int_at(a, at) == int_at(b, i);
}

static bool is_constant(const Made *m)
{
    return m->step.op == PQ_NUMBER_CONSTANT;
}

/* A constant with a point is a REAL, but beside a column of decimals. */
static bool is_fair(const Made *a, const Made *b)
{
    return !(is_constant(a) && a->v.kind == PQ_NUMBER_DECIMAL) ||
           (!is_constant(b) && b->v.kind == PQ_NUMBER_DECIMAL);
}

static void compare_forms(Test *t, const Made *a, const Made *b,
                          PqNumberOp which)
{
    PqNumberStep steps[] = {a->step, b->step, op(which)};
    PqNumberStep plain[] = {column(0), column(1), op(which)};
    PqNumbers in[] = {a->v, b->v}, rows[] = {a->by_row, b->by_row}, x, y;
    Machine m;

    begin(&m);
    x = run(&m, steps, 3, in, ROWS);
    y = run(&m, plain, 3, rows, ROWS);
    CHECK_OK(m.e.rc);
    CHECK_INT(x.kind, y.kind);
    for (uint32_t i = 0; i < ROWS; i++) {
        CHECK(same_row(&x, &y, i));
    }
    end(&m);
}

TEST(numbers, dictionaries_and_constants_give_what_rows_give)
{
    static const uint64_t some[] = {UINT64_C(0xf0f0f7fffffffff1), 0x123456789};
    static const int64_t values[][ENTRIES] = {
        {3, -2, 0, 100, 7},
        {INT64_MAX, INT64_MIN, -1, 0, 5},
        {INT64_C(900000000000000000), 1, 2, -3, 0}};
    static const double reals[][ENTRIES] = {
        {1.5, -0.25, 0.0, 1e300, 3.0},
        {INFINITY, -INFINITY, 1.0, -1e300, 0.0},
        {2.0, 0.5, -0.0, 1e-300, 4.0}};
    static const PqNumberKind kinds[] = {PQ_NUMBER_INT, PQ_NUMBER_DECIMAL,
                                         PQ_NUMBER_REAL};
    int64_t entries[PQ_COUNT(kinds)][3][ENTRIES];
    uint32_t compared = 0;

    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t i = 0; i < ENTRIES; i++) {
            entries[0][s][i] = entries[1][s][i] = values[s][i];
            entries[2][s][i] = bits_of(reals[s][i]);
        }
    }
    for (uint32_t i = 0; i < 9 * 9 * 9; i++) {
        uint32_t ka = i % 3, kb = i / 3 % 3, sa = i / 9 % 3, sb = i / 27 % 3;
        Form fa = (Form)(i / 81 % 3), fb = (Form)(i / 243 % 3);
        Made a, b;

        make_operand(kinds[ka], fa, 0, entries[ka][sa], i % 2 ? some : NULL,
                     &a);
        make_operand(kinds[kb], fb, 1, entries[kb][sb], i % 5 ? NULL : some,
                     &b);
        if (!is_fair(&a, &b) || !is_fair(&b, &a)) {
            continue;
        }
        for (PqNumberOp o = PQ_NUMBER_ADD; o <= PQ_NUMBER_REMAINDER; o++) {
            compare_forms(t, &a, &b, o);
            compared++;
        }
    }
    CHECK(compared > 2000);
}

/* The numbers after the entries are large, so a bound that counts them is too large. */
TEST(numbers, no_more_than_the_entries_of_a_dictionary_are_read)
{
    static const uint32_t ids[ROWS] = {4, 2};
    PqNumberStep steps[] = {column(0), integer(1), op(PQ_NUMBER_ADD)};
    int64_t values[ROWS] = {1, 2, -3, 4, 5};
    PqNumbers in = ints(values, ROWS, NULL), out;
    Machine m;

    in.ids = ids;
    in.n_entries = ENTRIES;
    for (uint32_t i = ENTRIES; i < ROWS; i++) {
        values[i] = INT64_MAX;
    }
    begin(&m);
    out = run(&m, steps, 3, &in, ROWS);
    CHECK_OK(m.e.rc);
    CHECK(!out.ids && int_at(&out, 0) == 6 && int_at(&out, 1) == -2);
    CHECK(out.bound > 0 && out.bound < 100);
    end(&m);
}
