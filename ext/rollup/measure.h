/*
** measure.h - count(*), sum(price * (1 - discount)): a measure out of its text.
**
**   count(*)  count(x)  sum(x)  min(x)  max(x)
**
** x is a column, or arithmetic over numeric columns and constants, which becomes
** a program (core/rollup/numbers.h).
*/
#ifndef PQEXT_MEASURE_H
#define PQEXT_MEASURE_H

#include "ext/rollup/definition_text.h"

/* Is the whole item one call of a function of measures? */
bool pqext_is_measure(const PqextItem *item);

/* ... or of a name that may mean one?  Its error; else PQ_OK. */
PqRc pqext_no_measure(const PqextItem *item, PqErr *e);

PqRc pqext_measure_parse(const PqextTable *source, const PqextItem *item,
                         PqArena *a, PqextMeasure *out, PqErr *e);

/* Are the values of a column numbers? */
bool pqext_is_numeric(const PqextTable *t, uint32_t column);

/* The declared type of a column, with HIDDEN or without. */
const char *pqext_declared(const PqextTable *t, uint32_t column, bool hidden,
                           PqArena *a, PqErr *e);

#endif
