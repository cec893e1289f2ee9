/*
** type_name.h - the name of a type to the type.
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
** Upper and lower case are the same.  The words behind a name are the suffix
** that gave the declared type its affinity, or WITH TIME ZONE.  A type can be
** a command or a hint: a command that is not understood is an error, a hint
** says nothing then.
**
** No type is higher than PQSQL_TYPE_DEPTH.
*/
#ifndef PQSQL_TYPE_NAME_H
#define PQSQL_TYPE_NAME_H

#include "core/parquet.h"

enum { PQSQL_TYPE_DEPTH = 300 };

typedef struct PqsqlType PqsqlType;
struct PqsqlType {
    PqNodeKind  kind;                /* STRUCT: children have names; LIST: one
                                     ** child; MAP: key and value            */
    PqType      type;                /* LEAF                                 */
    bool        required;            /* NOT NULL stood behind it             */
    bool        is_file;             /* a STRUCT annotated as FILE           */
    const char *name;                /* as a field, else NULL                */
    int32_t     field_id;            /* -1: none                             */
    PqsqlType **child;
    uint32_t    n_children, height;  /* height: a leaf has 1                 */
};

/* A command.  PQ_USAGE with what is wrong, and where in the text.  All that
** *out holds lies in a. */
PqRc pqsql_type_parse(const char *text, PqArena *a, PqsqlType **out, PqErr *e);

/* A hint, from a table whose values were never held to it: *out is NULL where
** the text says nothing, or VARIANT.  INTEGER and FLOAT are what they are in
** such a table, 64 bits wide. */
PqRc pqsql_type_hint(const char *text, PqArena *a, PqsqlType **out, PqErr *e);

/* No type, but that the values shall tell. */
bool pqsql_type_is_auto(const char *text);

/* A DATE, TIME, TIMESTAMP or INT96: something that a number may stand for. */
bool pqsql_type_is_time(const PqsqlType *t);

/* The type as elements of a schema, below the group at hand; failures are the
** schema's.  A VARIANT has none: it must not be in there. */
void pqsql_type_make(const PqsqlType *t, const char *name, bool required,
                     PqSchemaMake *m);

#endif
