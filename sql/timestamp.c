/*
** timestamp.c - parquet_timestamp(x): converts a text or a number to the text
** of an instant.
**
** An INT96 holds every instant that has a text, to the nanosecond, so both
** texts and numbers are first converted to it.  A REAL of these days is exact
** to less than a microsecond, so it is rounded to one.
*/
#include "sql/timestamp.h"

#include "sql/argument.h"

enum { INSTANT_SIZE = 12, SHOWN = 60, MICROS = 1000000, NANOS_IN_MICRO = 1000 };

PqParse pqsql_timestamp_text(PqSlice text, char out[PQ_TIME_TEXT_ROOM])
{
    uint8_t instant[INSTANT_SIZE];
    PqParse said = pq_time_parse_int96(text, false, instant);

    if (said == PQ_PARSE_OK) {
        pq_time_text_int96(instant, out);
    }
    return said;
}

static PqParse of_number(sqlite3_value *v, char out[PQ_TIME_TEXT_ROOM])
{
    uint8_t instant[INSTANT_SIZE];
    int64_t seconds = sqlite3_value_int64(v), micros = 0;
    PqParse said = PQ_PARSE_OK;

    if (sqlite3_value_type(v) == SQLITE_FLOAT) {
        said = pq_time_split_seconds(sqlite3_value_double(v), MICROS, &seconds,
                                     &micros);
    }
    if (said == PQ_PARSE_OK) {
        said = pq_time_parse_instant96(
            seconds, (uint32_t)micros * NANOS_IN_MICRO, instant);
    }
    if (said == PQ_PARSE_OK) {
        pq_time_text_int96(instant, out);
    }
    return said;
}

static void failed(sqlite3_context *ctx, sqlite3_value *v, PqParse said)
{
    bool is_blob = sqlite3_value_type(v) == SQLITE_BLOB;
    const char *quote = is_blob ? "" : "'";
    const char *shown = is_blob ? "a BLOB"
                                : (const char *)sqlite3_value_text(v);

    pqsql_result_message(ctx, !shown ? NULL : sqlite3_mprintf(
        "parquet_timestamp: %s%!.*s%s%s", quote, SHOWN, shown, quote,
        said == PQ_PARSE_RANGE ? " is beyond the times of a TIMESTAMP"
        : said == PQ_PARSE_FINER ? " has more than nine digits of a second"
        : " is not a time: write 2024-03-10, 2024-03-10T12:00:00.25+02:00 or "
          "the seconds since 1970"));
}

static void timestamp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    char out[PQ_TIME_TEXT_ROOM];
    PqParse said = PQ_PARSE_NOT;
    PqSlice text;
    PqErr e;

    switch (sqlite3_value_type(argv[0])) {
    case SQLITE_NULL:
        return;
    case SQLITE_TEXT:
        pq_err_init(&e);
        if (pqsql_text_of(argv[0], &text, &e) != PQ_OK) {
            pqsql_result_error(ctx, &e);
            return;
        }
        said = pqsql_timestamp_text(text, out);
        break;
    case SQLITE_BLOB:
        break;
    default:
        said = of_number(argv[0], out);
        break;
    }
    if (said == PQ_PARSE_OK) {
        sqlite3_result_text(ctx, out, -1, SQLITE_TRANSIENT);
    } else {
        failed(ctx, argv[0], said);
    }
}

int pqsql_register_timestamp(sqlite3 *db)
{
    return sqlite3_create_function(
        db, "parquet_timestamp", 1,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, timestamp,
        NULL, NULL);
}
