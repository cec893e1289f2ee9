/*
** avro.h - an Avro object container, record by record.
**
**   file  := "Obj" 01  metadata (a map of bytes)  sync (16 bytes)  block*
**   block := records (long)  bytes (long)  data  sync     spec: Avro, "Object Container
**   data  := record*, compressed as avro.codec says        Files"
**
** The schema, avro.schema, is JSON.  It says what each byte is, and nothing in the data
** does.  A record becomes a small tree of values.  Fields are found by the number that
** Iceberg gives them (field-id), because names may be changed.
**
** Everything in the file is a claim.  Blocks of an array have counts, a block has a
** count of records and a size, a text has a length: each is compared with the bytes that
** are left before anything is sized by it.  A type may be used by its name after it was
** defined, but not within itself.  So no walk is deeper than the schema, and `weight`, the
** number of values in which a type of no bytes can come, is bounded.
*/
#ifndef PQ_AVRO_H
#define PQ_AVRO_H

#include "core/base/arena.h"
#include "core/base/stop.h"

typedef enum PqAvroKind {
    PQ_AVRO_NULL, PQ_AVRO_BOOLEAN, PQ_AVRO_INT, PQ_AVRO_LONG, PQ_AVRO_FLOAT, PQ_AVRO_DOUBLE,
    PQ_AVRO_BYTES, PQ_AVRO_STRING,
    PQ_AVRO_FIXED, PQ_AVRO_ENUM, PQ_AVRO_RECORD, PQ_AVRO_ARRAY, PQ_AVRO_MAP, PQ_AVRO_UNION
} PqAvroKind;

typedef struct PqAvroType PqAvroType;

/* Of a record; of a union, a map or an array without a name. */
typedef struct PqAvroField {
    PqSlice     name;
    int32_t     id;                  /* field-id; -1: none                   */
    PqAvroType *type;
    bool        passed_over;         /* read, but not kept                   */
} PqAvroField;

struct PqAvroType {
    PqAvroKind   kind;
    PqSlice      name;               /* RECORD, ENUM, FIXED                  */
    PqAvroField *field;              /* MAP, ARRAY: one                      */
    uint32_t     n;                  /* fields, or names of an ENUM          */
    uint32_t     size;               /* FIXED                                */
    uint32_t     weight;
    bool         has_bytes;          /* no value of it is empty              */
};

/* A value of a union is one of the branch. */
typedef struct PqAvroValue {
    const PqAvroType *type;          /* NULL: it was passed over             */
    union {
        int64_t i;                   /* BOOLEAN, INT, LONG, ENUM             */
        double  f;                   /* FLOAT, DOUBLE                        */
        PqSlice bytes;               /* BYTES, STRING, FIXED                 */
        struct {                     /* RECORD: by field; ARRAY; MAP: key, value, ... */
            struct PqAvroValue *v;
            uint32_t            n;
        };
    };
} PqAvroValue;

typedef struct PqAvroUse {
    const int32_t *passed_over;      /* fields by their numbers; a 0 ends them */
    const PqStop  *stop;
    /* Of the file's metadata; NULL: not wanted. */
    PqRc (*metadata)(void *arg, PqSlice key, PqSlice value, PqErr *e);
    /* The record is valid until the next one. */
    PqRc (*record)(void *arg, const PqAvroValue *record, PqErr *e);
    void *arg;
} PqAvroUse;

/* The type of the records of a file with this schema. */
PqRc pq_avro_schema(PqSlice json, PqArena *a, PqAvroType **out, PqErr *e);

/* file: all of it. */
PqRc pq_avro_read(PqSlice file, const PqAvroUse *use, PqMem *mem, PqErr *e);

/* A field of a record; NULL: it has none, or null. */
const PqAvroValue *pq_avro_field(const PqAvroValue *record, int32_t id);

/* ... as a number, and as bytes; false, and out is left: it is none. */
bool pq_avro_int(const PqAvroValue *record, int32_t id, int64_t *out);
bool pq_avro_bytes(const PqAvroValue *record, int32_t id, PqSlice *out);

#endif
