/*
** summary_read.h - reads a few columns of a table to the end, for their
** summaries.
**
** core/summary takes integers, reals or bytes that have the order of the host's
** values.  There are several ways to make them:
**
**   STORED  as stored: integers, floats, texts, bytes; DECIMALs of at most 15
**           digits; dates and times, whose texts have the order of the integers
**   MADE    as SQLite is given it, a whole batch at a time: other DECIMALs as
**           REALs; UUIDs, intervals and old timestamps as texts
**   CELLS   as SQLite is given it, value by value, in bytes whose order is that
**           of SQLite over all classes (cell_bytes)
**   NULLS   only nulls are counted: lists, maps, structs, Variants
**   FILES   one value for all rows of a file: folder columns
**
** STORED and MADE can turn out to be wrong: a file stores another type than the
** first, a date lies in the year 10000, a UINT64 is so large that it becomes a
** text.  Then the column is read again by CELLS, which is always right.
*/
#ifndef PQEXT_SUMMARY_READ_H
#define PQEXT_SUMMARY_READ_H

#include "sql/value/value.h"

typedef enum PqextSummaryWay {
    PQEXT_SUMMARY_STORED, PQEXT_SUMMARY_MADE, PQEXT_SUMMARY_CELLS,
    PQEXT_SUMMARY_NULLS, PQEXT_SUMMARY_FILES
} PqextSummaryWay;

/* A column that is read. */
typedef struct PqextSummaryColumn {
    uint32_t        column;          /* of the table                        */
    PqextSummaryWay way;
    bool            again;           /* by CELLS, because way was wrong     */
    PqSummary      *summary;
    PqSummaryResult result;
    PqsqlColumn    *values;          /* of the current file; or NULL        */
    bool            saw_int, saw_real, saw_bytes;        /* CELLS           */
    PqArena         bytes;           /* CELLS: of a batch                   */
    char            note[160];       /* why it was not read; "": it was     */
} PqextSummaryColumn;

typedef struct PqextSummaryRead {
    PqMem         *mem;
    const PqTable *table;
    const PqListing *listing;
    PqStop         stop;
    unsigned       want;             /* of core/summary/summary.h           */
    bool           reads;            /* false: only rows are counted        */
    uint64_t       n_rows;           /* out                                 */
} PqextSummaryRead;

/* Reads the n columns; in each, .column is set and everything else is 0. */
PqRc pqext_summary_read(PqextSummaryRead *r, PqextSummaryColumn *v, uint32_t n,
                        PqErr *e);
void pqext_summary_column_free(PqextSummaryColumn *v);

/* Returns a value of the result to SQLite as the table shows it. */
PqRc pqext_summary_give(const PqextSummaryRead *r, const PqextSummaryColumn *v,
                        const PqSummaryValue *value, sqlite3_context *ctx,
                        PqErr *e);

#endif
