/*
** stored_time.h - inside stored.h: texts of dates and times read back.
*/
#ifndef PQSQL_STORED_TIME_H
#define PQSQL_STORED_TIME_H

#include "core/parquet.h"

typedef enum PqsqlRead {
    PQSQL_READ_NONE,                 /* no stored value has this text        */
    PQSQL_READ_ONE,
    PQSQL_READ_UNKNOWN
} PqsqlRead;

/* The stored integer of a DATE, TIME or TIMESTAMP that prints as z. */
PqsqlRead pqsql_read_time(const PqType *type, const char *z, int64_t *out);

/* The same of a TIMESTAMP in 12 bytes. */
PqsqlRead pqsql_read_time96(const PqType *type, const char *z,
                            uint8_t out[PQ_TIME96_SIZE]);

#endif
