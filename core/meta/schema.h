/*
** schema.h - the tree of a file's columns, and what each node means.
**
** The format stores the tree flattened, depth first; each group says how many
** children follow.  Here it becomes nodes with parents, levels and a kind.  The
** compatibility rules have been applied: code that walks the tree sees LIST,
** MAP and STRUCT, and need not know whether a repeated group named "array" is
** an element.
**
**   optional group tags (LIST) {      LIST   def 1  rep 0   -> element
**     repeated group list {           (skipped: node->repeated_def)
**       optional binary element;      LEAF   def 3  rep 1
**     }
**   }
**
** Node kinds and their children
**   PQ_NODE_LEAF     none; leaf is its index among the leaves
**   PQ_NODE_STRUCT   the fields
**   PQ_NODE_LIST     one child: the element (possibly a struct, a list, ...)
**   PQ_NODE_MAP      key and, unless it is a map without values, value
**   PQ_NODE_VARIANT  metadata, value, typed_value as they are in the file
** A bare repeated field (no LIST around it) is a LIST that is never null; its
** element has the same name and path.  A node without any leaf at or below it
** is a STRUCT, whatever its annotation: nothing in the file says whether it is
** null, or how many elements it has.  An annotation that does not fit the shape
** of its group is ignored; it never fails the file.
**
** Levels.  Every optional or repeated element of the file adds one to the
** definition level below it, every repeated one adds one to the repetition
** level.  With D(x) and R(x) for these sums down to and including element x:
**
**   def_present = D(x)          the node is not null where the definition
**                               level of a leaf below it is >= def_present.
**                               A bare repeated x: its LIST has D(parent of
**                               x), its element D(x).
**   rep         = R(x)          a repetition level <= rep begins a new value
**                               of the node.  A bare repeated x: its LIST has
**                               R(x) - 1, its element R(x).
** and for a LIST or MAP whose repeated element is y:
**   repeated_def = D(y)         = def_present + 1: the list is null below
**                               def_present, empty at def_present, and has an
**                               element from repeated_def on
**   repeated_rep = R(y)         = rep + 1: a repetition level of repeated_rep
**                               continues the list with one more element, a
**                               lower one begins another list
**
**                                            present  rep  repeated   leaf
**                                                          def  rep  max_def
**   required int32 a           a LEAF           0      0                 0
**   optional int32 a           a LEAF           1      0                 1
**   repeated int32 a           a LIST           0      0     1    1
**                                a LEAF         1      1                 1
**   tags, above                tags LIST        1      0     2    1
**                                element LEAF   3      1                 3
**   optional list of           a LIST           1      0     2    1
**     required list of           element LIST   2      1     3    2
**       optional int32             element LEAF 4      2                 4
**   optional map               m MAP            1      0     2    1
**     required key               key LEAF       2      1                 2
**     optional value             value LEAF     3      1                 3
**   optional struct s of       s STRUCT         1      0
**     a required list l          l LIST         1      0     2    1
**       of required int32          element LEAF 2      1                 2
*/
#ifndef PQ_SCHEMA_H
#define PQ_SCHEMA_H

#include "core/encoding/decoder.h"
#include "core/meta/format.h"
#include "core/text/time_text.h"

/* What a leaf's values mean, from LogicalType and ConvertedType. */
typedef enum PqLogical {
    PQ_TYPE_NONE,            /* the physical type, also for unknown ones  */
    PQ_TYPE_STRING,
    PQ_TYPE_ENUM,
    PQ_TYPE_JSON,
    PQ_TYPE_BSON,
    PQ_TYPE_UUID,
    PQ_TYPE_INT,             /* bit_width, is_signed                      */
    PQ_TYPE_DECIMAL,         /* precision, scale                          */
    PQ_TYPE_DATE,
    PQ_TYPE_TIME,            /* unit, utc                                 */
    PQ_TYPE_TIMESTAMP,       /* unit, utc                                 */
    PQ_TYPE_INTERVAL,
    PQ_TYPE_FLOAT16,
    PQ_TYPE_UNKNOWN,         /* always null                               */
    PQ_TYPE_GEOMETRY,        /* crs                                       */
    PQ_TYPE_GEOGRAPHY,       /* crs, algorithm                            */
    PQ_TYPE_COUNT
} PqLogical;

