/*
** shred_fixture.h - shreds JSON into the batches of a column, and prints it
** from them again.
**
**   shred_open(t, &f, schema, NULL);
**   shred_row(&f, "[7,null]");
**   CHECK_OK(shred_fill(&f));
**   CHECK_TEXT(shred_levels(&f, 0), "01 32");    repetition, then definition
**   CHECK_TEXT(shred_rows(&f, false), "[7,null]\n");
**   shred_close(&f);
*/
#ifndef SHRED_FIXTURE_H
#define SHRED_FIXTURE_H

#include "core/nested/json_rows.h"
#include "core/nested/json_shred.h"
#include "test/unit/test.h"

enum { SHRED_LEAVES = 64 };

typedef struct Shred {
    Test          *t;
    const PqSchema *schema;
    const PqNode  *node;
    PqJsonShred   *shred;
    PqLeafBatch    batch[SHRED_LEAVES];
    PqCells        cells;
    uint32_t       n_filled;         /* cells that were given to the shredder */
    uint32_t       misfit;
    PqBuf          text;
} Shred;

/* The column is the first of the schema; rules may be NULL. */
void shred_open(Test *t, Shred *f, const PqSchema *schema,
                const PqFillRules *rules);
void shred_close(Shred *f);

/* json NULL: the cell is NULL. */
void shred_row(Shred *f, const char *json);
void shred_blob(Shred *f, PqSlice blob);
void shred_int(Shred *f, int64_t v);
void shred_real(Shred *f, double v);

/* Shreds the rows added since the last call.  After a misfit, the next call
** goes on with the row after it. */
PqRc shred_fill(Shred *f);

const char *shred_levels(Shred *f, uint32_t leaf);

/* All rows as json_rows.h prints them, a line each; NULL is an empty line. */
const char *shred_rows(Shred *f, bool map_entries);

/* The batches as a reader has them: vectors of all leaves, with levels. */
const PqVector *const *shred_vectors(Shred *f);
void shred_vectors_free(Shred *f);

/* All counts of the batches. */
const char *shred_counts(Shred *f);

#endif
