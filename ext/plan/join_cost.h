/*
** join_cost.h - which columns a join can find rows by, and what that costs.
*/
#ifndef PQEXT_JOIN_COST_H
#define PQEXT_JOIN_COST_H

#include "ext/condition/term.h"

/* Can an index be made of the column? */
bool pqext_join_can(const PqextTable *t, uint32_t column);

/* The cost of a call that the index answers, in SQLite's steps; the cost of a
** scan if memory does not suffice for an index.  used: the used columns;
** n_others: other terms; given: rows that pass all. */
double pqext_join_cost(PqextTable *t, uint32_t column, uint64_t used,
                       uint32_t n_others, double given);

/* The cost of a row that is given to SQLite, in the same steps. */
double pqext_row_cost(uint64_t used);

#endif
