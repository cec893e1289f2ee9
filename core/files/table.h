/*
** table.h - the columns of a set of files.
**
** A table is declared once, from the first file, or with union_by_name from all
** files.  Each statement then reads the files that are there at its start.
** This is the registry of the columns: the visible ones, the hidden ones, and
** where the values of each come from.
**
**   kind       hidden  from
**   NODE       no      a field of the file's schema: a leaf, or JSON of a
**                      LIST, MAP, STRUCT or VARIANT
**   NODE       yes     a leaf inside structs, by its dotted path
**   NODE       yes     a VARIANT, at the top or inside structs, as a blob:
**                      "event.variant"
**   NODE       yes     what a lake table says of its rows: "_row_id"
**   NODE       yes     a geometry in a native encoding, as WKB: "geometry.wkb"
**   PATH       no      NAME = variant_get(column, path [, type])
**   PATH       yes     a shredded scalar of a VARIANT, by its dotted path
**   HIVE       no      a folder named key=value
**   FILENAME FILE_INDEX FILE_ROW ROW_GROUP   hidden, from the scan itself
**   ORDINAL    yes     of an unnested list: which element, from 0
**
** An unnested table has a row per element of a list.  Its columns are the
** fields beside the list and the fields of the element: table_unnest.c.
**
** pq_table_map finds the node of each column in one file: by name, or without
** searching in the file that the table was declared from.  A PATH is looked for
** when it is asked for (table_paths.h), because there may be many.
*/
#ifndef PQ_TABLE_H
#define PQ_TABLE_H

#include "core/column/read_ctx.h"
#include "core/files/engine.h"
#include "core/files/listing.h"
#include "core/meta/geometry.h"
#include "core/nested/path_plan.h"

typedef enum PqColumnKind {
    PQ_COLUMN_NODE,
    PQ_COLUMN_VARIANT_PATH,
    PQ_COLUMN_HIVE,
    PQ_COLUMN_FILENAME,
    PQ_COLUMN_FILE_INDEX,
    PQ_COLUMN_FILE_ROW,
    PQ_COLUMN_ROW_GROUP,
    PQ_COLUMN_ORDINAL
} PqColumnKind;

/* A PATH.  In a file where no leaf is the column, node stands for it, whose
** kind is PQ_NODE_PATH; its vectors are of leaf. */
typedef struct PqPathColumn {
    const PqNode *variant;           /* in the schema that declared it      */
    PqPathWant    want;
    PqNode        node;
    PqLeaf        leaf;
} PqPathColumn;

typedef struct PqColumn {
    PqColumnKind  kind;
    bool          hidden;
    bool          not_null;          /* proven by every file                */
    bool          as_blob;           /* a VARIANT: always metadata, value   */
    bool          as_wkb;            /* a native geometry; type is the type
                                     ** of the WKB                          */
    const char   *name;              /* as declared: unique without case    */
    const PqNode *root, *node;       /* in the schema that declared it; a
                                     ** PATH has no node there              */
    PqPathColumn *path;              /* PATH                                */
    uint32_t      position;          /* at the top of that schema; UINT32_MAX:
                                     ** it is not there                     */
    PqType        type;              /* of a leaf: fits all files (a union);
                                     ** UNKNOWN: a PATH without a type      */
    const char   *typed_by;          /* path of the file it was taken from  */
    const char   *folder_column;     /* HIVE: its name in the folders       */
    PqHiveType    hive_type;
    uint32_t      level;             /* ORDINAL: of the lists, 0 outermost  */
} PqColumn;

/* Is the column one leaf, with a value or NULL in each row?  A path is. */
static inline bool pq_column_is_leaf(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_VARIANT_PATH ||
           (c->kind == PQ_COLUMN_NODE && c->node->kind == PQ_NODE_LEAF);
}

/* Do its values come from the pages of files? */
static inline bool pq_column_is_of_pages(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_NODE || c->kind == PQ_COLUMN_VARIANT_PATH;
}

/* Is its value the same in all rows of a file? */
static inline bool pq_column_is_of_files(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_HIVE || c->kind == PQ_COLUMN_FILENAME ||
           c->kind == PQ_COLUMN_FILE_INDEX;
}

/* ... a text, and not a number? */
static inline bool pq_column_is_text_of_file(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_FILENAME ||
           (c->kind == PQ_COLUMN_HIVE && c->hive_type != PQ_HIVE_INTEGER &&
            c->hive_type != PQ_HIVE_REAL);
}

/* Is it a path without a type, whose values may be of any class? */
static inline bool pq_column_is_untyped(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_VARIANT_PATH &&
           c->type.logical == PQ_TYPE_UNKNOWN;
}

