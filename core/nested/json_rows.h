/*
** json_rows.h - a LIST, MAP, STRUCT or VARIANT column as JSON text, straight
** from levels.
**
** A plan is made once per column of a file: the tree of the schema with, at
** each leaf, the function that prints it.  For each batch it gets one vector
** per leaf below the column and writes the rows in order; there is no tree of
** values.  Each leaf has a cursor (its next slot) and every step asks only the
** levels at the cursors.
**
** What the text looks like is said in sql/README.md ("Inside JSON"): minified,
** fields in schema order, temporal values as text, DECIMAL exact, BLOB as
** upper-case hex, NaN null unless texts are wanted, +-Inf +-9e999, a FLOAT with
** the fewest digits.
*/
#ifndef PQ_JSON_ROWS_H
#define PQ_JSON_ROWS_H

#include "core/base/stop.h"
#include "core/column/vector.h"

typedef struct PqJsonOptions {
    bool map_entries;                /* MAP as [[k,v],...]                 */
    bool strict_utf8;                /* a row with a text that is not UTF-8
                                     ** fails, else it has U+FFFD there    */
    bool binary_as_string;           /* BYTE_ARRAY without a logical type  */
    bool nan_text;                   /* "NaN" and "-NaN", else null        */
} PqJsonOptions;

typedef struct PqJsonRows PqJsonRows;

/* node: any node of a schema that outlives the plan.  Its leaves, in order,
** are the vectors that pq_json_rows_begin wants. */
PqRc pq_json_rows_new(PqMem *mem, const PqNode *node,
                      const PqJsonOptions *options, PqJsonRows **out,
                      PqErr *e);
void pq_json_rows_free(PqJsonRows *j);

/* From now on writing asks stop, which is borrowed, every so much text. */
void pq_json_rows_watch(PqJsonRows *j, const PqStop *stop);

/* A new batch: n_rows rows, vectors[i] for leaf node->first_leaf + i, all with
** levels.  They are borrowed until the next begin. */
PqRc pq_json_rows_begin(PqJsonRows *j, const PqVector *const *vectors,
                        uint32_t n_rows, PqErr *e);

/* Writes rows from `from` on until `until` (exclusive), or until more than
** n_bytes of text were written; at least one row.  *n is how many it wrote;
** texts[i] is row from + i, NUL-terminated behind its length, p NULL where the
** column is null.  They stay until the next call.  Rows before `from` that were
** not written are passed without text; from is never less than the row behind
** the last one written.  After a failure no more rows come until the next
** begin, unless it was a row with a malformed text (strict_utf8): it fails when
** it is `from`, and not the rows beside it. */
PqRc pq_json_rows_write(PqJsonRows *j, uint32_t from, uint32_t until,
                        size_t n_bytes, uint32_t *n, const PqStr **texts,
                        PqErr *e);

#endif
