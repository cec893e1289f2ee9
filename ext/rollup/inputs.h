/*
** inputs.h - a batch of the source becomes the vectors of a rollup: its keys,
** and the inputs of its measures.
**
** Between batches it keeps the programs, the cells of expressions, and the
** columns and the file that these are about.
*/
#ifndef PQEXT_INPUTS_H
#define PQEXT_INPUTS_H

#include "ext/cursor/cursor_scan.h"
#include "ext/rollup/definition.h"

typedef struct PqextInputs PqextInputs;

/* For some of the dimensions (their numbers, n of them) and measures. */
PqRc pqext_inputs_new(const PqextDefinition *d, PqextScan *source,
                      const uint32_t *dimensions, uint32_t n_dimensions,
                      const uint32_t *measures, uint32_t n_measures,
                      PqextInputs **out, PqErr *e);
void pqext_inputs_free(PqextInputs *in);

/* From now on another thread has them, which cannot ask SQLite.  A value that
** only SQLite knows is an error there. */
PqRc pqext_inputs_leave_host(PqextInputs *in, PqErr *e);

/* The current batch of the source's scan, until the next one. */
PqRc pqext_inputs_load(PqextInputs *in, PqRollupBatch *out, PqErr *e);

/* For PqRollupSpec.  arg is the inputs; key and measure count the chosen
** ones. */
PqRc pqext_inputs_cell(void *arg, uint32_t key, uint32_t row, PqCell *out,
                       PqErr *e);
PqRc pqext_inputs_measure_cell(void *arg, uint32_t measure, uint32_t row,
                               PqCell *out, PqErr *e);

#endif
