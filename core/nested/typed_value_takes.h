/*
** typed_value_takes.h - which values a scalar typed_value takes: see
** variant_shred.h.
*/
#ifndef PQ_TYPED_VALUE_TAKES_H
#define PQ_TYPED_VALUE_TAKES_H

#include "core/meta/place.h"
#include "core/variant/variant.h"

typedef struct PqVariantTakes {
    const PqType *type;
    PqVariantKind kind;              /* of its values                        */
    PqPlace       below;             /* DECIMAL: 10^precision                */
    bool          any_number;        /* DOUBLE: integers and decimals too    */
} PqVariantTakes;

void pq_variant_takes_init(PqVariantTakes *t, const PqType *type, bool named);

/* Is v a value of the type?  A number may become a number of another kind. */
bool pq_variant_takes(const PqVariantTakes *t, PqVariantValue *v);

#endif
