/*
** describe_tree.h - inside describe.h: the schema as a tree, with the sizes and
** contents of its columns.
*/
#ifndef PQSQL_DESCRIBE_TREE_H
#define PQSQL_DESCRIBE_TREE_H

#include "sql/describe/describe_sum.h"

enum { PQSQL_PAGE_WIDTH = 60 };      /* characters */

PqRc pqsql_describe_tree(const PqsqlFileSum *sum, PqBuf *out, PqErr *e);

#endif
