/*
** json_shred.h - JSON text to the leaves of a nested column.
**
** The way back of json_rows.h: what that prints, this takes, and the values and
** levels are the same again.
**
**   node     takes
**   LIST     an array
**   STRUCT   an object whose members are its fields, in any order: a field
**            that is absent is null, a member that is no field a misfit, of
**            members of one name the last counts
**   MAP      an object, or an array of [key, value]; all entries are kept.  A
**            key that is a LIST, MAP or STRUCT is, in an object, its JSON text
**   leaves   what leaf_fill.h says they take: of a string its TEXT; of a
**            number INT, or TEXT digit for digit, or for a time REAL; of true
**            and false INT 1 and 0
**   STRING   of numbers, true and false their text
**   JSON     a string is the text of a document, as in a column that is not
**            nested; anything else is one as it stands
**   bytes    a string of hex digits, upper or lower case
**
** null is null, and a misfit where something is required.  A shredder is for
** one thread at a time.
*/
#ifndef PQ_JSON_SHRED_H
#define PQ_JSON_SHRED_H

#include "core/column/leaf_fill.h"

typedef struct PqJsonShred PqJsonShred;

/* node is a column of the schema that is no leaf, both outlive the result;
** batches are those of its leaves, n_leaves from first_leaf on.  A VARIANT is
** PQ_UNSUPPORTED. */
PqRc pq_json_shred_new(PqMem *mem, const PqSchema *schema, const PqNode *node,
                       const PqFillRules *rules, PqJsonShred **out, PqErr *e);
void pq_json_shred_free(PqJsonShred *s);

/* Appends cells [from, from + n) to the batches.  NULL is a null column (and a
** misfit in a required one), TEXT is JSON; anything else is a misfit.  On a
** failure with PQ_USAGE the text names the value and where in the JSON it is
** (a path like $.items[3].price), and *misfit the cell; with null_misfits the
** whole cell becomes NULL.  A cell that fails leaves the batches as they were
** before it. */
PqRc pq_json_shred_fill(PqJsonShred *s, PqLeafBatch *batches, const PqCells *c,
                        uint32_t from, uint32_t n, uint32_t *misfit, PqErr *e);

#endif
