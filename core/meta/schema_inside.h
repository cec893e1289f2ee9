/*
** schema_inside.h - what schema.c finds out about elements, for the rules that
** say what a group is (list_map_rules.c).
*/
#ifndef PQ_SCHEMA_INSIDE_H
#define PQ_SCHEMA_INSIDE_H

#include "core/meta/schema.h"

/* What an element is to its parent. */
typedef enum PqSchemaRole {
    PQ_ROLE_FIELD, PQ_ROLE_LAYER, PQ_ROLE_ELEMENT
} PqSchemaRole;

/* What a group is. */
typedef enum PqSchemaShape {
    PQ_SHAPE_PLAIN,                  /* the children are fields               */
    PQ_SHAPE_LIST_OF_LAYER,          /* one repeated group around the element */
    PQ_SHAPE_LIST_OF_ELEMENT,        /* the repeated child is the element     */
    PQ_SHAPE_MAP_OF_LAYER,
    PQ_SHAPE_VARIANT,
    PQ_SHAPE_FILE
} PqSchemaShape;

/* What the walks find out about an element. */
typedef struct PqSchemaItem {
    int32_t      parent;
    uint32_t     left;               /* children not reached yet          */
    uint32_t     kids;               /* all children                      */
    uint32_t     size;               /* elements at or below              */
    uint32_t     first_leaf, n_leaves;
    uint16_t     def, rep, depth;
    PqSchemaRole role;
    const char  *path;
    PqNode      *node;               /* the parent of its children        */
} PqSchemaItem;

typedef struct PqSchemaBuild {
    const PqSchemaElement *el;
    uint32_t               n;
    PqSchemaItem          *item;
    PqArena               *arena;
    PqSchema              *out;
    PqErr                 *e;
} PqSchemaBuild;

static inline bool pq_schema_is_group(const PqSchemaElement *el)
{
    return !PQ_HAS(el, PQ_SCHEMA_TYPE) ||
           (PQ_HAS(el, PQ_SCHEMA_NUM_CHILDREN) && el->num_children > 0);
}

/* QUIRK: thrift's own readers take a missing repetition for 0, REQUIRED, and so
** does every reader of such a file. */
static inline int pq_schema_repetition(const PqSchemaElement *el)
{
    return PQ_HAS(el, PQ_SCHEMA_REPETITION) ? el->repetition_type
                                            : PQ_REQUIRED;
}

/* What element i, a group, is.  Elements have their sizes by then. */
PqSchemaShape pq_schema_shape(const PqSchemaBuild *b, uint32_t i);

/* Fills in by_name. */
PqRc pq_schema_sort_names(PqNode *of, PqArena *a, PqErr *e);

#endif
