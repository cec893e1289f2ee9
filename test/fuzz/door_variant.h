/*
** door_variant.h - a Variant that mostly is what a VARIANT column shreds.
*/
#ifndef DOOR_VARIANT_H
#define DOOR_VARIANT_H

#include "core/base/arena.h"
#include "core/meta/schema.h"
#include "test/fuzz/door.h"

/* Is it a VARIANT, or a part of one: a group of value and typed_value? */
bool door_is_part(const PqNode *n);

/* Its typed_value, or NULL. */
const PqNode *door_typed(const PqNode *n);

/* Appends metadata and value to out. */
void door_variant(PqSlice *in, const PqNode *n, PqMem *mem, PqBuf *out,
                  PqErr *e);

#endif
