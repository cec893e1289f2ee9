/*
** copy_elsewhere.c - the table of other tools' names: DuckDB's COPY, the
** writers of Spark and pandas, pyarrow, Polars and parquet-java.
**
** Names that the search for near names finds by itself (use_dictionary,
** max_threads) are not in the table.
*/
#include "sql/copy/copy_option_values.h"

#include "sql/nearest.h"

#define ORDER                                                        \
    "sorting_columns, which promises the order that an ORDER BY in the " \
    "query makes"
#define APPEND "\"overwrite\": \"append\""
#define REPLACE "\"overwrite\": \"replace\""
#define PARTITIONS "\"overwrite\": \"partitions\""

static const PqsqlElsewhere names[] = {
    {"codec", "compression", NULL},
    {"encryption_config", "encryption", NULL},
    {"encrypt", "encryption", NULL},
    {"encryption_properties", "encryption", NULL},
    {"footer_key", "encryption", "\"encryption\": {\"footer_key\": \"kf\"}"},
    {"parquet.encryption.footer.key", "encryption",
     "\"encryption\": {\"footer_key\": \"kf\"}"},
    {"column_keys", "encryption",
     "\"encryption\": {\"column_keys\": {\"ssn\": \"k1\"}}"},
    {"parquet.encryption.column.keys", "encryption",
     "\"encryption\": {\"column_keys\": {\"ssn\": \"k1\"}}"},
    {"clear_columns", "encryption",
     "\"encryption\": {\"clear_columns\": [\"id\"]}"},
    {"plaintext_footer", "encryption",
     "\"encryption\": {\"plaintext_footer\": true}"},
    {"aad_prefix", "encryption",
     "\"encryption\": {\"aad_prefix\": \"orders\"}"},
    {"key", "encryption", "\"encryption\": {\"footer_key\": \"kf\"}"},
    {"zstd_level", "compression_level", NULL},
    {"row_group_size", "row_group_rows", NULL},
    {"max_row_group_size", "row_group_rows", NULL},
    {"max_row_group_length", "row_group_rows", NULL},
    {"max_rows_per_group", "row_group_rows", NULL},
    {"row_group_size_bytes", "row_group_bytes", NULL},
    {"block_size", "row_group_bytes", NULL},
    {"parquet.block.size", "row_group_bytes", NULL},
    {"page_size", "page_bytes", NULL},
    {"data_page_size", "page_bytes", NULL},
    {"data_page_size_limit", "page_bytes", NULL},
    {"parquet.page.size", "page_bytes", NULL},
    {"data_page_row_count_limit", "page_rows", NULL},
    {"file_size", "file_bytes", NULL},
    {"file_size_bytes", "file_bytes", NULL},
    {"max_file_size", "file_bytes", NULL},
    {"rows_per_file", "file_rows", NULL},
    {"max_rows_per_file", "file_rows", NULL},
    {"max_records_per_file", "file_rows", NULL},
    {"append", "overwrite", APPEND},
    {"replace", "overwrite", REPLACE},
    {"force", "overwrite", REPLACE},
    {"dynamic", "overwrite", PARTITIONS},
    {"overwrite_partitions", "overwrite", PARTITIONS},
    {"replace_where", "overwrite", PARTITIONS},
    {"partition_overwrite_mode", "overwrite", PARTITIONS},
    {"mode", "overwrite", NULL},
    {"save_mode", "overwrite", NULL},
    {"if_exists", "overwrite", NULL},
    {"existing_data_behavior", "overwrite", NULL},
    {"sort", "sorting_columns", ORDER},
    {"sort_by", "sorting_columns", ORDER},
    {"sorted_by", "sorting_columns", ORDER},
    {"sorted", "sorting_columns", ORDER},
    {"order_by", "sorting_columns", ORDER},
    {"sort_columns", "sorting_columns", ORDER},
    {"geoparquet_version", "geoparquet", NULL},
    {"schema_version", "geoparquet", NULL},
    {"write_covering_bbox", "covering", NULL},
    {"bbox", "covering", NULL},
    {"crs", "types", "\"types\": {\"geom\": \"geometry(crs)\"}"},
    {"srid", "types", "\"types\": {\"geom\": \"geometry(crs)\"}"},
    {"geometry_columns", "types", "\"types\": {\"geom\": \"geometry\"}"},
    {"primary_geometry", "primary_column", NULL},
    {"geometry_name", "primary_column", NULL},
    {"sort_by_bbox", "hilbert", NULL},
    {"partition_cols", "partition_by", NULL},
    {"partition_columns", "partition_by", NULL},
    {"partitioned_by", "partition_by", NULL},
    {"partitioning_columns", "partition_by", NULL},
    {"hive", "partition_by", NULL},
    {"file_pattern", "filename_pattern", NULL},
    {"file_prefix", "filename_pattern", NULL},
    {"filename_template", "filename_pattern", NULL},
    {"basename_template", "filename_pattern", NULL},
    {"schema", "types", NULL},
    {"auto_detect", "types", "\"types\": \"auto\""},
    {"infer_schema", "types", "\"types\": \"auto\""},
    {"dtype", "types", NULL},
    {"dtypes", "types", NULL},
    {"cast", "types", NULL},
    {"casts", "types", NULL},
    {"coerce_timestamps", "types", NULL},
    {"use_deprecated_int96_timestamps", "types", NULL},
    {"required", "not_null", NULL},
    {"nullable", "not_null", NULL},
    {"ignore_errors", "on_mismatch", NULL},
    {"on_error", "on_mismatch", NULL},
    {"safe", "on_mismatch", NULL},
    {"strict", "on_mismatch", NULL},
    {"use_byte_stream_split", "encoding", NULL},
    {"flavor", "compatibility", NULL},
    {"version", "compatibility", NULL},
    {"parquet_version", "compatibility", NULL},
    {"writer_version", "compatibility", NULL},
    {"key_value_metadata", "kv_metadata", NULL},
    {"parameters", "params", NULL},
    {"bind", "params", NULL},
    {"args", "params", NULL},
    {"n_jobs", "threads", NULL},
    {"parallel", "threads", NULL},
    {"workers", "threads", NULL},
    {"verbose", "progress", NULL},
    {"application", "created_by", NULL},
    {"writer", "created_by", NULL},
};

const PqsqlElsewhere *pqsql_copy_elsewhere(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(names); i++) {
        if (pqsql_same_words(names[i].known_as, name)) {
            return &names[i];
        }
    }
    return NULL;
}
