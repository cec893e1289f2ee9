/*
** describe_tree.h - inside describe.h: the schema as a tree, with what its
** columns take and hold.
**
**   id                    INT64                ######         1.2 MB 2.1 : 1
**                         RLE_DICTIONARY ZSTD, no nulls, 1 ... 6001215
**   tags                  LIST
**     element             STRING               ###          400.0 kB 1.4 : 1
*/
#ifndef PQSQL_DESCRIBE_TREE_H
#define PQSQL_DESCRIBE_TREE_H

#include "sql/describe/describe_sum.h"

enum { PQSQL_PAGE_WIDTH = 60 };      /* characters */

PqRc pqsql_describe_tree(const PqsqlFileSum *sum, PqBuf *out, PqErr *e);

#endif
