/*
** json_shred.h - turns JSON text into the leaves of a nested column.
**
** The inverse of json_rows.h: it accepts what json_rows.h prints, and gives the
** same values and levels.
**
**   node     takes
**   LIST     an array
**   STRUCT   an object whose members are its fields, in any order.  A missing
**            field is null, a member that is not a field is a misfit.  If a
**            name comes twice, the last member counts
**   MAP      an object, or an array of [key, value]; all entries are kept.  In
**            an object, a key that is a LIST, MAP or STRUCT is its JSON text
**   leaves   what leaf_fill.h says.  A string is given as TEXT; a number as
**            INT, as TEXT with all its digits, or for a time as REAL; true and
**            false as INT 1 and 0
**   STRING   also numbers, true and false, as their text
**   JSON     a string is the text of a document, as in a column that is not
**            nested; any other value is a document itself
**   bytes    a string of hex digits, upper or lower case
**   VARIANT  any value; see variant_shred.h.  A column that is a VARIANT also
**            takes cells that are no JSON
**
** null is null; where a value is required it is a misfit.  A shredder is used
** by one thread at a time.
*/
#ifndef PQ_JSON_SHRED_H
#define PQ_JSON_SHRED_H

#include "core/column/leaf_fill.h"

typedef struct PqJsonShred PqJsonShred;

/* node is a column of the schema that is not a leaf; both must outlive the
** result. */
PqRc pq_json_shred_new(PqMem *mem, const PqSchema *schema, const PqNode *node,
                       const PqFillRules *rules, PqJsonShred **out, PqErr *e);
void pq_json_shred_free(PqJsonShred *s);

/* Appends cells [from, from + n) to the batches of node's leaves.  NULL is a
** null column (a misfit in a required one), TEXT is JSON; anything else is a
** misfit, except in a VARIANT.  A misfit fails with PQ_USAGE: *misfit is the
** cell, and the text names the value and its place in the JSON (a path like
** $.items[3].price).  With null_misfits the whole cell becomes NULL instead.
** A cell that fails leaves the batches as they were before it. */
PqRc pq_json_shred_fill(PqJsonShred *s, PqLeafBatch *batches, const PqCells *c,
                        uint32_t from, uint32_t n, uint32_t *misfit, PqErr *e);

#endif
