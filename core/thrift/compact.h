/*
** compact.h - Thrift's compact protocol, driven by a table per struct.
**
**   struct := field* 00
**   field  := (delta << 4 | wire type)  value      delta from the last id, 1-15
**           | (0 << 4 | wire type)  zigzag id  value
**   list   := (n << 4 | wire type)  n values       n below 15
**           | (15 << 4 | wire type)  varint n  n values
**
**   KeyValue { key: "k", value: "v" }        18 01 6b  18 01 76  00
**                                           1:binary  2:binary  stop
**
** Integers of all widths are zigzag varints, except that the 8-bit one is a
** byte.  A boolean field has no value bytes: there are two wire types, true
** and false.
**
** A PqThriftStruct describes a C struct in rows, one per field, ascending by
** id.  The C struct begins with a uint32_t: bit i says that field i is present.
** The reader and the writer both work from the rows, so a field that is in the
** table exists in both.
**
** How the reader treats unusual input
**   a field without a row     skipped, whatever its type; sets
**                             PQ_THRIFT_UNKNOWN
**   a field of another type   the same; integers of all widths are one type
**   a field that comes twice  the last one counts
**   a number too wide         corrupt
**   a required row missing    corrupt
**   a count of elements       a claim: each element takes at least a byte, and
**                             an array starts with the room that the bytes left
**                             justify and grows as elements are found
** Binaries point into the bytes that were read; arrays are in the arena.
*/
#ifndef PQ_COMPACT_H
#define PQ_COMPACT_H

#include "core/base/arena.h"

typedef enum PqThriftKind {
    PQ_THRIFT_BOOL,                /* bool; in lists a uint8_t 0 / 1        */
    PQ_THRIFT_INT,                 /* int8_t .. int64_t, by the row's size  */
    PQ_THRIFT_DOUBLE,
    PQ_THRIFT_BINARY,              /* PqSlice                               */
    PQ_THRIFT_TEXT,                /* the same, of UTF-8                    */
    PQ_THRIFT_STRUCT,
    PQ_THRIFT_RAW,                 /* PqSlice of the bytes of a struct,
                                   ** skipped but not read; in lists only   */
    PQ_THRIFT_LIST = 16            /* | one of the above                    */
} PqThriftKind;

enum {
    PQ_THRIFT_REQUIRED = 1,
    PQ_THRIFT_TRUE = 2             /* a bool that is true when absent       */
};

enum { PQ_THRIFT_UNKNOWN = 31 };   /* the bit of fields without a row       */
enum { PQ_THRIFT_DEPTH = 64 };     /* nesting that skipping follows         */

typedef struct PqThriftStruct PqThriftStruct;

typedef struct PqThriftField {
    uint8_t     id;                /* 1 .. 30 */
    uint8_t     kind;
    uint8_t     flags;
    uint16_t    offset;            /* in the C struct                       */
    uint16_t    size;              /* of the value, or of one element of a
                                   ** list, which is {T *v; uint32_t n;}    */
    const char *name;
    const PqThriftStruct *of;      /* STRUCT, RAW                           */
    const char *(*label)(int);     /* INT: names of an enum; may be NULL and
                                   ** return NULL                           */
} PqThriftField;

struct PqThriftStruct {
    const char          *name;
    const PqThriftField *fields;
    uint16_t             n_fields;
    uint16_t             size;
    bool                 is_union; /* one field at most; an unknown member
                                   ** leaves PQ_THRIFT_UNKNOWN alone        */
};

/* Takes one struct from the front of *bytes.  If e->where.offset is set, it is
** the offset of that front, and an error names the byte where it was found. */
PqRc pq_compact_read(const PqThriftStruct *t, PqSlice *bytes, PqArena *a,
                     void *out, PqErr *e);

/* Fields that are not marked as present are not written. */
void pq_compact_write(const PqThriftStruct *t, const void *in, PqBuf *out);

/* The value of an INT, or of an element of a list of them, in a C struct. */
int64_t pq_compact_int(const PqThriftField *f, const void *in);

#endif
