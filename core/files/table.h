/*
** table.h - the columns of a set of files.
**
** A table is declared once, from the first file (or with union_by_name from
** all), and then read from whatever files are there at each statement.  This
** is the registry of its columns: the ones a user sees, the hidden ones, and
** for each where its values come from.
**
**   kind       hidden  from
**   NODE       no      a field of the file's schema: a leaf, or JSON of a
**                      LIST, MAP, STRUCT or VARIANT
**   NODE       yes     a leaf inside structs, by its dotted path
**   HIVE       no      a folder named key=value
**   FILENAME FILE_INDEX FILE_ROW ROW_GROUP   hidden, from the scan itself
**
** pq_table_map finds, in one file, the node of each column: by name, or at
** once where the file has the very schema the table was declared from.
*/
#ifndef PQ_TABLE_H
#define PQ_TABLE_H

#include "core/column/read_ctx.h"
#include "core/files/engine.h"
#include "core/files/listing.h"

typedef enum PqColumnKind {
    PQ_COLUMN_NODE,
    PQ_COLUMN_HIVE,
    PQ_COLUMN_FILENAME,
    PQ_COLUMN_FILE_INDEX,
    PQ_COLUMN_FILE_ROW,
    PQ_COLUMN_ROW_GROUP
} PqColumnKind;

typedef struct PqColumn {
    PqColumnKind  kind;
    bool          hidden;
    bool          not_null;          /* proven by every file                */
    const char   *name;              /* as declared: unique without case    */
    const PqNode *root, *node;       /* in the schema it was declared from  */
    uint32_t      position, siblings; /* NODE at top level: where it was    */
    PqType        type;              /* NODE that is a leaf: widened        */
    const char   *typed_by;          /* path of the file that said so       */
    const char   *folder_column;     /* HIVE: its name in the folders       */
    PqHiveType    hive_type;
} PqColumn;

typedef struct PqTable {
    PqEngine  *engine;
    PqArena    arena;
    PqColumn  *columns;
    uint32_t   n_columns, room;
    PqFooter **footers;              /* held: what the nodes point into     */
    uint32_t   n_footers;
    bool       union_by_name;
    bool       ignore_errors;        /* a file that does not fit is no error */
    bool       chosen;               /* columns= was given                  */
    const char *left_out_hint;       /* see PqTableOptions                  */
    const char *first_path;
} PqTable;

/* Adds to an error what may have been meant by a name that is no column. */
typedef void (*PqUnknownName)(const PqTable *t, const PqListing *l,
                              const char *name, PqErr *e);

typedef struct PqTableOptions {
    bool        union_by_name;
    bool        ignore_errors;       /* see left_out.h: the listing has been
                                     ** through pq_leave_out                */
    const char *left_out_hint;       /* what an error about one of several
                                     ** files ends with, or NULL            */
    const char *const *only;         /* columns=: names, NULL for all       */
    uint32_t    n_only;
    PqUnknownName unknown_name;      /* asked where only names none, or NULL */
    PqStop      stop;                /* asked between the files of a union  */
} PqTableOptions;

/* listing has at least one file. */
PqRc pq_table_new(PqEngine *engine, const PqListing *listing,
                  const PqTableOptions *options, PqTable **out, PqErr *e);
void pq_table_free(PqTable *t);

/* Where the columns of t are in a file: nodes[i] for column i, NULL where the
** file has none (or the column is not of kind NODE).  PQ_CHANGED when the file
** is no longer what was declared; first says that it is the first file that
** there is, which the table takes its columns from. */
PqRc pq_table_map(const PqTable *t, const PqFooter *f, const char *path,
                  bool first, const PqNode **nodes, PqErr *e);

/* The first column of the file that no column of the table stands for, because
** neither its first file has it nor columns= was given; or NULL.  nodes: what
** pq_table_map has found. */
const char *pq_table_surplus(const PqTable *t, const PqFooter *f,
                             const PqNode *const *nodes);

/* Can a value of type from be given as type to without loss of meaning?  See
** sql/README.md, union_by_name. */
bool pq_table_converts(const PqType *from, const PqType *to);

#endif
