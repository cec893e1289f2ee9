/*
** timestamp.h - parquet_timestamp(x): an instant as the text that a TIMESTAMP
** column shows.
**
**   '2024-03-10T14:00:00+02:00'     2024-03-10 12:00:00
**   '2024-03-10T12:00:00.250000'    2024-03-10 12:00:00.250
**   '2024-03-10'                    2024-03-10 00:00:00
**   1710072000.25                   2024-03-10 12:00:00.250
**
** SQLite compares times as texts, and a column shows only one text for an
** instant.  datetime() writes it too, but drops the fraction.
*/
#ifndef PQSQL_TIMESTAMP_H
#define PQSQL_TIMESTAMP_H

#include "core/for_host.h"
#include "sql/sqlite.h"

int pqsql_register_timestamp(sqlite3 *db);

/* The text that a TIMESTAMP column shows for the instant that a text names. */
PqParse pqsql_timestamp_text(PqSlice text, char out[PQ_TIME_TEXT_ROOM]);

#endif