/* A member that the logical type does not have is 0. */
typedef struct PqType {
    PqPhysical  physical;
    uint32_t    fixed_length;            /* of PQ_FIXED; PQ_NO_LENGTH     */
    PqLogical   logical;
    uint8_t     bit_width;               /* PQ_TYPE_INT: 8, 16, 32, 64    */
    bool        is_signed;
    bool        utc;                     /* TIME, TIMESTAMP               */
    PqUnit      unit;
    int32_t     precision, scale;        /* DECIMAL: 0 <= scale <=
                                         ** precision, 0 < precision      */
    const char *crs;                     /* NULL: the default             */
    int32_t     algorithm;               /* GEOGRAPHY; may be unknown     */
} PqType;

/* PATH is in no schema: it is a path into a VARIANT, as a column has it. */
typedef enum PqNodeKind {
    PQ_NODE_LEAF, PQ_NODE_STRUCT, PQ_NODE_LIST, PQ_NODE_MAP, PQ_NODE_VARIANT,
    PQ_NODE_PATH
} PqNodeKind;

typedef struct PqNode {
    const char    *name;                 /* of the field in its struct; may be
                                         ** empty or a duplicate; invalid
                                         ** UTF-8 became U+FFFD, and a NUL
                                         ** byte ends it                  */
    const char    *path;                 /* dotted, with all elements of the
                                         ** file, also those without a node;
                                         ** "" for the root               */
    PqNodeKind     kind;
    struct PqNode *parent;               /* NULL: a column of the file, or
                                         ** the root                      */
    struct PqNode **child;
    struct PqNode **by_name;             /* STRUCT, VARIANT: the children, see
                                         ** schema_names.c                */
    uint32_t       n_children;
    uint16_t       def_present;          /* see above                     */
    uint16_t       repeated_def;         /* LIST, MAP                     */
    uint16_t       repeated_rep;
    uint16_t       rep;
    int32_t        leaf;                 /* LEAF: index; else -1          */
    uint32_t       first_leaf, n_leaves; /* leaves at or below            */
    uint32_t       element;              /* index in the flattened schema */
    uint32_t       name_hash;
    bool           shares_name;          /* with a field of its struct    */
    bool           required;             /* not optional itself           */
    bool           is_file;              /* STRUCT: a FILE                */
    bool           is_variant;           /* PATH: its values are Variants */
    int32_t        field_id;             /* -1: none                      */
    PqType         type;                 /* LEAF; PATH: UNKNOWN if it
                                         ** names none                    */
    const struct PqGeometry *geometry;   /* geometry.h; NULL: it is none  */
} PqNode;

/* Is it a path whose values have a type, so that it has vectors? */
static inline bool pq_node_is_typed_path(const PqNode *n)
{
    return n->kind == PQ_NODE_PATH && n->type.logical != PQ_TYPE_UNKNOWN;
}

/* The node of this field_id below another one, but not in a Variant; NULL: there is none. */
const PqNode *pq_node_by_id(const PqNode *of, int64_t id);

/* Is it a leaf with one slot per row?  n may be NULL. */
static inline bool pq_node_is_flat_leaf(const PqNode *n)
{
    return n && n->kind == PQ_NODE_LEAF && n->rep == 0;
}

/* A leaf as the column reader needs it: max_def and max_rep are def_present
** and rep of its node. */
typedef struct PqLeaf {
    const PqNode *node;
    const char   *path;                  /* full dotted path in the file  */
    PqType        type;
    uint16_t      max_def, max_rep;
    uint32_t      index;
    uint32_t      column;                /* of the file: its chunks, its keys;
                                         ** differs from index where the
                                         ** fields are those of a lake table */
    const struct PqMade *made;           /* the file lacks it; or NULL    */
    bool          no_dictionary;         /* in Arrow: see order.c         */
} PqLeaf;

