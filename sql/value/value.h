/*
** value.h - turns Parquet values into SQLite values.  Nothing else does.
**
** A PqsqlColumn is made for a column of one file and loaded batch by batch.
** Whatever has to be computed (a date's text, a decimal's REAL) is computed for
** the whole batch in one call, or once per entry of a dictionary.  Returning
** the value of a row is then only a call of the batch's getter.
**
**   vector ----load----> values, ids, valid ----get(row)----> sqlite3_result
**
** The table in sql/values.md shows what each type looks like.
*/
#ifndef PQSQL_VALUE_H
#define PQSQL_VALUE_H

#include "core/for_host.h"
#include "sql/sqlite.h"
#include "sql/value/variant_of_text.h"

typedef enum PqsqlTime { PQSQL_TIME_TEXT, PQSQL_TIME_UNIXEPOCH, PQSQL_TIME_RAW }
    PqsqlTime;
typedef enum PqsqlUtf8 { PQSQL_UTF8_TEXT, PQSQL_UTF8_BLOB, PQSQL_UTF8_ERROR }
    PqsqlUtf8;

typedef struct PqsqlOptions {
    bool      decimal_text;
    PqsqlTime timestamp;
    bool      nan_text;
    bool      map_entries;
    bool      variant_blob;          /* else JSON */
    PqGeoEncoding wkb_of;            /* a native encoding, to become WKB; else
                                     ** PQ_GEO_AS_WKB                      */
    const PqNode *as;                /* PqJsonOptions.as                   */
    PqsqlUtf8 invalid_utf8;
    bool      binary_as_string;
} PqsqlOptions;

typedef struct PqsqlColumn PqsqlColumn;

/* Returns the value of a row in the batch through ctx, or the error if it has
** no SQLite value. */
typedef void (*PqsqlGet)(sqlite3_context *ctx, const PqsqlColumn *c,
                         uint32_t row);

struct PqsqlColumn {
    /* The current batch. */
    const uint64_t *valid;           /* bit per row, NULL: none is null    */
    const uint32_t *ids;             /* row -> value, NULL: the row itself */
    const void     *values;
    PqsqlGet        get;
    uint64_t        batch, loaded;   /* the caller's marks                  */
    bool            by_row;          /* ask pqsql_column_text_row first     */
    /* How values are made: value_inside.h. */
    struct PqsqlRecipe *recipe;
};

/* node is the column's node in the file, or NULL when the file lacks it (all
** NULL). type is the declared one, which may be wider than the file's. */
PqRc pqsql_column_new(PqMem *mem, const PqNode *node, const PqType *type,
                      const PqsqlOptions *options, PqsqlColumn **out,
                      PqErr *e);
void pqsql_column_free(PqsqlColumn *c);

/* Loads the rows of the scan's batch. */
PqRc pqsql_column_load(PqsqlColumn *c, PqScan *scan, PqErr *e);

/* Makes the text of a row when by_row is set (JSON); this may fail. */
PqRc pqsql_column_text_row(PqsqlColumn *c, uint32_t row, PqErr *e);

/* Returns the JSON text of a row, which was made, and keeps its Variant
** (variant_of_text.h).  The column is a VARIANT. */
PqRc pqsql_column_result_twin(PqsqlColumn *c, PqScan *scan, PqsqlTwins *twins,
                              sqlite3_context *ctx, uint32_t row, PqErr *e);

/* The same without the text: the blob. */
PqRc pqsql_column_result_blob(PqsqlColumn *c, PqScan *scan,
                              sqlite3_context *ctx, uint32_t row, PqErr *e);

/* Returns value i of the loaded batch, as SQLite would see it.  Its bytes stay until
** the next value of the column.  c->ids says which value a row has, and c->valid
** whether it has one. */
typedef void (*PqsqlCellOf)(const PqsqlColumn *c, uint32_t i, PqCell *out);

/* NULL for columns that have no such function: texts that are made row by row,
** and bytes that may not be valid text. */
PqsqlCellOf pqsql_column_cells(const PqsqlColumn *c);

/* Are the values of a loaded batch a plain array of doubles or PqStr?  Only
** computed values can be. */
typedef enum PqsqlArray { PQSQL_NO_ARRAY, PQSQL_DOUBLES, PQSQL_TEXTS }
    PqsqlArray;
PqsqlArray pqsql_column_array(const PqsqlColumn *c);

/* The text of a row, for a column whose texts are made row by row; may fail. */
PqRc pqsql_column_text_cell(PqsqlColumn *c, uint32_t row, PqCell *out,
                            PqErr *e);

/* A row of either kind of column; `of` is the result of pqsql_column_cells. */
static inline PqRc pqsql_column_cell(PqsqlColumn *c, PqsqlCellOf of,
                                     uint32_t row, PqCell *out, PqErr *e)
{
    if (c->valid && !pq_bit(c->valid, row)) {
        *out = (PqCell){.kind = PQ_CELL_NULL};
        return PQ_OK;
    }
    if (!of) {
        return pqsql_column_text_cell(c, row, out, e);
    }
    of(c, c->ids ? c->ids[row] : row, out);
    return PQ_OK;
}

/* Returns a single value, a bound or a dictionary entry: PLAIN bytes without a
** length. */
void pqsql_result_plain(sqlite3_context *ctx, const PqType *type, PqSlice v);

/* Returns a value in the form of a vector, as a column of this type shows
** it. */
PqRc pqsql_result_stored(sqlite3_context *ctx, PqMem *mem, const PqType *type,
                         const void *value, PqErr *e);

/* Returns a cell; bytes are copied. */
void pqsql_result_cell(sqlite3_context *ctx, const PqCell *cell);

/* NUL-terminated or not, any length. */
void pqsql_result_text(sqlite3_context *ctx, const void *p, size_t n);

/* Takes a text of sqlite3_mprintf; NULL: there was no memory for it. */
void pqsql_result_printed(sqlite3_context *ctx, char *text);

/* Returns a value of a Variant as a column of its type does: a decimal as REAL,
** an object or array as JSON, a null as NULL.  room is overwritten. */
PqRc pqsql_result_variant(sqlite3_context *ctx, const PqVariantMeta *m,
                          const PqVariantValue *v, PqBuf *room, PqErr *e);

#endif
