/*
** path_plan.h - where a path into a Variant leads in one file.
**
** Each file shreds a Variant in its own way.  The path is followed through the
** groups that are there, and ends in one of four ways:
**
**   group event (VARIANT)          $.id        SCALAR    typed_value of id,
**     metadata                                           and its value
**     value                        $.id.x      RESIDUAL  value of id, then $.x
**     typed_value                  $.other     RESIDUAL  value of event, then
**       id    value, int64                               $.other
**       tags  value, LIST          $.tags[0]   SUBTREE   all of tags, then $[0]
**       at    value                $.at        RESIDUAL  value of at
**       none  int64                $.none.x    MISSING   NULL in every row
**
** A group's `value` is not read on the way down.  The specification lets a
** reader trust that a shredded field is in its own group and nowhere else.
*/
#ifndef PQ_PATH_PLAN_H
#define PQ_PATH_PLAN_H

#include "core/variant/variant_cast.h"
#include "core/variant/variant_path.h"

/* What a column of the table asks for. */
typedef struct PqPathWant {
    PqVariantPath   path;
    bool            typed;           /* it names a type: target is used     */
    PqVariantTarget target;
} PqPathWant;

typedef enum PqPathEnd {
    PQ_PATH_MISSING, PQ_PATH_SCALAR, PQ_PATH_RESIDUAL, PQ_PATH_SUBTREE
} PqPathEnd;

typedef struct PqPathPlan {
    PqPathEnd     end;
    const PqNode *variant;
    const PqNode *group;             /* of value and typed_value            */
    const PqNode *metadata;          /* leaf; NULL: the file has none       */
    const PqNode *value;             /* leaf; NULL: none                    */
    const PqNode *typed;             /* SCALAR: leaf                        */
    const PqVariantStep *step;       /* what is left of the path            */
    uint32_t      n_steps;
} PqPathPlan;

/* variant is a VARIANT that is not below a list.  The steps are borrowed. */
void pq_path_follow(const PqNode *variant, const PqVariantPath *path,
                    PqPathPlan *out);

/* Would SQLite see the values and nulls of a typed_value of this type
** unchanged?  Then, where there is no `value`, the leaf itself is the
** column. */
bool pq_path_is_stored(const PqPathWant *want, const PqType *stored);

/* Calls visit for the path of each scalar that is shredded, in the order of
** the schema, but not for the Variant itself.  The steps are valid during the
** call. */
typedef PqRc (*PqPathVisit)(void *arg, const PqVariantStep *step, uint32_t n,
                            PqErr *e);
PqRc pq_path_each(const PqNode *variant, PqPathVisit visit, void *arg,
                  PqErr *e);

#endif
