/*
** equal.h - conditions that a Bloom filter can rule out.
**
** "=" and IN name values, and sql/value/stored.h says which stored values are equal
** to them; their hashes are what the engine looks for.
**
**   column            operand     looked for
**   INT64 key         7.0         07 00 00 00 00 00 00 00
**   DOUBLE real       0           +0.0, -0.0
**   STRING user       'user-17'   75 73 65 72 2d 31 37
**   STRING user       17          nothing proves anything: '17', or '17.0' too
**   TIMESTAMP, raw    17          the integer, as it is given
**   DOUBLE, nan=text  'NaN'       not known: NaN has many forms
**
** One operand whose stored values are not all known leaves the whole condition
** without this proof.
*/
#ifndef PQEXT_EQUAL_H
#define PQEXT_EQUAL_H

#include "ext/condition/prune.h"

void pqext_equal_begin(PqextProof *p);

/* The operand as it came and as it was taken. */
PqRc pqext_equal_add(PqextProof *p, sqlite3_value *v,
                     const PqextValue *operand, PqArena *a, PqErr *e);
void pqext_equal_end(PqextProof *p);

#endif
