/*
** copied.h - copies whose rows can be checked.  Row i is made from i and holds
** i, so every cell in a file or folder can be checked, wherever the rows went
** and in whatever order.
**
**   Copied c;
**
**   copied_begin(t, &c, "x.parquet", 100000);       nine columns
**   c.plan.row_group_rows = 5000;                   ... and other settings
**   CHECK_OK(copied_run(&c, t->e));
**   copied_check(t, &c);                            every cell; and verify
**   copied_end(&c);
**
**   id INT64 required   x DOUBLE     t, u STRING   d DOUBLE    n INT32
**   h INT64             b BOOLEAN    l LIST<INT64>
**
** The working directory is the test's own: see folder_tree.h.
*/
#ifndef COPIED_H
#define COPIED_H

#include "core/write/copy.h"
#include "test/unit/test.h"

enum { COPIED_COLUMNS = 9, COPIED_LIST = 8 };

typedef struct Copied {
    PqCopyPlan   plan;               /* plan.mem: a budget of its own        */
    PqCopyColumn columns[COPIED_COLUMNS];
    PqArena      arena;              /* of the schema, in the test's memory  */
    PqSchemaElementList elements;
    uint64_t     n_rows;
    uint32_t     n_parts;            /* 0: no partitions; row i goes to
                                     ** i % n_parts                          */
    uint64_t     bad_row;            /* this row (from 0) has a text in d,
                                     ** which does not fit; UINT64_MAX: none */
    PqCopyProgress progress;         /* after the run                        */
    size_t       peak;
    bool         misfit;
    PqCopyMisfit which;
    int          most_descriptors;   /* open at once, as seen between rows   */
} Copied;

/* Without the list: fewer columns. */
void copied_begin(Test *t, Copied *c, const char *path, uint64_t n_rows,
                  bool nested);
void copied_end(Copied *c);

/* How much memory the copy may have. */
void copied_memory(Copied *c, size_t n);

/* Partitions, into the folder path. */
void copied_partition(Copied *c, uint32_t n_parts);

/* Opens the copy, gives it every row, finishes and frees it.  Memory that is
** left after that fails the test in copied_end. */
PqRc copied_run(Copied *c, PqErr *e);

/* Checks that each row is there once, with all its cells, that rows of a file
** ascend, and that verify finds nothing.  Encrypted files are opened with the
** keys of the plan.  Returns the number of files. */
uint32_t copied_check(Test *t, const Copied *c);

/* Lists the numbers of rows of a file's row groups, of the first `most`. */
uint32_t copied_groups(Test *t, const char *path, int64_t *rows,
                       uint32_t most);

/* Reads the whole file; the caller frees it. */
uint8_t *copied_bytes(const char *path, size_t *n);

#endif
