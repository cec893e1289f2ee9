/*
** variant_type.h - the types of Variants: of one value, and of many together.
**
**   variant_typeof     the type of one value: 'object', 'decimal8', ...
**   schema_of_variant  Spark's text: OBJECT<a: BIGINT, b: ARRAY<STRING>>
**
** A PqVariantShape says what many values have in common: schema_of_variant_agg
** prints it, and the writer that shreds decides by it.
*/
#ifndef PQ_VARIANT_TYPE_H
#define PQ_VARIANT_TYPE_H

#include "core/meta/schema.h"
#include "core/variant/variant.h"

/* 'null', 'boolean', 'int8' .. 'int64', 'float', 'double', 'decimal4', ... as
** the tables of the specification name them; 'unknown(21)'. */
void pq_variant_typeof(const PqVariantValue *v, PqBuf *out);

typedef struct PqVariantShape PqVariantShape;
struct PqVariantShape {
    uint64_t n;                      /* values seen                         */
    uint64_t n_of[PQ_VARIANT_UNKNOWN + 1];   /* ... by kind                 */
    uint8_t  int_width;              /* the widest INT, 0: none             */
    uint8_t  int_digits;             /* ... the most of one                 */
    uint8_t  whole_digits, scale;    /* of DECIMALs: the most of each       */
    PqUnit   unit;                   /* of TIMESTAMPs: the finest           */
    uint64_t n_utc;                  /* TIMESTAMPs with a zone              */
    PqVariantShape *element;         /* of all elements of all ARRAYs       */
    struct PqVariantShapeField *field;       /* of OBJECTs, ordered by name */
    uint32_t n_fields;
    uint64_t n_elements;
    bool     cut;                    /* it has more fields than are kept    */
};

typedef struct PqVariantShapeField {
    PqSlice        name;             /* in the arena                        */
    PqVariantShape shape;            /* its n: objects that have it         */
} PqVariantShapeField;

/* Adds a value.  At most PQ_VARIANT_SHAPE_FIELDS fields and ..._DEPTH levels
** are told apart.  Fields with a name of more than ..._NAME bytes are left out,
** because a small value can have a long name a million times. */
enum {
    PQ_VARIANT_SHAPE_FIELDS = 1000,
    PQ_VARIANT_SHAPE_DEPTH = 50,
    PQ_VARIANT_SHAPE_NAME = 1024
};
PqRc pq_variant_shape_add(PqVariantShape *s, const PqVariantMeta *m,
                          PqSlice value, PqArena *a, PqErr *e);

/* Spark's text of a shape: BIGINT, DECIMAL(4,2), ARRAY<..>, OBJECT<..>.  Types
** that have nothing in common are VARIANT, and nulls alone are VOID. */
void pq_variant_shape_text(const PqVariantShape *s, PqBuf *out);

#endif
