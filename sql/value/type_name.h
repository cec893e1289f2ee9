/*
** type_name.h - parses the name of a type.
**
**   TIMESTAMP_NS TEXT                     what a Parquet table declares
**   timestamp(nanos, utc)                 what people write
**   STRUCT<a INTEGER, "b c" LIST<TEXT> NOT NULL>
**
**   type   := name [ "(" arguments ")" ] { word } { "[]" } [ "NOT NULL" ]
**           | LIST "<" type ">"           also ARRAY, and "(" ")" for "<" ">"
**           | MAP "<" type "," type ">"
**           | STRUCT "<" field { "," field } ">"                  also ROW
**   field  := name [ ":" ] type           name bare, or in "" or ``
**
** Case does not matter.  The words after a name are the suffix that gave the
** declared type its affinity, or WITH TIME ZONE.  A type can be a command or a
** hint.  A command that is not understood is an error; such a hint is ignored.
**
** No type is higher than PQSQL_TYPE_DEPTH.
*/
#ifndef PQSQL_TYPE_NAME_H
#define PQSQL_TYPE_NAME_H

#include "core/for_host.h"

enum { PQSQL_TYPE_DEPTH = 300 };

typedef struct PqsqlType PqsqlType;
struct PqsqlType {
    PqNodeKind  kind;                /* STRUCT: children have names; LIST: one
                                     ** child; MAP: key and value; VARIANT:
                                     ** none, or the type it is shredded as  */
    PqType      type;                /* LEAF                                 */
    bool        required;            /* NOT NULL followed it                 */
    bool        is_file;             /* a STRUCT annotated as FILE           */
    const char *name;                /* of a field, else NULL                */
    int32_t     field_id;            /* -1: none                             */
    PqsqlType **child;
    uint32_t    n_children, height;  /* height: a leaf has 1                 */
};

/* A type without children, in a. */
PqRc pqsql_type_new(PqArena *a, PqNodeKind kind, PqsqlType **out, PqErr *e);

/* Adds a child, which must have its final height. */
PqRc pqsql_type_add(PqsqlType *t, PqsqlType *child, PqArena *a, PqErr *e);

/* Parses a command.  PQ_USAGE with what is wrong, and where in the text.  *out
** is allocated in a. */
PqRc pqsql_type_parse(const char *text, PqArena *a, PqsqlType **out, PqErr *e);

/* Parses a hint, the declared type of a table that does not enforce it.  *out
** is NULL when the text means nothing, or VARIANT.  INTEGER and FLOAT have 64
** bits, as in such a table. */
PqRc pqsql_type_hint(const char *text, PqArena *a, PqsqlType **out, PqErr *e);

/* Is it "auto": the values decide the type? */
bool pqsql_type_is_auto(const char *text);

/* Is it a STRING, which may hold texts of any kind? */
bool pqsql_type_is_string(const PqsqlType *t);

/* Is it a DATE, TIME, TIMESTAMP or INT96, which a number may stand for? */
bool pqsql_type_is_time(const PqsqlType *t);

/* Adds the type to a schema, below the current group; failures are kept in the
** schema. */
void pqsql_type_make(const PqsqlType *t, const char *name, bool required,
                     PqSchemaMake *m);

#endif
