/*
** arrow_schema.h - the extension types and dictionaries of Arrow, which its
** writers keep in the metadata of a file, under the key "ARROW:schema".
**
**   base64( ff ff ff ff, length, Message { Schema { Field, Field, ... } } )
**
** The Message is a Flatbuffer: tables, which point to others by offsets.  The
** metadata of a field may give it an extension type:
**
**   "geometry": binary       ARROW:extension:name       "geoarrow.wkb"
**                            ARROW:extension:metadata   {"crs": ...}
**
** A field with a dictionary, such as categories of pandas, has a table that
** says so.
**
** Every offset and every count is a claim.  The first one that does not hold
** ends the reading, and the fields before it count.
*/
#ifndef PQ_ARROW_SCHEMA_H
#define PQ_ARROW_SCHEMA_H

#include "core/base/bytes.h"

/* A field at the top that has an extension type.  Borrowed from the bytes. */
typedef struct PqArrowField {
    PqSlice name, extension, metadata;       /* metadata may be empty */
} PqArrowField;

/* Decodes base64.  False: the text is not base64, or memory ran out (e). */
bool pq_arrow_decode(PqSlice base64, PqBuf *out, PqErr *e);

typedef struct PqArrowSchema {
    PqSlice  bytes;                  /* of the Flatbuffer                    */
    size_t   fields;                 /* where their vector begins            */
    uint32_t n_fields, next;
    size_t   budget;                 /* bytes that may still be looked at    */
} PqArrowSchema;

/* False: it is not a schema. */
bool pq_arrow_open(PqSlice decoded, PqArrowSchema *out);

/* Is the i-th field, which should have this name, a dictionary, or is there one
** inside?  Also true if that is not known. */
bool pq_arrow_has_dictionary(PqArrowSchema *s, uint32_t i, const char *name);

/* The next field with an extension type; false: there is none. */
bool pq_arrow_next(PqArrowSchema *s, PqArrowField *out);

#endif
