/*
** size_text.h - sizes as people write them: 64MB, 4 GiB, 1048576.
*/
#ifndef PQSQL_SIZE_TEXT_H
#define PQSQL_SIZE_TEXT_H

#include "core/for_host.h"

/* Reads up to 16 decimal digits and moves *at past them.  False when there are
** none or more. */
bool pqsql_size_digits(const char **at, int64_t *out);

/* Reads a number of bytes, with a unit (of 1024s) or without.  False when the
** text is something else. */
bool pqsql_size_parse(const char *text, int64_t *out);

#endif
