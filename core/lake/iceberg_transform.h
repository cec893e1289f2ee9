/*
** iceberg_transform.h - the value of a partition field, of the value of its column.
**
**   identity      'a/b'                      'a/b'            spec.md, "Partition Transforms"
**   bucket[16]    34                         3                (murmur3 & INT32_MAX) % 16
**   truncate[10]  -1, 'iceberg'              -10, 'iceberg'   texts: so many characters
**   year, month   2017-11-16                 47, 574          from 1970 on
**   day, hour     2017-11-16 22:31:08        17486, 419686
**   void          any                        NULL
**
** All but bucket keep the order.  So the bounds of a file's column have its value, if they have
** the same one; of a bucket the name of the file's folder has it.
*/
#ifndef PQ_ICEBERG_TRANSFORM_H
#define PQ_ICEBERG_TRANSFORM_H

#include "core/column/leaf_batch.h"
#include "core/column/leaf_fill.h"
#include "core/text/time_text.h"

typedef enum PqIcebergTransform {
    PQ_ICEBERG_IDENTITY, PQ_ICEBERG_VOID, PQ_ICEBERG_BUCKET, PQ_ICEBERG_TRUNCATE,
    PQ_ICEBERG_YEAR, PQ_ICEBERG_MONTH, PQ_ICEBERG_DAY, PQ_ICEBERG_HOUR
} PqIcebergTransform;

/* A part of the partitions of new files: a column, and what of its values is in one file only. */
typedef struct PqLakeBy {
    const char *column;              /* NULL: void                           */
    const char *folder;              /* what its folders are called          */
    int64_t     id;                  /* of the field of the spec             */
    PqIcebergTransform transform;
    int32_t     width;               /* N of bucket[N] and truncate[N]       */
    bool        on_calendar;         /* DuckLake: a month is 1 to 12, a day 1 to 31, an hour 0
                                     ** to 23                                */
    PqType      type;                /* of the column                        */
    PqLeafBatch value;               /* ... of a row, as files store it      */
    char        text[PQ_TIME_TEXT_ROOM];
} PqLakeBy;

/* A value as statistics have it, little-endian; bytes of a number are none. */
typedef struct PqIcebergValue {
    int64_t i;
    PqSlice bytes;
} PqIcebergValue;

/* Sets transform and width, of "bucket[16]" or "bucket(16)"; false: files of columns of by->type
** are not written so. */
bool pq_iceberg_transform_find(PqSlice text, PqLakeBy *by);
const char *pq_iceberg_transform_name(PqIcebergTransform t);

/* The Avro type of the field's values, as JSON, and whether they are texts; else the bytes that
** a number has as a bound. */
const char *pq_iceberg_transform_type(const PqLakeBy *by);
size_t      pq_iceberg_transform_width(const PqLakeBy *by);       /* 0: a text */

/* Of a value as a file of the column's type stores it, which is not NULL. */
PqIcebergValue pq_iceberg_transform(const PqLakeBy *by, PqSlice stored);

/* What a folder is called for a value, which fills the column by the rules; not for identity.  It
** lives until the next one. */
PqRc pq_iceberg_transform_text(PqLakeBy *by, const PqCell *cell, const PqFillRules *rules,
                               PqSlice *out, PqErr *e);

/* The bytes of a stored decimal, the first one first, without those of the sign alone. */
PqSlice pq_iceberg_decimal(const PqType *t, PqSlice v, uint8_t room[8]);

/* MurmurHash3, x86, 32 bits, seed 0. */
uint32_t pq_murmur3(PqSlice v);

#endif
