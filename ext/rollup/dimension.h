/*
** dimension.h - country, date(ts): a dimension out of its text.
*/
#ifndef PQEXT_DIMENSION_H
#define PQEXT_DIMENSION_H

#include "ext/rollup/definition_text.h"

PqRc pqext_dimension_parse(const PqextTable *source, const PqextItem *item,
                           PqArena *a, PqextDimension *out, PqErr *e);

/* The dimension that a column is. */
PqRc pqext_dimension_of_column(const PqextTable *source, uint32_t column,
                               PqArena *a, PqextDimension *out, PqErr *e);

/* Has a column values that are more than one value? */
bool pqext_is_nested(const PqColumn *c);

#endif
