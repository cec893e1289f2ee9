/*
** rows_fixture.h - a column made of a list of elements and levels given by
** hand.
**
**   static const Element tags[] = {
**       GROUP("root", 'r', 1),
**       GROUP("tags", 'o', 1, .logical = PQ_LOGICAL_LIST),
**       GROUP("list", '*', 1), LEAF("element", 'o', .type = PQ_INT32)};
**   Rows f;
**
**   rows_open(t, &f, tags, PQ_COUNT(tags), false);
**   rows_ints(&f, 0, "0100", "3310", (int64_t[]){7, 8});
**   rows_check(t, &f, 3, (const char *[]){"[7,8]", "[]", NULL});
**   rows_close(&f);
**
** A level is a digit; values are those of the slots that have one.
*/
#ifndef ROWS_FIXTURE_H
#define ROWS_FIXTURE_H

#include "core/nested/json_rows.h"
#include "test/unit/test.h"

typedef struct Element {
    const char *name;
    char        repetition;          /* r o *                          */
    int32_t     kids;                /* 0: a leaf                      */
    int         type;
    int         logical;             /* a bit of PqLogicalType, 0: none */
    int32_t     length;
    int32_t     a, b;                /* scale, precision; or bits, signed */
} Element;

enum { ROWS_LEAVES = 16, ROWS_SLOTS = 512 };

typedef struct RowsLeaf {
    uint16_t *rep, *def;             /* exactly n_slots, on the heap */
    uint64_t valid[ROWS_SLOTS / 64];
    union {
        uint8_t u8[ROWS_SLOTS * 16];
        int32_t i32[ROWS_SLOTS];
        int64_t i64[ROWS_SLOTS];
        float   f32[ROWS_SLOTS];
        double  f64[ROWS_SLOTS];
        PqStr   str[ROWS_SLOTS];
    } values;
    uint32_t ids[ROWS_SLOTS];
    PqDict   dict;
    PqVector vector;
} RowsLeaf;

typedef struct Rows {
    Test       *t;
    PqArena     arena;
    PqSchema    schema;
    PqJsonRows *plan;
    RowsLeaf   *leaf;                /* of ROWS_LEAVES */
} Rows;

#define GROUP(name_, repetition_, kids_, ...)                          \
    {.name = name_, .repetition = repetition_, .kids = kids_, __VA_ARGS__}
#define LEAF(name_, repetition_, ...)                                  \
    {.name = name_, .repetition = repetition_, __VA_ARGS__}

/* The first child of the root is the column.  If it cannot be planned, plan is
** NULL and t->e is set. */
void rows_open(Test *t, Rows *f, const Element *el, size_t n, bool entries);
void rows_close(Rows *f);

/* rep NULL: the leaf is not repeated; def NULL: it is required. */
void rows_ints(Rows *f, uint32_t leaf, const char *rep, const char *def,
               const int64_t *values);
void rows_doubles(Rows *f, uint32_t leaf, const char *rep, const char *def,
                  const double *values);
void rows_texts(Rows *f, uint32_t leaf, const char *rep, const char *def,
                const char *const *values);
void rows_bytes(Rows *f, uint32_t leaf, const char *rep, const char *def,
                const PqSlice *values);

/* Turns the leaf's values into a dictionary, entries in the order of slots. */
void rows_make_dictionary(Rows *f, uint32_t leaf, uint64_t serial);

PqRc rows_begin(Rows *f, uint32_t n_rows);
void rows_check(Test *t, Rows *f, uint32_t n_rows, const char *const *want);
void rows_check_fails(Test *t, Rows *f, uint32_t n_rows, PqRc rc,
                      const char *why);

#endif
