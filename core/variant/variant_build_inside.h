/*
** variant_build_inside.h - a builder from the inside: only for the files
** variant_build*.c.
**
** A scalar is bytes in data and a node.  An object or array is a node and a
** group; its items are the nodes after it, up to its end.  The picture is in
** variant_build.c.
*/
#ifndef PQ_VARIANT_BUILD_INSIDE_H
#define PQ_VARIANT_BUILD_INSIDE_H

#include "core/variant/variant_build.h"
#include "core/variant/variant_layout.h"
#include "core/variant/variant_names.h"

enum { PQ_BUILD_NO_NAME = UINT32_MAX, PQ_BUILD_SCALAR = UINT32_MAX };

typedef struct PqBuildNode {
    uint32_t name;                   /* index in the table; of a field       */
    uint32_t group;                  /* or PQ_BUILD_SCALAR                   */
    uint32_t size;                   /* bytes, header included               */
} PqBuildNode;

typedef struct PqBuildGroup {
    uint32_t node, end;              /* its node; the first one after it     */
    uint32_t at;                     /* where in data its header belongs     */
    uint32_t n;                      /* items                                */
    uint32_t total;                  /* bytes of the items                   */
    uint32_t last_id;                /* the largest                          */
    bool     is_object;
} PqBuildGroup;

struct PqVariantBuild {
    PqMem *mem;
    PqErr e;                         /* sticky                               */
    PqVariantNames own, given;
    PqVariantNames *names;           /* one of the two                       */
    PqBuf data, value;
    PqBuildNode *node;
    uint32_t n_nodes, node_room;
    PqBuildGroup *group;
    uint32_t n_groups, group_room;
    uint32_t open[PQ_VARIANT_MAX_DEPTH], depth;
    uint32_t name;                   /* of the next value, if it has one     */
    int64_t *field;                  /* of an object: rank, offset           */
    size_t field_room;
    struct PqBuildLevel *stack;      /* of a copy                            */
};

/* Bytes that are a value as they are. */
void pq_build_whole(PqVariantBuild *b, PqSlice bytes);

#endif
