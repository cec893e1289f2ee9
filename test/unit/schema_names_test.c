/*
** schema_names_test.c - fields are found by name, however often a name is there.
*/
#include "core/files/table_inside.h"
#include "test/unit/made_schema.h"

#include <stdlib.h>

/* The fields of a struct of these names, in one letter each. */
static void make(Test *t, Made *x, const char *names)
{
    static const char *const of_letter[] = {
        ['x'] = "x", ['y'] = "y", ['X'] = "X", ['-'] = "", ['l'] = "long_name",
        ['L'] = "Long_Name"};

    begin(t, x);
    root(x, (int)strlen(names));
    for (const char *z = names; *z; z++) {
        leaf(x, PQ_OPTIONAL, PQ_INT32, of_letter[(unsigned char)*z]);
    }
    if (pq_schema_build(&x->list, &x->arena, &x->schema, t->e) != PQ_OK) {
        abort();
    }
}

/* The place of a field in the file, -1: there is none. */
static int place(const PqNode *node)
{
    return node ? (int)node->element - 1 : -1;
}

static int nth(const char *name, uint32_t n)
{
    return place(pq_node_field(m->schema.root, pq_slice_text(name), n));
}

static int any(const char *name)
{
    return place(pq_node_field_any_case(m->schema.root, pq_slice_text(name)));
}

TEST(schema_names, a_field_is_found_by_its_name_and_by_its_name_in_another_case)
{
    make(t, m, "yXx-lxLX");
    CHECK_INT(nth("x", 0), 2);
    CHECK_INT(nth("x", 1), 5);
    CHECK_INT(nth("x", 2), -1);
    CHECK_INT(nth("x", UINT32_MAX), -1);
    CHECK_INT(nth("X", 0), 1);
    CHECK_INT(nth("X", 1), 7);
    CHECK_INT(nth("", 0), 3);
    CHECK_INT(nth("long_name", 0), 4);
    CHECK_INT(nth("long_nam", 0), -1);
    CHECK_INT(nth("long_names", 0), -1);
    CHECK_INT(nth("LONG_NAME", 0), -1);
    CHECK_INT(any("LONG_NAME"), 4);
    CHECK_INT(any("x"), 1);
    CHECK_INT(any("z"), -1);
    CHECK(!pq_node_field(m->schema.root, pq_slice("x\0x", 3), 0));
    CHECK_INT(pq_node_nth_of_its_name(m->schema.root, m->schema.root->child[5]),
              1);
    CHECK_INT(pq_node_nth_of_its_name(m->schema.root, m->schema.root->child[7]),
              1);
    CHECK_INT(pq_node_nth_of_its_name(m->schema.root, m->schema.root->child[6]),
              0);
    end(m);
}

TEST(schema_names, a_struct_without_fields_has_none)
{
    make(t, m, "");
    CHECK_INT(nth("x", 0), -1);
    CHECK_INT(any("x"), -1);
    end(m);
}

/* The second x of one file is the second x of the next, even if another x has the
** place that it had. */
TEST(schema_names, a_column_whose_name_is_there_twice_keeps_its_turn)
{
    static Made next;
    static const struct { const char *of, *in; int from, to; } cases[] = {
        {"xyxx", "xxxy", 2, 1}, {"xyxx", "xxxy", 3, 2}, {"xyxx", "xxxy", 0, 0},
        {"xx", "yx", 1, -1},    {"xx", "yx", 0, 1},     {"xX", "Xx", 0, 1},
        {"yx", "yx", 1, 1},     {"yx", "xyy", 1, 0},    {"lx", "Lx", 0, 0},
    };

    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        PqColumn c = {.position = (uint32_t)cases[i].from};

        make(t, m, cases[i].of);
        make(t, &next, cases[i].in);
        c.root = m->schema.root;
        c.node = c.root->child[cases[i].from];
        CHECK_INT(place(pq_table_node_of(next.schema.root, &c)),
                  cases[i].to);
        end(m);
        end(&next);
    }
}
