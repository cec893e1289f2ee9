/*
** schema_names.c - the fields of structs by name.
**
** A struct may have ten thousand fields, names that occur twice, and names that
** differ in case alone.  Each struct keeps a sorted list of its fields:
**
**   id  ID  Id  id_2   ->   id_2   ID   Id   id
**
** They are sorted by a hash of the name without case, then by the name without
** case, then by the name, then as in the file.  So a binary search finds both
** the nth field of exactly this name, and the first field of this name in any
** case.  The hash is there only because comparing it is faster than comparing
** names, which mostly begin alike.  A hash table would have to survive
** colliding names of a hostile file.
*/
#include "core/base/ascii.h"
#include "core/meta/schema_inside.h"

#include <stdlib.h>

static uint32_t hash_of(PqSlice name)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < name.n; i++) {
        h = (h ^ (uint32_t)pq_ascii_lower(name.p[i])) * 16777619u;
    }
    return h;
}

/* The name that is looked for. */
typedef struct Wanted {
    PqSlice  name;
    uint32_t hash;
    bool     exact;                  /* the case counts                     */
} Wanted;

static int compare(const Wanted *w, const PqNode *node)
{
    int d;

    if (w->hash != node->name_hash) {
        return w->hash < node->name_hash ? -1 : 1;
    }
    d = pq_ascii_compare(w->name.p, w->name.n, node->name);
    return d || !w->exact ? d : memcmp(w->name.p, node->name, w->name.n);
}

static int compare_nodes(const void *a, const void *b)
{
    const PqNode *left = *(PqNode *const *)a, *right = *(PqNode *const *)b;
    Wanted w = {pq_slice_text(left->name), left->name_hash, true};
    int d = compare(&w, right);

    return d ? d : (left->element > right->element) -
                       (left->element < right->element);
}

PqRc pq_schema_sort_names(PqNode *of, PqArena *a, PqErr *e)
{
    PQ_TRY(PQ_ARENA_NEW(a, of->by_name, of->n_children, e));
    for (uint32_t i = 0; i < of->n_children; i++) {
        of->child[i]->name_hash = hash_of(pq_slice_text(of->child[i]->name));
        of->by_name[i] = of->child[i];
    }
    qsort(of->by_name, of->n_children, sizeof *of->by_name, compare_nodes);
    for (uint32_t i = 1; i < of->n_children; i++) {
        PqNode *last = of->by_name[i - 1], *n = of->by_name[i];

        if (strcmp(last->name, n->name) == 0) {
            last->shares_name = n->shares_name = true;
        }
    }
    return PQ_OK;
}

/* The first place whose name does not come before this one. */
static uint32_t place_of(const PqNode *of, const Wanted *w)
{
    uint32_t from = 0, to = of->by_name ? of->n_children : 0;

    while (from < to) {
        uint32_t i = from + (to - from) / 2;

        if (compare(w, of->by_name[i]) > 0) {
            from = i + 1;
        } else {
            to = i;
        }
    }
    return from;
}

static bool is_at(const PqNode *of, uint32_t i, const Wanted *w)
{
    return of->by_name && i < of->n_children && compare(w, of->by_name[i]) == 0;
}

PqNode *pq_node_field(const PqNode *of, PqSlice name, uint32_t nth)
{
    Wanted w = {name, hash_of(name), true};
    uint32_t i = place_of(of, &w);

    return nth < of->n_children && is_at(of, i + nth, &w)
               ? of->by_name[i + nth] : NULL;
}

PqNode *pq_node_field_any_case(const PqNode *of, PqSlice name)
{
    Wanted w = {name, hash_of(name), false};
    PqNode *first = NULL;

    for (uint32_t i = place_of(of, &w); is_at(of, i, &w); i++) {
        if (!first || of->by_name[i]->element < first->element) {
            first = of->by_name[i];
        }
    }
    return first;
}

uint32_t pq_node_nth_of_its_name(const PqNode *of, const PqNode *node)
{
    Wanted w = {pq_slice_text(node->name), node->name_hash, true};
    PqNode **at = node->shares_name
                      ? bsearch(&node, of->by_name, of->n_children,
                                sizeof *of->by_name, compare_nodes)
                      : NULL;

    return at ? (uint32_t)(at - of->by_name) - place_of(of, &w) : 0;
}

const PqNode *pq_node_by_id(const PqNode *of, int64_t id)
{
    const PqNode *found = NULL;

    for (uint32_t i = 0; i < of->n_children && !found; i++) {
        const PqNode *n = of->child[i];

        found = n->field_id == id ? n : n->kind == PQ_NODE_VARIANT ? NULL : pq_node_by_id(n, id);
    }
    return found;
}
