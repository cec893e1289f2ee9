/*
** dimension_test.h - rows are dropped by what is asked of computed dimensions.
*/
#ifndef PQEXT_DIMENSION_TEST_H
#define PQEXT_DIMENSION_TEST_H

#include "ext/rollup/rollup_table.h"

typedef struct PqextTests PqextTests;

/* Does it help to test this operator? */
bool pqext_tests_can(PqextOp op);

/* Is the test what SQLite would say, for this literal (NULL: the operand is not a
** literal)? */
bool pqext_tests_are_exact(const PqextTable *source, PqextOp op, sqlite3_value *literal);

/* Tests for a scan that has been started.  Errors are in the scan's.  Tests may be NULL
** below, where nothing is added to them. */
PqRc pqext_tests_new(const PqextDefinition *d, PqextScan *s, PqextTests **out);
void pqext_tests_free(PqextTests *t);

/* Adds a term with its operand, or list.  literal: the operand has no affinity. */
PqRc pqext_tests_add(PqextTests *t, uint32_t dimension, PqextOp op, bool literal,
                     sqlite3_value *v);

/* Rows where the dimension is not true, or not false, are not wanted. */
PqRc pqext_tests_add_truth(PqextTests *t, uint32_t dimension, bool is_true);

/* Do they ask SQLite for values? */
bool pqext_tests_ask(const PqextTests *t);

/* All terms were added: the scan gets its filters.  n_scans: so many have tests at once,
** and share memory for values. */
PqRc pqext_tests_begin(PqextTests *t, uint32_t n_scans);

/* See pqext_inputs_leave_host. */
PqRc pqext_tests_leave_host(PqextTests *t);

#endif
