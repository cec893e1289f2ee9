/*
** value.h - the one place where a Parquet value becomes a SQLite value.
**
** A PqsqlColumn is made for a column of one file and loaded batch by batch:
** whatever has to be computed (a date's text, a decimal's REAL) is computed
** for the whole batch in one call, or once per entry of a dictionary, so that
** handing out a row is a call of the getter that the batch asks for.
**
**   vector ----load----> values, ids, valid ----get(row)----> sqlite3_result
**
** What each type looks like is the table in sql/README.md ("Values").
*/
#ifndef PQSQL_VALUE_H
#define PQSQL_VALUE_H

#include "core/parquet.h"
#include "sql/sqlite.h"

typedef enum PqsqlTime { PQSQL_TIME_TEXT, PQSQL_TIME_UNIXEPOCH, PQSQL_TIME_RAW }
    PqsqlTime;
typedef enum PqsqlUtf8 { PQSQL_UTF8_TEXT, PQSQL_UTF8_BLOB, PQSQL_UTF8_ERROR }
    PqsqlUtf8;

typedef struct PqsqlOptions {
    bool      decimal_text;
    PqsqlTime timestamp;
    bool      nan_text;
    bool      map_entries;
    PqsqlUtf8 invalid_utf8;
    bool      binary_as_string;
} PqsqlOptions;

typedef struct PqsqlColumn PqsqlColumn;

/* Gives the value of a row of the batch; the error of one that has no SQLite
** value goes into the context. */
typedef void (*PqsqlGet)(sqlite3_context *ctx, const PqsqlColumn *c,
                         uint32_t row);

struct PqsqlColumn {
    /* What the current batch looks like. */
    const uint64_t *valid;           /* bit per row, NULL: none is null    */
    const uint32_t *ids;             /* row -> value, NULL: the row itself */
    const void     *values;
    PqsqlGet        get;
    uint64_t        batch, loaded;   /* the caller's marks                  */
    bool            by_row;          /* ask pqsql_column_text_row first     */
    /* How it gets there: value.c. */
    struct PqsqlRecipe *recipe;
};

/* node: of the file being read, NULL when it has no such column (all NULL).
** type: as declared, which may be wider than the file's. */
PqRc pqsql_column_new(PqMem *mem, const PqNode *node, const PqType *type,
                      const PqsqlOptions *options, PqsqlColumn **out,
                      PqErr *e);
void pqsql_column_free(PqsqlColumn *c);

/* The rows of the scan's batch. */
PqRc pqsql_column_load(PqsqlColumn *c, PqScan *scan, PqErr *e);

/* A value that is made row by row (JSON text) may fail; others cannot. */
PqRc pqsql_column_text_row(PqsqlColumn *c, uint32_t row, PqErr *e);

/* What SQLite would see of it. */
typedef enum PqsqlClass {            /* the storage classes in their order  */
    PQSQL_NULL, PQSQL_INTEGER, PQSQL_REAL, PQSQL_TEXT, PQSQL_BLOB
} PqsqlClass;

typedef struct PqsqlCell {
    PqsqlClass kind;
    int64_t    i;
    double     r;
    PqSlice    bytes;
    char       room[PQ_NUMBER_TEXT_ROOM];    /* bytes may lie here         */
} PqsqlCell;

/* Gives value number i of the batch that is loaded: c->ids says which one a row
** has, and c->valid whether it has one. */
typedef void (*PqsqlCellOf)(const PqsqlColumn *c, uint32_t i, PqsqlCell *out);

/* NULL: the column has none (texts that are made row by row, and bytes that may
** turn out to be no text). */
PqsqlCellOf pqsql_column_cells(const PqsqlColumn *c);

/* The text of a row of such a column; it may fail. */
PqRc pqsql_column_text_cell(PqsqlColumn *c, uint32_t row, PqsqlCell *out,
                            PqErr *e);

/* One value on its own, as bounds and dictionary entries have it: PLAIN bytes
** without a length. */
void pqsql_result_plain(sqlite3_context *ctx, const PqType *type, PqSlice v);

/* NUL-terminated or not, any length. */
void pqsql_result_text(sqlite3_context *ctx, const void *p, size_t n);

#endif
