/*
** key_cost.h - which columns a join can find rows by (key.h), and what that costs.
*/
#ifndef PQEXT_KEY_COST_H
#define PQEXT_KEY_COST_H

#include "ext/condition/term.h"

/* Can an index be made of the column? */
bool pqext_key_can(const PqextTable *t, uint32_t column);

/* What a call costs that the index answers, in SQLite's steps; as much as a
** scan, where memory does not suffice for one.  used: the columns that are;
** n_others: other terms; given: rows that pass all. */
double pqext_key_cost(PqextTable *t, uint32_t column, uint64_t used,
                      uint32_t n_others, double given);

/* What a row costs that is given to SQLite, in the same steps. */
double pqext_row_cost(uint64_t used);

#endif
