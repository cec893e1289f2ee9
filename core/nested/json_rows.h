/*
** json_rows.h - prints a LIST, MAP, STRUCT or VARIANT column as JSON text,
** directly from levels.
**
** A plan is made once per column of a file: the tree of the schema, and for
** each leaf how its values are printed.  For each batch it gets one vector per
** leaf below the column and prints the rows in order; no tree of values is
** built.  Each leaf has a cursor (its next slot), and every step reads only the
** levels at the cursors.
**
** sql/values.md ("Inside JSON") defines the text.  It is minified, with fields
** in schema order.  Temporal values are text, DECIMAL is exact, BLOB is
** upper-case hex.  NaN is null unless nan_text, infinities are 9e999 and
** -9e999, and a FLOAT has the fewest digits.
*/
#ifndef PQ_JSON_ROWS_H
#define PQ_JSON_ROWS_H

#include "core/base/stop.h"
#include "core/column/vector.h"

typedef struct PqJsonOptions {
    const PqNode *as;                /* the same node in the schema of a table, whose
                                     ** leaves may be wider: values look like these;
                                     ** NULL: like the file's              */
    bool map_entries;                /* MAP as [[k,v],...]                 */
    bool strict_utf8;                /* a row with a text that is not UTF-8
                                     ** fails; else it gets U+FFFD         */
    bool binary_as_string;           /* BYTE_ARRAY without a logical type  */
    bool nan_text;                   /* "NaN" and "-NaN", else null        */
    bool variant_blob;               /* a column that is a VARIANT: its
                                     ** metadata and then its value; inside
                                     ** JSON it stays JSON                 */
} PqJsonOptions;

typedef struct PqJsonRows PqJsonRows;

/* node: any node of a schema; it must outlive the plan.  pq_json_rows_begin
** takes a vector for each of its leaves, in order. */
PqRc pq_json_rows_new(PqMem *mem, const PqNode *node,
                      const PqJsonOptions *options, PqJsonRows **out,
                      PqErr *e);
void pq_json_rows_free(PqJsonRows *j);

/* From now on writing asks stop regularly; it is borrowed. */
void pq_json_rows_watch(PqJsonRows *j, const PqStop *stop);

/* A new batch: n_rows rows, vectors[i] for leaf node->first_leaf + i, all with
** levels.  They are borrowed until the next begin. */
PqRc pq_json_rows_begin(PqJsonRows *j, const PqVector *const *vectors,
                        uint32_t n_rows, PqErr *e);

/* Writes rows [from, until), but stops after more than n_bytes of text; at
** least one row.  *n is the number of rows written.  texts[i] is row from + i,
** followed by a NUL; its p is NULL where the column is null.  Texts stay until
** the next call.  from must be after the last row written; rows in between are
** skipped.  After a failure no more rows can be written until the next begin.
** Only a row with a malformed text (strict_utf8) is different: it fails only
** when it is `from`, and the rows around it can be written. */
PqRc pq_json_rows_write(PqJsonRows *j, uint32_t from, uint32_t until,
                        size_t n_bytes, uint32_t *n, const PqStr **texts,
                        PqErr *e);

/* The text of a value without its quotes, for columns that a union declares as
** texts: of bytes, times and the like, which have no escapes.  p is NULL for
** null. */
PqStr pq_json_unquoted(PqStr json);

#endif
