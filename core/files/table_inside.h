/*
** table_inside.h - what the files that declare a table share.
**
**   table.c        fields of files, folders
**   table_map.c    what they are in other files
**   table_names.c  names, which are unique
**   table_paths.c  paths into Variants
**   table_unnest.c elements of lists
*/
#ifndef PQ_TABLE_INSIDE_H
#define PQ_TABLE_INSIDE_H

#include "core/base/ascii.h"
#include "core/files/table.h"

/* Adds a column, which is the newest until the next call.  NULL: no memory. */
PqColumn *pq_table_add(PqTable *t, PqErr *e);

/* The names of a list, sorted so that they can be found. */
typedef struct PqNameSet {
    const char **v;                  /* NULL: there is no list              */
    bool        *asked;              /* of each: for a name that is there   */
    uint32_t     n;
} PqNameSet;

bool pq_name_set_has(PqNameSet *s, PqSlice name);

/* A name of the list that pq_name_set_has was never asked for, or NULL. */
const char *pq_name_set_left(const PqNameSet *s);

/* The names of the columns so far, as a hash that ignores case like SQLite. */
typedef struct PqTableNames {
    PqNameSet only, except;          /* columns=, exclude=                  */
    uint32_t *slot;                  /* column index + 1, 0: empty */
    uint32_t *taken;                 /* by slot: name_1 to name_N were tried
                                     ** for the column in it */
    uint32_t  mask;
} PqTableNames;

PqRc pq_table_names_init(PqTableNames *names, PqTable *t, size_t n,
                         const PqTableOptions *o, PqErr *e);
void pq_table_names_free(PqTableNames *names);
uint32_t *pq_table_names_find(const PqTableNames *names, const PqTable *t,
                              const char *name);

/* The column of that name, or NULL. */
PqColumn *pq_table_named(const PqTableNames *names, PqTable *t,
                         const char *name);

/* Gives the newest column its name, or the first free one of name_1, name_2 and
** so on. */
PqRc pq_table_name(PqTableNames *names, PqTable *t, const char *name, PqErr *e);

/* The node below root whose path of names is the same as the path of like below
** its root; NULL: there is none. */
const PqNode *pq_table_same_node(const PqNode *root, const PqNode *like_root,
                                 const PqNode *like);

/* The node of a column of kind NODE in the file of that root, or NULL. */
const PqNode *pq_table_node_of(const PqNode *root, const PqColumn *c);

/* Have both the same values?  Each file may shred a VARIANT in its own way. */
bool pq_table_same_shape(const PqNode *a, const PqNode *b);

/* Is the value never null in a file whose schema has this node? */
bool pq_table_never_null(const PqTable *t, const PqNode *root, const PqNode *n);

/* ---- table_unnest.c ------------------------------------------------------ */

/* Sets t->unnest, if it is asked for and this file has the list.  must: it is an
** error if not. */
PqRc pq_table_find_lists(PqTable *t, const PqFooter *file, const char *path,
                         const PqTableOptions *o, bool must, PqErr *e);

/* Calls visit for each visible field of a file, with its name as a column. */
typedef PqRc (*PqFieldVisit)(void *arg, const PqNode *node, const char *name,
                             PqErr *e);
PqRc pq_table_each_field(PqTable *t, const PqNode *root, PqFieldVisit visit,
                         void *arg, PqErr *e);

/* The name of a field's column: its path in the file of that root, except
** inside an unnested list.  NULL: no memory. */
const char *pq_table_dotted(PqTable *t, const PqNode *root, const PqNode *node,
                            PqErr *e);

/* Does it lie in an unnested list of the file of that root? */
bool pq_table_is_unnested(const PqTable *t, const PqNode *root,
                          const PqNode *node);

/* Is it the name of the top column that is unnested? */
bool pq_table_leads_to_list(const PqTable *t, const char *name);

/* ... or a path into it? */
bool pq_table_leads_into_list(const PqTable *t, const char *path);

/* Is it the unnested column, whose fields are columns? */
bool pq_table_has_fields(const PqTable *t, const char *name);

/* Where the table unnests, does a file have lists, or nothing? */
PqRc pq_table_check_lists(const PqTable *t, const PqFooter *f,
                          const char *path, PqErr *e);

/* The least definition level that a field has in the rows of the table. */
uint16_t pq_table_least_level(const PqTable *t, const PqNode *root,
                              const PqNode *node);

/* Adds the hidden columns that count elements. */
PqRc pq_table_add_ordinals(PqTable *t, PqTableNames *names, PqErr *e);

/* ---- table_paths.c ------------------------------------------------------- */

/* Adds the computed columns. */
PqRc pq_table_add_computed(PqTable *t, PqTableNames *names, const PqListing *l,
                           const PqTableOptions *o, PqErr *e);

/* A path that some file shreds. */
typedef struct PqTablePath {
    const PqNode *root, *variant;    /* in the schema that declared it      */
    PqVariantPath path;
    const char   *name;
} PqTablePath;

typedef struct PqTablePaths {
    PqTablePath *v;                  /* each path once                      */
    uint32_t     n, room;
    uint32_t    *slot, n_slots;      /* a hash of them: index + 1           */
} PqTablePaths;

/* Adds the paths that a file shreds.  The table has no columns but fields. */
PqRc pq_table_list_paths(PqTable *t, PqTablePaths *paths, const PqFooter *f,
                         PqErr *e);

void pq_table_free_paths(PqTablePaths *paths);

/* Makes hidden columns of the paths. */
PqRc pq_table_add_shredded(PqTable *t, PqTableNames *names,
                           const PqTablePaths *paths, PqErr *e);

#endif
