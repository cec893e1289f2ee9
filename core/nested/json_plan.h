/*
** json_plan.h - the schema below a column, prepared for printing rows.
**
** Levels.  A node is printed only if its parent is there, so the definition
** level at the node's cursors is at least `level`:
**
**   level <= def < present       the node is null
**   present <= def < repeated    a LIST or MAP without elements
**   repeated <= def              an element begins, with the element's own
**                                level being `repeated`
**
** The leaves below a node are at the same place of the record, so each of them
** has one slot for a null or an empty list.  If they disagree, the file is
** damaged.  For a node that cannot be null this is not tested.
**
** A VARIANT is printed by variant_rows.c from a plan of its own:
**
**   group event (VARIANT)        PqVariantPlan, metadata leaf
**     value, typed_value         PqVariantGroup  OBJECT
**       event_ts                   PqVariantGroup  SCALAR
**       tags                       PqVariantGroup  ARRAY
**         element                    PqVariantGroup  SCALAR
*/
#ifndef PQ_JSON_PLAN_H
#define PQ_JSON_PLAN_H

#include "core/nested/json_rows.h"
#include "core/nested/leaf_json.h"
#include "core/variant/variant.h"

/* Some leaves, counted from the first leaf of the column. */
typedef struct PqLeafRange { uint32_t first, n; } PqLeafRange;

/* A `value` and `typed_value` pair, either of them optional. */
typedef struct PqVariantGroup {
    enum {
        PQ_SHRED_NONE, PQ_SHRED_SCALAR, PQ_SHRED_ARRAY, PQ_SHRED_OBJECT
    } shape;                         /* of typed_value                      */
    uint16_t    level, present;      /* of the group                        */
    uint16_t    typed_present;
    uint16_t    repeated_def, repeated_rep;
    int32_t     value;               /* leaf, -1: none                      */
    PqLeafRange leaves, typed;
    struct PqVariantGroup *element;  /* ARRAY                               */
    struct PqVariantField *field;    /* OBJECT: ordered by name             */
    uint32_t    n_fields;
} PqVariantGroup;

typedef struct PqVariantField {
    PqSlice        name;
    PqSlice        label;            /* ,"name":                            */
    PqVariantGroup group;
} PqVariantField;

typedef struct PqVariantPlan {
    uint32_t       metadata;         /* leaf                                */
    PqVariantGroup top;
} PqVariantPlan;

typedef struct PqJsonNode {
    PqNodeKind         kind;
    uint16_t           level, present, repeated_def, repeated_rep;
    PqLeafRange        leaves;
    PqSlice            label;        /* ,"name":                            */
    struct PqJsonNode *child;
    uint32_t           n_children;
    PqVariantPlan     *variant;
} PqJsonNode;

/* An entry of a MAP in the text being written. */
typedef struct PqMapEntry {
    size_t   start, end;
    size_t   key_n;                  /* length of its key with the quotes;  */
                                     /* 0: a later entry has the same key   */
    uint64_t ends;                   /* first and last bytes of the key     */
} PqMapEntry;

struct PqJsonRows {
    PqArena       arena;
    PqJsonOptions options;
    PqJsonNode    root;
    PqLeafCursor *leaf;
    uint32_t      n_leaves;
    uint32_t     *repeated;          /* leaves that are                     */
    uint32_t      n_repeated;
    uint32_t      row, n_rows;       /* of the batch                        */
    uint16_t      rep;               /* of the list being printed, 0: none  */
    bool          failed;            /* no rows until the next batch        */
    const char   *malformed;         /* path of a leaf with a malformed     */
                                     /* text in the row being printed       */
    const char   *bad_leaf;          /* the same of bad_row                 */
    uint32_t      bad_row;           /* the last such row, UINT32_MAX: none */
    const PqStop *stop;              /* NULL: never asked                   */
    size_t        asked_at;          /* length of out when it was asked     */
    PqErr        *e;                 /* of the current call                 */
    PqBuf         out;
    PqBuf         starts, texts;     /* size_t and PqStr for each row       */
    PqBuf         entries;           /* PqMapEntry, maps within maps        */
    PqBuf         key, table;        /* scratch of map_rows.c               */
    struct PqVariantBuild *build;    /* of variant_assemble.c, or NULL      */
};

PqRc pq_json_plan_label(PqJsonRows *j, const char *name, PqSlice *out,
                        PqErr *e);

PqRc pq_variant_plan(PqJsonRows *j, const PqNode *node, const PqNode *root,
                     uint16_t level, PqVariantPlan **out, PqErr *e);

/* The plan of the group `at` inside a VARIANT, or of all of it.  Leaves are
** counted from the first one of `at`; the metadata comes after its last one,
** unless it is one of them. */
PqRc pq_variant_plan_part(PqJsonRows *j, const PqNode *variant,
                          const PqNode *at, PqVariantPlan **out, PqErr *e);

/* Moves all cursors to row `to`, and after a row ends it. */
PqRc pq_json_rows_pass(PqJsonRows *j, uint32_t to);
PqRc pq_json_rows_end_row(PqJsonRows *j);

/* Prints the value at the cursors of n and moves them past it. */
PqRc pq_json_rows_node(PqJsonRows *j, const PqJsonNode *n);

/* The entries of a MAP that is not empty, without the brackets. */
PqRc pq_map_rows_entries(PqJsonRows *j, const PqJsonNode *n);

/* A VARIANT as JSON text, or as a blob: metadata, then value. */
PqRc pq_variant_rows_print(PqJsonRows *j, const PqVariantPlan *v);
PqRc pq_variant_rows_blob(PqJsonRows *j, const PqVariantPlan *v);

/* Takes the value at the cursor of a binary leaf; p is NULL for null.  level:
** the least definition level that the leaf has if its group is present. */
PqRc pq_variant_walk_bytes(PqJsonRows *j, uint32_t leaf, uint16_t level,
                           PqSlice *out);

/* Gives value and typed_value at the cursors of g to build; one of them is not
** null.  Only finish tells the builder's own errors. */
PqRc pq_variant_walk_build(PqJsonRows *j, const PqVariantGroup *g,
                           PqSlice metadata, struct PqVariantBuild *build);

/* The binary column of that name in a group of a VARIANT, or NULL. */
const PqNode *pq_variant_binary(const PqNode *group, const char *name);

/* Moves past one slot of each leaf.  The definition level of each must be
** from low to high - 1. */
PqRc pq_json_rows_absent(PqJsonRows *j, PqLeafRange leaves, uint16_t low,
                         uint16_t high);

/* After an element: does another one follow in the same list?  All leaves must
** agree. */
PqRc pq_json_rows_again(PqJsonRows *j, PqLeafRange leaves, uint16_t rep,
                        bool *again);

PqRc pq_json_rows_disagree(PqJsonRows *j, uint32_t leaf);

/* Called between values: asks whether to stop after every PQ_STEP_BYTES of
** text.  If the text has become shorter since, it asks once too often. */
static inline PqRc pq_json_rows_poll(PqJsonRows *j)
{
    if (PQ_LIKELY(j->out.n - j->asked_at < PQ_STEP_BYTES)) {
        return PQ_OK;
    }
    j->asked_at = j->out.n;
    return pq_stop_poll(j->stop, j->e);
}

/* The definition level at a leaf's cursor; 0 for a leaf without levels. */
static inline uint16_t pq_json_rows_def(const PqJsonRows *j, uint32_t leaf)
{
    const PqLeafCursor *c = &j->leaf[leaf];

    return c->def ? c->def[c->at] : 0;
}

#endif