/* A leaf that a file lacks.  Where the struct around it is there, all its slots
** are alike.  core/column/made_leaf.h makes its chunks. */
typedef struct PqMade {
    const PqLeaf *guide;                 /* of the file: its levels say where
                                         ** the struct is; NULL: in each row */
    uint16_t      present, rep;          /* of the struct                 */
    uint16_t      level;                 /* where it is, of the leaf      */
    PqSlice       value;                 /* ... if that is max_def: PLAIN,
                                         ** without a length              */
    bool counts;                         /* an INT64, of the first row of the
                                         ** file: each next one has 1 more */
    bool fills;                          /* the file has the leaf, guide, an
                                         ** INT64: the value is for its
                                         ** NULLs                          */
} PqMade;

/* Does it have values? */
static inline bool pq_leaf_made_has_value(const PqLeaf *leaf)
{
    return leaf->made->level == leaf->max_def;
}

typedef struct PqSchema {
    PqNode  *root;                       /* a STRUCT, never null          */
    PqLeaf  *leaves;
    uint32_t n_leaves;
    const PqSchemaElement *elements;     /* as in the file                */
    uint32_t n_elements;
} PqSchema;

/* No node of a schema has more ancestors than this. */
enum { PQ_SCHEMA_MAX_DEPTH = 1000 };

/* schema_names.c: a field of a struct, or of a VARIANT.  NULL: there is none.
** pq_node_field finds the nth field of exactly this name,
** pq_node_field_any_case the first one in any case. */
PqNode *pq_node_field(const PqNode *of, PqSlice name, uint32_t nth);
PqNode *pq_node_field_any_case(const PqNode *of, PqSlice name);

/* How many fields of the same struct come before it and have its name? */
uint32_t pq_node_nth_of_its_name(const PqNode *of, const PqNode *node);

/* Everything lies in the arena, which must outlive the schema; elements is
** borrowed for as long. */
PqRc pq_schema_build(const PqSchemaElementList *elements, PqArena *a,
                     PqSchema *out, PqErr *e);

/* Is a leaf of this name and type a field of a FILE?  A FILE is a struct that
** refers to bytes in the row, in this file or in another. */
bool pq_schema_is_file_field(PqSlice name, const PqType *type);

/* The type of a leaf, from its schema element, whose physical type is valid.
** LogicalType wins; a ConvertedType alone is used too.  An annotation that is
** unknown or does not fit the physical type makes it PQ_TYPE_NONE.  e->rc is
** set if there is no memory for the name of a CRS. */
PqType pq_type_of_element(const PqSchemaElement *el, PqArena *a, PqErr *e);

/* The inverse: sets the physical type of an element, its LogicalType, and the
** ConvertedType that the specification has for it.  Texts are borrowed. */
void pq_type_annotate(const PqType *t, PqSchemaElement *el);

/* Sets physical and fixed_length as the logical type is stored.  UUID is
** FIXED(16), and so on.  DECIMAL depends on its precision: INT32 up to 9, INT64
** up to 18, and FIXED beyond that.  FIXED has as few bytes as possible; with
** more than 38 digits their number is a multiple of eight.  PQ_TYPE_NONE is
** left as it is. */
void pq_type_store(PqType *type);

/* Does the specification allow the physical type?  Reading accepts more. */
bool pq_type_may_be_written(const PqType *type);

/* Does the element have an annotation, understood or not? */
bool pq_type_is_annotated(const PqSchemaElement *el);

bool pq_type_equal(const PqType *a, const PqType *b);

bool pq_type_is_text(const PqType *t);       /* STRING, ENUM, JSON        */
bool pq_type_is_float(const PqType *t);      /* FLOAT, DOUBLE, FLOAT16    */
bool pq_type_is_instant(const PqType *t);    /* TIMESTAMP, INT96          */
bool pq_type_is_time96(const PqType *t);     /* TIMESTAMP in 12 bytes     */
bool pq_type_is_geometry(const PqType *t);   /* GEOMETRY, GEOGRAPHY       */
bool pq_type_is_unsigned(const PqType *t);   /* UINT8 .. UINT64           */
bool pq_type_is_u64(const PqType *t);        /* UINT64, which does not fit
                                             ** an int64_t                */

/* "DECIMAL(10,2)", "TIMESTAMP(MICROS,UTC)", "UINT8", "FIXED_LEN_BYTE_ARRAY(4)"
** for messages and parquet_schema. */
void pq_type_text(const PqType *t, PqBuf *out);

#endif
