/*
** dimension.h - country, date(ts): a dimension out of its text.
*/
#ifndef PQEXT_DIMENSION_H
#define PQEXT_DIMENSION_H

#include "ext/rollup/definition_text.h"

PqRc pqext_dimension_parse(const PqextTable *source, const PqextItem *item,
                           PqArena *a, PqextDimension *out, PqErr *e);

/* Makes a dimension of a column. */
PqRc pqext_dimension_of_column(const PqextTable *source, uint32_t column,
                               PqArena *a, PqextDimension *out, PqErr *e);

/* Is the column nested: a list, map, struct or part of a VARIANT? */
bool pqext_is_nested(const PqColumn *c);

#endif
