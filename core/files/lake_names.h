/*
** lake_names.h - how the data files of a lake table name its columns.
**
**   the table       region   amount   s(b, a, c)
**   a file          col-7    col-2    s(a, b, old)   col-1
**
** A column of the table may be renamed while its files stay as they are.  So the log
** says by which name, or by which id, each file has it.  The footer of a file is then
** shown with the fields of the table, at each depth: under their names, in their order, and
** without those that the table does not have.  Fields that the file lacks are made
** (core/column/made_leaf.h): they are NULL, or have the value that the table has for
** older files.  Nobody above knows of others.
**
** A column at the top that is NULL is not made.  It is missing, as in a union of files.
**
** Iceberg gives each row an id, and the number of the commit that changed it last.  A file has
** them for rows that come from another one.  For others they follow from what the log says of
** the file, so such columns are made of both.
*/
#ifndef PQ_LAKE_NAMES_H
#define PQ_LAKE_NAMES_H

#include "core/files/listed_file.h"
#include "core/meta/footer.h"

/* The ids that Iceberg reserves for _row_id and _last_updated_sequence_number. */
enum { PQ_LAKE_ROW_ID = 2147483540, PQ_LAKE_SEQUENCE = 2147483539 };

typedef struct PqLakeField {
    PqSlice physical;                /* its name in the files                */
    int32_t id;                      /* its field_id there; -1: none         */
    bool    must;                    /* a file without it would not have NULL
                                     ** there, so it is an error             */
    const PqSlice *first;            /* what rows of a file without it have: PLAIN,
                                     ** without a length; a struct with one is there,
                                     ** with what its fields have; NULL: NULL */
    const PqSlice *aliases;          /* its names in files without ids       */
    uint32_t n_aliases;
} PqLakeField;

typedef struct PqLakeNames {
    const PqFooter *schema;          /* of the table; NULL: not a lake table */
    PqLakeField    *fields;          /* by the element of a node in it       */
    uint32_t        n;               /* 0: files have the table's own names  */
    bool            by_id, needs_ids;        /* a file without ids has aliases */
    uint64_t        mark;            /* differs if names differ; 0: files are
                                     ** read as they are                     */
} PqLakeNames;

/* Sets the mark, once all is there. */
void pq_lake_names_mark(PqLakeNames *l);

/* Does any column of a file have a field_id? */
bool pq_lake_has_ids(const PqNode *root);

/* Is a node of the schema of a table one of these two?  A log may give their ids to what is no
** number. */
static inline bool pq_lake_is_lineage(const PqNode *n)
{
    return !n->parent && n->kind == PQ_NODE_LEAF && n->type.physical == PQ_INT64 &&
           (n->field_id == PQ_LAKE_ROW_ID || n->field_id == PQ_LAKE_SEQUENCE);
}

/* Shows a file with the fields of the table.  listed: what the log says of it; NULL: nothing. */
PqRc pq_lake_names_give(const PqLakeNames *l, const PqListedFile *listed, PqFooter *file, PqErr *e);

/* The other way: the elements of a new file get the names, and the ids, that files have.
** built: their schema.  *out lies in a, and is from where there is nothing to be given. */
PqRc pq_lake_names_take(const PqLakeNames *l, const PqSchema *built,
                        const PqSchemaElementList *from, PqArena *a,
                        const PqSchemaElementList **out, PqErr *e);

#endif