/* ... of the type "variant"? */
static inline bool pq_column_is_variant_path(const PqColumn *c)
{
    return c->kind == PQ_COLUMN_VARIANT_PATH && c->path->node.is_variant;
}

/* The lists and maps whose elements are rows, the outermost first, in the
** schema of one file.  n 0: rows are the rows of the files.  Otherwise a row of a
** file may become several rows, whose rowids are made for one statement only. */
typedef struct PqUnnest {
    uint32_t      n;
    const PqNode *root;
    const PqNode *const *list;
    bool          outer;             /* rows without elements are kept      */
    const char   *path;              /* of that file                        */
} PqUnnest;

typedef struct PqTable {
    PqEngine  *engine;
    PqArena    arena;
    PqColumn  *columns;
    uint32_t   n_columns, room;
    PqFooter **footers;              /* held: the nodes point into them     */
    uint32_t   n_footers;
    bool       union_by_name;
    bool       ignore_errors;        /* a file that does not fit is skipped  */
    bool       chosen;               /* columns= or exclude= was given      */
    bool       believes;             /* statistics: see PqTableOptions      */
    uint32_t   n_paths;              /* columns of kind PATH                */
    const char *left_out_hint;       /* see PqTableOptions                  */
    const char *first_path;
    PqUnnest    unnest;
} PqTable;

/* Adds a hint to an error: which column may have been meant by name. */
typedef void (*PqUnknownName)(const PqTable *t, const PqListing *l,
                              const char *name, PqErr *e);

/* Adds a hint to an error: which lists a path may have meant. */
typedef void (*PqUnknownList)(const PqTable *t, const PqNode *root,
                              const char *unnest, PqErr *e);

/* NAME = variant_get(column, path, type) */
typedef struct PqPathSpec {
    const char *name, *column, *path;
    const char *type;                /* NULL: none                          */
    bool        try_;
} PqPathSpec;

/* Names that an option lists; v NULL: the option is not given. */
typedef struct PqNameList {
    const char *const *v;
    uint32_t           n;
} PqNameList;

typedef struct PqTableOptions {
    bool        union_by_name;
    bool        ignore_errors;       /* the listing has been through
                                     ** pq_leave_out (ignore_errors.h)           */
    const char *left_out_hint;       /* added to an error about one of
                                     ** several files; or NULL              */
    PqNameList  only, except;        /* columns=, exclude=                  */
    PqUnknownName unknown_name;      /* called for an unknown name in these
                                     ** or paths; or NULL                   */
    const PqPathSpec *paths;         /* computed columns                    */
    uint32_t    n_paths;
    bool        believes;            /* statistics may say that a leaf is all
                                     ** of a PATH                           */
    PqStop      stop;                /* asked between the files of a union  */
    const char *unnest;              /* path of a list or a map: a row per
                                     ** element; or NULL                    */
    bool        outer;               /* ... and one for rows without any    */
    PqUnknownList unknown_list;      /* for a path that is none; or NULL    */
} PqTableOptions;

/* listing has at least one file. */
PqRc pq_table_new(PqEngine *engine, const PqListing *listing,
                  const PqTableOptions *options, PqTable **out, PqErr *e);
void pq_table_free(PqTable *t);

/* Lets go of keys that the engine no longer has. */
void pq_table_forget(PqTable *t);

/* Finds the columns of t in a file: nodes[i] is for column i, NULL when the
** file lacks it or its kind is not NODE.  PQ_CHANGED when the file does not fit
** the declared columns.  first: it is the first file of the listing.  A table
** without union_by_name takes its columns from it, so it must have them all. */
PqRc pq_table_map(const PqTable *t, const PqFooter *f, const char *path,
                  bool first, const PqNode **nodes, PqErr *e);

/* The lists of t->unnest in a file.  From the first list that the file lacks,
** they are NULL.  PQ_CHANGED when it has something else there. */
PqRc pq_table_lists(const PqTable *t, const PqFooter *f, const char *path,
                    const PqNode **lists, PqErr *e);

/* The encoding of an as_wkb column in a file, where it is node.  A file that
** does not say is taken to be like the file that declared the column. */
PqGeoEncoding pq_table_encoding(const PqColumn *c, const PqNode *node);

/* The name of the file's first column that the table lacks because the first
** file lacks it; NULL when there is none, or with columns=.  nodes come from
** pq_table_map. */
const char *pq_table_surplus(const PqTable *t, const PqFooter *f,
                             const PqNode *const *nodes);

/* Can a value of type from be returned as type to without losing meaning?  See
** sql/tables.md, union_by_name. */
bool pq_table_converts(const PqType *from, const PqType *to);

#endif
